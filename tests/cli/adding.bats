#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# docs/adding-a-benchmark.md is true: its two files, taken from the text as they stand and put into a
# copy of the tree, make a benchmark, and no other file has to change.

BENCH=${BENCH:-./bench}

# block FILE: the code under the heading that names FILE.
block() {
	awk -v file="$1" '
		/^## / { here = index($0, file) }
		here && /^```$/ { exit }
		here && code { print }
		here && /^```c$/ { code = 1 }' docs/adding-a-benchmark.md
}

setup() {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir "$tree"
	git ls-files -z | xargs -0 cp --parents -t "$tree"
	block progs/array.bpf.c >"$tree/progs/array.bpf.c"
	block benchs/bench_array.c >"$tree/benchs/bench_array.c"
}

@test 'the two files of the example build, are formatted, and run' {
	[ "$BENCH" = ./bench ] || skip 'once, in the usual build'
	make -s -C "$tree" >/dev/null
	"$tree/bench" -l | grep -x -e '- array-lookup'
	"$tree/bench" --help array-lookup | grep -e '--nr_entries NUM'
	cp .clang-format "$tree"
	clang-format --dry-run -Werror "$tree/progs/array.bpf.c" "$tree/benchs/bench_array.c"
	"$tree/bench" -l -v | grep -A 2 -x -e '- array-lookup' | grep 'cannot run here' && return 0
	"$tree/bench" array-lookup -w 0 -d 0 --nr_entries 100 | tail -n 1 | grep '^Summary: throughput'
}
