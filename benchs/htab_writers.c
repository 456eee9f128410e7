// SPDX-License-Identifier: GPL-2.0
#include "htab_writers.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/error.h"
#include "htab_dump.h"
#include "htab_writer.skel.h"
#include "progs/htab_writer_abi.h"

_Static_assert(HTAB_WRITER_MAX_KEYS <= 2 * HTAB_WRITE_MAX_NR, "half of the keys in one test run");

/* Each has a cache line of its own. */
struct htab_writer {
	u64 round;
	struct htab_writes writes;
} __attribute__((aligned(128)));

/* The program's room is of one CPU's value, in multiples of 8 bytes, as an array has them. */
static size_t scratch_size(const struct htab_writers *writers)
{
	return (writers->value_size + 7U) / 8 * 8;
}

u64 htab_writers_bytes(const struct htab_writers *writers)
{
	return writers->nr *
	       (u64)(value_stride(writers->value_size, writers->nr_cpus) + scratch_size(writers));
}

/* Room for a value of each writer, where the program puts in what depends on the key. */
static int fill_scratch(const struct htab_writers *writers)
{
	unsigned char *value = calloc(1, scratch_size(writers));
	int err = 0;

	if (!value)
		return error_set(ENOMEM, "no memory for a value");
	value_fill(value, writers->value_size, 0, 0);
	for (u32 i = 0; i < writers->nr && !err; i++)
		err = bpf_map_update_elem(bpf_map__fd(writers->program->maps.scratch), &i, value,
					  0);
	free(value);
	return err ? error_set(-err, "cannot fill in a writer's value: %s", strerror(-err)) : 0;
}

static int load_program(struct htab_writers *writers)
{
	struct htab_writer_bpf *skel = htab_writer_bpf__open();
	int err;

	if (!skel)
		return error_set(errno, "cannot open the writers' object: %s", strerror(errno));
	writers->program = skel;
	skel->rodata->value_size = writers->value_size;
	skel->rodata->per_cpu = writers->nr_cpus > 0;
	err = bpf_map__reuse_fd(skel->maps.target, writers->map);
	if (!err)
		err = bpf_map__set_value_size(skel->maps.scratch, (u32)scratch_size(writers));
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.scratch, writers->nr);
	if (!err)
		err = htab_writer_bpf__load(skel);
	if (err)
		return error_set(-err,
				 "cannot load the writers' program: %s (the verifier's words: -v)",
				 strerror(-err));
	return fill_scratch(writers);
}

int htab_writers_init(struct htab_writers *writers)
{
	size_t size = writers->nr * sizeof(*writers->writers);

	if (!writers->nr)
		return 0;
	writers->writers = aligned_alloc(_Alignof(struct htab_writer), size);
	writers->values = calloc(writers->nr, value_stride(writers->value_size, writers->nr_cpus));
	if (!writers->writers || !writers->values)
		return error_set(ENOMEM, "no memory for %u writers", writers->nr);
	memset(writers->writers, 0, size);
	return load_program(writers);
}

void htab_writers_free(struct htab_writers *writers)
{
	htab_writer_bpf__destroy(writers->program);
	free(writers->writers);
	free(writers->values);
}

static u32 note_failed(struct htab_writes *writes, bool delete, u32 failed)
{
	if (delete)
		writes->gone += failed;
	else
		writes->refused += failed;
	return failed;
}

static int write_by_program(struct htab_writers *writers, unsigned int index, u32 first,
			    bool delete)
{
	struct htab_writes *writes = &writers->writers[index].writes;
	u64 args[HTAB_WRITE_NR_ARGS] = {
		[HTAB_WRITE_SCRATCH] = index,
		[HTAB_WRITE_FIRST] = first,
		[HTAB_WRITE_NR] = writers->keys_each / 2,
		[HTAB_WRITE_DELETE] = delete,
	};
	LIBBPF_OPTS(bpf_test_run_opts, call, .ctx_in = args, .ctx_size_in = sizeof(args));
	int err =
		bpf_prog_test_run_opts(bpf_program__fd(writers->program->progs.write_keys), &call);

	if (err)
		return error_set(-err, "cannot run the writers' program: %s", strerror(-err));
	writes->by_program += writers->keys_each / 2 - note_failed(writes, delete, call.retval);
	return 0;
}

static void write_by_syscall(struct htab_writers *writers, unsigned int index, u32 first,
			     bool delete)
{
	struct htab_writes *writes = &writers->writers[index].writes;
	size_t stride = value_stride(writers->value_size, writers->nr_cpus);
	unsigned char *value = writers->values + index * stride;
	u32 nr = writers->keys_each / 2, failed = 0;

	for (u32 key = first; key < first + nr; key++) {
		int err;

		if (delete) {
			err = bpf_map_delete_elem(writers->map, &key);
		} else {
			value_fill(value, writers->value_size, writers->nr_cpus, key);
			err = bpf_map_update_elem(writers->map, &key, value, BPF_NOEXIST);
		}
		if (err)
			failed++;
	}
	writes->by_syscall += nr - note_failed(writes, delete, failed);
}

/* What was inserted in one way is deleted in the other; next time the halves change places. */
int htab_writers_round(struct htab_writers *writers, unsigned int index)
{
	u32 half = writers->keys_each / 2;
	u32 first = writers->first_key + index * writers->keys_each;
	bool swap = writers->writers[index].round++ % 2;
	u32 by_syscall = first + (swap ? half : 0);
	u32 by_program = first + (swap ? 0 : half);
	int err;

	write_by_syscall(writers, index, by_syscall, false);
	err = write_by_program(writers, index, by_program, false);
	if (!err)
		err = write_by_program(writers, index, by_syscall, true);
	if (!err)
		write_by_syscall(writers, index, by_program, true);
	return err;
}

struct htab_writes htab_writers_sum(const struct htab_writers *writers)
{
	struct htab_writes sum = {};

	for (unsigned int i = 0; writers->writers && i < writers->nr; i++) {
		const struct htab_writes *more = &writers->writers[i].writes;

		sum.by_syscall += more->by_syscall;
		sum.by_program += more->by_program;
		sum.refused += more->refused;
		sum.gone += more->gone;
	}
	return sum;
}
