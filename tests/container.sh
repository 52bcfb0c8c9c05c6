#!/usr/bin/env bash
# Follow Containerfile step by step in roots of their own, and ask the explorer of its last stage.  As root;
# needs debootstrap and the network, so it is not part of make check.  (`podman build` does the same
# where a registry can be reached; this needs none.)
#
#   tests/container.sh [WORK]           WORK: build/container
#   BUILT=build/release/kelso tests/container.sh    take this program in place of the build stage
set -euo pipefail
cd "$(dirname "$0")/.."
work=${1:-build/container}
[ "$(id -u)" = 0 ] || { echo "tests/container.sh: run as root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "tests/container.sh needs: apt-get install debootstrap" >&2; exit 2; }
fail() { echo "container: $*" >&2; exit 1; }

# The instructions, one a line: FROM, RUN, COPY and so on.
steps=$(sed -e '/^#/d' -e :a -e '/\\$/N; s/\\\n *//; ta' Containerfile)
base=$(sed -n 's/^FROM \(debian:[0-9]*\)-slim.*/\1/p' <<<"$steps" | sort -u)
[ "$base" = debian:12 ] || fail "this script makes debian:12, not '$base'"
mkdir -p "$work"
[ -x "$work/base/usr/bin/dpkg" ] || debootstrap --variant=minbase bookworm "$work/base" >/dev/null

# The root of a stage, fresh, with a program to copy in or not.
stage() { # stage NAME
    rm -rf "${work:?}/$1"
    cp -a "$work/base" "$work/$1"
    cp /etc/resolv.conf "$work/$1/etc/" 2>/dev/null || true
}
run() { # run STAGE COMMAND
    chroot "$work/$1" env DEBIAN_FRONTEND=noninteractive HOME=/root sh -ec "$2"
}

stage last
if [ -n "${BUILT:-}" ]; then
    cp "$BUILT" "$work/program"
else
    stage first
    mkdir "$work/first/kelso"
    git archive HEAD | tar -x -C "$work/first/kelso"
    sed -n '/^FROM.*AS build/,/^FROM debian:12-slim$/s/^RUN //p' <<<"$steps" | while read -r command; do
        run first "$command" </dev/null >"$work/log" 2>&1 || { tail "$work/log"; fail "$command"; }
    done
    cp "$work/first/kelso/build/release/kelso" "$work/program"
fi
sed -n '/^FROM debian:12-slim$/,$s/^RUN //p' <<<"$steps" | while read -r command; do
    run last "$command" </dev/null >"$work/log" 2>&1 || { tail "$work/log"; fail "$command"; }
done
install -m 755 "$work/program" "$work/last/usr/bin/kelso"
mkdir -p "$work/last/tables"

# ENTRYPOINT, as USER says, on a port of its own.
user=$(sed -n 's/^USER //p' <<<"$steps")
entry=$(sed -n 's/^ENTRYPOINT \[\(.*\)\]/\1/p' <<<"$steps" | tr -d '",' | sed 's/0.0.0.0:8080/127.0.0.1:18080/')
chroot --userspec="$user:nogroup" "$work/last" env HOME=/ $entry >"$work/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 300); do
    grep -q 18080 "$work/log" && break
    kill -0 $server 2>/dev/null || { cat "$work/log"; fail "the server ended"; }
    sleep 0.2
done
python3 - <<'ASK' || { cat "$work/log"; fail "no good answer"; }
import json, urllib.parse, urllib.request
fen = urllib.parse.quote("B:W6,7,14,15:B2")
answer = json.load(urllib.request.urlopen(f"http://127.0.0.1:18080/api/v1/moves?fen={fen}", timeout=60))
assert [m["move"] for m in answer["moves"]] == ["2x9x18", "2x11x18"], answer
page = urllib.request.urlopen("http://127.0.0.1:18080/", timeout=60).read()
assert b"<html" in page.lower(), page[:200]
ASK
kill -TERM $server
wait $server || fail "the server did not end well"
trap - EXIT
echo "container: good; the last stage takes $(du -sm "$work/last" | cut -f1) MB, $(du -sm "$work/base" | cut -f1) MB of them Debian"
