/* SPDX-License-Identifier: MIT
 *
 * ballots.h -- the three-move openings, computed from the rules.
 *
 * In tournaments the first three plies are drawn by lot among openings that neither lose a
 * piece nor the game at once.  Here: all positions after three plies, each once, by the
 * first line that leads to it, but for those in which a search of seven plies sees one side
 * win a man.
 *
 * (B1) the positions are all different, and the list is the same on every machine.
 *
 * Pure but for the search's memory; any thread. */
#ifndef KELSO_PLAY_BALLOTS_H
#define KELSO_PLAY_BALLOTS_H

#include "play/game.h"
#include "base/status.h"

enum { BALLOT_PLIES = 3, BALLOTS_MAX = 302 };

struct ballot {
    struct move move[BALLOT_PLIES];
    struct board after;
};

struct ballots {
    int count, positions; /* playable ones, and all after three plies */
    struct ballot ballot[BALLOTS_MAX];
};

enum status ballots_compute(struct ballots *list, struct error *e);

/* "11-15 23-19 8-11" */
const char *ballot_text(const struct ballot *b, char *out, size_t size);

#endif
