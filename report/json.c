// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_build.h"

/* The length that UTF-8 says a character with this first byte has; 0 for none. */
static size_t utf8_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2)
		return 0;
	if (first < 0xe0)
		return 2;
	if (first < 0xf0)
		return 3;
	return first < 0xf5 ? 4 : 0;
}

static bool is_utf8_character(const char *s, size_t len)
{
	json_t *probe = len && strnlen(s, len) == len ? json_stringn(s, len) : NULL;

	json_decref(probe);
	return probe != NULL;
}

/* Bytes that are no UTF-8 become U+FFFD: a name cut in the middle must not cost the document. */
static json_t *repaired_text(const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *fixed = malloc(strlen(s) * strlen(replacement) + 1);
	char *end = fixed;
	json_t *value;

	if (!fixed)
		return NULL;
	while (*s) {
		size_t len = utf8_length((unsigned char)*s);

		if (is_utf8_character(s, len)) {
			end = (char *)memcpy(end, s, len) + len;
			s += len;
		} else {
			end = (char *)memcpy(end, replacement, strlen(replacement));
			end += strlen(replacement);
			s++;
		}
	}
	value = json_stringn(fixed, (size_t)(end - fixed));
	free(fixed);
	return value;
}

static json_t *text(const char *s)
{
	json_t *value = json_string(s); /* NULL if it is no UTF-8 */

	return value ? value : repaired_text(s);
}

static json_t *text_or_null(const char *s)
{
	return s[0] ? text(s) : json_null();
}

/* The statistics make no nan and no inf. Should there be one, it is not known, and null says so. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *decimal(u64 value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return json_string(digits);
}

/* Readers have 63 bits for an integer at most: what needs 64 is a string of its digits. */
static json_t *integer(u64 value)
{
	return value <= INT64_MAX ? json_integer((json_int_t)value) : decimal(value);
}

/* A number that is not known is 0 in some structs, and negative in others. */
static json_t *integer_or_null(u64 value)
{
	return value ? integer(value) : json_null();
}

static json_t *signed_or_null(s64 value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static const char *variant_name(enum bench_variant variant)
{
	return variant == BENCH_REAL ? "raw" : "overhead";
}

static const char *status_name(enum result_status status)
{
	switch (status) {
	case RESULT_OK:
		return "ok";
	case RESULT_INTERRUPTED:
		return "interrupted";
	case RESULT_FAILED:
		return "failed";
	case RESULT_SKIPPED:
		return "skipped";
	}
	return "unknown";
}

static json_t *parameter_of(const struct bench_param *param, const void *params)
{
	u64 value;

	if (param->type == BENCH_PARAM_TEXT)
		return text_or_null(bench_param_text(param, params));
	value = bench_param_get(param, params);
	if (param->type == BENCH_PARAM_FLAG)
		return json_boolean(value);
	return param->type == BENCH_PARAM_CHOICE ? text(param->choices[value]) : integer(value);
}

static json_t *parameters(const struct result *result)
{
	const struct bench_param *param = result->bench->params;
	json_t *object = json_object();

	for (; param && param->name; param++)
		json_put(&object, param->name, parameter_of(param, result->params));
	return object;
}

static json_t *cpu_list_of(const struct cpu_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_add(&array, integer(list->cpu[i]));
	return array;
}

static json_t *cpus_used(const struct result *result)
{
	json_t *array = json_array();

	for (size_t cpu = 0; cpu < 64 * ARRAY_SIZE(result->cpus_used); cpu++)
		if (result->cpus_used[cpu / 64] >> cpu % 64 & 1)
			json_add(&array, integer(cpu));
	return array;
}

static json_t *command_of(char *const *command)
{
	json_t *array;

	if (!command)
		return json_null();
	array = json_array();
	for (; *command; command++)
		json_add(&array, text(*command));
	return array;
}

static json_t *options_of(const struct options *options)
{
	json_t *object = json_object();

	json_put(&object, "warmup_sec", integer(options->warmup_sec));
	json_put(&object, "duration_sec", integer(options->duration_sec));
	json_put(&object, "producers", integer(options->nr_producers));
	json_put(&object, "consumers", integer(options->nr_consumers));
	json_put(&object, "affinity", json_boolean(options->affinity));
	json_put(&object, "producer_cpus", cpu_list_of(&options->prod_cpus));
	json_put(&object, "consumer_cpus", cpu_list_of(&options->cons_cpus));
	json_put(&object, "trigger", text(trigger_name(options->trigger)));
	json_put(&object, "pad", integer(options->pad));
	json_put(&object, "interval_sec", integer(options->interval_sec));
	json_put(&object, "command", command_of(options->command));
	return object;
}

/* An interval is only known with two blocks or more: without, an error of 0 would be a lie. */
static void put_interval(json_t **object, double lo, double hi, double se, bool known)
{
	json_put(object, "lo", known ? real(lo) : json_null());
	json_put(object, "hi", known ? real(hi) : json_null());
	json_put(object, "se", known ? real(se) : json_null());
}

static json_t *cost_of(const struct stats_cost *stats)
{
	json_t *object;

	if (!stats->n)
		return json_null();

	object = json_object();
	json_put(&object, "median", real(stats->median));
	put_interval(&object, stats->lo, stats->hi, stats->se, stats->nr_blocks >= 2);
	json_put(&object, "p90", real(stats->p90));
	json_put(&object, "p99", real(stats->p99));
	json_put(&object, "min", real(stats->min));
	json_put(&object, "max", real(stats->max));
	json_put(&object, "mad", real(stats->mad));
	json_put(&object, "samples", integer(stats->n));
	json_put(&object, "blocks", integer(stats->nr_blocks));
	return object;
}

static json_t *net_cost(const struct stats_cost *raw, const struct stats_cost *overhead,
			const struct stats_net *net)
{
	json_t *object;

	if (!raw->n || !overhead->n)
		return json_null();

	object = json_object();
	json_put(&object, "median", real(net->value));
	put_interval(&object, net->lo, net->hi, net->se,
		     raw->nr_blocks >= 2 && overhead->nr_blocks >= 2);
	json_put(&object, "below_floor", json_boolean(net->below_floor));
	return object;
}

/* `cost`: of each variant. */
static json_t *costs(const struct stats_cost *cost, const struct stats_net *net)
{
	json_t *object = json_object();

	json_put(&object, "raw", cost_of(&cost[BENCH_REAL]));
	json_put(&object, "overhead", cost_of(&cost[BENCH_TWIN]));
	json_put(&object, "net", net_cost(&cost[BENCH_REAL], &cost[BENCH_TWIN], net));
	return object;
}

static json_t *cpu_costs(const struct result *result)
{
	bool known = result->user_ns + result->system_ns > 0;
	json_t *object;

	if (!result->cpu_ns[BENCH_REAL].n)
		return json_null();
	object = costs(result->cpu_ns, &result->net_cpu_ns);
	json_put(&object, "user", known ? real(result->user_ns) : json_null());
	json_put(&object, "system", known ? real(result->system_ns) : json_null());
	return object;
}

static json_t *insn_of(const struct result_insn *insn)
{
	json_t *object = json_object();

	json_put(&object, "per_op", real(insn->per_op));
	json_put(&object, "exact", json_boolean(insn->exact));
	json_put(&object, "batches", integer(insn->batches));
	json_put(&object, "agreeing", integer(insn->agreeing));
	json_put(&object, "min", real(insn->min));
	json_put(&object, "max", real(insn->max));
	return object;
}

static json_t *net_insn(const struct result *result)
{
	json_t *object = json_object();

	json_put(&object, "per_op", real(result->net_insn));
	json_put(&object, "exact", json_boolean(result_net_is_exact(result)));
	return object;
}

static json_t *insns(const struct result *result)
{
	json_t *object;

	if (!result->exact || !result->insn[BENCH_REAL].batches)
		return json_null();
	object = json_object();
	json_put(&object, "raw", insn_of(&result->insn[BENCH_REAL]));
	json_put(&object, "overhead", insn_of(&result->insn[BENCH_TWIN]));
	json_put(&object, "net", net_insn(result));
	return object;
}

/* Whether there is something to say in units of time. */
static bool has_time(const struct result *result)
{
	return result_has_figures(result) && !result->exact && !result->bench->watcher;
}

static json_t *quantiles_of(const struct result *result, enum bench_variant variant)
{
	json_t *array;

	if (!result->cost_ns[variant].n)
		return json_null();

	array = json_array();
	for (size_t i = 0; i < RESULT_QUANTILES; i++)
		json_add(&array, real(result->quantiles_ns[variant][i]));
	return array;
}

static json_t *quantiles(const struct result *result)
{
	json_t *object = json_object();

	json_put(&object, "raw", quantiles_of(result, BENCH_REAL));
	json_put(&object, "overhead", quantiles_of(result, BENCH_TWIN));
	return object;
}

static bool has_counted(const struct result *result, enum bench_variant variant)
{
	for (size_t i = 0; i < result->nr_intervals; i++)
		if (result->intervals[i].variant == variant && !result->intervals[i].warmup)
			return true;
	return false;
}

static json_t *rate_of(const struct result_rate *rate)
{
	json_t *object = json_object();

	json_put(&object, "mean", real(rate->mean));
	json_put(&object, "stddev", rate->n > 1 ? real(rate->stddev) : json_null());
	return object;
}

static json_t *raw_rates(const struct result *result)
{
	json_t *object;

	if (!has_counted(result, BENCH_REAL))
		return json_null();

	object = json_object();
	json_put(&object, "hits", rate_of(&result->hits));
	json_put(&object, "important_hits", rate_of(&result->important_hits));
	json_put(&object, "drops", rate_of(&result->drops));
	json_put(&object, "total", rate_of(&result->total));
	return object;
}

static json_t *overhead_rates(const struct result *result)
{
	json_t *object;

	if (!has_counted(result, BENCH_TWIN))
		return json_null();

	object = json_object();
	json_put(&object, "hits", rate_of(&result->twin_hits));
	return object;
}

static json_t *rates(const struct result *result)
{
	json_t *object = json_object();

	json_put(&object, "raw", raw_rates(result));
	json_put(&object, "overhead", overhead_rates(result));
	return object;
}

static json_t *counts_of(const struct bench_counts *counts)
{
	json_t *object = json_object();

	json_put(&object, "batches", integer(counts->batches));
	json_put(&object, "timed_ns", integer(counts->ns));
	json_put(&object, "hits", integer(counts->hits));
	json_put(&object, "important_hits", integer(counts->important_hits));
	json_put(&object, "drops", integer(counts->drops));
	return object;
}

static json_t *interval_rates(const struct result_interval *interval)
{
	json_t *object = json_object();

	json_put(&object, "hits", real(interval->hits_per_sec));
	json_put(&object, "important_hits", real(interval->important_hits_per_sec));
	json_put(&object, "drops", real(interval->drops_per_sec));
	return object;
}

static json_t *interval_of(const struct result_interval *interval)
{
	json_t *object = json_object();

	json_put(&object, "variant", text(variant_name(interval->variant)));
	json_put(&object, "warmup", json_boolean(interval->warmup));
	json_put(&object, "duration_ns", real(interval->duration_ns));
	json_put(&object, "looked_ns", real(interval->looked_ns));
	json_put(&object, "counts", counts_of(&interval->counts));
	json_put(&object, "rate_per_sec", interval_rates(interval));
	json_put(&object, "cost_ns", cost_of(&interval->cost_ns));
	json_put(&object, "involuntary_switches", integer(interval->involuntary_switches));
	json_put(&object, "steal_ns", signed_or_null(interval->steal_ns));
	return object;
}

static json_t *intervals(const struct result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->nr_intervals; i++)
		json_add(&array, interval_of(&result->intervals[i]));
	return array;
}

/* Only buckets that hold something: their lowest value, and how many. */
static json_t *histogram_of(const struct result_row *row)
{
	json_t *object = json_object();
	json_t *buckets = json_array();

	for (unsigned int i = 0; i < BENCH_NR_BUCKETS; i++) {
		json_t *bucket;

		if (!row->histogram[i])
			continue;
		bucket = json_object();
		json_put(&bucket, "from", integer(i ? 1ULL << i : 0));
		json_put(&bucket, "count", integer(row->histogram[i]));
		json_add(&buckets, bucket);
	}
	json_put(&object, "unit", text(row->exact ? "insn" : "ns"));
	json_put(&object, "buckets", buckets);
	return object;
}

static json_t *row_of(const struct result_row *row)
{
	json_t *object = json_object();
	json_t *figures = json_object();

	for (size_t i = 0; i < row->nr_figures; i++)
		json_put(&figures, row->figures[i].name, real(row->figures[i].value));
	json_put(&object, "name", text(row->name));
	json_put(&object, "figures", figures);
	json_put(&object, "histogram", row->has_histogram ? histogram_of(row) : json_null());
	return object;
}

static json_t *rows_of(const struct result_rows *rows)
{
	json_t *array = json_array();

	for (size_t i = 0; i < rows->n; i++)
		json_add(&array, row_of(&rows->rows[i]));
	return array;
}

static json_t *row_intervals(const struct result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->nr_row_intervals; i++) {
		json_t *object = json_object();

		json_put(&object, "duration_ns", integer(result->row_intervals[i].duration_ns));
		json_put(&object, "rows", rows_of(&result->row_intervals[i]));
		json_add(&array, object);
	}
	return array;
}

/* What a watcher saw; null for benchmarks that fire an operation. */
static json_t *watched(const struct result *result)
{
	json_t *object;

	if (!result->bench->watcher || !result_has_figures(result))
		return json_null();
	object = json_object();
	json_put(&object, "duration_ns", integer(result->rows.duration_ns));
	json_put(&object, "rows", rows_of(&result->rows));
	json_put(&object, "intervals", row_intervals(result));
	json_put(&object, "command_status", signed_or_null(result->command_status));
	return object;
}

static json_t *losses(const struct result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->nr_losses; i++) {
		json_t *object = json_object();

		json_put(&object, "cause", text(result->losses[i].cause));
		json_put(&object, "count", integer(result->losses[i].count));
		json_add(&array, object);
	}
	return array;
}

static json_t *counters(const struct result *result)
{
	json_t *object = json_object();

	for (size_t i = 0; i < result->nr_counters; i++)
		json_put(&object, result->counters[i].name, real(result->counters[i].value));
	return object;
}

static json_t *program_of(const struct result_program *program)
{
	json_t *object = json_object();

	json_put(&object, "name", text(program->name));
	json_put(&object, "variant", text(variant_name(program->variant)));
	json_put(&object, "id", integer(program->id));
	json_put(&object, "tag", text(program->tag));
	json_put(&object, "verified_insns", integer_or_null(program->verified_insns));
	json_put(&object, "xlated_bytes", integer(program->xlated_bytes));
	json_put(&object, "jited_bytes", integer(program->jited_bytes));
	json_put(&object, "load_ns", integer(program->load_ns));
	return object;
}

static json_t *programs(const struct result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->nr_programs; i++)
		json_add(&array, program_of(&result->programs[i]));
	return array;
}

static json_t *notes(const struct result *result)
{
	json_t *object = json_object();

	for (size_t i = 0; i < result->nr_notes; i++)
		json_put(&object, result->notes[i].name, text(result->notes[i].value));
	return object;
}

static json_t *core_of(const struct result_core *core)
{
	json_t *object;

	if (!core->reference)
		return json_null();
	object = json_object();
	json_put(&object, "alone", real(core->alone));
	json_put(&object, "alone_only", json_boolean(core->alone_only));
	json_put(&object, "ghz", core->ghz > 0 ? real(core->ghz) : json_null());
	json_put(&object, "reference_cycles", integer(core->reference));
	return object;
}

static json_t *disturbance(const struct result *result)
{
	json_t *object = json_object();

	json_put(&object, "disturbed", json_boolean(result_disturbed(result)));
	json_put(&object, "involuntary_switches", integer(result->involuntary_switches));
	json_put(&object, "steal_ns", signed_or_null(result->steal_ns));
	json_put(&object, "core", core_of(&result->core));
	return object;
}

/* The lines "name: state" of struct host, taken apart. */
static json_t *mitigations_of(const char *lines)
{
	json_t *object = json_object();

	while (*lines) {
		size_t len = strcspn(lines, "\n");
		char line[2 * HOST_TEXT];
		char *state;

		snprintf(line, sizeof(line), "%.*s", (int)len, lines);
		state = strstr(line, ": ");
		if (state) {
			*state = '\0';
			json_put(&object, line, text(state + 2));
		}
		lines += len + (lines[len] == '\n');
	}
	return object;
}

static json_t *boot_of(u64 hash)
{
	char digits[24];

	if (!hash)
		return json_null();
	snprintf(digits, sizeof(digits), "%016" PRIx64, hash);
	return json_string(digits);
}

static json_t *host_of(const struct host *host)
{
	json_t *object = json_object();

	json_put(&object, "kernel_release", text_or_null(host->kernel_release));
	json_put(&object, "kernel_version", text_or_null(host->kernel_version));
	json_put(&object, "machine", text_or_null(host->machine));
	json_put(&object, "cpu_model", text_or_null(host->cpu_model));
	json_put(&object, "cpus_online", signed_or_null(host->cpus_online));
	json_put(&object, "cpus_usable", signed_or_null(host->cpus_usable));
	json_put(&object, "memory_bytes", integer_or_null(host->memory_bytes));
	json_put(&object, "governor", text_or_null(host->governor));
	json_put(&object, "clocksource", text_or_null(host->clocksource));
	json_put(&object, "virtualization", text_or_null(host->virtualization));
	json_put(&object, "bpf_jit_enable", signed_or_null(host->bpf_jit_enable));
	json_put(&object, "bpf_jit_harden", signed_or_null(host->bpf_jit_harden));
	json_put(&object, "unprivileged_bpf_disabled",
		 signed_or_null(host->unprivileged_bpf_disabled));
	json_put(&object, "mitigations", mitigations_of(host->mitigations));
	json_put(&object, "boot", boot_of(host->boot_id_hash));
	json_put(&object, "libbpf", text_or_null(host->libbpf));
	json_put(&object, "clang", text_or_null(host->clang));
	json_put(&object, "compiler", text_or_null(host->compiler));
	json_put(&object, "git_revision", text_or_null(host->git_revision));
	json_put(&object, "bench_version", text_or_null(host->bench_version));
	return object;
}

/* TRIGGER_AUTO is what was asked for; in a result it stands for "nothing was fired". */
static json_t *trigger_of(enum trigger_kind kind)
{
	return kind == TRIGGER_AUTO ? json_null() : text(trigger_name(kind));
}

static json_t *case_result(const struct result *result)
{
	json_t *object = json_object();

	json_put(&object, "benchmark", text(result->bench->name));
	json_put(&object, "parameters", parameters(result));
	json_put(&object, "case", result->round ? integer(result->case_number) : json_null());
	json_put(&object, "round", result->round ? integer(result->round - 1) : json_null());
	json_put(&object, "status", text(status_name(result->status)));
	json_put(&object, "reason", text_or_null(result->reason));
	json_put(&object, "options", options_of(result->options));
	json_put(&object, "trigger", trigger_of(result->trigger));
	json_put(&object, "started_unix_ns", integer(result->started_unix_ns));
	json_put(&object, "setup_ns", integer_or_null(result->setup_ns));
	json_put(&object, "cpus_used", cpus_used(result));
	json_put(&object, "ops_per_pass", integer_or_null(result->ops_per_pass));
	json_put(&object, "passes_per_batch", integer_or_null(result->passes_per_batch));
	json_put(&object, "pieces_per_batch", integer_or_null(result->pieces_per_batch));
	json_put(&object, "exact_mode", json_boolean(result->exact));
	json_put(&object, "exact_machine", text_or_null(result->exact_machine));
	json_put(&object, "insn", insns(result));
	json_put(&object, "cost_ns",
		 has_time(result) ? costs(result->cost_ns, &result->net_ns) : json_null());
	json_put(&object, "cycles",
		 has_time(result) && result->cycles[BENCH_REAL].n
			 ? costs(result->cycles, &result->net_cycles)
			 : json_null());
	json_put(&object, "cpu_ns", has_time(result) ? cpu_costs(result) : json_null());
	json_put(&object, "rate_per_sec", has_time(result) ? rates(result) : json_null());
	json_put(&object, "watched", watched(result));
	json_put(&object, "attempts",
		 result_has_figures(result) ? integer(result->attempts) : json_null());
	json_put(&object, "losses", losses(result));
	json_put(&object, "counters", counters(result));
	json_put(&object, "disturbance", has_time(result) ? disturbance(result) : json_null());
	json_put(&object, "programs", programs(result));
	json_put(&object, "notes", notes(result));
	json_put(&object, "host", host_of(&result->host));
	json_put(&object, "quantiles_ns", has_time(result) ? quantiles(result) : json_null());
	json_put(&object, "intervals", has_time(result) ? intervals(result) : json_array());
	return object;
}

static json_t *plan_case_of(const struct plan_case *c)
{
	json_t *object = json_object();
	bool known = c->nr_rounds > 0;

	json_put(&object, "name", text(c->name));
	json_put(&object, "benchmark", text(c->options->bench->name));
	json_put(&object, "rounds", integer(c->nr_run));
	json_put(&object, "rounds_counting", integer(c->nr_counting));
	json_put(&object, "rounds_on_shared_core", integer(c->nr_shared));
	json_put(&object, "stopped", text(plan_stop_name(c->stop)));
	json_put(&object, "reason", text_or_null(c->reason));
	json_put(&object, "raw", known ? real(c->raw_median) : json_null());
	json_put(&object, "net", known ? real(c->median) : json_null());
	json_put(&object, "at_ghz", json_boolean(known && c->at_ghz));
	json_put(&object, "net_lo", c->has_interval ? real(c->lo) : json_null());
	json_put(&object, "net_hi", c->has_interval ? real(c->hi) : json_null());
	return object;
}

static json_t *plan_of(const struct plan *plan)
{
	json_t *cases = json_array();
	json_t *object;

	if (!plan) {
		json_decref(cases);
		return json_null();
	}
	object = json_object();
	for (size_t i = 0; i < plan->nr_cases; i++)
		json_add(&cases, plan_case_of(&plan->cases[i]));
	json_put(&object, "seed", integer(plan->seed));
	json_put(&object, "rounds", integer_or_null(plan->rounds));
	json_put(&object, "precision", plan->precision > 0 ? real(plan->precision) : json_null());
	json_put(&object, "max_time_sec", real((double)plan->max_time_ns / (double)NSEC_PER_SEC));
	json_put(&object, "unit", text(plan->exact ? "insn" : "ns"));
	json_put(&object, "ghz", plan->ghz > 0 ? real(plan->ghz) : json_null());
	json_put(&object, "cases", cases);
	return object;
}

/* Results of a plan, or with NULL for it, of single cases. */
static json_t *document(const struct result *results, size_t n, const struct plan *plan)
{
	json_t *cases = json_array();
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		json_add(&cases, case_result(&results[i]));
	json_put(&object, "schema", json_string(JSON_SCHEMA));
	json_put(&object, "schema_version", json_integer(JSON_SCHEMA_VERSION));
	json_put(&object, "suite", plan_of(plan));
	json_put(&object, "results", cases);
	return object;
}

/* The document as text, a newline in place of the NUL; the caller frees it. NULL without memory. */
static char *document_text(const struct result *results, size_t n, const struct plan *plan,
			   size_t *len)
{
	json_t *root = document(results, n, plan);
	char *dump = json_dumps(root, JSON_INDENT(2));

	json_decref(root);
	if (!dump)
		return NULL;
	*len = strlen(dump) + 1;
	dump[*len - 1] = '\n';
	return dump;
}

static int write_document(struct output *output, const struct result *results, size_t n,
			  const struct plan *plan)
{
	size_t len = 0;
	char *dump = document_text(results, n, plan, &len);
	int err;

	if (!dump) {
		output_discard(output);
		return error_set(ENOMEM, "no memory for the JSON of %zu results", n);
	}
	err = output_write(output, dump, len);
	free(dump);
	return err;
}

int json_write(struct output *output, const struct result *results, size_t n)
{
	return write_document(output, results, n, NULL);
}

int json_write_plan(struct output *output, const struct plan *plan)
{
	return write_document(output, plan->results, plan->nr_results, plan);
}
