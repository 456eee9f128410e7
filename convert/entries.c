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

static size_t counted(const json_t *counts, const char *key)
{
	return (size_t)json_integer_value(json_object_get(counts, key));
}

static int count_one_more(json_t *counts, const char *key)
{
	json_int_t n = (json_int_t)counted(counts, key);

	return json_object_set_new(counts, key, json_integer(n + 1)) ? no_memory() : 0;
}

static int number_rounds(struct entries *entries, json_t *rounds)
{
	int err = 0;

	for (size_t i = 0; i < entries->n && !err; i++) {
		struct entry *entry = &entries->list[i];

		entry->round = counted(rounds, entry->id.key);
		err = count_one_more(rounds, entry->id.key);
	}
	return err;
}

static bool had_core_alone(const struct entry *entry)
{
	return record_is_true(entry->result, "disturbance.core.alone_only");
}

static int mark_shared(struct entries *entries, json_t *alone)
{
	int err = 0;

	for (size_t i = 0; i < entries->n && !err; i++) {
		if (had_core_alone(&entries->list[i]))
			err = count_one_more(alone, entries->list[i].id.key);
	}
	for (size_t i = 0; i < entries->n && !err; i++) {
		struct entry *entry = &entries->list[i];

		entry->shared = counted(alone, entry->id.key) >= CORE_ENOUGH_ROUNDS &&
				json_is_object(record_field(entry->result, "disturbance.core")) &&
				!had_core_alone(entry);
	}
	return err;
}

static int add_results(struct entries *entries, const struct record *record, json_t *seen)
{
	int err = 0;

	for (size_t i = 0; i < json_array_size(record->results) && !err; i++) {
		const json_t *result = json_array_get(record->results, i);

		err = record_check_twice(record, result, seen);
		if (!err)
			err = add_result(entries, record, result);
	}
	return err;
}

int entries_of(const struct record *records, size_t nr_records, struct entries *entries)
{
	json_t *seen = json_object(), *rounds = json_object(), *alone = json_object();
	int err = seen && rounds && alone ? 0 : no_memory();

	*entries = (struct entries){};
	for (size_t i = 0; i < nr_records && !err; i++)
		err = add_results(entries, &records[i], seen);
	if (!err)
		err = number_rounds(entries, rounds);
	if (!err)
		err = mark_shared(entries, alone);
	json_decref(seen);
	json_decref(rounds);
	json_decref(alone);
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
