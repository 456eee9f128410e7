// SPDX-License-Identifier: GPL-2.0
/* The clocks of a batch in user space: wall time, and what the thread's CPU spent on it. */
#include "run_internal.h"

/*
 * Clocks of the calling thread that <time.h> has no names for: time as the kernel's accounting puts
 * it down, user time alone, and with the system's. Where it goes by timer ticks each tick counts in
 * full for what it finds: right in the sum of many batches, if not in one. getrusage() is not: it
 * stretches these times to the CPU time that is known exactly, never back, and so puts what was
 * spent before a reading behind it.
 */
#define THREAD_CLOCK(kind) ((clockid_t)((~0U << 3) | 4 | (kind)))
#define THREAD_USER_AND_SYSTEM THREAD_CLOCK(0)
#define THREAD_USER THREAD_CLOCK(1)

static u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts))
		return 0;
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static void read_accounts(struct cpu_time *now)
{
	now->user_ns = clock_ns(THREAD_USER);
	now->system_ns = clock_ns(THREAD_USER_AND_SYSTEM) - now->user_ns;
}

void cpu_time_add(struct cpu_time *sum, const struct cpu_time *more)
{
	sum->ns += more->ns;
	sum->user_ns += more->user_ns;
	sum->system_ns += more->system_ns;
}

/*
 * The finer a clock, the nearer to what is measured, and the wall clock takes no system call. Exact
 * mode has that one alone: it counts instructions.
 */
void bench_clock_start(struct bench_producer *producer)
{
	struct batch_clock *clock = &producer->clock;

	if (!producer->run->result->exact) {
		read_accounts(&clock->start);
		clock->start.ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	}
	clock->start_ns = now_ns();
}

void bench_clock_stop(struct bench_producer *producer, struct bench_counts *done)
{
	struct batch_clock *clock = &producer->clock;
	u64 end_ns = now_ns();
	struct cpu_time end = {};

	done->ns += end_ns - clock->start_ns;
	if (producer->run->result->exact)
		return;
	end.ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	read_accounts(&end);
	clock->batch.ns += end.ns - clock->start.ns;
	clock->batch.user_ns += end.user_ns - clock->start.user_ns;
	clock->batch.system_ns += end.system_ns - clock->start.system_ns;
}
