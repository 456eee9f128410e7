#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # in single quotes is jq; a test is a subshell
# SPDX-License-Identifier: GPL-2.0
#
# func-latency: calls of functions that tests/kernel/func_target.c makes, whose numbers are known. It is
# compiled here unless $FUNC_TARGET is it.
#
#	sudo BENCH=./bench bats tests/kernel/func_latency.bats

load helpers

GETPGID=__x64_sys_getpgid

setup_file() {
	export TARGET=${FUNC_TARGET:-$BATS_FILE_TMPDIR/func_target}
	[ -n "${FUNC_TARGET:-}" ] || ! command -v cc >/dev/null ||
		cc -O2 -o "$TARGET" tests/kernel/func_target.c -lpthread
}

setup() {
	need_bpf func-latency
	[ -x "$TARGET" ] || skip 'no compiler for tests/kernel/func_target.c'
	json=$BATS_TEST_TMPDIR/json
}

teardown() {
	[ -z "${bench_pid:-}" ] || kill -KILL "$bench_pid"
}

# What is asked for in the filters: of the function `f`, and of a cause of losses.
jq_definitions+='
def row(f): .watched.rows[] | select(.name == f);
def nr(f): row(f).figures.nr;
def lost(f): row(f).figures.lost // 0;
def loss(cause): [.losses[] | select(.cause | test(cause)) | .count] | add // 0;
def adds_up: .counters.calls ==
	([.watched.rows[].figures.nr, .losses[].count] | add) and
	([.watched.rows[].figures.lost // 0] | add) == ([.losses[].count] | add // 0);
def histograms_hold_all: .watched.rows | all(.figures.nr == ([.histogram.buckets[].count] | add // 0));
def sum(f): [f] | add // 0;
def totals_are_of_histograms: .watched.rows | all(.figures.total_ns as $total | .histogram.buckets |
	sum(.[] | .from * .count) <= $total and
	$total <= sum(.[] | ([2 * .from - 1, 1] | max) * .count));
def in_order: .watched.rows | all(.figures | .nr == 0 or
	(.min_ns <= .p50_ns and .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and .p99_ns <= .max_ns and
	.min_ns <= .avg_ns and .avg_ns <= .max_ns and .min_ns >= 0 and (.avg_ns * .nr - .total_ns | fabs) < 1));
'

# traced FUNCTIONS MODE... : trace functions of the target (@ stands for u:TARGET:target_) while it runs,
# started by the command in ${by[@]}, if any.
traced() {
	local func=$1
	shift
	run --separate-stderr "$BENCH" -q func-latency --func "${func//@/u:$TARGET:target_}" \
		"${options[@]}" --json "$json" -- "${by[@]}" "$TARGET" "$@"
	[ "$status" -eq 0 ] || fail "$*: not successful"
	holds "$json" "all calls are samples or losses" adds_up \
		"histograms hold all samples" histograms_hold_all \
		"in the buckets that they belong in" totals_are_of_histograms \
		"quantiles are in order" in_order
}

# kernel_probes: those that this kernel has, of fentry and kprobe; skips the test without any.
kernel_probes() {
	local probe

	probes=()
	for probe in fentry kprobe; do
		run --separate-stderr "$BENCH" -q func-latency --probe "$probe" --func "$GETPGID" -- true
		case $status in
		0) probes+=("$probe") ;;
		4) [[ $stderr == *"cannot be traced on this kernel"*"$probe: "* ]] || fail "no reason" ;;
		*) fail "--probe $probe neither works nor is refused" ;;
		esac
	done
	[ "${#probes[@]}" -gt 0 ] || skip "neither fentry nor kprobes: ${stderr#bench: }"
}

# refused STATUS TEXT WORD...
refused() {
	local code=$1 text=$2
	shift 2
	run --separate-stderr "$BENCH" -q func-latency "$@"
	[ "$status" -eq "$code" ] || fail "not status $code: $*"
	[[ $stderr == "bench: "*"$text"* ]] || fail "expected on stderr: $text"
	[[ $stderr != *$'\n'* && $output != *nr=* ]] || fail "more than one line, or it ran"
}

@test "nested calls: each function's own number, in rows of its own" {
	traced @outer,@leaf nested 300
	holds "$json" "300 outer calls" 'nr("target_outer") == 300' \
		"three inner ones in each" 'nr("target_leaf") == 900' \
		"an outer call takes longer than what is in it" \
		'row("target_outer").figures.total_ns > row("target_leaf").figures.total_ns' \
		"nothing lost" '.losses == []' "two deep" '.counters.deepest == 2'
}

@test "the line is the published one, a histogram below it" {
	traced LEAF=@leaf nested 100
	[[ $output =~ (^|$'\n')"LEAF: nr=300 total="[0-9]+" avg="[0-9]+" stddev="[0-9]+" min="[0-9]+" p50="[0-9]+" p90="[0-9]+" p99="[0-9]+" max="[0-9]+$'\n' ]] ||
		fail "another line"
	[[ $output == *'nsecs : count     distribution'* ]] || fail "no histogram"
}

@test "recursion that the kernel's return probes can follow is counted in full" {
	traced @recursive recursive 20 60
	holds "$json" "20 times 60 calls" 'nr("target_recursive") == 1200' \
		"nothing lost" '.losses == []' "60 deep" '.counters.deepest == 60'
}

@test "recursion 100 and 200 deep: 64 returns are caught, the rest is counted as lost, each time anew" {
	local depth

	for depth in 100 200; do
		traced @recursive,@leaf recursive 10 "$depth"
		holds "$json" "64 of each" 'nr("target_recursive") == 640' \
			"the others are counted" "lost(\"target_recursive\") == 10 * ($depth - 64)" \
			"as not returned" "loss(\"never returned\") == 10 * ($depth - 64)" \
			"depth" ".counters.deepest == $depth"
	done
}

@test "deeper than there is room for" {
	traced @recursive recursive 5 300
	holds "$json" "64 of each" 'nr("target_recursive") == 320' \
		"frames that were not caught" 'loss("never returned") == 5 * (256 - 64)' \
		"calls without a frame" 'loss("too many others") == 5 * (300 - 256)'
}

@test "calls that are left by a jump leave nothing behind" {
	traced @jumps jumps 100 3
	holds "$json" "no samples" 'nr("target_jumps") == 0' "all lost" 'lost("target_jumps") == 300' \
		"never more than one left over" '.counters.deepest <= 4'
	traced @catches,@jumps catches 50 5
	holds "$json" "the outer calls return" 'nr("target_catches") == 50 and lost("target_catches") == 0' \
		"the inner do not" 'nr("target_jumps") == 0 and loss("never returned") == 250' \
		"no deeper than it gets" '.counters.deepest == 6'
}

@test "a task that exits in mid-call, thread or process" {
	traced @exits,@leaf exits 10
	holds "$json" "no samples" 'nr("target_exits") == 0' \
		"all with their cause" 'loss("task ended") == 20'
}

@test "calls that are still going on at the end" {
	traced @waits waits 3
	holds "$json" "no samples" 'nr("target_waits") == 0' \
		"all with their cause" 'loss("still going on") == 3'
}

@test "four threads at a time" {
	traced @outer,@leaf threads 200
	holds "$json" "all of them" 'nr("target_outer") == 800 and nr("target_leaf") == 2400' \
		"nothing lost" '.losses == []'
}

@test "a task that moves to another CPU in mid-call" {
	traced @moves moves 200
	holds "$json" "all of them" 'nr("target_moves") == 200' "nothing lost" '.losses == []' \
		"one deep" '.counters.deepest == 1'
}

@test "in a signal handler" {
	traced @leaf signals 50
	holds "$json" "all of them" 'nr("target_leaf") == 50' "nothing lost" '.losses == []'
}

@test "the time is that of the call: naps of 2 ms" {
	traced @naps naps 50
	holds "$json" "at least 2 ms, and the most not much more" \
		'row("target_naps").figures | .nr == 50 and .min_ns >= 2e6 and .p50_ns < 10e6' \
		"the histogram is from there on" \
		'row("target_naps").histogram.buckets[0].from | . == 1048576 or . == 2097152'
}

@test "patterns and labels" {
	traced 'N=@naps,T=@[lo]*' nested 20
	holds "$json" "a row for each match, with the label in front" \
		'[.watched.rows[].name] == ["N", "T/target_leaf", "T/target_outer"]' \
		"and its own number" 'nr("T/target_leaf") == 60 and nr("T/target_outer") == 20 and nr("N") == 0' \
		"no figures without a call" 'row("N").figures | keys == ["nr", "total_ns"]'
}

@test "intervals add up to the whole, one without a call among them" {
	options=(-i 1)
	# shellcheck disable=SC2016 # for that shell
	by=(sh -c 'sleep 1.2; exec "$@"' -)
	traced @naps naps 1100
	holds "$json" "more than one with calls" '[.watched.intervals[].rows[0].figures.nr] | .[0] == 0 and (map(select(. > 0)) | length > 1)' \
		"all calls" 'nr("target_naps") == 1100' \
		"numbers and times add up" '. as $r | ["nr", "total_ns"] | all(. as $f |
			([$r.watched.intervals[].rows[0].figures[$f]] | add) == $r.watched.rows[0].figures[$f])' \
		"histograms do" '([.watched.intervals[].rows[0].histogram.buckets[].count] | add) == 1100' \
		"min and max are of some interval" '. as $r |
			([.watched.intervals[].rows[0].figures.min_ns // empty] | min) == $r.watched.rows[0].figures.min_ns and
			([.watched.intervals[].rows[0].figures.max_ns] | max) == $r.watched.rows[0].figures.max_ns'
}

@test "--net takes off what the probe adds, and never goes below zero" {
	local plain

	traced @leaf nested 500
	holds "$json" "what a probe costs is told" \
		'.counters | .uprobe_in_sample_ns > 0 and .uprobe_per_call_ns > 0'
	plain=$(jq '.results[0].watched.rows[0].figures.p50_ns' "$json")
	options=(--net)
	traced @leaf nested 500
	holds "$json" "all are there" 'nr("target_leaf") == 1500' \
		"none below zero, and nearly nothing left of an empty function" \
		"row(\"target_leaf\").figures | .min_ns >= 0 and .p50_ns < $plain / 2" \
		"said so" '.notes.uprobe | test("taken off")'
}

@test "a command's status is passed on, and a result given" {
	local func="u:$TARGET:target_leaf"

	run --separate-stderr "$BENCH" -q func-latency --func "$func" --json "$json" -- sh -c 'exit 7'
	[ "$status" -eq 7 ] || fail "not its status"
	holds "$json" "recorded" '.status == "ok" and .watched.command_status == 7'
	run -127 --separate-stderr "$BENCH" -q func-latency --func "$func" -- /no/such/command
	[[ $stderr == "bench: cannot run /no/such/command: "* ]] || fail "no reason"
	run -126 --separate-stderr "$BENCH" -q func-latency --func "$func" -- /etc/passwd
}

@test "a signal ends it with what was seen until then, and nothing stays" {
	remember_objects
	start -d 60 func-latency --func "u:$TARGET:target_naps" --json "$json" -- "$TARGET" naps 100000
	printed "' started."
	sleep 0.3
	kill -TERM "$bench_pid"
	reaped
	[ "$status" -eq 143 ] || fail "not the status of SIGTERM"
	[[ $output == *"target_naps: nr="* ]] || fail "no result"
	holds "$json" "calls until then" '.status == "interrupted" and nr("target_naps") > 10'
	nothing_left
}

@test "when the time is over the command is ended, which is no failure" {
	run --separate-stderr "$BENCH" -q func-latency -d 1 --func "u:$TARGET:target_naps" \
		--json "$json" -- "$TARGET" naps 100000
	[ "$status" -eq 0 ] || fail "not successful"
	holds "$json" "calls until then" '.status == "ok" and nr("target_naps") > 50'
}

@test "what is not there, or makes no sense" {
	local t="u:$TARGET:target_leaf"

	refused 2 'which function?'
	refused 2 'which function?' --func ''
	refused 2 'a function is missing' --func "$t,"
	refused 2 "label in front of the '=' is empty" --func "=$t"
	refused 2 "label 'X' is there twice" --func "X=$t,X=u:$TARGET:target_outer"
	refused 2 "'target_leaf' is there twice" --func "$t,$t"
	refused 2 'No such file' --func 'u:/no/such/file:main'
	refused 2 'not a file' --func 'u:/tmp:main'
	refused 2 'not ELF' --func 'u:/proc/version:main'
	refused 2 "did you mean 'target_leaf'?" --func "u:$TARGET:target_leav"
	refused 2 'no function of' --func "u:$TARGET:nothing_like_*"
	refused 2 'none of auto, fentry, kprobe' --probe x --func "$t"
	refused 2 'the kernel has no function' --func no_such_function_at_all
	refused 2 "module 'no_such_module' is not loaded" --func no_such_module:x
	refused 2 'more than 64 functions' --func '*a*'
}

@test "a function of the kernel, by what there is: all calls of it, also nested" {
	local probe

	kernel_probes
	for probe in "${probes[@]}"; do
		options=(--probe "$probe")
		traced "S=$GETPGID,do_getpgid" getpgid 2000
		holds "$json" "all calls of the command" 'nr("S") >= 2000 and nr("do_getpgid") == nr("S")' \
			"and next to no others" 'nr("S") < 2020' "nothing lost" '.losses == []' \
			"by this probe" ".notes | has(\"$probe\")" "nested" '.counters.deepest == 2'
		options=(--probe "$probe" --net)
		traced do_getpgid getpgid 500
		holds "$json" "none below zero" '.watched.rows[0].figures | .nr >= 500 and .min_ns >= 0'
	done
}

@test "functions of the kernel that call each other all the time, also in interrupts" {
	local probe

	kernel_probes
	for probe in "${probes[@]}"; do
		options=(--probe "$probe")
		traced 'kfree,kmem_cache_free,schedule,vfs_[rw]*' getpgid 2000
		holds "$json" "calls were seen" '.counters.calls > 0'
	done
}

@test "notrace, and inlined" {
	kernel_probes
	grep -q . /sys/kernel/tracing/available_filter_functions 2>/dev/null ||
		skip 'the kernel does not list what can be traced'
	refused 2 'is notrace' --func __schedule
	refused 2 'the kernel has no function' --func rcu_read_lock
}

@test "a kernel without probes says which are missing" {
	run --separate-stderr "$BENCH" -q func-latency --func "$GETPGID" --json "$json" -- true
	[ "$status" -ne 0 ] || skip 'this kernel has some'
	[ "$status" -eq 4 ] || fail "not a skip"
	[[ $stderr == "bench: '$GETPGID' cannot be traced on this kernel: fentry: "*"; kprobe: "* ]] ||
		fail "no reasons"
	jq -e '.results[0] | .status == "skipped" and .watched == null' "$json"
}
