/* SPDX-License-Identifier: MIT */
#include "db/quick_code.h"

#include <assert.h>
#include <stdlib.h>

enum {
    DIRECT = 16,  /* lengths that are buckets of their own */
    CHOICES = 16, /* places that are tried for the end of a run */
    ROUNDS = 7,   /* of fitting codes to blocks and blocks to codes */
};

/* ------------------------------------------------------------------- buckets -- */

/* The first length of a bucket and how many bits say which it is. */
static uint32_t bucket_first(uint32_t bucket, uint32_t *bits)
{
    uint32_t wide = bucket < DIRECT ? 0 : (bucket - DIRECT) / 4 + 1, first = DIRECT + 1;

    *bits = wide;
    if (!wide)
        return bucket + 1;
    for (uint32_t w = 1; w < wide; w++)
        first += 4u << w;
    return first + ((bucket - DIRECT) % 4 << wide);
}

static uint32_t bucket_of(uint32_t length, uint32_t *first, uint32_t *bits)
{
    uint32_t bucket = 0;

    do
        *first = bucket_first(bucket++, bits);
    while (length >= *first + (1u << *bits));
    assert(bucket <= QUICK_BUCKETS);
    return bucket - 1;
}

/* ------------------------------------------------------------- prefix codes -- */

/* Canonical codes, the first bit lowest; false if there are too many. */
static bool codes_assign(const uint8_t length[QUICK_SYMBOLS], uint16_t code[QUICK_SYMBOLS])
{
    uint32_t next = 0;

    for (uint32_t bits = 1; bits <= QUICK_BITS; bits++, next <<= 1)
        for (uint32_t s = 0; s < QUICK_SYMBOLS; s++) {
            if (length[s] > QUICK_BITS)
                return false;
            if (length[s] != bits)
                continue;
            if (next >> bits)
                return false;
            code[s] = 0;
            for (uint32_t i = 0; i < bits; i++)
                code[s] |= (uint16_t)((next >> (bits - 1 - i) & 1) << i);
            next++;
        }
    return true;
}

/* What the reader finds for a symbol. */
static uint32_t lookup_entry(uint32_t symbol, uint32_t bits, uint32_t value)
{
    uint32_t more, first;

    if (symbol == QUICK_END)
        return bits | bits << 5 | value << 9 | (uint32_t)QUICK_BLOCK << 11;
    if (symbol == QUICK_ESCAPE)
        return (bits + QUICK_ESCAPE_BITS) | bits << 5 | QUICK_LOOKUP_ESCAPE;
    first = bucket_first(symbol / 2, &more);
    return (bits + more) | bits << 5 | (value + 1 + symbol % 2) % 3 << 9 | first << 11 |
           ((1u << more) - 1) << 22;
}

static bool lookup_fill_one(uint32_t *lookup, const uint8_t length[QUICK_SYMBOLS], uint32_t value)
{
    uint16_t code[QUICK_SYMBOLS];

    if (!codes_assign(length, code))
        return false;
    for (uint32_t i = 0; i < 1 << QUICK_BITS; i++) /* (C2): invalid codes end the block */
        lookup[i] = lookup_entry(QUICK_END, QUICK_BITS, value);
    for (uint32_t s = 0; s < QUICK_SYMBOLS; s++)
        for (uint32_t i = code[s]; length[s] && i < 1 << QUICK_BITS; i += 1u << length[s])
            lookup[i] = lookup_entry(s, length[s], value);
    return true;
}

bool quick_lookup_fill(struct quick_lookup *lookup, const struct quick_lengths *lengths)
{
    for (uint32_t k = 0; k < QUICK_CODES; k++)
        for (uint32_t v = 0; v < 3; v++)
            if (!lookup_fill_one(lookup->of[k] + (v << QUICK_BITS), lengths->of[k][v], v))
                return false;
    return true;
}

/* ---------------------------------------------------------------------- runs -- */

void quick_runs_find(struct quick_runs *runs, const uint8_t *values, const uint64_t *taking,
                     uint32_t at, uint32_t n)
{
    uint32_t count = 0, after = 0; /* after: the last position that matters */

    for (uint32_t i = 0; i < n; i++) {
        if (taking[(at + i) / 64] >> (at + i) % 64 & 1)
            continue;
        if (!count || runs->value[count - 1] != values[i]) {
            runs->value[count] = values[i];
            runs->first[count] = (uint16_t)(count ? after : 0);
            runs->last[count] = (uint16_t)(count ? i : 0);
            count++;
        }
        after = i + 1;
    }
    runs->count = count;
}

static uint32_t runs_turn(const struct quick_runs *r, uint32_t i)
{
    return (r->value[i + 1] + 2u - r->value[i]) % 3;
}

/* Where each run begins: as late as possible. */
static void starts_late(const struct quick_runs *r, uint16_t *start)
{
    memcpy(start, r->last, r->count * sizeof *start);
}

static uint32_t runs_price(const struct quick_coder *c, uint32_t k, const struct quick_runs *r,
                           const uint16_t *start)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i + 1 < r->count; i++)
        bits += c->price[k][r->value[i]][runs_turn(r, i)][start[i + 1] - start[i]];
    return bits + c->lengths.of[k][r->value[r->count - 1]][QUICK_END];
}

static uint32_t code_best(const struct quick_coder *c, const struct quick_runs *r,
                          const uint16_t *start)
{
    uint32_t best = UINT32_MAX, which = 0;

    for (uint32_t k = 0; k < QUICK_CODES; k++) {
        uint32_t bits = runs_price(c, k, r, start);

        if (bits < best) {
            best = bits;
            which = k;
        }
    }
    return which;
}

/* The first of the places at which run i is tried. */
static uint32_t choice_first(const struct quick_runs *r, uint32_t i)
{
    uint32_t first = r->first[i], last = r->last[i];

    return last - first < CHOICES ? first : last - CHOICES + 1;
}

/* Where each run begins, so that code k takes the fewest bits: the best way to each place follows
 * from the best ways to all places of the previous run. */
static void starts_best(const struct quick_coder *c, uint32_t k, const struct quick_runs *r,
                        uint16_t *start)
{
    uint32_t cost[2][CHOICES] = {{0}}, n = r->count, best = 0;
    uint8_t from[QUICK_BLOCK][CHOICES];

    for (uint32_t i = 1; i < n; i++) {
        uint32_t low = choice_first(r, i), before = i > 1 ? choice_first(r, i - 1) : 0;
        uint32_t choices = i > 1 ? r->last[i - 1] - before + 1 : 1;
        const uint8_t *price = c->price[k][r->value[i - 1]][runs_turn(r, i - 1)];
        const uint32_t *old = cost[(i - 1) & 1];

        for (uint32_t p = low; p <= r->last[i]; p++) {
            uint32_t least = UINT32_MAX;

            for (uint32_t q = 0; q < choices; q++)
                if (old[q] + price[p - before - q] < least) {
                    least = old[q] + price[p - before - q];
                    from[i][p - low] = (uint8_t)q;
                }
            cost[i & 1][p - low] = least;
        }
    }
    for (uint32_t q = 0; n > 1 && q <= r->last[n - 1] - choice_first(r, n - 1); q++)
        if (cost[(n - 1) & 1][q] < cost[(n - 1) & 1][best])
            best = q;
    for (uint32_t i = n - 1; i > 0; i--) {
        start[i] = (uint16_t)(choice_first(r, i) + best);
        best = from[i][best];
    }
    start[0] = 0;
}

/* ------------------------------------------------------------------ training -- */

/* How often each symbol occurs, by code and value. */
struct symbol_tally {
    uint32_t of[QUICK_CODES][3][QUICK_SYMBOLS];
};

static void symbols_add(struct symbol_tally *t, uint32_t k, const struct quick_runs *r,
                        const uint16_t *start)
{
    uint32_t first, bits;

    for (uint32_t i = 0; i + 1 < r->count; i++)
        t->of[k][r->value[i]]
             [2 * bucket_of(start[i + 1] - (uint32_t)start[i], &first, &bits) + runs_turn(r, i)]++;
    t->of[k][r->value[r->count - 1]][QUICK_END]++;
}

struct package { /* of symbols, with how many of each */
    uint64_t weight;
    uint8_t times[QUICK_SYMBOLS];
};

static int package_order(const void *a, const void *b)
{
    const struct package *p = a, *q = b;

    if (p->weight != q->weight)
        return p->weight < q->weight ? -1 : 1;
    return memcmp(p->times, q->times, sizeof p->times);
}

/* The best lengths of at most QUICK_BITS bits (package-merge). */
static void lengths_best(const uint32_t count[QUICK_SYMBOLS], uint8_t length[QUICK_SYMBOLS])
{
    struct package leaf[QUICK_SYMBOLS], list[2 * QUICK_SYMBOLS];
    uint32_t n = 0, m = 0;

    for (uint32_t s = 0; s < QUICK_SYMBOLS; s++)
        if (count[s]) {
            leaf[n] = (struct package){.weight = count[s]};
            leaf[n++].times[s] = 1;
        }
    assert(n >= 2);
    for (uint32_t level = 0; level < QUICK_BITS; level++) {
        m /= 2;
        for (uint32_t i = 0; i < m; i++) { /* pairs of the previous packages */
            struct package pair = list[2 * i];

            pair.weight += list[2 * i + 1].weight;
            for (uint32_t s = 0; s < QUICK_SYMBOLS; s++)
                pair.times[s] = (uint8_t)(pair.times[s] + list[2 * i + 1].times[s]);
            list[i] = pair;
        }
        memcpy(list + m, leaf, n * sizeof *leaf);
        m += n;
        qsort(list, m, sizeof *list, package_order);
    }
    memset(length, 0, QUICK_SYMBOLS);
    for (uint32_t i = 0; i < 2 * n - 2; i++)
        for (uint32_t s = 0; s < QUICK_SYMBOLS; s++)
            length[s] = (uint8_t)(length[s] + list[i].times[s]);
}

/* A symbol that is too rare for a code of its own is written as an escape. */
static void lengths_fit(const uint32_t counted[QUICK_SYMBOLS], uint8_t length[QUICK_SYMBOLS])
{
    uint32_t count[QUICK_SYMBOLS], all = 0;

    for (uint32_t s = 0; s < QUICK_SYMBOLS; s++)
        all += counted[s];
    memcpy(count, counted, sizeof count);
    for (uint32_t s = 0; s < QUICK_END; s++)
        if (counted[s] < 1 + all / 4096) {
            count[QUICK_ESCAPE] += counted[s];
            count[s] = 0;
        }
    count[QUICK_END]++;
    count[QUICK_ESCAPE]++;
    lengths_best(count, length);
}

static void prices_fill(struct quick_coder *c, uint32_t k, uint32_t v)
{
    const uint8_t *of = c->lengths.of[k][v];

    for (uint32_t length = 1; length <= QUICK_BLOCK; length++) {
        uint32_t first, bits, bucket = bucket_of(length, &first, &bits);

        for (uint32_t t = 0; t < 2; t++)
            c->price[k][v][t][length] =
                (uint8_t)(of[2 * bucket + t] ? of[2 * bucket + t] + bits
                                             : of[QUICK_ESCAPE] + 0u + QUICK_ESCAPE_BITS);
    }
}

static void coder_fit(struct quick_coder *c, const struct symbol_tally *t)
{
    for (uint32_t k = 0; k < QUICK_CODES; k++)
        for (uint32_t v = 0; v < 3; v++) {
            lengths_fit(t->of[k][v], c->lengths.of[k][v]);
            codes_assign(c->lengths.of[k][v], c->code[k][v]);
            prices_fill(c, k, v);
        }
}

/* Initially, blocks are divided by their number of runs. */
static uint32_t code_first(const struct quick_runs *r)
{
    return r->count < QUICK_BLOCK / 64   ? 0
           : r->count < QUICK_BLOCK / 24 ? 1
           : r->count < QUICK_BLOCK / 10 ? 2
                                         : 3;
}

void quick_coder_train(struct quick_coder *c, struct quick_runs *const *sample, uint32_t n)
{
    uint16_t start[QUICK_BLOCK];

    for (int round = 0; round < ROUNDS; round++) {
        struct symbol_tally t = {0};

        for (uint32_t i = 0; i < n; i++) {
            uint32_t k;

            starts_late(sample[i], start);
            k = round ? code_best(c, sample[i], start) : code_first(sample[i]);
            if (round)
                starts_best(c, k, sample[i], start);
            symbols_add(&t, k, sample[i], start);
        }
        coder_fit(c, &t);
    }
}

/* ------------------------------------------------------------------ encoding -- */

struct bit_writer {
    uint8_t *bytes;
    uint32_t at;
};

static void bits_put(struct bit_writer *w, uint32_t value, uint32_t bits)
{
    for (uint32_t i = 0; i < bits; i++, w->at++)
        w->bytes[w->at / 8] |= (uint8_t)((value >> i & 1) << w->at % 8);
}

static void run_put(struct bit_writer *w, const struct quick_coder *c, uint32_t k, uint32_t value,
                    uint32_t turn, uint32_t length)
{
    uint32_t first, bits, symbol = 2 * bucket_of(length, &first, &bits) + turn;

    if (c->lengths.of[k][value][symbol]) {
        bits_put(w, c->code[k][value][symbol], c->lengths.of[k][value][symbol]);
        bits_put(w, length - first, bits);
    } else {
        bits_put(w, c->code[k][value][QUICK_ESCAPE], c->lengths.of[k][value][QUICK_ESCAPE]);
        bits_put(w, turn | (length - 1) << 1, QUICK_ESCAPE_BITS);
    }
}

uint32_t quick_block_encode(const struct quick_coder *c, const struct quick_runs *r,
                            uint8_t bytes[QUICK_FLAT_BYTES], uint32_t *which)
{
    struct bit_writer w = {bytes, 0};
    uint16_t start[QUICK_BLOCK];
    uint32_t k, size;

    assert(r->count > 1);
    starts_late(r, start);
    *which = k = code_best(c, r, start);
    starts_best(c, k, r, start);
    size = (2 + runs_price(c, k, r, start) + 7) / 8;
    if (size >= QUICK_FLAT_BYTES)
        return 0;
    memset(bytes, 0, size);
    bits_put(&w, r->value[0], 2);
    for (uint32_t i = 0; i + 1 < r->count; i++)
        run_put(&w, c, k, r->value[i], runs_turn(r, i), start[i + 1] - (uint32_t)start[i]);
    bits_put(&w, c->code[k][r->value[r->count - 1]][QUICK_END],
             c->lengths.of[k][r->value[r->count - 1]][QUICK_END]);
    assert((w.at + 7) / 8 == size);
    return size;
}
