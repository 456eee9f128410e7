/* SPDX-License-Identifier: GPL-2.0 */
/* Do a case's task storage maps share the kernel's cache slots as they would on a fresh boot? */
#ifndef BENCHS_STORAGE_SLOTS_H
#define BENCHS_STORAGE_SLOTS_H

#include "harness/util.h"

/* How many of a task's storages the kernel caches. */
#define NR_CACHE_SLOTS 16

/*
 * Maps that were freed a moment ago hold their slots for a while, and then the kernel hands out
 * slots in another order. *even is true if the maps, in the order given, take the slots in turn:
 * the first 16 one each, map i the same as map i - 16. 0 or a negative error with its text.
 */
int storage_slots_even(const int *map_fds, u32 nr_maps, bool *even);

#endif
