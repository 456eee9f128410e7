// SPDX-License-Identifier: GPL-2.0
/* What a benchmark needs of the kernel and the user: capabilities, BTF, map types, limits. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../bench.h"
#include "host.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define FILES_OF_OUR_OWN 128 /* programs, small maps, BTF, links, standard streams, results */

static bool has_capability(unsigned int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[cap / 32].effective & 1U << cap % 32;
}

/* Capabilities can be those of a user namespace, which count for nothing here: so it is tried. */
static int try_loading(void)
{
	static const struct bpf_insn return_0[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "try_loading", "GPL", return_0,
			       ARRAY_SIZE(return_0), NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int bench_need_bpf(void)
{
	bool admin = has_capability(CAP_SYS_ADMIN);
	int err;

	if (!admin && !(has_capability(CAP_BPF) && has_capability(CAP_PERFMON)))
		return error_set(E_CANNOT, "needs root (or CAP_BPF and CAP_PERFMON) to load BPF "
					   "programs: run it with sudo");
	err = try_loading();
	if (err)
		return error_set(
			E_CANNOT, "the kernel refuses to load BPF programs (%s)%s", strerror(-err),
			err == -EPERM ? ": in a user namespace root does not suffice" : "");
	if (access(KERNEL_BTF, R_OK))
		return error_set(E_CANNOT,
				 "the kernel does not offer its BTF at " KERNEL_BTF
				 " (%s): it needs CONFIG_DEBUG_INFO_BTF=y",
				 strerror(errno));
	return 0;
}

/* Can a map and its BTF still be opened? */
static bool has_files_left(void)
{
	int fds[4], n = 0;
	bool all;

	while (n < (int)ARRAY_SIZE(fds) && (fds[n] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) >= 0)
		n++;
	all = n == (int)ARRAY_SIZE(fds) || errno != EMFILE;
	while (n)
		close(fds[--n]);
	return all;
}

int bench_need_map_type(enum bpf_map_type type)
{
	int found = libbpf_probe_bpf_map_type(type, NULL), err;

	if (found <= 0 && !has_files_left()) {
		err = bench_need_files(0);
		if (err)
			return err;
		found = libbpf_probe_bpf_map_type(type, NULL);
	}
	if (found > 0)
		return 0;
	return error_set(E_CANNOT, "this kernel has no maps of type %s",
			 libbpf_bpf_map_type_str(type));
}

int bench_need_files(unsigned int nr)
{
	rlim_t needed = (rlim_t)nr + FILES_OF_OUR_OWN;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return error_set(errno, "cannot read the limit on open files: %s", strerror(errno));
	if (limit.rlim_cur >= needed)
		return 0;
	if (limit.rlim_max < needed)
		return error_set(E_CANNOT,
				 "needs %llu open files, the hard limit is %llu: raise it with "
				 "`ulimit -Hn %llu`",
				 (unsigned long long)needed, (unsigned long long)limit.rlim_max,
				 (unsigned long long)needed);
	limit.rlim_cur = needed;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return error_set(errno, "cannot raise the limit on open files to %llu: %s",
				 (unsigned long long)needed, strerror(errno));
	return 0;
}

int bench_need_memory(u64 bytes, const char *what)
{
	u64 available = host_memory_available();

	/* A tenth stays free: an estimate is not exact, and the machine has others to serve. */
	if (!available || bytes <= available / 10 * 9)
		return 0;
	return error_set(E_CANNOT, "%s would take about %llu MiB, %llu MiB of memory are free",
			 what, (unsigned long long)(bytes >> 20),
			 (unsigned long long)(available >> 20));
}
