// SPDX-License-Identifier: GPL-2.0
#include "result.h"

#include <stdlib.h>
#include <string.h>

/*
 * One percent of the producers' time taken by the hypervisor, or more than ten involuntary
 * switches a second and producer, shows in the figures. (On an idle machine: none and one or two.)
 */
#define STEAL_SHARE 0.01
#define SWITCHES_PER_SEC 10

void result_free(struct result *result)
{
	free(result->intervals);
	result->intervals = NULL;
	result->nr_intervals = 0;
	free(result->rows.rows);
	for (size_t i = 0; i < result->nr_row_intervals; i++)
		free(result->row_intervals[i].rows);
	free(result->row_intervals);
	memset(&result->rows, 0, sizeof(result->rows));
	result->row_intervals = NULL;
	result->nr_row_intervals = 0;
}

bool result_has_figures(const struct result *result)
{
	return (result->status == RESULT_OK || result->status == RESULT_INTERRUPTED) &&
	       (result->cost_ns[BENCH_REAL].n || result->rows.duration_ns);
}

bool result_net_is_exact(const struct result *result)
{
	return result->insn[BENCH_REAL].exact && result->insn[BENCH_TWIN].exact;
}

bool result_core_shared(const struct result *result)
{
	return result->core.reference && !result->core.alone_only;
}

bool result_disturbed(const struct result *result)
{
	unsigned int nr = result->options->nr_producers;
	double seconds = 0;

	for (size_t i = 0; i < result->nr_intervals; i++) {
		if (!result->intervals[i].warmup)
			seconds += result->intervals[i].duration_ns / (double)NSEC_PER_SEC;
	}
	return (double)result->steal_ns > STEAL_SHARE * seconds * nr * (double)NSEC_PER_SEC ||
	       (double)result->involuntary_switches > SWITCHES_PER_SEC * seconds * nr;
}
