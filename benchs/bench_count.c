// SPDX-License-Identifier: GPL-2.0
/*
 * Counting in user space, all producers on one counter or each on its own: what a shared atomic
 * costs, and what the harness itself can count at most.
 */
#include <stdatomic.h>

#include "bench.h"

static _Atomic u64 shared_counter;

/* Keeps the compiler from folding the loop into one addition. */
static inline void keep_loop(void)
{
	asm volatile("" : : : "memory");
}

static u64 one_op(const struct bench_run *run)
{
	(void)run;
	return 1;
}

static int count_global(struct bench_producer *producer, enum bench_variant variant, u64 passes,
			struct bench_counts *done)
{
	u64 start = now_ns();

	(void)producer;
	for (u64 i = 0; i < passes; i++) {
		if (variant == BENCH_REAL)
			atomic_fetch_add_explicit(&shared_counter, 1, memory_order_relaxed);
		keep_loop();
	}
	done->ns = now_ns() - start;
	done->batches = 1;
	done->hits = passes;
	return 0;
}

static int count_local(struct bench_producer *producer, enum bench_variant variant, u64 passes,
		       struct bench_counts *done)
{
	static _Thread_local volatile u64 own_counter;
	u64 start = now_ns();

	(void)producer;
	for (u64 i = 0; i < passes; i++) {
		if (variant == BENCH_REAL)
			own_counter++;
		keep_loop();
	}
	done->ns = now_ns() - start;
	done->batches = 1;
	done->hits = passes;
	return 0;
}

BENCH(bench_count_global){
	.name = "count-global",
	.summary = "user space: all producers add to one counter, atomically",
	.layout = BENCH_LAYOUT_HITS_DROPS,
	.batch = count_global,
	.ops_per_pass = one_op,
};

BENCH(bench_count_local){
	.name = "count-local",
	.summary = "user space: each producer adds to a counter of its own",
	.layout = BENCH_LAYOUT_HITS_DROPS,
	.batch = count_local,
	.ops_per_pass = one_op,
};
