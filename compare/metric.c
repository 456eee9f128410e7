// SPDX-License-Identifier: GPL-2.0
#include "metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record.h"

const struct metric metrics[] = {
	{ "net", "cost of one operation, without the loop", "cost_ns.net.median", "ns/op",
	  "cost_ns.net.below_floor", "insn.net.per_op", "insn.net.exact", false },
	{ "raw", "the same with the loop", "cost_ns.raw.median", "ns/op", NULL, "insn.raw.per_op",
	  "insn.raw.exact", false },
	{ "overhead", "the loop alone", "cost_ns.overhead.median", "ns/op", NULL,
	  "insn.overhead.per_op", "insn.overhead.exact", false },
	{ "p1", "of the raw cost, where others disturb least", "quantiles_ns.raw.1", "ns/op", NULL,
	  NULL, NULL, false },
	{ "p90", "of the raw cost of batches", "cost_ns.raw.p90", "ns/op", NULL, NULL, NULL,
	  false },
	{ "p99", "of the raw cost of batches", "cost_ns.raw.p99", "ns/op", NULL, NULL, NULL,
	  false },
	{ "min", "of the raw cost of batches", "cost_ns.raw.min", "ns/op", NULL, NULL, NULL,
	  false },
	{ "max", "of the raw cost of batches", "cost_ns.raw.max", "ns/op", NULL, NULL, NULL,
	  false },
	{ "cpu", "net CPU time of one, where that is measured", "cpu_ns.net.median", "ns/op",
	  "cpu_ns.net.below_floor", NULL, NULL, false },
	{ "cpu_raw", "the same with the loop", "cpu_ns.raw.median", "ns/op", NULL, NULL, NULL,
	  false },
	{ "rate", "operations a second; more is better", "rate_per_sec.raw.hits.mean", "op/s", NULL,
	  NULL, NULL, true },
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

bool metric_of_row(const json_t *row, const char *name, struct figure *figure)
{
	static const char *const usual[] = { METRIC_DEFAULT, "p50", "median", "avg", "mean" };
	const json_t *figures = json_object_get(row, "figures");

	*figure = (struct figure){};
	if (strcmp(name, METRIC_DEFAULT))
		return named_figure(figures, name, figure);
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		if (named_figure(figures, usual[i], figure))
			return true;
	}
	return false;
}
