/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by run.c (the case), producer.c (its threads) and load.c (its programs). */
#ifndef HARNESS_RUN_INTERNAL_H
#define HARNESS_RUN_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "../bench.h"
#include "command.h"
#include "core.h"
#include "run.h"

#define MAX_HELPERS 4
#define MAX_PIECES 1024 /* of a batch */

/* One loaded variant of the case's program. */
struct loaded {
	struct bpf_object *object; /* the benchmark's */
	struct trigger trigger;
	void *slots; /* mapped array of struct bench_slot */
	size_t slots_size;
	struct {
		const char *name;
		int fd;
	} helpers[MAX_HELPERS];
};

/* Batches put together from pieces that had their core alone: summary.c. All NULL and 0 until then. */
struct alone_batches {
	size_t *pieces; /* of each batch, which ones it is made of */
	size_t *blocks; /* at which batch each slice begins, and the end of the last */
	size_t n; /* batches */
	size_t nr_pieces; /* that had their core alone, whether in a batch or not */
};

/*
 * The samples of one producer and variant, in the order of time: of each batch, those of each of its
 * pieces. When the room is full every second batch is dropped and from then on only every
 * stride-th is taken: so they stay evenly spread over the run.
 */
struct samples {
	u64 *ns;
	u64 *cpu_ns;
	struct core_look *looks; /* at the core, from before the piece to after it */
	size_t room; /* of each of these */
	size_t pieces; /* of a batch */
	size_t n; /* batches */
	u64 stride;
	u64 skipped; /* since the last one taken */
	size_t *blocks; /* at which batch each slice begins */
	size_t nr_blocks;
	struct alone_batches alone;
};

void counts_add(struct bench_counts *sum, const struct bench_counts *more);

/* CPU time of a thread. */
struct cpu_time {
	u64 ns;
	u64 user_ns, system_ns; /* by the kernel's accounting, perhaps of ticks: clock.c */
};

void cpu_time_add(struct cpu_time *sum, const struct cpu_time *more);

/* What bench_clock_start() and bench_clock_stop() keep. */
struct batch_clock {
	u64 start_ns;
	struct cpu_time start;
	struct cpu_time batch; /* spent since the batch began */
};

/* What a producer did in one slice. Written by the producer until it is closed, then read. */
struct slice {
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC */
	u64 batches;
	u64 clock_went_back; /* batches without a duration */
	struct bench_counts counts;
	struct cpu_time cpu;
	u64 involuntary_switches;
	u64 looked_ns; /* time for looks at the core, which is none of the benchmark's */
	u64 alone; /* pieces that may be found to have had the core alone: see summary.c */
};

enum phase_kind {
	PHASE_WAIT, /* nothing to do yet */
	PHASE_WARMUP_REAL,
	PHASE_WARMUP_TWIN,
	PHASE_REAL,
	PHASE_TWIN,
	PHASE_STOP,
};

struct bench_producer {
	struct bench_run *run;
	unsigned int index;
	int cpu; /* -1: not pinned */
	u64 piece; /* of the batch, the one that is next */
	struct batch_clock clock;
	pthread_t thread;
	bool started;

	struct samples samples[BENCH_NR_VARIANTS];
	u64 reference; /* busy cycles of a core alone, by core_seek() */
	struct slice closed; /* the last slice that ended */

	int err;
	char err_text[1024];
};

/* A thread beside the producers. */
struct background {
	struct bench_run *run;
	unsigned int index;
	pthread_t thread;
	int err;
	char err_text[1024];
};

struct bench_run {
	const struct options *options;
	const struct bench *bench;
	struct result *result;
	const struct run_observer *observer;
	void *private;
	u64 begun_ns; /* CLOCK_MONOTONIC */
	enum trigger_kind trigger;

	struct loaded loaded[BENCH_NR_VARIANTS];
	struct bench_producer *producers;
	bool looks_at_core; /* core.h */
	struct background *background;
	unsigned int nr_background; /* that have been started */
	_Atomic bool background_over;
	u64 passes; /* of a batch */
	u64 pieces; /* of a batch, each fired by itself */
	size_t nr_cpus; /* that producers may be on */
	u64 interval_ns;
	unsigned int slices_per_interval; /* in a suite at least: see most_slices */
	unsigned int most_slices; /* that an interval goes on for while its core is shared */
	u64 batches_per_slice; /* exact mode; 0: a slice lasts until the phase changes */
	struct command command; /* of a watcher */
	bool watching; /* attached, to be detached */
	struct result_rows *rows; /* that a watcher's read() gives now */
	size_t nr_slices[BENCH_NR_VARIANTS]; /* with samples, and in an interval's counts */
	struct cpu_time cpu; /* of these slices, real ones, and how many batches they had */
	u64 cpu_batches;

	/*
	 * The phase, and how many times it has changed: producers poll it between batches. The
	 * lock and the condition are for waiting only.
	 */
	_Atomic u64 phase;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int nr_done; /* producers that have done what the phase asks for */
	_Atomic bool failed; /* a producer or a background thread has given up */
};

/*
 * background.c
 *
 * Start the benchmark's background threads, if it has any; stop and join those that were started.
 * A thread that fails ends the run: background_error() is the first one's, or 0.
 */
int background_start(struct bench_run *run);
int background_error(const struct bench_run *run);
int background_stop(struct bench_run *run);

/* watch.c: measure() of watchers, and the end of it, whether it succeeded or not. */
int watch_measure(struct bench_run *run);
void watch_stop(struct bench_run *run);

/* load.c */
void loaded_release(struct bench_run *run);

/* Wait until the time, less long when a signal comes. */
void run_sleep_until(u64 end_ns);

/* Set-up is over: take note of how long it took, and tell the observer. */
int run_tell_started(struct bench_run *run);

/* Has a signal asked for the end? */
bool run_signalled(void);

/* summary.c: from the producers' samples and the result's intervals to the result's figures. */
int summarise(struct bench_run *run);

/*
 * producer.c
 *
 * Start the producers on `cpus` (one for each; -1: anywhere) and wait until all are ready to
 * measure. `max_slices` bounds how many slices of one variant will be asked for.
 */
int producers_start(struct bench_run *run, const int *cpus, size_t max_slices);

/*
 * Change the phase and wait until every producer has closed its slice of the phase before, and so
 * is in the new one. The error of the first producer that failed, or 0.
 */
int producers_enter(struct bench_run *run, enum phase_kind kind);

/* Stop and join all threads that were started. The first producer's error, or 0. */
int producers_stop(struct bench_run *run);
void producers_free(struct bench_run *run);

static inline struct bench_slot *run_slot(const struct bench_run *run, enum bench_variant variant,
					  unsigned int index)
{
	return (struct bench_slot *)run->loaded[variant].slots + index;
}

#endif
