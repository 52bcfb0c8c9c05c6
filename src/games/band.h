/* SPDX-License-Identifier: MIT
 *
 * band.h -- cut the sets of movers into bands of about equal weight.
 *
 * A band is a range of codes: all sets of one number of movers whose rank lies
 * between two limits.  The limits are quantiles of a sample of positions of ply 18,
 * so that each band holds about the same share of a large ply.  They are the same for
 * all plies, so equal positions of two plies are in the same band.
 *
 * (D1) Band numbers increase with the code: band b holds the codes from
 *      bands->first[b] up to bands->first[b + 1].
 * (D2) All sets of a band have the same number of pieces.
 *
 * Built once, then read only; any thread. */
#ifndef KELSO_GAMES_BAND_H
#define KELSO_GAMES_BAND_H

#include "games/code.h"

enum { BANDS = 138, BAND_KEYS = 24 * 64 };

struct bands {
    uint64_t first[BANDS + 1];
    uint8_t pieces[BANDS];
    uint8_t of_key[CODE_PIECES_MAX + 1][BAND_KEYS];
};

void bands_init(struct bands *bands, const struct code_tables *t);

/* The limits have seven significant bits, and so does the key that determines the band. */
static inline int band_key(uint32_t rank)
{
    int shift = rank < 64 ? 0 : 25 - __builtin_clz(rank);
    return 64 * shift + (int)(rank >> shift);
}

static inline int band_of_rank(const struct bands *bands, int pieces, uint32_t rank)
{
    return bands->of_key[pieces][band_key(rank)];
}

static inline int band_of(const struct bands *bands, const struct code_tables *t, uint32_t set)
{
    return band_of_rank(bands, __builtin_popcount(set), code_rank(t, set));
}

#endif
