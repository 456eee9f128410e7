#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The command lines of the gate and of a step of a bisection: nothing here boots or builds a kernel.

bats_require_minimum_version 1.5.0

# refused STATUS TEXT COMMAND...
refused() {
	local expected=$1 text=$2
	shift 2
	run --separate-stderr "$@"
	[ "$status" -eq "$expected" ]
	[ -z "$output" ]
	# shellcheck disable=SC2154 # run sets it
	[ "$stderr" = "$1: $text" ]
}

@test 'ci/regress: wrong usage' {
	refused 2 'which kernels? --base KERNEL and --new KERNEL are needed' ci/regress
	refused 2 'which kernels? --base KERNEL and --new KERNEL are needed' ci/regress --base debian:6.1
	refused 2 '--new takes a value' ci/regress --new
	refused 2 'unknown option --nosuch: --help shows those there are' ci/regress --nosuch
	refused 2 'cannot read the suite nosuch' ci/regress --base a --new b --suite nosuch
	refused 2 'cannot write to /proc/x' ci/regress --base a --new b --out /proc/x
	run --separate-stderr ci/regress --base a --new b -- --threshold x
	[ "$status" -eq 2 ]
	[[ $stderr == "bench: --threshold: 'x' is not a percentage"* ]]
}

@test 'ci/bisect-step: wrong usage ends a bisection' {
	refused 128 'what to compare with? GOOD.json is needed (--keep FILE makes one)' ci/bisect-step
	refused 128 'cannot read nosuch.json' ci/bisect-step nosuch.json
	refused 128 "$PWD is not a kernel tree" ci/bisect-step baselines/debian-6.1.json
	refused 128 'one GOOD.json, not a and b' ci/bisect-step a b
}

@test 'ci/bpf-next: wrong usage' {
	refused 2 'where is the last good kernel kept? --state DIR is needed' ci/bpf-next
}

@test 'each of them explains itself' {
	local script
	for script in ci/regress ci/bisect-step ci/bpf-next; do
		run --separate-stderr "$script" --help
		[ "$status" -eq 0 ]
		[[ $output == *"$script "* && $output == *'Exit status: '* && $output != *'set -euo'* ]]
	done
}
