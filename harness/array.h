/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow as elements are added. */
#ifndef HARNESS_ARRAY_H
#define HARNESS_ARRAY_H

#include <stdlib.h>

#include "util.h"

/*
 * Room for one more element beside the `n` of `size` bytes that there are, at an address that may be
 * new: *room is how many fit. NULL without memory; the array and *room are then as they were.
 */
static inline void *array_with_room(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16;
	void *grown;

	if (n < *room)
		return array;
	grown = reallocarray(array, more, size);
	if (grown)
		*room = more;
	return grown;
}

#endif
