// SPDX-License-Identifier: GPL-2.0
/* bpf_task_storage_get() on 1 to 1000 maps, in turn or with map 0 in between. */
#include "bench.bpf.h"
#include "local_storage_abi.h"
#include "repeat.h"

const volatile __u32 nr_maps = 1;
const volatile __u32 interleaved = 0;
const volatile __u32 piece_maps = MAX_MAPS;

/* Direct reference: how many of the places are used. */
const volatile __u64 ops_per_pass = 1;

const volatile __u64 important_slots[NR_SLOT_WORDS];

#define STORAGE_MAP(i)                                   \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE); \
		__uint(map_flags, BPF_F_NO_PREALLOC);    \
		__type(key, int);                        \
		__type(value, __u32);                    \
	} storage_##i SEC(".maps");

REPEAT_80(STORAGE_MAP)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_MAPS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} outer SEC(".maps");

static __always_inline __u32 *storage_get(void *map, struct task_struct *task)
{
	return bpf_task_storage_get(map, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/*
 * What decides which code stays is copied to locals first: the verifier follows a constant through
 * registers and the stack, and branches on it then cost nothing. That a place is important is
 * told by the sign of a word that moves up by one bit a place, since a test of the sign is a lone
 * branch. So what remains of the loop without the operation is an addition and a shift.
 */
static long direct_pass(__u32 index, struct bench_counts *done)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 nr = ops_per_pass;
	const __u64 mode = bench_config.mode;
	__s64 important = important_slots[0];
	__u64 hits = 0;

#define GET(i)                                                     \
	if (nr <= (i)) {                                           \
		OWN_WAY_OUT(i);                                    \
		goto out;                                          \
	}                                                          \
	if ((i) && (i) % SLOT_WORD_BITS == 0)                      \
		important = important_slots[(i) / SLOT_WORD_BITS]; \
	if (bench_cut(mode) || storage_get(&storage_##i, task)) {  \
		hits++;                                            \
		if (important < 0)                                 \
			done->important_hits++;                    \
	}                                                          \
	important <<= 1;                                           \
	barrier_var(important);

	REPEAT_80(GET)
out:
	done->hits += hits;
	done->drops += nr - hits;
	return 0;
}

BENCH_PROG(get_direct)
{
	bpf_loop(slot->passes, direct_pass, done, 0);
}

struct piece {
	__u32 first; /* map */
	__u32 reserved;
	struct bench_counts done;
};

/*
 * A get that comes back empty ends the pass, and what is left of it counts as dropped too: were it
 * to go on, the verifier would follow every combination of empty and not.
 */
static long map_in_map_pass(__u32 index, struct piece *piece)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u32 first = nr_maps > piece_maps ? piece->first : 0;
	const __u64 mode = bench_config.mode;
	const __u64 with_map_0 = interleaved;
	const __u32 nr = nr_maps, nr_in_piece = piece_maps;
	__u32 until_map_0 = 1, zero = 0, place;
	__u64 hits = 0;
	void *map;

	for (__u32 i = 0; i < nr_in_piece; i++) {
		place = first + i;
		if (first + i >= nr)
			break;
		map = bpf_map_lookup_elem(&outer, &place);
		if (!map || !(bench_cut(mode) || storage_get(map, task)))
			break;
		hits++;
		if (first + i == 0)
			piece->done.important_hits++;
		if (!with_map_0 || --until_map_0)
			continue;
		until_map_0 = INTERLEAVE;
		map = bpf_map_lookup_elem(&outer, &zero);
		if (!map || !(bench_cut(mode) || storage_get(map, task)))
			break;
		hits++;
		piece->done.important_hits++;
	}
	piece->done.hits += hits;
	return 0;
}

BENCH_PROG(get_map_in_map)
{
	struct piece piece = { .first = slot->piece * piece_maps };
	__u32 nr = nr_maps - piece.first;

	if (nr > piece_maps)
		nr = piece_maps;
	bpf_loop(slot->passes, map_in_map_pass, &piece, 0);
	done->hits = piece.done.hits;
	done->important_hits = piece.done.important_hits;
	done->drops = slot->passes * list_length(nr, interleaved) - done->hits;
}

/*
 * The calling thread's storage, filled and checked outside the clock, for thread `owner`. Each
 * helper returns how many maps it could not fill (memory comes asynchronously: try again), or
 * found to be wrong.
 */
struct visit {
	__u32 owner;
	__u32 bad;
};

static long fill_one(__u32 i, struct visit *visit)
{
	void *map = bpf_map_lookup_elem(&outer, &i);
	__u32 *stored = map ? storage_get(map, bpf_get_current_task_btf()) : NULL;

	if (stored)
		*stored = storage_value(visit->owner, i);
	else
		visit->bad++;
	return 0;
}

static long check_one(__u32 i, struct visit *visit)
{
	void *map = bpf_map_lookup_elem(&outer, &i);
	__u32 *stored = NULL;

	if (map)
		stored = bpf_task_storage_get(map, bpf_get_current_task_btf(), NULL, 0);
	if (!stored || *stored != storage_value(visit->owner, i))
		visit->bad++;
	return 0;
}

BENCH_HELPER(fill)
{
	struct visit visit = { .owner = index };

	bpf_loop(nr_maps, fill_one, &visit, 0);
	return visit.bad;
}

BENCH_HELPER(check)
{
	struct visit visit = { .owner = index };

	bpf_loop(nr_maps, check_one, &visit, 0);
	return visit.bad;
}
