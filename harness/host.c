// SPDX-License-Identifier: GPL-2.0
#include "host.h"

#include <bpf/libbpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "build_info.h"

#define CPU0 "/sys/devices/system/cpu/cpu0"
#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

#ifdef __clang__
#define COMPILER __VERSION__ /* names itself */
#else
#define COMPILER "gcc " __VERSION__
#endif

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

/* Cut off white space at the end; returns the first character that is none. */
static char *trim(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* The first line of a file without its white space; "" if there is none. */
static void read_line(const char *path, char *text, size_t size)
{
	char line[8 * HOST_TEXT];
	FILE *file = fopen(path, "re");

	text[0] = '\0';
	if (!file)
		return;
	if (fgets(line, sizeof(line), file))
		copy_text(text, size, trim(line));
	fclose(file);
}

static s64 read_number(const char *path)
{
	char text[HOST_TEXT], *end;
	s64 value;

	read_line(path, text, sizeof(text));
	errno = 0;
	value = strtoll(text, &end, 10);
	return errno || end == text || *end ? -1 : value;
}

/* The value of the first line "key : value" of a file such as /proc/cpuinfo; "" for none. */
static void read_field(const char *path, const char *key, char *text, size_t size)
{
	char line[8 * HOST_TEXT];
	FILE *file = fopen(path, "re");

	text[0] = '\0';
	if (!file)
		return;
	while (!text[0] && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		if (!strcmp(trim(line), key))
			copy_text(text, size, trim(colon + 1));
	}
	fclose(file);
}

static void read_uname(struct host *host)
{
	struct utsname name;

	if (uname(&name))
		return;
	copy_text(host->kernel_release, HOST_TEXT, name.release);
	copy_text(host->kernel_version, HOST_TEXT, name.version);
	copy_text(host->machine, HOST_TEXT, name.machine);
}

/* Architectures disagree on what the line is called, and 64-bit ARM has none. */
static void read_cpu_model(struct host *host)
{
	static const char *const keys[] = { "model name", "cpu model", "cpu", "uarch" };

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !host->cpu_model[0]; i++)
		read_field("/proc/cpuinfo", keys[i], host->cpu_model, HOST_TEXT);
	if (!host->cpu_model[0])
		read_line("/proc/device-tree/model", host->cpu_model, HOST_TEXT);
	if (!host->cpu_model[0])
		read_line(CPU0 "/regs/identification/midr_el1", host->cpu_model, HOST_TEXT);
}

/* The kernel refuses a mask that is smaller than its own, and does not say how large that is. */
static int count_usable_cpus(void)
{
	for (size_t nr_cpus = CPU_SETSIZE; nr_cpus <= 1 << 20; nr_cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(nr_cpus);
		size_t size = CPU_ALLOC_SIZE(nr_cpus);
		bool done;
		int count;

		if (!set)
			return -1;
		done = !sched_getaffinity(0, size, set) || errno != EINVAL;
		count = done ? CPU_COUNT_S(size, set) : -1;
		CPU_FREE(set);
		if (done)
			return count;
	}
	return -1;
}

static void append_mitigation(char *text, size_t size, const char *name)
{
	char path[PATH_MAX], vulnerability[HOST_TEXT];
	size_t len = strlen(text);

	snprintf(path, sizeof(path), VULNERABILITIES "/%s", name);
	read_line(path, vulnerability, sizeof(vulnerability));
	if (!vulnerability[0] || !strcmp(vulnerability, "Not affected"))
		return;
	/* A whole line or none: half a state would read as another one. */
	if (len + strlen(name) + strlen(vulnerability) + sizeof(": \n") > size)
		return;
	snprintf(text + len, size - len, "%s%s: %s", len ? "\n" : "", name, vulnerability);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void read_mitigations(struct host *host)
{
	struct dirent **entries;
	int n = scandir(VULNERABILITIES, &entries, is_visible, alphasort);

	if (n < 0)
		return;
	for (int i = 0; i < n; i++) {
		append_mitigation(host->mitigations, sizeof(host->mitigations), entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

#if defined(__x86_64__) || defined(__i386__)

#define CPUID_FEATURES 1
#define CPUID_FEATURES_ECX_HYPERVISOR (1U << 31)
#define CPUID_HYPERVISOR 0x40000000U

/* The hypervisor says so itself, in a bit and a leaf that real processors leave alone. */
static void read_virtualization(char *text, size_t size)
{
	unsigned int eax, ebx, ecx, edx;
	char vendor[3 * sizeof(u32) + 1] = "";

	if (!__get_cpuid(CPUID_FEATURES, &eax, &ebx, &ecx, &edx))
		return;
	if (!(ecx & CPUID_FEATURES_ECX_HYPERVISOR)) {
		copy_text(text, size, "none");
		return;
	}

	__cpuid(CPUID_HYPERVISOR, eax, ebx, ecx, edx);
	memcpy(vendor, &ebx, sizeof(ebx));
	memcpy(vendor + 4, &ecx, sizeof(ecx));
	memcpy(vendor + 8, &edx, sizeof(edx));
	for (char *c = vendor; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	copy_text(text, size, vendor[0] ? trim(vendor) : "unnamed");
}

#else

/*
 * Real machines have a DMI product too, so only the names of virtual ones count; without any of
 * them it is not known whether this is a real machine.
 */
static void read_virtualization(char *text, size_t size)
{
	static const char *const machines[] = { "KVM",	      "QEMU", "VMware",
						"VirtualBox", "Xen",  "Virtual Machine" };
	static const char *const dmi[] = { "product_name", "sys_vendor" };
	char path[PATH_MAX], name[HOST_TEXT];

	read_line("/sys/hypervisor/type", text, size);
	if (!text[0])
		read_line("/proc/device-tree/hypervisor/compatible", text, size);

	for (size_t i = 0; i < ARRAY_SIZE(dmi) && !text[0]; i++) {
		snprintf(path, sizeof(path), "/sys/class/dmi/id/%s", dmi[i]);
		read_line(path, name, sizeof(name));
		for (size_t j = 0; j < ARRAY_SIZE(machines); j++)
			if (strstr(name, machines[j]))
				copy_text(text, size, name);
	}
}

#endif

/* A value of /proc/meminfo, which is in KiB there, in bytes; 0 if unknown. */
static u64 meminfo_bytes(const char *key)
{
	char text[HOST_TEXT];

	read_field("/proc/meminfo", key, text, sizeof(text));
	return strtoull(text, NULL, 10) * 1024;
}

/* FNV-1a, 64 bit. */
static u64 hash_text(const char *text)
{
	u64 hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash;
}

static u64 read_boot_id_hash(void)
{
	char id[HOST_TEXT];

	read_line("/proc/sys/kernel/random/boot_id", id, sizeof(id));
	return id[0] ? hash_text(id) : 0;
}

static void read_versions(struct host *host)
{
	copy_text(host->libbpf, HOST_TEXT, libbpf_version_string());
	copy_text(host->clang, HOST_TEXT, BUILD_CLANG);
	copy_text(host->compiler, HOST_TEXT, COMPILER);
	copy_text(host->git_revision, HOST_TEXT, BUILD_GIT_REVISION);
	copy_text(host->bench_version, HOST_TEXT, BENCH_VERSION);
}

bool host_is_emulated(void)
{
	char name[HOST_TEXT] = "";

	read_virtualization(name, sizeof(name));
	return !strncmp(name, "TCG", 3);
}

void host_read(struct host *host)
{
	memset(host, 0, sizeof(*host));
	read_uname(host);
	read_cpu_model(host);
	host->cpus_online = (int)sysconf(_SC_NPROCESSORS_ONLN);
	host->cpus_usable = count_usable_cpus();
	read_line(CPU0 "/cpufreq/scaling_governor", host->governor, HOST_TEXT);
	host->bpf_jit_enable = read_number("/proc/sys/net/core/bpf_jit_enable");
	host->bpf_jit_harden = read_number("/proc/sys/net/core/bpf_jit_harden");
	host->unprivileged_bpf_disabled = read_number("/proc/sys/kernel/unprivileged_bpf_disabled");
	read_mitigations(host);
	read_virtualization(host->virtualization, HOST_TEXT);
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  host->clocksource, HOST_TEXT);
	host->memory_bytes = meminfo_bytes("MemTotal");
	host->boot_id_hash = read_boot_id_hash();
	read_versions(host);
}

s64 host_steal_ns(void)
{
	FILE *file = fopen("/proc/stat", "re");
	long ticks_per_sec = sysconf(_SC_CLK_TCK);
	u64 ticks;
	int found;

	if (!file)
		return -1;
	/* cpu user nice system idle iowait irq softirq steal */
	found = fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks);
	fclose(file);
	if (found != 1 || ticks_per_sec <= 0)
		return -1;
	return (s64)(ticks * (NSEC_PER_SEC / (u64)ticks_per_sec));
}

u64 host_memory_available(void)
{
	return meminfo_bytes("MemAvailable");
}
