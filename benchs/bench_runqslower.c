// SPDX-License-Identifier: GPL-2.0
/*
 * A tracer of run-queue latency, and what its handlers cost by where they keep the time at which a task
 * began to wait: in task local storage, or in a hash map with or without preallocated elements. The
 * kernel's own statistics of BPF programs say how long each ran; of an empty one on the same
 * tracepoint at the same time, what of that is the calling and the timing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "harness/array.h"
#include "harness/words.h"
#include "progs/runqslower_abi.h"
#include "runqslower_cost.h"
#include "runqslower_load.h"

#include "runqslower.skel.h" /* needs the types of bench.h */

#define MAX_ENTRIES (1U << 24)
#define MAX_PAIRS 128
#define MAX_FORKS 10000
#define MAX_MIN_US 3600000000ULL

#define SLICE_NS (NSEC_PER_SEC / 10)
#define SETTLE_ATTEMPTS 100
/* For events, in one step. Printing them makes more of them. */
#define LISTING_NS (10 * NSEC_PER_MSEC)

enum handler {
	WAKEUP,
	WAKEUP_NEW,
	SWITCH,
	NR_HANDLERS,
};

static const char *const storage_names[] = { "task", "hash", "hash-nopre", NULL };
static const char *const write_names[] = { "update", "in_place", NULL };

struct params {
	u64 storage;
	u64 hash_write;
	u64 max_entries;
	u64 pairs;
	u64 forks;
	u64 min_us;
};

static const struct bench_param param_table[] = {
	BENCH_CHOICE(storage, struct params, RUNQ_TASK, storage_names,
		     "where the time is kept at which a task began to wait"),
	BENCH_CHOICE(
		hash_write, struct params, RUNQ_UPDATE, write_names,
		"hash maps: replace a task's entry each time, or look it up and write into it"),
	BENCH_UINT(max_entries, struct params, 10240, 1, MAX_ENTRIES, "size of the hash maps"),
	BENCH_UINT(pairs, struct params, 1, 0, MAX_PAIRS,
		   "own work: pairs of threads that wake each other, through futexes"),
	BENCH_UINT(forks, struct params, 100, 0, MAX_FORKS,
		   "own work: processes a second that end at once"),
	BENCH_UINT(min_us, struct params, 0, 0, MAX_MIN_US,
		   "list each wait of more microseconds than this; 0: none"),
	{},
};

static const char *const own_work[] = { "pairs", "forks", NULL };

struct slice {
	struct handler_slice handlers[NR_HANDLERS];
};

struct state {
	const struct params *params;
	struct runqslower_bpf *skel;
	struct load load;

	int stats_fd; /* the kernel keeps statistics as long as it is open */
	struct {
		int real_fd, empty_fd;
		struct bpf_link *real, *empty;
		struct handler_slice last; /* the statistics when the last slice ended */
	} handlers[NR_HANDLERS];
	struct slice *slices;
	size_t nr_slices, room;
	size_t nr_read; /* of the slices, those that an interval has had */
	u64 slice_begun_ns;

	int nr_cpus;
	struct runq_counts *per_cpu; /* one for each CPU, to read into */
	struct runq_counts total; /* of the measured phase, when it was read last */
	bool measuring;

	struct ring_buffer *ring;
	s64 wall_minus_monotonic_ns;
	bool is_listing; /* the head of the list is there */
	u64 listed, lost_told, listing_until_ns;
};

static int validate(const void *data, unsigned int nr_producers)
{
	const struct params *p = data;

	(void)nr_producers;
	if (!p->pairs && !p->forks)
		return error_set(E_USAGE, "--pairs 0 and --forks 0: nothing would run");
	if (p->storage == RUNQ_TASK && p->hash_write == RUNQ_IN_PLACE)
		return error_set(E_USAGE, "--hash_write in_place: --storage task has no hash map");
	return 0;
}

/* CAP_BPF does not suffice for the statistics. */
static int need_statistics(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	return error_set(E_CANNOT, "the kernel refuses statistics of BPF programs (%s)%s",
			 strerror(-fd), fd == -EPERM ? ": needs root (or CAP_SYS_ADMIN)" : "");
}

static int unavailable(void)
{
	int err = bench_need_bpf();

	if (!err)
		err = bench_need_map_type(BPF_MAP_TYPE_TASK_STORAGE);
	if (!err)
		err = bench_need_map_type(BPF_MAP_TYPE_RINGBUF);
	return err ? err : need_statistics();
}

/* Loading */

/* The maps that the case does not have are not made, and the code that uses them is cut out. */
static int open_programs(struct state *state)
{
	const struct params *p = state->params;
	struct runqslower_bpf *skel = runqslower_bpf__open();

	if (!skel)
		return error_set(errno, "cannot open the runqslower object: %s", strerror(errno));
	state->skel = skel;
	skel->rodata->storage = (u32)p->storage;
	skel->rodata->write_to = (u32)p->hash_write;
	skel->rodata->min_ns = p->min_us * NSEC_PER_USEC;
	bpf_map__set_autocreate(skel->maps.task_start, p->storage == RUNQ_TASK);
	bpf_map__set_autocreate(skel->maps.hash_start, p->storage != RUNQ_TASK);
	bpf_map__set_autocreate(skel->maps.events, p->min_us > 0);
	bpf_map__set_max_entries(skel->maps.hash_start, (u32)p->max_entries);
	/* Where tids land in the map is the same each time. */
	bpf_map__set_map_flags(skel->maps.hash_start,
			       BPF_F_ZERO_SEED |
				       (p->storage == RUNQ_HASH_NOPRE ? BPF_F_NO_PREALLOC : 0));
	return 0;
}

/* An element of a hash map is its header (48 bytes in Linux 6.1 to 6.18), key and value. */
static int need_memory(const struct params *p)
{
	u64 element = 48 + sizeof(u64) + sizeof(struct runq_entry) + 2 * sizeof(void *);

	if (p->storage != RUNQ_HASH)
		return 0;
	return bench_need_memory(p->max_entries * element, "the hash map");
}

static void name_programs(struct state *state)
{
	const struct runqslower_bpf *skel = state->skel;
	const struct bpf_program *const real[] = {
		[WAKEUP] = skel->progs.handle__sched_wakeup,
		[WAKEUP_NEW] = skel->progs.handle__sched_wakeup_new,
		[SWITCH] = skel->progs.handle__sched_switch,
	};
	const struct bpf_program *const empty[] = {
		[WAKEUP] = skel->progs.empty__sched_wakeup,
		[WAKEUP_NEW] = skel->progs.empty__sched_wakeup_new,
		[SWITCH] = skel->progs.empty__sched_switch,
	};

	for (int i = 0; i < NR_HANDLERS; i++) {
		state->handlers[i].real_fd = bpf_program__fd(real[i]);
		state->handlers[i].empty_fd = bpf_program__fd(empty[i]);
	}
}

static int open_ring(struct bench_run *run);

static int setup(struct bench_run *run)
{
	struct state *state = calloc(1, sizeof(*state));
	unsigned int pairs = 0, forks = 0;
	int err;

	if (!state)
		return error_set(ENOMEM, "no memory");
	bench_set_private(run, state);
	state->params = bench_params(run);
	state->stats_fd = -1;
	if (!bench_has_command(run)) {
		pairs = (unsigned int)state->params->pairs;
		forks = (unsigned int)state->params->forks;
		bench_note(run, "work", "pairs of threads: %u, processes a second: %u", pairs,
			   forks);
	}
	err = load_init(&state->load, pairs, forks);
	if (err)
		return err;
	state->nr_cpus = libbpf_num_possible_cpus();
	if (state->nr_cpus < 0)
		return error_set(-state->nr_cpus, "cannot tell the number of CPUs: %s",
				 strerror(-state->nr_cpus));
	state->per_cpu = calloc((size_t)state->nr_cpus, sizeof(*state->per_cpu));
	if (!state->per_cpu)
		return error_set(ENOMEM, "no memory for the counters");
	err = need_memory(state->params);
	if (!err)
		err = open_programs(state);
	if (!err)
		err = bench_load_object(run, state->skel->obj);
	if (err)
		return err;
	name_programs(state);
	return state->params->min_us ? open_ring(run) : 0;
}

static void teardown(struct bench_run *run)
{
	struct state *state = bench_private(run);

	if (!state)
		return;
	ring_buffer__free(state->ring);
	runqslower_bpf__destroy(state->skel);
	load_free(&state->load);
	free(state->per_cpu);
	free(state->slices);
	free(state);
}

/* Statistics, slice by slice */

static int read_stats(int fd, struct run_stats *stats)
{
	struct bpf_prog_info info = {};
	u32 size = sizeof(info);
	int err = bpf_obj_get_info_by_fd(fd, &info, &size);

	if (err)
		return error_set(-err, "cannot read the statistics of a program: %s",
				 strerror(-err));
	*stats = (struct run_stats){
		.runs = info.run_cnt,
		.ns = info.run_time_ns,
		.misses = info.recursion_misses,
	};
	return 0;
}

static int read_handler(const struct state *state, int handler, struct handler_slice *now)
{
	int err = read_stats(state->handlers[handler].real_fd, &now->real);

	return err ? err : read_stats(state->handlers[handler].empty_fd, &now->empty);
}

static int begin_slices(struct state *state)
{
	int err = 0;

	state->nr_slices = 0;
	state->slice_begun_ns = now_ns();
	for (int i = 0; i < NR_HANDLERS && !err; i++)
		err = read_handler(state, i, &state->handlers[i].last);
	return err;
}

static int make_room_for_slice(struct state *state)
{
	struct slice *more =
		array_with_room(state->slices, state->nr_slices, &state->room, sizeof(*more));

	if (!more)
		return error_set(ENOMEM, "no memory for another slice");
	state->slices = more;
	return 0;
}

static int end_slice(struct state *state)
{
	int err = make_room_for_slice(state);

	for (int i = 0; i < NR_HANDLERS && !err; i++) {
		struct handler_slice *slice = &state->slices[state->nr_slices].handlers[i];
		struct handler_slice *last = &state->handlers[i].last, now;

		err = read_handler(state, i, &now);
		if (err)
			return err;
		slice->real = run_stats_between(&last->real, &now.real);
		slice->empty = run_stats_between(&last->empty, &now.empty);
		*last = now;
	}
	if (err)
		return err;
	state->nr_slices++;
	state->slice_begun_ns = now_ns();
	return 0;
}

/* Counters */

static void add_counts(struct runq_counts *sum, const struct runq_counts *more)
{
	const u64 latency_max = max_u64(sum->latency_max, more->latency_max);
	const __u64 *from = (const __u64 *)more;
	__u64 *to = (__u64 *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
	sum->latency_max = latency_max;
}

static u64 verdicts(const struct runq_counts *counts)
{
	u64 sum = 0;

	for (int i = 0; i < RUNQ_NR_VERDICTS; i++)
		sum += counts->verdicts[i];
	return sum;
}

static int read_counts(struct state *state, struct runq_counts *total)
{
	u32 key = RUNQ_MEASURED;
	int err = bpf_map_lookup_elem(bpf_map__fd(state->skel->maps.counts), &key, state->per_cpu);

	if (err)
		return error_set(-err, "cannot read the counters: %s", strerror(-err));
	memset(total, 0, sizeof(*total));
	for (int i = 0; i < state->nr_cpus; i++)
		add_counts(total, &state->per_cpu[i]);
	return 0;
}

/* A handler that was under way when the phase ended may still count. */
static int settle_counts(struct state *state, struct runq_counts *total)
{
	const struct timespec moment = { .tv_nsec = NSEC_PER_MSEC };

	for (int attempt = 0; attempt < SETTLE_ATTEMPTS; attempt++) {
		int err;

		clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
		err = read_counts(state, total);
		if (err || verdicts(total) == total->switches)
			return err;
	}
	return 0;
}

static int enter_phase(struct state *state, enum runq_phase phase)
{
	u32 key = 0, value = phase;
	int err = bpf_map_update_elem(bpf_map__fd(state->skel->maps.data_phase), &key, &value, 0);

	if (err)
		return error_set(-err, "cannot tell the programs what to count: %s",
				 strerror(-err));
	state->measuring = phase == RUNQ_MEASURED;
	return 0;
}

/* The list of waits */

static void copy_comm(char to[RUNQ_COMM], const char *comm)
{
	snprintf(to, RUNQ_COMM, "%.*s", RUNQ_COMM - 1, comm);
	make_printable(to);
}

static void time_of_day(char *text, size_t size, u64 wall_ns)
{
	time_t seconds = (time_t)(wall_ns / NSEC_PER_SEC);
	struct tm local;

	if (!localtime_r(&seconds, &local) || !strftime(text, size, "%H:%M:%S", &local))
		snprintf(text, size, "?");
}

static int list_event(void *data, void *sample, size_t size)
{
	struct bench_run *run = data;
	struct state *state = bench_private(run);
	char comm[RUNQ_COMM], prev_comm[RUNQ_COMM], when[16];
	const struct runq_event *event = sample;
	int err;

	(void)size;
	copy_comm(comm, event->comm);
	copy_comm(prev_comm, event->prev_comm);
	time_of_day(when, sizeof(when), event->when + (u64)state->wall_minus_monotonic_ns);
	err = bench_line(run, "%-8s %-16s %-6u %14llu %-16s %-6u", when, comm, event->pid,
			 (unsigned long long)(event->latency / NSEC_PER_USEC), prev_comm,
			 event->prev_pid);
	if (err)
		return err;
	state->listed++;
	/* The rest is for the next step. */
	return now_ns() < state->listing_until_ns ? 0 : -EAGAIN;
}

static int open_ring(struct bench_run *run)
{
	struct state *state = bench_private(run);
	struct timespec wall;

	state->ring =
		ring_buffer__new(bpf_map__fd(state->skel->maps.events), list_event, run, NULL);
	if (!state->ring)
		return error_set(errno, "cannot open the ring buffer: %s", strerror(errno));
	clock_gettime(CLOCK_REALTIME, &wall);
	state->wall_minus_monotonic_ns =
		(s64)((u64)wall.tv_sec * NSEC_PER_SEC + (u64)wall.tv_nsec - now_ns());
	return 0;
}

static int list_head(struct bench_run *run)
{
	struct state *state = bench_private(run);
	int err = bench_line(run, "Tracing run queue latency higher than %llu us",
			     (unsigned long long)state->params->min_us);

	state->is_listing = true;
	return err ? err
		   : bench_line(run, "%-8s %-16s %-6s %14s %-16s %-6s", "TIME", "COMM", "PID",
				"LAT(us)", "PREV COMM", "PREV PID");
}

static int tell_lost(struct bench_run *run, u64 lost)
{
	struct state *state = bench_private(run);
	u64 news = lost - state->lost_told;

	state->lost_told = lost;
	return news ? bench_line(run, "Lost %llu events", (unsigned long long)news) : 0;
}

/* What there is in the ring buffer, as far as it can be printed until then. */
static int list_events(struct bench_run *run, u64 until_ns)
{
	struct state *state = bench_private(run);
	struct runq_counts counts;
	int n, err = state->is_listing ? 0 : list_head(run);

	if (err)
		return err;
	state->listing_until_ns = until_ns;
	n = ring_buffer__consume(state->ring);
	if (n < 0 && n != -EAGAIN)
		return n;
	err = read_counts(state, &counts);
	return err ? err : tell_lost(run, counts.events_lost);
}

/* What the harness calls */

static unsigned int nr_background(const struct bench_run *run)
{
	const struct state *state = bench_private(run);

	return load_nr_threads(&state->load);
}

static int background(struct bench_run *run, unsigned int index)
{
	struct state *state = bench_private(run);

	return load_step(&state->load, index);
}

static int attach(const struct bpf_program *prog, struct bpf_link **link)
{
	int err;

	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	err = errno;
	return error_set(err == EPERM || err == EOPNOTSUPP ? E_CANNOT : err, "cannot attach %s: %s",
			 bpf_program__name(prog), strerror(err));
}

static int reset(struct bench_run *run)
{
	struct state *state = bench_private(run);
	int err = begin_slices(state);

	return err ? err : enter_phase(state, RUNQ_MEASURED);
}

/*
 * Empty ones first: they pay for what the first of two finds cold, the kernel's calling and timing. The
 * handler of switches is last, so that it does not see tasks whose wakeups were not.
 */
static int attach_all(struct state *state)
{
	const struct runqslower_bpf *skel = state->skel;
	const struct bpf_program *const progs[NR_HANDLERS][2] = {
		[WAKEUP] = { skel->progs.empty__sched_wakeup, skel->progs.handle__sched_wakeup },
		[WAKEUP_NEW] = { skel->progs.empty__sched_wakeup_new,
				 skel->progs.handle__sched_wakeup_new },
		[SWITCH] = { skel->progs.empty__sched_switch, skel->progs.handle__sched_switch },
	};
	int err = 0;

	for (int i = 0; i < NR_HANDLERS && !err; i++) {
		err = attach(progs[i][0], &state->handlers[i].empty);
		if (!err)
			err = attach(progs[i][1], &state->handlers[i].real);
	}
	return err;
}

static int watch(struct bench_run *run)
{
	struct state *state = bench_private(run);
	int err;

	state->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (state->stats_fd < 0)
		return error_set(-state->stats_fd, "cannot enable statistics of BPF programs: %s",
				 strerror(-state->stats_fd));
	err = attach_all(state);
	/* A command is measured from its beginning: there is no warm-up to forget. */
	return err || !bench_has_command(run) ? err : reset(run);
}

static void unwatch(struct bench_run *run)
{
	struct state *state = bench_private(run);

	for (int i = 0; i < NR_HANDLERS; i++) {
		bpf_link__destroy(state->handlers[i].real);
		bpf_link__destroy(state->handlers[i].empty);
	}
	if (state->stats_fd >= 0)
		close(state->stats_fd);
}

static int step(struct bench_run *run, int timeout_ms)
{
	struct state *state = bench_private(run);
	const struct timespec pause = { .tv_nsec = timeout_ms * (long)NSEC_PER_MSEC };
	int err = 0;

	if (state->measuring && state->ring)
		err = list_events(run, now_ns() + LISTING_NS);
	if (!err && state->measuring && now_ns() >= state->slice_begun_ns + SLICE_NS)
		err = end_slice(state);
	if (!err && timeout_ms)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	return err;
}

static int give_handler(struct bench_run *run, int handler, size_t first)
{
	static const char *const names[] = {
		[WAKEUP] = "handle__sched_wakeup",
		[WAKEUP_NEW] = "handle__sched_wakeup_new",
		[SWITCH] = "handle__sched_switch",
	};
	const struct state *state = bench_private(run);
	struct result_row *row = bench_row(run, names[handler]);
	struct handler_cost cost;
	int err = handler_cost(&state->slices[first].handlers[handler], NR_HANDLERS,
			       state->nr_slices - first, &cost);

	if (err)
		return err;
	bench_figure(row, "runs", (double)cost.runs);
	if (!cost.known)
		return 0;
	bench_figure(row, "avg_ns", cost.avg_ns);
	bench_figure(row, "empty_ns", cost.empty_ns);
	bench_figure(row, "net_ns", cost.net_ns);
	if (cost.se_known)
		bench_figure(row, "net_se_ns", cost.net_se_ns);
	return 0;
}

/* The maximum is one of all: it cannot be told what it was since another read. */
static void give_latency(struct bench_run *run, const struct runq_counts *now,
			 const struct runq_counts *before, bool whole)
{
	struct result_row *row = bench_row(run, "run_queue_latency");
	u64 samples = now->verdicts[RUNQ_SAMPLE] - before->verdicts[RUNQ_SAMPLE];
	u64 histogram[BENCH_NR_BUCKETS];

	for (int i = 0; i < RUNQ_NR_BUCKETS; i++)
		histogram[i] = now->histogram[i] - before->histogram[i];
	bench_figure(row, "samples", (double)samples);
	if (samples)
		bench_figure(row, "avg_ns",
			     (double)(now->latency_sum - before->latency_sum) / (double)samples);
	if (samples && whole)
		bench_figure(row, "max_ns", (double)now->latency_max);
	bench_histogram(row, histogram);
}

/* Nothing is counted from now on, and what was is complete. */
static int end_measuring(struct bench_run *run, struct runq_counts *total)
{
	struct state *state = bench_private(run);
	int err = enter_phase(state, RUNQ_OVER);

	if (!err)
		err = settle_counts(state, total);
	return err || !state->ring ? err : list_events(run, UINT64_MAX);
}

static int read_rows(struct bench_run *run, bool whole)
{
	const struct runq_counts nothing = {};
	struct state *state = bench_private(run);
	struct runq_counts before = state->total;
	size_t first = whole ? 0 : state->nr_read;
	int err = end_slice(state);

	if (!err)
		err = whole ? end_measuring(run, &state->total) : read_counts(state, &state->total);
	for (int i = 0; i < NR_HANDLERS && !err; i++)
		err = give_handler(run, i, first);
	if (err)
		return err;
	give_latency(run, &state->total, whole ? &nothing : &before, whole);
	state->nr_read = state->nr_slices;
	return 0;
}

static u64 recursion_misses(const struct state *state)
{
	u64 sum = 0;

	for (size_t i = 0; i < state->nr_slices; i++) {
		for (int j = 0; j < NR_HANDLERS; j++)
			sum += state->slices[i].handlers[j].real.misses;
	}
	return sum;
}

static void tell_losses(struct bench_run *run, const struct runq_counts *counts)
{
	static const char *const causes[RUNQ_NR_VERDICTS] = {
		[RUNQ_MISSED] = "how the task got on the queue was not seen",
		[RUNQ_FIRST_SIGHT] = "the task was never seen before",
		[RUNQ_NO_ROOM] = "map full: no room for the task",
		[RUNQ_STALE] = "stale: an entry of another task with the same tid",
		[RUNQ_CLOCK_BACK] = "the clock went back",
	};

	for (int i = 0; i < RUNQ_NR_VERDICTS; i++) {
		if (causes[i])
			bench_loss(run, causes[i], counts->verdicts[i]);
	}
}

static void tell_counts(struct bench_run *run, const struct runq_counts *counts)
{
	const struct state *state = bench_private(run);

	bench_counter(run, "wakeups", (double)counts->wakeups);
	bench_counter(run, "woken_running", (double)counts->woken_running);
	bench_counter(run, "woken_waiting", (double)counts->woken_waiting);
	bench_counter(run, "preempted", (double)counts->preempted);
	bench_counter(run, "inserts_refused", (double)counts->refused);
	bench_counter(run, "entries_replaced", (double)counts->replaced);
	bench_counter(run, "recursion_misses", (double)recursion_misses(state));
	if (state->ring) {
		bench_counter(run, "events_listed", (double)state->listed);
		bench_counter(run, "events_lost", (double)counts->events_lost);
	}
	if (!bench_has_command(run)) {
		bench_counter(run, "handovers", (double)load_handovers(&state->load));
		bench_counter(run, "forks", (double)state->load.forks);
	}
}

/* A switch that is no sample is a loss, and an event that was not listed was lost. */
static int check_counts(const struct state *state)
{
	const struct runq_counts *counts = &state->total;
	u64 in_histogram = 0;

	for (int i = 0; i < RUNQ_NR_BUCKETS; i++)
		in_histogram += counts->histogram[i];
	if (verdicts(counts) != counts->switches || in_histogram != counts->verdicts[RUNQ_SAMPLE])
		return error_set(
			EPROTO,
			"the program's counts do not add up: %llu switches, %llu accounted "
			"for, %llu samples, %llu in the histogram",
			(unsigned long long)counts->switches, (unsigned long long)verdicts(counts),
			(unsigned long long)counts->verdicts[RUNQ_SAMPLE],
			(unsigned long long)in_histogram);
	if (state->ring && state->listed + counts->events_lost != counts->events)
		return error_set(
			EPROTO, "%llu events were listed and %llu lost, but there were %llu",
			(unsigned long long)state->listed, (unsigned long long)counts->events_lost,
			(unsigned long long)counts->events);
	return 0;
}

static int finish(struct bench_run *run)
{
	const struct state *state = bench_private(run);

	bench_attempts(run, state->total.switches);
	tell_losses(run, &state->total);
	tell_counts(run, &state->total);
	return check_counts(state);
}

static const struct bench_watcher watcher = {
	.takes_command = true,
	.own_work = own_work,
	.watch = watch,
	.reset = reset,
	.step = step,
	.read = read_rows,
	.unwatch = unwatch,
};

BENCH(bench_runqslower){
	.name = "runqslower",
	.summary = "run-queue latency, and what tracing it costs by where the times are kept",
	.layout = BENCH_LAYOUT_TABLE,
	.params_size = sizeof(struct params),
	.params = param_table,
	.validate = validate,
	.unavailable = unavailable,
	.setup = setup,
	.teardown = teardown,
	.nr_background = nr_background,
	.background = background,
	.finish = finish,
	.watcher = &watcher,
};
