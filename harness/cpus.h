/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of CPUs: which are online, which of them this process may use, lists such as "0-3,7". */
#ifndef HARNESS_CPUS_H
#define HARNESS_CPUS_H

#include "util.h"

struct cpu_list {
	unsigned int *cpu; /* in the order given */
	size_t n;
};

void cpu_list_free(struct cpu_list *list);

/*
 * Parse "0-3,7". Every CPU must be in `online`; nonsense, reversed ranges, doubles and offline
 * CPUs are errors whose text names the offending part. The caller frees `list`.
 */
int cpu_list_parse(const char *text, const struct cpu_list *online, struct cpu_list *list);

/* The CPUs that are online and that this process may run on, ascending. The caller frees it. */
int cpu_list_online(struct cpu_list *list);

#endif
