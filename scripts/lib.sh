# Sourced by every script here: stops at the first error, works from the root
# of the repository, and puts the Node that need.sh may have installed first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/.tools/node/node_modules/node/bin:$PWD/.tools/npm/node_modules/.bin:$PATH
export PATH

say() { printf '==> %s\n' "$*"; }

die() {
	printf 'error: %s\n' "$*" >&2
	exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# step NAME COMMAND…: runs it, and remembers the name if it failed, so that one
# run shows everything that is wrong. steps_done ends the script accordingly.
failed=()
step() {
	local name=$1
	shift
	say "$name"
	"$@" || failed+=("$name")
}

steps_done() {
	if ((${#failed[@]})); then
		printf 'FAILED: %s\n' "${failed[@]}" >&2
		exit 1
	fi
	say "all good"
}

# Go files of ours. (gofmt -l . would walk into web/node_modules.)
go_files() { find . \( -name node_modules -o -name '.?*' \) -prune -o -name '*.go' -print; }

# Hash of standard input.
sha256() { if have sha256sum; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1; }
