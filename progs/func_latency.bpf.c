// SPDX-License-Identifier: GPL-2.0
/*
 * How long calls of a function take: one object for each traced function. Each task has a stack of
 * the calls that it is in, of all traced functions. A call is known by where the machine's stack was,
 * so that one that never comes back (longjmp, a return that the kernel had no probe for) is
 * found out by the next that happens further up.
 *
 * Every instruction here is paid for twice: by whoever calls the function, and as a part of
 * what is measured of the callers. What is rare is out of the way, in functions of its own.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <linux/ptrace.h>
#include <bpf/bpf_tracing.h>

#include "func_latency_abi.h"

const volatile __u32 function; /* which one this object is for */
const volatile __u32 stack_size; /* of a task in the kernel */
const volatile __u64 net_of_ns; /* taken off each duration */

/* Whether calls are counted: probes are attached one after the other, but all begin at once. */
volatile __u64 func_counting SEC(".data.counting");

/* In .bss: a map of the object's own, and without a lookup. */
struct func_cell func_cells[FUNC_NR_CELLS];

struct func_frame {
	__u64 place; /* of the machine's stack: the same on entry and on return */
	__u64 start_ns;
	__u64 function;
};

struct func_stack {
	__u64 depth; /* beyond FUNC_MAX_DEPTH: calls that have no frame */
	struct func_frame frames[FUNC_MAX_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct func_stack);
} func_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* functions */
	__type(key, __u32);
	__type(value, struct func_leftover);
} func_leftovers SEC(".maps");

static __always_inline struct func_cell *own_cell(void)
{
	struct func_cell *cell = &func_cells[bpf_get_smp_processor_id() & (FUNC_NR_CELLS - 1)];

	/* Computed once, and not for each member again. */
	barrier_var(cell);
	return cell;
}

static __always_inline struct func_leftover *leftover_of(const struct func_frame *frame)
{
	__u32 key = frame->function;

	return bpf_map_lookup_elem(&func_leftovers, &key);
}

static __always_inline void count(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

static __always_inline struct func_frame *frame_at(struct func_stack *stack, __u64 at)
{
	/* The compiler, which knows more of it than the verifier, would leave the mask out. */
	barrier_var(at);
	return &stack->frames[at & (FUNC_MAX_DEPTH - 1)];
}

/* Of those that are there: how many have a frame. */
static __always_inline __u64 nr_frames(__u64 depth)
{
	return depth < FUNC_MAX_DEPTH ? depth : FUNC_MAX_DEPTH;
}

/*
 * Code that runs further up can only interrupt what is further down: a task's own code, the kernel
 * on the task's stack, an interrupt on a stack of its own.
 */
enum level {
	LEVEL_USER,
	LEVEL_KERNEL,
	LEVEL_INTERRUPT,
};

static __always_inline enum level level_of(__u64 place, __u64 kernel_stack)
{
	if ((__s64)place > 0)
		return LEVEL_USER;
	return place - kernel_stack < stack_size ? LEVEL_KERNEL : LEVEL_INTERRUPT;
}

/*
 * Down a task's stack, by bpf_loop(). What a turn leaves behind for the next must not be a number
 * that the verifier knows, or it follows each turn apart.
 */
struct walk {
	struct func_stack *stack;
	__u64 kernel_stack;
	__u64 place; /* of the call that is entered or left */
	__u64 nr_frames;
	__u64 found; /* which frame */
};

/* Is the call being made from within that of the frame? Stacks grow downwards. */
static __always_inline int is_within(const struct walk *walk, const struct func_frame *frame)
{
	enum level level = level_of(walk->place, walk->kernel_stack);
	enum level other = level_of(frame->place, walk->kernel_stack);

	return level > other || (level == other && walk->place < frame->place);
}

/*
 * A call with the place of another has taken over its stack: where the last thing that a function does
 * is to call another, which then returns for both. A function that finds itself there does
 * not do so, but was left by a jump and called anew.
 */
static __always_inline int is_over(const struct walk *walk, const struct func_frame *frame)
{
	if (frame->place == walk->place)
		return frame->function == function;
	return !is_within(walk, frame);
}

static __always_inline void give_up(const struct func_frame *frame)
{
	struct func_leftover *leftover = leftover_of(frame);

	if (leftover)
		count(&leftover->never_returned);
}

static long drop_if_over(__u32 turn, struct walk *walk)
{
	__u64 top = nr_frames(walk->stack->depth) - 1;
	struct func_frame *frame = frame_at(walk->stack, top);

	if (top >= FUNC_MAX_DEPTH || !is_over(walk, frame))
		return 1;
	give_up(frame);
	walk->stack->depth = top;
	return 0;
}

/* A call within others, or after others that are over: how deep it is. */
static __noinline __u64 enter_further(struct func_stack *stack, __u64 place, __u64 kernel_stack)
{
	struct walk walk = { .stack = stack, .place = place, .kernel_stack = kernel_stack };
	struct func_cell *cell = own_cell();
	__u64 depth;

	bpf_loop(FUNC_MAX_DEPTH, drop_if_over, &walk, 0);
	depth = stack->depth;
	if (depth >= FUNC_MAX_DEPTH) {
		count(&cell->too_deep);
		stack->depth = depth + 1;
	} else if (cell->deepest <= depth) {
		cell->deepest = depth + 1;
	}
	return depth;
}

static __always_inline int enter(__u64 place)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct func_stack *stack;
	struct func_frame *frame;
	struct func_cell *cell;
	__u64 depth;

	if (!func_counting)
		return 0;
	cell = own_cell();
	count(&cell->entries);
	stack = bpf_task_storage_get(&func_stacks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!stack) {
		count(&cell->no_storage);
		return 0;
	}
	depth = stack->depth;
	if (depth)
		depth = enter_further(stack, place, (__u64)task->stack);
	if (depth >= FUNC_MAX_DEPTH)
		return 0;
	stack->depth = depth + 1;
	frame = frame_at(stack, depth);
	frame->place = place;
	frame->function = function;
	frame->start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int is_frame_of(const struct func_frame *frame, __u64 place)
{
	return frame->place == place && frame->function == function;
}

static long look_for_frame(__u32 turn, struct walk *walk)
{
	__u64 at = walk->nr_frames - 1 - turn;
	const struct func_frame *frame = frame_at(walk->stack, at);

	if (at >= FUNC_MAX_DEPTH)
		return 1;
	if (is_frame_of(frame, walk->place)) {
		walk->found = at;
		return 1;
	}
	return is_within(walk, frame);
}

static long give_up_frame(__u32 turn, struct walk *walk)
{
	__u64 at = walk->found + 1 + turn;

	if (at >= walk->nr_frames)
		return 1;
	give_up(frame_at(walk->stack, at));
	return 0;
}

#define NOT_FOUND FUNC_MAX_DEPTH

/* The return's frame, further down than the top, and all above it dropped; or NOT_FOUND. */
static __noinline __u64 find_frame(struct func_stack *stack, __u64 place, __u64 kernel_stack)
{
	struct walk walk = {
		.stack = stack,
		.place = place,
		.kernel_stack = kernel_stack,
		.nr_frames = nr_frames(stack->depth),
		.found = NOT_FOUND,
	};
	struct func_cell *cell = own_cell();

	/* One that found no room for a frame: that was counted when it was entered. */
	if (stack->depth > FUNC_MAX_DEPTH &&
	    is_within(&walk, frame_at(stack, FUNC_MAX_DEPTH - 1))) {
		stack->depth--;
		return NOT_FOUND;
	}
	bpf_loop(FUNC_MAX_DEPTH, look_for_frame, &walk, 0);
	if (walk.found == NOT_FOUND)
		count(&cell->never_entered);
	else
		bpf_loop(FUNC_MAX_DEPTH, give_up_frame, &walk, 0);
	return walk.found;
}

/* Of what does not fit a word: a call of seconds. */
static __noinline int add_large_square(struct func_cell *cell, __u64 ns)
{
	__u64 high = ns >> 32, low = ns & 0xffffffff, across = high * low;
	__u64 square = low * low + (across << 33);
	__u64 carry = high * high + (across >> 31) + (square < across << 33);

	if (__sync_fetch_and_add(&cell->square_low, square) + square < square)
		carry++;
	__sync_fetch_and_add(&cell->square_high, carry);
	return 0;
}

static __always_inline void add_square(struct func_cell *cell, __u64 ns)
{
	__u64 square = ns * ns;

	if (ns >> 32)
		add_large_square(cell, ns);
	else if (__sync_fetch_and_add(&cell->square_low, square) + square < square)
		count(&cell->square_high);
}

/* Another attempt when another run has just raised it; more than a few of these there are not. */
static __noinline int raise(__u64 *most, __u64 value)
{
	__u64 seen = *(volatile __u64 *)most;

	for (int i = 0; i < 4 && value > seen; i++) {
		__u64 found = __sync_val_compare_and_swap(most, seen, value);

		if (found == seen)
			break;
		seen = found;
	}
	return 0;
}

static __always_inline void add_sample(__u64 ns)
{
	struct func_cell *cell = own_cell();
	__u32 bucket = func_bucket_of(ns);

	count(&cell->buckets[bucket]);
	__sync_fetch_and_add(&cell->total_ns, ns);
	add_square(cell, ns);
	if (ns > cell->max_ns)
		raise(&cell->max_ns, ns);
	if (~ns > cell->min_inverted)
		raise(&cell->min_inverted, ~ns);
}

static __always_inline int leave(__u64 place, __u64 end_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct func_stack *stack;
	struct func_frame *frame;
	__u64 at, start_ns;

	if (!func_counting)
		return 0;
	/* Without one there was no call that has been counted. */
	stack = bpf_task_storage_get(&func_stacks, task, NULL, 0);
	if (!stack)
		return 0;
	at = stack->depth - 1;
	frame = frame_at(stack, at);
	/* Computed once: the compiler would do so again for what follows. */
	barrier_var(frame);
	if (at >= FUNC_MAX_DEPTH || !is_frame_of(frame, place)) {
		at = find_frame(stack, place, (__u64)task->stack);
		if (at == NOT_FOUND)
			return 0;
		frame = frame_at(stack, at);
	}
	stack->depth = at;
	start_ns = frame->start_ns + net_of_ns;
	if (end_ns >= start_ns)
		add_sample(end_ns - start_ns);
	else if (end_ns >= frame->start_ns)
		add_sample(0);
	else
		count(&own_cell()->clock_went_back);
	return 0;
}

/*
 * Where a context is, as a number: with a pointer to it the verifier allows no arithmetic, but the order
 * of its bytes may be changed. To what it is: no instruction of the machine comes of this.
 */
static __always_inline __u64 address_of(const __u64 *ctx)
{
	asm volatile("%[ctx] = le64 %[ctx]" : [ctx] "+r"(ctx));
	return (__u64)ctx;
}

/* Entry and return are called by one trampoline, with the arguments in one place on the stack. */
SEC("fentry")
int fentry_enter(__u64 *ctx)
{
	return enter(address_of(ctx));
}

SEC("fexit")
int fentry_leave(__u64 *ctx)
{
	return leave(address_of(ctx), bpf_ktime_get_ns());
}

/* Where the stack will be after the return, which on x86 takes the return address off it. */
#if defined(__TARGET_ARCH_x86)
#define RETURN_ADDRESS_SIZE sizeof(__u64)
#else
#define RETURN_ADDRESS_SIZE 0
#endif

SEC("kprobe")
int kprobe_enter(struct pt_regs *ctx)
{
	return enter(PT_REGS_SP(ctx) + RETURN_ADDRESS_SIZE);
}

SEC("kretprobe")
int kprobe_leave(struct pt_regs *ctx)
{
	return leave(PT_REGS_SP(ctx), bpf_ktime_get_ns());
}

SEC("uprobe")
int uprobe_enter(struct pt_regs *ctx)
{
	return enter(PT_REGS_SP(ctx) + RETURN_ADDRESS_SIZE);
}

SEC("uretprobe")
int uprobe_leave(struct pt_regs *ctx)
{
	return leave(PT_REGS_SP(ctx), bpf_ktime_get_ns());
}

/* Nothing but the probes, to see what these cost. */
SEC("fentry")
int fentry_enter_nothing(void *ctx)
{
	return 0;
}

SEC("fexit")
int fentry_leave_nothing(void *ctx)
{
	return 0;
}

SEC("kprobe")
int probe_nothing(void *ctx)
{
	return 0;
}

/* When nothing is counted any more: the calls that each task is still in. */
SEC("iter/task")
int count_unfinished(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct func_stack *stack;

	if (!task)
		return 0;
	stack = bpf_task_storage_get(&func_stacks, task, NULL, 0);
	if (!stack)
		return 0;
	for (__u64 i = 0; i < FUNC_MAX_DEPTH; i++) {
		struct func_leftover *leftover;

		if (i >= stack->depth)
			break;
		leftover = leftover_of(frame_at(stack, i));
		if (leftover)
			count(&leftover->unfinished);
	}
	return 0;
}

/* The size of a task's stack, but for the registers of user space at its top and less. */
SEC("raw_tp")
int read_stack_size(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return bpf_task_pt_regs(task) - (long)task->stack;
}

/* A test run of this makes the kernel call bpf_fentry_test1(), which does nearly nothing. */
SEC("fentry/bpf_fentry_test1")
int call_nearly_empty(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
