/* SPDX-License-Identifier: MIT
 *
 * team.h -- processes that do one job together.
 *
 * Each process runs the same steps and has a number, its rank.  The work of a step is divided
 * by rank; results are exchanged through the functions below.  Only rank 0 reads and writes
 * files.  The transport is chosen by the creator of the team: MPI in kelso-mpi (cli/mpi),
 * threads of one process in tests.
 *
 * (E1) All ranks call the same functions in the same order, with the same sizes; only in
 *      team_collect and team_exchange may sizes differ.
 * (E2) The job cannot continue without a member: a function that fails ends it.
 *
 * The caller owns the team.  A null pointer is a team of one, which needs no functions.  One
 * thread of a process calls at a time, not always the same. */
#ifndef KELSO_BASE_TEAM_H
#define KELSO_BASE_TEAM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEAM_MAX = 1024 };

/* Receives what another rank sent; false ends team_collect with *e. */
typedef bool team_taker(void *context, const uint8_t *bytes, size_t n, struct error *e);

/* What is sent to each rank, or was received from each: bytes start[r] .. start[r + 1] - 1. */
struct team_mail {
    uint8_t *bytes;
    size_t room; /* of bytes, for array_room */
    size_t start[TEAM_MAX + 1];
};

struct team {
    int rank, ranks;
    uint64_t small; /* work of fewer values is not worth dividing: rank 0 does it alone */
    enum status (*gather)(struct team *t, void *all, size_t each, struct error *e);
    enum status (*share)(struct team *t, int from, void *bytes, size_t n, struct error *e);
    enum status (*collect)(struct team *t, const void *mine, size_t n, team_taker *take,
                           void *context, struct error *e);
    enum status (*exchange)(struct team *t, const struct team_mail *sent,
                            struct team_mail *received, struct error *e);
};

static inline int team_rank(const struct team *t)
{
    return t ? t->rank : 0;
}

static inline int team_ranks(const struct team *t)
{
    return t ? t->ranks : 1;
}

/* All ranks get all parts: `all` has room for ranks * each bytes; each rank fills in its own part
 * first. */
static inline enum status team_gather(struct team *t, void *all, size_t each, struct error *e)
{
    return team_ranks(t) > 1 ? t->gather(t, all, each, e) : STATUS_OK;
}

/* All ranks get the bytes of rank `from`. */
static inline enum status team_share(struct team *t, int from, void *bytes, size_t n,
                                     struct error *e)
{
    return team_ranks(t) > 1 ? t->share(t, from, bytes, n, e) : STATUS_OK;
}

/* Rank 0 receives the bytes of the others, in rank order.  The others do not wait: their bytes
 * are copied. */
static inline enum status team_collect(struct team *t, const void *mine, size_t n, team_taker *take,
                                       void *context, struct error *e)
{
    return team_ranks(t) > 1 ? t->collect(t, mine, n, take, context, e) : STATUS_OK;
}

/* All ranks send bytes to all, themselves included.  `received` grows as needed; its bytes are the
 * caller's to free. */
static inline enum status team_exchange(struct team *t, const struct team_mail *sent,
                                        struct team_mail *received, struct error *e)
{
    return t->exchange(t, sent, received, e);
}

#endif
