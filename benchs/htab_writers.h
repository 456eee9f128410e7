/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writers of a hash map: each inserts and deletes keys of its own over and over, half of them by
 * system calls and half from a BPF program.
 */
#ifndef BENCHS_HTAB_WRITERS_H
#define BENCHS_HTAB_WRITERS_H

#include "../harness/util.h"

struct htab_writer;
struct htab_writer_bpf;

/* Zeroed, and filled in by the caller up to `writers`. */
struct htab_writers {
	int map; /* stays the caller's */
	u32 value_size; /* of one CPU */
	unsigned int nr_cpus; /* 0: not a per-CPU map */
	u32 first_key;
	u32 keys_each; /* even */
	unsigned int nr;

	struct htab_writer *writers;
	unsigned char *values; /* one for each */
	struct htab_writer_bpf *program;
};

/* How many keys a writer may have at most. */
#define HTAB_WRITER_MAX_KEYS 512

/* Of all writers: keys inserted and deleted, and what could not be. */
struct htab_writes {
	u64 by_syscall, by_program;
	u64 refused; /* inserts */
	u64 gone; /* deletes: the key was not there */
};

/* The memory that htab_writers_init() takes for values. */
u64 htab_writers_bytes(const struct htab_writers *writers);

/* Negative errors with their text. Whatever became of init, free undoes it. */
int htab_writers_init(struct htab_writers *writers);
void htab_writers_free(struct htab_writers *writers);

/* On the writer's thread: insert all its keys and delete them again. */
int htab_writers_round(struct htab_writers *writers, unsigned int index);

/* When the threads have ended. */
struct htab_writes htab_writers_sum(const struct htab_writers *writers);

#endif
