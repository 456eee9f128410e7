// SPDX-License-Identifier: GPL-2.0
#include "ab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../compare/command.h"
#include "../harness/plan.h"
#include "../harness/run.h"
#include "../report/json.h"
#include "../report/suite_text.h"
#include "../report/text.h"

#define THRESHOLD 0.02
#define ALPHA 0.01

static const char usage[] =
	"Usage: bench ab [OPTION]... -- CASE -- CASE\n"
	"\n"
	"Run two cases in turn, in rounds, and say which of them costs less and how sure\n"
	"that is. A CASE is what `bench` takes: a benchmark and its options.\n"
	"\n"
	"Options:\n"
	"  --threshold N%                a difference up to this is none, whatever p [2%]\n"
	"  --alpha P                     the chance of telling two apart that are the\n"
	"                                same [0.01]\n"
	"  --rounds, --precision, --max-time, --round-ms, --seed, --json\n"
	"                                as for --suite: `bench --help` has them\n"
	"  -h, --help                    show this\n"
	"\n"
	"Exit status: 0 the second is not worse, 1 it is, 2 wrong command line, 4 a case\n"
	"cannot run here, or nothing can be said; 128 + N ended by signal N.\n";

struct ab {
	struct options options; /* of the run */
	struct criteria criteria;
	struct options cases[NR_SIDES];
	char **words[NR_SIDES]; /* of them, "bench" first */
	struct plan plan;
};

/* The words of one case as a command line. */
static int take_case(struct ab *ab, enum side side, char *const *words, int n)
{
	int err;

	ab->words[side] = calloc((size_t)n + 2, sizeof(char *));
	if (!ab->words[side])
		return error_set(ENOMEM, "no memory for a case");
	ab->words[side][0] = (char *)"bench";
	memcpy(ab->words[side] + 1, words, (size_t)n * sizeof(char *));
	err = options_parse_row(n + 1, ab->words[side], &ab->options, &ab->cases[side]);
	return err ? error_prefix(err, "the %s case", side == SIDE_BASE ? "first" : "second") : 0;
}

/* Takes --threshold and --alpha out of the words, which the rest of the program does not know. */
static int take_criteria(struct ab *ab, char **words, int *n)
{
	int kept = 0, err = 0;

	for (int i = 0; i < *n && !err; i++) {
		bool threshold = !strcmp(words[i], "--threshold");

		if (!threshold && strcmp(words[i], "--alpha") != 0) {
			words[kept++] = words[i];
			continue;
		}
		if (i + 1 == *n)
			return error_set(E_USAGE, "%s: needs a value", words[i]);
		err = threshold ? compare_take_threshold(&ab->criteria, words[i + 1])
				: compare_take_alpha(&ab->criteria, words[i + 1]);
		i++;
	}
	*n = kept;
	return err;
}

static int find_dashes(int argc, char *const *argv, int from)
{
	while (from < argc && strcmp(argv[from], "--") != 0)
		from++;
	return from;
}

/* The part before the first --. */
static int take_options(struct ab *ab, char *const *argv, int n)
{
	char **words = calloc((size_t)n + 1, sizeof(*words));
	int err;

	if (!words)
		return error_set(ENOMEM, "no memory for the options");
	memcpy(words, argv, (size_t)n * sizeof(*words));
	err = take_criteria(ab, words, &n);
	words[n] = NULL;
	if (!err)
		err = options_parse_plan(n, words, &ab->options);
	free(words);
	return err;
}

static int parse(int argc, char *const *argv, struct ab *ab)
{
	int first = find_dashes(argc, argv, 1), second = find_dashes(argc, argv, first + 1);
	int err = take_options(ab, argv, first);

	if (err || ab->options.help)
		return err;
	if (second >= argc)
		return error_set(E_USAGE,
				 "two cases are needed: bench ab [OPTION]... -- CASE -- CASE");
	err = take_case(ab, SIDE_BASE, argv + first + 1, second - first - 1);
	if (!err)
		err = take_case(ab, SIDE_NEW, argv + second + 1, argc - second - 1);
	if (!err && (ab->cases[SIDE_BASE].bench->watcher || ab->cases[SIDE_NEW].bench->watcher))
		err = error_set(E_USAGE, "a benchmark that watches others has no cost to compare");
	return err;
}

static void judge_cases(struct ab *ab, struct judged *judged)
{
	for (int side = 0; side < NR_SIDES; side++) {
		const struct plan_case *c = &ab->plan.cases[side];

		judged->rounds[side].values = c->net;
		judged->rounds[side].n = c->nr_counting;
		judged->exact = c->stop == PLAN_EXACT;
	}
	/* Less than one instruction in the longest batch there is. */
	judged->step = 1e-9;
}

/* Not as old and new: here are two ways to do something. */
static void print_verdict(FILE *out, const struct judged *judged)
{
	static const char *const words[] = {
		[VERDICT_WORSE] = "the second costs more",
		[VERDICT_BETTER] = "the second costs less",
		[VERDICT_SAME] = "the same",
		[VERDICT_NOT_ENOUGH] = "cannot be said",
	};

	fprintf(out, "second / first ");
	if (judged->ratio.known)
		fprintf(out, "%.3lf", judged->ratio.value);
	else
		fprintf(out, "not known");
	if (judged->ratio.known && judged->ratio.has_interval && !judged->exact)
		fprintf(out, "  95%% [%.3lf, %.3lf]", judged->ratio.lo, judged->ratio.hi);
	if (judged->tested)
		fprintf(out, "  p %.3g", judged->p);
	fprintf(out, ": %s%s%s\n", words[judged->verdict], judged->why[0] ? ", " : "", judged->why);
}

static int conclude(struct ab *ab, FILE *out, int *status)
{
	struct judged judged = {}, *list[] = { &judged };
	int err;

	judge_cases(ab, &judged);
	err = judge(list, 1, &ab->criteria);
	if (err)
		return error_set(-err, "no memory for the comparison");
	print_verdict(out, &judged);
	if (judged.verdict == VERDICT_WORSE)
		*status = EXIT_FAILED;
	if (judged.verdict == VERDICT_NOT_ENOUGH)
		*status = EXIT_CANNOT_RUN;
	return text_flush(out);
}

/* Either case that has not run makes a comparison of none. */
static int both_ran(const struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_cases; i++) {
		const struct plan_case *c = &plan->cases[i];

		if (c->stop == PLAN_SKIPPED)
			return error_set(E_CANNOT, "%s: %s", c->name, c->reason);
		if (c->stop == PLAN_FAILED)
			return error_set(EIO, "%s: %s", c->name, c->reason);
	}
	return 0;
}

static int run(struct ab *ab, int *status)
{
	const char *path = ab->options.json_path;
	FILE *out = options_json_on_stdout(&ab->options) ? stderr : stdout;
	struct output *json = NULL;
	int err = path ? output_open(path, &json) : 0, json_err;

	if (err)
		return err;
	plan_run(&ab->plan, suite_text_progress, NULL);
	plan_read_host(&ab->plan);
	json_err = json ? json_write_plan(json, &ab->plan) : 0;
	if (plan_signal(&ab->plan)) {
		*status = 128 + plan_signal(&ab->plan);
		return json_err;
	}
	err = both_ran(&ab->plan);
	if (!err)
		err = suite_text_result(out, &ab->plan);
	if (!err)
		err = conclude(ab, out, status);
	return err ? err : json_err;
}

int ab_command(int argc, char *const *argv, int *status)
{
	struct ab ab = { .criteria = { .threshold = THRESHOLD, .alpha = ALPHA } };
	const struct options *cases[] = { &ab.cases[SIDE_BASE], &ab.cases[SIDE_NEW] };
	int err;

	run_catch_signals();
	err = parse(argc, argv, &ab);
	if (!err && ab.options.help) {
		fputs(usage, stdout);
	} else if (!err) {
		err = plan_init(&ab.plan, &ab.options, cases, NR_SIDES);
		ab.plan.in_step = true;
		if (!err)
			err = run(&ab, status);
	}
	plan_free(&ab.plan);
	for (int side = 0; side < NR_SIDES; side++) {
		options_free(&ab.cases[side]);
		free(ab.words[side]);
	}
	options_free(&ab.options);
	return err;
}
