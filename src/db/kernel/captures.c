/* SPDX-License-Identifier: MIT
 *
 * captures.c -- in which positions of a table the mover has a capture.
 *
 * A row of a table fixes the opponent's kings; the lanes run over the mover's.  Each
 * way to jump is a pattern of three squares, hence a bitmap over the mover's sets.
 * Where the mover has no kings a row is a single position, and the lanes run over
 * the opponent's kings instead: the whole block at once.  Tables leave such
 * positions out (the reader resolves captures by moving), and statistics count them
 * separately. */
#include "db/kernel/space.h"

/* A possible jump: the unknown kings must stand on one square, or be anything, and
 * must not stand on another. */
struct pattern {
    const uint64_t *with, *without;
};

enum { PATTERNS_MAX = PIECES_MAX * 4 };

struct row {
    const struct set_family *unknown;
    uint32_t men, opp_men, opp_kings;
    struct pattern pattern[PATTERNS_MAX];
    int n;
};

/* The mover's kings are unknown: the jumps over each of the opponent's pieces. */
static void patterns_of_kings(struct row *row)
{
    uint32_t opp = row->opp_men | row->opp_kings, fixed = row->men | opp;

    row->n = 0;
    for (uint32_t x = opp; x; x &= x - 1)
        for (int d = 0; d < 4; d++) {
            int at = __builtin_ctz(x);
            int from = kernel_neighbour[at][d ^ 3], land = kernel_neighbour[at][d];
            bool man;

            if (from < 0 || land < 0 || (fixed >> land & 1) || (opp >> from & 1))
                continue;
            man = row->men >> from & 1;
            if (!man || d < 2)
                row->pattern[row->n++] =
                    (struct pattern){man ? row->unknown->all : family_has(row->unknown, from),
                                     family_has(row->unknown, land)};
        }
}

/* The opponent's kings are unknown, the mover has men only. */
static void patterns_of_men(struct row *row)
{
    uint32_t fixed = row->men | row->opp_men;

    row->n = 0;
    for (uint32_t x = row->men; x; x &= x - 1)
        for (int d = 0; d < 2; d++) {
            int over = kernel_neighbour[__builtin_ctz(x)][d];
            int land = over < 0 ? -1 : kernel_neighbour[over][d];

            if (land < 0 || (fixed >> land & 1) || (row->men >> over & 1))
                continue;
            row->pattern[row->n++] = (struct pattern){
                row->opp_men >> over & 1 ? row->unknown->all : family_has(row->unknown, 31 - over),
                family_has(row->unknown, 31 - land)};
        }
}

static uint64_t row_word(const struct row *row, uint32_t w)
{
    uint64_t capture = 0;

    for (int i = 0; i < row->n; i++)
        capture |= row->pattern[i].with[w] & ~row->pattern[i].without[w];
    return capture;
}

/* Takes the bits of [first, end) and leaves the others out. */
struct bit_writer {
    uint64_t first, end, at; /* at: index of the next position to come */
    uint64_t *out;
};

/* Append n bits at position `at` of a bit array whose rest is zero. */
static void bits_put(uint64_t *out, uint64_t at, uint64_t bits, int n)
{
    int shift = (int)(at % 64);

    out[at / 64] |= bits << shift;
    if (shift && shift + n > 64)
        out[at / 64 + 1] |= bits >> (64 - shift);
}

static void bit_writer_put(struct bit_writer *k, uint64_t bits, int n)
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
    bits_put(k->out, from + (uint64_t)cut - k->first, bits >> cut & lanes_first(n - cut), n - cut);
}

/* The bits of all sets of the unknown kings that avoid `taken`, in order. */
static void row_put(struct space *sp, const struct row *row, uint32_t taken, struct bit_writer *k)
{
    family_select(row->unknown, 0, taken, sp->valid);
    for (uint32_t w = 0; w < row->unknown->words; w++) {
        uint64_t valid = sp->valid[w];

        if (valid)
            bit_writer_put(k, bits_gather(row_word(row, w), valid), lanes_of(valid));
    }
}

/* The rows of a block from row r on. */
static void block_put(struct space *sp, const struct layout *l, struct row *row, uint64_t r,
                      struct bit_writer *k)
{
    uint32_t men = row->men | row->opp_men, room = packed_flip(~men), set;

    if (l->slice.kings == 0) {
        patterns_of_men(row);
        row_put(sp, row, packed_flip(men), k);
        return;
    }
    set = set_unrank_in((uint32_t)r, l->slice.opp_kings, room);
    for (; r < l->rows && k->at < k->end; r++, set = set_next_in(set, room)) {
        row->opp_kings = packed_flip(set);
        patterns_of_kings(row);
        row_put(sp, row, men | row->opp_kings, k);
    }
}

void K(captures)(struct space *sp, const struct layout *l, uint64_t first, uint32_t n,
                 uint64_t *mover)
{
    int unknown = l->slice.kings ? l->slice.kings : l->slice.opp_kings;
    struct row row = {.unknown = &sp->sets->family[unknown]};
    uint64_t unit = l->slice.kings ? l->columns : l->block_size; /* the positions of one row_put */
    struct bit_writer k = {first, first + n, first / unit * unit, mover};
    uint32_t next = 0, room = 0;

    memset(mover, 0, (n + 63) / 64 * 8);
    while (k.at < k.end) {
        if (next) {
            row.opp_men = packed_flip(next);
        } else {
            layout_block_men(l, k.at / l->block_size, &row.men, &row.opp_men);
            room = packed_flip(~(UINT32_C(0xF) | row.men));
        }
        next = set_next_in(packed_flip(row.opp_men), room);
        block_put(sp, l, &row, k.at % l->block_size / l->columns, &k);
    }
}
