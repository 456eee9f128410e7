// SPDX-License-Identifier: GPL-2.0
/* Loaded before libbpf it makes a lookup that is to delete one that does not. */
#include <stdint.h>

struct bpf_map_batch_opts;

int bpf_map_lookup_batch(int fd, void *in_batch, void *out_batch, void *keys, void *values,
			 uint32_t *count, const struct bpf_map_batch_opts *opts);
int bpf_map_lookup_and_delete_batch(int fd, void *in_batch, void *out_batch, void *keys,
				    void *values, uint32_t *count,
				    const struct bpf_map_batch_opts *opts);

int bpf_map_lookup_and_delete_batch(int fd, void *in_batch, void *out_batch, void *keys,
				    void *values, uint32_t *count,
				    const struct bpf_map_batch_opts *opts)
{
	return bpf_map_lookup_batch(fd, in_batch, out_batch, keys, values, count, opts);
}
