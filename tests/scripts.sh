#!/usr/bin/env bash
# The scripts that guard the sources object to what they should object to: tests/scripts.sh
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
n=0
failed=0

# A tree with this one file: file PATH LINE...
file() {
    local path=$1
    shift
    mkdir -p "$tree/$(dirname "$path")"
    printf '%s\n' "$@" >"$tree/$path"
}

expect() { # expect good|bad WHAT COMMAND...
    local wanted=$1 what=$2 got=good
    shift 2
    "$@" >/dev/null 2>&1 || got=bad
    n=$((n + 1))
    [ "$got" = "$wanted" ] || { failed=1; echo -n 'not '; }
    echo "ok $n - $what"
    rm -rf "${tree:?}"/*
}

layers="base core db api games search proof report play tune serve cli"
count=$(for l in $layers; do echo "$l"; done | wc -l)
echo "1..$((count * (count - 1) / 2 + 33))"

# Each layer below another must not include it.  report and the libraries below it are in order.
set -- $layers
while [ $# -gt 1 ]; do
    low=$1
    shift
    for high in "$@"; do
        file "$low/a.c" "#include \"$high/b.h\""
        expect bad "$low does not include $high" scripts/layers "$tree"
    done
done
file serve/a.c '#include "report/b.h"' '#include "base/c.h"'
expect good 'serve includes report and base' scripts/layers "$tree"
file core/a.c 'int *f(void) { return malloc(4); }'
expect bad 'core does not allocate' scripts/layers "$tree"
file loft/a.c 'int x;'
expect bad 'each folder is a layer' scripts/layers "$tree"

file base/a.h 'struct a { int x; };'
file db/b.h '#include "base/a.h"'
expect bad 'a header without a guard' scripts/headers "$tree"
file base/a.h '#ifndef A' '#define A' 'uint8_t a(void);' '#endif'
expect bad 'a header that leans on another' scripts/headers "$tree"
file base/a.h '#ifndef A' '#define A' 'enum { SIZE = 1 };' '#endif'
file base/b.h '#ifndef B' '#define B' 'enum { SIZE = 2 };' '#endif'
expect bad 'two headers with one name' scripts/headers "$tree"
file base/a.h '#ifndef A' '#define A' 'struct a {' '    int x;' '};' '#endif'
file db/b.c 'struct a {' '    int y;' '};'
expect bad 'a source file with the name of a header' scripts/headers "$tree"
file base/a.h '#ifndef A' '#define A' 'struct a {' '    int x;' '};' '#endif'
file db/b.h '#ifndef B' '#define B' '#include "base/a.h"' '#endif'
expect good 'two headers that go together' scripts/headers "$tree"

file src/base/a.h '/* a_open opens. */' 'int a_open(void);'
expect good 'a comment names a function' scripts/names "$tree"
file src/base/a.h '/* a_open opens, a_shut' ' * shuts. */' 'int a_open(void);'
expect bad 'a comment names a function that is not there' scripts/names "$tree"
file src/base/a.h '/* As base/b.h has it. */' 'int a_open(void);'
expect bad 'a comment names a file that is not there' scripts/names "$tree"
file src/base/a.h 'int a_open(void);'
file README.md 'Call `a_shut`.'
expect bad 'the README names a function that is not there' scripts/names "$tree"

# A header with one invariant, and where it is said to be tested or asserted.
invariant() { # invariant ROW...
    file src/base/a.h '/* a.h' ' * (A1) one. */'
    file src/base/a.c 'int a_open(void)' '{' '    assert(1);' '}' 'int a_close(void)' '{' '}'
    file tests/base/test_a.c 'static void test_one(void **state);'
    file tests/invariants.txt src/base/a.h "$@"
}
invariant 'A1 base/test_a.c test_one'
expect good 'an invariant that is tested' scripts/invariants "$tree"
invariant 'A1 base/test_a.c test_two'
expect bad 'an invariant whose test is not there' scripts/invariants "$tree"
invariant 'A1 src/base/a.c a_close'
expect bad 'an invariant that is not asserted where it should be' scripts/invariants "$tree"
invariant 'A1 base/test_a.c test_one' 'A2 base/test_a.c test_one'
expect bad 'a row for an invariant that is not stated' scripts/invariants "$tree"
invariant
expect bad 'an invariant without a row' scripts/invariants "$tree"

# Two logs of answers about one position.
answers() { # answers LOWER UPPER LOWER UPPER
    file one.json "{\"fen\":\"W:W28:B1\",\"value\":null,\"lower\":\"$1\",\"upper\":\"$2\"}"
    file two.json "{\"fen\":\"W:W28:B1\",\"value\":null,\"lower\":\"$3\",\"upper\":\"$4\"}"
}
answers draw win loss draw
expect good 'bounds that meet' bench/agree "$tree/one.json" "$tree/two.json"
answers draw win loss loss
expect bad 'bounds that exclude each other' bench/agree "$tree/one.json" "$tree/two.json"
answers loss draw win win
expect bad 'a win where there was none' bench/agree "$tree/one.json" "$tree/two.json"

# A program that knows one position, in which 32-27 wins and 28-24 leads to what "$1" says.
seed_becomes() { # seed_becomes CLASS MOVE
    file kelso '#!/bin/sh' 'case "$1 $2" in' \
        "'moves W:W28,32:B1') echo '{\"moves\":[{\"move\":\"28-24\",\"fen\":\"B:W24:B1\"},{\"move\":\"32-27\",\"fen\":\"B:W27:B1\"}]}' ;;" \
        "moves*) echo '{\"moves\":[{\"move\":\"1-5\",\"fen\":\"W:W27:B5\"}]}' ;;" \
        "*) echo '{\"class\":\"win\",\"moves\":[{\"move\":\"28-24\",\"then\":\"$1\"},{\"move\":\"32-27\",\"then\":\"loss\"}]}' ;;" \
        esac
    chmod +x "$tree/kelso"
    [ "$(KELSO=$tree/kelso PIECES=2 bench/seed none "$tree" 'W:W28,32:B1' 28-24)" = "$2" ]
}
expect good 'a seed line without the move that is refuted' seed_becomes draw 32-27
expect good 'a seed line whose move may be as good' seed_becomes 'loss or draw' 28-24

# A program with three slices, the smallest of which needs the others; 1K-1C is not built if "$1" is what it says.
records_build() { # records_build WHY SLICES: those that two runs try to build
    file kelso '#!/bin/sh' 'case "$1 $3" in' \
        "slices*) echo '{\"slice\":\"1C-1C\",\"values\":1,\"needs\":[\"1K-1C\"]}'" \
        "echo '{\"slice\":\"1K-1C\",\"values\":2,\"needs\":[\"1K-1K\"]}'" \
        "echo '{\"slice\":\"1K-1K\",\"values\":3,\"needs\":[]}' ;;" \
        "build*) echo \$3 >>$tree/tried; [ \"\$3 $1\" = '1K-1C ' ] || [ \$3 != 1K-1C ] || { echo '$1' >&2; exit 2; }" \
        "echo '{\"slice\":\"'\$3'\",\"cpu_seconds\":1}' ;;" \
        "*) echo '{\"slice\":\"'\$3'\",\"kind\":\"dtw\",\"value\":\"win\",\"plies\":9,\"fen\":\"B:WK1:BK2\"}' ;;" \
        esac
    chmod +x "$tree/kelso"
    for _ in 1 2; do
        KELSO=$tree/kelso bench/records none "$tree/out" 2 || return
    done
    [ "$(paste -sd ' ' "$tree/tried")" = "$2" ]
}
expect good 'slices are built after those that they need, once' records_build '' '1K-1K 1K-1C 1C-1C'
expect good 'a slice that does not fit is not tried again' records_build '9 MiB of memory' '1K-1K 1K-1C'
expect bad 'the longest games end at other errors' records_build 'a disk is full' '1K-1K 1K-1C'

# The schemas of docs/json.md.
schema='{"fen": fen, "value": value?, "end": "won"|"lost", "moves": [{"move": text, "plies"?: plies}], "by"?: {move: int}}'
json='{"fen":"B:W30:BK7","value":null,"end":"won","moves":[{"move":"7-10"},{"move":"1-5","plies":3}],"by":{"7-10":1}}'
expect good 'JSON that agrees with a schema' tests/json_schema.py "$schema" "$json"
expect bad 'a value that is none' tests/json_schema.py "$schema" "${json/null/\"maybe\"}"
expect bad 'a word that is not in the list' tests/json_schema.py "$schema" "${json/\"won\"/\"over\"}"
expect bad 'a distance below 0, in the last of a list' tests/json_schema.py "$schema" "${json/3/-3}"
expect bad 'a field that is absent' tests/json_schema.py "$schema" "${json/\"end\":\"won\",/}"
expect bad 'a field that is not in the schema' tests/json_schema.py "$schema" "${json/\"end\"/\"more\":1,\"end\"}"
expect bad 'a name that is no move' tests/json_schema.py "$schema" "${json/7-10\":1/seven\":1}"
expect bad 'a schema that is none' tests/json_schema.py "${schema/fen,/fun,}" "$json"
exit $failed
