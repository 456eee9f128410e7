#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2154 # quoted for the guest's shell; run sets stderr
# vm/run, through real boots: several checks share one where they can.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	export TOP=$PWD WORK=$BATS_FILE_TMPDIR WHY_NOT=
	local said
	if said=$(vm/run -- true 2>&1); then
		cc -O2 -static -o "$WORK/nops" tests/vm/nops.c || :
	else
		WHY_NOT=$said
	fi
}

setup() {
	load_helpers
	[[ ! $WHY_NOT ]] || skip "$WHY_NOT"
	cd "$WORK" || return 1
}

load_helpers() {
	run_vm() { "$TOP/vm/run" -q "$@"; }

	# Nothing that this test's runs started is alive, and no folder of theirs is left. Runs of
	# others beside it are none of our business: ours have BATS_TEST_NAME in their environment.
	nothing_left() {
		local pid
		for _ in {1..10}; do
			pid=$(ours_alive)
			[[ $pid ]] || break
			sleep 0.3
		done
		[[ ! $pid ]] || { echo "still alive: $(ps -o pid,args -p "${pid//$'\n'/,}")"; return 1; }
	}
	ours_alive() {
		local environ pid
		grep -lzxF "MARK=$MARK" /proc/[0-9]*/environ 2>/dev/null | while read -r environ; do
			pid=${environ#/proc/}
			pid=${pid%/environ}
			if [[ $(cat "/proc/$pid/comm" 2>/dev/null) =~ ^(qemu.*|sleep|cat|setpriv|run)$ ]]; then
				echo "$pid"
			fi
		done
	}
	export MARK=$BATS_TEST_NAME.$$
	# As at a terminal: a background job of a script would ignore SIGINT.
	run_vm_aside() { setsid env --default-signal=INT,HUP "$TOP/vm/run" -q "$@" 3>&- & }
	wait_for_qemu() {
		local _
		for _ in {1..100}; do
			# shellcheck disable=SC2046 # a word for each process
			! grep -qzxF "MARK=$MARK" $(pgrep qemu | sed 's|.*|/proc/&/environ|') /dev/null 2>/dev/null ||
				return 0
			sleep 0.2
		done
		return 1
	}
	build_dirs() { ls -d "$TOP"/build/vm/run.* 2>/dev/null || :; }
}

@test "the command's words, folder, status, streams and bytes come through" {
	mkdir -p sub
	cd sub
	cat >job <<-'EOF'
		#!/bin/bash
		# bash and not busybox: its arrays say so
		words=("$@")
		echo "${#words[@]} <${words[0]}> <${words[1]}> $NAME" >&2
		pwd >&2
		id -u >&2
		cat data
		head -c 40 data >"$OUT/head"
		mkdir "$OUT/deep" && cp data "$OUT/deep/"
		[[ -t 1 || -t 2 ]] && echo terminal >&2
		exit 7
	EOF
	chmod +x job
	head -c 100000 /dev/urandom >data
	run -7 bash -c '"$TOP/vm/run" -q --file data --env "NAME=it'"'"'s \$1" --out out ./job "a  b" "c'"'"'\" *" >got 2>err'
	cmp data got
	cmp data out/deep/data
	cmp <(head -c 40 data) out/head
	diff - err <<-EOF
		2 <a  b> <c'" *> it's \$1
		$PWD
		0
	EOF
}

@test "the guest has what programs of the suite look for" {
	cat >look <<-'EOF'
		set -e
		for fs in proc:/proc sysfs:/sys devtmpfs:/dev tracefs:/sys/kernel/tracing \
			debugfs:/sys/kernel/debug cgroup2:/sys/fs/cgroup bpf:/sys/fs/bpf tmpfs:/dev/shm; do
			grep -q " ${fs#*:} ${fs%:*} " /proc/mounts || { echo "no $fs"; exit 1; }
		done
		[ -e /sys/kernel/btf/vmlinux ]
		ping -c 1 -W 2 127.0.0.1 >/dev/null
		grep -w btrfs /proc/filesystems
		[ -e /dev/ram0 ]
		nproc
		echo "$BENCH_VM_QEMU" | grep -o 'accel [a-z]*'
		(sleep 1000; echo never) &
		exit 3
	EOF
	run -3 run_vm --smp 2 --accel tcg --module btrfs --module brd --file look sh look
	[[ $output == $'\tbtrfs\n2\naccel tcg' ]]
}

@test "output is passed on when it is written" {
	local started=$SECONDS first='' last='' line
	while read -r line; do
		[[ $first ]] || first=$SECONDS
		last=$line
	done < <(run_vm sh -c 'echo one; sleep 6; echo two')
	[[ $last == two ]]
	((SECONDS - first >= 4 && SECONDS - started < 60))
}

# What a boot takes may differ by some thousand instructions: how soon the host takes what the guest prints is the
# host's. Without the pinning it differs by more than a thousandth.
@test "--exact: two boots are the same, but for what the host has a hand in" {
	[[ -x nops ]] || skip "no static libc to build tests/vm/nops.c with"
	local kernel first
	for kernel in debian:6.1 debian:6.12; do
		first=
		for _ in first second; do
			run run_vm --exact --kernel "$kernel" --file nops sh -c 'echo $BENCH_EXACT; ./nops'
			echo "$output"
			[[ ${lines[0]} == 1 && ${lines[1]} =~ ^begun\ [0-9]{11}$ ]]
			[[ ${lines[2]} =~ ^exact\ (99|100)\ of\ 100$ ]]
			((${#first} == 0 || (${lines[1]#begun } - first) ** 2 < 100000 ** 2))
			first=${lines[1]#begun }
		done
	done
}

@test "two side by side" {
	run_vm sh -c 'sleep 2; echo a; exit 3' >a 3>&- &
	local a=$! status_a=0 status_b=0
	run_vm sh -c 'sleep 2; echo b; exit 4' >b 3>&- &
	wait $! || status_b=$?
	wait $a || status_a=$?
	((status_a == 3 && status_b == 4))
	[[ $(<a) == a && $(<b) == b ]]
	nothing_left
}

@test "a panic is one line with the cause, the console and a status of its own" {
	run -122 run_vm sh -c 'echo before; sleep 1; echo c >/proc/sysrq-trigger'
	[[ ${lines[0]} == before ]]
	[[ ${lines[1]} =~ ^'vm/run: the kernel panicked: sysrq triggered crash (console: '(.*)')'$ ]]
	grep -q 'Kernel panic' "${BASH_REMATCH[1]}"
	[[ $output == *'  | '*'Kernel panic'* ]]
	rm "${BASH_REMATCH[1]}"
	nothing_left
}

@test "a time-out is seen and named" {
	run -124 run_vm --timeout 8 --out out-timeout sleep 1000
	# On a busy machine eight seconds can be too few to boot.
	[[ ${lines[0]} =~ ^"vm/run: time-out after 8 s, "("the command still running"|"still booting")" (console: $WORK/out-timeout/vm-console.log)"$ ]]
	nothing_left
}

@test "out of memory, and a guest that switches itself off" {
	run -137 run_vm --mem 192M sh -c 'tail /dev/zero'
	[[ $output == *'out of memory (--mem 192M)'* ]]
	run -125 run_vm poweroff -f
	[[ ${lines[0]} == *'switched off before the command ended'* ]]
}

@test "wrong usage is said in one line, before anything is done" {
	local words
	while read -r words; do
		# shellcheck disable=SC2086 # several words
		run -2 run_vm $words
		[[ ${#lines[@]} == 1 && $output == 'vm/run: '* ]]
	done <<-EOF
		--nosuch true
		--smp 0 true
		--smp 2x true
		--mem 12 true
		--mem 12G5 true
		--timeout -1 true
		--env 1=2 true
		--accel warp true
		--exact --smp 2 true
		--exact --accel kvm true
		--kernel
		--file
	EOF
	run -2 run_vm
	run -0 run_vm --help
	((${#lines[@]} < 40))
}

@test "bad input is said in one line, with its own status" {
	local bzimage
	bzimage=$(echo "$TOP"/build/kernels/debian-6.1/boot/vmlinuz-*)
	[[ -e $bzimage ]] || skip "the kernel is not under build/"
	echo "no kernel at all" >text
	head -c 5000000 "$bzimage" >short
	printf '#!/no/such/interpreter\n' >script
	one_line() {
		local status=$1
		shift
		run "-$status" run_vm "$@"
		echo "$output"
		[[ ${#lines[@]} == 1 && $output == 'vm/run: '* ]]
	}
	one_line 120 --kernel text true
	one_line 120 --kernel short true
	one_line 120 --kernel /bin/busybox true
	one_line 120 --kernel "$WORK" true
	one_line 120 --kernel no-such-release true
	one_line 120 --kernel debian:1.0 true
	one_line 123 --module nosuch true
	one_line 125 --mem 16M true
	one_line 125 --file nosuch true
	one_line 125 --out /proc/nosuch true
	one_line 126 ./text
	one_line 126 "$WORK"
	one_line 127 ./nosuch
	one_line 127 nosuch-command

	# A configuration beside the image tells before anything is booted.
	cp "$bzimage" image
	echo 'CONFIG_DEBUG_INFO_BTF=y' >image.config
	one_line 121 --kernel image true
	echo 'CONFIG_SERIAL_8250_CONSOLE=y' >image.config
	one_line 123 --kernel image true
}

@test "a full output folder" {
	((UID == 0)) || skip "needs root to mount a small file system"
	mkdir -p full
	mount -t tmpfs -o size=200k small full || skip "cannot mount here"
	run run_vm --out full sh -c 'head -c 500000 /dev/urandom >$OUT/big'
	umount full
	[[ $status == 125 && ${lines[0]} == *'could not be brought back into'*'no space left'* ]]
}

@test "signals leave nothing behind" {
	local signal expected before pid
	before=$(build_dirs)
	while read -r signal expected; do
		run_vm_aside sleep 1000
		pid=$!
		wait_for_qemu
		kill -s "$signal" "$pid"
		status=0
		wait "$pid" || status=$?
		[[ $status == "$expected" ]]
		nothing_left
	done <<-EOF
		INT 130
		TERM 143
		HUP 129
	EOF
	[[ $(build_dirs) == "$before" ]]

	# After SIGKILL only a folder can be left, and the next run removes it.
	run_vm_aside sleep 1000
	pid=$!
	wait_for_qemu
	kill -KILL "$pid"
	nothing_left
	run_vm true
	[[ $(build_dirs) == "$before" ]]
}

@test "a reader that goes away ends it" {
	run bash -c '"$TOP/vm/run" -q sh -c "yes" | head -n 1; echo ${PIPESTATUS[0]}'
	[[ $output == $'y\n141' ]]
	nothing_left
}

@test "a plain user can do it" {
	((UID == 0)) || skip "not root: every other test has shown it"
	local dir
	dir=$(mktemp -d /tmp/vm-test.XXXXXX)
	mkdir "$dir/build"
	cp -r "$TOP/vm" "$dir/"
	cp "$TOP"/build/kernels/debian-6.1/boot/vmlinuz-* "$dir/bzImage"
	chown -R 65534:65534 "$dir"
	cd "$dir"
	run -0 --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
		env TMPDIR="$dir" vm/run --kernel bzImage --out out sh -c 'id -u; echo x >$OUT/x'
	[[ $output == 0 && $stderr == *' under '* && $(<out/x) == x ]]

	# And measure, which on the host takes root.
	cp "$TOP/bench" .
	run -0 setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR="$dir" \
		vm/run -q --kernel bzImage ./bench -q -w 0 -d 0 local-storage-cache-seq-get --nr_maps 4
	[[ ${lines[-1]} == 'Summary: hits throughput '* ]]

	# In a tree of somebody else's its work files go elsewhere.
	chown -R 0:0 build
	run -0 setpriv --reuid=65534 --regid=65534 --clear-groups \
		env TMPDIR="$dir" vm/run -q --kernel bzImage true
	[[ -d bench-build-65534 ]]
	rm -rf "$dir"
}
