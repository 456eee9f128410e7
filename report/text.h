/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text that people and scripts read. Formats of progress lines and of the Summary are those
 * of the selftests' bench, whose output scripts parse; the Summary is the last line.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdio.h>

#include "../harness/result.h"

struct text {
	FILE *out;
	const struct options *options;
	unsigned int nr_intervals; /* that the run will have */
	bool exact; /* instructions are counted: nothing is printed by time */
	bool redraw; /* one line, drawn anew on stderr, in place of progress lines */
};

/* 0, or a negative error when what was printed cannot be written. */
int text_flush(FILE *out);

/* `out` stays the caller's. */
void text_init(struct text *text, FILE *out, const struct options *options);

/* Each returns 0, or a negative error when the text cannot be written. */
int text_setting_up(struct text *text);
int text_started(struct text *text, bool exact);
int text_interval(struct text *text, const struct result_interval *interval, unsigned int number);
int text_rows(struct text *text, const struct result *result, const struct result_rows *rows,
	      unsigned int number);
int text_line(struct text *text, const char *line);
int text_result(struct text *text, const struct result *result);

#endif
