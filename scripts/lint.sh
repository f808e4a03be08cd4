#!/usr/bin/env bash
# Everything but the tests that has to hold before a change is merged.
. "$(dirname "$0")/lib.sh"
scripts/need.sh

formatted() {
	local list
	list=$(go_files | tr '\n' '\0' | xargs -0 gofmt -l) && [[ -z $list ]] && return
	printf 'not formatted (make fmt does it):\n%s\n' "$list"
	return 1
}

step "gofmt" formatted
step "go vet" go vet ./...
step "go fix" go fix -diff ./...
step "go mod tidy" go mod tidy -diff
step "staticcheck" go tool -modfile=tools.mod staticcheck ./...
step "TypeScript types and lint" npm --prefix web run check
step "web/dist is what web/ builds" scripts/check-dist.sh
steps_done
