// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../harness/host.h"

#define PER_M (1.0 / 1e6)
#define WELL_ALONE 0.99 /* what does so many batches no harm is not worth a line */

void text_init(struct text *text, FILE *out, const struct options *options)
{
	text->out = out;
	text->options = options;
	text->nr_intervals = (unsigned int)(options->warmup_sec + options->duration_sec + 1);
	text->redraw = options->quiet && isatty(STDERR_FILENO);
}

int text_flush(FILE *out)
{
	if (!fflush(out) && !ferror(out))
		return 0;
	return error_set(errno ? errno : EIO, "cannot write the results: %s",
			 strerror(errno ? errno : EIO));
}

int text_setting_up(struct text *text)
{
	if (text->options->quiet)
		return 0;
	fprintf(text->out, "Setting up benchmark '%s'...\n", text->options->bench->name);
	return text_flush(text->out);
}

int text_started(struct text *text, bool exact)
{
	text->exact = exact;
	if (text->options->quiet)
		return 0;
	fprintf(text->out, "Benchmark '%s' started.\n", text->options->bench->name);
	return text_flush(text->out);
}

static void redraw(const struct text *text, const struct result_interval *interval,
		   unsigned int number)
{
	bool last = number + 1 == text->nr_intervals;

	fprintf(stderr, "\r\033[K");
	if (!last)
		fprintf(stderr, "%s: %u/%u  %.3fM/s", text->options->bench->name, number + 1,
			text->nr_intervals, interval->hits_per_sec * PER_M);
	fflush(stderr);
}

static void interval_line(const struct text *text, const struct result_interval *interval)
{
	double hits = interval->hits_per_sec * PER_M;
	double drops = interval->drops_per_sec * PER_M;
	double per_producer = hits / text->options->nr_producers;

	switch (text->options->bench->layout) {
	case BENCH_LAYOUT_HITS_DROPS:
		fprintf(text->out,
			"hits %8.3lfM/s (%7.3lfM/prod), drops %8.3lfM/s, total operations %8.3lfM/s\n",
			hits, per_producer, drops, hits + drops);
		break;
	case BENCH_LAYOUT_OPERATIONS:
		fprintf(text->out, "hits %8.3lfM/s (%7.3lfM/prod)\n", hits, per_producer);
		break;
	case BENCH_LAYOUT_LONG_OPERATIONS:
		fprintf(text->out, "hits %8.3lf/s (%7.3lf/prod)\n", interval->hits_per_sec,
			interval->hits_per_sec / text->options->nr_producers);
		break;
	case BENCH_LAYOUT_LOCAL_STORAGE:
		fprintf(text->out, "hits %8.3lfM/s important_hits %8.3lfM/s\n", hits,
			interval->important_hits_per_sec * PER_M);
		break;
	case BENCH_LAYOUT_TABLE:
	case BENCH_LAYOUT_LATENCY:
		break; /* rows */
	}
}

int text_interval(struct text *text, const struct result_interval *interval, unsigned int number)
{
	if (text->exact)
		return 0;
	if (text->redraw)
		redraw(text, interval, number);
	if (text->options->quiet)
		return 0;
	fprintf(text->out, "Iter %3u (%7.3lfus): ", number,
		(interval->duration_ns - (double)NSEC_PER_SEC) / (double)NSEC_PER_USEC);
	interval_line(text, interval);
	return text_flush(text->out);
}

int text_line(struct text *text, const char *line)
{
	fprintf(text->out, "%s\n", line);
	return text_flush(text->out);
}

static void cost_line(FILE *out, const char *label, const struct stats_cost *cost)
{
	fprintf(out, "%-9s %10.3lf ns/op  95%% [%.3lf, %.3lf]  p99 %.3lf  (%llu batches)\n", label,
		cost->median, cost->lo, cost->hi, cost->p99, (unsigned long long)cost->n);
}

static void net_line(FILE *out, const struct stats_net *net)
{
	fprintf(out, "%-9s %10.3lf ns/op  95%% [%.3lf, %.3lf]%s\n", "net", net->value, net->lo,
		net->hi, net->below_floor ? "  below the floor: not told apart from nothing" : "");
}

static void cycles_line(FILE *out, const struct result *result)
{
	const struct stats_net *net = &result->net_cycles;

	if (!result->cycles[BENCH_REAL].n)
		return;
	fprintf(out, "%-9s %10.3lf cycles/op  95%% [%.3lf, %.3lf]  net, at %.3lf GHz\n", "cycles",
		net->value, net->lo, net->hi, result->core.ghz);
}

static void cpu_line(FILE *out, const struct result *result)
{
	const struct stats_cost *cost = &result->cpu_ns[BENCH_REAL];
	double all = result->user_ns + result->system_ns;

	if (!cost->n)
		return;
	fprintf(out, "%-9s %10.3lf ns/op  95%% [%.3lf, %.3lf]  p99 %.3lf", "cpu", cost->median,
		cost->lo, cost->hi, cost->p99);
	if (all > 0)
		fprintf(out, "  (user %.1lf%%, system %.1lf%%)", 100 * result->user_ns / all,
			100 * result->system_ns / all);
	fprintf(out, "\n");
}

static void insn_line(FILE *out, const char *label, const struct result_insn *insn)
{
	if (insn->exact)
		fprintf(out, "%-9s %10.3lf insn/op  (%llu of %llu batches agree)\n", label,
			insn->per_op, (unsigned long long)insn->agreeing,
			(unsigned long long)insn->batches);
	else
		fprintf(out,
			"%-9s not exact: %.3lf to %.3lf insn/op, most often %.3lf (%llu of %llu "
			"batches)\n",
			label, insn->min, insn->max, insn->per_op,
			(unsigned long long)insn->agreeing, (unsigned long long)insn->batches);
}

/* Instructions, not time: no line that scripts read as one is printed. */
static void exact_result(FILE *out, const struct result *result)
{
	const char *word = result_net_is_exact(result) ? "" : "not exact: about ";

	insn_line(out, "raw", &result->insn[BENCH_REAL]);
	insn_line(out, "overhead", &result->insn[BENCH_TWIN]);
	fprintf(out, "%-9s %s%10.3lf insn/op\n", "net", word, result->net_insn);
	fprintf(out, "Summary: %snet %.3lf insn/op, raw %.3lf insn/op, overhead %.3lf insn/op\n",
		word, result->net_insn, result->insn[BENCH_REAL].per_op,
		result->insn[BENCH_TWIN].per_op);
}

/*
 * What firing takes outside of the timed part, for one piece of a batch: the trigger, and the harness's
 * own work between batches.
 */
static double firing_cost(const struct result *result)
{
	double outside = 0, pieces = 0;

	for (size_t i = 0; i < result->nr_intervals; i++) {
		const struct result_interval *interval = &result->intervals[i];

		if (interval->warmup || interval->variant != BENCH_REAL)
			continue;
		outside += (interval->duration_ns - interval->looked_ns) *
				   result->options->nr_producers -
			   (double)interval->counts.ns;
		pieces += (double)interval->counts.batches;
	}
	return pieces > 0 ? outside / pieces : 0;
}

static void firing_details(FILE *out, const struct result *result)
{
	fprintf(out,
		"trigger   %s, %llu operations a pass, %llu passes a batch, set up in %.1lf ms\n",
		result->trigger == TRIGGER_AUTO ? "none" : trigger_name(result->trigger),
		(unsigned long long)result->ops_per_pass,
		(unsigned long long)result->passes_per_batch, (double)result->setup_ns / 1e6);
	fprintf(out, "firing    %.0lf %s outside of each timed piece\n", firing_cost(result),
		result->exact ? "insn" : "ns");
}

static void details(FILE *out, const struct result *result)
{
	const struct host *host = &result->host;

	if (!result->bench->watcher)
		firing_details(out, result);
	for (size_t i = 0; i < result->nr_programs; i++) {
		const struct result_program *prog = &result->programs[i];

		fprintf(out,
			"program   %s (%s): %u instructions verified, %u bytes of BPF, %u bytes of "
			"machine code, loaded in %.1lf ms\n",
			prog->name, prog->variant == BENCH_REAL ? "real" : "twin",
			prog->verified_insns, prog->xlated_bytes, prog->jited_bytes,
			(double)prog->load_ns / 1e6);
	}
	fprintf(out, "host      %s %s, %s, %d of %d CPUs, libbpf %s\n", host->kernel_release,
		host->machine, host->cpu_model, host->cpus_usable, host->cpus_online, host->libbpf);
}

static void lost_line(FILE *out, const struct result *result, const struct result_loss *loss,
		      int width)
{
	fprintf(out, "%-*s %llu", width, "lost", (unsigned long long)loss->count);
	if (!result->bench->watcher)
		fprintf(out, " of %llu operations attempted", (unsigned long long)result->attempts);
	else if (result->attempts)
		fprintf(out, " of %llu", (unsigned long long)result->attempts);
	fprintf(out, ": %s\n", loss->cause);
}

/* Scripts know the width of the others' first column. */
static int label_width(const struct result *result)
{
	size_t width = 9;

	for (size_t i = 0; i < result->nr_notes && result->bench->watcher; i++)
		width = max_u64(width, strlen(result->notes[i].name));
	for (size_t i = 0; i < result->nr_counters && result->bench->watcher; i++)
		width = max_u64(width, strlen(result->counters[i].name));
	return (int)width;
}

static void notes(FILE *out, const struct result *result)
{
	int width = label_width(result);

	for (size_t i = 0; i < result->nr_notes; i++)
		fprintf(out, "%-*s %s\n", width, result->notes[i].name, result->notes[i].value);
	for (size_t i = 0; i < result->nr_counters; i++)
		fprintf(out, "%-*s %.15g\n", width, result->counters[i].name,
			result->counters[i].value);
	for (size_t i = 0; i < result->nr_losses; i++)
		lost_line(out, result, &result->losses[i], width);
}

static void core_line(FILE *out, const struct result *result)
{
	const struct result_core *core = &result->core;
	const char *what = result->pieces_per_batch > 1 ? "pieces of the batches" : "batches";

	if (result_core_shared(result))
		fprintf(out,
			"warning: the core was busy with others' work too, figures may be off: "
			"it was left to %.0lf%% of the %s\n",
			100 * core->alone, what);
	else if (core->reference && core->alone < WELL_ALONE)
		fprintf(out, "%-9s %10.0lf%% of the %s had it alone: the costs are theirs\n",
			"core", 100 * core->alone, what);
}

/* Batches that had their core alone are not those that were interrupted. */
static void disturbance(FILE *out, const struct result *result)
{
	if (!result_disturbed(result))
		return;
	fprintf(out, "warning: the machine was busy with something else, %s may be off: ",
		result->core.alone_only ? "rates" : "figures");
	if (result->steal_ns > 0)
		fprintf(out, "%.1lf ms taken by the hypervisor, ", (double)result->steal_ns / 1e6);
	fprintf(out, "producers interrupted %llu times\n",
		(unsigned long long)result->involuntary_switches);
}

static void emulation(FILE *out)
{
	if (host_is_emulated())
		fprintf(out, "warning: this processor is emulated, and its times are its own: "
			     "count instructions (vm/run --exact)\n");
}

static void summary(FILE *out, const struct result *result)
{
	unsigned int nr = result->options->nr_producers;
	double hits = result->hits.mean * PER_M, stddev = result->hits.stddev * PER_M;
	double latency = hits > 0 ? 1000.0 / hits * nr : 0;

	switch (result->bench->layout) {
	case BENCH_LAYOUT_HITS_DROPS:
		fprintf(out,
			"Summary: hits %8.3lf ± %5.3lfM/s (%7.3lfM/prod), drops %8.3lf ± %5.3lfM/s, "
			"total operations %8.3lf ± %5.3lfM/s\n",
			hits, stddev, hits / nr, result->drops.mean * PER_M,
			result->drops.stddev * PER_M, result->total.mean * PER_M,
			result->total.stddev * PER_M);
		break;
	case BENCH_LAYOUT_OPERATIONS:
		fprintf(out,
			"Summary: throughput %8.3lf ± %5.3lf M ops/s (%7.3lfM ops/prod), latency "
			"%8.3lf ns/op\n",
			hits, stddev, hits / nr, latency);
		break;
	case BENCH_LAYOUT_LONG_OPERATIONS:
		fprintf(out,
			"Summary: throughput %8.3lf ± %5.3lf ops/s (%7.3lf ops/prod), latency %8.3lf "
			"ns/op\n",
			result->hits.mean, result->hits.stddev, result->hits.mean / nr, latency);
		break;
	case BENCH_LAYOUT_LOCAL_STORAGE:
		fprintf(out,
			"Summary: hits throughput %8.3lf ± %5.3lf M ops/s, hits latency %8.3lf ns/op, "
			"important_hits throughput %8.3lf ± %5.3lf M ops/s\n",
			hits, stddev, latency, result->important_hits.mean * PER_M,
			result->important_hits.stddev * PER_M);
		break;
	case BENCH_LAYOUT_TABLE:
	case BENCH_LAYOUT_LATENCY:
		break; /* rows */
	}
}

/* Counts are whole; what is derived from them has three digits more than that. */
static int print_figure(FILE *out, int width, double value)
{
	if (value == (double)(s64)value)
		return fprintf(out, "%*.0lf", width, value);
	return fprintf(out, "%*.3lf", width, value);
}

/* The row with the most figures: others may lack the last ones. NULL: no row is for the table. */
static const struct result_row *fullest_row(const struct result_rows *rows, int *widest)
{
	const struct result_row *fullest = NULL;

	for (size_t i = 0; i < rows->n; i++) {
		const struct result_row *row = &rows->rows[i];

		if (row->has_histogram)
			continue;
		*widest = (int)max_u64((u64)*widest, strlen(row->name));
		if (!fullest || row->nr_figures > fullest->nr_figures)
			fullest = row;
	}
	return fullest;
}

static void table(FILE *out, const struct result_rows *rows)
{
	const int width = 14;
	int widest = 0;
	const struct result_row *head = fullest_row(rows, &widest);

	if (!head)
		return;
	fprintf(out, "%-*s", widest, "");
	for (size_t i = 0; i < head->nr_figures; i++)
		fprintf(out, " %*s", width, head->figures[i].name);
	fprintf(out, "\n");
	for (size_t i = 0; i < rows->n; i++) {
		const struct result_row *row = &rows->rows[i];

		if (row->has_histogram)
			continue;
		fprintf(out, "%-*s", widest, row->name);
		for (size_t j = 0; j < row->nr_figures; j++) {
			fprintf(out, " ");
			print_figure(out, width, row->figures[j].value);
		}
		for (size_t j = row->nr_figures; j < head->nr_figures; j++)
			fprintf(out, " %*s", width, "-");
		fprintf(out, "\n");
	}
}

/* Buckets from the first to the last that holds something, with a bar for each. */
static void histogram(FILE *out, const struct result_row *row)
{
	static const char stars[] = "****************************************";
	const int width = (int)sizeof(stars) - 1;
	unsigned int first = BENCH_NR_BUCKETS, last = 0;
	u64 most = 1;

	for (unsigned int i = 0; i < BENCH_NR_BUCKETS; i++) {
		if (!row->histogram[i])
			continue;
		first = (unsigned int)min_u64(first, i);
		last = i;
		most = max_u64(most, row->histogram[i]);
	}
	if (first > last)
		return;
	fprintf(out, "%24s : count     distribution\n", row->exact ? "insn" : "nsecs");
	for (unsigned int i = first; i <= last; i++) {
		int len = (int)(width * (double)row->histogram[i] / (double)most);

		fprintf(out, "%10llu -> %-10llu : %-8llu |%-*.*s|\n", i ? 1ULL << i : 0,
			(2ULL << i) - 1, (unsigned long long)row->histogram[i], width, len, stars);
	}
}

/* Of a time the number alone, in whole ns (or instructions), as it is published: nr=461 total=41911553. */
static void latency_figure(FILE *out, const char *name, double value)
{
	static const char *const units[] = { "_ns", "_insn" };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t stem = len - strlen(units[i]);

		if (len > strlen(units[i]) && !strcmp(name + stem, units[i])) {
			fprintf(out, " %.*s=%.0lf", (int)stem, name, value);
			return;
		}
	}
	fprintf(out, " %s=", name);
	print_figure(out, 0, value);
}

static void latency(FILE *out, const struct result_row *row)
{
	fprintf(out, "%s:", row->name);
	for (size_t i = 0; i < row->nr_figures; i++)
		latency_figure(out, row->figures[i].name, row->figures[i].value);
	fprintf(out, "\n");
	if (row->has_histogram)
		histogram(out, row);
}

/* What is distributed does not fit in a table: it stands below. */
static void print_rows(FILE *out, const struct result *result, const struct result_rows *rows)
{
	bool is_table = result->bench->layout == BENCH_LAYOUT_TABLE;

	if (is_table)
		table(out, rows);
	for (size_t i = 0; i < rows->n; i++) {
		if (!is_table || rows->rows[i].has_histogram)
			latency(out, &rows->rows[i]);
	}
}

int text_rows(struct text *text, const struct result *result, const struct result_rows *rows,
	      unsigned int number)
{
	if (text->options->quiet)
		return 0;
	fprintf(text->out, "Interval %u (%.3lf s):\n", number, (double)rows->duration_ns / 1e9);
	print_rows(text->out, result, rows);
	return text_flush(text->out);
}

/* What a watcher has seen. */
static int watched(struct text *text, const struct result *result)
{
	FILE *out = text->out;

	notes(out, result);
	if (result->status == RESULT_INTERRUPTED)
		fprintf(out, "warning: ended early by a signal: from what was seen until then\n");
	print_rows(out, result, &result->rows);
	return text_flush(text->out);
}

int text_result(struct text *text, const struct result *result)
{
	FILE *out = text->out;

	if (text->redraw)
		fprintf(stderr, "\r\033[K");
	if (text->options->verbose)
		details(out, result);
	if (result->bench->watcher)
		return watched(text, result);
	notes(out, result);
	if (result->status == RESULT_INTERRUPTED)
		fprintf(out,
			"warning: ended early by a signal: from what was measured until then\n");
	if (result->exact) {
		exact_result(out, result);
		return text_flush(text->out);
	}
	cost_line(out, "raw", &result->cost_ns[BENCH_REAL]);
	cost_line(out, "overhead", &result->cost_ns[BENCH_TWIN]);
	net_line(out, &result->net_ns);
	cycles_line(out, result);
	cpu_line(out, result);
	core_line(out, result);
	disturbance(out, result);
	emulation(out);
	summary(out, result);
	return text_flush(text->out);
}
