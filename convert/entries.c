// SPDX-License-Identifier: GPL-2.0
#include "entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/array.h"
#include "../harness/core.h"
#include "../harness/error.h"

static int no_memory(void)
{
	return error_set(ENOMEM, "no memory for the results");
}

static struct entry *new_entry(struct entries *entries)
{
	struct entry *list =
		array_with_room(entries->list, entries->n, &entries->room, sizeof(*list));

	if (!list)
		return NULL;
	entries->list = list;
	return &list[entries->n++];
}

static int add(struct entries *entries, const struct record *record, const json_t *result,
	       const json_t *row)
{
	struct entry *entry = new_entry(entries);

	if (!entry)
		return no_memory();
	*entry = (struct entry){ .record = record, .result = result, .row = row };
	return case_id_of(result, row ? record_text(row, "name") : NULL, &entry->id);
}

static int add_result(struct entries *entries, const struct record *record, const json_t *result)
{
	const json_t *rows = record_field(result, "watched.rows");
	int err = 0;

	if (!json_array_size(rows))
		return add(entries, record, result, NULL);
	for (size_t i = 0; i < json_array_size(rows) && !err; i++)
		err = add(entries, record, result, json_array_get(rows, i));
	return err;
}

static int number_rounds(struct entries *entries, json_t *counts)
{
	for (size_t i = 0; i < entries->n; i++) {
		struct entry *entry = &entries->list[i];
		json_int_t n = json_integer_value(json_object_get(counts, entry->id.key));

		entry->round = (size_t)n;
		if (json_object_set_new(counts, entry->id.key, json_integer(n + 1)))
			return no_memory();
	}
	return 0;
}

/* The same round twice would count for two. */
static int check_twice(const struct entries *entries)
{
	json_t *seen = json_object();
	int err = seen ? 0 : no_memory();

	for (size_t i = 0; i < entries->n && !err; i++)
		err = record_check_twice(entries->list[i].record, entries->list[i].result,
					 entries->list[i].row ? entries->list[i].id.name : "",
					 seen);
	json_decref(seen);
	return err;
}

static bool had_core_alone(const struct entry *entry)
{
	return record_is_true(entry->result, "disturbance.core.alone_only");
}

static int mark_shared(struct entries *entries)
{
	json_t *alone = json_object();
	int err = alone ? 0 : no_memory();

	for (size_t i = 0; i < entries->n && !err; i++) {
		const char *key = entries->list[i].id.key;
		json_int_t n = json_integer_value(json_object_get(alone, key));

		n += had_core_alone(&entries->list[i]);
		if (json_object_set_new(alone, key, json_integer(n)))
			err = no_memory();
	}
	for (size_t i = 0; i < entries->n && !err; i++) {
		struct entry *entry = &entries->list[i];
		const json_t *n = json_object_get(alone, entry->id.key);

		entry->shared = json_integer_value(n) >= CORE_ENOUGH_ROUNDS &&
				json_is_object(record_field(entry->result, "disturbance.core")) &&
				!had_core_alone(entry);
	}
	json_decref(alone);
	return err;
}

int entries_of(const struct record *records, size_t nr_records, struct entries *entries)
{
	json_t *counts = json_object();
	int err = counts ? 0 : no_memory();

	*entries = (struct entries){};
	for (size_t i = 0; i < nr_records; i++) {
		for (size_t k = 0; k < json_array_size(records[i].results) && !err; k++)
			err = add_result(entries, &records[i],
					 json_array_get(records[i].results, k));
	}
	if (!err)
		err = number_rounds(entries, counts);
	if (!err)
		err = check_twice(entries);
	if (!err)
		err = mark_shared(entries);
	json_decref(counts);
	return err;
}

void entries_free(struct entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		case_id_free(&entries->list[i].id);
	free(entries->list);
	*entries = (struct entries){};
}

bool entry_figure(const struct entry *entry, const char *metric, struct figure *figure)
{
	if (entry->row)
		return metric_of_row(entry->row, metric, figure);
	return metric_of_result(entry->result, metric, figure) &&
	       (figure->exact || !figure->counted);
}

void print_real(FILE *stream, double value)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, stream);
}

u64 entry_lost(const struct entry *entry)
{
	const json_t *losses = json_object_get(entry->result, "losses");
	u64 sum = 0, count;

	for (size_t i = 0; i < json_array_size(losses); i++) {
		record_count(json_array_get(losses, i), "count", &count);
		if (__builtin_add_overflow(sum, count, &sum))
			return UINT64_MAX;
	}
	return sum;
}
