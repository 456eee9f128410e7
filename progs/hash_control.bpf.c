// SPDX-License-Identifier: GPL-2.0
/* The control for local storage: bpf_map_lookup_elem() on as many hash maps, keys at random. */
#include "bench.bpf.h"
#include "local_storage.h"
#include "repeat.h"

const volatile __u32 nr_maps = 1;
const volatile __u32 nr_keys_used = 1;
const volatile __u64 ops_per_pass = 1;

/* Each batch with the same keys: counts of instructions are to be the same. */
const volatile __u32 same_keys;

/* Direct reference: see local_storage_abi.h. */
const volatile __u64 important_slots[NR_SLOT_WORDS];

#define HASH_MAP(i)                              \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, 1);          \
		__type(key, __u32);              \
		__type(value, __u32);            \
	} hash_##i SEC(".maps");

REPEAT_80(HASH_MAP)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_MAPS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} outer SEC(".maps");

struct walk {
	struct bench_counts done;
	__u32 seed;
};

/*
 * Passes have sequences of their own, and batches too: else the keys of one batch, which are as many as fit
 * its time, would be all that is ever looked up, and stay in the processor's caches.
 */
static __always_inline struct walk new_walk(const struct bench_slot *slot)
{
	struct walk walk = { .seed = same_keys ? 0 : (__u32)slot->total.batches * 2654435761U };

	return walk;
}

static __always_inline void end_walk(const struct walk *walk, const struct bench_slot *slot,
				     struct bench_counts *done)
{
	done->hits = walk->done.hits;
	done->important_hits = walk->done.important_hits;
	done->drops = slot->passes * ops_per_pass - done->hits;
}

/*
 * The next key of a pseudo-random sequence: a linear congruential generator (Numerical Recipes'
 * constants), its high bits scaled to the keys used. Far cheaper than bpf_get_prandom_u32(), and
 * the same sequence every time. The barrier keeps the twin from leaving it out.
 */
static __always_inline void next_key(__u32 *state, __u32 *key)
{
	*state = *state * 1664525U + 1013904223U;
	*key = (__u64)*state * nr_keys_used >> 32;
	asm volatile("" : : "r"(key) : "memory");
}

static long direct_pass(__u64 index, struct walk *walk)
{
	const __u64 nr = ops_per_pass;
	const __u64 mode = bench_config.mode;
	__s64 important = important_slots[0];
	__u64 counts = zero_unknown_to_verifier(index);
	__u32 state = walk->seed + index, key;

#define LOOKUP(i)                                                    \
	if (nr <= (i)) {                                             \
		OWN_WAY_OUT(i);                                      \
		goto out;                                            \
	}                                                            \
	if ((i) && (i) % SLOT_WORD_BITS == 0)                        \
		important = important_slots[(i) / SLOT_WORD_BITS];   \
	next_key(&state, &key);                                      \
	if (bench_cut(mode) || bpf_map_lookup_elem(&hash_##i, &key)) \
		count_hit(&counts, important < 0, i);                \
	important <<= 1;                                             \
	barrier_var(important);

	REPEAT_80(LOOKUP)
out:
	count_pass(&walk->done, counts);
	return 0;
}

BENCH_PROG(lookup_direct)
{
	struct walk walk = new_walk(slot);

	bpf_loop(slot->passes, direct_pass, &walk, 0);
	end_walk(&walk, slot, done);
}

/* A lookup that comes back empty ends the pass, for the verifier's sake: see local_storage.bpf.c. */
static long map_in_map_pass(__u64 index, struct walk *walk)
{
	const __u64 mode = bench_config.mode;
	const __u32 nr = nr_maps;
	__u64 counts = zero_unknown_to_verifier(index);
	__u32 state = walk->seed + index, key, place;
	void *map;

	for (__u32 i = 0; i < nr; i++) {
		place = i;
		map = bpf_map_lookup_elem(&outer, &place);
		next_key(&state, &key);
		if (!map || !(bench_cut(mode) || bpf_map_lookup_elem(map, &key)))
			break;
		counts += HIT;
		if (!i)
			count_important(&counts);
	}
	count_pass(&walk->done, counts);
	return 0;
}

BENCH_PROG(lookup_map_in_map)
{
	struct walk walk = new_walk(slot);

	bpf_loop(slot->passes, map_in_map_pass, &walk, 0);
	end_walk(&walk, slot, done);
}
