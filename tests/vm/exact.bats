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
	local cases='all'

	[ "$2" = debian:6.1 ] || cases='more'
	mkdir "$RESULTS/$1"
	vm/run --kernel "$2" --exact --out "$RESULTS/$1" --file bench \
		--file run_bench_local_storage.sh --file benchs/common.sh \
		--file benchs/run_bench_bpf_loop.sh --file benchs/run_bench_htab_batch.sh \
		--file tests/vm/exact-cases.sh \
		-- tests/vm/exact-cases.sh $cases >"$RESULTS/$1.out" 2>"$RESULTS/$1.err" ||
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

# values BOOT: a line a case: its name and its three values. The loops that are longer than a timer
# tick are left out: see below.
values() {
	local file
	for file in "$RESULTS/$1"/*.json "$RESULTS/$1"/*/*.json; do
		jq -r --arg name "${file#"$RESULTS/$1/"}" '.results[0] |
			select((.parameters.nr_loops // 0) < 500000) |
			[$name, .benchmark, (.parameters | tostring), .insn.raw.per_op, .insn.overhead.per_op,
			.insn.net.per_op, .insn.net.exact] | @tsv' "$file"
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
	[ "$(values first | wc -l)" -eq 89 ]
	[ "$(values third | wc -l)" -eq 69 ]
	run ! grep -v 'true$' < <(values first && values third)
}

@test 'twenty runs of a case give one value' {
	local i

	booted first
	for ((i = 1; i <= 20; i++)); do
		insn "first/again-$i" raw
	done >"$RESULTS/again"
	[ "$(wc -l <"$RESULTS/again")" -eq 20 ]
	[ "$(uniq "$RESULTS/again" | wc -l)" -eq 1 ]
}

@test 'in exact mode nothing is in units of time' {
	booted first
	run ! grep -E 'ns/op|M/s|M ops/s|\(ns\)' "$RESULTS/first/local-storage.txt" \
		"$RESULTS/first/bpf-loop.txt" "$RESULTS/first/htab-batch.txt"
	jq -e '.results[0] | .exact_mode and .cost_ns == null and .rate_per_sec == null and
		.quantiles_ns == null and .intervals == []' "$RESULTS/first/local-storage/00.json"
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
		"$RESULTS"/first/local-storage/*.json
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

@test 'a loop that is longer than a timer tick is reported as not exact, with the reason' {
	booted first
	booted third
	jq -es 'map(.results[0] | select(.parameters.nr_loops >= 500000)) | length == 6 and
		all((.insn.raw.exact or .insn.net.exact | not) and .insn.overhead.exact and
		(.notes.too_long | startswith("to be exact: ")))' \
		"$RESULTS/first/bpf-loop"/*.json "$RESULTS/third/bpf-loop"/*.json
	[ "$(grep -c '^bpf_loop_.*: *not exact$' "$RESULTS/first/bpf-loop.txt")" -eq 2 ]
}

# one_pass BOOT BENCHMARK LOOPS: instructions of a pass.
one_pass() {
	holds "$(insn "$1/$2-$3-pad-0" net) > 0"
	awk "BEGIN { printf \"%.6f\", $3 * $(insn "$1/$2-$3-pad-0" net) }"
}

@test 'loops: an iteration costs the same however many there are, and --pad N adds N to each' {
	local boot name n pad each

	booted first
	booted third
	while read -r boot name; do
		# What nine iterations add.
		each=$(awk "BEGIN { print ($(one_pass "$boot" "$name" 10) - $(one_pass "$boot" "$name" 1)) / 9 }")
		holds "$each == int($each) && $each >= 10"
		jq -es --argjson each "$each" --arg name "$name" --argjson first "$(one_pass "$boot" "$name" 1)" '
			map(.results[0] | select(.benchmark == $name and .insn.net.exact)) | length == 8 and
			all(.parameters.nr_loops as $n |
			(.insn.net.per_op * $n - $first - ($n - 1) * $each | . * . < 1e-9))' \
			"$RESULTS/$boot/bpf-loop"/*.json
		for n in 1 10; do
			for pad in 1 2 7 64; do
				holds "($(insn "$boot/$name-$n-pad-$pad" net) - $(insn "$boot/$name-$n-pad-0" net) - $pad) ^ 2 < 1e-18"
			done
		done
	done <<<$'first bpf-loop\nthird bpf-loop\nthird bpf-for'
}

@test 'loops: below 1000 instructions to verify, the same for any number of loops' {
	local boot name

	booted first
	booted third
	for boot in first third; do
		for name in bpf-loop bpf-for; do
			jq -es --arg name "$name" 'map(.results[0] | select(.benchmark == $name) |
				[.programs[].verified_insns]) | unique |
				length <= 1 and all(.[][]; . > 0 and . < 1000)' "$RESULTS/$boot/bpf-loop"/*.json
		done
	done
}

@test 'bpf-for without the iterator of Linux 6.4 is a skip with the reason' {
	booted first
	[ "$(cat "$RESULTS/first/bpf-for.status")" -eq 4 ]
	grep -qx 'bench: this kernel has no bpf_iter_num_new(), .*Linux 6.4.*' "$RESULTS/first/bpf-for.err"
	grep -q '^bpf_for: left out: this kernel has no bpf_iter_num_new()' "$RESULTS/first/bpf-loop.txt"
}

@test 'dumps: each entry adds to the cost, and key by key 39000 of them cost five times as much' {
	local boot

	booted first
	booted third
	for boot in first third; do
		jq -es 'map(.results[0]) | group_by(.parameters.method) | length == 2 and
			all(sort_by(.parameters.nr_entries) | map(.insn.net.per_op) | length == 8 and
			. == (unique | sort)) and
			(map(max_by(.parameters.nr_entries) | .insn.net.per_op) | max > 5 * min)' \
			"$RESULTS/$boot/htab-batch"/*.json
	done
}

@test 'dumps: writers, which would have to share the CPU, are refused' {
	booted first
	grep -q '^bench: --writers: in exact mode there is one CPU' "$RESULTS/first/writers.err"
	[ "$(cat "$RESULTS/first/writers.status")" -eq 4 ]
}

# same_as_baseline BOOT FILE: equal values, as long as kernel and compiled programs are the same; where
# there is no program, as long as bench itself is built by the same compiler.
same_as_baseline() {
	local key='[.benchmark, .parameters, .host.kernel_version, [.programs[].tag], .exact_machine,
		(select(.programs == []) | [.host.compiler, .host.libbpf])]'
	local here there

	booted "$1"
	here=$(jq -sc "[.[].results[] | select(.insn.net.exact)] | map($key) | sort" "$RESULTS/$1"/*/*.json)
	there=$(jq -c "[.results[]] | map($key) | sort" "$2")
	[ "$here" = "$there" ] || skip "$2 is of another kernel package, QEMU or compiler: make baselines"
	diff <(jq -sc ".[].results[] | select(.insn.net.exact) |
			[$key, .insn.raw.per_op, .insn.overhead.per_op]" "$RESULTS/$1"/*/*.json) \
		<(jq -c ".results[] | [$key, .insn.raw.per_op, .insn.overhead.per_op]" "$2")
}

@test 'the values of baselines/debian-6.1.json' {
	same_as_baseline first baselines/debian-6.1.json
}

@test 'the values of baselines/debian-6.12.json' {
	same_as_baseline third baselines/debian-6.12.json
}
