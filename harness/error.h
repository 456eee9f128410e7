/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors travel upwards as a negative errno. The place that knows the most attaches one line of
 * text to it; main() prints that line once. The text is kept per thread: a thread that ends with
 * an error hands its text to whoever joins it (error_text(), then error_set() there).
 */
#ifndef HARNESS_ERROR_H
#define HARNESS_ERROR_H

#include "util.h"

/* Exit statuses, the only place where they are defined. Ends by a signal are 128 + its number. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_CANNOT_RUN = 4, /* this kernel or this user cannot run it: kselftest's skip */
};

/* What an error means for the exit status, as errno values that nothing else here returns. */
#define E_USAGE 1001 /* the command line asks for something that is not there */
#define E_CANNOT 1002 /* this kernel or this user cannot run it */

/*
 * Attach one line of text (control characters become '?', no "error:" prefix) and return -err, so that callers write
 * `return error_set(ENOENT, "…")`. A second call replaces the text.
 */
int error_set(int err, const char *fmt, ...) __printf(2, 3);

/* Put "context: " in front of the text that is there and return err (negative) unchanged. */
int error_prefix(int err, const char *fmt, ...) __printf(2, 3);

/* The text of this thread's last error; "" when there is none. Valid until the next error_set(). */
const char *error_text(void);

/* The exit status for a negative error as described above; 0 for 0. */
enum exit_status error_exit_status(int err);

#endif
