/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Do two sets of rounds differ? Pure functions of arrays: no I/O, no globals, no units. Samples are
 * finite, in any order, and left as they are. What returns an int returns 0 or -ENOMEM.
 */
#ifndef COMPARE_INFERENCE_H
#define COMPARE_INFERENCE_H

#include "../harness/util.h"

int median_of(const double *samples, size_t n, double *median);

/* The first and the third quartile: half of the samples are between them. */
int middle_half_of(const double *samples, size_t n, double *lo, double *hi);

/* With so many samples in all or fewer, p is exact. */
#define RANK_TEST_EXACT 50

/*
 * Two-sided p of the rank-sum test of Wilcoxon, Mann and Whitney: how often samples that are all of
 * one kind would fall apart at least as far. 1 without samples on a side.
 */
int rank_test(const double *base, size_t nr_base, const double *new, size_t nr_new, double *p);

/* The smallest p that so many rounds can give: all of one side lie below all of the other. */
double rank_test_least_p(size_t nr_base, size_t nr_new);

/* How many rounds a side it takes to come below p. */
size_t rank_test_rounds_for(double p);

#define BOOTSTRAP_SEED 1
#define BOOTSTRAP_RESAMPLES 1999 /* and one more are divided by 40: 2.5% is one of them */
/* Of fewer rounds not even the whole range is a 95% interval of the median. */
#define BOOTSTRAP_ROUNDS 5

/* new / base. */
struct ratio {
	bool known; /* both medians are above zero */
	double value;
	bool has_interval;
	double lo, hi; /* 95% */
};

/*
 * The ratio of the medians, with the percentile bootstrap's interval (Efron and Tibshirani, "An
 * Introduction to the Bootstrap", 1993, chapter 13): the rounds of each side are drawn again, with
 * replacement, BOOTSTRAP_RESAMPLES times. The seed is fixed: the same rounds, the same interval.
 */
int ratio_of_medians(const double *base, size_t nr_base, const double *new, size_t nr_new,
		     struct ratio *ratio);

/*
 * Which of n tests to make, from the least p that each can give. A test that cannot come below
 * alpha however clear its samples are does not count among those that p is corrected for: Tarone,
 * "A Modified Bonferroni Method for Discrete Data", 1990.
 */
int choose_tests(const double *least_p, size_t n, double alpha, bool *chosen);

/*
 * Correct the p of n tests for being n: Holm, "A Simple Sequentially Rejective Multiple Test
 * Procedure", 1979. In place.
 */
int correct_by_holm(double *p, size_t n);

#endif
