/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types that the programs read, relocated at load time (CO-RE). A full vmlinux.h
 * takes ten times as long to compile. Members are only those used; their offsets here mean
 * nothing.
 */
#ifndef PROGS_KERNEL_H
#define PROGS_KERNEL_H

#include <linux/bpf.h>
#include <linux/types.h>

#ifndef NULL
#define NULL ((void *)0)
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
	int pid;
	int tgid;
	int on_cpu;
	unsigned int __state;
	__u64 start_time;
	char comm[16];
	void *stack;
};

/* The name that __state had before Linux 5.14. */
struct task_struct___old {
	long state;
};

struct bpf_map {
	enum bpf_map_type map_type;
	__u32 id;
};

struct bpf_local_storage_map {
	struct bpf_map map;
	__u16 cache_idx;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
};

#pragma clang attribute pop

#endif
