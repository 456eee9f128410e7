// SPDX-License-Identifier: GPL-2.0
/* The benchmarks that are linked in, and the rows of their parameter tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "words.h"

/* The linker puts the entries of BENCH() between these; weak, as there may be no benchmark. */
extern const struct bench *__start_benches[] __attribute__((weak));
extern const struct bench *__stop_benches[] __attribute__((weak));

static size_t nr_benches(void)
{
	return (size_t)(__stop_benches - __start_benches);
}

static int by_name(const void *a, const void *b)
{
	const struct bench *const *one = a, *const *other = b;

	return strcmp((*one)->name, (*other)->name);
}

const struct bench *const *bench_all(size_t *n)
{
	static bool sorted;

	/* The linker's order is that of the files. The section is ours to sort in place. */
	if (!sorted && nr_benches())
		qsort(__start_benches, nr_benches(), sizeof(*__start_benches), by_name);
	sorted = true;
	if (n)
		*n = nr_benches();
	return __start_benches;
}

const struct bench *const *bench_all_end(void)
{
	return __stop_benches;
}

const struct bench *bench_find(const char *name)
{
	for_each_bench(bench) {
		if (!strcmp(bench->name, name))
			return bench;
	}
	return NULL;
}

const char *bench_nearest(const char *name)
{
	const char *nearest = NULL;
	size_t best = SIZE_MAX;

	for_each_bench(bench) {
		if (is_nearer(name, bench->name, &best))
			nearest = bench->name;
	}
	return nearest;
}

const struct bench_param *bench_param_find(const struct bench *bench, const char *name)
{
	for (const struct bench_param *param = bench->params; param && param->name; param++) {
		if (!strcmp(param->name, name))
			return param;
	}
	return NULL;
}

u64 bench_param_get(const struct bench_param *param, const void *params)
{
	u64 value;

	memcpy(&value, (const char *)params + param->offset, sizeof(value));
	return value;
}

void bench_param_set(const struct bench_param *param, void *params, u64 value)
{
	memcpy((char *)params + param->offset, &value, sizeof(value));
}

const char *bench_param_text(const struct bench_param *param, const void *params)
{
	static _Thread_local char number[24];
	const char *text;
	u64 value;

	if (param->type == BENCH_PARAM_TEXT) {
		memcpy(&text, (const char *)params + param->offset, sizeof(text));
		return text ? text : "";
	}
	value = bench_param_get(param, params);
	if (param->type == BENCH_PARAM_CHOICE)
		return param->choices[value];
	snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
	return number;
}
