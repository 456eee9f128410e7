#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# vm/build-kernel: what it refuses; and, with KERNEL_TREE naming a kernel's source, a build and its
# boot, which take ten minutes the first time.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	export TOP=$PWD
}

one_line() {
	local status=$1
	shift
	run "-$status" "$TOP/vm/build-kernel" "$@"
	echo "$output"
	[[ ${#lines[@]} == 1 && $output == 'vm/build-kernel: '* ]]
}

@test "wrong usage and bad trees are said in one line" {
	one_line 2
	one_line 2 tree
	one_line 2 --nosuch tree out
	one_line 2 --jobs 0 tree out
	one_line 2 --jobs 2x tree out
	one_line 2 one two three
	command -v pahole flex bison bc >/dev/null || skip "the kernel's build tools are not installed"
	one_line 1 /nosuch "$BATS_TEST_TMPDIR/out"
	one_line 1 "$TOP" "$BATS_TEST_TMPDIR/out"
	run -0 "$TOP/vm/build-kernel" --help
}

@test "a built kernel boots with all that the suite uses" {
	[[ ${KERNEL_TREE-} ]] || skip "KERNEL_TREE names no kernel source"
	cd "$BATS_TEST_TMPDIR"
	"$TOP/vm/build-kernel" --quiet "$KERNEL_TREE" bzImage
	cat >look <<-'EOF'
		set -e
		[ -s /sys/kernel/btf/vmlinux ]
		[ "$(cat /proc/sys/net/core/bpf_jit_enable)" = 1 ]
		cd /sys/kernel/tracing
		grep -q '^__x64_sys_getpgid' available_filter_functions
		[ -d events/sched/sched_switch ] && [ -d events/syscalls/sys_enter_getpgid ]
		[ -e kprobe_events ] && [ -e uprobe_events ]
		grep -q memory /sys/fs/cgroup/cgroup.controllers
		grep -qw bpf /sys/kernel/security/lsm
		grep -q bpf_trampoline_link_prog /proc/kallsyms
		grep -q ' /sys/fs/bpf bpf ' /proc/mounts
		nproc
	EOF
	run -0 "$TOP/vm/run" -q --kernel bzImage --accel tcg --smp 2 --file look sh look
	[[ $output == 2 ]]
}
