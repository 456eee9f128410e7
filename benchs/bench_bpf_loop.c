// SPDX-License-Identifier: GPL-2.0
/*
 * What one iteration costs of the ways to loop in a program that the verifier does not unroll:
 * bpf_loop(), and the iterator behind bpf_for(). A pass is one such loop of --nr_loops iterations.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bpf_for.skel.h"
#include "bpf_loop.skel.h"

#define MAX_LOOPS (1U << 23) /* the kernel's limit for both */

struct params {
	u64 nr_loops;
};

static const struct bench_param params[] = {
	BENCH_UINT(nr_loops, struct params, 10, 1, MAX_LOOPS, "iterations of one loop"),
	{},
};

/* The programs of a case: those of one of the two benchmarks. */
struct state {
	struct bpf_loop_bpf *loop[BENCH_NR_VARIANTS];
	struct bpf_for_bpf *iterator[BENCH_NR_VARIANTS];
};

static int setup(struct bench_run *run)
{
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return error_set(ENOMEM, "no memory");
	bench_set_private(run, state);
	return 0;
}

static void teardown(struct bench_run *run)
{
	struct state *state = bench_private(run);

	if (!state)
		return;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		bpf_loop_bpf__destroy(state->loop[variant]);
		bpf_for_bpf__destroy(state->iterator[variant]);
	}
	free(state);
	bench_set_private(run, NULL);
}

static u32 nr_loops(const struct bench_run *run)
{
	const struct params *p = bench_params(run);

	return (u32)p->nr_loops;
}

static u64 ops_per_pass(const struct bench_run *run)
{
	return nr_loops(run);
}

static int load_loop(struct bench_run *run, enum bench_variant variant)
{
	const struct bench_programs programs = { .measured = "empty_loop" };
	struct bpf_loop_bpf *skel = bpf_loop_bpf__open();
	struct state *state = bench_private(run);

	if (!skel)
		return error_set(errno, "cannot open the bpf_loop object: %s", strerror(errno));
	state->loop[variant] = skel;
	skel->rodata->nr_loops = nr_loops(run);
	return bench_load(run, variant, skel->obj, &programs);
}

static int load_for(struct bench_run *run, enum bench_variant variant)
{
	const struct bench_programs programs = { .measured = "empty_for" };
	struct bpf_for_bpf *skel = bpf_for_bpf__open();
	struct state *state = bench_private(run);

	if (!skel)
		return error_set(errno, "cannot open the bpf_for object: %s", strerror(errno));
	state->iterator[variant] = skel;
	skel->rodata->nr_loops = nr_loops(run);
	return bench_load(run, variant, skel->obj, &programs);
}

/*
 * Looked up before anything is loaded: a kernel without the iterator takes the calls of it for
 * calls of nothing, and may follow the loop for the better part of a minute before it says so.
 */
static int need_num_iterator(void)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	bool found;

	if (!kernel)
		return error_set(errno, "cannot read the kernel's BTF: %s", strerror(errno));
	found = btf__find_by_name_kind(kernel, "bpf_iter_num_new", BTF_KIND_FUNC) > 0;
	btf__free(kernel);
	return found ? 0
		     : error_set(E_CANNOT, "this kernel has no bpf_iter_num_new(), which bpf_for() "
					   "is made of: it needs Linux 6.4 or later");
}

static int for_unavailable(void)
{
	int err = bench_need_bpf();

	return err ? err : need_num_iterator();
}

BENCH(bench_bpf_loop){
	.name = "bpf-loop",
	.summary = "one iteration of bpf_loop() of --nr_loops, whose callback does nothing",
	.layout = BENCH_LAYOUT_OPERATIONS,
	.params_size = sizeof(struct params),
	.params = params,
	.unavailable = bench_need_bpf,
	.setup = setup,
	.load = load_loop,
	.teardown = teardown,
	.ops_per_pass = ops_per_pass,
};

BENCH(bench_bpf_for){
	.name = "bpf-for",
	.summary = "one iteration of bpf_for() over --nr_loops, whose body does nothing",
	.layout = BENCH_LAYOUT_OPERATIONS,
	.params_size = sizeof(struct params),
	.params = params,
	.unavailable = for_unavailable,
	.setup = setup,
	.load = load_for,
	.teardown = teardown,
	.ops_per_pass = ops_per_pass,
};
