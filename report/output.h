/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of a report: opened before the run, so that a path that cannot be written is told at
 * once, and written after it, whole or not at all. A file that was there keeps its content until
 * then. Devices and pipes are written to as they are.
 */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stddef.h>

struct output;

/*
 * Open a file for writing; "-" is stdout. `path` is kept as a pointer. 0 or a negative errno, with
 * a text that names the file.
 */
int output_open(const char *path, struct output **output);

/*
 * Refuse to write to a file that is an input, by whatever name: what is in it would be lost. -E_USAGE or 0. Where
 * there is none of the names, or no regular file, that is for who opens it to tell.
 */
int output_is_no_input(const char *path, const char *input);

/*
 * Replace the file's content by the text and close it. When that fails (a full disk), what was
 * written is taken back: a new file is removed, one that was there keeps its content where the file system can say
 * beforehand that there is no room, and else is left empty. Frees `output`
 * in either case. 0 or a negative errno, with a text that names the file.
 */
int output_write(struct output *output, const char *text, size_t len);

/* Close without writing and free: a new file is removed, others are left as they were. */
void output_discard(struct output *output);

#endif
