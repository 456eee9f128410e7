// SPDX-License-Identifier: GPL-2.0
#include "differences.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"

/*
 * `facts` has for each fact an array of two objects, one a side, whose names are the values that
 * results of that side have. So it keeps their order and has each once.
 */
static int add_fact(json_t *facts, const char *name, enum side side, const char *value)
{
	json_t *sides = json_object_get(facts, name);

	if (!sides) {
		sides = json_pack("[{},{}]");
		if (json_object_set_new(facts, name, sides))
			return -ENOMEM;
	}
	return json_object_set_new(json_array_get(sides, side), value, json_true()) ? -ENOMEM : 0;
}

static int add_value(json_t *facts, const char *name, enum side side, const json_t *value)
{
	char *text;
	int err;

	if (!value || json_is_null(value))
		return add_fact(facts, name, side, "not known");
	if (json_is_string(value))
		return add_fact(facts, name, side, json_string_value(value));
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
	err = text ? add_fact(facts, name, side, text) : -ENOMEM;
	free(text);
	return err;
}

/* "mitigations.spectre_v1": one fact each, or a change of one would hide among the others. */
static int add_members(json_t *facts, const char *prefix, enum side side, const json_t *members)
{
	const char *name;
	json_t *value;
	char *full;
	int err = 0;

	json_object_foreach((json_t *)members, name, value) {
		size_t size = strlen(prefix) + strlen(name) + 2;

		full = malloc(size);
		if (!full)
			return -ENOMEM;
		snprintf(full, size, "%s.%s", prefix, name);
		err = add_value(facts, full, side, value);
		free(full);
		if (err)
			return err;
	}
	return 0;
}

static int add_host(json_t *facts, enum side side, const json_t *result)
{
	const char *name;
	json_t *value;
	int err = 0;

	json_object_foreach(json_object_get(result, "host"), name, value) {
		err = json_is_object(value) ? add_members(facts, name, side, value)
					    : add_value(facts, name, side, value);
		if (err)
			break;
	}
	return err;
}

static int add_result(json_t *facts, enum side side, const json_t *result)
{
	static const char *const beside_host[] = { "exact_machine", "options.warmup_sec",
						   "options.duration_sec" };
	int err = add_host(facts, side, result);

	for (size_t i = 0; i < ARRAY_SIZE(beside_host) && !err; i++)
		err = add_value(facts, beside_host[i], side, record_field(result, beside_host[i]));
	return err;
}

/* Not in the order of the files, which says nothing. */
static bool same_names(const json_t *a, const json_t *b)
{
	const char *name;
	json_t *value;

	if (json_object_size(a) != json_object_size(b))
		return false;
	json_object_foreach((json_t *)a, name, value) {
		if (!json_object_get(b, name))
			return false;
	}
	return true;
}

static char *joined_names(const json_t *object)
{
	size_t size = sizeof("not known");
	const char *name;
	json_t *value;
	char *text, *end;

	json_object_foreach((json_t *)object, name, value)
		size += strlen(name) + strlen(", ");
	text = malloc(size);
	if (!text)
		return NULL;
	strcpy(text, json_object_size(object) ? "" : "not known");
	end = text;
	json_object_foreach((json_t *)object, name, value)
		end += sprintf(end, "%s%s", end == text ? "" : ", ", name);
	return text;
}

static bool is_doubtful(const char *name, bool counted)
{
	return !strcmp(name, "cpu_model") || !strcmp(name, "machine") ||
	       (counted && !strcmp(name, "exact_machine"));
}

static int list_differences(struct differences *differences, bool counted)
{
	const char *name;
	json_t *sides;

	differences->list =
		calloc(json_object_size(differences->facts) + 1, sizeof(*differences->list));
	if (!differences->list)
		return -ENOMEM;
	json_object_foreach(differences->facts, name, sides) {
		struct difference *difference = &differences->list[differences->n];

		if (same_names(json_array_get(sides, SIDE_BASE), json_array_get(sides, SIDE_NEW)))
			continue;
		differences->n++;
		difference->name = name;
		difference->doubtful = is_doubtful(name, counted);
		for (int side = 0; side < NR_SIDES; side++) {
			difference->values[side] =
				joined_names(json_array_get(sides, (size_t)side));
			if (!difference->values[side])
				return -ENOMEM;
		}
	}
	return 0;
}

static int add_records(json_t *facts, enum side side, const struct record *records, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < json_array_size(records[i].results) && !err; k++)
			err = add_result(facts, side, json_array_get(records[i].results, k));
	}
	return err;
}

int differences_find(const struct record *const records[NR_SIDES], const size_t nr[NR_SIDES],
		     bool counted, struct differences *differences)
{
	int err;

	*differences = (struct differences){ .facts = json_object() };
	err = differences->facts ? 0 : -ENOMEM;
	for (int side = 0; side < NR_SIDES && !err; side++)
		err = add_records(differences->facts, side, records[side], nr[side]);
	if (!err)
		err = list_differences(differences, counted);
	return err ? error_set(ENOMEM, "no memory for what differs") : 0;
}

void differences_free(struct differences *differences)
{
	for (size_t i = 0; i < differences->n; i++) {
		for (int side = 0; side < NR_SIDES; side++)
			free(differences->list[i].values[side]);
	}
	free(differences->list);
	json_decref(differences->facts);
	*differences = (struct differences){};
}
