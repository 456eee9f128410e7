#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # in single quotes is jq; a test is a subshell
# SPDX-License-Identifier: GPL-2.0
#
# Reading all of a hash map: every type of map, every way to read it, sizes at the edges, and
# others that write to the map meanwhile. The benchmark itself checks each dump, entry by entry: that
# it does is tested by spoiling the map under its eyes.
#
#	sudo BENCH=./bench bats tests/kernel/htab_dump.bats

load helpers

types="hash percpu_hash lru_hash lru_percpu_hash"
methods="batch batch_delete next_key"
# Seconds for a run that ends sooner, when a fault is found. Spoiling a map takes bpftool and jq, on a
# busy emulated machine many seconds.
long=200

setup() {
	need_bpf htab-batch-dump
	json=$BATS_TEST_TMPDIR/json
}

teardown() {
	[ -z "${bench_pid:-}" ] || kill -KILL "$bench_pid"
}

# dumped WORD...: a short run of the benchmark that has to be successful.
dumped() {
	measured_shortly "$json" htab-batch-dump "$@"
	counts_add_up "$json" "each dump was checked" \
		'.counters.dumps_checked >= ([.intervals[] | select(.variant == "raw") |
		.counts.hits] | add)'
}

# refused STATUS TEXT WORD...
refused() {
	local code=$1 text=$2
	shift 2
	run --separate-stderr "$BENCH" -q -w 0 -d 0 htab-batch-dump "$@"
	[ "$status" -eq "$code" ] || fail "not status $code: $*"
	[[ $stderr == "bench: "*"$text"* ]] || fail "expected on stderr: $text"
	[[ $stderr != *$'\n'* && $output != *Summary* ]] || fail "more than one line, or it ran"
}

@test "every type of map in every way, at sizes of 0, 1, some and all of the map" {
	local type method entries sizes="0 1 700 1000"
	# Seconds for each there.
	! emulated || sizes=700
	for type in $types; do
		for method in $methods; do
			for entries in $sizes; do
				dumped --map_type "$type" --method "$method" --max_entries 1000 \
					--nr_entries "$entries"
				holds "$json" "as asked for" ".parameters.map_type == \"$type\" and
					.parameters.method == \"$method\""
			done
		done
	done
}

@test "a map of one entry, read one by one" {
	local type method
	for type in $types; do
		for method in $methods; do
			dumped --map_type "$type" --method "$method" --max_entries 1 \
				--nr_entries 1 --batch_size 1
		done
	done
}

@test "a batch smaller than a bucket grows, and loses and doubles nothing" {
	local type method
	for type in $types; do
		for method in batch batch_delete; do
			dumped --map_type "$type" --method "$method" --max_entries 4096 \
				--nr_entries 4096 --batch_size 1
			holds "$json" "it grew" '.counters.batch_growths > 0' \
				"to what is in use" '.notes.batch | test("^(2|4|8|16) entries a call")'
		done
	done
}

@test "values of any size" {
	local size type sizes="1 4 7 9 15 16 17 100 3000"
	! emulated || sizes="1 9 3000"
	for size in $sizes; do
		for type in hash percpu_hash; do
			dumped --map_type "$type" --value_size "$size" --max_entries 500 \
				--nr_entries 300 --batch_size 100 --writers 1
		done
	done
}

@test "two producers read one map" {
	local method
	for method in batch next_key; do
		dumped --method "$method" -p 2 --max_entries 3000 --nr_entries 2000
		holds "$json" "how many calls, and of what size only where there is one" \
			".notes | has(\"batch\") == (\"$method\" == \"batch\")"
	done
}

# beside_writers SECONDS WRITERS WORD...: whole runs, no interval is left out.
beside_writers() {
	local seconds=$1 writers=$2
	shift 2
	run --separate-stderr "$BENCH" -q -w 0 -d "$seconds" htab-batch-dump --writers "$writers" \
		--json "$json" "$@"
	[ "$status" -eq 0 ] || fail "$*"
	counts_add_up "$json" "the writers wrote, both ways" \
		'.counters | .writes_by_syscall > 10000 and .writes_by_program > 10000' \
		"many dumps" '.counters.dumps_checked > 20'
}

@test "beside one writer and two, every key that stays is in each batch dump once" {
	local writers type
	for writers in 1 2; do
		for type in hash percpu_hash; do
			beside_writers 3 "$writers" --map_type "$type" --nr_entries 5000
			holds "$json" "nothing that is counted and not an error" \
				'.counters | has("doubles") or has("missing") | not'
		done
	done
}

@test "the same on one CPU, and in a map that is full but for the writers' keys" {
	local cpu
	cpu=$(awk '$1 == "Cpus_allowed_list:" { split($2, cpus, /[-,]/); print cpus[1] }' /proc/self/status)
	need_command taskset
	run --separate-stderr taskset -c "$cpu" "$BENCH" -q -w 0 -d 3 htab-batch-dump --writers 2 \
		--nr_entries 5000 --json "$json"
	[ "$status" -eq 0 ] || fail "on one CPU"
	holds "$json" "the writers wrote" '.counters.writes_by_program > 0'
	beside_writers 1 2 --max_entries 2048 --nr_entries 1500 --batch_size 8
}

@test "a dump that deletes, beside writers" {
	local type
	for type in hash percpu_hash; do
		beside_writers 2 2 --map_type "$type" --method batch_delete --nr_entries 2000
	done
}

@test "what cannot be promised is counted: key by key, and LRU maps" {
	local type
	beside_writers 1 2 --method next_key --nr_entries 2000
	holds "$json" "what a walk comes across" '.counters | has("doubles") and
		has("missing") and has("vanished") and has("cut_short")'
	for type in lru_hash lru_percpu_hash; do
		beside_writers 1 2 --map_type "$type" --max_entries 4000 --nr_entries 4000
		holds "$json" "a full map evicts" '.counters.evicted > 0' \
			"batches have nothing twice all the same" '.counters | has("doubles") | not'
		beside_writers 1 2 --map_type "$type" --method next_key --max_entries 4000 \
			--nr_entries 4000
		holds "$json" "a full map evicts" '.counters.evicted > 0'
	done
}

# There are more of their keys than the map has room for.
@test "no more is evicted than there was, also where two producers see it" {
	local method
	for method in batch next_key; do
		beside_writers 1 2 -p 2 --map_type lru_hash --method "$method" --max_entries 500 \
			--nr_entries 500
		holds "$json" "each key once" '.counters.evicted | . > 250 and . <= 500'
	done
}

# Each time it is filled an LRU map may keep others.
@test "an LRU map that is filled again after each dump, with and without writers" {
	local type turn
	for type in lru_hash lru_percpu_hash; do
		for turn in 1 2 3; do
			dumped --map_type "$type" --method batch_delete --max_entries 1000 \
				--nr_entries 1000 --writers 1
			holds "$json" "evicted" '.counters.evicted > 0'
		done
		dumped --map_type "$type" --method batch_delete --max_entries 1000 --nr_entries 1000
		holds "$json" "what was there is there" '.counters | has("evicted") | not'
	done
}

@test "CPU time beside wall time, nearly all of it in the kernel" {
	run --separate-stderr "$BENCH" -w 0 -d 1 htab-batch-dump --nr_entries 39000 --json "$json"
	[ "$status" -eq 0 ] || fail "no result"
	[[ $output =~ (^|$'\n')"cpu "\ +[0-9.]+" ns/op "[^$'\n']*"(user "[0-9.]+"%, system "[0-9.]+"%)" ]] ||
		fail "no CPU time in the text"
	[[ ${lines[-1]} =~ ^"Summary: throughput "\ *[0-9.]+" ± "[0-9.]+" ops/s (" ]] ||
		fail "not the last line"
	holds "$json" \
		"with spread" '.cpu_ns.raw | .median > 0 and .min <= .median and .median <= .p90 and
			.p90 <= .p99 and .p99 <= .max and .samples > 0' \
		"for each sample of the one there is one of the other" \
		'.cpu_ns.raw.samples == .cost_ns.raw.samples' \
		"no more than wall time (and the system calls of the clock)" \
		'.cpu_ns.raw.min < .cost_ns.raw.median * 1.1 + 5000' \
		"90% in the system call" '.cpu_ns.system > 0.9 * (.cpu_ns.system + .cpu_ns.user)' \
		"the loop around it is next to nothing" \
		'.cost_ns.overhead.median < 0.01 * .cost_ns.raw.median' \
		"entries a second" '(.counters.entries_per_sec / (39000 * 1e9 / .cost_ns.raw.median)) |
			. > 0.999 and . < 1.001'
}

# Looking at a value of 3000 bytes takes ten times as long as reading it.
@test "the checks are not in the time, and nor is filling the map again" {
	local reading
	run --separate-stderr "$BENCH" -q -w 0 -d 0 htab-batch-dump --value_size 3000 --json "$json"
	[ "$status" -eq 0 ] || fail "no result"
	holds "$json" "nearly all in the kernel" \
		'.cpu_ns.system > 0.8 * (.cpu_ns.system + .cpu_ns.user)'
	dumped --max_entries 5000 --nr_entries 4000
	reading=$(jq '.results[0].cpu_ns.raw.min' "$json")
	dumped --max_entries 5000 --nr_entries 4000 --method batch_delete
	holds "$json" "deleting as well takes less than three times as long as reading" \
		".cpu_ns.raw.min < 3 * $reading"
}

@test "a dump of more entries takes longer" {
	local few
	dumped --nr_entries 100
	few=$(jq '.results[0].cost_ns.net.median' "$json")
	dumped --nr_entries 20000
	holds "$json" "200 times as many: 5 times as long at least" ".cost_ns.net.median > 5 * $few"
}

# What disturbs a machine only makes it slower: of runs that take turns the fastest dump of each way is
# compared, of as many as it takes, up to 15.
@test "39000 of 50000: in batches at least 6 times as fast as key by key" {
	local turn method ratio
	! emulated || skip "times of an emulated processor: see exact mode for instructions"
	for ((turn = 0; turn < 15; turn++)); do
		for method in batch next_key; do
			SLICES_SEC=0.6 measured_shortly "$json" htab-batch-dump --nr_entries 39000 \
				--method "$method"
			jq '.results[0].cpu_ns.raw.min' "$json" >>"$json.$method"
		done
		ratio=$(jq -n "$(jq -s min "$json.next_key") / $(jq -s min "$json.batch")")
		[ "$(jq -n "$ratio >= 6")" != true ] || return 0
	done
	fail "$ratio: batch: $(<"$json.batch"), next_key: $(<"$json.next_key")"
}

# our_map: the id of the map of the run in the background.
our_map() {
	sed -n 's/^map_id:[[:space:]]*//p' "/proc/$bench_pid/fdinfo/"* 2>/dev/null | sort -u |
		while read -r id; do
			[ "$(bpftool -j map show id "$id" | jq -r .name)" != bench_htab ] || echo "$id"
		done
}

# spoil COMMAND WORD...: let bpftool do this to the map of a run in the background, which has started.
spoil() {
	local command=$1 id
	shift
	printed "' started." || { reaped; fail "never started"; }
	id=$(our_map)
	[ -n "$id" ] || fail "no map"
	bpftool map "$command" id "$id" "$@" || fail "bpftool"
}

# found TEXT WHAT: the run has ended as one that failed, for this reason, and without figures.
found() {
	reaped
	[ "$status" -eq 1 ] || fail "not found: $2"
	[[ $stderr == "bench: "*"$1"* && $stderr != *$'\n'* ]] || fail "expected: $1"
	[[ $output != *Summary* ]] || fail "a result all the same"
	[ "$(jq -r '.results[0] | .status, .cost_ns' "$json")" = $'failed\nnull' ] ||
		fail "not as failed in the JSON"
}

# spoilt METHOD TEXT COMMAND BPFTOOL-WORD...: what bpftool does to the map during a run is found.
spoilt() {
	local method=$1 text=$2
	shift 2
	start -w 0 -d "$long" htab-batch-dump --nr_entries 1000 --method "$method" --json "$json"
	spoil "$@"
	found "$text" "$method, $*"
}

@test "a map that others spoil is no result: a key lost, one more, another value" {
	local method
	need_command bpftool
	for method in batch next_key; do
		spoilt "$method" "lacks 1 of the 1000 keys that were there throughout, key 0x42000005" \
			delete key hex 05 00 00 42
		spoilt "$method" "has key 0x42000005 with another value" \
			update key hex 05 00 00 42 value hex 01 02 03 04 05 06 07 08
		spoilt "$method" "has key 0x42000700, which was never in the map" \
			update key hex 00 07 00 42 value hex 01 02 03 04 05 06 07 08
	done
}

@test "a fault that was found is a failure, though a signal ends the run as well" {
	need_command bpftool
	start -w 0 -d "$long" htab-batch-dump --nr_entries 1000 --json "$json"
	printed "' started." || { reaped; fail "never started"; }
	# So that both come at the same time.
	kill -STOP "$bench_pid"
	spoil delete key hex 05 00 00 42
	kill -INT "$bench_pid"
	kill -CONT "$bench_pid"
	found "lacks 1 of the 1000 keys" "with a signal"
}

# Only the map itself can tell whether a key has gone or was passed by.
@test "key by key beside writers: a key that the map has lost is found in the end" {
	need_command bpftool
	start -w 0 -d "$long" htab-batch-dump --nr_entries 1000 --method next_key --writers 1 --json "$json"
	spoil delete key hex 05 00 00 42
	kill -INT "$bench_pid"
	found "lost 1 of the 1000 keys that were to stay, key 0x42000005" "a key that is lost"
}

@test "beside writers, too, a key that stays has its value: an LRU map read in batches, a hash by key" {
	local words
	need_command bpftool
	for words in "--method next_key" "--map_type lru_hash --max_entries 50000"; do
		# shellcheck disable=SC2086 # the words are several on purpose
		start -w 0 -d "$long" htab-batch-dump --nr_entries 1000 --writers 1 --json "$json" $words
		spoil update key hex 05 00 00 42 value hex 01 02 03 04 05 06 07 08
		found "has key 0x42000005 with another value" "$words"
	done
}

# The writer's first key: there for a moment, again and again.
@test "a key that somebody takes away from a writer is found in the end" {
	local try id
	need_command bpftool
	start -w 0 -d "$long" htab-batch-dump --nr_entries 1000 --writers 1 --json "$json"
	printed "' started." || { reaped; fail "never started"; }
	id=$(our_map)
	for ((try = 0; try < 200; try++)); do
		! bpftool map delete id "$id" key hex e8 03 00 42 2>/dev/null || break
	done
	[ "$try" -lt 200 ] || fail "never there"
	kill -INT "$bench_pid"
	found "0 keys of the writers could not be inserted, and 1 not deleted" "a key taken away"
}

# A library that is loaded before libbpf: deleting has become reading.
@test "a dump that is to delete and does not is no result" {
	local words library=$BATS_TEST_TMPDIR/reads_only.so
	need_command cc
	cc -shared -fPIC -O2 -o "$library" "$BATS_TEST_DIRNAME/reads_only.c"
	for words in "" "--map_type lru_hash" "--writers 1"; do
		# shellcheck disable=SC2086 # no word, or several
		LD_PRELOAD=$library refused 1 "a dump that deletes has left key 0x42000000 in the map" \
			--method batch_delete $words
	done
}

@test "more memory than there is: refused with the estimate" {
	refused 4 "MiB of memory are free" --max_entries 67108864 --value_size 1048576
	refused 4 "MiB of memory are free" --max_entries 67108864 --nr_entries 67108864 \
		--map_type percpu_hash --value_size 32768
}

# The estimates, in MiB, where there is never enough.
@test "the estimate has room for the writers' values" {
	local writers estimates=()
	for writers in 0 256; do
		refused 4 "MiB of memory are free" --max_entries 67108864 --nr_entries 67108352 \
			--value_size 1048576 --writers "$writers"
		[[ $stderr =~ "about "([0-9]+)" MiB" ]] || fail "no estimate"
		estimates+=("${BASH_REMATCH[1]}")
	done
	# Each has two of one MiB, and a dump has room for those of its two keys.
	[ $((estimates[1] - estimates[0])) -ge 1024 ] || fail "${estimates[*]}"
}

# has_filled: the memory for a dump of two million entries is there, so the map is full.
has_filled() {
	[ "$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$bench_pid/status")" -gt 20000 ]
}

# calibrates: there is a producer.
calibrates() {
	local threads=("/proc/$bench_pid/task/"*)
	[ "${#threads[@]}" -gt 1 ]
}

# By key, such a dump takes some seconds.
@test "an end by a signal while it is set up: a dump of millions is not waited for" {
	local phase begin
	! emulated || skip "filling the map takes minutes"
	[ "$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)" -gt 1024 ] ||
		skip "less than 1 GiB of memory"
	for phase in has_filled calibrates; do
		start htab-batch-dump --max_entries 2000000 --nr_entries 2000000 --method next_key
		until "$phase"; do
			kill -0 "$bench_pid" || { reaped; fail "it ended by itself"; }
			sleep 0.1
		done
		begin=${EPOCHREALTIME/./}
		kill -TERM "$bench_pid"
		reaped
		[ "$status" -eq 143 ] || fail "not the status of SIGTERM"
		[[ $stderr == *"before the first sample" ]] || fail "it was set up already"
		[ $((${EPOCHREALTIME/./} - begin)) -lt 1500000 ] ||
			fail "$phase: took $((${EPOCHREALTIME/./} - begin)) us to end"
	done
}

@test "an end by a signal, in the middle of a dump beside writers" {
	remember_objects
	start -w 0 -d 60 htab-batch-dump --nr_entries 39000 --writers 2
	printed "' started." || { reaped; fail "never started"; }
	sleep 0.3
	kill -INT "$bench_pid"
	reaped
	bench_pid=
	[ "$status" -eq 130 ] || fail "not the status of SIGINT"
	[[ $output == *Summary* ]] || fail "no figures until then"
	nothing_left
}

@test "nothing is left behind by a run beside writers" {
	remember_objects
	dumped --nr_entries 1000 --writers 2
	nothing_left
}
