// SPDX-License-Identifier: GPL-2.0
#include "trigger.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../progs/bench_abi.h"
#include "error.h"

#if defined(__x86_64__)
#define SYSCALL_PREFIX "__x64_"
#elif defined(__aarch64__)
#define SYSCALL_PREFIX "__arm64_"
#else
#error "what prefixes a system call's function on this architecture? Say it here."
#endif

static const struct {
	const char *name;
	const char *suffix;
} kinds[TRIGGER_NR_KINDS] = {
	[TRIGGER_AUTO] = { "auto", "" },
	[TRIGGER_TEST_RUN] = { "test_run", "__test_run" },
	[TRIGGER_FENTRY] = { "fentry", "__fentry" },
	[TRIGGER_RAW_TP] = { "raw_tp", "__raw_tp" },
};

const char *trigger_name(enum trigger_kind kind)
{
	return kinds[kind].name;
}

const char *trigger_suffix(enum trigger_kind kind)
{
	return kinds[kind].suffix;
}

int trigger_from_name(const char *name)
{
	for (int kind = 0; kind < TRIGGER_NR_KINDS; kind++) {
		if (!strcmp(kinds[kind].name, name))
			return kind;
	}
	return -1;
}

/* return 0; */
static const struct bpf_insn empty_program[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int probe_test_run(void)
{
	u64 args[1] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = args, .ctx_size_in = sizeof(args));
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "probe_test_run", "GPL", empty_program,
			       ARRAY_SIZE(empty_program), NULL);
	int err;

	if (fd < 0)
		return fd;
	err = bpf_prog_test_run_opts(fd, &run);
	close(fd);
	return err;
}

static int probe_attached(int prog_fd, const char *tracepoint)
{
	int link = bpf_raw_tracepoint_open(tracepoint, prog_fd);

	close(prog_fd);
	if (link < 0)
		return link;
	close(link);
	return 0;
}

static int probe_raw_tp(void)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "probe_raw_tp", "GPL", empty_program,
			       ARRAY_SIZE(empty_program), NULL);

	return fd < 0 ? fd : probe_attached(fd, "sys_enter");
}

static int probe_fentry(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_FENTRY);
	int id = libbpf_find_vmlinux_btf_id(SYSCALL_PREFIX "sys_getpgid", BPF_TRACE_FENTRY);
	int fd;

	if (id < 0)
		return id;
	load.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "probe_fentry", "GPL", empty_program,
			   ARRAY_SIZE(empty_program), &load);
	return fd < 0 ? fd : probe_attached(fd, NULL);
}

static int probe(enum trigger_kind kind)
{
	switch (kind) {
	case TRIGGER_TEST_RUN:
		return probe_test_run();
	case TRIGGER_FENTRY:
		return probe_fentry();
	case TRIGGER_RAW_TP:
		return probe_raw_tp();
	default:
		return -EINVAL;
	}
}

/*
 * The order of preference: a test run needs no attaching, fires nobody else's system calls and
 * is the cheapest; fentry slows down getpgid(2) alone, the raw tracepoint every system call of
 * the machine.
 */
static int resolve_auto(enum trigger_kind *resolved)
{
	static const enum trigger_kind order[] = {
		TRIGGER_TEST_RUN,
		TRIGGER_FENTRY,
		TRIGGER_RAW_TP,
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		err = probe(order[i]);
		if (!err) {
			*resolved = order[i];
			return 0;
		}
	}
	return error_set(E_CANNOT,
			 "no way to fire a program: this kernel refuses test runs, fentry "
			 "and raw tracepoints alike (%s)",
			 strerror(-err));
}

int trigger_resolve(enum trigger_kind kind, enum trigger_kind *resolved)
{
	int err;

	if (kind == TRIGGER_AUTO)
		return resolve_auto(resolved);
	err = probe(kind);
	if (err)
		return error_set(
			E_CANNOT, "--trigger %s: this kernel refuses it (%s)%s; try --trigger auto",
			trigger_name(kind), strerror(-err),
			kind == TRIGGER_FENTRY ? ", it has no usable BPF trampolines" : "");
	*resolved = kind;
	return 0;
}

int trigger_attach(struct trigger *trigger, enum trigger_kind kind, struct bpf_program *prog)
{
	trigger->kind = kind;
	trigger->prog_fd = bpf_program__fd(prog);
	if (kind == TRIGGER_TEST_RUN)
		return 0;
	trigger->link = bpf_program__attach(prog);
	if (!trigger->link)
		return error_set(errno, "cannot attach %s by %s: %s", bpf_program__name(prog),
				 trigger_name(kind), strerror(errno));
	return 0;
}

void trigger_detach(struct trigger *trigger)
{
	bpf_link__destroy(trigger->link);
	trigger->link = NULL;
}

int trigger_fire(const struct trigger *trigger, unsigned int variant, unsigned int slot)
{
	if (trigger->kind == TRIGGER_TEST_RUN) {
		u64 args[1] = { slot };
		LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = args, .ctx_size_in = sizeof(args));

		return bpf_prog_test_run_opts(trigger->prog_fd, &run);
	}
	/* No process has this number, so the call itself ends at once with ESRCH. */
	syscall(SYS_getpgid, BENCH_COOKIE(variant) | slot);
	return 0;
}
