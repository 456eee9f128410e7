// SPDX-License-Identifier: GPL-2.0
/* Which batches had their core alone, and what is made of those that had not. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/core.h"
#include "harness/run_internal.h"
#include "harness/stats.h"

static void a_look_takes_time(void **state)
{
	double ghz[1001], busy[ARRAY_SIZE(ghz)];
	struct core_look look;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ghz); i++) {
		core_look(&look);
		ghz[i] = core_ghz(&look);
		busy[i] = (double)core_busy_cycles(&look);
	}
	stats_sort(ghz, ARRAY_SIZE(ghz));
	stats_sort(busy, ARRAY_SIZE(busy));
	/* No processor that Linux runs on is faster, or adds more than ten times in a cycle. */
	assert_true(ghz[500] > 0.01 && ghz[500] < 10);
	assert_true(busy[500] > 480 && busy[500] < 100000);
}

/* A batch was on a shared core if it was before or after it; the clock rate is that of most looks. */
static void what_looks_say_of_a_batch(void **state)
{
	static const struct core_look last[] = {
		{ 900, 390 }, { 400, 5000 }, { 400, 410 }, { 700, 400 }, { 500, 1 }, { 600, 400 },
	};
	struct core_looks looks = {};
	struct core_look look = core_look_between(&looks);

	(void)state;
	assert_int_equal(look.busy_ns, 0);
	for (size_t i = 0; i < ARRAY_SIZE(last); i++) {
		looks.last[i % CORE_LOOKS] = last[i];
		looks.n++;
		look = core_look_between(&looks);
		if (i == 1)
			assert_int_equal(look.busy_ns, 900);
	}
	assert_int_equal(look.busy_ns, 600);
	assert_int_equal(look.chain_ns, 400);
	assert_float_equal(core_ghz(&look), 2.5, 1e-9);
	assert_int_equal(core_busy_cycles(&look), 1500);
	assert_true(core_look_again(&looks) > 0);
	assert_int_equal(looks.n, ARRAY_SIZE(last) + 1);
}

/* Where the thread may run is what it was. */
static void seeking_leaves_no_trace(void **state)
{
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_true(core_seek(true) > 0);
	assert_true(core_seek(false) > 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

/* One reading in ten may be too low, and all but one in ten of a core that is shared. */
static void reference_of_several_readings(void **state)
{
	double one[] = { 1200 }, two[] = { 2000, 1200 }, many[30];

	(void)state;
	assert_int_equal(core_reference(NULL, 0), 0);
	assert_int_equal(core_reference(one, 1), 1200);
	assert_int_equal(core_reference(two, 2), 1200);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = i < 3 ? 1000 : i < 7 ? 1200 : 1500 + (double)i;
	assert_int_equal(core_reference(many, ARRAY_SIZE(many)), 1200);
}

static void what_is_alone_and_what_is_enough(void **state)
{
	(void)state;
	assert_true(core_is_alone(500, 500));
	assert_true(core_is_alone(575, 500));
	assert_false(core_is_alone(576, 500));
	assert_true(core_agrees(560, 500));
	assert_false(core_agrees(561, 500));

	assert_false(core_enough_alone(0, 0));
	assert_true(core_enough_alone(1, 1));
	assert_false(core_enough_alone(0, 1));
	assert_true(core_enough_alone(5, 10));
	assert_false(core_enough_alone(4, 10));
	assert_true(core_enough_alone(20, 400));
	assert_false(core_enough_alone(19, 400));
	assert_true(core_enough_alone(200, 4000));
	assert_false(core_enough_alone(199, 4000));
}

#define BLOCK 1000
#define BLOCKS 2
#define ALONE_NS 500
#define SHARED_NS 1000
#define CHAIN_NS (CORE_CHAIN / 2) /* 2 GHz */

/* One producer that has measured two slices of each variant, a batch of 1000 operations takes 100 µs, with its core alone. */
struct measured {
	struct options options;
	struct result result;
	struct bench_producer producer;
	struct bench_run run;
	u64 ns[BENCH_NR_VARIANTS][BLOCKS * BLOCK];
	struct core_look looks[BENCH_NR_VARIANTS][BLOCKS * BLOCK];
	size_t blocks[BLOCKS];
};

static struct measured measured;

static int measure(void **state)
{
	struct measured *m = &measured;

	(void)state;
	memset(m, 0, sizeof(*m));
	m->options.nr_producers = 1;
	m->result.ops_per_pass = 1000;
	m->run = (struct bench_run){
		.options = &m->options,
		.result = &m->result,
		.producers = &m->producer,
		.passes = 1,
		.pieces = 1,
		.looks_at_core = true,
	};
	m->producer.reference = 2 * ALONE_NS;
	for (size_t block = 0; block < BLOCKS; block++)
		m->blocks[block] = block * BLOCK;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		m->producer.samples[variant] = (struct samples){
			.ns = m->ns[variant],
			.looks = m->looks[variant],
			.pieces = 1,
			.n = (size_t)BLOCKS * BLOCK,
			.blocks = m->blocks,
			.nr_blocks = BLOCKS,
		};
		m->run.nr_slices[variant] = BLOCKS;
		for (size_t i = 0; i < (size_t)BLOCKS * BLOCK; i++) {
			m->ns[variant][i] = variant == BENCH_REAL ? 100000 : 10000;
			m->looks[variant][i] = (struct core_look){ ALONE_NS, CHAIN_NS };
		}
	}
	return 0;
}

static int forget(void **state)
{
	(void)state;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		free(measured.producer.samples[variant].alone.pieces);
		free(measured.producer.samples[variant].alone.blocks);
	}
	return 0;
}

/* From one batch of a variant up to another, others are on the core, and all takes twice as long. */
static void share(enum bench_variant variant, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		measured.ns[variant][i] *= 2;
		measured.looks[variant][i].busy_ns = SHARED_NS;
	}
}

static const struct stats_cost *real_cost(void)
{
	assert_int_equal(summarise(&measured.run), 0);
	return &measured.result.cost_ns[BENCH_REAL];
}

static void batches_on_a_shared_core_are_left_out(void **state)
{
	const struct stats_cost *cost;

	(void)state;
	share(BENCH_REAL, 200, 1800);
	share(BENCH_TWIN, 0, 600);
	cost = real_cost();
	assert_true(measured.result.core.alone_only);
	assert_int_equal(measured.result.core.reference, 2 * ALONE_NS);
	/* Those within a quarter of a millisecond, or eight, of one that was shared are left out with it. */
	assert_int_equal(cost->n, 394);
	assert_float_equal(measured.result.core.alone, 0.197, 1e-9);
	assert_float_equal(cost->median, 100, 1e-9);
	assert_float_equal(cost->max, 100, 1e-9);
	assert_int_equal(cost->nr_blocks, 2);
	assert_int_equal(measured.result.cost_ns[BENCH_TWIN].n, 1392);
	assert_float_equal(measured.result.net_ns.value, 90, 1e-9);
	assert_float_equal(measured.result.quantiles_ns[BENCH_REAL][RESULT_QUANTILES - 1], 100,
			   1e-9);
}

/* The slices of others in between do not make neighbours of the last of one and the first of the next. */
static void slices_end_a_neighbourhood(void **state)
{
	(void)state;
	share(BENCH_REAL, 0, BLOCK);
	real_cost();
	assert_float_equal(measured.result.core.alone, 0.5, 1e-9);
}

static void too_few_alone_make_all_count(void **state)
{
	const struct stats_cost *cost;

	(void)state;
	share(BENCH_REAL, 40, 1941);
	cost = real_cost();
	assert_false(measured.result.core.alone_only);
	assert_true(result_core_shared(&measured.result));
	assert_int_equal(cost->n, BLOCKS * BLOCK);
	assert_float_equal(cost->median, 200, 1e-9);
}

/* Cut what was measured into batches of so many pieces, each of which takes a microsecond more than the one before. */
static void cut(size_t pieces)
{
	measured.run.pieces = pieces;
	for (size_t block = 0; block < BLOCKS; block++)
		measured.blocks[block] /= pieces;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		measured.producer.samples[variant].pieces = pieces;
		measured.producer.samples[variant].n /= pieces;
		for (size_t i = 0; i < (size_t)BLOCKS * BLOCK; i++)
			measured.ns[variant][i] += i % pieces * 1000;
	}
}

/* No batch is left as a whole: where others were in the first piece, three pieces before and after it are left out. */
static void batches_are_put_together_from_pieces(void **state)
{
	const struct stats_cost *cost;

	(void)state;
	cut(10);
	for (size_t i = 0; i < (size_t)BLOCKS * BLOCK; i += 20)
		share(BENCH_REAL, i, i + 1);
	cost = real_cost();
	assert_true(measured.result.core.alone_only);
	assert_float_equal(measured.result.core.alone, 0.653, 1e-9);
	/* The first places in half of the batches, the last ones in the other half. */
	assert_int_equal(cost->n, 100);
	assert_float_equal(cost->min, 1045, 1e-9);
	assert_float_equal(cost->max, 1045, 1e-9);
	assert_int_equal(measured.result.cost_ns[BENCH_TWIN].n, 200);
	assert_float_equal(measured.result.cycles[BENCH_REAL].median, 2090, 1e-9);
}

static void a_place_that_never_had_the_core_makes_all_count(void **state)
{
	(void)state;
	cut(10);
	for (size_t i = 0; i < (size_t)BLOCKS * BLOCK; i += 10)
		share(BENCH_REAL, i, i + 1);
	assert_int_equal(real_cost()->n, 200);
	assert_false(measured.result.core.alone_only);
	assert_float_equal(measured.result.core.alone, 0.303, 1e-9);
}

/* An error of the median comes from two blocks at least. */
static void alone_in_one_block_of_two_makes_all_count(void **state)
{
	(void)state;
	share(BENCH_TWIN, 0, BLOCK);
	real_cost();
	assert_false(measured.result.core.alone_only);
	assert_int_equal(measured.result.cost_ns[BENCH_TWIN].n, BLOCKS * BLOCK);
	assert_int_equal(measured.result.cost_ns[BENCH_REAL].n, BLOCKS * BLOCK);
}

/* The clock slows down by half in the second block: as many cycles take twice the time. */
static void cycles_do_not_follow_the_clock_rate(void **state)
{
	const struct result *result = &measured.result;

	(void)state;
	for (size_t i = BLOCK; i < (size_t)BLOCKS * BLOCK; i++) {
		for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
			measured.ns[variant][i] *= 2;
			measured.looks[variant][i].busy_ns *= 2;
			measured.looks[variant][i].chain_ns *= 2;
		}
	}
	real_cost();
	assert_float_equal(result->core.alone, 1, 1e-9);
	assert_float_equal(result->cycles[BENCH_REAL].min, 200, 1e-9);
	assert_float_equal(result->cycles[BENCH_REAL].max, 200, 1e-9);
	assert_float_equal(result->net_cycles.value, 180, 1e-9);
	assert_float_equal(result->cost_ns[BENCH_REAL].max, 200, 1e-9);
	assert_float_equal(result->core.ghz, 200 / 150.0, 1e-9);
}

static void a_core_that_was_never_alone(void **state)
{
	(void)state;
	share(BENCH_REAL, 0, BLOCKS * BLOCK);
	share(BENCH_TWIN, 0, BLOCKS * BLOCK);
	real_cost();
	assert_float_equal(measured.result.core.alone, 0, 1e-9);
	assert_true(result_core_shared(&measured.result));
}

/* Those whose chains were held up are no measure, and of few looks the least is none either. */
static void outliers_are_no_measure(void **state)
{
	(void)state;
	measured.producer.reference = 3 * ALONE_NS;
	measured.looks[BENCH_REAL][50].chain_ns *= 10;
	real_cost();
	assert_int_equal(measured.result.core.reference, 2 * ALONE_NS);
	assert_float_equal(measured.result.core.alone, 1, 1e-9);
}

static void few_looks_are_no_measure(void **state)
{
	(void)state;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		measured.producer.samples[variant].n = 100;
		measured.producer.samples[variant].nr_blocks = 1;
		measured.run.nr_slices[variant] = 1;
	}
	measured.looks[BENCH_REAL][50].chain_ns *= 10;
	assert_int_equal(real_cost()->n, 100);
	assert_int_equal(measured.result.core.reference, 2 * ALONE_NS);
	assert_true(measured.result.core.alone_only);
}

static void without_looks_all_count(void **state)
{
	(void)state;
	share(BENCH_REAL, 0, 50);
	measured.run.looks_at_core = false;
	assert_int_equal(real_cost()->n, BLOCKS * BLOCK);
	assert_int_equal(measured.result.core.reference, 0);
	assert_false(result_core_shared(&measured.result));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_look_takes_time),
		cmocka_unit_test(what_looks_say_of_a_batch),
		cmocka_unit_test(seeking_leaves_no_trace),
		cmocka_unit_test(reference_of_several_readings),
		cmocka_unit_test(what_is_alone_and_what_is_enough),
		cmocka_unit_test_setup_teardown(batches_on_a_shared_core_are_left_out, measure,
						forget),
		cmocka_unit_test_setup_teardown(slices_end_a_neighbourhood, measure, forget),
		cmocka_unit_test_setup_teardown(too_few_alone_make_all_count, measure, forget),
		cmocka_unit_test_setup_teardown(batches_are_put_together_from_pieces, measure,
						forget),
		cmocka_unit_test_setup_teardown(a_place_that_never_had_the_core_makes_all_count,
						measure, forget),
		cmocka_unit_test_setup_teardown(alone_in_one_block_of_two_makes_all_count, measure,
						forget),
		cmocka_unit_test_setup_teardown(cycles_do_not_follow_the_clock_rate, measure,
						forget),
		cmocka_unit_test_setup_teardown(a_core_that_was_never_alone, measure, forget),
		cmocka_unit_test_setup_teardown(outliers_are_no_measure, measure, forget),
		cmocka_unit_test_setup_teardown(few_looks_are_no_measure, measure, forget),
		cmocka_unit_test_setup_teardown(without_looks_all_count, measure, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
