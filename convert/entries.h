/* SPDX-License-Identifier: GPL-2.0 */
/* Results of files as one flat list: an entry a round, and of what watches others a row of it. */
#ifndef CONVERT_ENTRIES_H
#define CONVERT_ENTRIES_H

#include <stdio.h>

#include "../compare/case_id.h"
#include "../compare/metric.h"
#include "../compare/record.h"

struct entry {
	const struct record *record;
	const json_t *result;
	const json_t *row; /* of a watcher; NULL for others */
	struct case_id id;
	size_t round; /* of the case, from 0, in the order of the files */
	bool shared; /* measured on a shared core, while enough rounds of the case had one alone */
};

struct entries {
	struct entry *list;
	size_t n, room;
};

/* The records outlive the entries. The caller frees them in either case. -ENOMEM or 0. */
int entries_of(const struct record *records, size_t nr_records, struct entries *entries);

void entries_free(struct entries *entries);

/*
 * A figure of an entry by the name of its metric, as `bench compare` takes it. Not if it is a count
 * that is not exact.
 */
bool entry_figure(const struct entry *entry, const char *metric, struct figure *figure);

/* With as many digits as it takes to read the same number again. */
void print_real(FILE *stream, double value);

/* Operations that were lost, by any cause. */
u64 entry_lost(const struct entry *entry);

#endif
