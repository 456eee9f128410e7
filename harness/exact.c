// SPDX-License-Identifier: GPL-2.0
#include "exact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"

#define NOPS 1000
#define TRIES 100

#define STRING(x) #x
#define TO_STRING(x) STRING(x)

#if defined(__x86_64__)
/* What is between two readings of the counter: two moves, the nops, and one of the readings. */
static u64 cycles_of_nops(void)
{
	u32 low, high, low_after, high_after;

	asm volatile("rdtsc\n"
		     "mov %%eax, %0\n"
		     "mov %%edx, %1\n"
		     ".rept " TO_STRING(NOPS) " - 3\n"
					      "nop\n"
					      ".endr\n"
					      "rdtsc"
		     : "=&r"(low), "=&r"(high), "=&a"(low_after), "=&d"(high_after));
	return ((u64)high_after << 32 | low_after) - ((u64)high << 32 | low);
}
#else
static u64 cycles_of_nops(void)
{
	return 0;
}
#endif

static bool counts_instructions(void)
{
	unsigned int exact = 0;

	for (int i = 0; i < TRIES; i++)
		exact += cycles_of_nops() == NOPS;
	/* A timer tick or two may fall among them. */
	return exact >= TRIES * 9 / 10;
}

int exact_mode(void)
{
	const char *said = getenv("BENCH_EXACT");

	if (counts_instructions())
		return 1;
	if (said && !strcmp(said, "1"))
		return error_set(E_CANNOT, "BENCH_EXACT=1: but time does not count instructions "
					   "here (QEMU with -icount shift=0 would)");
	return 0;
}

u64 exact_tick_insns(void)
{
	struct timespec tick;

	/* The clock that each tick moves on, in the nanoseconds that count instructions. */
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (u64)tick.tv_sec * NSEC_PER_SEC + (u64)tick.tv_nsec;
}

const char *exact_machine(void)
{
	const char *said = getenv("BENCH_VM_QEMU");

	return said ? said : "";
}
