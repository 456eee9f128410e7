// SPDX-License-Identifier: GPL-2.0
/* Which results are rounds of the same case, and what becomes of those that are of none. */
#include "../../compare/comparison.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../harness/error.h"

/* As little of a result as the reader takes. */
static json_t *result_of(const char *benchmark, int nr_maps, double net, u64 started)
{
	return json_pack(
		"{s:s, s:{s:i}, s:s, s:{s:i, s:i, s:i, s:i, s:b, s:[], s:[], s:i}, s:I, s:b, "
		"s:[], s:{}, s:{s:{s:f}}, s:s}",
		"benchmark", benchmark, "parameters", "nr_maps", nr_maps, "status", "ok", "options",
		"producers", 1, "consumers", 0, "warmup_sec", 0, "duration_sec", 1, "affinity", 0,
		"producer_cpus", "consumer_cpus", "pad", 0, "started_unix_ns", (json_int_t)started,
		"exact_mode", 0, "losses", "host", "cost_ns", "net", "median", net, "trigger",
		"test_run");
}

/* Takes the results over. */
static struct record record_of(json_t *results)
{
	json_t *document = json_pack("{s:s, s:i, s:o}", "schema", "bpf-bench-results",
				     "schema_version", 1, "results", results);
	char *text = json_dumps(document, 0);
	struct record record;

	assert_non_null(text);
	if (record_parse("file", text, strlen(text), &record))
		fail_msg("%s", error_text());
	json_decref(document);
	free(text);
	return record;
}

static struct record base, new;
static struct comparison comparison;

static int begin(void **state)
{
	(void)state;
	comparison = (struct comparison){
		.criteria = { .alpha = 0.01, .threshold = 0.02 },
		.metric = METRIC_DEFAULT,
		.records = { &base, &new },
		.nr_records = { 1, 1 },
	};
	return 0;
}

static int end(void **state)
{
	(void)state;
	comparison_free(&comparison);
	record_free(&base);
	record_free(&new);
	return 0;
}

/* Two cases in turns on one side, and one after the other on the other side. */
static void rounds_are_matched_in_any_order(void **state)
{
	json_t *in_turns = json_array(), *in_order = json_array();

	(void)state;
	for (u64 i = 0; i < 6; i++) {
		json_array_append_new(in_turns, result_of("get", 16, 10 + (double)i / 100, 2 * i));
		json_array_append_new(in_turns,
				      result_of("get", 17, 20 + (double)i / 100, 2 * i + 1));
	}
	for (u64 i = 0; i < 5; i++)
		json_array_append_new(in_order, result_of("get", 17, 30 + (double)i / 100, i));
	for (u64 i = 0; i < 7; i++)
		json_array_append_new(in_order, result_of("get", 16, 10 + (double)i / 100, 50 + i));
	base = record_of(in_turns);
	new = record_of(in_order);
	assert_int_equal(comparison_make(&comparison), 0);
	assert_int_equal(comparison.nr_cases, 2);
	assert_string_equal(comparison.cases[0].id.name, "get/nr_maps=16/trigger=test_run");
	assert_int_equal(comparison.cases[0].judged.rounds[SIDE_BASE].n, 6);
	assert_int_equal(comparison.cases[0].judged.rounds[SIDE_NEW].n, 7);
	assert_int_equal(comparison.cases[0].judged.verdict, VERDICT_SAME);
	assert_int_equal(comparison.cases[1].judged.rounds[SIDE_NEW].n, 5);
	assert_int_equal(comparison.cases[1].judged.verdict, VERDICT_WORSE);
	assert_true(comparison_is_regression(&comparison));
}

static void rounds_are_in_the_order_of_time(void **state)
{
	static const u64 moments[] = { 30, 10, 50, 20, 40 };
	json_t *results = json_array();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(moments); i++)
		json_array_append_new(results,
				      result_of("get", 16, (double)moments[i], moments[i]));
	base = record_of(results);
	new = record_of(json_pack("[o]", result_of("get", 16, 1, 1)));
	assert_int_equal(comparison_make(&comparison), 0);
	for (size_t i = 0; i < ARRAY_SIZE(moments); i++)
		assert_true(comparison.cases[0].judged.rounds[SIDE_BASE].values[i] ==
			    (double)(10 * (i + 1)));
}

/* The results of a side, of which the last ones were measured on a shared core, at twice the cost. */
static json_t *partly_shared(size_t alone, size_t shared, double cost)
{
	json_t *results = json_array();

	for (size_t i = 0; i < alone + shared; i++) {
		bool is_alone = i < alone;
		double net = (is_alone ? 1 : 2) * cost + (double)i / 1000;
		json_t *result = result_of("get", 16, net, i + (u64)(1000 * cost));

		json_object_set_new(result, "disturbance",
				    json_pack("{s:b, s:{s:f, s:b, s:i}}", "disturbed", 1, "core",
					      "alone", is_alone ? 0.5 : 0.01, "alone_only",
					      is_alone, "reference_cycles", is_alone ? 500 : 520));
		json_array_append_new(results, result);
	}
	return results;
}

static void rounds_on_a_shared_core_are_left_out(void **state)
{
	(void)state;
	base = record_of(partly_shared(6, 9, 10));
	new = record_of(partly_shared(8, 4, 11));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_int_equal(comparison.cases[0].judged.rounds[SIDE_BASE].n, 6);
	assert_int_equal(comparison.cases[0].judged.rounds[SIDE_NEW].n, 8);
	assert_int_equal(comparison.cases[0].facts[SIDE_BASE].nr_shared, 9);
	assert_true(comparison.cases[0].facts[SIDE_BASE].alone_only);
	assert_true(comparison.cases[0].judged.disturbed == 0);
	assert_int_equal(comparison.cases[0].judged.verdict, VERDICT_WORSE);
}

/* What one side has too little of is left out on neither. */
static void rounds_are_chosen_alike_on_both_sides(void **state)
{
	(void)state;
	base = record_of(partly_shared(5, 10, 10));
	new = record_of(partly_shared(12, 3, 10));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_int_equal(comparison.cases[0].judged.rounds[SIDE_BASE].n, 15);
	assert_int_equal(comparison.cases[0].judged.rounds[SIDE_NEW].n, 15);
	assert_false(comparison.cases[0].facts[SIDE_NEW].alone_only);
	assert_int_equal(comparison.cases[0].facts[SIDE_NEW].nr_shared, 3);
	/* Ten of fifteen. */
	assert_float_equal(comparison.cases[0].judged.disturbed, 2 / 3.0, 1e-9);
}

/* A round in which a core was never seen alone has had none, whatever it seemed to be then. */
static void what_never_had_it_was_never_alone(void **state)
{
	json_t *results = partly_shared(7, 0, 10);

	(void)state;
	json_object_set_new(
		json_object_get(json_object_get(json_array_get(results, 3), "disturbance"), "core"),
		"reference_cycles", json_integer(900));
	base = record_of(results);
	new = record_of(partly_shared(6, 0, 10));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_int_equal(comparison.cases[0].judged.rounds[SIDE_BASE].n, 6);
	assert_int_equal(comparison.cases[0].facts[SIDE_BASE].nr_shared, 1);
}

/* Six rounds that know how many cycles `net` was, at a clock rate that goes up and down. */
static json_t *in_cycles(double net, double ghz, const char *cpu_model)
{
	json_t *results = json_array();

	for (int i = 0; i < 6; i++) {
		double rate = ghz + i % 3 / 10.0;
		double cycles = net + i / 1000.0;
		json_t *result =
			result_of("get", 16, cycles / rate, (u64)i + (u64)(1000 * ghz * net));

		json_object_set_new(result, "disturbance",
				    json_pack("{s:b, s:{s:f, s:b, s:i, s:f}}", "disturbed", 0,
					      "core", "alone", 1.0, "alone_only", 1,
					      "reference_cycles", 1200, "ghz", rate));
		json_object_set_new(result, "cycles",
				    json_pack("{s:{s:f}}", "net", "median", cycles));
		json_object_set_new(result, "host", json_pack("{s:s}", "cpu_model", cpu_model));
		json_array_append_new(results, result);
	}
	return results;
}

static void cycles_are_compared_where_they_are_known(void **state)
{
	const struct compared_case *compared;

	(void)state;
	base = record_of(in_cycles(100, 2, "A"));
	new = record_of(in_cycles(110, 2, "A"));
	assert_int_equal(comparison_make(&comparison), 0);
	compared = &comparison.cases[0];
	assert_string_equal(compared->unit, "cycles/op");
	assert_float_equal(compared->judged.ratio.value, 1.1, 1e-4);
	assert_float_equal(compared->judged.rounds[SIDE_BASE].value, 100, 0.01);
	assert_float_equal(compared->judged.clock_ratio, 1, 1e-9);
	assert_int_equal(compared->judged.verdict, VERDICT_WORSE);
}

static void cycles_of_other_processors_are_others(void **state)
{
	(void)state;
	base = record_of(in_cycles(100, 2, "A"));
	new = record_of(in_cycles(110, 2, "B"));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_string_equal(comparison.cases[0].unit, "ns/op");
	assert_true(comparison.cases[0].judged.clock_ratio == 0);
}

/* And it is said which rounds are without. */
static void cycles_of_one_side_are_not_enough(void **state)
{
	json_t *results = in_cycles(110, 2, "A");

	(void)state;
	json_object_del(json_array_get(results, 4), "cycles");
	base = record_of(in_cycles(100, 2, "A"));
	new = record_of(results);
	assert_int_equal(comparison_make(&comparison), 0);
	assert_string_equal(comparison.cases[0].unit, "ns/op");
	assert_int_equal(comparison.cases[0].facts[SIDE_BASE].nr_without_cycles, 0);
	assert_int_equal(comparison.cases[0].facts[SIDE_NEW].nr_without_cycles, 1);
}

/* Nobody writes such a rate, but somebody may. */
static void a_clock_rate_below_zero_is_none(void **state)
{
	json_t *results = in_cycles(110, 2, "A");

	(void)state;
	for (size_t i = 0; i < json_array_size(results); i++)
		json_object_set_new(
			json_object_get(json_object_get(json_array_get(results, i), "disturbance"),
					"core"),
			"ghz", json_real(-1));
	base = record_of(in_cycles(100, 2, "A"));
	new = record_of(results);
	assert_int_equal(comparison_make(&comparison), 0);
	assert_string_equal(comparison.cases[0].unit, "ns/op");
}

static void ns_are_compared_if_asked_for(void **state)
{
	(void)state;
	comparison.metric = "net_ns";
	base = record_of(in_cycles(100, 2, "A"));
	new = record_of(in_cycles(100, 2.5, "A"));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_string_equal(comparison.cases[0].unit, "ns/op");
	assert_int_equal(comparison.cases[0].judged.verdict, VERDICT_BETTER);
}

/* Alike but for a parameter, or for the name of the benchmark. */
static void parameters_tell_cases_apart(void **state)
{
	(void)state;
	base = record_of(
		json_pack("[o, o]", result_of("get", 16, 1, 1), result_of("put", 16, 1, 2)));
	new = record_of(json_pack("[o, o]", result_of("get", 1, 1, 3), result_of("put", 16, 1, 4)));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_int_equal(comparison.nr_cases, 3);
	assert_int_equal(comparison.nr_not_compared, 2);
	assert_string_equal(comparison_why_not(&comparison.cases[0]), "not in NEW");
	assert_string_equal(comparison_why_not(&comparison.cases[2]), "not in BASE");
	assert_false(comparison_is_decided(&comparison));
	assert_false(comparison_is_regression(&comparison));
}

static void the_same_round_counts_once(void **state)
{
	(void)state;
	base = record_of(
		json_pack("[o, o]", result_of("get", 16, 1, 1), result_of("get", 16, 1, 1)));
	new = record_of(json_pack("[o]", result_of("get", 16, 1, 1)));
	assert_int_equal(comparison_make(&comparison), -E_USAGE);
	assert_string_equal(error_text(),
			    "file and file hold the same round of get: give each once");
}

/* Cases measured at the same moment by machines of their own are no repetition. */
static void moments_are_of_a_case(void **state)
{
	(void)state;
	base = record_of(
		json_pack("[o, o]", result_of("get", 16, 1, 1), result_of("get", 17, 1, 1)));
	new = record_of(json_pack("[o]", result_of("get", 16, 1, 1)));
	assert_int_equal(comparison_make(&comparison), 0);
}

static json_t *failed(int nr_maps, u64 started)
{
	json_t *result = result_of("get", nr_maps, 0, started);

	json_object_set_new(result, "status", json_string("failed"));
	json_object_set_new(result, "reason", json_string("why"));
	json_object_set_new(result, "cost_ns", json_null());
	json_object_set_new(result, "trigger", json_null());
	return result;
}

/* Before the one that ran, and without its trigger. */
static void failures_find_their_case(void **state)
{
	(void)state;
	base = record_of(json_pack("[o]", result_of("get", 16, 1, 1)));
	new = record_of(
		json_pack("[o, o, o]", failed(16, 2), result_of("get", 16, 1, 3), failed(17, 4)));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_int_equal(comparison.nr_cases, 2);
	assert_int_equal(comparison.cases[0].facts[SIDE_NEW].nr_failed, 1);
	assert_int_equal(comparison.cases[0].facts[SIDE_NEW].nr_results, 2);
	assert_false(comparison.cases[0].fails);
	assert_string_equal(comparison_why_not(&comparison.cases[1]),
			    "not in BASE, failed in NEW: why");
	assert_int_equal(comparison.nr_failing, 0);
}

/* What cannot run there did not become worse; what fails each time did. */
static void only_what_always_fails_is_a_regression(void **state)
{
	json_t *skipped = failed(17, 2);

	(void)state;
	json_object_set_new(skipped, "status", json_string("skipped"));
	base = record_of(
		json_pack("[o, o]", result_of("get", 16, 1, 1), result_of("get", 17, 1, 2)));
	new = record_of(json_pack("[o, o, o]", failed(16, 1), failed(17, 3), skipped));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_true(comparison.cases[0].fails);
	assert_false(comparison.cases[1].fails);
	assert_int_equal(comparison.nr_failing, 1);
	assert_true(comparison_is_regression(&comparison));
}

static void what_differs_is_found(void **state)
{
	json_t *first = result_of("get", 16, 1, 1), *second = result_of("get", 16, 1, 2);
	json_t *third = result_of("get", 16, 1, 3);

	(void)state;
	json_object_set_new(
		first, "host",
		json_pack("{s:s, s:{s:s}}", "kernel_release", "6.1", "mitigations", "a", "on"));
	json_object_set_new(
		second, "host",
		json_pack("{s:s, s:{s:s}}", "kernel_release", "6.2", "mitigations", "a", "on"));
	json_object_set_new(
		third, "host",
		json_pack("{s:s, s:{s:s}}", "kernel_release", "6.2", "mitigations", "a", "off"));
	base = record_of(json_pack("[o, o]", first, second));
	new = record_of(json_pack("[o]", third));
	assert_int_equal(comparison_make(&comparison), 0);
	assert_int_equal(comparison.differences.n, 2);
	assert_string_equal(comparison.differences.list[0].name, "kernel_release");
	assert_string_equal(comparison.differences.list[0].values[SIDE_BASE], "6.1, 6.2");
	assert_string_equal(comparison.differences.list[0].values[SIDE_NEW], "6.2");
	assert_string_equal(comparison.differences.list[1].name, "mitigations.a");
	assert_string_equal(comparison.differences.list[1].values[SIDE_NEW], "off");
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(rounds_are_matched_in_any_order),
		test(rounds_are_in_the_order_of_time),
		test(rounds_on_a_shared_core_are_left_out),
		test(rounds_are_chosen_alike_on_both_sides),
		test(what_never_had_it_was_never_alone),
		test(cycles_are_compared_where_they_are_known),
		test(cycles_of_other_processors_are_others),
		test(cycles_of_one_side_are_not_enough),
		test(a_clock_rate_below_zero_is_none),
		test(ns_are_compared_if_asked_for),
		test(parameters_tell_cases_apart),
		test(the_same_round_counts_once),
		test(moments_are_of_a_case),
		test(failures_find_their_case),
		test(only_what_always_fails_is_a_regression),
		test(what_differs_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
