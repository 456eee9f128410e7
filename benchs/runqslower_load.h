/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Something for the scheduler to do: pairs of threads that wake each other, and processes that end as
 * soon as they have begun. Each thread of it is stepped by a thread of its own.
 */
#ifndef RUNQSLOWER_LOAD_H
#define RUNQSLOWER_LOAD_H

#include "harness/util.h"

/* The word that a pair waits on, and what each of the two has done. */
struct load_pair {
	u32 turn; /* whose it is: 0 or 1 */
	u64 handovers[2];
} __attribute__((aligned(128)));

struct load {
	struct load_pair *pairs;
	unsigned int nr_pairs;
	unsigned int forks_per_sec;
	u64 next_fork_ns;
	u64 forks;
};

/* 0 or a negative error with its text. load_free() in either case. */
int load_init(struct load *load, unsigned int nr_pairs, unsigned int forks_per_sec);
void load_free(struct load *load);

unsigned int load_nr_threads(const struct load *load);

/* A few milliseconds of what thread `index` is for. A negative error with its text. */
int load_step(struct load *load, unsigned int index);

/* How often one of a pair has woken the other. When no thread is stepped any more. */
u64 load_handovers(const struct load *load);

#endif
