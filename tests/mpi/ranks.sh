#!/usr/bin/env bash
# Tables by the ranks of an MPI job, compared byte by byte with those of one process; ranks are
# killed on the way, and the next run goes on.
#
#   tests/mpi/ranks.sh DIR      DIR has kelso and kelso-mpi; skipped without kelso-mpi or mpirun
#   KELSO_SEED=N                the random kills of that run
set -euo pipefail
dir=${1:?usage: tests/mpi/ranks.sh DIR}
skip() { echo "1..1"; echo "ok 1 # SKIP $1"; exit 0; }
[ -x "$dir/kelso-mpi" ] || skip "no kelso-mpi: libopenmpi-dev was not there when it was built"
command -v mpirun >/dev/null || skip "no mpirun"

. "$(dirname "$0")/kit.sh"
mpirun -n 2 true 2>/dev/null || skip "mpirun does not work here"
echo "# seed $seed"

number=0 failed=0
result() { # result STATUS NAME
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else
        failed=1
        sed 's/^/# /' "$scratch/log"
        echo "not ok $number - $2"
    fi
}
ranks() { # ranks N ARGUMENTS...
    local n=$1
    shift
    mpirun -n "$n" "$dir/kelso-mpi" build --progress none --threads 1 --memory 256M "$@" >"$scratch/log" 2>&1
}
same() { diff -r "$scratch/$1" "$scratch/$2" >>"$scratch/log" 2>&1; }

echo "1..11"
"$dir/kelso" build --pieces 4 --dir "$scratch/one" --progress none >/dev/null
for n in 1 2 3; do
    status=0
    ranks $n --pieces 4 --dir "$scratch/ranks$n" && same one ranks$n || status=$?
    result $status "4 pieces, all kinds, $n ranks: the bytes of one process"
done

# What is there is read by rank 0 and sent to the others, who have no directory.
mkdir "$scratch/again"
cp "$scratch"/one/*.wld "$scratch/again"
rm "$scratch"/again/2C-2C.wld "$scratch"/again/2K-1K1C.wld
status=0
ranks 3 --pieces 4 --dir "$scratch/again" && same one again || status=$?
result $status "goes on with what another run left"

status=0
ranks 2 --pieces 99 --dir "$scratch/bad" || status=$?
[ "$status" = 2 ] && [ "$(grep -c '^kelso: ' "$scratch/log")" = 1 ] && status=0 || status=1
result $status "a bad option: status 2, and one line"

echo "not a table" >"$scratch/again/1K-1K.wld"
status=0
ranks 2 --pieces 4 --dir "$scratch/again" || status=$?
[ "$status" = 2 ] && grep -q '^kelso: .*1K-1K.wld' "$scratch/log" && status=0 || status=1
result $status "a damaged file: status 2, and its name"

"$dir/kelso" build --pieces 5 --kinds wld --dir "$scratch/five" --progress none >/dev/null

# The processes that run for a rank: children of mpirun of that name.
victims() { pgrep -P "$job" kelso-mpi || true; }
what=(--memory 256M --pieces 5) # what the ranks build
ranks_start() { # in the background, as $job
    mpirun -n 2 "$dir/kelso-mpi" build --progress none --threads 1 "${what[@]}" \
        --kinds wld --dir "$scratch/killed" >"$scratch/log" 2>&1 &
    job=$!
}
files() { find "$scratch/killed" -name '*.wld' 2>/dev/null | wc -l; }

# A rank is killed when so many files are there: at any speed of the machine it is under way.
kill_at() { # kill_at FILES SIGNAL; prints nothing, sets $status to mpirun's
    ranks_start
    while kill -0 "$job" 2>/dev/null && [ "$(files)" -lt "$1" ]; do sleep 0.02; done
    mapfile -t pids < <(victims)
    [ ${#pids[@]} = 0 ] || kill "-$2" "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null || true
    status=0
    wait "$job" || status=$?
    job=
}
kills=0
for at in $((1 + RANDOM % 12)) $((13 + RANDOM % 12)) $((25 + RANDOM % 12)); do
    kill_at "$at" KILL
    [ "$status" = 0 ] || kills=$((kills + 1))
    echo "# killed with $(files) files there: status $status"
done
kill_at 38 INT
echo "# interrupted with $(files) files there: status $status"
[ "$status" = 130 ] && grep -q '^kelso: .*stopped; run the same command' "$scratch/log" && status=0 || status=1
result $status "SIGINT: status 130"
status=0
ranks 2 --pieces 5 --kinds wld --dir "$scratch/killed" && same five killed || status=$?
[ "$kills" = 3 ] || status=1
result $status "5 pieces, 2 ranks, $kills kills: the bytes of one process"

# One process needs 11.6 MiB for these tables.  Ranks with less hold shares of them.
small=(--slice 1K2C-1K1C --kinds wld)
status=0
"$dir/kelso" build "${small[@]}" --dir "$scratch/alone" --progress none --threads 1 --memory 11M >"$scratch/log" 2>&1 || status=$?
[ "$status" = 2 ] && grep -q 'allowed (see --memory)' "$scratch/log" && status=0 || status=1
result $status "one process with 11 MiB: not enough"
"$dir/kelso" build "${small[@]}" --dir "$scratch/small" --progress none >/dev/null
status=0
ranks 3 "${small[@]}" --memory 11M --json --dir "$scratch/shares" && grep -q '"fetched":[1-9]' "$scratch/log" &&
    same small shares || status=$?
result $status "3 ranks with 11 MiB each: the bytes of one process, and tables were fetched"

# Killed on the way, with parts of slices in scratch directories.
what=(--memory 11M --scratch "$scratch/parts" "${small[@]}")
rm -r "$scratch/killed"
kills=0
for at in $((1 + RANDOM % 9)) $((10 + RANDOM % 10)); do
    kill_at "$at" KILL
    [ "$status" = 0 ] || kills=$((kills + 1))
    echo "# killed with $(files) files there: status $status"
done
# As if the last kill had come between the files of a slice and the removal of what was logged of it.
built=$(find "$scratch/killed" -name '*.wld' -printf '%f\n' -quit)
find "$scratch/parts" -mindepth 1 -type d -exec touch "{}/$built.log" \;
status=0
[ -n "$(find "$scratch/parts" -name "$built.log")" ] || status=1
ranks 2 "${what[@]}" --dir "$scratch/killed" && same small killed || status=$?
[ "$kills" = 2 ] && [ -z "$(ls -A "$scratch/parts")" ] || status=1
result $status "2 ranks with 11 MiB each, $kills kills: the bytes of one process"
exit $failed
