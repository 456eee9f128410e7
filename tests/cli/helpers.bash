# shellcheck shell=bash disable=SC2154 # run sets status, output and stderr
# SPDX-License-Identifier: GPL-2.0
# What the tests of command lines share.

bats_require_minimum_version 1.5.0

BENCH=${BENCH:-./bench}

need_bench() {
	[ -x "$BENCH" ] || skip "no $BENCH: build it first"
}

# wrong TEXT: say what came instead.
wrong() {
	echo "$1"
	echo "status: $status"
	echo "stdout: $output"
	echo "stderr: ${stderr:-}"
	return 1
}

# usage_error TEXT ARGUMENT...: exit status 2, nothing on stdout, the one line "bench: TEXT".
usage_error() {
	local text=$1
	shift
	run --separate-stderr "$BENCH" "$@"
	[ "$status" -eq 2 ] || wrong "not the exit status of a usage error"
	[ -z "$output" ] || wrong "something on stdout"
	[ "$stderr" = "bench: $text" ] || wrong "not: bench: $text"
}
