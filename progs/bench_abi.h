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
 * One producer's place in the map "bench_slots". Nobody else writes it, so counting needs no
 * atomic operation and is exact at any number of producers. 128 bytes, since processors fetch
 * cache lines in pairs.
 */
struct bench_slot {
	__u64 passes; /* in: how often to repeat the pass */
	__u64 piece; /* in: which piece of the batch, for passes that are too long to be timed whole */
	struct bench_counts total; /* out: all that this producer did so far */
} __attribute__((aligned(128)));

/* Fixed at load time in .rodata.bench, so that the verifier can cut out what is not asked for. */
struct bench_config {
	__u32 mode; /* BENCH_MODE_TWIN, or how many instructions to pad each operation with */
	__u32 cookie; /* which getpgid(2) arguments fire this variant */
	__u32 tgid; /* of the process whose threads may fire it, in its PID namespace */
	__u32 reserved;
	__u64 pidns_dev;
	__u64 pidns_ino;
};

#define BENCH_MAX_PAD 64
#define BENCH_MODE_TWIN (BENCH_MAX_PAD + 1)

/*
 * The argument of a getpgid(2) call that fires a program: the high half is the cookie (one for
 * each variant), the low half the slot. Positive as a pid, and no process has it.
 */
#define BENCH_COOKIE(variant) (0x42e60000U + ((__u32)(variant) << 16))
#define BENCH_COOKIE_MASK 0xffff0000U
#define BENCH_MAX_SLOTS 0x10000U

#endif
