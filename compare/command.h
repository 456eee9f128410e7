/* SPDX-License-Identifier: GPL-2.0 */
/* `bench compare`: the command line, and from files to a finished comparison. */
#ifndef COMPARE_COMMAND_H
#define COMPARE_COMMAND_H

#include "comparison.h"

/* argv[0] is "compare". 0 and the exit status in *status, or -E_USAGE with its text. */
int compare_command(int argc, char *const *argv, int *status);

/* The values of --threshold and --alpha. 0, or -E_USAGE with its text. */
int compare_take_threshold(struct criteria *criteria, const char *text);
int compare_take_alpha(struct criteria *criteria, const char *text);

#endif
