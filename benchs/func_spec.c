// SPDX-License-Identifier: GPL-2.0
#include "func_spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/words.h"

#define USER_PREFIX "u:"

static int no_memory(void)
{
	return error_set(ENOMEM, "no memory for the functions to be traced");
}

/* What is in front of a "=", unless a ":" comes before it: a path may have one, too. */
static int parse_label(char **text, struct func_spec *spec)
{
	size_t len = strcspn(*text, ":=");

	if ((*text)[len] != '=')
		return 0;
	if (!len)
		return error_set(E_USAGE, "--func: %s: the label in front of the '=' is empty",
				 quoted(*text));
	if (len >= sizeof(((struct func_target *)0)->label))
		return error_set(E_USAGE, "--func: %s: a label has at most %zu characters",
				 quoted(*text), sizeof(((struct func_target *)0)->label) - 1);
	spec->label = strndup(*text, len);
	*text += len + 1;
	return spec->label ? 0 : no_memory();
}

/* u:PATH:FUNCTION, of which the path may have colons. */
static int parse_user(const char *text, struct func_spec *spec)
{
	const char *path = text + strlen(USER_PREFIX);
	const char *colon = strrchr(path, ':');

	if (!colon || colon == path || !colon[1])
		return error_set(E_USAGE, "--func: %s: a function of user space is u:PATH:FUNCTION",
				 quoted(text));
	spec->path = strndup(path, (size_t)(colon - path));
	spec->function = strdup(colon + 1);
	return spec->path && spec->function ? 0 : no_memory();
}

static int parse_kernel(const char *text, struct func_spec *spec)
{
	const char *colon = strchr(text, ':');
	const char *function = colon ? colon + 1 : text;

	if (!*function || colon == text || strchr(function, ':'))
		return error_set(E_USAGE,
				 "--func: %s is none of FUNCTION, MODULE:FUNCTION and "
				 "u:PATH:FUNCTION",
				 quoted(text));
	if (colon)
		spec->module = strndup(text, (size_t)(colon - text));
	spec->function = strdup(function);
	return spec->function && (spec->module || !colon) ? 0 : no_memory();
}

static int parse_spec(char *text, struct func_spec *spec)
{
	int err;

	if (!*text)
		return error_set(E_USAGE,
				 "--func: a function is missing: before, after or between commas");
	err = parse_label(&text, spec);
	if (err)
		return err;
	if (!strncmp(text, USER_PREFIX, strlen(USER_PREFIX)))
		err = parse_user(text, spec);
	else
		err = parse_kernel(text, spec);
	if (!err)
		spec->is_pattern = strpbrk(spec->function, "*?[");
	return err;
}

/* Labels that are given; those that come of names are known only when patterns are looked up. */
static int check_labels(const struct func_specs *specs)
{
	for (size_t i = 0; i < specs->n; i++) {
		for (size_t j = 0; j < i && specs->specs[i].label; j++) {
			const char *other = specs->specs[j].label;

			if (other && !strcmp(other, specs->specs[i].label))
				return error_set(E_USAGE, "--func: the label %s is there twice",
						 quoted(other));
		}
	}
	return 0;
}

int func_specs_parse(const char *text, struct func_specs *specs)
{
	char *copy, *rest, *word;
	size_t room = 1;
	int err = 0;

	memset(specs, 0, sizeof(*specs));
	if (!text || !*text)
		return error_set(E_USAGE, "--func: which function? Name one, such as "
					  "--func vfs_read or --func u:/bin/bash:readline");
	for (const char *c = text; *c; c++)
		room += *c == ',';
	copy = strdup(text);
	specs->specs = calloc(room, sizeof(*specs->specs));
	if (!copy || !specs->specs) {
		free(copy);
		return no_memory();
	}
	rest = copy;
	while (!err && (word = strsep(&rest, ",")))
		err = parse_spec(word, &specs->specs[specs->n++]);
	free(copy);
	return err ? err : check_labels(specs);
}

void func_specs_free(struct func_specs *specs)
{
	for (size_t i = 0; i < specs->n; i++) {
		free(specs->specs[i].label);
		free(specs->specs[i].path);
		free(specs->specs[i].module);
		free(specs->specs[i].function);
	}
	free(specs->specs);
	memset(specs, 0, sizeof(*specs));
}

static int make_label(const struct func_spec *spec, const struct func_target *found, char *label,
		      size_t size)
{
	int len;

	if (spec->label && spec->is_pattern)
		len = snprintf(label, size, "%s/%s", spec->label, found->function);
	else if (spec->label)
		len = snprintf(label, size, "%s", spec->label);
	else if (found->module)
		len = snprintf(label, size, "%s:%s", found->module, found->function);
	else
		len = snprintf(label, size, "%s", found->function);
	if ((size_t)len >= size && !spec->label)
		return error_set(E_USAGE, "--func: %s is too long for a label: give it one, LABEL=",
				 quoted(found->function));
	return (size_t)len < size ? 0
				  : error_set(E_USAGE, "--func: the label %s is too long",
					      quoted(spec->label));
}

/* Two probes of one function would each take the other's calls for its own. */
static const struct func_target *find_same(const struct func_targets *targets,
					   const struct func_target *found)
{
	for (size_t i = 0; i < targets->n; i++) {
		const struct func_target *target = &targets->targets[i];

		if (found->path ? target->path && target->offset == found->offset &&
					  !strcmp(target->path, found->path)
				: !target->path && !strcmp(target->function, found->function) &&
					  !strcmp(target->module ? target->module : "",
						  found->module ? found->module : ""))
			return target;
	}
	return NULL;
}

int func_targets_add(struct func_targets *targets, const struct func_spec *spec,
		     const struct func_target *found)
{
	const struct func_target *same = find_same(targets, found);
	struct func_target *target;
	int err;

	/* A pattern may well match what another SPEC has named. */
	if (same && spec->is_pattern)
		return 0;
	if (same && (spec->label || strcmp(same->label, found->function) != 0))
		return error_set(E_USAGE, "--func: %s is traced already, as %s",
				 quoted(found->function), quoted(same->label));
	if (targets->n == FUNC_MAX_TARGETS)
		return error_set(E_USAGE,
				 "--func: more than %u functions, with %s: make it narrower",
				 FUNC_MAX_TARGETS, quoted(spec->function));
	if (!targets->targets)
		targets->targets = calloc(FUNC_MAX_TARGETS, sizeof(*targets->targets));
	if (!targets->targets)
		return no_memory();
	target = &targets->targets[targets->n];
	err = make_label(spec, found, target->label, sizeof(target->label));
	for (size_t i = 0; i < targets->n && !err; i++) {
		if (!strcmp(targets->targets[i].label, target->label))
			err = error_set(E_USAGE,
					"--func: %s is there twice: give one of them a label of "
					"its own, LABEL=SPEC",
					quoted(target->label));
	}
	if (err)
		return err;
	targets->n++;
	target->offset = found->offset;
	target->name_is_shared = found->name_is_shared;
	target->function = strdup(found->function);
	if (found->path)
		target->path = strdup(found->path);
	if (found->module)
		target->module = strdup(found->module);
	if (!target->function || (found->path && !target->path) ||
	    (found->module && !target->module))
		return no_memory();
	return 0;
}

int func_targets_find(const struct func_specs *specs, struct func_targets *targets)
{
	int err = 0;

	memset(targets, 0, sizeof(*targets));
	for (size_t i = 0; i < specs->n && !err; i++) {
		const struct func_spec *spec = &specs->specs[i];

		err = spec->path ? func_find_user(spec, targets) : func_find_kernel(spec, targets);
	}
	func_symbols_kernel_free();
	return err;
}

void func_targets_free(struct func_targets *targets)
{
	for (size_t i = 0; i < targets->n; i++) {
		free(targets->targets[i].path);
		free(targets->targets[i].module);
		free(targets->targets[i].function);
	}
	free(targets->targets);
	memset(targets, 0, sizeof(*targets));
}
