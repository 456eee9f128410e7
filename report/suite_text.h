/* SPDX-License-Identifier: GPL-2.0 */
/* A suite for people: a bar while it runs, a line a case when it is over. */
#ifndef REPORT_SUITE_TEXT_H
#define REPORT_SUITE_TEXT_H

#include <stdio.h>

#include "../harness/plan.h"

/* Draws on stderr if that is a terminal, and leaves nothing there in the end. `data` is not used. */
void suite_text_progress(void *data, const struct plan *plan, const struct plan_case *next,
			 double done, u64 left_ns);

/* A negative error when it cannot be written. */
int suite_text_result(FILE *out, const struct plan *plan);

#endif
