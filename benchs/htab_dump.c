// SPDX-License-Identifier: GPL-2.0
#include "htab_dump.h"

#include <errno.h>
#include <string.h>

#include "../harness/error.h"
#include "../progs/htab_writer_abi.h"

#define MAX_INTERRUPTED 10000 /* calls in a row: something else is wrong */
#define CHECKED_AT_ONCE (1U << 16) /* entries */

void dump_begin(struct dump *dump)
{
	dump->first = dump->n;
	dump->begun = false;
	dump->walked = 0;
	dump->interrupted = 0;
}

static int call_failed(const char *call, int err)
{
	return error_set(-err, "%s: %s", call, strerror(-err));
}

static int interrupted(struct dump *dump, const char *call, int err)
{
	dump->repeated++;
	if (++dump->interrupted < MAX_INTERRUPTED)
		return DUMP_GOES_ON;
	return error_set(-err, "%s: %s, %u times in a row", call, strerror(-err),
			 dump->interrupted);
}

/*
 * A bucket has more entries than the batch has room for. Nothing was returned, and the place to go
 * on from is still that of the call before.
 */
static int grow(struct dump *dump, u32 asked)
{
	u64 left = dump->first + dump->limit - dump->n;

	if (asked >= left)
		return error_set(
			EPROTO,
			"the kernel has no room for a bucket in a batch of %u entries, and "
			"%llu are all that can be left",
			asked, (unsigned long long)left);
	dump->batch_size = (u32)min_u64(2ULL * asked, UINT32_MAX);
	dump->growths++;
	return DUMP_GOES_ON;
}

static int take(struct dump *dump, u32 asked, u32 count)
{
	if (count > asked)
		return error_set(EPROTO, "%u entries came for %u that were asked for", count,
				 asked);
	dump->n += count;
	dump->interrupted = 0;
	return 0;
}

/* Only after 0 and ENOENT is the count what came: after other errors it may be anything. */
static int batch_step(struct dump *dump)
{
	u64 left = dump->first + dump->limit - dump->n;
	/* One at least: what is more than all there can be must be asked for to be seen. */
	u32 asked = (u32)max_u64(min_u64(dump->batch_size, left), 1), count = asked;
	int err = dump->io->batch(dump->ctx, dump->begun ? &dump->cursor[dump->turn] : NULL,
				  &dump->cursor[!dump->turn], dump->keys + dump->n,
				  dump->values + dump->n * dump->value_stride, &count);

	switch (err) {
	case 0:
		if (!count)
			return error_set(EPROTO, "a batch without entries that was not the last");
		dump->begun = true;
		dump->turn = !dump->turn;
		return take(dump, asked, count);
	case -ENOENT:
		err = take(dump, asked, count);
		return err ? err : DUMP_ENDED;
	case -ENOSPC:
		return grow(dump, asked);
	case -EINTR:
	case -EAGAIN:
		return interrupted(dump, "reading a batch", err);
	default:
		return call_failed("reading a batch", err);
	}
}

static int key_step(struct dump *dump)
{
	u32 next = 0;
	int err = dump->io->next_key(dump->ctx, dump->begun ? &dump->key : NULL, &next);

	if (err == -ENOENT)
		return DUMP_ENDED;
	if (err == -EINTR || err == -EAGAIN)
		return interrupted(dump, "reading the next key", err);
	if (err)
		return call_failed("reading the next key", err);
	/* From a key that has gone the walk begins anew: beside writers it may never end. */
	if (dump->walked++ == dump->limit) {
		dump->cut_short++;
		return DUMP_ENDED;
	}
	dump->begun = true;
	dump->key = next;
	dump->interrupted = 0;
	do
		err = dump->io->lookup(dump->ctx, &next,
				       dump->values + dump->n * dump->value_stride);
	while ((err == -EINTR || err == -EAGAIN) &&
	       interrupted(dump, "reading a value", err) == DUMP_GOES_ON);
	if (err == -ENOENT)
		dump->vanished++;
	else if (err)
		return call_failed("reading a value", err);
	else
		dump->keys[dump->n++] = next;
	return DUMP_GOES_ON;
}

int dump_step(struct dump *dump)
{
	return dump->by_key ? key_step(dump) : batch_step(dump);
}

static size_t cpu_stride(u32 value_size)
{
	return (value_size + 7U) / 8 * 8;
}

size_t value_stride(u32 value_size, unsigned int nr_cpus)
{
	return nr_cpus ? cpu_stride(value_size) * nr_cpus : value_size;
}

static void stamp_fill(unsigned char *stamp, u32 key, unsigned int cpu)
{
	const u64 number = htab_stamp(key, cpu);

	memcpy(stamp, &number, HTAB_STAMP_SIZE);
}

/* The low bytes of the stamp, where there is no room for all of it. */
static void stamp_cut(unsigned char *value, u32 size, u32 key, unsigned int cpu)
{
	for (u32 i = 0; i < size; i++)
		value[i] = (unsigned char)(htab_stamp(key, cpu) >> 8 * i);
}

static void cpu_value_fill(unsigned char *value, u32 size, u32 key, unsigned int cpu)
{
	if (size < HTAB_STAMP_SIZE) {
		stamp_cut(value, size, key, cpu);
		return;
	}
	for (u32 i = HTAB_STAMP_SIZE; i < size; i++)
		value[i] = htab_filling(i);
	stamp_fill(value, key, cpu);
	if (size >= 2 * HTAB_STAMP_SIZE)
		stamp_fill(value + size - HTAB_STAMP_SIZE, key, cpu);
}

void value_fill(void *value, u32 value_size, unsigned int nr_cpus, u32 key)
{
	if (!nr_cpus)
		cpu_value_fill(value, value_size, key, 0);
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++)
		cpu_value_fill((unsigned char *)value + cpu * cpu_stride(value_size), value_size,
			       key, cpu);
}

static bool cpu_value_is(const unsigned char *value, u32 size, u32 key, unsigned int cpu)
{
	unsigned char stamp[HTAB_STAMP_SIZE];
	bool two = size >= 2 * HTAB_STAMP_SIZE;
	u32 filling_end = two ? size - HTAB_STAMP_SIZE : size;

	if (size < HTAB_STAMP_SIZE) {
		stamp_cut(stamp, size, key, cpu);
		return !memcmp(value, stamp, size);
	}
	stamp_fill(stamp, key, cpu);
	if (memcmp(value, stamp, HTAB_STAMP_SIZE) ||
	    (two && memcmp(value + filling_end, stamp, HTAB_STAMP_SIZE)))
		return false;
	for (u32 i = HTAB_STAMP_SIZE; i < filling_end; i++) {
		if (value[i] != htab_filling(i))
			return false;
	}
	return true;
}

static bool is_zero(const unsigned char *value, u32 size)
{
	for (u32 i = 0; i < size; i++) {
		if (value[i])
			return false;
	}
	return true;
}

/* A program that inserts a key writes its own CPU's value, and the others' are zero. */
static bool value_is(const struct dump_check *check, const unsigned char *value, u32 key,
		     bool one_cpu_is_enough)
{
	unsigned int right = 0;

	if (!check->nr_cpus)
		return cpu_value_is(value, check->value_size, key, 0);
	for (unsigned int cpu = 0; cpu < check->nr_cpus; cpu++) {
		const unsigned char *mine = value + cpu * cpu_stride(check->value_size);

		if (cpu_value_is(mine, check->value_size, key, cpu))
			right++;
		else if (!one_cpu_is_enough || !is_zero(mine, check->value_size))
			return false;
	}
	return right > 0;
}

static bool is_absent(const struct dump_check *check, u64 number)
{
	return check->absent && check->absent[number];
}

/* A bucket is read as a whole under its lock, but a walk by key begins anew at a key that has gone. */
static bool may_double(const struct dump_check *check)
{
	return check->disturbed && check->by_key;
}

/*
 * By key a value is copied without a lock. If its element is deleted and taken for another key
 * meanwhile, that one's value may be copied, or some of both. Nobody deletes a stable key unless the
 * map evicts it.
 */
static bool may_differ(const struct dump_check *check, bool stable)
{
	return check->disturbed && check->by_key && (!stable || check->evicts);
}

/* A walk by key may also go on in another bucket, where its element has been put meanwhile. */
static bool may_lack(const struct dump_check *check)
{
	return check->disturbed && (check->by_key || check->evicts);
}

/* 1: a stable key that was not there before, 0: another, or a negative error. */
static int check_entry(struct dump_check *check, u32 key, const unsigned char *value)
{
	u64 number = (u32)(key - HTAB_FIRST_KEY);
	bool stable = number < check->nr_stable;

	if (number >= check->nr_keys || (stable && is_absent(check, number)))
		return error_set(EPROTO, "a dump has key %#x, which was never in the map", key);
	if (!value_is(check, value, key, !stable)) {
		if (!may_differ(check, stable))
			return error_set(EPROTO,
					 "a dump has key %#x with another value than was "
					 "written",
					 key);
		check->wrong_values++;
	}
	if (check->seen[number] == check->mark) {
		if (!may_double(check))
			return error_set(EPROTO, "a dump has key %#x twice", key);
		check->doubles++;
		return 0;
	}
	check->seen[number] = check->mark;
	return stable;
}

static u32 first_missing(const struct dump_check *check)
{
	u64 number = 0;

	while (number < check->nr_stable &&
	       (check->seen[number] == check->mark || is_absent(check, number)))
		number++;
	return HTAB_FIRST_KEY + (u32)number;
}

/* A mark that no key has. Zero is for those that never were in a dump. */
static void next_mark(struct dump_check *check)
{
	if (++check->mark)
		return;
	memset(check->seen, 0, check->nr_keys * sizeof(*check->seen));
	check->mark = 1;
}

int dump_check(struct dump_check *check, const u32 *keys, const void *values, u64 n)
{
	size_t stride = value_stride(check->value_size, check->nr_cpus);
	u64 expected = check->nr_stable - check->nr_absent;
	u64 stable = 0;

	check->dumps++;
	next_mark(check);
	for (u64 i = 0; i < n; i++) {
		int err = i % CHECKED_AT_ONCE ? 0 : check->interrupted(check->ctx);
		int found = err ? err
				: check_entry(check, keys[i],
					      (const unsigned char *)values + i * stride);

		if (found < 0)
			return found;
		stable += (u64)found;
	}
	check->missing += expected - stable;
	if (stable == expected || may_lack(check))
		return 0;
	return error_set(
		EPROTO,
		"a dump lacks %llu of the %llu keys that were there throughout, key %#x first",
		(unsigned long long)(expected - stable), (unsigned long long)expected,
		first_missing(check));
}
