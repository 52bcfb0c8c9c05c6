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

/* Append the part of a row's bits that falls into [first, end). */
struct sink {
    uint64_t first, end, at; /* at: index of the next position to come */
    uint64_t *out[2];
};

static void sink_put(struct sink *k, uint64_t mover, uint64_t opponent, int n)
{
    uint64_t from = k->at;
    int cut = 0;

    k->at += (uint64_t)n;
    if (k->at <= k->first || from >= k->end)
        return;
    if (from < k->first)
        cut = (int)(k->first - from);
    if (k->at > k->end)
        n -= (int)(k->at - k->end);
    from += (uint64_t)cut;
    bits_put(k->out[0], from - k->first, mover >> cut & lanes_first(n - cut), n - cut);
    bits_put(k->out[1], from - k->first, opponent >> cut & lanes_first(n - cut), n - cut);
}

static void row_captures(struct space *sp, struct row *row, uint32_t men, struct sink *k)
{
    row_patterns(row);
    family_select(row->own, 0, men | row->opp_kings, sp->valid);
    for (uint32_t w = 0; w < row->own->words; w++) {
        uint64_t valid = sp->valid[w];

        if (valid)
            sink_put(k, bits_gather(row_word(row, 0, w), valid),
                     bits_gather(row_word(row, 1, w), valid), lanes_of(valid));
    }
}

void K(captures)(struct space *sp, const struct layout *l, uint64_t first, uint32_t n,
                 uint64_t *mover, uint64_t *opponent)
{
    struct row row = {.own = &sp->sets->family[l->slice.kings]};
    struct sink k = {first, first + n, first / l->columns * l->columns, {mover, opponent}};

    memset(mover, 0, (n + 63) / 64 * 8);
    memset(opponent, 0, (n + 63) / 64 * 8);
    while (k.at < k.end) {
        uint64_t block = k.at / l->block_size, r = k.at % l->block_size / l->columns;
        uint32_t men;

        layout_block_men(l, block, &row.men, &row.opp_men);
        men = row.men | row.opp_men;
        for (; r < l->rows && k.at < k.end; r++) {
            row.opp_kings =
                packed_flip(set_unrank_in((uint32_t)r, l->slice.opp_kings, packed_flip(~men)));
            row_captures(sp, &row, men, &k);
        }
    }
}
