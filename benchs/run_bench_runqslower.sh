#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the handlers of a run-queue latency tracer cost by where they keep a task's time: in task local
# storage, in a preallocated hash map, and in one that is not. First as the kernel's statistics have
# it, in the published layout; then with the cost of an empty handler taken off; then the same where
# a hash map's entry is looked up and written into, not replaced each time.
#
#	run_bench_runqslower.sh [-d SEC] [any other option of bench runqslower, such as --pairs 2]
#
# The storages take turns, three times (ROUNDS says how often); a figure is the median of the rounds, and
# net has their lowest and highest in brackets. Under a minute; -d 10 takes three. Ends with the status of the
# first case that failed. With JSON_DIR set, each case's result is also written there.

# shellcheck source=benchs/common.sh
. "$(dirname "$0")/common.sh"

sweeps storage hash_write

handlers=(handle__sched_wakeup handle__sched_wakeup_new handle__sched_switch)
storages=(task hash hash-nopre)
declare -A avg=() net=()
unit=ns

is_complete() {
	local handler

	for handler in "${handlers[@]}"; do
		grep -q "^$handler " <<<"$output" || return 1
	done
}

# median FIGURE...: the middle one, or - for none.
median() {
	[ "$#" -gt 0 ] || { echo - && return; }
	printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"
}

# span FIGURE...: "MEDIAN [LOWEST HIGHEST]" in whole numbers.
span() {
	[ "$#" -gt 0 ] || { echo - && return; }
	printf '%.0f [%.0f %.0f]\n' "$(median "$@")" "$(printf '%s\n' "$@" | sort -g | head -n 1)" \
		"$(printf '%s\n' "$@" | sort -g | tail -n 1)"
}

# one STORAGE WRITE: run it, and add its figures to those there are.
one() {
	local handler figures

	measure runqslower --storage "$1" --hash_write "$2"
	[[ $output != *_insn* ]] || unit=instructions
	for handler in "${handlers[@]}"; do
		read -ra figures < <(awk -v name="$handler" '$1 == name { print $3, $5 }' <<<"$output")
		[ "${figures[0]:--}" != - ] || continue
		avg[$handler $1 $2]+=" ${figures[0]}"
		net[$handler $1 $2]+=" ${figures[1]:-}"
	done
}

# table TITLE CELL WRITE: CELL is "average" or "net", WRITE how the hash maps are written to.
table() {
	local handler storage key row cell

	printf '\n%s (%s)\n%-26s%18s%18s%20s\n' "$1" "$unit" '' task-local hash-prealloc hash-no-prealloc
	for handler in "${handlers[@]}"; do
		row=()
		for storage in "${storages[@]}"; do
			key="$handler $storage $3"
			[ "$storage" != task ] || key="$handler task update"
			# shellcheck disable=SC2086 # one word for each figure
			case $2 in
			average) cell=$(median ${avg[$key]:-}) && [ "$cell" = - ] || printf -v cell %.0f "$cell" ;;
			net) cell=$(span ${net[$key]:-}) ;;
			esac
			row+=("$cell")
		done
		printf '%-26s%18s%18s%20s\n' "$handler" "${row[@]}"
	done
}

for ((round = 0; round < ${ROUNDS:-3}; round++)); do
	for storage in "${storages[@]}"; do
		one "$storage" update
	done
	one hash in_place
	one hash-nopre in_place
done
table 'Average run time' average update
table 'Net of an empty handler' net update
table 'Net, hash maps written in place' net in_place
