/* SPDX-License-Identifier: GPL-2.0 */
/* A command of the user's, run beside a measurement. */
#ifndef HARNESS_COMMAND_H
#define HARNESS_COMMAND_H

#include <sys/types.h>

#include "util.h"

struct command {
	pid_t pid; /* 0: none, or over and waited for */
	bool own_group; /* a process group, of it and of what it starts */
	bool begun;
	bool cut_short; /* it did not end by itself, but was made to */
	int go; /* as long as it has not: writing to it lets it begin */
	int status; /* as a shell tells it: 128 + N when signal N ended it */
};

/*
 * Make a process for argv (ended by NULL), which waits: what is to see it can be attached first. What
 * it prints goes to the descriptor `out`. It ends when this process does. Release with command_end() in any
 * case.
 */
int command_prepare(struct command *command, char *const *argv, int out);

/* Let it begin. When it cannot be run, a negative error with the reason. */
int command_go(struct command *command, const char *name);

/* Has it ended? Then command->status is set. Does not wait. */
bool command_over(struct command *command);

/*
 * End it, if it still runs, and what it has started: SIGTERM, and SIGKILL when it has not ended after two
 * seconds. What it leaves behind when it ends by itself is its own affair.
 */
void command_end(struct command *command);

#endif
