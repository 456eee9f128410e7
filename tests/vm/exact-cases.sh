#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs inside vm/run --exact, for ci/baseline: the sweeps. Results go to $OUT, one JSON file a case,
# those of a sweep in a folder of its own.
set -eu

# sweep FOLDER SCRIPT
sweep() {
	mkdir "$OUT/$1"
	JSON_DIR=$OUT/$1 "$2" >"$OUT/$1.txt"
}

sweep local-storage ./run_bench_local_storage.sh
sweep bpf-loop benchs/run_bench_bpf_loop.sh
sweep htab-batch benchs/run_bench_htab_batch.sh
