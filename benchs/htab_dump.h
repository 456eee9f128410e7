/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a whole map from user space, a system call at a time, and checking what came. How the map
 * is read is left to the caller: the kernel, or something that behaves like it.
 */
#ifndef BENCHS_HTAB_DUMP_H
#define BENCHS_HTAB_DUMP_H

#include "../harness/util.h"

/* The calls; results as libbpf has them, 0 or -errno. */
struct dump_io {
	/* As bpf_map_lookup_batch(): `in` is NULL at the beginning. */
	int (*batch)(void *ctx, void *in, void *out, u32 *keys, void *values, u32 *count);
	/* In place of it, key by key. `key` is NULL at the beginning. */
	int (*next_key)(void *ctx, const u32 *key, u32 *next);
	int (*lookup)(void *ctx, const u32 *key, void *value);
};

/* Dumps one after another into the same room. Zeroed and filled in by the caller up to `n`. */
struct dump {
	const struct dump_io *io;
	void *ctx;
	bool by_key;
	u32 *keys;
	unsigned char *values;
	size_t value_stride; /* bytes */
	u64 room; /* entries */
	u64 limit; /* entries that one dump can have: more are not right */
	u32 batch_size; /* grows when a bucket does not fit */

	u64 n; /* entries there, of this dump and of those before it */

	/* Of this dump. */
	u64 first; /* its first entry */
	bool begun;
	u64 cursor[2]; /* the kernel's: where the last call ended, and room for the next one's */
	unsigned int turn; /* which of them is the last call's */
	u32 key; /* by_key: the last one */
	u64 walked; /* by_key: keys so far */
	unsigned int interrupted; /* calls in a row */

	/* Of all dumps. */
	u64 growths; /* of batch_size */
	u64 repeated; /* calls that were interrupted */
	u64 vanished; /* by_key: keys that had gone when their value was to be read */
	u64 cut_short; /* by_key: dumps that would not end, since a walk begins anew at a lost key */
};

enum {
	DUMP_GOES_ON,
	DUMP_ENDED,
};

/* Begin a dump behind what is there. The caller sees to it that `limit` entries have room. */
void dump_begin(struct dump *dump);

/* One call, by_key two. DUMP_ENDED, DUMP_GOES_ON, or a negative error with its text. */
int dump_step(struct dump *dump);

/*
 * What a dump must be like. Keys are numbered from HTAB_FIRST_KEY: the first `nr_stable` are there
 * throughout, others up to `nr_keys` come and go, and no other has ever been there.
 */
struct dump_check {
	u64 nr_stable;
	u64 nr_keys;
	u64 nr_absent; /* of the stable ones: the map did not keep them when it was filled */
	const bool *absent; /* which; NULL: none */
	u32 value_size; /* of one CPU */
	unsigned int nr_cpus; /* 0: not a per-CPU map */
	/* What is an error and what is a result depends on these: see check_entry() and dump_check(). */
	bool disturbed; /* others insert and delete their keys meanwhile */
	bool by_key; /* how it was read */
	bool evicts; /* a full map makes room for a new key */
	/* From time to time: 0, or the error to end with. */
	int (*interrupted)(void *ctx);
	void *ctx;

	u32 *seen; /* nr_keys marks, zeroed: of the dump in which each was seen last */
	u32 mark; /* of the last dump */
	u64 dumps; /* that were checked */
	u64 doubles;
	u64 missing; /* of all dumps */
	u64 wrong_values;
};

size_t value_stride(u32 value_size, unsigned int nr_cpus);

/* The value that belongs to a key, value_stride() bytes of it; nr_cpus as in dump_check. */
void value_fill(void *value, u32 value_size, unsigned int nr_cpus, u32 key);

/* Check the entries of one dump. 0, or a negative error with its text. */
int dump_check(struct dump_check *check, const u32 *keys, const void *values, u64 n);

#endif
