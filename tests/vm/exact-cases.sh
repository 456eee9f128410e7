#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs inside vm/run --exact, for exact.bats and ci/baseline: the sweeps, and with "all" or "more" as
# the argument what else exact.bats compares, "more" being what there is on newer kernels. Results go to
# $OUT, one JSON file a case, those of a sweep in a folder of its own.
set -eu

# sweep FOLDER SCRIPT
sweep() {
	mkdir "$OUT/$1"
	JSON_DIR=$OUT/$1 "$2" >"$OUT/$1.txt"
}

sweep local-storage ./run_bench_local_storage.sh
sweep bpf-loop benchs/run_bench_bpf_loop.sh
sweep htab-batch benchs/run_bench_htab_batch.sh

# one FILE BENCHMARK OPTION...: one case.
one() {
	local file=$OUT/$1.json
	shift
	./bench -q --json "$file" "$@" >/dev/null
}

# loops BENCHMARK: what exact.bats compares of bpf-loop or bpf-for.
loops() {
	local n pad

	for n in 1 10; do
		for pad in 0 1 2 7 64; do
			one "$1-$n-pad-$pad" "$1" --nr_loops "$n" --pad "$pad"
		done
	done
}

[ "${1:-}" = all ] || [ "${1:-}" = more ] || exit 0
loops bpf-loop
if [ "$1" = more ]; then
	loops bpf-for
	exit
fi
status=0
./bench bpf-for >/dev/null 2>"$OUT/bpf-for.err" || status=$?
echo "$status" >"$OUT/bpf-for.status"
status=0
./bench htab-batch-dump --writers 1 >/dev/null 2>"$OUT/writers.err" || status=$?
echo "$status" >"$OUT/writers.status"

seq=local-storage-cache-seq-get
for lookup in direct map_in_map; do
	for n in 16 32 60; do
		one "lookup-$lookup-$n" $seq --nr_maps "$n" --lookup "$lookup"
	done
	for pad in 0 1 2 3 7 64; do
		one "pad-$lookup-$pad" $seq --nr_maps 16 --lookup "$lookup" --pad "$pad"
	done
done
for ((i = 1; i <= 20; i++)); do
	one "again-$i" $seq --nr_maps 24
done
