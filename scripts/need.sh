#!/usr/bin/env bash
# Says what the tests need and this machine lacks, and installs it; fails with
# what to do where it cannot. When nothing is missing it takes a moment and
# touches no network.
#
#   scripts/need.sh        everything that the tests need
#   scripts/need.sh web    only Node and the npm packages, to build the page
. "$(dirname "$0")/lib.sh"

# What goes into .tools/ where the machine's own Node or npm is too old.
node_package=node@22.23.3
npm_package=npm@11.21.2

as_root() {
	if ((EUID == 0)); then
		"$@"
	elif [[ -t 0 ]]; then
		sudo "$@"
	else
		sudo -n "$@"
	fi
}

# debian PACKAGE…: installs them, or says who has to.
debian() {
	local todo="install by hand what corresponds to the Debian packages '$*', then run this again"
	have apt-get || die "$todo: this machine has no apt-get"
	((EUID == 0)) || have sudo || die "$todo (as root: apt-get install $*): there is no sudo here"
	say "installing Debian packages: $*"
	as_root apt-get -qq update || say "apt-get update failed; going on with the old package lists"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
		install -y --no-install-recommends "$@" </dev/null >/dev/null || die "$todo: apt-get could not"
}

# need COMMAND PACKAGE WHY: puts the package on the list if there is no command.
missing=()
need() {
	have "$1" && return
	say "missing: $1 ($3)"
	missing+=("$2")
}

check_go() {
	have go || die "missing: go. Install the version that go.mod names (https://go.dev/doc/install), then run this again"
	# An older go fetches the one that go.mod names, or says that it cannot.
	go version >/dev/null || die "this go does not do; go.mod needs $(sed -n 's/^go //p' go.mod)"
}

need_for_tests() {
	need "$(go env CC | cut -d' ' -f1)" gcc "go test -race needs a C compiler"
	[[ -e /usr/include/stdlib.h || $(uname) != Linux ]] || {
		say "missing: C headers (go test -race needs them)"
		missing+=(libc6-dev)
	}
	[[ -n ${CHROMIUM:-} ]] || need chromium chromium "the browser tests drive it; CHROMIUM=/path names another one"
	[[ ! -d redis ]] || need redis-server redis-server "the tests of ./redis start it"
}

# The versions that all of the page's tools allow: ^20.19, ^22.12 and from 24 on.
node_ok() {
	have node && node -e '
		const [major, minor] = process.versions.node.split(".").map(Number)
		process.exit((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24 ? 0 : 1)'
}

npm_ok() {
	local version
	have npm && version=$(npm --version) && ((${version%%.*} >= 11))
}

# tool NAME@VERSION: an npm package into .tools/NAME, which lib.sh puts first on
# PATH. A folder each: installing one would undo what node's script did.
tool() {
	local folder=.tools/${1%@*}
	rm -rf "$folder"
	mkdir -p "$folder"
	npm install --prefix "$folder" --save-exact --ignore-scripts --no-audit --no-fund --loglevel error "$1" ||
		die "npm could not install $1: put Node 20.19 or later and npm 11 or later on PATH, then run this again"
	hash -r
}

need_node() {
	if ! node_ok; then
		say "missing: Node 20.19, 22.12 or later (found: $(node --version)): npm package $node_package into .tools/"
		tool "$node_package"
		# The package's own install script, run openly: it takes the binary for this
		# kind of machine, which is an npm package too.
		(cd .tools/node/node_modules/node && node installArchSpecificPackage.js) >/dev/null
		hash -r
		node_ok || die "npm package $node_package gave no Node for this machine: put Node 20.19 or later on PATH, then run this again"
	fi
	if ! npm_ok; then
		say "missing: npm 11 or later (found: $(npm --version)): npm package $npm_package into .tools/"
		tool "$npm_package"
		npm_ok || die "installed $npm_package, but npm is still $(npm --version)"
	fi
}

# npm_packages: npm ci, unless it ran with this lock file and this Node before.
npm_packages() {
	[[ -f web/package-lock.json ]] || die "web/package-lock.json is not there: is this a whole checkout?"
	local stamp=web/node_modules/.installed want
	want="$(sha256 <web/package-lock.json) $(node -p 'process.versions.modules + " " + process.platform + " " + process.arch')"
	[[ -f $stamp && $(<"$stamp") == "$want" ]] && return
	say "missing: the page's npm packages as web/package-lock.json names them: npm ci"
	npm --prefix web ci --ignore-scripts --no-audit --no-fund --loglevel error || die "npm ci failed in web/"
	printf '%s\n' "$want" >"$stamp"
}

what=${1:-all}
[[ $what == all || $what == web ]] || die "usage: scripts/need.sh [web]"
check_go
[[ $what == web ]] || need_for_tests
npm --version >/dev/null 2>&1 || {
	say "missing: Node and npm (the page's tests and build run on them)"
	missing+=(nodejs npm)
}
((${#missing[@]} == 0)) || debian "${missing[@]}"
need_node
npm_packages
