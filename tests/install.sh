#!/usr/bin/env bash
# What make install leaves behind is complete and works.
set -euo pipefail
stage=$PWD/build/stage
rm -rf "$stage"
make --no-print-directory -j"$(nproc)" all
make --no-print-directory install DESTDIR="$stage" PREFIX=/usr
[ "$("$stage/usr/bin/kelso" moves 'B:W21:B9')" = "$(printf '9-13\n9-14')" ]
[ -f "$(readlink -f "$stage/usr/lib/libkelso.so")" ]
[ -f "$stage/usr/share/bash-completion/completions/kelso" ]
[ -f "$stage/usr/share/zsh/site-functions/_kelso" ]
[ -f "$stage/usr/share/fish/vendor_completions.d/kelso.fish" ]
[ "$(PKG_CONFIG_PATH=$stage/usr/lib/pkgconfig pkg-config --variable=libdir kelso)" = /usr/lib ]
# A program needs nothing but what pkg-config says, with either library, shared or static.
for name in kelso kelso-solve; do
    flags=$(PKG_CONFIG_PATH=$stage/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage pkg-config --cflags --libs $name)
    cc -o "$stage/probe" examples/probe.c $flags
    LD_LIBRARY_PATH=$stage/usr/lib "$stage/probe" /nonexistent 'B:W21:B9' 2>"$stage/said" && exit 1
    grep -q /nonexistent "$stage/said"
done
cc -o "$stage/solve" examples/solve.c $flags
LD_LIBRARY_PATH=$stage/usr/lib "$stage/solve" /nonexistent 'B:W21:B9' 1 x 2>"$stage/said" && exit 1
grep -q /nonexistent "$stage/said"
grep -q '^.SS perft' "$stage/usr/share/man/man1/kelso.1"
# Hardened: position-independent, relocations read-only and resolved at the start.
readelf -hds "$stage/usr/bin/kelso" >"$stage/readelf"
grep -q 'DYN' "$stage/readelf"
grep -q 'BIND_NOW' "$stage/readelf"
grep -q '__stack_chk_fail' "$stage/readelf"
