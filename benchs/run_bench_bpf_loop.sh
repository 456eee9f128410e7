#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What one iteration of bpf_loop() costs on this kernel, by the number of iterations: the published
# sweep, the same of bpf_for() where the kernel has it, then the cost of the iteration alone, which is
# what is left when the cost of repeating and counting the loops is taken off.
#
#	run_bench_bpf_loop.sh [-d SEC] [any other option of bench, such as -p 2 or -a]
#
# About a minute; -d 10 takes four and says more. Ends with the status of the first case that failed.
# With JSON_DIR set, each case's result is also written there.

# shellcheck source=benchs/common.sh
. "$(dirname "$0")/common.sh"
sweeps nr_loops

nr_loops=(10 100 500 1000 5000 10000 50000 100000 500000 1000000)
costs=''
export DIGITS=3

# sweep BENCHMARK NAME: every number of loops.
sweep() {
	local n

	for n in "${nr_loops[@]}"; do
		measure "$1" --nr_loops "$n"
		printf 'nr_loops: %d\n%s - %s\n' "$n" "$2" "$(rate)"
		costs+=$(cost "$2_$n")$'\n'
	done
}

sweep bpf-loop bpf_loop
reason=$(cannot_run bpf-for)
echo
if [ -z "$reason" ]; then
	sweep bpf-for bpf_for
else
	echo "bpf_for: left out: $reason"
fi
cost_head 'One iteration, with the overhead of repeating the loop measured and taken off' ''
printf '%s' "$costs"
warn_if_disturbed
