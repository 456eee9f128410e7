/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results that were written as JSON (docs/json.md), read back. Everything that this program uses of
 * them is checked once, here: who has a record can take fields from it without looking twice.
 * Fields that are not known are passed over.
 */
#ifndef COMPARE_RECORD_H
#define COMPARE_RECORD_H

#include <jansson.h>

#include "../harness/util.h"

/* The results of one file. */
struct record {
	const char *path; /* as given; "-" is standard input */
	json_t *root;
	json_t *results; /* of root: an array with one result or more */
};

/*
 * Read a file. Whatever is wrong with it, or cannot be read, is -E_USAGE with a text that names the
 * file, the place, and what to do.
 */
int record_read(const char *path, struct record *record);

/* The same from memory; `path` is only named. */
int record_parse(const char *path, const char *text, size_t len, struct record *record);

void record_free(struct record *record);

/*
 * A field by its path, such as "cost_ns.net.median", or "quantiles_ns.raw.1" for an element of a
 * list: NULL if it or something on the way to it is not there or null.
 */
const json_t *record_field(const json_t *result, const char *path);

/* false and 0 if it is not known. Counts may be strings of digits. */
bool record_real(const json_t *result, const char *path, double *value);
bool record_count(const json_t *result, const char *path, u64 *value);

/* "" if it is not known. */
const char *record_text(const json_t *result, const char *path);

/*
 * Refuse a round that `seen`, which is added to, has already: it would count for two. In a machine whose clock counts
 * instructions every boot starts at the same moment, but there more rounds make no difference. -E_USAGE, -ENOMEM or 0.
 */
int record_check_twice(const struct record *record, const json_t *result, json_t *seen);

bool record_is_true(const json_t *result, const char *path);

#endif
