/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which functions are to be traced, as typed: [LABEL=]SPEC[,[LABEL=]SPEC...], SPEC one of
 * FUNCTION, MODULE:FUNCTION and u:PATH:FUNCTION, FUNCTION a name or a shell pattern.
 */
#ifndef BENCHS_FUNC_SPEC_H
#define BENCHS_FUNC_SPEC_H

#include "bench.h"

#define FUNC_MAX_TARGETS 64

struct func_spec {
	char *label; /* NULL: not given */
	char *path; /* of a program or library; NULL: a function of the kernel */
	char *module; /* NULL: of the kernel itself */
	char *function;
	bool is_pattern;
};

struct func_specs {
	struct func_spec *specs;
	size_t n;
};

/* A function that is there. */
struct func_target {
	char label[128];
	char *path; /* NULL: a function of the kernel */
	char *module; /* NULL: of the kernel itself */
	char *function;
	u64 offset; /* in the file, of a function of user space */
	bool name_is_shared; /* of a module, with others: only MODULE:FUNCTION says which */
};

struct func_targets {
	struct func_target *targets;
	size_t n;
};

/* What is typed wrong is -E_USAGE. Nothing is looked up. Release with func_specs_free() in any case. */
int func_specs_parse(const char *text, struct func_specs *specs);
void func_specs_free(struct func_specs *specs);

/*
 * Look all of them up, patterns as each function that matches. A function that is not there is -E_USAGE, with
 * what is known of why. Release with func_targets_free() in any case.
 */
int func_targets_find(const struct func_specs *specs, struct func_targets *targets);
void func_targets_free(struct func_targets *targets);

/* For the two lookups: a match, with its label made of the spec's and its name. */
int func_targets_add(struct func_targets *targets, const struct func_spec *spec,
		     const struct func_target *found);

/* func_symbols_kernel.c and func_symbols_user.c: all matches of these specs, of the kernel or of user space. */
int func_find_kernel(const struct func_spec *spec, struct func_targets *targets);
int func_find_user(const struct func_spec *spec, struct func_targets *targets);

/* Forget the kernel's symbols, which are kept from one lookup to the next. */
void func_symbols_kernel_free(void);

#endif
