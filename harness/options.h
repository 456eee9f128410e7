/* SPDX-License-Identifier: GPL-2.0 */
/* The command line as a plain struct. Nothing is opened, loaded or run here. */
#ifndef HARNESS_OPTIONS_H
#define HARNESS_OPTIONS_H

#include "../bench.h"
#include "cpus.h"
#include "trigger.h"

struct options {
	bool help, version, list, given;
	bool verbose, quiet;
	bool stacktrace; /* known, and refused: no benchmark captures stack traces */
	bool affinity; /* -a, or implied by one of the two lists below */

	u64 warmup_sec, duration_sec;
	unsigned int nr_producers, nr_consumers;
	struct cpu_list prod_cpus, cons_cpus; /* empty: not given */
	enum trigger_kind trigger;
	unsigned int pad; /* extra ALU instructions in each operation, up to BENCH_MAX_PAD */
	const char *json_path; /* "-" is stdout; NULL: none. Points into argv. */
	u64 interval_sec; /* watchers: rows are shown so often; 0: at the end only */
	bool warmup_given, duration_given;
	char *const *command; /* what follows "--", for watchers; ends with NULL. NULL: none */

	/* A suite, which has its cases in a file: see suite.h. NULL: one case, the line's own. */
	const char *suite_path;
	unsigned int rounds; /* 0: until precise */
	double precision; /* a share of the raw cost; 0: not asked for */
	u64 max_time_sec, round_ms, seed;

	/*
	 * A sampling interval: a second, but in a suite, where it is as long as the set-up took within these, and goes
	 * on for up to the longer while its core is shared.
	 */
	u64 interval_ns, longest_interval_ns;

	const struct bench *bench; /* NULL only with help, version, list, given or a suite */
	void *params; /* bench->params_size bytes, all rows of the table filled in */
	u64 params_given; /* bit i: row i of bench->params was on the command line */
	char *given_names; /* with `given`: of all options on the command line, a line each */
};

/*
 * Parse the command line. Options may stand before or after the benchmark's name. Everything that
 * is wrong is -E_USAGE with a text that names the option, the value and the range or the cause.
 * Parameters are checked against their table and by bench->validate(). The caller calls
 * options_free() in either case.
 */
int options_parse(int argc, char *const *argv, struct options *options);
void options_free(struct options *options);

/* With JSON on stdout nothing else goes there. */
bool options_json_on_stdout(const struct options *options);

/*
 * The same of one row of a suite, whose rules it follows: options that a row cannot have are refused,
 * interval_ns is the suite's. `suite` is the command line that names the file.
 */
int options_parse_row(int argc, char *const *argv, const struct options *suite,
		      struct options *options);

/*
 * What `bench ab` has before its two cases: options that a suite has beside its file. No benchmark.
 */
int options_parse_plan(int argc, char *const *argv, struct options *options);

/*
 * A case in few words: the benchmark, and what was given that makes it a case of its own
 * ("bpf-loop nr_loops=10 -p 2"). Cut when it does not fit.
 */
void options_case_name(const struct options *options, char *name, size_t size);

/*
 * `--help`, written to stdout: usage, core options with their defaults, then every benchmark's
 * parameters (of all benchmarks, or those of the one named on the command line).
 */
void options_print_help(const struct options *options);

/* All registered benchmarks, sorted by name. */
const struct bench *const *bench_all(size_t *n);
const struct bench *const *bench_all_end(void);
#define for_each_bench(var)                                                   \
	for (const struct bench *const *var##_entry_ = bench_all(NULL), *var; \
	     var##_entry_ != bench_all_end() && (var = *var##_entry_); var##_entry_++)

const struct bench *bench_find(const char *name);

/* The registered name that is nearest to a mistyped one (edit distance), NULL if none is near. */
const char *bench_nearest(const char *name);

/* The row of a benchmark's table with that name, NULL if there is none. */
const struct bench_param *bench_param_find(const struct bench *bench, const char *name);

/* The value of a row in a parameter struct: a number, a flag, or the index of a choice's word. */
u64 bench_param_get(const struct bench_param *param, const void *params);
void bench_param_set(const struct bench_param *param, void *params, u64 value);

/* A parameter's value as text: a number, a choice's word, or a text. Valid until the next call. */
const char *bench_param_text(const struct bench_param *param, const void *params);

#endif
