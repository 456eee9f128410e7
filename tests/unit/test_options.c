// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"
#include "harness/option_table.h"
#include "harness/options.h"

/*
 * Benchmarks of our own, which never run. They are registered as real ones are, and beside those
 * that are linked in; names and parameters begin with zz, so that they cannot be mixed up.
 */
static const char *const tree_words[] = { "oak", "ash", "yew", NULL };

struct wide_params {
	u64 zz_maps;
	u64 zz_tree;
	u64 zz_any;
	u64 zz_keys_used;
};

static u64 most_keys(const void *params)
{
	const struct wide_params *p = params;

	return p->zz_any ? p->zz_any : UINT64_MAX;
}

static const struct bench_param wide_table[] = {
	BENCH_UINT(zz_maps, struct wide_params, 8, 1, 1000, "maps"),
	BENCH_CHOICE(zz_tree, struct wide_params, 1, tree_words, "which tree"),
	BENCH_UINT(zz_any, struct wide_params, 0, 0, UINT64_MAX, "anything"),
	BENCH_UINT_UP_TO(zz_keys_used, struct wide_params, 500, 1, 4000000, most_keys, "keys"),
	{ 0 },
};

/* What validate() of the wide benchmark saw last, and what it is to say. */
static struct wide_params seen;
static unsigned int seen_producers, nr_validated;
static bool validate_refuses;

static int wide_validate(const void *params, unsigned int nr_producers)
{
	memcpy(&seen, params, sizeof(seen));
	seen_producers = nr_producers;
	nr_validated++;
	return validate_refuses ? error_set(E_USAGE, "--zz_maps: no") : 0;
}

BENCH(zz_wide){
	.name = "zz-wide-get",
	.summary = "reads all of it",
	.params_size = sizeof(struct wide_params),
	.params = wide_table,
	.validate = wide_validate,
};

/* The same name, another row. */
struct narrow_params {
	u64 other;
	u64 zz_maps;
};

static const struct bench_param narrow_table[] = {
	BENCH_UINT(zz_maps, struct narrow_params, 3, 2, 4, "few maps"),
	{ 0 },
};

BENCH(zz_narrow){
	.name = "zz-narrow-get",
	.params_size = sizeof(struct narrow_params),
	.params = narrow_table,
	.has_consumers = true,
};

static int user_batch(struct bench_producer *producer, enum bench_variant variant, u64 passes,
		      struct bench_counts *done)
{
	(void)producer, (void)variant, (void)passes, (void)done;
	return 0;
}

/* Neither parameters nor a BPF program. */
BENCH(zz_user){
	.name = "zz-a-user",
	.batch = user_batch,
};

/* Watches others, and takes a command. */
struct watcher_params {
	const char *zz_text;
	u64 zz_flag;
};

static const struct bench_param watcher_table[] = {
	BENCH_TEXT(zz_text, struct watcher_params, "any words"),
	BENCH_FLAG(zz_flag, struct watcher_params, "or not"),
	{ 0 },
};

static const struct bench_watcher taking_command = { .takes_command = true };
static const struct bench_watcher taking_none = { .takes_command = false };

BENCH(zz_watcher){
	.name = "zz-watch",
	.params_size = sizeof(struct watcher_params),
	.params = watcher_table,
	.watcher = &taking_command,
};

BENCH(zz_loner){
	.name = "zz-loner",
	.watcher = &taking_none,
};

#define WORDS(...) ((char *[]){ "bench", __VA_ARGS__, NULL })
#define NR_WORDS(...) ((int)ARRAY_SIZE(WORDS(__VA_ARGS__)) - 1)

static void refused(int argc, char **argv, const char *why)
{
	struct options options;

	assert_int_equal(options_parse(argc, argv, &options), -E_USAGE);
	assert_string_equal(error_text(), why);
	options_free(&options);
}

static struct options accepted(int argc, char **argv)
{
	struct options options;

	if (options_parse(argc, argv, &options))
		fail_msg("refused: %s", error_text());
	return options;
}

/* The text comes first, as the words of a command line are as many as there are. */
#define REFUSED(why, ...) refused(NR_WORDS(__VA_ARGS__), WORDS(__VA_ARGS__), why)
#define ACCEPTED(...) accepted(NR_WORDS(__VA_ARGS__), WORDS(__VA_ARGS__))

static void test_defaults(void **state)
{
	struct options options = ACCEPTED("zz-wide-get");
	const struct wide_params *params = options.params;

	(void)state;
	assert_ptr_equal(options.bench, &zz_wide);
	assert_int_equal(options.duration_sec, 5);
	assert_int_equal(options.warmup_sec, 1);
	assert_int_equal(options.nr_producers, 1);
	assert_int_equal(options.nr_consumers, 0);
	assert_int_equal(options.trigger, TRIGGER_AUTO);
	assert_null(options.json_path);
	assert_int_equal(options.prod_cpus.n, 0);
	assert_int_equal(options.cons_cpus.n, 0);
	assert_false(options.affinity || options.verbose || options.quiet || options.list ||
		     options.help || options.version || options.stacktrace);
	assert_int_equal(params->zz_maps, 8);
	assert_int_equal(params->zz_tree, 1);
	assert_int_equal(params->zz_any, 0);
	assert_int_equal(params->zz_keys_used, 500);
	assert_int_equal(options.params_given, 0);
	options_free(&options);
}

static void test_all_core_options(void **state)
{
	struct options options =
		ACCEPTED("-d", "7", "-w", "0", "-p", "3", "-c", "2", "-v", "-a", "-q", "--trigger",
			 "raw_tp", "--json", "-", "zz-narrow-get");

	(void)state;
	assert_int_equal(options.duration_sec, 7);
	assert_int_equal(options.warmup_sec, 0);
	assert_int_equal(options.nr_producers, 3);
	assert_int_equal(options.nr_consumers, 2);
	assert_true(options.verbose && options.affinity && options.quiet);
	assert_int_equal(options.trigger, TRIGGER_RAW_TP);
	assert_string_equal(options.json_path, "-");
	options_free(&options);
}

static void test_short_options_in_one_word(void **state)
{
	struct options options = ACCEPTED("-vqap3", "-d7", "zz-wide-get");

	(void)state;
	assert_true(options.verbose && options.quiet && options.affinity);
	assert_int_equal(options.nr_producers, 3);
	assert_int_equal(options.duration_sec, 7);
	options_free(&options);
}

/* zz_maps to 16 and -p to 2, wherever the options stand. */
static void is_sixteen(struct options options)
{
	const struct wide_params *params = options.params;

	assert_ptr_equal(options.bench, &zz_wide);
	assert_int_equal(params->zz_maps, 16);
	assert_int_equal(options.nr_producers, 2);
	assert_int_equal(options.params_given, 1);
	options_free(&options);
}

static void test_order(void **state)
{
	(void)state;
	is_sixteen(ACCEPTED("--zz_maps", "16", "-p", "2", "zz-wide-get"));
	is_sixteen(ACCEPTED("zz-wide-get", "--zz_maps", "16", "-p", "2"));
	is_sixteen(ACCEPTED("-p2", "zz-wide-get", "--zz_maps", "16"));
	is_sixteen(ACCEPTED("--zz_maps=16", "--producers=2", "zz-wide-get"));
	is_sixteen(ACCEPTED("--zz_maps=16", "--producers", "2", "--", "zz-wide-get"));
	is_sixteen(ACCEPTED("--zz_ma", "16", "--produ", "2", "zz-wide-get"));
}

static void test_order_with_posixly_correct(void **state)
{
	(void)state;
	setenv("POSIXLY_CORRECT", "1", 1);
	is_sixteen(ACCEPTED("zz-wide-get", "--zz_maps", "16", "-p", "2"));
	unsetenv("POSIXLY_CORRECT");
}

static void test_command_line_is_left_as_it_is(void **state)
{
	char *argv[] = { "bench", "zz-wide-get", "--zz_maps", "16", NULL };
	struct options options = accepted(4, argv);

	(void)state;
	assert_string_equal(argv[1], "zz-wide-get");
	assert_string_equal(argv[2], "--zz_maps");
	assert_string_equal(argv[3], "16");
	options_free(&options);
}

static void test_last_one_counts(void **state)
{
	struct options options;
	const struct wide_params *params;

	(void)state;
	options = ACCEPTED("-p", "2", "--zz_maps", "5", "zz-wide-get", "--zz_tree", "oak",
			   "--zz_maps=6", "--producers", "9", "--zz_tree=yew", "--trigger",
			   "fentry", "--trigger", "test_run", "--json", "a", "--json", "b");
	params = options.params;
	assert_int_equal(options.nr_producers, 9);
	assert_int_equal(params->zz_maps, 6);
	assert_int_equal(params->zz_tree, 2);
	assert_int_equal(options.trigger, TRIGGER_TEST_RUN);
	assert_string_equal(options.json_path, "b");
	options_free(&options);

	REFUSED("-p: 'abc' is not a number in plain digits (1 to 65535)", "zz-wide-get", "-p",
		"abc", "-p", "2");
}

static void test_own_row_counts(void **state)
{
	struct options options = ACCEPTED("--zz_maps", "4", "zz-narrow-get");
	const struct narrow_params *params = options.params;

	(void)state;
	assert_int_equal(params->zz_maps, 4);
	assert_int_equal(params->other, 0);
	assert_int_equal(options.params_given, 1);
	options_free(&options);
	REFUSED("--zz_maps: '16' is not in the range 2 to 4", "--zz_maps", "16", "zz-narrow-get");
	REFUSED("--zz_maps: '1' is not in the range 2 to 4", "zz-narrow-get", "--zz_maps", "1");
}

static void test_params_given(void **state)
{
	struct options options =
		ACCEPTED("zz-wide-get", "--zz_keys_used", "500", "--zz_tree", "ash");

	(void)state;
	assert_int_equal(options.params_given, 1 << 3 | 1 << 1);
	assert_int_equal(seen.zz_keys_used, 500);
	options_free(&options);
}

static void test_a_default_is_cut_down_to_what_fits(void **state)
{
	struct options options;

	(void)state;
	for (int order = 0; order < 2; order++) {
		options = order ? ACCEPTED("--zz_any", "7", "zz-wide-get")
				: ACCEPTED("zz-wide-get", "--zz_any", "7");
		assert_int_equal(seen.zz_keys_used, 7);
		assert_int_equal(((const struct wide_params *)options.params)->zz_keys_used, 7);
		assert_int_equal(options.params_given, 1 << 2);
		options_free(&options);
	}
	options = ACCEPTED("zz-wide-get", "--zz_any", "501");
	assert_int_equal(seen.zz_keys_used, 500);
	options_free(&options);
	/* What was asked for is left for validate() to refuse. */
	options = ACCEPTED("zz-wide-get", "--zz_any", "7", "--zz_keys_used", "500");
	assert_int_equal(seen.zz_keys_used, 500);
	options_free(&options);
}

static void test_ends_of_ranges(void **state)
{
	struct options options;

	(void)state;
	options = ACCEPTED("zz-wide-get", "--zz_maps", "1", "-p", "65535", "-d", "86400", "-w",
			   "86400");
	assert_int_equal(options.nr_producers, 65535);
	assert_int_equal(options.duration_sec, 86400);
	assert_int_equal(options.warmup_sec, 86400);
	assert_int_equal(seen.zz_maps, 1);
	options_free(&options);
	options = ACCEPTED("zz-wide-get", "--zz_maps", "1000", "--zz_any", "18446744073709551615");
	assert_int_equal(seen.zz_maps, 1000);
	assert_true(seen.zz_any == UINT64_MAX);
	options_free(&options);
}

static void test_bad_parameter_numbers(void **state)
{
	(void)state;
	REFUSED("--zz_maps: '0' is not in the range 1 to 1000", "--zz_maps", "0", "zz-wide-get");
	REFUSED("--zz_maps: '-1' is not in the range 1 to 1000", "--zz_maps", "-1", "zz-wide-get");
	REFUSED("--zz_maps: '1001' is not in the range 1 to 1000", "--zz_maps=1001", "zz-wide-get");
	REFUSED("--zz_maps: '1e9' is not a number in plain digits (1 to 1000)", "--zz_maps", "1e9",
		"zz-wide-get");
	REFUSED("--zz_maps: '12abc' is not a number in plain digits (1 to 1000)", "zz-wide-get",
		"--zz_maps=12abc");
	REFUSED("--zz_maps: '' is not a number in plain digits (1 to 1000)", "--zz_maps", "",
		"zz-wide-get");
	REFUSED("--zz_maps: '' is not a number in plain digits (1 to 1000)",
		"--zz_maps=", "zz-wide-get");
	REFUSED("--zz_maps: ' 5' is not a number in plain digits (1 to 1000)", "--zz_maps", " 5",
		"zz-wide-get");
	REFUSED("--zz_maps: '+5' is not a number in plain digits (1 to 1000)", "--zz_maps", "+5",
		"zz-wide-get");
	REFUSED("--zz_maps: '18446744073709551616' is not in the range 1 to 1000", "--zz_maps",
		"18446744073709551616", "zz-wide-get");
	REFUSED("--zz_maps: '18446744073709551615' is not in the range 1 to 1000", "--zz_maps",
		"18446744073709551615", "zz-wide-get");
	/* 2^64 + 5 would be 5 if it wrapped. */
	REFUSED("--zz_maps: '18446744073709551621' is not in the range 1 to 1000", "--zz_maps",
		"18446744073709551621", "zz-wide-get");
	REFUSED("--zz_any: '18446744073709551616' is not in the range 0 to 18446744073709551615",
		"--zz_any", "18446744073709551616", "zz-wide-get");
}

static void test_core_ranges(void **state)
{
	(void)state;
	REFUSED("-p: 'abc' is not a number in plain digits (1 to 65535)", "-p", "abc",
		"zz-wide-get");
	REFUSED("--producers: 'abc' is not a number in plain digits (1 to 65535)", "--produ=abc",
		"zz-wide-get");
	REFUSED("-p: '0' is not in the range 1 to 65535", "-p", "0", "zz-wide-get");
	REFUSED("-p: '-1' is not in the range 1 to 65535", "-p", "-1", "zz-wide-get");
	REFUSED("-p: '65536' is not in the range 1 to 65535", "-p65536", "zz-wide-get");
	REFUSED("-p: '4294967297' is not in the range 1 to 65535", "-p", "4294967297",
		"zz-wide-get");
	REFUSED("-p: '18446744073709551616' is not in the range 1 to 65535", "-p",
		"18446744073709551616", "zz-wide-get");
	REFUSED("-d: '5x' is not a number in plain digits (0 to 86400)", "-d", "5x", "zz-wide-get");
	REFUSED("--duration: '86401' is not in the range 0 to 86400", "--duration", "86401",
		"zz-wide-get");
	REFUSED("-w: '1.5' is not a number in plain digits (0 to 86400)", "-w", "1.5",
		"zz-wide-get");
	REFUSED("--warmup: '86401' is not in the range 0 to 86400", "--warmup=86401",
		"zz-wide-get");
	REFUSED("-c: '65536' is not in the range 0 to 65535", "-c", "65536", "zz-narrow-get");
}

static void test_missing_values(void **state)
{
	(void)state;
	REFUSED("-p: needs a value", "zz-wide-get", "-p");
	REFUSED("--producers: needs a value", "zz-wide-get", "--producers");
	REFUSED("--zz_maps: needs a value", "zz-wide-get", "--zz_maps");
	REFUSED("--json: needs a value", "zz-wide-get", "--json");
	REFUSED("-p: '--zz_maps' is not a number in plain digits (1 to 65535)", "-p", "--zz_maps",
		"zz-wide-get");
}

static void test_superfluous_values(void **state)
{
	(void)state;
	REFUSED("--list: takes no value, but was given '5'", "--list=5");
	REFUSED("--verbose: takes no value, but was given ''", "--verb=", "zz-wide-get");
}

static void test_unknown_benchmark(void **state)
{
	(void)state;
	REFUSED("unknown benchmark 'zz-wide-gte', did you mean zz-wide-get? "
		"(`bench -l` lists them)",
		"zz-wide-gte");
	REFUSED("unknown benchmark 'zz-wide' (`bench -l` lists them)", "zz-wide");
	REFUSED("unknown benchmark 'nothing like it at all' (`bench -l` lists them)",
		"nothing like it at all");
	REFUSED("unknown benchmark '' (`bench -l` lists them)", "");
	REFUSED("unknown benchmark '-' (`bench -l` lists them)", "-");
	REFUSED("unknown benchmark 'a?b' (`bench -l` lists them)", "a\nb");
}

static void test_number_of_names(void **state)
{
	(void)state;
	REFUSED("which benchmark? Name one (`bench -l` lists them)", "-p", "2");
	REFUSED("which benchmark? Name one (`bench -l` lists them)", "--");
	refused(1, (char *[]){ "bench", NULL },
		"which benchmark? Name one (`bench -l` lists them)");
	refused(0, (char *[]){ NULL }, "which benchmark? Name one (`bench -l` lists them)");
	REFUSED("more than one benchmark named: 'zz-wide-get' and 'zz-a-user'", "zz-wide-get", "-p",
		"2", "zz-a-user");
	REFUSED("more than one benchmark named: 'zz-wide-get' and 'zz-wide-get'", "zz-wide-get",
		"--", "zz-wide-get");
	REFUSED("more than one benchmark named: 'zz-wide-get' and '16'", "zz-wide-get", "16");
}

static void test_unknown_option(void **state)
{
	(void)state;
	REFUSED("unknown option '--durtion', did you mean --duration? "
		"(`bench --help` lists them)",
		"--durtion", "5", "zz-wide-get");
	REFUSED("unknown option '--durtion', did you mean --duration? "
		"(`bench --help` lists them)",
		"zz-wide-get", "--durtion=5");
	REFUSED("unknown option '--zz-maps', did you mean --zz_maps? "
		"(`bench --help` lists them)",
		"zz-wide-get", "--zz-maps=5");
	REFUSED("unknown option '--nothing-like-it' (`bench --help` lists them)",
		"--nothing-like-it", "zz-wide-get");
	REFUSED("unknown option '-x' (`bench --help` lists them)", "-x", "zz-wide-get");
	REFUSED("unknown option '-x' (`bench --help` lists them)", "-vxq", "zz-wide-get");
	REFUSED("unknown option '-5' (`bench --help` lists them)", "zz-wide-get", "-5");
	REFUSED("unknown option '-?' (`bench --help` lists them)", "-\xc2\xb5", "zz-wide-get");
	REFUSED("unknown option '-:' (`bench --help` lists them)", "-:", "zz-wide-get");
	REFUSED("unknown option '-?' (`bench --help` lists them)", "-?", "zz-wide-get");
	REFUSED("unknown option '-?' (`bench --help` lists them)", "-\x01", "zz-wide-get");
}

static void test_ambiguous_option(void **state)
{
	(void)state;
	REFUSED("option '--prod' is ambiguous: --producers, --prod-affinity", "--prod", "2",
		"zz-wide-get");
	REFUSED("option '--prod' is ambiguous: --producers, --prod-affinity", "--prod=2",
		"zz-wide-get");
}

static void test_option_of_another_benchmark(void **state)
{
	(void)state;
	REFUSED("--zz_maps: zz-a-user does not have this option, which is for: "
		"zz-narrow-get, zz-wide-get",
		"zz-a-user", "--zz_maps", "16");
	REFUSED("--zz_tree: zz-narrow-get does not have this option, which is for: zz-wide-get",
		"--zz_tre", "oak", "zz-narrow-get");
	REFUSED("--zz_maps: needs the name of a benchmark that has it: zz-narrow-get, zz-wide-get",
		"-l", "--zz_maps", "16");
}

static void test_choices(void **state)
{
	(void)state;
	REFUSED("--zz_tree: 'elm' is none of oak, ash, yew", "--zz_tree", "elm", "zz-wide-get");
	REFUSED("--zz_tree: '' is none of oak, ash, yew", "--zz_tree=", "zz-wide-get");
	REFUSED("--zz_tree: 'oa' is none of oak, ash, yew", "--zz_tree=oa", "zz-wide-get");
	REFUSED("--trigger: 'kprobe' is none of auto, test_run, fentry, raw_tp", "--trigger",
		"kprobe", "zz-wide-get");
	REFUSED("--trigger: '' is none of auto, test_run, fentry, raw_tp",
		"--trigger=", "zz-wide-get");
}

static void test_trigger_needs_a_program(void **state)
{
	(void)state;
	REFUSED("--trigger: zz-a-user runs in user space and has no BPF program to fire",
		"zz-a-user", "--trigger", "fentry");
	REFUSED("--trigger: zz-a-user runs in user space and has no BPF program to fire",
		"--trigger=auto", "zz-a-user");
}

static void test_consumers(void **state)
{
	struct options options = ACCEPTED("zz-wide-get", "-c", "0");

	(void)state;
	options_free(&options);
	REFUSED("-c: '1' is not possible, zz-wide-get has no consumers", "-c", "1", "zz-wide-get");
	REFUSED("-c: 'one' is not a number in plain digits (0 to 65535)", "-c", "one",
		"zz-wide-get");
}

static void test_stacktrace(void **state)
{
	(void)state;
	REFUSED("-s: no benchmark here captures stack traces", "-s", "zz-wide-get");
	REFUSED("-s: no benchmark here captures stack traces", "zz-wide-get", "--stacktrace");
}

static void test_json_path(void **state)
{
	(void)state;
	REFUSED("--json: the path is empty", "--json", "", "zz-wide-get");
	REFUSED("--json: the path is empty", "--json=", "zz-wide-get");
}

static void test_cpu_lists(void **state)
{
	struct options options;
	struct cpu_list usable;
	char first[16];

	(void)state;
	assert_int_equal(cpu_list_online(&usable), 0);
	snprintf(first, sizeof(first), "%u", usable.cpu[0]);
	cpu_list_free(&usable);

	options = ACCEPTED("--prod-affinity", first, "zz-wide-get");
	assert_true(options.affinity);
	assert_int_equal(options.prod_cpus.n, 1);
	assert_int_equal(options.cons_cpus.n, 0);
	options_free(&options);
	options = ACCEPTED("zz-wide-get", "--cons-affinity", first);
	assert_true(options.affinity);
	assert_int_equal(options.prod_cpus.n, 0);
	assert_int_equal(options.cons_cpus.n, 1);
	options_free(&options);
	/* The first list must not be lost when the second replaces it. */
	options = ACCEPTED("--prod-affinity", first, "zz-wide-get", "--prod-affinity", first);
	assert_int_equal(options.prod_cpus.n, 1);
	options_free(&options);
}

static void test_bad_cpu_lists(void **state)
{
	struct options options;

	(void)state;
	REFUSED("--prod-affinity: CPU list '0,x': 'x' is not a CPU number or a range of them",
		"--prod-affinity", "0,x", "zz-wide-get");
	REFUSED("--cons-affinity: CPU list '': empty", "--cons-affinity=", "zz-wide-get");
	REFUSED("--prod-affinity: CPU list '3-1': the range '3-1' is the wrong way round",
		"--prod-affinity", "3-1", "zz-wide-get");
	assert_int_equal(options_parse(NR_WORDS("--prod-affinity", "99999", "zz-wide-get"),
				       WORDS("--prod-affinity", "99999", "zz-wide-get"), &options),
			 -E_USAGE);
	assert_ptr_equal(strstr(error_text(),
				"--prod-affinity: CPU list '99999': CPU 99999 is not online or not "
				"allowed here (usable: "),
			 error_text());
	options_free(&options);
}

static void test_validate(void **state)
{
	struct options options;

	(void)state;
	nr_validated = 0;
	options = ACCEPTED("zz-wide-get", "--zz_maps", "17", "-p", "4");
	assert_int_equal(nr_validated, 1);
	assert_int_equal(seen.zz_maps, 17);
	assert_int_equal(seen.zz_keys_used, 500);
	assert_int_equal(seen_producers, 4);
	options_free(&options);

	validate_refuses = true;
	REFUSED("--zz_maps: no", "zz-wide-get");
	validate_refuses = false;
	assert_int_equal(nr_validated, 2);

	/* Only what is otherwise right is shown to the benchmark. */
	REFUSED("--zz_maps: '0' is not in the range 1 to 1000", "zz-wide-get", "--zz_maps", "0");
	options = ACCEPTED("zz-wide-get", "-l");
	options_free(&options);
	assert_int_equal(nr_validated, 2);
}

static void test_list_help_version(void **state)
{
	struct options options;

	(void)state;
	options = ACCEPTED("-l", "-v");
	assert_true(options.list && options.verbose);
	assert_null(options.bench);
	options_free(&options);
	options = ACCEPTED("--version");
	assert_true(options.version);
	options_free(&options);
	options = ACCEPTED("-V");
	assert_true(options.version);
	options_free(&options);
	options = ACCEPTED("-h");
	assert_true(options.help);
	options_free(&options);
	options = ACCEPTED("zz-wide-get", "--help");
	assert_true(options.help);
	assert_ptr_equal(options.bench, &zz_wide);
	options_free(&options);
}

/* --help can be put behind a command line that was refused for a value. */
static void test_help_beats_values(void **state)
{
	struct options options;

	(void)state;
	options = ACCEPTED("zz-wide-get", "--zz_maps", "0", "-p", "abc", "-s", "--help");
	options_free(&options);
	REFUSED("unknown option '--durtion', did you mean --duration? "
		"(`bench --help` lists them)",
		"zz-wide-get", "--durtion", "--help");
	REFUSED("unknown benchmark 'zz-wide-gte', did you mean zz-wide-get? "
		"(`bench -l` lists them)",
		"zz-wide-gte", "--help");
}

/* A value as long as one likes: one line, and what is wrong is still there at its end. */
static void test_endless_value(void **state)
{
	static char value[100000];
	char text[256];

	(void)state;
	memset(value, '9', sizeof(value) - 1);
	snprintf(text, sizeof(text), "--zz_maps: '%.64s...' is not in the range 1 to 1000", value);
	REFUSED(text, "--zz_maps", value, "zz-wide-get");
	memcpy(value, "--", 2);
	assert_int_equal(value[sizeof(value) - 1], '\0');
	snprintf(text, sizeof(text), "unknown option '%.64s...' (`bench --help` lists them)",
		 value);
	REFUSED(text, value, "zz-wide-get");
}

static void test_parameter_text(void **state)
{
	const struct wide_params params = { .zz_tree = 2, .zz_any = UINT64_MAX };

	(void)state;
	assert_string_equal(bench_param_text(&wide_table[1], &params), "yew");
	assert_string_equal(bench_param_text(&wide_table[2], &params), "18446744073709551615");
	assert_string_equal(bench_param_text(&wide_table[0], &params), "0");
}

static void test_registry(void **state)
{
	const struct bench *const *all;
	size_t n, counted = 0;

	(void)state;
	all = bench_all(&n);
	assert_true(n >= 3);
	for (size_t i = 1; i < n; i++)
		assert_true(strcmp(all[i - 1]->name, all[i]->name) < 0);
	for_each_bench(bench)
		assert_ptr_equal(bench, all[counted++]);
	assert_int_equal(counted, n);
	assert_ptr_equal(bench_find("zz-wide-get"), &zz_wide);
	assert_null(bench_find("zz-wide"));
	assert_string_equal(bench_nearest("zz-wied-get"), "zz-wide-get");
	assert_null(bench_nearest("nothing like it at all"));
}

static size_t nr_rows(const struct bench *bench)
{
	size_t n = 0;

	while (bench->params && bench->params[n].name)
		n++;
	return n;
}

static void check_row(const struct bench *bench, const struct bench_param *param)
{
	assert_true(param->help && param->help[0]);
	assert_true(param->offset + sizeof(u64) <= bench->params_size);
	assert_int_equal(strspn(param->name, "abcdefghijklmnopqrstuvwxyz0123456789_-"),
			 strlen(param->name));
	assert_ptr_equal(bench_param_find(bench, param->name), param);
	for_each_option_row(row) assert_string_not_equal(row->name, param->name);
	if (param->type == BENCH_PARAM_UINT) {
		assert_true(param->min <= param->def && param->def <= param->max);
		return;
	}
	for (u64 i = 0; param->type == BENCH_PARAM_CHOICE && i <= param->def; i++)
		assert_non_null(param->choices[i]);
}

/* Every benchmark that is linked in, ours or not: what the parser takes for granted. */
static void test_tables_are_sound(void **state)
{
	(void)state;
	for_each_bench(bench) {
		assert_true(nr_rows(bench) <= 64); /* bits of params_given */
		for (size_t i = 0; i < nr_rows(bench); i++)
			check_row(bench, &bench->params[i]);
	}
}

/* What --help prints. The caller frees it. */
static char *help_text(const struct options *options)
{
	FILE *terminal = stdout;
	char *text = NULL;
	size_t size;

	stdout = open_memstream(&text, &size);
	assert_non_null(stdout);
	options_print_help(options);
	fclose(stdout);
	stdout = terminal;
	return text;
}

static void has_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
}

static void test_help_of_all(void **state)
{
	struct options options = ACCEPTED("--help");
	char *text = help_text(&options);

	(void)state;
	has_text(text, "Usage: bench [OPTION]... NAME [-- COMMAND...]\n");
	has_text(
		text,
		"  -d, --duration SEC          seconds to measure, and one more; of what watches\n");
	has_text(text, "how the benchmark's BPF program is fired");
	has_text(text, "[auto]\n");
	has_text(text, "      --prod-affinity CPUSET  CPUs of the producers");
	for_each_option_row(row) has_text(text, row->name);
	for_each_bench(bench) {
		has_text(text, bench->name);
		for (size_t i = 0; i < nr_rows(bench); i++)
			has_text(text, bench->params[i].name);
	}
	free(text);
	options_free(&options);
}

static void test_texts_and_flags(void **state)
{
	struct options options = ACCEPTED("zz-watch");
	const struct watcher_params *params = options.params;

	(void)state;
	assert_null(params->zz_text);
	assert_int_equal(params->zz_flag, 0);
	assert_string_equal(bench_param_text(&watcher_table[0], params), "");
	options_free(&options);

	options = ACCEPTED("--zz_text", "a word", "zz-watch", "--zz_flag");
	params = options.params;
	assert_string_equal(params->zz_text, "a word");
	assert_int_equal(params->zz_flag, 1);
	assert_string_equal(bench_param_text(&watcher_table[0], params), "a word");
	assert_string_equal(bench_param_text(&watcher_table[1], params), "1");
	assert_int_equal(options.params_given, 3);
	options_free(&options);
	REFUSED("--zz_text: needs a value", "zz-watch", "--zz_text");
	REFUSED("--zz_flag: takes no value, but was given '1'", "zz-watch", "--zz_flag=1");
}

static void test_command(void **state)
{
	char **words = WORDS("zz-watch", "-d", "3", "--", "ls", "-l", "--", "zz-a-user");
	struct options options = accepted(9, words);

	(void)state;
	assert_ptr_equal(options.command, &words[5]);
	assert_int_equal(options.duration_sec, 3);
	assert_true(options.duration_given);
	assert_false(options.warmup_given);
	options_free(&options);

	options = ACCEPTED("--", "zz-watch", "ls");
	assert_string_equal(options.command[0], "ls");
	options_free(&options);
	options = ACCEPTED("zz-watch", "--");
	assert_null(options.command);
	options_free(&options);
	REFUSED("zz-loner runs no command, but was given 'ls'", "zz-loner", "--", "ls");
	REFUSED("more than one benchmark named: 'zz-watch' and 'ls'", "zz-watch", "ls");
}

static void test_watchers_have_no_producers(void **state)
{
	(void)state;
	REFUSED("-p: zz-watch watches others and has no producers", "zz-watch", "-p", "2");
	REFUSED("-a: zz-watch watches others and has no producers", "zz-watch", "-a");
	REFUSED("--pad: zz-watch watches others and has no producers", "--pad", "1", "zz-watch");
	REFUSED("--trigger: zz-watch watches others and has no producers", "zz-watch", "--trigger",
		"auto");
	REFUSED("-i: '3' is longer than the duration of 2", "zz-watch", "-i", "3", "-d", "2");
	REFUSED("-i: zz-wide-get has an interval of one second", "zz-wide-get", "-i", "1");
}

static void test_help_of_one(void **state)
{
	struct options options = ACCEPTED("--help", "zz-wide-get");
	char *text = help_text(&options);

	(void)state;
	has_text(text, "\nzz-wide-get\n  reads all of it\n");
	has_text(text, "  --zz_maps NUM               maps (1 to 1000) [8]\n");
	has_text(text, "  --zz_tree WORD              which tree (oak, ash, yew) [ash]\n");
	assert_null(strstr(text, "zz-narrow-get"));
	assert_null(strstr(text, "zz-a-user"));
	free(text);
	options_free(&options);

	options = ACCEPTED("--help", "zz-a-user");
	text = help_text(&options);
	has_text(text, "\nzz-a-user\n  (no parameters)\n");
	free(text);
	options_free(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts_and_flags),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_watchers_have_no_producers),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_all_core_options),
		cmocka_unit_test(test_short_options_in_one_word),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_order_with_posixly_correct),
		cmocka_unit_test(test_command_line_is_left_as_it_is),
		cmocka_unit_test(test_last_one_counts),
		cmocka_unit_test(test_own_row_counts),
		cmocka_unit_test(test_params_given),
		cmocka_unit_test(test_a_default_is_cut_down_to_what_fits),
		cmocka_unit_test(test_ends_of_ranges),
		cmocka_unit_test(test_bad_parameter_numbers),
		cmocka_unit_test(test_core_ranges),
		cmocka_unit_test(test_missing_values),
		cmocka_unit_test(test_superfluous_values),
		cmocka_unit_test(test_unknown_benchmark),
		cmocka_unit_test(test_number_of_names),
		cmocka_unit_test(test_unknown_option),
		cmocka_unit_test(test_ambiguous_option),
		cmocka_unit_test(test_option_of_another_benchmark),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_trigger_needs_a_program),
		cmocka_unit_test(test_consumers),
		cmocka_unit_test(test_stacktrace),
		cmocka_unit_test(test_json_path),
		cmocka_unit_test(test_cpu_lists),
		cmocka_unit_test(test_bad_cpu_lists),
		cmocka_unit_test(test_validate),
		cmocka_unit_test(test_list_help_version),
		cmocka_unit_test(test_help_beats_values),
		cmocka_unit_test(test_endless_value),
		cmocka_unit_test(test_parameter_text),
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_tables_are_sound),
		cmocka_unit_test(test_help_of_all),
		cmocka_unit_test(test_help_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
