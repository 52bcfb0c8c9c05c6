/* SPDX-License-Identifier: MIT
 *
 * player.h -- a search and the tables it uses, opened together.
 *
 * The caller owns a player.  It belongs to one thread at a time. */
#ifndef KELSO_PLAY_PLAYER_H
#define KELSO_PLAY_PLAYER_H

#include "search/search.h"

struct player_args {
    const char *dir; /* NULL: the default directory, if it exists */
    bool no_tables;
    const char *network;  /* a file; NULL: the built-in network */
    uint64_t hash, cache; /* bytes; 0: the defaults of search.h and tables.h */
    int threads;
};

struct player {
    struct tables *tables;  /* NULL: none */
    struct network network; /* if one was named */
    struct search *search;
};

/* Tables are used if there are any; a directory that was named must exist. */
enum status player_open(struct player *p, const struct player_args *args, struct error *e);
void player_close(struct player *p);

/* The tables alone; *t is NULL if there are none. */
enum status player_tables(struct tables **t, const struct player_args *args, struct error *e);

#endif
