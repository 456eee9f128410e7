// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_task_storage_get() on up to 1000 maps, and the same number of hash maps as a control. The
 * kernel caches 16 of a task's storages; past that there is a cliff, which these benchmarks show.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "hash_control.skel.h"
#include "local_storage.skel.h"
#include "progs/local_storage_abi.h"
#include "storage_slots.h"

/* More than needed, to choose from: see storage_slots_arrange(). */
#define MAX_EXTRA_MAPS 256
#define FILL_ATTEMPTS 1000
#define FILL_BATCH 65536 /* entries: some ten milliseconds */

enum lookup {
	LOOKUP_AUTO,
	LOOKUP_DIRECT,
	LOOKUP_MAP_IN_MAP,
};

static const char *const lookup_names[] = { "auto", "direct", "map_in_map", NULL };

struct params {
	u64 nr_maps;
	u64 lookup;
	u64 hashmap_nr_keys_used;
	u64 hashmap_max_entries;
};

#define PARAM_NR_MAPS BENCH_UINT(nr_maps, struct params, 1000, 1, MAX_MAPS, "number of maps")
#define PARAM_LOOKUP                                                   \
	BENCH_CHOICE(lookup, struct params, LOOKUP_AUTO, lookup_names, \
		     "how the program refers to the maps; auto: direct up to 60 maps")

static const struct bench_param storage_params[] = { PARAM_NR_MAPS, PARAM_LOOKUP, {} };

static u64 max_entries(const void *params)
{
	return ((const struct params *)params)->hashmap_max_entries;
}

static const struct bench_param control_params[] = {
	PARAM_NR_MAPS,
	PARAM_LOOKUP,
	BENCH_UINT_UP_TO(hashmap_nr_keys_used, struct params, 1000, 1, 1U << 26, max_entries,
			 "keys to be looked up, at random, and filled in before"),
	BENCH_UINT(hashmap_max_entries, struct params, 1000, 1, 1U << 26, "size of each map"),
	{},
};

/* What one case holds: the maps, in the order in which they are visited, and the programs. */
struct state {
	u32 nr_maps;
	enum lookup lookup;
	bool interleaved;
	int maps[MAX_MAPS + MAX_EXTRA_MAPS];
	u32 nr_created;
	struct local_storage_bpf *storage[BENCH_NR_VARIANTS];
	struct hash_control_bpf *control[BENCH_NR_VARIANTS];
};

static const char *const storage_helpers[] = { "fill", "check", NULL };

/* Which map place `slot` of the list reads, the list being repeated as often as needed. */
static u32 map_of_slot(const struct state *state, u32 slot)
{
	u32 in_list = slot % list_length(state->nr_maps, state->interleaved);

	if (!state->interleaved)
		return in_list;
	/* Map 0 follows each map that INTERLEAVE divides: 0 0 1 2 3 0 4 5 6 0 … */
	if (in_list % (INTERLEAVE + 1) == 1)
		return 0;
	return in_list - (in_list + INTERLEAVE - 1) / (INTERLEAVE + 1);
}

static u64 state_ops_per_pass(const struct state *state)
{
	u32 length = list_length(state->nr_maps, state->interleaved);

	return state->lookup == LOOKUP_DIRECT ? NR_SLOTS / length * length : length;
}

static u64 ops_per_pass(const struct bench_run *run)
{
	return state_ops_per_pass(bench_private(run));
}

/*
 * Past the cache a get costs about 5 instructions for each map that there is, so a pass grows with
 * the square of their number. A piece stays below 700,000 instructions, a sixth of a tick's.
 */
static u32 piece_maps(const struct state *state)
{
	u32 maps = 120000 / state->nr_maps / INTERLEAVE * INTERLEAVE;

	return maps < state->nr_maps ? maps : state->nr_maps;
}

static u64 pieces_per_pass(const struct bench_run *run)
{
	const struct state *state = bench_private(run);

	if (state->lookup == LOOKUP_DIRECT)
		return 1;
	return (state->nr_maps + piece_maps(state) - 1) / piece_maps(state);
}

static int state_init(struct bench_run *run, bool interleaved)
{
	const struct params *params = bench_params(run);
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return error_set(ENOMEM, "no memory");
	bench_set_private(run, state);
	state->nr_maps = (u32)params->nr_maps;
	state->interleaved = interleaved;
	state->lookup = params->lookup;
	if (state->lookup == LOOKUP_AUTO)
		state->lookup =
			state->nr_maps <= MAX_DIRECT_MAPS ? LOOKUP_DIRECT : LOOKUP_MAP_IN_MAP;
	bench_note(run, "lookup", "%s", lookup_names[state->lookup]);
	/* Each map once, and once more for each place that stands for it, in both variants. */
	return bench_need_files(state->nr_maps + MAX_EXTRA_MAPS + BENCH_NR_VARIANTS * NR_SLOTS);
}

/* All but the first nr_kept. */
static void close_maps(struct state *state, u32 nr_kept)
{
	while (state->nr_created > nr_kept)
		close(state->maps[--state->nr_created]);
}

static void teardown(struct bench_run *run)
{
	struct state *state = bench_private(run);

	if (!state)
		return;
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		local_storage_bpf__destroy(state->storage[variant]);
		hash_control_bpf__destroy(state->control[variant]);
	}
	close_maps(state, 0);
	free(state);
	bench_set_private(run, NULL);
}

static int validate(const void *data, unsigned int nr_producers)
{
	const struct params *params = data;

	(void)nr_producers;
	if (params->lookup == LOOKUP_DIRECT && params->nr_maps > MAX_DIRECT_MAPS)
		return error_set(E_USAGE,
				 "--lookup direct: a program can name %d maps, --nr_maps is %llu; "
				 "use --lookup map_in_map",
				 MAX_DIRECT_MAPS, (unsigned long long)params->nr_maps);
	return 0;
}

static int validate_control(const void *data, unsigned int nr_producers)
{
	const struct params *params = data;

	if (params->hashmap_nr_keys_used > params->hashmap_max_entries)
		return error_set(
			E_USAGE,
			"--hashmap_nr_keys_used %llu: more than --hashmap_max_entries %llu",
			(unsigned long long)params->hashmap_nr_keys_used,
			(unsigned long long)params->hashmap_max_entries);
	return validate(data, nr_producers);
}

/* Storage maps must describe their types. The caller frees the object, which closes its fd. */
static struct btf *load_types(u32 *key_type, u32 *value_type)
{
	struct btf *btf = btf__new_empty();
	int key, value, err;

	if (!btf) {
		error_set(errno, "cannot make BTF: %s", strerror(errno));
		return NULL;
	}
	key = btf__add_int(btf, "int", sizeof(int), BTF_INT_SIGNED);
	value = btf__add_int(btf, "unsigned int", sizeof(u32), 0);
	err = key < 0 ? key : value < 0 ? value : btf__load_into_kernel(btf);
	if (err < 0) {
		error_set(-err, "cannot load BTF: %s", strerror(-err));
		btf__free(btf);
		return NULL;
	}
	*key_type = (u32)key;
	*value_type = (u32)value;
	return btf;
}

static int create_maps(struct state *state, u32 nr, enum bpf_map_type type, u32 max_entries,
		       const struct bpf_map_create_opts *opts)
{
	while (state->nr_created < nr) {
		int err = bench_interrupted(), fd;

		if (err)
			return err;
		fd = bpf_map_create(type, "bench_map", sizeof(u32), sizeof(u32), max_entries, opts);
		if (fd < 0)
			return error_set(-fd, "cannot create map %u of %u: %s",
					 state->nr_created + 1, nr, strerror(-fd));
		state->maps[state->nr_created++] = fd;
	}
	return 0;
}

static int create_storage_maps(struct state *state, u32 nr)
{
	u32 key_type, value_type;
	struct btf *btf = load_types(&key_type, &value_type);
	int err;

	if (!btf)
		return -errno;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC,
		    .btf_fd = (u32)btf__fd(btf), .btf_key_type_id = key_type,
		    .btf_value_type_id = value_type);
	err = create_maps(state, nr, BPF_MAP_TYPE_TASK_STORAGE, 0, &opts);
	btf__free(btf);
	return err;
}

static int arrange_storage_maps(struct state *state, struct storage_slots *reader, bool *even)
{
	for (u32 extra = 0; extra <= MAX_EXTRA_MAPS; extra += NR_CACHE_SLOTS) {
		int err = create_storage_maps(state, state->nr_maps + extra);

		if (!err)
			err = storage_slots_arrange(reader, state->maps, state->nr_created,
						    state->nr_maps, even);
		if (err || *even)
			return err;
	}
	return 0;
}

/* More maps than needed are made where that takes, and those left over freed again. */
static int create_even_storage_maps(struct bench_run *run)
{
	struct state *state = bench_private(run);
	struct storage_slots *reader = storage_slots_open();
	bool even = false;
	int err;

	if (!reader)
		return -EIO;
	err = arrange_storage_maps(state, reader, &even);
	storage_slots_close(reader);
	if (err)
		return err;
	close_maps(state, state->nr_maps);
	bench_note(run, "cache_slots", even ? "even" : "uneven: other storage maps are alive");
	return bench_interrupted();
}

/* Make map symbol `slot` of an opened object stand for the map that the place is to read. */
static int bind_slot(const struct state *state, struct bpf_object *object, const char *prefix,
		     u32 slot)
{
	struct bpf_map *map;
	char name[32];
	int err;

	snprintf(name, sizeof(name), "%s_%u", prefix, slot);
	map = bpf_object__find_map_by_name(object, name);
	if (!map)
		return error_set(ENOENT, "no map '%s' in the object", name);
	if (state->lookup != LOOKUP_DIRECT)
		err = bpf_map__set_autocreate(map, false);
	else
		err = bpf_map__reuse_fd(map, state->maps[map_of_slot(state, slot)]);
	return err ? error_set(-err, "cannot set map '%s': %s", name, strerror(-err)) : 0;
}

/*
 * Before loading: the places by name, and the outer map, which the second variant shares with the
 * first.
 */
static int bind_maps(const struct state *state, struct bpf_object *object, const char *prefix,
		     struct bpf_map *outer, const struct bpf_map *shared_outer)
{
	int err = 0;

	for (u32 slot = 0; slot < NR_SLOTS && !err; slot++)
		err = bind_slot(state, object, prefix, slot);
	if (err)
		return err;
	if (shared_outer)
		err = bpf_map__reuse_fd(outer, bpf_map__fd(shared_outer));
	else
		err = bpf_map__set_inner_map_fd(outer, state->maps[0]);
	if (!err && !shared_outer)
		err = bpf_map__set_max_entries(outer, state->nr_maps);
	return err ? error_set(-err, "cannot set the outer map: %s", strerror(-err)) : 0;
}

/* By batch: one by one, each element waits for a grace period. */
static int fill_outer(const struct state *state, const struct bpf_map *outer)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	u32 *keys = calloc(state->nr_maps, sizeof(*keys));
	u32 count = state->nr_maps;
	int err;

	if (!keys)
		return error_set(ENOMEM, "no memory");
	for (u32 i = 0; i < state->nr_maps; i++)
		keys[i] = i;
	err = bpf_map_update_batch(bpf_map__fd(outer), keys, state->maps, &count, &opts);
	free(keys);
	if (err || count != state->nr_maps)
		return error_set(err ? -err : EIO, "cannot fill the outer map: %u of %u maps: %s",
				 count, state->nr_maps, strerror(err ? -err : EIO));
	return 0;
}

static void mark_important(const struct state *state, __u64 *words)
{
	for (u32 slot = 0; slot < NR_SLOTS; slot++) {
		if (map_of_slot(state, slot) == 0)
			words[slot / SLOT_WORD_BITS] |=
				1ULL << (SLOT_WORD_BITS - 1 - slot % SLOT_WORD_BITS);
	}
}

static const char *storage_program(const struct bench_run *run, const struct state *state)
{
	bool whole = piece_maps(state) == state->nr_maps;

	if (state->lookup == LOOKUP_DIRECT)
		return bench_is_padded(run) ? "get_direct_padded" : "get_direct";
	if (state->interleaved)
		return whole ? "get_int" : "get_int_pieces";
	return whole ? "get_seq" : "get_seq_pieces";
}

static int load_storage(struct bench_run *run, enum bench_variant variant)
{
	struct state *state = bench_private(run);
	struct local_storage_bpf *skel = local_storage_bpf__open();
	const struct bench_programs programs = {
		.measured = storage_program(run, state),
		.helpers = storage_helpers,
	};
	struct local_storage_bpf *real = state->storage[BENCH_REAL];
	int err;

	if (!skel)
		return error_set(errno, "cannot open the local storage object: %s",
				 strerror(errno));
	state->storage[variant] = skel;
	skel->rodata->nr_maps = state->nr_maps;
	skel->rodata->piece_maps = piece_maps(state);
	skel->rodata->ops_per_pass = state_ops_per_pass(state);
	mark_important(state, skel->rodata->important_slots);
	err = bind_maps(state, skel->obj, "storage", skel->maps.outer,
			variant == BENCH_TWIN ? real->maps.outer : NULL);
	if (!err)
		err = bench_load(run, variant, skel->obj, &programs);
	if (!err && variant == BENCH_REAL)
		err = fill_outer(state, skel->maps.outer);
	return err;
}

static int setup_storage(struct bench_run *run, bool interleaved)
{
	int err = state_init(run, interleaved);

	return err ? err : create_even_storage_maps(run);
}

static int setup_seq(struct bench_run *run)
{
	return setup_storage(run, false);
}

static int setup_int(struct bench_run *run)
{
	return setup_storage(run, true);
}

/* The kernel gets memory for storage ready in the background: not all of it is there at once. */
static int fill_storage(struct bench_producer *producer)
{
	const struct timespec pause = { .tv_nsec = NSEC_PER_MSEC };
	int missing = 0;

	for (int attempt = 0; attempt < FILL_ATTEMPTS; attempt++) {
		missing = bench_call(producer, "fill");
		if (missing <= 0)
			return missing;
		nanosleep(&pause, NULL);
	}
	return error_set(ENOMEM, "%d maps got no storage for producer %u", missing,
			 bench_producer_index(producer));
}

static int check_storage(struct bench_producer *producer)
{
	int wrong = bench_call(producer, "check");

	if (wrong <= 0)
		return wrong;
	return error_set(EPROTO, "%d maps do not hold what producer %u stored", wrong,
			 bench_producer_index(producer));
}

static int storage_unavailable(void)
{
	int err = bench_need_bpf();

	return err ? err : bench_need_map_type(BPF_MAP_TYPE_TASK_STORAGE);
}

/*
 * What a preallocated hash map takes: an element is its header and the 8 byte multiples of key and
 * value, a bucket is two words. (kernel/bpf/hashtab.c of 6.1 to 6.18: 48 byte headers.)
 */
static u64 hash_bytes(u64 max_entries)
{
	u64 buckets = 1;

	while (buckets < max_entries)
		buckets *= 2;
	return max_entries * (48 + 8 + 8) + buckets * 16;
}

struct control_entries {
	u32 *keys, *values;
	u32 n;
};

static int entries_alloc(struct control_entries *entries, u32 n)
{
	entries->n = n;
	entries->keys = calloc(n, sizeof(*entries->keys));
	entries->values = calloc(n, sizeof(*entries->values));
	return entries->keys && entries->values ? 0 : error_set(ENOMEM, "no memory for entries");
}

static void entries_free(struct control_entries *entries)
{
	free(entries->keys);
	free(entries->values);
}

static int fill_control_map(int fd, u32 map, struct control_entries *entries)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	for (u32 i = 0; i < entries->n; i++) {
		entries->keys[i] = i;
		entries->values[i] = control_value(map, i);
	}
	for (u32 done = 0; done < entries->n;) {
		u32 wanted = (u32)min_u64(entries->n - done, FILL_BATCH), count = wanted;
		int err = bench_interrupted();

		if (err)
			return err;
		err = bpf_map_update_batch(fd, entries->keys + done, entries->values + done, &count,
					   &opts);
		if (err || count != wanted)
			return error_set(err ? -err : EIO, "map %u took %u of %u entries: %s", map,
					 done + count, entries->n, strerror(err ? -err : EIO));
		done += count;
	}
	return 0;
}

static int check_control_map(int fd, u32 map, struct control_entries *entries)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	u32 count = entries->n, position = 0;
	int err = bpf_map_lookup_batch(fd, NULL, &position, entries->keys, entries->values, &count,
				       &opts);

	if (err && err != -ENOENT)
		return error_set(-err, "cannot read map %u back: %s", map, strerror(-err));
	if (count != entries->n)
		return error_set(EPROTO, "map %u holds %u entries, %u were stored", map, count,
				 entries->n);
	for (u32 i = 0; i < count; i++) {
		if (entries->values[i] != control_value(map, entries->keys[i]))
			return error_set(EPROTO, "map %u does not hold what was stored at key %u",
					 map, entries->keys[i]);
	}
	return 0;
}

static int each_control_map(struct bench_run *run,
			    int (*visit)(int fd, u32 map, struct control_entries *entries))
{
	const struct params *params = bench_params(run);
	const struct state *state = bench_private(run);
	struct control_entries entries = {};
	int err = entries_alloc(&entries, (u32)params->hashmap_nr_keys_used);

	for (u32 map = 0; map < state->nr_maps && !err; map++)
		err = visit(state->maps[map], map, &entries);
	entries_free(&entries);
	return err;
}

static int setup_control(struct bench_run *run)
{
	/* A fixed seed: a random one moves the figure from run to run. */
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_ZERO_SEED);
	const struct params *params = bench_params(run);
	int err = bench_need_memory(params->nr_maps * hash_bytes(params->hashmap_max_entries),
				    "the hash maps");

	if (!err)
		err = state_init(run, false);
	if (!err)
		err = create_maps(bench_private(run), (u32)params->nr_maps, BPF_MAP_TYPE_HASH,
				  (u32)params->hashmap_max_entries, &opts);
	return err ? err : each_control_map(run, fill_control_map);
}

static int load_control(struct bench_run *run, enum bench_variant variant)
{
	struct state *state = bench_private(run);
	const struct params *params = bench_params(run);
	struct hash_control_bpf *skel = hash_control_bpf__open();
	struct hash_control_bpf *real = state->control[BENCH_REAL];
	const struct bench_programs programs = {
		.measured = state->lookup == LOOKUP_DIRECT ? "lookup_direct" : "lookup_map_in_map",
	};
	int err;

	if (!skel)
		return error_set(errno, "cannot open the hash control object: %s", strerror(errno));
	state->control[variant] = skel;
	skel->rodata->nr_maps = state->nr_maps;
	skel->rodata->nr_keys_used = (u32)params->hashmap_nr_keys_used;
	skel->rodata->same_keys = bench_is_exact(run);
	skel->rodata->ops_per_pass = state_ops_per_pass(state);
	mark_important(state, skel->rodata->important_slots);
	err = bind_maps(state, skel->obj, "hash", skel->maps.outer,
			variant == BENCH_TWIN ? real->maps.outer : NULL);
	if (!err)
		err = bench_load(run, variant, skel->obj, &programs);
	if (!err && variant == BENCH_REAL)
		err = fill_outer(state, skel->maps.outer);
	return err;
}

static int check_control(struct bench_producer *producer)
{
	/* The maps are everybody's: one producer checks them. */
	if (bench_producer_index(producer))
		return 0;
	return each_control_map(bench_producer_run(producer), check_control_map);
}

BENCH(bench_local_storage_seq){
	.name = "local-storage-cache-seq-get",
	.summary = "bpf_task_storage_get() on each of --nr_maps maps in turn",
	.layout = BENCH_LAYOUT_LOCAL_STORAGE,
	.params_size = sizeof(struct params),
	.params = storage_params,
	.validate = validate,
	.unavailable = storage_unavailable,
	.setup = setup_seq,
	.load = load_storage,
	.teardown = teardown,
	.producer_init = fill_storage,
	.producer_check = check_storage,
	.ops_per_pass = ops_per_pass,
	.pieces_per_pass = pieces_per_pass,
};

BENCH(bench_local_storage_int){
	.name = "local-storage-cache-int-get",
	.summary = "the same as seq-get, with a get of the first map after every third map",
	.layout = BENCH_LAYOUT_LOCAL_STORAGE,
	.params_size = sizeof(struct params),
	.params = storage_params,
	.validate = validate,
	.unavailable = storage_unavailable,
	.setup = setup_int,
	.load = load_storage,
	.teardown = teardown,
	.producer_init = fill_storage,
	.producer_check = check_storage,
	.ops_per_pass = ops_per_pass,
	.pieces_per_pass = pieces_per_pass,
};

BENCH(bench_hash_control){
	.name = "local-storage-cache-hashmap-control",
	.summary = "bpf_map_lookup_elem() of random keys on each of --nr_maps hash maps in turn",
	.layout = BENCH_LAYOUT_LOCAL_STORAGE,
	.params_size = sizeof(struct params),
	.params = control_params,
	.validate = validate_control,
	.unavailable = bench_need_bpf,
	.setup = setup_control,
	.load = load_control,
	.teardown = teardown,
	.producer_check = check_control,
	.ops_per_pass = ops_per_pass,
};
