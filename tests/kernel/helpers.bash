# shellcheck shell=bash disable=SC2016 # what is in single quotes is jq's
# SPDX-License-Identifier: GPL-2.0
#
# What the tests on a real kernel share. They run ./bench (or $BENCH) as root and leave nothing
# behind. Where BPF cannot be used at all each of them is skipped, with bench's own reason.
#
# Needs bash, bats, jq and a few small tools (sleep, grep, sed, awk, tail, wc, mktemp, kill, sort,
# comm), which may be busybox's. What a single test wants besides (bpftool, cc, setpriv, unshare,
# mount) it asks for with need_command. On a machine that may be tampered with, such as a throw-away
# VM, THROWAWAY=1 allows what would disturb others: taking a CPU offline.

bats_require_minimum_version 1.5.0

PATH=$PATH:/usr/sbin:/sbin
BENCH=${BENCH:-./bench}
# The benchmarks, for the tests.
export SEQ=local-storage-cache-seq-get INT=local-storage-cache-int-get
export CONTROL=local-storage-cache-hashmap-control

# fail TEXT: say why, and what there is to see.
fail() {
	echo "$*"
	echo "status: ${status:-}"
	[ -z "${output:-}" ] || echo "stdout: $output"
	[ -z "${stderr:-}" ] || echo "stderr: $stderr"
	return 1
}

need_command() {
	local command

	for command in "$@"; do
		command -v "$command" >/dev/null || skip "no $command"
	done
}

# Skips the test unless BPF can be used. The reason is what `bench -l -v` says of the first
# benchmark that cannot run.
need_bpf() {
	local reason

	[ -x "$BENCH" ] || skip "no $BENCH: build it first"
	need_command jq
	reason=$("$BENCH" -l -v | sed -n 's/^ *cannot run here: //p' | head -n 1)
	[ -z "$reason" ] || skip "$reason"
}

# need_trigger KIND: skips the test, with bench's reason, where the kernel refuses the trigger.
need_trigger() {
	run --separate-stderr "$BENCH" "$SEQ" --nr_maps 1 -w 0 -d 0 -q --trigger "$1"
	[ "$status" -ne 4 ] || skip "${stderr#bench: }"
	[ "$status" -eq 0 ] || fail "--trigger $1 neither works nor is refused"
}

# start WORD...: run bench in the background, its pid in $bench_pid, and what it prints in $out
# and $err. It gets SIGINT as from a terminal: bash has it ignored in what runs in the background
# without job control.
start() {
	out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err
	# Not only by the background process: what the run before printed would be taken for this one's.
	: >"$out"
	set -m
	"$BENCH" "$@" >"$out" 2>"$err" 3>&- &
	bench_pid=$!
	set +m
}

# reaped: wait for $bench_pid; its exit status in $status, what it printed in $output and $stderr.
reaped() {
	status=0
	wait "$bench_pid" || status=$?
	bench_pid=
	output=$(<"$out") stderr=$(<"$err")
}

# printed TEXT: wait until a line of $out has it. False if bench ends before, or after 10 seconds.
printed() {
	local turn

	for ((turn = 0; turn < 1000; turn++)); do
		! grep -qF -- "$1" "$out" || return 0
		kill -0 "$bench_pid" 2>/dev/null || break
		sleep 0.01
	done
	grep -qF -- "$1" "$out"
}

# measured_shortly JSON WORD...: a run that is ended by SIGTERM in its second slice. That is all
# it takes where counts are to be exact, and ten times as fast as a whole run.
measured_shortly() {
	local json=$1
	shift

	start -w 0 -d 5 --json "$json" "$@"
	printed "' started." || { reaped; fail "$*: never started"; }
	sleep "${SLICES_SEC:-0.13}"
	kill -TERM "$bench_pid"
	reaped
	[ "$status" -eq 143 ] || fail "$*: not the status of SIGTERM"
	[ -z "$stderr" ] || fail "$*: no result"
}

# holds JSON WHAT FILTER [WHAT FILTER]...: each jq filter says true of the (only) result. One jq for
# all of them: starting it takes most of the time.
holds() {
	local json=$1 filters='' wrong
	shift

	while [ "$#" -gt 0 ]; do
		filters+="[\"$1\", ($2)],"
		shift 2
	done
	wrong=$(jq -r ".results[0] | [${filters%,}] | .[] | select(.[1] != true) | .[0]" "$json" 2>&1) || :
	[ -n "$wrong" ] || return 0
	echo "does not hold: $wrong"
	fail "$(jq -c '.results[0] | {benchmark, parameters, options, status, reason, ops_per_pass,
		passes_per_batch, attempts, losses, notes,
		intervals: [.intervals[] | {variant, warmup, counts}]}' "$json")"
}

# All numbers that jq computes with here are integers far below 2^53, so exact.
# counts_add_up JSON [WHAT FILTER]...
counts_add_up() {
	holds "$1" \
		"hits are batches x operations a batch, in every interval" \
		'(.ops_per_pass * .passes_per_batch) as $ops | .pieces_per_batch as $pieces |
		.intervals | length > 0 and all(.counts.batches > 0 and
		.counts.hits * $pieces == .counts.batches * $ops)' \
		"nothing dropped, nothing lost" \
		'(.intervals | all(.counts.drops == 0)) and .losses == []' \
		"attempts are hits and losses" \
		'.attempts == ([.intervals[] | select(.variant == "raw" and (.warmup | not)) |
		.counts.hits] | add) + ([.losses[].count] | add // 0)' \
		"figures are made from the batches that are counted, of all or every 2nd, 4th, …" \
		'. as $r | ["raw", "overhead"] | all(. as $v | $r.cost_ns[$v].samples as $samples |
		([$r.intervals[] | select(.variant == $v and (.warmup | not)) | .counts.batches] |
		add) as $batches | $samples > 0 and $samples * $r.pieces_per_batch <= $batches)' \
		"${@:2}"
}

# fraction JSON A B [WHAT FILTER]...: the counts add up, and important hits : hits is A : B in every
# interval of both variants.
fraction() {
	counts_add_up "$1" \
		"important hits : hits = $2 : $3" \
		".intervals | all(.counts.important_hits * $3 == .counts.hits * $2)" \
		"a pass is whole" ".ops_per_pass % $3 == 0" \
		"${@:4}"
}

# Programs, maps, links and BTF of the machine that no process holds, one a line, sorted. Those
# that somebody holds are in use: others may be busy with BPF as well. BTF may be held by a map
# or a program alone.
bpf_objects() {
	local kind

	for kind in prog map link btf; do
		bpftool -j "$kind" list | jq -c ".[]? | {kind: \"$kind\", id, prog_ids, map_ids}"
	done | jq -rs --slurpfile held <(held_objects) '
		($held | map({key: ., value: true}) | from_entries) as $held |
		.[] | select($held["\(.kind) \(.id)"] or (.kind == "btf" and
			any(.prog_ids[]?; $held["prog \(.)"]) or
			any(.map_ids[]?; $held["map \(.)"])) | not) |
		"\(.kind) \(.id)"' | sort
}

held_objects() {
	# Processes come and go meanwhile.
	cat /proc/[0-9]*/fdinfo/* 2>/dev/null |
		sed -n 's/^\(prog\|map\|link\|btf\)_id:[[:space:]]*\([0-9]*\)$/"\1 \2"/p'
}

# remember_objects; nothing_left: no object that was not there before is there to stay. The
# kernel frees them some time after their last user has gone, for which it gets 3 seconds. Only
# what is there all that time counts, not what others create and free meanwhile.
remember_objects() {
	need_command bpftool
	objects_before=$(bpf_objects)
}

nothing_left() {
	local turn left

	left=$(comm -13 <(echo "$objects_before") <(bpf_objects))
	for ((turn = 0; turn < 30 && ${#left} > 0; turn++)); do
		sleep 0.1
		left=$(comm -12 <(echo "$left") <(bpf_objects))
	done
	[ -z "$left" ] || fail "left behind: $left"
}
