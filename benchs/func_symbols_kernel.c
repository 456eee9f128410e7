// SPDX-License-Identifier: GPL-2.0
/* Functions of the kernel and its modules, from its lists of symbols. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "func_spec.h"
#include "harness/words.h"

struct symbol {
	char *name; /* in the text below */
	char *module; /* NULL: of the kernel itself */
};

/* A list of the kernel's, sorted; its text is kept for the names in it. */
struct list {
	char *text;
	struct symbol *symbols;
	size_t n;
	bool read; /* there is such a list, and it can be read */
};

static struct {
	struct list all; /* /proc/kallsyms: everything that is a function */
	struct list traceable; /* those that ftrace has, and so fentry */
	bool tried;
} kernel;

static char *read_text(FILE *file)
{
	size_t room = 1 << 20, used = 0, got;
	char *text = malloc(room);

	while (text && (got = fread(text + used, 1, room - used - 1, file))) {
		used += got;
		if (room - used > 1)
			continue;
		char *more = realloc(text, room *= 2);

		if (!more)
			free(text);
		text = more;
	}
	if (text)
		text[used] = '\0';
	return text;
}

static int by_name(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order)
		return order;
	return strcmp(left->module ? left->module : "", right->module ? right->module : "");
}

/* "NAME" and perhaps "[MODULE]", separated by blanks. */
static void take_symbol(struct list *list, char *text)
{
	struct symbol *symbol = &list->symbols[list->n];
	char *rest = text;

	symbol->name = strsep(&rest, " \t");
	symbol->module = rest ? strchr(rest, '[') : NULL;
	if (symbol->module) {
		symbol->module++;
		symbol->module[strcspn(symbol->module, "]")] = '\0';
	}
	list->n++;
}

/* "ADDRESS TYPE NAME [MODULE]": of the types, t and T are functions, w and W weak ones. */
static void take_kallsyms_line(struct list *list, char *line)
{
	char *type = strchr(line, ' ');

	if (type && type[1] && type[2] == ' ' && strchr("tTwW", type[1]))
		take_symbol(list, type + 3);
}

static int read_list(struct list *list, const char *path,
		     void (*take_line)(struct list *list, char *line))
{
	FILE *file = fopen(path, "re");
	size_t nr_lines = 1;
	char *rest, *line;

	if (!file)
		return 0;
	list->text = read_text(file);
	fclose(file);
	for (const char *c = list->text; c && *c; c++)
		nr_lines += *c == '\n';
	list->symbols = calloc(nr_lines, sizeof(*list->symbols));
	if (!list->text || !list->symbols)
		return error_set(ENOMEM, "no memory for the kernel's symbols");
	rest = list->text;
	while ((line = strsep(&rest, "\n"))) {
		if (*line)
			take_line(list, line);
	}
	qsort(list->symbols, list->n, sizeof(*list->symbols), by_name);
	list->read = list->n;
	return 0;
}

static void free_list(struct list *list)
{
	free(list->text);
	free(list->symbols);
	memset(list, 0, sizeof(*list));
}

void func_symbols_kernel_free(void)
{
	free_list(&kernel.all);
	free_list(&kernel.traceable);
	kernel.tried = false;
}

static int read_kernel(void)
{
	int err;

	if (kernel.tried)
		return 0;
	kernel.tried = true;
	err = read_list(&kernel.all, "/proc/kallsyms", take_kallsyms_line);
	if (!err)
		err = read_list(&kernel.traceable, "/sys/kernel/tracing/available_filter_functions",
				take_symbol);
	if (!err && !kernel.traceable.read)
		err = read_list(&kernel.traceable,
				"/sys/kernel/debug/tracing/available_filter_functions",
				take_symbol);
	if (!err && !kernel.all.read)
		err = error_set(E_CANNOT, "--func: the kernel does not tell its functions in "
					  "/proc/kallsyms (CONFIG_KALLSYMS)");
	return err;
}

static bool is_in(const struct list *list, const struct symbol *symbol)
{
	return list->n && bsearch(symbol, list->symbols, list->n, sizeof(*symbol), by_name) != NULL;
}

/* A spec without a module means the kernel itself. */
static bool is_of_module(const struct symbol *symbol, const char *module)
{
	if (!module || !symbol->module)
		return !module && !symbol->module;
	return !strcmp(symbol->module, module);
}

/* What the compiler, the linker and the kernel's build make of functions. */
static bool is_made_of_another(const char *name)
{
	return strchr(name, '.') || !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

static bool matches(const struct func_spec *spec, const struct symbol *symbol)
{
	if (!is_of_module(symbol, spec->module))
		return false;
	if (!spec->is_pattern)
		return !strcmp(spec->function, symbol->name);
	return !fnmatch(spec->function, symbol->name, 0) && !is_made_of_another(symbol->name) &&
	       (!kernel.traceable.read || is_in(&kernel.traceable, symbol));
}

/* Why a function that was typed in full is not there, as far as the list tells. */
static int not_there(const struct func_spec *spec)
{
	size_t len = strlen(spec->function), best = SIZE_MAX;
	const char *nearest = NULL, *elsewhere = NULL, *made_of_it = NULL;
	bool has_module = !spec->module;

	for (size_t i = 0; i < kernel.all.n; i++) {
		const struct symbol *symbol = &kernel.all.symbols[i];

		if (symbol->module && !strcmp(symbol->name, spec->function))
			elsewhere = symbol->module;
		if (!is_of_module(symbol, spec->module))
			continue;
		has_module = true;
		if (!strncmp(symbol->name, spec->function, len) && symbol->name[len] == '.')
			made_of_it = symbol->name;
		if (is_nearer(spec->function, symbol->name, &best))
			nearest = symbol->name;
	}
	if (!has_module)
		return error_set(E_USAGE, "--func: module %s is not loaded, or has no functions",
				 quoted(spec->module));
	if (spec->is_pattern)
		return error_set(E_USAGE, "--func: no traceable function of %s%s matches %s",
				 spec->module ? "module " : "",
				 spec->module ? quoted(spec->module) : "the kernel itself",
				 quoted(spec->function));
	if (elsewhere)
		return error_set(E_USAGE, "--func: %s is a function of a module: %s:%s",
				 quoted(spec->function), elsewhere, spec->function);
	if (made_of_it)
		return error_set(E_USAGE,
				 "--func: of %s the compiler has left %s only, the rest is inlined",
				 quoted(spec->function), quoted(made_of_it));
	if (nearest)
		return error_set(E_USAGE, "--func: the kernel has no function %s, did you mean %s?",
				 quoted(spec->function), quoted(nearest));
	return error_set(E_USAGE,
			 "--func: the kernel has no function %s: misspelt, inlined by the "
			 "compiler, or of a module that is not loaded",
			 quoted(spec->function));
}

/* Is there another function of this name, wherever? */
static bool is_shared(size_t i)
{
	const struct symbol *symbol = &kernel.all.symbols[i];

	return (i > 0 && !strcmp(symbol[-1].name, symbol->name)) ||
	       (i + 1 < kernel.all.n && !strcmp(symbol[1].name, symbol->name));
}

int func_find_kernel(const struct func_spec *spec, struct func_targets *targets)
{
	size_t nr_before = targets->n;
	int err = read_kernel();

	for (size_t i = 0; i < kernel.all.n && !err; i++) {
		const struct symbol *symbol = &kernel.all.symbols[i];
		struct func_target found = {
			.module = symbol->module,
			.function = symbol->name,
			.name_is_shared = symbol->module && is_shared(i),
		};

		if (!matches(spec, symbol))
			continue;
		if (i + 1 < kernel.all.n && !by_name(symbol, symbol + 1)) {
			/* In a pattern it is not what was asked for by name. */
			while (i + 1 < kernel.all.n && !by_name(symbol, &kernel.all.symbols[i + 1]))
				i++;
			if (spec->is_pattern)
				continue;
			return error_set(E_USAGE,
					 "--func: the kernel has several functions %s: the name "
					 "does not say which",
					 quoted(spec->function));
		}
		if (kernel.traceable.read && !is_in(&kernel.traceable, symbol))
			return error_set(E_USAGE,
					 "--func: %s is notrace: the kernel does not let it be "
					 "traced (available_filter_functions lacks it)",
					 quoted(spec->function));
		err = func_targets_add(targets, spec, &found);
	}
	if (!err && targets->n == nr_before)
		err = not_there(spec);
	return err;
}
