/* SPDX-License-Identifier: GPL-2.0 */
/* Results as one JSON document, for other programs to read. The format: docs/json.md. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "../harness/plan.h"
#include "../harness/result.h"
#include "output.h"

/* What the document says of itself. The version changes when a reader of the old one would err. */
#define JSON_SCHEMA "bpf-bench-results"
#define JSON_SCHEMA_VERSION 1

/*
 * Write the results of n cases and close the output, which is freed in either case. 0 or a
 * negative errno with its text set; after an error there is no half a document in the file.
 */
int json_write(struct output *output, const struct result *results, size_t n);

/* The same of all results of a suite, in the order they ran, with what they add up to. */
int json_write_plan(struct output *output, const struct plan *plan);

#endif
