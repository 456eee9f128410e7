// SPDX-License-Identifier: GPL-2.0
/* Facts of this machine against the same facts asked for in another way: by shell commands. */
#include "../../harness/host.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct host host;

static int read_this_machine(void **state)
{
	(void)state;
	memset(&host, 0xff, sizeof(host));
	host_read(&host);
	return 0;
}

/* What a command prints, without the last newline. Valid until the next call. */
static const char *shell(const char *command)
{
	static char output[8192];
	FILE *pipe = popen(command, "re");
	size_t len;

	assert_non_null(pipe);
	len = fread(output, 1, sizeof(output) - 1, pipe);
	pclose(pipe);
	while (len && output[len - 1] == '\n')
		len--;
	output[len] = '\0';
	return output;
}

static void kernel_is_what_uname_says(void **state)
{
	(void)state;
	assert_string_equal(host.kernel_release, shell("uname -r"));
	assert_string_equal(host.kernel_version, shell("uname -v"));
	assert_string_equal(host.machine, shell("uname -m"));
	assert_true(host.kernel_release[0]);
}

static void cpu_model_is_of_proc_cpuinfo(void **state)
{
	const char *model = shell("sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1");

	(void)state;
	if (!model[0])
		skip();
	assert_string_equal(host.cpu_model, model);
}

static void counts_cpus(void **state)
{
	(void)state;
	assert_int_equal(host.cpus_online, atoi(shell("getconf _NPROCESSORS_ONLN")));
	assert_int_equal(host.cpus_usable, atoi(shell("env -u OMP_NUM_THREADS nproc")));
	assert_in_range(host.cpus_usable, 1, host.cpus_online);
}

static void usable_cpus_follow_affinity(void **state)
{
	struct host pinned;
	cpu_set_t before, one;
	int cpu = sched_getcpu();

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	host_read(&pinned);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);

	assert_int_equal(pinned.cpus_usable, 1);
	assert_int_equal(pinned.cpus_online, host.cpus_online);
}

static void assert_sysctl(s64 value, const char *command)
{
	const char *text = shell(command);

	assert_int_equal(value, text[0] ? atoll(text) : -1);
}

static void sysctls_or_minus_one(void **state)
{
	(void)state;
	assert_sysctl(host.bpf_jit_enable, "cat /proc/sys/net/core/bpf_jit_enable 2>&-");
	assert_sysctl(host.bpf_jit_harden, "cat /proc/sys/net/core/bpf_jit_harden 2>&-");
	assert_sysctl(host.unprivileged_bpf_disabled,
		      "cat /proc/sys/kernel/unprivileged_bpf_disabled 2>&-");
}

static void mitigations_are_what_affects(void **state)
{
	(void)state;
	assert_string_equal(host.mitigations,
			    shell("cd /sys/devices/system/cpu/vulnerabilities 2>&- && LC_ALL=C "
				  "grep -v '^Not affected' * | sed 's/:/: /'"));
}

static void clocksource_and_governor(void **state)
{
	(void)state;
	assert_string_equal(
		host.clocksource,
		shell("cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>&-"));
	assert_string_equal(
		host.governor,
		shell("cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>&-"));
}

static void virtualization_agrees_with_cpu_flag(void **state)
{
	const char *flag = shell("grep -m 1 -ow hypervisor /proc/cpuinfo");

	(void)state;
#if defined(__x86_64__) || defined(__i386__)
	assert_true(host.virtualization[0]);
	assert_int_equal(!strcmp(host.virtualization, "none"), !flag[0]);
#else
	(void)flag;
	skip();
#endif
}

static void memory_is_of_proc_meminfo(void **state)
{
	const char *total =
		shell("awk '/^MemTotal:/ { printf \"%.0f\", $2 * 1024 }' /proc/meminfo");
	u64 available = host_memory_available();

	(void)state;
	assert_int_equal(host.memory_bytes, strtoull(total, NULL, 10));
	assert_in_range(available, 1, host.memory_bytes);
}

/* FNV-1a of the text, by the shell; its 64 bits are signed: 0xcbf29ce484222325 is negative. */
static void boot_is_a_hash_of_its_id(void **state)
{
	const char *hash = shell("h=$((-0x340d631b7bdddcdb)); for c in $(printf %s \"$(cat "
				 "/proc/sys/kernel/random/boot_id)\" | od -An -v -tu1); do "
				 "h=$(((h ^ c) * 0x100000001b3)); done; printf %x $h");

	(void)state;
	assert_int_equal(host.boot_id_hash, strtoull(hash, NULL, 16));
}

static void versions_are_filled_in(void **state)
{
	(void)state;
	assert_int_equal(host.libbpf[0], 'v');
	assert_true(host.clang[0]);
	assert_true(host.bench_version[0]);
#ifdef __clang__
	assert_non_null(strcasestr(host.compiler, "clang "));
#else
	assert_int_equal(strncmp(host.compiler, "gcc ", 4), 0);
#endif
}

static void reading_twice_agrees(void **state)
{
	struct host again;

	(void)state;
	memset(&again, 0, sizeof(again));
	host_read(&again);
	assert_memory_equal(&again, &host, sizeof(host));
}

/* The command and this process read one after the other: steal may grow in between, not shrink. */
static void steal_time_is_of_proc_stat(void **state)
{
	const char *command = "awk -v hz=$(getconf CLK_TCK) '$1 == \"cpu\" { printf \"%.0f\", "
			      "$9 * (1000000000 / hz) }' /proc/stat";
	s64 before = atoll(shell(command));
	s64 steal = host_steal_ns();
	s64 after = atoll(shell(command));

	(void)state;
	assert_true(before <= steal && steal <= after);
}

/* Without /proc and /sys: nothing is known, nothing fails. Returns the number of wrong facts. */
static int wrong_facts_in_an_empty_root(const char *root)
{
	struct host bare;

	if (chroot(root) || chdir("/"))
		return 99;
	memset(&bare, 0xff, sizeof(bare));
	host_read(&bare);
	return !bare.kernel_release[0] + !!bare.cpu_model[0] + (bare.bpf_jit_enable != -1) +
	       (bare.bpf_jit_harden != -1) + (bare.unprivileged_bpf_disabled != -1) +
	       !!bare.mitigations[0] + !!bare.clocksource[0] + !!bare.governor[0] +
	       !!bare.memory_bytes + !!bare.boot_id_hash + (host_steal_ns() != -1) +
	       !!host_memory_available() + (bare.cpus_usable != host.cpus_usable);
}

static void missing_facts_are_empty(void **state)
{
	char root[] = "/tmp/test_host.XXXXXX";
	int status = 0;
	pid_t child;

	(void)state;
	if (geteuid())
		skip(); /* chroot() is root's */

	assert_non_null(mkdtemp(root));
	child = fork();
	if (!child)
		_exit(wrong_facts_in_an_empty_root(root));
	assert_int_equal(waitpid(child, &status, 0), child);
	rmdir(root);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_is_what_uname_says),
		cmocka_unit_test(cpu_model_is_of_proc_cpuinfo),
		cmocka_unit_test(counts_cpus),
		cmocka_unit_test(usable_cpus_follow_affinity),
		cmocka_unit_test(sysctls_or_minus_one),
		cmocka_unit_test(mitigations_are_what_affects),
		cmocka_unit_test(clocksource_and_governor),
		cmocka_unit_test(virtualization_agrees_with_cpu_flag),
		cmocka_unit_test(memory_is_of_proc_meminfo),
		cmocka_unit_test(boot_is_a_hash_of_its_id),
		cmocka_unit_test(versions_are_filled_in),
		cmocka_unit_test(reading_twice_agrees),
		cmocka_unit_test(steal_time_is_of_proc_stat),
		cmocka_unit_test(missing_facts_are_empty),
	};

	return cmocka_run_group_tests_name("host", tests, read_this_machine, NULL);
}
