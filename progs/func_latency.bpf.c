// SPDX-License-Identifier: GPL-2.0
/*
 * How long calls of a function take: one object for each traced function, all of them on the same
 * maps. Each task has a stack of the calls that it is in, of all traced functions. A call is
 * known by where the machine's stack was, so that one that never comes back (longjmp, a return
 * that the kernel had no probe for) is found out by the next that happens further up.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <linux/ptrace.h>
#include <bpf/bpf_tracing.h>

#include "func_latency_abi.h"

const volatile __u32 function; /* which one this object is for */
const volatile __u32 nr_cpus = 1;
const volatile __u32 stack_size; /* of a task in the kernel */
const volatile __u64 net_of_ns; /* taken off each duration */
const volatile __u8 twin; /* nothing but the probes, to see what these cost */

/*
 * Code that runs further up can only interrupt what is further down: a task's own code, the kernel
 * on the task's stack, an interrupt on a stack of its own.
 */
enum level {
	LEVEL_USER,
	LEVEL_KERNEL,
	LEVEL_INTERRUPT,
};

struct func_frame {
	__u64 place; /* of the machine's stack: the same on entry and on return */
	__u64 start_ns;
	__u32 function;
	__u32 level;
};

struct func_stack {
	__u64 depth; /* beyond FUNC_MAX_DEPTH: calls that have no frame */
	struct func_frame frames[FUNC_MAX_DEPTH];
};

/* A call as a probe sees it. */
struct call {
	__u64 place;
	__u32 level;
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
	__uint(max_entries, 1); /* functions x CPUs */
	__type(key, __u32);
	__type(value, struct func_cell);
} func_cells SEC(".maps");

/* Whether calls are counted: probes are attached one after the other, but all begin at once. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} func_counting SEC(".maps");

static __always_inline int is_counting(void)
{
	const __u32 zero = 0;
	const __u64 *counting = bpf_map_lookup_elem(&func_counting, &zero);

	return counting && *(const volatile __u64 *)counting;
}

static __always_inline struct func_cell *cell_of(__u32 of)
{
	__u32 key = of * nr_cpus + bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&func_cells, &key);
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

/* Is the call being made from within that of the frame? Stacks grow downwards. */
static __always_inline int is_within(const struct call *call, const struct func_frame *frame)
{
	return call->level > frame->level ||
	       (call->level == frame->level && call->place < frame->place);
}

/*
 * A call with the place of another has taken over its stack: where the last thing that a function does
 * is to call another, which then returns for both. A function that finds itself there does
 * not do so, but was left by a jump and called anew.
 */
static __always_inline int is_over(const struct func_frame *frame, const struct call *call)
{
	if (is_within(call, frame))
		return 0;
	return call->level != frame->level || call->place != frame->place ||
	       frame->function == function;
}

static __always_inline void give_up(const struct func_frame *frame)
{
	struct func_cell *cell = cell_of(frame->function);

	if (cell)
		count(&cell->never_returned);
}

/*
 * Down a stack, by bpf_loop(). What a turn leaves behind for the next must not be a number that the
 * verifier knows, or it follows each turn apart.
 */
struct walk {
	struct func_stack *stack;
	struct call call;
	__u64 nr_frames;
	__u64 found; /* which frame */
};

static long drop_if_over(__u32 turn, struct walk *walk)
{
	__u64 top = nr_frames(walk->stack->depth) - 1;
	struct func_frame *frame = frame_at(walk->stack, top);

	if (top >= FUNC_MAX_DEPTH || !is_over(frame, &walk->call))
		return 1;
	give_up(frame);
	walk->stack->depth = top;
	return 0;
}

static __noinline int drop_what_is_over(struct func_stack *stack, __u64 place, __u32 level)
{
	struct walk walk = { .stack = stack, .call = { place, level } };

	bpf_loop(FUNC_MAX_DEPTH, drop_if_over, &walk, 0);
	return 0;
}

static __always_inline int enter(struct task_struct *task, const struct call *call)
{
	struct func_stack *stack;
	struct func_frame *frame;
	struct func_cell *cell;
	__u64 depth;

	if (twin || !is_counting())
		return 0;
	cell = cell_of(function);
	if (!cell)
		return 0;
	count(&cell->entries);
	stack = bpf_task_storage_get(&func_stacks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!stack) {
		count(&cell->no_storage);
		return 0;
	}
	depth = stack->depth;
	if (depth && is_over(frame_at(stack, nr_frames(depth) - 1), call)) {
		drop_what_is_over(stack, call->place, call->level);
		depth = stack->depth;
	}
	stack->depth = depth + 1;
	if (depth >= FUNC_MAX_DEPTH) {
		count(&cell->too_deep);
		return 0;
	}
	if (cell->deepest <= depth)
		cell->deepest = depth + 1;
	frame = frame_at(stack, depth);
	frame->place = call->place;
	frame->function = function;
	frame->level = call->level;
	frame->start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int is_frame_of(const struct func_frame *frame, __u64 place, __u32 level)
{
	return frame->place == place && frame->function == function && frame->level == level;
}

static long look_for_frame(__u32 turn, struct walk *walk)
{
	__u64 at = walk->nr_frames - 1 - turn;
	const struct func_frame *frame = frame_at(walk->stack, at);

	if (at >= FUNC_MAX_DEPTH)
		return 1;
	if (is_frame_of(frame, walk->call.place, walk->call.level)) {
		walk->found = at;
		return 1;
	}
	return is_within(&walk->call, frame);
}

static long give_up_frame(__u32 turn, struct walk *walk)
{
	__u64 at = walk->found + 1 + turn;

	if (at >= walk->nr_frames)
		return 1;
	give_up(frame_at(walk->stack, at));
	return 0;
}

#define NOT_FOUND (FUNC_MAX_DEPTH + 1)
#define NOT_ON_RECORD (FUNC_MAX_DEPTH + 2)

/* The return's frame, further down than the top, and all above it dropped; or one of the above. */
static __noinline __u64 find_frame(struct func_stack *stack, __u64 place, __u32 level)
{
	struct walk walk = { .stack = stack, .call = { place, level }, .found = NOT_FOUND };
	__u64 depth = stack->depth;

	if (depth > FUNC_MAX_DEPTH && is_within(&walk.call, frame_at(stack, FUNC_MAX_DEPTH - 1)))
		return NOT_ON_RECORD;
	walk.nr_frames = nr_frames(depth);
	bpf_loop(FUNC_MAX_DEPTH, look_for_frame, &walk, 0);
	if (walk.found != NOT_FOUND)
		bpf_loop(FUNC_MAX_DEPTH, give_up_frame, &walk, 0);
	return walk.found;
}

/* The number of the highest bit that is set; of 0 it is 0. */
static __always_inline __u32 top_bit(__u64 value)
{
	__u32 bit = 0;

#define HALF(n)                        \
	do {                           \
		if (value >> (n)) {    \
			value >>= (n); \
			bit += (n);    \
		}                      \
	} while (0)
	HALF(32);
	HALF(16);
	HALF(8);
	HALF(4);
	HALF(2);
	HALF(1);
#undef HALF
	return bit;
}

static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 shift, bucket;

	if (ns < FUNC_PARTS)
		return ns;
	shift = top_bit(ns) - FUNC_PART_BITS;
	bucket = shift * FUNC_PARTS + (__u32)(ns >> shift);
	return bucket < FUNC_NR_BUCKETS ? bucket : FUNC_NR_BUCKETS - 1;
}

static __always_inline void add_square(struct func_cell *cell, __u64 ns)
{
	__u64 high = ns >> 32, square = ns * ns, carry = 0;

	if (high) {
		__u64 low = ns & 0xffffffff, across = high * low;

		square = low * low + (across << 33);
		carry = high * high + (across >> 31) + (square < across << 33);
	}
	if (__sync_fetch_and_add(&cell->square_low, square) + square < square)
		carry++;
	if (carry)
		__sync_fetch_and_add(&cell->square_high, carry);
}

/* Another attempt when another run has just raised it; more than a few of these there are not. */
static __always_inline void raise(__u64 *most, __u64 value)
{
	__u64 seen = *(volatile __u64 *)most;

	for (int i = 0; i < 4 && value > seen; i++) {
		__u64 found = __sync_val_compare_and_swap(most, seen, value);

		if (found == seen)
			break;
		seen = found;
	}
}

static __always_inline void add_sample(struct func_cell *cell, __u64 ns)
{
	__u32 bucket;

	ns = ns > net_of_ns ? ns - net_of_ns : 0;
	bucket = bucket_of(ns);
	count(&cell->buckets[bucket]);
	__sync_fetch_and_add(&cell->total_ns, ns);
	add_square(cell, ns);
	raise(&cell->max_ns, ns);
	raise(&cell->min_inverted, ~ns);
}

static __always_inline int leave(struct task_struct *task, const struct call *call, __u64 end_ns)
{
	struct func_stack *stack;
	struct func_cell *cell;
	__u64 at, start_ns;

	if (twin || !is_counting())
		return 0;
	/* Without one there was no call that has been counted. */
	stack = bpf_task_storage_get(&func_stacks, task, NULL, 0);
	if (!stack)
		return 0;
	cell = cell_of(function);
	if (!cell)
		return 0;
	at = stack->depth - 1;
	if (at >= FUNC_MAX_DEPTH || !is_frame_of(frame_at(stack, at), call->place, call->level))
		at = find_frame(stack, call->place, call->level);
	if (at == NOT_ON_RECORD) {
		stack->depth--;
		return 0;
	}
	if (at == NOT_FOUND) {
		count(&cell->never_entered);
		return 0;
	}
	start_ns = frame_at(stack, at)->start_ns;
	stack->depth = at;
	if (end_ns < start_ns)
		count(&cell->clock_went_back);
	else
		add_sample(cell, end_ns - start_ns);
	return 0;
}

static __always_inline enum level kernel_level(const struct task_struct *task, __u64 place)
{
	return place - (__u64)task->stack < stack_size ? LEVEL_KERNEL : LEVEL_INTERRUPT;
}

/* The verifier lets nothing be computed from where a context is, but how far it is from elsewhere. */
static __always_inline __u64 address_of(const __u64 *ctx, const struct task_struct *task)
{
	__u64 distance = (__u64)ctx - (__u64)task;

	barrier_var(distance);
	return distance + bpf_get_current_task();
}

/* Entry and return are called by one trampoline, with the arguments in one place on the stack. */
SEC("fentry")
int fentry_enter(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 place = address_of(ctx, task);
	const struct call call = { place, kernel_level(task, place) };

	return enter(task, &call);
}

SEC("fexit")
int fentry_leave(__u64 *ctx)
{
	__u64 end_ns = twin ? 0 : bpf_ktime_get_ns();
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 place = address_of(ctx, task);
	const struct call call = { place, kernel_level(task, place) };

	return leave(task, &call, end_ns);
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
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 place = PT_REGS_SP(ctx) + RETURN_ADDRESS_SIZE;
	const struct call call = { place, kernel_level(task, place) };

	return enter(task, &call);
}

SEC("kretprobe")
int kprobe_leave(struct pt_regs *ctx)
{
	__u64 end_ns = twin ? 0 : bpf_ktime_get_ns();
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 place = PT_REGS_SP(ctx);
	const struct call call = { place, kernel_level(task, place) };

	return leave(task, &call, end_ns);
}

SEC("uprobe")
int uprobe_enter(struct pt_regs *ctx)
{
	const struct call call = { PT_REGS_SP(ctx) + RETURN_ADDRESS_SIZE, LEVEL_USER };

	return enter(bpf_get_current_task_btf(), &call);
}

SEC("uretprobe")
int uprobe_leave(struct pt_regs *ctx)
{
	__u64 end_ns = twin ? 0 : bpf_ktime_get_ns();
	const struct call call = { PT_REGS_SP(ctx), LEVEL_USER };

	return leave(bpf_get_current_task_btf(), &call, end_ns);
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
		struct func_cell *cell;

		if (i >= stack->depth)
			break;
		cell = cell_of(frame_at(stack, i)->function);
		if (cell)
			count(&cell->unfinished);
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
