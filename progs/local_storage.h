/* SPDX-License-Identifier: GPL-2.0 */
/* What the local storage programs and their control share. */
#ifndef PROGS_LOCAL_STORAGE_H
#define PROGS_LOCAL_STORAGE_H

#include "bench.bpf.h"
#include "local_storage_abi.h"

/* Hits and important hits of one pass in one register: an addition counts both. */
#define HIT 1
#define IMPORTANT_SHIFT 16
#define IMPORTANT (1 << IMPORTANT_SHIFT)
#define HITS_MASK (IMPORTANT - 1)

/* Not in C, which the compiler would turn into a choice between two sums: more instructions. */
static __always_inline void count_important(__u64 *counts)
{
	asm volatile("%0 += %1" : "+r"(*counts) : "i"(IMPORTANT));
}

/* A hit at place `i` of an unrolled loop; whether it is important is known to the verifier. */
#define count_hit(counts, is_important, i)       \
	do {                                     \
		*(counts) += HIT;                \
		if (is_important)                \
			count_important(counts); \
		else                             \
			OWN_WAY_OUT(i);          \
	} while (0)

static __always_inline void count_pass(struct bench_counts *done, __u64 counts)
{
	done->hits += counts & HITS_MASK;
	done->important_hits += counts >> IMPORTANT_SHIFT;
}

#endif
