// SPDX-License-Identifier: GPL-2.0
/* Inserts and deletes keys of a hash map while others read it. Nothing in here is measured. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "htab_writer_abi.h"

const volatile __u32 value_size = 1;
const volatile __u32 per_cpu;

/* The map that is read stands for it: its type and sizes are those of the case. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} target SEC(".maps");

/* Room for a value, one for each writer, with all that does not depend on the key filled in. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} scratch SEC(".maps");

struct job {
	__u8 *value;
	__u32 first;
	__u32 delete;
	__u32 failed;
};

/* value_size is a constant for the verifier: of the three ways one is left. */
static __always_inline void put_stamp(__u8 *value, __u32 key)
{
	const __u64 stamp = htab_stamp(key, per_cpu ? bpf_get_smp_processor_id() : 0);
	const __u32 size = value_size;

	if (size < HTAB_STAMP_SIZE) {
		for (__u32 i = 0; i < HTAB_STAMP_SIZE && i < size; i++)
			value[i] = stamp >> 8 * i;
		return;
	}
	__builtin_memcpy(value, &stamp, HTAB_STAMP_SIZE);
	if (size >= 2 * HTAB_STAMP_SIZE)
		__builtin_memcpy(value + size - HTAB_STAMP_SIZE, &stamp, HTAB_STAMP_SIZE);
}

static long write_one(__u32 i, struct job *job)
{
	__u32 key = job->first + i;
	long err;

	if (job->delete) {
		err = bpf_map_delete_elem(&target, &key);
	} else {
		put_stamp(job->value, key);
		err = bpf_map_update_elem(&target, &key, job->value, BPF_NOEXIST);
	}
	if (err)
		job->failed++;
	return 0;
}

/* Returns how many keys it could not write. */
SEC("raw_tp")
int write_keys(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 place = ctx->args[HTAB_WRITE_SCRATCH];
	__u32 nr = ctx->args[HTAB_WRITE_NR];
	struct job job = {
		.value = bpf_map_lookup_elem(&scratch, &place),
		.first = ctx->args[HTAB_WRITE_FIRST],
		.delete = ctx->args[HTAB_WRITE_DELETE],
	};

	if (!job.value)
		return nr;
	bpf_loop(nr, write_one, &job, 0);
	return job.failed;
}

char LICENSE[] SEC("license") = "GPL";
