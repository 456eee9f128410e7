// SPDX-License-Identifier: GPL-2.0
/* Tables for people, and the same as Markdown for a pull request. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "../harness/words.h"
#include "short_names.h"
#include "table.h"
#include "write.h"

static const char *const side_names[] = { [SIDE_BASE] = "BASE", [SIDE_NEW] = "NEW" };

struct page {
	const struct comparison *comparison;
	struct short_names names;
	FILE *stream;
	bool markdown;
};

/* A heading, or what stands for one. */
static void heading(const struct page *page, const char *text)
{
	if (page->markdown)
		fprintf(page->stream, "\n#### %s\n\n", text);
	else
		fprintf(page->stream, "\n%s:\n", text);
}

static void begin_item(const struct page *page)
{
	fputs(page->markdown ? "- " : "  ", page->stream);
}

#define FILES_SHOWN 3

static void print_files(const struct page *page)
{
	const struct comparison *comparison = page->comparison;

	for (int side = 0; side < NR_SIDES; side++) {
		size_t nr_files = comparison->nr_records[side];
		size_t nr_results = comparison->nr_results[side];

		fprintf(page->stream, "%s%-4s  %zu result%s of", page->markdown ? "- " : "",
			side_names[side], nr_results, nr_results == 1 ? "" : "s");
		for (size_t i = 0; i < nr_files && i < FILES_SHOWN; i++)
			fprintf(page->stream, "%s %s", i ? "," : "",
				comparison->records[side][i].path);
		if (nr_files > FILES_SHOWN)
			fprintf(page->stream, " and %zu more", nr_files - FILES_SHOWN);
		fputc('\n', page->stream);
	}
}

/* In machine facts a few words say enough. */
#define VALUE_WIDTH 60

static int print_differences(const struct page *page)
{
	const struct differences *differences = &page->comparison->differences;
	struct table table = { .nr_columns = 4, .right_from = 1, .right_to = 0 };

	if (!differences->n) {
		fputs("\nMachine, kernel and build are the same.\n", page->stream);
		return 0;
	}
	heading(page, "What differs");
	for (int side = 0; side < NR_SIDES + 1; side++)
		table_cell(&table, "%s", side ? side_names[side - 1] : "");
	table_cell(&table, "%s", "");
	for (size_t i = 0; i < differences->n; i++) {
		const struct difference *difference = &differences->list[i];

		table_cell(&table, "%s", difference->name);
		for (int side = 0; side < NR_SIDES; side++) {
			const char *value = difference->values[side];
			bool cut = !page->markdown && strlen(value) > VALUE_WIDTH;

			table_cell(&table, cut ? "%.57s..." : "%s", value);
		}
		table_cell(&table, "%s", difference->doubtful ? "! hardly comparable" : "");
	}
	return table_print(&table, page->stream, page->markdown);
}

/* As many digits as the spread of a time is worth; all that a count has. */
static void value_cell(struct table *table, const struct judged *judged, enum side side)
{
	double value = judged->rounds[side].value;
	double size = fabs(value);

	if (judged->exact)
		table_cell(table, "%.10g", value);
	else
		table_cell(table, "%.*f",
			   size >= 1000	 ? 1
			   : size >= 100 ? 2
			   : size >= 1	 ? 3
					 : 4,
			   value);
}

/* A row of a watcher has a mean, which is exact as far as its error. */
static bool is_mean(const struct compared_case *compared)
{
	return !strcmp(compared->unit, "insn");
}

static void ratio_cells(struct table *table, const struct compared_case *compared)
{
	const struct judged *judged = &compared->judged;
	const struct ratio *ratio = &judged->ratio;

	if (ratio->known)
		table_cell(table, judged->exact ? "%.6g" : "%.3f", ratio->value);
	else
		table_cell(table, "-");
	if (ratio->has_interval)
		table_cell(table, "[%.3f, %.3f]", ratio->lo, ratio->hi);
	else if (judged->exact && is_mean(compared))
		table_cell(table, "to %.1f", judged->step / 2);
	else
		table_cell(table, judged->exact ? "exact" : "-");
}

static int case_row(const struct page *page, struct table *table,
		    const struct compared_case *compared)
{
	const struct judged *judged = &compared->judged;
	char *name = short_name(&page->names, &compared->id);

	if (!name)
		return error_set(ENOMEM, "no memory for the name of a case");
	table_cell(table, "%s", name);
	free(name);
	table_cell(table, "%zu/%zu", judged->rounds[SIDE_BASE].n, judged->rounds[SIDE_NEW].n);
	value_cell(table, judged, SIDE_BASE);
	value_cell(table, judged, SIDE_NEW);
	ratio_cells(table, compared);
	if (judged->tested)
		table_cell(table, "%.2g", judged->corrected_p);
	else
		table_cell(table, "-");
	table_cell(table, "%s", compared->unit);
	table_cell(table, "%s%s%s", verdict_name(judged->verdict), judged->why[0] ? ": " : "",
		   judged->why);
	return 0;
}

static int print_cases(const struct page *page)
{
	static const char *const heads[] = { "case", "rounds", "BASE", "NEW",	 "NEW/BASE",
					     "95%",  "p",      "unit", "verdict" };
	const struct comparison *comparison = page->comparison;
	struct table table = { .nr_columns = ARRAY_SIZE(heads), .right_from = 1, .right_to = 6 };
	int err = 0, print_err;

	if (comparison->nr_not_compared == comparison->nr_cases)
		return 0;
	fputc('\n', page->stream);
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(&table, "%s", heads[i]);
	for (size_t i = 0; i < comparison->nr_cases && !err; i++) {
		if (comparison->cases[i].compared)
			err = case_row(page, &table, &comparison->cases[i]);
	}
	print_err = table_print(&table, page->stream, page->markdown);
	return err ? err : print_err;
}

/* What the cases of each benchmark have in common and their names leave out. */
static int print_common_parts(const struct page *page)
{
	json_t *said = json_object();
	int err = said ? 0 : -ENOMEM;

	for (size_t i = 0; i < page->comparison->nr_cases && !err; i++) {
		const struct compared_case *compared = &page->comparison->cases[i];
		char *text;

		if (!compared->compared)
			continue;
		text = common_parts(&page->names, &compared->id);
		if (!text || (text[0] && !json_object_get(said, text) &&
			      json_object_set_new(said, text, json_true())))
			err = -ENOMEM;
		free(text);
	}
	if (!err && json_object_size(said)) {
		const char *text;
		json_t *value;

		heading(page, "All cases of");
		json_object_foreach(said, text, value) {
			begin_item(page);
			fprintf(page->stream, "%s\n", text);
		}
	}
	json_decref(said);
	return err ? error_set(ENOMEM, "no memory for the names of cases") : 0;
}

/* Where rounds on a shared core are left out, those that count have been left alone. */
static size_t nr_in_doubt(const struct rounds_facts *facts)
{
	return facts->alone_only ? 0 : facts->nr_disturbed + facts->nr_shared;
}

static bool is_to_be_heeded(const struct rounds_facts *facts)
{
	return facts->nr_failed + facts->nr_skipped + facts->nr_not_exact +
	       facts->nr_without_figure + facts->nr_interrupted + nr_in_doubt(facts) +
	       facts->nr_without_cycles + facts->nr_below_floor + facts->lost;
}

static void print_share(FILE *stream, const char **comma, size_t n, size_t of, const char *what)
{
	if (!n)
		return;
	fprintf(stream, "%s%zu of %zu %s", *comma, n, of, what);
	*comma = ", ";
}

static void print_heeded(const struct page *page, const struct compared_case *compared,
			 enum side side, const char *name)
{
	const struct rounds_facts *facts = &compared->facts[side];
	size_t n = facts->nr_results;
	FILE *stream = page->stream;
	const char *comma = "";

	begin_item(page);
	fprintf(stream, "%s, %s: ", name, side_names[side]);
	if (nr_in_doubt(facts)) {
		print_share(stream, &comma, facts->nr_disturbed, n, "disturbed by the machine");
		print_share(stream, &comma, facts->nr_shared, n, "on a shared core");
	}
	print_share(stream, &comma, facts->nr_without_cycles, n,
		    "without cycles, and so in ns like the others");
	print_share(stream, &comma, facts->nr_below_floor, n, "below the floor");
	print_share(stream, &comma, facts->nr_interrupted, n, "interrupted");
	if (facts->lost) {
		fprintf(stream, "%s%" PRIu64 " of %" PRIu64 " operations lost", comma, facts->lost,
			facts->attempts);
		comma = ", ";
	}
	print_share(stream, &comma, facts->nr_failed, n, "failed and left out");
	print_share(stream, &comma, facts->nr_skipped, n, "skipped and left out");
	print_share(stream, &comma, facts->nr_not_exact, n, "not exact and left out");
	print_share(stream, &comma, facts->nr_without_figure, n, "without the figure");
	if (facts->reason[0])
		fprintf(stream, " (%s)", quoted(facts->reason));
	fputc('\n', stream);
}

static int print_remarks(const struct page *page)
{
	bool begun = false;

	for (size_t i = 0; i < page->comparison->nr_cases; i++) {
		const struct compared_case *compared = &page->comparison->cases[i];
		char *name;

		if (!compared->compared)
			continue;
		name = short_name(&page->names, &compared->id);
		if (!name)
			return error_set(ENOMEM, "no memory for the name of a case");
		for (int side = 0; side < NR_SIDES; side++) {
			if (!is_to_be_heeded(&compared->facts[side]))
				continue;
			if (!begun)
				heading(page, "To be heeded");
			begun = true;
			print_heeded(page, compared, (enum side)side, name);
		}
		free(name);
	}
	return 0;
}

/* Of all cases together: it is nothing to be done about. */
static void print_shared(const struct page *page)
{
	size_t shared = 0, all = 0;

	for (size_t i = 0; i < page->comparison->nr_cases; i++) {
		for (int side = 0; side < NR_SIDES; side++) {
			const struct rounds_facts *facts = &page->comparison->cases[i].facts[side];

			all += facts->nr_results;
			shared += facts->alone_only ? facts->nr_shared : 0;
		}
	}
	if (!shared)
		return;
	heading(page, "Left out");
	begin_item(page);
	fprintf(page->stream, "%zu of %zu rounds, measured on a shared core\n", shared, all);
}

static void print_not_compared(const struct page *page)
{
	const struct comparison *comparison = page->comparison;

	if (!comparison->nr_not_compared)
		return;
	heading(page, "Not compared");
	for (size_t i = 0; i < comparison->nr_cases; i++) {
		const struct compared_case *compared = &comparison->cases[i];

		if (compared->compared)
			continue;
		begin_item(page);
		fprintf(page->stream, "%s: %s%s\n", compared->id.name, comparison_why_not(compared),
			compared->fails ? " (a regression)" : "");
	}
}

static void print_gap(const struct page *page)
{
	for (int side = 0; side < NR_SIDES; side++) {
		s64 gap_ns = page->comparison->gap_ns[side];

		if (gap_ns > 0)
			fprintf(page->stream,
				"All of %s ran before %s (%.0f s between them): whatever else "
				"changed\nmeanwhile shows as a difference.\n",
				side_names[!side], side_names[side], (double)gap_ns / 1e9);
	}
}

static void print_rules(const struct page *page)
{
	const struct comparison *comparison = page->comparison;
	const struct criteria *criteria = &comparison->criteria;

	fprintf(page->stream, "\nMetric: %s\n", comparison->metric);
	if (comparison->timed)
		fprintf(page->stream,
			"Times: worse or better if p, of a rank test of the rounds and corrected "
			"for the number\nof cases, is below %g and the medians are more than %g%% "
			"apart. 95%%: by bootstrap.\n",
			criteria->alpha, 100 * criteria->threshold);
	if (comparison->counted)
		fprintf(page->stream, "Exact counts: any difference above %g%%.\n",
			criteria->threshold_given ? 100 * criteria->threshold : 0.0);
	if (comparison->timed)
		print_gap(page);
}

static void print_summary(const struct page *page)
{
	const struct comparison *comparison = page->comparison;
	const size_t *nr = comparison->nr_verdicts;

	fprintf(page->stream,
		"\n%s%zu worse, %zu better, %zu same, %zu not enough data; %zu not compared",
		page->markdown ? "**Summary:** " : "Summary: ", nr[VERDICT_WORSE],
		nr[VERDICT_BETTER], nr[VERDICT_SAME], nr[VERDICT_NOT_ENOUGH],
		comparison->nr_not_compared);
	if (comparison->nr_failing)
		fprintf(page->stream, ", %zu of them because NEW fails", comparison->nr_failing);
	fprintf(page->stream, ": %s\n",
		comparison_is_regression(comparison) ? "a regression"
		: comparison_is_decided(comparison)  ? "no regression"
						     : "nothing can be said");
}

static int print_page(struct page *page)
{
	int err;

	if (page->markdown)
		fprintf(page->stream, "### bench compare\n\n");
	print_files(page);
	err = print_differences(page);
	if (!err)
		err = print_cases(page);
	if (!err)
		err = print_common_parts(page);
	if (!err)
		err = print_remarks(page);
	print_shared(page);
	print_not_compared(page);
	print_rules(page);
	print_summary(page);
	return err;
}

static int write_page(const struct comparison *comparison, FILE *stream, bool markdown)
{
	struct page page = { .comparison = comparison, .stream = stream, .markdown = markdown };
	int err = short_names_begin(&page.names);

	for (size_t i = 0; i < comparison->nr_cases && !err; i++) {
		if (comparison->cases[i].compared)
			err = short_names_add(&page.names, &comparison->cases[i].id);
	}
	if (!err)
		err = print_page(&page);
	short_names_end(&page.names);
	return err;
}

int write_text(const struct comparison *comparison, FILE *stream)
{
	return write_page(comparison, stream, false);
}

int write_markdown(const struct comparison *comparison, FILE *stream)
{
	return write_page(comparison, stream, true);
}
