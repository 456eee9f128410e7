/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between the machines, kernels and builds of two sets of results. */
#ifndef COMPARE_DIFFERENCES_H
#define COMPARE_DIFFERENCES_H

#include "judge.h"
#include "record.h"

struct difference {
	const char *name;
	char *values[NR_SIDES]; /* all that the side has, separated by commas */
	bool doubtful; /* figures from either side of it hardly compare */
};

struct differences {
	struct difference *list;
	size_t n;
	json_t *facts; /* holds the names */
};

/*
 * From all results of the records of both sides. `counted`: there are results in exact mode, which
 * depend on another machine. The caller frees it in either case. -ENOMEM or 0.
 */
int differences_find(const struct record *const records[NR_SIDES], const size_t nr[NR_SIDES],
		     bool counted, struct differences *differences);

void differences_free(struct differences *differences);

#endif
