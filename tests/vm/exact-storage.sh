#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs inside vm/run --exact, for exact.bats: the local storage sweep, and with
# "all" as the argument what else exact.bats compares. Results go to $OUT, one JSON file a case.
set -eu

export JSON_DIR=$OUT
./run_bench_local_storage.sh >"$OUT/sweep.txt"
[ "${1:-}" = all ] || exit 0

# one FILE OPTION...: one case of the sequential get.
one() {
	local file=$OUT/$1.json
	shift
	./bench -q local-storage-cache-seq-get --json "$file" "$@" >/dev/null
}

for lookup in direct map_in_map; do
	for n in 16 32 60; do
		one "lookup-$lookup-$n" --nr_maps "$n" --lookup "$lookup"
	done
	for pad in 0 1 2 3 7 64; do
		one "pad-$lookup-$pad" --nr_maps 16 --lookup "$lookup" --pad "$pad"
	done
done
for i in 1 2 3 4 5 6 7 8 9 10; do
	one "again-$i" --nr_maps 24
done
