// SPDX-License-Identifier: GPL-2.0
/* The comparison for other programs. What could not be made for want of memory is NULL. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../harness/error.h"
#include "../report/json_build.h"
#include "write.h"

#define SCHEMA "bpf-bench-comparison"
#define SCHEMA_VERSION 1

static json_t *real_or_null(bool known, double value)
{
	return known ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

/* A path may be of any bytes. */
static json_t *path_of(const char *path)
{
	json_t *text = json_string(path);

	return text ? text : json_string("(no UTF-8)");
}

static json_t *files_of(const struct comparison *comparison, enum side side)
{
	json_t *paths = json_array();

	for (size_t i = 0; i < comparison->nr_records[side]; i++)
		json_add(&paths, path_of(comparison->records[side][i].path));
	return json_pack("{s:o, s:I}", "files", paths, "results",
			 (json_int_t)comparison->nr_results[side]);
}

static json_t *differences_of(const struct differences *differences)
{
	json_t *array = json_array();

	for (size_t i = 0; i < differences->n; i++) {
		const struct difference *difference = &differences->list[i];

		json_add(&array,
			 json_pack("{s:s, s:s, s:s, s:b}", "name", difference->name, "base",
				   difference->values[SIDE_BASE], "new",
				   difference->values[SIDE_NEW], "doubtful", difference->doubtful));
	}
	return array;
}

/* As everywhere in JSON here: what needs 64 bits is a string of its digits. */
static json_t *count_of(u64 count)
{
	return count > INT64_MAX ? json_sprintf("%" PRIu64, count)
				 : json_integer((json_int_t)count);
}

static json_t *side_of(const struct compared_case *compared, enum side side)
{
	const struct rounds *rounds = &compared->judged.rounds[side];
	const struct rounds_facts *facts = &compared->facts[side];
	json_t *values = json_array();

	for (size_t i = 0; i < rounds->n; i++)
		json_add(&values, json_real(rounds->values[i]));
	return json_pack(
		"{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:o, s:o, s:o}",
		"value", real_or_null(compared->compared, rounds->value), "rounds", values,
		"results", (json_int_t)facts->nr_results, "failed", (json_int_t)facts->nr_failed,
		"skipped", (json_int_t)facts->nr_skipped, "not_exact",
		(json_int_t)facts->nr_not_exact, "without_figure",
		(json_int_t)facts->nr_without_figure, "interrupted",
		(json_int_t)facts->nr_interrupted, "disturbed", (json_int_t)facts->nr_disturbed,
		"shared_core", (json_int_t)facts->nr_shared, "alone_only", facts->alone_only,
		"below_floor", (json_int_t)facts->nr_below_floor, "lost", count_of(facts->lost),
		"attempts", count_of(facts->attempts), "reason", text_or_null(facts->reason));
}

static json_t *ratio_of(const struct ratio *ratio)
{
	if (!ratio->known)
		return json_null();
	return json_pack("{s:f, s:o, s:o}", "value", ratio->value, "lo",
			 real_or_null(ratio->has_interval, ratio->lo), "hi",
			 real_or_null(ratio->has_interval, ratio->hi));
}

static json_t *case_of(const struct compared_case *compared)
{
	const struct judged *judged = &compared->judged;

	return json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:f, s:s, s:o, s:o}",
			 "case", compared->id.name, "unit", compared->unit, "higher_is_better",
			 judged->higher_is_better, "exact", judged->exact, "base",
			 side_of(compared, SIDE_BASE), "new", side_of(compared, SIDE_NEW), "ratio",
			 ratio_of(&judged->ratio), "p", real_or_null(judged->tested, judged->p),
			 "p_corrected", real_or_null(judged->tested, judged->corrected_p),
			 "threshold", judged->threshold, "verdict", verdict_name(judged->verdict),
			 "reason", text_or_null(judged->why), "tolerance",
			 real_or_null(judged->exact, judged->step / 2));
}

static json_t *not_compared(const struct compared_case *compared)
{
	return json_pack("{s:s, s:s, s:b, s:o, s:o}", "case", compared->id.name, "reason",
			 comparison_why_not(compared), "fails", compared->fails, "base",
			 side_of(compared, SIDE_BASE), "new", side_of(compared, SIDE_NEW));
}

static json_t *cases_of(const struct comparison *comparison, bool compared)
{
	json_t *array = json_array();

	for (size_t i = 0; i < comparison->nr_cases; i++) {
		const struct compared_case *one = &comparison->cases[i];

		if (one->compared == compared)
			json_add(&array, compared ? case_of(one) : not_compared(one));
	}
	return array;
}

static json_t *summary_of(const struct comparison *comparison)
{
	const size_t *nr = comparison->nr_verdicts;

	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b}", "worse", (json_int_t)nr[VERDICT_WORSE],
		"better", (json_int_t)nr[VERDICT_BETTER], "same", (json_int_t)nr[VERDICT_SAME],
		"not_enough_data", (json_int_t)nr[VERDICT_NOT_ENOUGH], "not_compared",
		(json_int_t)comparison->nr_not_compared, "failing",
		(json_int_t)comparison->nr_failing, "regression",
		comparison_is_regression(comparison), "decided", comparison_is_decided(comparison));
}

static json_t *document_of(const struct comparison *comparison)
{
	return json_pack("{s:s, s:i, s:s, s:f, s:{s:s, s:i, s:i}, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "schema", SCHEMA, "schema_version", SCHEMA_VERSION, "metric",
			 comparison->metric, "alpha", comparison->criteria.alpha, "method",
			 "correction", "holm", "bootstrap_resamples", BOOTSTRAP_RESAMPLES,
			 "bootstrap_seed", BOOTSTRAP_SEED, "base", files_of(comparison, SIDE_BASE),
			 "new", files_of(comparison, SIDE_NEW), "differences",
			 differences_of(&comparison->differences), "cases",
			 cases_of(comparison, true), "not_compared", cases_of(comparison, false),
			 "summary", summary_of(comparison));
}

int write_json(const struct comparison *comparison, FILE *stream)
{
	json_t *document = document_of(comparison);
	char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;

	json_decref(document);
	if (!text)
		return error_set(ENOMEM, "no memory for the JSON of a comparison");
	fprintf(stream, "%s\n", text);
	free(text);
	return 0;
}
