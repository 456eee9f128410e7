/* SPDX-License-Identifier: GPL-2.0 */
/* Two sets of results side by side: which cases they share, and what became of each. */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include "case_id.h"
#include "differences.h"
#include "judge.h"
#include "metric.h"
#include "record.h"

/* Of the round that gave one of judged's values. */
struct round_facts {
	u64 started; /* since 1970, in ns */
	u64 reference; /* busy cycles of a core alone, as it was known; harness/core.h; 0: not known */
	bool alone; /* measured on a core alone */
	bool disturbed;
	double cycles, ghz; /* of struct figure */
};

/* What happened to the rounds of one side of a case. */
struct rounds_facts {
	size_t nr_results; /* all of them */
	size_t nr_shared; /* measured on a core that worked for others as well: left out if... */
	bool alone_only; /* ...both sides have enough others */
	size_t nr_without_cycles; /* of those compared, where the others are to be compared in cycles */
	size_t nr_failed, nr_skipped, nr_not_exact, nr_without_figure; /* these are left out */
	size_t nr_interrupted, nr_disturbed, nr_below_floor; /* these are not */
	u64 lost, attempts; /* operations of those that are not */
	struct round_facts *rounds; /* of judged's values, as many and in the same order */
	const char *reason; /* of the first that failed or was skipped; "" for none */
};

struct compared_case {
	struct case_id id;
	const char *unit; /* NULL: no round has the figure */
	struct judged judged;
	struct rounds_facts facts[NR_SIDES];
	bool inexact; /* some round is */
	bool compared; /* both sides have rounds, and so judged a verdict */
	bool fails; /* ran on the base and fails in every round of the new side */
};

enum sort_key {
	SORT_AS_GIVEN,
	SORT_NAME,
	SORT_RATIO, /* the worst first */
	SORT_P,
	SORT_VERDICT,
};

struct comparison {
	/* Given. */
	struct criteria criteria;
	const char *metric;
	const char *filter; /* a shell pattern of the names of cases; NULL: all */
	enum sort_key sort;
	struct record *records[NR_SIDES];
	size_t nr_records[NR_SIDES];

	/* Found. */
	struct differences differences;
	struct compared_case *cases;
	size_t nr_cases, room;
	json_t *by_key; /* the index of each case */
	size_t nr_verdicts[NR_VERDICTS];
	size_t nr_not_compared, nr_failing;
	size_t nr_results[NR_SIDES];
	bool counted, timed; /* there are cases of that kind */
	const char *cpu_model; /* of the first result */
	bool several_cpu_models;
	s64 gap_ns[NR_SIDES]; /* from the last start of the other side to this one's first */
};

/*
 * Fill in what is to be found from what is given. -E_USAGE where there is nothing to compare, or
 * nothing that can be compared. The caller frees it in either case.
 */
int comparison_make(struct comparison *comparison);

/* Has anything become worse? */
bool comparison_is_regression(const struct comparison *comparison);

/* Is there a verdict of better, worse or same on any case, or one that fails? */
bool comparison_is_decided(const struct comparison *comparison);

/* Why a case that is not compared is not, in a few words. Valid until the next call. */
const char *comparison_why_not(const struct compared_case *compared);

/* The records stay with the caller. */
void comparison_free(struct comparison *comparison);

#endif
