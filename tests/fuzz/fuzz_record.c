// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a file of results: they are refused with one line, or all that can be done with
 * results can be done with these. `make fuzz` runs it.
 */
#include <stdlib.h>
#include <string.h>

#include "../../compare/comparison.h"
#include "../../compare/write.h"
#include "../../convert/formats.h"
#include "../../harness/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere(char **text, size_t *len)
{
	FILE *stream = open_memstream(text, len);

	if (!stream)
		abort();
	return stream;
}

static void compare(struct record *base, struct record *new, const char *metric, enum sort_key sort)
{
	struct comparison comparison = {
		.criteria = { .alpha = 0.1, .threshold = 0.02 },
		.metric = metric,
		.sort = sort,
		.records = { base, new },
		.nr_records = { 1, 1 },
	};
	char *text;
	size_t len;
	FILE *stream = nowhere(&text, &len);

	if (!comparison_make(&comparison)) {
		if (base == new &&comparison_is_regression(&comparison))
			abort();
		if (write_text(&comparison, stream) || write_markdown(&comparison, stream) ||
		    write_json(&comparison, stream))
			abort();
	}
	comparison_free(&comparison);
	fclose(stream);
	free(text);
}

/* The results of one half. */
static struct record half_of(const struct record *record, bool second)
{
	size_t n = json_array_size(record->results);
	struct record half = { .path = record->path, .results = json_array() };

	for (size_t i = second ? n / 2 : 0; i < (second ? n : n / 2); i++)
		json_array_append(half.results, json_array_get(record->results, i));
	return half;
}

static void compare_halves(const struct record *record)
{
	struct record base = half_of(record, false), new = half_of(record, true);

	compare(&base, &new, METRIC_DEFAULT, SORT_RATIO);
	json_decref(base.results);
	json_decref(new.results);
}

static void convert(const struct record *record)
{
	struct left_out left_out = {};
	struct entries entries;
	size_t len;
	char *text;
	FILE *stream = nowhere(&text, &len);

	/* A round that is there twice is refused. */
	if (!entries_of(record, 1, &entries) &&
	    (write_google(&entries, stream, &left_out) || write_go(&entries, stream, &left_out) ||
	     write_csv(&entries, stream, &left_out)))
		abort();
	entries_free(&entries);
	fclose(stream);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record record;

	if (record_parse("input", (const char *)data, size, &record)) {
		if (!error_text()[0] || strchr(error_text(), '\n'))
			abort();
		return 0;
	}
	compare(&record, &record, METRIC_DEFAULT, SORT_VERDICT);
	compare(&record, &record, "p99", SORT_P);
	compare_halves(&record);
	convert(&record);
	record_free(&record);
	return 0;
}
