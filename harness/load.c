// SPDX-License-Identifier: GPL-2.0
/* Loading a benchmark's object as one variant: only what the case needs, with its trigger. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_internal.h"

#define CONFIG_MAP ".rodata.bench"
#define SLOTS_MAP "bench_slots"

static bool is_helper(const struct bench_programs *programs, const char *name)
{
	for (const char *const *helper = programs->helpers; helper && *helper; helper++) {
		if (!strcmp(*helper, name))
			return true;
	}
	return false;
}

/* One program that the kernel refuses must not fail the others: load no more than needed. */
static struct bpf_program *select_programs(struct bench_run *run, enum bench_variant variant,
					   struct bpf_object *object,
					   const struct bench_programs *programs)
{
	struct bpf_program *prog, *measured = NULL;
	char name[128];

	snprintf(name, sizeof(name), "%s%s", programs->measured, trigger_suffix(run->trigger));
	bpf_object__for_each_program(prog, object) {
		bool is_measured = !strcmp(bpf_program__name(prog), name);
		bool wanted = is_measured || (variant == BENCH_REAL &&
					      is_helper(programs, bpf_program__name(prog)));

		bpf_program__set_autoload(prog, wanted);
		if (is_measured)
			measured = prog;
	}
	if (!measured)
		error_set(ENOENT, "no program '%s' in the object: BENCH_PROG(%s) missing?", name,
			  programs->measured);
	return measured;
}

static int set_config(const struct bench_run *run, enum bench_variant variant,
		      struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, CONFIG_MAP);
	struct bench_config config = {
		.mode = variant == BENCH_TWIN ? BENCH_MODE_TWIN : run->options->pad,
		.cookie = BENCH_COOKIE(variant),
		.tgid = (u32)getpid(),
	};
	struct stat pidns;
	int err;

	if (!map)
		return error_set(ENOENT, "no map '" CONFIG_MAP "' in the object: does the program "
					 "include bench.bpf.h?");
	if (stat("/proc/self/ns/pid", &pidns))
		return error_set(E_CANNOT, "cannot read /proc/self/ns/pid (%s): is /proc mounted?",
				 strerror(errno));
	config.pidns_dev = pidns.st_dev;
	config.pidns_ino = pidns.st_ino;
	err = bpf_map__set_initial_value(map, &config, sizeof(config));
	return err ? error_set(-err, "cannot set " CONFIG_MAP ": %s", strerror(-err)) : 0;
}

static int map_slots(struct loaded *loaded, const struct bpf_map *map, unsigned int nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (nr * sizeof(struct bench_slot) + page - 1) / page * page;
	void *slots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (slots == MAP_FAILED)
		return error_set(errno, "cannot map " SLOTS_MAP ": %s", strerror(errno));
	loaded->slots = slots;
	loaded->slots_size = size;
	return 0;
}

static void find_helpers(struct loaded *loaded, struct bpf_object *object,
			 const struct bench_programs *programs)
{
	for (size_t i = 0; programs->helpers && programs->helpers[i] && i < MAX_HELPERS; i++) {
		struct bpf_program *prog =
			bpf_object__find_program_by_name(object, programs->helpers[i]);

		loaded->helpers[i].name = programs->helpers[i];
		loaded->helpers[i].fd = prog ? bpf_program__fd(prog) : -1;
	}
}

static void record_program(struct result *result, enum bench_variant variant,
			   const struct bpf_program *prog, u64 load_ns)
{
	struct result_program *record = &result->programs[result->nr_programs];
	struct bpf_prog_info info = {};
	u32 size = sizeof(info);

	if (result->nr_programs == ARRAY_SIZE(result->programs) ||
	    bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size))
		return;
	snprintf(record->name, sizeof(record->name), "%s", bpf_program__name(prog));
	record->variant = variant;
	record->id = info.id;
	for (size_t i = 0; i < sizeof(info.tag); i++)
		snprintf(record->tag + 2 * i, 3, "%02x", info.tag[i]);
	record->verified_insns = info.verified_insns;
	record->xlated_bytes = info.xlated_prog_len;
	record->jited_bytes = info.jited_prog_len;
	record->load_ns = load_ns;
	result->nr_programs++;
}

int bench_load(struct bench_run *run, enum bench_variant variant, struct bpf_object *object,
	       const struct bench_programs *programs)
{
	struct bpf_map *slots = bpf_object__find_map_by_name(object, SLOTS_MAP);
	struct bpf_program *prog = select_programs(run, variant, object, programs);
	struct loaded *loaded = &run->loaded[variant];
	u64 start, load_ns;
	int err;

	if (!prog)
		return -ENOENT;
	if (!slots)
		return error_set(ENOENT, "no map '" SLOTS_MAP "' in the object");
	/* When there are too few libbpf's words are others. */
	err = bench_need_files(0);
	if (!err)
		err = set_config(run, variant, object);
	if (err)
		return err;
	bpf_map__set_max_entries(slots, run->options->nr_producers);

	start = now_ns();
	err = bpf_object__load(object);
	load_ns = now_ns() - start;
	if (err)
		return error_set(-err, "cannot load %s: %s (the verifier's words: -v)",
				 bpf_program__name(prog), strerror(-err));
	loaded->object = object;
	record_program(run->result, variant, prog, load_ns);
	find_helpers(loaded, object, programs);
	err = map_slots(loaded, slots, run->options->nr_producers);
	if (err)
		return err;
	return trigger_attach(&loaded->trigger, run->trigger, prog);
}

int bench_load_object(struct bench_run *run, struct bpf_object *object)
{
	struct bpf_program *prog;
	u64 start = now_ns(), load_ns;
	int err = bpf_object__load(object);

	load_ns = now_ns() - start;
	if (err)
		return error_set(err == -EPERM || err == -EOPNOTSUPP ? E_CANNOT : -err,
				 "cannot load %s: %s (the verifier's words: -v)",
				 bpf_object__name(object), strerror(-err));
	bpf_object__for_each_program(prog, object) {
		if (bpf_program__autoload(prog))
			record_program(run->result, BENCH_REAL, prog, load_ns);
	}
	return 0;
}

void loaded_release(struct bench_run *run)
{
	for (int variant = 0; variant < BENCH_NR_VARIANTS; variant++) {
		struct loaded *loaded = &run->loaded[variant];

		trigger_detach(&loaded->trigger);
		if (loaded->slots)
			munmap(loaded->slots, loaded->slots_size);
		loaded->slots = NULL;
	}
}

int bench_call(struct bench_producer *producer, const char *helper)
{
	const struct loaded *loaded = &producer->run->loaded[BENCH_REAL];
	u64 args[1] = { producer->index };
	LIBBPF_OPTS(bpf_test_run_opts, call, .ctx_in = args, .ctx_size_in = sizeof(args));

	for (size_t i = 0; i < MAX_HELPERS && loaded->helpers[i].name; i++) {
		int err;

		if (strcmp(loaded->helpers[i].name, helper))
			continue;
		err = bpf_prog_test_run_opts(loaded->helpers[i].fd, &call);
		if (err)
			return error_set(-err, "cannot run %s: %s", helper, strerror(-err));
		return (int)call.retval;
	}
	return error_set(ENOENT, "no helper program '%s' was loaded", helper);
}
