#!/usr/bin/env bash
# Many kills: win/loss/draw by four ranks, of which a random one is killed again and again.  The files are
# compared with the published digests (data/tables-wld.sha256).
#
#   tests/mpi/kills.sh DIR [PIECES [KILLS [MEMORY]]]    6 pieces, 20 kills, 512M: minutes; DIR has kelso and kelso-mpi
#   KELSO_SEED=N                                        the kills of that run
#
# With little memory (11M for 5 pieces, 96M for 6) the ranks hold shares of tables, and finished parts of slices
# in scratch directories; the last run tells how many of these it did not solve again.
set -euo pipefail
dir=${1:?usage: tests/mpi/kills.sh DIR [PIECES [KILLS [MEMORY]]]} pieces=${2:-6} kills=${3:-20} memory=${4:-512M}
cd "$(dirname "$0")/../.."
. tests/mpi/kit.sh
echo "# seed $seed"

command=(build --pieces "$pieces" --kinds wld --threads 1 --memory "$memory" --progress none --json
    --scratch "$scratch/parts" --dir "$scratch/four")
"$dir/kelso" slices --pieces "$pieces" --json | grep -o '"slice":"[^"]*"' | cut -d '"' -f 4 >"$scratch/names"
slices=$(wc -l <"$scratch/names")
files() { find "$scratch/four" -name '*.wld' 2>/dev/null | wc -l; }
sum() { cat "$scratch"/log* | grep -o "\"$1\":[0-9]*" | awk -F: '{ n += $2 } END { print n + 0 }'; } # of all runs

killed=0
for ((i = 0; i <= kills; i++)); do
    mpirun -n 4 "$dir/kelso-mpi" "${command[@]}" >"$scratch/log$i" 2>&1 &
    job=$!
    # The kills are spread over the slices, and each comes at a random moment after one was finished.
    at=$((slices * i / (kills + 1) + RANDOM % (slices / (kills + 1) + 1)))
    while [ $i -lt "$kills" ] && kill -0 "$job" 2>/dev/null && [ "$(files)" -lt "$at" ]; do sleep 0.05; done
    if [ $i -lt "$kills" ]; then
        sleep "$((i * RANDOM / 32768 / 4)).$((RANDOM % 10))"
        mapfile -t pids < <(pgrep -P "$job" kelso-mpi || true)
        [ ${#pids[@]} = 0 ] || kill -9 "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null || true
    fi
    status=0
    wait "$job" || status=$?
    job=
    [ $status = 0 ] || killed=$((killed + 1))
    echo "# run $((i + 1)): status $status, $(files) of $slices files"
done
[ $status = 0 ] || { cat "$scratch/log$kills"; echo "not done"; exit 1; }
sed 's/$/.wld/' "$scratch/names" | grep -F -w -f - data/tables-wld.sha256 >"$scratch/digests"
[ "$(wc -l <"$scratch/digests")" = "$slices" ] && [ "$(files)" = "$slices" ] || { echo "other files than expected"; exit 1; }
(cd "$scratch/four" && sha256sum --quiet -c ../digests)
echo "$slices slices of at most $pieces pieces, 4 ranks with $memory, $killed kills: the published bytes;" \
    "$(sum fetched) bytes fetched, $(sum parts) parts solved, $(sum parts_kept) kept from before a kill"
