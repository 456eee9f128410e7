/* SPDX-License-Identifier: GPL-2.0 */
/* Task storage maps that share the kernel's cache slots as they would on a fresh boot. */
#ifndef BENCHS_STORAGE_SLOTS_H
#define BENCHS_STORAGE_SLOTS_H

#include "harness/util.h"

/* How many of a task's storages the kernel caches. */
#define NR_CACHE_SLOTS 16

struct storage_slots;

/*
 * Load the program that reads the slots, once for any number of readings. NULL with the error's
 * text set. The caller closes it; NULL may be closed.
 */
struct storage_slots *storage_slots_open(void);
void storage_slots_close(struct storage_slots *reader);

/*
 * On a fresh boot maps take the slots in turn: the first 16 one each, map i the same as map i - 16.
 * But maps that were freed a moment ago hold their slots for a while, as do those of other programs,
 * and then the kernel hands out slots in another order. So of nr_maps maps this chooses nr_needed
 * and puts them first in map_fds, ordered as if they had taken the slots in turn. *even is false
 * if there are too few in some slot: with more maps it may succeed. 0 or a negative error with its
 * text.
 */
int storage_slots_arrange(struct storage_slots *reader, int *map_fds, u32 nr_maps, u32 nr_needed,
			  bool *even);

/* The choice alone: slots[i] is that of map_fds[i], below NR_CACHE_SLOTS. Reorders both, or neither. */
bool storage_slots_choose(int *map_fds, u32 *slots, u32 nr_maps, u32 nr_needed);

#endif
