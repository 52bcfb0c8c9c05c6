/* SPDX-License-Identifier: MIT */
#include "play/tally.h"

#include <math.h>

void tally_game(struct tally *t, int half_points)
{
    t->losses += half_points == 0;
    t->draws += half_points == 1;
    t->wins += half_points == 2;
}

void tally_pair(struct tally *t, int first, int second)
{
    t->pairs[first + second]++;
}

int tally_games(const struct tally *t)
{
    return t->wins + t->draws + t->losses;
}

double tally_score(const struct tally *t)
{
    int n = tally_games(t);

    return n ? (t->wins + 0.5 * t->draws) / n : 0.5;
}

/* Mean and variance of the score of a pair, on a scale of 0 to 1; returns the pairs. */
static double pair_moments(const struct tally *t, double *mean, double *variance)
{
    double n = 0, sum = 0, squares = 0;

    for (int i = 0; i < 5; i++) {
        n += t->pairs[i];
        sum += t->pairs[i] * (i / 4.0);
        squares += t->pairs[i] * (i / 4.0) * (i / 4.0);
    }
    *mean = n > 0 ? sum / n : 0.5;
    *variance = n > 0 ? squares / n - *mean * *mean : 0;
    return n;
}

static double elo_of(double score)
{
    return -400 * log10(1 / score - 1);
}

static double score_of(double elo)
{
    return 1 / (1 + pow(10, -elo / 400));
}

bool tally_elo(const struct tally *t, double *elo, double *error)
{
    double mean, variance, n = pair_moments(t, &mean, &variance);
    double half = n > 0 ? 1.96 * sqrt(variance / n) : 0;

    if (n < 2 || mean - half <= 0 || mean + half >= 1)
        return false;
    *elo = elo_of(mean);
    *error = (elo_of(mean + half) - elo_of(mean - half)) / 2;
    return true;
}

double tally_llr(const struct tally *t, double elo0, double elo1)
{
    double mean, variance, n = pair_moments(t, &mean, &variance);
    double s0 = score_of(elo0), s1 = score_of(elo1);

    if (n < 2 || variance <= 0)
        return 0;
    return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance);
}

enum sprt tally_sprt(const struct tally *t, double elo0, double elo1)
{
    const double bound = log(0.95 / 0.05);
    double llr = tally_llr(t, elo0, elo1), mean, variance;

    if (pair_moments(t, &mean, &variance) < TALLY_PAIRS_MIN)
        return SPRT_GO_ON;
    return llr >= bound ? SPRT_ELO1 : llr <= -bound ? SPRT_ELO0 : SPRT_GO_ON;
}
