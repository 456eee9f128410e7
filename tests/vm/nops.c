// SPDX-License-Identifier: GPL-2.0
/*
 * Is time a count of instructions here? Times 1000 nops with the time stamp counter, 100 times:
 * every reading is 1000 on an exact machine, and hardly any elsewhere. The first line is how many
 * instructions the machine had executed when main() began.
 */
#include <stdint.h>
#include <stdio.h>

static uint64_t nops(void)
{
	uint32_t low, high, start_low, start_high;

	asm volatile("rdtsc\n\t"
		     "mov %%eax, %0\n\t"
		     "mov %%edx, %1\n\t"
		     ".rept 997\n\t"
		     "nop\n\t"
		     ".endr\n\t"
		     "rdtsc"
		     : "=&r"(start_low), "=&r"(start_high), "=&a"(low), "=&d"(high));
	return ((uint64_t)high << 32 | low) - ((uint64_t)start_high << 32 | start_low);
}

int main(void)
{
	uint64_t begun = __builtin_ia32_rdtsc();
	int i, exact = 0;

	for (i = 0; i < 100; i++)
		exact += nops() == 1000;
	printf("begun %llu\nexact %d of 100\n", (unsigned long long)begun, exact);
	return exact != 100;
}
