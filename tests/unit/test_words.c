// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/words.h"

static void number(const char *text, u64 expected)
{
	u64 value;

	assert_int_equal(parse_u64(text, &value), 0);
	assert_true(value == expected);
}

static void no_number(const char *text, int err)
{
	u64 value;

	assert_int_equal(parse_u64(text, &value), err);
}

static void test_numbers(void **state)
{
	(void)state;
	number("0", 0);
	number("1000", 1000);
	number("007", 7);
	number("18446744073709551615", UINT64_MAX);
	number("000000000000000000000000000018446744073709551615", UINT64_MAX);
}

static void test_no_numbers(void **state)
{
	(void)state;
	no_number("", -EINVAL);
	no_number("-", -EINVAL);
	no_number("--1", -EINVAL);
	no_number("+1", -EINVAL);
	no_number(" 1", -EINVAL);
	no_number("1 ", -EINVAL);
	no_number("1\n", -EINVAL);
	no_number("1e9", -EINVAL);
	no_number("0x10", -EINVAL);
	no_number("12abc", -EINVAL);
	no_number("1.0", -EINVAL);
	no_number("\xd9\xa3", -EINVAL); /* ARABIC-INDIC DIGIT THREE */
	no_number("-1", -ERANGE);
	no_number("18446744073709551616", -ERANGE);
	no_number("18446744073709551620", -ERANGE);
	no_number("99999999999999999999999999999999", -ERANGE);
}

static void test_quoted(void **state)
{
	char text[100];

	(void)state;
	assert_string_equal(quoted(""), "''");
	assert_string_equal(quoted("a b"), "'a b'");
	assert_string_equal(quoted("a\nb\r\t\033[31m\x7f"), "'a?b???[31m?'");
	assert_string_equal(quoted("\xc2\xb5s"), "'\xc2\xb5s'");

	memset(text, 'x', sizeof(text));
	text[64] = '\0';
	assert_int_equal(strlen(quoted(text)), 66);
	text[64] = 'x';
	text[99] = '\0';
	assert_int_equal(strlen(quoted(text)), 64 + strlen("''..."));
	/* The cut would be inside of a two-byte character: it goes as a whole. */
	memcpy(text + 63, "\xc2\xb5", 2);
	assert_int_equal(strlen(quoted(text)), 63 + strlen("''..."));
}

static void test_quoted_together(void **state)
{
	const char *a, *b;

	(void)state;
	a = quoted("one");
	b = quoted("two");
	quoted("three");
	quoted("four");
	assert_string_equal(a, "'one'");
	assert_string_equal(b, "'two'");
}

static void test_join(void **state)
{
	char list[16] = "";

	(void)state;
	join_word(list, sizeof(list), "one");
	assert_string_equal(list, "one");
	join_word(list, sizeof(list), "two");
	assert_string_equal(list, "one, two");
	join_word(list, sizeof(list), "three");
	assert_string_equal(list, "one, two, ...");
	/* Nothing follows the dots, even if there were room. */
	join_word(list, sizeof(list), "");
	assert_string_equal(list, "one, two, ...");
}

static void test_join_first_too_long(void **state)
{
	char list[8] = "";

	(void)state;
	join_word(list, sizeof(list), "too long for it");
	assert_string_equal(list, "...");
	join_word(list, sizeof(list), "a");
	assert_string_equal(list, "...");
}

static void test_distance(void **state)
{
	char text[100] = "";

	(void)state;
	assert_int_equal(edit_distance("", ""), 0);
	assert_int_equal(edit_distance("abc", ""), 3);
	assert_int_equal(edit_distance("", "abc"), 3);
	assert_int_equal(edit_distance("kitten", "sitting"), 3);
	assert_int_equal(edit_distance("lits", "list"), 1);
	assert_int_equal(edit_distance("count-gloabl", "count-global"), 1);
	assert_int_equal(edit_distance("abcdef", "badcfe"), 3);
	memset(text, 'x', sizeof(text) - 1);
	assert_true(edit_distance(text, "x") == SIZE_MAX);
	text[64] = '\0';
	assert_int_equal(edit_distance(text, ""), 64);
}

static void test_nearer(void **state)
{
	size_t best = SIZE_MAX;

	(void)state;
	assert_false(is_nearer("x", "p", &best));
	assert_false(is_nearer("", "p", &best));
	assert_false(is_nearer("threads", "trigger", &best));
	assert_true(is_nearer("durtion", "duration", &best));
	assert_false(is_nearer("durtion", "duratiom", &best));
	assert_true(is_nearer("durtion", "durtion", &best));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_no_numbers),
		cmocka_unit_test(test_quoted),	 cmocka_unit_test(test_quoted_together),
		cmocka_unit_test(test_join),	 cmocka_unit_test(test_join_first_too_long),
		cmocka_unit_test(test_distance), cmocka_unit_test(test_nearer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
