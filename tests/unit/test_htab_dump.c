// SPDX-License-Identifier: GPL-2.0
/* Reading a map that answers with everything that a kernel may answer with, and checking what came. */
#include "../../benchs/htab_dump.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../harness/error.h"
#include "../../progs/htab_writer_abi.h"

#define KEY(n) (HTAB_FIRST_KEY + (n))
#define ROOM 64
#define VALUE_SIZE 8

/*
 * A map of buckets, as the kernel reads one: a batch has whole buckets, and the place to go on from
 * is a bucket's number.
 */
#define MAX_BUCKETS 16

static struct {
	unsigned int bucket_size[MAX_BUCKETS];
	unsigned int nr_buckets;
	/* What goes wrong: before the call with this number (from 1) each of these happens. */
	struct {
		unsigned int call;
		int err;
	} faults[4];
	unsigned int emptied_at; /* call; 0: never */
	unsigned int calls;
	unsigned int largest; /* batch that was asked for */
} map;

static u32 first_key_of(unsigned int bucket)
{
	u32 key = KEY(0);

	for (unsigned int i = 0; i < bucket; i++)
		key += map.bucket_size[i];
	return key;
}

static int fault(void)
{
	map.calls++;
	if (map.emptied_at && map.calls >= map.emptied_at)
		memset(map.bucket_size, 0, sizeof(map.bucket_size));
	for (size_t i = 0; i < ARRAY_SIZE(map.faults); i++) {
		if (map.faults[i].call == map.calls && map.faults[i].err)
			return -map.faults[i].err;
	}
	return 0;
}

static int map_batch(void *ctx, void *in, void *out, u32 *keys, void *values, u32 *count)
{
	u32 asked = *count, given = 0;
	u32 bucket = in ? *(u32 *)in : 0;
	int err = fault();

	(void)ctx;
	map.largest = (unsigned int)max_u64(map.largest, asked);
	/* After an error neither the count nor the place is to be used. */
	*count = 12345;
	*(u32 *)out = 54321;
	if (err)
		return err;
	for (; bucket < map.nr_buckets && given + map.bucket_size[bucket] <= asked; bucket++) {
		for (unsigned int i = 0; i < map.bucket_size[bucket]; i++, given++) {
			keys[given] = first_key_of(bucket) + i;
			value_fill((char *)values + given * VALUE_SIZE, VALUE_SIZE, 0, keys[given]);
		}
	}
	if (!given && bucket < map.nr_buckets)
		return -ENOSPC;
	*count = given;
	*(u32 *)out = bucket;
	return bucket == map.nr_buckets ? -ENOENT : 0;
}

static u32 nr_entries(void)
{
	return first_key_of(map.nr_buckets) - KEY(0);
}

static int map_next_key(void *ctx, const u32 *key, u32 *next)
{
	int err = fault();

	(void)ctx;
	*next = 0xdead;
	if (err)
		return err;
	/* The key before has gone: from the beginning. */
	*next = key && *key - KEY(0) < nr_entries() ? *key + 1 : KEY(0);
	return *next - KEY(0) < nr_entries() ? 0 : -ENOENT;
}

static int map_lookup(void *ctx, const u32 *key, void *value)
{
	int err = fault();

	(void)ctx;
	if (err)
		return err;
	if (*key - KEY(0) >= nr_entries())
		return -ENOENT;
	value_fill(value, VALUE_SIZE, 0, *key);
	return 0;
}

static const struct dump_io io = { map_batch, map_next_key, map_lookup };
static u32 keys[ROOM];
static unsigned char values[ROOM * VALUE_SIZE];
static u32 seen[ROOM];

static struct dump new_dump(u32 batch_size, u64 limit)
{
	return (struct dump){
		.io = &io,
		.keys = keys,
		.values = values,
		.value_stride = VALUE_SIZE,
		.room = ROOM,
		.limit = limit,
		.batch_size = batch_size,
	};
}

/* When a check asks whether to go on, and how many times it has asked. */
static int interrupted_with;
static unsigned int questions;

static int ask(void *ctx)
{
	(void)ctx;
	questions++;
	return interrupted_with;
}

static struct dump_check new_check(u64 nr_stable)
{
	memset(seen, 0, sizeof(seen));
	return (struct dump_check){
		.nr_stable = nr_stable,
		.nr_keys = nr_stable,
		.value_size = VALUE_SIZE,
		.interrupted = ask,
		.seen = seen,
	};
}

static void new_map(const unsigned int *buckets, unsigned int nr)
{
	memset(&map, 0, sizeof(map));
	map.nr_buckets = nr;
	for (unsigned int i = 0; i < nr; i++)
		map.bucket_size[i] = buckets[i];
}

#define NEW_MAP(...)                                                 \
	do {                                                         \
		const unsigned int buckets[] = { __VA_ARGS__ };      \
		new_map(buckets, (unsigned int)ARRAY_SIZE(buckets)); \
	} while (0)

/* From its beginning to its end, or an error. */
static int whole(struct dump *dump)
{
	int err = DUMP_GOES_ON;

	dump_begin(dump);
	while (err == DUMP_GOES_ON)
		err = dump_step(dump);
	return err;
}

static int check_of(const struct dump *dump, u64 nr_stable)
{
	struct dump_check check = new_check(nr_stable);

	return dump_check(&check, dump->keys + dump->first, dump->values + dump->first * VALUE_SIZE,
			  dump->n - dump->first);
}

static void batches_of_any_size_have_all(void **state)
{
	(void)state;
	for (u32 size = 1; size <= 20; size++) {
		struct dump dump = new_dump(size, 13);

		NEW_MAP(1, 0, 3, 2, 0, 0, 4, 1, 1, 0);
		assert_int_equal(whole(&dump), DUMP_ENDED);
		assert_int_equal(dump.n, 12);
		assert_int_equal(check_of(&dump, 12), 0);
		assert_true(dump.batch_size >= 4 || !dump.growths);
	}
}

static void a_bucket_that_does_not_fit_makes_the_batch_grow(void **state)
{
	struct dump dump = new_dump(1, 13);

	(void)state;
	NEW_MAP(1, 0, 6, 1, 2);
	assert_int_equal(whole(&dump), DUMP_ENDED);
	assert_int_equal(dump.growths, 3);
	assert_int_equal(dump.batch_size, 8);
	assert_int_equal(check_of(&dump, 10), 0);
	/* It stays so. */
	assert_int_equal(whole(&dump), DUMP_ENDED);
	assert_int_equal(dump.growths, 3);
	assert_int_equal(check_of(&dump, 10), 0);
}

static void the_first_bucket_does_not_fit(void **state)
{
	struct dump dump = new_dump(2, 8);

	(void)state;
	NEW_MAP(7);
	assert_int_equal(whole(&dump), DUMP_ENDED);
	assert_int_equal(dump.growths, 2);
	assert_int_equal(check_of(&dump, 7), 0);
}

static void more_than_there_can_be_does_not_grow_for_ever(void **state)
{
	struct dump dump = new_dump(2, 8);

	(void)state;
	NEW_MAP(30);
	assert_int_equal(whole(&dump), -EPROTO);
	assert_true(map.largest <= 8);
}

static void interrupted_calls_are_repeated(void **state)
{
	(void)state;
	for (unsigned int call = 1; call <= 3; call++) {
		struct dump dump = new_dump(4, 13);

		NEW_MAP(2, 2, 3, 1, 4);
		map.faults[0].call = call;
		map.faults[0].err = EINTR;
		map.faults[1].call = call + 1;
		map.faults[1].err = EAGAIN;
		assert_int_equal(whole(&dump), DUMP_ENDED);
		assert_int_equal(dump.repeated, 2);
		assert_int_equal(check_of(&dump, 12), 0);
	}
}

static void interrupted_and_too_large_in_turn(void **state)
{
	struct dump dump = new_dump(1, 11);

	(void)state;
	NEW_MAP(1, 5, 4);
	map.faults[0].call = 2;
	map.faults[0].err = EINTR;
	map.faults[1].call = 4;
	map.faults[1].err = EAGAIN;
	assert_int_equal(whole(&dump), DUMP_ENDED);
	assert_int_equal(check_of(&dump, 10), 0);
}

static void interrupted_for_ever_is_an_error(void **state)
{
	struct dump dump = new_dump(4, 13);
	int err = DUMP_GOES_ON;

	(void)state;
	NEW_MAP(4);
	dump_begin(&dump);
	for (int i = 0; i < 1000000 && err == DUMP_GOES_ON; i++) {
		map.faults[0].call = map.calls + 1;
		map.faults[0].err = EINTR;
		err = dump_step(&dump);
	}
	assert_int_equal(err, -EINTR);
	assert_int_equal(dump.n, 0);
}

static void other_errors_end_the_dump(void **state)
{
	struct dump dump = new_dump(4, 13);

	(void)state;
	NEW_MAP(4, 4);
	map.faults[0].call = 2;
	map.faults[0].err = EFAULT;
	assert_int_equal(whole(&dump), -EFAULT);
	assert_int_equal(dump.n, 4);
	assert_non_null(strstr(error_text(), "reading a batch"));
}

static void an_empty_map(void **state)
{
	(void)state;
	for (int by_key = 0; by_key < 2; by_key++) {
		struct dump dump = new_dump(4, 1);

		dump.by_key = by_key;
		NEW_MAP(0, 0, 0);
		assert_int_equal(whole(&dump), DUMP_ENDED);
		assert_int_equal(dump.n, 0);
		assert_int_equal(check_of(&dump, 0), 0);
		assert_int_equal(map.calls, 1);
	}
}

static void a_map_that_is_emptied_meanwhile(void **state)
{
	(void)state;
	for (int by_key = 0; by_key < 2; by_key++) {
		for (unsigned int call = 1; call < 9; call++) {
			struct dump dump = new_dump(4, 17);

			dump.by_key = by_key;
			NEW_MAP(4, 4, 4, 4);
			map.emptied_at = call;
			assert_int_equal(whole(&dump), DUMP_ENDED);
			assert_true(dump.n < 16 || (!by_key && call > 4));
			assert_true(dump.n == 16 || check_of(&dump, 16) == -EPROTO);
		}
	}
}

static void key_by_key_has_all(void **state)
{
	struct dump dump = new_dump(1, 11);

	(void)state;
	dump.by_key = true;
	NEW_MAP(3, 0, 7);
	map.faults[0].call = 2;
	map.faults[0].err = EINTR;
	map.faults[1].call = 4;
	map.faults[1].err = EAGAIN;
	assert_int_equal(whole(&dump), DUMP_ENDED);
	assert_int_equal(dump.repeated, 2);
	assert_int_equal(check_of(&dump, 10), 0);
	/* A pair of calls for each key, the two that were repeated, and the end. */
	assert_int_equal(map.calls, 23);
}

static void a_key_that_has_gone_is_left_out(void **state)
{
	struct dump dump = new_dump(1, 11);

	(void)state;
	dump.by_key = true;
	NEW_MAP(10);
	map.faults[0].call = 6;
	map.faults[0].err = ENOENT;
	assert_int_equal(whole(&dump), DUMP_ENDED);
	assert_int_equal(dump.vanished, 1);
	assert_int_equal(dump.n, 9);
	assert_int_equal(check_of(&dump, 10), -EPROTO);
	assert_non_null(strstr(error_text(), "lacks 1 of the 10"));
	assert_non_null(strstr(error_text(), "0x42000002"));
}

static int same_key_again(void *ctx, const u32 *key, u32 *next)
{
	(void)ctx;
	(void)key;
	*next = KEY(0);
	return 0;
}

static void a_walk_that_never_ends_is_cut_short(void **state)
{
	const struct dump_io endless = { .next_key = same_key_again, .lookup = map_lookup };
	struct dump dump = new_dump(1, 20);

	(void)state;
	dump.io = &endless;
	dump.by_key = true;
	NEW_MAP(1);
	assert_int_equal(whole(&dump), DUMP_ENDED);
	assert_int_equal(dump.cut_short, 1);
	assert_int_equal(dump.n, 20);
	assert_int_equal(check_of(&dump, 1), -EPROTO);
}

static int too_many(void *ctx, void *in, void *out, u32 *key, void *value, u32 *count)
{
	(void)ctx;
	(void)in;
	(void)out;
	(void)key;
	(void)value;
	++*count;
	return -ENOENT;
}

static int none_at_all(void *ctx, void *in, void *out, u32 *key, void *value, u32 *count)
{
	(void)ctx;
	(void)in;
	(void)out;
	(void)key;
	(void)value;
	*count = 0;
	return 0;
}

static void counts_that_cannot_be_are_errors(void **state)
{
	struct dump_io wrong = { .batch = too_many };
	struct dump dump = new_dump(4, 13);

	(void)state;
	dump.io = &wrong;
	assert_int_equal(whole(&dump), -EPROTO);
	wrong.batch = none_at_all;
	assert_int_equal(whole(&dump), -EPROTO);
	assert_int_equal(dump.n, 0);
}

/* Ten entries as they should be, to be spoilt. */
static void ten_entries(void)
{
	for (u32 i = 0; i < 10; i++) {
		keys[i] = KEY(i);
		value_fill(values + i * VALUE_SIZE, VALUE_SIZE, 0, KEY(i));
	}
}

static void each_fault_is_found(void **state)
{
	struct dump_check check = new_check(10);

	(void)state;
	ten_entries();
	assert_int_equal(dump_check(&check, keys, values, 10), 0);
	assert_int_equal(dump_check(&check, keys, values, 10), 0);
	assert_int_equal(dump_check(&check, keys, values, 9), -EPROTO);
	assert_non_null(strstr(error_text(), "lacks 1 of the 10"));

	keys[9] = KEY(3);
	memcpy(values + 9 * VALUE_SIZE, values + 3 * VALUE_SIZE, VALUE_SIZE);
	assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);
	assert_non_null(strstr(error_text(), "twice"));

	ten_entries();
	keys[4] = KEY(10);
	assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);
	assert_non_null(strstr(error_text(), "never in the map"));
	keys[4] = 0;
	assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);

	for (unsigned int byte = 0; byte < 10 * VALUE_SIZE; byte++) {
		ten_entries();
		values[byte] ^= 0x40;
		assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);
		assert_non_null(strstr(error_text(), "another value"));
	}
}

static void others_may_come_and_go(void **state)
{
	struct dump_check check = new_check(8);

	(void)state;
	check.nr_keys = 10;
	ten_entries();
	for (u64 n = 8; n <= 10; n++)
		assert_int_equal(dump_check(&check, keys, values, n), 0);
	values[9 * VALUE_SIZE] ^= 1 << 4;
	assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);
	keys[9] = KEY(8);
	memcpy(values + 9 * VALUE_SIZE, values + 8 * VALUE_SIZE, VALUE_SIZE);
	assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);
}

/* Nothing but the one fault, of key 3 or key 9, in a map of ten stable keys or of nine and another. */
static int check_with_fault(struct dump_check *check, const char *fault)
{
	ten_entries();
	if (!strcmp(fault, "stable twice"))
		keys[9] = KEY(3);
	if (!strcmp(fault, "stable differs"))
		values[3 * VALUE_SIZE] ^= 0x10;
	if (!strcmp(fault, "stable missing"))
		keys[3] = KEY(9);
	if (!strcmp(fault, "other twice"))
		keys[8] = KEY(9);
	if (!strcmp(fault, "other differs"))
		values[9 * VALUE_SIZE] ^= 0x10;
	for (int i = 0; i < 10; i++) {
		if (strstr(fault, "twice") || strstr(fault, "missing"))
			value_fill(values + i * VALUE_SIZE, VALUE_SIZE, 0, keys[i]);
	}
	return dump_check(check, keys, values, strcmp(fault, "stable missing") ? 10 : 9);
}

static void what_others_may_bring_about(void **state)
{
	static const struct {
		const char *fault;
		bool by_key, evicts; /* what it takes to be a result, beside others */
		bool either; /* one of both is enough */
	} rules[] = {
		{ "stable twice", .by_key = true },
		{ "other twice", .by_key = true },
		{ "other differs", .by_key = true },
		{ "stable differs", .by_key = true, .evicts = true },
		{ "stable missing", .by_key = true, .evicts = true, .either = true },
	};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rules); r++) {
		for (int bits = 0; bits < 8; bits++) {
			struct dump_check check = new_check(9);
			bool by_key = bits & 1, evicts = bits & 2, disturbed = bits & 4;
			bool may = disturbed &&
				   (rules[r].either ? by_key || evicts
						    : (by_key || !rules[r].by_key) &&
							      (evicts || !rules[r].evicts));

			check.nr_keys = 10;
			check.by_key = by_key;
			check.evicts = evicts;
			check.disturbed = disturbed;
			/* It has taken the place of key 8, which is not to be missed. */
			if (!strcmp(rules[r].fault, "other twice"))
				check.nr_stable = 8;
			assert_int_equal(check_with_fault(&check, rules[r].fault),
					 may ? 0 : -EPROTO);
			if (may)
				assert_int_equal(check.doubles + check.wrong_values + check.missing,
						 1);
		}
	}
}

static void never_there_is_an_error_beside_others_too(void **state)
{
	struct dump_check check = new_check(10);

	(void)state;
	check.disturbed = check.by_key = check.evicts = true;
	ten_entries();
	keys[0] = KEY(10);
	assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);
	assert_non_null(strstr(error_text(), "never in the map"));
}

static void what_is_missing_is_added_up(void **state)
{
	struct dump_check check = new_check(10);

	(void)state;
	check.disturbed = check.evicts = true;
	ten_entries();
	assert_int_equal(dump_check(&check, keys, values, 9), 0);
	assert_int_equal(dump_check(&check, keys, values, 5), 0);
	assert_int_equal(check.missing, 6);
}

/* After the last mark comes the first one, which the keys still have from long ago. */
static void more_dumps_than_there_are_marks(void **state)
{
	struct dump_check check = new_check(10);

	(void)state;
	ten_entries();
	assert_int_equal(dump_check(&check, keys, values, 10), 0);
	check.dumps = check.mark = UINT32_MAX - 1;
	for (int i = 0; i < 3; i++) {
		ten_entries();
		assert_int_equal(dump_check(&check, keys, values, 9), -EPROTO);
		assert_non_null(strstr(error_text(), "lacks 1 of the 10 keys"));
		assert_non_null(strstr(error_text(), "key 0x42000009 first"));
		assert_int_equal(dump_check(&check, keys, values, 10), 0);
	}
	assert_true(check.dumps == UINT32_MAX + 5ULL);
}

static void a_check_ends_when_it_is_told_to(void **state)
{
	struct dump_check check = new_check(1);
	u32 nr = 200000;
	u32 *many = calloc(nr, sizeof(*many));
	unsigned char *their_values = calloc(nr, VALUE_SIZE);
	u32 *marks = calloc(nr, sizeof(*marks));

	(void)state;
	assert_true(many && their_values && marks);
	for (u32 i = 0; i < nr; i++) {
		many[i] = KEY(i);
		value_fill(their_values + i * VALUE_SIZE, VALUE_SIZE, 0, many[i]);
	}
	check.nr_keys = nr;
	check.seen = marks;
	questions = 0;
	assert_int_equal(dump_check(&check, many, their_values, nr), 0);
	assert_in_range(questions, 2, 1000);
	interrupted_with = -EINTR;
	assert_int_equal(dump_check(&check, many, their_values, nr), -EINTR);
	interrupted_with = 0;
	free(many);
	free(their_values);
	free(marks);
}

static void what_was_refused_is_neither_missing_nor_there(void **state)
{
	struct dump_check check = new_check(10);
	bool absent[10] = { [9] = true };

	(void)state;
	check.absent = absent;
	check.nr_absent = 1;
	ten_entries();
	assert_int_equal(dump_check(&check, keys, values, 9), 0);
	assert_int_equal(dump_check(&check, keys, values, 10), -EPROTO);
	assert_non_null(strstr(error_text(), "never in the map"));
	assert_int_equal(dump_check(&check, keys, values, 8), -EPROTO);
	assert_non_null(strstr(error_text(), "lacks 1 of the 9"));
}

static void values_of_all_sizes(void **state)
{
	static const u32 sizes[] = { 1, 2, 7, 8, 9, 15, 16, 17, 24, 100 };
	unsigned char value[3 * 104];

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (unsigned int cpus = 0; cpus <= 3; cpus += 3) {
			struct dump_check check = new_check(1);
			u32 size = sizes[s], key = KEY(0);
			u32 stride = (size + 7) / 8 * 8;

			check.value_size = size;
			check.nr_cpus = cpus;
			assert_int_equal(value_stride(size, cpus), cpus ? 3 * stride : size);
			memset(value, 0, sizeof(value));
			value_fill(value, size, cpus, key);
			assert_int_equal(dump_check(&check, &key, value, 1), 0);
			for (u32 i = 0; i < (cpus ? 3 * stride : size); i++) {
				value[i] ^= 0x20;
				/* What rounds a CPU's value up to 8 bytes may be anything. */
				assert_int_equal(dump_check(&check, &key, value, 1),
						 i % stride < size ? -EPROTO : 0);
				value[i] ^= 0x20;
			}
		}
	}
}

static void a_program_writes_its_own_cpus_value(void **state)
{
	struct dump_check check = new_check(1);
	unsigned char value[3 * 8];
	u32 key = KEY(0);

	(void)state;
	check.nr_cpus = 3;
	value_fill(value, 8, 3, key);
	memset(value + 8, 0, 8);
	assert_int_equal(dump_check(&check, &key, value, 1), -EPROTO);
	check.nr_stable = 0;
	assert_int_equal(dump_check(&check, &key, value, 1), 0);
	value[8] = 1;
	assert_int_equal(dump_check(&check, &key, value, 1), -EPROTO);
	value[8] = 0;
	memset(value + 16, 0, 8);
	assert_int_equal(dump_check(&check, &key, value, 1), 0);
	memset(value, 0, 8);
	assert_int_equal(dump_check(&check, &key, value, 1), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_of_any_size_have_all),
		cmocka_unit_test(a_bucket_that_does_not_fit_makes_the_batch_grow),
		cmocka_unit_test(the_first_bucket_does_not_fit),
		cmocka_unit_test(more_than_there_can_be_does_not_grow_for_ever),
		cmocka_unit_test(interrupted_calls_are_repeated),
		cmocka_unit_test(interrupted_and_too_large_in_turn),
		cmocka_unit_test(interrupted_for_ever_is_an_error),
		cmocka_unit_test(other_errors_end_the_dump),
		cmocka_unit_test(an_empty_map),
		cmocka_unit_test(a_map_that_is_emptied_meanwhile),
		cmocka_unit_test(key_by_key_has_all),
		cmocka_unit_test(a_key_that_has_gone_is_left_out),
		cmocka_unit_test(a_walk_that_never_ends_is_cut_short),
		cmocka_unit_test(counts_that_cannot_be_are_errors),
		cmocka_unit_test(each_fault_is_found),
		cmocka_unit_test(others_may_come_and_go),
		cmocka_unit_test(what_others_may_bring_about),
		cmocka_unit_test(never_there_is_an_error_beside_others_too),
		cmocka_unit_test(what_is_missing_is_added_up),
		cmocka_unit_test(more_dumps_than_there_are_marks),
		cmocka_unit_test(a_check_ends_when_it_is_told_to),
		cmocka_unit_test(what_was_refused_is_neither_missing_nor_there),
		cmocka_unit_test(values_of_all_sizes),
		cmocka_unit_test(a_program_writes_its_own_cpus_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
