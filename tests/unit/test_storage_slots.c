// SPDX-License-Identifier: GPL-2.0
/* Which of the maps at hand are taken, so that they share cache slots as on a fresh boot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "benchs/storage_slots.h"

#define MAX_MAPS 1256

static int fds[MAX_MAPS];
static u32 slots[MAX_MAPS];

/* nr maps that take the slots in turn from `first` on; a map's fd is 1000 + its number. */
static void hand_out(u32 nr, u32 first)
{
	for (u32 i = 0; i < nr; i++) {
		fds[i] = 1000 + (int)i;
		slots[i] = (first + i) % NR_CACHE_SLOTS;
	}
}

/* The first nr are in turn, and each fd still goes with its slot. */
static void assert_in_turn(u32 nr, u32 first)
{
	for (u32 i = 0; i < nr; i++) {
		u32 number = (u32)fds[i] - 1000;

		assert_int_equal(slots[i], (first + number) % NR_CACHE_SLOTS);
		if (i >= NR_CACHE_SLOTS)
			assert_int_equal(slots[i], slots[i - NR_CACHE_SLOTS]);
		for (u32 j = i > NR_CACHE_SLOTS - 1 ? i - (NR_CACHE_SLOTS - 1) : 0; j < i; j++)
			assert_int_not_equal(slots[i], slots[j]);
	}
}

static void test_a_fresh_boot_stays_as_it_is(void **state)
{
	(void)state;
	hand_out(1000, 0);
	assert_true(storage_slots_choose(fds, slots, 1000, 1000));
	for (u32 i = 0; i < 1000; i++)
		assert_int_equal(fds[i], 1000 + (int)i);
	assert_in_turn(1000, 0);
}

static void test_turns_may_begin_anywhere(void **state)
{
	(void)state;
	for (u32 first = 0; first < NR_CACHE_SLOTS; first++) {
		for (u32 nr = 1; nr <= 50; nr++) {
			hand_out(nr, first);
			assert_true(storage_slots_choose(fds, slots, nr, nr));
			assert_in_turn(nr, first);
		}
	}
}

/* Two maps in slot 0 and none in slot 15: sixteen maps need one in each. */
static void test_a_slot_without_a_map_is_not_even(void **state)
{
	(void)state;
	hand_out(16, 0);
	slots[15] = 0;
	assert_false(storage_slots_choose(fds, slots, 16, 16));
	assert_int_equal(fds[15], 1015);
	assert_int_equal(slots[15], 0);
	/* Fifteen do not need it. */
	assert_true(storage_slots_choose(fds, slots, 16, 15));
}

static void test_more_maps_than_needed_make_it_even(void **state)
{
	(void)state;
	/* Three of slot 0 come first; the turns begin after them. */
	hand_out(23, 0);
	slots[0] = slots[1] = slots[2] = 0;
	for (u32 i = 3; i < 23; i++)
		slots[i] = (i - 2) % NR_CACHE_SLOTS;
	assert_true(storage_slots_choose(fds, slots, 23, 20));
	for (u32 i = 0; i < 20; i++) {
		for (u32 j = 0; j < i; j++) {
			assert_int_not_equal(fds[i], fds[j]);
			assert_int_equal(slots[i] == slots[j], (i - j) % NR_CACHE_SLOTS == 0);
		}
	}
}

/* Seventeen maps: the slot with two must be one that has two. */
static void test_the_first_turns_go_to_slots_with_more(void **state)
{
	(void)state;
	hand_out(16, 0);
	fds[16] = 1016;
	slots[16] = 9;
	assert_true(storage_slots_choose(fds, slots, 17, 17));
	assert_int_equal(slots[0], 9);
	assert_int_equal(slots[16], 9);
	assert_false(storage_slots_choose(fds, slots, 17, 18));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_fresh_boot_stays_as_it_is),
		cmocka_unit_test(test_turns_may_begin_anywhere),
		cmocka_unit_test(test_a_slot_without_a_map_is_not_even),
		cmocka_unit_test(test_more_maps_than_needed_make_it_even),
		cmocka_unit_test(test_the_first_turns_go_to_slots_with_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
