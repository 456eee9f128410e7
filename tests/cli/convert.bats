#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# `bench convert` from outside, on results made up from those in tests/corpus/, and read by the tools
# that the formats are of, where those are installed:
#
#	BENCH=./bench bats tests/cli/convert.bats

load helpers

corpus=tests/corpus
compare_py=/usr/share/benchmark/compare.py

setup() {
	need_bench
	folder=$(mktemp -d)
}

teardown() {
	rm -rf "$folder"
}

# converted ARGUMENT...: exit status 0; what is on stderr is left to the test.
converted() {
	run --separate-stderr "$BENCH" convert "$@"
	[ "$status" -eq 0 ] || wrong "not exit status 0"
}

refused() {
	usage_error "$1" convert "${@:2}"
}

# rounds FILE COST N: so many rounds of about that net cost.
rounds() {
	jq ".results = [.results[0] | range($3) as \$i | .started_unix_ns += \$i * 1000000000 |
		.cost_ns.net.median = $2 * (1 + \$i / 100)]" "$corpus/timed.json" >"$folder/$1"
}

# A Python that has SciPy, which compare.py wants.
python_with_scipy() {
	local python
	for python in python3 /usr/bin/python3; do
		if "$python" -c 'import scipy' 2>/dev/null; then
			echo "$python"
			return
		fi
	done
	return 1
}

@test "convert: help, and what is wrong on the command line" {
	converted --help
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ] || wrong "too wide: $line"
	done
	refused "convert to what? --format google, go or csv" a.json
	refused "convert what? Give results of \`bench --json\`" --format csv
	refused "--format: 'xml' is none of google, go, csv" --format xml a.json
	refused "$corpus/timed.json and $corpus/timed.json hold the same round of maps-get: give each once" \
		--format csv "$corpus/timed.json" "$corpus/timed.json"
	cp "$corpus/timed.json" "$folder/kept"
	refused "$folder/./kept: is read, and would be written over: give another file for the output" \
		--format csv "$folder/kept" -o "$folder/./kept"
	cmp "$corpus/timed.json" "$folder/kept" || wrong "written over"
	refused "unknown option '--nothing' (\`bench convert --help\` lists them)" --nothing
	refused "'--format': needs a value" a.json --format
	refused "--output: is empty" -o "" --format csv a.json
	refused "-: standard input can be read once only" --format csv - -
	refused "$folder/none: cannot read it: No such file or directory" --format go "$folder/none"
	refused "none of 1 results has a figure to convert: 'maps-get/nr_maps=16/lookup=direct/trigger=test_run': 'failed'" \
		--format go "$corpus/failed.json"
}

@test "convert: output that cannot be written" {
	run --separate-stderr "$BENCH" convert --format csv -o /dev/full "$corpus/timed.json"
	[[ $status -eq 1 && $stderr == "bench: cannot write to /dev/full: No space left on device" ]] ||
		wrong "another end"
	converted --format csv -o "$folder/out" "$corpus/timed.json"
	[ -z "$output" ] || wrong "something on stdout"
	[ "$(wc -l <"$folder/out")" -eq 2 ] || wrong "not two lines"
}

@test "convert: Google's format, a round a repetition" {
	rounds three 10 3
	converted --format google "$folder/three" - <"$corpus/exact.json"
	[ -z "$stderr" ] || wrong "something on stderr"
	jq -e '.context.num_cpus == 2 and .context.date == "2023-11-14T22:13:20+00:00" and
		(.benchmarks | length) == 4' <<<"$output" || wrong "another context"
	jq -e '[.benchmarks[] | select(.name == "maps-get/nr_maps=16/lookup=direct/trigger=test_run")] |
		map(.repetition_index) == [0, 1, 2] and all(.repetitions == 3) and
		(map(.real_time) | map(. * 10 | round) == [100, 101, 102]) and
		all(.run_type == "iteration" and .run_name == .name and .time_unit == "ns" and
			.iterations == 1000000 and .threads == 1 and .cpu_time == .real_time and
			(has("label") | not))' <<<"$output" || wrong "other repetitions"
	jq -e '.benchmarks[3] | .name == "maps-get/nr_maps=16/lookup=direct/trigger=test_run/insn" and
		.repetitions == 1 and .real_time == 119 and .label == "instructions, not time"' \
		<<<"$output" || wrong "no counts"
}

@test "convert: what has no figure is left out, and said" {
	converted --format google "$corpus/timed.json" "$corpus/failed.json"
	[ "$stderr" = "bench: left out 1 of 2 results, which have no net cost" ] || wrong "not said"
	[ "$(jq '.benchmarks | length' <<<"$output")" -eq 1 ] || wrong "not left out"
	jq '.results[0].insn.net.exact = false' "$corpus/exact.json" >"$folder/loose"
	converted --format go "$corpus/timed.json" "$folder/loose"
	[ "$stderr" = "bench: left out 1 of 2 results, which have no net cost" ] || wrong "not said"
}

# on_core FILE ALONE SHARED: so many rounds on a core alone, and others on a shared one.
on_core() {
	rounds "$1" 10 "$(($2 + $3))"
	jq --argjson alone "$2" '.results |= [to_entries[] | .key as $i | .value |
		.disturbance.core = {alone: 0.5, alone_only: ($i < $alone), ghz: 2, reference_cycles: 1200}]' \
		"$folder/$1" >"$folder/marked" && mv "$folder/marked" "$folder/$1"
}

@test "convert: rounds on a shared core are left out where there are six others, and said" {
	local format
	on_core enough 6 2
	on_core few 5 2
	converted --format google "$folder/enough"
	[ "$stderr" = "bench: left out 2 of 8 results, measured on a shared core" ] || wrong "not said"
	[ "$(jq '.benchmarks | length' <<<"$output")" -eq 6 ] || wrong "not left out"
	converted --format go "$folder/enough"
	[ "$(grep -c ^Benchmark <<<"$output")" -eq 6 ] || wrong "not left out"
	for format in google go; do
		converted --format "$format" "$folder/few"
		[ -z "$stderr" ] || wrong "something is left out"
		[ "$(grep -c "maps-get\|Benchmark[^ ]*maps" <<<"$output")" -ge 7 ] || wrong "left out"
	done
	converted --format csv "$folder/enough"
	[ -z "$stderr" ] && [ "${#lines[@]}" -eq 9 ] || wrong "left out"
}

# With 8 rounds a side both count all arrangements, with 26 both take the normal approximation.
@test "convert: Google's compare.py reads it, and finds the same p as bench compare" {
	local python n theirs ours
	[ -e "$compare_py" ] || skip "no $compare_py (libbenchmark-tools)"
	python=$(python_with_scipy) || skip "no Python with SciPy"
	for n in 8 26; do
		rounds base 10 "$n"
		rounds new 10.45 "$n"
		"$BENCH" convert --format google -o "$folder/base.json" "$folder/base"
		"$BENCH" convert --format google -o "$folder/new.json" "$folder/new"
		run "$python" "$compare_py" --no-color -d "$folder/dump.json" benchmarks \
			"$folder/base.json" "$folder/new.json"
		[ "$status" -eq 0 ] || wrong "compare.py refuses it"
		[[ $output == *maps-get/nr_maps=16/lookup=direct/trigger=test_run*+0.0450* ]] ||
			wrong "no change of 4.5%"
		theirs=$(jq '.[] | select(.name | startswith("maps-get")) | .utest.time_pvalue // empty' \
			"$folder/dump.json" | head -n 1)
		ours=$("$BENCH" compare --format json "$folder/base" "$folder/new" | jq '.cases[0].p')
		awk -v a="$theirs" -v b="$ours" 'BEGIN { exit !(a && b && a / b > 0.9999 && a / b < 1.0001) }' ||
			wrong "p of theirs '$theirs', of ours '$ours'"
	done
}

# Lines as golang.org/design/14313-benchmark-format has them, and benchstat's lines for units.
is_go_format() {
	awk '
	/^Unit [^ ]+( [a-z]+=[a-z]+)+$/ { next }
	/^[a-z][^ \t\n\r[:upper:]:]*: / { next }
	/^Benchmark[A-Z][^ ]*-[0-9]+ [0-9]+( [0-9.e+-]+ [^ ]+)+$/ { results++; next }
	{ print "not of the format: " $0; bad = 1 }
	END { exit bad || !results }'
}

@test "convert: Go's format" {
	rounds three 10 3
	converted --format go "$folder/three" "$corpus/exact.json" "$corpus/watched.json"
	is_go_format <<<"$output" || wrong "another format"
	[ "$(grep -c '^BenchmarkMapsGet/nr_maps=16/lookup=direct/trigger=test_run-1 1000000 ' <<<"$output")" -eq 4 ] ||
		wrong "not four rounds"
	[[ $output == *" 10.1 ns/op 12.5 raw-ns/op 2.5 overhead-ns/op 13.5 p90-ns/op 14.5 p99-ns/op 80000000 op/s"* ]] ||
		wrong "no times"
	[[ $output == *" 119 insn/op 122.9375 raw-insn/op 3.9375 overhead-insn/op"* ]] || wrong "no counts"
	[[ $output == *'BenchmarkLatency/function=a,_"b"/flag=true/command=sleep_1/row=one-1 '*" 100 p50_ns 900.5 p99_ns"* ]] ||
		wrong "no rows"
	[[ $output == *$'\ngoarch: amd64\n'*$'\nkernel: 6.1.0\n'* ]] || wrong "no settings"
	jq '.results[0] | .options.producers = 3 | .benchmark = "x\u00a0y z\nw" | .host.machine = "aarch64" |
		{schema: "bpf-bench-results", schema_version: 1, results: [.]}' "$corpus/timed.json" \
		>"$folder/odd"
	converted --format go "$folder/odd"
	is_go_format <<<"$output" || wrong "another format"
	[[ $output == *$'\ngoarch: arm64\n'*BenchmarkXYZW/*/producers=3-3\ * ]] || wrong "another name"
}

@test "convert: settings are given anew where they change" {
	jq '.results[0] |= (.host.kernel_release = "6.12.0" | .started_unix_ns += 1000000)' "$corpus/timed.json" \
		>"$folder/other"
	jq '.results[0].started_unix_ns += 2000000' "$corpus/timed.json" >"$folder/third"
	converted --format go "$corpus/timed.json" "$folder/other" "$folder/third"
	[ "$(grep -E '^(kernel:|goos:|cpu:|Benchmark)' <<<"$output" | cut -c1-9 | paste -sd' ')" = \
		"goos: lin cpu: Some kernel: 6 Benchmark kernel: 6 Benchmark kernel: 6 Benchmark" ] ||
		wrong "other settings"
}

@test "convert: CSV, a line a round" {
	rounds three 10 3
	jq '.results[0].reason = "a \"b\", c\nd"' "$corpus/failed.json" >"$folder/failed"
	converted --format csv "$folder/three" "$folder/failed" "$corpus/exact.json" "$corpus/watched.json"
	[ -z "$stderr" ] || wrong "something on stderr"
	command -v python3 || skip "no python3 to read it with"
	python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin, strict=True))
assert len(rows) == 7, len(rows)
assert all(None not in row and None not in row.values() for row in rows)
assert [row["round"] for row in rows] == ["0", "1", "2", "3", "4", "0", "0"], rows
assert [row["net"] for row in rows[:3]] == ["10", "10.1", "10.2"], rows
assert rows[3]["status"] == "failed" and rows[3]["net"] == "" and rows[3]["raw"] == ""
assert rows[3]["reason"] == "a \"b\", c\nd"
assert rows[4]["unit"] == "insn/op" and rows[4]["net"] == "119" and rows[4]["p99"] == ""
assert rows[5]["row"] == "one" and rows[5]["p99_ns"] == "900.5" and rows[6]["p50_ns"] == ""
assert rows[5]["case"].startswith("latency/function=a, \"b\"/")
assert rows[5]["lost"] == "18446744073709551615"
assert rows[0]["p99_ns"] == "" and rows[0]["kernel_release"] == "6.1.0"
' <<<"$output" || wrong "another table"
}
