// SPDX-License-Identifier: GPL-2.0
/* A loop over the number iterator, as bpf_for() makes it, with a body that does nothing. */
#include "bench.bpf.h"

#include <linux/version.h>

#include "repeat.h"

/* Declared here, since the headers of kernels before 6.4 and of libbpf before 1.2 do not. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
struct bpf_iter_num {
	__u64 opaque[1];
};
#endif

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __weak __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __weak __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __weak __ksym;

const volatile __u32 nr_loops = 1;

/*
 * The iterations that were done. The body takes its index, as every bpf_for() does: the last one
 * tells how many there were, so that counting them adds nothing to each. In the twin it is what it
 * would be; that is put down first, at the same cost in both variants.
 */
static __always_inline __s64 loop(__u32 nr, __u64 mode)
{
	__s64 in_twin = nr;
	struct bpf_iter_num it;
	__s32 index = -1, *next;

	barrier_var(in_twin);
	if (mode == BENCH_MODE_TWIN) {
		OWN_WAY_OUT(0);
		return in_twin;
	}
	bpf_iter_num_new(&it, 0, nr);
	while ((next = bpf_iter_num_next(&it))) {
		bench_pad(mode);
		index = *next;
	}
	bpf_iter_num_destroy(&it);
	return (__s64)index + 1;
}

static long for_pass(__u64 index, struct bench_counts *done)
{
	done->hits += loop(nr_loops, bench_config.mode);
	return 0;
}

BENCH_PROG(empty_for)
{
	bpf_loop(slot->passes, for_pass, done, 0);
}
