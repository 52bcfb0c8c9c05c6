# What the tests of MPI jobs share; sourced by them.  A directory $scratch of their own, the job to be
# killed at the end in $job, and random numbers that KELSO_SEED repeats.

# More ranks than processors, as root where the test is: both are for tests only.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
scratch=$(mktemp -d)
job=
finish() {
    [ -z "$job" ] || kill -9 "$job" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
seed=${KELSO_SEED:-$RANDOM}
RANDOM=$((seed % 32768))
