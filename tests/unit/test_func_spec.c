// SPDX-License-Identifier: GPL-2.0
/* Which functions are to be traced: as typed, and as looked up in a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "benchs/func_spec.h"

/* Names of this test's own, to be looked up. */
void spec_subject_one(void);
void spec_subject_two(void);

__attribute__((noinline, used)) void spec_subject_one(void)
{
	asm volatile("");
}

__attribute__((noinline, used)) void spec_subject_two(void)
{
	asm volatile("");
}

static void assert_text(const char *text, const char *expected)
{
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
}

static void assert_spec(const char *text, const char *label, const char *path, const char *module,
			const char *function, bool is_pattern)
{
	struct func_specs specs;

	assert_int_equal(func_specs_parse(text, &specs), 0);
	assert_int_equal(specs.n, 1);
	assert_text(specs.specs[0].label, label);
	assert_text(specs.specs[0].path, path);
	assert_text(specs.specs[0].module, module);
	assert_text(specs.specs[0].function, function);
	assert_int_equal(specs.specs[0].is_pattern, is_pattern);
	func_specs_free(&specs);
}

static void test_one_of_each_kind(void **state)
{
	(void)state;
	assert_spec("vfs_read", NULL, NULL, NULL, "vfs_read", false);
	assert_spec("btrfs:check_leaf", NULL, NULL, "btrfs", "check_leaf", false);
	assert_spec("u:/bin/sh:main", NULL, "/bin/sh", NULL, "main", false);
	assert_spec("u:here:main", NULL, "here", NULL, "main", false);
	assert_spec("READ=vfs_read", "READ", NULL, NULL, "vfs_read", false);
	assert_spec("a b=m:f", "a b", NULL, "m", "f", false);
	assert_spec("L=u:/a:f", "L", "/a", NULL, "f", false);
}

static void test_a_path_may_have_what_separates(void **state)
{
	(void)state;
	assert_spec("u:/a=b/c:f", NULL, "/a=b/c", NULL, "f", false);
	assert_spec("u:/a:b:f", NULL, "/a:b", NULL, "f", false);
	assert_spec("x=u:/a=b:f", "x", "/a=b", NULL, "f", false);
}

static void test_patterns(void **state)
{
	(void)state;
	assert_spec("vfs_*", NULL, NULL, NULL, "vfs_*", true);
	assert_spec("m:f?", NULL, NULL, "m", "f?", true);
	assert_spec("u:/a*:f[12]", NULL, "/a*", NULL, "f[12]", true);
	assert_spec("u:/a*:f", NULL, "/a*", NULL, "f", false);
}

static void test_a_list(void **state)
{
	struct func_specs specs;

	(void)state;
	assert_int_equal(func_specs_parse("a,X=b:c,u:/d:e", &specs), 0);
	assert_int_equal(specs.n, 3);
	assert_text(specs.specs[0].function, "a");
	assert_text(specs.specs[1].label, "X");
	assert_text(specs.specs[2].path, "/d");
	func_specs_free(&specs);
}

static void test_what_is_typed_wrong(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{ NULL, "which function?" },
		{ "", "which function?" },
		{ ",", "missing" },
		{ "a,", "missing" },
		{ ",a", "missing" },
		{ "a,,b", "missing" },
		{ "=a", "empty" },
		{ "X=", "none of" },
		{ ":a", "none of" },
		{ "m:", "none of" },
		{ "a:b:c", "none of" },
		{ "u:", "u:PATH:FUNCTION" },
		{ "u:/a", "u:PATH:FUNCTION" },
		{ "u:/a:", "u:PATH:FUNCTION" },
		{ "u::f", "u:PATH:FUNCTION" },
		{ "X=a,X=b", "twice" },
	};
	struct func_specs specs;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(func_specs_parse(wrong[i].text, &specs), -E_USAGE);
		assert_non_null(strstr(error_text(), wrong[i].why));
		func_specs_free(&specs);
	}
}

static int find(const char *text, struct func_targets *targets)
{
	struct func_specs specs;
	int err;

	assert_int_equal(func_specs_parse(text, &specs), 0);
	err = func_targets_find(&specs, targets);
	func_specs_free(&specs);
	return err;
}

static void test_functions_of_a_program(void **state)
{
	struct func_targets targets;

	(void)state;
	assert_int_equal(find("u:/proc/self/exe:spec_subject_one", &targets), 0);
	assert_int_equal(targets.n, 1);
	assert_string_equal(targets.targets[0].label, "spec_subject_one");
	assert_true(targets.targets[0].offset > 0);
	func_targets_free(&targets);

	assert_int_equal(find("L=u:/proc/self/exe:spec_subject_*", &targets), 0);
	assert_int_equal(targets.n, 2);
	assert_string_equal(targets.targets[0].label, "L/spec_subject_one");
	assert_string_equal(targets.targets[1].label, "L/spec_subject_two");
	assert_int_equal(targets.targets[1].offset - targets.targets[0].offset,
			 (size_t)spec_subject_two - (size_t)spec_subject_one);
	func_targets_free(&targets);
}

static void test_what_is_not_in_a_program(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{ "u:/proc/self/exe:spec_subject_on", "did you mean 'spec_subject_one'?" },
		{ "u:/proc/self/exe:no_such_function_at_all", "has no function" },
		{ "u:/proc/self/exe:zzz*", "no function of" },
		{ "u:/no/such/file:main", "No such file" },
		{ "u:/:main", "not a file" },
		{ "u:/proc/version:main", "not ELF" },
		{ "u:/proc/self/exe:spec_subject_one,u:/proc/self/exe:spec_subject_one", "twice" },
		{ "a=u:/proc/self/exe:spec_subject_one,b=u:/proc/self/exe:spec_subject_one",
		  "'spec_subject_one' is traced already, as 'a'" },
		{ "u:/proc/self/exe:_start", "'_start' is where '/proc/self/exe' begins" },
		{ "u:/proc/self/exe:*", "more than 64 functions" },
	};
	struct func_targets targets;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(find(wrong[i].text, &targets), -E_USAGE);
		assert_non_null(strstr(error_text(), wrong[i].why));
		func_targets_free(&targets);
	}
}

/* A pattern leaves out what another SPEC has named, and where the program begins. */
static void test_what_a_pattern_leaves_out(void **state)
{
	struct func_targets targets;

	(void)state;
	assert_int_equal(find("a=u:/proc/self/exe:spec_subject_one,u:/proc/self/exe:spec_subject_*",
			      &targets),
			 0);
	assert_true(targets.n >= 2);
	for (size_t i = 1; i < targets.n; i++)
		assert_string_not_equal(targets.targets[i].function, "spec_subject_one");
	func_targets_free(&targets);
	assert_int_equal(find("u:/proc/self/exe:_star*", &targets), -E_USAGE);
	assert_non_null(strstr(error_text(), "no function of"));
	func_targets_free(&targets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_pattern_leaves_out),
		cmocka_unit_test(test_one_of_each_kind),
		cmocka_unit_test(test_a_path_may_have_what_separates),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_a_list),
		cmocka_unit_test(test_what_is_typed_wrong),
		cmocka_unit_test(test_functions_of_a_program),
		cmocka_unit_test(test_what_is_not_in_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
