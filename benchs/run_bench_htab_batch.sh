#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What reading all of a hash map of 50,000 takes on this kernel, by the number of entries in it: in
# batches, as published, then key by key, and how many times the CPU time that takes.
#
#	run_bench_htab_batch.sh [-d SEC] [any other option of bench, such as --map_type lru_hash]
#
# About a minute; -d 10 takes four and says more. Ends with the status of the first case that failed.
# With JSON_DIR set, each case's result is also written there.

# shellcheck source=benchs/common.sh
. "$(dirname "$0")/common.sh"
sweeps max_entries method nr_entries

nr_entries=(1 10 200 500 1000 5000 20000 39000)
batch=() by_key=()

# dump METHOD ENTRIES: one case, and its $row: name, wall and CPU time of a dump, the unit, whether the
# core was shared.
dump() {
	local case name=$2

	[ "$2" -lt 5000 ] || name=$(($2 / 1000))k
	case=(htab-batch-dump --max_entries 50000 --method "$1" --nr_entries "$2")
	measure "${case[@]}"
	row=$(awk -v name="BM_DumpHashMap/$name" '
		$1 == "raw" && $2 != "not" { time = $2; unit = $3 }
		$1 == "raw" && $2 == "not" { unit = "inexact" }
		$1 == "cpu" { cpu = $2 }
		/^warning: the core was busy/ { core = "shared" }
		END {
			print name, time + 0, cpu + 0, unit, core ? core : "alone"
			exit unit == "ns/op" && !cpu
		}' <<<"$output") || incomplete "${case[@]}"
}

# table ROW...: a row may have a ratio at its end. In exact mode instructions are the one column.
table() {
	printf '%s\n' "$@" | awk '
		NR == 1 {
			exact = $4 != "ns/op"
			head = sprintf("%-22s %12s", "Benchmark", exact ? "Instructions" : "Time(ns)")
			if (!exact)
				head = head sprintf(" %12s", "CPU(ns)")
			if (NF > 5)
				head = head sprintf(" %8s", "ratio")
			print head
			gsub(/./, "-", head)
			print head
		}
		$4 == "inexact" { printf "%-22s %12s\n", $1, "not exact"; next }
		{
			line = sprintf("%-22s %12.0f", $1, $2)
			if (!exact)
				line = line sprintf(" %12.0f", $3)
			if (NF > 5)
				line = line sprintf(" %8s", $6)
			print line ($5 == "shared" ? "  shared core" : "")
		}'
}

# ratio ROW ROW: of their CPU times, of instructions in exact mode; - where one is not known.
ratio() {
	printf '%s\n' "$1" "$2" | awk '
		{ cost[NR] = $4 == "ns/op" ? $3 : $2 }
		END { print cost[1] && cost[2] ? sprintf("%.2f", cost[1] / cost[2]) : "-" }'
}

for n in "${nr_entries[@]}"; do
	dump batch "$n"
	batch+=("$row")
done
table "${batch[@]}"
for i in "${!nr_entries[@]}"; do
	dump next_key "${nr_entries[$i]}"
	by_key+=("$row $(ratio "$row" "${batch[$i]}")")
done
printf '\nKey by key, and how many times the CPU time of batches that takes\n'
table "${by_key[@]}"
warn_if_disturbed
