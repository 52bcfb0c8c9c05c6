/* SPDX-License-Identifier: MIT
 *
 * tally.h -- the score of a match, its error, and whether to continue.
 *
 * Games come in pairs: the same opening with colours reversed.  The score of a pair is the unit
 * of the statistics, because the two games of an opening are not independent.
 *
 * The sequential test decides between "A is elo0 stronger" and "A is elo1 stronger" by the
 * logarithm of their likelihood ratio, approximating the scores of pairs by a normal distribution.
 * A few pairs do not determine the spread of the scores well enough for that.
 *
 * (A1) The test does not end before TALLY_PAIRS_MIN pairs.
 *
 * Plain values; one thread. */
#ifndef KELSO_PLAY_TALLY_H
#define KELSO_PLAY_TALLY_H

#include <stdbool.h>

struct tally {
    int wins, draws, losses; /* of A, by games */
    int pairs[5];            /* by half points of A: 0 to 4 */
};

enum { TALLY_PAIRS_MIN = 20 };

enum sprt { SPRT_GO_ON, SPRT_ELO0, SPRT_ELO1 };

/* Half points of A in a game: 0, 1, 2. */
void tally_game(struct tally *t, int half_points);
void tally_pair(struct tally *t, int first, int second);

int tally_games(const struct tally *t);
double tally_score(const struct tally *t); /* of A, 0 to 1 */

/* The difference in rating and half the width of its 95 % interval, from the pairs; false if there
 * are too few. */
bool tally_elo(const struct tally *t, double *elo, double *error);

double tally_llr(const struct tally *t, double elo0, double elo1);

/* Both kinds of error at 5 %. */
enum sprt tally_sprt(const struct tally *t, double elo0, double elo1);

#endif
