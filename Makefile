# SPDX-License-Identifier: GPL-2.0
# make            build ./bench; installs nothing
# make run        install what is missing, build, run the local storage sweep
# make check      install what is missing, build, run all tests
# make help       the rest
#
# V=1 shows the commands.

CC ?= cc
CLANG ?= clang
# Debian keeps it where only root looks.
BPFTOOL ?= $(shell PATH=$$PATH:/usr/sbin:/sbin command -v bpftool || echo bpftool)
CLANG_FORMAT ?= clang-format

VERSION := 0.1.0

# With SANITIZE=1 everything in user space is built with ASan and UBSan, beside the usual build.
ifeq ($(SANITIZE),1)
O := build/sanitize
BENCH := $(O)/bench
SANITIZE_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
O := build
BENCH := bench
endif

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n' $(1) $@
endif

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
CPPFLAGS += -D_GNU_SOURCE -I. -I$(O)
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 $(WARNINGS) $(SANITIZE_FLAGS)
LDLIBS += -lbpf -lelf -ljansson -lm -lpthread

BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
# Where a distribution keeps <asm/types.h> by architecture, clang -target bpf has to be told.
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_CFLAGS := -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) \
	-Wall -Wextra -Wno-unused-parameter -Werror $(if $(MULTIARCH),-isystem /usr/include/$(MULTIARCH))

SKELETONS := $(patsubst progs/%.bpf.c,$(O)/%.skel.h,$(wildcard progs/*.bpf.c))
LIB_OBJECTS := $(patsubst %.c,$(O)/%.o,$(wildcard harness/*.c report/*.c compare/*.c convert/*.c suite/*.c benchs/*.c))
OBJECTS := $(O)/bench.o $(LIB_OBJECTS)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(O)/tests/%,$(wildcard tests/unit/test_*.c))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

.PHONY: all
all: $(BENCH)

$(BENCH): $(OBJECTS)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# BPF source -> object -> skeleton. -MMD notes the headers of each, the kernel's apart.
$(O)/%.bpf.o: progs/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(O)/%.skel.h: $(O)/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(O)/%.o: %.c | $(SKELETONS) $(O)/build_info.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Rewritten only when something in it changed, so that nothing is built anew without need.
$(O)/build_info.h: FORCE
	@mkdir -p $(@D)
	@{ echo '#define BENCH_VERSION "$(VERSION)"'; \
	   echo "#define BUILD_GIT_REVISION \"$$(git describe --always --dirty --abbrev=12 2>/dev/null)\""; \
	   echo "#define BUILD_CLANG \"$$($(CLANG) --version | head -n 1)\""; } > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

.PHONY: FORCE
FORCE:

$(O)/tests/%: tests/unit/%.c $(LIB_OBJECTS)
	@mkdir -p $(@D)
	$(call say,TEST)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP $< $(LIB_OBJECTS) $(LDLIBS) -lcmocka -o $@

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS)

# The two commands of the README, and what they are made of.
.PHONY: setup-run setup-check run check
setup-run:
	@ci/setup run

setup-check:
	@ci/setup check

# A second make, since headers that setup has brought are looked for while a Makefile is read.
run: setup-run
	@$(MAKE) --no-print-directory all
	@ci/sweep $(RUN_ARGS)

check: setup-check
	@$(MAKE) --no-print-directory all unit-tests
	@BENCH=$(if $(filter bench,$(BENCH)),./bench,$(BENCH)) BUILD=$(O) tests/run $(GROUPS)

# What the suite promises of itself, measured: takes minutes, and wants an idle machine.
.PHONY: bench-self
bench-self: all
	@tests/bench-self

# The reader of results against any input; FUZZ_SECONDS is how long.
.PHONY: fuzz
fuzz:
	@CLANG=$(CLANG) tests/fuzz/run $(FUZZ_SECONDS)

# The exact results that tests/vm/exact.bats holds the suite to. Renew them when a change of the
# programs is meant to move the figures, and say so where the change is explained.
.PHONY: baselines
baselines: all
	ci/baseline debian:6.1 baselines/debian-6.1.json
	ci/baseline debian:6.12 baselines/debian-6.12.json

.PHONY: check-vm
check-vm:
	@$(MAKE) --no-print-directory check GROUPS="vm vmkernel"

.PHONY: format
format:
	$(CLANG_FORMAT) -i $(shell git ls-files '*.c' '*.h')

# For editors. The programs are left out: they are built for another target.
compile_commands.json: all
	@{ echo '['; first=1; \
	for file in bench.c $(wildcard harness/*.c report/*.c compare/*.c convert/*.c suite/*.c benchs/*.c tests/unit/*.c); do \
		[ "$$first" ] || echo ','; first=; \
		printf '{"directory": "%s", "file": "%s", "command": "%s"}' "$(CURDIR)" "$$file" \
			"$(CC) $(CPPFLAGS) $(CFLAGS) -c $$file"; \
	done; echo; echo ']'; } > $@

.PHONY: help
help:
	@echo 'make                        build ./bench; installs nothing'
	@echo 'make run                    set up, build, run the local storage sweep'
	@echo 'make check                  set up, build, run all tests'
	@echo 'make check GROUPS="unit"    only these of: static unit cli kernel vmshare vm vmkernel'
	@echo 'make check-vm               all tests in virtual machines, on each kernel'
	@echo 'make check SANITIZE=1       the same with ASan and UBSan in user space'
	@echo 'make bench-self             measure what the suite promises of itself'
	@echo 'make fuzz                   fuzz the reader of results for a minute'
	@echo 'make baselines              renew the exact results in baselines/'
	@echo 'make format                 format all C sources'
	@echo 'make compile_commands.json  for editors'
	@echo 'make clean                  remove everything that was built'

.PHONY: clean
clean:
	rm -rf build bench compile_commands.json

-include $(OBJECTS:.o=.d) $(wildcard $(O)/*.bpf.d) $(UNIT_TESTS:=.d)
