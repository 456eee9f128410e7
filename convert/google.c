// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../harness/error.h"
#include "../report/json_build.h"
#include "formats.h"

/* Readers of the format want a number, whatever its size. */
static json_t *integer(u64 value)
{
	return json_integer((json_int_t)min_u64(value, INT64_MAX));
}

static json_t *date_of(const json_t *result)
{
	char date[64] = "";
	struct tm tm;
	u64 ns;
	time_t seconds;

	record_count(result, "started_unix_ns", &ns);
	seconds = (time_t)(ns / NSEC_PER_SEC);
	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S+00:00", &tm);
	return json_string(date);
}

/* Of the machine of the first result: the format has room for one. */
static json_t *context_of(const json_t *result)
{
	json_t *context = json_object();
	u64 cpus;

	json_put(&context, "date", date_of(result));
	json_put(&context, "executable", json_string("bench"));
	if (record_count(result, "host.cpus_online", &cpus))
		json_put(&context, "num_cpus", integer(cpus));
	json_put(&context, "library_build_type", json_string("release"));
	json_put(&context, "kernel_release",
		 json_string(record_text(result, "host.kernel_release")));
	json_put(&context, "cpu_model", json_string(record_text(result, "host.cpu_model")));
	return context;
}

/* The format has time only. Where there is no other, CPU time is the time. */
static double cpu_time_of(const struct entry *entry, double real_time)
{
	struct figure cpu;

	return entry_figure(entry, "cpu", &cpu) ? cpu.value : real_time;
}

/* Counts are no time: a name of their own keeps them from being compared with one. */
static json_t *name_of(const struct entry *entry, bool counted)
{
	return json_sprintf("%s%s", entry->id.name, counted ? "/insn" : "");
}

/* How many repetitions there are is put in at the end. */
static json_t *repetition_of(const struct entry *entry, const struct figure *figure)
{
	bool counted = strncmp(figure->unit, "ns", strlen("ns"));
	json_t *object = json_object();
	u64 iterations, threads;

	if (!record_count(entry->result, "attempts", &iterations) || !iterations)
		iterations = 1;
	record_count(entry->result, "options.producers", &threads);
	json_put(&object, "name", name_of(entry, counted));
	json_put(&object, "run_name", name_of(entry, counted));
	json_put(&object, "run_type", json_string("iteration"));
	json_put(&object, "threads", integer(threads));
	json_put(&object, "iterations", integer(iterations));
	json_put(&object, "real_time", json_real(figure->value));
	json_put(&object, "cpu_time", json_real(cpu_time_of(entry, figure->value)));
	json_put(&object, "time_unit", json_string("ns"));
	if (counted)
		json_put(&object, "label", json_string("instructions, not time"));
	return object;
}

/*
 * The repetitions are all those of one name. `seen` has how many there are of each: so far in the
 * first pass, in all in the second.
 */
static int number_repetitions(json_t *repetitions)
{
	json_t *seen = json_object();
	json_t *repetition;
	size_t i;
	int err = !seen;

	json_array_foreach(repetitions, i, repetition) {
		const char *name = json_string_value(json_object_get(repetition, "name"));
		json_int_t n = json_integer_value(json_object_get(seen, name));

		err |= json_object_set_new(repetition, "repetition_index", json_integer(n));
		err |= json_object_set_new(seen, name, json_integer(n + 1));
	}
	json_array_foreach(repetitions, i, repetition) {
		const char *name = json_string_value(json_object_get(repetition, "name"));

		err |= json_object_set(repetition, "repetitions", json_object_get(seen, name));
	}
	json_decref(seen);
	return err ? -ENOMEM : 0;
}

/* Of rates, more is better, which the format cannot say. */
static bool is_time(const struct entry *entry, struct figure *figure)
{
	return entry_figure(entry, METRIC_DEFAULT, figure) && !figure->higher_is_better;
}

int write_google(const struct entries *entries, FILE *stream, struct left_out *left_out)
{
	json_t *repetitions = json_array(), *document = json_object();
	char *text = NULL;

	for (size_t i = 0; i < entries->n; i++) {
		const struct entry *entry = &entries->list[i];
		struct figure figure;

		if (!is_time(entry, &figure))
			left_out->without_cost++;
		else if (entry->shared)
			left_out->shared++;
		else
			json_add(&repetitions, repetition_of(entry, &figure));
	}
	if (entries->n)
		json_put(&document, "context", context_of(entries->list[0].result));
	if (!number_repetitions(repetitions)) {
		json_put(&document, "benchmarks", json_incref(repetitions));
		text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
	}
	json_decref(repetitions);
	json_decref(document);
	if (!text)
		return error_set(ENOMEM, "no memory for the JSON of %zu results", entries->n);
	fprintf(stream, "%s\n", text);
	free(text);
	return 0;
}
