// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "formats.h"

static const char *const metric_names[] = {
	"net", "raw", "overhead", "p90", "p99", "min", "max", "cpu", "rate",
};

static const struct {
	const char *column, *path;
} fields[] = {
	{ "trigger", "trigger" },
	{ "producers", "options.producers" },
	{ "pad", "options.pad" },
	{ "status", "status" },
	{ "reason", "reason" },
	{ "exact_mode", "exact_mode" },
	{ "started_unix_ns", "started_unix_ns" },
	{ "attempts", "attempts" },
	{ "disturbed", "disturbance.disturbed" },
	{ "core_alone", "disturbance.core.alone" },
	{ "alone_only", "disturbance.core.alone_only" },
	{ "ghz", "disturbance.core.ghz" },
	{ "net_cycles", "cycles.net.median" },
	{ "raw_cycles", "cycles.raw.median" },
	{ "overhead_cycles", "cycles.overhead.median" },
	{ "below_floor", "cost_ns.net.below_floor" },
	{ "kernel_release", "host.kernel_release" },
	{ "kernel_version", "host.kernel_version" },
	{ "cpu_model", "host.cpu_model" },
	{ "git_revision", "host.git_revision" },
};

/* Quotes are needed around what could end a cell, and doubled in there. */
static void print_text(FILE *stream, const char *text)
{
	if (!strpbrk(text, "\",\r\n")) {
		fputs(text, stream);
		return;
	}
	fputc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', stream);
		fputc(*text, stream);
	}
	fputc('"', stream);
}

static void print_value(FILE *stream, const json_t *value)
{
	if (json_is_string(value))
		print_text(stream, json_string_value(value));
	else if (json_is_integer(value))
		fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		print_real(stream, json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", stream);
}

/* Figures of watchers' rows have a column each, after all others. */
static int find_figures(const struct entries *entries, json_t *names)
{
	for (size_t i = 0; i < entries->n; i++) {
		json_t *figures = json_object_get(entries->list[i].row, "figures");
		const char *name;
		json_t *value;

		json_object_foreach(figures, name, value) {
			if (json_object_set_new(names, name, json_true()))
				return error_set(ENOMEM, "no memory for the names of figures");
		}
	}
	return 0;
}

static void print_heads(FILE *stream, json_t *figures)
{
	const char *name;
	json_t *value;

	fputs("file,case,benchmark,row,round,unit", stream);
	for (size_t i = 0; i < ARRAY_SIZE(metric_names); i++)
		fprintf(stream, ",%s", metric_names[i]);
	fputs(",lost", stream);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		fprintf(stream, ",%s", fields[i].column);
	json_object_foreach(figures, name, value) {
		fputc(',', stream);
		print_text(stream, name);
	}
	fputc('\n', stream);
}

static void print_entry(FILE *stream, const struct entry *entry, json_t *figures)
{
	struct figure figure;
	const char *name;
	json_t *value;

	print_text(stream, entry->record->path);
	fputc(',', stream);
	print_text(stream, entry->id.name);
	fputc(',', stream);
	print_text(stream, record_text(entry->result, "benchmark"));
	fputc(',', stream);
	print_text(stream, entry->row ? record_text(entry->row, "name") : "");
	fprintf(stream, ",%zu,", entry->round);
	if (!entry->row && entry_figure(entry, "raw", &figure))
		fputs(figure.unit, stream);
	for (size_t i = 0; i < ARRAY_SIZE(metric_names); i++) {
		fputc(',', stream);
		if (!entry->row && entry_figure(entry, metric_names[i], &figure))
			print_real(stream, figure.value);
	}
	fprintf(stream, ",%" PRIu64, entry_lost(entry));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		fputc(',', stream);
		print_value(stream, record_field(entry->result, fields[i].path));
	}
	json_object_foreach(figures, name, value) {
		fputc(',', stream);
		print_value(stream, json_object_get(json_object_get(entry->row, "figures"), name));
	}
	fputc('\n', stream);
}

int write_csv(const struct entries *entries, FILE *stream, struct left_out *left_out)
{
	json_t *figures = json_object();
	int err;

	(void)left_out;
	if (!figures)
		return error_set(ENOMEM, "no memory for the names of figures");
	err = find_figures(entries, figures);
	if (!err) {
		print_heads(stream, figures);
		for (size_t i = 0; i < entries->n; i++)
			print_entry(stream, &entries->list[i], figures);
	}
	json_decref(figures);
	return err;
}
