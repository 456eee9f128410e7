// SPDX-License-Identifier: GPL-2.0
/*
 * Which cache slot each task storage map of the machine holds. A task caches the storage of one
 * map for each of 16 slots, so maps that share a slot push each other out: whether they do decides
 * what a get costs, and must be known.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "local_storage_abi.h"

SEC("iter/bpf_map")
int read_storage_slots(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	struct storage_slot slot;

	if (!map || map->map_type != BPF_MAP_TYPE_TASK_STORAGE)
		return 0;
	slot.map_id = map->id;
	slot.cache_slot = BPF_CORE_READ((struct bpf_local_storage_map *)map, cache_idx);
	bpf_seq_write(ctx->meta->seq, &slot, sizeof(slot));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
