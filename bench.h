/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that a benchmark needs to see.
 *
 * A benchmark is one struct bench, registered by BENCH(). The harness owns threads, clocks, loops
 * and counting; a benchmark says how its maps and programs are set up and what one batch is. It
 * never loops for ever, never prints, and never reads a clock.
 *
 * The two files of a benchmark and how they are found: docs/adding-a-benchmark.md.
 */
#ifndef BENCH_H
#define BENCH_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "harness/error.h"
#include "harness/util.h"
#include "progs/bench_abi.h"

struct bench_run;
struct bench_producer;

/*
 * What is measured, and its empty twin: the same program with the operation cut out by the
 * verifier, which leaves the loop and the counting. net = real - twin.
 */
enum bench_variant {
	BENCH_REAL,
	BENCH_TWIN,
	BENCH_NR_VARIANTS,
};

/* The line formats that scripts know: see report/text.c. */
enum bench_layout {
	BENCH_LAYOUT_HITS_DROPS,
	BENCH_LAYOUT_OPERATIONS,
	BENCH_LAYOUT_LOCAL_STORAGE,
	BENCH_LAYOUT_LONG_OPERATIONS, /* not in millions a second */
	BENCH_LAYOUT_TABLE, /* rows: a line for each, the names of the figures above */
	BENCH_LAYOUT_LATENCY, /* rows: a line "NAME: figure=value..." for each, a histogram below */
};

enum bench_param_type {
	BENCH_PARAM_UINT, /* stored as a u64 */
	BENCH_PARAM_CHOICE, /* one of a list of words; stored as a u64, its index in the list */
	BENCH_PARAM_FLAG, /* --NAME without a value; stored as a u64, 0 or 1 */
	BENCH_PARAM_TEXT, /* any text; stored as a const char *, NULL when not given */
};

/*
 * One row of a benchmark's parameter table. Help, range errors, the parameters in JSON and sweeps
 * all come from it. The option is --NAME VALUE, of a flag --NAME.
 */
struct bench_param {
	const char *name;
	const char *help;
	enum bench_param_type type;
	size_t offset; /* of a u64 or a const char * in the benchmark's parameter struct */
	u64 def;
	u64 min; /* BENCH_PARAM_UINT: both ends are valid values */
	u64 max;
	const char *const *choices; /* BENCH_PARAM_CHOICE: ends with NULL */
	/*
	 * What the other parameters leave room for. A default above that is cut down to it; a value
	 * that was asked for is for `validate` to refuse. NULL: any.
	 */
	u64 (*most)(const void *params);
};

#define BENCH_UINT(_name, _struct, _def, _min, _max, _help)                               \
	{                                                                                 \
		.name = #_name, .help = _help, .type = BENCH_PARAM_UINT,                  \
		.offset = offsetof(_struct, _name), .def = _def, .min = _min, .max = _max \
	}
#define BENCH_UINT_UP_TO(_name, _struct, _def, _min, _max, _most, _help)                   \
	{                                                                                  \
		.name = #_name, .help = _help, .type = BENCH_PARAM_UINT,                   \
		.offset = offsetof(_struct, _name), .def = _def, .min = _min, .max = _max, \
		.most = _most                                                              \
	}
#define BENCH_CHOICE(_name, _struct, _def, _choices, _help)                          \
	{                                                                            \
		.name = #_name, .help = _help, .type = BENCH_PARAM_CHOICE,           \
		.offset = offsetof(_struct, _name), .def = _def, .choices = _choices \
	}
#define BENCH_FLAG(_name, _struct, _help)                                \
	{                                                                \
		.name = #_name, .help = _help, .type = BENCH_PARAM_FLAG, \
		.offset = offsetof(_struct, _name)                       \
	}
#define BENCH_TEXT(_name, _struct, _help)                                \
	{                                                                \
		.name = #_name, .help = _help, .type = BENCH_PARAM_TEXT, \
		.offset = offsetof(_struct, _name)                       \
	}

/*
 * Callbacks return 0 or a negative error with its text set (harness/error.h). All but unavailable
 * may be left out.
 */
struct bench {
	const char *name;
	const char *summary; /* one line for `-l -v`: what is measured */
	enum bench_layout layout;
	bool has_consumers; /* without them, -c takes nothing but 0 */

	size_t params_size; /* of the benchmark's parameter struct, 0 for none */
	const struct bench_param *params; /* ends with a row without a name */

	/*
	 * Check parameters against each other. Nothing is opened or loaded. A combination that makes
	 * no sense is -E_USAGE.
	 */
	int (*validate)(const void *params, unsigned int nr_producers);

	/* -E_CANNOT with the reason if this kernel or user cannot run the benchmark, else 0. */
	int (*unavailable)(void);

	/* Create what both variants share (maps). Once per case, before load. */
	int (*setup)(struct bench_run *run);

	/*
	 * Open and load one variant of the program: open a skeleton, set its .rodata, then
	 * bench_load(). Once per variant.
	 */
	int (*load)(struct bench_run *run, enum bench_variant variant);

	/* Undo setup and load, whichever parts of them happened. Called exactly once per case. */
	void (*teardown)(struct bench_run *run);

	/* On the producer's own thread, before any clock runs: fill in what the thread will read. */
	int (*producer_init)(struct bench_producer *producer);

	/*
	 * For benchmarks whose operation is in user space: do `passes` passes of the operation
	 * (BENCH_REAL) or of the loop without it (BENCH_TWIN) and add to `done`, its ns included.
	 * Benchmarks with a BPF program leave this out: the harness fires the program.
	 */
	int (*batch)(struct bench_producer *producer, enum bench_variant variant, u64 passes,
		     struct bench_counts *done);

	/*
	 * Threads beside the producers, for what is to be measured while others change it: how many
	 * (left out: none), and one step of such a thread, which the harness repeats from before the
	 * first batch until after the last. A step is over within some milliseconds.
	 */
	unsigned int (*nr_background)(const struct bench_run *run);
	int (*background)(struct bench_run *run, unsigned int index);

	/* On the producer's thread, after the last batch: are the values read those written? */
	int (*producer_check)(struct bench_producer *producer);

	/*
	 * After all threads have ended without an error: bench_note(), bench_loss() and bench_counter()
	 * what they have found. bench_median_ns() is known by then.
	 */
	int (*finish)(struct bench_run *run);

	/* How many operations one pass attempts. */
	u64 (*ops_per_pass)(const struct bench_run *run);

	/*
	 * A pass that takes long against the timer tick is fired and timed in pieces, which the
	 * program tells apart by slot->piece, and `batch` by bench_producer_piece(). How many: left
	 * out, it is one.
	 */
	u64 (*pieces_per_pass)(const struct bench_run *run);

	/*
	 * A watcher measures what others do: the kernel, its own background threads, or a command of
	 * the user's. It has no operation that is fired and so no load, batch, ops_per_pass or
	 * producers; it opens and loads what it needs in setup, by bench_load_object(). In this order:
	 * unavailable, setup, watch, reset (after the warm-up), step again and again, read after each
	 * interval if there are intervals, halt, read for the whole, unwatch, finish, teardown.
	 */
	const struct bench_watcher *watcher;
};

struct bench_watcher {
	bool takes_command; /* after "--": it is run, and measured until it ends */

	/*
	 * Parameters that say what the watcher's own threads do: of no use, and so refused, with a
	 * command. Ends with NULL; may be left out.
	 */
	const char *const *own_work;

	/* Attach. What happens from now on is seen. */
	int (*watch)(struct bench_run *run);

	/* Forget what was counted so far: the warm-up is over. Left out where there is none. */
	int (*reset)(struct bench_run *run);

	/*
	 * What is to be done while it goes on, such as reading a ring buffer: wait for it, but not
	 * longer than timeout_ms. Left out: nothing.
	 */
	int (*step)(struct bench_run *run, int timeout_ms);

	/*
	 * Nothing that happens from now on counts: so the last interval and the whole, which are read
	 * next, end at the same moment. Left out where it makes no difference.
	 */
	int (*halt)(struct bench_run *run);

	/*
	 * Give bench_row()s of what was seen since reset (`whole`), or since the read before it:
	 * intervals are shown while it goes on. The whole is read once, at the end.
	 */
	int (*read)(struct bench_run *run, bool whole);

	/* Detach. Called after watch, whether it succeeded or not, and once only. */
	void (*unwatch)(struct bench_run *run);
};

#define BENCH_NR_BUCKETS 64

/* Registers a benchmark: BENCH(symbol) { .name = … }; */
#define BENCH(symbol)                                                                         \
	static const struct bench symbol;                                                     \
	static const struct bench *symbol##_entry __attribute__((section("benches"), used)) = \
		&symbol;                                                                      \
	static const struct bench symbol =

/* The case's parameters, as the struct that bench.params describes. */
const void *bench_params(const struct bench_run *run);

/* A pointer of the benchmark's own, kept between its callbacks. */
void *bench_private(const struct bench_run *run);
void bench_set_private(struct bench_run *run, void *private);

unsigned int bench_nr_producers(const struct bench_run *run);

/* Whether --pad asks for more than nothing: see bench_cut_unrolled() in progs/bench.bpf.h. */
bool bench_is_padded(const struct bench_run *run);

/* Are instructions counted in place of time? Then what is timed should be short: in pieces. */
bool bench_is_exact(const struct bench_run *run);

/*
 * A fact about how the case was run that the result must name ("lookup" = "direct"). name is kept
 * as a pointer (a literal), the value is copied.
 */
void bench_note(struct bench_run *run, const char *name, const char *fmt, ...) __printf(3, 4);

/*
 * Something attempted did not become a sample or was refused: count it under its cause (a
 * literal). A result with losses says so.
 */
void bench_loss(struct bench_run *run, const char *cause, u64 count);

/*
 * How much a watcher attempted, for its `finish`: samples and losses together. Of benchmarks that fire
 * their operation the harness knows it.
 */
void bench_attempts(struct bench_run *run, u64 count);

/*
 * A figure of the benchmark's own that the result is to name, with its unit in the name
 * ("entries_per_sec"; a literal). Counts are added up when given more than once.
 */
void bench_counter(struct bench_run *run, const char *name, double value);

/*
 * One row of a watcher's result: a name (copied) with figures and perhaps a histogram. Only in `read`.
 * Rows of a table have the same figures in the same order; one that is not known is left out, with
 * those after it. A row with a histogram stands below the table, with figures of its own. Without memory
 * it is NULL, which the functions below pass on, and the run fails in the end.
 * In exact mode a figure NAME_ns is shown as NAME_insn, which it then is.
 */
struct result_row;
struct result_row *bench_row(struct bench_run *run, const char *name);
void bench_figure(struct result_row *row, const char *name, double value);

/* Bucket i counts values from 2^i to 2^(i+1) - 1; 0 is in bucket 0. All 64 are copied. */
void bench_histogram(struct result_row *row, const u64 buckets[BENCH_NR_BUCKETS]);

/* A line of the text output, at once: an event that a watcher is to show. A negative error. */
int bench_line(struct bench_run *run, const char *fmt, ...) __printf(2, 3);

/* Is it the user's command that a watcher measures, rather than its own threads? */
bool bench_has_command(const struct bench_run *run);

/*
 * Load an opened object of a watcher, with the programs that it has left on (bpf_program__set_autoload()),
 * and record them. The object stays the caller's. Not supported by the kernel: -E_CANNOT.
 */
int bench_load_object(struct bench_run *run, struct bpf_object *object);

/* For `finish`: what one real operation took. In exact mode it is 0: there is no time. */
double bench_median_ns(const struct bench_run *run);

/* Which program of an opened object is measured, and which others the benchmark calls itself. */
struct bench_programs {
	/* The name given to BENCH_PROG() in progs/. */
	const char *measured;
	/* Programs for bench_call(), named as in the object; ends with NULL. May be NULL. */
	const char *const *helpers;
};

/*
 * Load an opened object as one variant: only the measured program (in its form for the case's
 * trigger) and the helpers are loaded, BENCH_CONFIG is filled in. The object stays the
 * caller's: destroy its skeleton in teardown. Not supported by the kernel: -E_CANNOT.
 */
int bench_load(struct bench_run *run, enum bench_variant variant, struct bpf_object *obj,
	       const struct bench_programs *programs);

/* Of a producer, for its callbacks. */
struct bench_run *bench_producer_run(const struct bench_producer *producer);
unsigned int bench_producer_index(const struct bench_producer *producer);

/*
 * For `batch`: what lies between start and stop is measured, in wall time, which is added to
 * done->ns, and in CPU time of the thread. There may be several such parts in a batch, with work
 * that is not measured in between. They take a few system calls, outside of what is measured.
 */
void bench_clock_start(struct bench_producer *producer);
void bench_clock_stop(struct bench_producer *producer, struct bench_counts *done);

/* Which piece of the batch is next, from 0. */
u64 bench_producer_piece(const struct bench_producer *producer);

/*
 * Run one of the helpers of the real variant once, on the calling thread: the current task of the
 * program is the caller. Returns the program's return value or a negative error.
 */
int bench_call(struct bench_producer *producer, const char *helper);

/*
 * A negative error once a signal has asked for the end, else 0. Set-up that can take longer than a
 * person would wait asks from time to time.
 */
int bench_interrupted(void);

/*
 * The same for what is done in set-up and again later, such as `batch`, with which the harness
 * calibrates. Once samples are taken it is 0: a batch then ends by itself, and counts.
 */
int bench_set_up_interrupted(const struct bench_run *run);

/*
 * What a kernel must have. Each returns 0, or -E_CANNOT with what is missing; for `unavailable`.
 * bench_need_bpf(): the capabilities to load programs, and the kernel's own BTF.
 */
int bench_need_bpf(void);
int bench_need_map_type(enum bpf_map_type type);

/*
 * Make sure that `nr` more files can be open: raises the soft limit when the hard one allows,
 * else -E_CANNOT with the number needed.
 */
int bench_need_files(unsigned int nr);

/* -E_CANNOT with the estimate when `bytes` of memory for `what` would not fit in what is free. */
int bench_need_memory(u64 bytes, const char *what);

#endif
