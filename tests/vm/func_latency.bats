#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# func-latency in virtual machines: what a traced call costs in instructions, and the btrfs sweep.

bats_require_minimum_version 1.5.0

BENCH=${BENCH:-./bench}

setup() {
	[ "$BENCH" = ./bench ] || skip 'the sanitizers would be counted too'
	command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
	target=$BATS_TEST_TMPDIR/func_target
}

# figure FILTER: of the result.
figure() {
	jq -r ".results[0] | $1" "$BATS_TEST_TMPDIR/result.json"
}

# exactly KERNEL WORD...: func-latency in exact mode, its result in result.json.
exactly() {
	local kernel=$1
	shift
	cc -O2 -o "$target" tests/kernel/func_target.c -lpthread
	# shellcheck disable=SC2016 # $OUT is the guest's
	run vm/run -q --kernel "$kernel" --exact --out "$BATS_TEST_TMPDIR" --file bench --file "$target" \
		-- sh -c 'exec ./bench -q func-latency --json $OUT/result.json "$@"' - "$@"
	[ "$status" -ne 120 ] || skip "$output"
	[ "$status" -eq 0 ] || {
		echo "$output"
		return 1
	}
}

@test "Linux 6.1: a traced call takes the two programs less than 450 instructions, each time the same" {
	exactly debian:6.1 --probe fentry --func do_getpgid -- "$target" getpgid 500
	echo "programs: $(figure .counters.fentry_programs_insn)"
	[ "$(figure '.counters.fentry_programs_insn | . > 200 and . < 450')" = true ]
	[ "$(figure '.watched.rows[0].figures | .nr == 500 and .stddev_insn < .avg_insn / 10')" = true ]
	# No call takes less than one that does nothing.
	[ "$(figure ".watched.rows[0].figures.min_insn >= .counters.fentry_in_sample_insn")" = true ]
}

@test "the btrfs sweep: rows as published, from the functions that the kernel has" {
	PATH=$PATH:/usr/sbin:/sbin
	command -v mkfs.btrfs >/dev/null || skip 'no mkfs.btrfs'
	KERNELS=debian:6.1 run benchs/run_bench_btrfs.sh
	echo "$output"
	[ "$status" -ne 120 ] || skip "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -cE '^CSUM_TREE_BLOCK: nr=[1-9][0-9]* total=[0-9]+ avg=[0-9]+' <<<"$output")" -eq 2 ]
	grep -qE '^TREE_CHECKER_READ: nr=[1-9][0-9]* total=[0-9]+ avg=[0-9]+' <<<"$output"
	grep -qE '^TREE_CHECKER_WRITE: nr=[1-9][0-9]* total=[0-9]+ avg=[0-9]+' <<<"$output"
}
