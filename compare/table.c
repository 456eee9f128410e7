// SPDX-License-Identifier: GPL-2.0
#include "table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/array.h"
#include "../harness/error.h"
#include "../harness/words.h"

void table_cell(struct table *table, const char *format, ...)
{
	char **cells = array_with_room(table->cells, table->n, &table->room, sizeof(*cells));
	char *cell = NULL;
	va_list args;
	int len = -1;

	if (cells) {
		table->cells = cells;
		va_start(args, format);
		len = vasprintf(&cell, format, args);
		va_end(args);
	}
	if (len < 0) {
		table->no_memory = true;
		return;
	}
	/* What comes from a file may have control characters: they move no cursor and end no row. */
	make_printable(cell);
	table->cells[table->n++] = cell;
}

/* Characters, not bytes: those after the first of a UTF-8 character take no place. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void find_widths(const struct table *table, size_t *widths)
{
	for (size_t i = 0; i < table->n; i++) {
		size_t *width = &widths[i % table->nr_columns];

		*width = max_u64(*width, width_of(table->cells[i]));
	}
}

static bool is_right(const struct table *table, size_t column)
{
	return column >= table->right_from && column <= table->right_to;
}

/* Blanks are written before what they set apart, so that no line ends with them. */
static void print_plain(const struct table *table, FILE *stream)
{
	size_t widths[TABLE_COLUMNS] = {}, blanks = 0;

	find_widths(table, widths);
	for (size_t i = 0; i < table->n; i++) {
		size_t column = i % table->nr_columns;
		size_t padding = widths[column] - width_of(table->cells[i]);

		if (is_right(table, column))
			blanks += padding;
		if (table->cells[i][0]) {
			fprintf(stream, "%*s%s", (int)blanks, "", table->cells[i]);
			blanks = 0;
		}
		if (!is_right(table, column))
			blanks += padding;
		blanks += strlen("  ");
		if (column + 1 == table->nr_columns) {
			fputc('\n', stream);
			blanks = 0;
		}
	}
}

/* A bar would end the cell; what HTML or Markdown could take for its own is shown as it is. */
static void print_escaped(const char *text, FILE *stream)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]&", *text))
			fputc('\\', stream);
		fputc(*text, stream);
	}
}

static void print_rule(const struct table *table, FILE *stream)
{
	for (size_t column = 0; column < table->nr_columns; column++)
		fputs(is_right(table, column) ? "| ---: " : "| --- ", stream);
	fputs("|\n", stream);
}

static void print_markdown(const struct table *table, FILE *stream)
{
	for (size_t i = 0; i < table->n; i++) {
		fputs("| ", stream);
		print_escaped(table->cells[i], stream);
		fputc(' ', stream);
		if ((i + 1) % table->nr_columns)
			continue;
		fputs("|\n", stream);
		if (i + 1 == table->nr_columns)
			print_rule(table, stream);
	}
}

int table_print(struct table *table, FILE *stream, bool markdown)
{
	if (!table->no_memory && markdown)
		print_markdown(table, stream);
	else if (!table->no_memory)
		print_plain(table, stream);
	for (size_t i = 0; i < table->n; i++)
		free(table->cells[i]);
	free(table->cells);
	return table->no_memory ? error_set(ENOMEM, "no memory for a table") : 0;
}
