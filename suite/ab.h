/* SPDX-License-Identifier: GPL-2.0 */
/* `bench ab`: two cases in one run, in turn, and which of them costs less. */
#ifndef SUITE_AB_H
#define SUITE_AB_H

/*
 * argv[0] is "ab". *status: 1 if the second case is worse, 4 if it cannot be said, 128 + the signal that
 * ended it. 0, or a negative error with its text.
 */
int ab_command(int argc, char *const *argv, int *status);

#endif
