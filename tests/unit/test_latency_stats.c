// SPDX-License-Identifier: GPL-2.0
/* Buckets, quantiles and spread of latencies, against values worked out from the samples themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "benchs/latency_stats.h"

static void add(struct func_cell *cell, u64 value)
{
	unsigned __int128 squares =
		((unsigned __int128)cell->square_high << 64 | cell->square_low) +
		(unsigned __int128)value * value;

	cell->square_high = (u64)(squares >> 64);
	cell->square_low = (u64)squares;
	cell->total_ns += value;
	if (value > cell->max_ns)
		cell->max_ns = value;
	if (~value > cell->min_inverted)
		cell->min_inverted = ~value;
	cell->buckets[func_bucket_of(value)]++;
}

static void sums_of(const u64 *values, size_t n, struct latency_sums *sums)
{
	struct func_cell cell = {};

	for (size_t i = 0; i < n; i++)
		add(&cell, values[i]);
	latency_sums_init(sums);
	latency_sums_add(sums, &cell);
}

static void test_buckets_follow_each_other_without_a_gap(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < FUNC_NR_BUCKETS; i++) {
		u64 from = latency_bucket_from(i), to = latency_bucket_from(i + 1);

		assert_true(from < to);
		/* The width that is promised. */
		assert_true(to - from == 1 || (to - from) * FUNC_PARTS <= from);
	}
	assert_int_equal(latency_bucket_from(0), 0);
	assert_int_equal(latency_bucket_from(7), 7);
	assert_int_equal(latency_bucket_from(8), 8);
	assert_int_equal(latency_bucket_from(16), 16);
	assert_int_equal(latency_bucket_from(17), 18);
	assert_int_equal(latency_bucket_from(FUNC_NR_BUCKETS), 1ULL << (FUNC_TOP_BIT + 1));
}

static void test_a_value_is_counted_where_it_belongs(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < FUNC_NR_BUCKETS; i++) {
		u64 from = latency_bucket_from(i), to = latency_bucket_from(i + 1);

		assert_int_equal(func_bucket_of(from), i);
		assert_int_equal(func_bucket_of((from + to) / 2), i);
		assert_int_equal(func_bucket_of(to - 1), i);
	}
	assert_int_equal(func_bucket_of(1ULL << (FUNC_TOP_BIT + 1)), FUNC_NR_BUCKETS - 1);
	assert_int_equal(func_bucket_of(UINT64_MAX), FUNC_NR_BUCKETS - 1);
}

static void test_nothing(void **state)
{
	struct latency_figures figures;
	struct latency_sums sums;

	(void)state;
	latency_sums_init(&sums);
	latency_figures(&sums, &figures);
	assert_int_equal(figures.nr, 0);
	assert_true(figures.avg == 0 && figures.stddev == 0 && figures.p99 == 0 &&
		    figures.max == 0);
	assert_true(latency_quantile(&sums, 0.5) == 0);
}

static void test_one_sample_is_all_of_its_quantiles(void **state)
{
	static const u64 values[] = { 0, 1, 7, 8, 1000, 123456789, 1ULL << 47 };
	struct latency_figures figures;
	struct latency_sums sums;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		double value = (double)values[i];

		sums_of(&values[i], 1, &sums);
		latency_figures(&sums, &figures);
		assert_int_equal(figures.nr, 1);
		assert_true(figures.avg == value && figures.min == value && figures.max == value);
		assert_true(figures.p50 == value && figures.p90 == value && figures.p99 == value);
		assert_true(figures.stddev == 0);
	}
}

static int by_value(const void *a, const void *b)
{
	const u64 *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void test_quantiles_are_off_by_an_eighth_at_most(void **state)
{
	static const double quantiles[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 1 };
	enum {
		NR = 5000
	};
	static u64 values[NR];
	struct latency_sums sums;

	(void)state;
	srand(7);
	for (int spread = 1; spread <= 40; spread++) {
		for (size_t i = 0; i < NR; i++)
			values[i] = (u64)rand() * (u64)rand() % (1ULL << spread);
		sums_of(values, NR, &sums);
		qsort(values, NR, sizeof(*values), by_value);
		for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
			double rank = fmax(ceil(quantiles[i] * NR), 1);
			double right = (double)values[(size_t)rank - 1];
			double got = latency_quantile(&sums, quantiles[i]);

			assert_true(fabs(got - right) <= right / FUNC_PARTS);
		}
		assert_true(latency_quantile(&sums, 1) <= (double)values[NR - 1]);
	}
}

static void test_spread_is_that_of_the_samples(void **state)
{
	static const u64 values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct latency_figures figures;
	struct latency_sums sums;

	(void)state;
	sums_of(values, ARRAY_SIZE(values), &sums);
	latency_figures(&sums, &figures);
	assert_true(figures.total == 40 && figures.avg == 5);
	assert_true(fabs(figures.stddev - sqrt(32.0 / 7)) < 1e-12);
}

/* Squares beyond 64 bits, and a spread that is small against the mean. */
static void test_spread_of_long_calls(void **state)
{
	const u64 hour = 3600ULL * 1000000000;
	const u64 values[] = { hour - 1000, hour + 1000, hour - 1000, hour + 1000 };
	struct latency_figures figures;
	struct latency_sums sums;

	(void)state;
	sums_of(values, ARRAY_SIZE(values), &sums);
	assert_true(sums.square_high > 0);
	latency_figures(&sums, &figures);
	assert_true(fabs(figures.stddev - 1000 * sqrt(4.0 / 3)) < 50);
}

static void test_cpus_add_up(void **state)
{
	struct func_cell one = {}, two = {}, none = {};
	struct latency_figures figures;
	struct latency_sums sums;

	(void)state;
	add(&one, UINT32_MAX);
	add(&one, 1ULL << 40);
	add(&two, 3);
	add(&two, (1ULL << 40) + 5);
	latency_sums_init(&sums);
	latency_sums_add(&sums, &one);
	latency_sums_add(&sums, &two);
	latency_sums_add(&sums, &none);
	latency_figures(&sums, &figures);
	assert_int_equal(figures.nr, 4);
	assert_true(figures.min == 3 && figures.max == (double)((1ULL << 40) + 5));
	/* 2^80 twice, and one that is carried over from what is below 2^64. */
	assert_int_equal(sums.square_high, 2 * (1ULL << 16) + 1);
}

static void test_what_came_between_two_readings(void **state)
{
	static const u64 before[] = { 10, 20, 3ULL << 40 }, after[] = { 5, 1ULL << 41 };
	struct latency_sums earlier, expected, sums;
	struct func_cell cell = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		add(&cell, before[i]);
	latency_sums_init(&earlier);
	latency_sums_add(&earlier, &cell);
	cell.max_ns = 0;
	cell.min_inverted = 0;
	for (size_t i = 0; i < ARRAY_SIZE(after); i++)
		add(&cell, after[i]);
	latency_sums_init(&sums);
	latency_sums_add(&sums, &cell);
	latency_sums_subtract(&sums, &earlier);
	sums_of(after, ARRAY_SIZE(after), &expected);
	assert_memory_equal(&sums, &expected, sizeof(sums));
}

static void test_powers_of_two(void **state)
{
	static const u64 values[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 1023, 1024, 1ULL << 47 };
	u64 buckets[BENCH_NR_BUCKETS], expected[BENCH_NR_BUCKETS] = {
		[0] = 2, [1] = 2, [2] = 2, [3] = 2, [4] = 1, [9] = 1, [10] = 1, [47] = 1,
	};
	struct latency_sums sums;

	(void)state;
	sums_of(values, ARRAY_SIZE(values), &sums);
	latency_log2(&sums, buckets);
	assert_memory_equal(buckets, expected, sizeof(buckets));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_follow_each_other_without_a_gap),
		cmocka_unit_test(test_a_value_is_counted_where_it_belongs),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_one_sample_is_all_of_its_quantiles),
		cmocka_unit_test(test_quantiles_are_off_by_an_eighth_at_most),
		cmocka_unit_test(test_spread_is_that_of_the_samples),
		cmocka_unit_test(test_spread_of_long_calls),
		cmocka_unit_test(test_cpus_add_up),
		cmocka_unit_test(test_what_came_between_two_readings),
		cmocka_unit_test(test_powers_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
