#!/usr/bin/env bash
# Install the Debian packages of build/deb into a root of their own and use them there.  As root;
# needs debootstrap and the network, so it is not part of make check.
#
#   make deb && tests/debs.sh [ROOT]    ROOT (build/debs-root) is made if it is not there
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1:-build/debs-root}
[ "$(id -u)" = 0 ] || { echo "tests/debs.sh: run as root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "tests/debs.sh needs: apt-get install debootstrap" >&2; exit 2; }
ls build/deb/*.deb >/dev/null

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
[ -x "$root/usr/bin/dpkg" ] || debootstrap --variant=minbase "$suite" "$root" >/dev/null
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
rm -rf "$root/debs"
mkdir "$root/debs"
cp build/deb/*.deb "$root/debs/"
rm -f "$root"/debs/*-dbgsym_*.deb
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive HOME=/root "$@"; }
inside apt-get update -qq
inside sh -c 'apt-get install -y -qq --no-install-recommends /debs/*.deb gcc libc6-dev pkg-config' >/dev/null

[ "$(inside kelso moves 'B:W21:B9')" = "$(printf '9-13\n9-14')" ]
inside mpirun --allow-run-as-root --oversubscribe -n 2 kelso-mpi build --pieces 2 --dir /two --progress none >/dev/null
inside kelso build --pieces 3 --dir /tables --progress none >/dev/null
inside kelso probe 'B:WK31:B25,K18' --dir /tables | grep -q 'win for Black, dtw 3'
inside python3 -c 'import kelso; t = kelso.Tables("/tables")
print(t.probe(kelso.Position("B:WK31:B25,K18"), "dtw"), kelso.Search(t).run(kelso.Position.start(), depth=3).depth)' |
    grep -q '^win in 3 plies 3'
cp examples/probe.c examples/solve.c "$root/debs/"
inside sh -ec 'cd /debs
    cc probe.c $(pkg-config --cflags --libs kelso) -o probe && ./probe /tables "B:WK31:B25,K18" | grep -q "win in 3"
    cc solve.c $(pkg-config --cflags --libs kelso-solve) -o solve && ./solve /tables "B:W9,23:B7,15,16" 600 /debs/p | grep -q "proves it"'
[ -f "$root/lib/systemd/system/kelso.service" ] || [ -f "$root/usr/lib/systemd/system/kelso.service" ]
inside sh -c 'apt-get purge -y -qq kelso kelso-mpi libkelso0' >/dev/null
[ ! -e "$root/usr/bin/kelso" ]
echo "debs: good"
