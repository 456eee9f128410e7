#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031 # what is in single quotes is sh; each test is a subshell
# SPDX-License-Identifier: GPL-2.0
#
# The sweep scripts' own command lines, without measuring anything.

bats_require_minimum_version 1.5.0

export BENCH=${BENCH:-./bench}
sweep=./run_bench_local_storage.sh

# refused TEXT OPTION...: exit status 2, the text on stderr, nothing on stdout.
refused() {
	local text=$1
	shift
	run --separate-stderr "$sweep" "$@"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"$text"* ]]
}

@test 'every sweep explains itself' {
	local script

	for script in run_bench_*.sh benchs/run_bench_*.sh; do
		run --separate-stderr "./$script" --help
		[ "$status" -eq 0 ]
		[[ $output == *"${script##*/} [-d SEC]"* ]]
	done
}

@test 'options that are not for a sweep are refused' {
	refused 'a single run' --json out.json
	refused 'a single run' -l
	refused 'a single run' --version
}

# Letters in one word, and the beginnings of words.
@test 'nor does another way to write them get through' {
	local script json=$BATS_TEST_TMPDIR/json

	for script in run_bench_*.sh benchs/run_bench_*.sh; do
		sweep=./$script
		refused '--version: a sweep' -qV
		refused '--list: a sweep' -ql
		refused '--list: a sweep' --li
		refused '--json: a sweep' -d 1 "--js=$json"
		refused '--json: a sweep' --js "$json"
		[ ! -e "$json" ]
		run --separate-stderr "$sweep" -qh
		[ "$status" -eq 0 ]
		[[ $output == *"${script##*/} [-d SEC]"* ]]
	done
}

@test 'what a sweep sets itself is refused' {
	sweep=./run_bench_local_storage.sh
	refused '--nr_maps: the sweep sets it' --nr_maps 5
	sweep=./benchs/run_bench_bpf_loop.sh
	refused '--nr_loops: the sweep sets it' -q --nr_loops=5
	sweep=./benchs/run_bench_htab_batch.sh
	refused '--method: the sweep sets it' --me next_key
	refused '--max_entries: the sweep sets it' --max_e 10
	refused '--nr_entries: the sweep sets it' --nr_entries 10
}

# bench_that_prints LINE...: in its place, whatever is asked of it.
bench_that_prints() {
	printf '#!/bin/sh\n[ "$1" = --given ] || printf "%%s\\n"' >"$BATS_TEST_TMPDIR/bench"
	printf ' "%s"' "$@" >>"$BATS_TEST_TMPDIR/bench"
	chmod +x "$BATS_TEST_TMPDIR/bench"
}

@test 'a case without figures ends a sweep with an error' {
	local script left_out figure figures=('raw 3 ns/op' 'overhead 1 ns/op' 'net 2 ns/op'
		'cpu 3 ns/op' 'Summary: throughput 1') printed

	bench_that_prints 'handle__sched_wakeup 1 2 3 4 5'
	BENCH=$BATS_TEST_TMPDIR/bench run --separate-stderr benchs/run_bench_runqslower.sh
	[ "$status" -eq 1 ]
	[[ $stderr == *': no figures came from: '* && $stderr != *$'\n'* ]]
	for script in run_bench_local_storage.sh benchs/run_bench_{bpf_loop,htab_batch}.sh; do
		for left_out in raw overhead net cpu Summary; do
			[[ $left_out != cpu || $script == *htab* ]] || continue
			printed=()
			for figure in "${figures[@]}"; do
				[[ $figure == "$left_out"* ]] || printed+=("$figure")
			done
			bench_that_prints "${printed[@]}"
			BENCH=$BATS_TEST_TMPDIR/bench run --separate-stderr "./$script"
			[ "$status" -eq 1 ]
			[[ $stderr == *': no figures came from: '* && $stderr != *$'\n'* ]]
		done
		bench_that_prints "${figures[@]}"
		BENCH=$BATS_TEST_TMPDIR/bench run --separate-stderr "./$script"
		[ "$status" -eq 0 ]
	done
}

@test 'what bench refuses ends a sweep with its status' {
	refused "-d: 'abc'" -d abc
	refused "unknown option" --no-such-option
}

@test 'without root a sweep says what it needs, status 4' {
	local user=()

	# Copied, for the folder may be closed to others.
	mkdir "$BATS_TEST_TMPDIR/benchs"
	cp "$BENCH" "$BATS_TEST_TMPDIR/bench"
	cp "$sweep" "$BATS_TEST_TMPDIR"
	cp benchs/common.sh "$BATS_TEST_TMPDIR/benchs"
	chmod -R a+rX "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"
	if [ "$(id -u)" -eq 0 ]; then
		command -v setpriv >/dev/null || skip 'no setpriv to become another user with'
		user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all)
	fi
	run --separate-stderr env BENCH="$BATS_TEST_TMPDIR/bench" "${user[@]}" "$BATS_TEST_TMPDIR/${sweep##*/}"
	[ "$status" -eq 4 ]
	[ -z "$output" ]
	[[ $stderr == *'needs root'* ]]
}
