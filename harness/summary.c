// SPDX-License-Identifier: GPL-2.0
/* From the producers' samples and the intervals to the figures of a result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "run_internal.h"

/* All producers' samples of one variant as cost of an operation, with their blocks. */
struct pool {
	bool alone_only; /* given: of pieces that had their core alone */
	double *per_op;
	size_t n;
	size_t *blocks;
	size_t nr_blocks;
};

static void pool_free(struct pool *pool)
{
	free(pool->per_op);
	free(pool->blocks);
	memset(pool, 0, sizeof(*pool));
}

static size_t block_end(const struct samples *samples, size_t block)
{
	return block + 1 < samples->nr_blocks ? samples->blocks[block + 1] : samples->n;
}

static size_t nr_pieces(const struct samples *samples)
{
	return samples->n * samples->pieces;
}

/* Pieces are numbered from the first of the first batch on, through all batches. */
static size_t first_piece(const struct samples *samples, size_t block)
{
	return samples->blocks[block] * samples->pieces;
}

static size_t end_of_pieces(const struct samples *samples, size_t block)
{
	return block_end(samples, block) * samples->pieces;
}

/* From piece `from` in steps of 1 or -1 up to `end`, which is not looked at. */
static bool was_alone_from(const struct samples *samples, size_t from, size_t end, int step,
			   u64 reference)
{
	u64 passed_ns = 0, passed = 0;

	for (size_t i = from; i != end && passed_ns < CORE_AROUND_NS && passed < CORE_AROUND;
	     i += (size_t)step) {
		if (!core_is_alone(core_busy_cycles(&samples->looks[i]), reference))
			return false;
		passed_ns += samples->ns[i];
		passed++;
	}
	return true;
}

static bool piece_was_alone(const struct samples *samples, size_t block, size_t piece,
			    u64 reference)
{
	return core_is_alone(core_busy_cycles(&samples->looks[piece]), reference) &&
	       was_alone_from(samples, piece + 1, end_of_pieces(samples, block), 1, reference) &&
	       was_alone_from(samples, piece - 1, first_piece(samples, block) - 1, -1, reference);
}

/* What the cost of a piece is counted in. */
static double in_ns(const struct samples *samples, size_t piece)
{
	return (double)samples->ns[piece];
}

static double in_cpu_ns(const struct samples *samples, size_t piece)
{
	return (double)samples->cpu_ns[piece];
}

static double in_cycles(const struct samples *samples, size_t piece)
{
	return in_ns(samples, piece) * core_ghz(&samples->looks[piece]);
}

typedef double cost_in(const struct samples *samples, size_t piece);

static double cost_of_batch(const struct samples *samples, size_t batch, bool alone_only,
			    cost_in *unit)
{
	double cost = 0;

	for (size_t i = batch * samples->pieces; i < (batch + 1) * samples->pieces; i++)
		cost += unit(samples, alone_only ? samples->alone.pieces[i] : i);
	return cost;
}

/* Slices first to last - 1 of all producers, slice after slice. */
static int pool_slices(const struct bench_run *run, enum bench_variant variant, size_t first,
		       size_t last, cost_in *unit, struct pool *pool)
{
	double ops = (double)(run->result->ops_per_pass * run->passes);
	unsigned int nr = run->options->nr_producers;
	size_t room = 0;

	for (unsigned int p = 0; p < nr; p++)
		room += run->producers[p].samples[variant].n;
	pool->per_op = calloc(room + 1, sizeof(*pool->per_op));
	pool->blocks = calloc((last - first) * nr + 1, sizeof(*pool->blocks));
	if (!pool->per_op || !pool->blocks) {
		pool_free(pool);
		return error_set(ENOMEM, "no memory for %zu samples", room);
	}
	for (size_t block = first; block < last; block++) {
		for (unsigned int p = 0; p < nr; p++) {
			const struct samples *samples = &run->producers[p].samples[variant];
			size_t i, end;

			if (block >= samples->nr_blocks)
				continue;
			i = pool->alone_only ? samples->alone.blocks[block]
					     : samples->blocks[block];
			end = pool->alone_only ? samples->alone.blocks[block + 1]
					       : block_end(samples, block);
			pool->blocks[pool->nr_blocks++] = pool->n;
			for (; i < end; i++)
				pool->per_op[pool->n++] =
					cost_of_batch(samples, i, pool->alone_only, unit) / ops;
		}
	}
	return 0;
}

/*
 * Put batches together from pieces that had their core alone: each place is taken by the next such piece of that
 * place. A whole batch of milliseconds seldom has its core alone. It counts in the block of its first piece.
 */
static void put_together(struct samples *samples, const bool *was_alone)
{
	struct alone_batches *alone = &samples->alone;
	size_t pieces = samples->pieces, batch = 0;

	alone->n = samples->n;
	for (size_t place = 0; place < pieces; place++) {
		size_t n = 0;

		for (size_t i = place; i < nr_pieces(samples); i += pieces) {
			if (was_alone[i])
				alone->pieces[n++ * pieces + place] = i;
		}
		alone->nr_pieces += n;
		alone->n = min_u64(alone->n, n);
	}
	for (size_t block = 0; block < samples->nr_blocks; block++) {
		while (batch < alone->n &&
		       alone->pieces[batch * pieces] < first_piece(samples, block))
			batch++;
		alone->blocks[block] = batch;
	}
	alone->blocks[samples->nr_blocks] = alone->n;
}

static int find_alone(struct samples *samples, u64 reference)
{
	struct alone_batches *alone = &samples->alone;
	bool *was_alone = calloc(nr_pieces(samples) + 1, sizeof(*was_alone));

	alone->pieces = calloc(nr_pieces(samples) + 1, sizeof(*alone->pieces));
	alone->blocks = calloc(samples->nr_blocks + 1, sizeof(*alone->blocks));
	if (!was_alone || !alone->pieces || !alone->blocks) {
		free(was_alone);
		return error_set(ENOMEM, "no memory for %zu samples", nr_pieces(samples));
	}
	for (size_t block = 0; block < samples->nr_blocks; block++) {
		for (size_t i = first_piece(samples, block); i < end_of_pieces(samples, block); i++)
			was_alone[i] = piece_was_alone(samples, block, i, reference);
	}
	put_together(samples, was_alone);
	free(was_alone);
	return 0;
}

/* Enough pieces, and of two slices: with an error that is known, if it can be. */
static bool enough_alone(const struct samples *samples)
{
	const struct alone_batches *alone = &samples->alone;
	size_t nr_blocks = 0;

	for (size_t block = 0; block < samples->nr_blocks; block++)
		nr_blocks += alone->blocks[block + 1] > alone->blocks[block];
	return core_enough_alone(alone->nr_pieces, nr_pieces(samples)) &&
	       nr_blocks >= min_u64(2, samples->nr_blocks);
}

/* Of so many looks even a small share tells; what is below was held up in several of its chains. */
#define MANY_LOOKS 1000
#define REFERENCE_QUANTILE 0.005

/* Busy cycles of a core alone: by this run's looks, if they are many, or by all that was seen before. */
static u64 reference_of(const struct bench_producer *producer)
{
	const struct samples *samples = producer->samples;
	size_t nr_looks = nr_pieces(&samples[BENCH_REAL]) + nr_pieces(&samples[BENCH_TWIN]), n = 0;
	double *busy = nr_looks < MANY_LOOKS ? NULL : calloc(nr_looks, sizeof(*busy));
	u64 of_run;

	if (!busy)
		return producer->reference;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		for (size_t i = 0; i < nr_pieces(&samples[variant]); i++)
			busy[n++] = (double)core_busy_cycles(&samples[variant].looks[i]);
	}
	stats_sort(busy, n);
	of_run = (u64)stats_quantile(busy, n, REFERENCE_QUANTILE);
	free(busy);
	return min_u64(of_run, producer->reference);
}

/* Whether batches with a core alone can stand for all. */
static int look_at_core(struct bench_run *run)
{
	struct result_core *core = &run->result->core;

	if (!run->looks_at_core)
		return 0;
	core->reference = reference_of(&run->producers[0]);
	core->alone_only = core->reference > 0;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		struct samples *samples = &run->producers[0].samples[variant];
		int err = find_alone(samples, core->reference);

		if (err)
			return err;
		core->alone_only = core->alone_only && enough_alone(samples);
		if (variant == BENCH_REAL && samples->n)
			core->alone = (double)samples->alone.nr_pieces / (double)nr_pieces(samples);
	}
	return 0;
}

static int cost_of_slices(const struct bench_run *run, enum bench_variant variant, size_t first,
			  size_t last, struct stats_cost *cost)
{
	struct pool pool = {};
	int err = pool_slices(run, variant, first, last, in_ns, &pool);

	if (err)
		return err;
	err = stats_cost(pool.per_op, pool.n, pool.blocks, pool.nr_blocks, cost);
	pool_free(&pool);
	return err ? error_set(-err, "no memory for statistics") : 0;
}

static int cost_of_intervals(struct bench_run *run)
{
	struct result *result = run->result;
	size_t slices[BENCH_NR_VARIANTS] = {};

	for (size_t i = 0; i < result->nr_intervals; i++) {
		struct result_interval *interval = &result->intervals[i];
		size_t first = slices[interval->variant], last;
		int err;

		if (interval->warmup)
			continue;
		/* A signal may have ended the last interval early. */
		last = min_u64(first + run->slices_per_interval, run->nr_slices[interval->variant]);
		slices[interval->variant] = last;
		err = cost_of_slices(run, interval->variant, first, last, &interval->cost_ns);
		if (err)
			return err;
	}
	return 0;
}

static int cost_of_all(struct bench_run *run, enum bench_variant variant)
{
	struct result *result = run->result;
	struct pool pool = { .alone_only = result->core.alone_only };
	int err = pool_slices(run, variant, 0, run->nr_slices[variant], in_ns, &pool);

	if (err)
		return err;
	err = stats_cost(pool.per_op, pool.n, pool.blocks, pool.nr_blocks,
			 &result->cost_ns[variant]);
	if (err) {
		error_set(-err, "no memory for statistics");
	} else {
		stats_sort(pool.per_op, pool.n);
		for (int q = 0; q < RESULT_QUANTILES; q++)
			result->quantiles_ns[variant][q] = stats_quantile(
				pool.per_op, pool.n, q / (double)(RESULT_QUANTILES - 1));
	}
	pool_free(&pool);
	return err;
}

/* The cost in something else than ns, of the pieces that cost_ns is of. */
static int cost_of_variant(const struct bench_run *run, enum bench_variant variant, cost_in *unit,
			   struct stats_cost *cost)
{
	struct pool pool = { .alone_only = run->result->core.alone_only };
	int err = pool_slices(run, variant, 0, run->nr_slices[variant], unit, &pool);

	if (err)
		return err;
	err = stats_cost(pool.per_op, pool.n, pool.blocks, pool.nr_blocks, cost);
	pool_free(&pool);
	return err ? error_set(-err, "no memory for statistics") : 0;
}

static int cycles_of_all(struct bench_run *run)
{
	struct result *result = run->result;
	int err = 0;

	if (!result->core.reference)
		return 0;
	for (int variant = 0; variant < BENCH_NR_VARIANTS && !err; variant++)
		err = cost_of_variant(run, variant, in_cycles, &result->cycles[variant]);
	stats_net(&result->cycles[BENCH_REAL], &result->cycles[BENCH_TWIN], &result->net_cycles);
	if (result->cost_ns[BENCH_REAL].median > 0)
		result->core.ghz =
			result->cycles[BENCH_REAL].median / result->cost_ns[BENCH_REAL].median;
	return err;
}

/* Only of a benchmark in user space that uses bench_clock_start(). */
static int cpu_of_all(struct bench_run *run)
{
	double ops = (double)(run->result->ops_per_pass * run->passes * run->cpu_batches);
	double accounted = (double)(run->cpu.user_ns + run->cpu.system_ns);
	int err = 0;

	if (!run->cpu.ns)
		return 0;
	/* Accounting that goes by ticks says in what parts, the exact clock of how much. */
	if (accounted > 0) {
		double per_op = (double)run->cpu.ns / ops;

		run->result->user_ns = per_op * (double)run->cpu.user_ns / accounted;
		run->result->system_ns = per_op * (double)run->cpu.system_ns / accounted;
	}
	for (int variant = 0; variant < BENCH_NR_VARIANTS && !err; variant++)
		err = cost_of_variant(run, variant, in_cpu_ns, &run->result->cpu_ns[variant]);
	stats_net(&run->result->cpu_ns[BENCH_REAL], &run->result->cpu_ns[BENCH_TWIN],
		  &run->result->net_cpu_ns);
	return err;
}

static double hits_of(const struct result_interval *interval)
{
	return interval->hits_per_sec;
}

static double important_hits_of(const struct result_interval *interval)
{
	return interval->important_hits_per_sec;
}

static double drops_of(const struct result_interval *interval)
{
	return interval->drops_per_sec;
}

static double total_of(const struct result_interval *interval)
{
	return interval->hits_per_sec + interval->drops_per_sec;
}

static void rate(const struct result *result, enum bench_variant variant,
		 double (*field)(const struct result_interval *interval), double *room,
		 struct result_rate *rate)
{
	size_t n = 0;

	for (size_t i = 0; i < result->nr_intervals; i++) {
		if (result->intervals[i].variant == variant && !result->intervals[i].warmup)
			room[n++] = field(&result->intervals[i]);
	}
	rate->mean = stats_mean(room, n);
	rate->stddev = stats_stddev(room, n);
	rate->n = n;
}

static int rates(struct result *result)
{
	double *room = calloc(result->nr_intervals + 1, sizeof(*room));

	if (!room)
		return error_set(ENOMEM, "no memory for statistics");
	rate(result, BENCH_REAL, hits_of, room, &result->hits);
	rate(result, BENCH_REAL, important_hits_of, room, &result->important_hits);
	rate(result, BENCH_REAL, drops_of, room, &result->drops);
	rate(result, BENCH_REAL, total_of, room, &result->total);
	rate(result, BENCH_TWIN, hits_of, room, &result->twin_hits);
	free(room);
	return 0;
}

/*
 * One piece of all producers' batches: its agreed value is added to `insn`, in instructions. The
 * largest value of a piece so far is kept in `longest`.
 */
static int agree_on_piece(const struct bench_run *run, enum bench_variant variant, size_t piece,
			  u64 *room, struct result_insn *insn, u64 *longest)
{
	struct stats_mode mode;
	size_t n = 0;
	int err;

	for (unsigned int p = 0; p < run->options->nr_producers; p++) {
		const struct samples *samples = &run->producers[p].samples[variant];

		for (size_t i = 0; i < samples->n; i++)
			room[n++] = samples->ns[i * samples->pieces + piece];
	}
	err = stats_mode(room, n, &mode);
	if (err)
		return error_set(-err, "no memory for statistics");
	insn->per_op += (double)mode.value;
	*longest = max_u64(*longest, mode.value);
	insn->batches = n;
	insn->agreeing = piece ? min_u64(insn->agreeing, mode.agreeing) : mode.agreeing;
	return 0;
}

static int count_insns(struct bench_run *run, enum bench_variant variant)
{
	double ops = (double)(run->result->ops_per_pass * run->passes);
	struct result_insn *insn = &run->result->insn[variant];
	u64 *room, longest = 0, tick = exact_tick_insns();
	size_t batches = 0;
	int err = 0;

	for (unsigned int p = 0; p < run->options->nr_producers; p++)
		batches += run->producers[p].samples[variant].n;
	room = calloc(batches + 1, sizeof(*room));
	if (!room)
		return error_set(ENOMEM, "no memory for %zu samples", batches);
	for (size_t piece = 0; piece < run->pieces && !err; piece++)
		err = agree_on_piece(run, variant, piece, room, insn, &longest);
	free(room);
	if (err)
		return err;
	insn->per_op /= ops;
	/* Of what takes half a tick, most is interrupted, and may agree on how much that adds. */
	insn->exact = insn->agreeing > insn->batches / 2 && longest <= tick / 2;
	if (longest > tick / 2 && variant == BENCH_REAL)
		bench_note(
			run, "too_long",
			"to be exact: %llu instructions in one go, a timer tick comes every %llu",
			(unsigned long long)longest, (unsigned long long)tick);
	/* In exact mode a nanosecond is an instruction. */
	insn->min = run->result->cost_ns[variant].min;
	insn->max = run->result->cost_ns[variant].max;
	return 0;
}

static void disturbance(struct result *result)
{
	result->steal_ns = -1;
	for (size_t i = 0; i < result->nr_intervals; i++) {
		const struct result_interval *interval = &result->intervals[i];

		if (interval->warmup)
			continue;
		result->involuntary_switches += interval->involuntary_switches;
		if (interval->steal_ns >= 0)
			result->steal_ns =
				(result->steal_ns < 0 ? 0 : result->steal_ns) + interval->steal_ns;
	}
}

int summarise(struct bench_run *run)
{
	struct result *result = run->result;
	int err;

	err = look_at_core(run);
	if (!err)
		err = cost_of_intervals(run);
	for (int variant = 0; variant < BENCH_NR_VARIANTS && !err; variant++)
		err = cost_of_all(run, variant);
	if (!err)
		err = cycles_of_all(run);
	if (!err)
		err = cpu_of_all(run);
	if (!err)
		err = rates(result);
	if (err)
		return err;
	if (!result->cost_ns[BENCH_REAL].n)
		return error_set(EINTR, "ended by a signal before the first sample");
	stats_net(&result->cost_ns[BENCH_REAL], &result->cost_ns[BENCH_TWIN], &result->net_ns);
	for (int variant = 0; variant < BENCH_NR_VARIANTS && result->exact; variant++) {
		err = count_insns(run, variant);
		if (err)
			return err;
	}
	result->net_insn = result->insn[BENCH_REAL].per_op - result->insn[BENCH_TWIN].per_op;
	disturbance(result);
	return 0;
}
