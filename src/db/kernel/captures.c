/* SPDX-License-Identifier: MIT
 *
 * captures.c -- which positions of a block have a capture pending.
 *
 * A row of a table fixes the opponent's kings; the lanes run over the mover's.
 * Each way to jump is a pattern of two or three squares, hence a bitmap over the
 * mover's sets; tables leave such positions out (the reader resolves captures by
 * moving), and statistics tell them apart. */
#include "db/kernel/space.h"

/* A possible jump: the mover's kings must contain one set and avoid the other. */
struct pattern {
    const uint64_t *with, *without;
};

enum { PATTERNS_MAX = PIECES_MAX * 8 };

struct row {
    const struct set_family *own;
    uint32_t men, opp_men, opp_kings;
    struct pattern pattern[2][PATTERNS_MAX]; /* the mover captures; the opponent does */
    int n[2];
};

static void pattern_add(struct row *row, int who, const uint64_t *with, int land)
{
    row->pattern[who][row->n[who]++] = (struct pattern){with, family_has(row->own, land)};
}

/* Can a piece of ours stand on s (a man does, or a king may)? */
static const uint64_t *own_on(const struct row *row, int s)
{
    if (row->men >> s & 1)
        return row->own->all;
    if ((row->opp_men | row->opp_kings) >> s & 1)
        return NULL;
    return family_has(row->own, s);
}

static void row_patterns(struct row *row)
{
    uint32_t fixed = row->men | row->opp_men | row->opp_kings;

    row->n[0] = row->n[1] = 0;
    for (uint32_t x = row->opp_men | row->opp_kings; x; x &= x - 1) {
        int at = __builtin_ctz(x);

        for (int d = 0; d < 4; d++) { /* they are jumped, in direction d */
            int from = kernel_neighbour[at][d ^ 3], land = kernel_neighbour[at][d];
            const uint64_t *with;

            if (from < 0 || land < 0 || (fixed >> land & 1) || !(with = own_on(row, from)))
                continue;
            if (d < 2 || !(row->men >> from & 1))
                pattern_add(row, 0, with, land);
        }
        for (int d = row->opp_kings >> at & 1 ? 0 : 2; d < 4; d++) { /* they jump */
            int over = kernel_neighbour[at][d], land = over < 0 ? -1 : kernel_neighbour[over][d];
            const uint64_t *with;

            if (land >= 0 && !(fixed >> land & 1) && (with = own_on(row, over)))
                pattern_add(row, 1, with, land);
        }
    }
}

static uint64_t row_word(const struct row *row, int who, uint32_t w)
{
    uint64_t capture = 0;

    for (int i = 0; i < row->n[who]; i++)
        capture |= row->pattern[who][i].with[w] & ~row->pattern[who][i].without[w];
    return capture;
}

/* Append n bits at position `at` of a bit array whose rest is zero. */
static void bits_put(uint64_t *out, uint64_t at, uint64_t bits, int n)
{
    int shift = (int)(at % 64);

    out[at / 64] |= bits << shift;
    if (shift && shift + n > 64)
        out[at / 64 + 1] |= bits >> (64 - shift);
}

void K(captures)(struct space *sp, const struct layout *l, uint64_t block, uint64_t *mover,
                 uint64_t *opponent)
{
    struct row row = {.own = &sp->sets->family[l->slice.kings]};
    const struct set_family *opp = &sp->sets->family[l->slice.opp_kings];
    uint64_t at = 0;
    uint32_t men;

    layout_block_men(l, block, &row.men, &row.opp_men);
    men = row.men | row.opp_men;
    memset(mover, 0, (l->block_size + 63) / 64 * 8);
    memset(opponent, 0, (l->block_size + 63) / 64 * 8);
    for (uint32_t r = 0; r < opp->count; r++) {
        row.opp_kings = packed_flip(opp->set[r]);
        if (row.opp_kings & men)
            continue;
        row_patterns(&row);
        family_select(row.own, 0, men | row.opp_kings, sp->valid);
        for (uint32_t w = 0; w < row.own->words; w++) {
            uint64_t valid = sp->valid[w];

            if (!valid)
                continue;
            bits_put(mover, at, bits_gather(row_word(&row, 0, w), valid), lanes_of(valid));
            bits_put(opponent, at, bits_gather(row_word(&row, 1, w), valid), lanes_of(valid));
            at += (uint64_t)lanes_of(valid);
        }
    }
    assert(at == l->block_size);
}
