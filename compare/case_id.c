// SPDX-License-Identifier: GPL-2.0
#include "case_id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "../harness/words.h"
#include "record.h"

/* Of the options, those that say what is measured; the others say for how long. */
static const char *const defining[] = {
	"benchmark",
	"parameters",
	"options.producers",
	"options.consumers",
	"options.affinity",
	"options.producer_cpus",
	"options.consumer_cpus",
	"options.pad",
	"options.command",
};

static bool append_copy(json_t *array, const json_t *value)
{
	return !json_array_append_new(array, value ? json_deep_copy(value) : json_null());
}

static char *dump(const json_t *array)
{
	return json_dumps(array, JSON_COMPACT | JSON_SORT_KEYS);
}

static int make_keys(const json_t *result, const char *row, struct case_id *id)
{
	json_t *array = json_array();
	bool complete = array != NULL;

	for (size_t i = 0; i < ARRAY_SIZE(defining); i++)
		complete = append_copy(array, record_field(result, defining[i])) && complete;
	id->family = complete ? dump(array) : NULL;
	complete = append_copy(array, record_field(result, "trigger")) && complete;
	if (row)
		complete = !json_array_append_new(array, json_string(row)) && complete;
	id->key = complete ? dump(array) : NULL;
	json_decref(array);
	return id->family && id->key ? 0 : -ENOMEM;
}

/* A name under construction: its text, and where its parts begin. */
struct naming {
	struct case_id *id;
	FILE *stream;
};

static void __printf(2, 3) add_part(struct naming *naming, const char *format, ...)
{
	long at = ftell(naming->stream);
	va_list args;

	if (naming->id->nr_parts < CASE_PARTS && at >= 0)
		naming->id->parts[naming->id->nr_parts++] = (size_t)at;
	fputc('/', naming->stream);
	va_start(args, format);
	vfprintf(naming->stream, format, args);
	va_end(args);
}

static void add_parameters(struct naming *naming, const json_t *result)
{
	json_t *parameters = json_object_get(result, "parameters");
	const char *name;
	json_t *value;

	json_object_foreach(parameters, name, value) {
		if (json_is_string(value))
			add_part(naming, "%s=%s", name, json_string_value(value));
		else if (json_is_integer(value))
			add_part(naming, "%s=%" JSON_INTEGER_FORMAT, name,
				 json_integer_value(value));
		else if (json_is_real(value))
			add_part(naming, "%s=%.17g", name, json_real_value(value));
		else if (json_is_boolean(value))
			add_part(naming, "%s=%s", name, json_is_true(value) ? "true" : "false");
	}
}

/* A count that is not the usual one. */
static void add_count(struct naming *naming, const json_t *result, const char *name, u64 usual)
{
	char path[64];
	u64 count;

	snprintf(path, sizeof(path), "options.%s", name);
	if (record_count(result, path, &count) && count != usual)
		add_part(naming, "%s=%" PRIu64, name, count);
}

static void add_list(struct naming *naming, const json_t *result, const char *name,
		     const char *separator)
{
	const json_t *list;
	char path[64];

	snprintf(path, sizeof(path), "options.%s", name);
	list = record_field(result, path);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *word = json_array_get(list, i);

		if (i)
			fputs(separator, naming->stream);
		else
			add_part(naming, "%s=", name);
		if (json_is_integer(word))
			fprintf(naming->stream, "%" JSON_INTEGER_FORMAT, json_integer_value(word));
		else if (json_is_string(word))
			fputs(json_string_value(word), naming->stream);
	}
}

static void add_all(struct naming *naming, const json_t *result, const char *row)
{
	fputs(record_text(result, "benchmark"), naming->stream);
	add_parameters(naming, result);
	if (record_text(result, "trigger")[0])
		add_part(naming, "trigger=%s", record_text(result, "trigger"));
	add_count(naming, result, "producers", 1);
	add_count(naming, result, "consumers", 0);
	add_count(naming, result, "pad", 0);
	if (record_is_true(result, "options.affinity"))
		add_part(naming, "affinity");
	add_list(naming, result, "producer_cpus", ",");
	add_list(naming, result, "consumer_cpus", ",");
	add_list(naming, result, "command", " ");
	if (row)
		add_part(naming, "row=%s", row);
}

static char *name_of(const json_t *result, const char *row, struct case_id *id)
{
	struct naming naming = { .id = id };
	char *name = NULL;
	size_t len;

	naming.stream = open_memstream(&name, &len);
	if (!naming.stream)
		return NULL;
	add_all(&naming, result, row);
	if (fclose(naming.stream)) {
		free(name);
		return NULL;
	}
	make_printable(name);
	return name;
}

int case_id_of(const json_t *result, const char *row, struct case_id *id)
{
	int err;

	*id = (struct case_id){ .has_row = row };
	err = make_keys(result, row, id);
	id->name = name_of(result, row, id);
	return !err && id->name ? 0 : error_set(ENOMEM, "no memory for the name of a case");
}

void case_id_free(struct case_id *id)
{
	free(id->key);
	free(id->family);
	free(id->name);
	id->key = id->family = id->name = NULL;
}
