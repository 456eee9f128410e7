// SPDX-License-Identifier: GPL-2.0
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "../harness/words.h"
#include "../report/output.h"
#include "write.h"

/* Verdicts came out, and none is worse; one is; nothing can be said. */
enum compare_status {
	COMPARE_NO_REGRESSION = 0,
	COMPARE_REGRESSION = 1,
	COMPARE_UNDECIDED = 4,
};

struct format {
	const char *name;
	int (*write)(const struct comparison *comparison, FILE *stream);
};

static const struct format formats[] = {
	{ "text", write_text },
	{ "markdown", write_markdown },
	{ "json", write_json },
	{ 0 },
};

static const char *const sort_names[] = {
	[SORT_NAME] = "name",
	[SORT_RATIO] = "ratio",
	[SORT_P] = "p",
	[SORT_VERDICT] = "verdict",
};

struct compare_options {
	bool help;
	struct criteria criteria;
	const char *metric, *filter, *output;
	enum sort_key sort;
	const struct format *format;
	char **paths[NR_SIDES]; /* room for all words of the command line */
	size_t nr_paths[NR_SIDES];
};

static const char usage[] =
	"Usage: bench compare [OPTION]... BASE NEW\n"
	"       bench compare [OPTION]... BASE... -- NEW...\n"
	"\n"
	"Compare results that `bench --json` wrote, case by case, and say which became\n"
	"worse or better and how sure that is. Results of the same benchmark, parameters\n"
	"and trigger are rounds of one case, in one file or in several; - is standard\n"
	"input.\n"
	"\n"
	"Options:\n"
	"  --threshold N%                changes up to this are none, whatever p [2%, of\n"
	"                                exact counts 0%]\n"
	"  --alpha P                     the chance of calling anything worse or better\n"
	"                                where nothing is, over all cases [0.01]\n"
	"  --metric NAME                 what to compare, below [net]\n"
	"  --filter PATTERN              only cases whose name is like this shell pattern\n"
	"  --sort KEY                    name, ratio (the worst first), p or verdict\n"
	"                                [as they are in BASE]\n"
	"  --format FORMAT               text, markdown or json [text]\n"
	"  -o, --output FILE             write it there [-, standard output]\n"
	"  -h, --help                    show this\n"
	"\n"
	"Metrics:\n";

static const char usage_end[] =
	"  FIGURE                        of what watches others: a figure of its rows, by\n"
	"                                name without the unit, such as p99 [the first\n"
	"                                of net, p50, median, avg and mean]\n"
	"\n"
	"Exit status: 0 no regression, 1 a regression, 2 wrong command line or files that\n"
	"do not fit, 4 too few rounds to say anything.\n";

static void print_help(void)
{
	fputs(usage, stdout);
	for (const struct metric *metric = metrics; metric->name; metric++)
		printf("  %-29s %s\n", metric->name, metric->help);
	fputs(usage_end, stdout);
}

int compare_take_threshold(struct criteria *criteria, const char *text)
{
	size_t len = strlen(text);
	double percent;

	if (!len || text[len - 1] != '%' || !parse_decimal(text, len - 1, &percent) ||
	    percent > 1000)
		return error_set(
			E_USAGE,
			"--threshold: %s is not a percentage from 0%% to 1000%%, such as 2%%",
			quoted(text));
	criteria->threshold = percent / 100;
	criteria->threshold_given = true;
	return 0;
}

int compare_take_alpha(struct criteria *criteria, const char *text)
{
	if (parse_decimal(text, strlen(text), &criteria->alpha) && criteria->alpha >= 1e-9 &&
	    criteria->alpha <= 0.5)
		return 0;
	return error_set(E_USAGE,
			 "--alpha: %s is not a probability from 0.000000001 to 0.5, such as 0.01",
			 quoted(text));
}

static int take_sort(enum sort_key *sort, const char *text)
{
	for (int key = SORT_NAME; key <= SORT_VERDICT; key++) {
		if (!strcmp(sort_names[key], text)) {
			*sort = (enum sort_key)key;
			return 0;
		}
	}
	return error_set(E_USAGE, "--sort: %s is none of name, ratio, p, verdict", quoted(text));
}

static int take_format(const struct format **format, const char *text)
{
	for (*format = formats; (*format)->name; ++*format) {
		if (!strcmp((*format)->name, text))
			return 0;
	}
	return error_set(E_USAGE, "--format: %s is none of text, markdown, json", quoted(text));
}

static int take_text(const char *option, const char *text, const char **value)
{
	if (!text[0])
		return error_set(E_USAGE, "%s: is empty", option);
	*value = text;
	return 0;
}

enum {
	OPTION_THRESHOLD = 256,
	OPTION_ALPHA,
	OPTION_METRIC,
	OPTION_FILTER,
	OPTION_SORT,
	OPTION_FORMAT,
};

static int take_option(struct compare_options *options, int code, enum side side, char *const *argv)
{
	switch (code) {
	case 1:
		options->paths[side][options->nr_paths[side]++] = optarg;
		return 0;
	case 'h':
		options->help = true;
		return 0;
	case 'o':
		return take_text("--output", optarg, &options->output);
	case OPTION_THRESHOLD:
		return compare_take_threshold(&options->criteria, optarg);
	case OPTION_ALPHA:
		return compare_take_alpha(&options->criteria, optarg);
	case OPTION_METRIC:
		return take_text("--metric", optarg, &options->metric);
	case OPTION_FILTER:
		return take_text("--filter", optarg, &options->filter);
	case OPTION_SORT:
		return take_sort(&options->sort, optarg);
	case OPTION_FORMAT:
		return take_format(&options->format, optarg);
	case ':':
		return error_set(E_USAGE, "%s: needs a value", quoted(argv[optind - 1]));
	default:
		return error_set(E_USAGE, "unknown option %s (`bench compare --help` lists them)",
				 quoted(argv[optind - 1]));
	}
}

/* The words of one side, argv[0] apart; options may stand among them. */
static int parse_side(struct compare_options *options, int argc, char *const *argv, enum side side)
{
	static const struct option longs[] = {
		{ "threshold", required_argument, NULL, OPTION_THRESHOLD },
		{ "alpha", required_argument, NULL, OPTION_ALPHA },
		{ "metric", required_argument, NULL, OPTION_METRIC },
		{ "filter", required_argument, NULL, OPTION_FILTER },
		{ "sort", required_argument, NULL, OPTION_SORT },
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int code, err = 0;

	optind = 0; /* glibc and musl: begin anew */
	opterr = 0;
	while (!err && (code = getopt_long(argc, argv, "-:o:h", longs, NULL)) != -1)
		err = take_option(options, code, side, argv);
	return err;
}

static int check_output(const struct compare_options *options)
{
	int err = 0;

	for (int side = 0; side < NR_SIDES; side++) {
		for (size_t i = 0; i < options->nr_paths[side] && !err; i++)
			err = output_is_no_input(options->output, options->paths[side][i]);
	}
	return err;
}

static int check_paths(struct compare_options *options, bool divided)
{
	size_t nr_base = options->nr_paths[SIDE_BASE];
	size_t nr_stdin = 0;

	if (!divided && nr_base > 2)
		return error_set(E_USAGE,
				 "%zu files: put -- before the first of NEW: BASE... -- "
				 "NEW...",
				 nr_base);
	if (!divided && nr_base == 2) {
		options->paths[SIDE_NEW][0] = options->paths[SIDE_BASE][1];
		options->nr_paths[SIDE_NEW] = options->nr_paths[SIDE_BASE] = 1;
	}
	for (int side = 0; side < NR_SIDES; side++) {
		if (!options->nr_paths[side])
			return error_set(E_USAGE, "compare what? Give two files, BASE and NEW "
						  "(`bench compare --help`)");
		for (size_t i = 0; i < options->nr_paths[side]; i++)
			nr_stdin += !strcmp(options->paths[side][i], "-");
	}
	if (nr_stdin > 1)
		return error_set(E_USAGE, "-: standard input can be read once only");
	return check_output(options);
}

static int parse(struct compare_options *options, int argc, char *const *argv)
{
	int divider = 1, err;

	*options = (struct compare_options){
		.criteria = { .alpha = 0.01, .threshold = 0.02 },
		.metric = METRIC_DEFAULT,
		.output = "-",
		.format = formats,
	};
	for (int side = 0; side < NR_SIDES; side++) {
		options->paths[side] = calloc((size_t)argc + 1, sizeof(char *));
		if (!options->paths[side])
			return error_set(ENOMEM, "no memory for %d words", argc);
	}
	while (divider < argc && strcmp(argv[divider], "--"))
		divider++;
	err = parse_side(options, divider, argv, SIDE_BASE);
	if (!err && divider < argc)
		err = parse_side(options, argc - divider, argv + divider, SIDE_NEW);
	if (err || options->help)
		return err;
	return check_paths(options, divider < argc);
}

static void free_options(struct compare_options *options)
{
	for (int side = 0; side < NR_SIDES; side++)
		free(options->paths[side]);
}

static int read_side(const struct compare_options *options, enum side side,
		     struct comparison *comparison)
{
	size_t n = options->nr_paths[side];
	int err = 0;

	comparison->records[side] = calloc(n, sizeof(*comparison->records[side]));
	if (!comparison->records[side])
		return error_set(ENOMEM, "no memory for %zu files", n);
	for (size_t i = 0; i < n && !err; i++) {
		err = record_read(options->paths[side][i], &comparison->records[side][i]);
		comparison->nr_records[side]++;
	}
	return err;
}

static void free_side(struct comparison *comparison, enum side side)
{
	for (size_t i = 0; i < comparison->nr_records[side]; i++)
		record_free(&comparison->records[side][i]);
	free(comparison->records[side]);
}

/* Frees the output in either case. */
static int write_to(struct output *output, const struct format *format,
		    const struct comparison *comparison)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);
	int err = -ENOMEM;

	if (stream) {
		err = format->write(comparison, stream);
		if (fclose(stream) && !err)
			err = -ENOMEM;
	}
	if (err) {
		output_discard(output);
		error_set(ENOMEM, "no memory for the comparison");
	} else {
		err = output_write(output, text, len);
	}
	free(text);
	return err;
}

static enum compare_status status_of(const struct comparison *comparison)
{
	if (comparison_is_regression(comparison))
		return COMPARE_REGRESSION;
	return comparison_is_decided(comparison) ? COMPARE_NO_REGRESSION : COMPARE_UNDECIDED;
}

static int compare(const struct compare_options *options, struct output *output, int *status)
{
	struct comparison comparison = {
		.criteria = options->criteria,
		.metric = options->metric,
		.filter = options->filter,
		.sort = options->sort,
	};
	int err = 0;

	for (int side = 0; side < NR_SIDES && !err; side++)
		err = read_side(options, (enum side)side, &comparison);
	if (!err)
		err = comparison_make(&comparison);
	if (err)
		output_discard(output);
	else
		err = write_to(output, options->format, &comparison);
	if (!err)
		*status = (int)status_of(&comparison);
	comparison_free(&comparison);
	for (int side = 0; side < NR_SIDES; side++)
		free_side(&comparison, (enum side)side);
	return err;
}

int compare_command(int argc, char *const *argv, int *status)
{
	struct compare_options options;
	struct output *output;
	int err = parse(&options, argc, argv);

	if (!err && options.help) {
		print_help();
	} else if (!err) {
		err = output_open(options.output, &output);
		if (!err)
			err = compare(&options, output, status);
	}
	free_options(&options);
	/* Not the status of a failed run, which is that of a regression here. */
	return err ? -E_USAGE : 0;
}
