// SPDX-License-Identifier: GPL-2.0
#include "func_cost.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "func_latency.skel.h" /* needs the types of bench.h */

#define NR_CALLS 301

/* The kernel's own function for test runs: it adds one to its argument. */
#define NEARLY_EMPTY "bpf_fentry_test1"

struct subject {
	struct func_target target;
	struct func_latency_bpf *caller; /* of the kernel's function */
};

__attribute__((noinline)) static void empty(void)
{
	asm volatile("");
}

static int call(const struct subject *subject)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (subject->target.path) {
		empty();
		return 0;
	}
	return bpf_prog_test_run_opts(bpf_program__fd(subject->caller->progs.call_nearly_empty),
				      &opts);
}

/* Where the function is in the file that it was mapped from: without symbols, which may be stripped. */
static int find_own_offset(u64 *offset)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	u64 address = (u64)(uintptr_t)empty;
	int err = error_set(ENOENT, "cannot find bench's own functions in /proc/self/maps");
	u64 from, to, begin;
	char line[512];

	while (maps && err && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &from, &to, &begin) == 3 &&
		    address >= from && address < to) {
			*offset = address - from + begin;
			err = 0;
		}
	}
	if (maps)
		fclose(maps);
	return err;
}

static int open_caller(struct subject *subject)
{
	struct func_latency_bpf *skel = func_latency_bpf__open();
	struct bpf_program *prog;
	int err;

	if (!skel)
		return error_set(errno, "cannot open the func_latency object: %s", strerror(errno));
	subject->caller = skel;
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, prog == skel->progs.call_nearly_empty);
	err = bpf_object__load(skel->obj);
	if (!err)
		err = call(subject);
	return err ? error_set(-err, "%s", strerror(-err)) : 0;
}

static int choose_subject(enum func_probe probe, struct subject *subject)
{
	static char own_file[] = "/proc/self/exe", name[] = NEARLY_EMPTY;

	memset(subject, 0, sizeof(*subject));
	subject->target.function = name;
	if (probe != FUNC_UPROBE)
		return open_caller(subject);
	subject->target.path = own_file;
	return find_own_offset(&subject->target.offset);
}

static int by_value(const void *a, const void *b)
{
	const u64 *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static int median_call(const struct subject *subject, double *median)
{
	u64 took[NR_CALLS];

	for (size_t i = 0; i < NR_CALLS; i++) {
		u64 begun = now_ns();
		int err = call(subject);

		took[i] = now_ns() - begun;
		if (err)
			return error_set(-err, "%s", strerror(-err));
	}
	qsort(took, NR_CALLS, sizeof(*took), by_value);
	*median = (double)took[NR_CALLS / 2];
	return 0;
}

static int measure(struct func_tracer *tracer, const struct subject *subject, enum func_probe probe,
		   struct func_cost *cost)
{
	struct func_attach how = { .target = &subject->target, .probe = probe, .twin = true };
	double bare, twin = 0, real = 0;
	struct func_totals totals;
	int err = median_call(subject, &bare);

	if (!err)
		err = func_tracer_attach(tracer, 0, &how);
	if (!err)
		err = median_call(subject, &twin);
	how.twin = false;
	if (!err)
		err = func_tracer_attach(tracer, 0, &how);
	if (err)
		return err;
	func_tracer_count(tracer, true);
	err = median_call(subject, &real);
	func_tracer_count(tracer, false);
	func_tracer_read(tracer, 0, &totals);
	if (err)
		return err;
	cost->known = true;
	cost->in_sample = round(latency_quantile(&totals.sums, 0.5));
	cost->per_call = real - bare;
	cost->programs = real - twin;
	return 0;
}

int func_cost_measure(enum func_probe probe, struct func_cost *cost)
{
	struct func_tracer *tracer;
	struct subject subject;
	int err;

	memset(cost, 0, sizeof(*cost));
	err = choose_subject(probe, &subject);
	if (!err) {
		tracer = func_tracer_open(1, &err);
		if (!err)
			err = measure(tracer, &subject, probe, cost);
		func_tracer_close(tracer);
	}
	func_latency_bpf__destroy(subject.caller);
	return err;
}
