// SPDX-License-Identifier: GPL-2.0
#include "storage_slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "progs/local_storage_abi.h"
#include "storage_slots.skel.h"

struct slot_table {
	struct storage_slot *slots;
	size_t n;
};

static int read_all(int fd, struct slot_table *table)
{
	size_t room = 0, used = 0;
	char *bytes = NULL;
	ssize_t got;

	do {
		if (used == room) {
			char *more = realloc(bytes, room += 64 * 1024);

			if (!more) {
				free(bytes);
				return error_set(ENOMEM, "no memory for the maps' cache slots");
			}
			bytes = more;
		}
		got = read(fd, bytes + used, room - used);
		if (got > 0)
			used += (size_t)got;
	} while (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)));
	table->slots = (struct storage_slot *)bytes;
	table->n = used / sizeof(*table->slots);
	return got < 0 ? error_set(errno, "cannot read the maps' cache slots: %s", strerror(errno))
		       : 0;
}

static int read_table(struct slot_table *table)
{
	struct storage_slots_bpf *skel = storage_slots_bpf__open_and_load();
	struct bpf_link *link = NULL;
	int fd = -1, err;

	if (!skel)
		return error_set(errno, "cannot load the iterator over maps: %s", strerror(errno));
	link = bpf_program__attach_iter(skel->progs.read_storage_slots, NULL);
	if (link)
		fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		err = error_set(errno, "cannot iterate over maps: %s", strerror(errno));
	} else {
		err = read_all(fd, table);
		close(fd);
	}
	bpf_link__destroy(link);
	storage_slots_bpf__destroy(skel);
	return err;
}

static int slot_of(const struct slot_table *table, int map_fd, u32 *slot)
{
	struct bpf_map_info info = {};
	u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(map_fd, &info, &size))
		return error_set(errno, "cannot get a map's id: %s", strerror(errno));
	for (size_t i = 0; i < table->n; i++) {
		if (table->slots[i].map_id == info.id) {
			*slot = table->slots[i].cache_slot;
			return 0;
		}
	}
	return error_set(ENOENT, "map %u is not among the machine's maps", info.id);
}

int storage_slots_even(const int *map_fds, u32 nr_maps, bool *even)
{
	u32 first[NR_CACHE_SLOTS], taken = 0;
	struct slot_table table = {};
	int err = read_table(&table);

	*even = true;
	for (u32 i = 0; i < nr_maps && *even && !err; i++) {
		u32 slot = 0;

		err = slot_of(&table, map_fds[i], &slot);
		if (i < NR_CACHE_SLOTS) {
			*even = !(taken & 1U << slot % 32);
			taken |= 1U << slot % 32;
			first[i] = slot;
		} else {
			*even = slot == first[i % NR_CACHE_SLOTS];
		}
	}
	free(table.slots);
	return err;
}
