/* SPDX-License-Identifier: GPL-2.0 */
/* What a handler costs, from the kernel's statistics of it and of an empty one beside it. */
#ifndef RUNQSLOWER_COST_H
#define RUNQSLOWER_COST_H

#include "harness/util.h"

/* How often a program ran, how long in all, and how often it was not run since it was running already. */
struct run_stats {
	u64 runs, ns, misses;
};

/* What was added from `before` to `after`. */
struct run_stats run_stats_between(const struct run_stats *before, const struct run_stats *after);

/* A handler and its empty twin in one slice of time. */
struct handler_slice {
	struct run_stats real, empty;
};

struct handler_cost {
	u64 runs;
	double avg_ns, empty_ns; /* mean of all runs, if there are runs of both */
	double net_ns;
	double net_se_ns; /* standard error, from how slices differ */
	bool known; /* false: one of the two never ran */
	bool se_known; /* false: less than two slices have runs */
};

/* Of slice first, first + stride, … of the n. -ENOMEM or 0. */
int handler_cost(const struct handler_slice *first, size_t stride, size_t n,
		 struct handler_cost *cost);

#endif
