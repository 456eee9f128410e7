// SPDX-License-Identifier: GPL-2.0
/* What becomes of a switch, by what is known of the task; buckets; and what a handler costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "benchs/runqslower_cost.h"
#include "progs/runqslower_abi.h"

#define NOW 1000
#define BORN 5

static enum runq_verdict judged(u64 since, u64 born)
{
	const struct runq_entry entry = { .since = since, .born = born };

	return runq_judge(&entry, BORN, NOW);
}

static void test_verdicts(void **state)
{
	(void)state;
	assert_int_equal(judged(1, BORN), RUNQ_SAMPLE);
	assert_int_equal(judged(NOW, BORN), RUNQ_SAMPLE);
	assert_int_equal(judged(0, BORN), RUNQ_MISSED);
	assert_int_equal(judged(NOW + 1, BORN), RUNQ_CLOCK_BACK);
	assert_int_equal(judged(UINT64_MAX, BORN), RUNQ_CLOCK_BACK);
}

static void test_an_entry_of_another_task_is_stale_whatever_it_says(void **state)
{
	static const u64 times[] = { 0, 1, NOW, NOW + 1, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		assert_int_equal(judged(times[i], BORN - 1), RUNQ_STALE);
		assert_int_equal(judged(times[i], BORN + 1), RUNQ_STALE);
	}
}

static void test_buckets_are_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(runq_bucket(0), 0);
	assert_int_equal(runq_bucket(1), 0);
	for (u32 i = 1; i < RUNQ_NR_BUCKETS; i++) {
		assert_int_equal(runq_bucket(1ULL << i), i);
		assert_int_equal(runq_bucket((1ULL << i) - 1), i - 1);
	}
	assert_int_equal(runq_bucket(UINT64_MAX), RUNQ_NR_BUCKETS - 1);
}

static void test_statistics_between(void **state)
{
	const struct run_stats before = { 10, 100, 1 }, after = { 15, 190, 3 };
	const struct run_stats between = run_stats_between(&before, &after);

	(void)state;
	assert_int_equal(between.runs, 5);
	assert_int_equal(between.ns, 90);
	assert_int_equal(between.misses, 2);
}

static struct handler_slice slice(u64 runs, u64 ns, u64 empty_runs, u64 empty_ns)
{
	return (struct handler_slice){
		.real = { .runs = runs, .ns = ns },
		.empty = { .runs = empty_runs, .ns = empty_ns },
	};
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-9);
}

/* Means are of all runs, not of slices: those of the long one weigh more. */
static void test_cost_is_of_all_runs(void **state)
{
	const struct handler_slice slices[] = { slice(1, 100, 1, 10), slice(9, 1800, 9, 180) };
	struct handler_cost cost;

	(void)state;
	assert_int_equal(handler_cost(slices, 1, 2, &cost), 0);
	assert_true(cost.known && cost.se_known);
	assert_int_equal(cost.runs, 10);
	assert_near(cost.avg_ns, 190);
	assert_near(cost.empty_ns, 19);
	assert_near(cost.net_ns, 171);
	/* Nets of 90 and 180: a standard deviation of 90 / √2, of two. */
	assert_near(cost.net_se_ns, 45);
}

static void test_only_every_third_slice(void **state)
{
	const struct handler_slice slices[] = {
		slice(1, 10, 1, 1), slice(7, 7, 7, 7), slice(7, 7, 7, 7),
		slice(1, 10, 1, 1), slice(7, 7, 7, 7), slice(7, 7, 7, 7),
	};
	struct handler_cost cost;

	(void)state;
	assert_int_equal(handler_cost(slices, 3, 2, &cost), 0);
	assert_int_equal(cost.runs, 2);
	assert_near(cost.net_ns, 9);
	assert_near(cost.net_se_ns, 0);
}

static void test_what_never_ran_has_no_cost(void **state)
{
	const struct handler_slice slices[] = { slice(0, 0, 3, 30), slice(0, 0, 0, 0) };
	struct handler_cost cost;

	(void)state;
	assert_int_equal(handler_cost(slices, 1, 2, &cost), 0);
	assert_int_equal(cost.runs, 0);
	assert_false(cost.known || cost.se_known);
	assert_int_equal(handler_cost(slices, 1, 0, &cost), 0);
	assert_false(cost.known || cost.se_known);
}

static void test_one_slice_with_runs_has_no_error(void **state)
{
	const struct handler_slice slices[] = { slice(2, 20, 2, 2), slice(0, 0, 0, 0) };
	struct handler_cost cost;

	(void)state;
	assert_int_equal(handler_cost(slices, 1, 2, &cost), 0);
	assert_true(cost.known);
	assert_false(cost.se_known);
	assert_near(cost.net_ns, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_an_entry_of_another_task_is_stale_whatever_it_says),
		cmocka_unit_test(test_buckets_are_powers_of_two),
		cmocka_unit_test(test_statistics_between),
		cmocka_unit_test(test_cost_is_of_all_runs),
		cmocka_unit_test(test_only_every_third_slice),
		cmocka_unit_test(test_what_never_ran_has_no_cost),
		cmocka_unit_test(test_one_slice_with_runs_has_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
