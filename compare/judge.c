// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_WORSE] = "worse",
		[VERDICT_BETTER] = "better",
		[VERDICT_SAME] = "same",
		[VERDICT_NOT_ENOUGH] = "not enough data",
	};

	return names[verdict];
}

#define not_enough(judged, ...)                                              \
	do {                                                                 \
		(judged)->verdict = VERDICT_NOT_ENOUGH;                      \
		snprintf((judged)->why, sizeof((judged)->why), __VA_ARGS__); \
	} while (0)

/* Nothing costs less than nothing: what a noisy difference has below zero is no gain. */
static double cost(double value)
{
	return fmax(0, value);
}

static bool is_difference(enum verdict verdict)
{
	return verdict == VERDICT_WORSE || verdict == VERDICT_BETTER;
}

/* By how much one is above the other is asked the same way in both directions. */
static bool is_beyond(double value, double other, double threshold)
{
	return cost(value) > cost(other) * (1 + threshold);
}

static void give_verdict(struct judged *judged)
{
	double base = judged->rounds[SIDE_BASE].value;
	double new = judged->rounds[SIDE_NEW].value;

	judged->verdict = VERDICT_SAME;
	if (is_beyond(new, base, judged->threshold))
		judged->verdict = judged->higher_is_better ? VERDICT_BETTER : VERDICT_WORSE;
	else if (is_beyond(base, new, judged->threshold))
		judged->verdict = judged->higher_is_better ? VERDICT_WORSE : VERDICT_BETTER;
}

/* Sets the value that most rounds have. Is that more than half of them? */
static bool agree(struct rounds *rounds, double step)
{
	size_t most = 0;

	for (size_t i = 0; i < rounds->n; i++) {
		size_t agreeing = 0;

		for (size_t k = 0; k < rounds->n; k++)
			agreeing += fabs(rounds->values[k] - rounds->values[i]) <= step / 2;
		if (agreeing > most) {
			most = agreeing;
			rounds->value = rounds->values[i];
		}
	}
	return most > rounds->n / 2;
}

static void judge_exact(struct judged *judged)
{
	struct rounds *base = &judged->rounds[SIDE_BASE];
	struct rounds *new = &judged->rounds[SIDE_NEW];
	bool agreed = agree(base, judged->step);

	if (!agree(new, judged->step) || !agreed) {
		not_enough(judged, "the rounds of a side do not agree on a count");
		return;
	}
	judged->ratio.known = base->value > 0 && new->value > 0;
	if (judged->ratio.known)
		judged->ratio.value = new->value / base->value;
	if (fabs(new->value - base->value) <= judged->step / 2) {
		judged->ratio.value = 1;
		judged->verdict = VERDICT_SAME;
	} else {
		give_verdict(judged);
	}
}

static int describe(struct judged *judged)
{
	struct rounds *base = &judged->rounds[SIDE_BASE];
	struct rounds *new = &judged->rounds[SIDE_NEW];
	int err;

	err = median_of(base->values, base->n, &base->value);
	if (!err)
		err = median_of(new->values, new->n, &new->value);
	if (!err)
		err = ratio_of_medians(base->values, base->n, new->values, new->n, &judged->ratio);
	if (!err)
		err = rank_test(base->values, base->n, new->values, new->n, &judged->p);
	return err;
}

/* Sides that may differ by more than a tenth, or than the threshold if that is larger, are not called the same. */
#define MAY_HIDE 0.1

/*
 * That no difference was found does not mean that there is none: say how large one may be, and do not call the
 * same what nothing is known of.
 */
static void tell_precision(struct judged *judged)
{
	const struct ratio *ratio = &judged->ratio;
	double reach = ratio->lo > 0 ? fmax(ratio->hi, 1 / ratio->lo) - 1 : INFINITY;

	if (!ratio->has_interval || reach <= judged->threshold)
		return;
	if (reach > fmax(MAY_HIDE, judged->threshold))
		judged->verdict = VERDICT_NOT_ENOUGH;
	if (reach < 10)
		snprintf(judged->why, sizeof(judged->why), "up to %.0f%% may hide in the noise",
			 100 * reach);
	else
		snprintf(judged->why, sizeof(judged->why), "anything may hide in the noise");
}

/*
 * How far apart the medians of the first, middle and last third of the rounds are, which are in the order
 * of time. Fewer than six are not cut into thirds: no test is made of so few.
 */
static int drift_of(const struct rounds *rounds, double *drift)
{
	size_t third = rounds->n / 3, from[] = { 0, third, rounds->n - third };
	double medians[ARRAY_SIZE(from)];
	int err = 0;

	*drift = 0;
	if (rounds->n < 6)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(from) && !err; i++) {
		size_t n = i == 1 ? from[2] - from[1] : third;

		err = median_of(rounds->values + from[i], n, &medians[i]);
	}
	if (!err)
		*drift = fmax(fmax(medians[0], medians[1]), medians[2]) -
			 fmin(fmin(medians[0], medians[1]), medians[2]);
	return err;
}

/*
 * The state of a machine, such as where memory lies and who else needs it, lasts for many rounds: where these
 * differ among each other, two sides each of which is of one time do, too. Do the middle halves of their rounds overlap?
 */
static int overlap(const struct judged *judged, bool *overlaps)
{
	double lo[NR_SIDES], hi[NR_SIDES];
	int err = 0;

	for (int side = 0; side < NR_SIDES && !err; side++)
		err = middle_half_of(judged->rounds[side].values, judged->rounds[side].n, &lo[side],
				     &hi[side]);
	*overlaps = !err && lo[SIDE_BASE] <= hi[SIDE_NEW] && lo[SIDE_NEW] <= hi[SIDE_BASE];
	return err;
}

/*
 * What waits for memory does not take fewer ns by a faster clock, and so takes more cycles: a verdict in cycles
 * of a side whose clock was another.
 */
static bool holds_in_time(const struct judged *judged)
{
	double base = judged->rounds[SIDE_BASE].value;
	double new = judged->rounds[SIDE_NEW].value / judged->clock_ratio;

	return judged->verdict == VERDICT_WORSE ? is_beyond(new, base, judged->threshold)
						: is_beyond(base, new, judged->threshold);
}

/* A verdict of worse or better stands only if the machine cannot have made it. */
static int doubt(struct judged *judged)
{
	const struct rounds *base = &judged->rounds[SIDE_BASE], *new = &judged->rounds[SIDE_NEW];
	double drifts[NR_SIDES];
	bool overlaps;
	int err = drift_of(base, &drifts[SIDE_BASE]);

	if (!err)
		err = drift_of(new, &drifts[SIDE_NEW]);
	if (!err)
		err = overlap(judged, &overlaps);
	if (err)
		return err;
	if (judged->disturbed > 0.5) {
		not_enough(judged,
			   "%.0f%% of the rounds of a side were on a shared core, or disturbed: "
			   "let the sides take turns",
			   100 * judged->disturbed);
	} else if (fabs(new->value - base->value) <= fmax(drifts[SIDE_BASE], drifts[SIDE_NEW])) {
		not_enough(judged, "a side's own rounds drift as far as that: "
				   "let the sides take turns");
	} else if (overlaps) {
		not_enough(judged, "the sides' rounds overlap: let the sides take turns");
	}
	if (judged->clock_ratio > 0 && is_difference(judged->verdict) && !holds_in_time(judged)) {
		judged->verdict = VERDICT_SAME;
		snprintf(judged->why, sizeof(judged->why),
			 "not so in time: one side's clock was faster");
	}
	return 0;
}

static void judge_tested(struct judged *judged, double alpha)
{
	if (cost(judged->rounds[SIDE_BASE].value) + cost(judged->rounds[SIDE_NEW].value) <= 0)
		not_enough(judged, "nothing above zero on either side");
	else if (judged->corrected_p < alpha)
		give_verdict(judged);
	else
		judged->verdict = VERDICT_SAME;
	if (judged->verdict == VERDICT_SAME)
		tell_precision(judged);
}

/* The cases that are timed, and what the tests of them need. */
struct family {
	struct judged **cases;
	double *least_p, *p;
	bool *chosen;
	size_t n;
};

static void free_family(struct family *family)
{
	free(family->cases);
	free(family->least_p);
	free(family->p);
	free(family->chosen);
}

static int make_family(struct judged *const *cases, size_t n, struct family *family)
{
	family->cases = calloc(n + 1, sizeof(struct judged *));
	family->least_p = calloc(n + 1, sizeof(*family->least_p));
	family->p = calloc(n + 1, sizeof(*family->p));
	family->chosen = calloc(n + 1, sizeof(*family->chosen));
	family->n = 0;
	if (!family->cases || !family->least_p || !family->p || !family->chosen)
		return error_set(ENOMEM, "no memory to compare %zu cases", n);
	for (size_t i = 0; i < n; i++) {
		const struct rounds *rounds = cases[i]->rounds;

		if (cases[i]->exact)
			continue;
		family->least_p[family->n] =
			rank_test_least_p(rounds[SIDE_BASE].n, rounds[SIDE_NEW].n);
		family->cases[family->n++] = cases[i];
	}
	return 0;
}

static void tell_rounds_needed(struct judged *judged, double alpha, size_t nr_cases)
{
	size_t nr_base = judged->rounds[SIDE_BASE].n, nr_new = judged->rounds[SIDE_NEW].n;
	size_t needed = rank_test_rounds_for(alpha / (double)nr_cases);

	not_enough(judged, "%zu against %zu rounds cannot say: it takes %zu a side", nr_base,
		   nr_new, needed);
}

/* Correct the p of those chosen, and put them back where they belong. */
static int correct(struct family *family)
{
	size_t nr_chosen = 0;
	int err;

	for (size_t i = 0; i < family->n; i++) {
		if (family->chosen[i])
			family->p[nr_chosen++] = family->cases[i]->p;
	}
	err = correct_by_holm(family->p, nr_chosen);
	nr_chosen = 0;
	for (size_t i = 0; i < family->n; i++) {
		struct judged *judged = family->cases[i];

		judged->tested = family->chosen[i];
		if (judged->tested)
			judged->corrected_p = family->p[nr_chosen++];
	}
	return err;
}

static int judge_family(struct family *family, double alpha)
{
	int err = 0;

	for (size_t i = 0; i < family->n && !err; i++)
		err = describe(family->cases[i]);
	if (!err)
		err = choose_tests(family->least_p, family->n, alpha, family->chosen);
	if (!err)
		err = correct(family);
	if (err)
		return err;
	for (size_t i = 0; i < family->n && !err; i++) {
		struct judged *judged = family->cases[i];

		if (family->chosen[i])
			judge_tested(judged, alpha);
		else
			tell_rounds_needed(judged, alpha, family->n);
		if (judged->one_by_one && is_difference(judged->verdict))
			err = doubt(judged);
	}
	return err;
}

int judge(struct judged *const *cases, size_t n, const struct criteria *criteria)
{
	struct family family;
	int err;

	for (size_t i = 0; i < n; i++) {
		cases[i]->threshold =
			cases[i]->exact && !criteria->threshold_given ? 0 : criteria->threshold;
		if (cases[i]->exact)
			judge_exact(cases[i]);
	}
	err = make_family(cases, n, &family);
	if (!err)
		err = judge_family(&family, criteria->alpha);
	free_family(&family);
	return err;
}
