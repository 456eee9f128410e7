// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmarks that watch others: attached, then left alone until the time or the command is over. No
 * producer is fired, and no twin: what the watching itself costs is the benchmark's to measure.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "run_internal.h"

/* How soon the end of the command, or a signal, is seen at the latest. */
#define STEP_MSEC 10

bool bench_has_command(const struct bench_run *run)
{
	return run->options->command != NULL;
}

struct result_row *bench_row(struct bench_run *run, const char *name)
{
	struct result_rows *rows = run->rows;
	struct result_row *row = array_with_room(rows->rows, rows->n, &rows->room, sizeof(*row));

	if (!row) {
		rows->no_memory = true;
		return NULL;
	}
	rows->rows = row;
	row = &rows->rows[rows->n++];
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->exact = run->result->exact;
	return row;
}

void bench_figure(struct result_row *row, const char *name, double value)
{
	static const char unit[] = "_ns";
	size_t len = strlen(name), stem = len - (sizeof(unit) - 1);
	bool is_time = len > sizeof(unit) - 1 && !strcmp(name + stem, unit);

	if (!row || row->nr_figures == ARRAY_SIZE(row->figures))
		return;
	if (is_time && row->exact)
		snprintf(row->figures[row->nr_figures].name, sizeof(row->figures->name),
			 "%.*s_insn", (int)stem, name);
	else
		snprintf(row->figures[row->nr_figures].name, sizeof(row->figures->name), "%s",
			 name);
	row->figures[row->nr_figures].value = value;
	row->nr_figures++;
}

void bench_histogram(struct result_row *row, const u64 buckets[BENCH_NR_BUCKETS])
{
	if (!row)
		return;
	row->has_histogram = true;
	memcpy(row->histogram, buckets, sizeof(row->histogram));
}

int bench_line(struct bench_run *run, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return run->observer->line ? run->observer->line(run->observer->data, line) : 0;
}

/* The end of the command ends the run, whether before its time or not. */
static bool command_has_ended(struct bench_run *run)
{
	return run->options->command && command_over(&run->command);
}

/* Until the time, the end of the command, a signal, or a background thread that fails. */
static int watch_until(struct bench_run *run, u64 end_ns, bool *over)
{
	const struct bench_watcher *watcher = run->bench->watcher;
	int err = 0;

	while (!err && !*over && now_ns() < end_ns) {
		u64 left = end_ns - now_ns();
		u64 step = min_u64(left, STEP_MSEC * NSEC_PER_MSEC);

		if (watcher->step)
			err = watcher->step(run, (int)(step / NSEC_PER_MSEC));
		else
			run_sleep_until(now_ns() + step);
		if (!err)
			err = background_error(run);
		*over = *over || command_has_ended(run) || run_signalled();
	}
	return err;
}

static int read_rows(struct bench_run *run, struct result_rows *rows, bool whole, u64 since)
{
	int err;

	run->rows = rows;
	rows->duration_ns = max_u64(now_ns() - since, 1);
	err = run->bench->watcher->read(run, whole);
	if (!err && rows->no_memory)
		err = error_set(ENOMEM, "no memory for the rows of the result");
	return err;
}

static int read_interval(struct bench_run *run, u64 since)
{
	struct result *result = run->result;
	size_t number = result->nr_row_intervals;
	struct result_rows *more = realloc(result->row_intervals, (number + 1) * sizeof(*more));
	int err;

	if (!more)
		return error_set(ENOMEM, "no memory for another interval");
	result->row_intervals = more;
	memset(&more[number], 0, sizeof(more[number]));
	result->nr_row_intervals++;
	err = read_rows(run, &more[number], false, since);
	if (err)
		return err;
	if (!run->observer->rows)
		return 0;
	return run->observer->rows(run->observer->data, result, &more[number],
				   (unsigned int)number);
}

static int warm_up(struct bench_run *run, bool *over)
{
	const struct bench_watcher *watcher = run->bench->watcher;
	int err;

	/* Of a command all is of interest. */
	if (run->options->command || !watcher->reset)
		return 0;
	err = watch_until(run, now_ns() + run->options->warmup_sec * NSEC_PER_SEC, over);
	return err ? err : watcher->reset(run);
}

static int watch_all(struct bench_run *run)
{
	const struct bench_watcher *watcher = run->bench->watcher;
	const struct options *options = run->options;
	/* A command that is not to be cut short by a time is measured to its end. */
	bool timed = !options->command || options->duration_given;
	bool over = false, halted = false;
	u64 begun, end, since;
	int err = warm_up(run, &over);

	begun = now_ns();
	since = begun;
	end = timed ? begun + options->duration_sec * NSEC_PER_SEC : UINT64_MAX;
	while (!err && !halted) {
		u64 next = end;

		if (options->interval_sec)
			next = min_u64(end, since + options->interval_sec * NSEC_PER_SEC);
		err = watch_until(run, next, &over);
		halted = over || now_ns() >= end;
		if (!err && halted && watcher->halt)
			err = watcher->halt(run);
		if (!err && options->interval_sec) {
			err = read_interval(run, since);
			since = now_ns();
		}
	}
	return err ? err : read_rows(run, &run->result->rows, true, begun);
}

static int start_command(struct bench_run *run)
{
	char *const *argv = run->options->command;
	int out = options_json_on_stdout(run->options) ? STDERR_FILENO : STDOUT_FILENO;

	return argv ? command_prepare(&run->command, argv, out) : 0;
}

int watch_measure(struct bench_run *run)
{
	int err = start_command(run);

	if (!err && !run->options->command)
		err = background_start(run);
	if (!err) {
		run->watching = true;
		err = run->bench->watcher->watch(run);
	}
	if (!err)
		err = bench_interrupted();
	if (err)
		return err;
	err = run_tell_started(run);
	if (!err && run->options->command)
		err = command_go(&run->command, run->options->command[0]);
	return err ? err : watch_all(run);
}

void watch_stop(struct bench_run *run)
{
	if (run->watching)
		run->bench->watcher->unwatch(run);
	run->watching = false;
	command_end(&run->command);
	if (run->command.begun)
		run->result->command_status = run->command.status;
	run->result->command_cut_short = run->command.cut_short;
}
