/* SPDX-License-Identifier: MIT */
#include "cli/mpi/team_mpi.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TAG = 1,
    MESSAGE_MAX = 1 << 30, /* MPI counts with int */
    LOOKS = 64,            /* before the first sleep */
    SLEEP_FIRST = 10000,   /* ns; doubled up to ... */
    SLEEP_MOST = 500000,
};

/* --------------------------------------------------------------------- waiting -- */

/* Between two looks: first none, then longer and longer sleeps. */
static enum status wait_a_little(const struct team_mpi *t, int *looks, struct error *e)
{
    int doubled = ++*looks - LOOKS;
    long sleep = doubled < 16 ? SLEEP_FIRST << (doubled / 2 < 0 ? 0 : doubled / 2) : SLEEP_MOST;

    if (t->stop && atomic_load(t->stop))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    if (doubled > 0)
        nanosleep(&(struct timespec){0, sleep < SLEEP_MOST ? sleep : SLEEP_MOST}, NULL);
    return STATUS_OK;
}

static enum status wait_for(const struct team_mpi *t, MPI_Request *request, struct error *e)
{
    enum status rc = STATUS_OK;

    for (int looks = 0, done = 0; !rc; rc = wait_a_little(t, &looks, e)) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return STATUS_OK;
    }
    return rc;
}

/* ------------------------------------------------------------------- functions -- */

static enum status gather(struct team *team, void *all, size_t each, struct error *e)
{
    const struct team_mpi *t = (const struct team_mpi *)team;
    MPI_Request request;

    if (each > MESSAGE_MAX)
        return error_set(e, STATUS_OVERFLOW, "a message of %zu bytes is too long", each);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_BYTE, all, (int)each, MPI_BYTE, MPI_COMM_WORLD, &request);
    return wait_for(t, &request, e);
}

static enum status share(struct team *team, int from, void *bytes, size_t n, struct error *e)
{
    const struct team_mpi *t = (const struct team_mpi *)team;
    enum status rc = STATUS_OK;

    for (size_t at = 0, step; at < n && !rc; at += step) {
        MPI_Request request;

        step = n - at < MESSAGE_MAX ? n - at : MESSAGE_MAX;
        MPI_Ibcast((uint8_t *)bytes + at, (int)step, MPI_BYTE, from, MPI_COMM_WORLD, &request);
        rc = wait_for(t, &request, e);
    }
    return rc;
}

static enum status collect_send(struct team_mpi *t, const void *mine, size_t n, struct error *e)
{
    void *sent = t->sent;
    enum status rc = wait_for(t, &t->sending, e);

    if (rc)
        return rc;
    if (n > MESSAGE_MAX)
        return error_set(e, STATUS_OVERFLOW, "a message of %zu bytes is too long", n);
    if (!array_room(&sent, &t->sent_room, n, 1))
        return error_no_memory(e);
    t->sent = sent;
    if (n)
        memcpy(t->sent, mine, n);
    MPI_Isend(t->sent, (int)n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &t->sending);
    return STATUS_OK;
}

/* The next message of a rank, whose length only the message says. */
static enum status collect_receive(struct team_mpi *t, int from, int *n, struct error *e)
{
    void *taken = t->taken;
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    enum status rc = STATUS_OK;
    int looks = 0, found = 0;

    do
        MPI_Improbe(from, TAG, MPI_COMM_WORLD, &found, &message, &status);
    while (!found && !(rc = wait_a_little(t, &looks, e)));
    if (rc)
        return rc;
    MPI_Get_count(&status, MPI_BYTE, n);
    if (!array_room(&taken, &t->taken_room, (size_t)*n, 1))
        return error_no_memory(e);
    t->taken = taken;
    MPI_Imrecv(t->taken, *n, MPI_BYTE, &message, &request);
    return wait_for(t, &request, e);
}

static enum status collect(struct team *team, const void *mine, size_t n, team_taker *take,
                           void *context, struct error *e)
{
    struct team_mpi *t = (struct team_mpi *)team;
    enum status rc = STATUS_OK;

    if (team->rank != 0)
        return collect_send(t, mine, n, e);
    for (int from = 1, bytes; from < team->ranks && !rc; from++) {
        struct error why = {0};

        rc = collect_receive(t, from, &bytes, e);
        if (!rc && !take(context, t->taken, (size_t)bytes, &why))
            rc = error_pass(e, &why);
    }
    return rc;
}

/* --------------------------------------------------------------- open and close -- */

enum status team_mpi_open(struct team_mpi *t, struct error *e)
{
    MPI_Comm machine;

    *t = (struct team_mpi){.team = {.gather = gather, .share = share, .collect = collect},
                           .sending = MPI_REQUEST_NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &t->team.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t->team.ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &t->beside);
    MPI_Comm_free(&machine);
    if (t->team.ranks > TEAM_MAX)
        return error_set(e, STATUS_OVERFLOW, "%d ranks; %d at most", t->team.ranks, TEAM_MAX);
    return STATUS_OK;
}

void team_mpi_close(struct team_mpi *t)
{
    MPI_Wait(&t->sending, MPI_STATUS_IGNORE);
    free(t->sent);
    free(t->taken);
}
