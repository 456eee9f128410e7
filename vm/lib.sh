# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What vm/run and vm/build-kernel share: words to the user, and checks.

# Exit statuses of our own. Everything else is the command's.
# shellcheck disable=SC2034	# used by those who source this
readonly E_USAGE=2 E_KERNEL=120 E_BOOT=121 E_PANIC=122 E_LACKS=123 E_TIMEOUT=124 E_SELF=125 \
	E_NOEXEC=126 E_NOCMD=127

# The distribution's own tools, depmod among them, are not on every user's PATH.
PATH=$PATH:/usr/sbin:/sbin

quiet=

warn() { printf '%s: %s\n' "$me" "$*" >&2; }
note() { [[ $quiet ]] || warn "$@"; }

# die STATUS MESSAGE...
die() {
	local status=$1
	shift
	warn "$@"
	exit "$status"
}

usage_error() { die $E_USAGE "$* (see $me --help)"; }

# need_tool TOOL DEBIAN-PACKAGE FEDORA-PACKAGE
need_tool() {
	command -v "$1" >/dev/null ||
		die $E_SELF "$1 is not installed: apt install $2 (Debian), dnf install $3 (Fedora)"
}

# number OPTION VALUE MIN MAX: dies unless VALUE is a whole number of that range.
number() {
	[[ $2 =~ ^[0-9]{1,9}$ ]] && ((10#$2 >= $3 && 10#$2 <= $4)) ||
		usage_error "$1 takes a whole number from $3 to $4, not '$2'"
}

# As a word for any POSIX shell.
quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# Work files go to build/, or to a folder of the user's own where build/ is somebody else's.
work_dir() {
	local dir=$1/build
	if ! mkdir -p "$dir" 2>/dev/null || [[ ! -w $dir ]]; then
		dir=${TMPDIR:-/tmp}/bench-build-$UID
		mkdir -p -m 700 "$dir" 2>/dev/null && [[ -O $dir && -w $dir && ! -L $dir ]] ||
			die $E_SELF "neither $1/build nor $dir can be written"
	fi
	printf '%s\n' "$dir"
}
