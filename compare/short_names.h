/* SPDX-License-Identifier: GPL-2.0 */
/* Names of cases fit for a table: what all cases of a benchmark have in common is said once. */
#ifndef COMPARE_SHORT_NAMES_H
#define COMPARE_SHORT_NAMES_H

#include <jansson.h>

#include "case_id.h"

struct short_names {
	json_t *counts; /* of each benchmark's cases, and of each part of their names */
};

/* Count the cases in, one by one, before asking for names. -ENOMEM or 0. */
int short_names_begin(struct short_names *names);
int short_names_add(struct short_names *names, const struct case_id *id);
void short_names_end(struct short_names *names);

/* The name without what all cases of the benchmark have; the caller frees it. NULL without memory. */
char *short_name(const struct short_names *names, const struct case_id *id);

/* That, such as "benchmark: order=random trigger=fentry"; "" where there is none. The same. */
char *common_parts(const struct short_names *names, const struct case_id *id);

#endif
