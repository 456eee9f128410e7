# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What the sweeps share; a sweep sources it, and its arguments are options for every case. JSON_DIR
# names a folder for the result of each case, DIGITS says how many decimals the costs are shown with.
set -euo pipefail

bench=${BENCH:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/bench}
options=(-q -w 0 -d 2 "$@")
cases=0
disturbed=0

[ -x "$bench" ] || {
	echo "$0: there is no $bench: run 'make' first" >&2
	exit 1
}

# Which options there are bench says itself, whose they are: -qV has two, and --js is one that has a
# longer name.
given=$("$bench" --given "$@") || exit

# is_given OPTION, by its full name.
is_given() {
	[[ $'\n'$given$'\n' == *$'\n'"$1"$'\n'* ]]
}

# What a sweep says of itself at its head.
if is_given help; then
	sed -n '4,/^$/ s/^# \{0,1\}//p' "$0"
	exit 0
fi
# Not what makes bench do something else than measure, or write where the next case writes too.
for option in list version json; do
	if is_given "$option"; then
		echo "$0: --$option: a sweep runs bench many times; it is an option for a single run (results as JSON: set JSON_DIR)" >&2
		exit 2
	fi
done

# sweeps OPTION...: what the sweep itself gives to each case, and nobody else.
sweeps() {
	local option

	for option in "$@"; do
		if is_given "$option"; then
			echo "$0: --$option: the sweep sets it, for a value of your own run bench itself" >&2
			exit 2
		fi
	done
}

# A signal to the sweep alone ends the bench that it waits for, too.
child='' printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
for signal in INT TERM HUP; do
	# shellcheck disable=SC2064 # the signal is known now
	trap "end_by $signal" "$signal"
done

end_by() {
	trap - "$1"
	[ -z "$child" ] || { kill -s TERM "$child" && wait "$child"; } 2>/dev/null || true
	rm -f "$printed"
	kill -s "$1" $$
}

# incomplete WORD...: bench says that it measured this case, and it lacks what the tables are made of.
incomplete() {
	echo "$0: no figures came from: $bench ${options[*]} $*" >&2
	exit 1
}

# is_complete: has $output what the tables are made of? A sweep of rows says for itself which.
is_complete() {
	awk '
		{ lines[$1] = 1; last = $1 }
		END { exit !(lines["raw"] && lines["overhead"] && lines["net"] && last == "Summary:") }
	' <<<"$output"
}

# measure BENCHMARK OPTION...: one case, what it prints in $output. The sweep ends with the status of
# the first one that fails.
measure() {
	local status=0 json=()

	[ -z "${JSON_DIR:-}" ] || json=(--json "$(printf '%s/%02d.json' "$JSON_DIR" "$cases")")
	"$bench" "${options[@]}" "${json[@]}" "$@" >"$printed" &
	child=$!
	wait "$child" || status=$?
	child=''
	[ "$status" -eq 0 ] || exit "$status"
	output=$(<"$printed")
	is_complete || incomplete "$@"
	cases=$((cases + 1))
	case $output in
	*'warning: '*', figures may be off: '*)
		disturbed=$((disturbed + 1))
		;;
	esac
}

# cannot_run BENCHMARK: why this kernel or user cannot run it; nothing if they can.
cannot_run() {
	"$bench" -l -v | awk -v name="$1" '
		/^- / { current = $2 }
		current == name && sub(/^ *cannot run here: /, "")'
}

# rate: the Summary of $output as the published tables have it: names with a colon, figures without
# padding. (In exact mode bench prints no rates, and its Summary is taken as it is.)
rate() {
	sed -nE '$ {
		s/^Summary: //
		s/ \([^)]*\/prod\)//
		s/(throughput|latency) +/\1: /g
		s/± +/± /g
		p
	}' <<<"$output"
}

# cost_head TITLE COLUMN: what stands above the rows of costs; COLUMN names the last one.
cost_head() {
	local unit='ns, 95% interval'

	[[ $output != *insn/op* ]] || unit=instructions
	printf '\n%s (%s)\n' "$1" "$unit"
	printf '%-22s %9s %9s %9s %-9s %s\n' '' raw overhead net '' "$2" | sed 's/ *$//'
}

# cost ROW [NOTE]: raw, overhead and net of one operation from $output: in ns with the error of net,
# or in instructions with the word that they are exact. In the last column the value of NOTE.
cost() {
	awk -v row="$1:" -v figure="%.${DIGITS:-2}f" -v note="${2:-}" '
		$1 == note { column = $2 }
		$1 == "raw" { raw = $2 }
		$1 == "overhead" { overhead = $2 }
		$1 == "net" {
			gsub(/[][,]/, " ")
			net = $2
			how = $3 == "ns/op" ? "± " sprintf(figure, ($6 - $5) / 2) : "exact"
			floor = /below the floor/ ? "  below the floor" : ""
		}
		/^warning: the core was busy/ { floor = floor "  shared core" }
		/^(raw|overhead) +not exact/ { inexact = 1 }
		END {
			if (inexact)
				line = sprintf("%-22s not exact", row)
			else
				line = sprintf("%-22s %9s %9s %9s %-9s %s%s", row, sprintf(figure, raw),
					sprintf(figure, overhead), sprintf(figure, net), how, column, floor)
			sub(/ *$/, "", line)
			print line
		}' <<<"$output"
}

# warn_if_disturbed: the last word of a sweep.
warn_if_disturbed() {
	if [ "$disturbed" -gt 0 ]; then
		echo "warning: in $disturbed of $cases cases the machine was busy with something else," \
			"figures may be off; -d 10 measures longer" >&2
	fi
}
