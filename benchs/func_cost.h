/* SPDX-License-Identifier: GPL-2.0 */
/* What probing a function costs, measured on one that does nothing. */
#ifndef BENCHS_FUNC_COST_H
#define BENCHS_FUNC_COST_H

#include "func_tracer.h"

/* In ns, in exact mode in instructions. */
struct func_cost {
	bool known;
	double in_sample; /* what a call that takes no time is measured to take */
	double per_call; /* how much longer a traced call takes than one that is not */
	double programs; /* of that, what the programs do: the rest is the kernel's way to them */
};

/* A negative errno with the reason when functions cannot be probed in this way. */
int func_cost_measure(enum func_probe probe, struct func_cost *cost);

#endif
