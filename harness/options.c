// SPDX-License-Identifier: GPL-2.0
/*
 * Two passes. First getopt takes the command line apart: the benchmark's name may come last, and
 * only it says what a parameter's value may be. Then the values are read, in the order given.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_table.h"
#include "words.h"

/* What getopt returns for long options: this and more, above any letter. */
#define LONG_CODE 256

/* One option as it was typed. */
struct given {
	const char *dashes, *name;
	const struct option_row *row; /* NULL: a benchmark's parameter */
	const char *value;
};

struct command_line {
	struct option *longs; /* getopt's table: core options, then every benchmark's parameters */
	size_t nr_longs;
	char letters[64];
	struct given *given; /* options with values */
	size_t nr_given;
	const char *name; /* of the benchmark, or NULL */
	char *const *command; /* words after "--" and the name, ended by NULL; NULL: none */
};

static const struct option_row *find_row(const char *name)
{
	for_each_option_row(row)
	{
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

static const struct option_row *find_letter(int letter)
{
	for_each_option_row(row)
	{
		if (row->letter && row->letter[0] == letter)
			return row;
	}
	return NULL;
}

/* Its full name, whether it was typed by that or by its letter. */
static const char *full_name(const struct given *given)
{
	return given->row ? given->row->name : given->name;
}

static const struct given *find_given(const struct command_line *line, const char *name)
{
	for (size_t i = 0; i < line->nr_given; i++) {
		if (!strcmp(full_name(&line->given[i]), name))
			return &line->given[i];
	}
	return NULL;
}

static bool is_long(const struct command_line *line, const char *name)
{
	for (size_t i = 0; i < line->nr_longs; i++) {
		if (!strcmp(line->longs[i].name, name))
			return true;
	}
	return false;
}

/* Benchmarks share parameters: the name goes in once, the chosen one's row counts later. */
static void add_long(struct command_line *line, const char *name, bool has_value)
{
	if (is_long(line, name))
		return;
	line->longs[line->nr_longs] = (struct option){
		.name = name,
		.has_arg = has_value ? required_argument : no_argument,
		.val = LONG_CODE + (int)line->nr_longs,
	};
	line->nr_longs++;
}

/*
 * "-": getopt hands over other words in their order, so that they may stand anywhere, even with
 * POSIXLY_CORRECT set. ":": it tells a missing value apart and prints nothing.
 */
static void fill_letters(struct command_line *line)
{
	char *out = stpcpy(line->letters, "-:");

	for_each_option_row(row)
	{
		if (row->letter)
			out = stpcpy(out, row->letter);
		if (row->letter && row->value)
			out = stpcpy(out, ":");
	}
}

static int prepare(struct command_line *line, int argc)
{
	size_t room = 1; /* for the row of zeroes that ends getopt's table */

	memset(line, 0, sizeof(*line));
	for_each_option_row(row) room++;
	for_each_bench(bench) {
		for (const struct bench_param *p = bench->params; p && p->name; p++)
			room++;
	}
	line->longs = calloc(room, sizeof(*line->longs));
	line->given = calloc((size_t)argc + 1, sizeof(*line->given));
	if (!line->longs || !line->given)
		return error_set(ENOMEM, "out of memory for the command line");

	fill_letters(line);
	for_each_option_row(row) add_long(line, row->name, row->value);
	for_each_bench(bench) {
		for (const struct bench_param *p = bench->params; p && p->name; p++)
			add_long(line, p->name, p->type != BENCH_PARAM_FLAG);
	}
	return 0;
}

static void release(struct command_line *line)
{
	free(line->longs);
	free(line->given);
}

/* What a code of getopt's stands for, named as it was typed: -p or --producers. */
static struct given as_typed(const struct command_line *line, int code)
{
	struct given given = { .dashes = "-" };

	if (code < LONG_CODE) {
		given.row = find_letter(code);
		given.name = given.row->letter;
		return given;
	}
	given.dashes = "--";
	given.name = line->longs[code - LONG_CODE].name;
	given.row = find_row(given.name);
	return given;
}

static int bad_letter(int letter)
{
	char text[] = { '-', letter > 0 && letter < 0x80 ? (char)letter : '?', '\0' };

	return error_set(E_USAGE, "unknown option %s (`bench --help` lists them)", quoted(text));
}

/* getopt refused "--word" or "--word=value" and does not say why: no option, or several. */
static int bad_word(const struct command_line *line, const char *typed)
{
	char word[128], candidates[256] = "", option[128];
	const char *nearest = NULL;
	size_t best = SIZE_MAX, nr_candidates = 0;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
	for (size_t i = 0; i < line->nr_longs; i++) {
		const char *name = line->longs[i].name;

		if (is_nearer(word, name, &best))
			nearest = name;
		if (strncmp(name, word, strlen(word)) != 0)
			continue;
		snprintf(option, sizeof(option), "--%s", name);
		join_word(candidates, sizeof(candidates), option);
		nr_candidates++;
	}
	snprintf(option, sizeof(option), "--%.100s", word);
	if (nr_candidates > 1)
		return error_set(E_USAGE, "option %s is ambiguous: %s", quoted(option), candidates);
	if (nearest)
		return error_set(
			E_USAGE,
			"unknown option %s, did you mean --%s? (`bench --help` lists them)",
			quoted(option), nearest);
	return error_set(E_USAGE, "unknown option %s (`bench --help` lists them)", quoted(option));
}

/* getopt's '?'. */
static int bad_option(const struct command_line *line, char *const *argv)
{
	const char *typed = argv[optind - 1], *value;

	if (optopt == 0)
		return bad_word(line, typed);
	if (optopt < LONG_CODE)
		return bad_letter(optopt);
	value = strchr(typed, '=');
	return error_set(E_USAGE, "--%s: takes no value, but was given %s",
			 as_typed(line, optopt).name, quoted(value ? value + 1 : ""));
}

static int take_name(struct command_line *line, const char *name)
{
	if (line->name)
		return error_set(E_USAGE, "more than one benchmark named: %s and %s",
				 quoted(line->name), quoted(name));
	line->name = name;
	return 0;
}

static int take_option(struct command_line *line, int code, char *const *argv,
		       struct options *options)
{
	struct given given;

	if (code == 1)
		return take_name(line, optarg);
	if (code == '?')
		return bad_option(line, argv);
	if (code == ':') {
		given = as_typed(line, optopt);
		return error_set(E_USAGE, "%s%s: needs a value", given.dashes, given.name);
	}
	given = as_typed(line, code);
	if (given.row && given.row->kind == OPTION_FLAG) {
		*(bool *)((char *)options + given.row->offset) = true;
		return 0;
	}
	given.value = optarg;
	line->given[line->nr_given++] = given;
	return 0;
}

/* First pass: flags, the name, and which values there are. */
static int scan(struct command_line *line, int argc, char *const *argv, struct options *options)
{
	int code, err = 0;

	optind = 0; /* glibc and musl: begin anew */
	opterr = 0;
	while (!err && (code = getopt_long(argc, argv, line->letters, line->longs, NULL)) != -1)
		err = take_option(line, code, argv, options);
	if (err)
		return err;
	/* What follows "--": the name if it is not known yet, then a command. */
	if (!line->name && optind < argc)
		line->name = argv[optind++];
	if (optind < argc)
		line->command = &argv[optind];
	return 0;
}

static int take_number(const struct given *given, u64 min, u64 max, u64 *value)
{
	unsigned long long from = min, to = max;
	int err = parse_u64(given->value, value);

	if (err == -EINVAL)
		return error_set(E_USAGE, "%s%s: %s is not a number in plain digits (%llu to %llu)",
				 given->dashes, given->name, quoted(given->value), from, to);
	if (err || *value < min || *value > max)
		return error_set(E_USAGE, "%s%s: %s is not in the range %llu to %llu",
				 given->dashes, given->name, quoted(given->value), from, to);
	return 0;
}

static int take_cpus(const struct given *given, struct cpu_list *cpus)
{
	struct cpu_list online;
	int err;

	cpu_list_free(cpus); /* of the same option earlier: the last one counts */
	err = cpu_list_online(&online);
	if (!err) {
		err = cpu_list_parse(given->value, &online, cpus);
		cpu_list_free(&online);
	}
	return err ? error_prefix(err, "--%s", given->name) : 0;
}

static int take_trigger(const struct given *given, enum trigger_kind *kind)
{
	char words[128] = "";
	int found = trigger_from_name(given->value);

	if (found >= 0) {
		*kind = (enum trigger_kind)found;
		return 0;
	}
	for (int i = 0; i < TRIGGER_NR_KINDS; i++)
		join_word(words, sizeof(words), trigger_name((enum trigger_kind)i));
	return error_set(E_USAGE, "--%s: %s is none of %s", given->name, quoted(given->value),
			 words);
}

/* "1%", "0.5%" or "2": percent in any case. */
static int take_percent(const struct given *given, double *share)
{
	size_t len = strlen(given->value);
	double percent;

	if (len && given->value[len - 1] == '%')
		len--;
	if (!parse_decimal(given->value, len, &percent))
		return error_set(E_USAGE, "--%s: %s is not a percentage such as 1%%", given->name,
				 quoted(given->value));
	if (!(percent > 0 && percent <= 100))
		return error_set(E_USAGE, "--%s: %s is not above 0%% and up to 100%%", given->name,
				 quoted(given->value));
	*share = percent / 100;
	return 0;
}

static int take_file(const struct given *given, const char **path)
{
	if (!given->value[0])
		return error_set(E_USAGE, "--%s: the path is empty", given->name);
	*path = given->value;
	return 0;
}

static int take_core(const struct given *given, struct options *options)
{
	const struct option_row *row = given->row;
	void *field = (char *)options + row->offset;
	u64 value = 0;
	int err;

	switch (row->kind) {
	case OPTION_U64:
		return take_number(given, row->min, row->max, field);
	case OPTION_U32:
		err = take_number(given, row->min, row->max, &value);
		*(unsigned int *)field = (unsigned int)value;
		return err;
	case OPTION_CPUS:
		options->affinity = true;
		return take_cpus(given, field);
	case OPTION_TRIGGER:
		return take_trigger(given, field);
	case OPTION_FILE:
		return take_file(given, field);
	case OPTION_PERCENT:
		return take_percent(given, field);
	case OPTION_FLAG:
		break; /* done by the first pass */
	}
	return 0;
}

static int take_choice(const struct given *given, const struct bench_param *param, u64 *value)
{
	char words[256] = "";

	for (*value = 0; param->choices[*value]; ++*value) {
		if (!strcmp(param->choices[*value], given->value))
			return 0;
		join_word(words, sizeof(words), param->choices[*value]);
	}
	return error_set(E_USAGE, "--%s: %s is none of %s", given->name, quoted(given->value),
			 words);
}

/* An option that no core option is, and not of this benchmark either. */
static int not_its_option(const struct given *given, const struct bench *bench)
{
	char owners[512] = "";

	for_each_bench(owner) {
		if (bench_param_find(owner, given->name))
			join_word(owners, sizeof(owners), owner->name);
	}
	if (!bench)
		return error_set(E_USAGE, "--%s: needs the name of a benchmark that has it: %s",
				 given->name, owners);
	return error_set(E_USAGE, "--%s: %s does not have this option, which is for: %s",
			 given->name, bench->name, owners);
}

static int take_param(const struct given *given, struct options *options)
{
	const struct bench *bench = options->bench;
	const struct bench_param *param = bench ? bench_param_find(bench, given->name) : NULL;
	u64 value = 0;
	int err = 0;

	if (!param)
		return not_its_option(given, bench);
	options->params_given |= 1ULL << (param - bench->params);
	if (param->type == BENCH_PARAM_TEXT) {
		memcpy((char *)options->params + param->offset, &given->value,
		       sizeof(given->value));
		return 0;
	}
	if (param->type == BENCH_PARAM_FLAG)
		value = 1;
	else if (param->type == BENCH_PARAM_CHOICE)
		err = take_choice(given, param, &value);
	else
		err = take_number(given, param->min, param->max, &value);
	if (!err)
		bench_param_set(param, options->params, value);
	return err;
}

/* Nobody asked for a default, so nobody is told that it is too much. */
static void cut_defaults(struct options *options)
{
	const struct bench_param *params = options->bench->params;

	for (const struct bench_param *p = params; p && p->name; p++) {
		bool given = options->params_given >> (p - params) & 1;

		if (p->most && !given)
			bench_param_set(p, options->params,
					min_u64(p->def, p->most(options->params)));
	}
}

static void set_core_defaults(struct options *options)
{
	for_each_option_row(row)
	{
		void *field = (char *)options + row->offset;

		if (row->kind == OPTION_U64)
			*(u64 *)field = row->def;
		if (row->kind == OPTION_U32)
			*(unsigned int *)field = (unsigned int)row->def;
	}
}

static int choose_bench(const char *name, bool suite, struct options *options)
{
	const struct bench *bench;
	const char *nearest;

	if (!name && (options->help || options->version || options->list || suite))
		return 0;
	if (name && suite)
		return error_set(E_USAGE, "--suite: the file names the benchmarks, not %s",
				 quoted(name));
	if (!name)
		return error_set(E_USAGE, "which benchmark? Name one (`bench -l` lists them)");
	bench = bench_find(name);
	nearest = bench ? NULL : bench_nearest(name);
	if (nearest)
		return error_set(E_USAGE,
				 "unknown benchmark %s, did you mean %s? (`bench -l` lists them)",
				 quoted(name), nearest);
	if (!bench)
		return error_set(E_USAGE, "unknown benchmark %s (`bench -l` lists them)",
				 quoted(name));

	options->bench = bench;
	if (!bench->params_size)
		return 0;
	options->params = calloc(1, bench->params_size);
	if (!options->params)
		return error_set(ENOMEM, "out of memory for the parameters of %s", bench->name);
	for (const struct bench_param *p = bench->params; p && p->name; p++)
		bench_param_set(p, options->params, p->def);
	return 0;
}

/* With a command the benchmark has no work of its own that could be described. */
static int check_own_work(const struct command_line *line, const struct options *options)
{
	const char *const *name = options->bench->watcher->own_work;

	for (; line->command && name && *name; name++) {
		if (find_given(line, *name))
			return error_set(E_USAGE, "--%s: what runs is the command %s, leave it out",
					 *name, quoted(line->command[0]));
	}
	return 0;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

/* What is of no use to a benchmark that fires nothing itself. */
static int check_watcher(const struct command_line *line, const struct options *options)
{
	static const char *const of_producers[] = { "producers", "prod-affinity", "trigger",
						    "pad" };

	for (size_t i = 0; i < ARRAY_SIZE(of_producers); i++) {
		const struct given *given = find_given(line, of_producers[i]);

		if (given)
			return error_set(E_USAGE, "%s%s: %s watches others and has no producers",
					 given->dashes, given->name, options->bench->name);
	}
	if (options->affinity)
		return error_set(E_USAGE, "-a: %s watches others and has no producers",
				 options->bench->name);
	if (options->duration_given && !options->duration_sec)
		return error_set(E_USAGE,
				 "-d: %s watches others for so many seconds and no more: "
				 "in 0 there is nothing to see",
				 options->bench->name);
	if (line->command && !options->bench->watcher->takes_command)
		return error_set(E_USAGE, "%s runs no command, but was given %s",
				 options->bench->name, quoted(line->command[0]));
	if (options->interval_sec > 0 && options->duration_given &&
	    options->interval_sec > options->duration_sec)
		return error_set(E_USAGE, "-i: '%llu' is longer than the duration of %llu",
				 (unsigned long long)options->interval_sec,
				 (unsigned long long)options->duration_sec);
	return check_own_work(line, options);
}

/* What rounds of several cases have, and a single case has not. */
static const char *const of_suites[] = { "rounds", "precision", "max-time", "round-ms", "seed" };

/* What a suite has as well as a single case, and a row has not. */
static const char *const of_both[] = { "json", "suite" };

static const char *const times[] = { "duration", "warmup", "interval" };
static const char how_long[] =
	"in a suite --round-ms says how long, and -d in a row of what watches others";

/* What only a suite has, and what only a row of it can have. */
static int check_suite(const struct command_line *line, const struct options *options)
{
	for (size_t i = 0; i < line->nr_given; i++) {
		const struct given *given = &line->given[i];
		bool suites_own = is_one_of(full_name(given), of_suites, ARRAY_SIZE(of_suites));

		if (!options->suite_path && suites_own)
			return error_set(E_USAGE, "--%s: only with --suite FILE", given->name);
		if (options->suite_path && is_one_of(full_name(given), times, ARRAY_SIZE(times)))
			return error_set(E_USAGE, "%s%s: %s", given->dashes, given->name, how_long);
		if (options->suite_path && !suites_own &&
		    !is_one_of(full_name(given), of_both, ARRAY_SIZE(of_both)))
			return error_set(E_USAGE, "%s%s: belongs in a row of the suite",
					 given->dashes, given->name);
	}
	if (options->suite_path && options->affinity)
		return error_set(E_USAGE, "-a: belongs in a row of the suite");
	return 0;
}

/* Core options that not every benchmark can follow. */
static int check_core(const struct command_line *line, const struct options *options)
{
	const struct bench *bench = options->bench;
	int err = check_suite(line, options);

	if (err)
		return err;
	if (options->stacktrace)
		return error_set(E_USAGE, "-s: no benchmark here captures stack traces");
	if (!bench)
		return 0;
	if (line->command && !bench->watcher && bench_find(line->command[0]))
		return error_set(E_USAGE, "more than one benchmark named: %s and %s",
				 quoted(line->name), quoted(line->command[0]));
	if (line->command && !bench->watcher)
		return error_set(E_USAGE, "%s runs no command, but was given %s", bench->name,
				 quoted(line->command[0]));
	if (options->nr_consumers && !bench->has_consumers)
		return error_set(E_USAGE, "-c: '%u' is not possible, %s has no consumers",
				 options->nr_consumers, bench->name);
	if (bench->watcher)
		return check_watcher(line, options);
	if (find_given(line, "interval"))
		return error_set(E_USAGE, "-i: %s has an interval of one second", bench->name);
	if (bench->batch && find_given(line, "trigger"))
		return error_set(E_USAGE,
				 "--trigger: %s runs in user space and has no BPF program to fire",
				 bench->name);
	if (bench->batch && find_given(line, "pad"))
		return error_set(E_USAGE,
				 "--pad: %s runs in user space and has no BPF program to pad",
				 bench->name);
	return 0;
}

/* Second pass: what the values mean. */
static int read_values(const struct command_line *line, struct options *options)
{
	int err;

	set_core_defaults(options);
	options->interval_ns = NSEC_PER_SEC;
	options->longest_interval_ns = NSEC_PER_SEC;
	err = choose_bench(line->name, find_given(line, "suite"), options);
	/* No value is checked for help, so that --help can be put behind a line that was refused. */
	if (err || options->help || options->version)
		return err;
	for (size_t i = 0; i < line->nr_given && !err; i++) {
		const struct given *given = &line->given[i];

		err = given->row ? take_core(given, options) : take_param(given, options);
	}
	options->command = line->command;
	options->warmup_given = find_given(line, "warmup");
	options->duration_given = find_given(line, "duration");
	if (!err)
		err = check_core(line, options);
	if (err || options->list || !options->bench)
		return err;
	cut_defaults(options);
	if (!options->bench->validate)
		return 0;
	return options->bench->validate(options->params, options->nr_producers);
}

/* For --given: what was made of letters, abbreviations and words in any order. */
static int name_given(const struct command_line *line, struct options *options)
{
	size_t size;
	FILE *out = open_memstream(&options->given_names, &size);

	if (!out)
		return error_set(ENOMEM, "out of memory for the names of options");
	for_each_option_row(row)
	{
		if (row->kind == OPTION_FLAG && *(bool *)((char *)options + row->offset))
			fprintf(out, "%s\n", row->name);
	}
	for (size_t i = 0; i < line->nr_given; i++)
		fprintf(out, "%s\n", full_name(&line->given[i]));
	return fclose(out) ? error_set(ENOMEM, "out of memory for the names of options") : 0;
}

/* What is the whole suite's, and so not a row's. */
static int check_row(const struct command_line *line, const struct options *options)
{
	if (options->help || options->version || options->list || options->given)
		return error_set(E_USAGE, "a row runs a case: no -h, -V or -l");
	if (options->quiet || options->verbose)
		return error_set(E_USAGE, "-q and -v go beside --suite, not in a row");
	for (size_t i = 0; i < line->nr_given; i++) {
		const struct given *given = &line->given[i];

		if (!options->bench->watcher &&
		    is_one_of(full_name(given), times, ARRAY_SIZE(times)))
			return error_set(E_USAGE, "%s%s: %s", given->dashes, given->name, how_long);
	}
	return 0;
}

static int read_case(const struct command_line *line, struct options *options)
{
	return options->given ? name_given(line, options) : read_values(line, options);
}

static int read_row(const struct command_line *line, struct options *options)
{
	int err;

	/* First, since what is said of them elsewhere leads away from here. */
	for (size_t i = 0; i < line->nr_given; i++) {
		const struct given *given = &line->given[i];
		const char *name = full_name(given);

		if (is_one_of(name, of_suites, ARRAY_SIZE(of_suites)) ||
		    is_one_of(name, of_both, ARRAY_SIZE(of_both)))
			return error_set(E_USAGE, "--%s: not in a row of a suite", given->name);
	}
	err = read_case(line, options);
	return err ? err : check_row(line, options);
}

/* `read` is the second pass. */
static int parse(int argc, char *const *argv,
		 int (*read)(const struct command_line *line, struct options *options),
		 struct options *options)
{
	struct command_line line;
	int err;

	memset(options, 0, sizeof(*options));
	err = prepare(&line, argc);
	if (!err)
		err = scan(&line, argc, argv, options);
	if (!err)
		err = read(&line, options);
	release(&line);
	return err;
}

int options_parse(int argc, char *const *argv, struct options *options)
{
	return parse(argc, argv, read_case, options);
}

/* A round whose set-up takes long, or whose core is shared, measures for longer: up to so many times. */
#define LONG_ROUND 4

int options_parse_row(int argc, char *const *argv, const struct options *suite,
		      struct options *options)
{
	int err = parse(argc, argv, read_row, options);

	if (err)
		return err;
	options->quiet = true;
	options->interval_ns = suite->round_ms * NSEC_PER_MSEC;
	options->longest_interval_ns = LONG_ROUND * options->interval_ns;
	if (!options->bench->watcher) {
		options->warmup_sec = 0;
		options->duration_sec = 0;
	} else if (!options->duration_given) {
		options->duration_sec = 1;
	}
	return 0;
}

static int read_plan_values(const struct command_line *line, struct options *options)
{
	set_core_defaults(options);
	if (line->name)
		return error_set(E_USAGE,
				 "%s: options only before the first --, the cases after it",
				 quoted(line->name));
	for (size_t i = 0; i < line->nr_given; i++) {
		const struct given *given = &line->given[i];
		int err;

		if (!is_one_of(full_name(given), of_suites, ARRAY_SIZE(of_suites)) &&
		    strcmp(given->name, "json") != 0)
			return error_set(E_USAGE,
					 is_one_of(full_name(given), times, ARRAY_SIZE(times))
						 ? "%s%s: --round-ms says how long"
						 : "%s%s: belongs to a case, behind a --",
					 given->dashes, given->name);
		err = take_core(given, options);
		if (err)
			return err;
	}
	return 0;
}

int options_parse_plan(int argc, char *const *argv, struct options *options)
{
	return parse(argc, argv, read_plan_values, options);
}

bool options_json_on_stdout(const struct options *options)
{
	return options->json_path && !strcmp(options->json_path, "-");
}

static void append(char **end, size_t *room, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(*end, *room, fmt, ap);
	va_end(ap);
	len = len < 0 ? 0 : (int)min_u64((u64)len, *room - 1);
	*end += len;
	*room -= (size_t)len;
}

static void append_cpus(char **end, size_t *room, const char *option, const struct cpu_list *cpus)
{
	for (size_t i = 0; i < cpus->n; i++)
		append(end, room, "%s%u", i ? "," : option, cpus->cpu[i]);
}

void options_case_name(const struct options *options, char *name, size_t size)
{
	const struct bench *bench = options->bench;

	append(&name, &size, "%s", bench->name);
	for (const struct bench_param *p = bench->params; p && p->name; p++) {
		if (options->params_given >> (p - bench->params) & 1)
			append(&name, &size, " %s=%s", p->name,
			       bench_param_text(p, options->params));
	}
	if (options->nr_producers > 1)
		append(&name, &size, " -p %u", options->nr_producers);
	if (options->trigger != TRIGGER_AUTO)
		append(&name, &size, " --trigger %s", trigger_name(options->trigger));
	if (options->pad)
		append(&name, &size, " --pad %u", options->pad);
	if (options->affinity && !options->prod_cpus.n && !options->cons_cpus.n)
		append(&name, &size, " -a");
	append_cpus(&name, &size, " --prod-affinity ", &options->prod_cpus);
	append_cpus(&name, &size, " --cons-affinity ", &options->cons_cpus);
}

void options_free(struct options *options)
{
	cpu_list_free(&options->prod_cpus);
	cpu_list_free(&options->cons_cpus);
	free(options->given_names);
	options->given_names = NULL;
	free(options->params);
	options->params = NULL;
}
