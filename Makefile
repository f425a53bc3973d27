# SPDX-License-Identifier: Apache-2.0
#
# The commands. Each does its own set-up on a fresh Debian 12 machine (as root or with sudo) and does
# nothing twice. `make test` and `make demo` use the release build: what is tested is what ships.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
# Two thirds of the integration ring's time is waiting, for servers and their timers: more tests at
# once than cores.
TEST_JOBS ?= $(shell expr 2 '*' $$(nproc))
CTEST = ctest --output-on-failure --parallel $(TEST_JOBS) --no-tests=error
RINGS = unit|integration
# What needs a real Kubernetes.
KUBE_RINGS = kube|conformance
FUZZ_SECONDS ?= 60
KILLS ?= 1000
export UBSAN_OPTIONS ?= print_stacktrace=1
export TSAN_OPTIONS ?= second_deadlock_stack=1

# configure PRESET: only when it was never done; ninja repeats it by itself when a CMake file changes.
configure = [ -f build/$(1)/build.ninja ] || cmake --preset $(1) >/dev/null
compile = $(call configure,$(1)) && ninja -C build/$(1) -j $(JOBS)
# What a preset's tests are made of; benchmarks only so that they go on compiling.
rings_of_release = ring_unit ring_integration ring_model bench
rings_of_asan = ring_unit ring_integration
rings_of_tsan = $(rings_of_asan)
rings_of_clang = $(rings_of_asan)

.PHONY: help
help: ## Show this text
	@echo "Fixpoint: Kubernetes operators in C++, and the cluster to run and check them on."
	@echo
	@echo "  make test     build everything and test it (a fresh machine needs nothing else)"
	@echo "  make demo     see it work, in about a minute after the build"
	@echo
	@echo "All commands:"
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "Variables: JOBS=n compile jobs, T=regex tests to run, ARGS='…' for up and bench,"
	@echo "           FUZZ_SECONDS=n per fuzz target, KILLS=n for torture, ALL=1 to tidy every file"
	@echo "Read next: README.md, CONTRIBUTING.md, docs/TESTING.md"

.PHONY: deps
deps: ## Install the missing Debian packages for building (other commands do this themselves)
	@tools/deps build

.PHONY: build
build: deps ## Build the release program: build/release/fixpoint
	@$(call compile,release) fixpoint

.PHONY: test
test: deps ## Build and run all tests that need no real Kubernetes; T=regex picks some
	@tools/deps node
	@$(call compile,release) $(rings_of_release)
	@$(CTEST) --test-dir build/release -L '$(RINGS)|model' $(if $(T),-R '$(T)')

.PHONY: kube
kube: deps ## Get a real Kubernetes to compare with: built once (5 to 10 minutes), kept outside the tree
	@tools/deps kube
	@tools/kube

.PHONY: test-kube
test-kube: TEST_JOBS = 2
test-kube: kube ## Run the tests that compare with a real Kubernetes; T=regex picks some
	@$(call compile,release) ring_kube conformance
	@rm -rf build/conformance && mkdir -p build/conformance
	@FIXPOINT_SUMMARY_DIR=$(CURDIR)/build/conformance \
	  $(CTEST) --test-dir build/release -L '$(KUBE_RINGS)' $(if $(T),-R '$(T)')
	@tools/conformance-summary build/conformance

.PHONY: nightly
nightly: kube ## Compare with a real Kubernetes until Ctrl-C; SEED=n begins there
	@$(call compile,release) conformance
	@tools/nightly build/release/conformance $(SEED)

.PHONY: demo
demo: build ## Stellar nodes on a cluster of their own, through one trouble after the other
	@tools/deps node
	@build/release/fixpoint demo

.PHONY: up
up: build ## Run a cluster in memory until Ctrl-C; ARGS='--data-dir DIR' keeps it
	@tools/deps node
	@build/release/fixpoint up $(if $(ARGS),$(ARGS),--ephemeral --kubeconfig build/kubeconfig)

.PHONY: bench
bench: deps ## Run the benchmarks; ARGS go to each, results also as JSON in build/bench
	@$(call compile,release) fixpoint bench
	@tools/bench build/release build/bench $(ARGS)

.PHONY: bench-peers
bench-peers: deps kube ## The same controller on Fixpoint, controller-runtime and kube-rs, on a real API server
	@$(call compile,release) peer_bench create_load fixpoint
	@bench/peers/run $(ARGS)

.PHONY: bench-stellar
bench-stellar: deps kube ## What the stellar operator costs per node, from 100 to 5000; ARGS='--real 1000'
	@$(call compile,release) fixpoint
	@bench/stellar/run $(ARGS)

# Counterexamples and reports lie beside the build.
VERIFY = build/release/fixpoint verify --out build/verify/counterexamples
.PHONY: verify
verify: build ## Explore every state of the operators and models, with small budgets; part of `make test`
	@mkdir -p build/verify
	@$(VERIFY) --all --time-limit 3m --json build/verify/report.json --html build/verify/report.html

.PHONY: verify-full
verify-full: build ## The same with the budgets of the night: ten million states and more
	@$(VERIFY) --all
	@$(VERIFY) model:2pc --size 9
	@$(VERIFY) greeting --scenario life --budget edit=2,crash=2,stale=2
	@$(VERIFY) greeting --scenario again --budget edit=3,crash=2
	@$(VERIFY) greeting --scenario leaders --budget edit=1,lease=1
	@$(VERIFY) greeting --scenario past --budget edit=1,stale=1,crash=1
	@$(VERIFY) greeting --scenario travels
	@$(VERIFY) greeting --scenario errors --budget edit=1,error=2
	@$(VERIFY) greeting --scenario late --budget edit=1,late=1,crash=1
	@$(VERIFY) greeting --scenario definition --budget edit=3,stale=1,crash=1
	@$(VERIFY) stellar --scenario ec1 --budget error=3
	@$(VERIFY) stellar --scenario ec1 --budget error=1,crash=2
	@$(VERIFY) stellar --scenario ec1 --budget error=1,crash=1
	@$(VERIFY) stellar --scenario ec1 --budget error=1,stale=1
	@$(VERIFY) stellar --scenario ec10 --budget edit=2
	@$(VERIFY) stellar --scenario ec10 --budget edit=3
	@$(VERIFY) stellar --scenario ec10 --budget edit=1,stale=2
	@$(VERIFY) stellar --scenario ec2-mesh-goes
	@$(VERIFY) stellar --scenario neighbours --budget edit=1
	@$(VERIFY) stellar --scenario neighbours --budget error=1
	@$(VERIFY) stellar --scenario neighbours --budget crash=1
	@$(VERIFY) stellar --scenario leaders --budget lease=1,crash=2
	@$(VERIFY) stellar --scenario leaders --budget lease=2
	@$(VERIFY) stellar --scenario leaders --budget lease=2,crash=1
	@$(VERIFY) stellar --scenario leaders --budget lease=1,stale=1
	@$(VERIFY) stellar --scenario storm --walks 20000
	@$(VERIFY) greeting --scenario others --budget crash=2,error=2,late=1,watch=2,stale=2,flap=2,foreign=2 --walks 20000

.PHONY: lint
lint: deps ## Check formatting, include direction, licence lines, names, clang-tidy on what changed
	@tools/deps lint
	@tools/lint $(if $(ALL),--all)

.PHONY: fmt
fmt: ## Format the sources
	@tools/deps lint
	@git ls-files '*.cc' '*.h' | xargs --no-run-if-empty clang-format-19 -i

.PHONY: asan tsan clang
asan: ## Tests under AddressSanitizer and UBSan
tsan: ## Tests under ThreadSanitizer
clang: ## Tests built by the other compiler, without precompiled headers
asan tsan clang: deps
	@tools/deps clang
	@$(call compile,$@) $(rings_of_$@)
	@$(CTEST) --test-dir build/$@ -L '$(RINGS)$(if $(T),|single)' $(if $(T),-R '$(T)')

.PHONY: compile
compile: deps # PRESET=asan: what its tests are made of, without running them
	@[ $(PRESET) = release ] || tools/deps clang
	@$(call compile,$(PRESET)) $(rings_of_$(PRESET))

.PHONY: fuzz
fuzz: deps ## Fuzz every parser for FUZZ_SECONDS each
	@tools/deps clang
	@$(call compile,fuzz) fuzzers
	@tools/fuzz build/fuzz $(FUZZ_SECONDS)

.PHONY: torture
torture: deps ## Kill the server KILLS times under load and look for every acknowledged write
	@$(call compile,release) fixpoint integration_test
	@FIXPOINT_BINARY=$(CURDIR)/build/release/fixpoint FIXPOINT_KILLS=$(KILLS) \
	  build/release/integration_test --gtest_filter='*Torture*'

.PHONY: clean
clean: ## Remove what was built
	@rm -rf build
