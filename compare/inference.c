// SPDX-License-Identifier: GPL-2.0
#include "inference.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "../harness/random.h"
#include "../harness/stats.h"

static int no_memory(size_t n)
{
	return error_set(ENOMEM, "no memory to compare %zu values", n);
}

static double *sorted_copy(const double *samples, size_t n)
{
	double *copy = calloc(n + 1, sizeof(*copy));

	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, samples, n * sizeof(*copy));
	stats_sort(copy, n);
	return copy;
}

int median_of(const double *samples, size_t n, double *median)
{
	double *sorted = sorted_copy(samples, n);

	if (!sorted)
		return no_memory(n);
	*median = stats_quantile(sorted, n, 0.5);
	free(sorted);
	return 0;
}

int middle_half_of(const double *samples, size_t n, double *lo, double *hi)
{
	double *sorted = sorted_copy(samples, n);

	if (!sorted)
		return no_memory(n);
	*lo = stats_quantile(sorted, n, 0.25);
	*hi = stats_quantile(sorted, n, 0.75);
	free(sorted);
	return 0;
}

/*
 * Both sides in one order. Ranks are doubled, so that the mean rank of samples that tie is a whole
 * number too.
 */
struct ranking {
	size_t n;
	size_t nr_fewer; /* samples of the side that has fewer */
	size_t sum; /* of its doubled ranks */
	double ties; /* sum of t^3 - t over groups of t that tie */
	size_t *doubled;
};

struct ranked {
	double value;
	bool of_fewer;
};

static int compare_ranked(const void *left, const void *right)
{
	double a = ((const struct ranked *)left)->value;
	double b = ((const struct ranked *)right)->value;

	return (a > b) - (a < b);
}

static void assign_ranks(const struct ranked *all, struct ranking *ranking)
{
	size_t end;

	for (size_t start = 0; start < ranking->n; start = end) {
		double t;

		for (end = start + 1; end < ranking->n && all[end].value == all[start].value;)
			end++;
		t = (double)(end - start);
		ranking->ties += t * t * t - t;
		for (size_t i = start; i < end; i++) {
			/* Ranks start + 1 to end, of which this is twice the mean. */
			ranking->doubled[i] = start + 1 + end;
			if (all[i].of_fewer)
				ranking->sum += ranking->doubled[i];
		}
	}
}

static int rank(const double *fewer, size_t nr_fewer, const double *more, size_t nr_more,
		struct ranking *ranking)
{
	struct ranked *all = calloc(nr_fewer + nr_more, sizeof(*all));

	*ranking = (struct ranking){ .n = nr_fewer + nr_more, .nr_fewer = nr_fewer };
	ranking->doubled = calloc(ranking->n, sizeof(*ranking->doubled));
	if (!all || !ranking->doubled) {
		free(all);
		free(ranking->doubled);
		return no_memory(ranking->n);
	}
	for (size_t i = 0; i < nr_fewer; i++)
		all[i] = (struct ranked){ fewer[i], true };
	for (size_t i = 0; i < nr_more; i++)
		all[nr_fewer + i] = (struct ranked){ more[i], false };
	qsort(all, ranking->n, sizeof(*all), compare_ranked);
	assign_ranks(all, ranking);
	free(all);
	return 0;
}

/*
 * ways[k * width + s]: in how many ways k of the ranks add up to s. One rank after the other is
 * taken or not, which is the recurrence of Mann and Whitney ("On a Test of Whether one of Two Random
 * Variables is Stochastically Larger than the Other", 1947), and holds with ties as well. Doubles
 * count exactly here: 25 of 50 is 1.3e14.
 */
static void count_ways(const struct ranking *ranking, double *ways, size_t width)
{
	ways[0] = 1;
	for (size_t i = 0; i < ranking->n; i++) {
		size_t value = ranking->doubled[i];

		for (size_t k = ranking->nr_fewer; k > 0; k--) {
			for (size_t s = value; s < width; s++)
				ways[k * width + s] += ways[(k - 1) * width + s - value];
		}
	}
}

static int exact_p(const struct ranking *ranking, double *p)
{
	/* No rank is above n, so no sum of doubled ones is above this. */
	size_t width = 2 * ranking->n * ranking->nr_fewer + 1;
	double *ways = calloc((ranking->nr_fewer + 1) * width, sizeof(*ways));
	const double *of_all;
	double below = 0, above = 0, total = 0;

	if (!ways)
		return no_memory(ranking->n);
	count_ways(ranking, ways, width);
	of_all = ways + ranking->nr_fewer * width;
	for (size_t s = 0; s < width; s++) {
		total += of_all[s];
		below += s <= ranking->sum ? of_all[s] : 0;
		above += s >= ranking->sum ? of_all[s] : 0;
	}
	free(ways);
	*p = fmin(1, 2 * fmin(below, above) / total);
	return 0;
}

/*
 * The normal approximation, corrected for continuity and for ties: Lehmann, "Nonparametrics:
 * Statistical Methods Based on Ranks", 1975, chapter 1. `distance` is that of the rank sum from
 * what is expected.
 */
static double normal_p(double nr_base, double nr_new, double ties, double distance)
{
	double n = nr_base + nr_new;
	double variance = nr_base * nr_new / 12 * (n + 1 - ties / (n * (n - 1)));

	if (!(variance > 0))
		return 1;
	return erfc(fmax(0, distance - 0.5) / sqrt(2 * variance));
}

int rank_test(const double *base, size_t nr_base, const double *new, size_t nr_new, double *p)
{
	bool base_is_fewer = nr_base <= nr_new;
	struct ranking ranking;
	double expected;
	int err;

	*p = 1;
	if (!nr_base || !nr_new)
		return 0;
	err = base_is_fewer ? rank(base, nr_base, new, nr_new, &ranking)
			    : rank(new, nr_new, base, nr_base, &ranking);
	if (err)
		return err;
	if (ranking.n <= RANK_TEST_EXACT) {
		err = exact_p(&ranking, p);
	} else {
		expected = (double)ranking.nr_fewer * ((double)ranking.n + 1) / 2;
		*p = normal_p((double)nr_base, (double)nr_new, ranking.ties,
			      fabs((double)ranking.sum / 2 - expected));
	}
	free(ranking.doubled);
	return err;
}

double rank_test_least_p(size_t nr_base, size_t nr_new)
{
	double product = (double)nr_base * (double)nr_new;
	double choices = 1;

	if (!nr_base || !nr_new)
		return 1;
	if (nr_base + nr_new > RANK_TEST_EXACT)
		return normal_p((double)nr_base, (double)nr_new, 0, product / 2);
	for (size_t i = 1; i <= nr_base; i++)
		choices = choices * (double)(nr_new + i) / (double)i;
	return fmin(1, 2 / choices);
}

size_t rank_test_rounds_for(double p)
{
	/* Where doubles have no smaller p. */
	const size_t most = 1000;
	size_t n = 1;

	while (n < most && !(rank_test_least_p(n, n) < p))
		n++;
	return n;
}

/* 0..n - 1, for n below 2^32. */
static size_t draw(size_t n, u64 *state)
{
	return (size_t)((random_u64(state) >> 32) * n >> 32);
}

/* The median of n draws from n sorted samples: how often each was drawn is enough to find it. */
static double drawn_median(const double *sorted, size_t n, size_t *times, u64 *state)
{
	size_t drawn = 0, i = 0, left;

	memset(times, 0, n * sizeof(*times));
	for (size_t k = 0; k < n; k++)
		times[draw(n, state)]++;
	while (drawn + times[i] <= (n - 1) / 2)
		drawn += times[i++];
	left = i;
	while (drawn + times[i] <= n / 2)
		drawn += times[i++];
	return (sorted[left] + sorted[i]) / 2;
}

/* What is not above nothing counts as nothing; by nothing, the ratio has no bound. */
static double bounded_ratio(double base, double new)
{
	if (!(base > 0))
		return DBL_MAX;
	return fmin(DBL_MAX, fmax(0, new) / base);
}

static void bootstrap(const double *base, size_t nr_base, const double *new, size_t nr_new,
		      size_t *times, double *ratios)
{
	u64 state = BOOTSTRAP_SEED;

	for (size_t i = 0; i < BOOTSTRAP_RESAMPLES; i++) {
		double base_median = drawn_median(base, nr_base, times, &state);

		ratios[i] = bounded_ratio(base_median, drawn_median(new, nr_new, times, &state));
	}
	stats_sort(ratios, BOOTSTRAP_RESAMPLES);
}

static int ratio_interval(const double *base, size_t nr_base, const double *new, size_t nr_new,
			  struct ratio *ratio)
{
	size_t *times = calloc(max_u64(nr_base, nr_new), sizeof(*times));
	double *ratios = calloc(BOOTSTRAP_RESAMPLES, sizeof(*ratios));
	int err = 0;

	if (times && ratios) {
		bootstrap(base, nr_base, new, nr_new, times, ratios);
		ratio->lo = ratios[(BOOTSTRAP_RESAMPLES + 1) / 40 - 1];
		ratio->hi = ratios[(BOOTSTRAP_RESAMPLES + 1) / 40 * 39 - 1];
		ratio->has_interval = ratio->hi < DBL_MAX;
	} else {
		err = no_memory(nr_base + nr_new);
	}
	free(times);
	free(ratios);
	return err;
}

int ratio_of_medians(const double *base, size_t nr_base, const double *new, size_t nr_new,
		     struct ratio *ratio)
{
	double *sorted_base = sorted_copy(base, nr_base);
	double *sorted_new = sorted_copy(new, nr_new);
	int err = 0;

	*ratio = (struct ratio){};
	if (sorted_base && sorted_new) {
		double base_median = stats_quantile(sorted_base, nr_base, 0.5);
		double new_median = stats_quantile(sorted_new, nr_new, 0.5);

		ratio->value = base_median > 0 ? new_median / base_median : 0;
		ratio->known = base_median > 0 && new_median > 0 && isfinite(ratio->value);
		if (ratio->known && nr_base >= BOOTSTRAP_ROUNDS && nr_new >= BOOTSTRAP_ROUNDS)
			err = ratio_interval(sorted_base, nr_base, sorted_new, nr_new, ratio);
	} else {
		err = no_memory(nr_base + nr_new);
	}
	free(sorted_base);
	free(sorted_new);
	return err;
}

int choose_tests(const double *least_p, size_t n, double alpha, bool *chosen)
{
	double *sorted = sorted_copy(least_p, n);
	size_t k = 1;

	if (!sorted)
		return no_memory(n);
	/* The smallest k of which no more than k tests can come below alpha / k. */
	while (k < n && sorted[k] * (double)k < alpha)
		k++;
	for (size_t i = 0; i < n; i++)
		chosen[i] = least_p[i] * (double)k < alpha;
	free(sorted);
	return 0;
}

struct placed {
	double p;
	size_t place;
};

static int compare_placed(const void *left, const void *right)
{
	double a = ((const struct placed *)left)->p;
	double b = ((const struct placed *)right)->p;

	return (a > b) - (a < b);
}

int correct_by_holm(double *p, size_t n)
{
	struct placed *order = calloc(n + 1, sizeof(*order));
	double largest = 0;

	if (!order)
		return no_memory(n);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct placed){ p[i], i };
	qsort(order, n, sizeof(*order), compare_placed);
	for (size_t i = 0; i < n; i++) {
		largest = fmax(largest, fmin(1, order[i].p * (double)(n - i)));
		p[order[i].place] = largest;
	}
	free(order);
	return 0;
}
