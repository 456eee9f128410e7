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
set -euo pipefail

bench=${BENCH:-$(dirname "$0")/bench}
nr_maps=(1 10 16 17 24 32 100 1000)
options=(-q -w 0 -d 2 "$@")
cases=0
disturbed=0
control='' sequential='' interleaved=''

[ -x "$bench" ] || {
	echo "$0: there is no $bench: run 'make' first" >&2
	exit 1
}

# run NAME BENCHMARK OPTION...: one case: $line for now, $output for its row of the second table.
run() {
	local name=$1 status=0 json=()
	shift

	[ -z "${JSON_DIR:-}" ] || json=(--json "$(printf '%s/%02d.json' "$JSON_DIR" "$cases")")
	output=$("$bench" "${options[@]}" "${json[@]}" "$@") || status=$?
	[ "$status" -eq 0 ] || exit "$status"
	line="$name get:  $(summary "$output")"
	cases=$((cases + 1))
	if [[ $output == *'warning: the machine was busy'* ]]; then
		disturbed=$((disturbed + 1))
	fi
}

# The Summary as the published table has it: names with a colon, figures without padding. (In exact
# mode bench prints no rates, and its Summary is taken as it is.)
summary() {
	sed -nE '$ {
		s/^Summary: //
		s/(throughput|latency) +/\1: /g
		s/± +/± /g
		p
	}' <<<"$1"
}

# cost ROW: raw, overhead and net of one operation from the $output of a case: in ns with the error
# of net, or in instructions with the word that they are exact.
cost() {
	awk -v row="$1:" '
		$1 == "lookup" { lookup = $2 }
		$1 == "raw" { raw = $2 }
		$1 == "overhead" { overhead = $2 }
		$1 == "net" {
			gsub(/[][,]/, " ")
			net = $2
			how = $3 == "ns/op" ? sprintf("± %.2f", ($6 - $5) / 2) : "exact"
			note = /below the floor/ ? "  below the floor" : ""
		}
		/^(raw|overhead) +not exact/ { inexact = 1 }
		END {
			if (inexact)
				printf "%-22s not exact\n", row
			else
				printf "%-22s %9.2f %9.2f %9.2f %-9s %s%s\n", row, raw, overhead, net, how,
					lookup, note
		}' <<<"$output"
}

run 'hashmap (control) sequential   ' local-storage-cache-hashmap-control --nr_maps 500
echo 'Local Storage'
echo '============='
echo '        Hashmap Control w/ 500 maps'
echo "$line"
control=$(cost hashmap_control)
for n in "${nr_maps[@]}"; do
	printf '\n        num_maps: %d\n' "$n"
	run 'local_storage cache sequential ' local-storage-cache-seq-get --nr_maps "$n"
	echo "$line"
	sequential+=$(cost "sequential_get_$n")$'\n'
	run 'local_storage cache interleaved' local-storage-cache-int-get --nr_maps "$n"
	echo "$line"
	interleaved+=$(cost "interleaved_get_$n")$'\n'
done

unit='ns, 95% interval'
[[ $output != *insn/op* ]] || unit=instructions
printf '\nOne operation, with the overhead of the loop measured and taken off (%s)\n' "$unit"
printf '%-22s %9s %9s %9s %-9s %s\n' '' raw overhead net '' lookup
printf '%s\n%s%s' "$control" "$sequential" "$interleaved"
if [ "$disturbed" -gt 0 ]; then
	echo "warning: in $disturbed of $cases cases the machine was busy with something else;" \
		"-d 10 measures longer" >&2
fi
