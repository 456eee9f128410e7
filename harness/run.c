// SPDX-License-Identifier: GPL-2.0
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "host.h"
#include "run_internal.h"

/*
 * An interval is a second of the real variant, as the selftests' bench has it, and a tenth of that of
 * the twin, in slices that take turns.
 */
#define SLICES_PER_INTERVAL 10
#define TWIN_SHARE 10
#define SHORTEST_SLICE_NS (10 * NSEC_PER_MSEC) /* real; where an interval is less than a second */

/* Exact mode counts batches, not time: this many slices of each variant, of so many batches. */
#define EXACT_SLICES 3
#define EXACT_BATCHES_PER_SLICE 67

static volatile sig_atomic_t caught_signal;

static void catch_signal(int number)
{
	caught_signal = number;
}

void run_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGXCPU };
	struct sigaction action = { .sa_handler = catch_signal, .sa_flags = SA_RESTART }, before;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		/* Under nohup a hang-up is nothing to end for. */
		if (signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) &&
		    before.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
	}
	/* A reader that has gone and a file that may not grow are errors of writing, told as such. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

const void *bench_params(const struct bench_run *run)
{
	return run->options->params;
}

void *bench_private(const struct bench_run *run)
{
	return run->private;
}

void bench_set_private(struct bench_run *run, void *private)
{
	run->private = private;
}

unsigned int bench_nr_producers(const struct bench_run *run)
{
	return run->options->nr_producers;
}

bool bench_is_padded(const struct bench_run *run)
{
	return run->options->pad > 0;
}

bool bench_is_exact(const struct bench_run *run)
{
	return run->result->exact;
}

struct bench_run *bench_producer_run(const struct bench_producer *producer)
{
	return producer->run;
}

unsigned int bench_producer_index(const struct bench_producer *producer)
{
	return producer->index;
}

u64 bench_producer_piece(const struct bench_producer *producer)
{
	return producer->piece;
}

void bench_note(struct bench_run *run, const char *name, const char *fmt, ...)
{
	struct result *result = run->result;
	struct result_note *note = &result->notes[result->nr_notes];
	va_list ap;

	if (result->nr_notes == ARRAY_SIZE(result->notes))
		return;
	note->name = name;
	va_start(ap, fmt);
	vsnprintf(note->value, sizeof(note->value), fmt, ap);
	va_end(ap);
	result->nr_notes++;
}

void bench_loss(struct bench_run *run, const char *cause, u64 count)
{
	struct result *result = run->result;
	struct result_loss *loss = result->losses;

	if (!count)
		return;
	while (loss < result->losses + result->nr_losses && strcmp(loss->cause, cause))
		loss++;
	if (loss == result->losses + ARRAY_SIZE(result->losses))
		return;
	if (loss == result->losses + result->nr_losses) {
		loss->cause = cause;
		result->nr_losses++;
	}
	loss->count += count;
}

void bench_attempts(struct bench_run *run, u64 count)
{
	run->result->attempts = count;
}

void bench_counter(struct bench_run *run, const char *name, double value)
{
	struct result *result = run->result;
	struct result_counter *counter = result->counters;
	const struct result_counter *end = counter + result->nr_counters;

	while (counter < end && strcmp(counter->name, name))
		counter++;
	if (counter == end) {
		if (result->nr_counters == ARRAY_SIZE(result->counters))
			return;
		counter->name = name;
		result->nr_counters++;
	}
	counter->value += value;
}

double bench_median_ns(const struct bench_run *run)
{
	return run->result->exact ? 0 : run->result->cost_ns[BENCH_REAL].median;
}

bool run_signalled(void)
{
	return caught_signal;
}

void run_sleep_until(u64 end_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(end_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(end_ns % NSEC_PER_SEC),
	};

	while (!caught_signal &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* The length of a slice. Slices of exact mode end by themselves. */
static void sleep_for(const struct bench_run *run, u64 ns)
{
	if (!run->batches_per_slice)
		run_sleep_until(now_ns() + ns);
}

/* As the selftests' bench counts: W + D + 1 intervals, of which the last D + 1 make the result. */
static unsigned int nr_intervals(const struct bench_run *run)
{
	if (run->result->exact)
		return EXACT_SLICES;
	return (unsigned int)(run->options->warmup_sec + run->options->duration_sec + 1);
}

/* What the producers' slices of one variant add up to over an interval. */
struct tally {
	struct result_interval *interval;
	struct producer_tally {
		u64 ns;
		u64 looked_ns; /* of that */
		struct bench_counts counts;
	} * producers;
	u64 batches;
	u64 clock_went_back;
	/* Of a core that is looked at: pieces that had it alone, and slices with such. */
	u64 alone;
	unsigned int slices_alone;
};

static void add_slice(struct tally *tally, struct bench_run *run)
{
	struct result_interval *interval = tally->interval;

	if (!interval->warmup)
		run->nr_slices[interval->variant]++;

	for (unsigned int i = 0; i < run->options->nr_producers; i++) {
		const struct slice *slice = &run->producers[i].closed;
		struct producer_tally *mine = &tally->producers[i];

		mine->ns += slice->end_ns - slice->start_ns;
		mine->looked_ns += slice->looked_ns;
		counts_add(&mine->counts, &slice->counts);
		if (!interval->warmup && interval->variant == BENCH_REAL) {
			cpu_time_add(&run->cpu, &slice->cpu);
			run->cpu_batches += slice->batches;
		}
		interval->involuntary_switches += slice->involuntary_switches;
		tally->batches += slice->batches;
		tally->clock_went_back += slice->clock_went_back;
		tally->alone += slice->alone;
		tally->slices_alone += slice->alone > 0;
	}
}

/* Will there be enough batches that had their core alone? */
static bool is_well_alone(const struct tally *tally, const struct bench_run *run)
{
	return tally->slices_alone >= 2 &&
	       core_enough_alone(tally->alone, tally->batches * run->pieces);
}

static void finish_interval(struct tally *tally, const struct bench_run *run)
{
	struct result_interval *interval = tally->interval;
	unsigned int nr = run->options->nr_producers;
	double ns_sum = 0, looked_sum = 0;

	for (unsigned int i = 0; i < nr; i++) {
		const struct producer_tally *mine = &tally->producers[i];
		u64 at_work_ns = mine->ns - mine->looked_ns;
		double per_sec = at_work_ns ? (double)NSEC_PER_SEC / (double)at_work_ns : 0;

		counts_add(&interval->counts, &mine->counts);
		interval->hits_per_sec += (double)mine->counts.hits * per_sec;
		interval->important_hits_per_sec += (double)mine->counts.important_hits * per_sec;
		interval->drops_per_sec += (double)mine->counts.drops * per_sec;
		ns_sum += (double)mine->ns;
		looked_sum += (double)mine->looked_ns;
	}
	interval->duration_ns = ns_sum / nr;
	interval->looked_ns = looked_sum / nr;
}

/*
 * Everything that was fired must have been counted: batches = fired - missed, and hits + drops =
 * batches x operations a batch. A benchmark that does not do what it says is worse than none.
 */
static int check_counts(const struct tally *tally, struct bench_run *run)
{
	const struct bench_counts *counts = &tally->interval->counts;
	u64 ops = run->result->ops_per_pass * run->passes;
	u64 fired = tally->batches * run->pieces;
	bool counts_match = counts->hits + counts->drops == tally->batches * ops;

	if (counts->batches > fired)
		return error_set(EPROTO,
				 "the program ran %llu times for %llu that were fired: somebody "
				 "else fires it too",
				 (unsigned long long)counts->batches, (unsigned long long)fired);
	if (tally->interval->variant == BENCH_REAL && !tally->interval->warmup) {
		run->result->attempts += tally->batches * ops;
		bench_loss(run, "came back empty", counts->drops);
		bench_loss(run, "not timed: the clock went back", tally->clock_went_back * ops);
		if (fired != counts->batches)
			bench_loss(run, "the trigger did not run the program",
				   tally->batches * ops - counts->hits - counts->drops);
	}
	if (counts_match || fired != counts->batches)
		return 0;
	return error_set(EPROTO,
			 "the program's counts do not add up: %llu hits and %llu drops in %llu "
			 "batches of %llu operations",
			 (unsigned long long)counts->hits, (unsigned long long)counts->drops,
			 (unsigned long long)tally->batches, (unsigned long long)ops);
}

static bool is_warmup(const struct bench_run *run, unsigned int interval)
{
	return !run->result->exact && interval < run->options->warmup_sec;
}

/* The phase that an interval begins with: that of its first slice. */
static enum phase_kind first_phase(const struct bench_run *run, unsigned int interval)
{
	if (interval == nr_intervals(run))
		return PHASE_WAIT;
	return is_warmup(run, interval) ? PHASE_WARMUP_REAL : PHASE_REAL;
}

static bool is_over(const struct bench_run *run, const struct tally tally[BENCH_NR_VARIANTS],
		    unsigned int slices)
{
	if (caught_signal || slices >= run->most_slices)
		return true;
	return slices >= run->slices_per_interval && is_well_alone(&tally[BENCH_REAL], run) &&
	       is_well_alone(&tally[BENCH_TWIN], run);
}

/*
 * One interval: slices of both variants in turn. On entry its first phase is on, on return that of
 * the next interval. Ends early on a signal, after the slice.
 */
static int take_slices(struct bench_run *run, unsigned int number,
		       struct tally tally[BENCH_NR_VARIANTS])
{
	const enum phase_kind real = first_phase(run, number);
	const enum phase_kind twin = is_warmup(run, number) ? PHASE_WARMUP_TWIN : PHASE_TWIN;
	const enum phase_kind next = first_phase(run, number + 1);
	const u64 slice_ns = run->interval_ns / run->slices_per_interval;
	unsigned int slices = 0;

	for (bool over = false; !over;) {
		int err;

		sleep_for(run, slice_ns);
		err = producers_enter(run, twin);
		if (err)
			return err;
		add_slice(&tally[BENCH_REAL], run);
		sleep_for(run, slice_ns / TWIN_SHARE);
		over = is_over(run, tally, ++slices);
		err = producers_enter(run, over ? next : real);
		if (err)
			return err;
		add_slice(&tally[BENCH_TWIN], run);
	}
	/* Where there may be more of them, there is one interval. */
	if (slices > run->slices_per_interval)
		run->slices_per_interval = slices;
	return 0;
}

static int sample_interval(struct bench_run *run, unsigned int number)
{
	struct result_interval *intervals = &run->result->intervals[run->result->nr_intervals];
	unsigned int nr = run->options->nr_producers;
	struct tally tally[BENCH_NR_VARIANTS] = {};
	s64 steal = host_steal_ns();
	int err = 0;

	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		intervals[variant] = (struct result_interval){
			.variant = variant,
			.warmup = is_warmup(run, number),
			.steal_ns = -1,
		};
		tally[variant].interval = &intervals[variant];
		tally[variant].producers = calloc(nr, sizeof(*tally[variant].producers));
		if (!tally[variant].producers)
			err = error_set(ENOMEM, "no memory for an interval");
	}
	if (!err)
		err = take_slices(run, number, tally);
	for (int variant = 0; variant < BENCH_NR_VARIANTS && !err; variant++) {
		finish_interval(&tally[variant], run);
		err = check_counts(&tally[variant], run);
	}
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++)
		free(tally[variant].producers);
	if (err)
		return err;
	/* Of the whole interval: the machine's figure cannot be told apart by slices. */
	if (steal >= 0)
		intervals[BENCH_REAL].steal_ns = host_steal_ns() - steal;
	run->result->nr_intervals += BENCH_NR_VARIANTS;
	if (!run->observer->interval)
		return 0;
	return run->observer->interval(run->observer->data, &intervals[BENCH_REAL], number);
}

static int sample_all(struct bench_run *run)
{
	int err = producers_enter(run, first_phase(run, 0));

	for (unsigned int i = 0; i < nr_intervals(run) && !err && !caught_signal; i++)
		err = sample_interval(run, i);
	return err;
}

/*
 * How long an interval is, how many slices it is cut into, and for how many it goes on at most. The end of a slice
 * waits for each producer to have its turn on a CPU: the more of them share one, the fewer slices.
 */
static void choose_interval(struct bench_run *run)
{
	const struct options *options = run->options;
	size_t slices = SLICES_PER_INTERVAL * run->nr_cpus / options->nr_producers;
	u64 most;

	run->interval_ns = min_u64(max_u64(run->result->setup_ns, options->interval_ns),
				   options->longest_interval_ns);
	most = min_u64(SLICES_PER_INTERVAL, run->interval_ns / SHORTEST_SLICE_NS);
	if (!run->result->exact)
		run->slices_per_interval =
			(unsigned int)min_u64(max_u64(slices, 1), max_u64(most, 1));
	run->most_slices = run->slices_per_interval;
	if (run->looks_at_core)
		run->most_slices = (unsigned int)(options->longest_interval_ns *
						  run->slices_per_interval / run->interval_ns);
}

static void pin_producers(struct bench_run *run, const struct cpu_list *list, size_t first,
			  int *cpus)
{
	struct result *result = run->result;

	for (unsigned int i = 0; i < run->options->nr_producers; i++) {
		cpus[i] = (int)list->cpu[(first + i) % list->n];
		if ((size_t)cpus[i] < 64 * ARRAY_SIZE(result->cpus_used))
			result->cpus_used[cpus[i] / 64] |= 1ULL << cpus[i] % 64;
	}
}

/* CPUs in the selftests' order: consumers first, producers after them, wrapping round. */
static int choose_cpus(struct bench_run *run, int *cpus)
{
	const struct options *options = run->options;
	struct cpu_list online = {};
	const struct cpu_list *list = options->prod_cpus.n ? &options->prod_cpus : &online;
	int err = cpu_list_online(&online);

	if (err)
		return err;
	for (unsigned int i = 0; i < options->nr_producers; i++)
		cpus[i] = -1;
	if (options->affinity)
		pin_producers(run, list, list == &online ? options->nr_consumers : 0, cpus);
	if (options->nr_producers > list->n)
		bench_note(run, "cpus", "%u producers share %zu", options->nr_producers, list->n);
	run->nr_cpus = list->n;
	cpu_list_free(&online);
	return 0;
}

static int start_producers(struct bench_run *run)
{
	int *cpus = calloc(run->options->nr_producers, sizeof(*cpus));
	size_t longest = run->options->longest_interval_ns / run->options->interval_ns;
	size_t max_slices = (nr_intervals(run) + 1) * SLICES_PER_INTERVAL * longest;
	int err;

	if (!cpus)
		return error_set(ENOMEM, "no memory for %u producers", run->options->nr_producers);
	err = choose_cpus(run, cpus);
	if (!err)
		err = producers_start(run, cpus, max_slices);
	free(cpus);
	return err;
}

int bench_interrupted(void)
{
	return caught_signal ? error_set(EINTR, "ended by a signal before the first sample") : 0;
}

/* Calibration is over when the producers are sent into their first phase. */
int bench_set_up_interrupted(const struct bench_run *run)
{
	return atomic_load(&run->phase) ? 0 : bench_interrupted();
}

static int choose_mode(struct bench_run *run)
{
	struct result *result = run->result;
	int exact = exact_mode();

	if (exact < 0)
		return exact;
	result->exact = exact;
	run->slices_per_interval = 1;
	if (!exact)
		return 0;
	run->batches_per_slice = EXACT_BATCHES_PER_SLICE;
	snprintf(result->exact_machine, sizeof(result->exact_machine), "%s", exact_machine());
	return 0;
}

static int load_case(struct bench_run *run)
{
	const struct bench *bench = run->bench;
	int err = choose_mode(run);

	if (!err && bench->unavailable)
		err = bench->unavailable();
	if (!err && !bench->batch && !bench->watcher)
		err = trigger_resolve(run->options->trigger, &run->trigger);
	if (!err && bench->setup)
		err = bench->setup(run);
	for (int variant = 0; variant < BENCH_NR_VARIANTS && bench->load && !err; variant++) {
		err = bench_interrupted();
		if (!err)
			err = bench->load(run, variant);
	}
	return err;
}

int run_tell_started(struct bench_run *run)
{
	run->result->setup_ns = now_ns() - run->begun_ns;
	if (!run->observer->started)
		return 0;
	return run->observer->started(run->observer->data, run->result);
}

static int measure(struct bench_run *run)
{
	struct result *result = run->result;
	int err;

	result->ops_per_pass = run->bench->ops_per_pass(run);
	run->pieces = run->bench->pieces_per_pass ? run->bench->pieces_per_pass(run) : 1;
	result->pieces_per_batch = run->pieces;
	if (run->pieces > MAX_PIECES)
		return error_set(E2BIG, "a pass in %llu pieces: %u are the most",
				 (unsigned long long)run->pieces, MAX_PIECES);
	result->intervals =
		calloc((size_t)nr_intervals(run) * BENCH_NR_VARIANTS, sizeof(*result->intervals));
	if (!result->intervals)
		return error_set(ENOMEM, "no memory for the intervals");

	err = background_start(run);
	/* Producers beside each other, and threads of the benchmark, share cores as it comes. */
	run->looks_at_core = !result->exact && run->options->nr_producers == 1 &&
			     !run->nr_background && !host_is_emulated();
	if (!err)
		err = start_producers(run);
	if (!err)
		err = bench_interrupted();
	if (err)
		return err;
	result->passes_per_batch = run->passes;
	err = run_tell_started(run);
	choose_interval(run);
	return err ? err : sample_all(run);
}

/* All threads, whatever became of them, end here. An error that is there stays. */
static int stop(struct bench_run *run, int err)
{
	char text[1024];
	int stop_err, background_err;

	snprintf(text, sizeof(text), "%s", error_text());
	stop_err = producers_stop(run);
	background_err = background_stop(run);
	watch_stop(run);
	if (!err)
		return stop_err ? stop_err : background_err;
	error_set(0, "%s", text);
	return err;
}

int run_case(const struct options *options, const struct run_observer *observer,
	     struct result *result)
{
	struct bench_run run = {
		.options = options,
		.bench = options->bench,
		.result = result,
		.observer = observer,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	struct timespec wall;
	int err;

	run.begun_ns = now_ns();
	clock_gettime(CLOCK_REALTIME, &wall);
	result->started_unix_ns = (u64)wall.tv_sec * NSEC_PER_SEC + (u64)wall.tv_nsec;
	result->bench = options->bench;
	result->params = options->params;
	result->options = options;

	result->command_status = -1;

	err = load_case(&run);
	result->trigger = run.trigger;
	if (!err)
		err = run.bench->watcher ? watch_measure(&run) : measure(&run);
	err = stop(&run, err);
	if (!err && !run.bench->watcher)
		err = summarise(&run);
	if (!err && run.bench->finish)
		err = run.bench->finish(&run);
	loaded_release(&run);
	if (run.bench->teardown)
		run.bench->teardown(&run);
	producers_free(&run);

	/* A fault that was found stays one, though a signal came as well. */
	if (!err || err == -EINTR)
		result->ended_by_signal = caught_signal;
	if (result->ended_by_signal)
		result->status = RESULT_INTERRUPTED;
	else if (err)
		result->status = err == -E_CANNOT ? RESULT_SKIPPED : RESULT_FAILED;
	if (err)
		snprintf(result->reason, sizeof(result->reason), "%s", error_text());
	return err;
}
