#!/usr/bin/env bash
# Shell completion offers what the program accepts: tests/completion.sh PROGRAM
set -euo pipefail
kelso=$1
n=0
complete() { :; } # the builtin wants an interactive shell's table; we call the function
compopt() { :; }
# shellcheck source=scripts/completion.bash
source scripts/completion.bash

expect() { # expect WANTED WORD...: completing the last word offers WANTED
    local wanted=$1 got
    shift
    COMP_WORDS=("$kelso" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _kelso || true
    got=${COMPREPLY[*]-}
    n=$((n + 1))
    if [ "$got" = "$wanted" ]; then
        echo "ok $n - kelso $*"
    else
        echo "not ok $n - kelso $*: expected '$wanted', found '$got'"
        failed=1
    fi
}

failed=0
echo 1..8
expect perft per
expect "moves" mo
expect "--version" --v
expect "--divide" perft --d
expect "--threads=" perft --t
expect "check convert" pdn c
expect "perft" help pe
expect "json" build --progress = j
exit $failed
