/* SPDX-License-Identifier: GPL-2.0 */
/* Writers of a finished comparison. */
#ifndef COMPARE_WRITE_H
#define COMPARE_WRITE_H

#include <stdio.h>

#include "comparison.h"

/* They return -ENOMEM or 0; errors of the stream are left to who has it. */
int write_text(const struct comparison *comparison, FILE *stream);
int write_markdown(const struct comparison *comparison, FILE *stream);

/* The format: docs/compare.md. */
int write_json(const struct comparison *comparison, FILE *stream);

#endif
