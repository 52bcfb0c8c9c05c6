/* SPDX-License-Identifier: MIT
 *
 * annotate.h -- annotate games with the value of each move, and mark the bad ones.
 *
 * The judgement is that of judge.h.
 *
 * (A1) Each judgement is written before the next search begins.  When stopped, the rest of the
 *      game is written without judgement, so the output is complete.
 * (A2) The comments, signs and variations of a game stay in it.  A move that has a sign of its
 *      own (! to ?!) gets no other.
 *
 * One thread. */
#ifndef KELSO_PLAY_ANNOTATE_H
#define KELSO_PLAY_ANNOTATE_H

#include "report/record.h"
#include "search/search.h"

#include <stdio.h>

struct annotate_options {
    struct search *search;       /* not owned */
    struct search_limits limits; /* of each position */
    bool json;                   /* else PDN */
    FILE *out;                   /* not owned */
    void *context;               /* for these two, which may be NULL: */
    void (*begin)(void *context, const struct record *r);
    void (*wrong)(void *context, const struct record *r); /* a game that was read up to an error */
    _Atomic uint64_t *done; /* counts the moves of the game; or NULL */
};

/* Annotate the games of a text, PDN or a list of moves (record.h); `name` is its name in errors.  A
 * game with an error is annotated up to it; one that is too long is skipped and reported after the
 * others.  STATUS_FORMAT: some game had an error, and `wrong` was called.  STATUS_INTERRUPTED:
 * (A1). */
enum status annotate_games(const char *name, const char *bytes, size_t length,
                           const struct annotate_options *o, struct error *e);

#endif
