/* SPDX-License-Identifier: GPL-2.0 */
/* Which case a result is of: two results with the same key are rounds of the same case. */
#ifndef COMPARE_CASE_ID_H
#define COMPARE_CASE_ID_H

#include <jansson.h>

#include "../harness/util.h"

#define CASE_PARTS 64

struct case_id {
	char *key; /* everything that defines the case, as text that is equal if the cases are */
	/*
	 * The key without trigger and row, which a result that came to nothing may not know yet: it is
	 * of all cases with the same.
	 */
	char *family;
	/*
	 * For people, and for --filter: benchmark/parameter=value/..., then what else the case has
	 * beyond the usual: trigger=, producers=, pad=, row=...
	 */
	char *name;
	size_t parts[CASE_PARTS]; /* where the slashes are that begin its parts */
	size_t nr_parts;
	bool has_row; /* it is the last part */
};

/* `row`: the name of a watcher's row, or NULL. The caller frees it in either case. -ENOMEM or 0. */
int case_id_of(const json_t *result, const char *row, struct case_id *id);

void case_id_free(struct case_id *id);

#endif
