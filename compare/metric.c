// SPDX-License-Identifier: GPL-2.0
#include "metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record.h"

#define NO_INSN NULL, NULL

const struct metric metrics[] = {
	{ "net", "cost of one without the loop, in cycles if known", "cost_ns.net.median", "ns/op",
	  "cycles.net.median", "cost_ns.net.below_floor", "insn.net.per_op", "insn.net.exact",
	  false },
	{ "raw", "the same with the loop", "cost_ns.raw.median", "ns/op", "cycles.raw.median", NULL,
	  "insn.raw.per_op", "insn.raw.exact", false },
	{ "overhead", "the loop alone", "cost_ns.overhead.median", "ns/op",
	  "cycles.overhead.median", NULL, "insn.overhead.per_op", "insn.overhead.exact", false },
	{ "net_ns", "net in ns, at whatever clock rate there was", "cost_ns.net.median", "ns/op",
	  NULL, "cost_ns.net.below_floor", NO_INSN, false },
	{ "raw_ns", "raw in ns", "cost_ns.raw.median", "ns/op", NULL, NULL, NO_INSN, false },
	{ "p1", "of the raw cost, where others disturb least", "quantiles_ns.raw.1", "ns/op", NULL,
	  NULL, NO_INSN, false },
	{ "p90", "of the raw cost of batches", "cost_ns.raw.p90", "ns/op", NULL, NULL, NO_INSN,
	  false },
	{ "p99", "of the raw cost of batches", "cost_ns.raw.p99", "ns/op", NULL, NULL, NO_INSN,
	  false },
	{ "min", "of the raw cost of batches", "cost_ns.raw.min", "ns/op", NULL, NULL, NO_INSN,
	  false },
	{ "max", "of the raw cost of batches", "cost_ns.raw.max", "ns/op", NULL, NULL, NO_INSN,
	  false },
	{ "cpu", "net CPU time of one, where that is measured", "cpu_ns.net.median", "ns/op", NULL,
	  "cpu_ns.net.below_floor", NO_INSN, false },
	{ "cpu_raw", "the same with the loop", "cpu_ns.raw.median", "ns/op", NULL, NULL, NO_INSN,
	  false },
	{ "rate", "operations a second; more is better", "rate_per_sec.raw.hits.mean", "op/s", NULL,
	  NULL, NO_INSN, true },
	{ 0 },
};

static const struct metric *find(const char *name)
{
	for (const struct metric *metric = metrics; metric->name; metric++) {
		if (!strcmp(metric->name, name))
			return metric;
	}
	return NULL;
}

/*
 * One instruction of a batch, shared out among its operations. Where that is not known, what a
 * double may lose.
 */
static double step_of(const json_t *result, double value)
{
	u64 ops, passes;

	if (!record_count(result, "ops_per_pass", &ops) ||
	    !record_count(result, "passes_per_batch", &passes) || !ops || !passes)
		return fabs(value) * 1e-9;
	return 1 / ((double)ops * (double)passes);
}

static bool has_figures(const json_t *result)
{
	const char *status = record_text(result, "status");

	return !strcmp(status, "ok") || !strcmp(status, "interrupted");
}

bool metric_of_result(const json_t *result, const char *name, struct figure *figure)
{
	const struct metric *metric = find(name);
	bool counted = record_is_true(result, "exact_mode");

	*figure = (struct figure){ .counted = counted };
	if (!metric || !has_figures(result))
		return false;
	figure->higher_is_better = metric->higher_is_better;
	figure->unit = counted ? "insn/op" : metric->unit;
	if (!counted) {
		figure->below_floor =
			metric->floor_path && record_is_true(result, metric->floor_path);
		if (metric->cycles_path &&
		    record_real(result, metric->cycles_path, &figure->cycles))
			record_real(result, "disturbance.core.ghz", &figure->ghz);
		return record_real(result, metric->time_path, &figure->value);
	}
	if (!metric->insn_path)
		return false;
	figure->exact = record_is_true(result, metric->exact_path);
	if (!record_real(result, metric->insn_path, &figure->value))
		return false;
	figure->step = step_of(result, figure->value);
	return true;
}

static const struct {
	const char *suffix, *unit;
	bool higher_is_better;
} row_units[] = {
	{ "_ns", "ns", false },
	{ "_insn", "insn", false },
	{ "_per_sec", "/s", true },
};

/* Is `full` the name, or the name and a unit? */
static bool is_named(const char *full, const char *name, size_t stem)
{
	return !strcmp(full, name) || (strlen(name) == stem && !strncmp(full, name, stem));
}

static bool named_figure(const json_t *figures, const char *name, struct figure *figure)
{
	const char *full;
	json_t *value;

	json_object_foreach((json_t *)figures, full, value) {
		for (size_t i = 0; i < ARRAY_SIZE(row_units); i++) {
			size_t len = strlen(full), end = strlen(row_units[i].suffix);

			if (len <= end || strcmp(full + len - end, row_units[i].suffix) ||
			    !is_named(full, name, len - end) || !json_is_number(value))
				continue;
			figure->value = json_number_value(value);
			figure->unit = row_units[i].unit;
			figure->higher_is_better = row_units[i].higher_is_better;
			return true;
		}
	}
	return false;
}

/*
 * A mean of counts that differ from run to run is known as far as its standard error, `net_se_insn` of `net_insn`.
 * Six of them to either side, and half an instruction at least, are no difference: that a kernel's
 * interruptions are longer shows in the mean as well.
 */
static void take_error(const json_t *figures, struct figure *figure)
{
	const json_t *se = json_object_get(figures, "net_se_insn");

	if (!json_is_number(se))
		return;
	figure->exact = true;
	figure->step = fmax(1, 12 * json_number_value(se));
}

bool metric_of_row(const json_t *row, const char *name, struct figure *figure)
{
	static const char *const usual[] = { METRIC_DEFAULT, "p50", "median", "avg", "mean" };
	const json_t *figures = json_object_get(row, "figures");

	*figure = (struct figure){};
	if (strcmp(name, METRIC_DEFAULT))
		return named_figure(figures, name, figure);
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		if (!named_figure(figures, usual[i], figure))
			continue;
		if (!i && !strcmp(figure->unit, "insn"))
			take_error(figures, figure);
		return true;
	}
	return false;
}
