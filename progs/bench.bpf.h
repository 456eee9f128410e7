/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program's side of the harness. A benchmark's program is written once, as a batch, and
 * BENCH_PROG() makes the forms of it that the triggers need:
 *
 *	BENCH_PROG(get)
 *	{
 *		bpf_loop(slot->passes, get_pass, done, 0);
 *	}
 *
 * `slot->passes` says how often the batch repeats its pass, `done` takes what it did. The batch is
 * timed around, and published to the producer's slot afterwards.
 */
#ifndef PROGS_BENCH_BPF_H
#define PROGS_BENCH_BPF_H

#include "kernel.h"

#include <asm/unistd.h>
#include <bpf/bpf_helpers.h>
#include <linux/ptrace.h>

#include "bench_abi.h"
#include "repeat.h"

const volatile struct bench_config bench_config SEC(".rodata.bench");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the harness: one for each producer */
	__type(key, __u32);
	__type(value, struct bench_slot);
} bench_slots SEC(".maps");

typedef void (*bench_batch_fn)(const struct bench_slot *slot, struct bench_counts *done);

/*
 * `pad` instructions. Each of BENCH_MAX_PAD has a way out before it that nothing else uses: the
 * verifier knows which one is taken, and takes out the others with the tests that lead to them. (A
 * test whose two ways are both in use stays, even if it is known which one it takes.)
 */
static __always_inline void bench_pad(__u64 pad)
{
	__u64 scratch;

#define PAD_INSN(n)                                  \
	"if %[pad] <= " #n " goto .Lout_" #n "_%=\n" \
	"%[scratch] = " #n "\n"
#define PAD_OUT(n) ".Lout_" #n "_%=: goto .Lpadded_%=\n"

	asm volatile(REPEAT_64(PAD_INSN) "goto .Lpadded_%=\n" REPEAT_64(PAD_OUT) ".Lpadded_%=:\n"
		     : [scratch] "=&r"(scratch)
		     : [pad] "r"(pad));
#undef PAD_INSN
#undef PAD_OUT
}

/*
 * A zero that the verifier takes for any number, made from one that it does not know, such as the
 * index of a bpf_loop() callback. To count with: numbers that it knows it keeps apart, on kernels
 * before 6.2 even where they decide nothing, and then follows every combination of them.
 */
static __always_inline __u64 zero_unknown_to_verifier(__u64 unknown)
{
	__u64 copy = unknown;

	barrier_var(copy);
	return unknown - copy;
}

/*
 * Goes in front of the operation: `bench_cut(mode) || operation()`. In the twin it is true and the
 * verifier takes the operation out; else it is false, and costs what --pad asks for. `mode` is a
 * local copy of bench_config.mode: the verifier follows a constant through registers and the stack,
 * but not through memory that the compiler reads again.
 */
static __always_inline int bench_cut(__u64 mode)
{
	if (mode == BENCH_MODE_TWIN)
		return 1;
	bench_pad(mode);
	return 0;
}

/*
 * The same for a loop that is unrolled so far that the kernel would spend most of the load on taking
 * out the padding: it is a program with it and one without (`padded`, a constant).
 */
static __always_inline int bench_cut_unrolled(__u64 mode, const int padded)
{
	return padded ? bench_cut(mode) : mode == BENCH_MODE_TWIN;
}

static __always_inline void bench_publish(struct bench_slot *slot, const struct bench_counts *done)
{
	slot->total.batches++;
	slot->total.ns += done->ns;
	slot->total.hits += done->hits;
	slot->total.important_hits += done->important_hits;
	slot->total.drops += done->drops;
}

static __always_inline int bench_run_batch(__u32 index, bench_batch_fn batch)
{
	struct bench_slot *slot = bpf_map_lookup_elem(&bench_slots, &index);
	struct bench_counts done = {};
	__u64 start;

	if (!slot)
		return 0;
	start = bpf_ktime_get_ns();
	batch(slot, &done);
	done.ns = bpf_ktime_get_ns() - start;
	bench_publish(slot, &done);
	return 0;
}

/*
 * Is this getpgid(2) call one of ours? Its argument must carry this variant's cookie, and the
 * caller must be a thread of the process that loaded us: a neighbour may call with any argument.
 */
static __always_inline int bench_is_ours(__u32 argument)
{
	struct bpf_pidns_info ids;

	if ((argument & BENCH_COOKIE_MASK) != bench_config.cookie)
		return 0;
	if (bpf_get_ns_current_pid_tgid(bench_config.pidns_dev, bench_config.pidns_ino, &ids,
					sizeof(ids)))
		return 0;
	return ids.tgid == bench_config.tgid;
}

/*
 * A system call's first argument. The layout of registers is part of the kernel's interface, so
 * nothing is relocated: an object without relocations spares libbpf reading the kernel's BTF.
 */
#if defined(__TARGET_ARCH_x86)
#define SYSCALL_PREFIX "__x64_"
#define FIRST_ARGUMENT(regs) (&((const struct pt_regs *)(regs))->rdi)
#elif defined(__TARGET_ARCH_arm64)
#define SYSCALL_PREFIX "__arm64_"
#define FIRST_ARGUMENT(regs) (&((const struct user_pt_regs *)(regs))->regs[0])
#else
#error "which register holds a system call's first argument? Say it here for this architecture."
#endif

static __always_inline int bench_run_getpgid(__u64 regs, bench_batch_fn batch)
{
	__u64 argument;

	if (bpf_probe_read_kernel(&argument, sizeof(argument), FIRST_ARGUMENT(regs)) ||
	    !bench_is_ours(argument))
		return 0;
	return bench_run_batch(argument & ~BENCH_COOKIE_MASK, batch);
}

#define BENCH_PROG(name)                                                \
	static __always_inline void name(const struct bench_slot *slot, \
					 struct bench_counts *done);    \
                                                                        \
	SEC("raw_tp")                                                   \
	int name##__test_run(struct bpf_raw_tracepoint_args *ctx)       \
	{                                                               \
		return bench_run_batch(ctx->args[0], name);             \
	}                                                               \
                                                                        \
	SEC("raw_tp/sys_enter")                                         \
	int name##__raw_tp(struct bpf_raw_tracepoint_args *ctx)         \
	{                                                               \
		if (ctx->args[1] != __NR_getpgid)                       \
			return 0;                                       \
		return bench_run_getpgid(ctx->args[0], name);           \
	}                                                               \
                                                                        \
	SEC("fentry/" SYSCALL_PREFIX "sys_getpgid")                     \
	int name##__fentry(__u64 *ctx)                                  \
	{                                                               \
		return bench_run_getpgid(ctx[0], name);                 \
	}                                                               \
                                                                        \
	static __always_inline void name(const struct bench_slot *slot, struct bench_counts *done)

/*
 * A program that the benchmark calls itself, outside the clock, with bench_call(): it gets the
 * calling producer's slot and returns 0, or what is wrong.
 */
#define BENCH_HELPER(name)                                                            \
	static __always_inline int name##_body(__u32 index, struct bench_slot *slot); \
                                                                                      \
	SEC("raw_tp")                                                                 \
	int name(struct bpf_raw_tracepoint_args *ctx)                                 \
	{                                                                             \
		__u32 index = ctx->args[0];                                           \
		struct bench_slot *slot = bpf_map_lookup_elem(&bench_slots, &index);  \
                                                                                      \
		return slot ? name##_body(index, slot) : -1;                          \
	}                                                                             \
                                                                                      \
	static __always_inline int name##_body(__u32 index, struct bench_slot *slot)

char LICENSE[] SEC("license") = "GPL";

#endif
