// SPDX-License-Identifier: GPL-2.0
#include "latency_stats.h"

#include <math.h>
#include <string.h>

void latency_sums_init(struct latency_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	sums->min_ns = UINT64_MAX;
}

void latency_sums_add(struct latency_sums *sums, const struct func_cell *cell)
{
	sums->total_ns += cell->total_ns;
	sums->square_low += cell->square_low;
	sums->square_high += cell->square_high + (sums->square_low < cell->square_low);
	sums->min_ns = min_u64(sums->min_ns, ~cell->min_inverted);
	sums->max_ns = max_u64(sums->max_ns, cell->max_ns);
	for (unsigned int i = 0; i < FUNC_NR_BUCKETS; i++)
		sums->buckets[i] += cell->buckets[i];
}

void latency_sums_subtract(struct latency_sums *sums, const struct latency_sums *earlier)
{
	sums->total_ns -= earlier->total_ns;
	sums->square_high -= earlier->square_high + (sums->square_low < earlier->square_low);
	sums->square_low -= earlier->square_low;
	for (unsigned int i = 0; i < FUNC_NR_BUCKETS; i++)
		sums->buckets[i] -= earlier->buckets[i];
}

u64 latency_bucket_from(unsigned int bucket)
{
	unsigned int shift = bucket / FUNC_PARTS;

	if (!shift)
		return bucket;
	return (u64)(FUNC_PARTS + bucket % FUNC_PARTS) << (shift - 1);
}

static u64 count(const struct latency_sums *sums)
{
	u64 nr = 0;

	for (unsigned int i = 0; i < FUNC_NR_BUCKETS; i++)
		nr += sums->buckets[i];
	return nr;
}

double latency_quantile(const struct latency_sums *sums, double q)
{
	u64 nr = count(sums), before = 0;
	u64 rank = (u64)fmin(fmax(ceil(q * (double)nr), 1), (double)nr);
	unsigned int i = 0;
	double from, to, value;

	if (!nr)
		return 0;
	while (before + sums->buckets[i] < rank)
		before += sums->buckets[i++];
	from = (double)latency_bucket_from(i);
	/* Whole numbers: a bucket's last value is one below the next bucket's first. */
	to = (double)latency_bucket_from(i + 1) - 1;
	value = from + (to - from) * ((double)(rank - before) - 0.5) / (double)sums->buckets[i];
	return fmin(fmax(value, (double)sums->min_ns), (double)sums->max_ns);
}

/* In more than a double's digits: two large numbers that are nearly the same are subtracted. */
static double stddev(const struct latency_sums *sums, u64 nr)
{
	long double squares = ldexpl(sums->square_high, 64) + (long double)sums->square_low;
	long double total = (long double)sums->total_ns;
	long double left = squares - total / nr * total;

	return nr > 1 && left > 0 ? (double)sqrtl(left / (nr - 1)) : 0;
}

void latency_figures(const struct latency_sums *sums, struct latency_figures *figures)
{
	u64 nr = count(sums);

	memset(figures, 0, sizeof(*figures));
	if (!nr)
		return;
	figures->nr = nr;
	figures->total = (double)sums->total_ns;
	figures->avg = (double)sums->total_ns / (double)nr;
	figures->stddev = stddev(sums, nr);
	figures->min = (double)sums->min_ns;
	figures->p50 = latency_quantile(sums, 0.5);
	figures->p90 = latency_quantile(sums, 0.9);
	figures->p99 = latency_quantile(sums, 0.99);
	figures->max = (double)sums->max_ns;
}

void latency_log2(const struct latency_sums *sums, u64 buckets[BENCH_NR_BUCKETS])
{
	memset(buckets, 0, BENCH_NR_BUCKETS * sizeof(*buckets));
	for (unsigned int i = 0; i < FUNC_NR_BUCKETS; i++) {
		u64 from = latency_bucket_from(i);

		buckets[from ? 63 - __builtin_clzll(from) : 0] += sums->buckets[i];
	}
}
