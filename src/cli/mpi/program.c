/* SPDX-License-Identifier: MIT
 *
 * kelso-mpi: `kelso build` by the ranks of an MPI job. */
#include "cli/build_command.h"
#include "cli/command.h"
#include "cli/longjob.h"
#include "cli/mpi/team_mpi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_usage(void)
{
    printf("kelso-mpi makes endgame tables on many machines.\n\n"
           "Usage: mpirun [-n RANKS] kelso-mpi build ...\n\n"
           "Run one rank per machine; each uses threads.  Ranks on one machine divide its\n"
           "processors and memory.  Rank 0 writes the tables; the others need no files.  If a\n"
           "rank dies, the job ends; run the same command to continue with the interrupted\n"
           "slice.\n\n");
    command_print(&command_build);
}

/* Is it only a question about the program? */
static bool answers(int argc, char **argv, int *status)
{
    *status = EXIT_DONE;
    if (argc > 0 && strcmp(argv[0], "--version") == 0) {
        printf("kelso-mpi %s\n", KELSO_VERSION);
        return true;
    }
    if (argc > 0 && strcmp(argv[0], "build") == 0 && !asks_for_help(argc - 1, argv + 1))
        return false;
    if (argc > 0 && strcmp(argv[0], "build") != 0 && strcmp(argv[0], "help") != 0 &&
        !asks_for_help(1, argv))
        *status = app_error("unknown command '%s': kelso-mpi has only 'build'", argv[0]);
    else
        print_usage();
    return true;
}

static void watch(struct team *team, const atomic_bool *stop)
{
    ((struct team_mpi *)team)->stop = stop;
}

static int run(int argc, char **argv, struct team_mpi *t)
{
    struct error e = {0};
    int status;

    if (team_mpi_open(t, &e))
        return t->team.rank == 0 ? app_error("%s", e.text) : EXIT_BAD;
    if (t->team.rank == 0 && answers(argc, argv, &status))
        argc = 0;
    else
        status = EXIT_DONE;
    if (team_share(&t->team, 0, &argc, sizeof argc, &e))
        return EXIT_BAD;
    if (argc == 0)
        return status;
    return build_command(argc - 1, argv + 1, &t->team, t->local_ranks, watch);
}

/* A rank that fails ends the whole job. */
int main(int argc, char **argv)
{
    struct team_mpi t;
    int given, status;

    app_begin();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    status = longjob_exit(run(argc - 1, argv + 1, &t));
    if (fflush(stdout) != 0 || ferror(stdout))
        status = app_error("standard output: %s", strerror(errno));
    if (status != EXIT_DONE)
        MPI_Abort(MPI_COMM_WORLD, status);
    team_mpi_close(&t);
    MPI_Finalize();
    return status;
}
