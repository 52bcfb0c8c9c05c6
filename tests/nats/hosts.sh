#!/usr/bin/env bash
# A proof over pretend hosts: network namespaces of this test's own, on a bridge of their own, with
# no way out.  A worker's cable is cut, and put back; the value is the same.
#
#   tests/nats/hosts.sh KELSO      needs root, `ip netns` and nats-server; otherwise it is skipped
set -euo pipefail
kelso=${1:?usage: tests/nats/hosts.sh KELSO}
skip() { echo "1..1"; echo "ok 1 # SKIP $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "not root"
command -v ip >/dev/null || skip "no ip"
command -v nats-server >/dev/null || skip "no nats-server"
"$kelso" worker --queue nats://127.0.0.1:1 2>&1 | grep -q 'without a queue' && skip "built without NATS"
tag=kq$$
ip netns add "$tag" 2>/dev/null || skip "ip netns does not work here"

scratch=$(mktemp -d)
pids=()
finish() {
    for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null || true; done
    wait 2>/dev/null || true
    for h in 1 2 3; do ip netns del "$tag$h" 2>/dev/null || true; done
    ip netns del "$tag" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

ip -n "$tag" link add br0 type bridge
ip -n "$tag" link set br0 up
for h in 1 2 3; do
    ip netns add "$tag$h"
    ip -n "$tag$h" link set lo up
    ip -n "$tag$h" link add eth0 type veth peer name "h$h" netns "$tag"
    ip -n "$tag" link set "h$h" master br0 up
    ip -n "$tag$h" addr add "10.77.0.$h/24" dev eth0
    ip -n "$tag$h" link set eth0 up
done
on() { local h=$1; shift; exec ip netns exec "$tag$h" "$@"; }

"$kelso" build --pieces 4 --kinds wld --dir "$scratch/tables" --progress none >/dev/null
url=nats://10.77.0.1:4222
(on 1 nats-server -js -sd "$scratch/js" -a 10.77.0.1 -p 4222) >/dev/null 2>&1 & pids+=($!)
for _ in $(seq 100); do
    ip netns exec "${tag}1" bash -c ': </dev/tcp/10.77.0.1/4222' 2>/dev/null && break
    sleep 0.1
done
for h in 2 3; do
    (on "$h" "$kelso" worker --queue $url --dir "$scratch/tables" --threads 1 --memory 16M \
        --progress none) >"$scratch/worker$h" 2>&1 & pids+=($!)
done
# The search goes on until the manager is stopped.  A cut may find the worker between two searches:
# then nothing is given again, and the cable is cut once more.
(on 1 "$kelso" prove --queue $url --store "$scratch/long" --dir "$scratch/tables" --look 50ms --time 200ms \
    --lease 2s --progress none 'B:W21-32:B1-12') >"$scratch/out" 2>"$scratch/err" & manager=$!
pids+=("$manager")
field() { ip netns exec "${tag}1" "$kelso" proof status --queue $url --json 2>/dev/null | grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d: -f2; }
redelivered=0
for _ in 1 2 3 4 5 6; do
    for _ in $(seq 300); do [ "$(field threads)" = 2 ] && break; sleep 0.1; done
    sleep 0.3
    ip -n "$tag" link set h2 down
    for _ in $(seq 60); do
        redelivered=$(field redelivered)
        [ "${redelivered:-0}" -gt 0 ] && break
        sleep 0.1
    done
    ip -n "$tag" link set h2 up
    [ "${redelivered:-0}" -gt 0 ] && break
done
kill -9 "$manager"
wait "$manager" 2>/dev/null || true

# And a proof over a cable that is cut has the same value.
(on 1 "$kelso" prove --queue $url --store "$scratch/store" --dir "$scratch/tables" --nodes 2000 \
    --lease 2s --progress none --json 'B:W9,23,28:B7,15,16') >"$scratch/out" 2>"$scratch/err" & manager=$!
pids+=("$manager")
sleep 2
ip -n "$tag" link set h2 down
sleep 4
ip -n "$tag" link set h2 up
echo "1..1"
if wait "$manager" && grep -q '"value":"draw"' "$scratch/out" && [ "${redelivered:-0}" -gt 0 ]; then
    echo "# redelivered: $redelivered, $(grep -o '"searches":[0-9]*' "$scratch/out")"
    echo "ok 1 - a cable cut"
else
    cat "$scratch/out" "$scratch/err" "$scratch"/worker? | sed 's/^/# /'
    echo "not ok 1 - a cable cut"
    exit 1
fi
