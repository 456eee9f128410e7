// SPDX-License-Identifier: GPL-2.0
#include "core.h"

#include "stats.h"

#define BUSY_STEPS 200
#define WARM_STEPS 20
#define SHORT_CHAIN 100

/*
 * Additions that do not wait for each other, as many as fill a core: the empty asm keeps each of them. Of registers,
 * here and below: some processors have the sum of a register and a constant for nothing, at times.
 */
static __attribute__((noinline)) void keep_busy(int steps)
{
	u64 a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, one = 1;

	asm volatile("" : "+r"(one));
	for (int step = 0; step < steps; step++) {
#pragma GCC unroll 4
		for (int i = 0; i < 4; i++) {
			a += one, b += one, c += one, d += one, e += one, f += one;
			asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
		}
	}
}

static __attribute__((noinline)) void add_in_a_chain(int additions)
{
	u64 sum = 0, one = 1;

	asm volatile("" : "+r"(one));
	for (int i = 0; i < additions; i += 4) {
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++) {
			sum += one;
			asm volatile("" : "+r"(sum));
		}
	}
}

/*
 * What was measured may have used up the caches: the first steps fetch the code and the clock's data again. What
 * reading the clock takes is in a short chain and in a long one, and not in the difference.
 */
u64 core_look(struct core_look *look)
{
	u64 begun = now_ns(), warm, busy, short_chain, long_chain;

	keep_busy(WARM_STEPS);
	add_in_a_chain(SHORT_CHAIN);
	warm = now_ns();
	keep_busy(BUSY_STEPS);
	busy = now_ns();
	add_in_a_chain(SHORT_CHAIN);
	short_chain = now_ns();
	add_in_a_chain(SHORT_CHAIN + CORE_CHAIN);
	long_chain = now_ns();
	look->busy_ns = (u32)min_u64(busy - warm, UINT32_MAX);
	/* Less than nothing, where the short one was interrupted: as good as any other wrong value. */
	look->chain_ns = (u32)min_u64(max_u64(long_chain - short_chain, short_chain - busy + 1) -
					      (short_chain - busy),
				      UINT32_MAX);
	return long_chain - begun;
}

u64 core_look_again(struct core_looks *looks)
{
	return core_look(&looks->last[looks->n++ % CORE_LOOKS]);
}

struct core_look core_look_between(const struct core_looks *looks)
{
	size_t n = min_u64(looks->n, CORE_LOOKS), last = looks->n + CORE_LOOKS;
	const struct core_look *before = &looks->last[(last - 2) % CORE_LOOKS];
	const struct core_look *after = &looks->last[(last - 1) % CORE_LOOKS];
	double chains[CORE_LOOKS];

	if (n < 2)
		return (struct core_look){};
	for (size_t i = 0; i < n; i++)
		chains[i] = looks->last[i].chain_ns;
	stats_sort(chains, n);
	return (struct core_look){
		.busy_ns = before->busy_ns > after->busy_ns ? before->busy_ns : after->busy_ns,
		.chain_ns = (u32)(stats_quantile(chains, n, 0.5) + 0.5),
	};
}

double core_ghz(const struct core_look *look)
{
	return CORE_CHAIN / (double)look->chain_ns;
}

u64 core_busy_cycles(const struct core_look *look)
{
	return (u64)(look->busy_ns * core_ghz(look));
}

bool core_is_alone(u64 busy_cycles, u64 reference)
{
	return busy_cycles * 20 <= reference * 23;
}

bool core_agrees(u64 of_run, u64 reference)
{
	return of_run * 25 <= reference * 28;
}

u64 core_reference(double *busy, size_t n)
{
	if (!n)
		return 0;
	stats_sort(busy, n);
	return (u64)busy[n < 3 ? 0 : (n + 9) / 10];
}

bool core_enough_alone(size_t alone, size_t all)
{
	return all && alone >= all / 20 && alone >= min_u64(20, (all + 1) / 2);
}
