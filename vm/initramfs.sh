# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The guest's file system: a folder ($root) is filled and packed. Nothing of the host's state gets
# into the archive but the files asked for: the same files make the same archive, byte for byte.

# Where the loader looks without being told.
readonly default_libs=:/lib:/usr/lib:/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:

library_path=

stage_base() {
	local dir
	mkdir -p "$root"/{dev,proc,sys,tmp,run,out,root,etc,vm/modules}
	mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
	for dir in bin sbin lib lib64; do
		ln -s "usr/$dir" "$root/$dir"
	done
	chmod 1777 "$root/tmp"
	chmod 700 "$root/root"
	cp "$busybox" "$root/bin/busybox"
	cp "$here/init" "$root/init"
	printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
	printf 'root:x:0:\n' >"$root/etc/group"
	printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
}

# stage_file PATH: a file or a folder, to the same absolute path, with what its programs need.
stage_file() {
	local path=$1 abs program
	[[ -e $path ]] || die $E_SELF "--file $path: no such file"
	abs=$(realpath -s "$path")
	case $abs/ in
	/dev/* | /proc/* | /sys/*) die $E_SELF "--file $path: /dev, /proc and /sys are the guest's own" ;;
	/) die $E_SELF "--file /: that is everything" ;;
	esac

	mkdir -p "$root${abs%/*}"
	if [[ -d $path ]]; then
		mkdir -p "$root$abs"
		cp -a --no-preserve=ownership,xattr "$path/." "$root$abs/" ||
			die $E_SELF "--file $path cannot be copied"
		while IFS= read -r -d '' program; do
			stage_needs "$program"
		done < <(find "$path" -type f -perm /111 -print0)
	else
		copy "$path" "$abs"
		stage_needs "$path"
	fi
}

# copy PATH ABSOLUTE-PATH-IN-GUEST
copy() {
	local to=$root$2
	[[ ! -e $to ]] || return 0
	mkdir -p "${to%/*}"
	cp -L --preserve=mode "$1" "$to" || die $E_SELF "$1 cannot be copied"
}

# What a program needs to start: the interpreter of a script, or libraries and their loader.
stage_needs() {
	local path=$1 magic first words name lib

	magic=$(head -c 4 "$path" | tr -d '\0')
	if [[ $magic == '#!'* ]]; then
		IFS= read -r first <"$path" || :
		read -ra words <<<"${first#??}"
		name=${words[0]-}
		[[ ${name##*/} != env ]] || name=${words[1]-}
		stage_interpreter "$name"
	elif [[ $magic == $'\x7fELF' ]]; then
		while read -r lib; do
			copy "$lib" "$lib"
			lib=${lib%/*}
			[[ $default_libs$library_path: == *":$lib:"* || $lib == */glibc-hwcaps/* ]] ||
				library_path=$library_path:$lib
		done < <(ldd "$path" 2>/dev/null | sed -n 's/^\(.* => \|[[:space:]]*\)\(\/[^ ]*\) (0x.*/\2/p')
	fi
}

# One that busybox has is not brought along.
stage_interpreter() {
	local name=$1 path
	! is_applet "${name##*/}" || return 0
	path=$(command -v -- "$name") || return 0
	path=$(realpath -s "$path")
	copy "$path" "$path"
	stage_needs "$path"
}

is_applet() { "$busybox" --list | grep -qxF -- "$1"; }

# stage_command WORD: the command's executable, if it is not the guest's own.
stage_command() {
	local word=$1 path
	if [[ $word != */* ]]; then
		! is_applet "$word" || return 0
		path=$(type -P -- "$word") || die $E_NOCMD "$word: not found, here or in the guest"
	else
		path=$word
		[[ ! -d $path ]] || die $E_NOEXEC "$word is a folder"
		if [[ ! -e $path ]]; then
			[[ $path =~ ^(/usr)?/s?bin/ ]] && is_applet "${path##*/}" ||
				die $E_NOCMD "$word: no such file"
			return 0
		fi
	fi
	[[ -x $path ]] || die $E_NOEXEC "$word is not executable"
	stage_file "$path"
}

# stage_modules FILE...: numbered, as they are inserted in this order.
stage_modules() {
	local file name to i=100
	for file; do
		name=${file##*/}
		to=$root/vm/modules/$((i += 1))-${name%%.ko*}
		case $file in
		*.xz) xz -dc "$file" >"$to" ;;
		*.zst) zstd -qdc "$file" >"$to" ;;
		*.gz) gzip -dc "$file" >"$to" ;;
		*) cp "$file" "$to" ;;
		esac || die $E_SELF "$file cannot be unpacked"
	done
}

# pack FILE
pack() {
	find "$root" -exec touch -h -d @0 {} +
	(cd "$root" && find . -mindepth 1 -print0 | LC_ALL=C sort -z |
		cpio -0 -o -H newc -R 0:0 --reproducible --quiet) >"$1" ||
		die $E_SELF "the guest's file system cannot be packed into $1"
}
