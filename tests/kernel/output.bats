#!/usr/bin/env bats
# shellcheck disable=SC2016 # what is in single quotes is jq's
# SPDX-License-Identifier: GPL-2.0
#
# What a run prints, and its JSON:
# - W + D + 1 progress lines, and the Summary as the last line, exactly as scripts know them
# - with --json - nothing but JSON on standard output; all fields of docs/json.md; consistent figures
# - producers run on the CPUs that were asked for
#
#	sudo BENCH=./bench bats tests/kernel/output.bats

load helpers

setup() {
	need_bpf
	json=$BATS_TEST_TMPDIR/json
}

teardown() {
	[ -z "${bench_pid:-}" ] || kill -KILL "$bench_pid"
}

# printf's %8.3lf, %7.3lf and %5.3lf of what is not negative.
f8='(   [0-9]|  [0-9]{2}| [0-9]{3}|[0-9]{4,})\.[0-9]{3}'
f7='(  [0-9]| [0-9]{2}|[0-9]{3,})\.[0-9]{3}'
f5='[0-9]+\.[0-9]{3}'

# progress_lines WARMUP DURATION REST: as many as there must be, numbered, each with this rest.
progress_lines() {
	local wanted=$(($1 + $2 + 1)) n=0 line
	for line in "${lines[@]}"; do
		[[ $line == Iter* ]] || continue
		[[ $line =~ ^"Iter $(printf %3d "$n") ("(\ *-?[0-9]+\.[0-9]{3})"us): "$3$ ]] ||
			fail "not a progress line: $line"
		[ "${#BASH_REMATCH[1]}" -ge 7 ] || fail "not padded: $line"
		# What an interval takes over a second: at most a slice's end, on a busy machine.
		[ "${BASH_REMATCH[1]%.*}" -ge 0 ] || fail "an interval below a second: $line"
		n=$((n + 1))
	done
	[ "$n" -eq "$wanted" ] || fail "$n progress lines, not $wanted"
}

# last_line REGEX: of a whole standard output.
last_line() {
	[[ ${lines[-1]} =~ ^$1$ ]] || fail "the last line is not as scripts know it: $1"
	[[ $output != *nan* && $output != *inf* ]] || fail "a figure that is no number"
}

storage_summary="Summary: hits throughput $f8 ± $f5 M ops/s, hits latency $f8 ns/op, important_hits throughput $f8 ± $f5 M ops/s"
count_summary="Summary: hits $f8 ± $f5""M/s \\($f7""M/prod\\), drops $f8 ± $f5""M/s, total operations $f8 ± $f5""M/s"

@test "local storage: progress and Summary" {
	for name in "$SEQ" "$CONTROL"; do
		run --separate-stderr "$BENCH" -w 1 -d 1 "$name" --nr_maps 10
		[ "$status" -eq 0 ] && [ -z "$stderr" ] || fail "not successful"
		[ "${lines[0]}" = "Setting up benchmark '$name'..." ] || fail "the first line"
		[ "${lines[1]}" = "Benchmark '$name' started." ] || fail "the second line"
		progress_lines 1 1 "hits ${f8}M/s important_hits ${f8}M/s"
		last_line "$storage_summary"
	done
}

@test "counting: progress and Summary" {
	run --separate-stderr "$BENCH" -w 0 -d 2 -p 2 count-local
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || fail "not successful"
	progress_lines 0 2 "hits ${f8}M/s \\(${f7}M/prod\\), drops ${f8}M/s, total operations ${f8}M/s"
	last_line "$count_summary"
}

@test "one interval alone has a Summary of numbers" {
	run --separate-stderr "$BENCH" -q -w 0 -d 0 "$SEQ" --nr_maps 10
	[ "$status" -eq 0 ] || fail "not successful"
	[[ $output != *Iter* && $output != *started* ]] || fail "progress with -q"
	last_line "$storage_summary"
}

@test "the Summary is the JSON's figures" {
	local mean rest
	run --separate-stderr "$BENCH" -w 0 -d 1 "$SEQ" --nr_maps 10 -p 2 --json "$json"
	[ "$status" -eq 0 ] || fail "not successful"
	mean=$(jq '.results[0].rate_per_sec.raw.hits.mean / 1e6' "$json")
	rest=${lines[-1]#Summary: hits throughput}
	awk -v mean="$mean" -v text="${rest%% ±*}" \
		'BEGIN { d = mean - text; exit !(d * d < 1e-6) }' ||
		fail "the Summary says ${rest%% ±*}, JSON $mean"
	rest=${rest#*hits latency}
	awk -v mean="$mean" -v text="${rest%% ns*}" \
		'BEGIN { d = 2000 / mean - text; exit !(d * d < 1e-6) }' ||
		fail "latency is not producers / rate"
}

@test "--json -: standard output holds the JSON and nothing else" {
	run --separate-stderr "$BENCH" -w 0 -d 0 "$INT" --nr_maps 10 --json -
	[ "$status" -eq 0 ] || fail "not successful"
	jq -e '.schema == "bpf-bench-results" and .schema_version == 1 and (.results | length) == 1' \
		<<<"$output" >/dev/null || fail "not one JSON document"
	[ "${output:0:1}" = "{" ] && [ "${output: -1}" = "}" ] || fail "more than JSON"
	[[ $stderr == *"Setting up"*Iter*$'\n'"Summary: "* ]] || fail "no text on stderr"
}

# The names in the first column of the tables of a section of docs/json.md.
documented() {
	awk -v section="$1" '
		/^##/ { inside = ($0 == section) }
		inside && /^\| `/ { split($0, columns, "|"); print columns[2] }
	' "$BATS_TEST_DIRNAME/../../docs/json.md" | tr -d '` ' | tr ',' '\n'
}

# fields SECTION FILTER: what the filter selects is an object with just the documented fields.
fields() {
	local there wanted
	there=$(jq -r ".results[0] | $2 | keys[]" "$json" | sort)
	wanted=$(documented "$1" | sort)
	[ -n "$wanted" ] || fail "nothing documented in $1"
	[ "$there" = "$wanted" ] ||
		fail "$1: documented (<) and there (>): $(diff <(echo "$wanted") <(echo "$there"))"
}

@test "--json FILE: all documented fields, and no others" {
	[ -e "$BATS_TEST_DIRNAME/../../docs/json.md" ] || skip "no docs/json.md"
	run --separate-stderr "$BENCH" -q -w 1 -d 0 "$INT" --nr_maps 10 -a --json "$json"
	[ "$status" -eq 0 ] || fail "not successful"
	fields "## A result" .
	fields "### \`options\`" .options
	fields "### \`disturbance\`" .disturbance
	emulated || fields "### \`disturbance.core\`" .disturbance.core
	fields "### \`programs\`" '.programs[0]'
	fields "### \`host\`" .host
	fields "### \`intervals\`" '.intervals[0]'
	holds "$json" \
		"what was asked for" '.options | .warmup_sec == 1 and .duration_sec == 0 and
			.producers == 1 and .affinity and .trigger == "auto"' \
		"101 percentiles, ascending" '.quantiles_ns | all(length == 101 and . == sort)' \
		"ends of the percentiles" '. as $r | ["raw", "overhead"] | all(. as $v |
			$r.quantiles_ns[$v][0] == $r.cost_ns[$v].min and
			$r.quantiles_ns[$v][100] == $r.cost_ns[$v].max)' \
		"figures in order" '.cost_ns | [.raw, .overhead] | all(.min <= .median and
			.median <= .p90 and .p90 <= .p99 and .p99 <= .max and
			.lo <= .median and .median <= .hi)' \
		"net = raw - overhead" '.cost_ns | (.raw.median - .overhead.median - .net.median) |
			. < 1e-6 and . > -1e-6' \
		"the error of net is that of both" '.cost_ns | (.raw.se * .raw.se +
			.overhead.se * .overhead.se - .net.se * .net.se) | . < 1e-6 and . > -1e-6' \
		"set-up took time, but was not the run" '.setup_ns > 1e6 and .setup_ns < 60e9' \
		"the kernel's name" ".host.kernel_release == \"$(uname -r)\"" \
		"every batch after the warm-up is a sample, if it had its core alone" \
		'. as $r | ["raw", "overhead"] | all(. as $v |
			([$r.intervals[] | select(.variant == $v and (.warmup | not)) |
				.counts.batches] | add) as $batches | $r.cost_ns[$v].samples |
			if $r.disturbance.core.alone_only then
				. >= ($batches / 20 | floor) and . <= $batches and
				($v == "overhead" or (. / $batches - $r.disturbance.core.alone | fabs) < 1e-9)
			else . == $batches end)' \
		"no figures for warm-up" '.intervals[0] | .warmup and .cost_ns.samples == 0 or
			.cost_ns == null'
}

@test "the programs: real and twin, and the operation really is cut out of the twin" {
	for name in "$SEQ" "$INT" "$CONTROL"; do
		for lookup in direct map_in_map; do
			measured_shortly "$json" "$name" --nr_maps 16 --lookup "$lookup"
			holds "$json" \
				"one program of each variant" \
				'[.programs[].variant] | sort == ["overhead", "raw"]' \
				"the same program" '[.programs[].name] | unique | length == 1' \
				"the twin has less code" '(.programs | map({key: .variant, value: .}) |
				from_entries) as $p | $p.overhead.xlated_bytes < $p.raw.xlated_bytes and
				$p.overhead.xlated_bytes > 0'
		done
	done
}

# allowed_lists PID: the CPUs that each of the process's threads may use, sorted, main thread last.
allowed_lists() {
	local task
	for task in "/proc/$1/task/"*; do
		[ "${task##*/}" = "$1" ] ||
			sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$task/status"
	done | sort -n
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/task/$1/status"
}

# on_cpus "CPU...": after start, the producers are on these CPUs, one each, the main thread anywhere.
on_cpus() {
	local wanted=$1 before
	before=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	printed "' started." || fail "never started"
	lists=$(allowed_lists "$bench_pid")
	kill -TERM "$bench_pid"
	reaped
	[ "${lists//$'\n'/ }" = "$wanted $before" ] || fail "threads on $lists, not $wanted $before"
}

@test "producers run on the CPUs they were pinned to" {
	local cpus first last
	mapfile -t cpus < <(usable_cpus)
	first=${cpus[0]} last=${cpus[-1]}
	start -w 0 "$SEQ" --nr_maps 4 --prod-affinity "$last" --json "$json"
	on_cpus "$last"
	holds "$json" "the CPU in JSON" ".cpus_used == [$last] and .options.affinity and
		.options.producer_cpus == [$last]"
	start -w 0 "$SEQ" --nr_maps 4 -a --json "$json"
	on_cpus "$first"
	holds "$json" "the CPU in JSON" ".cpus_used == [$first]"
	[ "$first" != "$last" ] || skip "one CPU: that is all that can be tried"
	start -w 0 "$SEQ" --nr_maps 4 -p 3 --prod-affinity "$last,$first" --json "$json"
	on_cpus "$first $last $last"
	holds "$json" \
		"the CPUs in JSON" ".cpus_used == [$first, $last] and
		.options.producer_cpus == [$last, $first]" \
		"a word on sharing" '.notes.cpus == "3 producers share 2"'
	start -w 0 "$SEQ" --nr_maps 4 -p 2 --json "$json"
	on_cpus "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status |
		sed 's/.*/& &/')"
	holds "$json" "nobody pinned" '.cpus_used == [] and (.options.affinity | not)'
}

# The CPUs that this shell may use, one a line.
usable_cpus() {
	awk '$1 == "Cpus_allowed_list:" {
		n = split($2, ranges, ",")
		for (i = 1; i <= n; i++) {
			split(ranges[i] "-" ranges[i], ends, "-")
			for (cpu = ends[1]; cpu <= ends[2]; cpu++)
				print cpu
		}
	}' /proc/self/status
}
