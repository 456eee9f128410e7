#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What one task local storage get costs on this kernel, by the number of maps: the published sweep,
# then the cost of the operation alone, which is what is left when the loop's own cost is taken off.
#
#	run_bench_local_storage.sh [-d SEC] [any other option of bench, such as -p 2 or -a]
#
# About a minute; -d 10 takes five and says more. Ends with the status of the first case that failed.
# With JSON_DIR set, each case's result is also written there.

# shellcheck source=benchs/common.sh
. "$(dirname "$0")/benchs/common.sh"
sweeps nr_maps

nr_maps=(1 10 16 17 24 32 100 1000)
control='' sequential='' interleaved=''

# So few keys that, as the storages, they are in the processor's caches.
measure local-storage-cache-hashmap-control --nr_maps 500 --hashmap_nr_keys_used 10 --hashmap_max_entries 10
echo 'Local Storage'
echo '============='
echo '        Hashmap Control w/ 500 maps'
echo "hashmap (control) sequential    get:  $(rate)"
control=$(cost hashmap_control lookup)
for n in "${nr_maps[@]}"; do
	printf '\n        num_maps: %d\n' "$n"
	measure local-storage-cache-seq-get --nr_maps "$n"
	echo "local_storage cache sequential  get:  $(rate)"
	sequential+=$(cost "sequential_get_$n" lookup)$'\n'
	measure local-storage-cache-int-get --nr_maps "$n"
	echo "local_storage cache interleaved get:  $(rate)"
	interleaved+=$(cost "interleaved_get_$n" lookup)$'\n'
done

cost_head 'One operation, with the overhead of the loop measured and taken off' lookup
printf '%s\n%s%s' "$control" "$sequential" "$interleaved"
warn_if_disturbed
