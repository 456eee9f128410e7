// SPDX-License-Identifier: GPL-2.0
/* bpf_loop() with a callback that does nothing. */
#include "bench.bpf.h"
#include "repeat.h"

const volatile __u32 nr_loops = 1;

/*
 * What --pad adds belongs into the callback, where nothing is known that costs nothing: reading
 * bench_config would be two instructions more an iteration. So there is a callback for each number
 * of instructions, and the verifier takes out all but the one that is called.
 */
/* clang-format off */
#define CALLBACK(n)                                                            \
	static long callback_##n(__u64 index, void *unused)                    \
	{                                                                      \
		asm volatile(".rept " #n "\n r0 = 0\n .endr" : : : "r0");      \
		return 0;                                                      \
	}
/* clang-format on */

REPEAT_64(CALLBACK)
CALLBACK(64)

/*
 * The iterations that were done, or a negative error, with which the counts do not add up. In the
 * twin it is what it would be; that is put down first, at the same cost in both variants.
 */
static __always_inline long loop(__u32 nr, __u64 mode)
{
	long in_twin = nr;

	barrier_var(in_twin);
#define LOOP(n)                                             \
	if (mode == (n)) {                                  \
		OWN_WAY_OUT(n);                             \
		return bpf_loop(nr, callback_##n, NULL, 0); \
	}

	REPEAT_64(LOOP)
	LOOP(64)
	return in_twin;
}

/*
 * The batch repeats its pass by bpf_loop() too. In a loop written out here, the verifier would go
 * through the callback again for every pass, and on kernels that take a callback as called any number
 * of times, through every combination of how often.
 */
static long loop_pass(__u64 index, struct bench_counts *done)
{
	done->hits += loop(nr_loops, bench_config.mode);
	return 0;
}

BENCH_PROG(empty_loop)
{
	bpf_loop(slot->passes, loop_pass, done, 0);
}
