// SPDX-License-Identifier: GPL-2.0
/*
 * Reading all of a hash map from user space: in batches, in batches that delete what they return,
 * or key by key. Others may write to the map meanwhile, which must not show in what is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "htab_dump.h"
#include "htab_fill.h"
#include "htab_writers.h"
#include "progs/htab_writer_abi.h"

#define MAX_ENTRIES (1U << 26)
#define MAX_VALUE_SIZE (1U << 20)
#define MAX_PER_CPU_VALUE_SIZE (32U << 10) /* the kernel's limit */
#define MAX_WRITERS 256

#define MAX_PENDING 1024 /* dumps that are there to be checked */
#define ROOM_BYTES (4U << 20) /* for several dumps, if they are small */
#define ENTRIES_AT_ONCE (1U << 16) /* between two questions whether set-up is to end */

/* Exact mode: entries that a piece should have, of some 700 (by key: 4500) instructions each. */
#define ENTRIES_PER_PIECE 128
#define ENTRIES_PER_PIECE_BY_KEY 64
#define MAX_PIECES 1024

enum method {
	METHOD_BATCH,
	METHOD_BATCH_DELETE,
	METHOD_NEXT_KEY,
};

static const char *const method_names[] = { "batch", "batch_delete", "next_key", NULL };

static const enum bpf_map_type map_types[] = {
	BPF_MAP_TYPE_HASH,
	BPF_MAP_TYPE_PERCPU_HASH,
	BPF_MAP_TYPE_LRU_HASH,
	BPF_MAP_TYPE_LRU_PERCPU_HASH,
};

static const char *const map_type_names[] = {
	"hash", "percpu_hash", "lru_hash", "lru_percpu_hash", NULL,
};

struct params {
	u64 map_type;
	u64 max_entries;
	u64 nr_entries;
	u64 batch_size;
	u64 value_size;
	u64 method;
	u64 writers;
};

static bool is_per_cpu(u64 map_type)
{
	return map_types[map_type] == BPF_MAP_TYPE_PERCPU_HASH ||
	       map_types[map_type] == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool is_lru(u64 map_type)
{
	return map_types[map_type] == BPF_MAP_TYPE_LRU_HASH ||
	       map_types[map_type] == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

/* Keys that writers must have room for. An LRU map makes it. */
static u64 least_others(const struct params *p)
{
	return is_lru(p->map_type) ? 0 : 2 * p->writers;
}

static u64 most_entries(const void *data)
{
	const struct params *p = data;

	return p->max_entries - min_u64(least_others(p), p->max_entries);
}

static u64 most_in_batch(const void *data)
{
	const struct params *p = data;

	return p->max_entries;
}

static const struct bench_param param_table[] = {
	BENCH_CHOICE(map_type, struct params, 0, map_type_names, "type of the map"),
	BENCH_UINT(max_entries, struct params, 50000, 1, MAX_ENTRIES, "size of the map"),
	BENCH_UINT_UP_TO(nr_entries, struct params, 1000, 0, MAX_ENTRIES, most_entries,
			 "entries in it"),
	BENCH_UINT_UP_TO(batch_size, struct params, 256, 1, MAX_ENTRIES, most_in_batch,
			 "entries asked for in one call"),
	BENCH_UINT(value_size, struct params, 8, 1, MAX_VALUE_SIZE, "bytes of a value, of one CPU"),
	BENCH_CHOICE(method, struct params, METHOD_BATCH, method_names, "how the map is read"),
	BENCH_UINT(writers, struct params, 0, 0, MAX_WRITERS,
		   "threads that insert and delete other keys meanwhile"),
	{},
};

/* What stands for the map in the twin: what one call would return, until all entries are read. */
struct nothing {
	u64 nr_entries;
	u32 per_call;
	u64 left;
};

/* One producer's way through a batch of dumps, of one variant. */
struct reader {
	struct dump dump;
	u64 dumps_left; /* of the batch */
	u64 steps; /* in the batch */
	u64 ends[MAX_PENDING]; /* of the dumps that are not checked yet */
	unsigned int nr_pending;
};

/* All of one producer. */
struct dumper {
	struct reader readers[BENCH_NR_VARIANTS];
	struct nothing nothing;
	struct dump_check check;
	void *room;
	size_t room_size;
	u64 entries; /* that were read, and checked */
};

struct state {
	struct bench_run *run;
	const struct params *params;
	int map;
	unsigned int nr_cpus; /* that have a value of their own; 0: not a per-CPU map */
	bool is_lru;
	size_t stride;
	u64 nr_keys; /* of the dump's and the writers' */
	struct fill fill;
	u64 nr_refused; /* keys that the map (LRU) did not keep when it was filled last */

	struct dumper *dumpers;
	unsigned int nr_dumpers;
	u64 steps; /* of a dump when nothing disturbs it */
	u64 steps_at_once; /* of a dump that is too long for set-up to wait for */
	u64 pieces;

	struct htab_writers writers;
};

static u64 one_op(const struct bench_run *run)
{
	(void)run;
	return 1;
}

static u64 pieces_per_pass(const struct bench_run *run)
{
	const struct state *state = bench_private(run);

	return state->pieces;
}

static int validate(const void *data, unsigned int nr_producers)
{
	const struct params *p = data;

	if (p->nr_entries > p->max_entries)
		return error_set(E_USAGE, "--nr_entries %llu: more than --max_entries %llu",
				 (unsigned long long)p->nr_entries,
				 (unsigned long long)p->max_entries);
	if (p->batch_size > p->max_entries)
		return error_set(E_USAGE, "--batch_size %llu: more than --max_entries %llu",
				 (unsigned long long)p->batch_size,
				 (unsigned long long)p->max_entries);
	if (is_per_cpu(p->map_type) && p->value_size > MAX_PER_CPU_VALUE_SIZE)
		return error_set(E_USAGE, "--value_size %llu: a per-CPU map takes %u at most",
				 (unsigned long long)p->value_size, MAX_PER_CPU_VALUE_SIZE);
	if (p->method == METHOD_BATCH_DELETE && nr_producers > 1)
		return error_set(E_USAGE,
				 "--method batch_delete empties the map, of which there is "
				 "one: -p must be 1");
	if (p->nr_entries + least_others(p) > p->max_entries)
		return error_set(E_USAGE,
				 "--writers %llu: each needs room for two other keys, and of "
				 "--max_entries %llu --nr_entries takes %llu",
				 (unsigned long long)p->writers, (unsigned long long)p->max_entries,
				 (unsigned long long)p->nr_entries);
	return 0;
}

/* The map, and the memory for its dumps */

/*
 * What a preallocated map takes: an element is its header (48 bytes in Linux 6.1 to 6.18), the
 * multiples of 8 bytes of key and value, or of key, pointer and value; a bucket is two words.
 */
static u64 map_bytes(const struct state *state)
{
	u64 value = state->nr_cpus ? sizeof(u64) + state->stride : (state->stride + 7) / 8 * 8;
	u64 buckets = 1;

	while (buckets < state->params->max_entries)
		buckets *= 2;
	return state->params->max_entries * (48 + 8 + value) + buckets * 16;
}

/* By key beside writers a walk may begin anew; else one entry more than there can be is enough. */
static u64 dump_limit(const struct state *state)
{
	bool may_begin_anew = state->params->method == METHOD_NEXT_KEY && state->params->writers;

	return may_begin_anew ? 4 * state->nr_keys + 16 : state->nr_keys + 1;
}

/* Entries: of one dump and the one that is asked for behind its limit, or of many small dumps. */
static u64 dumper_room(const struct state *state)
{
	u64 room = max_u64(dump_limit(state) + 1, ROOM_BYTES / (sizeof(u32) + state->stride));

	return (room + 15) / 16 * 16; /* the values follow the keys, on a cache line of their own */
}

static u64 dumper_bytes(const struct state *state)
{
	return dumper_room(state) * (sizeof(u32) + state->stride) + state->nr_keys * sizeof(u32);
}

static int create_map(struct bench_run *run)
{
	struct state *state = bench_private(run);
	const struct params *p = state->params;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_ZERO_SEED);
	int map = bpf_map_create(map_types[p->map_type], "bench_htab", sizeof(u32),
				 (u32)p->value_size, (u32)p->max_entries, &opts);

	/* A fixed order of the entries takes CAP_SYS_ADMIN. */
	bench_note(run, "seed", map == -EPERM ? "random" : "zero");
	if (map == -EPERM) {
		opts.map_flags = 0;
		map = bpf_map_create(map_types[p->map_type], "bench_htab", sizeof(u32),
				     (u32)p->value_size, (u32)p->max_entries, &opts);
	}
	if (map < 0)
		return error_set(map == -ENOMEM || map == -E2BIG ? E_CANNOT : -map,
				 "cannot create the map: %s", strerror(-map));
	state->map = map;
	return 0;
}

/* How the map is filled and read: by the kernel, or for the twin, by nothing at all. */

static int interrupted(void *ctx)
{
	const struct state *state = ctx;

	return bench_set_up_interrupted(state->run);
}

static int update_batch(void *ctx, const u32 *keys, const void *values, u32 *count)
{
	const struct state *state = ctx;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	return bpf_map_update_batch(state->map, keys, values, count, &opts);
}

static int read_batch(void *ctx, void *in, void *out, u32 *keys, void *values, u32 *count)
{
	const struct state *state = ctx;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	return bpf_map_lookup_batch(state->map, in, out, keys, values, count, &opts);
}

static int read_and_delete_batch(void *ctx, void *in, void *out, u32 *keys, void *values,
				 u32 *count)
{
	const struct state *state = ctx;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	return bpf_map_lookup_and_delete_batch(state->map, in, out, keys, values, count, &opts);
}

static int read_next_key(void *ctx, const u32 *key, u32 *next)
{
	const struct state *state = ctx;

	return bpf_map_get_next_key(state->map, key, next);
}

static int read_value(void *ctx, const u32 *key, void *value)
{
	const struct state *state = ctx;

	return bpf_map_lookup_elem(state->map, key, value);
}

static int nothing_batch(void *ctx, void *in, void *out, u32 *keys, void *values, u32 *count)
{
	struct nothing *nothing = ctx;

	(void)out;
	(void)keys;
	(void)values;
	if (!in)
		nothing->left = nothing->nr_entries;
	*count = (u32)min_u64(min_u64(*count, nothing->per_call), nothing->left);
	nothing->left -= *count;
	return nothing->left ? 0 : -ENOENT;
}

static int nothing_next_key(void *ctx, const u32 *key, u32 *next)
{
	struct nothing *nothing = ctx;

	if (!key)
		nothing->left = nothing->nr_entries;
	*next = 0;
	return nothing->left-- ? 0 : -ENOENT;
}

static int nothing_value(void *ctx, const u32 *key, void *value)
{
	(void)ctx;
	(void)key;
	(void)value;
	return 0;
}

static const struct fill_io filling = { update_batch, read_value, interrupted };
static const struct dump_io reading = { read_batch, read_next_key, read_value };
static const struct dump_io deleting = { .batch = read_and_delete_batch };
static const struct dump_io reading_nothing = { nothing_batch, nothing_next_key, nothing_value };

static const struct dump_io *read_with(u64 method)
{
	return method == METHOD_BATCH_DELETE ? &deleting : &reading;
}

static void dumper_free(struct dumper *dumper)
{
	if (dumper->room)
		munmap(dumper->room, dumper->room_size);
	free(dumper->check.seen);
}

/* All memory that dumping takes, once and for all, and touched. */
static int dumper_init(struct state *state, struct dumper *dumper)
{
	const struct params *p = state->params;
	u64 room = dumper_room(state);

	dumper->check = (struct dump_check){
		.nr_stable = p->nr_entries,
		.nr_keys = state->nr_keys,
		.nr_absent = state->nr_refused,
		.absent = state->is_lru ? state->fill.absent : NULL,
		.value_size = (u32)p->value_size,
		.nr_cpus = state->nr_cpus,
		.disturbed = p->writers > 0,
		.by_key = p->method == METHOD_NEXT_KEY,
		.evicts = state->is_lru,
		.interrupted = interrupted,
		.ctx = state,
		.seen = calloc(state->nr_keys + 1, sizeof(*dumper->check.seen)),
	};
	dumper->room_size = room * (sizeof(u32) + state->stride);
	dumper->room = mmap(NULL, dumper->room_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (dumper->room == MAP_FAILED)
		dumper->room = NULL;
	if (!dumper->room || !dumper->check.seen)
		return error_set(ENOMEM, "no memory for a dump of %llu entries",
				 (unsigned long long)room);
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++)
		dumper->readers[variant].dump = (struct dump){
			.io = variant == BENCH_TWIN ? &reading_nothing : read_with(p->method),
			.ctx = variant == BENCH_TWIN ? (void *)&dumper->nothing : (void *)state,
			.by_key = p->method == METHOD_NEXT_KEY,
			.keys = dumper->room,
			.values = (unsigned char *)dumper->room + room * sizeof(u32),
			.value_stride = state->stride,
			.room = room,
			.limit = dump_limit(state),
			.batch_size = (u32)p->batch_size,
		};
	return 0;
}

/* Dumping */

/*
 * Between two dumps: has what was read to be looked at before the next one? When the batch is over,
 * when there is no more room, and when the map has to be filled again.
 */
static bool has_to_settle(const struct state *state, const struct reader *reader)
{
	const struct dump *dump = &reader->dump;

	if (dump->begun || !reader->nr_pending)
		return false;
	return !reader->dumps_left || reader->nr_pending == MAX_PENDING ||
	       dump->room - dump->n <= dump->limit || state->params->method == METHOD_BATCH_DELETE;
}

/* Check the dumps that are there. None is under way. */
static int check_pending(struct dumper *dumper, const struct reader *reader)
{
	const struct dump *dump = &reader->dump;
	u64 first = 0;
	int err = 0;

	for (unsigned int i = 0; i < reader->nr_pending && !err; i++) {
		err = dump_check(&dumper->check, dump->keys + first,
				 dump->values + first * dump->value_stride,
				 reader->ends[i] - first);
		first = reader->ends[i];
	}
	dumper->entries += first;
	return err;
}

/* An LRU map may evict entries before it is full. What it kept is what a dump must have. */
static int fill_anew(struct state *state)
{
	int err = fill_map(&state->fill);

	if (!err && state->is_lru)
		err = fill_look(&state->fill);
	state->nr_refused = state->is_lru ? state->fill.nr_absent : 0;
	return err;
}

/* A dump that deletes leaves none of the keys, whoever else writes to the map. */
static int check_deleted(struct state *state)
{
	int err = fill_look(&state->fill);

	if (err || state->fill.nr_absent == state->fill.nr_entries)
		return err;
	return error_set(EPROTO, "a dump that deletes has left key %#x in the map",
			 fill_first(&state->fill, false));
}

static int refill(struct state *state, struct dumper *dumper)
{
	int err = check_deleted(state);

	if (!err)
		err = fill_anew(state);
	dumper->check.nr_absent = state->nr_refused;
	return err;
}

static int settle(struct state *state, struct dumper *dumper, enum bench_variant variant)
{
	struct reader *reader = &dumper->readers[variant];
	int err = 0;

	if (variant == BENCH_REAL) {
		err = check_pending(dumper, reader);
		if (!err && state->params->method == METHOD_BATCH_DELETE)
			err = refill(state, dumper);
	}
	reader->nr_pending = 0;
	reader->dump.n = 0;
	dump_begin(&reader->dump);
	return err;
}

static void begin_batch(struct reader *reader, u64 dumps)
{
	reader->dumps_left = dumps;
	reader->steps = 0;
	dump_begin(&reader->dump);
}

/*
 * Go on with the batch until `until` steps of it are done, it is over, or what was read has to be
 * looked at. This is what is timed.
 */
static int run_steps(const struct state *state, struct reader *reader, u64 until)
{
	while (reader->steps < until) {
		int err = dump_step(&reader->dump);

		if (err < 0)
			return err;
		reader->steps++;
		if (err == DUMP_GOES_ON)
			continue;
		reader->ends[reader->nr_pending++] = reader->dump.n;
		reader->dumps_left--;
		dump_begin(&reader->dump);
		if (has_to_settle(state, reader))
			break;
	}
	return 0;
}

/*
 * A batch in pieces is cut after so many calls, as many in each piece as there are without writers.
 * Should it take more or fewer calls, the last piece is longer, or empty.
 */
static u64 piece_end(const struct state *state, u64 piece, u64 dumps)
{
	if (piece + 1 == state->pieces)
		return UINT64_MAX;
	return (piece + 1) * dumps * state->steps / state->pieces;
}

static int dump_batch(struct bench_producer *producer, enum bench_variant variant, u64 dumps,
		      struct bench_counts *done)
{
	struct state *state = bench_private(bench_producer_run(producer));
	struct dumper *dumper = &state->dumpers[bench_producer_index(producer)];
	struct reader *reader = &dumper->readers[variant];
	u64 piece = bench_producer_piece(producer);
	u64 until = piece_end(state, piece, dumps);
	u64 at_once = state->steps > state->steps_at_once ? state->steps_at_once : UINT32_MAX;
	u64 before;

	if (!piece)
		begin_batch(reader, dumps);
	before = reader->dumps_left;
	while (reader->dumps_left && reader->steps < until) {
		int err = interrupted(state);

		if (err)
			return err;
		bench_clock_start(producer);
		err = run_steps(state, reader, min_u64(until, reader->steps + at_once));
		bench_clock_stop(producer, done);
		if (!err && has_to_settle(state, reader))
			err = settle(state, dumper, variant);
		if (err)
			return err;
	}
	done->batches = 1;
	done->hits = before - reader->dumps_left;
	return 0;
}

static unsigned int nr_writers(const struct bench_run *run)
{
	const struct state *state = bench_private(run);

	return state->writers.nr;
}

static int write_round(struct bench_run *run, unsigned int index)
{
	struct state *state = bench_private(run);

	return htab_writers_round(&state->writers, index);
}

/* The case */

/* All writers' keys together have room in the map, beside those that are read. An LRU map evicts. */
static u32 keys_of_writer(const struct state *state)
{
	const struct params *p = state->params;
	u64 room = UINT64_MAX;

	if (!state->is_lru && p->writers)
		room = (p->max_entries - p->nr_entries) / p->writers;
	return (u32)min_u64(room / 2 * 2, HTAB_WRITER_MAX_KEYS);
}

static int state_init(struct bench_run *run)
{
	const struct params *p = bench_params(run);
	struct state *state = calloc(1, sizeof(*state));
	int cpus = libbpf_num_possible_cpus();

	if (!state)
		return error_set(ENOMEM, "no memory");
	bench_set_private(run, state);
	state->run = run;
	state->params = p;
	state->map = -1;
	state->is_lru = is_lru(p->map_type);
	if (cpus < 0)
		return error_set(-cpus, "cannot tell how many CPUs there can be: %s",
				 strerror(-cpus));
	state->nr_cpus = is_per_cpu(p->map_type) ? (unsigned int)cpus : 0;
	state->stride = value_stride((u32)p->value_size, state->nr_cpus);
	state->writers = (struct htab_writers){
		.map = -1,
		.value_size = (u32)p->value_size,
		.nr_cpus = state->nr_cpus,
		.first_key = HTAB_FIRST_KEY + (u32)p->nr_entries,
		.keys_each = keys_of_writer(state),
		.nr = (unsigned int)p->writers,
	};
	state->nr_keys = p->nr_entries + p->writers * state->writers.keys_each;
	state->fill = (struct fill){
		.io = &filling,
		.ctx = state,
		.value_size = (u32)p->value_size,
		.nr_cpus = state->nr_cpus,
		.nr_entries = p->nr_entries,
	};
	state->pieces = 1;
	state->steps_at_once = p->method == METHOD_NEXT_KEY ? ENTRIES_AT_ONCE
							    : ENTRIES_AT_ONCE / p->batch_size + 1;
	return bench_need_memory(map_bytes(state) + bench_nr_producers(run) * dumper_bytes(state) +
					 fill_bytes(&state->fill) +
					 htab_writers_bytes(&state->writers),
				 "the map and its dump");
}

static int init_dumpers(struct bench_run *run)
{
	struct state *state = bench_private(run);
	int err = 0;

	state->nr_dumpers = bench_nr_producers(run);
	state->dumpers = calloc(state->nr_dumpers, sizeof(*state->dumpers));
	if (!state->dumpers)
		return error_set(ENOMEM, "no memory for %u producers", state->nr_dumpers);
	for (unsigned int i = 0; i < state->nr_dumpers && !err; i++)
		err = dumper_init(state, &state->dumpers[i]);
	return err;
}

static u64 choose_pieces(const struct state *state, u64 entries)
{
	u64 pieces = entries / (state->params->method == METHOD_NEXT_KEY ? ENTRIES_PER_PIECE_BY_KEY
									 : ENTRIES_PER_PIECE);

	return max_u64(min_u64(min_u64(pieces, state->steps), MAX_PIECES), 1);
}

/*
 * A dump before all others: how many calls it takes, and how many entries a call returns. A batch
 * that is too small for a bucket has grown after it.
 */
static int try_dump(struct bench_run *run)
{
	struct state *state = bench_private(run);
	struct dumper *dumper = &state->dumpers[0];
	struct reader *reader = &dumper->readers[BENCH_REAL];
	u64 entries = state->params->nr_entries - state->nr_refused;
	int err = 0;

	/* Once more when it grew, for the number of calls: it is the same from then on. */
	for (u64 growths = UINT64_MAX; growths != reader->dump.growths && !err;) {
		growths = reader->dump.growths;
		begin_batch(reader, 1);
		while (reader->dumps_left && !err) {
			err = interrupted(state);
			if (!err)
				err = run_steps(state, reader,
						reader->steps + state->steps_at_once);
		}
		if (!err)
			err = settle(state, dumper, BENCH_REAL);
	}
	if (err)
		return err;
	state->steps = reader->steps;
	for (unsigned int i = 0; i < state->nr_dumpers; i++) {
		for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++)
			state->dumpers[i].readers[variant].dump.batch_size =
				reader->dump.batch_size;
		state->dumpers[i].nothing.nr_entries = entries;
		state->dumpers[i].nothing.per_call =
			(u32)((entries + state->steps - 1) / state->steps);
	}
	if (bench_is_exact(run))
		state->pieces = choose_pieces(state, entries);
	return 0;
}

static int setup(struct bench_run *run)
{
	struct state *state;
	int err = state_init(run);

	state = bench_private(run);
	if (!err && state->params->writers && bench_is_exact(run))
		err = error_set(E_CANNOT, "--writers: in exact mode there is one CPU, on which "
					  "nothing else may run");
	if (!err)
		err = bench_need_files(0);
	if (!err)
		err = create_map(run);
	if (!err)
		err = fill_init(&state->fill);
	if (!err)
		err = fill_anew(state);
	if (!err)
		err = init_dumpers(run);
	if (!err)
		err = try_dump(run);
	if (err)
		return err;
	state->writers.map = state->map;
	return htab_writers_init(&state->writers);
}

static void teardown(struct bench_run *run)
{
	struct state *state = bench_private(run);

	if (!state)
		return;
	for (unsigned int i = 0; state->dumpers && i < state->nr_dumpers; i++)
		dumper_free(&state->dumpers[i]);
	free(state->dumpers);
	fill_free(&state->fill);
	htab_writers_free(&state->writers);
	if (state->map >= 0)
		close(state->map);
	free(state);
	bench_set_private(run, NULL);
}

static int finish_writers(struct bench_run *run)
{
	const struct state *state = bench_private(run);
	const struct htab_writes writes = htab_writers_sum(&state->writers);

	if (!state->writers.nr)
		return 0;
	bench_counter(run, "writes_by_syscall", (double)writes.by_syscall);
	bench_counter(run, "writes_by_program", (double)writes.by_program);
	bench_counter(run, "writes_refused", (double)writes.refused);
	/* Nobody but its writer deletes a key, unless the dump does or the map evicts. */
	if (state->is_lru || state->params->method == METHOD_BATCH_DELETE ||
	    writes.gone == writes.refused)
		return 0;
	return error_set(EPROTO,
			 "%llu keys of the writers could not be inserted, and %llu not deleted",
			 (unsigned long long)writes.refused, (unsigned long long)writes.gone);
}

/*
 * When dumps may lack keys that were to stay, the map itself tells in the end whether they are there:
 * it may have evicted them, or a dump by key has only passed them by.
 */
static int finish_missing(struct bench_run *run)
{
	struct state *state = bench_private(run);
	const struct params *p = state->params;
	u64 refused = state->nr_refused;
	int err;

	if (state->is_lru)
		bench_counter(run, "evicted_by_filling", (double)refused);
	if (!p->writers || (!state->is_lru && p->method != METHOD_NEXT_KEY))
		return 0;
	/* Each dump had its own map. */
	if (p->method == METHOD_BATCH_DELETE) {
		bench_counter(run, "evicted", (double)state->dumpers[0].check.missing);
		return 0;
	}
	err = fill_look(&state->fill);
	if (err)
		return err;
	if (state->is_lru) {
		bench_counter(run, "evicted", (double)(state->fill.nr_absent - refused));
		return 0;
	}
	if (!state->fill.nr_absent)
		return 0;
	return error_set(
		EPROTO, "the map has lost %llu of the %llu keys that were to stay, key %#x first",
		(unsigned long long)state->fill.nr_absent,
		(unsigned long long)state->fill.nr_entries, fill_first(&state->fill, true));
}

/* What a walk from key to key beside writers may come across. */
static void finish_by_key(struct bench_run *run, const struct dumper *dumper)
{
	const struct dump *dump = &dumper->readers[BENCH_REAL].dump;
	const struct dump_check *check = &dumper->check;

	bench_counter(run, "vanished", (double)dump->vanished);
	bench_counter(run, "cut_short", (double)dump->cut_short);
	if (!check->disturbed)
		return;
	bench_counter(run, "doubles", (double)check->doubles);
	bench_counter(run, "missing", (double)check->missing);
	bench_counter(run, "wrong_values", (double)check->wrong_values);
}

static void note_calls(struct bench_run *run)
{
	const struct state *state = bench_private(run);
	unsigned long long steps = state->steps;

	if (state->params->method == METHOD_NEXT_KEY)
		bench_note(run, "calls", "%llu a dump, for a key and its value in turn",
			   2 * steps - 1);
	else
		bench_note(run, "batch", "%u entries a call, %llu calls a dump",
			   state->dumpers[0].readers[BENCH_REAL].dump.batch_size, steps);
}

static int finish(struct bench_run *run)
{
	const struct state *state = bench_private(run);
	double ns = bench_median_ns(run);
	int err;

	for (unsigned int i = 0; i < state->nr_dumpers; i++) {
		const struct dumper *dumper = &state->dumpers[i];
		const struct dump *dump = &dumper->readers[BENCH_REAL].dump;

		if (ns > 0 && dumper->check.dumps)
			bench_counter(run, "entries_per_sec",
				      (double)dumper->entries / dumper->check.dumps / ns *
					      (double)NSEC_PER_SEC);
		bench_counter(run, "dumps_checked", (double)dumper->check.dumps);
		bench_counter(run, "batch_growths", (double)dump->growths);
		bench_counter(run, "calls_repeated", (double)dump->repeated);
		if (dump->by_key)
			finish_by_key(run, dumper);
	}
	note_calls(run);
	err = finish_missing(run);
	return err ? err : finish_writers(run);
}

BENCH(bench_htab_batch_dump){
	.name = "htab-batch-dump",
	.summary = "user space: read all of a hash map, in batches or key by key",
	.layout = BENCH_LAYOUT_LONG_OPERATIONS,
	.params_size = sizeof(struct params),
	.params = param_table,
	.validate = validate,
	.unavailable = bench_need_bpf,
	.setup = setup,
	.batch = dump_batch,
	.nr_background = nr_writers,
	.background = write_round,
	.finish = finish,
	.teardown = teardown,
	.ops_per_pass = one_op,
	.pieces_per_pass = pieces_per_pass,
};
