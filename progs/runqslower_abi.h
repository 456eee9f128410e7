/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by runqslower's programs and benchs/bench_runqslower.c. */
#ifndef PROGS_RUNQSLOWER_ABI_H
#define PROGS_RUNQSLOWER_ABI_H

#include <linux/types.h>

/* Where the time is kept at which a task began to wait for a CPU. */
enum runq_storage {
	RUNQ_TASK, /* in its task local storage */
	RUNQ_HASH, /* under its tid, in a hash map */
	RUNQ_HASH_NOPRE, /* in one that does not allocate its elements beforehand */
};

/* How a hash map is written to that has an entry of the task already. */
enum runq_write {
	RUNQ_UPDATE, /* replaced by bpf_map_update_elem() */
	RUNQ_IN_PLACE, /* looked up and written into */
};

/* Whether anything is counted, and for what: counters are kept apart by it. */
enum runq_phase {
	RUNQ_WARMUP,
	RUNQ_MEASURED,
	RUNQ_OVER,
	RUNQ_NR_PHASES,
};

/* What is known of a task. All zeroes: nothing yet. */
struct runq_entry {
	__u64 since; /* when it began to wait; 0: it does not */
	__u64 born; /* when it was created, which tells it from others that had its tid */
	__u64 falling_asleep; /* it waits since it was preempted on its way to sleep */
};

/* What becomes of a switch to a task. */
enum runq_verdict {
	RUNQ_SAMPLE,
	RUNQ_MISSED, /* it was not seen how the task got on the queue */
	RUNQ_FIRST_SIGHT, /* nor is anything else known of the task */
	RUNQ_NO_ROOM, /* nothing could be kept of the task */
	RUNQ_STALE, /* what there is, is of another task that had the same tid */
	RUNQ_CLOCK_BACK, /* it began to wait after now */
	RUNQ_NR_VERDICTS,
};

/* Of a task of which there is an entry. Only a sample has a latency: now - entry->since. */
static inline enum runq_verdict runq_judge(const struct runq_entry *entry, __u64 born, __u64 now)
{
	if (entry->born != born)
		return RUNQ_STALE;
	if (!entry->since)
		return RUNQ_MISSED;
	return now < entry->since ? RUNQ_CLOCK_BACK : RUNQ_SAMPLE;
}

/* A power of two, so that the verifier can be shown that a verdict is below it. */
#define RUNQ_VERDICTS_ROOM 8
#define RUNQ_NR_BUCKETS 64

/* The bucket of a histogram: i has the values from 2^i to 2^(i+1) - 1, and 0 is in the first. */
static inline __u32 runq_bucket(__u64 value)
{
	__u32 bucket = 0;

	for (__u32 step = RUNQ_NR_BUCKETS / 2; step; step /= 2) {
		if (value >> step) {
			value >>= step;
			bucket += step;
		}
	}
	return bucket;
}

/* Of one CPU in one phase. */
struct runq_counts {
	__u64 switches; /* to a task other than the idle one: the sum of the verdicts */
	__u64 verdicts[RUNQ_VERDICTS_ROOM];
	__u64 wakeups; /* of old and new tasks, by what they found: */
	__u64 woken_running; /* it did not wait, and was on its CPU still */
	__u64 woken_waiting; /* it waited already */
	__u64 preempted; /* on the queue again without having slept */
	__u64 refused; /* times that a task began to wait and that could not be kept */
	__u64 replaced; /* entries of another task with the same tid that were found then */
	__u64 events;
	__u64 events_lost;
	__u64 latency_sum; /* ns */
	__u64 latency_max;
	__u64 histogram[RUNQ_NR_BUCKETS]; /* of latencies in ns */
};

#define RUNQ_COMM 16

/* A wait of more than min_us. */
struct runq_event {
	__u64 when; /* bpf_ktime_get_ns() */
	__u64 latency; /* ns */
	__u32 pid, prev_pid;
	char comm[RUNQ_COMM], prev_comm[RUNQ_COMM]; /* of the task, and of who ran before it */
};

#endif
