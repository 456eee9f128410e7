/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several cases, each run in several rounds. In a round every case runs once, in an order shuffled anew, and
 * its programs are loaded anew: so drift of the machine, the layout of memory and neighbours hit all
 * cases alike, and what differs between two loads of the same program is seen.
 */
#ifndef HARNESS_PLAN_H
#define HARNESS_PLAN_H

#include "options.h"
#include "result.h"

/* Why a case was not run again. */
enum plan_stop {
	PLAN_NOT_STOPPED,
	PLAN_PRECISE, /* the interval of its median is narrow enough */
	PLAN_EXACT, /* instructions were counted: another round says the same */
	PLAN_NOT_EXACT, /* they were, but the batches do not agree */
	PLAN_ROUNDS, /* it had as many as were asked for */
	PLAN_MAX_TIME,
	PLAN_SKIPPED, /* this kernel or user cannot run it */
	PLAN_FAILED,
	PLAN_SIGNAL,
};

const char *plan_stop_name(enum plan_stop stop);

/* What one round of a case came to: ns or, in exact mode, insn. */
struct plan_round {
	double net, raw;
	double net_cycles, raw_cycles, ghz; /* ghz is 0 where these are not known */
	size_t result; /* its index */
};

struct plan_case {
	const struct options *options; /* the caller's */
	char name[256];
	struct plan_round *
		rounds; /* that gave a cost, in the order of time: those who watch others have none */
	size_t nr_rounds, rounds_room;
	u32 nr_run; /* rounds in all */
	u64 took_ns; /* all rounds */
	enum plan_stop stop;
	char reason[256]; /* of PLAN_SKIPPED and PLAN_FAILED */

	/*
	 * What the rounds say that count: those that had a core alone, once there are CORE_ENOUGH_ROUNDS of
	 * them, and all of them until then.
	 */
	size_t nr_alone, nr_shared;
	bool alone_only;
	double *net, *raw; /* of each that counts, ascending; at the plan's clock rate, if at_ghz */
	bool at_ghz;
	size_t nr_counting;
	double median, raw_median; /* of the net and of the raw cost */
	double lo, hi; /* 95% interval of the net cost's median */
	bool has_interval; /* six rounds are needed for one */
};

struct plan {
	unsigned int rounds; /* 0: until precise */
	double precision; /* 0: not asked for */
	u64 max_time_ns; /* of one case */
	bool in_step; /* cases are to be compared: all have the same rounds, chosen in the same way */
	u64 seed;
	struct plan_case *cases;
	size_t nr_cases;
	struct result *results; /* in the order they were run */
	size_t nr_results, room;
	bool exact;
	/*
	 * A clock rate that rounds had, which those of all cases are brought to, for they have others: ns are
	 * cycles by this. 0: not known.
	 */
	double ghz;
};

/* Before a case of a round is run, and after the last. `done` is a share of all the work, guessed. */
typedef void plan_progress(void *data, const struct plan *plan, const struct plan_case *next,
			   double done, u64 left_ns);

/*
 * Cases from the options that `options` has an array of pointers to. Release with plan_free() in any
 * case.
 */
int plan_init(struct plan *plan, const struct options *suite, const struct options *const *options,
	      size_t n);

/*
 * Run all rounds. A case that fails or cannot be run ends by itself only. Returns 0 when all cases that
 * can be run here were; a negative error with its text when one has failed or none can be run.
 */
int plan_run(struct plan *plan, plan_progress *progress, void *data);
void plan_free(struct plan *plan);

/* Machine and tools, which are the same for all results: to be asked for after the run. */
void plan_read_host(struct plan *plan);

/* The signal that ended the plan early, or 0. */
int plan_signal(const struct plan *plan);

#endif
