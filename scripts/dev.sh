#!/usr/bin/env bash
# One Redis, two hubs and the demo's runs in between, for people who work on
# Ringside. Ctrl-C ends it all.
. "$(dirname "$0")/lib.sh"

have redis-server || die "missing: redis-server (Debian: apt-get install redis-server)"
redis_port=${REDIS_PORT:-7379}
first=${HUB_A:-127.0.0.1:8737}
second=${HUB_B:-127.0.0.1:8738}

dir=$(mktemp -d)
go build -o "$dir/hub" ./cmd/hub
pids=()
stop() {
	trap - EXIT INT TERM
	# The last started goes first: the publisher says that it is gone.
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" 2>/dev/null || true
		wait "${pids[i]}" 2>/dev/null || true
	done
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 0' INT TERM

redis-server --bind 127.0.0.1 --port "$redis_port" --dir "$dir" --save '' --appendonly yes --loglevel warning &
pids+=($!)
export RINGSIDE_REDIS=redis://127.0.0.1:$redis_port
"$dir/hub" serve --addr "$first" --node a &
pids+=($!)
"$dir/hub" serve --addr "$second" --node b &
pids+=($!)
"$dir/hub" demo --only-publish --log-level error &
pids+=($!)
say "hubs at http://$first and http://$second on Redis at 127.0.0.1:$redis_port; Ctrl-C ends them"
wait -n # whoever ends first ends all
