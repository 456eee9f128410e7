/* SPDX-License-Identifier: GPL-2.0 */
/* Writers of results in the formats of other tools. */
#ifndef CONVERT_FORMATS_H
#define CONVERT_FORMATS_H

#include <stdio.h>

#include "entries.h"

/*
 * Each writes what the format can hold and returns how many entries it left out in *left_out, for
 * want of a figure. -ENOMEM or 0; errors of the stream are left to who has it.
 */

/* Google Benchmark's JSON: each round is a repetition. Its compare.py reads it. */
int write_google(const struct entries *entries, FILE *stream, size_t *left_out);

/* Go's benchmark format (golang.org/design/14313-benchmark-format), which benchstat reads. */
int write_go(const struct entries *entries, FILE *stream, size_t *left_out);

/* Comma-separated values, quoted as RFC 4180 says; lines end as files here do. */
int write_csv(const struct entries *entries, FILE *stream, size_t *left_out);

#endif
