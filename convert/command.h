/* SPDX-License-Identifier: GPL-2.0 */
/* `bench convert`: results for other tools. */
#ifndef CONVERT_COMMAND_H
#define CONVERT_COMMAND_H

/* argv[0] is "convert". 0 and the exit status in *status, or a negative error with its text. */
int convert_command(int argc, char *const *argv, int *status);

#endif
