// SPDX-License-Identifier: GPL-2.0
/* Verdicts on rounds made up, among them many that differ in nothing but noise. */
#include "../../compare/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numbers.h"

#define ROUNDS 10
#define CASES 10
#define SIMULATED_ROUNDS 20

static const struct criteria usual = { .alpha = 0.01, .threshold = 0.02 };

/* Box and Muller's. */
static double gauss(u64 *seed)
{
	return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed));
}

static double base_values[CASES][SIMULATED_ROUNDS], new_values[CASES][SIMULATED_ROUNDS];
static struct judged judged[CASES];
static struct judged *cases[CASES];

static void begin(size_t nr_rounds)
{
	for (size_t i = 0; i < CASES; i++) {
		cases[i] = &judged[i];
		judged[i] = (struct judged){
			.rounds = { { base_values[i], nr_rounds, 0 },
				    { new_values[i], nr_rounds, 0 } },
		};
	}
}

/* The first case: values around these, a hundredth of 1% apart from each other. */
static struct judged *one_case(double base, double new)
{
	begin(ROUNDS);
	for (size_t i = 0; i < ROUNDS; i++) {
		base_values[0][i] = base * (1 + 1e-4 * (double)i);
		new_values[0][i] = new *(1 + 1e-4 * (double)i);
	}
	return cases[0];
}

static enum verdict verdict_of(double base, double new, bool higher_is_better)
{
	one_case(base, new)->higher_is_better = higher_is_better;
	assert_int_equal(judge(cases, 1, &usual), 0);
	return judged[0].verdict;
}

static void verdicts_of_times(void **state)
{
	(void)state;
	assert_int_equal(verdict_of(100, 103, false), VERDICT_WORSE);
	assert_true(judged[0].tested && judged[0].corrected_p < 1e-4);
	assert_true(judged[0].ratio.known && judged[0].ratio.lo > 1.02);
	assert_int_equal(verdict_of(103, 100, false), VERDICT_BETTER);
	assert_int_equal(verdict_of(100, 103, true), VERDICT_BETTER);
	assert_int_equal(verdict_of(103, 100, true), VERDICT_WORSE);
	/* Not for want of certainty: these differ by less than is asked for. */
	assert_int_equal(verdict_of(100, 101.9, false), VERDICT_SAME);
	assert_true(judged[0].corrected_p < 1e-4);
	assert_int_equal(verdict_of(101.9, 100, false), VERDICT_SAME);
	assert_string_equal(judged[0].why, "");
}

/* All of the new rounds are above the base, and drift further than they are above it, or less. */
static void a_side_that_drifts(void **state)
{
	(void)state;
	for (int drift = 0; drift < 2; drift++) {
		for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
			one_case(100, drift ? 101 : 110)->one_by_one = one_by_one;
			for (size_t i = 0; i < ROUNDS; i++)
				new_values[0][i] += (drift ? 30.0 : 5.0) * (double)i / (ROUNDS - 1);
			assert_int_equal(judge(cases, 1, &usual), 0);
			assert_true(judged[0].corrected_p < 0.01);
			assert_int_equal(judged[0].verdict,
					 drift && one_by_one ? VERDICT_NOT_ENOUGH : VERDICT_WORSE);
			assert_string_equal(judged[0].why,
					    drift && one_by_one
						    ? "a side's own rounds drift as far as that: "
						      "let the sides take turns"
						    : "");
		}
	}
}

/* Rounds from 100 to 118 and from 109 to 127. */
static void sides_that_overlap(void **state)
{
	struct criteria criteria = usual;

	(void)state;
	criteria.alpha = 0.1;
	for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
		one_case(100, 109)->one_by_one = one_by_one;
		for (size_t i = 0; i < ROUNDS; i++) {
			/* Not in the order of time: no drift. */
			base_values[0][i] = 100 + 2 * (double)(i * 7 % ROUNDS);
			new_values[0][i] = 109 + 2 * (double)(i * 7 % ROUNDS);
		}
		assert_int_equal(judge(cases, 1, &criteria), 0);
		assert_int_equal(judged[0].verdict,
				 one_by_one ? VERDICT_NOT_ENOUGH : VERDICT_WORSE);
		assert_string_equal(
			judged[0].why,
			one_by_one ? "the sides' rounds overlap: let the sides take turns" : "");
	}
}

static void a_busy_machine(void **state)
{
	(void)state;
	one_case(100, 110)->disturbed = 0.7;
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
	one_case(100, 110)->disturbed = 0.7;
	judged[0].one_by_one = true;
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_NOT_ENOUGH);
	assert_string_equal(judged[0].why, "70% of the rounds of a side were on a shared core, or "
					   "disturbed: let the sides take turns");
	one_case(100, 110)->disturbed = 0.4;
	judged[0].one_by_one = true;
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
}

/* 10% more cycles, with a clock that is faster by nothing, by half of that and by all of it. */
static void a_clock_that_is_faster(void **state)
{
	static const double ratios[] = { 1, 1.05, 1.1, 0.9 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++) {
		for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
			bool same = one_by_one && i == 2;

			one_case(100, 110)->one_by_one = one_by_one;
			judged[0].clock_ratio = ratios[i];
			assert_int_equal(judge(cases, 1, &usual), 0);
			assert_int_equal(judged[0].verdict, same ? VERDICT_SAME : VERDICT_WORSE);
			assert_string_equal(judged[0].why,
					    same ? "not so in time: one side's clock was faster"
						 : "");
		}
	}
	one_case(110, 100)->one_by_one = true;
	judged[0].clock_ratio = 1 / 1.1;
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_SAME);
}

static void threshold_of_nothing(void **state)
{
	const struct criteria sharp = { .alpha = 0.01, .threshold = 0, .threshold_given = true };

	(void)state;
	one_case(100, 100.2);
	assert_int_equal(judge(cases, 1, &sharp), 0);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
}

static void costs_below_nothing(void **state)
{
	(void)state;
	/* No ratio, and worse nevertheless. */
	assert_int_equal(verdict_of(-0.1, 5, false), VERDICT_WORSE);
	assert_false(judged[0].ratio.known);
	assert_int_equal(verdict_of(5, -0.1, false), VERDICT_BETTER);
	assert_int_equal(verdict_of(1, -3, false), VERDICT_BETTER);
	assert_int_equal(verdict_of(-0.1, -0.5, false), VERDICT_NOT_ENOUGH);
	assert_string_equal(judged[0].why, "nothing above zero on either side");
}

static void too_few_rounds(void **state)
{
	(void)state;
	begin(3);
	for (size_t i = 0; i < 3; i++) {
		base_values[0][i] = 1;
		new_values[0][i] = 1000;
	}
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_NOT_ENOUGH);
	assert_string_equal(judged[0].why, "3 against 3 rounds cannot say: it takes 5 a side");
	assert_false(judged[0].tested);
}

/* What ten cases need is more than what one needs. */
static void too_few_rounds_for_many_cases(void **state)
{
	(void)state;
	begin(6);
	for (size_t i = 0; i < CASES; i++) {
		for (size_t k = 0; k < 6; k++) {
			base_values[i][k] = 1 + 0.001 * (double)k;
			new_values[i][k] = 1000 + (double)k;
		}
	}
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
	assert_int_equal(judge(cases, CASES, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_NOT_ENOUGH);
	assert_string_equal(judged[0].why, "6 against 6 rounds cannot say: it takes 7 a side");
}

/* p of 6 against 6 that overlap in one is 4/924 = 0.0043: below alpha, but not as one of three. */
static void p_is_corrected_for_the_cases(void **state)
{
	(void)state;
	begin(ROUNDS);
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < ROUNDS; k++) {
			base_values[i][k] = 100 + (double)k;
			new_values[i][k] = i ? 100 + (double)k : 106.5 + (double)k;
		}
	}
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
	assert_true(judged[0].p > 0.01 / 3 / 100 &&
		    fabs(judged[0].corrected_p - judged[0].p) < 1e-15);
	assert_int_equal(judge(cases, 3, &usual), 0);
	assert_true(fabs(judged[0].corrected_p - 3 * judged[0].p) < 1e-12);
	assert_int_equal(judged[1].verdict, VERDICT_SAME);
}

static void same_says_what_may_hide(void **state)
{
	struct criteria criteria = usual;

	(void)state;
	begin(ROUNDS);
	for (size_t k = 0; k < ROUNDS; k++)
		base_values[0][k] = new_values[0][k] = 100 + (double)k;
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_SAME);
	assert_non_null(strstr(judged[0].why, "may hide in the noise"));

	/* More than a tenth is too much, but where the threshold is more. */
	for (size_t k = 0; k < ROUNDS; k++)
		base_values[0][k] = new_values[0][k] = 100 + 5 * (double)k;
	assert_int_equal(judge(cases, 1, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_NOT_ENOUGH);
	assert_non_null(strstr(judged[0].why, "may hide in the noise"));
	criteria.threshold = 1;
	criteria.threshold_given = true;
	assert_int_equal(judge(cases, 1, &criteria), 0);
	assert_int_equal(judged[0].verdict, VERDICT_SAME);
}

static enum verdict exact_verdict(double base, double new, const struct criteria *criteria)
{
	begin(1);
	base_values[0][0] = base;
	new_values[0][0] = new;
	judged[0].exact = true;
	judged[0].step = 1.0 / 1024;
	assert_int_equal(judge(cases, 1, criteria), 0);
	assert_false(judged[0].tested);
	return judged[0].verdict;
}

static void exact_counts(void **state)
{
	const struct criteria coarse = { .alpha = 0.01,
					 .threshold = 0.02,
					 .threshold_given = true };

	(void)state;
	assert_int_equal(exact_verdict(118.95, 119.95, &usual), VERDICT_WORSE);
	assert_int_equal(exact_verdict(119.95, 118.95, &usual), VERDICT_BETTER);
	/* One instruction of a whole batch, and what printing loses of a double. */
	assert_int_equal(exact_verdict(118.95, 118.95 + 1.0 / 1024, &usual), VERDICT_WORSE);
	assert_int_equal(exact_verdict(17.022, 17.022000000000002, &usual), VERDICT_SAME);
	assert_int_equal(exact_verdict(0, 0, &usual), VERDICT_SAME);
	assert_int_equal(exact_verdict(0, 1, &usual), VERDICT_WORSE);
	assert_int_equal(exact_verdict(100, 101, &coarse), VERDICT_SAME);
	assert_int_equal(exact_verdict(100, 103, &coarse), VERDICT_WORSE);
}

static void exact_counts_agree_by_majority(void **state)
{
	static const double base[] = { 100, 100, 101 }, scattered[] = { 1, 2, 3 };

	(void)state;
	begin(3);
	memcpy(base_values[0], base, sizeof(base));
	memcpy(new_values[0], base, sizeof(base));
	memcpy(new_values[1], scattered, sizeof(scattered));
	memcpy(base_values[1], base, sizeof(base));
	for (size_t i = 0; i < 2; i++) {
		judged[i].exact = true;
		judged[i].step = 0.01;
	}
	new_values[0][0] = 102;
	new_values[0][1] = 102;
	assert_int_equal(judge(cases, 2, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
	assert_true(judged[0].rounds[SIDE_BASE].value == 100);
	assert_true(judged[0].rounds[SIDE_NEW].value == 102);
	assert_int_equal(judged[1].verdict, VERDICT_NOT_ENOUGH);
}

/* Exact cases need no test, so that others are not corrected for them. */
static void exact_cases_are_no_tests(void **state)
{
	(void)state;
	one_case(100, 110);
	for (size_t i = 1; i < CASES; i++) {
		judged[i].exact = true;
		judged[i].step = 1;
		base_values[i][0] = new_values[i][0] = 5;
		judged[i].rounds[SIDE_BASE].n = judged[i].rounds[SIDE_NEW].n = 1;
	}
	assert_int_equal(judge(cases, CASES, &usual), 0);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
	assert_true(fabs(judged[0].corrected_p - judged[0].p) < 1e-15);
	assert_int_equal(judged[9].verdict, VERDICT_SAME);
}

/*
 * A noisy machine: it drifts by about 1% in the course of the rounds, in which the sides take turns;
 * each round has 1% of its own, and one in ten was disturbed and takes up to several times as long.
 */
static void simulate(double slowdown, u64 *seed)
{
	double drift = 1;

	begin(SIMULATED_ROUNDS);
	for (size_t k = 0; k < SIMULATED_ROUNDS; k++) {
		for (size_t i = 0; i < CASES; i++) {
			for (int side = 0; side < NR_SIDES; side++) {
				double value = 100 * (double)(i + 1);

				drift *= 1 + 0.0005 * gauss(seed);
				value *= drift * (1 + 0.01 * gauss(seed));
				if (uniform(seed) < 0.1)
					value /= sqrt(uniform(seed));
				if (side == SIDE_NEW && i == 0)
					value *= slowdown;
				judged[i].rounds[side].values[k] = value;
			}
		}
	}
}

static bool any_verdict(const struct criteria *criteria)
{
	assert_int_equal(judge(cases, CASES, criteria), 0);
	for (size_t i = 0; i < CASES; i++) {
		if (judged[i].verdict == VERDICT_WORSE || judged[i].verdict == VERDICT_BETTER)
			return true;
	}
	return false;
}

/* With a threshold of nothing, so that the test alone has to hold it. */
static void nothing_is_found_in_noise(void **state)
{
	const struct criteria sharp = { .alpha = 0.05, .threshold = 0 };
	size_t wrong = 0, tries = 200;
	u64 seed = 1;

	(void)state;
	for (size_t i = 0; i < tries; i++) {
		simulate(1, &seed);
		wrong += any_verdict(&sharp);
	}
	print_message("%zu of %zu comparisons of 10 equal cases, at 5%%, found something\n", wrong,
		      tries);
	assert_true(wrong <= tries / 20);
	/* A test that never finds anything would pass as well. */
	assert_true(wrong >= 3);
}

static void five_percent_are_found(void **state)
{
	size_t found = 0, tries = 100;
	u64 seed = 2;

	(void)state;
	for (size_t i = 0; i < tries; i++) {
		simulate(1.05, &seed);
		any_verdict(&usual);
		found += judged[0].verdict == VERDICT_WORSE;
	}
	print_message("5%% were found in %zu of %zu\n", found, tries);
	assert_true(found >= tries * 95 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_of_times),
		cmocka_unit_test(a_side_that_drifts),
		cmocka_unit_test(sides_that_overlap),
		cmocka_unit_test(a_busy_machine),
		cmocka_unit_test(a_clock_that_is_faster),
		cmocka_unit_test(threshold_of_nothing),
		cmocka_unit_test(costs_below_nothing),
		cmocka_unit_test(too_few_rounds),
		cmocka_unit_test(too_few_rounds_for_many_cases),
		cmocka_unit_test(p_is_corrected_for_the_cases),
		cmocka_unit_test(same_says_what_may_hide),
		cmocka_unit_test(exact_counts),
		cmocka_unit_test(exact_counts_agree_by_majority),
		cmocka_unit_test(exact_cases_are_no_tests),
		cmocka_unit_test(nothing_is_found_in_noise),
		cmocka_unit_test(five_percent_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
