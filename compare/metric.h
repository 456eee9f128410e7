/* SPDX-License-Identifier: GPL-2.0 */
/* What is compared of a result: one figure, its unit, and which way is better. */
#ifndef COMPARE_METRIC_H
#define COMPARE_METRIC_H

#include <jansson.h>

#include "../harness/util.h"

#define METRIC_DEFAULT "net"

struct metric {
	const char *name;
	const char *help;
	const char *time_path, *unit; /* of a result in time */
	const char *cycles_path; /* the same in cycles of the clock; NULL: there is none */
	const char *floor_path; /* whether that is told apart from nothing; NULL: it always is */
	const char *insn_path, *exact_path; /* in exact mode; NULL: it has none */
	bool higher_is_better;
};

/* Ends with a row without a name. */
extern const struct metric metrics[];

struct figure {
	double value;
	const char *unit;
	bool higher_is_better;
	bool counted; /* in exact mode */
	bool exact; /* counted, and the batches agree */
	double step; /* of counts: the smallest difference that there can be, or that means something */
	bool below_floor;
	double cycles,
		ghz; /* the same in cycles, at that clock rate; ghz is 0 where they are not known */
};

/*
 * The figure of that name; false if the result has none: it failed, or the name is not one of
 * `metrics`, or exact mode has no such figure.
 */
bool metric_of_result(const json_t *result, const char *name, struct figure *figure);

/*
 * The same of a watcher's row, of its figures by name, with or without the unit at the end. Those
 * without a unit of time or rate are neither better nor worse, and not found. METRIC_DEFAULT is the
 * first of net, p50, median, avg and mean that the row has: net of instructions is exact if it has an error,
 * as far as that.
 */
bool metric_of_row(const json_t *row, const char *name, struct figure *figure);

#endif
