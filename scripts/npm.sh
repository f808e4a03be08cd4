#!/usr/bin/env bash
# npm in web/ with the Node and the packages that need.sh provides:
#   scripts/npm.sh run build
. "$(dirname "$0")/lib.sh"
scripts/need.sh web
exec npm --prefix web "$@"
