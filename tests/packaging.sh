#!/usr/bin/env bash
# What packages promise: the lists of packages agree with each other and with what is linked, the
# systemd unit is well formed, the release tarball is complete.
#
#   tests/packaging.sh [--long]    also build and run what is in the tarball
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "packaging: $*" >&2; exit 1; }
words() { tr ' ' '\n' | grep -v '^$' | sort; }

# 1. What building needs is said three times.
deps=$(sed -n 's/^packages="\(.*\)"$/\1/p' scripts/deps | head -n 1)
image=$(sed -n '/^FROM.*AS build/,/^COPY/p' Containerfile | sed -n 's/^    \(gcc .*\)$/\1/p')
diff <(words <<<"$deps") <(words <<<"$image") || fail "Containerfile and scripts/deps differ"
for p in $deps; do
    case $p in lib*-dev) [ "$p" = libc6-dev ] || grep -q "^Build-Depends:.*$p" debian/control ||
        fail "debian/control does not build-depend on $p" ;; esac
done

# 2. What the program is linked with is in the image.
needed=$(readelf -d build/release/kelso | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for so in $needed; do
    case $so in libc.so.* | libm.so.* | ld-linux* | libnats*) continue ;; esac # NATS=1 is not the image's
    path=$(ldd build/release/kelso | awk -v so="$so" '$1 == so {print $3}')
    package=$(dpkg -S "$(readlink -f "$path")" 2>/dev/null || dpkg -S "${path#/usr}")
    package=${package%%:*}
    sed -n '/^FROM debian:[0-9]*-slim$/,$p' Containerfile | grep -qw "$package" ||
        fail "Containerfile does not install $package ($so)"
done
grep -qx build .containerignore || fail ".containerignore lets build/ into the image"

# 3. The unit: systemd reads it, and what it starts is there.
if command -v systemd-analyze >/dev/null; then
    mkdir -p build/packaging
    sed "s|/usr/bin/kelso|$PWD/build/release/kelso|" debian/kelso.service >build/packaging/kelso.service
    said=$(systemd-analyze verify --man=no build/packaging/kelso.service 2>&1) || fail "$said"
    [ -z "$(grep kelso.service <<<"$said" || true)" ] || fail "$said"
    exposure=$(systemd-analyze security --offline=yes --threshold=30 build/packaging/kelso.service 2>&1 | tail -n 1) ||
        fail "the unit is exposed: $exposure"
fi

# 4. The tarball: every file that is committed, and nothing else.
if [ -d .git ]; then
    tarball=$(make --no-print-directory dist)
    diff <(tar -tzf "$tarball" | sed 's|^[^/]*/||' | grep -v '/$' | grep . | sort) \
        <(git ls-tree -r --name-only HEAD | sort) || fail "$tarball differs from what is committed"
    (cd build/dist && sha256sum --quiet -c ./*.sha256)
    if [ "${1:-}" = --long ]; then
        rm -rf build/packaging/dist
        mkdir -p build/packaging/dist
        tar -xzf "$tarball" -C build/packaging/dist
        make --no-print-directory -s -C build/packaging/dist/* -j"$(nproc)" all >/dev/null
        [ "$(build/packaging/dist/*/build/kelso perft 6)" ] || fail "the tarball's program does not run"
    fi
fi
echo "packaging: good"
