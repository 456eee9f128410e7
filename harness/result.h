/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The finished result of one case: what every writer in report/ takes. Nothing in here is
 * formatted; every field's name or comment has its unit.
 */
#ifndef HARNESS_RESULT_H
#define HARNESS_RESULT_H

#include "../bench.h"
#include "host.h"
#include "options.h"
#include "stats.h"
#include "trigger.h"

enum result_status {
	RESULT_OK,
	RESULT_INTERRUPTED, /* a signal ended the run early: what is there is right but shorter */
	RESULT_FAILED,
	RESULT_SKIPPED, /* this kernel or user cannot run the case */
};

/* One sampling interval of one variant: real and twin intervals take turns. */
struct result_interval {
	enum bench_variant variant;
	bool warmup; /* not part of any summary */
	double duration_ns; /* mean of the producers' own times, first batch to last */
	double looked_ns; /* of that, spent on looks at the core (core.h), which rates leave out */
	struct bench_counts counts; /* of all producers */
	double hits_per_sec; /* sums of the producers' rates */
	double important_hits_per_sec;
	double drops_per_sec;
	u64 involuntary_switches; /* of the producers */
	s64 steal_ns; /* -1: not known */
	struct stats_cost cost_ns; /* per operation, of the batches of this interval */
};

struct result_rate {
	double mean, stddev; /* per second, over the intervals that count */
	size_t n; /* of them: below two stddev is 0 and means nothing */
};

/*
 * Exact mode: instructions of one operation, from the value that the batches agree on. The batches
 * of a pass in pieces must agree on each piece, and the values of the pieces add up.
 */
struct result_insn {
	double per_op;
	double min, max; /* of single batches, per operation */
	u64 batches;
	u64 agreeing; /* of the piece on which the fewest agree */
	bool exact; /* more than half agree, and none takes half as long as from tick to tick */
};

/* What looks at the producer's core have shown: core.h. */
struct result_core {
	u64 reference; /* busy cycles of a core alone, as far as was known; 0: nobody looked */
	double alone; /* share of the real batches, or of their pieces */
	bool alone_only; /* the costs are of these batches; if not, of all: too few of them were */
	double ghz; /* clock rate: median cycles by median ns of the batches that the costs are of */
};

struct result_program {
	char name[64];
	enum bench_variant variant;
	u32 id;
	char tag[2 * BPF_TAG_SIZE + 1]; /* the kernel's hash of the program, in hex */
	u32 verified_insns; /* 0: the kernel does not say */
	u32 xlated_bytes;
	u32 jited_bytes;
	u64 load_ns; /* of the whole object */
};

struct result_note {
	const char *name;
	char value[128];
};

struct result_loss {
	const char *cause;
	u64 count;
};

/* A figure that the benchmark itself defines. */
struct result_counter {
	const char *name;
	double value;
};

/* A watcher's row: what bench_row() and its companions are given. */
struct result_row {
	char name[128];
	bool exact; /* what is time elsewhere is a count of instructions */
	struct {
		char name[32];
		double value;
	} figures[16];
	size_t nr_figures;
	bool has_histogram;
	u64 histogram[BENCH_NR_BUCKETS];
};

/* The rows of one interval, or of the whole run. */
struct result_rows {
	u64 duration_ns;
	struct result_row *rows;
	size_t n, room;
	bool no_memory; /* for some row */
};

#define RESULT_QUANTILES 101

struct result {
	enum result_status status;
	int ended_by_signal; /* its number, or 0: also of a run that failed all the same */
	char reason[1024]; /* why it failed, was skipped or has no figures; "" otherwise */
	const struct bench *bench;
	const void *params; /* of bench->params_size bytes, described by bench->params */
	const struct options *options;
	enum trigger_kind trigger; /* TRIGGER_AUTO: the benchmark has no program to fire */
	u32 round; /* of a suite, from 1; 0: a single case */
	u32 case_number; /* of a suite, from 0 */
	u64 started_unix_ns;
	u64 setup_ns; /* from the start of the case to the first timed batch; 0: it came to none */
	u64 cpus_used[16]; /* bit set of the CPUs that producers were put on; 0 when not pinned */

	u64 ops_per_pass;
	u64 passes_per_batch;
	u64 pieces_per_batch;

	struct result_interval *intervals; /* in the order of time, warm-up included */
	size_t nr_intervals;

	/* Rates over the real intervals that count. */
	struct result_rate hits, important_hits, drops, total;
	/* The same of the twin: what the loop could do at most. */
	struct result_rate twin_hits;

	/*
	 * Nanoseconds per operation, over the batches of the intervals that count: those that had
	 * the core alone, if core.alone_only.
	 */
	struct result_core core;
	struct stats_cost cost_ns[BENCH_NR_VARIANTS];
	struct stats_net net_ns;
	/* Percentiles 0 to 100 of the batches, per variant: enough to draw the distribution. */
	double quantiles_ns[BENCH_NR_VARIANTS][RESULT_QUANTILES];

	/* The same in cycles of the core's clock; no samples where nobody looked at the core. */
	struct stats_cost cycles[BENCH_NR_VARIANTS];
	struct stats_net net_cycles;

	/* The same in CPU time of the thread; no samples where that is not measured. */
	struct stats_cost cpu_ns[BENCH_NR_VARIANTS];
	struct stats_net net_cpu_ns;
	double user_ns, system_ns; /* of a real operation, mean of all; both 0: not known */

	bool exact; /* exact mode: insn holds, cost_ns and net_ns do not, rates are of no time */
	struct result_insn insn[BENCH_NR_VARIANTS];
	double net_insn; /* per operation; exact if both of insn are */
	char exact_machine[1024]; /* what counts the instructions, and how it was pinned */

	/* Watchers have these in place of intervals, rates and costs. */
	struct result_rows rows; /* of the whole run */
	struct result_rows *row_intervals; /* with -i */
	size_t nr_row_intervals;
	int command_status; /* as a shell tells it: 128 + N by a signal; -1: there was none */
	bool command_cut_short; /* when the time was over: its status is of the signal that did so */

	u64 attempts; /* operations attempted by real batches that count */
	struct result_loss losses[16];
	size_t nr_losses;

	struct result_counter counters[16];
	size_t nr_counters;

	struct result_program programs[8];
	size_t nr_programs;
	struct result_note notes[16];
	size_t nr_notes;

	/* Of the intervals that count: how much the machine disturbed them. */
	u64 involuntary_switches;
	s64 steal_ns; /* -1: not known */

	struct host host;
};

void result_free(struct result *result);

/* Is there something to report? Not when it failed, or was interrupted before the first sample. */
bool result_has_figures(const struct result *result);

/* In exact mode: do the batches of both variants agree? */
bool result_net_is_exact(const struct result *result);

/* Were the costs measured on a core that worked for others as well? */
bool result_core_shared(const struct result *result);

/* Did the machine take so much time away that the figures suffer? Thresholds: result.c. */
bool result_disturbed(const struct result *result);

#endif
