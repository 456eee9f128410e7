#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # each test is a subshell, as bats makes them
# SPDX-License-Identifier: GPL-2.0
#
# What this user, this machine or its limits do not allow is told in one line that names the cause,
# with exit status 4 (2 for a CPU that is not there), before much is done:
# - limits on open files: raised where that is possible, else the number that is needed
# - not root; no BTF of the kernel; more memory than there is; an offline CPU
#
#	sudo BENCH=./bench bats tests/kernel/limits.bats

load helpers

setup() {
	need_bpf
}

teardown() {
	[ -z "${for_anybody:-}" ] || rm -r "$for_anybody"
	[ -z "${offline:-}" ] || echo 1 >"$offline"
}

# cannot TEXT: the last run ended with status 4, one line on stderr with this text, no result.
cannot() {
	[ "$status" -eq 4 ] || fail "not the status of what cannot run"
	[[ $stderr == "bench: "*"$1"* ]] || fail "expected on stderr: $1"
	[[ $stderr != *$'\n'* ]] || fail "more than one line on stderr"
	[[ $output != *started* && $output != *Summary* ]] || fail "it ran"
}

# with_limit LIMITS WORD...: run bench with these words after the command LIMITS, which sets them.
with_limit() {
	local limits=$1
	shift
	run --separate-stderr bash -c "$limits"' && exec "$0" "$@"' "$BENCH" "$@"
}

@test "a soft limit on open files that is too low is raised" {
	local json=$BATS_TEST_TMPDIR/json
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 2000 ] ||
		skip "the hard limit is $(ulimit -Hn)"
	with_limit "ulimit -Sn 64" -q -w 0 -d 0 "$SEQ" --nr_maps 1000 --json "$json"
	[ "$status" -eq 0 ] || fail "not raised"
	fraction "$json" 1 1000
	with_limit "ulimit -Sn 64" -q -w 0 -d 0 "$CONTROL" --nr_maps 60 --json "$json"
	[ "$status" -eq 0 ] || fail "not raised"
	fraction "$json" 1 60
}

@test "a hard limit on open files that is too low: the number that is needed" {
	with_limit "ulimit -Sn 100 && ulimit -Hn 100" -w 0 -d 0 "$SEQ" --nr_maps 1000
	cannot "open files, the hard limit is 100"
	[[ $stderr =~ "needs "([0-9]+)" open files" ]] || fail "no number"
	[ "${BASH_REMATCH[1]}" -ge 1000 ] || fail "a number below that of the maps"

	# And that number is enough.
	with_limit "ulimit -n ${BASH_REMATCH[1]}" -q -w 0 -d 0 "$SEQ" --nr_maps 1000
	[ "$status" -eq 0 ] || fail "what is said to be needed is not enough"
}

@test "the number of files said to be needed is enough at every way to look maps up" {
	for words in "--nr_maps 1 --lookup direct" "--nr_maps 60 --lookup direct" \
		"--nr_maps 60 --lookup map_in_map"; do
		for name in "$INT" "$CONTROL"; do
			# shellcheck disable=SC2086 # words are several on purpose
			with_limit "ulimit -Sn 32 && ulimit -Hn 32" "$name" $words
			[[ $stderr =~ "needs "([0-9]+)" open files" ]] || fail "no number"
			# shellcheck disable=SC2086
			with_limit "ulimit -n ${BASH_REMATCH[1]}" -q -w 0 -d 0 "$name" $words
			[ "$status" -eq 0 ] || fail "what is said to be needed is not enough"
		done
	done
}

@test "a few files are needed by every benchmark, which says so" {
	local words
	for words in bpf-loop "htab-batch-dump --writers 1"; do
		# shellcheck disable=SC2086 # words are several on purpose
		with_limit "ulimit -n 8" -q -w 0 -d 0 $words
		cannot "open files, the hard limit is 8"
	done
}

as_nobody() {
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$for_anybody/bench" "$@"
}

@test "not root: the reason, in the list too" {
	need_command setpriv
	for_anybody=$(mktemp -d)
	chmod 755 "$for_anybody"
	cp "$BENCH" "$for_anybody/bench"
	as_nobody --version
	[ "$status" -eq 0 ] || skip "nobody cannot run a program"

	for name in "$SEQ" "$INT" "$CONTROL"; do
		as_nobody "$name"
		cannot "needs root"
	done
	as_nobody -l -v
	[ "$status" -eq 0 ] || fail "no list"
	[ "$(grep -c "cannot run here: needs root" <<<"$output")" -eq "$(($(grep -c "^- " <<<"$output") - 2))" ] ||
		fail "no reasons"
	as_nobody -q -w 0 -d 0 count-local
	[ "$status" -eq 0 ] || fail "counting needs no privilege"
}

@test "no BTF of the kernel: the reason, in the list too" {
	need_command unshare mount
	local hide='mount --bind "$1" /sys/kernel/btf && shift && exec "$@"'
	unshare -m bash -c "$hide" - "$BATS_TEST_TMPDIR" true || skip "cannot hide /sys/kernel/btf"

	run --separate-stderr unshare -m bash -c "$hide" - "$BATS_TEST_TMPDIR" "$BENCH" "$SEQ"
	cannot "the kernel does not offer its BTF at /sys/kernel/btf/vmlinux"
	run --separate-stderr unshare -m bash -c "$hide" - "$BATS_TEST_TMPDIR" "$BENCH" -l -v
	[ "$status" -eq 0 ] || fail "no list"
	[ "$(grep -c "cannot run here: .*BTF" <<<"$output")" -eq "$(($(grep -c "^- " <<<"$output") - 2))" ] ||
		fail "no reasons"
}

@test "more memory than there is: refused at once, with the estimate" {
	local begin=$SECONDS
	run --separate-stderr "$BENCH" "$CONTROL" --nr_maps 1000 --hashmap_max_entries 67108864
	cannot "MiB of memory are free"
	[[ $stderr =~ "would take about "([0-9]+)" MiB" ]] || fail "no estimate"
	# An element takes 64 to 128 bytes, with its share of the buckets.
	[ "${BASH_REMATCH[1]}" -ge 4096000 ] && [ "${BASH_REMATCH[1]}" -le 8192000 ] ||
		fail "the estimate is far off"
	within 1 "$begin"
}

@test "a CPU that is not there" {
	run --separate-stderr "$BENCH" "$SEQ" --nr_maps 4 --prod-affinity 4095
	[ "$status" -eq 2 ] || fail "not the status of a usage error"
	[[ $stderr == "bench: --prod-affinity: "*"CPU 4095 is not online or not allowed here"* ]] ||
		fail "no cause"
}

@test "a CPU that is offline" {
	[ "${THROWAWAY:-}" = 1 ] || skip "takes a CPU offline: only with THROWAWAY=1"
	local cpu file=
	for cpu in 1 2 3; do
		[ ! -w "/sys/devices/system/cpu/cpu$cpu/online" ] || {
			file=/sys/devices/system/cpu/cpu$cpu/online
			break
		}
	done
	[ -n "$file" ] || skip "no CPU can be taken offline"
	echo 0 >"$file" || skip "CPU $cpu cannot be taken offline"
	offline=$file
	run --separate-stderr "$BENCH" "$SEQ" --nr_maps 4 --prod-affinity "$cpu"
	[ "$status" -eq 2 ] || fail "not the status of a usage error"
	[[ $stderr == *"CPU $cpu is not online or not allowed here"* ]] || fail "no cause"
	run --separate-stderr "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 -a -p 2
	[ "$status" -eq 0 ] || fail "-a does not make do with the CPUs that there are"
}
