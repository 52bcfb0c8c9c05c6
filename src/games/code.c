/* SPDX-License-Identifier: MIT */
#include "games/code.h"

#include <assert.h>
#include <stdlib.h>

enum { SIZES = CODE_PIECES_MAX + 1, ALL_MAX = 2 * CODE_PIECES_MAX, BYTES = 4 };
enum { HALF_BITS = 12, HALVES = 1 << HALF_BITS };

struct code_tables {
    uint32_t choose[33][SIZES + 1];
    uint32_t rank[BYTES][SIZES][256];  /* [byte][pieces below][bits]: this byte's share */
    uint8_t squeeze[256][256];         /* [free][bits]: bits of `free` pushed together */
    uint8_t spread[256][256];          /* its inverse */
    uint32_t high[SIZES][HALVES + 1];  /* [count][h]: the first rank whose high half is h */
    uint16_t low[SIZES][924];          /* [count][rank]: the low half */
    uint32_t king_sets[ALL_MAX + 1];   /* sets of kings among n pieces */
    uint64_t base[SIZES + 1];          /* first code by number of movers */
    uint64_t width[SIZES];             /* codes for one set of movers */
    uint64_t offset[SIZES][SIZES + 1]; /* [movers][next]: within that width */
};

/* ------------------------------------------------------------------ tables -- */

static void fill_choose(struct code_tables *t)
{
    for (int n = 0; n <= 32; n++)
        for (int k = 0; k <= SIZES; k++)
            t->choose[n][k] = k == 0   ? 1
                              : n == 0 ? 0
                                       : t->choose[n - 1][k - 1] + t->choose[n - 1][k];
}

static uint32_t byte_share(const struct code_tables *t, int byte, int below, int bits)
{
    uint32_t share = 0;

    for (int i = 0; i < 8; i++)
        if (bits >> i & 1 && below < SIZES)
            share += t->choose[8 * byte + i][++below];
    return share;
}

static void fill_rank(struct code_tables *t)
{
    for (int byte = 0; byte < BYTES; byte++)
        for (int below = 0; below < SIZES; below++)
            for (int bits = 0; bits < 256; bits++)
                t->rank[byte][below][bits] = byte_share(t, byte, below, bits);
}

static void fill_squeeze(struct code_tables *t)
{
    for (int keep = 0; keep < 256; keep++)
        for (int bits = 0; bits < 256; bits++) {
            int out = 0, at = 0;

            for (int i = 0; i < 8; i++)
                if (keep >> i & 1)
                    out |= (bits >> i & 1) << at++;
            t->squeeze[keep][bits] = (uint8_t)out;
            if (bits == (bits & keep))
                t->spread[keep][out] = (uint8_t)bits;
        }
}

/* Sets within 24 bits are unranked by halves of twelve. */
static void fill_halves(struct code_tables *t)
{
    for (int count = 0; count < SIZES; count++) {
        uint32_t rank = 0, low = 0;

        for (int half = 0; half < HALVES; half++) {
            int n = __builtin_popcount((unsigned)half);

            t->high[count][half] = rank;
            if (n <= count)
                rank += t->choose[HALF_BITS][count - n];
            if (n == count)
                t->low[count][low++] = (uint16_t)half;
        }
        t->high[count][HALVES] = rank;
    }
}

/* More than that would not fit in 64 bits. */
static int kings_max(int pieces)
{
    return pieces < 22 ? CODE_KINGS_MAX : CODE_KINGS_MAX - 1;
}

static void fill_king_sets(struct code_tables *t)
{
    for (int n = 0; n <= ALL_MAX; n++)
        for (int k = 0; k <= kings_max(n); k++)
            t->king_sets[n] += t->choose[n][k];
}

static void fill_ranges(struct code_tables *t)
{
    uint64_t code = 0;

    for (int m = 0; m < SIZES; m++) {
        uint64_t width = 0;

        for (int n = 0; n < SIZES; n++) {
            t->offset[m][n] = width;
            width += (uint64_t)t->king_sets[m + n] * t->choose[32 - m][n];
        }
        t->offset[m][SIZES] = t->width[m] = width;
        t->base[m] = code;
        code += width * t->choose[32][m];
        assert(code > t->base[m]); /* everything fits below 2^64 */
    }
    t->base[SIZES] = code;
}

struct code_tables *code_tables_open(void)
{
    struct code_tables *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    fill_choose(t);
    fill_rank(t);
    fill_squeeze(t);
    fill_halves(t);
    fill_king_sets(t);
    fill_ranges(t);
    return t;
}

void code_tables_close(struct code_tables **tables)
{
    free(*tables);
    *tables = NULL;
}

/* ------------------------------------------------------------------- ranks -- */

uint32_t code_rank(const struct code_tables *t, uint32_t set)
{
    int n1 = __builtin_popcount(set & 0xFF);
    int n2 = __builtin_popcount(set & 0xFFFF);
    int n3 = __builtin_popcount(set & 0xFFFFFF);

    assert(__builtin_popcount(set) <= CODE_PIECES_MAX);
    return t->rank[0][0][set & 0xFF] + t->rank[1][n1][set >> 8 & 0xFF] +
           t->rank[2][n2][set >> 16 & 0xFF] + t->rank[3][n3][set >> 24];
}

uint32_t code_unrank(const struct code_tables *t, uint32_t rank, int count)
{
    uint32_t set = 0;
    int at = 31;

    for (int k = count; k > 0; k--) {
        while (t->choose[at][k] > rank)
            at--;
        rank -= t->choose[at][k];
        set |= UINT32_C(1) << at;
    }
    return set;
}

/* The bits of `set` on the squares `keep`, pushed together. */
static uint32_t squeeze(const struct code_tables *t, uint32_t set, uint32_t keep)
{
    uint32_t out = 0;
    int at = 0;

    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t k = keep >> shift & 0xFF;

        out |= (uint32_t)t->squeeze[k][set >> shift & 0xFF] << at;
        at += __builtin_popcount(k);
    }
    return out;
}

/* Its inverse: spread the low bits of `set` over the squares `keep`. */
static uint32_t spread(const struct code_tables *t, uint32_t set, uint32_t keep)
{
    uint32_t out = 0;

    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t k = keep >> shift & 0xFF;
        int n = __builtin_popcount(k);

        out |= (uint32_t)t->spread[k][set & ((1u << n) - 1)] << shift;
        set >>= n;
    }
    return out;
}

/* The last half whose first rank is not above `rank`; `guess` is where to look first. */
static int find_half(const uint32_t *first, uint32_t rank, int guess)
{
    int low = 0, high = HALVES;

    if (first[guess] <= rank && rank < first[guess + 1])
        return guess;
    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (first[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* code_unrank, quicker for sets within 24 bits. */
static uint32_t unrank_near(struct code_reader *r, uint32_t rank, int count)
{
    const struct code_tables *t = r->tables;
    const uint32_t *first = t->high[count];

    if (rank >= first[HALVES])
        return code_unrank(t, rank, count);
    r->half = find_half(first, rank, r->half);
    count -= __builtin_popcount((unsigned)r->half);
    return (uint32_t)r->half << HALF_BITS | t->low[count][rank - first[r->half]];
}

/* Number the sets of kings among n pieces: smaller sets first, then colex. */
static uint32_t kings_rank(const struct code_tables *t, uint32_t kings, uint32_t all)
{
    int n = __builtin_popcount(all), k = 0;
    uint32_t rank = 0;

    for (; kings; kings &= kings - 1) {
        rank += t->choose[n][k++];
        rank += t->choose[__builtin_popcount(all & ((kings & -kings) - 1))][k];
    }
    return rank;
}

static uint32_t kings_unrank(const struct code_tables *t, uint32_t rank, uint32_t all)
{
    int n = __builtin_popcount(all), k = 0;

    while (rank >= t->choose[n][k])
        rank -= t->choose[n][k++];
    return spread(t, code_unrank(t, rank, k), all);
}

/* ------------------------------------------------------------------- codes -- */

uint64_t code_first(const struct code_tables *t, uint32_t movers)
{
    int m = __builtin_popcount(movers);
    return t->base[m] + code_rank(t, movers) * t->width[m];
}

uint64_t code_end(const struct code_tables *t)
{
    return t->base[SIZES];
}

uint64_t code_encode_sets(const struct code_tables *t, uint32_t movers, uint32_t next,
                          uint32_t kings)
{
    int m = __builtin_popcount(movers), n = __builtin_popcount(next);
    uint64_t code = code_first(t, movers) + t->offset[m][n];

    if (kings) {
        if (__builtin_popcount(kings) > kings_max(m + n))
            return CODE_NONE;
        code += (uint64_t)kings_rank(t, kings, movers | next) * t->choose[32 - m][n];
    }
    return code + code_rank(t, squeeze(t, next, ~movers));
}

uint64_t code_encode(const struct code_tables *t, const struct board *b)
{
    struct board seen = b->turn == WHITE ? *b : board_flip(b);

    return code_encode_sets(t, squares_pack(seen.side[BLACK]), squares_pack(seen.side[WHITE]),
                            squares_pack(seen.kings));
}

struct code_reader code_reader_start(const struct code_tables *t)
{
    return (struct code_reader){.tables = t};
}

static void find_movers(struct code_reader *r, uint64_t code)
{
    const struct code_tables *t = r->tables;
    uint64_t rank;

    r->count = 0;
    while (code >= t->base[r->count + 1])
        r->count++;
    rank = (code - t->base[r->count]) / t->width[r->count];
    r->movers = code_unrank(t, (uint32_t)rank, r->count);
    r->first = t->base[r->count] + rank * t->width[r->count];
    r->last = r->first + t->width[r->count] - 1;
}

struct board code_decode(struct code_reader *r, uint64_t code)
{
    const struct code_tables *t = r->tables;
    uint32_t next, kings, choose;
    uint64_t rest;
    int n = 0;

    assert(code < code_end(t));
    if (code < r->first || code >= r->last || r->last == 0)
        find_movers(r, code);
    rest = code - r->first;
    while (rest >= t->offset[r->count][n + 1])
        n++;
    rest -= t->offset[r->count][n];
    choose = t->choose[32 - r->count][n];
    kings = (uint32_t)(rest < choose ? 0 : rest / choose);
    next = unrank_near(r, (uint32_t)(rest - (uint64_t)kings * choose), n);
    next = spread(t, next, ~r->movers);
    if (kings)
        kings = kings_unrank(t, kings, r->movers | next);
    return (struct board){
        .side = {squares_unpack(r->movers), squares_unpack(next)},
        .kings = squares_unpack(kings),
        .turn = WHITE,
    };
}
