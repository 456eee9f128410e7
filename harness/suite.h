/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A suite: a text file with a case in each row, as it would be given to bench. "#" begins a comment, where a
 * word could begin; {a,b,c} in a row stands for one row with each, and several of them for every
 * combination. "*" in place of a name stands for every benchmark that no row above names.
 */
#ifndef HARNESS_SUITE_H
#define HARNESS_SUITE_H

#include "options.h"

struct suite_case {
	struct options options;
	char *text; /* of the row, cut into words */
	char **words; /* what options points into; "bench" first, ended by NULL */
};

struct suite {
	struct suite_case *cases;
	size_t n, room;
};

/*
 * Read the file that options->suite_path names. Every row is parsed before anything runs: what is wrong
 * is -E_USAGE with the file, the line and the reason. Release with suite_free() in any case.
 */
int suite_read(const struct options *options, struct suite *suite);
void suite_free(struct suite *suite);

#endif
