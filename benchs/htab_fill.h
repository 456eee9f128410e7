/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filling a hash map with the keys that are to stay in it, and looking which of them it has. How the
 * map is reached is left to the caller: the kernel, or something that behaves like it.
 */
#ifndef BENCHS_HTAB_FILL_H
#define BENCHS_HTAB_FILL_H

#include "../harness/util.h"

/* The calls; results as libbpf has them, 0 or -errno. */
struct fill_io {
	/* As bpf_map_update_batch(). */
	int (*update)(void *ctx, const u32 *keys, const void *values, u32 *count);
	int (*lookup)(void *ctx, const u32 *key, void *value);
	/* From time to time: 0, or the error to end with. */
	int (*interrupted)(void *ctx);
};

/* Zeroed, and filled in by the caller up to `nr_entries`. */
struct fill {
	const struct fill_io *io;
	void *ctx;
	u32 value_size; /* of one CPU */
	unsigned int nr_cpus; /* 0: not a per-CPU map */
	u64 nr_entries; /* keys from HTAB_FIRST_KEY on */

	/* What one call inserts at most. */
	u32 portion;
	u32 *keys;
	unsigned char *values;

	/* Found by the last look: keys that the map does not have. */
	bool *absent;
	u64 nr_absent;
};

/* The memory that fill_init() takes. */
u64 fill_bytes(const struct fill *fill);

/* Negative errors with their text. Whatever became of init, free undoes it. */
int fill_init(struct fill *fill);
void fill_free(struct fill *fill);

/* Insert all keys, each with its value. */
int fill_map(struct fill *fill);

/* Look up each of the keys. */
int fill_look(struct fill *fill);

/* The first key of these: `absent` or not. Only when there is one. */
u32 fill_first(const struct fill *fill, bool absent);

#endif
