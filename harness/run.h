/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One case from set-up to tear-down. Raw samples become a result; no number is formatted here.
 *
 * Time is cut into slices. In a slice all producers fire batches of one variant; real and twin
 * slices take turns, so that drift of the machine hits both alike. A producer closes a slice by
 * itself, at the end of a batch, with its own clock: so a rate is exact however long a batch is.
 */
#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

#include "options.h"
#include "result.h"

/* Called from the sampling thread while the case runs, those that there are. A negative error ends the run. */
struct run_observer {
	void *data;
	/* Everything is loaded, the first timed batch is next. */
	int (*started)(void *data, const struct result *result);
	/* A real interval has ended; `number` counts from 0, warm-up included. */
	int (*interval)(void *data, const struct result_interval *interval, unsigned int number);
	/* The same of a watcher, if there are intervals; `number` counts from 0. */
	int (*rows)(void *data, const struct result *result, const struct result_rows *rows,
		    unsigned int number);
	/* A line to show at once. */
	int (*line)(void *data, const char *line);
};

/*
 * Run one case and fill in `result` (zeroed by the caller, result_free() by the caller). Returns
 * 0 also when a signal ended the run early with samples to report (RESULT_INTERRUPTED);
 * a negative error with its text otherwise, in which case `result` has status and reason but
 * no figures. Nothing is left loaded or attached, and no thread is left, in any case.
 */
int run_case(const struct options *options, const struct run_observer *observer,
	     struct result *result);

/*
 * Catch SIGINT, SIGTERM, SIGHUP and SIGXCPU from now on. The handlers only take note: a run ends early,
 * at the end of its slice, and result->ended_by_signal says by which.
 */
void run_catch_signals(void);

#endif
