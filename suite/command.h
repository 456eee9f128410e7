/* SPDX-License-Identifier: GPL-2.0 */
/* `bench --suite FILE`: all cases of a file, in rounds. */
#ifndef SUITE_COMMAND_H
#define SUITE_COMMAND_H

#include "../harness/options.h"

/* *status: 128 + the signal that ended it, else as it was. 0, or a negative error with its text. */
int suite_command(const struct options *options, int *status);

#endif
