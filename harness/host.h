/* SPDX-License-Identifier: GPL-2.0 */
/* What machine and kernel this is: recorded with every result. */
#ifndef HARNESS_HOST_H
#define HARNESS_HOST_H

#include "util.h"

#define HOST_TEXT 256

/* Texts are "" and numbers -1 where the machine does not say. */
struct host {
	char kernel_release[HOST_TEXT]; /* uname -r */
	char kernel_version[HOST_TEXT]; /* uname -v */
	char machine[HOST_TEXT]; /* uname -m */
	char cpu_model[HOST_TEXT];
	int cpus_online; /* on the machine */
	int cpus_usable; /* by this process's affinity */
	char governor[HOST_TEXT]; /* cpufreq's of CPU 0 */
	s64 bpf_jit_enable; /* net.core sysctls */
	s64 bpf_jit_harden;
	s64 unprivileged_bpf_disabled; /* kernel sysctl */
	char mitigations[8 * HOST_TEXT]; /* lines "name: state", without "Not affected" */
	char virtualization[HOST_TEXT]; /* hypervisor's CPUID vendor or DMI product, "none" */
	char clocksource[HOST_TEXT];
	u64 memory_bytes;
	u64 boot_id_hash; /* tells boots apart without naming the machine */
	char libbpf[HOST_TEXT]; /* version of the library that runs */
	char clang[HOST_TEXT]; /* version that built the BPF programs */
	char compiler[HOST_TEXT]; /* version that built bench itself */
	char git_revision[HOST_TEXT]; /* with "-dirty"; "" outside a checkout */
	char bench_version[HOST_TEXT];
};

void host_read(struct host *host);

/* Is the processor a program's, whose instructions take no cycles? */
bool host_is_emulated(void);

/*
 * Jiffies of steal time of the whole machine since boot, in ns, and -1 if /proc/stat does not
 * say. The difference of two readings is what neighbours took meanwhile.
 */
s64 host_steal_ns(void);

/* Memory that can be had without swapping (MemAvailable), in bytes; 0 if unknown. */
u64 host_memory_available(void);

#endif
