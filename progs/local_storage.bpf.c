// SPDX-License-Identifier: GPL-2.0
/* bpf_task_storage_get() on 1 to 1000 maps, in turn or with map 0 in between. */
#include "bench.bpf.h"
#include "local_storage_abi.h"
#include "repeat.h"

const volatile __u32 nr_maps = 1;
const volatile __u32 interleaved = 0;
const volatile __u64 ops_per_pass = 1;

/* Direct reference: see local_storage_abi.h. */
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
	const __u64 twin = bench_config.twin;
	__s64 important = important_slots[0];
	__u64 hits = 0;

#define GET(i)                                                     \
	if (nr <= (i))                                             \
		goto out;                                          \
	if ((i) && (i) % SLOT_WORD_BITS == 0)                      \
		important = important_slots[(i) / SLOT_WORD_BITS]; \
	if (twin || storage_get(&storage_##i, task)) {             \
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
	bpf_loop(passes, direct_pass, done, 0);
}

static long map_in_map_pass(__u32 index, struct bench_counts *done)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 twin = bench_config.twin;
	const __u64 with_map_0 = interleaved;
	const __u32 nr = nr_maps;
	__u32 until_map_0 = 1, zero = 0;
	__u64 hits = 0;
	void *map;

	for (__u32 i = 0; i < nr; i++) {
		map = bpf_map_lookup_elem(&outer, &i);
		if (!map)
			break;
		if (twin || storage_get(map, task)) {
			hits++;
			if (!i)
				done->important_hits++;
		}
		if (!with_map_0 || --until_map_0)
			continue;
		until_map_0 = INTERLEAVE;
		map = bpf_map_lookup_elem(&outer, &zero);
		if (!map)
			break;
		if (twin || storage_get(map, task)) {
			hits++;
			done->important_hits++;
		}
	}
	done->hits += hits;
	done->drops += ops_per_pass - hits;
	return 0;
}

BENCH_PROG(get_map_in_map)
{
	bpf_loop(passes, map_in_map_pass, done, 0);
}

/*
 * The calling thread's storage, filled and checked outside the clock. Each helper returns how many
 * maps it could not fill (memory comes asynchronously: try again), or found to be wrong.
 */
static __always_inline int fill_one(void *map, struct task_struct *task, __u32 value)
{
	__u32 *stored = storage_get(map, task);

	if (!stored)
		return 1;
	*stored = value;
	return 0;
}

static __always_inline int check_one(void *map, struct task_struct *task, __u32 value)
{
	__u32 *stored = bpf_task_storage_get(map, task, NULL, 0);

	return !stored || *stored != value;
}

#define EACH_MAP_HELPER(name, visit_one)                                                \
	BENCH_HELPER(name)                                                              \
	{                                                                               \
		struct task_struct *task = bpf_get_current_task_btf();                  \
		const __u32 nr = nr_maps;                                               \
		int bad = 0;                                                            \
                                                                                        \
		for (__u32 i = 0; i < nr; i++) {                                        \
			void *map = bpf_map_lookup_elem(&outer, &i);                    \
                                                                                        \
			bad += map ? visit_one(map, task, storage_value(index, i)) : 1; \
		}                                                                       \
		return bad;                                                             \
	}

EACH_MAP_HELPER(fill, fill_one)
EACH_MAP_HELPER(check, check_one)
