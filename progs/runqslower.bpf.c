// SPDX-License-Identifier: GPL-2.0
/*
 * How long tasks wait for a CPU: from when they get on a run queue (woken, new, or preempted) to when
 * they are switched to. What is measured is what these handlers cost by where they keep the time.
 *
 * All that happens to one task happens under the lock of the run queue that it is on, so that nobody
 * else has its entry at the same time.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

#include "runqslower_abi.h"

#define TASK_RUNNING 0
#define TASK_DEAD 0x80

/* Constants for the verifier, which takes out what they rule out. */
const volatile __u32 storage = RUNQ_TASK;
const volatile __u32 write_to = RUNQ_UPDATE;
const volatile __u64 min_ns; /* 0: no events */

/* A map by itself, which can be written to without touching anything else. */
__u32 phase SEC(".data.phase") = RUNQ_WARMUP;

/*
 * Tasks that wait since they were preempted on their way to sleep. Only these can be woken while they
 * wait. There is hardly ever one, and so a wakeup need not look at first whether its task waits.
 */
__u64 falling_asleep;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct runq_entry);
} task_start SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --max_entries */
	__type(key, __u32);
	__type(value, struct runq_entry);
} hash_start SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RUNQ_NR_PHASES);
	__type(key, __u32);
	__type(value, struct runq_counts);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} events SEC(".maps");

static __always_inline struct runq_counts *counts_of(__u32 which)
{
	return bpf_map_lookup_elem(&counts, &which);
}

static __always_inline struct runq_entry *find(struct task_struct *task)
{
	__u32 pid;

	if (storage == RUNQ_TASK)
		return bpf_task_storage_get(&task_start, task, NULL, 0);
	pid = task->pid;
	return bpf_map_lookup_elem(&hash_start, &pid);
}

/* Task storage is of the task itself. */
static __always_inline __u64 born(const struct task_struct *task)
{
	return storage == RUNQ_TASK ? 0 : task->start_time;
}

/* Write what is known of a task. False if there is no room for it. */
static __always_inline bool put(struct task_struct *task, const struct runq_entry *value,
				struct runq_counts *seen)
{
	struct runq_entry *entry = NULL;
	__u32 pid;

	if (storage == RUNQ_TASK) {
		entry = bpf_task_storage_get(&task_start, task, NULL,
					     BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (entry)
			*entry = *value;
		return entry;
	}
	pid = task->pid;
	if (write_to == RUNQ_IN_PLACE)
		entry = bpf_map_lookup_elem(&hash_start, &pid);
	if (!entry)
		return !bpf_map_update_elem(&hash_start, &pid, value, BPF_ANY);
	if (entry->born != value->born)
		seen->replaced++;
	*entry = *value;
	return true;
}

static __always_inline void begin_to_wait(struct task_struct *task, bool asleep_soon,
					  struct runq_counts *seen)
{
	struct runq_entry value = {
		.since = bpf_ktime_get_ns(),
		.born = born(task),
		.falling_asleep = asleep_soon,
	};

	if (!put(task, &value, seen))
		seen->refused++;
	else if (asleep_soon)
		__sync_fetch_and_add(&falling_asleep, 1);
}

static __always_inline bool is_waiting(struct task_struct *task)
{
	const struct runq_entry *entry = find(task);

	return entry && entry->since && entry->born == born(task);
}

/* A task that is about to sleep, but still runs, is woken as well: it does not wait. */
static __always_inline bool is_running(const struct task_struct *task)
{
	return bpf_core_field_exists(task->on_cpu) && task->on_cpu;
}

static __always_inline int woken(struct task_struct *task)
{
	struct runq_counts *seen = counts_of(phase);

	if (!seen || !task->pid)
		return 0;
	seen->wakeups++;
	if (is_running(task))
		seen->woken_running++;
	else if (falling_asleep && is_waiting(task))
		seen->woken_waiting++;
	else
		begin_to_wait(task, false, seen);
	return 0;
}

static __always_inline unsigned int state_of(const struct task_struct *task)
{
	const struct task_struct___old *old = (const void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return old->state;
}

/*
 * Of the task that stops running. A dead one is never seen again; its entry goes at this last moment,
 * since until then it may be preempted and so be entered anew. What a thread leaves that gets another
 * tid by execve() stays, until the next task with its old one finds an entry that is not its own.
 */
static __always_inline void leave(struct task_struct *task, bool preempted,
				  struct runq_counts *seen)
{
	unsigned int state = state_of(task);
	__u32 pid = task->pid;

	if (!pid)
		return;
	if (preempted || state == TASK_RUNNING) {
		seen->preempted++;
		begin_to_wait(task, state != TASK_RUNNING, seen);
	} else if (storage != RUNQ_TASK && state & TASK_DEAD) {
		bpf_map_delete_elem(&hash_start, &pid);
	}
}

static __always_inline void tell(const struct task_struct *prev, const struct task_struct *next,
				 __u64 now, __u64 latency, struct runq_counts *seen)
{
	struct runq_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	seen->events++;
	if (!event) {
		seen->events_lost++;
		return;
	}
	event->when = now;
	event->latency = latency;
	event->pid = next->pid;
	event->prev_pid = prev->pid;
	bpf_probe_read_kernel(event->comm, sizeof(event->comm), next->comm);
	bpf_probe_read_kernel(event->prev_comm, sizeof(event->prev_comm), prev->comm);
	/* The reader comes by itself: to wake it would be one more wakeup. */
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static __always_inline void count_sample(__u64 latency, struct runq_counts *seen)
{
	seen->latency_sum += latency;
	if (latency > seen->latency_max)
		seen->latency_max = latency;
	seen->histogram[runq_bucket(latency) % RUNQ_NR_BUCKETS]++;
}

/* Of the task that is to run. What was kept of its wait is used once. */
static __always_inline enum runq_verdict arrive(struct task_struct *task, __u64 now, __u64 *latency,
						struct runq_counts *seen)
{
	const struct runq_entry fresh = { .born = born(task) };
	struct runq_entry *entry = find(task);
	enum runq_verdict verdict;

	if (!entry)
		return put(task, &fresh, seen) ? RUNQ_FIRST_SIGHT : RUNQ_NO_ROOM;
	verdict = runq_judge(entry, fresh.born, now);
	*latency = now - entry->since;
	if (entry->falling_asleep)
		__sync_fetch_and_add(&falling_asleep, -1);
	*entry = fresh;
	return verdict;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(handle__sched_wakeup, struct task_struct *task)
{
	return woken(task);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(handle__sched_wakeup_new, struct task_struct *task)
{
	return woken(task);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(handle__sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	const __u32 in_phase = phase;
	struct runq_counts *seen = counts_of(in_phase);
	enum runq_verdict verdict;
	__u64 now, latency = 0;

	if (!seen)
		return 0;
	leave(prev, preempt, seen);
	if (!next->pid)
		return 0;
	now = bpf_ktime_get_ns();
	verdict = arrive(next, now, &latency, seen);
	seen->switches++;
	seen->verdicts[verdict % RUNQ_VERDICTS_ROOM]++;
	if (verdict != RUNQ_SAMPLE)
		return 0;
	count_sample(latency, seen);
	if (min_ns && in_phase == RUNQ_MEASURED && latency > min_ns)
		tell(prev, next, now, latency, seen);
	return 0;
}

/* The same without a handler in it: what it takes to be called and timed. */

SEC("tp_btf/sched_wakeup")
int empty__sched_wakeup(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int empty__sched_wakeup_new(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_switch")
int empty__sched_switch(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
