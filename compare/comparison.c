// SPDX-License-Identifier: GPL-2.0
#include "comparison.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/array.h"
#include "../harness/core.h"
#include "../harness/error.h"
#include "../harness/words.h"

static const char *const side_names[] = { [SIDE_BASE] = "BASE", [SIDE_NEW] = "NEW" };

static int no_memory(void)
{
	return error_set(ENOMEM, "no memory for the cases");
}

static struct compared_case *add_case(struct comparison *comparison, struct case_id *id)
{
	struct compared_case *compared = array_with_room(comparison->cases, comparison->nr_cases,
							 &comparison->room, sizeof(*compared));

	if (!compared)
		return NULL;
	comparison->cases = compared;
	if (json_object_set_new(comparison->by_key, id->key,
				json_integer((json_int_t)comparison->nr_cases)))
		return NULL;
	compared = &comparison->cases[comparison->nr_cases++];
	*compared = (struct compared_case){ .id = *id };
	*id = (struct case_id){};
	for (int side = 0; side < NR_SIDES; side++)
		compared->facts[side].reason = "";
	return compared;
}

/* The case of a result or of a row of it, NULL if the filter leaves it out. */
static int find_case(struct comparison *comparison, const json_t *result, const char *row,
		     struct compared_case **found)
{
	struct case_id id;
	const json_t *known;
	int err = case_id_of(result, row, &id);

	*found = NULL;
	if (err)
		goto out;
	if (comparison->filter && fnmatch(comparison->filter, id.name, 0))
		goto out;
	known = json_object_get(comparison->by_key, id.key);
	*found = known ? &comparison->cases[json_integer_value(known)] : add_case(comparison, &id);
	if (!*found)
		err = no_memory();
out:
	case_id_free(&id);
	return err;
}

static int make_room(struct rounds *rounds, struct rounds_facts *facts)
{
	size_t room = rounds->n ? 2 * rounds->n : 1;
	struct round_facts *more;
	double *values;

	/* A power of two of rounds is as many as there is room for. */
	if (rounds->n & (rounds->n - 1))
		return 0;
	values = realloc(rounds->values, room * sizeof(*values));
	if (!values)
		return no_memory();
	rounds->values = values;
	more = realloc(facts->rounds, room * sizeof(*more));
	if (!more)
		return no_memory();
	facts->rounds = more;
	return 0;
}

/* In the order of time, whatever that of the files is: verdicts look at how a side drifts. */
static int add_value(struct rounds *rounds, struct rounds_facts *facts, double value,
		     const struct round_facts *round)
{
	int err = make_room(rounds, facts);
	size_t i;

	if (err)
		return err;
	for (i = rounds->n++; i > 0 && facts->rounds[i - 1].started > round->started; i--) {
		facts->rounds[i] = facts->rounds[i - 1];
		rounds->values[i] = rounds->values[i - 1];
	}
	facts->rounds[i] = *round;
	rounds->values[i] = value;
	return 0;
}

static u64 lost_in(const json_t *result)
{
	const json_t *losses = json_object_get(result, "losses");
	u64 sum = 0, count;

	for (size_t i = 0; i < json_array_size(losses); i++) {
		record_count(json_array_get(losses, i), "count", &count);
		if (__builtin_add_overflow(sum, count, &sum))
			return UINT64_MAX;
	}
	return sum;
}

static void note_facts(struct rounds_facts *facts, const json_t *result,
		       const struct figure *figure)
{
	u64 attempts;

	record_count(result, "attempts", &attempts);
	if (__builtin_add_overflow(facts->attempts, attempts, &facts->attempts))
		facts->attempts = UINT64_MAX;
	if (__builtin_add_overflow(facts->lost, lost_in(result), &facts->lost))
		facts->lost = UINT64_MAX;
	facts->nr_interrupted += !strcmp(record_text(result, "status"), "interrupted");
	facts->nr_below_floor += figure->below_floor;
}

static void note_left_out(struct rounds_facts *facts, const json_t *result, bool has_figure)
{
	const char *status = record_text(result, "status");

	if (!strcmp(status, "failed"))
		facts->nr_failed++;
	else if (!strcmp(status, "skipped"))
		facts->nr_skipped++;
	else if (has_figure)
		facts->nr_not_exact++;
	else
		facts->nr_without_figure++;
	if (!facts->reason[0])
		facts->reason = record_text(result, "reason");
}

static int check_unit(const struct compared_case *compared, enum side side,
		      const struct figure *figure)
{
	if (!compared->unit || !strcmp(compared->unit, figure->unit))
		return 0;
	return error_set(E_USAGE,
			 "%s: %s in %s, %s before: instructions and time do not compare, give "
			 "results of one kind",
			 quoted(compared->id.name), figure->unit, side_names[side], compared->unit);
}

/* One round of a case, of which `figure` is what there is to compare. */
static int add_round(struct compared_case *compared, enum side side, const json_t *result,
		     bool has_figure, const struct figure *figure, bool is_row)
{
	struct rounds_facts *facts = &compared->facts[side];
	bool usable = has_figure && (is_row || figure->exact || !figure->counted);
	struct round_facts round = {
		.disturbed = record_is_true(result, "disturbance.disturbed"),
		.cycles = figure->cycles,
		.ghz = figure->ghz,
	};
	int err;

	facts->nr_results++;
	if (has_figure) {
		err = check_unit(compared, side, figure);
		if (err)
			return err;
		compared->unit = figure->unit;
	}
	if (!usable) {
		note_left_out(facts, result, has_figure);
		return 0;
	}
	note_facts(facts, result, figure);
	compared->judged.higher_is_better = figure->higher_is_better;
	compared->inexact = compared->inexact || !figure->exact;
	compared->judged.step = fmax(compared->judged.step, figure->step);
	record_count(result, "started_unix_ns", &round.started);
	/* Rates are of all batches, whoever else was on the core. */
	if (!figure->higher_is_better) {
		round.alone = record_is_true(result, "disturbance.core.alone_only");
		record_count(result, "disturbance.core.reference_cycles", &round.reference);
	}
	return add_value(&compared->judged.rounds[side], facts, figure->value, &round);
}

static int add_rows(struct comparison *comparison, enum side side, const json_t *result)
{
	const json_t *rows = record_field(result, "watched.rows");
	int err = 0;

	for (size_t i = 0; i < json_array_size(rows) && !err; i++) {
		const json_t *row = json_array_get(rows, i);
		struct compared_case *compared;
		struct figure figure;
		bool has_figure = metric_of_row(row, comparison->metric, &figure);

		comparison->counted = comparison->counted || figure.exact;
		err = find_case(comparison, result, record_text(row, "name"), &compared);
		if (!err && compared)
			err = add_round(compared, side, result, has_figure, &figure, true);
	}
	return err;
}

/* Did the run come to something that there can be figures of? */
static bool came_to_something(const json_t *result)
{
	const char *status = record_text(result, "status");
	const json_t *rows = record_field(result, "watched.rows");

	return (!strcmp(status, "ok") || !strcmp(status, "interrupted")) &&
	       (!rows || json_array_size(rows));
}

static int add_figure(struct comparison *comparison, enum side side, const json_t *result)
{
	struct compared_case *compared;
	struct figure figure;
	bool has_figure;
	int err;

	if (record_field(result, "watched.rows"))
		return add_rows(comparison, side, result);
	err = find_case(comparison, result, NULL, &compared);
	if (err || !compared)
		return err;
	has_figure = metric_of_result(result, comparison->metric, &figure);
	comparison->counted = comparison->counted || figure.counted;
	return add_round(compared, side, result, has_figure, &figure, false);
}

/* Counts as a round of all cases that it can have been meant for. */
static bool add_to_family(struct comparison *comparison, enum side side, const json_t *result,
			  const char *family)
{
	bool found = false;

	for (size_t i = 0; i < comparison->nr_cases; i++) {
		struct compared_case *compared = &comparison->cases[i];

		if (strcmp(compared->id.family, family))
			continue;
		found = true;
		compared->facts[side].nr_results++;
		note_left_out(&compared->facts[side], result, false);
	}
	return found;
}

static int add_nothing(struct comparison *comparison, enum side side, const json_t *result)
{
	struct compared_case *compared;
	struct case_id id;
	bool found = false;
	int err = case_id_of(result, NULL, &id);

	if (!err && !json_object_get(comparison->by_key, id.key))
		found = add_to_family(comparison, side, result, id.family);
	case_id_free(&id);
	if (err || found)
		return err;
	err = find_case(comparison, result, NULL, &compared);
	if (err || !compared)
		return err;
	compared->facts[side].nr_results++;
	note_left_out(&compared->facts[side], result, false);
	return 0;
}

static void note_start(s64 range[2], const json_t *result)
{
	u64 started;

	record_count(result, "started_unix_ns", &started);
	if (record_is_true(result, "exact_mode"))
		return;
	if (!range[0] || (s64)started < range[0])
		range[0] = (s64)started;
	if ((s64)started > range[1])
		range[1] = (s64)started;
}

static void note_cpu_model(struct comparison *comparison, const char *model)
{
	if (!comparison->cpu_model)
		comparison->cpu_model = model;
	if (strcmp(comparison->cpu_model, model))
		comparison->several_cpu_models = true;
}

static int note_round(struct comparison *comparison, enum side side, const struct record *record,
		      const json_t *result, json_t *seen, s64 range[2])
{
	comparison->nr_results[side]++;
	note_cpu_model(comparison, record_text(result, "host.cpu_model"));
	note_start(range, result);
	return record_check_twice(record, result, seen);
}

/*
 * First what there are figures of, since what came to nothing may be of any of those. `seen` holds
 * the rounds of a side.
 */
static int add_side(struct comparison *comparison, enum side side, bool with_figures, json_t *seen,
		    s64 range[2])
{
	int err = 0;

	for (size_t i = 0; i < comparison->nr_records[side] && !err; i++) {
		const struct record *record = &comparison->records[side][i];

		for (size_t k = 0; k < json_array_size(record->results) && !err; k++) {
			const json_t *result = json_array_get(record->results, k);

			if (came_to_something(result) != with_figures)
				continue;
			err = note_round(comparison, side, record, result, seen, range);
			if (!err)
				err = with_figures ? add_figure(comparison, side, result)
						   : add_nothing(comparison, side, result);
		}
	}
	return err;
}

static int add_sides(struct comparison *comparison)
{
	json_t *seen[NR_SIDES] = { json_object(), json_object() };
	s64 ranges[NR_SIDES][2] = {};
	int err = seen[SIDE_BASE] && seen[SIDE_NEW] ? 0 : no_memory();

	for (int nothing = 0; nothing < 2; nothing++) {
		for (int side = 0; side < NR_SIDES && !err; side++)
			err = add_side(comparison, side, !nothing, seen[side], ranges[side]);
	}
	json_decref(seen[SIDE_BASE]);
	json_decref(seen[SIDE_NEW]);
	if (ranges[SIDE_BASE][0] && ranges[SIDE_NEW][0]) {
		comparison->gap_ns[SIDE_NEW] = ranges[SIDE_NEW][0] - ranges[SIDE_BASE][1];
		comparison->gap_ns[SIDE_BASE] = ranges[SIDE_BASE][0] - ranges[SIDE_NEW][1];
	}
	return err;
}

/* What the rounds of both sides say of a core alone. -ENOMEM or 0. */
static int find_reference(const struct compared_case *compared, u64 *reference)
{
	const struct rounds *rounds = compared->judged.rounds;
	double *busy = calloc(rounds[SIDE_BASE].n + rounds[SIDE_NEW].n + 1, sizeof(*busy));
	size_t n = 0;

	if (!busy)
		return no_memory();
	for (int side = 0; side < NR_SIDES; side++) {
		for (size_t i = 0; i < rounds[side].n; i++) {
			u64 of_round = compared->facts[side].rounds[i].reference;

			if (of_round)
				busy[n++] = (double)of_round;
		}
	}
	*reference = core_reference(busy, n);
	free(busy);
	return 0;
}

/*
 * Count the rounds of a side that were measured on a shared core. Those that only seem to have had it alone,
 * since they never had it in between, are marked as such. And those on a core alone are not disturbed: what was interrupted
 * is none of the batches that count. Returns how many had it alone.
 */
static size_t count_alone(const struct rounds *rounds, struct rounds_facts *facts, u64 reference)
{
	size_t alone = 0;

	for (size_t i = 0; i < rounds->n; i++) {
		struct round_facts *round = &facts->rounds[i];

		round->alone = round->alone && round->reference &&
			       core_agrees(round->reference, reference);
		alone += round->alone;
		facts->nr_disturbed += round->disturbed && !round->alone;
		facts->nr_shared += round->reference && !round->alone;
	}
	return alone;
}

static void keep_alone(struct rounds *rounds, struct rounds_facts *facts)
{
	size_t kept = 0;

	for (size_t i = 0; i < rounds->n; i++) {
		if (!facts->rounds[i].alone)
			continue;
		facts->rounds[kept] = facts->rounds[i];
		rounds->values[kept++] = rounds->values[i];
	}
	rounds->n = kept;
	facts->alone_only = true;
}

/*
 * A core alone is a state of the machine, and on both sides the same one: rounds on a shared core are left
 * out where there are enough others for a verdict, on both sides or on none. Which rounds these are has
 * nothing to do with what was measured in them.
 */
static int choose_rounds(const struct comparison *comparison, struct compared_case *compared)
{
	struct judged *judged = &compared->judged;
	size_t enough =
		max_u64(CORE_ENOUGH_ROUNDS, rank_test_rounds_for(comparison->criteria.alpha /
								 (double)comparison->nr_cases));
	bool alone_only = !judged->exact;
	u64 reference = 0;
	int err = find_reference(compared, &reference);

	if (err)
		return err;
	for (int side = 0; side < NR_SIDES; side++)
		alone_only = count_alone(&judged->rounds[side], &compared->facts[side],
					 reference) >= enough &&
			     alone_only;
	for (int side = 0; side < NR_SIDES && alone_only; side++)
		keep_alone(&judged->rounds[side], &compared->facts[side]);
	return 0;
}

/* The median clock rate of a side; 0 if some round does not know its own. -ENOMEM or 0. */
static int find_clock_rate(const struct rounds *rounds, struct rounds_facts *facts, double *rate)
{
	double *ghz = calloc(rounds->n + 1, sizeof(*ghz));
	int err;

	if (!ghz)
		return no_memory();
	for (size_t i = 0; i < rounds->n; i++) {
		ghz[i] = facts->rounds[i].ghz;
		facts->nr_without_cycles += !(ghz[i] > 0);
	}
	err = median_of(ghz, rounds->n, rate);
	free(ghz);
	if (facts->nr_without_cycles)
		*rate = 0;
	return err ? no_memory() : 0;
}

/* That rounds have no cycles is worth a word only where others have. */
static void tell_missing_cycles(struct compared_case *compared)
{
	const struct rounds *rounds = compared->judged.rounds;
	struct rounds_facts *facts = compared->facts;

	if (facts[SIDE_BASE].nr_without_cycles + facts[SIDE_NEW].nr_without_cycles <
	    rounds[SIDE_BASE].n + rounds[SIDE_NEW].n)
		return;
	facts[SIDE_BASE].nr_without_cycles = 0;
	facts[SIDE_NEW].nr_without_cycles = 0;
}

/*
 * The clock rate is a state of the machine too, and one that changes all the time: what both sides have
 * counted in cycles is compared in these, on one kind of processor.
 */
static int compare_in_cycles(const struct comparison *comparison, struct compared_case *compared)
{
	struct judged *judged = &compared->judged;
	double ghz[NR_SIDES];
	int err = 0;

	if (!compared->compared || judged->exact || comparison->several_cpu_models)
		return 0;
	for (int side = 0; side < NR_SIDES && !err; side++)
		err = find_clock_rate(&judged->rounds[side], &compared->facts[side], &ghz[side]);
	if (err)
		return err;
	if (!ghz[SIDE_BASE] || !ghz[SIDE_NEW]) {
		tell_missing_cycles(compared);
		return 0;
	}
	for (int side = 0; side < NR_SIDES; side++) {
		for (size_t i = 0; i < judged->rounds[side].n; i++)
			judged->rounds[side].values[i] = compared->facts[side].rounds[i].cycles;
	}
	judged->clock_ratio = ghz[SIDE_NEW] / ghz[SIDE_BASE];
	compared->unit = "cycles/op";
	return 0;
}

/* Of the rounds that are compared, the share that was on a shared core or disturbed. */
static double disturbed_share(const struct rounds *rounds, const struct rounds_facts *facts)
{
	size_t n = 0;

	for (size_t i = 0; i < rounds->n; i++) {
		const struct round_facts *round = &facts->rounds[i];

		n += !round->alone && (round->disturbed || round->reference);
	}
	return (double)n / (double)rounds->n;
}

static int sort_out(struct comparison *comparison)
{
	int err = 0;

	for (size_t i = 0; i < comparison->nr_cases && !err; i++) {
		struct compared_case *compared = &comparison->cases[i];
		const struct rounds_facts *facts = &compared->facts[SIDE_NEW];
		const struct rounds *rounds = compared->judged.rounds;

		compared->compared = rounds[SIDE_BASE].n && rounds[SIDE_NEW].n;
		compared->judged.exact = compared->compared && !compared->inexact;
		err = choose_rounds(comparison, compared);
		if (!err)
			err = compare_in_cycles(comparison, compared);
		compared->judged.one_by_one =
			comparison->gap_ns[SIDE_BASE] > 0 || comparison->gap_ns[SIDE_NEW] > 0;
		for (int side = 0; side < NR_SIDES && compared->compared; side++)
			compared->judged.disturbed =
				fmax(compared->judged.disturbed,
				     disturbed_share(&rounds[side], &compared->facts[side]));
		compared->fails = rounds[SIDE_BASE].n && !rounds[SIDE_NEW].n && facts->nr_failed &&
				  facts->nr_failed == facts->nr_results;
		comparison->nr_not_compared += !compared->compared;
		comparison->nr_failing += compared->fails;
	}
	return err;
}

/* Some round has the figure on some side. */
static bool has_metric(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nr_cases; i++) {
		if (comparison->cases[i].unit)
			return true;
	}
	return false;
}

static const struct compared_case *first_common(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nr_cases; i++) {
		const struct rounds_facts *facts = comparison->cases[i].facts;

		if (facts[SIDE_BASE].nr_results && facts[SIDE_NEW].nr_results)
			return &comparison->cases[i];
	}
	return NULL;
}

static int nothing_to_compare(const struct comparison *comparison)
{
	const struct compared_case *common = first_common(comparison);
	size_t nr_cases = comparison->nr_cases;

	if (!nr_cases)
		return error_set(E_USAGE, "%s%s: give others",
				 comparison->filter ? "--filter: no case has a name like "
						    : "nothing in the files can be compared",
				 comparison->filter ? quoted(comparison->filter) : "");
	if (!common)
		return error_set(E_USAGE,
				 "no case is in both: BASE has %s, NEW has %s: give results of the "
				 "same benchmark, parameters and trigger",
				 quoted(comparison->cases[0].id.name),
				 quoted(comparison->cases[nr_cases - 1].id.name));
	if (common->facts[SIDE_BASE].nr_without_figure && !has_metric(comparison))
		return error_set(E_USAGE,
				 "--metric: no result has %s (`bench compare --help` lists them)",
				 quoted(comparison->metric));
	return error_set(E_USAGE, "no case has figures on both sides: %s: %s",
			 quoted(common->id.name), comparison_why_not(common));
}

static int judge_all(struct comparison *comparison)
{
	struct judged **judged = calloc(comparison->nr_cases + 1, sizeof(struct judged *));
	size_t n = 0;
	int err;

	if (!judged)
		return no_memory();
	for (size_t i = 0; i < comparison->nr_cases; i++) {
		if (comparison->cases[i].compared)
			judged[n++] = &comparison->cases[i].judged;
	}
	err = judge(judged, n, &comparison->criteria);
	for (size_t i = 0; i < n && !err; i++) {
		comparison->nr_verdicts[judged[i]->verdict]++;
		comparison->timed = comparison->timed || !judged[i]->exact;
	}
	free(judged);
	return err;
}

static int by_number(double a, double b)
{
	return (a > b) - (a < b);
}

/* How much worse it has become: 1 where that is not known. */
static double worsening(const struct compared_case *compared)
{
	const struct judged *judged = &compared->judged;

	if (!judged->ratio.known)
		return 1;
	return judged->higher_is_better ? 1 / judged->ratio.value : judged->ratio.value;
}

static int by_name(const void *left, const void *right)
{
	const struct compared_case *a = left, *b = right;

	return strverscmp(a->id.name, b->id.name);
}

static int by_ratio(const void *left, const void *right)
{
	int order = by_number(worsening(right), worsening(left));

	return order ? order : by_name(left, right);
}

static int by_p(const void *left, const void *right)
{
	const struct judged *a = &((const struct compared_case *)left)->judged;
	const struct judged *b = &((const struct compared_case *)right)->judged;
	int order = by_number(a->tested ? a->p : 2, b->tested ? b->p : 2);

	return order ? order : by_name(left, right);
}

static int by_verdict(const void *left, const void *right)
{
	const struct compared_case *a = left, *b = right;
	int order = (int)a->judged.verdict - (int)b->judged.verdict;

	return order ? order : by_ratio(left, right);
}

static void sort_cases(struct comparison *comparison)
{
	static int (*const orders[])(const void *left, const void *right) = {
		[SORT_NAME] = by_name,
		[SORT_RATIO] = by_ratio,
		[SORT_P] = by_p,
		[SORT_VERDICT] = by_verdict,
	};

	if (comparison->sort != SORT_AS_GIVEN)
		qsort(comparison->cases, comparison->nr_cases, sizeof(*comparison->cases),
		      orders[comparison->sort]);
}

int comparison_make(struct comparison *comparison)
{
	int err;

	comparison->by_key = json_object();
	if (!comparison->by_key)
		return no_memory();
	err = add_sides(comparison);
	if (err)
		return err;
	err = sort_out(comparison);
	if (err)
		return err;
	if (comparison->nr_not_compared == comparison->nr_cases && !comparison->nr_failing)
		return nothing_to_compare(comparison);
	err = differences_find((const struct record *const *)comparison->records,
			       comparison->nr_records, comparison->counted,
			       &comparison->differences);
	if (!err)
		err = judge_all(comparison);
	if (!err)
		sort_cases(comparison);
	return err;
}

bool comparison_is_regression(const struct comparison *comparison)
{
	return comparison->nr_verdicts[VERDICT_WORSE] || comparison->nr_failing;
}

bool comparison_is_decided(const struct comparison *comparison)
{
	const size_t *nr = comparison->nr_verdicts;

	return nr[VERDICT_WORSE] + nr[VERDICT_BETTER] + nr[VERDICT_SAME] + comparison->nr_failing;
}

/* Why a side has no round to compare. */
static const char *why_empty(const struct rounds_facts *facts)
{
	if (!facts->nr_results)
		return "not in";
	if (facts->nr_failed)
		return "failed in";
	if (facts->nr_skipped)
		return "skipped in";
	if (facts->nr_not_exact)
		return "not exact in";
	return "no such figure in";
}

/* How many bytes of a text to show: not half a character. */
static int shown_length(const char *text)
{
	size_t len = strnlen(text, 201);

	return (int)(len > 200 ? cut_at(text, 200) : len);
}

const char *comparison_why_not(const struct compared_case *compared)
{
	static _Thread_local char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (int side = 0; side < NR_SIDES; side++) {
		const struct rounds_facts *facts = &compared->facts[side];

		if (compared->judged.rounds[side].n || used >= sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s%s%.*s",
					 used ? ", " : "", why_empty(facts), side_names[side],
					 facts->reason[0] ? ": " : "", shown_length(facts->reason),
					 facts->reason);
	}
	make_printable(text);
	return text;
}

void comparison_free(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nr_cases; i++) {
		case_id_free(&comparison->cases[i].id);
		for (int side = 0; side < NR_SIDES; side++) {
			free(comparison->cases[i].judged.rounds[side].values);
			free(comparison->cases[i].facts[side].rounds);
		}
	}
	free(comparison->cases);
	comparison->cases = NULL;
	comparison->nr_cases = 0;
	json_decref(comparison->by_key);
	comparison->by_key = NULL;
	differences_free(&comparison->differences);
}
