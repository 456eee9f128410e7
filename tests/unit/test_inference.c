// SPDX-License-Identifier: GPL-2.0
/* Tests of two samples against published results, and against counting all arrangements. */
#include "../../compare/inference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "numbers.h"

static double p_of(const double *base, size_t nr_base, const double *new, size_t nr_new)
{
	double p = NAN;

	assert_int_equal(rank_test(base, nr_base, new, nr_new, &p), 0);
	return p;
}

static void median_of_any_order(void **state)
{
	static const double odd[] = { 9, 1, 5 }, even[] = { 9, 1, 5, 6 };
	double median;

	(void)state;
	assert_int_equal(median_of(odd, 3, &median), 0);
	assert_near(median, 5, 0);
	assert_int_equal(median_of(even, 4, &median), 0);
	assert_near(median, 5.5, 0);
	assert_near(odd[0], 9, 0);
}

/*
 * Hollander and Wolfe, "Nonparametric Statistical Methods", 1973, p. 69: permeability constants;
 * R's wilcox.test(x, y) has W = 35 and p = 0.2544.
 */
static void rank_test_known_without_ties(void **state)
{
	static const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };

	(void)state;
	assert_near(p_of(x, 10, y, 5), 0.2544, 0.00005);
	assert_near(p_of(y, 5, x, 10), 0.2544, 0.00005);
}

/*
 * Ozone in May and August of R's airquality, 26 days each, with many ties: W = 127.5 and, by the
 * normal approximation with continuity correction, p = 0.0001208 in R's manual of wilcox.test.
 */
static void rank_test_known_with_ties(void **state)
{
	static const double may[] = { 41, 36, 12, 18, 28, 23, 19, 8, 7,	 16, 11, 14,  18,
				      14, 34, 6,  30, 11, 1,  11, 4, 32, 23, 45, 115, 37 };
	static const double august[] = { 39, 9,	 16, 78, 35, 66, 122, 89,  110, 44, 28,	 65, 22,
					 59, 23, 31, 44, 21, 9,	 45,  168, 73,	76, 118, 84, 85 };

	(void)state;
	assert_near(p_of(may, 26, august, 26), 0.0001208, 0.00000005);
	assert_near(p_of(august, 26, may, 26), 0.0001208, 0.00000005);
}

/* Twice U: for each pair 2 if the first is above, 1 if they tie. */
static unsigned int doubled_u(const double *all, size_t n, unsigned int chosen)
{
	unsigned int u = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			if (chosen >> i & 1 && !(chosen >> k & 1))
				u += all[i] > all[k] ? 2 : all[i] == all[k] ? 1 : 0;
		}
	}
	return u;
}

/* By definition: all ways to choose which samples are the first side's. */
static double p_by_counting(const double *all, size_t nr_base, size_t n)
{
	unsigned int seen = doubled_u(all, n, (1U << nr_base) - 1);
	double below = 0, above = 0, total = 0;

	for (unsigned int chosen = 0; chosen < 1U << n; chosen++) {
		unsigned int u;

		if ((size_t)__builtin_popcount(chosen) != nr_base)
			continue;
		u = doubled_u(all, n, chosen);
		total++;
		below += u <= seen;
		above += u >= seen;
	}
	return fmin(1, 2 * fmin(below, above) / total);
}

static void rank_test_agrees_with_counting(void **state)
{
	double all[11];
	u64 seed = 7;

	(void)state;
	for (int i = 0; i < 300; i++) {
		size_t nr_base = 1 + scramble(&seed, 6), nr_new = 1 + scramble(&seed, 5);
		u64 range = 1 + scramble(&seed, 30); /* few values: many ties */

		for (size_t k = 0; k < nr_base + nr_new; k++)
			all[k] = (double)scramble(&seed, range) / 4;
		assert_near(p_of(all, nr_base, all + nr_base, nr_new),
			    p_by_counting(all, nr_base, nr_base + nr_new), 1e-12);
	}
}

static void rank_test_of_none_and_equals(void **state)
{
	double equal[60];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(equal); i++)
		equal[i] = 3;
	assert_near(p_of(equal, 0, equal, 5), 1, 0);
	assert_near(p_of(equal, 5, equal, 0), 1, 0);
	assert_near(p_of(equal, 1, equal, 1), 1, 0);
	assert_near(p_of(equal, 9, equal, 8), 1, 0);
	assert_near(p_of(equal, 60, equal, 60), 1, 0);
}

/* Exact counts end at 50 samples. Where they end, the approximation is near. */
static void rank_test_is_near_where_it_turns(void **state)
{
	double base[25], new[26];
	u64 seed = 3;

	(void)state;
	for (int i = 0; i < 50; i++) {
		double exact, approximate;

		for (size_t k = 0; k < 25; k++)
			base[k] = (double)scramble(&seed, 1 << 30);
		for (size_t k = 0; k < 25; k++)
			new[k] = (double)scramble(&seed, 1 << 30) + (1 << 28);
		exact = p_of(base, 25, new, 25);
		/* One more in the middle of its side hardly changes anything. */
		assert_int_equal(median_of(new, 25, &new[25]), 0);
		approximate = p_of(base, 25, new, 26);
		assert_true(approximate < 2 * exact + 0.01 && exact < 2 * approximate + 0.01);
	}
}

static void least_p_is_that_of_sides_apart(void **state)
{
	double base[40], new[40];

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		base[i] = (double)i;
		new[i] = (double)i + 1000;
	}
	for (size_t nr_base = 1; nr_base <= 40; nr_base++) {
		for (size_t nr_new = 1; nr_new <= 40; nr_new++) {
			double least = rank_test_least_p(nr_base, nr_new);

			assert_near(p_of(base, nr_base, new, nr_new) / least, 1, 1e-9);
		}
	}
	assert_near(rank_test_least_p(3, 3), 0.1, 1e-12);
	assert_near(rank_test_least_p(5, 5), 2.0 / 252, 1e-12);
	assert_near(rank_test_least_p(0, 9), 1, 0);
}

static void rounds_it_takes(void **state)
{
	(void)state;
	assert_int_equal(rank_test_rounds_for(0.05), 4); /* 2 of 70 */
	assert_int_equal(rank_test_rounds_for(0.01), 5); /* 2 of 252 */
	assert_int_equal(rank_test_rounds_for(0.001), 7); /* 2 of 3432 */
	assert_int_equal(rank_test_rounds_for(2), 1);
	assert_true(rank_test_rounds_for(0) < 100000);
}

static struct ratio ratio_of(const double *base, size_t nr_base, const double *new, size_t nr_new)
{
	struct ratio ratio;

	assert_int_equal(ratio_of_medians(base, nr_base, new, nr_new, &ratio), 0);
	return ratio;
}

static void assert_same_ratio(struct ratio a, struct ratio b)
{
	assert_int_equal(a.known, b.known);
	assert_int_equal(a.has_interval, b.has_interval);
	assert_near(a.value, b.value, 0);
	assert_near(a.lo, b.lo, 0);
	assert_near(a.hi, b.hi, 0);
}

static const double TEN[] = { 10.1, 9.9, 10.3, 10, 9.8, 10.2, 10, 14, 9.7, 10.1 };

static void ratio_repeats_and_scales(void **state)
{
	double twice[10];
	struct ratio first, second;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		twice[i] = 2 * TEN[i];
	first = ratio_of(TEN, 10, twice, 10);
	second = ratio_of(TEN, 10, twice, 10);
	assert_same_ratio(first, second);
	assert_true(first.known && first.has_interval);
	assert_near(first.value, 2, 1e-12);
	assert_true(first.lo > 1.9 && first.lo < 2 && first.hi > 2 && first.hi < 2.1);
}

/* The order of the rounds is of no matter. */
static void ratio_does_not_depend_on_order(void **state)
{
	double backwards[10];
	struct ratio first, second;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		backwards[i] = TEN[9 - i];
	first = ratio_of(TEN, 10, TEN, 7);
	second = ratio_of(backwards, 10, TEN, 7);
	assert_same_ratio(first, second);
}

static void ratio_of_few_rounds_has_no_interval(void **state)
{
	(void)state;
	assert_false(ratio_of(TEN, 4, TEN, 10).has_interval);
	assert_false(ratio_of(TEN, 10, TEN, 4).has_interval);
	assert_true(ratio_of(TEN, 10, TEN, 4).known);
	assert_true(ratio_of(TEN, 5, TEN, 5).has_interval);
	assert_false(ratio_of(TEN, 0, TEN, 5).known);
}

static void ratio_by_nothing_is_not_known(void **state)
{
	static const double nothing[] = { 0, -1, 0, 1, 0, -2, 0, 1 };
	static const double half[] = { 0, 0, 0, 0, 3, 3, 3, 3, 3 };

	(void)state;
	assert_false(ratio_of(nothing, 8, TEN, 10).known);
	assert_false(ratio_of(TEN, 10, nothing, 8).known);
	/* Often enough the median drawn is nothing: the interval has no upper end. */
	assert_true(ratio_of(half, 9, TEN, 10).known);
	assert_false(ratio_of(half, 9, TEN, 10).has_interval);
	assert_true(ratio_of(TEN, 10, half, 9).has_interval);
	assert_near(ratio_of(TEN, 10, half, 9).lo, 0, 0);
}

/* Box and Muller's. */
static double gauss(u64 *seed)
{
	return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed));
}

/* In 1000 tries with 5% noise, the interval has the true ratio in it in 93% or more. */
static void ratio_interval_covers(void **state)
{
	double base[10], new[10];
	size_t covered = 0;
	u64 seed = 11;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct ratio ratio;

		for (size_t k = 0; k < 10; k++) {
			base[k] = 100 * (1 + 0.05 * gauss(&seed));
			new[k] = 130 * (1 + 0.05 * gauss(&seed));
		}
		ratio = ratio_of(base, 10, new, 10);
		covered += ratio.lo <= 1.3 && ratio.hi >= 1.3;
	}
	print_message("the interval covers the ratio in %zu of 1000\n", covered);
	assert_in_range(covered, 930, 995);
}

/* Holm 1979 by hand: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 not below the one before it. */
static void holm_known(void **state)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 };
	double large[] = { 0.9, 0.4 };

	(void)state;
	assert_int_equal(correct_by_holm(p, 4), 0);
	assert_near(p[0], 0.03, 1e-12);
	assert_near(p[1], 0.06, 1e-12);
	assert_near(p[2], 0.06, 1e-12);
	assert_near(p[3], 0.02, 1e-12);
	assert_int_equal(correct_by_holm(large, 2), 0);
	assert_near(large[0], 0.9, 1e-12);
	assert_near(large[1], 0.8, 1e-12);
	assert_int_equal(correct_by_holm(NULL, 0), 0);
}

static void tests_that_can_say_something(void **state)
{
	/* Of 5 rounds a side, 10 tests cannot, a single one can. */
	static const double all_of_five[] = { .0079, .0079, .0079, .0079, .0079,
					      .0079, .0079, .0079, .0079, .0079 };
	static const double one_of_many[] = { 0.1, 0.1, 0.0079, 0.1 };
	bool chosen[10];

	(void)state;
	assert_int_equal(choose_tests(all_of_five, 10, 0.01, chosen), 0);
	for (size_t i = 0; i < 10; i++)
		assert_false(chosen[i]);
	assert_int_equal(choose_tests(all_of_five, 10, 0.08, chosen), 0);
	for (size_t i = 0; i < 10; i++)
		assert_true(chosen[i]);
	assert_int_equal(choose_tests(one_of_many, 4, 0.01, chosen), 0);
	assert_true(!chosen[0] && !chosen[1] && chosen[2] && !chosen[3]);
	assert_int_equal(choose_tests(NULL, 0, 0.01, chosen), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_of_any_order),
		cmocka_unit_test(rank_test_known_without_ties),
		cmocka_unit_test(rank_test_known_with_ties),
		cmocka_unit_test(rank_test_agrees_with_counting),
		cmocka_unit_test(rank_test_of_none_and_equals),
		cmocka_unit_test(rank_test_is_near_where_it_turns),
		cmocka_unit_test(least_p_is_that_of_sides_apart),
		cmocka_unit_test(rounds_it_takes),
		cmocka_unit_test(ratio_repeats_and_scales),
		cmocka_unit_test(ratio_does_not_depend_on_order),
		cmocka_unit_test(ratio_of_few_rounds_has_no_interval),
		cmocka_unit_test(ratio_by_nothing_is_not_known),
		cmocka_unit_test(ratio_interval_covers),
		cmocka_unit_test(holm_known),
		cmocka_unit_test(tests_that_can_say_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
