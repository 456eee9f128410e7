#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# `bench compare` from outside, on results made up from those in tests/corpus/. Nothing here runs a
# benchmark:
#
#	BENCH=./bench bats tests/cli/compare.bats

load helpers

corpus=tests/corpus

setup() {
	need_bench
	folder=$(mktemp -d)
}

teardown() {
	rm -rf "$folder"
}

# compared STATUS ARGUMENT...: exit status STATUS, nothing on stderr.
compared() {
	local expected=$1
	shift
	run --separate-stderr "$BENCH" compare "$@"
	[ "$status" -eq "$expected" ] || wrong "not exit status $expected"
	[ -z "$stderr" ] || wrong "something on stderr"
}

# refused TEXT ARGUMENT...: exit status 2, nothing on stdout, the one line "bench: TEXT".
refused() {
	usage_error "$1" compare "${@:2}"
}

# results FILE FILTER: the timed result as `$r` put through a jq filter that gives results.
results() {
	jq "def rounds(cost; n; from): range(n) as \$i | .started_unix_ns += (from + \$i) * 1000000000 |
			.cost_ns.net.median = cost * (1 + \$i / 1000);
		.results = [.results[0] | $2]" "$corpus/timed.json" >"$folder/$1"
}

# exact FILE COST: an exact result of that net cost.
exact() {
	jq ".results[0].insn.net.per_op = $2" "$corpus/exact.json" >"$folder/$1"
}

# changed FILE FILTER: the timed result's document, put through a jq filter.
changed() {
	jq "$2" "$corpus/timed.json" >"$folder/$1"
}

# seen TEXT: is part of what was printed.
seen() {
	[[ $output == *"$1"* ]] || wrong "no: $1"
}

# line_of START: the line of the output that begins so.
line_of() {
	grep "^$1" <<<"$output"
}

@test "compare: help is readable on 80 columns and names all options" {
	compared 0 --help
	for option in --threshold --alpha --metric --filter --sort --format --output --help; do
		seen "$option"
	done
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ] || wrong "too wide: $line"
	done
	run "$BENCH" --help
	seen "bench compare"
	seen "bench convert"
}

@test "compare: what is missing or too much on the command line" {
	refused "compare what? Give two files, BASE and NEW (\`bench compare --help\`)"
	refused "compare what? Give two files, BASE and NEW (\`bench compare --help\`)" a.json
	refused "compare what? Give two files, BASE and NEW (\`bench compare --help\`)" a.json --
	refused "3 files: put -- before the first of NEW: BASE... -- NEW..." a b c
	refused "unknown option '--nothing' (\`bench compare --help\` lists them)" --nothing a b
	refused "unknown option '-x' (\`bench compare --help\` lists them)" -x a b
	refused "'--alpha': needs a value" a b --alpha
	refused "-: standard input can be read once only" - -
}

@test "compare: values that are none" {
	for value in abc 2 2%% -1% % 1e3% 1001% "" 1.2.3% . 0x2% " 2%" nan% inf%; do
		refused "--threshold: '$value' is not a percentage from 0% to 1000%, such as 2%" \
			--threshold "$value" a b
	done
	for value in abc 0 1 -1 1e-3 "" 0.6 nan 0.0000000001; do
		refused "--alpha: '$value' is not a probability from 0.000000001 to 0.5, such as 0.01" \
			a b "--alpha=$value"
	done
	refused "--sort: 'cost' is none of name, ratio, p, verdict" --sort cost a b
	refused "--format: 'xml' is none of text, markdown, json" --format xml a b
	refused "--metric: is empty" --metric "" a b
	refused "--filter: is empty" --filter= a b
	refused "--output: is empty" -o "" a b
}

@test "compare: worse is 1, better and same are 0" {
	results base '[rounds(100; 7; 0)][]'
	results slow '[rounds(104; 7; 100)][]'
	results near '[rounds(101; 7; 200)][]'
	compared 1 "$folder/base" "$folder/slow"
	[[ $(line_of maps-get) == *" 7/7 "*1.040*" worse" ]] || wrong "no worse"
	seen "Summary: 1 worse, 0 better, 0 same, 0 not enough data; 0 not compared: a regression"
	compared 0 "$folder/slow" "$folder/base"
	[[ $(line_of maps-get) == *" better" ]] || wrong "no better"
	compared 0 "$folder/base" "$folder/near"
	[[ $(line_of maps-get) == *" same" ]] || wrong "no same"
	compared 1 --threshold 0.5% "$folder/base" "$folder/near"
	compared 0 --threshold 5% "$folder/base" "$folder/slow"
	compared 4 --alpha 0.0001 "$folder/base" "$folder/slow"
	seen "7 against 7 rounds cannot say: it takes 9 a side"
}

@test "compare: a higher rate is better" {
	results base '[rounds(100; 7; 0)][]'
	results fast '[rounds(100; 7; 100) | .rate_per_sec.raw.hits.mean *= 2 + .started_unix_ns / 1e21][]'
	compared 0 --metric rate "$folder/base" "$folder/fast"
	[[ $(line_of maps-get) == *" op/s "*" better" ]] || wrong "no better"
	compared 1 --metric rate "$folder/fast" "$folder/base"
	compared 0 "$folder/base" "$folder/fast"
}

@test "compare: a single round is not enough" {
	changed other '.results[0].cost_ns.net.median *= 10'
	compared 4 "$corpus/timed.json" "$folder/other"
	seen "not enough data: 1 against 1 rounds cannot say: it takes 5 a side"
	seen "1 not enough data; 0 not compared: nothing can be said"
}

@test "compare: rounds in one file, in several, on both sides of --" {
	results all '[rounds(100; 6; 0)][]'
	for i in 0 1 2 3 4 5; do
		results "slow$i" "[rounds(110; 1; 100 + $i)][]"
	done
	compared 1 "$folder/all" -- "$folder"/slow*
	compared 0 "$folder"/slow* --format text -- --sort name "$folder/all"
	[[ $(line_of maps-get) == *" 6/6 "*" better" ]] || wrong "no better"
	seen "slow2 and 3 more"
	refused "$folder/slow0 and $folder/slow0 hold the same round of maps-get: give each once" \
		"$folder/all" -- "$folder/slow0" "$folder/slow0"
}

@test "compare: standard input" {
	results all '[rounds(100; 6; 0)][]'
	cp "$folder/all" "$folder/input"
	compared 0 - "$folder/all" <"$folder/input"
	compared 0 "$folder/all" -- - <"$folder/input"
}

@test "compare: exact counts, one instruction, and none" {
	exact base 119
	exact more 120
	compared 1 "$folder/base" "$folder/more"
	[[ $(line_of maps-get) == *" 119 "*" 120 "*" exact "*" worse" ]] || wrong "no worse"
	compared 0 "$folder/more" "$folder/base"
	compared 0 "$folder/base" "$folder/base"
	[[ $(line_of maps-get) == *" same" ]] || wrong "no same"
	compared 0 --threshold 2% "$folder/base" "$folder/more"
	# Half an instruction of a batch of 1024 operations.
	exact less 119.0004
	compared 0 "$folder/base" "$folder/less"
	exact least 119.001
	compared 1 "$folder/base" "$folder/least"
}

@test "compare: counts that are not exact are not used" {
	jq '.results[0].insn.net.exact = false' "$corpus/exact.json" >"$folder/loose"
	refused "no case has figures on both sides: 'maps-get/nr_maps=16/lookup=direct/trigger=test_run': not exact in NEW" \
		"$corpus/exact.json" "$folder/loose"
	jq -s '.[0].results += .[1].results | .[0].results[1].insn.net.per_op = 500 | .[0]' \
		"$corpus/exact.json" "$folder/loose" >"$folder/both"
	compared 0 "$corpus/exact.json" "$folder/both"
	seen "maps-get, NEW: 1 of 2 not exact and left out"
}

@test "compare: instructions against time" {
	run --separate-stderr "$BENCH" compare "$corpus/timed.json" "$corpus/exact.json"
	[ "$status" -eq 2 ] || wrong "not a usage error"
	[[ $stderr == "bench: "*"instructions and time do not compare"* && $stderr != *$'\n'* ]] ||
		wrong "another text"
}

@test "compare: cases of one side only, and none in common" {
	results base '[rounds(100; 6; 0)][], (.benchmark = "gone" | [rounds(1; 6; 20)][])'
	results new '[rounds(100; 6; 100)][], (.benchmark = "fresh" | [rounds(1; 6; 120)][])'
	compared 0 "$folder/base" "$folder/new"
	seen "  gone/nr_maps=16/lookup=direct/trigger=test_run: not in NEW"
	seen "  fresh/nr_maps=16/lookup=direct/trigger=test_run: not in BASE"
	seen "1 same, 0 not enough data; 2 not compared: no regression"
	changed pad '.results[0].options.pad = 5'
	refused "no case is in both: BASE has 'maps-get/nr_maps=16/lookup=direct/trigger=test_run', NEW has 'maps-get/nr_maps=16/lookup=direct/trigger=test_run/pad=5': give results of the same benchmark, parameters and trigger" \
		"$corpus/timed.json" "$folder/pad"
}

@test "compare: everything that defines a case keeps it apart" {
	for filter in '.benchmark = "other"' '.parameters.nr_maps = 17' '.parameters.more = true' \
		'.trigger = "fentry"' '.options.producers = 2' '.options.pad = 1' \
		'.options.affinity = true' '.options.producer_cpus = [1]' \
		'.options.command = ["true"]'; do
		changed other ".results[0] |= ($filter)"
		run --separate-stderr "$BENCH" compare "$corpus/timed.json" "$folder/other"
		[[ $status -eq 2 && $stderr == *"no case is in both"* ]] || wrong "one case: $filter"
	done
	for filter in '.options.duration_sec = 9' '.host.kernel_release = "7"' '.setup_ns = 5' \
		'.parameters = {lookup: "direct", nr_maps: 16}' 'del(.options.command)'; do
		changed other ".results[0] |= ($filter)"
		compared 4 "$corpus/timed.json" "$folder/other"
	done
}

@test "compare: rounds that failed, were skipped, disturbed, interrupted or lost something" {
	results base '[rounds(100; 9; 0)][]'
	results new '[rounds(100; 9; 100)] |
		.[0] |= (.status = "failed" | .reason = "no such thing") |
		.[1] |= (.status = "skipped" | .reason = "no trampolines") |
		.[2].status = "interrupted" | .[3].disturbance.disturbed = true |
		.[4].losses = [{cause: "full", count: 7}, {cause: "missed", count: "5"}] |
		.[5].cost_ns.net.below_floor = true | .[6].cost_ns = null | .[]'
	compared 0 "$folder/base" "$folder/new"
	seen " 9/6 "
	seen "maps-get, NEW: 1 of 9 disturbed by the machine, 1 of 9 below the floor, 1 of 9 interrupted, 12 of 6000000 operations lost, 1 of 9 failed and left out, 1 of 9 skipped and left out, 1 of 9 without the figure ('no such thing')"
	[[ $output != *"maps-get, BASE:"* ]] || wrong "something about BASE"
}

@test "compare: rounds on a shared core are left out, which is said once" {
	# shellcheck disable=SC2016 # jq's
	local core='.disturbance |= (.disturbed = true | .core = {alone: 0.5, alone_only: $alone, ghz: 2,
		reference_cycles: 1200})'
	for side in base new; do
		results "$side" "[rounds(100; 10; $([ "$side" = base ] && echo 0 || echo 100))] |
			to_entries[] | (.key < 8) as \$alone | .value | $core"
	done
	compared 0 "$folder/base" "$folder/new"
	seen " 8/8 "
	seen $'Left out:\n  4 of 20 rounds, measured on a shared core\n'
	# On a core alone an interruption disturbs nothing that counts.
	[[ $output != *"To be heeded"* ]] || wrong "too much is said"
}

@test "compare: cases of a suite are in its order, whatever order they ran in" {
	# shellcheck disable=SC2016 # jq's
	results base 'rounds(100; 1; 0) as $r | ($r, ($r | .parameters.nr_maps = 17), ($r | .parameters.nr_maps = 18)) |
		.case = (.parameters.nr_maps * 2) % 5'
	compared 4 "$folder/base" "$folder/base"
	[[ $(line_of maps-get/ | tr '\n' ' ') =~ nr_maps=18.*nr_maps=16.*nr_maps=17 ]] || wrong "another order"
}

@test "compare: a case that fails is a regression" {
	compared 1 "$corpus/timed.json" "$corpus/failed.json"
	seen "failed in NEW: cannot load: Invalid argument (a regression)"
	seen "1 not compared, 1 of them because NEW fails: a regression"
	refused "no case has figures on both sides: 'maps-get/nr_maps=16/lookup=direct/trigger=test_run': failed in BASE: cannot load: Invalid argument" \
		"$corpus/failed.json" "$corpus/timed.json"
}

@test "compare: what came to nothing may not know its trigger or rows" {
	jq '.results[0].trigger = null' "$corpus/failed.json" >"$folder/early"
	compared 1 "$corpus/timed.json" "$folder/early"
	seen "failed in NEW: cannot load: Invalid argument (a regression)"
	[[ $output != *"not in BASE"* ]] || wrong "taken for another case"
	refused "no case has figures on both sides: 'maps-get/nr_maps=16/lookup=direct/trigger=test_run': failed in BASE: cannot load: Invalid argument" \
		"$folder/early" "$corpus/timed.json"
	jq '.results[0] |= (.status = "failed" | .watched = null)' "$corpus/watched.json" >"$folder/rows"
	compared 1 "$corpus/watched.json" "$folder/rows"
	seen 'row=one: failed in NEW (a regression)'
	jq '.results[0].status = "skipped"' "$folder/early" >"$folder/skipped"
	refused "no case has figures on both sides: 'maps-get/nr_maps=16/lookup=direct/trigger=test_run': skipped in NEW: cannot load: Invalid argument" \
		"$corpus/timed.json" "$folder/skipped"
}

@test "compare: what differs comes first, and what makes it doubtful is flagged" {
	results base '[rounds(100; 6; 0)][]'
	results new '[rounds(100; 6; 100) | .host.kernel_release = "6.12.0" |
		.host.mitigations.spectre_v1 = "Vulnerable" | .host.boot = null][]'
	compared 0 "$folder/base" "$folder/new"
	[[ $output == *"What differs:"*"kernel_release "*6.1.0*6.12.0*"case "* ]] || wrong "no kernel"
	seen "mitigations.spectre_v1"
	[[ $(line_of boot) == *00112233445566aa*"not known"* ]] || wrong "no boot"
	[[ $output != *"hardly comparable"* ]] || wrong "flagged without a reason"
	seen "All of BASE ran before NEW (95 s between them)"
	results other '[rounds(100; 6; 100) | .host.cpu_model = "Another"][]'
	compared 0 "$folder/base" "$folder/other"
	[[ $(line_of cpu_model) == *"Some CPU"*Another*"! hardly comparable" ]] || wrong "not flagged"
	jq '.results[0].exact_machine = "7.3"' "$corpus/exact.json" >"$folder/machine"
	compared 0 "$corpus/exact.json" "$folder/machine"
	[[ $(line_of exact_machine) == *"! hardly comparable" ]] || wrong "not flagged"
	compared 0 "$folder/base" "$folder/base"
	seen "Machine, kernel and build are the same."
}

@test "compare: rows of what watches others" {
	rows() {
		jq "def rounds(ns; from): range(6) as \$i |
				.started_unix_ns += (from + \$i) * 1000000000 |
				.watched.rows[0].figures.p50_ns = ns + \$i / 10 |
				.watched.rows[0].figures.calls_per_sec = ns + \$i / 10;
			.results = [.results[0] | rounds($2; $3)]" "$corpus/watched.json" >"$folder/$1"
	}
	rows base 100 0
	rows slow 150 50
	compared 1 "$folder/base" "$folder/slow"
	[[ $(line_of latency/row=one) == *" ns "*" worse" ]] || wrong "no worse"
	compared 0 --metric calls_per_sec "$folder/base" "$folder/slow"
	[[ $(line_of latency/row=one) == *" /s "*" better" ]] || wrong "no better"
	compared 0 --metric p99 "$folder/base" "$folder/slow"
	for name in base slow; do
		jq '.results[].watched.rows[0].figures |= {runs: 5, avg_ns: 1, net_ns: .p50_ns, p50_ns: 2}' \
			"$folder/$name" >"$folder/$name.net"
	done
	compared 1 "$folder/base.net" "$folder/slow.net"
	compared 0 --metric avg "$folder/base.net" "$folder/slow.net"
	compared 0 --format json --metric p99 "$folder/base" "$folder/slow"
	[[ $output == *'"lost": "18446744073709551615"'* ]] || wrong "another count of losses"
	refused "--metric: no result has 'calls_total' (\`bench compare --help\` lists them)" \
		--metric calls_total "$folder/base" "$folder/slow"
}

# A mean of counts is exact as far as its error: six of it, and half an instruction at least.
@test "compare: handlers that are counted with an error" {
	counted() {
		jq ".results[0].exact_mode = true | .results[0].watched.rows = [{name: \"switch\",
			figures: {runs: 9, avg_insn: 400, net_insn: $2, net_se_insn: $3}, histogram: null}]" \
			"$corpus/watched.json" >"$folder/$1"
	}
	counted base 300 0.001
	counted near 300.4 0.001
	counted more 301 0.001
	counted vague 303.5 1
	compared 0 "$folder/base" "$folder/near"
	seen "1 same"
	compared 1 "$folder/base" "$folder/more"
	[[ $(line_of latency) == *" to 0.5 "*" insn "*" worse" ]] || wrong "no tolerance"
	compared 0 "$folder/more" "$folder/base"
	seen "1 better"
	compared 0 "$folder/base" "$folder/vague"
	counted vague 306.5 1
	compared 1 "$folder/base" "$folder/vague"
	# An error of nothing is one, and none that is known is not.
	counted base 300 0
	counted more 301 0
	compared 1 "$folder/base" "$folder/more"
	jq 'del(.results[0].watched.rows[0].figures.net_se_insn)' "$folder/more" >"$folder/unknown"
	compared 4 "$folder/base" "$folder/unknown"
}

@test "compare: metrics that the results do not have" {
	refused "--metric: no result has 'nonsense' (\`bench compare --help\` lists them)" \
		--metric nonsense "$corpus/timed.json" "$corpus/timed.json"
	refused "--metric: no result has 'cpu' (\`bench compare --help\` lists them)" \
		--metric cpu "$corpus/timed.json" "$corpus/timed.json"
	refused "--metric: no result has 'p99' (\`bench compare --help\` lists them)" \
		--metric p99 "$corpus/exact.json" "$corpus/exact.json"
	refused "--metric: no result has 'p1' (\`bench compare --help\` lists them)" \
		--metric p1 "$corpus/timed.json" "$corpus/timed.json"
	changed quantiles '.results[0].quantiles_ns = {raw: [8, 8.25, 9], overhead: null}'
	compared 4 --metric p1 "$folder/quantiles" "$folder/quantiles"
	seen " 8.250 "
	changed quantiles '.results[0].quantiles_ns = {raw: [8, "9"]}'
	refused "$folder/quantiles: results[0].quantiles_ns.raw.1 is not a number: not as \`bench --json\` writes it, run it anew" \
		--metric p1 "$folder/quantiles" "$folder/quantiles"
	compared 0 --metric raw "$corpus/exact.json" "$corpus/exact.json"
	seen " 122.9375 "
}

@test "compare: --filter and --sort" {
	results base '(.parameters.nr_maps = 100 | [rounds(100; 7; 0)][]),
		(.parameters.nr_maps = 9 | [rounds(100; 7; 20)][]),
		(.parameters.nr_maps = 20 | [rounds(100; 7; 40)][])'
	results new '(.parameters.nr_maps = 100 | [rounds(100; 7; 100)][]),
		(.parameters.nr_maps = 9 | [rounds(105; 7; 120)][]),
		(.parameters.nr_maps = 20 | [rounds(90; 7; 140)][])'
	names() {
		grep -o '^maps-get/nr_maps=[0-9]*' <<<"$output" | sed 's/.*=//' | paste -sd' '
	}
	compared 1 "$folder/base" "$folder/new"
	[ "$(names)" = "100 9 20" ] || wrong "not as in BASE"
	seen "  maps-get: lookup=direct trigger=test_run"
	compared 1 --sort name "$folder/base" "$folder/new"
	[ "$(names)" = "9 20 100" ] || wrong "not by name"
	compared 1 --sort ratio "$folder/base" "$folder/new"
	[ "$(names)" = "9 100 20" ] || wrong "not by ratio"
	compared 1 --sort verdict "$folder/base" "$folder/new"
	[ "$(names)" = "9 20 100" ] || wrong "not by verdict"
	compared 1 --sort p "$folder/base" "$folder/new"
	[ "$(names)" = "9 20 100" ] || wrong "not by p"
	compared 0 --filter '*nr_maps=[12]*' "$folder/base" "$folder/new"
	[[ $(names) == "100 20" ]] || wrong "not filtered"
	refused "--filter: no case has a name like '*nr_maps=3*': give others" \
		--filter '*nr_maps=3*' "$folder/base" "$folder/new"
}

@test "compare: Markdown" {
	results base '[rounds(100; 7; 0)][]'
	results slow '[rounds(110; 7; 100) | .host.governor = "a|b"][]'
	compared 1 --format markdown "$folder/base" "$folder/slow"
	seen "| case | rounds | BASE | NEW | NEW/BASE | 95% | p | unit | verdict |"
	seen "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |"
	seen "| maps-get | 7/7 | 100.30 | 110.33 | 1.100 |"
	seen '| governor | not known | a\|b |  |'
	seen "**Summary:** 1 worse"
}

@test "compare: JSON" {
	results base '[rounds(100; 7; 0)][], (.benchmark = "gone" | [rounds(1; 1; 20)][])'
	results slow '[rounds(110; 7; 100) | .host.governor = "fast"][]'
	compared 1 --format json "$folder/base" "$folder/slow"
	jq -e '.schema == "bpf-bench-comparison" and .schema_version == 1 and .alpha == 0.01 and
		.metric == "net" and .summary.worse == 1 and .summary.regression and
		(.cases | length) == 1 and (.not_compared | length) == 1 and
		(.differences | map(.name) == ["governor"]) and
		.not_compared[0].base.rounds == [1] and .not_compared[0].base.value == null' <<<"$output" ||
		wrong "another document"
	jq -e '.cases[0] | .verdict == "worse" and .unit == "ns/op" and (.exact | not) and
		(.higher_is_better | not) and (.base.rounds | length) == 7 and
		(.base.value - 100.3 | fabs) < 1e-9 and (.ratio.value - 1.1 | fabs) < 1e-9 and .ratio.lo <= .ratio.value and
		.ratio.hi >= .ratio.value and (.p - 2 / 3432 | fabs) < 1e-12 and .p_corrected == .p and
		.threshold == 0.02 and .reason == null' <<<"$output" || wrong "another case"
	compared 0 --format json "$corpus/exact.json" "$corpus/exact.json"
	jq -e '.cases[0] | .exact and .p == null and .ratio.value == 1 and .ratio.lo == null and
		.threshold == 0 and .verdict == "same"' <<<"$output" || wrong "another exact case"
}

@test "compare: the same input, the same output" {
	results base '[rounds(100; 9; 0)][]'
	results new '[rounds(101; 8; 100)][]'
	compared 0 --format json "$folder/base" "$folder/new"
	local first=$output
	compared 0 --format json "$folder/base" "$folder/new"
	[ "$output" = "$first" ] || wrong "another output"
}

@test "compare: -o, and output that cannot be written" {
	compared 4 -o "$folder/out" "$corpus/timed.json" "$corpus/timed.json"
	[ -z "$output" ] || wrong "something on stdout"
	grep -q "nothing can be said" "$folder/out"
	refused "cannot write to /no/such/place: No such file or directory" \
		-o /no/such/place "$corpus/timed.json" "$corpus/timed.json"
	refused "cannot write to /dev/full: No space left on device" \
		-o /dev/full "$corpus/timed.json" "$corpus/timed.json"
	run --separate-stderr bash -c "'$BENCH' compare $corpus/timed.json $corpus/timed.json >/dev/full"
	[ "$status" -eq 2 ] || wrong "not 2"
	refused "$folder/none: cannot read it: No such file or directory" \
		-o "$folder/new" "$folder/none" "$corpus/timed.json"
	[ ! -e "$folder/new" ] || wrong "left a file behind"
}

@test "compare: files that cannot be read" {
	refused "$folder: cannot read it: Is a directory" "$folder" "$corpus/timed.json"
	refused "$folder/none: cannot read it: No such file or directory" \
		"$corpus/timed.json" "$folder/none"
	: >"$folder/empty"
	refused "$folder/empty: empty: give a result of \`bench --json\`" \
		"$corpus/timed.json" "$folder/empty"
}

@test "compare: cut short, wherever that is" {
	local size at
	size=$(wc -c <"$corpus/timed.json")
	for ((at = 1; at < size - 2; at += 13)); do
		head -c "$at" "$corpus/timed.json" >"$folder/cut"
		run --separate-stderr "$BENCH" compare "$folder/cut" "$corpus/timed.json"
		[[ $status -eq 2 && -z $output && $stderr == "bench: $folder/cut: "* &&
			$stderr != *$'\n'* ]] || wrong "cut at $at"
	done
	head -c 1000 "$corpus/timed.json" >"$folder/cut"
	run --separate-stderr "$BENCH" compare "$folder/cut" "$corpus/timed.json"
	[[ $stderr == "bench: $folder/cut: cut short in line "*": run it anew" ]] || wrong "another text"
}

@test "compare: not JSON, not ours, of a newer schema, without results" {
	local ours="not a result of \`bench --json\` (no schema \"bpf-bench-results\"): give one"
	echo "hello" >"$folder/text"
	refused "$folder/text: not JSON in line 1 ('[' or '{' expected near 'hello'): give a result of \`bench --json\`" \
		"$folder/text" "$corpus/timed.json"
	for document in '{}' '[]' '{"schema": "other"}' '{"schema": 1}' '{"benchmarks": []}'; do
		echo "$document" >"$folder/other"
		refused "$folder/other: $ours" "$folder/other" "$corpus/timed.json"
	done
	changed newer '.schema_version = 2'
	refused "$folder/newer: written by a newer bench (schema_version 2, 1 is known here): read it with that one" \
		"$corpus/timed.json" "$folder/newer"
	for version in 0 -1 '"1"' null 1.5; do
		changed version ".schema_version = $version"
		refused "$folder/version: schema_version is no version: not as \`bench --json\` writes it, run it anew" \
			"$corpus/timed.json" "$folder/version"
	done
	changed none '.results = []'
	refused "$folder/none: no results in it: run a benchmark with --json" \
		"$corpus/timed.json" "$folder/none"
	changed object '.results = {}'
	refused "$folder/object: results is not a list: not as \`bench --json\` writes it, run it anew" \
		"$corpus/timed.json" "$folder/object"
}

@test "compare: numbers that are none, too large, or there twice" {
	sed 's/"median": 10,/"median": NaN,/' "$corpus/timed.json" >"$folder/nan"
	refused "$folder/nan: not JSON in line 64 (invalid token near 'NaN'): give a result of \`bench --json\`" \
		"$folder/nan" "$corpus/timed.json"
	for number in 1e999 -1e999 99999999999999999999; do
		sed "s/\"median\": 10,/\"median\": $number,/" "$corpus/timed.json" >"$folder/huge"
		refused "$folder/huge: a number is too large, in line 64: run it anew" \
			"$folder/huge" "$corpus/timed.json"
	done
	changed large '.results[0].cost_ns.net.median = 1e30'
	refused "$folder/large: results[0].cost_ns.net.median is larger than anything that can be measured: not as \`bench --json\` writes it, run it anew" \
		"$corpus/timed.json" "$folder/large"
	sed 's/"status": "ok",/"status": "ok", "status": "failed",/' "$corpus/timed.json" >"$folder/twice"
	refused "$folder/twice: a name is there twice, in line 11: run it anew" \
		"$folder/twice" "$corpus/timed.json"
}

@test "compare: nested without end" {
	head -c 100000 /dev/zero | tr '\0' '[' >"$folder/deep"
	run --separate-stderr "$BENCH" compare "$folder/deep" "$corpus/timed.json"
	[[ $status -eq 2 && $stderr == "bench: $folder/deep: not JSON"* ]] || wrong "another end"
}

@test "compare: fields of a wrong type, or missing" {
	local fields='benchmark parameters status options options.producers options.pad
		options.producer_cpus options.affinity started_unix_ns exact_mode losses host'
	for field in $fields; do
		changed other "del(.results[0].$field)"
		refused "$folder/other: results[0].$field is missing: not as \`bench --json\` writes it, run it anew" \
			"$folder/other" "$corpus/timed.json"
		changed other ".results[0].$field = 1.5"
		run --separate-stderr "$BENCH" compare "$folder/other" "$corpus/timed.json"
		[[ $status -eq 2 && $stderr == "bench: $folder/other: results[0].$field is not "* ]] ||
			wrong "$field may be 1.5"
	done
	for field in cost_ns cost_ns.net cost_ns.net.median rate_per_sec attempts disturbance \
		disturbance.disturbed watched trigger reason insn host.cpu_model; do
		changed other ".results[0].$field = [[]]"
		run --separate-stderr "$BENCH" compare "$folder/other" "$corpus/timed.json"
		[[ $status -eq 2 && $stderr == "bench: $folder/other: results[0].$field is not "* ]] ||
			wrong "$field may be a list"
	done
	changed other '.results[0].losses = [{cause: "a", count: 1}, {cause: "b", count: -1}]'
	refused "$folder/other: results[0].losses[1].count is not a whole number: not as \`bench --json\` writes it, run it anew" \
		"$folder/other" "$corpus/timed.json"
	changed other '.results[0].parameters.nr_maps = {}'
	refused "$folder/other: results[0].parameters is not a list of plain values: not as \`bench --json\` writes it, run it anew" \
		"$folder/other" "$corpus/timed.json"
	changed other '.results[0].status = "fine"'
	refused "$folder/other: results[0].status is none of ok, interrupted, failed, skipped: not as \`bench --json\` writes it, run it anew" \
		"$folder/other" "$corpus/timed.json"
	changed other '.results += ["text"]'
	refused "$folder/other: results[1] is not an object: not as \`bench --json\` writes it, run it anew" \
		"$folder/other" "$corpus/timed.json"
}

@test "compare: fields that nobody knows, and digits as a string" {
	changed later '.more = {a: [1]} | .results[0].later = {b: null} | .results[0].cost_ns.net.new = 1 |
		.results[0].attempts = "18446744073709551615"'
	compared 4 "$corpus/timed.json" "$folder/later"
	changed later '.results[0].attempts = "18446744073709551616"'
	refused "$folder/later: results[0].attempts is not a whole number: not as \`bench --json\` writes it, run it anew" \
		"$folder/later" "$corpus/timed.json"
}

@test "compare: control characters from a file stay where they are" {
	results base '[rounds(100; 6; 0) | .benchmark = "maps\u001b[2J\nget" | .host.kernel_release = "a\u001bb"][]'
	results new '[rounds(100; 6; 100) | .benchmark = "maps\u001b[2J\nget"][]'
	compared 0 "$folder/base" "$folder/new"
	[[ $output != *$'\e'* ]] || wrong "an escape character"
	seen "maps?[2J?get"
	jq '.results[0].reason = "a\u001bb\nc"' "$corpus/failed.json" >"$folder/reason"
	compared 1 "$corpus/timed.json" "$folder/reason"
	seen "failed in NEW: a?b?c (a regression)"
}

@test "compare: the baselines against themselves and each other" {
	compared 0 baselines/debian-6.1.json baselines/debian-6.1.json
	seen "Summary: 0 worse, 0 better, $(jq '.results | length' baselines/debian-6.1.json) same"
	compared 1 baselines/debian-6.1.json baselines/debian-6.12.json
	[[ $(line_of bpf-loop/nr_loops=10) == *" 17.2 "*" 19.2 "*" worse" ]] || wrong "not worse"
}
