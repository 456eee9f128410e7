// SPDX-License-Identifier: GPL-2.0
/* bpf_task_storage_get() on 1 to 1000 maps, in turn or with map 0 in between. */
#include "bench.bpf.h"
#include "local_storage.h"
#include "repeat.h"

const volatile __u32 nr_maps = 1;
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
 * registers and the stack, and takes out the tests on it. That a place is important is told by the
 * sign of a word that moves up by one bit a place, since a test of the sign needs nothing before
 * it. So what remains of the loop without the operation is two instructions a place: the hit is
 * counted, the word moved. That takes all four registers that outlive a call: the rest (volatile)
 * stays on the stack, where it costs no more than a move from a register would.
 */
static __always_inline long visit_places(__u64 index, struct bench_counts *done_arg,
					 const int padded)
{
	struct task_struct *volatile task = bpf_get_current_task_btf();
	struct bench_counts *volatile done = done_arg;
	const __u64 nr = ops_per_pass;
	const __u64 mode = bench_config.mode;
	__s64 important = important_slots[0];
	__u64 counts = zero_unknown_to_verifier(index);

#define GET(i)                                                                   \
	if (nr <= (i)) {                                                         \
		OWN_WAY_OUT(i);                                                  \
		goto out;                                                        \
	}                                                                        \
	if ((i) && (i) % SLOT_WORD_BITS == 0)                                    \
		important = important_slots[(i) / SLOT_WORD_BITS];               \
	if (bench_cut_unrolled(mode, padded) || storage_get(&storage_##i, task)) \
		count_hit(&counts, important < 0, i);                            \
	important <<= 1;                                                         \
	barrier_var(important);

	REPEAT_80(GET)
out:
	count_pass(done, counts);
	return 0;
}

#define DIRECT(name, padded)                                            \
	static long name##_pass(__u64 index, struct bench_counts *done) \
	{                                                               \
		return visit_places(index, done, padded);               \
	}                                                               \
                                                                        \
	BENCH_PROG(name)                                                \
	{                                                               \
		bpf_loop(slot->passes, name##_pass, done, 0);           \
		done->drops = slot->passes * ops_per_pass - done->hits; \
	}

DIRECT(get_direct, 0)
DIRECT(get_direct_padded, 1)

struct piece {
	struct bench_counts done;
	__u32 first; /* map, a multiple of INTERLEAVE */
	__u32 nr_maps;
};

/*
 * Map in map. A get that comes back empty ends the pass, and what is left of it counts as dropped
 * too: were it to go on, the verifier would follow every combination of empty and not.
 * `interleaved` and `whole` (the piece is all there is) are constants, for the compiler.
 */
static __always_inline long visit_maps(__u64 index, struct piece *piece, int interleaved, int whole)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u32 first = whole ? 0 : piece->first;
	const __u32 nr = whole ? nr_maps : piece_maps;
	const __u32 nr_here = whole ? nr : piece->nr_maps;
	const __u64 mode = bench_config.mode;
	__u32 until_map_0 = 1, zero = 0, place;
	__u64 counts = zero_unknown_to_verifier(index);
	void *map;

	for (__u32 i = 0; i < nr; i++) {
		if (!whole && i >= nr_here)
			break;
		place = first + i;
		map = bpf_map_lookup_elem(&outer, &place);
		if (!map || !(bench_cut(mode) || storage_get(map, task)))
			break;
		counts += HIT;
		if (first + i == 0)
			count_important(&counts);
		if (!interleaved || --until_map_0)
			continue;
		until_map_0 = INTERLEAVE;
		map = bpf_map_lookup_elem(&outer, &zero);
		if (!map || !(bench_cut(mode) || storage_get(map, task)))
			break;
		counts += HIT + IMPORTANT;
	}
	count_pass(&piece->done, counts);
	return 0;
}

/* The four combinations, as the pass of a batch each. */
#define MAP_IN_MAP(name, interleaved, whole)                                                       \
	static long name##_pass(__u64 index, struct piece *piece)                                  \
	{                                                                                          \
		return visit_maps(index, piece, interleaved, whole);                               \
	}                                                                                          \
                                                                                                   \
	BENCH_PROG(name)                                                                           \
	{                                                                                          \
		struct piece piece = { .first = slot->piece * piece_maps };                        \
                                                                                                   \
		piece.nr_maps = nr_maps - piece.first;                                             \
		if (piece.nr_maps > piece_maps)                                                    \
			piece.nr_maps = piece_maps;                                                \
		bpf_loop(slot->passes, name##_pass, &piece, 0);                                    \
		done->hits = piece.done.hits;                                                      \
		done->important_hits = piece.done.important_hits;                                  \
		done->drops = slot->passes * list_length(piece.nr_maps, interleaved) - done->hits; \
	}

MAP_IN_MAP(get_seq, 0, 1)
MAP_IN_MAP(get_seq_pieces, 0, 0)
MAP_IN_MAP(get_int, 1, 1)
MAP_IN_MAP(get_int_pieces, 1, 0)

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
