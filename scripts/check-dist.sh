#!/usr/bin/env bash
# Fails if the committed page (web/dist) is not what web/ builds. It builds a
# copy of the sources in an empty folder, so that the build cannot read dist.
. "$(dirname "$0")/lib.sh"
scripts/need.sh web

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -C web -cf - --exclude=./dist --exclude=./node_modules . | tar -C "$copy" -xf -
ln -s "$PWD/web/node_modules" "$copy/node_modules"
npm --prefix "$copy" run build >"$copy/build.log" 2>&1 || {
	cat "$copy/build.log"
	die "the page does not build"
}
diff -r "$copy/dist" web/dist || die "web/dist is not what web/ builds: run make dist and commit the result"
if [[ -e .git ]]; then
	untracked=$(git ls-files --others -- web/dist)
	[[ -z $untracked ]] || die "not committed: $untracked"
fi
