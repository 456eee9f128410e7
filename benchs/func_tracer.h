/* SPDX-License-Identifier: GPL-2.0 */
/* The traced functions' side of the kernel: programs, probes, and what they have counted. */
#ifndef BENCHS_FUNC_TRACER_H
#define BENCHS_FUNC_TRACER_H

#include "func_spec.h"
#include "latency_stats.h"

enum func_probe {
	FUNC_FENTRY,
	FUNC_KPROBE,
	FUNC_UPROBE,
	FUNC_NR_PROBES,
};

extern const char *const func_probe_names[FUNC_NR_PROBES + 1];

/* All that was counted of one function, of all CPUs. */
struct func_totals {
	struct latency_sums sums; /* min and max: since the last reading */
	u64 entries;
	u64 deepest;
	u64 no_storage, too_deep, never_returned, never_entered, clock_went_back, unfinished;
};

struct func_tracer;

/* For so many functions. NULL with the error set: -E_CANNOT in error is the kernel's refusal. */
struct func_tracer *func_tracer_open(unsigned int nr_functions, int *error);
void func_tracer_close(struct func_tracer *tracer);

struct func_attach {
	const struct func_target *target;
	enum func_probe probe;
	u64 net_of_ns; /* taken off each duration */
	bool twin; /* programs that do nothing */
	struct bench_run *run; /* to record the programs in; NULL: they are not of interest */
};

/* Load and attach the programs for one function. A negative errno with the reason as its text. */
int func_tracer_attach(struct func_tracer *tracer, unsigned int function,
		       const struct func_attach *how);

/* Detach all probes. What was counted stays. */
void func_tracer_detach(struct func_tracer *tracer);

/* Begin, or end, to count. At its end no program is in the middle of counting. */
void func_tracer_count(struct func_tracer *tracer, bool on);

/* When nothing is counted any more: find the calls that are still going on. */
int func_tracer_find_unfinished(struct func_tracer *tracer);

void func_tracer_read(struct func_tracer *tracer, unsigned int function,
		      struct func_totals *totals);

/* How often the kernel left out the entry program, since it was already running on that CPU. */
u64 func_tracer_missed(const struct func_tracer *tracer, unsigned int function);

#endif
