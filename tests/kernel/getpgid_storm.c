// SPDX-License-Identifier: GPL-2.0
/*
 * A neighbour for neighbours.bats: calls getpgid(2) without pause, with the arguments that fire
 * the first two slots of both variants (progs/bench_abi.h), and with its own pid in between.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "../../progs/bench_abi.h"

int main(void)
{
	for (;;) {
		for (unsigned int variant = 0; variant < 2; variant++) {
			for (unsigned int slot = 0; slot < 2; slot++)
				syscall(SYS_getpgid, BENCH_COOKIE(variant) | slot);
		}
		syscall(SYS_getpgid, 0);
	}
}
