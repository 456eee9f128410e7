// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

double stats_mean(const double *samples, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += samples[i];
	return n ? sum / (double)n : 0;
}

/* In two passes: sums of squares cancel where the mean is large against the spread. */
double stats_stddev(const double *samples, size_t n)
{
	double mean = stats_mean(samples, n);
	double squares = 0;

	if (n < 2)
		return 0;

	for (size_t i = 0; i < n; i++)
		squares += (samples[i] - mean) * (samples[i] - mean);
	return sqrt(squares / (double)(n - 1));
}

static int compare_double(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

void stats_sort(double *samples, size_t n)
{
	if (n)
		qsort(samples, n, sizeof(*samples), compare_double);
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	double position;
	size_t below;

	if (!n)
		return 0;
	if (!(q > 0))
		return sorted[0];
	if (q >= 1)
		return sorted[n - 1];

	position = q * (double)(n - 1);
	below = (size_t)position;
	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/*
 * Away from the median in both directions the distances only grow, so that walking outwards and
 * always taking the nearer side meets them in order: the middle one is found without a second
 * array and without sorting.
 */
double stats_mad(const double *sorted, size_t n)
{
	double median = stats_quantile(sorted, n, 0.5);
	double before = 0, distance = 0;
	size_t left = n / 2, right = left; /* not yet taken: [0, left) and [right, n) */

	if (!n)
		return 0;

	for (size_t i = 0; i <= n / 2; i++) {
		before = distance;
		if (right == n || (left && median - sorted[left - 1] < sorted[right] - median))
			distance = median - sorted[--left];
		else
			distance = sorted[right++] - median;
	}
	return n % 2 ? distance : (before + distance) / 2;
}

/*
 * Fewer than k of n samples are below the median with the probability sum(C(n, i), i < k) / 2^n. The
 * terms are kept as logarithms: 2^n is beyond a double for n above 1023.
 */
bool stats_median_interval(const double *sorted, size_t n, double *lo, double *hi)
{
	double log_term = -(double)n * M_LN2, outside = 0;
	size_t k = 0;

	for (;;) {
		outside += exp(log_term);
		if (2 * outside > 0.05 || 2 * k >= n)
			break;
		k++;
		log_term += log((double)(n - k + 1) / (double)k);
	}
	if (!k)
		return false;
	*lo = sorted[k - 1];
	*hi = sorted[n - k];
	return true;
}

/*
 * Exact values where there are few degrees of freedom; above, the series of Abramowitz and Stegun,
 * "Handbook of Mathematical Functions", 26.7.5, at the normal quantile 1.959964. Its error is
 * below 1e-5 from ten degrees of freedom on.
 */
double stats_t95(unsigned int df)
{
	static const double few[] = {
		12.7062047362, 4.30265272975, 3.18244630528, 2.7764451052, 2.57058183564,
		2.44691185114, 2.36462425159, 2.3060041352,  2.2621571628,
	};
	double x;

	if (df < 1)
		df = 1;
	if (df <= ARRAY_SIZE(few))
		return few[df - 1];

	x = 1.0 / df;
	return 1.95996398454 +
	       x * (2.3722712303 + x * (2.82249861574 + x * (2.55584967951 + x * 1.58953405339)));
}

/*
 * The standard error of the median, from how far the medians of blocks of neighbours lie apart.
 * Sorts each block of `samples` in place.
 */
static int block_error(double *samples, size_t n, const size_t *blocks, size_t nr_blocks,
		       struct stats_cost *cost)
{
	double *medians = calloc(nr_blocks + 1, sizeof(*medians));
	size_t used = 0;

	if (!medians)
		return error_set(ENOMEM, "no memory for the medians of %zu blocks", nr_blocks);

	for (size_t i = 0; i < nr_blocks; i++) {
		size_t end = i + 1 < nr_blocks ? blocks[i + 1] : n;

		if (blocks[i] >= end)
			continue;
		stats_sort(samples + blocks[i], end - blocks[i]);
		medians[used++] = stats_quantile(samples + blocks[i], end - blocks[i], 0.5);
	}

	cost->nr_blocks = used;
	if (used >= 2)
		cost->se = stats_stddev(medians, used) / sqrt((double)used);
	free(medians);
	return 0;
}

/* How far the 95% interval reaches to each side. */
static double half_width(double se, u64 nr_blocks)
{
	return nr_blocks < 2 ? 0 : stats_t95((unsigned int)nr_blocks - 1) * se;
}

static void describe(const double *sorted, size_t n, struct stats_cost *cost)
{
	cost->n = n;
	cost->median = stats_quantile(sorted, n, 0.5);
	cost->lo = cost->median - half_width(cost->se, cost->nr_blocks);
	cost->hi = cost->median + half_width(cost->se, cost->nr_blocks);
	cost->p90 = stats_quantile(sorted, n, 0.90);
	cost->p99 = stats_quantile(sorted, n, 0.99);
	cost->min = sorted[0];
	cost->max = sorted[n - 1];
	cost->mad = stats_mad(sorted, n);
}

int stats_cost(const double *samples, size_t n, const size_t *blocks, size_t nr_blocks,
	       struct stats_cost *cost)
{
	double *scratch;
	int err;

	memset(cost, 0, sizeof(*cost));
	if (!n)
		return 0;

	scratch = malloc(n * sizeof(*scratch));
	if (!scratch)
		return error_set(ENOMEM, "no memory to sort %zu samples", n);
	memcpy(scratch, samples, n * sizeof(*scratch));

	err = block_error(scratch, n, blocks, nr_blocks, cost);
	if (!err) {
		stats_sort(scratch, n);
		describe(scratch, n, cost);
	}
	free(scratch);
	return err;
}

void stats_net(const struct stats_cost *real, const struct stats_cost *twin, struct stats_net *net)
{
	u64 nr_blocks = min_u64(real->nr_blocks, twin->nr_blocks);
	double reach;

	*net = (struct stats_net){ .below_floor = true };
	if (!real->n || !twin->n)
		return;

	net->value = real->median - twin->median;
	net->se = nr_blocks < 2 ? 0 : hypot(real->se, twin->se);
	reach = half_width(net->se, nr_blocks);
	net->lo = net->value - reach;
	net->hi = net->value + reach;
	net->below_floor = nr_blocks < 2 || fabs(net->value) <= 3 * net->se;
}

static int compare_u64(const void *left, const void *right)
{
	u64 a = *(const u64 *)left;
	u64 b = *(const u64 *)right;

	return (a > b) - (a < b);
}

/* The longest run of equals; the first of several, which is the smallest value. */
static void longest_run(const u64 *sorted, size_t n, struct stats_mode *mode)
{
	u64 run = 0;

	for (size_t i = 0; i < n; i++) {
		run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		if (run > mode->agreeing) {
			mode->agreeing = run;
			mode->value = sorted[i];
		}
	}
}

int stats_mode(const u64 *samples, size_t n, struct stats_mode *mode)
{
	u64 *sorted;

	*mode = (struct stats_mode){ .n = n };
	if (!n)
		return 0;

	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return error_set(ENOMEM, "no memory to sort %zu samples", n);
	memcpy(sorted, samples, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_u64);
	longest_run(sorted, n, mode);
	free(sorted);
	return 0;
}
