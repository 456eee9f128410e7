#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031 # each test is a subshell, as bats makes them
# SPDX-License-Identifier: GPL-2.0
#
# However a run ends, no program, map, link or BTF of it stays in the kernel, the exit status says how
# it ended, and what was measured until then is reported:
# - by itself; by SIGINT, SIGTERM, SIGHUP at any moment (130, 143, 129); by SIGKILL
# - standard output closed early or full, JSON to a full disk (1)
# - a trigger that the kernel refuses (4), an error of usage (2)
#
#	sudo BENCH=./bench bats tests/kernel/endings.bats

load helpers

setup() {
	need_bpf
	remember_objects
	json=$BATS_TEST_TMPDIR/json
}

teardown() {
	[ -z "${bench_pid:-}" ] || kill -KILL "$bench_pid"
	[ -z "${full_disk:-}" ] || umount "$full_disk"
}

number_of() {
	case $1 in
	HUP) echo 1 ;;
	INT) echo 2 ;;
	KILL) echo 9 ;;
	TERM) echo 15 ;;
	esac
}

# one_error TEXT: one line on stderr, with this text.
one_error() {
	[[ $stderr == "bench: "*"$1"* ]] || fail "expected on stderr: $1"
	[[ $stderr != *$'\n'* ]] || fail "more than one line on stderr"
}

# The signals that end a run: a hang-up does not where it is ignored, as under nohup.
signals() {
	printf '%s\n' INT TERM
	(($(awk '$1 == "SigIgn:" { print "0x" $2 }' /proc/self/status) & 1)) || echo HUP
}

@test "by itself" {
	run --separate-stderr "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 100
	[ "$status" -eq 0 ] || fail "not successful"
	nothing_left
}

@test "by a signal mid-run: what was measured until then, and 128 + its number" {
	for signal in $(signals); do
		start -w 0 "$SEQ" --nr_maps 20 --json "$json"
		printed "' started." || fail "never started"
		sleep 0.25
		kill -s "$signal" "$bench_pid"
		reaped
		[ "$status" -eq $((128 + $(number_of "$signal"))) ] || fail "not the status of $signal"
		[ -z "$stderr" ] || fail "something on stderr"
		[[ ${output##*$'\n'} == "Summary: hits throughput "*" M ops/s" ]] ||
			fail "the last line is not the Summary"
		[[ $output == *"warning: ended early by a signal"* ]] || fail "not said"
		fraction "$json" 1 20 "marked in JSON" '.status == "interrupted" and .reason == null'
		nothing_left
	done
}

@test "by a signal while warming up: there is no result, and it says so" {
	start -w 5 "$SEQ" --nr_maps 20 --json "$json"
	printed "' started." || fail "never started"
	sleep 0.15
	kill -INT "$bench_pid"
	reaped
	[ "$status" -eq 130 ] || fail "not the status of SIGINT"
	one_error "before the first sample"
	[ "$(jq -r '.results[0] | .status, .cost_ns' "$json")" = $'interrupted\nnull' ] || fail "not interrupted in the JSON"
	[[ $output != *Summary* ]] || fail "a Summary of nothing"
	nothing_left
}

# After each of these the status is the signal's, and either there is a Summary as the last line or
# one line on stderr says that there is none. A signal that comes before bench has made its
# arrangements ends it like any program: then there is nothing at all.
@test "by a signal at any moment of set-up" {
	local try signal
	for ((try = 0; try < 21; try++)); do
		case $((try % 3)) in
		0) signal=INT ;;
		1) signal=TERM ;;
		2) signal=$(signals | tail -n 1) ;;
		esac
		start -w 0 "$INT" --nr_maps 60 -p 2
		sleep "$(printf '0.%03d' $((try * 10 + RANDOM % 10)))"
		kill -s "$signal" "$bench_pid"
		reaped
		[ "$status" -eq $((128 + $(number_of "$signal"))) ] ||
			fail "not the status of $signal after about $((try * 10)) ms"
		if [[ $output == *Summary* ]]; then
			[[ ${output##*$'\n'} == "Summary: "* ]] || fail "Summary not at the end"
			[ -z "$stderr" ] || fail "something on stderr"
		elif [ -n "$output" ]; then
			one_error "before the first sample"
		fi
	done
	nothing_left
}

@test "by a signal while much is being filled in: at once" {
	local begin
	[ "$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)" -gt 2048 ] ||
		skip "less than 2 GiB of memory"
	start "$CONTROL" --nr_maps 1000 --hashmap_max_entries 16384 --hashmap_nr_keys_used 16384
	sleep 0.5
	begin=$SECONDS
	kill -TERM "$bench_pid"
	reaped
	[ "$status" -eq 143 ] || fail "not the status of SIGTERM"
	one_error "before the first sample"
	within 2 "$begin"
	nothing_left
}

@test "by SIGKILL: the kernel cleans up" {
	for delay in 0.03 0.1 0.3; do
		start -w 0 "$SEQ" --nr_maps 60 --trigger auto
		sleep "$delay"
		kill -KILL "$bench_pid"
		reaped
		[ "$status" -eq 137 ] || fail "not killed"
	done
	nothing_left
}

@test "by SIGTERM while attached" {
	need_trigger raw_tp
	start -w 0 "$SEQ" --nr_maps 20 --trigger raw_tp -p 2
	printed "' started." || fail "never started"
	sleep 0.1
	kill -TERM "$bench_pid"
	reaped
	[ "$status" -eq 143 ] || fail "not the status of SIGTERM"
	nothing_left
	start -w 0 "$SEQ" --nr_maps 20 --trigger raw_tp -p 2
	printed "' started." || fail "never started"
	kill -KILL "$bench_pid"
	reaped
	nothing_left
}

@test "a hang-up that the caller has ignored, as nohup does, ends nothing" {
	trap '' HUP
	start -q -w 0 -d 0 "$SEQ" --nr_maps 1
	sleep 0.6
	kill -HUP "$bench_pid"
	reaped
	trap - HUP
	[ "$status" -eq 0 ] || fail "ended by SIGHUP"
}

@test "the reader of standard output goes away" {
	local first
	first=$("$BENCH" -w 0 -d 1 "$SEQ" --nr_maps 4 2>"$BATS_TEST_TMPDIR/err" |
		{ head -n 1; }
		echo "${PIPESTATUS[0]}")
	stderr=$(<"$BATS_TEST_TMPDIR/err")
	[ "${first##*$'\n'}" = 1 ] || fail "not the status of a failed run: $first"
	one_error "cannot write the results"
	nothing_left
}

@test "standard output is closed" {
	for quiet in "" -q; do
		status=0
		# shellcheck disable=SC2086 # no word, or one
		stderr=$("$BENCH" $quiet -w 0 -d 0 "$SEQ" --nr_maps 4 2>&1 >&-) || status=$?
		[ "$status" -eq 1 ] || fail "not the status of a failed run"
		one_error "cannot write the results"
	done
	nothing_left
}

@test "standard output is closed, and JSON goes to a file: no text in the file" {
	status=0
	stderr=$("$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 --json "$json" 2>&1 >&-) || status=$?
	[ "$status" -eq 1 ] || fail "not the status of a failed run"
	fraction "$json" 1 4
	nothing_left
}

@test "all standard streams are closed" {
	status=0
	"$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 --json "$json" <&- >&- 2>&- || status=$?
	[ "$status" -eq 1 ] || fail "not the status of a failed run"
	fraction "$json" 1 4
	nothing_left
}

@test "standard output is full" {
	for quiet in "" -q; do
		status=0
		# shellcheck disable=SC2086 # no word, or one
		stderr=$("$BENCH" $quiet -w 0 -d 0 "$SEQ" --nr_maps 4 2>&1 >/dev/full) || status=$?
		[ "$status" -eq 1 ] || fail "not the status of a failed run"
		one_error "No space left on device"
	done
	nothing_left
}

@test "JSON to a full device" {
	run --separate-stderr "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 --json /dev/full
	[ "$status" -eq 1 ] || fail "not the status of a failed run"
	one_error "cannot write to /dev/full: No space left on device"
	[[ ${lines[-1]} == "Summary: "* ]] || fail "the text is lost as well"
	[ -c /dev/full ] || fail "the device is gone"
	run --separate-stderr eval '"$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 --json - >/dev/full'
	[ "$status" -eq 1 ] || fail "not the status of a failed run"
	[[ $stderr == *"cannot write to standard output: No space left on device" ]] ||
		fail "no word on the JSON"
	nothing_left
}

@test "JSON to a full disk: told, and nothing half-written is left there" {
	need_command mount umount
	# Not where bats puts what is printed.
	full_disk=$BATS_TEST_TMPDIR/disk
	mkdir "$full_disk"
	mount -t tmpfs -o size=8k none "$full_disk" || { full_disk='' && skip "cannot mount"; }
	run --separate-stderr "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 --json "$full_disk/json"
	[ "$status" -eq 1 ] || fail "not the status of a failed run"
	one_error "cannot write to $full_disk/json: No space left on device"
	[ ! -e "$full_disk/json" ] || fail "half a file is left"
	# What was there is kept.
	echo old >"$full_disk/json"
	run --separate-stderr "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 --json "$full_disk/json"
	[ "$status" -eq 1 ] || fail "not the status of a failed run"
	one_error "cannot write to $full_disk/json: No space left on device"
	[ "$(<"$full_disk/json")" = old ] || fail "the old one is lost"
	nothing_left
}

@test "JSON to a path that cannot be written: told before anything is set up" {
	for path in /no/such/directory/json "$BATS_TEST_TMPDIR"; do
		run --separate-stderr "$BENCH" "$SEQ" --nr_maps 4 --json "$path"
		[ "$status" -eq 1 ] || fail "not the status of a failed run"
		[ -z "$output" ] || fail "told too late"
		one_error "cannot write to $path: "
	done
	nothing_left
}

@test "a trigger that the kernel refuses" {
	local kind refused=
	for kind in test_run fentry raw_tp; do
		run --separate-stderr "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 4 --trigger "$kind" \
			--json "$json"
		[ "$status" -ne 0 ] || continue
		refused=$kind
		[ "$status" -eq 4 ] || fail "not the status of what cannot run"
		one_error "--trigger $kind: this kernel refuses it"
		[[ $output != *Summary* ]] || fail "a Summary of nothing"
		[ "bench: $(jq -r '.results[0] | select(.status == "skipped").reason' "$json")" = \
			"$stderr" ] || fail "JSON does not give the reason"
	done
	nothing_left
	[ -n "$refused" ] || skip "this kernel refuses none"
}

@test "an error of usage" {
	run --separate-stderr "$BENCH" "$SEQ" --nr_maps 1001 --json "$json"
	[ "$status" -eq 2 ] || fail "not the status of a usage error"
	[ ! -e "$json" ] || fail "made the file"
	nothing_left
}
