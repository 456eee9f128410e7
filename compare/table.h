/* SPDX-License-Identifier: GPL-2.0 */
/* Rows and columns, for people or as Markdown. */
#ifndef COMPARE_TABLE_H
#define COMPARE_TABLE_H

#include <stdio.h>

#include "../harness/util.h"

#define TABLE_COLUMNS 16

struct table {
	size_t nr_columns; /* TABLE_COLUMNS at most */
	size_t right_from, right_to; /* columns of numbers, set flush right; both are among them */
	char **cells; /* row after row, the heads first */
	size_t n, room;
	bool no_memory; /* for some cell */
};

/* The next cell, row after row. Without memory the table takes note of it. */
void table_cell(struct table *table, const char *format, ...) __printf(2, 3);

/* Write and free it. -ENOMEM if a cell is missing, else 0; the stream keeps its own errors. */
int table_print(struct table *table, FILE *stream, bool markdown);

#endif
