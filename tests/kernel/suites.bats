#!/usr/bin/env bats
# shellcheck disable=SC2016 # what is in single quotes is jq's
# SPDX-License-Identifier: GPL-2.0
#
# Suites: rounds, their order, when they end, and what becomes of cases that cannot run.
#
#	sudo BENCH=./bench bats tests/kernel/suites.bats

load helpers

setup() {
	need_bpf
	suite=$BATS_TEST_TMPDIR/suite json=$BATS_TEST_TMPDIR/json
}

teardown() {
	[ -z "${bench_pid:-}" ] || kill -KILL "$bench_pid"
}

# result FILTER: is this true of the whole document?
result() {
	jq -e "$1" "$json" >/dev/null || fail "does not hold: $1"
}

# rows ROW...: the suite.
rows() {
	printf '%s\n' "$@" >"$suite"
}

# suite_run OPTION...: as short as can be; status, output and stderr are set.
suite_run() {
	run --separate-stderr "$BENCH" --suite "$suite" --round-ms 100 --json "$json" "$@"
}

@test "every case runs once in every round, in an order that the seed says" {
	local order
	rows "count-{local,global}" "$SEQ --nr_maps {1,16}"
	suite_run --rounds 3 --seed 7
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || fail "not run"
	result '.results | length == 12 and all(.status == "ok" and (.intervals | length) == 2)'
	result '[.results[].round] == [0,0,0,0,1,1,1,1,2,2,2,2]'
	result '[.results | group_by(.round)[] | map([.benchmark, .parameters]) | unique | length] == [4,4,4]'
	result '.suite | .seed == 7 and .rounds == 3 and (.cases | length == 4 and
		all(.stopped == "rounds" and .rounds == 3 and .net_lo == null))'
	order='[.results[] | [.benchmark, .parameters]]'
	jq -c "$order" "$json" >"$json.first"
	suite_run --rounds 3 --seed 7
	[ "$(jq -c "$order" "$json")" = "$(<"$json.first")" ] || fail "another order"
	suite_run --rounds 3 --seed 8
	[ "$(jq -c "$order" "$json")" != "$(<"$json.first")" ] || fail "the same order"
	result '[.results | group_by(.round)[] | map([.benchmark, .parameters.nr_maps])] | unique | length > 1'
}

# Slices are 10 ms at least, so 20 ms have two of them, and a round at most eight.
@test "a round is as long as its set-up, and longer on a shared core, up to four times what was asked for" {
	rows "$CONTROL --nr_maps 40 --hashmap_max_entries 16384 --hashmap_nr_keys_used 16384" "$SEQ --nr_maps 4 -p 2"
	suite_run --rounds 3 --round-ms 20
	[ "$status" -eq 0 ] || fail "not run"
	result '.results | all((.intervals | length) == 2 and .cost_ns.raw.blocks <= 8 * .options.producers)'
	result '.results | all(.intervals[0].duration_ns > 0.9 * ([.setup_ns, 80e6] | min))'
	result '[.results[] | select(.parameters.nr_maps == 40)] | all(.setup_ns > 40e6)'
	# Nobody looks whether several producers share their core with others.
	result '[.results[] | select(.options.producers == 2 and .setup_ns < 30e6)] | all(.cost_ns.raw.blocks <= 6)'
}

@test "the median over the rounds, and its interval" {
	rows "$SEQ --nr_maps 4"
	suite_run --rounds 9
	[ "$status" -eq 0 ] || fail "not run"
	# Rounds on a core alone, if there are six: the first and the sixth are 95% apart, of nine the second
	# and the eighth. All at one clock rate, where it is known.
	result '.suite.ghz as $ghz | .suite.cases[0].at_ghz as $scaled |
		(.results | map(select(.disturbance.core.alone_only))) as $alone |
		(if $alone | length >= 6 then $alone else .results end) as $counting |
		([$counting[] | if $scaled then .cycles.net.median / $ghz else .cost_ns.net.median end] |
			sort) as $net | ($net | length) as $n |
		(if $n < 9 then 0 else 1 end) as $k | .suite.cases[0] |
		def near(value): (. - value | fabs) < 1e-9;
		.rounds == 9 and .rounds_counting == $n and
		(.net_lo | near($net[$k])) and (.net_hi | near($net[$n - 1 - $k])) and
		(.net | near(($net[($n - 1) / 2 | floor] + $net[$n / 2 | floor]) / 2))'
	result '([.results[] | select(.disturbance.core | . and (.alone_only | not))] | length) as $shared |
		.suite.cases[0].rounds_on_shared_core == $shared'
	[[ $output =~ "$SEQ nr_maps=4 ".*\ (9|[678])\ \ rounds ]] || fail "no line for it"
}

@test "a case ends when it is precise, and when its time is up" {
	rows "$SEQ --nr_maps 4"
	suite_run --precision 100%
	[ "$status" -eq 0 ] || fail "not run"
	result '.suite.cases[0] | .stopped == "precise" and .rounds_counting == 10'
	suite_run --precision 0.000001% --max-time 1
	result '.suite.cases[0] | .stopped == "max-time"'
	# Whatever ends it, the last column says whether it is as precise as was asked for. Two producers, since
	# with them rounds on a shared core are not told from others.
	rows "$SEQ --nr_maps 4 -p 2"
	suite_run --rounds 7 --precision 100%
	result '.suite.cases[0] | .stopped == "precise" and .rounds == 7'
	suite_run --rounds 5 --precision 100%
	result '.suite.cases[0] | .stopped == "rounds" and .rounds == 5'
}

@test "a case that cannot run is a skip, and does not end the others" {
	rows "htab-batch-dump --max_entries 67108864 --value_size 4096" count-local
	suite_run --rounds 2
	[ "$status" -eq 0 ] || fail "failed for a skip"
	result '.suite.cases | .[0].stopped == "skipped" and .[0].rounds == 0 and
		(.[0].reason | length > 0) and .[1].stopped == "rounds" and .[1].rounds == 2'
	result '[.results[] | select(.status == "skipped")] | length == 1'
	rows "htab-batch-dump --max_entries 67108864 --value_size 4096"
	suite_run --rounds 2
	[ "$status" -eq 4 ] || fail "not the status of what cannot run"
	[[ $stderr == "bench: no case can be run here, the first htab-batch-dump "* ]] || fail "no reason"
}

@test "a case that fails is told in the end, and does not end the others" {
	need_bpf runqslower
	rows "runqslower -- false" count-local
	suite_run --rounds 2
	[ "$status" -eq 1 ] || fail "not the status of a failure"
	[ "$stderr" = "bench: 1 of 2 cases failed, the first runqslower: the command ended with status 1" ] ||
		fail "no reason"
	result '.suite.cases | .[0].stopped == "failed" and .[1].stopped == "rounds" and .[1].rounds == 2'
}

@test "a bad row is told with its line, before anything runs" {
	rows "# one" count-local "$SEQ --nr_maps 0"
	suite_run
	[ "$status" -eq 2 ] || fail "not the status of a wrong command line"
	[ "$stderr" = "bench: $suite:3: --nr_maps: '0' is not in the range 1 to 1000" ] || fail "no place"
	[ -z "$output" ] && [ ! -e "$json" ] || fail "something ran"
}

@test "a signal ends it early, with what there is" {
	rows "$SEQ --nr_maps {1,4}"
	start --suite "$suite" --round-ms 100 --rounds 10000 --json "$json"
	sleep 2
	kill -INT "$bench_pid"
	reaped
	[ "$status" -eq 130 ] || fail "not the status of SIGINT"
	[[ $output == *"$SEQ nr_maps=1 "*interrupted* ]] || fail "no table"
	result '.suite.cases | all(.stopped == "interrupted" and .rounds >= 1)'
}

@test "suites/default has every benchmark" {
	! emulated || skip "minutes on an emulated processor"
	suite=$BATS_TEST_DIRNAME/../../suites/default
	suite_run --rounds 1
	[ "$status" -eq 0 ] || fail "not run"
	"$BENCH" -l | sed -n 's/^- //p' >"$json.names"
	jq -r '.suite.cases[].benchmark' "$json" | sort -u | diff "$json.names" - || fail "not all"
}

@test "ab: two cases that differ are told apart, the same twice is not" {
	run --separate-stderr "$BENCH" ab --rounds 8 --round-ms 100 --json "$json" \
		-- "$SEQ" --nr_maps 1 -- "$SEQ" --nr_maps 100
	[ "$status" -eq 1 ] || fail "not the status of worse"
	[[ ${lines[-1]} == "second / first "*": the second costs more" ]] || fail "no verdict"
	result '.results | length == 16 and ([.[].round] | unique == [0,1,2,3,4,5,6,7])'
	result '[.results | group_by(.round)[] | map(.parameters.nr_maps) | sort] | all(. == [1,100])'
	run --separate-stderr "$BENCH" ab --rounds 8 --round-ms 100 \
		-- "$SEQ" --nr_maps 100 -- "$SEQ" --nr_maps 1
	[ "$status" -eq 0 ] || fail "not the status of better"
	[[ ${lines[-1]} == "second / first "*": the second costs less" ]] || fail "no verdict"
	run --separate-stderr "$BENCH" ab --rounds 8 --round-ms 100 --threshold 100% \
		-- "$SEQ" --nr_maps 4 -- "$SEQ" --nr_maps 4
	[ "$status" -eq 0 ] || fail "not the status of the same"
	[[ ${lines[-1]} == "second / first "*": the same"* ]] || fail "no verdict"
}

@test "ab: too few rounds, and a case that cannot run" {
	run --separate-stderr "$BENCH" ab --rounds 2 --round-ms 100 -- count-local -- count-global
	[ "$status" -eq 4 ] || fail "not the status of what cannot be said"
	[[ ${lines[-1]} == *"cannot be said, "* ]] || fail "no reason"
	run --separate-stderr "$BENCH" ab --rounds 2 -- count-local \
		-- htab-batch-dump --max_entries 67108864 --value_size 4096
	[ "$status" -eq 4 ] && [ -z "$output" ] || fail "not the status of what cannot run"
	[[ $stderr == "bench: htab-batch-dump max_entries=67108864 value_size=4096: "* ]] || fail "no reason"
}
