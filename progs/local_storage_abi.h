/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the local storage programs, their hash map control, and benchs/bench_local_storage.c. */
#ifndef PROGS_LOCAL_STORAGE_ABI_H
#define PROGS_LOCAL_STORAGE_ABI_H

#include <linux/types.h>

#define MAX_MAPS 1000

/*
 * Direct reference: an unrolled program has NR_SLOTS places, each naming a map symbol of its own.
 * Before loading, each symbol is made to stand for the map that the place is to read: with 16
 * maps, place 17 reads map 1. So the code is the same for every number of maps, and one call of
 * it makes as many whole passes as fit. A program may use 64 maps, a few of which are the
 * harness's, so 60 is the most; interleaved, they fill the 80 places exactly.
 */
#define NR_SLOTS 80
#define MAX_DIRECT_MAPS 60

/* One bit for each place, the first in a word's highest bit. */
#define SLOT_WORD_BITS 64
#define NR_SLOT_WORDS ((NR_SLOTS + SLOT_WORD_BITS - 1) / SLOT_WORD_BITS)

/*
 * Map in map: a pass over very many maps is cut into pieces of `piece_maps` maps, each timed by
 * itself, so that each stays short against the timer tick.
 */

/* Every this many maps, the interleaved pass reads map 0 once more. */
#define INTERLEAVE 3

/* How many gets it takes to visit so many maps from the first, or from any multiple of INTERLEAVE. */
static inline __u32 list_length(__u32 nr_maps, __u32 interleaved)
{
	return nr_maps + (interleaved ? (nr_maps + INTERLEAVE - 1) / INTERLEAVE : 0);
}

/* What is stored where: a value tells whose it is. */
static inline __u32 storage_value(__u32 owner, __u32 map)
{
	return (owner + 1) << 10 | map;
}

/* A value of the control's map: tells its key and the map it was put into. */
static inline __u32 control_value(__u32 map, __u32 key)
{
	return key * 2654435761U ^ map;
}

/* What storage_slots.bpf.c says of each task storage map of the machine. */
struct storage_slot {
	__u32 map_id;
	__u32 cache_slot;
};

#endif
