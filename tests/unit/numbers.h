/* SPDX-License-Identifier: GPL-2.0 */
/* For tests of arithmetic; after cmocka's header. */
#ifndef TESTS_UNIT_NUMBERS_H
#define TESTS_UNIT_NUMBERS_H

#include <math.h>

#include "harness/util.h"

/* cmocka's assert_float_equal() takes nan for equal to anything. */
static inline bool near(double actual, double expected, double tolerance)
{
	if (fabs(actual - expected) <= tolerance)
		return true;
	print_error("%.17g is not %.17g +- %g\n", actual, expected, tolerance);
	return false;
}

#define assert_near(actual, expected, tolerance) assert_true(near(actual, expected, tolerance))

/* A fixed sequence of numbers in 0..range - 1 that looks random; xorshift64. */
static inline u64 scramble(u64 *seed, u64 range)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed % range;
}

/* Uniform in 0..1, not 0. */
static inline double uniform(u64 *seed)
{
	return (double)(1 + scramble(seed, 1 << 30)) / (1 << 30);
}

#endif
