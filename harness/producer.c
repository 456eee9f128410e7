// SPDX-License-Identifier: GPL-2.0
/* Producer threads: they fire batches, take samples, and close their slices themselves. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "exact.h"
#include "run_internal.h"

/* Exact mode: instructions of a piece, short against the tick's 4,000,000 (at 250 Hz). */
#define EXACT_BATCH_INSNS 250000

/*
 * Exact mode: instructions that calibration, and a slice, should not go far beyond, so that an
 * operation of many millions still takes seconds. Least number of batches for them all the same.
 */
#define EXACT_BUDGET_INSNS (100 * 1000 * 1000)
#define EXACT_MIN_TRIES 3
#define EXACT_MIN_BATCHES 5

/*
 * Long against what reading the clock twice costs (about 40 ns), short against the timer tick
 * (1 to 10 ms), so that few batches are interrupted.
 */
#define BATCH_NS (50 * NSEC_PER_USEC)
#define MAX_PASSES (1U << 23) /* what bpf_loop() takes */
#define CALIBRATION_ROUNDS 8

/* Samples of one variant, of all producers together; of one at least so many. */
#define SAMPLES_ROOM (1U << 20)
#define SAMPLES_ROOM_MIN (1U << 12)

/* A duration above this is a clock that went back: the difference has wrapped. */
#define CLOCK_WENT_BACK (1ULL << 62)

static u64 phase_word(u64 generation, enum phase_kind kind)
{
	return generation << 8 | kind;
}

static enum phase_kind phase_kind(u64 phase)
{
	return phase & 0xff;
}

static enum bench_variant phase_variant(enum phase_kind kind)
{
	return kind == PHASE_TWIN || kind == PHASE_WARMUP_TWIN ? BENCH_TWIN : BENCH_REAL;
}

static bool phase_takes_samples(enum phase_kind kind)
{
	return kind == PHASE_REAL || kind == PHASE_TWIN;
}

/* Memory comes with the first write to it. */
static void *map_samples(size_t room, size_t size)
{
	void *samples = mmap(NULL, room * size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return samples == MAP_FAILED ? NULL : samples;
}

static int samples_init(struct samples *samples, size_t max_blocks, const struct bench_run *run)
{
	size_t room = max_u64(SAMPLES_ROOM / run->options->nr_producers, SAMPLES_ROOM_MIN);

	samples->room = max_u64(room, 2 * run->pieces);
	samples->ns = map_samples(samples->room, sizeof(*samples->ns));
	samples->cpu_ns = map_samples(samples->room, sizeof(*samples->cpu_ns));
	samples->looks = map_samples(samples->room, sizeof(*samples->looks));
	samples->blocks = calloc(max_blocks, sizeof(*samples->blocks));
	if (!samples->ns || !samples->cpu_ns || !samples->looks || !samples->blocks)
		return error_set(ENOMEM, "no memory for the samples of %u producers",
				 run->options->nr_producers);
	samples->pieces = run->pieces;
	samples->stride = 1;
	return 0;
}

static void samples_free(struct samples *samples)
{
	if (samples->ns)
		munmap(samples->ns, samples->room * sizeof(*samples->ns));
	if (samples->cpu_ns)
		munmap(samples->cpu_ns, samples->room * sizeof(*samples->cpu_ns));
	if (samples->looks)
		munmap(samples->looks, samples->room * sizeof(*samples->looks));
	free(samples->alone.pieces);
	free(samples->alone.blocks);
	free(samples->blocks);
	memset(samples, 0, sizeof(*samples));
}

/* Keep the first of each two of `n` batches, for each of which there are so many bytes. */
static void keep_every_second(void *batches, size_t n, size_t bytes)
{
	for (size_t i = 1; i < n / 2; i++)
		memcpy((char *)batches + i * bytes, (char *)batches + 2 * i * bytes, bytes);
}

static void samples_halve(struct samples *samples)
{
	size_t pieces = samples->pieces;

	keep_every_second(samples->ns, samples->n, pieces * sizeof(*samples->ns));
	keep_every_second(samples->cpu_ns, samples->n, pieces * sizeof(*samples->cpu_ns));
	keep_every_second(samples->looks, samples->n, pieces * sizeof(*samples->looks));
	for (size_t b = 0; b < samples->nr_blocks; b++)
		samples->blocks[b] /= 2;
	samples->n /= 2;
	samples->stride *= 2;
}

/* What one batch did, and each of its pieces. */
struct batch {
	struct bench_counts sum;
	struct cpu_time cpu;
	u64 looked_ns; /* at the core, which is none of the benchmark's time */
	bool clock_went_back;
	u64 ns[MAX_PIECES];
	u64 cpu_ns[MAX_PIECES];
	struct core_look looks[MAX_PIECES]; /* from before the piece to after it */
};

static void samples_add(struct samples *samples, const struct batch *batch)
{
	size_t pieces = samples->pieces, at;

	if (++samples->skipped < samples->stride)
		return;
	samples->skipped = 0;
	if ((samples->n + 1) * pieces > samples->room)
		samples_halve(samples);
	at = samples->n * pieces;
	memcpy(samples->ns + at, batch->ns, pieces * sizeof(*batch->ns));
	/* Where there is none of these, their memory is never touched. */
	if (batch->cpu.ns)
		memcpy(samples->cpu_ns + at, batch->cpu_ns, pieces * sizeof(*batch->cpu_ns));
	if (batch->looked_ns)
		memcpy(samples->looks + at, batch->looks, pieces * sizeof(*batch->looks));
	samples->n++;
}

void counts_add(struct bench_counts *sum, const struct bench_counts *more)
{
	sum->batches += more->batches;
	sum->ns += more->ns;
	sum->hits += more->hits;
	sum->important_hits += more->important_hits;
	sum->drops += more->drops;
}

/* Fire once and find out from the producer's slot what the program did. */
static int fire_piece(struct bench_producer *producer, enum bench_variant variant, u64 piece,
		      struct bench_counts *done)
{
	const struct bench_run *run = producer->run;
	struct bench_slot *slot = run_slot(run, variant, producer->index);
	const struct bench_counts before = slot->total;
	int err;

	slot->piece = piece;
	err = trigger_fire(&run->loaded[variant].trigger, variant, producer->index);
	if (err)
		return error_set(-err, "cannot fire the program by %s: %s",
				 trigger_name(run->trigger), strerror(-err));
	done->batches = slot->total.batches - before.batches;
	done->ns = slot->total.ns - before.ns;
	done->hits = slot->total.hits - before.hits;
	done->important_hits = slot->total.important_hits - before.important_hits;
	done->drops = slot->total.drops - before.drops;
	return 0;
}

/* `looks`: NULL, or those before the batch, to which its own are added. */
static int one_batch(struct bench_producer *producer, enum bench_variant variant,
		     struct core_looks *looks, struct batch *batch)
{
	const struct bench_run *run = producer->run;

	memset(&batch->sum, 0, sizeof(batch->sum));
	batch->looked_ns = 0;
	batch->clock_went_back = false;
	memset(&producer->clock.batch, 0, sizeof(producer->clock.batch));
	for (u64 piece = 0; piece < run->pieces; piece++) {
		struct bench_counts done = {};
		u64 cpu_before = producer->clock.batch.ns;
		int err;

		producer->piece = piece;
		err = run->bench->batch ? run->bench->batch(producer, variant, run->passes, &done)
					: fire_piece(producer, variant, piece, &done);
		if (err)
			return err;
		counts_add(&batch->sum, &done);
		batch->ns[piece] = done.ns;
		batch->cpu_ns[piece] = producer->clock.batch.ns - cpu_before;
		if (done.ns > CLOCK_WENT_BACK)
			batch->clock_went_back = true;
		if (looks) {
			batch->looked_ns += core_look_again(looks);
			batch->looks[piece] = core_look_between(looks);
		}
	}
	batch->cpu = producer->clock.batch;
	return 0;
}

static void set_passes(struct bench_run *run, unsigned int index)
{
	if (run->bench->batch)
		return;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++)
		run_slot(run, variant, index)->passes = run->passes;
}

/*
 * The least that a real batch takes in `tries`: what disturbs a batch only makes it longer. Three
 * tries are enough once all of them have taken `budget`.
 */
static int least_ns(struct bench_producer *producer, int tries, u64 budget, u64 *ns)
{
	struct batch batch;
	u64 all = 0;

	set_passes(producer->run, producer->index);
	*ns = UINT64_MAX;
	for (int i = 0; i < tries && (i < EXACT_MIN_TRIES || all < budget); i++) {
		int err = bench_interrupted();

		if (!err)
			err = one_batch(producer, BENCH_REAL, NULL, &batch);
		if (err)
			return err;
		*ns = min_u64(*ns, max_u64(batch.sum.ns, 1));
		all += batch.sum.ns;
	}
	return 0;
}

/* Find the number of passes that makes a real batch take about BATCH_NS. */
static int calibrate_ns(struct bench_producer *producer)
{
	struct bench_run *run = producer->run;

	run->passes = 1;
	for (int round = 0; round < CALIBRATION_ROUNDS; round++) {
		u64 ns, passes;
		int err = least_ns(producer, 3, UINT64_MAX, &ns);

		if (err)
			return err;
		passes = (u64)((double)run->passes * BATCH_NS / (double)ns);
		passes = min_u64(max_u64(passes, 1), MAX_PASSES);
		/* Grow stepwise: a short batch is mostly the clock's own cost. */
		passes = min_u64(passes, run->passes * 32);
		if (passes >= run->passes / 8 * 7 && passes <= run->passes / 8 * 9 + 1)
			return 0;
		run->passes = passes;
	}
	return 0;
}

/*
 * In exact mode the least of many is the same in every run, and so is what follows from it: one
 * step, since what is fixed in a batch is to weigh the same in every run.
 */
static int calibrate_insns(struct bench_producer *producer)
{
	struct bench_run *run = producer->run;
	u64 insns;
	int err;

	run->passes = 1;
	err = least_ns(producer, 1, UINT64_MAX, &insns);
	if (!err && insns > exact_tick_insns() * run->pieces) {
		/* Never undisturbed, so not exact: a few batches are enough to say so. */
		run->batches_per_slice = 1;
		return 0;
	}
	if (!err)
		err = least_ns(producer, 20, EXACT_BUDGET_INSNS, &insns);
	if (err)
		return err;
	run->passes = max_u64(EXACT_BATCH_INSNS * run->pieces / insns, 1);
	run->batches_per_slice =
		min_u64(run->batches_per_slice,
			max_u64(EXACT_BUDGET_INSNS / (run->passes * insns), EXACT_MIN_BATCHES));
	return 0;
}

static u64 involuntary_switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (u64)usage.ru_nivcsw;
}

static void take_sample(struct bench_producer *producer, enum phase_kind kind,
			const struct batch *batch, struct slice *slice)
{
	if (batch->clock_went_back)
		slice->clock_went_back++;
	else if (batch->sum.batches == producer->run->pieces && phase_takes_samples(kind))
		samples_add(&producer->samples[phase_variant(kind)], batch);
}

/* Before the first batch. A twin stays where its real one was. */
static void begin_to_look(struct bench_producer *producer, enum bench_variant variant,
			  struct core_looks *looks, struct slice *slice)
{
	if (variant == BENCH_REAL)
		producer->reference = core_seek(producer->cpu < 0);
	core_look_again(looks);
	slice->looked_ns = now_ns() - slice->start_ns;
}

/* Of pieces on a core alone, one after another. */
struct streak {
	u64 pieces, ns;
};

/* What came before and after a piece decides, too: of each streak, the first are taken for the last as well. */
static void count_alone(const struct bench_producer *producer, const struct batch *batch,
			struct streak *streak, struct slice *slice)
{
	for (u64 piece = 0; piece < producer->run->pieces; piece++) {
		if (!core_is_alone(core_busy_cycles(&batch->looks[piece]), producer->reference)) {
			*streak = (struct streak){};
			continue;
		}
		streak->pieces++;
		streak->ns += batch->ns[piece];
		slice->alone += streak->pieces > 2 * CORE_AROUND || streak->ns > 2 * CORE_AROUND_NS;
	}
}

static bool slice_goes_on(const struct bench_run *run, u64 phase, u64 batches)
{
	if (run->batches_per_slice)
		return batches < run->batches_per_slice;
	return atomic_load_explicit(&run->phase, memory_order_relaxed) == phase;
}

/* Fire batches until the slice ends; then `slice` says what was done from when to when. */
static int run_slice(struct bench_producer *producer, u64 phase, struct slice *slice)
{
	struct bench_run *run = producer->run;
	enum phase_kind kind = phase_kind(phase);
	enum bench_variant variant = phase_variant(kind);
	u64 switches = involuntary_switches();
	struct core_looks looks = {};
	struct streak streak = {};
	struct batch batch;

	memset(slice, 0, sizeof(*slice));
	if (phase_takes_samples(kind)) {
		struct samples *samples = &producer->samples[variant];

		samples->blocks[samples->nr_blocks++] = samples->n;
	}
	slice->start_ns = now_ns();
	if (run->looks_at_core)
		begin_to_look(producer, variant, &looks, slice);
	do {
		int err = one_batch(producer, variant, run->looks_at_core ? &looks : NULL, &batch);

		if (err)
			return err;
		slice->looked_ns += batch.looked_ns;
		if (run->looks_at_core)
			count_alone(producer, &batch, &streak, slice);
		slice->batches++;
		counts_add(&slice->counts, &batch.sum);
		cpu_time_add(&slice->cpu, &batch.cpu);
		take_sample(producer, kind, &batch, slice);
	} while (slice_goes_on(run, phase, slice->batches));
	slice->end_ns = now_ns();
	slice->involuntary_switches = involuntary_switches() - switches;
	return 0;
}

static void report_done(struct bench_run *run)
{
	pthread_mutex_lock(&run->lock);
	run->nr_done++;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

static void report_failure(struct bench_producer *producer, int err)
{
	struct bench_run *run = producer->run;

	pthread_mutex_lock(&run->lock);
	producer->err = err;
	snprintf(producer->err_text, sizeof(producer->err_text), "%s", error_text());
	run->failed = true;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

/* Wait until the phase is another one, which is returned. */
static u64 wait_for_change(struct bench_run *run, u64 phase)
{
	u64 now;

	pthread_mutex_lock(&run->lock);
	while ((now = atomic_load(&run->phase)) == phase)
		pthread_cond_wait(&run->changed, &run->lock);
	pthread_mutex_unlock(&run->lock);
	return now;
}

static int pin(int cpu)
{
	cpu_set_t *set;
	size_t size;
	int err;

	if (cpu < 0)
		return 0;
	set = CPU_ALLOC(cpu + 1);
	if (!set)
		return error_set(ENOMEM, "no memory for a set of %d CPUs", cpu + 1);
	size = CPU_ALLOC_SIZE(cpu + 1);
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	err = sched_setaffinity(0, size, set) ? errno : 0;
	CPU_FREE(set);
	return err ? error_set(err, "cannot run a producer on CPU %d: %s", cpu, strerror(err)) : 0;
}

/* Nothing else of the guest's may come in between: it has but one CPU. */
static int become_realtime(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return error_set(errno, "cannot run a producer in real time: %s", strerror(errno));
	return 0;
}

static int producer_prepare(struct bench_producer *producer)
{
	bool exact = producer->run->result->exact;
	const struct bench *bench = producer->run->bench;
	int err = pin(producer->cpu);

	if (!err && exact)
		err = become_realtime();
	if (!err && bench->producer_init)
		err = bench->producer_init(producer);
	if (!err && producer->index == 0)
		err = exact ? calibrate_insns(producer) : calibrate_ns(producer);
	return err;
}

static int producer_work(struct bench_producer *producer)
{
	struct bench_run *run = producer->run;
	u64 phase = wait_for_change(run, phase_word(0, PHASE_WAIT));
	struct slice slice;

	set_passes(run, producer->index);
	report_done(run);
	while (phase_kind(phase) != PHASE_STOP) {
		int err = phase_kind(phase) == PHASE_WAIT ? 0 : run_slice(producer, phase, &slice);

		if (err)
			return err;
		phase = wait_for_change(run, phase);
		producer->closed = slice;
		report_done(run);
	}
	return 0;
}

static void *producer_main(void *arg)
{
	struct bench_producer *producer = arg;
	const struct bench *bench = producer->run->bench;
	int err = producer_prepare(producer);

	if (!err) {
		report_done(producer->run);
		err = producer_work(producer);
	}
	if (!err && bench->producer_check && !producer->run->failed)
		err = bench->producer_check(producer);
	if (err)
		report_failure(producer, err);
	return NULL;
}

/* Wait until all producers are done with the phase before. */
static int wait_for_all(struct bench_run *run)
{
	unsigned int all = run->options->nr_producers;
	int err = 0;

	pthread_mutex_lock(&run->lock);
	while (run->nr_done < all && !run->failed)
		pthread_cond_wait(&run->changed, &run->lock);
	if (run->failed)
		err = -ECANCELED;
	pthread_mutex_unlock(&run->lock);
	return err;
}

static int first_error(const struct bench_run *run)
{
	for (unsigned int i = 0; i < run->options->nr_producers; i++) {
		const struct bench_producer *producer = &run->producers[i];

		if (producer->err) {
			error_set(0, "%s", producer->err_text);
			return producer->err;
		}
	}
	return background_error(run);
}

static int start_one(struct bench_run *run, unsigned int index, int cpu, size_t max_slices)
{
	struct bench_producer *producer = &run->producers[index];
	int err = 0;

	producer->run = run;
	producer->index = index;
	producer->cpu = cpu;
	for (int variant = 0; variant < BENCH_NR_VARIANTS && !err; variant++)
		err = samples_init(&producer->samples[variant], max_slices, run);
	if (err)
		return err;
	err = pthread_create(&producer->thread, NULL, producer_main, producer);
	if (err)
		return error_set(err, "cannot start producer %u: %s", index, strerror(err));
	producer->started = true;
	return 0;
}

int producers_start(struct bench_run *run, const int *cpus, size_t max_slices)
{
	sigset_t all, before;
	int err = 0;

	run->producers = calloc(run->options->nr_producers, sizeof(*run->producers));
	if (!run->producers)
		return error_set(ENOMEM, "no memory for %u producers", run->options->nr_producers);

	/* Signals are the main thread's: it ends the run. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (unsigned int i = 0; i < run->options->nr_producers && !err; i++)
		err = start_one(run, i, cpus[i], max_slices);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err;
	err = wait_for_all(run);
	return err ? first_error(run) : 0;
}

int producers_enter(struct bench_run *run, enum phase_kind kind)
{
	int err;

	pthread_mutex_lock(&run->lock);
	run->nr_done = 0;
	atomic_store(&run->phase, phase_word((atomic_load(&run->phase) >> 8) + 1, kind));
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
	err = wait_for_all(run);
	return err ? first_error(run) : 0;
}

int producers_stop(struct bench_run *run)
{
	if (!run->producers)
		return 0;
	pthread_mutex_lock(&run->lock);
	atomic_store(&run->phase, phase_word((atomic_load(&run->phase) >> 8) + 1, PHASE_STOP));
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
	for (unsigned int i = 0; i < run->options->nr_producers; i++) {
		if (run->producers[i].started)
			pthread_join(run->producers[i].thread, NULL);
		run->producers[i].started = false;
	}
	return first_error(run);
}

void producers_free(struct bench_run *run)
{
	for (unsigned int i = 0; run->producers && i < run->options->nr_producers; i++) {
		for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++)
			samples_free(&run->producers[i].samples[variant]);
	}
	free(run->producers);
	run->producers = NULL;
}
