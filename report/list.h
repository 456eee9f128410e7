/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REPORT_LIST_H
#define REPORT_LIST_H

#include <stdbool.h>
#include <stdio.h>

/*
 * `bench -l`: "Available benchmarks:" and a line "- NAME" for each. With `verbose` also what each
 * measures and, for those that cannot run here, why not.
 */
void list_benchmarks(FILE *out, bool verbose);

#endif
