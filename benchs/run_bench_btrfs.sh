#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What checksums and checks of metadata cost btrfs: how often and how long its functions run while a
# file system is read and written. In a virtual machine, of Linux 6.1 and of 6.12.
#
#	run_bench_btrfs.sh [-d SEC] [any other option of bench, such as --net or --probe kprobe]
#
# Some minutes, as the machines are emulated. KERNELS names other kernels, as vm/run takes them. With JSON_DIR set, the results are
# also written there. Needs mkfs.btrfs (Debian: btrfs-progs). -d ends each of the workloads early.
#
# The workload: 256 MiB in memory, mkfs.btrfs -n 4K; 2000 files of 1000 bytes in 40 folders. Reading: mount,
# list all with their attributes, unmount. Writing: mount and list all, and from there on measured: 500 files
# more in 10 folders, 250 moved, 250 removed, a sync after each folder, unmount. What is read was checked
# before then, so that the same function is TREE_CHECKER_READ in the first part and _WRITE in the second: on these
# kernels there is one for both.

# shellcheck source=benchs/common.sh
. "$(dirname "$0")/common.sh"
options=(-q "$@")
sweeps func

is_complete() {
	[ "$(grep -c '^[A-Z_]*: nr=' <<<"$output")" -eq 2 ]
}

image=/dev/shm/btrfs.img
mnt=/mnt/btrfs
me=benchs/run_bench_btrfs.sh

# The host's part: this script in a virtual machine of each kernel.
in_machines() {
	local kernel mkfs out

	cd "$(dirname "${BASH_SOURCE[0]}")/.."
	mkfs=$(PATH=$PATH:/usr/sbin:/sbin type -P mkfs.btrfs) || {
		echo "$0: no mkfs.btrfs: install btrfs-progs" >&2
		exit 4
	}
	for kernel in ${KERNELS:-debian:6.1 debian:6.12}; do
		out=()
		if [ -n "${JSON_DIR:-}" ]; then
			mkdir -p "$JSON_DIR/${kernel//[:\/]/-}"
			# shellcheck disable=SC2016 # $OUT is the guest's
			out=(--out "$JSON_DIR/${kernel//[:\/]/-}" --env 'JSON_DIR=/out')
		fi
		vm/run -q --kernel "$kernel" --module btrfs --module loop "${out[@]}" \
			--env "MKFS_BTRFS=$(realpath "$mkfs")" --file "$mkfs" --file "$(realpath "$mkfs")" \
			--file bench --file benchs/common.sh --file benchs/btrfs-workload \
			-- "$me" "$@"
	done
}

# function_for ROW NAME...: the first of these that the kernel has, as a SPEC.
function_for() {
	local row=$1 name

	shift
	for name in "$@"; do
		if grep -q " [tT] ${name}[[:space:]]\[btrfs\]$" /proc/kallsyms; then
			echo "$row=btrfs:$name"
			return
		fi
	done
	echo "$0: this kernel has none of the functions known for $row: $*" >&2
	exit 1
}

# rows TITLE SPEC,SPEC WORKLOAD: one measurement.
rows() {
	printf '\n%s (%s)\n' "$1" "$2"
	measure func-latency --func "$2" -- benchs/btrfs-workload "$3" "$mnt" "$image"
	printf '%s\n' "$output"
}

# The guest's part.
in_guest() {
	local csum read write leaf=(btrfs_check_leaf_full btrfs_check_leaf)

	csum=$(function_for CSUM_TREE_BLOCK csum_tree_block)
	read=$(function_for TREE_CHECKER_READ "${leaf[@]}")
	write=$(function_for TREE_CHECKER_WRITE "${leaf[@]}")
	printf 'Linux %s\n' "$(uname -r)"
	mkdir -p "$mnt"
	truncate -s 256M "$image"
	"$MKFS_BTRFS" -q -n 4K "$image" >/dev/null 2>&1
	benchs/btrfs-workload fill "$mnt" "$image"
	rows 'Reading' "$csum,$read" read
	benchs/btrfs-workload warm "$mnt" "$image"
	rows 'Writing' "$csum,$write" write
}

if [ -n "${BENCH_VM_QEMU:-}" ]; then
	in_guest
else
	in_machines "$@"
fi
