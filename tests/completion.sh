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

# The same in fish, where it is installed: the first word offered.
expect_fish() { # expect_fish WANTED LINE
    local got
    n=$((n + 1))
    if ! command -v fish >/dev/null; then
        echo "ok $n # SKIP no fish"
        return
    fi
    got=$(PATH=$(cd "$(dirname "$kelso")" && pwd):$PATH fish -c "source scripts/completion.fish; complete -C '$2'" | head -n 1)
    if [ "$got" = "$1" ]; then
        echo "ok $n - fish: $2"
    else
        echo "not ok $n - fish: $2: expected '$1', found '$got'"
        failed=1
    fi
}

failed=0
echo 1..12
expect perft per
expect "moves" mo
expect "--version" --v
expect "--divide" perft --d
expect "--threads=" perft --t
expect "check convert" pdn c
expect "perft" help pe
expect "json" build --progress = j
expect_fish perft "kelso per"
expect_fish --divide "kelso perft --di"
expect_fish perft "kelso help per"
n=$((n + 1))
if ! command -v zsh >/dev/null; then
    echo "ok $n # SKIP no zsh"
elif zsh -n scripts/completion.zsh; then
    echo "ok $n - zsh reads its completion"
else
    echo "not ok $n - zsh does not read its completion"
    failed=1
fi
exit $failed
