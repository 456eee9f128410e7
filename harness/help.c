// SPDX-License-Identifier: GPL-2.0
/* --help: nothing but the tables, set in two columns. */
#include <stdio.h>
#include <string.h>

#include "option_table.h"
#include "options.h"
#include "words.h"

#define COLUMN 30
#define WIDTH 80

/* The words of a text, wrapped to the right of the column; the cursor is at `at`. */
static void print_wrapped(const char *text, size_t at)
{
	if (at + 2 > COLUMN) {
		putchar('\n');
		at = 0;
	}
	printf("%*s", (int)(COLUMN - at), "");
	at = COLUMN;
	while (*text) {
		size_t len = strcspn(text, " ");

		if (at > COLUMN && at + 1 + len > WIDTH) {
			printf("\n%*s", COLUMN, "");
			at = COLUMN;
		}
		at += (size_t)printf("%s%.*s", at > COLUMN ? " " : "", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_row(const struct option_row *row)
{
	char text[512], words[128] = "";
	int at;

	at = printf("  %s%s%s--%s%s%s", row->letter ? "-" : "  ", row->letter ? row->letter : "",
		    row->letter ? ", " : "  ", row->name, row->value ? " " : "",
		    row->value ? row->value : "");
	switch (row->kind) {
	case OPTION_U64:
	case OPTION_U32:
		snprintf(text, sizeof(text), "%s (%llu to %llu) [%llu]", row->help,
			 (unsigned long long)row->min, (unsigned long long)row->max,
			 (unsigned long long)row->def);
		break;
	case OPTION_TRIGGER:
		for (int i = 0; i < TRIGGER_NR_KINDS; i++)
			join_word(words, sizeof(words), trigger_name((enum trigger_kind)i));
		snprintf(text, sizeof(text), "%s (%s) [%s]", row->help, words,
			 trigger_name(TRIGGER_AUTO));
		break;
	default:
		snprintf(text, sizeof(text), "%s", row->help);
	}
	print_wrapped(text, (size_t)at);
}

static void print_param(const struct bench_param *param)
{
	static const char *const values[] = {
		[BENCH_PARAM_UINT] = " NUM",
		[BENCH_PARAM_CHOICE] = " WORD",
		[BENCH_PARAM_FLAG] = "",
		[BENCH_PARAM_TEXT] = " TEXT",
	};
	char text[1024], words[256] = "";
	int at;

	at = printf("  --%s%s", param->name, values[param->type]);
	switch (param->type) {
	case BENCH_PARAM_CHOICE:
		for (size_t i = 0; param->choices[i]; i++)
			join_word(words, sizeof(words), param->choices[i]);
		snprintf(text, sizeof(text), "%s (%s) [%s]", param->help, words,
			 param->choices[param->def]);
		break;
	case BENCH_PARAM_UINT:
		snprintf(text, sizeof(text), "%s (%llu to %llu) [%llu%s]", param->help,
			 (unsigned long long)param->min, (unsigned long long)param->max,
			 (unsigned long long)param->def,
			 param->most ? ", less where that does not fit" : "");
		break;
	case BENCH_PARAM_FLAG:
	case BENCH_PARAM_TEXT:
		snprintf(text, sizeof(text), "%s", param->help);
		break;
	}
	print_wrapped(text, (size_t)at);
}

static void print_bench(const struct bench *bench)
{
	const struct bench_param *param = bench->params;

	printf("\n%s\n", bench->name);
	if (bench->summary)
		printf("  %s\n", bench->summary);
	if (!param || !param->name)
		printf("  (no parameters)\n");
	for (; param && param->name; param++)
		print_param(param);
}

void options_print_help(const struct options *options)
{
	const struct bench *named = options->bench;
	bool command = named && named->watcher && named->watcher->takes_command;

	printf("Usage: bench [OPTION]... %s%s\n", named ? named->name : "NAME",
	       !named || command ? " [-- COMMAND...]" : "");
	printf("       bench -l [-v]\n"
	       "       bench --suite FILE [OPTION]...\n"
	       "       bench ab [OPTION]... -- CASE -- CASE    (`bench ab --help`)\n"
	       "       bench compare [OPTION]... BASE NEW      (`bench compare --help`)\n"
	       "       bench convert --format FORMAT RESULT... (`bench convert --help`)\n\n"
	       "Measure what one operation costs on the kernel that is running. NAME is one of\n"
	       "those that `bench -l` lists; options may stand before or after it. Defaults are\n"
	       "in [ ].\n\n"
	       "Options:\n");
	for_each_option_row(row) print_row(row);

	printf("\n%s\n", options->bench ? "The benchmark and its parameters:"
					: "Benchmarks and their parameters:");
	if (options->bench) {
		print_bench(options->bench);
	} else {
		for_each_bench(bench)
			print_bench(bench);
	}
	printf("\nExit status: %d success, %d the run failed, %d wrong command line, %d this kernel or\n"
	       "user cannot run it, 128 + N ended by signal N.\n",
	       EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_CANNOT_RUN);
}
