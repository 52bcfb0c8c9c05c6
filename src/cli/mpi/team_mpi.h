/* SPDX-License-Identifier: MIT
 *
 * team_mpi.h -- a team of MPI processes.
 *
 * It uses only two-sided messages and collective operations, so any MPI over any
 * network works.  A waiting rank sleeps between checks and leaves its processors to
 * others.
 *
 * (K1) A wait ends when the stop flag is set, with STATUS_INTERRUPTED.
 *
 * One thread calls at a time. */
#ifndef KELSO_CLI_MPI_TEAM_MPI_H
#define KELSO_CLI_MPI_TEAM_MPI_H

#include "base/team.h"

#include <mpi.h>
#include <stdatomic.h>

struct team_mpi {
    struct team team; /* first: the functions get a pointer to it */
    int local_ranks;  /* ranks on this machine */
    const atomic_bool *stop;
    MPI_Request sending; /* the last collect */
    uint8_t *sent, *taken;
    size_t sent_room, taken_room;
};

/* MPI is initialized. */
enum status team_mpi_open(struct team_mpi *t, struct error *e);

/* Waits until what was sent has arrived. */
void team_mpi_close(struct team_mpi *t);

#endif
