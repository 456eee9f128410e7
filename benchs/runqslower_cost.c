// SPDX-License-Identifier: GPL-2.0
#include "runqslower_cost.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/error.h"
#include "harness/stats.h"

struct run_stats run_stats_between(const struct run_stats *before, const struct run_stats *after)
{
	return (struct run_stats){
		.runs = after->runs - before->runs,
		.ns = after->ns - before->ns,
		.misses = after->misses - before->misses,
	};
}

static void add(struct run_stats *sum, const struct run_stats *more)
{
	sum->runs += more->runs;
	sum->ns += more->ns;
}

static double average(const struct run_stats *stats)
{
	return (double)stats->ns / (double)stats->runs;
}

int handler_cost(const struct handler_slice *first, size_t stride, size_t n,
		 struct handler_cost *cost)
{
	double *nets = calloc(n + 1, sizeof(*nets));
	struct handler_slice sum = {};
	size_t nr_nets = 0;

	memset(cost, 0, sizeof(*cost));
	if (!nets)
		return error_set(ENOMEM, "no memory for the costs of %zu slices", n);
	for (size_t i = 0; i < n; i++) {
		const struct handler_slice *slice = &first[i * stride];

		add(&sum.real, &slice->real);
		add(&sum.empty, &slice->empty);
		if (slice->real.runs && slice->empty.runs)
			nets[nr_nets++] = average(&slice->real) - average(&slice->empty);
	}
	cost->runs = sum.real.runs;
	cost->known = sum.real.runs && sum.empty.runs;
	if (cost->known) {
		cost->avg_ns = average(&sum.real);
		cost->empty_ns = average(&sum.empty);
		cost->net_ns = cost->avg_ns - cost->empty_ns;
	}
	cost->se_known = nr_nets >= 2;
	if (cost->se_known)
		cost->net_se_ns = stats_stddev(nets, nr_nets) / sqrt((double)nr_nets);
	free(nets);
	return 0;
}
