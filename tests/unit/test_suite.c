// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "harness/suite.h"

/* A benchmark of our own, which never runs. */
struct params {
	u64 zz_size;
	u64 zz_depth;
};

static const struct bench_param table[] = {
	BENCH_UINT(zz_size, struct params, 8, 1, 1000, "size"),
	BENCH_UINT(zz_depth, struct params, 1, 0, 9, "depth"),
	{ 0 },
};

BENCH(zz_suite){
	.name = "zz-suite",
	.params_size = sizeof(struct params),
	.params = table,
};

static char path[] = "/tmp/test_suite.XXXXXX";

static void write_suite(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static int read_suite(const char *text, struct suite *suite)
{
	const struct options options = { .suite_path = path, .round_ms = 250 };

	write_suite(text, strlen(text));
	return suite_read(&options, suite);
}

static void refused(const char *text, const char *why)
{
	struct suite suite;
	char expected[512];

	assert_int_equal(read_suite(text, &suite), -E_USAGE);
	snprintf(expected, sizeof(expected), "%s%s", path, why);
	assert_string_equal(error_text(), expected);
	suite_free(&suite);
}

static struct suite accepted(const char *text)
{
	struct suite suite;

	if (read_suite(text, &suite))
		fail_msg("refused: %s", error_text());
	return suite;
}

static const struct params *params_of(const struct suite *suite, size_t i)
{
	assert_true(i < suite->n);
	return suite->cases[i].options.params;
}

static void test_rows(void **state)
{
	struct suite suite = accepted("# what it is\n"
				      "\n"
				      "zz-suite\n"
				      " \t zz-suite --zz_size 3 # three\n"
				      "--zz_depth=2\tzz-suite -p 2\r\n"
				      "zz-suite --zz_size 4"); /* no newline */

	(void)state;
	assert_int_equal(suite.n, 4);
	assert_int_equal(params_of(&suite, 0)->zz_size, 8);
	assert_int_equal(params_of(&suite, 1)->zz_size, 3);
	assert_int_equal(params_of(&suite, 2)->zz_depth, 2);
	assert_int_equal(suite.cases[2].options.nr_producers, 2);
	assert_int_equal(params_of(&suite, 3)->zz_size, 4);
	suite_free(&suite);
}

static void test_a_round_is_short(void **state)
{
	struct suite suite = accepted("zz-suite\n");
	const struct options *options = &suite.cases[0].options;

	(void)state;
	assert_int_equal(options->interval_ns, 250 * NSEC_PER_MSEC);
	assert_int_equal(options->longest_interval_ns, NSEC_PER_SEC);
	assert_int_equal(options->warmup_sec, 0);
	assert_int_equal(options->duration_sec, 0);
	suite_free(&suite);
}

static void test_braces(void **state)
{
	static const u64 sizes[] = { 1, 1, 20, 20, 300, 300 }, depths[] = { 4, 5, 4, 5, 4, 5 };
	struct suite suite = accepted("zz-suite --zz_size {1,20,300} --zz_depth {4,5}\n"
				      "zz-suite --zz_size {7}\n");

	(void)state;
	assert_int_equal(suite.n, 7);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_int_equal(params_of(&suite, i)->zz_size, sizes[i]);
		assert_int_equal(params_of(&suite, i)->zz_depth, depths[i]);
	}
	assert_int_equal(params_of(&suite, 6)->zz_size, 7);
	suite_free(&suite);
}

static size_t cases_of(const struct suite *suite, const struct bench *bench)
{
	size_t n = 0;

	for (size_t i = 0; i < suite->n; i++)
		n += suite->cases[i].options.bench == bench;
	return n;
}

static void test_the_rest(void **state)
{
	struct suite suite =
		accepted("zz-suite --zz_size {1,2}\n"
			 "func-latency --func vfs_read\nrunqslower\n* -p 2 # and all others\n"
			 "*\n"
			 "zz-suite\n");
	size_t nr_benches;

	(void)state;
	bench_all(&nr_benches);
	assert_true(nr_benches > 2);
	assert_int_equal(suite.n, nr_benches + 2);
	for_each_bench(bench) {
		assert_int_equal(cases_of(&suite, bench), strcmp(bench->name, "zz-suite") ? 1 : 3);
	}
	assert_int_equal(suite.cases[4].options.nr_producers, 2);
	suite_free(&suite);
	refused("* --pad x", ":1: bpf-for: --pad: 'x' is not a number in plain digits (0 to 64)");
	refused("*zz", ":1: unknown benchmark '*zz' (`bench -l` lists them)");
}

static void test_bad_braces(void **state)
{
	(void)state;
	refused("zz-suite --zz_size {1,2\n",
		":1: braces that do not match, or one pair in another: 'zz-suite --zz_size {1,2'");
	refused("\nzz-suite --zz_size 1,2}",
		":2: braces that do not match, or one pair in another: 'zz-suite --zz_size 1,2}'");
	refused("zz-suite --zz_size {1,{2,3}}",
		":1: braces that do not match, or one pair in another: "
		"'zz-suite --zz_size {1,{2,3}}'");
	refused("zz-suite --zz_size {1,,2}", ":1: an empty choice in 'zz-suite --zz_size {1,,2}'");
	refused("zz-suite --zz_size {}", ":1: an empty choice in 'zz-suite --zz_size {}'");
	refused("zz-suite --zz_size {1,}", ":1: an empty choice in 'zz-suite --zz_size {1,}'");
}

static void test_too_many_cases(void **state)
{
	(void)state;
	refused("zz-suite --zz_size {1,2,3,4,5,6,7,8,9,10} --zz_size {1,2,3,4,5,6,7,8,9,10} "
		"--zz_size {1,2,3,4,5,6,7,8,9,10} --zz_size {1,2,3,4,5,6,7,8,9,10} "
		"--zz_size {1,2}",
		":1: more than 10000 cases");
}

static void test_bad_rows(void **state)
{
	(void)state;
	refused("zz-suite\nzz-suite --zz_size 0\n",
		":2: --zz_size: '0' is not in the range 1 to 1000");
	refused("zz-suiet", ":1: unknown benchmark 'zz-suiet', did you mean zz-suite? (`bench -l` "
			    "lists them)");
	refused("zz-suite --zz_size", ":1: --zz_size: needs a value");
	refused("--zz_size 4", ":1: which benchmark? Name one (`bench -l` lists them)");
	refused("zz-suite --json x", ":1: --json: not in a row of a suite");
	refused("zz-suite --rounds 2", ":1: --rounds: not in a row of a suite");
	refused("zz-suite -d 2",
		":1: -d: in a suite --round-ms says how long, and -d in a row of what watches others");
	refused("zz-suite -v", ":1: -q and -v go beside --suite, not in a row");
	refused("zz-suite -l", ":1: a row runs a case: no -h, -V or -l");
	refused("zz-suite --suite x", ":1: --suite: not in a row of a suite");
}

static void test_nothing_in_it(void **state)
{
	(void)state;
	refused("", ": no case in it");
	refused("# nothing\n\n   # more of it", ": no case in it");
}

static void test_no_text(void **state)
{
	const struct options options = { .suite_path = path, .round_ms = 250 };
	struct suite suite;

	(void)state;
	write_suite("zz-suite\n\0\n", 11);
	assert_int_equal(suite_read(&options, &suite), -E_USAGE);
	assert_non_null(strstr(error_text(), ":2: not a text"));
	suite_free(&suite);
}

static void test_no_file(void **state)
{
	const struct options options = { .suite_path = "/nonexistent/suite" };
	struct suite suite;

	(void)state;
	assert_int_equal(suite_read(&options, &suite), -E_USAGE);
	assert_string_equal(error_text(),
			    "cannot open the suite /nonexistent/suite: No such file or directory");
	suite_free(&suite);
}

static void test_case_names(void **state)
{
	char rows[128], name[64], pinned[64], cut[12];
	struct suite suite;

	(void)state;
	snprintf(pinned, sizeof(pinned), "zz-suite --prod-affinity %d", sched_getcpu());
	snprintf(rows, sizeof(rows), "zz-suite\nzz-suite -p 2 --pad 3 --zz_size 4 -a\n%s\n",
		 pinned);
	suite = accepted(rows);
	options_case_name(&suite.cases[0].options, name, sizeof(name));
	assert_string_equal(name, "zz-suite");
	options_case_name(&suite.cases[1].options, name, sizeof(name));
	assert_string_equal(name, "zz-suite zz_size=4 -p 2 --pad 3 -a");
	options_case_name(&suite.cases[1].options, cut, sizeof(cut));
	assert_string_equal(cut, "zz-suite zz");
	options_case_name(&suite.cases[2].options, name, sizeof(name));
	assert_string_equal(name, pinned);
	suite_free(&suite);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	       cmocka_unit_test(test_a_round_is_short),
		cmocka_unit_test(test_braces),	       cmocka_unit_test(test_bad_braces),
		cmocka_unit_test(test_too_many_cases), cmocka_unit_test(test_bad_rows),
		cmocka_unit_test(test_nothing_in_it),  cmocka_unit_test(test_the_rest),
		cmocka_unit_test(test_no_text),	       cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_case_names),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
