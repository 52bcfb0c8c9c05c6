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

struct annotate_options {
    struct search *search;       /* not owned */
    struct search_limits limits; /* of each position */
    bool json;                   /* else PDN */
};

/* The games of a file, PDN or a listing (record.h), annotated on standard output.
 * EXIT_BAD after one line on standard error. */
int annotate_file(const char *path, const struct annotate_options *o);

#endif
