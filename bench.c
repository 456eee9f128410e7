// SPDX-License-Identifier: GPL-2.0
/* options -> plan -> run -> stats -> report */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "compare/command.h"
#include "convert/command.h"
#include "harness/host.h"
#include "harness/options.h"
#include "harness/run.h"
#include "report/json.h"
#include "report/list.h"
#include "report/text.h"
#include "suite/ab.h"
#include "suite/command.h"

/* libbpf's own words: of use to who asked for more, noise for everyone else. */
static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, args);
}

static int drop_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int on_started(void *text, const struct result *result)
{
	return text_started(text, result->exact);
}

static int on_interval(void *text, const struct result_interval *interval, unsigned int number)
{
	return text_interval(text, interval, number);
}

static int on_rows(void *text, const struct result *result, const struct result_rows *rows,
		   unsigned int number)
{
	return text_rows(text, result, rows, number);
}

static int on_line(void *text, const char *line)
{
	return text_line(text, line);
}

static int report(struct text *text, struct output *json, const struct result *result)
{
	int err = result_has_figures(result) ? text_result(text, result) : 0;
	int json_err = json ? json_write(json, result, 1) : 0;

	return err ? err : json_err;
}

/* *status: of the user's command, or 128 + the signal that ended the run, else 0. */
static int run(const struct options *options, int *status)
{
	struct result result = {};
	struct output *json = NULL;
	struct text text;
	const struct run_observer observer = {
		.data = &text,
		.started = on_started,
		.interval = on_interval,
		.rows = on_rows,
		.line = on_line,
	};
	int err = 0, report_err;

	text_init(&text, options_json_on_stdout(options) ? stderr : stdout, options);
	if (options->json_path)
		err = output_open(options->json_path, &json);
	if (err)
		return err;
	err = text_setting_up(&text);
	if (err) {
		output_discard(json);
		return err;
	}
	err = run_case(options, &observer, &result);
	if (result.ended_by_signal)
		*status = 128 + result.ended_by_signal;
	else if (result.command_status > 0 && !result.command_cut_short)
		*status = result.command_status;
	host_read(&result.host);
	report_err = report(&text, json, &result);
	result_free(&result);
	return err ? err : report_err;
}

static int flush_stdout(void)
{
	if (fflush(stdout) || ferror(stdout))
		return error_set(EIO, "cannot write to standard output: %s", strerror(errno));
	return 0;
}

static int dispatch(const struct options *options, int *status)
{
	if (options->given) {
		fputs(options->given_names, stdout);
	} else if (options->help) {
		options_print_help(options);
	} else if (options->version) {
		printf("bench %s\n", BENCH_VERSION);
	} else if (options->list) {
		list_benchmarks(stdout, options->verbose);
	} else if (options->suite_path) {
		return suite_command(options, status);
	} else {
		return run(options, status);
	}
	return flush_stdout();
}

/* What does not run a benchmark, but works on the results of earlier runs. */
struct subcommand {
	const char *name;
	int (*run)(int argc, char *const *argv, int *status);
};

static const struct subcommand subcommands[] = {
	{ "ab", ab_command },
	{ "compare", compare_command },
	{ "convert", convert_command },
};

static const struct subcommand *find_subcommand(int argc, char *const *argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(subcommands) && argc > 1; i++) {
		if (!strcmp(subcommands[i].name, argv[1]))
			return &subcommands[i];
	}
	return NULL;
}

static int run_benchmark(int argc, char *const *argv, int *status)
{
	struct options options = {};
	int err;

	run_catch_signals();
	err = options_parse(argc, argv, &options);
	if (options.verbose)
		libbpf_set_print(print_libbpf);
	if (!err)
		err = dispatch(&options, status);
	options_free(&options);
	return err;
}

/*
 * A standard stream that is closed would have its number taken by the next file that is opened,
 * which then gets what is printed. This way round, writing to it is an error as it was.
 */
static void hold_standard_streams(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < (int)ARRAY_SIZE(modes); fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", modes[fd]);
	}
}

int main(int argc, char **argv)
{
	const struct subcommand *subcommand = find_subcommand(argc, argv);
	int err, status = 0;

	hold_standard_streams();
	libbpf_set_print(drop_libbpf);
	if (subcommand) {
		err = subcommand->run(argc - 1, argv + 1, &status);
		if (!err)
			err = flush_stdout();
	} else {
		err = run_benchmark(argc, argv, &status);
	}
	if (err)
		fprintf(stderr, "bench: %s\n", error_text());
	return status ? status : (int)error_exit_status(err);
}
