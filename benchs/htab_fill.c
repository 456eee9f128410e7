// SPDX-License-Identifier: GPL-2.0
#include "htab_fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "../progs/htab_writer_abi.h"
#include "htab_dump.h"

#define PORTION_BYTES (1U << 20)
#define PORTION_MAX_ENTRIES 4096
#define ATTEMPTS 100 /* to insert a portion */

static size_t stride(const struct fill *fill)
{
	return value_stride(fill->value_size, fill->nr_cpus);
}

static u32 choose_portion(const struct fill *fill)
{
	return (u32)min_u64(max_u64(PORTION_BYTES / stride(fill), 1), PORTION_MAX_ENTRIES);
}

u64 fill_bytes(const struct fill *fill)
{
	return choose_portion(fill) * (sizeof(*fill->keys) + stride(fill)) +
	       fill->nr_entries * sizeof(*fill->absent);
}

int fill_init(struct fill *fill)
{
	fill->portion = choose_portion(fill);
	fill->keys = calloc(fill->portion, sizeof(*fill->keys));
	fill->values = calloc(fill->portion, stride(fill));
	fill->absent = calloc(fill->nr_entries + 1, sizeof(*fill->absent));
	if (!fill->keys || !fill->values || !fill->absent)
		return error_set(ENOMEM, "no memory to fill the map");
	return 0;
}

void fill_free(struct fill *fill)
{
	free(fill->keys);
	free(fill->values);
	free(fill->absent);
}

/*
 * Insert `nr` keys from number `first` on. Beside writers it takes another attempt when they hold,
 * for a moment, all of the free elements that were looked at. Each attempt is for all of the keys:
 * how many an attempt that failed has inserted is not to be relied on, and it does no harm to insert a
 * key twice.
 */
static int insert_portion(struct fill *fill, u64 first, u32 nr)
{
	int err = -EAGAIN;

	for (u32 i = 0; i < nr; i++) {
		fill->keys[i] = HTAB_FIRST_KEY + (u32)first + i;
		value_fill(fill->values + i * stride(fill), fill->value_size, fill->nr_cpus,
			   fill->keys[i]);
	}
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		u32 count = nr;

		err = fill->io->update(fill->ctx, fill->keys, fill->values, &count);
		if (err != -E2BIG && err != -EINTR && err != -EAGAIN)
			break;
	}
	if (!err)
		return 0;
	return error_set(-err, "cannot fill the map: keys %llu to %llu of %llu: %s",
			 (unsigned long long)first + 1, (unsigned long long)first + nr,
			 (unsigned long long)fill->nr_entries, strerror(-err));
}

int fill_map(struct fill *fill)
{
	int err = 0;

	for (u64 first = 0; first < fill->nr_entries && !err; first += fill->portion) {
		err = fill->io->interrupted(fill->ctx);
		if (!err)
			err = insert_portion(fill, first,
					     (u32)min_u64(fill->nr_entries - first, fill->portion));
	}
	return err;
}

int fill_look(struct fill *fill)
{
	fill->nr_absent = 0;
	for (u64 i = 0; i < fill->nr_entries; i++) {
		u32 key = HTAB_FIRST_KEY + (u32)i;
		int err = i % fill->portion ? 0 : fill->io->interrupted(fill->ctx);

		if (err)
			return err;
		err = fill->io->lookup(fill->ctx, &key, fill->values);
		if (err && err != -ENOENT)
			return error_set(-err, "cannot look up key %#x: %s", key, strerror(-err));
		fill->absent[i] = err;
		fill->nr_absent += fill->absent[i];
	}
	return 0;
}

u32 fill_first(const struct fill *fill, bool absent)
{
	u64 number = 0;

	while (number < fill->nr_entries && fill->absent[number] != absent)
		number++;
	return HTAB_FIRST_KEY + (u32)number;
}
