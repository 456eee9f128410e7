#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# The command line from outside: what is refused, in which words, and what help and lists look
# like. Nothing here gets as far as BPF, so any user can run it:
#
#	BENCH=./bench bats tests/cli/options.bats

load helpers

seq=local-storage-cache-seq-get
int=local-storage-cache-int-get
control=local-storage-cache-hashmap-control

setup() {
	need_bench
}

teardown() {
	[ -z "${for_anybody:-}" ] || rm -r "$for_anybody"
}

# one_line: exit status 2, one line on stderr, nothing on stdout.
one_line() {
	[ "$status" -eq 2 ] || wrong "not the exit status of a usage error"
	[ -z "$output" ] || wrong "something on stdout"
	[ -n "$stderr" ] || wrong "nothing on stderr"
	[[ $stderr != *$'\n'* ]] || wrong "more than one line on stderr"
}

# refused TEXT WORD...: the command line of these words is a usage error with this text.
refused() {
	local text=$1
	shift
	run --separate-stderr "$BENCH" "$@"
	one_line
	[[ $stderr == *"$text" ]] || wrong "expected: $text"
}

# shown WORD...: exit status 0, nothing on stderr.
shown() {
	run --separate-stderr "$BENCH" "$@"
	[ "$status" -eq 0 ] || wrong "not successful"
	[ -z "$stderr" ] || wrong "something on stderr"
}

# no_number, out_of_range VALUE OPTION RANGE WORD...: the two ways in which a number is wrong.
no_number() {
	refused "$2: '$1' is not a number in plain digits ($3)" "${@:4}"
}

out_of_range() {
	refused "$2: '$1' is not in the range $3" "${@:4}"
}

@test "the list: a headline and one name a line" {
	shown -l
	[ "${lines[0]}" = "Available benchmarks:" ] || wrong "no headline"
	for name in "$seq" "$int" "$control" count-global count-local; do
		[[ $'\n'$output$'\n' == *$'\n'"- $name"$'\n'* ]] || wrong "no $name"
	done
	for line in "${lines[@]:1}"; do
		[[ $line =~ ^-\ [a-z0-9-]+$ ]] || wrong "not a name: $line"
	done
}

@test "the list is the same by its long name, and sorted" {
	shown -l
	local short=$output
	shown --list
	[ "$output" = "$short" ] || wrong "another list"
	[ "$(tail -n +2 <<<"$output")" = "$(tail -n +2 <<<"$output" | LC_ALL=C sort)" ] ||
		wrong "not sorted"
}

@test "the list with -v says more, and still has every name" {
	shown -l -v
	[ "${lines[0]}" = "Available benchmarks:" ] || wrong "no headline"
	[[ $output == *"- $seq"* && $output == *"- count-local"* ]] || wrong "names are missing"
	local long=${#lines[@]}
	shown -l
	[ "$long" -gt "${#lines[@]}" ] || wrong "not longer than without -v"
}

@test "help has every core option and every parameter" {
	shown --help
	[[ ${lines[0]} == "Usage: bench "* ]] || wrong "no usage line"
	for option in "-l, --list" "-d, --duration SEC" "-w, --warmup SEC" "-p, --producers NUM" \
		"-c, --consumers NUM" "-v, --verbose" "-a, --affinity" "-q, --quiet" \
		"-s, --stacktrace" "--prod-affinity CPUSET" "--cons-affinity CPUSET" "-h, --help" \
		"-V, --version" "--trigger KIND" "--json FILE" "--nr_maps NUM" "--lookup WORD" \
		"--hashmap_nr_keys_used NUM" "--hashmap_max_entries NUM"; do
		[[ $output == *"$option"* ]] || wrong "no $option"
	done
	[[ $output == *"(0 to 86400) [5]"* ]] || wrong "no range and default of -d"
}

@test "help is readable on 80 columns" {
	shown --help
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ] || wrong "too wide: $line"
	done
}

@test "help with a name shows only that benchmark, on either side of the option" {
	shown --help count-global
	[[ $output == *count-global* && $output == *"(no parameters)"* ]] || wrong "not about it"
	[[ $output != *nr_maps* && $output != *"$seq"* ]] || wrong "about others too"
	local before=$output
	shown count-global -h
	[ "$output" = "$before" ] || wrong "another text"
	shown "$control" --help
	[[ $output == *hashmap_max_entries* && $output == *"1 to 1000"* ]] || wrong "no parameters"
}

@test "help can be put behind a line that was refused" {
	shown "$seq" --nr_maps 0 -p abc --help
	[[ $output == *nr_maps* ]] || wrong "not about the benchmark"
}

@test "the version is one line" {
	shown --version
	[ "${#lines[@]}" -eq 1 ] || wrong "not one line"
	local long=$output
	shown -V
	[ "$output" = "$long" ] || wrong "another version"
}

@test "no benchmark, two benchmarks" {
	refused "which benchmark? Name one (\`bench -l\` lists them)"
	refused "which benchmark? Name one (\`bench -l\` lists them)" -p 2
	refused "more than one benchmark named: 'count-global' and 'count-local'" \
		count-global -p 2 count-local
	refused "more than one benchmark named: '$seq' and '16'" "$seq" 16
	refused "$seq runs no command, but was given 'ls'" "$seq" -- ls
}

@test "unknown benchmark, with the nearest name" {
	refused "unknown benchmark 'count-gobal', did you mean count-global? (\`bench -l\` lists them)" \
		count-gobal
	refused "unknown benchmark 'local-storage-cache-sqe-get', did you mean $seq? (\`bench -l\` lists them)" \
		local-storage-cache-sqe-get
	refused "unknown benchmark 'nothing like it' (\`bench -l\` lists them)" "nothing like it"
	refused "unknown benchmark '' (\`bench -l\` lists them)" ""
}

@test "unknown option, with the nearest one" {
	refused "unknown option '--nr-maps', did you mean --nr_maps? (\`bench --help\` lists them)" \
		--nr-maps 16 "$seq"
	refused "unknown option '--durtion', did you mean --duration? (\`bench --help\` lists them)" \
		"$seq" --durtion=5
	refused "unknown option '--nothing-like-it' (\`bench --help\` lists them)" \
		"$seq" --nothing-like-it
	refused "unknown option '-x' (\`bench --help\` lists them)" -x "$seq"
	refused "unknown option '-5' (\`bench --help\` lists them)" "$seq" -5
}

@test "ambiguous option, with the candidates" {
	refused "option '--prod' is ambiguous: --producers, --prod-affinity" --prod 2 "$seq"
}

@test "options of other benchmarks" {
	refused "--nr_maps: count-global does not have this option, which is for: $control, $int, $seq" \
		count-global --nr_maps 16
	refused "--hashmap_max_entries: $seq does not have this option, which is for: $control" \
		--hashmap_max_entries=16 "$seq"
}

@test "--nr_maps takes a number from 1 to 1000, on either side of the name" {
	for name in "$seq" "$int" "$control"; do
		for value in 0 -1 1001 18446744073709551616 18446744073709551617; do
			out_of_range "$value" --nr_maps "1 to 1000" --nr_maps "$value" "$name"
			out_of_range "$value" --nr_maps "1 to 1000" "$name" --nr_maps="$value"
		done
		for value in 1e9 12abc "" " 16" 16.0 +16 0x10; do
			no_number "$value" --nr_maps "1 to 1000" --nr_maps "$value" "$name"
			no_number "$value" --nr_maps "1 to 1000" "$name" --nr_maps="$value"
		done
	done
}

@test "producers" {
	for value in abc 2x "" 1.5; do
		no_number "$value" -p "1 to 65535" -p "$value" count-local
	done
	for value in 0 -1 65536 4294967297 18446744073709551617; do
		out_of_range "$value" -p "1 to 65535" count-local -p "$value"
		out_of_range "$value" --producers "1 to 65535" --producers="$value" count-local
	done
}

@test "duration and warm-up" {
	no_number 5x -d "0 to 86400" -d 5x count-local
	out_of_range 86401 --duration "0 to 86400" --duration 86401 count-local
	no_number 1s -w "0 to 86400" -w 1s count-local
	out_of_range -1 --warmup "0 to 86400" count-local --warmup -1
}

@test "consumers of benchmarks that have none" {
	for name in "$seq" "$control" count-global count-local; do
		refused "-c: '1' is not possible, $name has no consumers" "$name" -c 1
	done
	no_number one -c "0 to 65535" count-local -c one
}

@test "missing and superfluous values" {
	refused "-p: needs a value" count-local -p
	refused "--nr_maps: needs a value" "$seq" --nr_maps
	refused "--quiet: takes no value, but was given '1'" "$seq" --quiet=1
}

@test "words that are none of the choices" {
	refused "--lookup: 'fast' is none of auto, direct, map_in_map" "$seq" --lookup fast
	refused "--lookup: '' is none of auto, direct, map_in_map" --lookup= "$control"
	refused "--trigger: 'kprobe' is none of auto, test_run, fentry, raw_tp" \
		--trigger kprobe "$seq"
}

@test "a trigger needs a program to fire" {
	for name in count-global count-local; do
		refused "--trigger: $name runs in user space and has no BPF program to fire" \
			"$name" --trigger fentry
	done
}

@test "CPU lists" {
	local nonsense="is not a CPU number or a range of them"
	for option in --prod-affinity --cons-affinity; do
		refused "$option: CPU list 'abc': 'abc' $nonsense" "$option" abc count-local
		refused "$option: CPU list '0-': '0-' $nonsense" "$option" 0- count-local
		refused "$option: CPU list '-1': '-1' $nonsense" "$option" -1 count-local
		refused "$option: CPU list '': empty" "$option" "" count-local
		refused "$option: CPU list ',0': a CPU is missing before a comma" \
			"$option" ,0 count-local
		refused "$option: CPU list '3-1': the range '3-1' is the wrong way round" \
			count-local "$option=3-1"
		refused "$option: CPU list '4294967296': '4294967296' is too large for a CPU number" \
			count-local "$option=4294967296"
	done
}

@test "CPU lists of this machine: twice, trailing comma, offline" {
	local first
	first=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
	refused "CPU list '$first,$first': CPU $first is there twice" \
		--prod-affinity "$first,$first" count-local
	refused "CPU list '$first,': ends with a comma" --prod-affinity "$first," count-local
	run --separate-stderr "$BENCH" --prod-affinity 99999 count-local
	one_line
	[[ $stderr == *"CPU 99999 is not online or not allowed here (usable: $first"*")" ]] ||
		wrong "does not name the CPUs that there are"
	# As much memory as the CPUs that are there, not as the range asks for.
	run --separate-stderr "$BENCH" --prod-affinity "$first-1048575" count-local
	one_line
	[[ $stderr == *"is not online or not allowed here"* ]] || wrong "another cause"
}

@test "more keys than the hash map has room for" {
	run --separate-stderr "$BENCH" "$control" --hashmap_nr_keys_used 500 \
		--hashmap_max_entries 499
	one_line
	[[ $stderr == *hashmap_nr_keys_used*500*499* ]] || wrong "names neither option nor values"
}

@test "dumps of hash maps: sizes of 0, above the map, above what there can be" {
	local dump=htab-batch-dump
	for option in --max_entries --batch_size; do
		out_of_range 0 "$option" "1 to 67108864" $dump "$option" 0
		out_of_range 67108865 "$option" "1 to 67108864" "$option=67108865" $dump
	done
	out_of_range 0 --value_size "1 to 1048576" $dump --value_size 0
	out_of_range 1048577 --value_size "1 to 1048576" $dump --value_size 1048577
	out_of_range -1 --nr_entries "0 to 67108864" $dump --nr_entries -1
	out_of_range 257 --writers "0 to 256" $dump --writers 257
	no_number 5k --nr_entries "0 to 67108864" $dump --nr_entries 5k
	refused "--nr_entries 50001: more than --max_entries 50000" $dump --nr_entries 50001
	refused "--nr_entries 1000: more than --max_entries 999" --max_entries 999 $dump \
		--nr_entries 1000
	refused "--batch_size 11: more than --max_entries 10" \
		$dump --max_entries 10 --nr_entries 10 --batch_size 11
	for type in percpu_hash lru_percpu_hash; do
		refused "--value_size 32769: a per-CPU map takes 32768 at most" \
			$dump --map_type "$type" --value_size 32769
	done
}

# The file cannot be written, which is found out before anything is measured, and after the parameters.
@test "dumps of hash maps: a default is never too much, only what was asked for" {
	local dump=htab-batch-dump words
	for words in "--max_entries 1" "--max_entries 100" "--max_entries 999" \
		"--max_entries 100 --writers 50" "--max_entries 1 --writers 9 --map_type lru_hash"; do
		# shellcheck disable=SC2086 # the words are several on purpose
		run --separate-stderr "$BENCH" $dump $words --json /no/such/folder/json
		[[ $stderr == *"cannot write to /no/such/folder/json"* ]] || wrong "refused: $words"
	done
	refused "--writers 51: each needs room for two other keys, and of --max_entries 101 --nr_entries takes 0" \
		$dump --max_entries 101 --writers 51
	refused "--batch_size 256: more than --max_entries 100" \
		$dump --max_entries 100 --batch_size 256
	run --separate-stderr "$BENCH" --help $dump
	[[ $output == *"[1000, less where"* ]] || wrong "the help does not say so"
}

@test "dumps of hash maps: types, methods, producers and writers that cannot be" {
	local dump=htab-batch-dump
	refused "--map_type: 'array' is none of hash, percpu_hash, lru_hash, lru_percpu_hash" \
		$dump --map_type array
	refused "--method: 'delete' is none of batch, batch_delete, next_key" $dump --method delete
	refused "--method batch_delete empties the map, of which there is one: -p must be 1" \
		$dump --method batch_delete -p 2
	refused "--writers 1: each needs room for two other keys, and of --max_entries 1000 --nr_entries takes 999" \
		$dump --writers 1 --max_entries 1000 --nr_entries 999
	refused "--trigger: $dump runs in user space and has no BPF program to fire" \
		$dump --trigger test_run
}

@test "the options that are given, by their full names" {
	run --separate-stderr "$BENCH" -qd1 --vers count-local --given --js x --max_entries 0 -p 99999999
	[ "$status" -eq 0 ] || wrong "refused"
	[ "$(sort <<<"$output" | tr '\n' ' ')" = \
		"duration given json max_entries producers quiet version " ] || wrong "not these"
	[ ! -e x ] || wrong "made the file"
	run --separate-stderr "$BENCH" --given
	[ "$status" -eq 0 ] && [ "$output" = given ] || wrong "not itself"
	refused "unknown option '--no-such-option' (\`bench --help\` lists them)" --given --no-such-option
}

@test "stack traces and an empty path are refused" {
	refused "-s: no benchmark here captures stack traces" -s count-local
	refused "--json: the path is empty" --json "" count-local
}

@test "a value with control characters stays on one line" {
	refused "-p: '1?2?[2J' is not a number in plain digits (1 to 65535)" \
		-p $'1\n2\e[2J' count-local
	refused "unknown benchmark 'a?b' (\`bench -l\` lists them)" $'a\nb'
}

@test "usage errors and help need no privilege" {
	[ "$(id -u)" -eq 0 ] || skip "not root: every test here ran without privilege"
	command -v setpriv || skip "no setpriv"
	for_anybody=$(mktemp -d)
	chmod 755 "$for_anybody"
	cp "$BENCH" "$for_anybody/bench"
	for words in "count-local -p 0" "$seq --nr_maps 0" "no-such-benchmark"; do
		# shellcheck disable=SC2086 # the words are several on purpose
		run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
			"$for_anybody/bench" $words
		one_line
	done
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$for_anybody/bench" -l
	[ "$status" -eq 0 ] || wrong "no list for anybody"
}

@test 'a suite: its own options, and what belongs in its rows' {
	local suite=$BATS_TEST_TMPDIR/suite

	echo count-local >"$suite"
	refused "--rounds: only with --suite FILE" count-local --rounds 3
	refused "--suite: the file names the benchmarks, not 'count-local'" --suite "$suite" count-local
	refused "-d: in a suite --round-ms says how long, and -d in a row of what watches others" --suite "$suite" -d 3
	refused "-a: belongs in a row of the suite" --suite "$suite" -a
	refused "--precision: 'x' is not a percentage such as 1%" --suite "$suite" --precision x
	refused "--precision: '0%' is not above 0% and up to 100%" --suite "$suite" --precision 0%
	refused "--round-ms: '9' is not in the range 20 to 3600000" --suite "$suite" --round-ms 9
	refused "cannot open the suite nosuch: No such file or directory" --suite nosuch
	refused "cannot read the suite /: Is a directory" --suite /
	refused "$suite: is read, and would be written over: give another file for the output" --suite "$suite" \
		--json "$suite"
	[ "$(<"$suite")" = count-local ] || wrong "written over"
	: >"$suite"
	refused "$suite: no case in it" --suite "$suite"
	echo 'count-local --nr_maps 3' >"$suite"
	refused "$suite:1: --nr_maps: count-local does not have this option, which is for: $control, $int, $seq" \
		--suite "$suite"
}

@test 'ab: what it refuses' {
	refused "two cases are needed: bench ab [OPTION]... -- CASE -- CASE" ab
	refused "two cases are needed: bench ab [OPTION]... -- CASE -- CASE" ab -- count-local
	refused "'x': options only before the first --, the cases after it" ab x -- count-local -- count-local
	refused "-d: --round-ms says how long" ab -d 2 -- count-local -- count-local
	refused "-p: belongs to a case, behind a --" ab -p 2 -- count-local -- count-local
	refused "the first case: which benchmark? Name one (\`bench -l\` lists them)" ab -- -- count-local
	refused "the second case: -d: in a suite --round-ms says how long, and -d in a row of what watches others" ab -- count-local -- count-local -d 2
	refused "--alpha: needs a value" ab --alpha -- count-local -- count-local
	run --separate-stderr "$BENCH" ab --help
	[ "$status" -eq 0 ]
	[[ $output == "Usage: bench ab [OPTION]... -- CASE -- CASE"* ]]
}
