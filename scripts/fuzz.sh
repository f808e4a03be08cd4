#!/usr/bin/env bash
# Runs every fuzz target for a short time: FUZZTIME (default 10s) each. What it
# finds is kept in the package's testdata/fuzz: commit it with the fix.
. "$(dirname "$0")/lib.sh"

list=$(go test -list '^Fuzz' ./...) || die "the tests do not build: $list"
names=()
while read -r first second _; do
	case $first in
	Fuzz*) names+=("$first") ;;
	ok)
		for name in ${names[@]+"${names[@]}"}; do
			step "$second $name" go test -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-10s}" "$second"
		done
		names=()
		;;
	esac
done <<<"$list"
steps_done
