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

/* The last looks of a thread. */
#define CORE_LOOKS 5

struct core_looks {
	struct core_look last[CORE_LOOKS];
	size_t n; /* in all; 0: none yet */
};

/* Add a look: the ns that it took. */
u64 core_look_again(struct core_looks *looks);

/*
 * What was so of a piece of a batch between the last two looks: busy_ns of the longer one, and the median chain_ns of all, for
 * what holds up a single chain is not the clock.
 */
struct core_look core_look_between(const struct core_looks *looks);

/*
 * Look at the core for a while, and if it is shared and the calling thread may move, move it to one of a few
 * others that is not, and had nothing to do of late: a millisecond at most. Where the thread may run stays
 * the same. Returns core_reference() of what all calls with the same `may_move` have seen; those that may are
 * taken to run on equal cores. No two threads at the same time.
 */
u64 core_seek(bool may_move);

/* Clock cycles in a ns, and how many of them busy_ns is. */
double core_ghz(const struct core_look *look);
u64 core_busy_cycles(const struct core_look *look);

/* Was the core its thread's alone at a look, by its busy cycles and those of a core alone? */
bool core_is_alone(u64 busy_cycles, u64 reference);

/* Is what a run took for the busy cycles of a core alone that, by what is known of others? */
bool core_agrees(u64 of_run, u64 reference);

/*
 * The busy cycles of a core alone, from several readings. Some are of a core that never was, so it is one of
 * the least; and a reading can be too low, when a chain was held up, so it is not the least of many: the tenth
 * part of them is passed over. `busy` is sorted. 0 for none.
 */
u64 core_reference(double *busy, size_t n);

/*
 * A core may be shared between two looks and at neither of them, where others come and go: so it must have been
 * the thread's alone for so long before a piece of a batch and after it, too, as far as its slice goes, and of short
 * pieces, between which most of the time passes, for so many.
 */
#define CORE_AROUND_NS (250 * NSEC_PER_USEC)
#define CORE_AROUND 8

/* So many rounds on a core alone can stand for all: there is an interval of their median. */
#define CORE_ENOUGH_ROUNDS 6

/* Are so many batches that had a core alone enough to stand for all? A twentieth, and some twenty. */
bool core_enough_alone(size_t alone, size_t all);

#endif
