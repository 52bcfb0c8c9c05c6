#!/usr/bin/env bash
# Many kills: win/loss/draw by four ranks, of which a random one is killed again and again.
#
#   tests/mpi/kills.sh DIR [PIECES [KILLS]]     6 pieces, 20 kills: minutes; DIR has kelso and kelso-mpi
#   KELSO_SEED=N                                the kills of that run
set -euo pipefail
dir=${1:?usage: tests/mpi/kills.sh DIR [PIECES [KILLS]]} pieces=${2:-6} kills=${3:-20}
. "$(dirname "$0")/kit.sh"
echo "# seed $seed"

command=(build --pieces "$pieces" --kinds wld --threads 1 --memory 512M --progress none --dir)
"$dir/kelso" "${command[@]}" "$scratch/one" >/dev/null
slices=$(find "$scratch/one" -name '*.wld' | wc -l)
files() { find "$scratch/four" -name '*.wld' 2>/dev/null | wc -l; }

killed=0
for ((i = 0; i <= kills; i++)); do
    mpirun -n 4 "$dir/kelso-mpi" "${command[@]}" "$scratch/four" >"$scratch/log" 2>&1 &
    job=$!
    # The kills are spread over the slices, and each comes at a random moment after one was finished.
    at=$((slices * i / (kills + 1) + RANDOM % (slices / (kills + 1) + 1)))
    while [ $i -lt "$kills" ] && kill -0 "$job" 2>/dev/null && [ "$(files)" -lt "$at" ]; do sleep 0.05; done
    if [ $i -lt "$kills" ]; then
        sleep "0.$((RANDOM % 10))"
        mapfile -t pids < <(pgrep -P "$job" kelso-mpi || true)
        [ ${#pids[@]} = 0 ] || kill -9 "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null || true
    fi
    status=0
    wait "$job" || status=$?
    job=
    [ $status = 0 ] || killed=$((killed + 1))
    echo "# run $((i + 1)): status $status, $(files) of $slices files"
done
[ $status = 0 ] || { cat "$scratch/log"; echo "not done"; exit 1; }
diff -r "$scratch/one" "$scratch/four"
echo "$slices slices of at most $pieces pieces, 4 ranks, $killed kills: the bytes of one process"
