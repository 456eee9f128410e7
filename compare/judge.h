/* SPDX-License-Identifier: GPL-2.0 */
/* From the rounds of two sides to a verdict for each case. No I/O. */
#ifndef COMPARE_JUDGE_H
#define COMPARE_JUDGE_H

#include "inference.h"

enum side {
	SIDE_BASE,
	SIDE_NEW,
	NR_SIDES,
};

enum verdict {
	VERDICT_WORSE,
	VERDICT_BETTER,
	VERDICT_SAME,
	VERDICT_NOT_ENOUGH, /* the rounds there are cannot say, or not with these sides */
	NR_VERDICTS,
};

const char *verdict_name(enum verdict verdict);

/* One side of a case: one value for each round that has the figure. */
struct rounds {
	double *values;
	size_t n;
	/* Set by judge(): of exact counts what most rounds agree on, else the median. */
	double value;
};

struct judged {
	struct rounds rounds[NR_SIDES];
	bool higher_is_better;
	/*
	 * Counted, not timed: the values are compared themselves, without a test. Those that are less
	 * than half of `step` apart are one and the same, printed and read again.
	 */
	bool exact;
	double step;

	/*
	 * All rounds of one side ran before those of the other, so that whatever changed meanwhile
	 * shows as a difference; and which share of them was on a shared core or disturbed, of the side with
	 * more.
	 */
	bool one_by_one;
	double disturbed;
	double clock_ratio; /* of values in cycles: the clock rate of NEW by that of BASE; 0: they are in time */

	double threshold;
	struct ratio ratio;
	bool tested; /* p and corrected_p are there */
	double p, corrected_p;
	enum verdict verdict;
	/* Of VERDICT_NOT_ENOUGH, and of VERDICT_SAME what may still differ; "" otherwise. */
	char why[128];
};

struct criteria {
	double alpha; /* the chance that anything at all is called better or worse where nothing is */
	double threshold; /* of the ratio: 0.02 is 2% */
	bool threshold_given; /* else exact cases have one of 0 */
};

/*
 * Fill in all that follows `step` in each of n cases, and the sides' value. A case is worse (or
 * better) if its new value is beyond the threshold to that side and, of times, if p after the
 * correction for all cases is below alpha. Where the sides ran one by one, it must also be further
 * from the base than the thirds of a side's own rounds are from each other, the middle halves of the sides' rounds must
 * be apart, it must hold in time as well as in cycles, and not more than half of a side's rounds be disturbed: a machine that
 * changes while one side runs does so between the sides. -ENOMEM or 0.
 */
int judge(struct judged *const *cases, size_t n, const struct criteria *criteria);

#endif
