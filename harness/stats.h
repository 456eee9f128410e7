/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From samples to metrics: pure functions of arrays. No I/O, no globals, no units of their own
 * (what goes in as nanoseconds comes out as nanoseconds). Samples are finite, and no result is
 * ever nan or inf: what cannot be said from the samples is 0 and marked by n.
 */
#ifndef HARNESS_STATS_H
#define HARNESS_STATS_H

#include "util.h"

/* Mean and sample standard deviation (n - 1); 0 for none, stddev 0 for a single one. */
double stats_mean(const double *samples, size_t n);
double stats_stddev(const double *samples, size_t n);

/* Sorts ascending, for the functions below that want sorted samples. */
void stats_sort(double *samples, size_t n);

/*
 * Quantile q in 0..1 of ascending samples, linear between neighbours: type 7 of Hyndman and Fan,
 * "Sample Quantiles in Statistical Packages", 1996.
 */
double stats_quantile(const double *sorted, size_t n, double q);

/* Median absolute deviation from the median, not scaled, of ascending samples. */
double stats_mad(const double *sorted, size_t n);

/* Two-sided 95% quantile of Student's t with df degrees of freedom; df >= 1. */
double stats_t95(unsigned int df);

/* The distribution of one operation's cost. All in the unit of the samples, but for n. */
struct stats_cost {
	u64 n; /* samples (batches) */
	double median;
	double lo, hi; /* 95% interval of the median */
	double se; /* standard error of the median, from which lo and hi come */
	double p90, p99, min, max, mad;
	u64 nr_blocks; /* that lo and hi rest on; below 2 there is no interval: lo = hi = median */
};

/*
 * Cost from samples in the order of time. `blocks` holds the first index of each of nr_blocks
 * consecutive blocks (blocks[0] = 0, ascending; empty ones are passed over). The interval comes
 * from the spread of the block medians, since batches that are neighbours in time are not
 * independent: se = stddev(block medians) / sqrt(number of blocks), lo/hi = median -+ t * se.
 * `samples` is left as it is. -ENOMEM or 0.
 */
int stats_cost(const double *samples, size_t n, const size_t *blocks, size_t nr_blocks,
	       struct stats_cost *cost);

/*
 * 95% interval of the median of ascending samples that are independent, whatever their distribution:
 * the samples at ranks k and n + 1 - k, with the largest k for which the median is outside of them with
 * a probability of at most 5% (the sign test, turned round; David and Nagaraja, "Order Statistics",
 * 2003, 7.1). False below six samples, which are too few.
 */
bool stats_median_interval(const double *sorted, size_t n, double *lo, double *hi);

/* real - twin, with the error of both. */
struct stats_net {
	double value; /* may be negative: noise is not hidden */
	double lo, hi; /* value -+ t * sqrt(se_real^2 + se_twin^2), t for the smaller block count */
	double se;
	/*
	 * Not told apart from nothing: |value| is within three standard errors, or the error is not
	 * known because a side has fewer than two blocks.
	 */
	bool below_floor;
};

/* A side without samples makes the value 0 and below the floor. */
void stats_net(const struct stats_cost *real, const struct stats_cost *twin, struct stats_net *net);

/*
 * The value that most samples agree on, for counts that repeat exactly (ties: the smaller value),
 * and how many samples have it. All are 0 for none. -ENOMEM or 0.
 */
struct stats_mode {
	u64 value;
	u64 agreeing;
	u64 n;
};

int stats_mode(const u64 *samples, size_t n, struct stats_mode *mode);

#endif
