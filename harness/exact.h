/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exact mode: an emulator in whose machine time goes on by one nanosecond with each instruction
 * (QEMU's -icount shift=0). A duration is then a number of instructions, the same on every host.
 */
#ifndef HARNESS_EXACT_H
#define HARNESS_EXACT_H

#include "util.h"

/*
 * 1 if this machine counts instructions, found out by executing a known number of them; 0 if not;
 * a negative error if the environment says that it should (BENCH_EXACT=1) and it does not.
 */
int exact_mode(void);

/*
 * How many instructions there are from one timer tick to the next: what takes longer is interrupted
 * however often it is tried.
 */
u64 exact_tick_insns(void);

/* What the environment says about the emulator (BENCH_VM_QEMU), "" for nothing. */
const char *exact_machine(void);

#endif
