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

struct storage_slots {
	struct storage_slots_bpf *skel;
	struct bpf_link *link;
};

struct storage_slots *storage_slots_open(void)
{
	struct storage_slots *reader = calloc(1, sizeof(*reader));

	if (!reader) {
		error_set(ENOMEM, "no memory for the maps' cache slots");
		return NULL;
	}
	reader->skel = storage_slots_bpf__open_and_load();
	if (reader->skel)
		reader->link =
			bpf_program__attach_iter(reader->skel->progs.read_storage_slots, NULL);
	if (!reader->link) {
		error_set(errno, "cannot load the iterator over maps: %s", strerror(errno));
		storage_slots_close(reader);
		return NULL;
	}
	return reader;
}

void storage_slots_close(struct storage_slots *reader)
{
	if (!reader)
		return;
	bpf_link__destroy(reader->link);
	storage_slots_bpf__destroy(reader->skel);
	free(reader);
}

static int read_table(const struct storage_slots *reader, struct slot_table *table)
{
	int fd = bpf_iter_create(bpf_link__fd(reader->link));
	int err;

	if (fd < 0)
		return error_set(errno, "cannot iterate over maps: %s", strerror(errno));
	err = read_all(fd, table);
	close(fd);
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

static int read_slots(const struct storage_slots *reader, const int *map_fds, u32 nr_maps,
		      u32 *slots)
{
	struct slot_table table = {};
	int err = read_table(reader, &table);

	for (u32 i = 0; i < nr_maps && !err; i++) {
		err = slot_of(&table, map_fds[i], &slots[i]);
		if (!err && slots[i] >= NR_CACHE_SLOTS)
			err = error_set(EPROTO, "a map has cache slot %u, %d are known", slots[i],
					NR_CACHE_SLOTS);
	}
	free(table.slots);
	return err;
}

/* How many of `nr` maps that take the slots in turn are in the slot whose turn is `turn`th. */
static u32 maps_of_turn(u32 nr, u32 turn)
{
	return nr / NR_CACHE_SLOTS + (turn < nr % NR_CACHE_SLOTS);
}

/*
 * Give the first turns, which need a map more than the others, to the slots that have most. Equal
 * ones stay in the order of their numbers. False if a slot has not enough.
 */
static bool choose_turns(const u32 *slots, u32 nr_maps, u32 nr_needed, u32 *slot_of_turn)
{
	u32 available[NR_CACHE_SLOTS] = {};
	bool taken[NR_CACHE_SLOTS] = {};

	for (u32 i = 0; i < nr_maps; i++)
		available[slots[i]]++;
	for (u32 turn = 0; turn < NR_CACHE_SLOTS; turn++) {
		u32 best = NR_CACHE_SLOTS;

		for (u32 slot = 0; slot < NR_CACHE_SLOTS; slot++) {
			if (taken[slot])
				continue;
			if (best == NR_CACHE_SLOTS || available[slot] > available[best])
				best = slot;
		}
		if (available[best] < maps_of_turn(nr_needed, turn))
			return false;
		taken[best] = true;
		slot_of_turn[turn] = best;
	}
	return true;
}

/* Bring a map of each turn's slot forward; the maps before it are those chosen so far. */
static void put_in_turn(int *map_fds, u32 *slots, u32 nr_needed, const u32 *slot_of_turn)
{
	for (u32 i = 0; i < nr_needed; i++) {
		u32 from = i, slot = slot_of_turn[i % NR_CACHE_SLOTS];
		int fd;

		while (slots[from] != slot)
			from++;
		fd = map_fds[from];
		/* The others keep their order. */
		memmove(map_fds + i + 1, map_fds + i, (from - i) * sizeof(*map_fds));
		memmove(slots + i + 1, slots + i, (from - i) * sizeof(*slots));
		map_fds[i] = fd;
		slots[i] = slot;
	}
}

bool storage_slots_choose(int *map_fds, u32 *slots, u32 nr_maps, u32 nr_needed)
{
	u32 slot_of_turn[NR_CACHE_SLOTS];

	if (!choose_turns(slots, nr_maps, nr_needed, slot_of_turn))
		return false;
	put_in_turn(map_fds, slots, nr_needed, slot_of_turn);
	return true;
}

int storage_slots_arrange(struct storage_slots *reader, int *map_fds, u32 nr_maps, u32 nr_needed,
			  bool *even)
{
	u32 *slots = calloc(nr_maps, sizeof(*slots));
	int err;

	if (!slots)
		return error_set(ENOMEM, "no memory for the maps' cache slots");
	err = read_slots(reader, map_fds, nr_maps, slots);
	if (!err)
		*even = storage_slots_choose(map_fds, slots, nr_maps, nr_needed);
	free(slots);
	return err;
}
