// SPDX-License-Identifier: GPL-2.0
#include "short_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"

int short_names_begin(struct short_names *names)
{
	names->counts = json_object();
	return names->counts ? 0 : error_set(ENOMEM, "no memory for the names of cases");
}

void short_names_end(struct short_names *names)
{
	json_decref(names->counts);
	names->counts = NULL;
}

static size_t benchmark_length(const struct case_id *id)
{
	return id->nr_parts ? id->parts[0] : strlen(id->name);
}

static size_t part_length(const struct case_id *id, size_t part)
{
	size_t end = part + 1 < id->nr_parts ? id->parts[part + 1] : strlen(id->name);

	return end - id->parts[part];
}

/* "benchmark", or "benchmark/part" for a part. */
static char *counted_name(const struct case_id *id, size_t part)
{
	const char *begin = part < id->nr_parts ? id->name + id->parts[part] : "";
	size_t len = part < id->nr_parts ? part_length(id, part) : 0;
	char *name;

	if (asprintf(&name, "%.*s%.*s", (int)benchmark_length(id), id->name, (int)len, begin) < 0)
		return NULL;
	return name;
}

static long long count(const struct short_names *names, const struct case_id *id, size_t part)
{
	char *name = counted_name(id, part);
	long long n = name ? json_integer_value(json_object_get(names->counts, name)) : 0;

	free(name);
	return n;
}

int short_names_add(struct short_names *names, const struct case_id *id)
{
	for (size_t part = 0; part <= id->nr_parts; part++) {
		char *name = counted_name(id, part);
		int err = -1;

		if (name)
			err = json_object_set_new(names->counts, name,
						  json_integer(1 + count(names, id, part)));
		free(name);
		if (err)
			return error_set(ENOMEM, "no memory for the names of cases");
	}
	return 0;
}

static bool is_common(const struct short_names *names, const struct case_id *id, size_t part)
{
	/* A row is what a line of the table is about, even if it is the only one. */
	if (id->has_row && part + 1 == id->nr_parts)
		return false;
	return count(names, id, part) == count(names, id, id->nr_parts);
}

char *short_name(const struct short_names *names, const struct case_id *id)
{
	char *name = malloc(strlen(id->name) + 1);
	char *end = name;

	if (!name)
		return NULL;
	end += sprintf(end, "%.*s", (int)benchmark_length(id), id->name);
	for (size_t part = 0; part < id->nr_parts; part++) {
		if (!is_common(names, id, part))
			end += sprintf(end, "%.*s", (int)part_length(id, part),
				       id->name + id->parts[part]);
	}
	return name;
}

char *common_parts(const struct short_names *names, const struct case_id *id)
{
	char *text = malloc(strlen(id->name) + sizeof(":"));
	char *end = text;
	bool any = false;

	if (!text)
		return NULL;
	end += sprintf(end, "%.*s:", (int)benchmark_length(id), id->name);
	for (size_t part = 0; part < id->nr_parts; part++) {
		if (!is_common(names, id, part))
			continue;
		any = true;
		end += sprintf(end, " %.*s", (int)part_length(id, part) - 1,
			       id->name + id->parts[part] + 1);
	}
	if (!any)
		text[0] = '\0';
	return text;
}
