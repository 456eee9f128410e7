// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics against answers that were not computed by them: by hand, from textbooks and from
 * published tables, cited where they stand.
 */
#include "../../harness/stats.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numbers.h"

#define EXACT 1e-12

/* Hand-made: mean 5, squared deviations 9 1 1 1 0 0 4 16 = 32, of which 32 / 7 is the variance. */
static const double EIGHT[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

static void mean_and_stddev(void **state)
{
	(void)state;
	assert_near(stats_mean(EIGHT, 8), 5, EXACT);
	assert_near(stats_stddev(EIGHT, 8), 2.138089935299395, EXACT);
}

static void mean_and_stddev_of_few(void **state)
{
	static const double two[] = { 1, 4 };

	(void)state;
	assert_near(stats_mean(NULL, 0), 0, 0);
	assert_near(stats_stddev(NULL, 0), 0, 0);
	assert_near(stats_mean(two + 1, 1), 4, 0);
	assert_near(stats_stddev(two + 1, 1), 0, 0);
	assert_near(stats_mean(two, 2), 2.5, EXACT);
	assert_near(stats_stddev(two, 2), 2.1213203435596424, EXACT); /* 3 / sqrt(2) */
}

/*
 * NIST Statistical Reference Datasets, univariate, NumAcc4: 10000000.2 and then 10000000.1 and
 * 10000000.3 in turns, 1001 values; certified mean 10000000.2, certified deviation 0.1. A sum of
 * squares less the square of the sum has no digit of it right.
 */
static void stddev_of_large_numbers_close_together(void **state)
{
	double samples[1001];

	(void)state;
	samples[0] = 10000000.2;
	for (size_t i = 1; i < ARRAY_SIZE(samples); i++)
		samples[i] = i % 2 ? 10000000.1 : 10000000.3;
	assert_near(stats_mean(samples, ARRAY_SIZE(samples)), 10000000.2, 1e-6);
	assert_near(stats_stddev(samples, ARRAY_SIZE(samples)), 0.1, 1e-7);
}

static void sort_orders_any_input(void **state)
{
	double samples[] = { 3, -1, 2.5, 2.25, 3, 0, -DBL_MAX, DBL_MAX };
	static const double sorted[] = { -DBL_MAX, -1, 0, 2.25, 2.5, 3, 3, DBL_MAX };

	(void)state;
	stats_sort(samples, ARRAY_SIZE(samples));
	assert_memory_equal(samples, sorted, sizeof(sorted));
	stats_sort(NULL, 0);
}

/*
 * Type 7 of five values has its knots at 0, 1/4, 1/2, 3/4 and 1. R's quantile(c(1, 2, 4, 8, 16),
 * 0.9) is 12.8: position 3.6, so 8 + 0.6 * 8.
 */
static void quantile_is_type_7(void **state)
{
	static const double sorted[] = { 1, 2, 4, 8, 16 };

	(void)state;
	assert_near(stats_quantile(sorted, 5, 0), 1, 0);
	assert_near(stats_quantile(sorted, 5, 0.25), 2, EXACT);
	assert_near(stats_quantile(sorted, 5, 0.375), 3, EXACT);
	assert_near(stats_quantile(sorted, 5, 0.5), 4, EXACT);
	assert_near(stats_quantile(sorted, 5, 0.9), 12.8, EXACT);
	assert_near(stats_quantile(sorted, 5, 1), 16, 0);
	assert_near(stats_quantile(sorted, 4, 0.5), 3, EXACT);
}

static void quantile_of_few_and_outside(void **state)
{
	static const double sorted[] = { 10, 20 };

	(void)state;
	assert_near(stats_quantile(NULL, 0, 0.5), 0, 0);
	assert_near(stats_quantile(sorted, 1, 0.99), 10, 0);
	assert_near(stats_quantile(sorted, 2, 0.5), 15, EXACT);
	assert_near(stats_quantile(sorted, 2, -1), 10, 0);
	assert_near(stats_quantile(sorted, 2, 2), 20, 0);
	assert_near(stats_quantile(sorted, 2, (double)NAN), 10, 0);
}

/* Every percentile of 0..100 is its own number: no position is rounded to a neighbour. */
static void quantile_hits_every_percentile(void **state)
{
	double sorted[101];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		sorted[i] = (double)i;
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		assert_near(stats_quantile(sorted, 101, (double)i / 100), (double)i, 1e-10);
}

/* The textbook case: 1 1 2 2 4 6 9 has median 2 and deviations 1 1 0 0 2 4 7, median 1. */
static void mad_known_answers(void **state)
{
	static const double seven[] = { 1, 1, 2, 2, 4, 6, 9 };
	static const double four[] = { 1, 2, 4, 8 }; /* median 3; 1 1 2 5 */
	static const double right[] = { 0, 0, 0, 1, 2, 3 }; /* median 0.5; .5 .5 .5 .5 1.5 2.5 */
	static const double left[] = { -9, -6, -4, -2, -2, -1, -1 };

	(void)state;
	assert_near(stats_mad(seven, 7), 1, EXACT);
	assert_near(stats_mad(four, 4), 1.5, EXACT);
	assert_near(stats_mad(right, 6), 0.5, EXACT);
	assert_near(stats_mad(left, 7), 1, EXACT);
}

static void mad_of_few_and_equals(void **state)
{
	static const double two[] = { 1, 4 };
	static const double equal[] = { 7, 7, 7, 7, 7 };
	static const double outlier[] = { 7, 7, 7, 7, 1e9 };

	(void)state;
	assert_near(stats_mad(NULL, 0), 0, 0);
	assert_near(stats_mad(two, 1), 0, 0);
	assert_near(stats_mad(two, 2), 1.5, EXACT);
	assert_near(stats_mad(equal, 5), 0, 0);
	assert_near(stats_mad(outlier, 5), 0, 0);
}

/* The definition, word by word: sort the distances, take the middle. */
static double mad_by_definition(const double *sorted, size_t n)
{
	double *distances = calloc(n, sizeof(*distances));
	double mad;

	assert_non_null(distances);
	for (size_t i = 0; i < n; i++)
		distances[i] = fabs(sorted[i] - stats_quantile(sorted, n, 0.5));
	stats_sort(distances, n);
	mad = stats_quantile(distances, n, 0.5);
	free(distances);
	return mad;
}

static void mad_agrees_with_its_definition(void **state)
{
	double samples[64];
	u64 seed = 42;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t n = 1 + scramble(&seed, ARRAY_SIZE(samples));
		u64 range = 1 + scramble(&seed, 20); /* few values: many ties */

		for (size_t i = 0; i < n; i++)
			samples[i] = (double)scramble(&seed, range);
		stats_sort(samples, n);
		assert_near(stats_mad(samples, n), mad_by_definition(samples, n), EXACT);
	}
}

/*
 * Upper 0.025 points, as printed in NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2
 * "Critical Values of the Student's-t Distribution".
 */
static void t95_agrees_with_published_table(void **state)
{
	static const double published[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201,	2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080,	2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};

	(void)state;
	for (unsigned int df = 1; df <= ARRAY_SIZE(published); df++)
		assert_near(stats_t95(df), published[df - 1], 0.00051);
	assert_near(stats_t95(40), 2.021, 0.00051);
	assert_near(stats_t95(60), 2.000, 0.00051);
	assert_near(stats_t95(100), 1.984, 0.00051);
}

/*
 * Where the series takes over from the table, closer than printed tables go: roots of the
 * regularised incomplete beta function I(df / (df + t^2); df / 2, 1 / 2) = 0.05, with 25 digits.
 */
static void t95_series_is_close_from_its_start(void **state)
{
	(void)state;
	assert_near(stats_t95(9), 2.2621571628, 1e-9);
	assert_near(stats_t95(10), 2.22813885199, 1e-5);
	assert_near(stats_t95(11), 2.20098516009, 6e-6);
	assert_near(stats_t95(15), 2.13144954556, 2e-6);
	assert_near(stats_t95(20), 2.08596344727, 4e-7);
	assert_near(stats_t95(120), 1.97993040508, 1e-9);
}

static void t95_falls_to_the_normal_quantile(void **state)
{
	(void)state;
	for (unsigned int df = 1; df < 2000; df++)
		assert_true(stats_t95(df + 1) < stats_t95(df));
	assert_near(stats_t95(UINT32_MAX), 1.959963985, 1e-8);
	assert_near(stats_t95(0), 12.706, 0.001); /* nothing wider is known: not a crash */
}

static void assert_all_finite(const struct stats_cost *cost)
{
	const double values[] = {
		cost->median, cost->lo,	 cost->hi,  cost->se,  cost->p90,
		cost->p99,    cost->min, cost->max, cost->mad,
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_true(isfinite(values[i]));
}

/*
 * Three blocks with medians 10, 20 and 60: mean 30, deviations -20 -10 30, stddev sqrt(700),
 * se = sqrt(700 / 3) = 15.2753; t for 2 degrees of freedom 4.30265, so 65.7241 to each side of
 * the median of all nine, 20.
 */
static const double NINE[] = { 11, 9, 10, 30, 20, 1, 60, 61, 59 };
static const size_t THREES[] = { 0, 3, 6 };

static void cost_of_three_blocks(void **state)
{
	struct stats_cost cost;

	(void)state;
	assert_int_equal(stats_cost(NINE, 9, THREES, 3, &cost), 0);
	assert_int_equal(cost.n, 9);
	assert_int_equal(cost.nr_blocks, 3);
	assert_near(cost.median, 20, EXACT);
	assert_near(cost.se, 15.275252316519467, 1e-9);
	assert_near(cost.lo, 20 - 65.72410, 1e-4);
	assert_near(cost.hi, 20 + 65.72410, 1e-4);
	assert_near(cost.p90, 60.2, EXACT); /* position 7.2 of 1 9 10 11 20 30 59 60 61 */
	assert_near(cost.p99, 60.92, 1e-9);
	assert_near(cost.min, 1, 0);
	assert_near(cost.max, 61, 0);
	assert_near(cost.mad, 11, EXACT); /* 0 9 10 10 11 19 39 40 41 */
}

static void cost_leaves_samples_as_they_are(void **state)
{
	double samples[9];
	struct stats_cost cost;

	(void)state;
	memcpy(samples, NINE, sizeof(samples));
	assert_int_equal(stats_cost(samples, 9, THREES, 3, &cost), 0);
	assert_memory_equal(samples, NINE, sizeof(samples));
}

static void cost_passes_over_empty_blocks(void **state)
{
	static const size_t with_empty[] = { 0, 0, 3, 3, 3, 6, 9, 9 };
	struct stats_cost cost, plain;

	(void)state;
	assert_int_equal(stats_cost(NINE, 9, with_empty, ARRAY_SIZE(with_empty), &cost), 0);
	assert_int_equal(stats_cost(NINE, 9, THREES, 3, &plain), 0);
	assert_memory_equal(&cost, &plain, sizeof(cost));
}

static void cost_without_blocks_has_no_interval(void **state)
{
	static const size_t one[] = { 0 };
	static const size_t only_one_filled[] = { 0, 9, 9 };
	struct stats_cost cost;

	(void)state;
	for (int i = 0; i < 3; i++) {
		const size_t *blocks = i == 2 ? only_one_filled : one;
		size_t nr_blocks = i == 0 ? 0 : i == 1 ? 1 : 3;

		assert_int_equal(stats_cost(NINE, 9, blocks, nr_blocks, &cost), 0);
		assert_int_equal(cost.nr_blocks, nr_blocks ? 1 : 0);
		assert_near(cost.median, 20, EXACT);
		assert_near(cost.lo, 20, EXACT);
		assert_near(cost.hi, 20, EXACT);
		assert_near(cost.se, 0, 0);
		assert_near(cost.max, 61, 0);
	}
}

static void cost_of_none_one_two(void **state)
{
	static const double two[] = { 4, 8 };
	static const size_t blocks[] = { 0, 1 };
	static const struct stats_cost nothing;
	struct stats_cost cost;

	(void)state;
	assert_int_equal(stats_cost(NULL, 0, NULL, 0, &cost), 0);
	assert_memory_equal(&cost, &nothing, sizeof(cost));

	assert_int_equal(stats_cost(two, 1, blocks, 1, &cost), 0);
	assert_int_equal(cost.n, 1);
	assert_near(cost.median, 4, 0);
	assert_near(cost.p99, 4, 0);
	assert_near(cost.mad, 0, 0);
	assert_all_finite(&cost);

	/* stddev(4, 8) / sqrt(2) = 2, and t for one degree of freedom is 12.7062. */
	assert_int_equal(stats_cost(two, 2, blocks, 2, &cost), 0);
	assert_near(cost.median, 6, EXACT);
	assert_near(cost.se, 2, EXACT);
	assert_near(cost.hi, 6 + 25.4124094724, 1e-6);
	assert_all_finite(&cost);
}

static void cost_of_equals_is_exact(void **state)
{
	double samples[100];
	static const size_t blocks[] = { 0, 25, 50, 75 };
	struct stats_cost cost;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 0.1;
	assert_int_equal(stats_cost(samples, ARRAY_SIZE(samples), blocks, 4, &cost), 0);
	assert_true(cost.median == 0.1 && cost.min == 0.1 && cost.max == 0.1 && cost.p99 == 0.1);
	assert_near(cost.mad, 0, 0);
	assert_near(cost.se, 0, 1e-15);
	assert_all_finite(&cost);
}

/*
 * Neighbours that agree with each other but not with the next block: an error from single samples
 * would be 40 times too small.
 */
static void cost_error_counts_blocks_not_samples(void **state)
{
	double samples[4000];
	static const size_t blocks[] = { 0, 1000, 2000, 3000 };
	struct stats_cost cost;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = 100 + (double)(i / 1000); /* block medians 100 101 102 103 */
	assert_int_equal(stats_cost(samples, ARRAY_SIZE(samples), blocks, 4, &cost), 0);
	assert_near(cost.se, 0.6454972243679028, 1e-9); /* sqrt(5 / 3) / 2 */
}

static struct stats_cost side(double median, double se, u64 nr_blocks)
{
	return (struct stats_cost){ .n = 100, .median = median, .se = se, .nr_blocks = nr_blocks };
}

/* Errors 3 and 4 make 5. Five and eleven blocks: t for 4 degrees of freedom, 2.77645. */
static void net_carries_both_errors(void **state)
{
	struct stats_cost real = side(130, 3, 11);
	struct stats_cost twin = side(30, 4, 5);
	struct stats_net net;

	(void)state;
	stats_net(&real, &twin, &net);
	assert_near(net.value, 100, EXACT);
	assert_near(net.se, 5, EXACT);
	assert_near(net.lo, 100 - 13.882226, 1e-5);
	assert_near(net.hi, 100 + 13.882226, 1e-5);
	assert_false(net.below_floor);

	stats_net(&twin, &real, &net);
	assert_near(net.value, -100, EXACT);
	assert_near(net.lo, -100 - 13.882226, 1e-5);
	assert_false(net.below_floor);
}

static bool below_floor(double real, double twin, double se, u64 nr_blocks)
{
	struct stats_cost real_side = side(real, se, nr_blocks);
	struct stats_cost twin_side = side(twin, 0, nr_blocks);
	struct stats_net net;

	stats_net(&real_side, &twin_side, &net);
	return net.below_floor;
}

static void net_below_floor_within_three_errors(void **state)
{
	(void)state;
	assert_true(below_floor(32.9, 30, 1, 10));
	assert_true(below_floor(27.1, 30, 1, 10));
	assert_false(below_floor(33.1, 30, 1, 10));
	assert_false(below_floor(26.9, 30, 1, 10));
}

static void net_below_floor_when_nothing_or_unknown(void **state)
{
	(void)state;
	assert_true(below_floor(30, 30, 0, 10)); /* exactly nothing */
	assert_false(below_floor(31, 30, 0, 10)); /* exact counts: one is one */
	assert_true(below_floor(1000, 30, 0, 1)); /* no error is known */
	assert_true(below_floor(1000, 30, 0, 0));
}

static void net_needs_both_sides(void **state)
{
	static const struct stats_cost nothing;
	struct stats_cost real = side(130, 3, 11);
	struct stats_net net;

	(void)state;
	stats_net(&real, &nothing, &net);
	assert_near(net.value, 0, 0);
	assert_near(net.hi, 0, 0);
	assert_true(net.below_floor);
}

static void net_without_interval_is_a_point(void **state)
{
	struct stats_cost real = side(130, 3, 11);
	struct stats_cost twin = side(30, 0, 1);
	struct stats_net net;

	(void)state;
	stats_net(&real, &twin, &net);
	assert_near(net.value, 100, EXACT);
	assert_near(net.lo, 100, EXACT);
	assert_near(net.hi, 100, EXACT);
	assert_near(net.se, 0, 0);
}

static void mode_of_counts(void **state)
{
	static const u64 samples[] = { 9, 2, 5, 9, 2, 9, UINT64_MAX };
	static const u64 ties[] = { 8, 3, 8, 5, 3, 5 };
	struct stats_mode mode;

	(void)state;
	assert_int_equal(stats_mode(samples, 7, &mode), 0);
	assert_int_equal(mode.value, 9);
	assert_int_equal(mode.agreeing, 3);
	assert_int_equal(mode.n, 7);

	assert_int_equal(stats_mode(ties, 6, &mode), 0);
	assert_int_equal(mode.value, 3);
	assert_int_equal(mode.agreeing, 2);
}

static void mode_of_few(void **state)
{
	static const u64 samples[] = { UINT64_MAX, UINT64_MAX - 1 };
	struct stats_mode mode;

	(void)state;
	assert_int_equal(stats_mode(NULL, 0, &mode), 0);
	assert_int_equal(mode.agreeing, 0);
	assert_int_equal(stats_mode(samples, 1, &mode), 0);
	assert_true(mode.value == UINT64_MAX && mode.agreeing == 1);
	assert_int_equal(stats_mode(samples, 2, &mode), 0);
	assert_true(mode.value == UINT64_MAX - 1 && mode.agreeing == 1 && mode.n == 2);
}

/* Ranks from tables of the sign test: how far from the ends 95% of all medians are. */
static void test_median_interval(void **state)
{
	static const struct {
		size_t n, rank;
	} known[] = { { 6, 1 },	 { 8, 1 },   { 9, 2 },	 { 11, 2 },   { 12, 3 },    { 15, 4 },
		      { 20, 6 }, { 30, 10 }, { 50, 18 }, { 100, 40 }, { 2000, 956 } };
	double *samples = calloc(2000, sizeof(*samples)), lo, hi;

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		samples[i] = (double)i;
	for (size_t n = 0; n < 6; n++)
		assert_false(stats_median_interval(samples, n, &lo, &hi));
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		assert_true(stats_median_interval(samples, known[i].n, &lo, &hi));
		assert_true(lo == samples[known[i].rank - 1]);
		assert_true(hi == samples[known[i].n - known[i].rank]);
	}
	free(samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_interval),
		cmocka_unit_test(mean_and_stddev),
		cmocka_unit_test(mean_and_stddev_of_few),
		cmocka_unit_test(stddev_of_large_numbers_close_together),
		cmocka_unit_test(sort_orders_any_input),
		cmocka_unit_test(quantile_is_type_7),
		cmocka_unit_test(quantile_of_few_and_outside),
		cmocka_unit_test(quantile_hits_every_percentile),
		cmocka_unit_test(mad_known_answers),
		cmocka_unit_test(mad_of_few_and_equals),
		cmocka_unit_test(mad_agrees_with_its_definition),
		cmocka_unit_test(t95_agrees_with_published_table),
		cmocka_unit_test(t95_series_is_close_from_its_start),
		cmocka_unit_test(t95_falls_to_the_normal_quantile),
		cmocka_unit_test(cost_of_three_blocks),
		cmocka_unit_test(cost_leaves_samples_as_they_are),
		cmocka_unit_test(cost_passes_over_empty_blocks),
		cmocka_unit_test(cost_without_blocks_has_no_interval),
		cmocka_unit_test(cost_of_none_one_two),
		cmocka_unit_test(cost_of_equals_is_exact),
		cmocka_unit_test(cost_error_counts_blocks_not_samples),
		cmocka_unit_test(net_carries_both_errors),
		cmocka_unit_test(net_below_floor_within_three_errors),
		cmocka_unit_test(net_below_floor_when_nothing_or_unknown),
		cmocka_unit_test(net_needs_both_sides),
		cmocka_unit_test(net_without_interval_is_a_point),
		cmocka_unit_test(mode_of_counts),
		cmocka_unit_test(mode_of_few),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
