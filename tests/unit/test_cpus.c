// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/cpus.h"
#include "harness/error.h"

/* A machine with a gap: CPU 4 is offline. */
static unsigned int machine_cpus[] = { 0, 1, 2, 3, 5 };
static const struct cpu_list machine = { machine_cpus, ARRAY_SIZE(machine_cpus) };

static void accepted(const char *text, const unsigned int *cpus, size_t n)
{
	struct cpu_list list;

	assert_int_equal(cpu_list_parse(text, &machine, &list), 0);
	assert_int_equal(list.n, n);
	assert_memory_equal(list.cpu, cpus, n * sizeof(*cpus));
	cpu_list_free(&list);
	assert_null(list.cpu);
	assert_int_equal(list.n, 0);
}

#define ACCEPTED(text, ...)                                   \
	accepted(text, (const unsigned int[]){ __VA_ARGS__ }, \
		 ARRAY_SIZE(((const unsigned int[]){ __VA_ARGS__ })))

static void refused(const char *text, const char *why)
{
	struct cpu_list list;

	assert_int_equal(cpu_list_parse(text, &machine, &list), -E_USAGE);
	assert_string_equal(error_text(), why);
	assert_null(list.cpu);
}

static void test_lists(void **state)
{
	(void)state;
	ACCEPTED("0", 0);
	ACCEPTED("0-3", 0, 1, 2, 3);
	ACCEPTED("5-5", 5);
	ACCEPTED("0-2,5", 0, 1, 2, 5);
	ACCEPTED("003", 3);
}

static void test_order_is_kept(void **state)
{
	(void)state;
	ACCEPTED("3,0-1,5", 3, 0, 1, 5);
}

static void test_not_a_number(void **state)
{
	(void)state;
	refused("x", "CPU list 'x': 'x' is not a CPU number or a range of them");
	refused("0,1x,2", "CPU list '0,1x,2': '1x' is not a CPU number or a range of them");
	refused("0, 1", "CPU list '0, 1': ' 1' is not a CPU number or a range of them");
	refused("+1", "CPU list '+1': '+1' is not a CPU number or a range of them");
	refused("0x1", "CPU list '0x1': '0x1' is not a CPU number or a range of them");
	refused("-1", "CPU list '-1': '-1' is not a CPU number or a range of them");
	refused("1-", "CPU list '1-': '1-' is not a CPU number or a range of them");
	refused("-", "CPU list '-': '-' is not a CPU number or a range of them");
	refused("1--2", "CPU list '1--2': '1--2' is not a CPU number or a range of them");
	refused("0-1-2", "CPU list '0-1-2': '0-1-2' is not a CPU number or a range of them");
	refused("x-99999999999999999999", "CPU list 'x-99999999999999999999': "
					  "'x-99999999999999999999' is not a CPU number or a range "
					  "of them");
	refused("0-3:2", "CPU list '0-3:2': '0-3:2' is not a CPU number or a range of them");
	refused("all", "CPU list 'all': 'all' is not a CPU number or a range of them");
}

static void test_empty_parts(void **state)
{
	(void)state;
	refused("", "CPU list '': empty");
	refused(",", "CPU list ',': a CPU is missing before a comma");
	refused(",0", "CPU list ',0': a CPU is missing before a comma");
	refused("0,,1", "CPU list '0,,1': a CPU is missing before a comma");
	refused("0,", "CPU list '0,': ends with a comma");
}

static void test_reversed(void **state)
{
	(void)state;
	refused("0,3-1", "CPU list '0,3-1': the range '3-1' is the wrong way round");
}

static void test_twice(void **state)
{
	(void)state;
	refused("1,1", "CPU list '1,1': CPU 1 is there twice");
	refused("0-3,2", "CPU list '0-3,2': CPU 2 is there twice");
	refused("2,0-3", "CPU list '2,0-3': CPU 2 is there twice");
}

static void test_offline(void **state)
{
	(void)state;
	refused("4", "CPU list '4': CPU 4 is not online or not allowed here (usable: 0-3,5)");
	refused("3-5", "CPU list '3-5': CPU 4 is not online or not allowed here (usable: 0-3,5)");
}

static void test_huge(void **state)
{
	(void)state;
	refused("1048576", "CPU list '1048576': '1048576' is too large for a CPU number");
	refused("4294967296", "CPU list '4294967296': '4294967296' is too large for a CPU number");
	refused("18446744073709551616", "CPU list '18446744073709551616': '18446744073709551616' "
					"is too large for a CPU number");
	refused("0-18446744073709551615", "CPU list '0-18446744073709551615': "
					  "'0-18446744073709551615' is too large for a CPU number");
	/* Stops at the first CPU that is not there. */
	refused("0-1048575",
		"CPU list '0-1048575': CPU 4 is not online or not allowed here (usable: 0-3,5)");
}

static void test_one_line(void **state)
{
	(void)state;
	refused("0\n1\033[2J",
		"CPU list '0?1?[2J': '0?1?[2J' is not a CPU number or a range of them");
}

/* Every second CPU of many: no ranges to shorten the text by. */
static void test_long_usable_list_is_cut(void **state)
{
	unsigned int cpus[512];
	const struct cpu_list even = { cpus, ARRAY_SIZE(cpus) };
	struct cpu_list list;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(cpus); i++)
		cpus[i] = 2 * i;
	assert_int_equal(cpu_list_parse("1", &even, &list), -E_USAGE);
	assert_non_null(strstr(error_text(), "(usable: 0,2,4,6,"));
	assert_non_null(strstr(error_text(), "...)"));
	assert_true(strlen(error_text()) < 256);
	assert_int_equal(cpu_list_parse("1022,0,510", &even, &list), 0);
	assert_int_equal(list.n, 3);
	cpu_list_free(&list);
}

static void test_online_is_what_the_kernel_allows(void **state)
{
	struct cpu_list list;
	cpu_set_t set;

	(void)state;
	assert_int_equal(cpu_list_online(&list), 0);
	assert_true(list.n > 0);
	for (size_t i = 1; i < list.n; i++)
		assert_true(list.cpu[i - 1] < list.cpu[i]);
	if (!sched_getaffinity(0, sizeof(set), &set))
		assert_int_equal(list.n, CPU_COUNT(&set));
	cpu_list_free(&list);
}

static void test_online_heeds_affinity(void **state)
{
	struct cpu_list all, one;
	cpu_set_t before, last;

	(void)state;
	assert_int_equal(cpu_list_online(&all), 0);
	if (sched_getaffinity(0, sizeof(before), &before)) {
		cpu_list_free(&all);
		skip(); /* more CPUs than this test's fixed set */
	}
	CPU_ZERO(&last);
	CPU_SET(all.cpu[all.n - 1], &last);
	assert_int_equal(sched_setaffinity(0, sizeof(last), &last), 0);
	assert_int_equal(cpu_list_online(&one), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(one.n, 1);
	assert_int_equal(one.cpu[0], all.cpu[all.n - 1]);
	cpu_list_free(&one);
	cpu_list_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_order_is_kept),
		cmocka_unit_test(test_not_a_number),
		cmocka_unit_test(test_empty_parts),
		cmocka_unit_test(test_reversed),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_long_usable_list_is_cut),
		cmocka_unit_test(test_online_is_what_the_kernel_allows),
		cmocka_unit_test(test_online_heeds_affinity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
