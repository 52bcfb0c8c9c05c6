/* SPDX-License-Identifier: MIT
 *
 * contestant.h -- one side of a match: this program, or another one.
 *
 * A contestant is described by text: settings separated by commas, the last of which may name a
 * program.
 *
 *     nodes=20000             this program, 20,000 positions per move
 *     time=0.1,hash=16        ... a tenth of a second, with 16 MiB of memory
 *     depth=8,tables=no       ... to depth 8, without tables
 *     network=FILE            ... with another network (no comma in FILE)
 *     time=0.1,hub=COMMAND    a program that speaks Hub
 *     time=0.1,dxp=HOST:PORT  a program that waits for games by DXP
 *
 * The caller owns a contestant.  It belongs to one thread at a time; contestants of different
 * threads share only the tables. */
#ifndef KELSO_PLAY_CONTESTANT_H
#define KELSO_PLAY_CONTESTANT_H

#include "play/game.h"
#include "play/player.h"

enum { CONTESTANT_TEXT_MAX = 300 };

struct contestant_spec {
    char name[CONTESTANT_TEXT_MAX]; /* the text itself */
    struct search_limits limits;
    uint64_t hash;
    bool no_tables;
    char network[CONTESTANT_TEXT_MAX]; /* empty: the built-in one */
    char hub[CONTESTANT_TEXT_MAX], dxp[CONTESTANT_TEXT_MAX];
};

struct contestant;

/* `defaults` are the limits that the text does not set. */
enum status contestant_parse(const char *text, const struct search_limits *defaults,
                             struct contestant_spec *out, struct error *e);

/* The tables must outlive it. */
enum status contestant_open(struct contestant **out, const struct contestant_spec *spec,
                            const struct tables *tables, const atomic_bool *stop, struct error *e);
void contestant_close(struct contestant **c);

/* A game begins; the contestant plays `us`. */
bool contestant_begin(struct contestant *c, const struct game *g, enum side us);

/* Choose a move in the current position of g.  False on failure, explained in *why. */
bool contestant_move(struct contestant *c, const struct game *g, struct move *out,
                     const char **why);

/* The game is over. */
void contestant_end(struct contestant *c, enum game_state state);

#endif
