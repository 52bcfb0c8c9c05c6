/* SPDX-License-Identifier: MIT
 *
 * starts.h -- where the pairs of games of a match start.
 *
 * The three-move openings of the deck, in an order that the seed determines, round after round.
 * Two programs that always answer the same would play the games of the first round again in the
 * second, so from then on random plies follow the opening (two, or more if all such positions have
 * been used).  The caller may ask for random plies in the first round too.
 *
 * (T1) No two starts have the same position.
 * (T2) The same seed and options give the same starts in the same order.
 * (T3) After random plies a search of STARTS_DEPTH plies finds no man won or lost, and there is a
 *      legal move.
 *
 * The caller owns it.  One thread. */
#ifndef KELSO_CLI_STARTS_H
#define KELSO_CLI_STARTS_H

#include "play/openings.h"
#include "proof/position_map.h"
#include "search/search.h"

enum { STARTS_DEPTH = 7, STARTS_RANDOM = 2, STARTS_RANDOM_MAX = 20 };

struct start {
    int plies;
    struct move move[OPENING_PLIES + STARTS_RANDOM_MAX];
    struct board after;
};

struct starts {
    struct openings openings;
    int order[OPENINGS], count; /* those that are played */
    int random_plies;           /* after each opening of the first round */
    int next;
    uint64_t random;
    struct position_map used;
    struct search *search;
};

enum status starts_open(struct starts *s, bool barred, int random_plies, uint64_t seed,
                        struct error *e);
void starts_close(struct starts *s);

/* The next start.  STATUS_NO_MEMORY, or STATUS_MISSING if there are no more. */
enum status starts_take(struct starts *s, struct start *out, struct error *e);

#endif
