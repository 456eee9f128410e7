// SPDX-License-Identifier: GPL-2.0
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "core.h"
#include "random.h"
#include "run.h"

/* Cases without a cost, those that watch others, have no precision: so many rounds are enough. */
#define ROUNDS_WITHOUT_COST 3

/*
 * To end early: precise by luck is possible with few rounds, at one of the many times that it is asked; and
 * two sides of so many can be told apart beyond doubt even when a thousand cases are compared.
 */
#define FEWEST_ROUNDS 10

const char *plan_stop_name(enum plan_stop stop)
{
	static const char *const names[] = {
		[PLAN_NOT_STOPPED] = "going on", [PLAN_PRECISE] = "precise",
		[PLAN_EXACT] = "exact",		 [PLAN_NOT_EXACT] = "not exact",
		[PLAN_ROUNDS] = "rounds",	 [PLAN_MAX_TIME] = "max-time",
		[PLAN_SKIPPED] = "skipped",	 [PLAN_FAILED] = "failed",
		[PLAN_SIGNAL] = "interrupted",
	};

	return names[stop];
}

/* Fisher and Yates; the remainder's bias is below one in 2^50 for any number of cases. */
static void shuffle(size_t *order, size_t n, u64 *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)(random_u64(state) % i), kept = order[i - 1];

		order[i - 1] = order[j];
		order[j] = kept;
	}
}

static u64 new_seed(void)
{
	u64 now = now_ns();

	/* Short, since it is to be typed again. */
	return random_u64(&now) % 1000000 + 1;
}

int plan_init(struct plan *plan, const struct options *suite, const struct options *const *options,
	      size_t n)
{
	memset(plan, 0, sizeof(*plan));
	plan->rounds = suite->rounds;
	plan->precision = suite->precision;
	/* On unless a number of rounds is all that was asked for. */
	if (!plan->precision && !plan->rounds)
		plan->precision = 0.01;
	plan->max_time_ns = suite->max_time_sec * NSEC_PER_SEC;
	plan->seed = suite->seed ? suite->seed : new_seed();
	plan->cases = calloc(n, sizeof(*plan->cases));
	if (!plan->cases)
		return error_set(ENOMEM, "no memory for %zu cases", n);
	plan->nr_cases = n;
	for (size_t i = 0; i < n; i++) {
		plan->cases[i].options = options[i];
		options_case_name(options[i], plan->cases[i].name, sizeof(plan->cases[i].name));
	}
	return 0;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_cases; i++) {
		free(plan->cases[i].rounds);
		free(plan->cases[i].net);
		free(plan->cases[i].raw);
	}
	for (size_t i = 0; i < plan->nr_results; i++)
		result_free(&plan->results[i]);
	free(plan->cases);
	free(plan->results);
	memset(plan, 0, sizeof(*plan));
}

static struct result *new_result(struct plan *plan)
{
	struct result *results =
		array_with_room(plan->results, plan->nr_results, &plan->room, sizeof(*results));

	if (!results)
		return NULL;
	plan->results = results;
	memset(&results[plan->nr_results], 0, sizeof(*results));
	return &results[plan->nr_results++];
}

static bool add_round(struct plan_case *c, const struct plan_round *round)
{
	struct plan_round *rounds =
		array_with_room(c->rounds, c->nr_rounds, &c->rounds_room, sizeof(*rounds));

	if (!rounds)
		return false;
	c->rounds = rounds;
	c->rounds[c->nr_rounds++] = *round;
	return true;
}

/*
 * What runs of a case, or of all cases that may run anywhere, say of a core alone. UINT64_MAX without memory:
 * that changes nothing.
 */
static u64 reference_of(const struct plan *plan, const struct plan_case *c)
{
	double *busy = calloc(plan->nr_results, sizeof(*busy));
	size_t n = 0;
	u64 reference;

	for (size_t i = 0; i < plan->nr_results && busy; i++) {
		const struct result *result = &plan->results[i];

		if (result->core.reference &&
		    (result->options == c->options ||
		     (!result->options->affinity && !c->options->affinity)))
			busy[n++] = (double)result->core.reference;
	}
	reference = busy ? core_reference(busy, n) : UINT64_MAX;
	free(busy);
	return reference;
}

/*
 * Count the rounds on a core alone and on a shared one, and take the mark from those that seemed to have it
 * alone for there was nothing better to be seen in them.
 */
static void count_alone(struct plan *plan, struct plan_case *c)
{
	u64 reference = reference_of(plan, c);

	c->nr_alone = c->nr_shared = 0;
	for (size_t i = 0; i < c->nr_rounds; i++) {
		struct result *result = &plan->results[c->rounds[i].result];

		if (!core_agrees(result->core.reference, reference))
			result->core.alone_only = false;
		c->nr_alone += result->core.alone_only;
		c->nr_shared += result_core_shared(result);
	}
}

static bool counts(const struct plan *plan, const struct plan_case *c,
		   const struct plan_round *round)
{
	return !c->alone_only || plan->results[round->result].core.alone_only;
}

/* Do all rounds that count know their clock rate? */
static bool knows_cycles(const struct plan *plan, const struct plan_case *c)
{
	for (size_t i = 0; i < c->nr_rounds; i++) {
		if (counts(plan, c, &c->rounds[i]) && c->rounds[i].ghz <= 0)
			return false;
	}
	return true;
}

static int summarise_case(const struct plan *plan, struct plan_case *c)
{
	size_t room = c->nr_rounds * sizeof(double);
	double *net = realloc(c->net, room), *raw;

	if (net)
		c->net = net;
	raw = realloc(c->raw, room);
	if (raw)
		c->raw = raw;
	if (!net || !raw)
		return error_set(ENOMEM, "no memory for %zu rounds", c->nr_rounds);
	c->nr_counting = 0;
	for (size_t i = 0; i < c->nr_rounds; i++) {
		const struct plan_round *round = &c->rounds[i];

		if (!counts(plan, c, round))
			continue;
		net[c->nr_counting] = c->at_ghz ? round->net_cycles / plan->ghz : round->net;
		raw[c->nr_counting++] = c->at_ghz ? round->raw_cycles / plan->ghz : round->raw;
	}
	stats_sort(raw, c->nr_counting);
	c->raw_median = stats_quantile(raw, c->nr_counting, 0.5);
	stats_sort(net, c->nr_counting);
	c->median = stats_quantile(net, c->nr_counting, 0.5);
	c->has_interval = stats_median_interval(net, c->nr_counting, &c->lo, &c->hi);
	return 0;
}

/* The next of the cases that is to be summarised with `c`: in step they all are, alike. NULL after the last. */
static struct plan_case *next_beside(struct plan *plan, struct plan_case *c, struct plan_case *last)
{
	struct plan_case *end = plan->cases + plan->nr_cases;
	struct plan_case *next = last ? last + 1 : plan->cases;

	if (!plan->in_step)
		return last ? NULL : c;
	while (next < end && !next->nr_rounds)
		next++;
	return next < end ? next : NULL;
}

#define for_each_beside(var, plan, c)                                 \
	for (struct plan_case *var = next_beside(plan, c, NULL); var; \
	     var = next_beside(plan, c, var))

/* After another round of `c`. */
static int summarise(struct plan *plan, struct plan_case *c)
{
	bool alone_only = true, at_ghz = true;
	int err = 0;

	for_each_beside(one, plan, c) {
		count_alone(plan, one);
		alone_only = alone_only && one->nr_alone >= CORE_ENOUGH_ROUNDS;
	}
	for_each_beside(one, plan, c) {
		one->alone_only = alone_only;
		at_ghz = at_ghz && knows_cycles(plan, one);
	}
	for_each_beside(one, plan, c) {
		one->at_ghz = at_ghz;
		if (!err)
			err = summarise_case(plan, one);
	}
	return err;
}

/*
 * As a share of the raw cost: that is what is timed, and of an operation that costs next to nothing no
 * precision of the net cost could ever be reached.
 */
static bool is_narrow(const struct plan *plan, const struct plan_case *c)
{
	double off = c->hi - c->median > c->median - c->lo ? c->hi - c->median : c->median - c->lo;

	/* Rounds on a shared core may agree as well, and on something else. */
	if (c->nr_shared && !c->alone_only)
		return false;
	return plan->precision && c->has_interval && off <= plan->precision * c->raw_median;
}

static bool time_is_up(const struct plan *plan, const struct plan_case *c)
{
	return !plan->rounds && c->took_ns >= plan->max_time_ns;
}

static enum plan_stop why_stop(const struct plan *plan, const struct plan_case *c,
			       const struct result *last, u32 round)
{
	bool has_cost = c->nr_rounds > 0;
	enum plan_stop stop = PLAN_NOT_STOPPED;

	if (plan->exact && !plan->rounds)
		return result_net_is_exact(last) ? PLAN_EXACT : PLAN_NOT_EXACT;
	if (plan->rounds)
		stop = round + 1 >= plan->rounds ? PLAN_ROUNDS : PLAN_NOT_STOPPED;
	else if (!has_cost && round + 1 >= ROUNDS_WITHOUT_COST)
		stop = PLAN_ROUNDS;
	else if (time_is_up(plan, c))
		stop = PLAN_MAX_TIME;
	/* Where it ends anyway there is nothing to be had by luck. */
	if ((stop || c->nr_counting >= FEWEST_ROUNDS) && is_narrow(plan, c))
		stop = PLAN_PRECISE;
	return stop;
}

static void end_case(struct plan_case *c, enum plan_stop stop)
{
	c->stop = stop;
	if (stop == PLAN_SKIPPED || stop == PLAN_FAILED)
		snprintf(c->reason, sizeof(c->reason), "%s", error_text());
}

/* What a result says of its case. */
static int take_round(struct plan *plan, struct plan_case *c, const struct result *result)
{
	const struct plan_round round = {
		.net = result->exact ? result->net_insn : result->net_ns.value,
		.raw = result->exact ? result->insn[BENCH_REAL].per_op
				     : result->cost_ns[BENCH_REAL].median,
		.net_cycles = result->net_cycles.value,
		.raw_cycles = result->cycles[BENCH_REAL].median,
		.ghz = result->core.ghz,
		.result = plan->nr_results - 1,
	};

	if (!plan->ghz)
		plan->ghz = round.ghz;
	return add_round(c, &round) ? summarise(plan, c)
				    : error_set(ENOMEM, "no memory for a round");
}

/* One case of one round. */
static int run_one(struct plan *plan, struct plan_case *c, u32 round)
{
	static const struct run_observer nobody = {};
	struct result *result = new_result(plan);
	u64 begun = now_ns();
	int err;

	if (!result)
		return error_set(ENOMEM, "no memory for another result");
	result->round = round + 1;
	result->case_number = (u32)(c - plan->cases);
	err = run_case(c->options, &nobody, result);
	c->took_ns += now_ns() - begun;
	c->nr_run += err != -E_CANNOT;
	if (result->ended_by_signal) {
		end_case(c, PLAN_SIGNAL);
		return 0;
	}
	if (err) {
		end_case(c, err == -E_CANNOT ? PLAN_SKIPPED : PLAN_FAILED);
		return 0;
	}
	if (result->command_status > 0) {
		error_set(ECHILD, "the command ended with status %d", result->command_status);
		end_case(c, PLAN_FAILED);
		result->status = RESULT_FAILED;
		snprintf(result->reason, sizeof(result->reason), "%s", error_text());
		return 0;
	}
	plan->exact = result->exact;
	if (!result->bench->watcher) {
		err = take_round(plan, c, result);
		if (err)
			return err;
	}
	end_case(c, why_stop(plan, c, result, round));
	return 0;
}

void plan_read_host(struct plan *plan)
{
	if (!plan->nr_results)
		return;
	host_read(&plan->results[0].host);
	for (size_t i = 1; i < plan->nr_results; i++)
		plan->results[i].host = plan->results[0].host;
}

int plan_signal(const struct plan *plan)
{
	return plan->nr_results ? plan->results[plan->nr_results - 1].ended_by_signal : 0;
}

/* What is done of a case, and what it may still take at most. Until precise nobody knows: all its time. */
static double share_done(const struct plan *plan, const struct plan_case *c)
{
	double done;

	if (c->stop != PLAN_NOT_STOPPED)
		return 1;
	if (plan->rounds)
		done = (double)c->nr_rounds / plan->rounds;
	else
		done = (double)c->took_ns / (double)plan->max_time_ns;
	return done < 1 ? done : 1;
}

static void tell_progress(const struct plan *plan, const struct plan_case *next, u64 begun,
			  plan_progress *progress, void *data)
{
	double done = 0, took = (double)(now_ns() - begun);

	for (size_t i = 0; i < plan->nr_cases; i++)
		done += share_done(plan, &plan->cases[i]) / (double)plan->nr_cases;
	progress(data, plan, next, done, done > 0 ? (u64)(took * (1 - done) / done) : 0);
}

/* Where all cases are to have the same rounds, those that could end go on, or all end with the first. */
static void keep_in_step(struct plan *plan)
{
	bool going = false, over = false;

	for (size_t i = 0; i < plan->nr_cases; i++) {
		going = going || plan->cases[i].stop == PLAN_NOT_STOPPED;
		over = over || (plan->cases[i].stop && time_is_up(plan, &plan->cases[i]));
	}
	for (size_t i = 0; i < plan->nr_cases && going; i++) {
		if (over && plan->cases[i].stop == PLAN_NOT_STOPPED)
			plan->cases[i].stop =
				is_narrow(plan, &plan->cases[i]) ? PLAN_PRECISE : PLAN_MAX_TIME;
		if (!over && plan->cases[i].stop == PLAN_PRECISE)
			plan->cases[i].stop = PLAN_NOT_STOPPED;
	}
}

/* *going: is there a case for another round? */
static int run_round(struct plan *plan, u32 round, size_t *order, u64 *state, u64 begun,
		     plan_progress *progress, void *data, bool *going)
{
	*going = false;
	shuffle(order, plan->nr_cases, state);
	for (size_t i = 0; i < plan->nr_cases; i++) {
		struct plan_case *c = &plan->cases[order[i]];
		int err;

		if (c->stop != PLAN_NOT_STOPPED)
			continue;
		tell_progress(plan, c, begun, progress, data);
		err = run_one(plan, c, round);
		if (err)
			return err;
		if (plan_signal(plan))
			return 0;
	}
	if (plan->in_step)
		keep_in_step(plan);
	for (size_t i = 0; i < plan->nr_cases; i++)
		*going = *going || plan->cases[i].stop == PLAN_NOT_STOPPED;
	return 0;
}

/* From the clock rate of the first round to that of most. */
static int settle_clock(struct plan *plan)
{
	double *rates = calloc(plan->nr_results + 1, sizeof(*rates));
	size_t n = 0;
	int err = 0;

	if (!rates)
		return error_set(ENOMEM, "no memory for %zu rounds", plan->nr_results);
	for (size_t i = 0; i < plan->nr_results; i++) {
		if (plan->results[i].core.ghz > 0)
			rates[n++] = plan->results[i].core.ghz;
	}
	stats_sort(rates, n);
	plan->ghz = stats_quantile(rates, n, 0.5);
	free(rates);
	for (size_t i = 0; i < plan->nr_cases && !err; i++) {
		if (plan->cases[i].nr_rounds)
			err = summarise(plan, &plan->cases[i]);
	}
	return err;
}

/* After the last round: cases that a signal kept from going on, and what the plan as a whole came to. */
static int conclude(struct plan *plan)
{
	size_t failed = 0, skipped = 0;
	const struct plan_case *first = NULL;

	for (size_t i = 0; i < plan->nr_cases; i++) {
		struct plan_case *c = &plan->cases[i];

		if (c->stop == PLAN_NOT_STOPPED)
			c->stop = PLAN_SIGNAL;
		failed += c->stop == PLAN_FAILED;
		skipped += c->stop == PLAN_SKIPPED;
		if (c->stop == PLAN_FAILED && !first)
			first = c;
	}
	if (failed)
		return error_set(EIO, "%zu of %zu cases failed, the first %s: %s", failed,
				 plan->nr_cases, first->name, first->reason);
	if (skipped == plan->nr_cases)
		return error_set(E_CANNOT, "no case can be run here, the first %s: %s",
				 plan->cases[0].name, plan->cases[0].reason);
	return 0;
}

int plan_run(struct plan *plan, plan_progress *progress, void *data)
{
	size_t *order = calloc(plan->nr_cases, sizeof(*order));
	u64 state = plan->seed, begun = now_ns();
	bool going = true;
	int err = 0;

	if (!order)
		return error_set(ENOMEM, "no memory for the order of %zu cases", plan->nr_cases);
	for (size_t i = 0; i < plan->nr_cases; i++)
		order[i] = i;
	for (u32 round = 0; going && !err; round++)
		err = run_round(plan, round, order, &state, begun, progress, data, &going);
	free(order);
	progress(data, plan, NULL, 1, 0);
	if (!err)
		err = settle_clock(plan);
	return err ? err : conclude(plan);
}
