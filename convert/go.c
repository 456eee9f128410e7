// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "../harness/words.h"
#include "formats.h"

/* What stands before the results that it holds for. */
static const struct {
	const char *key, *path;
} settings[] = {
	{ "cpu", "host.cpu_model" },
	{ "kernel", "host.kernel_release" },
	{ "kernel-version", "host.kernel_version" },
	{ "libbpf", "host.libbpf" },
	{ "clang", "host.clang" },
	{ "bench", "host.bench_version" },
	{ "git", "host.git_revision" },
	{ "exact-machine", "exact_machine" },
};

/* The metrics of a result, the first of them under the name that tools look for. */
static const struct {
	const char *metric, *prefix;
} values[] = {
	{ "net", "" },	   { "raw", "raw-" }, { "overhead", "overhead-" },
	{ "p90", "p90-" }, { "p99", "p99-" }, { "cpu", "cpu-" },
	{ "rate", "" },
};

/* Go's name for an architecture. */
static const char *goarch_of(const char *machine)
{
	static const struct {
		const char *machine, *goarch;
	} names[] = {
		{ "x86_64", "amd64" },
		{ "aarch64", "arm64" },
		{ "i686", "386" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i].machine, machine))
			return names[i].goarch;
	}
	return machine;
}

/* A line stays a line. */
static void print_line(FILE *stream, const char *key, const char *text)
{
	fprintf(stream, "%s: ", key);
	for (; *text; text++)
		fputc(printable(*text), stream);
	fputc('\n', stream);
}

static void print_settings(FILE *stream, const json_t *result, const json_t *before)
{
	const char *machine = record_text(result, "host.machine");

	if (!before)
		fprintf(stream, "goos: linux\n");
	if (!before || strcmp(machine, record_text(before, "host.machine")))
		print_line(stream, "goarch", goarch_of(machine));
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		const char *text = record_text(result, settings[i].path);

		if (strcmp(text, before ? record_text(before, settings[i].path) : ""))
			print_line(stream, settings[i].key, text);
	}
}

/* Of visible ASCII characters only: whatever Unicode takes for a blank would end the name. */
static void print_word(FILE *stream, const char *text)
{
	for (; *text; text++)
		fputc(*text > ' ' && *text < 0x7f ? *text : '_', stream);
}

/* htab-batch-dump/... becomes BenchmarkHtabBatchDump/...: an upper case letter has to follow. */
static void print_name(FILE *stream, const struct entry *entry)
{
	const struct case_id *id = &entry->id;
	size_t len = id->nr_parts ? id->parts[0] : strlen(id->name);
	bool word_begins = true;

	fputs("Benchmark", stream);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)id->name[i];

		if (isascii(c) && isalnum(c))
			fputc(word_begins ? toupper(c) : c, stream);
		word_begins = !isascii(c) || !isalnum(c);
	}
	print_word(stream, id->name + len);
}

static void print_row_values(FILE *stream, const json_t *row)
{
	json_t *figures = json_object_get(row, "figures");
	const char *name;
	json_t *value;

	json_object_foreach(figures, name, value) {
		if (!json_is_number(value))
			continue;
		fputc(' ', stream);
		print_real(stream, json_number_value(value));
		fputc(' ', stream);
		print_word(stream, name);
	}
}

static void print_values(FILE *stream, const struct entry *entry)
{
	struct figure figure;

	if (entry->row) {
		print_row_values(stream, entry->row);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		if (!entry_figure(entry, values[i].metric, &figure))
			continue;
		fputc(' ', stream);
		print_real(stream, figure.value);
		fprintf(stream, " %s%s", values[i].prefix, figure.unit);
		if (figure.ghz <= 0)
			continue;
		fputc(' ', stream);
		print_real(stream, figure.cycles);
		fprintf(stream, " %scycles/op", values[i].prefix);
	}
}

static void print_entry(FILE *stream, const struct entry *entry)
{
	u64 iterations, producers;

	if (!record_count(entry->result, "attempts", &iterations) || !iterations)
		iterations = 1;
	record_count(entry->result, "options.producers", &producers);
	print_name(stream, entry);
	fprintf(stream, "-%" PRIu64 " %" PRIu64, producers, iterations);
	print_values(stream, entry);
	fputc('\n', stream);
}

/* What tools do not know of units by themselves. */
static void print_units(FILE *stream)
{
	fputs("Unit insn/op better=lower assume=exact\n"
	      "Unit raw-insn/op better=lower assume=exact\n"
	      "Unit overhead-insn/op better=lower assume=exact\n"
	      "Unit op/s better=higher\n",
	      stream);
}

int write_go(const struct entries *entries, FILE *stream, struct left_out *left_out)
{
	const json_t *before = NULL;

	print_units(stream);
	for (size_t i = 0; i < entries->n; i++) {
		const struct entry *entry = &entries->list[i];
		struct figure figure;

		if (!entry_figure(entry, METRIC_DEFAULT, &figure)) {
			left_out->without_cost++;
			continue;
		}
		if (entry->shared) {
			left_out->shared++;
			continue;
		}
		print_settings(stream, entry->result, before);
		before = entry->result;
		print_entry(stream, entry);
	}
	return 0;
}
