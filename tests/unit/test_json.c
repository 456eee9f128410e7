// SPDX-License-Identifier: GPL-2.0
/* Results written by hand, and read back by another's parser. */
#include "../../report/json.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A benchmark with a parameter of each kind. */

struct params {
	u64 nr_maps;
	u64 order;
	u64 seed;
};

static const char *const orders[] = { "sequential", "interleaved", NULL };

static const struct bench_param param_table[] = {
	BENCH_UINT(nr_maps, struct params, 1, 1, 1000, "number of maps"),
	BENCH_CHOICE(order, struct params, 0, orders, "order of the gets"),
	BENCH_UINT(seed, struct params, 0, 0, UINT64_MAX, "of the keys"),
	{},
};

static const struct bench bench_of_maps = {
	.name = "maps-get",
	.params_size = sizeof(struct params),
	.params = param_table,
};

static const struct bench bench_without_params = { .name = "empty" };

/* One result with a number of its own in every field. */

static unsigned int producer_cpus[] = { 3, 1 };
static const struct options given = {
	.warmup_sec = 1,
	.duration_sec = 5,
	.nr_producers = 2,
	.affinity = true,
	.prod_cpus = { .cpu = producer_cpus, .n = 2 },
	.trigger = TRIGGER_AUTO,
};

static const struct params params = { .nr_maps = 16, .order = 1, .seed = UINT64_MAX };

static struct result_interval three_intervals[] = {
	{ .variant = BENCH_REAL, .warmup = true, .steal_ns = -1 },
	{ .variant = BENCH_REAL,
	  .duration_ns = 1000000250.5,
	  .counts = { .batches = 7, .ns = 11, .hits = 1ULL << 60, .important_hits = 5, .drops = 3 },
	  .hits_per_sec = 12.5,
	  .important_hits_per_sec = 6.25,
	  .drops_per_sec = 0.5,
	  .involuntary_switches = 4,
	  .steal_ns = 10000000,
	  .cost_ns = { .n = 7, .median = 8.5, .nr_blocks = 1, .lo = 8.5, .hi = 8.5 } },
	{ .variant = BENCH_TWIN, .duration_ns = 2, .steal_ns = 0 },
};

static struct result full_result(void)
{
	struct result result = {
		.status = RESULT_OK,
		.bench = &bench_of_maps,
		.params = &params,
		.options = &given,
		.trigger = TRIGGER_TEST_RUN,
		.started_unix_ns = 1700000000123456789ULL,
		.setup_ns = 42,
		.cpus_used = { 1ULL << 1 | 1ULL << 63, 1ULL << 0 },
		.ops_per_pass = 22,
		.passes_per_batch = 1000,
		.pieces_per_batch = 3,
		.intervals = three_intervals,
		.nr_intervals = ARRAY_SIZE(three_intervals),
		.hits = { 1e6, 1e3, 5 },
		.important_hits = { 2e5, 2e2, 5 },
		.drops = { 3, 0.3, 5 },
		.total = { 1000003, 999, 5 },
		.twin_hits = { 5e7, 4e5, 5 },
		.cost_ns = {
			{ .n = 70, .median = 0.1, .lo = 0.0625, .hi = 0.1375, .se = 0.01, .p90 = 0.2,
			  .p99 = 0.3, .min = 0.05, .max = 0.4, .mad = 0.02, .nr_blocks = 5 },
			{ .n = 60, .median = 0.03, .nr_blocks = 6 },
		},
		.net_ns = { .value = 0.07, .lo = 0.04, .hi = 0.1, .se = 0.015, .below_floor = false },
		.core = { .reference = 1200, .alone = 0.75, .alone_only = true, .ghz = 2.5 },
		.cycles = { { .n = 70, .median = 0.25 }, { .n = 60, .median = 0.075 } },
		.net_cycles = { .value = 0.175 },
		.cpu_ns = { { .n = 70, .median = 0.09, .nr_blocks = 5 }, { .n = 60, .median = 0.02 } },
		.net_cpu_ns = { .value = 0.075, .below_floor = true },
		.user_ns = 0.125,
		.system_ns = 0.5,
		.attempts = (1ULL << 60) + 3,
		.losses = { { "empty", 3 }, { "interrupted", 1 } },
		.nr_losses = 2,
		.counters = { { "doubles", 20 }, { "entries_per_sec", 12345678.5 } },
		.nr_counters = 2,
		.programs = {
			{ .name = "get__test_run", .variant = BENCH_REAL, .id = 17, .verified_insns = 300,
			  .xlated_bytes = 800, .jited_bytes = 500, .load_ns = 1234567 },
			{ .name = "get__test_run", .variant = BENCH_TWIN, .id = 18 },
		},
		.nr_programs = 2,
		.notes = { { "lookup", "direct" }, { "task", "größer ≥ 1 µs" } },
		.nr_notes = 2,
		.involuntary_switches = 9,
		.steal_ns = 10000000,
		.host = {
			.kernel_release = "6.18.0",
			.cpus_online = 2,
			.cpus_usable = -1,
			.bpf_jit_enable = 1,
			.bpf_jit_harden = -1,
			.unprivileged_bpf_disabled = 0,
			.mitigations = "spectre_v1: Mitigation: barriers\nspectre_v2: A; BHI: Vulnerable",
			.memory_bytes = 25769803776ULL,
			.boot_id_hash = 0xfe25e8961c7bb18aULL,
			.git_revision = "",
		},
	};

	for (size_t i = 0; i < RESULT_QUANTILES; i++)
		result.quantiles_ns[BENCH_REAL][i] = (double)i / 1000;
	return result;
}

/* Files in a folder that is made and removed around all tests. */

static char folder[] = "/tmp/test_json.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put_file(const char *path, const char *content)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* -1: there is none. */
static off_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

static int write_results(const char *path, const struct result *results, size_t n)
{
	struct output *output;
	int err = output_open(path, &output);

	return err ? err : json_write(output, results, n);
}

/* The document of n results as read back; the caller drops the reference. */
static json_t *round_trip(const struct result *results, size_t n)
{
	const char *path = path_of("result.json");
	json_error_t error;
	json_t *root;

	assert_int_equal(write_results(path, results, n), 0);
	root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		print_error("line %d: %s\n", error.line, error.text);
	assert_non_null(root);
	unlink(path);
	return root;
}

/* The value at a path of keys and indices such as "intervals.1.counts.hits"; it must be there. */
static const json_t *at(const json_t *value, const char *path)
{
	char keys[256], *key, *rest = keys;

	snprintf(keys, sizeof(keys), "%s", path);
	while ((key = strsep(&rest, ".")))
		value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
					     : json_object_get(value, key);
	if (!value)
		print_error("there is no %s\n", path);
	assert_non_null(value);
	return value;
}

#define assert_text(root, path, expected)                                         \
	do {                                                                      \
		assert_true(json_is_string(at(root, path)));                      \
		assert_string_equal(json_string_value(at(root, path)), expected); \
	} while (0)

#define assert_integer(root, path, expected)                                    \
	do {                                                                    \
		assert_true(json_is_integer(at(root, path)));                   \
		assert_int_equal(json_integer_value(at(root, path)), expected); \
	} while (0)

/* Bit for bit: not one digit of a double may be lost. */
#define assert_real(root, path, expected)                                   \
	do {                                                                \
		assert_true(json_is_real(at(root, path)));                  \
		assert_true(json_real_value(at(root, path)) == (expected)); \
	} while (0)

#define assert_null_at(root, path) assert_true(json_is_null(at(root, path)))
#define assert_true_at(root, path) assert_true(json_is_true(at(root, path)))
#define assert_false_at(root, path) assert_true(json_is_false(at(root, path)))

/* What the document says */

static struct result filled;
static json_t *read_back; /* the document of `filled` */
static json_t *first; /* its only result */

static int read_full_result(void **state)
{
	(void)state;
	filled = full_result();
	read_back = round_trip(&filled, 1);
	first = json_array_get(json_object_get(read_back, "results"), 0);
	return first ? 0 : -1;
}

static int drop_document(void **state)
{
	(void)state;
	json_decref(read_back);
	return 0;
}

static void says_what_it_is(void **state)
{
	(void)state;
	assert_text(read_back, "schema", "bpf-bench-results");
	assert_integer(read_back, "schema_version", 1);
	assert_int_equal(json_array_size(at(read_back, "results")), 1);
}

static void names_the_case(void **state)
{
	(void)state;
	assert_text(first, "benchmark", "maps-get");
	assert_text(first, "status", "ok");
	assert_null_at(first, "reason");
	assert_text(first, "trigger", "test_run");
	assert_integer(first, "started_unix_ns", 1700000000123456789LL);
	assert_integer(first, "setup_ns", 42);
	assert_integer(first, "ops_per_pass", 22);
	assert_integer(first, "passes_per_batch", 1000);
	assert_integer(first, "pieces_per_batch", 3);
}

static void parameters_are_numbers_and_words(void **state)
{
	(void)state;
	assert_int_equal(json_object_size(at(first, "parameters")), 3);
	assert_integer(first, "parameters.nr_maps", 16);
	assert_text(first, "parameters.order", "interleaved");
	assert_text(first, "parameters.seed", "18446744073709551615");
}

static void options_are_as_asked(void **state)
{
	(void)state;
	assert_integer(first, "options.warmup_sec", 1);
	assert_integer(first, "options.duration_sec", 5);
	assert_integer(first, "options.producers", 2);
	assert_integer(first, "options.consumers", 0);
	assert_true_at(first, "options.affinity");
	assert_integer(first, "options.producer_cpus.0", 3);
	assert_integer(first, "options.producer_cpus.1", 1);
	assert_int_equal(json_array_size(at(first, "options.consumer_cpus")), 0);
	assert_text(first, "options.trigger", "auto");
}

static void cpus_used_cross_words_of_the_set(void **state)
{
	(void)state;
	assert_int_equal(json_array_size(at(first, "cpus_used")), 3);
	assert_integer(first, "cpus_used.0", 1);
	assert_integer(first, "cpus_used.1", 63);
	assert_integer(first, "cpus_used.2", 64);
}

static void costs_are_raw_overhead_net(void **state)
{
	(void)state;
	assert_real(first, "cost_ns.raw.median", 0.1);
	assert_real(first, "cost_ns.raw.lo", 0.0625);
	assert_real(first, "cost_ns.raw.hi", 0.1375);
	assert_real(first, "cost_ns.raw.se", 0.01);
	assert_real(first, "cost_ns.raw.p90", 0.2);
	assert_real(first, "cost_ns.raw.p99", 0.3);
	assert_real(first, "cost_ns.raw.min", 0.05);
	assert_real(first, "cost_ns.raw.max", 0.4);
	assert_real(first, "cost_ns.raw.mad", 0.02);
	assert_integer(first, "cost_ns.raw.samples", 70);
	assert_integer(first, "cost_ns.raw.blocks", 5);
	assert_real(first, "cost_ns.overhead.median", 0.03);
	assert_integer(first, "cost_ns.overhead.samples", 60);
	assert_real(first, "cost_ns.net.median", 0.07);
	assert_real(first, "cost_ns.net.lo", 0.04);
	assert_real(first, "cost_ns.net.hi", 0.1);
	assert_real(first, "cost_ns.net.se", 0.015);
	assert_false_at(first, "cost_ns.net.below_floor");
}

static void cpu_time_is_beside_wall_time(void **state)
{
	struct result result = full_result();
	json_t *root;

	(void)state;
	assert_real(first, "cpu_ns.raw.median", 0.09);
	assert_integer(first, "cpu_ns.raw.samples", 70);
	assert_real(first, "cpu_ns.overhead.median", 0.02);
	assert_null_at(first, "cpu_ns.overhead.se");
	assert_real(first, "cpu_ns.net.median", 0.075);
	assert_true_at(first, "cpu_ns.net.below_floor");
	assert_real(first, "cpu_ns.user", 0.125);
	assert_real(first, "cpu_ns.system", 0.5);

	result.cpu_ns[BENCH_REAL].n = 0;
	root = round_trip(&result, 1);
	assert_null_at(root, "results.0.cpu_ns");
	json_decref(root);
}

static void quantiles_are_percentiles(void **state)
{
	(void)state;
	assert_int_equal(json_array_size(at(first, "quantiles_ns.raw")), 101);
	assert_int_equal(json_array_size(at(first, "quantiles_ns.overhead")), 101);
	for (size_t i = 0; i <= 100; i++)
		assert_true(json_real_value(json_array_get(at(first, "quantiles_ns.raw"), i)) ==
			    (double)i / 1000);
}

static void rates_are_per_second(void **state)
{
	(void)state;
	assert_real(first, "rate_per_sec.raw.hits.mean", 1e6);
	assert_real(first, "rate_per_sec.raw.hits.stddev", 1e3);
	assert_real(first, "rate_per_sec.raw.important_hits.mean", 2e5);
	assert_real(first, "rate_per_sec.raw.important_hits.stddev", 2e2);
	assert_real(first, "rate_per_sec.raw.drops.mean", 3.0);
	assert_real(first, "rate_per_sec.raw.drops.stddev", 0.3);
	assert_real(first, "rate_per_sec.raw.total.mean", 1000003.0);
	assert_real(first, "rate_per_sec.raw.total.stddev", 999.0);
	assert_real(first, "rate_per_sec.overhead.hits.mean", 5e7);
	assert_real(first, "rate_per_sec.overhead.hits.stddev", 4e5);
}

static void intervals_keep_their_order(void **state)
{
	(void)state;
	assert_int_equal(json_array_size(at(first, "intervals")), 3);
	assert_text(first, "intervals.0.variant", "raw");
	assert_true_at(first, "intervals.0.warmup");
	assert_null_at(first, "intervals.0.steal_ns");
	assert_null_at(first, "intervals.0.cost_ns");
	assert_text(first, "intervals.2.variant", "overhead");
	assert_false_at(first, "intervals.2.warmup");
	assert_integer(first, "intervals.2.steal_ns", 0);
}

static void an_interval_is_complete(void **state)
{
	(void)state;
	assert_real(first, "intervals.1.duration_ns", 1000000250.5);
	assert_integer(first, "intervals.1.counts.batches", 7);
	assert_integer(first, "intervals.1.counts.timed_ns", 11);
	assert_integer(first, "intervals.1.counts.hits", 1LL << 60);
	assert_integer(first, "intervals.1.counts.important_hits", 5);
	assert_integer(first, "intervals.1.counts.drops", 3);
	assert_real(first, "intervals.1.rate_per_sec.hits", 12.5);
	assert_real(first, "intervals.1.rate_per_sec.important_hits", 6.25);
	assert_real(first, "intervals.1.rate_per_sec.drops", 0.5);
	assert_integer(first, "intervals.1.involuntary_switches", 4);
	assert_integer(first, "intervals.1.steal_ns", 10000000);
	assert_real(first, "intervals.1.cost_ns.median", 8.5);
	assert_integer(first, "intervals.1.cost_ns.samples", 7);
}

static void one_block_has_no_interval(void **state)
{
	(void)state;
	assert_null_at(first, "intervals.1.cost_ns.lo");
	assert_null_at(first, "intervals.1.cost_ns.hi");
	assert_null_at(first, "intervals.1.cost_ns.se");
}

static void losses_stand_by_cause(void **state)
{
	(void)state;
	assert_integer(first, "attempts", (1LL << 60) + 3);
	assert_int_equal(json_array_size(at(first, "losses")), 2);
	assert_text(first, "losses.0.cause", "empty");
	assert_integer(first, "losses.0.count", 3);
	assert_text(first, "losses.1.cause", "interrupted");
	assert_integer(first, "losses.1.count", 1);
}

static void programs_have_their_sizes(void **state)
{
	(void)state;
	assert_int_equal(json_array_size(at(first, "programs")), 2);
	assert_text(first, "programs.0.name", "get__test_run");
	assert_text(first, "programs.0.variant", "raw");
	assert_integer(first, "programs.0.id", 17);
	assert_integer(first, "programs.0.verified_insns", 300);
	assert_integer(first, "programs.0.xlated_bytes", 800);
	assert_integer(first, "programs.0.jited_bytes", 500);
	assert_integer(first, "programs.0.load_ns", 1234567);
	assert_text(first, "programs.1.variant", "overhead");
	assert_null_at(first, "programs.1.verified_insns");
}

static void counters_stand_by_name(void **state)
{
	(void)state;
	assert_int_equal(json_object_size(at(first, "counters")), 2);
	assert_real(first, "counters.doubles", 20);
	assert_real(first, "counters.entries_per_sec", 12345678.5);
}

static void notes_and_disturbance(void **state)
{
	(void)state;
	assert_text(first, "notes.lookup", "direct");
	assert_text(first, "notes.task", "größer ≥ 1 µs");
	assert_integer(first, "disturbance.involuntary_switches", 9);
	assert_integer(first, "disturbance.steal_ns", 10000000);
	assert_int_equal(json_is_true(at(first, "disturbance.disturbed")),
			 result_disturbed(&filled));
	assert_real(first, "disturbance.core.alone", 0.75);
	assert_true_at(first, "disturbance.core.alone_only");
	assert_real(first, "disturbance.core.ghz", 2.5);
	assert_integer(first, "disturbance.core.reference_cycles", 1200);
	assert_real(first, "cycles.raw.median", 0.25);
	assert_real(first, "cycles.net.median", 0.175);
}

static void host_facts_or_null(void **state)
{
	(void)state;
	assert_text(first, "host.kernel_release", "6.18.0");
	assert_null_at(first, "host.kernel_version");
	assert_integer(first, "host.cpus_online", 2);
	assert_null_at(first, "host.cpus_usable");
	assert_integer(first, "host.bpf_jit_enable", 1);
	assert_null_at(first, "host.bpf_jit_harden");
	assert_integer(first, "host.unprivileged_bpf_disabled", 0);
	assert_text(first, "host.mitigations.spectre_v1", "Mitigation: barriers");
	assert_text(first, "host.mitigations.spectre_v2", "A; BHI: Vulnerable");
	assert_int_equal(json_object_size(at(first, "host.mitigations")), 2);
	assert_integer(first, "host.memory_bytes", 25769803776LL);
	assert_text(first, "host.boot", "fe25e8961c7bb18a");
	assert_null_at(first, "host.git_revision");
}

/* A case that did not run has no figure at all: null is not 0. */
static void a_skip_has_a_reason_and_no_figures(void **state)
{
	struct result skipped = { .status = RESULT_SKIPPED,
				  .bench = &bench_without_params,
				  .options = &given,
				  .reason = "the kernel has no \"fentry\"",
				  .steal_ns = -1 };
	json_t *root = round_trip(&skipped, 1);
	const json_t *result = at(root, "results.0");

	(void)state;
	assert_text(result, "status", "skipped");
	assert_text(result, "reason", "the kernel has no \"fentry\"");
	assert_null_at(result, "trigger");
	assert_null_at(result, "setup_ns");
	assert_null_at(result, "ops_per_pass");
	assert_null_at(result, "passes_per_batch");
	assert_null_at(result, "pieces_per_batch");
	assert_null_at(result, "attempts");
	assert_null_at(result, "insn");
	assert_null_at(result, "cost_ns");
	assert_null_at(result, "rate_per_sec");
	assert_null_at(result, "quantiles_ns");
	assert_null_at(result, "disturbance");
	assert_int_equal(json_object_size(at(result, "parameters")), 0);
	assert_int_equal(json_array_size(at(result, "intervals")), 0);
	json_decref(root);
}

/* Warm-up does not count: rates that rest on nothing else are not known. */
static void warmup_alone_makes_no_rate(void **state)
{
	struct result result = full_result();
	json_t *root;

	(void)state;
	result.nr_intervals = 1;
	root = round_trip(&result, 1);
	assert_null_at(root, "results.0.rate_per_sec.raw");
	json_decref(root);
}

static void every_result_is_listed_in_order(void **state)
{
	struct result results[] = { full_result(), full_result(), full_result() };
	json_t *root;

	(void)state;
	results[1].status = RESULT_INTERRUPTED;
	results[2].status = RESULT_FAILED;
	root = round_trip(results, 3);
	assert_int_equal(json_array_size(at(root, "results")), 3);
	assert_text(root, "results.0.status", "ok");
	assert_text(root, "results.1.status", "interrupted");
	assert_text(root, "results.2.status", "failed");
	json_decref(root);

	root = round_trip(NULL, 0);
	assert_int_equal(json_array_size(at(root, "results")), 0);
	json_decref(root);
}

static void nan_and_inf_become_null(void **state)
{
	struct result result = full_result();
	json_t *root;

	(void)state;
	result.cost_ns[BENCH_REAL].p99 = (double)NAN;
	result.hits.stddev = (double)INFINITY;
	root = round_trip(&result, 1);
	assert_null_at(root, "results.0.cost_ns.raw.p99");
	assert_null_at(root, "results.0.rate_per_sec.raw.hits.stddev");
	json_decref(root);
}

static size_t allocations_left;

static void *scarce_malloc(size_t size)
{
	return allocations_left && allocations_left-- ? malloc(size) : NULL;
}

/* Wherever memory runs out, it is an error: never a document with a hole. */
static void without_memory_there_is_no_document(void **state)
{
	struct result result = full_result();
	const char *path = path_of("scarce.json");
	json_malloc_t old_malloc;
	json_free_t old_free;
	off_t whole;
	size_t enough;
	int err;

	(void)state;
	assert_int_equal(write_results(path, &result, 1), 0);
	whole = file_size(path);
	unlink(path);

	json_get_alloc_funcs(&old_malloc, &old_free);
	json_set_alloc_funcs(scarce_malloc, free);
	for (enough = 0; enough < 100000; enough += 3) {
		allocations_left = enough;
		err = write_results(path, &result, 1);
		if (!err)
			break;
		if (err != -ENOMEM || file_size(path) != -1)
			break;
	}
	json_set_alloc_funcs(old_malloc, old_free);

	assert_int_equal(err, 0);
	assert_true(enough > 100);
	assert_int_equal(file_size(path), whole);
	unlink(path);
}

static void text_that_is_no_utf8_is_repaired(void **state)
{
	struct result result = full_result();
	json_t *root;

	(void)state;
	/* A lone byte, a good character, a surrogate, control characters, a cut-off character. */
	strcpy(result.reason, "a\xff µ \xed\xa0\x80 \"\\\n\x01 \xe2\x89");
	root = round_trip(&result, 1);
	assert_text(root, "results.0.reason", "a� µ ��� \"\\\n\x01 ��");
	json_decref(root);
}

/* Where the document goes */

static void opening_a_bad_path_fails_and_names_it(void **state)
{
	struct output *output = NULL;

	(void)state;
	assert_int_equal(output_open(path_of("no/such/folder.json"), &output), -ENOENT);
	assert_non_null(strstr(error_text(), "/no/such/folder.json: No such file or directory"));
	assert_int_equal(output_open(folder, &output), -EISDIR);
	assert_non_null(strstr(error_text(), folder));
	assert_int_equal(output_open("", &output), -ENOENT);
	assert_null(output);
}

static void a_full_disk_is_an_error_that_names_the_file(void **state)
{
	struct result result = full_result();

	(void)state;
	assert_int_equal(write_results("/dev/full", &result, 1), -ENOSPC);
	assert_string_equal(error_text(), "cannot write to /dev/full: No space left on device");
	assert_int_equal(access("/dev/full", F_OK), 0);
}

/* No file may grow beyond the limit: the disk is full in the middle of the document. */
static int write_with_little_space(const char *path, rlim_t limit)
{
	struct result result = full_result();
	struct rlimit before, small;
	int err;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = limit;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	err = write_results(path, &result, 1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	return err;
}

static void no_half_a_document_is_left(void **state)
{
	const char *path = path_of("half.json");

	(void)state;
	assert_int_equal(write_with_little_space(path, 1000), -EFBIG);
	assert_non_null(strstr(error_text(), path));
	assert_int_equal(file_size(path), -1);

	/* What was there is worth more than nothing. */
	put_file(path, "{\"old\": true}");
	assert_int_equal(write_with_little_space(path, 1000), -EFBIG);
	assert_int_equal(file_size(path), 13);
	unlink(path);
}

static void an_old_file_is_kept_until_the_result_is_there(void **state)
{
	const char *path = path_of("old.json");
	struct result result = full_result();
	struct output *output;
	json_t *root;

	(void)state;
	put_file(path, "old");
	assert_int_equal(output_open(path, &output), 0);
	assert_int_equal(file_size(path), 3);
	output_discard(output);
	assert_int_equal(file_size(path), 3);

	/* Longer than the document: nothing of it may stay behind. */
	put_file(path, "old");
	assert_int_equal(truncate(path, 1 << 20), 0);
	assert_int_equal(write_results(path, &result, 1), 0);
	root = json_load_file(path, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	unlink(path);
}

static void a_new_file_without_a_result_is_removed(void **state)
{
	const char *path = path_of("new.json");
	struct output *output;

	(void)state;
	assert_int_equal(output_open(path, &output), 0);
	assert_int_equal(file_size(path), 0);
	output_discard(output);
	assert_int_equal(file_size(path), -1);
	output_discard(NULL);
}

static void a_file_that_took_the_name_is_not_removed(void **state)
{
	const char *path = path_of("taken.json");
	struct output *output;

	(void)state;
	assert_int_equal(output_open(path, &output), 0);
	unlink(path);
	put_file(path, "another's");
	output_discard(output);
	assert_int_equal(file_size(path), 9);
	unlink(path);
}

static void a_symbolic_link_stays_one(void **state)
{
	char target[PATH_MAX];
	struct result result = full_result();
	const char *path;
	struct stat st;

	(void)state;
	snprintf(target, sizeof(target), "%s", path_of("target.json"));
	path = path_of("link.json");
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(write_results(path, &result, 1), 0);
	assert_true(!lstat(path, &st) && S_ISLNK(st.st_mode));
	assert_true(file_size(target) > 0);
	unlink(path);
	unlink(target);
}

/* Run in a child whose stdout is fd; returns its exit status, 0 for success. */
static int write_to_stdout(int fd, const char *printed_before)
{
	struct result result = full_result();
	int status = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		if (fd < 0)
			close(STDOUT_FILENO);
		else
			dup2(fd, STDOUT_FILENO);
		printf("%s", printed_before);
		_exit(-write_results("-", &result, 1));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void dash_is_stdout_after_what_was_printed(void **state)
{
	const char *path = path_of("stdout");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char start[12] = "";
	json_t *root;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write_to_stdout(fd, "Summary\n"), 0);
	assert_int_equal(pread(fd, start, 10, 0), 10);
	assert_string_equal(start, "Summary\n{\n");
	assert_int_equal(lseek(fd, 8, SEEK_SET), 8);
	root = json_loadfd(fd, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	close(fd);
	unlink(path);
}

static void stdout_that_is_full_or_closed_is_an_error(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(write_to_stdout(full, ""), ENOSPC);
	assert_int_equal(write_to_stdout(-1, ""), EBADF);
	close(full);
}

static void a_pipe_takes_the_document_in_pieces(void **state)
{
	struct result results[] = { full_result(), full_result(), full_result(), full_result(),
				    full_result(), full_result(), full_result(), full_result() };
	const char *path = path_of("pipe");
	json_t *root;
	pid_t child;
	int fd, status = -1;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	child = fork();
	if (!child)
		_exit(write_results(path, results, ARRAY_SIZE(results)) ? 1 : 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	root = json_loadfd(fd, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(root, "results")), ARRAY_SIZE(results));
	json_decref(root);
	close(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	unlink(path);
}

static int run_document_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_it_is),
		cmocka_unit_test(names_the_case),
		cmocka_unit_test(parameters_are_numbers_and_words),
		cmocka_unit_test(options_are_as_asked),
		cmocka_unit_test(cpus_used_cross_words_of_the_set),
		cmocka_unit_test(costs_are_raw_overhead_net),
		cmocka_unit_test(cpu_time_is_beside_wall_time),
		cmocka_unit_test(quantiles_are_percentiles),
		cmocka_unit_test(rates_are_per_second),
		cmocka_unit_test(intervals_keep_their_order),
		cmocka_unit_test(an_interval_is_complete),
		cmocka_unit_test(one_block_has_no_interval),
		cmocka_unit_test(losses_stand_by_cause),
		cmocka_unit_test(programs_have_their_sizes),
		cmocka_unit_test(counters_stand_by_name),
		cmocka_unit_test(notes_and_disturbance),
		cmocka_unit_test(host_facts_or_null),
		cmocka_unit_test(a_skip_has_a_reason_and_no_figures),
		cmocka_unit_test(warmup_alone_makes_no_rate),
		cmocka_unit_test(every_result_is_listed_in_order),
		cmocka_unit_test(nan_and_inf_become_null),
		cmocka_unit_test(text_that_is_no_utf8_is_repaired),
		cmocka_unit_test(without_memory_there_is_no_document),
	};

	return cmocka_run_group_tests_name("json document", tests, read_full_result, drop_document);
}

static int run_output_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opening_a_bad_path_fails_and_names_it),
		cmocka_unit_test(a_full_disk_is_an_error_that_names_the_file),
		cmocka_unit_test(no_half_a_document_is_left),
		cmocka_unit_test(an_old_file_is_kept_until_the_result_is_there),
		cmocka_unit_test(a_new_file_without_a_result_is_removed),
		cmocka_unit_test(a_file_that_took_the_name_is_not_removed),
		cmocka_unit_test(a_symbolic_link_stays_one),
		cmocka_unit_test(dash_is_stdout_after_what_was_printed),
		cmocka_unit_test(stdout_that_is_full_or_closed_is_an_error),
		cmocka_unit_test(a_pipe_takes_the_document_in_pieces),
	};

	return cmocka_run_group_tests_name("json output", tests, NULL, NULL);
}

int main(void)
{
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = run_document_tests() + run_output_tests();
	/* Not empty: a test left something behind. */
	return rmdir(folder) || failed;
}
