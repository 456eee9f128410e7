/* SPDX-License-Identifier: GPL-2.0 */
/* Writers of results in the formats of other tools. */
#ifndef CONVERT_FORMATS_H
#define CONVERT_FORMATS_H

#include <stdio.h>

#include "entries.h"

/* Entries that are not in what was written. */
struct left_out {
	size_t without_cost;
	size_t shared; /* see struct entry */
};

/*
 * Each writes what the format can hold, and adds to *left_out what it left out. -ENOMEM or 0; errors of
 * the stream are left to who has it.
 */

/* Google Benchmark's JSON: each round is a repetition. Its compare.py reads it. */
int write_google(const struct entries *entries, FILE *stream, struct left_out *left_out);

/* Go's benchmark format (golang.org/design/14313-benchmark-format), which benchstat reads. */
int write_go(const struct entries *entries, FILE *stream, struct left_out *left_out);

/* Comma-separated values, quoted as RFC 4180 says; lines end as files here do. All entries, with empty cells. */
int write_csv(const struct entries *entries, FILE *stream, struct left_out *left_out);

#endif
