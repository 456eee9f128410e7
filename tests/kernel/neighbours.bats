#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# Others on the machine change nothing in the counts:
# - two instances of bench at once do not count each other, however they fire their programs
# - a neighbour that calls getpgid(2) without pause, with our own cookies as its argument, is not
#   counted by programs attached to that system call
#
#	sudo BENCH=./bench bats tests/kernel/neighbours.bats
#
# The neighbour is tests/kernel/getpgid_storm.c, compiled here unless $STORM is it.

load helpers

setup() {
	need_bpf
}

teardown() {
	[ -z "${storm_pid:-}" ] || { kill -KILL "$storm_pid" && wait "$storm_pid" 2>/dev/null; } || :
}

two_at_once() {
	local dir=$BATS_TEST_TMPDIR first second long=1
	# Loading the second may take longer than that there.
	! emulated || long=4
	"$BENCH" "$SEQ" --nr_maps 8 -w 0 -d "$long" "$@" --json "$dir/first" >"$dir/first.out" 2>&1 3>&- &
	first=$!
	"$BENCH" "$INT" --nr_maps 8 -w 0 -d "$long" "$@" --json "$dir/second" >"$dir/second.out" 2>&1 3>&- &
	second=$!
	wait "$first" || fail "the first: $(<"$dir/first.out")"
	wait "$second" || fail "the second: $(<"$dir/second.out")"
	fraction "$dir/first" 1 8
	fraction "$dir/second" 4 11
	[ "$(jq -s '(map(.results[0].started_unix_ns) | max) <
		(map(.results[0] | .started_unix_ns + '"$long"' * 1e9) | min)' "$dir/first" "$dir/second")" = true ] ||
		fail "they did not run at the same time"
}

start_storm() {
	local storm=${STORM:-$BATS_TEST_TMPDIR/getpgid_storm}
	if [ -z "${STORM:-}" ]; then
		need_command cc
		cc -O2 -o "$storm" "$BATS_TEST_DIRNAME/getpgid_storm.c"
	fi
	"$storm" 3>&- &
	storm_pid=$!
}

# beside_storm KIND: two producers, so that their slots and the storm's are the same.
beside_storm() {
	local json=$BATS_TEST_TMPDIR/json
	need_trigger "$1"
	start_storm
	run --separate-stderr "$BENCH" "$SEQ" --nr_maps 8 -p 2 -w 0 -d 1 -q --trigger "$1" --json "$json"
	[ "$status" -eq 0 ] || fail "no result"
	kill -0 "$storm_pid" || fail "the neighbour has ended"
	fraction "$json" 1 8 "fired by $1" ".trigger == \"$1\""
}

@test "two instances at once, test runs" {
	two_at_once --trigger test_run
}

@test "two instances at once, two producers each, raw tracepoint" {
	need_trigger raw_tp
	two_at_once --trigger raw_tp -p 2
}

@test "two instances at once, two producers each, fentry" {
	need_trigger fentry
	two_at_once --trigger fentry -p 2
}

@test "a neighbour calls getpgid with our arguments without pause, raw tracepoint" {
	beside_storm raw_tp
}

@test "a neighbour calls getpgid with our arguments without pause, fentry" {
	beside_storm fentry
}
