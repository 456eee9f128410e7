// SPDX-License-Identifier: GPL-2.0
#include "record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "../harness/words.h"
#include "../report/json.h"

/* Far more than a long run of a large suite has, and not yet all memory of a machine. */
#define BYTES_MAX (512UL << 20)

/* No time, count or rate of a machine is larger: a figure that is has been made up or damaged. */
#define REAL_MAX 1e18

enum field_type {
	FIELD_TEXT,
	FIELD_BOOL,
	FIELD_COUNT, /* not negative; above 63 bits a string of digits */
	FIELD_REAL,
	FIELD_OBJECT,
	FIELD_ARRAY,
};

static const char *const type_names[] = {
	[FIELD_TEXT] = "a text",   [FIELD_BOOL] = "true or false", [FIELD_COUNT] = "a whole number",
	[FIELD_REAL] = "a number", [FIELD_OBJECT] = "an object",   [FIELD_ARRAY] = "a list",
};

struct field {
	const char *path;
	enum field_type type;
	bool needed; /* there, and not null */
};

static const struct field result_fields[] = {
	{ "benchmark", FIELD_TEXT, true },
	{ "parameters", FIELD_OBJECT, true },
	{ "status", FIELD_TEXT, true },
	{ "reason", FIELD_TEXT, false },
	{ "case", FIELD_COUNT, false },
	{ "round", FIELD_COUNT, false },
	{ "options", FIELD_OBJECT, true },
	{ "options.producers", FIELD_COUNT, true },
	{ "options.consumers", FIELD_COUNT, true },
	{ "options.warmup_sec", FIELD_COUNT, true },
	{ "options.duration_sec", FIELD_COUNT, true },
	{ "options.affinity", FIELD_BOOL, true },
	{ "options.producer_cpus", FIELD_ARRAY, true },
	{ "options.consumer_cpus", FIELD_ARRAY, true },
	{ "options.pad", FIELD_COUNT, true },
	{ "options.command", FIELD_ARRAY, false },
	{ "trigger", FIELD_TEXT, false },
	{ "started_unix_ns", FIELD_COUNT, true },
	{ "ops_per_pass", FIELD_COUNT, false },
	{ "passes_per_batch", FIELD_COUNT, false },
	{ "exact_mode", FIELD_BOOL, true },
	{ "exact_machine", FIELD_TEXT, false },
	{ "insn", FIELD_OBJECT, false },
	{ "insn.raw", FIELD_OBJECT, false },
	{ "insn.raw.per_op", FIELD_REAL, false },
	{ "insn.raw.exact", FIELD_BOOL, false },
	{ "insn.overhead", FIELD_OBJECT, false },
	{ "insn.overhead.per_op", FIELD_REAL, false },
	{ "insn.overhead.exact", FIELD_BOOL, false },
	{ "insn.net", FIELD_OBJECT, false },
	{ "insn.net.per_op", FIELD_REAL, false },
	{ "insn.net.exact", FIELD_BOOL, false },
	{ "cost_ns", FIELD_OBJECT, false },
	{ "cost_ns.raw", FIELD_OBJECT, false },
	{ "cost_ns.raw.median", FIELD_REAL, false },
	{ "cost_ns.raw.p90", FIELD_REAL, false },
	{ "cost_ns.raw.p99", FIELD_REAL, false },
	{ "cost_ns.raw.min", FIELD_REAL, false },
	{ "cost_ns.raw.max", FIELD_REAL, false },
	{ "cost_ns.raw.samples", FIELD_COUNT, false },
	{ "cost_ns.overhead", FIELD_OBJECT, false },
	{ "cost_ns.overhead.median", FIELD_REAL, false },
	{ "cost_ns.net", FIELD_OBJECT, false },
	{ "cost_ns.net.median", FIELD_REAL, false },
	{ "cost_ns.net.below_floor", FIELD_BOOL, false },
	{ "quantiles_ns", FIELD_OBJECT, false },
	{ "quantiles_ns.raw", FIELD_ARRAY, false },
	{ "quantiles_ns.raw.1", FIELD_REAL, false },
	{ "cycles", FIELD_OBJECT, false },
	{ "cycles.raw", FIELD_OBJECT, false },
	{ "cycles.raw.median", FIELD_REAL, false },
	{ "cycles.overhead", FIELD_OBJECT, false },
	{ "cycles.overhead.median", FIELD_REAL, false },
	{ "cycles.net", FIELD_OBJECT, false },
	{ "cycles.net.median", FIELD_REAL, false },
	{ "cpu_ns", FIELD_OBJECT, false },
	{ "cpu_ns.raw", FIELD_OBJECT, false },
	{ "cpu_ns.raw.median", FIELD_REAL, false },
	{ "cpu_ns.net", FIELD_OBJECT, false },
	{ "cpu_ns.net.median", FIELD_REAL, false },
	{ "cpu_ns.net.below_floor", FIELD_BOOL, false },
	{ "rate_per_sec", FIELD_OBJECT, false },
	{ "rate_per_sec.raw", FIELD_OBJECT, false },
	{ "rate_per_sec.raw.hits", FIELD_OBJECT, false },
	{ "rate_per_sec.raw.hits.mean", FIELD_REAL, false },
	{ "watched", FIELD_OBJECT, false },
	{ "watched.duration_ns", FIELD_COUNT, false },
	{ "watched.rows", FIELD_ARRAY, false },
	{ "attempts", FIELD_COUNT, false },
	{ "losses", FIELD_ARRAY, true },
	{ "disturbance", FIELD_OBJECT, false },
	{ "disturbance.disturbed", FIELD_BOOL, false },
	{ "disturbance.core", FIELD_OBJECT, false },
	{ "disturbance.core.alone_only", FIELD_BOOL, false },
	{ "disturbance.core.reference_cycles", FIELD_COUNT, false },
	{ "disturbance.core.ghz", FIELD_REAL, false },
	{ "host", FIELD_OBJECT, true },
	{ "host.kernel_release", FIELD_TEXT, false },
	{ "host.cpu_model", FIELD_TEXT, false },
	{ "host.cpus_online", FIELD_COUNT, false },
};

static const struct field loss_fields[] = {
	{ "cause", FIELD_TEXT, true },
	{ "count", FIELD_COUNT, true },
};

static const struct field row_fields[] = {
	{ "name", FIELD_TEXT, true },
	{ "figures", FIELD_OBJECT, true },
};

/* Where one is in a file, for the text of an error: results[index].list[element]. */
struct place {
	const char *path;
	size_t index;
	const char *list; /* NULL: in the result itself */
	size_t element;
};

static int refuse(const struct place *place, const char *field, const char *what)
{
	char list[64] = "";

	if (place->list)
		snprintf(list, sizeof(list), ".%s[%zu]", place->list, place->element);
	return error_set(E_USAGE,
			 "%s: results[%zu]%s%s%s is %s: not as `bench --json` writes it, run it "
			 "anew",
			 place->path, place->index, list, field[0] ? "." : "", field, what);
}

const json_t *record_field(const json_t *result, const char *path)
{
	char name[32]; /* room for the longest in the tables above */
	const json_t *at = result;

	while (at && *path) {
		size_t len = strcspn(path, ".");

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		/* Of what is no object, or has no such element, NULL. */
		at = json_is_array(at) ? json_array_get(at, strtoul(name, NULL, 10))
				       : json_object_get(at, name);
		path += len + (path[len] == '.');
	}
	return json_is_null(at) ? NULL : at;
}

/* Tools whose numbers are doubles, such as jq, write a large count as a real. */
static bool whole_real(double value, u64 *count)
{
	if (!(value >= 0 && value < 0x1p64) || value != floor(value))
		return false;
	*count = (u64)value;
	return true;
}

static bool count_of(const json_t *value, u64 *count)
{
	*count = 0;
	if (json_is_string(value))
		return !parse_u64(json_string_value(value), count);
	if (json_is_real(value))
		return whole_real(json_real_value(value), count);
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*count = (u64)json_integer_value(value);
	return true;
}

static bool has_type(const json_t *value, enum field_type type)
{
	u64 count;

	switch (type) {
	case FIELD_TEXT:
		return json_is_string(value);
	case FIELD_BOOL:
		return json_is_boolean(value);
	case FIELD_COUNT:
		return count_of(value, &count);
	case FIELD_REAL:
		return json_is_number(value);
	case FIELD_OBJECT:
		return json_is_object(value);
	case FIELD_ARRAY:
		return json_is_array(value);
	}
	return false;
}

static int check_real(const struct place *place, const char *path, const json_t *value)
{
	if (fabs(json_number_value(value)) <= REAL_MAX)
		return 0;
	return refuse(place, path, "larger than anything that can be measured");
}

static int check_field(const struct place *place, const json_t *object, const struct field *field)
{
	const json_t *value = record_field(object, field->path);
	char what[64];

	/* Whatever is on the way to a field is a field too, and refused on its own. */
	if (!value && !field->needed)
		return 0;
	if (!value)
		return refuse(place, field->path, "missing");
	if (!has_type(value, field->type)) {
		snprintf(what, sizeof(what), "not %s", type_names[field->type]);
		return refuse(place, field->path, what);
	}
	return field->type == FIELD_REAL ? check_real(place, field->path, value) : 0;
}

static int check_fields(const struct place *place, const json_t *object, const struct field *fields,
			size_t n)
{
	int err = 0;

	if (!json_is_object(object))
		return refuse(place, "", "not an object");
	for (size_t i = 0; i < n && !err; i++)
		err = check_field(place, object, &fields[i]);
	return err;
}

static bool is_status(const char *status)
{
	static const char *const all[] = { "ok", "interrupted", "failed", "skipped" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!strcmp(status, all[i]))
			return true;
	}
	return false;
}

static int check_parameters(const struct place *place, const json_t *result)
{
	json_t *parameters = json_object_get(result, "parameters");
	const char *name;
	json_t *value;

	json_object_foreach(parameters, name, value) {
		if (json_is_object(value) || json_is_array(value))
			return refuse(place, "parameters", "not a list of plain values");
	}
	return 0;
}

static int check_losses(struct place *place, const json_t *result)
{
	const json_t *losses = json_object_get(result, "losses");
	int err = 0;

	place->list = "losses";
	for (place->element = 0; place->element < json_array_size(losses) && !err; place->element++)
		err = check_fields(place, json_array_get(losses, place->element), loss_fields,
				   ARRAY_SIZE(loss_fields));
	place->list = NULL;
	return err;
}

static int check_figures(const struct place *place, const json_t *row)
{
	json_t *figures = json_object_get(row, "figures");
	const char *name;
	json_t *value;
	int err = 0;

	json_object_foreach(figures, name, value) {
		if (json_is_null(value))
			continue;
		err = json_is_number(value) ? check_real(place, "figures", value)
					    : refuse(place, "figures", "not of numbers");
		if (err)
			break;
	}
	return err;
}

static int check_rows(struct place *place, const json_t *result)
{
	const json_t *rows = record_field(result, "watched.rows");
	int err = 0;

	place->list = "watched.rows";
	for (place->element = 0; place->element < json_array_size(rows) && !err; place->element++) {
		const json_t *row = json_array_get(rows, place->element);

		err = check_fields(place, row, row_fields, ARRAY_SIZE(row_fields));
		if (!err)
			err = check_figures(place, row);
	}
	place->list = NULL;
	return err;
}

static int check_result(struct place *place, const json_t *result)
{
	int err = check_fields(place, result, result_fields, ARRAY_SIZE(result_fields));

	if (err)
		return err;
	if (!record_text(result, "benchmark")[0])
		return refuse(place, "benchmark", "empty");
	if (!is_status(record_text(result, "status")))
		return refuse(place, "status", "none of ok, interrupted, failed, skipped");
	err = check_parameters(place, result);
	if (!err)
		err = check_losses(place, result);
	if (!err)
		err = check_rows(place, result);
	return err;
}

static int check_version(const struct record *record)
{
	const json_t *version = json_object_get(record->root, "schema_version");

	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return error_set(E_USAGE,
				 "%s: schema_version is no version: not as `bench --json` "
				 "writes it, run it anew",
				 record->path);
	if (json_integer_value(version) > JSON_SCHEMA_VERSION)
		return error_set(
			E_USAGE,
			"%s: written by a newer bench (schema_version %lld, %d is known here): "
			"read it with that one",
			record->path, (long long)json_integer_value(version), JSON_SCHEMA_VERSION);
	return 0;
}

static int check_document(struct record *record)
{
	const char *schema = json_string_value(json_object_get(record->root, "schema"));
	struct place place = { .path = record->path };
	int err;

	if (!schema || strcmp(schema, JSON_SCHEMA))
		return error_set(E_USAGE,
				 "%s: not a result of `bench --json` (no schema \"%s\"): give one",
				 record->path, JSON_SCHEMA);
	err = check_version(record);
	if (err)
		return err;
	record->results = json_object_get(record->root, "results");
	if (!json_is_array(record->results))
		return error_set(E_USAGE,
				 "%s: results is not a list: not as `bench --json` writes "
				 "it, run it anew",
				 record->path);
	if (!json_array_size(record->results))
		return error_set(E_USAGE, "%s: no results in it: run a benchmark with --json",
				 record->path);
	for (size_t i = 0; i < json_array_size(record->results) && !err; i++) {
		place.index = i;
		err = check_result(&place, json_array_get(record->results, i));
	}
	return err;
}

struct ordered {
	json_t *result;
	u64 number; /* of the case */
	size_t index;
};

static int by_case(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* A suite's results are in the order they ran, which is random. In a table people look for that of the suite. */
static int put_in_order(struct record *record)
{
	size_t n = json_array_size(record->results);
	struct ordered *ordered = calloc(n + 1, sizeof(*ordered));
	json_t *results = json_array();
	bool complete = ordered && results, numbered = complete;

	for (size_t i = 0; i < n && numbered; i++) {
		ordered[i].result = json_array_get(record->results, i);
		ordered[i].index = i;
		numbered = record_count(ordered[i].result, "case", &ordered[i].number);
	}
	if (numbered) {
		qsort(ordered, n, sizeof(*ordered), by_case);
		for (size_t i = 0; i < n && complete; i++)
			complete = !json_array_append(results, ordered[i].result);
		complete = complete && !json_object_set(record->root, "results", results);
		record->results = json_object_get(record->root, "results");
	}
	json_decref(results);
	free(ordered);
	return complete ? 0 : error_set(ENOMEM, "%s: no memory to read it", record->path);
}

static int not_json(const char *path, const json_error_t *error)
{
	switch (json_error_code(error)) {
	case json_error_premature_end_of_input:
		return error_set(E_USAGE, "%s: cut short in line %d: run it anew", path,
				 error->line);
	case json_error_duplicate_key:
		return error_set(E_USAGE, "%s: a name is there twice, in line %d: run it anew",
				 path, error->line);
	case json_error_numeric_overflow:
		return error_set(E_USAGE, "%s: a number is too large, in line %d: run it anew",
				 path, error->line);
	case json_error_out_of_memory:
		return error_set(ENOMEM, "%s: no memory to read it", path);
	default:
		return error_set(E_USAGE,
				 "%s: not JSON in line %d (%s): give a result of `bench --json`",
				 path, error->line, error->text);
	}
}

int record_parse(const char *path, const char *text, size_t len, struct record *record)
{
	json_error_t error;
	int err;

	*record = (struct record){ .path = path };
	if (!len)
		return error_set(E_USAGE, "%s: empty: give a result of `bench --json`", path);
	record->root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!record->root)
		return not_json(path, &error);
	err = check_document(record);
	if (!err)
		err = put_in_order(record);
	if (err)
		record_free(record);
	return err;
}

static int cannot_read(const char *path, int err)
{
	return error_set(E_USAGE, "%s: cannot read it: %s", path, strerror(err));
}

/* All of a file, which may be a pipe; the caller frees it. */
static int read_all(const char *path, FILE *file, char **text, size_t *len)
{
	size_t room = 0;

	*text = NULL;
	*len = 0;
	do {
		char *more;

		if (*len > BYTES_MAX)
			return error_set(E_USAGE, "%s: larger than %lu MiB: give fewer results",
					 path, BYTES_MAX >> 20);
		room = room ? 2 * room : 65536;
		more = realloc(*text, room);
		if (!more)
			return error_set(ENOMEM, "%s: no memory to read it", path);
		*text = more;
		*len += fread(*text + *len, 1, room - *len, file);
	} while (*len == room);
	return ferror(file) ? cannot_read(path, errno) : 0;
}

int record_read(const char *path, struct record *record)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	char *text = NULL;
	size_t len = 0;
	int err;

	*record = (struct record){ .path = path };
	if (!file)
		return cannot_read(name, errno);
	err = read_all(name, file, &text, &len);
	if (!err)
		err = record_parse(name, text, len, record);
	free(text);
	if (!is_stdin)
		fclose(file);
	return err;
}

void record_free(struct record *record)
{
	json_decref(record->root);
	record->root = NULL;
	record->results = NULL;
}

static int refuse_twice(const json_t *result, const char *before, const char *path)
{
	return error_set(E_USAGE, "%s and %s hold the same round of %s: give each once", before,
			 path, record_text(result, "benchmark"));
}

int record_check_twice(const struct record *record, const json_t *result, json_t *seen)
{
	json_t *round;
	const char *before;
	char *key;
	int err = 0;

	/* What gave no figures counts for none. */
	if (record_is_true(result, "exact_mode") ||
	    !strcmp(record_text(result, "status"), "failed") ||
	    !strcmp(record_text(result, "status"), "skipped"))
		return 0;
	round = json_pack("[O?,O?,O?,O?]", json_object_get(result, "started_unix_ns"),
			  record_field(result, "host.boot"), json_object_get(result, "benchmark"),
			  json_object_get(result, "parameters"));
	key = json_dumps(round, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(round);
	if (!key)
		return error_set(ENOMEM, "no memory for the rounds of %s", record->path);
	before = json_string_value(json_object_get(seen, key));
	if (before)
		err = refuse_twice(result, before, record->path);
	else if (json_object_set_new(seen, key, json_string(record->path)))
		err = error_set(ENOMEM, "no memory for the rounds of %s", record->path);
	free(key);
	return err;
}

bool record_real(const json_t *result, const char *path, double *value)
{
	const json_t *field = record_field(result, path);

	*value = json_number_value(field);
	return field != NULL;
}

bool record_count(const json_t *result, const char *path, u64 *value)
{
	const json_t *field = record_field(result, path);

	*value = 0;
	return field && count_of(field, value);
}

const char *record_text(const json_t *result, const char *path)
{
	const char *text = json_string_value(record_field(result, path));

	return text ? text : "";
}

bool record_is_true(const json_t *result, const char *path)
{
	return json_is_true(record_field(result, path));
}
