# shellcheck shell=bash disable=SC2016 # what is in single quotes is jq's
# SPDX-License-Identifier: GPL-2.0
#
# What the tests on a real kernel share. They run ./bench (or $BENCH) as root and leave nothing
# behind. Where BPF cannot be used at all each of them is skipped, with bench's own reason.
#
# Needs bash, bats, jq and a few small tools (sleep, grep, sed, awk, cut, head, tail, mktemp, kill,
# sort), which may be busybox's. What a single test wants besides (bpftool, cc, setpriv, unshare,
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

# cannot_run NAME: bench's reason; nothing if it can.
cannot_run() {
	"$BENCH" -l -v | awk -v name="$1" '
		/^- / { current = $2 }
		current == name && sub(/^ *cannot run here: /, "")'
}

# need_bpf [NAME]: skips the test, with bench's reason, where this benchmark cannot run: without a
# name the sequential get.
need_bpf() {
	local reason

	[ -x "$BENCH" ] || skip "no $BENCH: build it first"
	need_command jq
	reason=$(cannot_run "${1:-$SEQ}")
	[ -z "$reason" ] || skip "$reason"
}

# need_trigger KIND: skips the test, with bench's reason, where the kernel refuses the trigger.
need_trigger() {
	run --separate-stderr "$BENCH" "$SEQ" --nr_maps 1 -w 0 -d 0 -q --trigger "$1"
	[ "$status" -ne 4 ] || skip "${stderr#bench: }"
	[ "$status" -eq 0 ] || fail "--trigger $1 neither works nor is refused"
}

# Is this a machine whose processor is emulated?
emulated() {
	[[ ${BENCH_VM_QEMU:-} == *"-accel tcg"* ]]
}

# within SECONDS BEGIN: no longer since $SECONDS was BEGIN. On an emulated machine, which others may keep
# from running, it may be ten times as long.
within() {
	local took=$((SECONDS - $2)) most=$1

	! emulated || most=$((most * 10))
	[ "$took" -le "$most" ] || fail "took $took s"
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
	# A signal that comes before bench is executed is the shell's, which may lose it.
	shell=$(<"/proc/$$/comm")
	while [ "$(cat "/proc/$bench_pid/comm" 2>/dev/null)" = "$shell" ]; do :; done
}

# reaped: wait for $bench_pid; its exit status in $status, what it printed in $output and $stderr.
reaped() {
	status=0
	wait "$bench_pid" || status=$?
	bench_pid=
	output=$(<"$out") stderr=$(<"$err")
}

# printed TEXT: wait until a line of $out has it. False if bench ends before, or after 10 seconds (a
# minute on an emulated machine).
printed() {
	local pause=0.01 until=$((SECONDS + 10))

	# There, looking takes as long as what it looks for.
	! emulated || pause=0.1 until=$((SECONDS + 60))
	while [ "$SECONDS" -lt "$until" ]; do
		! grep -qF -- "$1" "$out" || return 0
		kill -0 "$bench_pid" 2>/dev/null || break
		sleep "$pause"
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
	# It may have ended by itself, which its own words explain.
	kill -TERM "$bench_pid" 2>/dev/null || :
	reaped
	[ "$status" -eq 143 ] || fail "$*: not the status of SIGTERM"
	[ -z "$stderr" ] || fail "$*: no result"
}

# holds JSON WHAT FILTER [WHAT FILTER]...: each jq filter says true of the (only) result.
#
# Starting jq takes most of the time of a check, and seconds on an emulated machine: between `later`
# and `now` checks are only noted, and then made by one jq. Each file must keep what it held.
holds() {
	local filters=''

	checked_files+=("$1")
	shift
	while [ "$#" -gt 0 ]; do
		filters+="[\"$1\", ($2)],"
		shift 2
	done
	checks+="(.[$((${#checked_files[@]} - 1))].results[0] | [${filters%,}]),"
	[ -n "${checking_later:-}" ] || make_checks
}

later() {
	checking_later=yes
}

now() {
	checking_later=
	make_checks
}

make_checks() {
	local wrong files=("${checked_files[@]}") program=$jq_definitions"[${checks%,}]"

	checked_files=() checks=
	wrong=$(jq -rs "$program"' | to_entries[] | .key as $i | .value[] | select(.[1] != true) |
		"\($i) \(.[0])"' "${files[@]}" 2>&1) || :
	[ -n "$wrong" ] || return 0
	echo "does not hold: $(cut -d ' ' -f 2- <<<"$wrong")"
	fail "$(jq -cs '.[$i | tonumber].results[0] | {benchmark, parameters, options, status, reason,
		ops_per_pass, passes_per_batch, attempts, losses, notes,
		intervals: [.intervals[] | {variant, warmup, counts}]}' \
		--arg i "${wrong%% *}" "${files[@]}")"
}

# All numbers that jq computes with here are integers far below 2^53, so exact.
jq_definitions='
def hits_are_batches:
	(.ops_per_pass * .passes_per_batch) as $ops | .pieces_per_batch as $pieces |
	.intervals | length > 0 and
		all(.counts.batches > 0 and .counts.hits * $pieces == .counts.batches * $ops);
def nothing_lost:
	(.intervals | all(.counts.drops == 0)) and .losses == [];
def attempts_are_hits_and_losses:
	.attempts == ([.intervals[] | select(.variant == "raw" and (.warmup | not)) | .counts.hits] |
		add) + ([.losses[].count] | add // 0);
def samples_are_of_batches:
	. as $r | ["raw", "overhead"] | all(. as $v | $r.cost_ns[$v].samples as $samples |
		([$r.intervals[] | select(.variant == $v and (.warmup | not)) | .counts.batches] |
			add) as $batches |
		$samples > 0 and $samples * $r.pieces_per_batch <= $batches);
'

# counts_add_up JSON [WHAT FILTER]...
counts_add_up() {
	holds "$1" \
		"hits are batches x operations a batch, in every interval" hits_are_batches \
		"nothing dropped, nothing lost" nothing_lost \
		"attempts are hits and losses" attempts_are_hits_and_losses \
		"figures are made from the batches that are counted, of all or every 2nd, 4th, …" \
		samples_are_of_batches \
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

	{
		held_objects | sed 's/^/held /'
		for kind in prog map link btf; do
			bpftool "$kind" list | sed -n "s/^\([0-9]*\):/$kind \1/p"
		done
	} | awk '
		$1 == "held" { held[$2 " " $3] = 1; next }
		held[$1 " " $2] { next }
		$1 == "btf" {
			for (i = 3; i < NF; i++) {
				n = split($(i + 1), ids, ",")
				for (j = 1; j <= n && ($i == "prog_ids" || $i == "map_ids"); j++)
					if (held[substr($i, 1, length($i) - 4) " " ids[j]])
						next
			}
		}
		{ print $1, $2 }' | sort
}

# held_objects: those that a process holds, one a line: "map 12".
held_objects() {
	# Processes come and go meanwhile.
	cat /proc/[0-9]*/fdinfo/* 2>/dev/null |
		sed -n 's/^\(prog\|map\|link\|btf\)_id:[[:space:]]*\([0-9]*\)$/\1 \2/p'
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

	left=$(bpf_objects | grep -vxFf <(echo "$objects_before")) || :
	for ((turn = 0; turn < 30 && ${#left} > 0; turn++)); do
		sleep 0.1
		left=$(bpf_objects | grep -xFf <(echo "$left")) || :
	done
	[ -z "$left" ] || fail "left behind: $left"
}
