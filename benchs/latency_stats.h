/* SPDX-License-Identifier: GPL-2.0 */
/* From the sums and the fine histogram of latencies to figures. Pure arithmetic. */
#ifndef BENCHS_LATENCY_STATS_H
#define BENCHS_LATENCY_STATS_H

#include "bench.h"
#include "progs/func_latency_abi.h"

struct latency_sums {
	u64 total_ns;
	u64 square_low, square_high; /* sum of squares, of 128 bits */
	u64 min_ns, max_ns; /* without samples UINT64_MAX and 0 */
	u64 buckets[FUNC_NR_BUCKETS];
};

struct latency_figures {
	u64 nr;
	double total, avg;
	double stddev; /* with n - 1; 0 for a single one */
	double min, p50, p90, p99, max;
};

void latency_sums_init(struct latency_sums *sums);

/* Of what one CPU has. */
void latency_sums_add(struct latency_sums *sums, const struct func_cell *cell);

/* What came between two readings of the same sums; min and max stay those of the later. */
void latency_sums_subtract(struct latency_sums *sums, const struct latency_sums *earlier);

/* Without samples all of it is 0. */
void latency_figures(const struct latency_sums *sums, struct latency_figures *figures);

/* The lowest value that is counted in a bucket; of FUNC_NR_BUCKETS the end of the last one. */
u64 latency_bucket_from(unsigned int bucket);

/*
 * Type 1 of Hyndman and Fan, the value of the sample at rank ⌈q × nr⌉; where in its bucket it lies is not known,
 * and taken as if all of the bucket were evenly spread. A bucket's width is at most an eighth of its values. 0 <= q <= 1.
 */
double latency_quantile(const struct latency_sums *sums, double q);

/* The histogram by powers of two. */
void latency_log2(const struct latency_sums *sums, u64 buckets[BENCH_NR_BUCKETS]);

#endif
