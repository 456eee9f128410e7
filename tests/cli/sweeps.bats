#!/usr/bin/env bats
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
