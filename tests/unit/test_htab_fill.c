// SPDX-License-Identifier: GPL-2.0
/* Filling a map that answers with everything that a kernel may answer with. */
#include "../../benchs/htab_fill.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "../../benchs/htab_dump.h"
#include "../../harness/error.h"
#include "../../progs/htab_writer_abi.h"

#define KEY(n) (HTAB_FIRST_KEY + (n))
#define ROOM 10000
#define VALUE_SIZE 9

static struct {
	unsigned int times[ROOM]; /* each key was inserted */
	unsigned char values[ROOM][VALUE_SIZE];
	bool evicted[ROOM];
	unsigned int calls;
	/* In the call with this number (from 1, 0: never) this goes wrong, after so many keys. */
	unsigned int fails_at;
	bool for_ever; /* and in all calls after it */
	int err;
	u32 fails_after;
	unsigned int questions, interrupted_at;
} map;

static int update(void *ctx, const u32 *keys, const void *values, u32 *count)
{
	bool fails = ++map.calls == map.fails_at || (map.for_ever && map.calls > map.fails_at);
	u32 n = fails ? map.fails_after : *count;

	(void)ctx;
	for (u32 i = 0; i < n; i++) {
		u32 number = keys[i] - HTAB_FIRST_KEY;

		assert_true(number < ROOM);
		map.times[number]++;
		memcpy(map.values[number], (const char *)values + i * VALUE_SIZE, VALUE_SIZE);
	}
	/* An interrupted call may leave the count as it was: it does not say what was done. */
	return fails ? map.err : 0;
}

static int lookup(void *ctx, const u32 *key, void *value)
{
	u32 number = *key - HTAB_FIRST_KEY;

	(void)ctx;
	if (!map.times[number] || map.evicted[number])
		return -ENOENT;
	memcpy(value, map.values[number], VALUE_SIZE);
	return 0;
}

static int interrupted(void *ctx)
{
	(void)ctx;
	return ++map.questions == map.interrupted_at ? error_set(EINTR, "the end") : 0;
}

static const struct fill_io io = { update, lookup, interrupted };

static struct fill new_fill(u64 nr_entries)
{
	struct fill fill = {
		.io = &io,
		.value_size = VALUE_SIZE,
		.nr_entries = nr_entries,
	};

	memset(&map, 0, sizeof(map));
	assert_int_equal(fill_init(&fill), 0);
	return fill;
}

static void assert_filled(u32 nr_entries)
{
	unsigned char value[VALUE_SIZE];

	for (u32 i = 0; i < ROOM; i++) {
		if (i < nr_entries) {
			value_fill(value, VALUE_SIZE, 0, KEY(i));
			assert_memory_equal(map.values[i], value, VALUE_SIZE);
		} else {
			assert_int_equal(map.times[i], 0);
		}
	}
}

static void maps_of_any_size(void **state)
{
	static const u32 sizes[] = { 0, 1, 4095, 4096, 4097, ROOM };

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct fill fill = new_fill(sizes[s]);

		assert_int_equal(fill_map(&fill), 0);
		assert_filled(sizes[s]);
		assert_int_equal(fill_look(&fill), 0);
		assert_int_equal(fill.nr_absent, 0);
		fill_free(&fill);
	}
}

static void what_fails_for_a_moment_is_done_again(void **state)
{
	static const int errs[] = { -EINTR, -EAGAIN, -E2BIG };

	(void)state;
	for (size_t e = 0; e < ARRAY_SIZE(errs); e++) {
		for (unsigned int call = 1; call <= 3; call++) {
			struct fill fill = new_fill(ROOM);

			map.fails_at = call;
			map.fails_after = 7;
			map.err = errs[e];
			assert_int_equal(fill_map(&fill), 0);
			assert_filled(ROOM);
			fill_free(&fill);
		}
	}
}

static void what_does_not_work_is_an_error(void **state)
{
	struct fill fill = new_fill(ROOM);

	(void)state;
	map.fails_at = 2;
	map.for_ever = true;
	map.err = -E2BIG;
	assert_int_equal(fill_map(&fill), -E2BIG);
	assert_non_null(strstr(error_text(), "keys 4097 to 8192 of 10000"));
	assert_in_range(map.calls, 10, 1000);
	fill_free(&fill);

	fill = new_fill(ROOM);
	map.fails_at = 1;
	map.err = -ENOMEM;
	assert_int_equal(fill_map(&fill), -ENOMEM);
	assert_int_equal(map.calls, 1);
	fill_free(&fill);
}

static void a_look_finds_what_the_map_has_now(void **state)
{
	struct fill fill = new_fill(100);

	(void)state;
	assert_int_equal(fill_look(&fill), 0);
	assert_int_equal(fill.nr_absent, 100);
	assert_int_equal(fill_map(&fill), 0);
	map.evicted[5] = map.evicted[99] = true;
	assert_int_equal(fill_look(&fill), 0);
	assert_int_equal(fill.nr_absent, 2);
	assert_true(fill.absent[5] && fill.absent[99]);
	assert_int_equal(fill_first(&fill, true), KEY(5));
	assert_int_equal(fill_first(&fill, false), KEY(0));
	/* Another time it keeps others. */
	map.evicted[5] = map.evicted[99] = false;
	map.evicted[0] = true;
	assert_int_equal(fill_look(&fill), 0);
	assert_int_equal(fill.nr_absent, 1);
	assert_false(fill.absent[5]);
	assert_int_equal(fill_first(&fill, false), KEY(1));
	fill_free(&fill);
}

static void both_end_when_they_are_told_to(void **state)
{
	struct fill fill = new_fill(ROOM);

	(void)state;
	map.interrupted_at = 2;
	assert_int_equal(fill_map(&fill), -EINTR);
	assert_int_equal(map.calls, 1);
	map.questions = 0;
	assert_int_equal(fill_look(&fill), -EINTR);
	fill_free(&fill);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_of_any_size),
		cmocka_unit_test(what_fails_for_a_moment_is_done_again),
		cmocka_unit_test(what_does_not_work_is_an_error),
		cmocka_unit_test(a_look_finds_what_the_map_has_now),
		cmocka_unit_test(both_end_when_they_are_told_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
