# Each target is one short script or command; `make help` lists them.

.PHONY: help test test-faults check lint need build dev dist fmt fuzz bench

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

test: ## install what is missing, then run all tests: Go with -race, TypeScript, browser
	@scripts/test.sh

test-faults: ## the fault tests that take long too: failovers, outages, the default times
	@scripts/need.sh
	RINGSIDE_FAULTS=all go test -race -count=1 -timeout 25m -run 'Fault|Unneeded' ./redis ./cmd/hub ./agent/worker

check: test lint ## everything that has to hold before a change is merged: what CI runs

lint: ## format, vet, go fix, go mod tidy, staticcheck, types and lint of the page, web/dist
	@scripts/lint.sh

need: ## install what the tests need and this machine lacks
	@scripts/need.sh

build: ## build bin/hub
	go build -trimpath -o bin/hub ./cmd/hub

dev: ## run one Redis, two hubs and the demo's runs; Ctrl-C ends them
	@scripts/dev.sh

dist: ## build the page into web/dist (committed, embedded in the binary)
	@scripts/npm.sh run build

fmt: ## format Go and TypeScript
	@gofmt -w $$(find . \( -name node_modules -o -name '.?*' \) -prune -o -name '*.go' -print)
	@scripts/npm.sh run fix

fuzz: ## run every fuzz target for FUZZTIME (10s)
	@scripts/fuzz.sh

bench: ## run the Go benchmarks; BENCH=regexp COUNT=6 for benchstat
	go test -run '^$$' -bench '$(or $(BENCH),.)' -benchmem -count $(or $(COUNT),1) ./...
