/* SPDX-License-Identifier: MIT
 *
 * annotate.h -- go through games, say what each move is worth, and mark the bad ones.
 *
 * Each position of a game is searched once.  A move is worth what the position after it is
 * worth to the other side; it is a blunder if a proven result is thrown away or it costs a
 * man, bad if it costs a good part of one.
 *
 * One thread. */
#ifndef KELSO_PLAY_ANNOTATE_H
#define KELSO_PLAY_ANNOTATE_H

#include "search/search.h"

#include <stdio.h>

struct annotate_options {
    struct search *search;       /* not owned */
    struct search_limits limits; /* of each position */
    bool json;                   /* else PDN */
    FILE *out;                   /* not owned */
};

/* Annotate the games of a text, PDN or a listing (record.h); `name` is what errors call it.  A
 * game that is too long is passed over and reported once the others are done. */
enum status annotate_games(const char *name, const char *bytes, size_t length,
                           const struct annotate_options *o, struct error *e);

#endif
