// SPDX-License-Identifier: GPL-2.0
/*
 * How long the calls of functions take, of the kernel, its modules and user space, while a command
 * or the machine goes about its work. All is added up in the kernel, per CPU; no event leaves it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "func_cost.h"
#include "func_spec.h"
#include "func_tracer.h"
#include "harness/words.h"

/* The kernel's own, which some calls let through to user space. */
#define ENOTSUPP 524

/* Files that one function keeps open: two programs, links and events, the object's maps and BTF. */
#define FILES_PER_FUNCTION 16

enum probe_choice {
	CHOICE_AUTO,
	CHOICE_FENTRY,
	CHOICE_KPROBE,
};

static const char *const probe_choices[] = { "auto", "fentry", "kprobe", NULL };

struct params {
	const char *func;
	u64 probe;
	u64 net;
};

static const struct bench_param param_table[] = {
	BENCH_TEXT(
		func, struct params,
		"functions, as [LABEL=]SPEC[,[LABEL=]SPEC...]; SPEC is a function of the kernel, "
		"MODULE:FUNCTION, or u:PATH:FUNCTION of a program or library; of a shell pattern "
		"each function that matches is traced (quote it)"),
	BENCH_CHOICE(probe, struct params, CHOICE_AUTO, probe_choices,
		     "how functions of the kernel are probed; auto: by fentry, else by kprobe"),
	BENCH_FLAG(net, struct params,
		   "take off what the probe itself adds to each call (never below zero)"),
	{},
};

/* One function, what is known of it between two readings, and in the end. */
struct function {
	enum func_probe probe;
	struct latency_sums before; /* as it was at the last reading */
	u64 min_ns, max_ns; /* of all readings */
	struct func_totals totals;
	u64 missed; /* neither entry nor return were seen */
	u64 ended_within; /* with the task */
};

struct way {
	bool tried;
	unsigned int nr_functions;
	struct func_cost cost;
	char refused[256]; /* why functions cannot be probed in this way; "" they can, or may */
};

struct state {
	const struct params *params;
	struct func_targets targets;
	struct func_tracer *tracer;
	struct function *functions;
	struct way ways[FUNC_NR_PROBES];
};

static int validate(const void *data, unsigned int nr_producers)
{
	const struct params *p = data;
	struct func_specs specs;
	int err = func_specs_parse(p->func, &specs);

	(void)nr_producers;
	func_specs_free(&specs);
	return err;
}

static int find_targets(struct state *state)
{
	struct func_specs specs;
	int err = func_specs_parse(state->params->func, &specs);

	if (!err)
		err = func_targets_find(&specs, &state->targets);
	func_specs_free(&specs);
	return err;
}

static int setup(struct bench_run *run)
{
	struct state *state = calloc(1, sizeof(*state));
	unsigned int n;
	int err;

	if (!state)
		return error_set(ENOMEM, "no memory");
	state->params = bench_params(run);
	bench_set_private(run, state);
	err = find_targets(state);
	n = (unsigned int)state->targets.n;
	if (!err)
		err = bench_need_files(FILES_PER_FUNCTION * n);
	if (err)
		return err;
	state->functions = calloc(n, sizeof(*state->functions));
	if (!state->functions)
		return error_set(ENOMEM, "no memory for %u functions", n);
	for (unsigned int i = 0; i < n; i++)
		state->functions[i].min_ns = UINT64_MAX;
	state->tracer = func_tracer_open(n, &err);
	return err;
}

/* What a way to probe costs is found out before it is used, and also whether there is one. */
static int try_way(struct state *state, enum func_probe probe)
{
	struct way *way = &state->ways[probe];

	if (!way->tried && func_cost_measure(probe, &way->cost))
		snprintf(way->refused, sizeof(way->refused), "%s", error_text());
	way->tried = true;
	if (!way->cost.known && state->params->net)
		return error_set(E_CANNOT, "--net: what a probe by %s costs cannot be measured: %s",
				 func_probe_names[probe], way->refused);
	return 0;
}

/* Attach by one way. When that is not possible, the reason is in `why`, too. */
static int attach_by(struct bench_run *run, unsigned int i, enum func_probe probe, char *why,
		     size_t size)
{
	struct state *state = bench_private(run);
	struct way *way = &state->ways[probe];
	struct func_attach how = {
		.target = &state->targets.targets[i],
		.probe = probe,
		.run = run,
	};
	int err = try_way(state, probe);

	if (!err && state->params->net)
		how.net_of_ns = (u64)llround(way->cost.in_sample);
	if (!err)
		err = func_tracer_attach(state->tracer, i, &how);
	if (err) {
		snprintf(why, size, "%s", error_text());
		return err;
	}
	state->functions[i].probe = probe;
	way->nr_functions++;
	return 0;
}

/* Does the kernel lack it? Or did it refuse what it should have taken, which is a failure? */
static bool is_lacking(int err)
{
	static const int lacking[] = {
		EPERM, ENOENT, EEXIST, ENOSYS, EOPNOTSUPP, ENOTSUPP, E_CANNOT
	};

	for (size_t i = 0; i < ARRAY_SIZE(lacking); i++) {
		if (err == -lacking[i])
			return true;
	}
	return false;
}

static int attach_kernel(struct bench_run *run, unsigned int i)
{
	struct state *state = bench_private(run);
	char why_fentry[256] = "not asked for", why_kprobe[256] = "not asked for";
	int fentry = -E_CANNOT, kprobe = -E_CANNOT;

	if (state->params->probe != CHOICE_KPROBE) {
		fentry = attach_by(run, i, FUNC_FENTRY, why_fentry, sizeof(why_fentry));
		if (!fentry)
			return 0;
	}
	if (state->params->probe != CHOICE_FENTRY) {
		kprobe = attach_by(run, i, FUNC_KPROBE, why_kprobe, sizeof(why_kprobe));
		if (!kprobe)
			return 0;
	}
	return error_set(is_lacking(fentry) && is_lacking(kprobe) ? E_CANNOT : EINVAL,
			 "%s cannot be traced on this kernel: fentry: %s; kprobe: %s",
			 quoted(state->targets.targets[i].label), why_fentry, why_kprobe);
}

static int attach_user(struct bench_run *run, unsigned int i)
{
	struct state *state = bench_private(run);
	char why[256] = "";
	int err = attach_by(run, i, FUNC_UPROBE, why, sizeof(why));

	if (err)
		err = error_set(is_lacking(err) ? E_CANNOT : EINVAL,
				"%s cannot be traced on this kernel: uprobe: %s",
				quoted(state->targets.targets[i].label), why);
	return err;
}

static int watch(struct bench_run *run)
{
	struct state *state = bench_private(run);
	int err = 0;

	for (unsigned int i = 0; i < state->targets.n && !err; i++) {
		err = bench_interrupted();
		if (!err && state->targets.targets[i].path)
			err = attach_user(run, i);
		else if (!err)
			err = attach_kernel(run, i);
	}
	if (!err)
		func_tracer_count(state->tracer, true);
	return err;
}

static int halt(struct bench_run *run)
{
	struct state *state = bench_private(run);

	func_tracer_count(state->tracer, false);
	return func_tracer_find_unfinished(state->tracer);
}

/* What is neither a sample nor found again in the end went with its task. */
static int account(struct state *state, unsigned int i)
{
	struct function *function = &state->functions[i];
	const struct func_totals *totals = &function->totals;
	u64 missed = func_tracer_missed(state->tracer, i);
	struct latency_figures figures;
	u64 known;

	latency_figures(&totals->sums, &figures);
	known = figures.nr + totals->no_storage + totals->too_deep + totals->never_returned +
		totals->clock_went_back + totals->unfinished;
	if (known > totals->entries)
		return error_set(EPROTO,
				 "the counts of %s do not add up: %llu calls entered, %llu "
				 "returned or lost",
				 quoted(state->targets.targets[i].label),
				 (unsigned long long)totals->entries, (unsigned long long)known);
	function->ended_within = totals->entries - known;
	/* Of those whose entry was missed the return may have been seen. */
	function->missed = missed > totals->never_entered ? missed - totals->never_entered : 0;
	return 0;
}

static u64 lost(const struct function *function)
{
	const struct func_totals *totals = &function->totals;

	return totals->no_storage + totals->too_deep + totals->never_returned +
	       totals->never_entered + totals->clock_went_back + totals->unfinished +
	       function->ended_within + function->missed;
}

static void give_row(struct bench_run *run, const char *name, const struct latency_sums *sums,
		     u64 nr_lost)
{
	struct result_row *row = bench_row(run, name);
	struct latency_figures figures;
	u64 buckets[BENCH_NR_BUCKETS];

	latency_figures(sums, &figures);
	bench_figure(row, "nr", (double)figures.nr);
	bench_figure(row, "total_ns", figures.total);
	if (figures.nr) {
		bench_figure(row, "avg_ns", figures.avg);
		if (figures.nr > 1)
			bench_figure(row, "stddev_ns", figures.stddev);
		bench_figure(row, "min_ns", figures.min);
		bench_figure(row, "p50_ns", figures.p50);
		bench_figure(row, "p90_ns", figures.p90);
		bench_figure(row, "p99_ns", figures.p99);
		bench_figure(row, "max_ns", figures.max);
	}
	if (nr_lost)
		bench_figure(row, "lost", (double)nr_lost);
	latency_log2(sums, buckets);
	bench_histogram(row, buckets);
}

static int read(struct bench_run *run, bool whole)
{
	struct state *state = bench_private(run);
	int err = 0;

	for (unsigned int i = 0; i < state->targets.n && !err; i++) {
		struct function *function = &state->functions[i];
		const char *label = state->targets.targets[i].label;
		struct latency_sums sums;

		func_tracer_read(state->tracer, i, &function->totals);
		sums = function->totals.sums;
		function->min_ns = min_u64(function->min_ns, sums.min_ns);
		function->max_ns = max_u64(function->max_ns, sums.max_ns);
		if (whole) {
			sums.min_ns = function->min_ns;
			sums.max_ns = function->max_ns;
			err = account(state, i);
			give_row(run, label, &sums, lost(function));
		} else {
			latency_sums_subtract(&sums, &function->before);
			function->before = function->totals.sums;
			give_row(run, label, &sums, 0);
		}
	}
	return err;
}

static void unwatch(struct bench_run *run)
{
	struct state *state = bench_private(run);

	func_tracer_detach(state->tracer);
}

static void tell_way(struct bench_run *run, enum func_probe probe)
{
	static const struct {
		const char *in_sample, *per_call, *programs;
	} names[FUNC_NR_PROBES][2] = {
		{ { "fentry_in_sample_ns", "fentry_per_call_ns", "fentry_programs_ns" },
		  { "fentry_in_sample_insn", "fentry_per_call_insn", "fentry_programs_insn" } },
		{ { "kprobe_in_sample_ns", "kprobe_per_call_ns", "kprobe_programs_ns" },
		  { "kprobe_in_sample_insn", "kprobe_per_call_insn", "kprobe_programs_insn" } },
		{ { "uprobe_in_sample_ns", "uprobe_per_call_ns", "uprobe_programs_ns" },
		  { "uprobe_in_sample_insn", "uprobe_per_call_insn", "uprobe_programs_insn" } },
	};
	const struct state *state = bench_private(run);
	const struct way *way = &state->ways[probe];
	bool exact = bench_is_exact(run);

	if (!way->nr_functions)
		return;
	if (!way->cost.known) {
		bench_note(run, func_probe_names[probe],
			   "%u functions; what a probe costs is not known: %s", way->nr_functions,
			   way->refused);
		return;
	}
	bench_note(run, func_probe_names[probe],
		   "%u function%s; each sample has %.0f %s of the probe's own%s", way->nr_functions,
		   way->nr_functions == 1 ? "" : "s", way->cost.in_sample, exact ? "insn" : "ns",
		   state->params->net ? ", taken off" : "");
	bench_counter(run, names[probe][exact].in_sample, way->cost.in_sample);
	bench_counter(run, names[probe][exact].per_call, way->cost.per_call);
	bench_counter(run, names[probe][exact].programs, way->cost.programs);
}

static int finish(struct bench_run *run)
{
	struct state *state = bench_private(run);
	u64 calls = 0, deepest = 0;

	for (enum func_probe probe = 0; probe < FUNC_NR_PROBES; probe++)
		tell_way(run, probe);
	for (unsigned int i = 0; i < state->targets.n; i++) {
		const struct function *function = &state->functions[i];
		const struct func_totals *totals = &function->totals;
		const char *not_kept =
			function->probe == FUNC_UPROBE
				? "calls that never returned, or below the 64 inside each other "
				  "whose returns the kernel catches"
				: "calls that never returned, or whose return the kernel missed";

		calls += totals->entries + totals->never_entered + function->missed;
		deepest = max_u64(deepest, totals->deepest);
		bench_loss(run, not_kept, totals->never_returned);
		bench_loss(run, "calls that were still going on at the end", totals->unfinished);
		bench_loss(run, "calls whose task ended within, or is in another PID namespace",
			   function->ended_within);
		bench_loss(run, "calls inside too many others", totals->too_deep);
		bench_loss(run, "calls without memory for their task", totals->no_storage);
		bench_loss(run,
			   "returns of calls that began before, or whose entry the kernel missed",
			   totals->never_entered);
		bench_loss(run, "calls that the kernel missed, in the middle of another probe",
			   function->missed);
		bench_loss(run, "calls whose clock went back", totals->clock_went_back);
	}
	bench_counter(run, "calls", (double)calls);
	bench_counter(run, "deepest", (double)deepest);
	return 0;
}

static void teardown(struct bench_run *run)
{
	struct state *state = bench_private(run);

	if (!state)
		return;
	func_tracer_close(state->tracer);
	func_targets_free(&state->targets);
	free(state->functions);
	free(state);
}

static const struct bench_watcher watcher = {
	.takes_command = true,
	.watch = watch,
	.halt = halt,
	.read = read,
	.unwatch = unwatch,
};

BENCH(bench_func_latency){
	.name = "func-latency",
	.summary = "how long calls of functions take, of the kernel or of user space",
	.layout = BENCH_LAYOUT_LATENCY,
	.params_size = sizeof(struct params),
	.params = param_table,
	.validate = validate,
	.unavailable = bench_need_bpf,
	.setup = setup,
	.teardown = teardown,
	.finish = finish,
	.watcher = &watcher,
};
