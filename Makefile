# SPDX-License-Identifier: MIT
#
# Two commands matter:  make run  and  make check.  `make help` lists the rest.
#
# One set of rules serves five variants, each in its own folder:
#   release   what is installed: -O3, no asserts
#   check     asserts on, for the tests
#   asan      asserts on, AddressSanitizer and UndefinedBehaviorSanitizer, with clang
#   fuzz      the same and libFuzzer, for tests/fuzz
#   tsan      asserts on and ThreadSanitizer, for tests/threads
# The program is build/kelso, the library build/libkelso.a and .so.

VERSION   := 0.1.0
SOVERSION := 0
PREFIX    ?= /usr/local
DESTDIR   ?=
CC        := $(if $(filter default,$(origin CC)),$(if $(filter asan fuzz tsan,$(VARIANT)),clang,gcc),$(CC))
FUZZ_TIME ?= 60
JOBS      ?= $(shell nproc)

VARIANT   ?= release
Q         := $(if $(V),,@)# make V=1 shows the commands
OBJ       := build/$(VARIANT)

MACHINE   := $(shell uname -m)
ARCH      ?= $(if $(filter x86_64,$(MACHINE)),-march=x86-64-v2)

CPPFLAGS  := -Isrc -Iinclude -D_GNU_SOURCE -DKELSO_VERSION='"$(VERSION)"'
WARN      := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
             -Wno-missing-field-initializers # tables of options leave out what is zero
CFLAGS    ?= -g
CFLAGS    += -std=c17 $(ARCH) $(WARN) -fPIC -pthread -fvisibility=hidden -fno-math-errno
LDLIBS    := -lxxhash -lzstd -pthread -lm
APP_LIBS  := -llmdb # what the program needs beyond the library
NATS      ?=# make NATS=1: proofs on many machines (docs/cluster.md)
ifneq ($(filter-out 0,$(NATS)),)
APP_LIBS  += -lnats
endif
MPI       ?=# make MPI=1: build/kelso-mpi, tables on many machines (docs/cluster.md)
ifneq ($(filter-out 0,$(MPI)),)
MPI_FLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags mpi-c))
MPI_LIBS  := $(shell pkg-config --libs mpi-c)
$(if $(MPI_LIBS),,$(error make MPI=1 needs MPI: apt-get install libopenmpi-dev pkg-config))
endif

ifeq ($(VARIANT),release)
CFLAGS    += -O3 -DNDEBUG -fstack-protector-strong -D_FORTIFY_SOURCE=2
LDFLAGS   += -Wl,-z,relro,-z,now# PIE is the compiler's default
else ifeq ($(VARIANT),check)
CFLAGS    += -O2
else ifeq ($(VARIANT),asan)
CFLAGS    += -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS   += -fsanitize=address,undefined
else ifeq ($(VARIANT),fuzz)
CFLAGS    += -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS   += -fsanitize=fuzzer,address,undefined
# The comparisons of an arithmetic decoder tell a fuzzer nothing, and tracing them took most of its time.
$(foreach f,model values distances counted map,$(eval CFLAGS_codec_$(f) := -O2 -fno-sanitize-coverage=trace-cmp))
else ifeq ($(VARIANT),tsan)
CFLAGS    += -O1 -fsanitize=thread
LDFLAGS   += -fsanitize=thread
else
$(error VARIANT must be release, check, asan, fuzz or tsan)
endif

# ------------------------------------------------------------------ sources --
# The library is what kelso.h offers; the program adds the layers above it; tests
# link both but for main.c.
LIB_SRC   := $(sort $(wildcard src/base/*.c src/core/*.c src/db/*.c src/api/*.c))
# libkelso-solve: the same and what kelso_solve.h offers; nothing that needs the store of proofs.
SOLVER_SRC := $(sort $(wildcard src/solver/*.c))
SOLVE_SRC := $(SOLVER_SRC) $(sort $(wildcard src/search/*.c)) \
             $(foreach f,bounds certificate check claim_index closure dfpn estimate estimate_data estimate_rows estimate_rows_avx2 extract pn_table position_map resolve solve,src/proof/$(f).c)
QUEUE_SRC := $(sort $(wildcard src/proof/nats/*.c))
QUEUE_SRC := $(if $(findstring -lnats,$(APP_LIBS)),$(filter-out %/none.c,$(QUEUE_SRC)),src/proof/nats/none.c)
MID_SRC   := $(sort $(wildcard src/games/*.c src/search/*.c src/proof/*.c)) $(QUEUE_SRC)
APP_SRC   := $(MID_SRC) $(sort $(foreach d,report papers play tune serve cli,$(wildcard src/$(d)/*.c)))
TEST_SRC  := $(sort $(wildcard tests/*/test_*.c))
TEST_SRC  := $(if $(findstring -lnats,$(APP_LIBS)),$(TEST_SRC),$(filter-out tests/nats/%,$(TEST_SRC)))
TEST_KIT  := $(sort $(wildcard tests/kit/*.c))
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
EXAMPLES  := $(sort $(wildcard examples/*.c))

obj = $(patsubst %.c,$(OBJ)/%.o,$(1))
LIB_OBJ   := $(call obj,$(LIB_SRC)) $(OBJ)/src/db/kernel/kernel.o
APP_OBJ   := $(call obj,$(APP_SRC)) $(OBJ)/assets.o
TEST_BIN  := $(addprefix $(OBJ)/,$(notdir $(basename $(TEST_SRC))))
FUZZ_BIN  := $(patsubst tests/fuzz/%.c,$(OBJ)/%,$(FUZZ_SRC))
THREADS_BIN := $(patsubst tests/threads/%.c,$(OBJ)/%,$(wildcard tests/threads/threads_*.c))
BENCH_BIN := $(patsubst bench/%.c,$(OBJ)/bench_%,$(wildcard bench/*.c))
EXAMPLE_BIN := $(patsubst examples/%.c,$(OBJ)/example_%,$(EXAMPLES))

.PHONY: all run check check-long bench fuzz format format-check layers install clean deps help tests fuzzers threads python dist deb
.PHONY: .FORCE # .SECONDARY would let it pass as made
.DEFAULT_GOAL := all
.SECONDARY:

LIBRARIES := libkelso.a libkelso.so libkelso-solve.a libkelso-solve.so

all: $(OBJ)/kelso $(addprefix $(OBJ)/,$(LIBRARIES))
ifeq ($(VARIANT),release)
all: build/kelso $(addprefix build/,$(LIBRARIES)) $(if $(MPI_LIBS),build/kelso-mpi)

build/%: $(OBJ)/%
	@ln -sf release/$* $@
endif

$(OBJ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo '  CC   $@'
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(CFLAGS_$(notdir $*)) -MMD -MP -c -o $@ $<

# The network of the evaluation is a file that network_data.c takes in.
$(OBJ)/src/search/network_data.o: data/network.bin

$(OBJ)/libkelso.a: $(LIB_OBJ)
$(OBJ)/libkelso-solve.a: $(LIB_OBJ) $(call obj,$(SOLVE_SRC))
$(OBJ)/libkelso.a $(OBJ)/libkelso-solve.a:
	@rm -f $@
	@echo '  AR   $@'
	$(Q)$(AR) rcs $@ $^

$(OBJ)/libkelso.so: $(LIB_OBJ)
$(OBJ)/libkelso-solve.so: $(LIB_OBJ) $(call obj,$(SOLVE_SRC))
$(OBJ)/libkelso.so $(OBJ)/libkelso-solve.so:
	@echo '  LINK $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F).$(SOVERSION) -o $@ $^ $(LDLIBS)
	@ln -sf $(@F) $@.$(SOVERSION)

# With or without a queue: what was linked the other way is linked again.
$(OBJ)/linked: .FORCE
	@mkdir -p $(@D)
	@echo '$(APP_LIBS)' | cmp -s - $@ || echo '$(APP_LIBS)' >$@

$(OBJ)/kelso: $(APP_OBJ) $(OBJ)/libkelso.a $(OBJ)/linked
	@echo '  LINK $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(APP_LIBS) $(LDLIBS)

# The same commands but one, and the ranks of a job.
MPI_OBJ   := $(call obj,$(wildcard src/cli/mpi/*.c))
$(MPI_OBJ): CPPFLAGS += $(MPI_FLAGS)
$(OBJ)/kelso-mpi: $(MPI_OBJ) $(filter-out %/main.o,$(APP_OBJ)) $(OBJ)/libkelso.a $(OBJ)/linked
	@echo '  LINK $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(MPI_LIBS) $(APP_LIBS) $(LDLIBS)

# tests/db/test_codec.c becomes test_codec: each name stands once in the folders of tests/.
$(OBJ)/tests/%.o: CPPFLAGS += -Itests
$(foreach t,$(TEST_SRC),$(eval $(OBJ)/$(notdir $(t:.c=)): $(OBJ)/$(t:.c=.o)))
$(TEST_BIN): $(call obj,$(TEST_KIT) $(SOLVER_SRC)) $(filter-out %/main.o,$(APP_OBJ)) $(OBJ)/libkelso.a $(OBJ)/linked
	@echo '  LINK $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lcmocka $(APP_LIBS) $(LDLIBS)

# The examples see what a user sees: the public headers and the shared library.
$(EXAMPLE_BIN): $(OBJ)/example_%: examples/%.c $(OBJ)/libkelso.so $(OBJ)/libkelso-solve.so $(wildcard include/*.h)
	@echo '  LINK $@'
	$(Q)$(CC) -Iinclude $(CFLAGS) $(LDFLAGS) -o $@ $< -L$(OBJ) -l$(if $(findstring kelso_solve.h,$(file <$<)),kelso-solve,kelso) -Wl,-rpath,'$$ORIGIN'

# The page's files, and the published lists that it shows, go into the program.
WEB_FILES := $(foreach f,$(sort $(shell find web -type f)),$(f:web/%=/%)=$(f)) \
             $(foreach f,shortest_games.txt shortest_finals.txt openings.csv listings.txt listing4.txt listing5.txt listing6.txt listing7.txt listing_notes.csv table2.csv errata.csv bryant_table1.csv chinook_table1.csv,/data/$(f)=data/$(f))

$(OBJ)/assets.c: scripts/embed Makefile $(foreach w,$(WEB_FILES),$(lastword $(subst =, ,$(w))))
	@mkdir -p $(@D)
	@echo '  EMBED $@'
	$(Q)scripts/embed $(OBJ)/assets $(WEB_FILES) >$@.tmp && mv $@.tmp $@

$(OBJ)/assets.o: $(OBJ)/assets.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(OBJ)/src/play/openings.o: data/ballots.csv

tests: $(OBJ)/kelso $(if $(and $(MPI_LIBS),$(filter check,$(VARIANT))),$(OBJ)/kelso-mpi) $(TEST_BIN) $(EXAMPLE_BIN) $(OBJ)/fault.so $(OBJ)/record.so

# Loaded before the program by tests/faults: calls that fail; a log of file operations.
$(OBJ)/fault.so: tests/faults/preload.c tests/faults/preload.h
$(OBJ)/record.so: tests/faults/record.c tests/faults/record.h
$(OBJ)/fault.so $(OBJ)/record.so: tests/faults/interpose.h Makefile
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(CC) -D_GNU_SOURCE -Itests -g -O2 -std=c17 $(WARN) -fPIC -shared -o $@ $(filter %.c,$^) -ldl

# The block kernels: one text, compiled for each kind of value and instruction set
# and chosen at run time (src/db/kernel/kernel.h).
KERNEL_SRC   := leave sweep lone men captures solve
KERNEL_KINDS := wld dtc dtw dtw9
KERNEL_ISAS  := plain $(if $(filter fuzz tsan,$(VARIANT)),,$(if $(filter x86_64,$(MACHINE)),avx2 avx512))
ifneq ($(filter fuzz tsan,$(VARIANT)),)
CFLAGS_kernel := -DKERNEL_PLAIN
endif
KERNEL_wld   := -DKERNEL_WLD
KERNEL_dtc   := -DKERNEL_DTC -DWIDE
KERNEL_dtw   := -DKERNEL_DTW
KERNEL_dtw9  := -DKERNEL_DTW -DWIDE -DNINE
KERNEL_avx2  := -mavx2 -mbmi -mbmi2 -mlzcnt
KERNEL_avx512 := $(KERNEL_avx2) -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -mavx512vbmi2

define KERNEL_RULE
$(OBJ)/src/db/kernel/%.$(1).$(2).o: src/db/kernel/%.c Makefile
	@mkdir -p $$(@D)
	@echo '  CC   $$@'
	$$(Q)$$(CC) $$(CPPFLAGS) $$(CFLAGS) $$(KERNEL_$(1)) $$(KERNEL_$(2)) -DKERNEL_NAME=$(1)_$(2) -MMD -MP -c -o $$@ $$<
KERNEL_OBJ += $$(patsubst %,$(OBJ)/src/db/kernel/%.$(1).$(2).o,$$(KERNEL_SRC))
endef
$(foreach k,$(KERNEL_KINDS),$(foreach i,$(KERNEL_ISAS),$(eval $(call KERNEL_RULE,$(k),$(i)))))
$(addprefix $(OBJ)/,$(LIBRARIES)): $(KERNEL_OBJ)

# Fuzzers and threads have only the plain kernels, since the others take long to compile; of the
# server they have HTTP and the queue of jobs.
HTTP_SRC  := $(foreach f,message guard request sink conn http limiter workers weblog parameters jobs,src/serve/$(f).c) \
             $(foreach f,json outcomes term record,src/report/$(f).c) \
             src/play/hub.c src/play/dxp_wire.c

$(OBJ)/libfuzzed.a: $(LIB_OBJ) $(KERNEL_OBJ) $(call obj,$(MID_SRC) $(HTTP_SRC))
	@rm -f $@
	@echo '  AR   $@'
	$(Q)$(AR) rcs $@ $^

$(FUZZ_BIN): $(OBJ)/%: $(OBJ)/tests/fuzz/%.o $(OBJ)/libfuzzed.a
	@echo '  LINK $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(APP_LIBS) $(LDLIBS)

fuzzers: $(FUZZ_BIN)

$(THREADS_BIN): $(OBJ)/%: $(OBJ)/tests/threads/%.o $(OBJ)/libfuzzed.a
	@echo '  LINK $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(APP_LIBS) $(LDLIBS)

threads: $(THREADS_BIN)

# Benchmarks that need a program of their own; one has its peer in tests/.
$(OBJ)/bench/%.o: CPPFLAGS += -Itests
$(OBJ)/bench_perft_ways: $(OBJ)/tests/kit/naive.o
$(OBJ)/bench_blunders $(OBJ)/bench_endings $(OBJ)/bench_regret: $(call obj,$(wildcard src/search/*.c)) $(OBJ)/src/tune/samples.o
$(OBJ)/bench_results: $(call obj,$(MID_SRC))
$(OBJ)/bench_estimate: $(patsubst %,$(OBJ)/src/proof/%.o,dfpn pn_table closure position_map estimate estimate_data estimate_rows estimate_rows_avx2)
$(BENCH_BIN): $(OBJ)/bench_%: $(OBJ)/bench/%.o $(OBJ)/libkelso.a
	@echo '  LINK $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(if $(findstring results,$@),$(APP_LIBS)) $(LDLIBS)

# Python: the package in build/python/kelso, with the library inside its module.
PYTHON    ?= /usr/bin/python3
PYTHON_LIBS ?= $(OBJ)/libkelso-solve.a $(LDLIBS)

python: $(OBJ)/libkelso-solve.a
	@mkdir -p build/python/kelso
	@cp bindings/python/kelso/*.py bindings/python/kelso/py.typed build/python/kelso/
	@echo '  LINK build/python/kelso/_kelso.so'
	$(Q)$(CC) -Iinclude -I$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))') \
	    $(CFLAGS) -Wno-missing-prototypes -shared -o build/python/kelso/_kelso.so bindings/python/kelso/_kelso.c $(PYTHON_LIBS)

# ------------------------------------------------------------------ commands --
deps:
	@scripts/deps

run: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@build/kelso tour
	@echo
	@echo 'Tables of at most four pieces (kelso build --pieces 4):'
	@build/kelso build --pieces 4
	@echo
	@echo "The paper's Figure 4: what each move gives (kelso probe 'B:WK31:B25,K18'):"
	@build/kelso probe 'B:WK31:B25,K18'
	@echo
	@echo 'The explorer (kelso serve): open this in a browser.'
	@build/kelso serve || [ $$? = 130 ] # Ctrl-C is how it ends

check:
	@scripts/deps --check
	@scripts/check

check-long:
	@scripts/deps --check
	@scripts/check --long

bench: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_BIN)
	@bench/run

fuzz:
	@scripts/deps --check
	@scripts/fuzz $(FUZZ_TIME)

layers:
	@scripts/layers

SOURCES := $(shell find src tests include bench examples bindings -name '*.[ch]' 2>/dev/null)
format:
	clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run --Werror $(SOURCES)

install: all
	scripts/install '$(DESTDIR)' '$(PREFIX)' '$(VERSION)' '$(SOVERSION)'

# The version stands in three places; a release refuses to differ.
dist:
	@scripts/dist '$(VERSION)'

deb:
	@scripts/deb '$(VERSION)'

clean:
	rm -rf build

help:
	@echo 'make run         install what is missing, build, take the tour, serve the explorer'
	@echo 'make check       every test, plainly and under sanitizers (minutes)'
	@echo 'make check-long  what takes longer'
	@echo 'make bench       the benchmark table'
	@echo 'make fuzz        run each fuzzer for FUZZ_TIME=$(FUZZ_TIME) seconds'
	@echo 'make python      the Python package, in build/python'
	@echo 'make format      clang-format over the sources'
	@echo 'make install     PREFIX=$(PREFIX) DESTDIR='
	@echo 'make dist        a release tarball, in build/dist'
	@echo 'make deb         Debian packages, in build/deb'
	@echo 'make clean'

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(APP_OBJ) $(MPI_OBJ) $(KERNEL_OBJ)) $(wildcard $(OBJ)/tests/*.d $(OBJ)/tests/*/*.d $(OBJ)/bench/*.d)
