// SPDX-License-Identifier: GPL-2.0
/* A core that works for nobody else. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "stats.h"

#define SEEK_LOOKS 21
#define SEEK_CPUS 8 /* tried at most */
#define LOAD_TICKS 5

static u64 median_busy(void)
{
	double busy[SEEK_LOOKS];
	struct core_look look;

	for (int i = 0; i < SEEK_LOOKS; i++) {
		core_look(&look);
		busy[i] = (double)core_busy_cycles(&look);
	}
	stats_sort(busy, SEEK_LOOKS);
	return (u64)stats_quantile(busy, SEEK_LOOKS, 0.5);
}

/* Is a CPU of those in /proc/stat whose tasks ran for a fifth of the time at most since the reading before? */
struct load {
	u64 read_ns;
	u64 busy[CPU_SETSIZE]; /* jiffies, until then */
	bool idle[CPU_SETSIZE]; /* from the reading before until then */
};

/* Busy jiffies of "cpuN user nice system idle iowait irq softirq steal", and N; -1 of other lines. */
static int parse_cpu_line(const char *line, u64 *busy)
{
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
	int cpu;

	if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &user, &nice,
		   &system, &idle, &iowait, &irq, &softirq, &steal) != 9)
		return -1;
	*busy = user + nice + system + irq + softirq + steal;
	return cpu;
}

/* Jiffies are too coarse for anything shorter: until there is news, what was so stays. */
static void read_load(struct load *load)
{
	u64 now = now_ns(), jiffy_ns = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK), busy;
	char line[512];
	FILE *file;

	if (now - load->read_ns < LOAD_TICKS * jiffy_ns)
		return;
	file = fopen("/proc/stat", "re");
	while (file && fgets(line, sizeof(line), file)) {
		int cpu = parse_cpu_line(line, &busy);

		if (cpu < 0 || cpu >= CPU_SETSIZE)
			continue;
		load->idle[cpu] = load->read_ns &&
				  (busy - load->busy[cpu]) * jiffy_ns * 5 <= now - load->read_ns;
		load->busy[cpu] = busy;
	}
	if (file)
		fclose(file);
	load->read_ns = now;
}

static bool move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* What calls have seen; of many, the last ones. */
struct seen {
	double busy[1024];
	size_t n;
};

static void note(struct seen *seen, u64 busy)
{
	seen->busy[seen->n++ % ARRAY_SIZE(seen->busy)] = (double)busy;
}

static u64 reference_of(const struct seen *seen)
{
	double busy[ARRAY_SIZE(seen->busy)];

	memcpy(busy, seen->busy, sizeof(busy));
	return core_reference(busy, min_u64(seen->n, ARRAY_SIZE(seen->busy)));
}

/* To the CPU whose core is shared least, of those that were idle. */
static void move_away(int here, u64 busy_here, const struct load *load, struct seen *seen)
{
	u64 best_busy = busy_here;
	int best = here;
	cpu_set_t allowed;

	/* Of a machine with more CPUs than there is room for: it stays where it is. */
	if (here < 0 || sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int i = 1, tried = 0; i < CPU_SETSIZE && tried < SEEK_CPUS; i++) {
		int cpu = (here + i) % CPU_SETSIZE;
		u64 busy;

		if (!CPU_ISSET(cpu, &allowed) || !load->idle[cpu] || !move_to(cpu))
			continue;
		tried++;
		busy = median_busy();
		note(seen, busy);
		if (busy >= best_busy)
			continue;
		best_busy = busy;
		best = cpu;
		if (core_is_alone(busy, reference_of(seen)))
			break;
	}
	move_to(best);
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

u64 core_seek(bool may_move)
{
	static struct seen free_to_move, pinned;
	static struct load load;
	struct seen *seen = may_move ? &free_to_move : &pinned;
	u64 busy = median_busy();
	bool has_compared = seen->n > 1;
	u64 reference;

	note(seen, busy);
	reference = reference_of(seen);
	if (!may_move)
		return reference;
	read_load(&load);
	if (has_compared && core_is_alone(busy, reference))
		return reference;
	move_away(sched_getcpu(), busy, &load, seen);
	return reference_of(seen);
}
