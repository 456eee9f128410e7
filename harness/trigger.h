/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a program is fired. Not what is measured: the program times itself, so a trigger's cost
 * shows in the rate but not in the cost of one operation.
 */
#ifndef HARNESS_TRIGGER_H
#define HARNESS_TRIGGER_H

#include <bpf/libbpf.h>

#include "util.h"

enum trigger_kind {
	TRIGGER_AUTO,
	TRIGGER_TEST_RUN, /* BPF_PROG_TEST_RUN on a raw tracepoint program: no attaching at all */
	TRIGGER_FENTRY, /* fentry on getpgid(2), as the selftests' bench does */
	TRIGGER_RAW_TP, /* raw tracepoint sys_enter, fired by getpgid(2) */
	TRIGGER_NR_KINDS,
};

/* "auto", "test_run", "fentry", "raw_tp". */
const char *trigger_name(enum trigger_kind kind);

/* The kind of that name, or -1. */
int trigger_from_name(const char *name);

/*
 * What TRIGGER_AUTO stands for on this kernel, or the kind itself. -E_CANNOT with the reason if
 * the kernel refuses it (tried by loading and attaching an empty program).
 */
int trigger_resolve(enum trigger_kind kind, enum trigger_kind *resolved);

/* The name suffix of a BENCH_PROG() program for this trigger, such as "__test_run". */
const char *trigger_suffix(enum trigger_kind kind);

struct trigger {
	enum trigger_kind kind;
	int prog_fd;
	struct bpf_link *link; /* NULL for TRIGGER_TEST_RUN */
};

/* Make a loaded program fire. Detach undoes it and may be called on a zeroed struct. */
int trigger_attach(struct trigger *trigger, enum trigger_kind kind, struct bpf_program *prog);
void trigger_detach(struct trigger *trigger);

/*
 * Fire the program once for the calling thread and a slot; `variant` picks it among the attached
 * ones. The program has run when this returns. 0 or a negative errno, without a text.
 */
int trigger_fire(const struct trigger *trigger, unsigned int variant, unsigned int slot);

#endif
