# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# From what the user calls a kernel to files: the image to boot, its release, its modules.

# find_kernel NAME sets:
#   kernel		the image as it was found
#   kernel_release	what uname -r will say
#   kernel_base		folder whose lib/modules/$kernel_release has its modules ("/" if installed)
#   kernel_config	its configuration, or empty
find_kernel() {
	local name=$1

	case $name in
	debian:*) fetch_debian "${name#debian:}" ;;
	*/*) kernel=$name ;;
	*)
		for kernel in "/boot/vmlinuz-$name" "/lib/modules/$name/vmlinuz" "$name"; do
			[[ ! -e $kernel ]] || break
		done
		;;
	esac

	[[ -e $kernel ]] ||
		die $E_KERNEL "no such kernel: '$name' is neither a file nor an installed release" \
			"(fetched ones are debian:6.1 and debian:6.12)"
	[[ -f $kernel ]] || die $E_KERNEL "$name is not a kernel: not a file"
	[[ -r $kernel ]] || die $E_KERNEL "$kernel cannot be read"
	check_image "$kernel"

	local dir=${kernel%/*} file=${kernel##*/}
	[[ $kernel == */* ]] || dir=.
	if [[ $dir/.. -ef / || -d /lib/modules/$kernel_release && ! -d $dir/../lib/modules/$kernel_release ]]; then
		kernel_base=/
	else
		kernel_base=$(realpath "$dir/..")
	fi
	kernel_config=
	if [[ -r $kernel.config ]]; then
		kernel_config=$kernel.config
	elif [[ $file == vmlinuz-* && -r $dir/config-${file#vmlinuz-} ]]; then
		kernel_config=$dir/config-${file#vmlinuz-}
	fi
}

# bytes FILE OFFSET COUNT, as hex digits
bytes() { od -An -v -tx1 -j "$2" -N "$3" "$1" 2>/dev/null | tr -d ' \n'; }
# little FILE OFFSET SIZE, an unsigned number
little() { od -An -v -t "u$3" --endian=little -j "$2" -N "$3" "$1" 2>/dev/null | tr -d ' '; }

# A bzImage for x86-64 (Documentation/arch/x86/boot.rst), or the vmlinux out of one.
check_image() {
	local file=$1 at

	if [[ $(bytes "$file" 0 4) == 7f454c46 ]]; then
		[[ $(little "$file" 18 2) == 62 ]] || die $E_KERNEL "$file is not for x86-64"
		is_pvh "$file" ||
			die $E_KERNEL "$file is a program or a vmlinux without CONFIG_PVH: give its bzImage"
		kernel_release=$(grep -aom1 'Linux version [^ ]*' "$file" | head -n1) || :
		kernel_release=${kernel_release##* }
		return
	fi
	[[ $(bytes "$file" 514 4) == 48647253 && $(bytes "$file" 510 2) == 55aa ]] ||
		die $E_KERNEL "$file is not a kernel: it is no x86 bzImage"
	(($(little "$file" 518 2) >= 0x20c && $(little "$file" 566 2) & 1)) ||
		die $E_KERNEL "$file is not a 64-bit kernel"
	(($(stat -Lc %s "$file") >= $(payload_start "$file") + $(little "$file" 588 4))) ||
		die $E_KERNEL "$file is cut short"
	at=$(($(little "$file" 526 2) + 512))
	kernel_release=$(tail -c "+$((at + 1))" "$file" | head -c 200 | tr '\0' '\n' | head -n1)
	kernel_release=${kernel_release%% *}
}

payload_start() { echo $((($(little "$1" 497 1) + 1) * 512 + $(little "$1" 584 4))); }

# The ELF note by which a kernel says that it can be entered without the boot loader's part.
is_pvh() { LC_ALL=C grep -qaP '\x04\0\0\0[\x04\x08]\0\0\0\x12\0\0\0Xen\0' "$1"; }

# Sets boot_image, and boot_as to how it is entered. Unpacking the kernel inside an emulated machine takes up to two seconds of every
# boot; here it is done once. An image that cannot be unpacked here boots as it is.
unpack_kernel() {
	local cache start length tool

	boot_image=$kernel
	boot_as=vmlinux
	[[ $(bytes "$kernel" 0 4) != 7f454c46 ]] || return 0
	boot_as=bzImage
	cache=$kernels/unpacked-$(sha256sum <"$kernel" | cut -c1-16)
	if [[ ! -d $cache ]]; then
		start=$(payload_start "$kernel")
		length=$(little "$kernel" 588 4)
		case $(bytes "$kernel" "$start" 6) in
		1f8b*) tool=gzip ;;
		fd377a585a00) tool=xz ;;
		28b52ffd*) tool=zstd ;;
		02214c18*) tool=lz4 ;;
		*) return 0 ;;
		esac
		command -v "$tool" >/dev/null || return 0
		# All but gzip have the unpacked size in four bytes of the kernel's own behind.
		[[ $tool == gzip ]] || ((length -= 4))
		rm -rf "$cache.$$"
		mkdir "$cache.$$"
		tail -c "+$((start + 1))" "$kernel" | head -c "$length" |
			"$tool" -dc >"$cache.$$/vmlinux" 2>/dev/null || {
			rm -rf "$cache.$$"
			die $E_KERNEL "$kernel is damaged, or there is no space in $kernels: it does not unpack ($tool)"
		}
		if is_pvh "$cache.$$/vmlinux"; then
			embedded_config "$cache.$$/vmlinux" >"$cache.$$/config" || rm "$cache.$$/config"
		else
			rm "$cache.$$/vmlinux"
		fi
		mv -T "$cache.$$" "$cache" 2>/dev/null || rm -rf "$cache.$$"
		prune 6 "$kernels"/unpacked-*
	fi
	touch -c "$cache"
	[[ ! -f $cache/vmlinux ]] || boot_image=$cache/vmlinux boot_as=vmlinux
	[[ $kernel_config || ! -f $cache/config ]] || kernel_config=$cache/config
}

# CONFIG_IKCONFIG
embedded_config() {
	local at
	at=$(LC_ALL=C grep -abom1 'IKCFG_ST' "$1" | head -n1) || return 1
	tail -c "+$((${at%%:*} + 9))" "$1" | gzip -dc 2>/dev/null | grep . || return 1
}

# prune COUNT PATH...: all but the newest go, and none that was used today.
prune() {
	local keep=$1 path
	shift
	while IFS= read -r path; do
		[[ ! $(find "$path" -maxdepth 0 -mtime +0) ]] || rm -rf "$path"
	done < <(ls -1dt "$@" 2>/dev/null | tail -n "+$((keep + 1))")
}

# config_has OPTION: true if it is set, or if nothing is known of the configuration.
config_has() { [[ ! $kernel_config ]] || grep -q "^CONFIG_$1=[ym]" "$kernel_config"; }

# fetch_debian VERSION: unpacked, not installed, and kept; whoever comes second waits and finds it.
fetch_debian() {
	local version=$1 meta link=$kernels/debian-$1 shared=$top/build/kernels/debian-$1

	case $version in
	6.1) meta=linux-image-cloud-amd64 ;;
	6.12) meta=linux-image-6.12-cloud-amd64 ;;
	*) die $E_KERNEL "debian:$version is not known: debian:6.1 or debian:6.12" ;;
	esac

	if [[ ! -e $link && -e $shared ]]; then
		link=$shared
	elif [[ ! -e $link ]]; then
		(
			flock 9
			trap 'rm -rf "$kernels/fetch"' EXIT
			[[ -e $link ]] || fetch_package "$meta" "$link"
		) 9>"$kernels/lock" || exit
	fi
	kernel=$(echo "$link"/boot/vmlinuz-*)
}

fetch_package() {
	local meta=$1 link=$2 package dir deb error

	need_tool apt-get apt apt
	need_tool dpkg-deb dpkg dpkg
	need_tool depmod kmod kmod
	package=$(apt-cache show --no-all-versions "$meta" 2>/dev/null |
		sed -n 's/^Depends:.*\(linux-image-[^ ,]*\).*/\1/p' | head -n1)
	[[ $package ]] ||
		die $E_KERNEL "apt does not know $meta: run 'apt-get update' as root, or give --kernel PATH"

	note "fetching $package, once"
	dir=$kernels/fetch
	rm -rf "$dir"
	mkdir "$dir"
	error=$(cd "$dir" && apt-get -q download "$package" 2>&1) ||
		error=$(cd "$dir" && apt-get -q download "$package-unsigned" 2>&1) ||
		die $E_KERNEL "cannot fetch $package: $(grep -m1 '^E:' <<<"$error")" \
			"(is 'apt-get update' due?)"
	deb=$(echo "$dir"/*.deb)
	{
		dpkg-deb -x "$deb" "$dir/root" &&
			{ [[ -d $dir/root/lib ]] || ln -s usr/lib "$dir/root/lib"; } &&
			depmod -b "$dir/root" "$(ls "$dir/root/lib/modules")"
	} >&2 || die $E_KERNEL "cannot unpack $package under $kernels"
	deb=${deb##*/}
	rm -rf "${kernels:?}/${deb%.deb}"
	mv -T "$dir/root" "$kernels/${deb%.deb}"
	ln -sfn "${deb%.deb}" "$link"
}

# find_modules NAME...: sets module_files to what is to be inserted, in order: first what they need.
find_modules() {
	local base=$kernel_base dir name list
	dir=$base/lib/modules/$kernel_release

	need_tool modprobe kmod kmod
	[[ -d $dir ]] || die $E_LACKS "no modules of $kernel_release: there is no ${dir/#\/\//\/}"
	if [[ ! -e $dir/modules.dep ]]; then
		base=$run/modules
		mkdir -p "$base/lib/modules"
		cp -a "$dir" "$base/lib/modules/"
		depmod -b "$base" "$kernel_release" || die $E_SELF "depmod failed on $dir"
	fi
	for name; do
		modprobe -C /dev/null -d "$base" -S "$kernel_release" --show-depends "$name" 2>/dev/null ||
			die $E_LACKS "$kernel_release has no module '$name'"
	done >"$run/module-list"
	# Lines are "insmod FILE" or, for what the kernel has within, "builtin NAME".
	list=$(awk '$1 == "insmod" && !seen[$2]++ { print $2 }' "$run/module-list")
	module_files=()
	[[ ! $list ]] || mapfile -t module_files <<<"$list"
}
