#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# Does a benchmark do what it says? For every number of maps that is special, with one producer and
# with two, maps named directly and through a map of maps:
# - important hits : hits is exactly 1 : n sequentially and in the control, and interleaved
#   1 + ceil(n/3) : n + ceil(n/3), since map 0 is read once more after each third map
# - the same when the programs are attached, not test-run
# - hits are batches times operations a batch, in every interval; nothing is dropped or lost
# - what was attempted is what was sampled and what was lost
#
#	sudo BENCH=./bench bats tests/kernel/counts.bats

load helpers

setup() {
	need_bpf
}

# The ends of the range, powers of two and their neighbours, the kernel's 16 cache slots, the most
# maps that a program can name (60), and all remainders by 3. An emulated machine takes seconds for
# each: fewer of them there, and of those other ones for each number of producers.
every_size="1 2 3 10 16 17 24 32 59 60"
direct_sizes() {
	if ! emulated; then
		echo "$every_size"
	elif [ "$1" -eq 1 ]; then
		echo 1 16 17 60
	else
		echo 3 59 60
	fi
}
map_in_map_sizes() {
	if ! emulated; then
		echo "$every_size 61 100 1000"
	elif [ "$1" -eq 1 ]; then
		echo 2 61 100
	else
		echo 1 60
	fi
}

# fractions NAME LOOKUP PRODUCERS TRIGGER SIZE...: the exact fraction for each size, to be checked
# later. Without a --trigger, a test run is what fires wherever there are any.
fractions() {
	local name=$1 lookup=$2 producers=$3 trigger=$4 json n again important hits
	shift 4

	for n in "$@"; do
		json=$BATS_TEST_TMPDIR/json.$lookup.$n
		measured_shortly "$json" "$name" --nr_maps "$n" --lookup "$lookup" -p "$producers" \
			--trigger "$trigger"
		again=0
		[ "$name" != "$INT" ] || again=$(((n + 2) / 3))
		important=$((1 + again)) hits=$((n + again))
		fraction "$json" "$important" "$hits" \
			"as asked for" ".options.producers == $producers and
			.parameters.nr_maps == $n and .notes.lookup == \"$lookup\"" \
			"both variants" '[.intervals[].variant] | contains(["raw", "overhead"])'
	done
}

# shellcheck disable=SC2046 # sizes are words
for_sizes() {
	later
	fractions "$1" direct "$2" auto $(direct_sizes "$2")
	fractions "$1" map_in_map "$2" auto $(map_in_map_sizes "$2")
	now
}

attached() {
	need_trigger "$2"
	later
	fractions "$1" direct 2 "$2" 1 17 60
	fractions "$1" map_in_map 2 "$2" 100
	now
}

@test "sequential get: the exact fraction at every size" {
	for_sizes "$SEQ" 1
}

@test "sequential get: the exact fraction at every size, two producers" {
	for_sizes "$SEQ" 2
}

@test "interleaved get: the exact fraction at every size" {
	for_sizes "$INT" 1
}

@test "interleaved get: the exact fraction at every size, two producers" {
	for_sizes "$INT" 2
}

@test "control: the exact fraction at every size" {
	for_sizes "$CONTROL" 1
}

@test "control: the exact fraction at every size, two producers" {
	for_sizes "$CONTROL" 2
}

@test "sequential get by fentry: the exact fraction" {
	attached "$SEQ" fentry
}

@test "interleaved get by fentry: the exact fraction" {
	attached "$INT" fentry
}

@test "control by fentry: the exact fraction" {
	attached "$CONTROL" fentry
}

@test "interleaved get by raw tracepoint: the exact fraction" {
	attached "$INT" raw_tp
}

# The order that the README gives.
@test "--trigger auto takes a test run before fentry, and fentry before a raw tracepoint" {
	local json=$BATS_TEST_TMPDIR/json kind
	for kind in test_run fentry raw_tp; do
		run "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 1 --trigger "$kind"
		[ "$status" -ne 0 ] || break
	done
	[ "$status" -eq 0 ] || skip "no trigger works"
	measured_shortly "$json" "$SEQ" --nr_maps 1
	holds "$json" "fired by $kind" ".trigger == \"$kind\"" \
		"asked for none" '.options.trigger == "auto"'
	measured_shortly "$json" "$SEQ" --nr_maps 1 --trigger auto
	holds "$json" "fired by $kind" ".trigger == \"$kind\""
}

@test "the fractions of the published result" {
	local json=$BATS_TEST_TMPDIR/json row
	later
	for row in "10 5 14" "16 7 22" "17 7 23" "24 9 32" "32 12 43" "100 35 134" "1000 335 1334"; do
		# shellcheck disable=SC2086 # a row is three words
		set -- $row
		measured_shortly "$json.$1" "$INT" --nr_maps "$1"
		fraction "$json.$1" "$2" "$3"
	done
	now
}

@test "control: the counts are exact for keys that are only some of the entries" {
	local json=$BATS_TEST_TMPDIR/json
	measured_shortly "$json" "$CONTROL" --nr_maps 7 --hashmap_max_entries 5000 \
		--hashmap_nr_keys_used 1
	counts_add_up "$json"
	measured_shortly "$json" "$CONTROL" --nr_maps 1 --hashmap_max_entries 200000 \
		--hashmap_nr_keys_used 200000
	counts_add_up "$json"
}

@test "a whole run of two producers: every interval, warm-up included, adds up" {
	local json=$BATS_TEST_TMPDIR/json
	run --separate-stderr "$BENCH" -w 1 -d 1 -q -p 2 "$INT" --nr_maps 17 --json "$json"
	[ "$status" -eq 0 ] || fail "no result"
	fraction "$json" 7 23 \
		"three intervals of each variant, in turn, the first one warm-up" \
		'[.intervals[] | [.variant, .warmup]] == [["raw", true], ["overhead", true],
		["raw", false], ["overhead", false], ["raw", false], ["overhead", false]]' \
		"an interval of the raw program is a second, of the overhead a tenth" \
		'.intervals | all((.duration_ns / (if .variant == "raw" then 1e9 else 1e8 end)) |
		. >= 1 and . < 10)' \
		"rates are counts by the length of the interval" \
		'.intervals | all((.rate_per_sec.hits * (.duration_ns - .looked_ns) / 1e9 / .counts.hits) |
		. > 0.5 and . < 2)' \
		"time inside batches is no more than producers x the length of the interval" \
		'.intervals | all(.counts.timed_ns <= 2 * .duration_ns)' \
		"the mean of the rates is over the intervals that count" \
		'([.intervals[] | select(.variant == "raw" and (.warmup | not)) |
		.rate_per_sec.hits] | add / length) / .rate_per_sec.raw.hits.mean |
		. > 0.999999 and . < 1.000001'
}

@test "with every trigger: exact counts from two producers that share a CPU" {
	local json=$BATS_TEST_TMPDIR/json cpu kind
	cpu=$(awk '$1 == "Cpus_allowed_list:" { split($2, cpus, /[-,]/); print cpus[1] }' /proc/self/status)
	for kind in test_run raw_tp fentry; do
		run --separate-stderr "$BENCH" "$INT" --nr_maps 10 -p 2 -w 0 -d 0 -q \
			--prod-affinity "$cpu" --trigger "$kind" --json "$json"
		[ "$status" -ne 4 ] || continue
		[ "$status" -eq 0 ] || fail "--trigger $kind"
		fraction "$json" 5 14 "fired by $kind" ".trigger == \"$kind\""
	done
}

@test "in a PID namespace of its own, an attached program still knows its producers" {
	local json=$BATS_TEST_TMPDIR/json
	need_command unshare
	need_trigger raw_tp
	unshare -f -p true || skip "no PID namespaces"
	run --separate-stderr unshare -f -p "$BENCH" "$SEQ" --nr_maps 4 -w 0 -d 0 -q --trigger raw_tp \
		--json "$json"
	[ "$status" -eq 0 ] || fail "no result"
	counts_add_up "$json"
}

@test "user space benchmarks add up too" {
	local json=$BATS_TEST_TMPDIR/json
	for name in count-global count-local; do
		measured_shortly "$json" "$name" -p 2
		counts_add_up "$json"
	done
}
