// SPDX-License-Identifier: GPL-2.0
#include "option_table.h"

#include "options.h"

#include "../progs/bench_abi.h"

#define DAY_SEC 86400

/* A producer is known to its program by 16 bits: see BENCH_COOKIE. */
#define THREADS_MAX 65535

#define AT(field) .offset = offsetof(struct options, field)

/* Names and letters are those of the selftests' bench, so that its scripts work. */
const struct option_row option_rows[] = {
	{ "list", "l", .kind = OPTION_FLAG, AT(list),
	  .help = "list the benchmarks; with -v also what each measures, and why one cannot run "
		  "here" },
	{ "duration", "d", "SEC", .kind = OPTION_U64, AT(duration_sec), .def = 5, .min = 0,
	  .max = DAY_SEC,
	  .help = "seconds to measure, and one more; of what watches others, no more" },
	{ "warmup", "w", "SEC", .kind = OPTION_U64, AT(warmup_sec), .def = 1, .min = 0,
	  .max = DAY_SEC, .help = "seconds to run before that, which do not count" },
	{ "interval", "i", "SEC", .kind = OPTION_U64, AT(interval_sec), .def = 0, .min = 0,
	  .max = DAY_SEC,
	  .help = "of what watches others: show what was seen so often; 0 is at the end only" },
	{ "producers", "p", "NUM", .kind = OPTION_U32, AT(nr_producers), .def = 1, .min = 1,
	  .max = THREADS_MAX, .help = "threads that do the operation" },
	{ "consumers", "c", "NUM", .kind = OPTION_U32, AT(nr_consumers), .def = 0, .min = 0,
	  .max = THREADS_MAX,
	  .help = "threads that take what producers make; only 0 where a "
		  "benchmark has no consumers" },
	{ "affinity", "a", .kind = OPTION_FLAG, AT(affinity),
	  .help = "keep each thread on a CPU of its own; more threads than CPUs begin again at the "
		  "first" },
	{ "prod-affinity", NULL, "CPUSET", .kind = OPTION_CPUS, AT(prod_cpus),
	  .help = "CPUs of the producers, such as 0-3,7; implies -a" },
	{ "cons-affinity", NULL, "CPUSET", .kind = OPTION_CPUS, AT(cons_cpus),
	  .help = "CPUs of the consumers; implies -a" },
	{ "trigger", NULL, "KIND", .kind = OPTION_TRIGGER, AT(trigger),
	  .help = "how the benchmark's BPF program is fired, if it has one" },
	{ "pad", NULL, "NUM", .kind = OPTION_U32, AT(pad), .def = 0, .min = 0, .max = BENCH_MAX_PAD,
	  .help = "instructions to add to each operation of the BPF program, to see whether the "
		  "measurement sees them" },
	{ "json", NULL, "FILE", .kind = OPTION_FILE, AT(json_path),
	  .help = "write the result as JSON; - is stdout" },
	{ "suite", NULL, "FILE", .kind = OPTION_FILE, AT(suite_path),
	  .help = "run all cases of a file, a command line in each row, in rounds of shuffled order" },
	{ "rounds", NULL, "NUM", .kind = OPTION_U32, AT(rounds), .def = 0, .min = 0, .max = 100000,
	  .help = "of a suite: run each case so often; 0 is until it is precise" },
	{ "precision", NULL, "PERCENT", .kind = OPTION_PERCENT, AT(precision),
	  .help = "of a suite: run a case until the 95% interval of its median over the rounds is "
		  "this narrow, to both sides, or --max-time is up [1%]" },
	{ "max-time", NULL, "SEC", .kind = OPTION_U64, AT(max_time_sec), .def = 10, .min = 1,
	  .max = DAY_SEC, .help = "of a suite: seconds that all rounds of one case may take" },
	{ "round-ms", NULL, "NUM", .kind = OPTION_U64, AT(round_ms), .def = 50, .min = 20,
	  .max = 3600000, .help = "of a suite: milliseconds to measure a case in one round" },
	{ "seed", NULL, "NUM", .kind = OPTION_U64, AT(seed), .def = 0, .min = 0, .max = UINT64_MAX,
	  .help = "of a suite: of the order; 0 takes a new one, which the result names" },
	{ "verbose", "v", .kind = OPTION_FLAG, AT(verbose), .help = "say more" },
	{ "quiet", "q", .kind = OPTION_FLAG, AT(quiet), .help = "say less while it runs" },
	{ "stacktrace", "s", .kind = OPTION_FLAG, AT(stacktrace),
	  .help = "refused: no benchmark here captures stack traces" },
	{ "given", NULL, .kind = OPTION_FLAG, AT(given),
	  .help = "print the full names of the options that are given, one a line, and do nothing "
		  "else: for scripts that pass options on" },
	{ "help", "h", .kind = OPTION_FLAG, AT(help),
	  .help = "show this, with a NAME only the parameters of that benchmark" },
	{ "version", "V", .kind = OPTION_FLAG, AT(version), .help = "show the version" },
	{ 0 },
};
