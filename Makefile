# Two commands do everything: `make demo` runs the main job, `make test` passes every check.
SHELL := /bin/bash
CARGO ?= cargo
CARGO_FLAGS := --release --locked
# What tests run is made in two thirds of the time that users' programs take; `make test PROFILE=release` tests these.
export PROFILE ?= dev
TEST_FLAGS := --profile $(PROFILE) --locked
# Many tests wait for processes, so more run at once than there are cores.
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))

.PHONY: all demo test rust build page lint checked audit fuzz gpu toolchain installed python dist dist-tried clean

all: build

# Without the parts that a demonstration has no use for: databases, object stores, calendars, measurements.
demo: toolchain
	$(CARGO) build $(CARGO_FLAGS) -p veilset-cli --no-default-features
	$(CARGO) run --quiet $(CARGO_FLAGS) -p veilset-cli --no-default-features -- demo

build: toolchain
	$(CARGO) build $(CARGO_FLAGS) -p veilset-cli

# What the tests need is installed while the code is compiled and checked. The page is tested where it can be made; else its script says
# what it lacks. Python's tests mostly wait, so they run beside the others.
test: lint
	@$(MAKE) --no-print-directory --jobs=2 installed checked
	@./scripts/page || [ $$? = 3 ]
	@$(MAKE) --no-print-directory --jobs=2 rust python

lint: toolchain
	@./scripts/lints
	$(CARGO) fmt --all --check

checked rust python: export RUSTC_WRAPPER := $(CURDIR)/scripts/few-passes
checked rust python: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/scripts/checked

checked: toolchain
	$(CARGO) build $(TEST_FLAGS) --workspace --lib --tests --examples

rust: toolchain
	$(CARGO) test $(TEST_FLAGS) --workspace --tests --config "target.'cfg(all())'.runner='$(CURDIR)/scripts/unless-passed'"
	$(CARGO) test $(TEST_FLAGS) --workspace --doc

# Says exactly what is missing, or installs what the package manager has.
toolchain:
	@./scripts/toolchain

# A browser for the pages, a database for the queries, and Python's libraries: a package manager works alone.
installed: toolchain
	@./scripts/browser
	@./scripts/postgres
	@./scripts/venv

# The Python package: its wheel, types and tests.
python: toolchain
	./scripts/python

# The page for parties with only a browser, in target/page; `veilset relay --page target/page` shows it.
page: toolchain
	PROFILE=release ./scripts/page --packed

# Known vulnerabilities in libraries, and their licences and origins. Asks a database that changes every day, so no test does.
audit:
	@$(CARGO) deny --version >/dev/null 2>&1 || { echo "veilset's audit needs cargo-deny: cargo install --locked cargo-deny" >&2; exit 1; }
	$(CARGO) deny --all-features --locked check

# Searches for inputs that break something, in a build of its own; `make test` feeds the same targets a fixed number of inputs.
fuzz:
	./fuzz/smoke

# The programs for graphics processors against this processor's, and how fast they are; says so where there is no device.
gpu: toolchain
	$(CARGO) test $(CARGO_FLAGS) -p veilset-gpu --tests -- --nocapture
	$(CARGO) run --quiet $(CARGO_FLAGS) -p veilset-cli -- bench curve --device gpu || [ $$? = 2 ]

# The releases for this system, in target/dist; SIGN_KEY names an SSH key that signs them.
dist: toolchain
	@./scripts/dist

# Each of them installed and run on fresh Debian systems.
dist-tried:
	@./scripts/dist-try

clean:
	$(CARGO) clean
