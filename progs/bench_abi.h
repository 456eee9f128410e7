/* SPDX-License-Identifier: GPL-2.0 */
/* What a program and the harness share: included from both sides. */
#ifndef PROGS_BENCH_ABI_H
#define PROGS_BENCH_ABI_H

#include <linux/types.h>

/* What batches did. Added to once per batch, never per operation. */
struct bench_counts {
	__u64 batches;
	__u64 ns; /* inside the timed part */
	__u64 hits; /* operations that did what they should */
	__u64 important_hits; /* those of them on the map that the benchmark calls important */
	__u64 drops; /* operations that were attempted and came back empty */
};

/*
 * One producer's place in the map "bench_slots": nobody else writes it, so counting needs no
 * atomic operation, is exact at any number of producers, and stays on cache lines of its own (two
 * of them: the neighbour line is prefetched).
 */
struct bench_slot {
	__u64 passes; /* in: how often the batch repeats its pass */
	struct bench_counts total; /* out: all batches of this producer so far */
	__u64 error; /* out: what a helper program found wrong, 0 for nothing */
} __attribute__((aligned(128)));

/* Fixed at load time in .rodata.bench, so that the verifier can cut out what is not asked for. */
struct bench_config {
	__u32 twin; /* 1: leave the operation out */
	__u32 tgid; /* of the process whose threads may fire the program, in its PID namespace */
	__u64 pidns_dev;
	__u64 pidns_ino;
	__u32 pad; /* extra ALU instructions in each operation */
	__u32 nr_slots;
};

/* Marks our own firing where the trigger passes numbers: the slot is in the low 16 bits. */
#define BENCH_COOKIE 0x42e60000U
#define BENCH_COOKIE_MASK 0xffff0000U

/* Second raw tracepoint argument of a test run; a real one is a system call's number. */
#define BENCH_TEST_RUN (~0ULL)

#endif
