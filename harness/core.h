/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a core does at the moment besides what it is asked for, and how fast it runs.
 *
 * Where two hardware threads share a core, what runs on the other one makes everything slower, by half and more,
 * for microseconds or for seconds; and in a virtual machine that may be the program of somebody else,
 * which no counter of this kernel has seen. But it shows in work that would by itself keep all of a core's
 * units busy. And the clock rate, which changes with what the other cores do, shows in work
 * that takes a known number of cycles.
 */
#ifndef HARNESS_CORE_H
#define HARNESS_CORE_H

#include "util.h"

struct core_look {
	u32 busy_ns; /* what keeps all units busy: twice as long on a shared core */
	u32 chain_ns; /* CORE_CHAIN additions, each of which waits for the one before: a cycle each */
};

#define CORE_CHAIN 1000

/*
 * Look at the core that the calling thread is on: a microsecond. Returns how many ns it took. No two threads at the
 * same time.
 */
u64 core_look(struct core_look *look);

/* Of a batch, from a look before it and one after it: was it alone all the time, and at which clock rate? */
struct core_look core_look_between(const struct core_look *before, const struct core_look *after);

/*
 * If the calling thread, which may run on several CPUs, is on a core that is shared, move it to one of a few
 * others that is not, and had nothing to do of late: a millisecond at most. Where it may run stays the same. Returns the least median of busy
 * cycles that has been seen on any of them since the program began. No two threads at the same time.
 */
u64 core_seek(void);

/* Clock cycles in a ns, and how many of them busy_ns is. */
double core_ghz(const struct core_look *look);
u64 core_busy_cycles(const struct core_look *look);

/* Was the core its thread's alone at a look, by its busy cycles and the least of all looks? */
bool core_is_alone(u64 busy_cycles, u64 least_cycles);

/* Had a run, by the least busy cycles in it and in all of its kind, its core alone at some time? */
bool core_has_been_alone(u64 least_cycles, u64 least_of_all);

/* Are so many batches that had a core alone enough to stand for all? A twentieth, and some twenty. */
bool core_enough_alone(size_t alone, size_t all);

#endif
