#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # what is in single quotes is jq's; run sets what is not set here
# SPDX-License-Identifier: GPL-2.0
#
# bpf-loop and bpf-for on a real kernel:
# - hits are batches x iterations, with one producer and with two, at both ends of the range
# - the verifier's work is small and the same for any number of iterations
# - time rises with the iterations, also of a batch that is longer than a slice
# - what cannot be asked for, and bpf-for on a kernel that has not the iterator
# - the sweep: its layout, its options, its exit status
#
#	sudo BENCH=./bench bats tests/kernel/bpf_loop.bats

load helpers

SWEEP=$BATS_TEST_DIRNAME/../../benchs/run_bench_bpf_loop.sh
loops="1 10 1000 1000000 8388608"

setup() {
	need_bpf bpf-loop
	json=$BATS_TEST_TMPDIR/json
}

teardown() {
	[ -z "${bench_pid:-}" ] || kill -KILL "$bench_pid"
}

# exact_counts NAME PRODUCERS: every number of loops, or on an emulated machine, which takes seconds
# for each, the ends and one between.
exact_counts() {
	local n

	! emulated || loops="1 1000 8388608"
	for n in $loops; do
		measured_shortly "$json" "$1" --nr_loops "$n" -p "$2"
		counts_add_up "$json" \
			"as asked for" ".parameters.nr_loops == $n and .options.producers == $2" \
			"a pass is one loop" ".ops_per_pass == $n" \
			"both variants" '[.intervals[].variant] | contains(["raw", "overhead"])' \
			"fewer than 1000 instructions to verify" \
			'[.programs[].verified_insns] | length == 2 and all(. > 0 and . < 1000)' \
			"the loop is cut out of the twin" '(.programs | map({key: .variant, value: .}) |
			from_entries) as $p | $p.overhead.xlated_bytes < $p.raw.xlated_bytes'
		jq -c '[.results[0].programs[].verified_insns]' "$json" >>"$json.verified"
	done
	[ "$(sort -u "$json.verified" | wc -l)" -eq 1 ] ||
		fail "the verifier's work depends on the number of loops: $(<"$json.verified")"
}

@test "bpf-loop: exact counts at every number of loops" {
	exact_counts bpf-loop 1
}

@test "bpf-loop: exact counts at every number of loops, two producers" {
	exact_counts bpf-loop 2
}

@test "bpf-for: exact counts at every number of loops" {
	need_bpf bpf-for
	exact_counts bpf-for 1
}

@test "bpf-for: exact counts at every number of loops, two producers" {
	need_bpf bpf-for
	exact_counts bpf-for 2
}

@test "padded, a program is the same but for the padding" {
	local name pad

	for name in bpf-loop bpf-for; do
		[ -z "$(cannot_run "$name")" ] || continue
		for pad in 0 1 64; do
			measured_shortly "$json" "$name" --pad "$pad"
			counts_add_up "$json" "fewer than 1000 instructions to verify" \
				'[.programs[].verified_insns] | all(. > 0 and . < 1000)'
			jq '.results[0].programs[] | select(.variant == "raw") | .xlated_bytes' \
				"$json" >>"$json.$name"
		done
		# An instruction is 8 bytes.
		[ "$(jq -sc '. as $sizes | map((. - $sizes[0]) / 8)' "$json.$name")" = "[0,1,64]" ] ||
			fail "$name: not as many instructions more as asked for: $(<"$json.$name")"
	done
}

# The least time of a batch, by its iterations: what disturbs a machine only makes it longer.
@test "the time of a batch rises with its iterations" {
	local name n

	for name in bpf-loop bpf-for; do
		[ -z "$(cannot_run "$name")" ] || continue
		for n in 1000 8388608; do
			measured_shortly "$json.$name.$n" "$name" --nr_loops "$n"
		done
		jq -s -e 'map(.results[0] | .cost_ns.raw.min * .ops_per_pass) |
			.[1] / .[0] > 8388608 / 1000 / 4' "$json.$name.1000" "$json.$name.8388608" ||
			fail "$name: 8388608 iterations take no longer than a few times 1000"
	done
}

@test "batches as long as a slice: rates are what was done in the time it took" {
	run --separate-stderr "$BENCH" -q -w 0 -d 0 -p 2 bpf-loop --nr_loops 8388608 --json "$json"
	[ "$status" -eq 0 ] || fail "no result"
	counts_add_up "$json" \
		"rates are counts by the length of the interval" \
		'.intervals | all((.rate_per_sec.hits * (.duration_ns - .looked_ns) / 1e9 / .counts.hits) |
		. > 0.5 and . < 2)' \
		"time inside batches is no more than producers x the length of the interval" \
		'.intervals | all(.counts.timed_ns <= 2 * .duration_ns)'
	[[ ${lines[-1]} == "Summary: throughput "*" M ops/s ("*"M ops/prod), latency "*" ns/op" ]] ||
		fail "not the Summary of operations"
}

@test "numbers of loops that cannot be asked for" {
	local name value

	for name in bpf-loop bpf-for; do
		for value in 0 -1 8388609; do
			run --separate-stderr "$BENCH" "$name" --nr_loops "$value"
			[ "$status" -eq 2 ] && [ -z "$output" ] || fail "$name takes '$value'"
			[ "$stderr" = "bench: --nr_loops: '$value' is not in the range 1 to 8388608" ] ||
				fail "no range"
		done
		for value in 1e6 '' 10x; do
			run --separate-stderr "$BENCH" "$name" --nr_loops "$value"
			[ "$status" -eq 2 ] && [ -z "$output" ] || fail "$name takes '$value'"
			[ "$stderr" = "bench: --nr_loops: '$value' is not a number in plain digits (1 to 8388608)" ] ||
				fail "no cause"
		done
	done
}

@test "bpf-for on a kernel without the iterator: a skip at once, with the reason" {
	local begin=$SECONDS

	grep -qaw bpf_iter_num_new /sys/kernel/btf/vmlinux && skip "this kernel has the iterator"
	run --separate-stderr "$BENCH" bpf-for
	[ "$status" -eq 4 ] || fail "not the status of what cannot run"
	[[ $stderr == "bench: this kernel has no bpf_iter_num_new(), "*"Linux 6.4"* ]] || fail "no reason"
	within 1 "$begin"
	measured_shortly "$json" bpf-loop
}

# sweep OPTION...: the sweep, as short as a case can be, started from elsewhere.
sweep() {
	BENCH=$(realpath "$BENCH") JSON_DIR=$json run --separate-stderr \
		bash -c 'cd / && exec "$@"' - "$SWEEP" -d 0 "$@"
}

@test "the sweep prints the published table, then the costs" {
	local n at=0 name names=(bpf_loop) number='[0-9]+\.[0-9]{3}'
	local published="throughput: $number ± $number M ops/s, latency: $number ns/op"

	! emulated || skip "minutes on an emulated processor: there it is run in exact mode"
	[ -n "$(cannot_run bpf-for)" ] || names+=(bpf_for)
	mkdir "$json"
	sweep
	[ "$status" -eq 0 ] || fail "not successful"
	for name in "${names[@]}"; do
		for n in 10 100 500 1000 5000 10000 50000 100000 500000 1000000; do
			[ "${lines[at]}" = "nr_loops: $n" ] || fail "line $at: not nr_loops: $n"
			[[ ${lines[at + 1]} =~ ^$name\ -\ $published$ ]] ||
				fail "line $((at + 1)): not as published"
			[ "$(grep -cE "^${name}_$n: +$number +$number +$number ± $number" <<<"$output")" -eq 1 ] ||
				fail "no costs of ${name}_$n"
			at=$((at + 2))
		done
	done
	[ "$(jq -s 'map(.results[0].parameters.nr_loops) | add' "$json"/*.json)" -eq \
		$((${#names[@]} * 1666610)) ] || fail "not all results in JSON_DIR"
	[ "${#names[@]}" -eq 2 ] || [[ $output == *"bpf_for: left out: this kernel has no"* ]] ||
		fail "bpf_for is left out without a word"
}

@test "the sweep ends with the status of what failed" {
	sweep --pad 65
	[ "$status" -eq 2 ] && [ -z "$output" ] || fail "goes on after a usage error"
	[[ $stderr == "bench: --pad: "* ]] || fail "no cause"
	BENCH=/nosuch/bench run --separate-stderr "$SWEEP"
	[ "$status" -eq 1 ] || fail "runs without a bench"
	[[ $stderr == *"there is no /nosuch/bench: run 'make' first" ]] || fail "no cause"
}
