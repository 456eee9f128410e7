/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the hash map writers' program and benchs/bench_htab_dump.c: keys, and what they hold. */
#ifndef PROGS_HTAB_WRITER_ABI_H
#define PROGS_HTAB_WRITER_ABI_H

#include <linux/types.h>

/* Keys are numbered from here on: a zero or a small number that turns up as a key is none. */
#define HTAB_FIRST_KEY 0x42000000U

/* A value begins and, if there is room, ends with its stamp. It tells its key and, per CPU, its CPU. */
#define HTAB_STAMP_SIZE 8

/* No byte is ever zero, so that what was not written is told apart. */
static inline __u64 htab_stamp(__u32 key, __u32 cpu)
{
	return (((__u64)cpu << 32 | key) * 0x9e3779b97f4a7c15ULL) | 0x0101010101010101ULL;
}

/* What a value has between its stamps. */
static inline __u8 htab_filling(__u32 place)
{
	return (__u8)(place * 29 + 1) | 0x80;
}

/* What the program is to do: its raw tracepoint arguments. */
enum htab_write_arg {
	HTAB_WRITE_SCRATCH, /* whose room for a value: the writer's number */
	HTAB_WRITE_FIRST, /* key */
	HTAB_WRITE_NR, /* of keys */
	HTAB_WRITE_DELETE, /* or else insert */
	HTAB_WRITE_NR_ARGS,
};

/* The program runs with preemption off: this many keys at a time, at most. */
#define HTAB_WRITE_MAX_NR 256

#endif
