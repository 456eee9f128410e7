// SPDX-License-Identifier: GPL-2.0
#include "suite_text.h"

#include <string.h>
#include <unistd.h>

#include "text.h"

#define BAR 30

void suite_text_progress(void *data, const struct plan *plan, const struct plan_case *next,
			 double done, u64 left_ns)
{
	static const char marks[] = "##############################";
	size_t over = 0;

	(void)data;
	if (!isatty(STDERR_FILENO))
		return;
	for (size_t i = 0; i < plan->nr_cases; i++)
		over += plan->cases[i].stop != PLAN_NOT_STOPPED;
	fprintf(stderr, "\r\033[K");
	if (next)
		fprintf(stderr, "[%-*.*s] %zu of %zu cases, %llu s left at most: %.40s", BAR,
			(int)(done * BAR), marks, over, plan->nr_cases,
			(unsigned long long)(left_ns / NSEC_PER_SEC), next->name);
	fflush(stderr);
}

static int widest_name(const struct plan *plan)
{
	size_t widest = strlen("ns/op at 0.00 GHz");

	for (size_t i = 0; i < plan->nr_cases; i++)
		widest = max_u64(widest, strlen(plan->cases[i].name));
	return (int)widest;
}

/* Is there a case whose costs are all at the plan's clock rate? */
static bool names_clock(const struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_cases; i++) {
		if (plan->ghz > 0 && plan->cases[i].nr_rounds && plan->cases[i].at_ghz)
			return true;
	}
	return false;
}

static void case_line(FILE *out, const struct plan *plan, const struct plan_case *c, int width)
{
	double below = c->median - c->lo, above = c->hi - c->median;

	fprintf(out, "%-*s ", width, c->name);
	if (!c->nr_rounds) {
		/* Of those who watch others the figures are in the JSON alone. */
		fprintf(out, "%12s %12s %10s %6u  %s%s%s\n", "-", "-", "", c->nr_run,
			plan_stop_name(c->stop), c->reason[0] ? ": " : "", c->reason);
		return;
	}
	fprintf(out, "%12.3lf %12.3lf ", c->raw_median, c->median);
	if (plan->exact)
		fprintf(out, "%10s", "");
	else if (c->has_interval)
		fprintf(out, "±%9.3lf", below > above ? below : above);
	else
		fprintf(out, "%10s", "±  not known");
	fprintf(out, " %6zu  %s%s%s", c->nr_counting, plan_stop_name(c->stop),
		c->reason[0] ? ": " : "", c->reason);
	if (c->nr_rounds > c->nr_counting)
		fprintf(out, " (%zu more on a shared core)", c->nr_rounds - c->nr_counting);
	else if (c->nr_shared)
		fprintf(out, " (%zu of them on a shared core)", c->nr_shared);
	/* Nothing costs less than nothing. */
	if (!plan->exact && (c->median <= 0 || (c->has_interval && c->lo <= 0)))
		fprintf(out, " (below the floor)");
	if (names_clock(plan) && !c->at_ghz)
		fprintf(out, " (at whatever clock rate)");
	fprintf(out, "\n");
}

int suite_text_result(FILE *out, const struct plan *plan)
{
	int width = widest_name(plan);
	char unit[32];

	if (names_clock(plan))
		snprintf(unit, sizeof(unit), "ns/op at %.2lf GHz", plan->ghz);
	else
		snprintf(unit, sizeof(unit), "ns/op");
	fprintf(out, "%-*s %12s %12s %10s %6s  stopped\n", width, plan->exact ? "insn/op" : unit,
		"raw", "net", plan->exact ? "" : "95%", "rounds");
	for (size_t i = 0; i < plan->nr_cases; i++)
		case_line(out, plan, &plan->cases[i], width);
	fprintf(out, "order by --seed %llu\n", (unsigned long long)plan->seed);
	return text_flush(out);
}
