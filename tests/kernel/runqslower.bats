#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034 # each test is a subshell, and what is in '' is jq's
# SPDX-License-Identifier: GPL-2.0
#
# runqslower: every switch to a task is a sample or is counted under what it was lost to, and no
# latency comes from what is not that task's. Maps are made too small, tids are used again, and entries
# are spoilt under its eyes.
#
#	sudo BENCH=./bench bats tests/kernel/runqslower.bats
#
# Tids are used again by tests/kernel/tid_reuse.c, compiled here unless $TID_REUSE is it.

load helpers

storages="task hash hash-nopre"

jq_definitions+='
def latency: .watched.rows[] | select(.name == "run_queue_latency");
def handler($name): .watched.rows[] | select(.name == "handle__" + $name).figures;
def lost($cause): [.losses[] | select(.cause | contains($cause)).count] | add // 0;
def adds_up: .attempts == latency.figures.samples + ([.losses[].count] | add // 0);
def in_histogram: [latency.histogram.buckets[].count] | add // 0;
# A wait may have begun before the measuring did, but not long before.
def none_absurd: (.watched.duration_ns + 20e9) as $longest | latency | .figures as $of |
	$of.samples == 0 or ($of.max_ns < $longest and $of.avg_ns <= $of.max_ns and
		(.histogram.buckets | all(.from <= $of.max_ns)));
'

setup() {
	need_bpf runqslower
	json=$BATS_TEST_TMPDIR/json
	others=()
}

teardown() {
	[ -z "${bench_pid:-}" ] || kill -KILL "$bench_pid"
	[ "${#others[@]}" -eq 0 ] || kill -KILL "${others[@]}" 2>/dev/null || :
}

# sound [WHAT FILTER]...: the result in $json is whole.
sound() {
	holds "$json" \
		"attempts are samples and losses" adds_up \
		"each sample is in the histogram" 'in_histogram == latency.figures.samples' \
		"no latency longer than there was time for" none_absurd \
		"$@"
}

# traced WORD...: a successful run with its JSON.
traced() {
	run --separate-stderr "$BENCH" -q --json "$json" runqslower "$@"
	[ "$status" -eq 0 ] || fail "$*"
	[ -z "$stderr" ] || fail "something on stderr"
}

# refused STATUS TEXT WORD...: one line, and nothing has run.
refused() {
	local code=$1 text=$2
	shift 2
	run --separate-stderr "$BENCH" -q -w 0 -d 1 "$@"
	[ "$status" -eq "$code" ] || fail "not status $code: $*"
	[[ $stderr == "bench: "*"$text"* ]] || fail "expected on stderr: $text"
	[[ $stderr != *$'\n'* && -z $output ]] || fail "more than one line, or it ran"
}

@test "every switch is a sample or a loss, in each storage; each handler has its cost" {
	local storage
	for storage in $storages; do
		traced -w 0 -d 1 --storage "$storage" --pairs 2 --forks 50
		sound "as asked for" ".parameters.storage == \"$storage\"" \
			"all handlers ran" '[handler("sched_wakeup"), handler("sched_wakeup_new"),
				handler("sched_switch")] | all(.runs > 0)' \
			"net is what is left" '[.watched.rows[].figures | select(has("net_ns"))] |
				length == 3 and all(.avg_ns > 0 and .empty_ns > 0 and
					(.avg_ns - .empty_ns - .net_ns | fabs) < 1e-6)' \
			"with its error" 'handler("sched_switch").net_se_ns > 0' \
			"our own work was seen" '.counters | .forks > 0 and .handovers > 0 and
				.wakeups >= .forks' \
			"tasks wait after they are woken or preempted" \
				'.counters as $c | latency.figures.samples <=
					$c.wakeups + $c.preempted + 1000' \
			"six programs" '.programs | length == 6' \
			"no event was asked for" '.counters | has("events_listed") | not'
		[[ $output == *$'\n'"handle__sched_wakeup "*$'\n'"handle__sched_wakeup_new "* ]] ||
			fail "no table"
		[[ $output == *"nsecs"*"distribution"* ]] || fail "no histogram"
	done
}

# preemption full|voluntary: where the machine is ours to change. When it is full tasks are preempted on
# their way to sleep, too.
preemption() {
	local debug=$BATS_TEST_TMPDIR/debug
	[ "${THROWAWAY:-}" = 1 ] || return 0
	mkdir -p "$debug"
	mount -t debugfs none "$debug" || return 0
	echo "$1" >"$debug/sched/preempt" || :
	umount "$debug"
}

# Before Linux 6.2 task storage can be refused while the task that was interrupted is being freed.
@test "task storage misses at most 1 of 100,000 switches to tasks that were seen" {
	local seconds=3
	! emulated || seconds=8
	preemption full
	traced -w 1 -d "$seconds" --pairs 2 --forks 200
	preemption voluntary
	sound "that many" '.attempts > (if env.BENCH_VM_QEMU then 20000 else 100000 end)' \
		"missed" '.attempts as $n | .counters.inserts_refused as $refused |
			lost("was not seen") - $refused | . * 100000 <= ([$n, 100000] | max)' \
		"nothing else is lost but first sights" '.losses |
			all(.cause | test("was not seen|never seen before|no room"))' \
		"and these are few: of what began before" 'lost("never seen before") < 1000' \
		"refused" '.counters.inserts_refused <= (if .host.kernel_release | test("^(5|6[.][01])[.]")
			then .attempts / 10000 else 0 end)' \
		"no handler was left out" '.counters.recursion_misses == 0'
}

@test "a map with less room than there are tasks: counted, and nothing wrong comes of it" {
	local storage how
	for storage in hash hash-nopre; do
		for how in update in_place; do
			traced -w 0 -d 1 --storage "$storage" --hash_write "$how" --max_entries 3 \
				--pairs 4
			sound "full" 'lost("map full") > 0 and .counters.inserts_refused > 0'
			[[ $output == *$'\n'"lost "*": map full"* ]] || fail "not said"
		done
	done
}

# tasks: how many there are.
tasks() {
	local all
	all=(/proc/[0-9]*/task/[0-9]*)
	echo "${#all[@]}"
}

@test "tasks that end make room: a map with room for those alive does not fill up" {
	local storage room forks=1000
	room=$(($(tasks) + 200))
	! emulated || forks=200 room=$(($(tasks) + 30))
	for storage in hash hash-nopre; do
		traced -w 0 -d 2 --storage "$storage" --max_entries "$room" --forks "$forks"
		sound "more have come and gone than there is room for" \
			".counters.forks > $room" \
			"never full" 'lost("map full") == 0 and .counters.inserts_refused == 0'
	done
}

@test "a tid that is used again: what was kept under it is not the new task's" {
	local reuse=${TID_REUSE:-$BATS_TEST_TMPDIR/tid_reuse} how
	[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "in a PID namespace"
	if [ -z "${TID_REUSE:-}" ]; then
		need_command cc
		cc -O2 -o "$reuse" tests/kernel/tid_reuse.c -lpthread || skip "cannot compile"
	fi
	"$reuse" 1 || skip "cannot choose a tid"
	for how in update in_place; do
		traced --storage hash --hash_write "$how" -- "$reuse" 20
		sound "twenty and the one before them" ".watched.command_status == 0" \
			"each was found, where the entry is looked at" \
			"\"$how\" == \"update\" or .counters.entries_replaced >= 20"
	done
	traced --storage task -- "$reuse" 20
	sound "none where there are no tids" '.counters.entries_replaced == 0 and lost("stale") == 0'
}

# entry FIELD: what is known of $victim.
entry() {
	bpftool -j map lookup id "$map" key "${victim_key[@]}" | jq ".formatted.value.$1"
}

# spoil SINCE BORN: write over the entry of $victim, whatever it is doing.
spoil() {
	local bytes=() number shift
	for number in "$1" "$2" 0; do
		for ((shift = 0; shift < 64; shift += 8)); do
			bytes+=($((number >> shift & 255)))
		done
	done
	bpftool map update id "$map" key "${victim_key[@]}" value "${bytes[@]}" || fail "bpftool"
}

@test "an entry of another task, of the future, or used before gives no latency" {
	local cpu map victim victim_key born turn turns=25
	! emulated || turns=10
	need_command bpftool taskset
	cpu=$(awk '$1 == "Cpus_allowed_list:" { split($2, cpus, /[-,]/); print cpus[1] }' /proc/self/status)
	start -w 0 -d 600 --json "$json" runqslower --storage hash --pairs 0
	printed "' started." || { reaped; fail "never started"; }
	# Two share a CPU: one of them waits at any time, and the victim in half of all attempts.
	for turn in 1 2; do
		taskset -c "$cpu" bash -c 'while :; do :; done' 3>&- &
		others+=($!)
	done
	victim=${others[0]}
	victim_key=($((victim & 255)) $((victim >> 8 & 255)) $((victim >> 16 & 255)) 0)
	map=$(sed -n 's/^map_id:[[:space:]]*//p' "/proc/$bench_pid/fdinfo/"* | sort -u | while read -r id; do
		[ "$(bpftool -j map show id "$id" | jq -r .name)" != hash_start ] || echo "$id"
	done)
	[ -n "$map" ] || fail "no map"
	sleep 0.2
	born=$(entry born)
	[ "$born" -gt 0 ] || fail "nothing of the victim is known"
	# To be stopped it had to run.
	kill -STOP "$victim"
	until grep -q '^State:.*stopped' "/proc/$victim/status"; do :; done
	sleep 0.1
	[ "$(entry since)" = 0 ] || fail "a wait is not forgotten when it is over"
	kill -CONT "$victim"
	for ((turn = 0; turn < turns; turn++)); do
		spoil 1 1
		spoil $((1 << 62)) "$born"
		spoil 0 "$born"
	done
	kill -KILL "${others[@]}"
	others=()
	kill -INT "$bench_pid"
	reaped
	[ "$status" -eq 130 ] || fail "not the status of SIGINT"
	sound "stale" 'lost("stale") > 0' "of the future" 'lost("clock went back") > 0' \
		"used before" 'lost("was not seen") > 0'
}

@test "--min_us lists waits, who waited and who ran before" {
	local lines
	traced -w 0 -d 1 --pairs 3 --forks 20 --min_us 20
	lines=$(grep -cE '^[0-9]{2}:[0-9]{2}:[0-9]{2} .{16} [0-9]+ +[0-9]+ .{16} [0-9]+ *$' <<<"$output")
	[[ $output == "Tracing run queue latency higher than 20 us"$'\n'"TIME     COMM             PID           LAT(us) PREV COMM        PREV PID"$'\n'* ]] ||
		fail "not the head"
	[ "$lines" -gt 0 ] || fail "nothing listed"
	! grep -E '^[0-9]{2}:' <<<"$output" | cut -c 33-47 | grep -vE '^ *[0-9]{2,}$' || fail "another column"
	[ "$(grep -E '^[0-9]{2}:' <<<"$output" | cut -c 33-47 | sort -n | head -n 1)" -ge 20 ] ||
		fail "a shorter wait"
	sound "all that were listed" ".counters.events_listed == $lines" \
		"none but those longer" \
			'([latency.histogram.buckets[] | select(.from >= 32768).count] | add // 0) <=
				.counters.events_listed + .counters.events_lost' \
		"and none that is shorter" \
			'([latency.histogram.buckets[] | select(.from >= 16384).count] | add // 0) >=
				.counters.events_listed + .counters.events_lost'
}

@test "a task's waits add up to what the kernel says that it waited" {
	local cpu pid listed kernel
	[ -r /proc/self/schedstat ] || skip "the kernel does not say"
	need_command taskset
	cpu=$(awk '$1 == "Cpus_allowed_list:" { split($2, cpus, /[-,]/); print cpus[1] }' /proc/self/status)
	# Two share a CPU. To be stopped the one had to run: its last wait is over.
	traced --min_us 500 -- taskset -c "$cpu" bash -c '
		(while :; do :; done) & first=$!
		(while :; do :; done) & second=$!
		sleep 2
		kill -STOP $first
		sleep 0.2
		echo "task $first $(</proc/$first/schedstat)"
		kill -KILL $first $second'
	read -r _ pid _ kernel _ < <(grep ^task <<<"$output")
	listed=$(awk -v pid="$pid" '/^[0-9][0-9]:/ && substr($0, 27, 6) + 0 == pid { sum += substr($0, 33, 15) + 0.5 }
		END { printf "%d\n", sum * 1000 }' <<<"$output")
	sound "nothing lost" '.counters.events_lost == 0' "some hundreds of ms" "$kernel > 300e6" \
		"of $kernel ns, without the short ones" "$listed / $kernel | . > 0.9 and . < 1.02"
}

@test "events that the ring buffer has no room for are counted, and told" {
	local told
	# While it is stopped nobody reads; what is traced is the command, another bench.
	start -q --json "$json" runqslower --min_us 1 -- "$BENCH" -q -w 0 -d 3 runqslower --pairs 2
	printed LAT || { reaped; fail "never started"; }
	sleep 0.3
	kill -STOP "$bench_pid"
	sleep 1
	! emulated || sleep 4
	kill -CONT "$bench_pid"
	reaped
	[ "$status" -eq 0 ] || fail "no success"
	told=$(awk '/^Lost [0-9]+ events$/ { sum += $2 } END { print sum + 0 }' <<<"$output")
	[ "$told" -gt 0 ] || fail "nothing lost"
	output=$(tail -n 40 <<<"$output")
	sound "as many as were told" ".counters.events_lost == $told"
}

@test "by a signal: what was seen until then, and nothing stays" {
	local signal
	remember_objects
	for signal in INT TERM; do
		start -w 0 -d 60 --json "$json" runqslower --storage hash --min_us 100
		printed "' started." || { reaped; fail "never started"; }
		sleep 0.4
		kill -s "$signal" "$bench_pid"
		reaped
		[ "$status" -eq $((128 + $(kill -l "$signal"))) ] || fail "not the status of $signal"
		[[ $output == *"warning: ended early by a signal"*"handle__sched_switch "* ]] ||
			fail "no figures until then"
		[ -z "$stderr" ] || fail "something on stderr"
		sound "so marked" '.status == "interrupted"' "something was seen" '.attempts > 0'
		nothing_left
	done
}

@test "by a signal in the middle of a command, which ends too" {
	remember_objects
	start --json "$json" runqslower -- sleep 977
	printed "' started." || { reaped; fail "never started"; }
	sleep 0.3
	kill -TERM "$bench_pid"
	reaped
	[ "$status" -eq 143 ] || fail "not the status of SIGTERM"
	sound "what was seen" '.attempts > 0 and .watched.command_status == 143'
	! grep -lsx 'sleep' /proc/[0-9]*/comm | while read -r path; do
		tr '\0' ' ' <"${path%comm}cmdline"
	done | grep -q 'sleep 977' || fail "the command goes on"
	nothing_left
}

@test "a command: measured to its end, its output and status passed on" {
	remember_objects
	run --separate-stderr "$BENCH" -q --json "$json" runqslower -- sh -c 'echo from the command; exit 7'
	[ "$status" -eq 7 ] || fail "not its status"
	[[ $output == *"from the command"*"handle__sched_switch "* ]] || fail "its output or ours is gone"
	sound "in JSON" '.watched.command_status == 7 and .status == "ok"' \
		"its words" '.options.command == ["sh", "-c", "echo from the command; exit 7"]' \
		"none of our own work" '.counters | has("forks") or has("handovers") | not'
	run --separate-stderr "$BENCH" -q runqslower -- sh -c 'kill -KILL $$'
	[ "$status" -eq 137 ] || fail "not the status of its signal"
	nothing_left
}

@test "a command that is not there" {
	remember_objects
	run -127 --separate-stderr "$BENCH" -q --json "$json" runqslower -- /no/such/command
	[ "$stderr" = "bench: cannot run /no/such/command: No such file or directory" ] ||
		fail "not said why"
	[ "$(jq -r '.results[0] | .status, .watched' "$json")" = $'failed\nnull' ] || fail "figures of nothing"
	nothing_left
}

@test "what makes no sense is refused before anything runs" {
	refused 2 "'disk' is none of task, hash, hash-nopre" runqslower --storage disk
	refused 2 "nothing would run" runqslower --pairs 0 --forks 0
	refused 2 "not in the range" runqslower --pairs 129
	refused 2 "not in the range" runqslower --storage hash --max_entries 0
	refused 2 "has no hash map" runqslower --hash_write in_place
	refused 2 "--pairs: what runs is the command" runqslower --pairs 2 -- true
	refused 2 "--forks: what runs is the command" runqslower --forks 2 -- true
	refused 2 "has no producers" -p 2 runqslower
	refused 2 "in 0 there is nothing to see" -d 0 runqslower
	traced -w 0 -d 1 --pairs 0
	sound "processes alone" '.counters | .handovers == 0 and .forks > 0'
}

@test "the kernel's statistics are on while it runs, and by no sysctl" {
	local before=/proc/sys/kernel/bpf_stats_enabled
	[ "$(<"$before")" = 0 ] || skip "they are on all the time"
	start -w 0 -d 1 runqslower
	printed "' started." || { reaped; fail "never started"; }
	[ "$(<"$before")" = 0 ] || fail "the sysctl was changed"
	reaped
	[ "$status" -eq 0 ] || fail "no success"
}

@test "intervals are shown, and add up to the whole" {
	traced -w 0 -d 2 -i 1 --pairs 1
	sound "two of them, or three" '.watched.intervals | length >= 2' \
		"switches of all" '([.watched.intervals[].rows[] |
			select(.name == "handle__sched_switch").figures.runs] | add) as $sum |
			handler("sched_switch").runs - $sum | . >= 0 and . < 20000'
}

# What disturbs a machine makes it slower: the cheapest of runs that take turns is compared.
@test "task storage costs less than either hash map, woken and switched to" {
	local turn storage name wrong
	! emulated || skip "times of an emulated processor"
	for ((turn = 0; turn < 5; turn++)); do
		for storage in $storages; do
			traced -w 0 -d 1 --storage "$storage"
			for name in wakeup switch; do
				jq ".results[0].watched.rows[] | select(.name == \"handle__sched_$name\").figures.net_ns" \
					"$json" >>"$json.$storage.$name"
			done
		done
		wrong=
		for name in wakeup switch; do
			for storage in hash hash-nopre; do
				[ "$(jq -n "$(jq -s min "$json.task.$name") < $(jq -s min "$json.$storage.$name")")" = true ] ||
					wrong+=" $name:$storage"
			done
		done
		[ -n "$wrong" ] || return 0
	done
	fail "not cheaper:$wrong: $(tail -n 20 "$json".*.*)"
}

@test "the sweep prints all three storages as one table" {
	local handler
	! emulated || skip "15 runs"
	run --separate-stderr env ROUNDS=1 JSON_DIR="$BATS_TEST_TMPDIR" BENCH="$BENCH" \
		benchs/run_bench_runqslower.sh -d 1
	[ "$status" -eq 0 ] || fail "no success"
	[[ $output =~ task-local\ +hash-prealloc\ +hash-no-prealloc ]] || fail "not the columns"
	for handler in wakeup wakeup_new switch; do
		grep -qE "^handle__sched_$handler +[0-9]+ +[0-9]+ +[0-9]+$" <<<"$output" ||
			fail "not the row of $handler"
	done
	[ "$(jq -s '[.[].results[0].parameters.storage] | unique | length' "$BATS_TEST_TMPDIR"/0?.json)" = 3 ] ||
		fail "not all in JSON"
}

@test "what a command has started ends with it, when it is cut short" {
	local seconds=1000.$RANDOM
	# Both ignore a polite request.
	run "$BENCH" -q runqslower -d 1 -- sh -c "trap '' TERM; sleep $seconds; true" </dev/null
	[ "$status" -eq 0 ] || fail "the end of the time is no failure"
	! grep -qsxzF -- "$seconds" /proc/[0-9]*/cmdline || fail "sleep is still there"
	run "$BENCH" -q runqslower -d 1 -- sh -c "sleep $seconds; true" </dev/null
	! grep -qsxzF -- "$seconds" /proc/[0-9]*/cmdline || fail "sleep is still there"
}
