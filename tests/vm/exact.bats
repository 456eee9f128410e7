#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# Exact mode: the same values in every boot, however busy the host; each instruction added is seen;
# what the suite promises of its own overhead; and the values of baselines/.
#
# Linux 6.1 is booted twice, at the same time, so that each is what disturbs the other; 6.12 once.

bats_require_minimum_version 1.5.0

BENCH=${BENCH:-./bench}

setup_file() {
	export RESULTS=$BATS_FILE_TMPDIR
	boot first debian:6.1 &
	boot second debian:6.1 &
	wait
	boot third debian:6.12
}

# boot NAME KERNEL: all cases, results in $RESULTS/NAME, what went wrong in $RESULTS/NAME.err.
boot() {
	local cases=all

	[ "$2" = debian:6.1 ] || cases=sweep
	mkdir "$RESULTS/$1"
	vm/run --kernel "$2" --exact --out "$RESULTS/$1" --file bench \
		--file run_bench_local_storage.sh --file benchs/common.sh \
		--file tests/vm/exact-storage.sh \
		-- tests/vm/exact-storage.sh $cases >"$RESULTS/$1.out" 2>"$RESULTS/$1.err" ||
		echo $? >"$RESULTS/$1.status"
}

setup() {
	[ "$BENCH" = ./bench ] || skip 'the sanitizers would be counted too'
	command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
}

# booted NAME: its results are there. Without a kernel to boot the test is skipped with the reason.
booted() {
	if [ -e "$RESULTS/$1.status" ]; then
		[ "$(cat "$RESULTS/$1.status")" -ne 120 ] || skip "$(tail -n 1 "$RESULTS/$1.err")"
		cat "$RESULTS/$1.err"
		return 1
	fi
}

# insn FILE VARIANT: instructions an operation, or nothing if they are not exact.
insn() {
	jq -r ".results[0].insn.$2 | if .exact then .per_op else empty end" "$RESULTS/$1.json"
}

# values BOOT: a line a case: its name and its three values.
values() {
	local file
	for file in "$RESULTS/$1"/*.json; do
		jq -r --arg name "${file##*/}" '.results[0] | [$name, .benchmark, .parameters.nr_maps,
			.insn.raw.per_op, .insn.overhead.per_op, .insn.net.per_op, .insn.net.exact] | @tsv' "$file"
	done
}

holds() {
	awk "BEGIN { exit !($1) }" || {
		echo "does not hold: $1"
		return 1
	}
}

@test 'outside of exact mode BENCH_EXACT=1 is refused' {
	run --separate-stderr env BENCH_EXACT=1 "$BENCH" -q count-local
	[ "$status" -eq 4 ]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == 'bench: BENCH_EXACT=1: '* ]]
}

@test 'two boots side by side give the same values to the last digit' {
	booted first
	booted second
	diff <(values first) <(values second)
}

@test 'every value is exact, on 6.1 and on 6.12' {
	booted first
	booted third
	[ "$(values first | wc -l)" -eq 45 ]
	[ "$(values third | wc -l)" -eq 17 ]
	run ! grep -v 'true$' < <(values first && values third)
}

@test 'ten runs of a case give one value' {
	booted first
	[ "$(for i in 1 2 3 4 5 6 7 8 9 10; do insn "first/again-$i" raw; done | uniq -c | wc -l)" -eq 1 ]
}

@test 'in exact mode nothing is in units of time' {
	booted first
	run ! grep -E 'ns/op|M/s' "$RESULTS/first/sweep.txt"
	jq -e '.results[0] | .exact_mode and .cost_ns == null and .rate_per_sec == null and
		.quantiles_ns == null and .intervals == []' "$RESULTS/first/00.json"
}

@test '--pad N adds exactly N instructions to each operation' {
	local lookup pad

	booted first
	for lookup in direct map_in_map; do
		for pad in 1 2 3 7 64; do
			holds "($(insn "first/pad-$lookup-$pad" net) - $(insn "first/pad-$lookup-0" net) - $pad) ^ 2 < 1e-18"
		done
	done
}

@test 'overhead: at most 6 instructions an operation up to 60 maps, at most 32 at 100' {
	local n

	booted first
	for n in 16 32 60; do
		holds "$(insn "first/lookup-direct-$n" overhead) <= 6"
	done
	jq -es '[.[].results[] | select(.benchmark == "local-storage-cache-seq-get")] |
		(map(select(.parameters.nr_maps <= 60)) | length == 6 and all(.insn.overhead.per_op <= 6)) and
		(map(select(.parameters.nr_maps == 100)) | length == 1 and all(.insn.overhead.per_op <= 32))' \
		"$RESULTS"/first/[0-9]*.json
}

@test 'direct and map_in_map agree on the net cost to 2 instructions' {
	local n

	booted first
	for n in 16 32 60; do
		holds "($(insn "first/lookup-direct-$n" net) - $(insn "first/lookup-map_in_map-$n" net)) ^ 2 <= 4"
	done
}

@test 'past 16 maps the cost goes up' {
	booted first
	holds "2 * $(insn first/lookup-direct-16 net) < $(insn first/lookup-direct-32 net)"
}

# same_as_baseline BOOT FILE: equal values, as long as kernel and compiled programs are the same.
same_as_baseline() {
	local key='[.benchmark, .parameters, .host.kernel_version, [.programs[].tag], .exact_machine]'
	local here there

	booted "$1"
	here=$(jq -sc "[.[].results[]] | map($key) | sort" "$RESULTS/$1"/[0-9]*.json)
	there=$(jq -c "[.results[] | select(.benchmark | startswith(\"local-storage\"))] | map($key) | sort" "$2")
	[ "$here" = "$there" ] || skip "$2 is of another kernel package, QEMU or compiler: make baselines"
	diff <(jq -sc ".[].results[] | [$key, .insn.raw.per_op, .insn.overhead.per_op]" "$RESULTS/$1"/[0-9]*.json) \
		<(jq -c ".results[] | select(.benchmark | startswith(\"local-storage\")) | [$key, .insn.raw.per_op, .insn.overhead.per_op]" "$2")
}

@test 'the values of baselines/debian-6.1.json' {
	same_as_baseline first baselines/debian-6.1.json
}

@test 'the values of baselines/debian-6.12.json' {
	same_as_baseline third baselines/debian-6.12.json
}
