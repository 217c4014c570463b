# What a person types. `make` alone lists the targets.

SHELL         := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help setup tools rust lints build build-fast wheel packages dist test-dist speed review deb test test-web test-python test-speed guides soak portable bench fuzz nightly clean FORCE

# Without an interface of its own to draw, a browser takes half the work.
CHROMIUM ?= $(shell command -v chromium-headless-shell || command -v chromium || echo chromium-headless-shell)

TARGET := $(or $(CARGO_TARGET_DIR),target)
BIN    := $(TARGET)/release/ftlab
# The one that makes the report to test.
FTLAB  ?= $(BIN)
WEB    := crates/report/web
# The last that installing makes.
NPM    := $(WEB)/node_modules/.package-lock.json
REPORT := index.html
# What the binary reads besides its own code: a change here makes a new report.
DATA   := $(wildcard drives/*.toml drives/base/*.toml testbeds/*.toml testbeds/base/*.toml jobs/* scripts/* traces/* suites/* reference/*.csv reference/*.toml)

# command:packages, the Debian packages (joined by +) that bring the command: what a build needs, and what tests need.
BUILD_TOOLS := cc:gcc+libc6-dev git:git
TOOLS := $(BUILD_TOOLS) c++:g++ go:golang-go node:nodejs npm:npm $(CHROMIUM):chromium-headless-shell \
         man:man-db zsh:zsh fish:fish nbdinfo:libnbd-bin qemu-img:qemu-utils fio:fio losetup:mount fstrim:util-linux fusermount3:fuse3 \
         mkfs.ext4:e2fsprogs mkfs.xfs:xfsprogs mkfs.btrfs:btrfs-progs python3:python3 curl:curl openssl:openssl \
         pgbench:postgresql sqlite3:sqlite3 valgrind:valgrind
# The same for what Python imports, and no command shows.
PYTHON_TOOLS := ensurepip:python3-venv

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

setup: tools rust lints $(NPM) ## install what is missing (Debian 12; sudo when not root)

tools:
	@missing=; \
	for tool in $(TOOLS); do \
	    command -v "$${tool%%:*}" >/dev/null || missing="$$missing $$(echo "$${tool#*:}" | tr + ' ')"; \
	done; \
	for module in $(PYTHON_TOOLS); do \
	    python3 -c "import $${module%%:*}" 2>/dev/null || missing="$$missing $${module#*:}"; \
	done; \
	test -n "$$missing" || exit 0; \
	echo "setup: installing$$missing"; \
	command -v apt-get >/dev/null || { echo "setup: no apt-get here; install these yourself:$$missing" >&2; exit 1; }; \
	sudo=; test "$$(id -u)" = 0 || sudo=sudo; \
	$$sudo apt-get update && \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $$missing

rust:
	@command -v cargo >/dev/null || { \
	    echo "setup: cargo is missing; install Rust from https://rustup.rs, then open a new shell" >&2; exit 1; }
	@want=$$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml); \
	have=$$(rustc --version | cut -d' ' -f2); \
	printf '%s\n' "$$want" "$$have" | sort -VC || { \
	    echo "setup: Rust $$have is too old, $$want is needed: rustup update" >&2; exit 1; }

lints: rust
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || { \
	    echo "setup: rustfmt or clippy is missing: rustup component add rustfmt clippy" >&2; exit 1; }

# Tests alone need it: what the report embeds of libraries is committed.
$(NPM): $(WEB)/package.json $(WEB)/package-lock.json
	cd $(WEB) && npm ci
	@touch $@

build: $(BIN) ## build the release binary

# What somebody has to fetch who wants to try it.
BIN_BYTES_MAX := 30000000
small = @bytes=$$(wc -c < $(1)); test $$bytes -le $(BIN_BYTES_MAX) || { \
	    echo "build: $(1) has $$bytes bytes, more than $(BIN_BYTES_MAX): what came in?" >&2; exit 1; }

# Always asked of cargo, which leaves the file alone when nothing changed.
$(BIN): FORCE
	cargo build --release -p ftlab
	$(call small,$@)

# The program as it is shipped: static, and built by a profile of its own runs.
FAST     := $(TARGET)/profiled
FAST_BIN := $(FAST)/release/ftlab

build-fast: TOOLS := $(BUILD_TOOLS)
build-fast: PYTHON_TOOLS :=
build-fast: tools rust ## build the program as it is shipped: static, and by a profile of its own runs a fifth faster, into target/profiled/release
	packaging/profiled $(FAST)
	$(call small,$(FAST_BIN))
	@! readelf --dynamic $(FAST_BIN) | grep NEEDED || { echo "build-fast: $(FAST_BIN) is not static" >&2; exit 1; }

review: TOOLS := $(BUILD_TOOLS)
review: PYTHON_TOOLS :=
# A program that is built in half of the time, and reviews as fast.
review: tools rust ## review the five drives of 2008 into out/review
	cargo build --profile review -p ftlab
	$(TARGET)/review/ftlab review --out out/review
	@echo "The report: out/review/$(REPORT)"

# What the package has beside the program; crates/ftlab/Cargo.toml says where it goes.
DEB := $(FAST)/release/deb

deb: TOOLS := $(BUILD_TOOLS)
deb: PYTHON_TOOLS :=
deb: tools rust build-fast ## a package for Debian, in target/debian
	@cargo deb --version >/dev/null 2>&1 || { \
	    echo "deb: installing cargo-deb"; cargo install --locked cargo-deb; }
	rm -rf $(DEB) && mkdir -p $(DEB)
	$(FAST_BIN) man $(DEB)/man && gzip -9n $(DEB)/man/*
	$(FAST_BIN) completions bash > $(DEB)/ftlab.bash
	$(FAST_BIN) completions zsh > $(DEB)/_ftlab
	$(FAST_BIN) completions fish > $(DEB)/ftlab.fish
	cargo run -q -p xtask -- licences $(DEB)/LIBRARIES
	cat $(FAST)/linked-licences >> $(DEB)/LIBRARIES && gzip -9n $(DEB)/LIBRARIES
	mkdir -p $(TARGET)/debian
	CARGO_TARGET_DIR=$(FAST) cargo deb --no-build -p ftlab --output $(TARGET)/debian/

# For glibc from 2018 on, whatever this machine has: zig brings what is linked with.
WHEEL_TAG   := manylinux_2_28
WHEEL_TOOLS := $(TARGET)/wheel-tools

wheel: TOOLS := $(BUILD_TOOLS) python3:python3
wheel: tools rust $(WHEEL_TOOLS)/installed ## the package for Python, with the command line, in target/wheels
	rm -rf $(TARGET)/wheels
	cargo run -q -p xtask -- licences --of ftlab-python $(PYTHON)/python/ftlab/LIBRARIES
	PATH=$(abspath $(WHEEL_TOOLS))/bin:$$PATH maturin build --release --locked --zig --compatibility $(WHEEL_TAG) --out $(TARGET)/wheels

$(WHEEL_TOOLS)/installed: packaging/requirements.txt
	python3 -m venv --clear $(WHEEL_TOOLS)
	$(WHEEL_TOOLS)/bin/pip install --quiet --disable-pip-version-check --no-deps -r $<
	@touch $@

packages: TOOLS := $(BUILD_TOOLS)
packages: PYTHON_TOOLS :=
packages: tools rust ## the packages of all published crates, each built alone, in target/package
	rm -f $(TARGET)/package/*.crate
	cargo package --workspace --locked \
	    $$(grep -l '^publish = false' */*/Cargo.toml */Cargo.toml | xargs sed -ns '2s/^name = "\(.*\)"/--exclude \1/p')

# All that a release has, for systems like this one.
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
DIST    := dist
SHIPPED := ftlab-$(VERSION)

dist: TOOLS := $(BUILD_TOOLS) python3:python3
dist: tools rust deb wheel packages ## all that a release has, in dist: a static program, a wheel, a package for Debian, crates, what is inside, notes, checksums
	@cargo sbom --version >/dev/null 2>&1 || { \
	    echo "dist: installing cargo-sbom"; cargo install --locked cargo-sbom; }
	rm -rf $(DIST) && mkdir -p $(DIST)/crates
	cp $(FAST_BIN) $(DIST)/$(SHIPPED)-linux-$$(uname -m)
	cp $(TARGET)/wheels/*.whl $(TARGET)/debian/ftlab_$(VERSION)-*.deb $(DIST)/
	cp $(TARGET)/package/*-$(VERSION).crate $(DIST)/crates/
	gunzip -c $(DEB)/LIBRARIES.gz > $(DIST)/$(SHIPPED)-libraries.txt
	cargo sbom --cargo-package ftlab --output-format cyclone_dx_json_1_6 > $(DIST)/$(SHIPPED).cdx.json
	cargo run -q -p xtask -- release-notes --about "$$(cat $(FAST)/linked)" $(DIST)/RELEASE-NOTES.md
	cd $(DIST) && find * -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum > SHA256SUMS

test-dist: TOOLS := $(BUILD_TOOLS) mmdebstrap:mmdebstrap
test-dist: PYTHON_TOOLS :=
test-dist: tools ## have a first report of what make dist made, on systems that have nothing else
	packaging/test-dist $(DIST) $(TARGET)/roots

# Everything is built once, and is checked by clippy and rustdoc while it is. A panic says its line without debug
# information, which backtraces alone need.
test: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/.ci/rustc
test: export CARGO_PROFILE_DEV_DEBUG := none
# Read by clippy, and noted by it as what the build depends on: set elsewhere, the second call would build it all again.
test: export CLIPPY_ARGS := -Dwarnings
test: setup ## every check and test
	cargo fmt --all --check
	@# Benchmarks, too, which are only built, and the module for Python, which no test links.
	cargo build --workspace --all-targets
	@# The browser opens the default review, and tests judge its figures: it is made once.
	$(MAKE) --no-print-directory out/test-review/$(REPORT) FTLAB=$(TARGET)/debug/ftlab
	@# The browser waits more than it works, and so does a cluster: their tests run beside the others, and are shown after
	@# them. Tests of servers wait, too: with as many threads in each of several programs there are more tests than cores.
	@log=$$(mktemp); \
	$(MAKE) --no-print-directory --keep-going test-web test-python test-speed FTLAB=$(TARGET)/debug/ftlab > $$log 2>&1 & web=$$!; \
	trap 'kill $$web; rm -f $$log; exit 130' INT TERM; \
	RUST_TEST_THREADS=$$(nproc) FTLAB_DEFAULT_REVIEW=$(CURDIR)/out/test-review/results.json .ci/tests; code=$$?; \
	wait $$web || code=1; \
	cat $$log; rm -f $$log; exit $$code

# The browser opens reports as a reader would: one of the drives of 2008, one of SNIA's specification, and
# those that a test of the crate makes up: as large as that of all drives, of repeats, of a comparison, of consistency, and
# of drives of today.
MADE := $(abspath $(TARGET)/tmp)
# Many times what it takes: a browser that hangs must not hold up a whole run.
WEB_SECONDS_MAX := 900

test-web: out/test-review/$(REPORT) out/test-pts/$(REPORT) $(NPM)
	@test -d $(WEB)/test || { echo "test: $(WEB)/test is missing" >&2; exit 1; }
	cargo test -q --workspace --test report pages_for_the_browser
	cd $(WEB) && REPORT_HTML=$(CURDIR)/$<:$(MADE)/report-full.html PTS_HTML=$(CURDIR)/$(word 2,$^) \
	    REPEATED_HTML=$(MADE)/report-repeated.html COMPARISON_HTML=$(MADE)/comparison.html PAIR_HTML=$(MADE)/pair.html \
	    CONSISTENCY_HTML=$(MADE)/report-consistency.html TODAY_HTML=$(MADE)/report-today.html \
	    CHROMIUM="$$(command -v $(CHROMIUM))" timeout --kill-after=10 $(WEB_SECONDS_MAX) node --test

# Instructions, which no other work on the machine disturbs.
test-speed:
	cargo bench -q --workspace --profile dev --bench instructions -- --gate

# The Python module as it was just built: its package, with what cargo made of the native half. Tests import it from there.
PYTHON := crates/python
VENV   := $(TARGET)/venv
MODULE := $(TARGET)/python

test-python: $(VENV)/installed
	rm -rf $(MODULE) && mkdir -p $(MODULE)
	cp -r $(PYTHON)/python/ftlab $(MODULE)/
	cp $(TARGET)/debug/libftlab_python.so $(MODULE)/ftlab/_ftlab.abi3.so
	PYTHONPATH=$(abspath $(MODULE)) FTLAB=$(abspath $(FTLAB)) PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python -m pytest -q -p no:cacheprovider

$(VENV)/installed: $(PYTHON)/requirements-test.txt
	python3 -m venv --clear $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps -r $<
	@touch $@

out/test-review/$(REPORT): $(FTLAB) $(DATA)
	$(FTLAB) review --out $(@D)
	@touch $@

# Small enough to take seconds, and long enough for every plot.
out/test-pts/$(REPORT): $(FTLAB) $(DATA)
	$(FTLAB) pts generic-mlc-8 --set nand.blocks_per_die=64 --out $(@D)
	@touch $@

# What README and guides show of the program's output, and the example report, as the program gives them now.
guides: setup ## draw the outputs in README and guides again
	FTLAB_REDRAW_GUIDES=1 cargo test -p ftlab-drive --test guide
	FTLAB_REDRAW_GUIDES=1 cargo test -p ftlab -p my-policy --test program --test command_line -- guides:: --skip what_is_slow
	cp $(MADE)/example-report.html docs/example-report/index.html
	cp $(MADE)/example-report-today.html docs/example-report/today.html

# Of attached drives; SOAK_SECONDS=60 SOAK_KILLS=10 for less.
soak: setup ## verify attached drives: a mixed load for SOAK_SECONDS=600, SOAK_KILLS=75 kills of each of nine, databases and file systems over power cuts, damaged images, every case of the theory, 5,000 jobs beside fio, plans of drives beside those of their small form, fits of drives that the date draws
	SOAK_SECONDS=$(or $(SOAK_SECONDS),600) SOAK_KILLS=$(or $(SOAK_KILLS),75) \
	    cargo test -p ftlab --test program -- attach:: --ignored --nocapture
	cargo test -p ftlab-image mutations -- --ignored --nocapture
	FTLAB_EVERY_CUT=1 cargo test -p ftlab-image cut
	FTLAB_EVERY_CASE=1 cargo test -p xtask theory
	FIO_JOBS=5000 cargo test -p ftlab --test fio jobs_over
	cargo test -p ftlab-bench plan:: -- --ignored
	cargo run --profile review -p xtask -- hidden --of-today 3 --judge

# Only checked, not linked, so libraries in C need no compiler for Windows.
WINDOWS := x86_64-pc-windows-gnu

portable: rust ## check that what needs no Unix compiles for Windows: the command line without attached drives, and the module for Python
	@rustup target list --installed | grep -qx $(WINDOWS) || rustup target add $(WINDOWS)
	CC_x86_64_pc_windows_gnu=true AR_x86_64_pc_windows_gnu=true \
	    cargo check --target $(WINDOWS) --no-default-features -p ftlab
	CC_x86_64_pc_windows_gnu=true AR_x86_64_pc_windows_gnu=true \
	    cargo check --target $(WINDOWS) -p ftlab-python

# Counted of the program as it is shipped, and of one without a profile.
speed: TOOLS := $(BUILD_TOOLS) valgrind:valgrind
speed: PYTHON_TOOLS :=
speed: tools build build-fast ## count the instructions of a request, by callgrind
	@for program in $(abspath $(FAST_BIN)) $(abspath $(BIN)); do \
	    echo "$$program"; \
	    cargo bench -q -p ftlab-lab --bench instructions -- --program $$program || exit 1; \
	done

bench: ## run the benchmarks
	cargo bench --workspace

# Coverage-guided, one target after the other, FUZZ_SECONDS in all. What is found lies in
# fuzz/artifacts; what is new goes to fuzz/corpus, from where the next call goes on.
FUZZ_SECONDS ?= 300
FUZZ_TARGETS ?= drive failing_drive drive_file settings job_file script_file trace_file testbed_file nbd_client
# Nothing here is unsafe, so no sanitizer is needed, and without one there are several times the runs.
FUZZ_BUILD   := -O --debug-assertions --sanitizer none

fuzz: nightly ## fuzz for FUZZ_SECONDS=300, with cargo-fuzz on a nightly compiler
	cargo +nightly fuzz build $(FUZZ_BUILD)
	@seconds=$$(( $(FUZZ_SECONDS) / $(words $(FUZZ_TARGETS)) )); \
	for target in $(FUZZ_TARGETS); do \
	    mkdir -p fuzz/corpus/$$target && \
	    cargo +nightly fuzz run $(FUZZ_BUILD) $$target fuzz/corpus/$$target crates/fuzz/inputs/$$target -- \
	        -max_total_time=$$(( seconds > 0 ? seconds : 1 )) -max_len=4096 -timeout=25 -verbosity=0 \
	        -print_final_stats=1 || exit 1; \
	done

nightly:
	@cargo +nightly --version >/dev/null 2>&1 || { \
	    echo "fuzz: no nightly compiler, which coverage needs: rustup toolchain install nightly" >&2; \
	    echo "fuzz: the same is tried without coverage by cargo test -p ftlab-fuzz" >&2; exit 1; }
	@cargo fuzz --version >/dev/null 2>&1 || { \
	    echo "fuzz: installing cargo-fuzz"; cargo install --locked cargo-fuzz; }

clean: ## remove what was built and written
	cargo clean
	rm -rf out dist fuzz/target
