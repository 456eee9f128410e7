#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The gate between two kernels, and the comparison of two cases, both counting instructions.

bats_require_minimum_version 1.5.0

BENCH=${BENCH:-./bench}
seq=local-storage-cache-seq-get

setup() {
	[ "$BENCH" = ./bench ] || skip 'the sanitizers would be counted too'
	command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
	suite=$BATS_TEST_TMPDIR/suite
	printf '%s\n' "$seq --nr_maps {1,17}" 'count-local' >"$suite"
}

# gate STATUS OPTION...: skipped where a kernel cannot be had.
gate() {
	local expected=$1
	shift
	run --separate-stderr ci/regress --suite "$suite" "$@"
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr != *': cannot fetch '* && $stderr != *': apt does not know '* ]] || skip "$stderr"
	echo "$output"
	echo "$stderr"
	[ "$status" -eq "$expected" ]
}

@test 'a kernel is no regression of itself, and its results are kept' {
	gate 0 --base debian:6.1 --new debian:6.1 --out "$BATS_TEST_TMPDIR/out"
	[[ $output == *'**Summary:** 0 worse, 0 better, 3 same'* ]]
	jq -e '.results | length == 3 and all(.exact_mode)' "$BATS_TEST_TMPDIR"/out/{base,new}.json
}

@test 'a get that costs more on another kernel is one' {
	gate 1 --base debian:6.1 --new debian:6.12
	[[ $output == *"| $seq/nr"*'=1 | 1/1 | 118.95 | 125.95 | '*'| worse |'* ]]
	[[ $output == *'| count-local | 1/1 | 3 | 3 | 1 | exact | - | insn/op | same |'* ]]
	gate 0 --base debian:6.12 --new debian:6.1
}

@test 'what cannot be measured is not called good' {
	gate 3 --base debian:6.1 --new /nosuch
	[[ $stderr == 'ci/regress: new, /nosuch: '* ]]
	echo "$seq --nr_maps 0" >"$suite"
	gate 3 --base debian:6.1 --new debian:6.1
	[[ $stderr == *":1: --nr_maps: '0' is not in the range"* ]]
}

@test 'one instruction more in an operation is found each time, none is never' {
	local times=5
	# shellcheck disable=SC2016 # the guest's shell expands it
	run --separate-stderr vm/run -q --exact --file bench -- sh -c '
		for i in $(seq "$1"); do
			./bench ab -- "$2" --nr_maps 16 -- "$2" --nr_maps 16 --pad 1; echo "padded $?"
			./bench ab -- "$2" --nr_maps 16 -- "$2" --nr_maps 16; echo "same $?"
		done' - "$times" "$seq"
	[ "$status" -ne 120 ] || skip "$stderr"
	[ "$(grep -c '^padded 1$' <<<"$output")" -eq "$times" ]
	[ "$(grep -c '^same 0$' <<<"$output")" -eq "$times" ]
}
