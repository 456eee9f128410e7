/* SPDX-License-Identifier: GPL-2.0 */
/* The options that bench has whatever the benchmark: parsing and help both read this table. */
#ifndef HARNESS_OPTION_TABLE_H
#define HARNESS_OPTION_TABLE_H

#include "util.h"

enum option_kind {
	OPTION_FLAG, /* bool */
	OPTION_U64,
	OPTION_U32, /* unsigned int */
	OPTION_CPUS, /* struct cpu_list */
	OPTION_TRIGGER, /* enum trigger_kind */
	OPTION_FILE, /* const char * */
	OPTION_PERCENT, /* double, a share: "1%" is 0.01 */
};

struct option_row {
	const char *name; /* of --name */
	const char *letter; /* of -x; NULL for none */
	const char *value; /* what help calls the value; NULL for a flag */
	const char *help;
	enum option_kind kind;
	size_t offset; /* in struct options */
	u64 def, min, max; /* of numbers; both ends are valid */
};

/* Ends with a row without a name. */
extern const struct option_row option_rows[];

#define for_each_option_row(row) for (const struct option_row *row = option_rows; row->name; row++)

#endif
