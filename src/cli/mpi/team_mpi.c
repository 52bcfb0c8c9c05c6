/* SPDX-License-Identifier: MIT */
#include "cli/mpi/team_mpi.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TAG = 1,
    TAG_MAIL,
    MESSAGE_MAX = 1 << 30, /* MPI counts with int */
    SMALL = 1 << 24,
    LOOKS = 64,          /* before the first sleep */
    SLEEP_FIRST = 50000, /* ns */
    SLEEP_MOST = 10000000,
    SLEEP_SHARE = 4, /* of the time waited so far: another rank may need this processor */
};

/* --------------------------------------------------------------------- waiting -- */

struct waiting {
    int looks;
    long slept; /* ns */
};

/* Wait between two checks: first not at all, then for longer and longer. */
static enum status wait_a_little(const struct team_mpi *t, struct waiting *w, struct error *e)
{
    long sleep = w->slept / SLEEP_SHARE;

    if (t->stop && atomic_load(t->stop))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    if (++w->looks <= LOOKS)
        return STATUS_OK;
    sleep = sleep < SLEEP_FIRST ? SLEEP_FIRST : sleep > SLEEP_MOST ? SLEEP_MOST : sleep;
    nanosleep(&(struct timespec){0, sleep}, NULL);
    w->slept += sleep;
    return STATUS_OK;
}

static enum status wait_for(const struct team_mpi *t, MPI_Request *request, struct error *e)
{
    struct waiting waiting = {0};
    enum status rc = STATUS_OK;

    for (int done = 0; !rc; rc = wait_a_little(t, &waiting, e)) {
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

/* The next message of a rank; its length is known only from the message. */
static enum status collect_receive(struct team_mpi *t, int from, int *n, struct error *e)
{
    void *taken = t->taken;
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    struct waiting waiting = {0};
    enum status rc = STATUS_OK;
    int found = 0;

    do
        MPI_Improbe(from, TAG, MPI_COMM_WORLD, &found, &message, &status);
    while (!found && !(rc = wait_a_little(t, &waiting, e)));
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

/* Messages of one exchange: two a pair of ranks at least. */
struct post {
    MPI_Request *request;
    size_t count, room;
};

/* Send or receive so many bytes, in pieces that MPI can count. */
static enum status post_add(struct post *p, uint8_t *bytes, size_t n, int rank, bool sends,
                            struct error *e)
{
    for (size_t at = 0, step; at < n; at += step) {
        void *request = p->request;

        step = n - at < MESSAGE_MAX ? n - at : MESSAGE_MAX;
        if (!array_room(&request, &p->room, p->count + 1, sizeof *p->request))
            return error_no_memory(e);
        p->request = request;
        if (sends)
            MPI_Isend(bytes + at, (int)step, MPI_BYTE, rank, TAG_MAIL, MPI_COMM_WORLD,
                      &p->request[p->count++]);
        else
            MPI_Irecv(bytes + at, (int)step, MPI_BYTE, rank, TAG_MAIL, MPI_COMM_WORLD,
                      &p->request[p->count++]);
    }
    return STATUS_OK;
}

static enum status post_wait(const struct team_mpi *t, struct post *p, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t i = 0; i < p->count && !rc; i++)
        rc = wait_for(t, &p->request[i], e);
    return rc;
}

/* All ranks tell all how much they send them. */
static enum status sizes_exchange(struct team_mpi *t, const struct team_mail *sent,
                                  struct team_mail *received, struct error *e)
{
    uint64_t out[TEAM_MAX], in[TEAM_MAX];
    MPI_Request request;
    enum status rc;

    for (int r = 0; r < t->team.ranks; r++)
        out[r] = sent->start[r + 1] - sent->start[r];
    MPI_Ialltoall(out, 1, MPI_UINT64_T, in, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    rc = wait_for(t, &request, e);
    for (int r = 0; r < t->team.ranks && !rc; r++)
        received->start[r + 1] = received->start[r] + in[r];
    return rc;
}

static enum status exchange(struct team *team, const struct team_mail *sent,
                            struct team_mail *received, struct error *e)
{
    struct team_mpi *t = (struct team_mpi *)team;
    struct post post = {0};
    void *bytes = received->bytes;
    enum status rc;

    received->start[0] = 0;
    rc = sizes_exchange(t, sent, received, e);
    if (!rc && !array_room(&bytes, &received->room, received->start[team->ranks] + 1, 1))
        rc = error_no_memory(e);
    if (rc)
        return rc;
    received->bytes = bytes;
    for (int i = 0; i < team->ranks && !rc; i++) {
        int from = (team->rank + team->ranks - i) % team->ranks;
        size_t n = received->start[from + 1] - received->start[from];

        if (i)
            rc = post_add(&post, received->bytes + received->start[from], n, from, false, e);
        else if (n)
            memcpy(received->bytes + received->start[from], sent->bytes + sent->start[from], n);
    }
    for (int i = 1; i < team->ranks && !rc; i++) {
        int to = (team->rank + i) % team->ranks;

        rc = post_add(&post, sent->bytes + sent->start[to], sent->start[to + 1] - sent->start[to],
                      to, true, e);
    }
    if (!rc)
        rc = post_wait(t, &post, e);
    free(post.request); /* a failure ends the job, with what is still under way */
    return rc;
}

/* --------------------------------------------------------------- open and close -- */

enum status team_mpi_open(struct team_mpi *t, struct error *e)
{
    MPI_Comm machine;

    *t = (struct team_mpi){.team = {.small = SMALL,
                                    .gather = gather,
                                    .share = share,
                                    .collect = collect,
                                    .exchange = exchange},
                           .sending = MPI_REQUEST_NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &t->team.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t->team.ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &t->local_ranks);
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
