/* SPDX-License-Identifier: MIT
 *
 * value.h -- the arithmetic of game values and distances, in one place.
 *
 * People see a value (loss, draw, win for the side to move) and a distance in plies.  Builders
 * use a score: one unsigned number, ordered by the preference of the player to move, so the
 * best move is a maximum.
 *
 *     0                no move                      (a mover left with it has lost)
 *     small            loses; larger is later
 *     middle           draw
 *     large            wins; larger is sooner
 *
 * Tables in memory hold each position from the point of view of the player who moved into it
 * ("seen"), so a lookup needs no conversion:
 *
 *     narrow (8 bits)  counts plies in pairs: a DTW win is odd, a loss even
 *         mover loses in n: seen 255 - n/2     mover wins in n: seen (n + 1)/2
 *     nine (9 bits)    the same for twice the distance
 *         mover loses in n: seen 511 - n/2     mover wins in n: seen (n + 1)/2
 *     wide (16 bits)   counts single plies
 *         mover loses in n: seen 65534 - n     mover wins in n: seen n + 1
 *
 * (V1) score_seen maps a mover's score to the seen code of its position.
 * (V2) narrow holds losses up to 252 and wins up to 253; a loss in 254 would be
 *      seen as a draw, so builders check that 127 (loss in 254) never remains.
 * (V3) nine holds losses up to 508 and wins up to 509; in the same way 255 (loss in
 *      510) never remains.
 *
 * Pure functions; any thread. */
#ifndef KELSO_DB_VALUE_H
#define KELSO_DB_VALUE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum value { VALUE_LOSS, VALUE_DRAW, VALUE_WIN };

enum kind { KIND_WLD, KIND_DTC, KIND_DTW, KINDS };

enum {
    NARROW_DRAW = 128,
    NARROW_TOP = 255,
    NARROW_OVERFLOW = 127,
    NINE_DRAW = 256,
    NINE_TOP = 511,
    NINE_OVERFLOW = 255,
    WIDE_DRAW = 32768,
    WIDE_TOP = 65535,
};

/* A value with its distance; plies is 0 for a draw. */
struct outcome {
    enum value value;
    int plies;
};

static inline enum value value_negate(enum value v)
{
    return (enum value)(VALUE_WIN - v);
}

/* The value of a move to the player who makes it, given the outcome `after` of the position it
 * leads to. */
static inline struct outcome outcome_before(struct outcome after)
{
    enum value v = value_negate(after.value);

    return (struct outcome){v, v == VALUE_DRAW ? 0 : after.plies + 1};
}

/* The same, to the next conversion, for a move that converts. */
static inline struct outcome outcome_converting(enum value after)
{
    enum value v = value_negate(after);

    return (struct outcome){v, v == VALUE_DRAW ? 0 : 1};
}

/* Win sooner, lose later. */
static inline bool outcome_better(struct outcome a, struct outcome b)
{
    if (a.value != b.value)
        return a.value > b.value;
    return a.value == VALUE_WIN ? a.plies < b.plies : a.plies > b.plies;
}

static inline bool outcome_equal(struct outcome a, struct outcome b)
{
    return a.value == b.value && a.plies == b.plies;
}

/* The outcome of a mover who cannot move. */
static const struct outcome outcome_lost = {VALUE_LOSS, 0};

/* Convert a mover's score to the code seen by the player who moved into the position. */
static inline uint8_t score_seen_narrow(uint8_t s)
{
    return (uint8_t)(~s + (s >> 7)); /* loss s: 255 - s; draw: 128; win s: 256 - s */
}

static inline uint16_t score_seen_nine(uint16_t s)
{
    return (uint16_t)(NINE_TOP - s + (s >> 8)); /* loss s: 511 - s; draw: 256; win s: 512 - s */
}

static inline uint16_t score_seen_wide(uint16_t s)
{
    return (uint16_t)(s < WIDE_DRAW ? WIDE_TOP - 1 - s : s == WIDE_DRAW ? s : WIDE_TOP + 1 - s);
}

/* Win/loss/draw only: three codes. */
static inline uint8_t score_seen_wld(uint8_t s)
{
    return (uint8_t)(s < NARROW_DRAW ? NARROW_TOP : s == NARROW_DRAW ? NARROW_DRAW : 1);
}

static inline struct outcome outcome_from_narrow(uint8_t seen)
{
    assert(seen != 0);
    if (seen == NARROW_DRAW)
        return (struct outcome){VALUE_DRAW, 0};
    if (seen > NARROW_DRAW)
        return (struct outcome){VALUE_LOSS, 2 * (NARROW_TOP - seen)};
    return (struct outcome){VALUE_WIN, 2 * seen - 1};
}

static inline uint8_t outcome_to_narrow(struct outcome o)
{
    if (o.value == VALUE_DRAW)
        return NARROW_DRAW;
    return (uint8_t)(o.value == VALUE_LOSS ? NARROW_TOP - o.plies / 2 : (o.plies + 1) / 2);
}

static inline struct outcome outcome_from_nine(uint16_t seen)
{
    assert(seen != 0 && seen <= NINE_TOP);
    if (seen == NINE_DRAW)
        return (struct outcome){VALUE_DRAW, 0};
    if (seen > NINE_DRAW)
        return (struct outcome){VALUE_LOSS, 2 * (NINE_TOP - seen)};
    return (struct outcome){VALUE_WIN, 2 * seen - 1};
}

static inline uint16_t outcome_to_nine(struct outcome o)
{
    if (o.value == VALUE_DRAW)
        return NINE_DRAW;
    return (uint16_t)(o.value == VALUE_LOSS ? NINE_TOP - o.plies / 2 : (o.plies + 1) / 2);
}

static inline uint16_t outcome_to_wide(struct outcome o)
{
    if (o.value == VALUE_DRAW)
        return WIDE_DRAW;
    return (uint16_t)(o.value == VALUE_LOSS ? WIDE_TOP - 1 - o.plies : o.plies + 1);
}

static inline struct outcome outcome_from_wide(uint16_t seen)
{
    assert(seen != 0);
    if (seen == WIDE_DRAW)
        return (struct outcome){VALUE_DRAW, 0};
    if (seen > WIDE_DRAW)
        return (struct outcome){VALUE_LOSS, WIDE_TOP - 1 - seen};
    return (struct outcome){VALUE_WIN, seen - 1};
}

#endif
