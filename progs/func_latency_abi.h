/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of func-latency and the benchmark share. */
#ifndef PROGS_FUNC_LATENCY_ABI_H
#define PROGS_FUNC_LATENCY_ABI_H

#include <linux/types.h>

/* Calls of traced functions inside each other that one task can be in; a power of two. */
#define FUNC_MAX_DEPTH 256

/*
 * The fine histogram: each power of two is cut into 8 equal buckets, and below 8 each value has its
 * own. What is longer than 2^48 ns, 3 days, is in the last one.
 */
#define FUNC_PART_BITS 3
#define FUNC_PARTS (1 << FUNC_PART_BITS)
#define FUNC_TOP_BIT 47
#define FUNC_NR_BUCKETS ((FUNC_TOP_BIT - FUNC_PART_BITS + 2) * FUNC_PARTS)

/*
 * Which bucket counts a value: it is halved until its four highest bits are left, the first of which is set unless
 * it was small. The barrier keeps each step a branch: without, the compiler would compute both ways of
 * all of them, and it is on the way of every call.
 */
static inline __attribute__((always_inline)) __u32 func_bucket_of(__u64 ns)
{
	__u32 bucket = 0;

#define HALVE(n)                                 \
	if (ns >> (n) >= FUNC_PARTS) {           \
		ns >>= (n);                      \
		bucket += (n)*FUNC_PARTS;        \
		asm volatile("" : "+r"(bucket)); \
	}
	HALVE(32)
	HALVE(16)
	HALVE(8)
	HALVE(4)
	HALVE(2)
	HALVE(1)
#undef HALVE
	bucket += (__u32)ns;
	return bucket < FUNC_NR_BUCKETS ? bucket : FUNC_NR_BUCKETS - 1;
}

/*
 * One function on one CPU, or on several where there are more CPUs than cells. All is added to
 * atomically: also on its own CPU a program may be interrupted, or where the kernel allows it preempted,
 * by another run of itself.
 */
struct func_cell {
	__u64 entries; /* that a program saw, whatever became of them */
	__u64 total_ns;
	__u64 square_low, square_high; /* sum of squares, of 128 bits */
	__u64 max_ns;
	__u64 min_inverted; /* ~min: so that 0 is "none yet" for both */
	__u64 deepest; /* frames that a task had when it made another call; not counted: 0 */

	/* What became no sample, each counted where its cause was seen. */
	__u64 no_storage; /* on entry: the kernel had no memory for the task's stack, or it was busy */
	__u64 too_deep; /* on entry: the task's stack was full */
	__u64 never_entered; /* a return without an entry */
	__u64 clock_went_back;

	__u64 buckets[FUNC_NR_BUCKETS]; /* of samples */
} __attribute__((aligned(128)));

#define FUNC_NR_CELLS 64 /* a power of two */

/* What is found out about the calls of a function while another is dealt with. */
struct func_leftover {
	__u64 never_returned; /* the stack was seen unwound past it */
	__u64 unfinished; /* still going on at the end */
};

#endif
