// SPDX-License-Identifier: GPL-2.0
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "../harness/words.h"
#include "../report/output.h"
#include "formats.h"

struct format {
	const char *name;
	int (*write)(const struct entries *entries, FILE *stream, struct left_out *left_out);
};

static const struct format formats[] = {
	{ "google", write_google },
	{ "go", write_go },
	{ "csv", write_csv },
	{ 0 },
};

struct convert_options {
	bool help;
	const struct format *format; /* NULL: not given */
	const char *output;
	char **paths; /* room for all words of the command line */
	size_t nr_paths;
};

static const char usage[] =
	"Usage: bench convert --format FORMAT [-o FILE] RESULT...\n"
	"\n"
	"Write results that `bench --json` wrote for other tools to read; - is standard\n"
	"input. Results of the same benchmark, parameters and trigger are rounds of one\n"
	"case, in one file or in several.\n"
	"\n"
	"Options:\n"
	"  --format FORMAT               google: Google Benchmark's JSON, a round is a\n"
	"                                repetition; its compare.py reads it\n"
	"                                go: lines of Go's benchmarks, for benchstat\n"
	"                                csv: a line a round, with all figures\n"
	"  -o, --output FILE             write it there [-, standard output]\n"
	"  -h, --help                    show this\n"
	"\n"
	"The time of an operation is the net cost; in exact mode, instructions. Google's\n"
	"and Go's formats leave out results without it, and rounds on a shared core where\n"
	"a case has six others. Standard error says how many.\n";

static int take_format(const struct format **format, const char *text)
{
	for (*format = formats; (*format)->name; ++*format) {
		if (!strcmp((*format)->name, text))
			return 0;
	}
	return error_set(E_USAGE, "--format: %s is none of google, go, csv", quoted(text));
}

static int take_option(struct convert_options *options, int code, char *const *argv)
{
	switch (code) {
	case 1:
		options->paths[options->nr_paths++] = optarg;
		return 0;
	case 'h':
		options->help = true;
		return 0;
	case 'o':
		if (!optarg[0])
			return error_set(E_USAGE, "--output: is empty");
		options->output = optarg;
		return 0;
	case 'f':
		return take_format(&options->format, optarg);
	case ':':
		return error_set(E_USAGE, "%s: needs a value", quoted(argv[optind - 1]));
	default:
		return error_set(E_USAGE, "unknown option %s (`bench convert --help` lists them)",
				 quoted(argv[optind - 1]));
	}
}

static int check(const struct convert_options *options)
{
	size_t nr_stdin = 0;

	if (!options->format)
		return error_set(E_USAGE, "convert to what? --format google, go or csv");
	if (!options->nr_paths)
		return error_set(E_USAGE, "convert what? Give results of `bench --json`");
	for (size_t i = 0; i < options->nr_paths; i++)
		nr_stdin += !strcmp(options->paths[i], "-");
	if (nr_stdin > 1)
		return error_set(E_USAGE, "-: standard input can be read once only");
	return 0;
}

static int parse(struct convert_options *options, int argc, char *const *argv)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int code, err = 0;

	*options = (struct convert_options){ .output = "-" };
	options->paths = calloc((size_t)argc + 1, sizeof(char *));
	if (!options->paths)
		return error_set(ENOMEM, "no memory for %d words", argc);
	optind = 0; /* glibc and musl: begin anew */
	opterr = 0;
	while (!err && (code = getopt_long(argc, argv, "-:o:h", longs, NULL)) != -1)
		err = take_option(options, code, argv);
	while (!err && optind < argc)
		options->paths[options->nr_paths++] = argv[optind++];
	return err || options->help ? err : check(options);
}

static int read_all(const struct convert_options *options, struct record *records)
{
	int err = 0;

	for (size_t i = 0; i < options->nr_paths && !err; i++)
		err = record_read(options->paths[i], &records[i]);
	return err;
}

static int tell_left_out(const struct entries *entries, const struct left_out *left_out)
{
	if (entries->n && left_out->without_cost == entries->n)
		return error_set(E_USAGE, "none of %zu results has a figure to convert: %s: %s",
				 entries->n, quoted(entries->list[0].id.name),
				 quoted(record_text(entries->list[0].result, "status")));
	if (left_out->without_cost)
		fprintf(stderr, "bench: left out %zu of %zu results, which have no net cost\n",
			left_out->without_cost, entries->n);
	if (left_out->shared)
		fprintf(stderr, "bench: left out %zu of %zu results, measured on a shared core\n",
			left_out->shared, entries->n);
	return 0;
}

static int write_text(const struct format *format, const struct entries *entries, char **text,
		      size_t *len)
{
	FILE *stream = open_memstream(text, len);
	struct left_out left_out = {};
	int err = -ENOMEM;

	if (stream) {
		err = format->write(entries, stream, &left_out);
		if (fclose(stream) && !err)
			err = -ENOMEM;
	}
	if (err)
		return error_set(ENOMEM, "no memory for the results");
	return tell_left_out(entries, &left_out);
}

static int convert(const struct convert_options *options, const struct record *records)
{
	struct entries entries;
	struct output *output = NULL;
	char *text = NULL;
	size_t len = 0;
	int err = entries_of(records, options->nr_paths, &entries);

	if (!err)
		err = write_text(options->format, &entries, &text, &len);
	if (!err)
		err = output_open(options->output, &output);
	if (!err)
		err = output_write(output, text, len);
	free(text);
	entries_free(&entries);
	return err;
}

int convert_command(int argc, char *const *argv, int *status)
{
	struct convert_options options;
	struct record *records = NULL;
	int err = parse(&options, argc, argv);

	*status = 0;
	if (!err && options.help) {
		fputs(usage, stdout);
	} else if (!err) {
		for (size_t i = 0; i < options.nr_paths && !err; i++)
			err = output_is_no_input(options.output, options.paths[i]);
		records = calloc(options.nr_paths, sizeof(*records));
		if (!err)
			err = records ? read_all(&options, records)
				      : error_set(ENOMEM, "no memory");
		if (!err)
			err = convert(&options, records);
	}
	for (size_t i = 0; i < options.nr_paths && records; i++)
		record_free(&records[i]);
	free(records);
	free(options.paths);
	return err;
}
