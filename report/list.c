// SPDX-License-Identifier: GPL-2.0
#include "list.h"

#include "../harness/options.h"

static void describe(FILE *out, const struct bench *bench)
{
	fprintf(out, "    %s\n", bench->summary);
	if (bench->unavailable && bench->unavailable())
		fprintf(out, "    cannot run here: %s\n", error_text());
}

void list_benchmarks(FILE *out, bool verbose)
{
	size_t n;
	const struct bench *const *all = bench_all(&n);

	fprintf(out, "Available benchmarks:\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "- %s\n", all[i]->name);
		if (verbose)
			describe(out, all[i]);
	}
}
