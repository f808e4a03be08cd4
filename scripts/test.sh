#!/usr/bin/env bash
# Runs all tests: Go with the race detector, TypeScript, and a browser on the
# real binary. Installs what is missing first (need.sh).
. "$(dirname "$0")/lib.sh"
scripts/need.sh

# In CI nothing is taken from the test cache.
step "Go tests" go test -race ${CI:+-count=1} ./...
step "TypeScript tests" npm --prefix web run test
step "browser tests" npm --prefix web run test:e2e
steps_done
