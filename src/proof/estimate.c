/* SPDX-License-Identifier: MIT */
#include "proof/estimate.h"

#include "core/step.h"
#include "proof/estimate_rows.h"

#include <assert.h>

enum { MAN = 100, KING = 150 };

static int side_material(const struct board *b, enum side s)
{
    return MAN * squares_count(board_men(b, s)) + KING * squares_count(board_kings(b, s));
}

int estimate_material(const struct board *b, enum side us)
{
    return side_material(b, us) - side_material(b, side_other(us));
}

/* --------------------------------------------------------------------- inputs -- */

struct mobility {
    int moves; /* quiet ones */
    bool captures;
};

/* What a side could do if it were its turn. */
static struct mobility side_mobility(const struct board *b, enum side us)
{
    squares own = b->side[us], them = b->side[side_other(us)], empty = board_empty(b);
    squares landing = 0;
    struct mobility m = {0};

    for (enum direction d = UP_4; d < DIRECTIONS; d++) {
        bool forward = d >= first_direction(us, false) && d < end_direction(us, false);
        squares to = step(forward ? own : own & b->kings, d);

        m.moves += squares_count(to & empty);
        landing |= step(to & them, d) & empty;
    }
    m.captures = landing != 0;
    return m;
}

static int at_most(int n, int most)
{
    return n < most ? n : most;
}

/* What is active besides the pieces: always as many. */
static void other_inputs(const struct board *b, enum side attacker, int above,
                         uint8_t input[ESTIMATE_OTHERS])
{
    above = above > 1 ? at_most(above, ESTIMATE_ABOVE_MAX) : 1;
    *input++ =
        (uint8_t)(ESTIMATE_TURN + (b->turn == attacker ? ESTIMATE_ABOVE_MAX : 0) + above - 1);
    for (int i = 0; i < 2; i++) {
        enum side us = i == 0 ? attacker : side_other(attacker);
        struct mobility m = side_mobility(b, us);

        *input++ = (uint8_t)(ESTIMATE_MOVES + (2 * i + m.captures) * (ESTIMATE_MOVES_MAX + 1) +
                             at_most(m.moves, ESTIMATE_MOVES_MAX));
        *input++ =
            (uint8_t)(ESTIMATE_COUNTS + i * (ESTIMATE_COUNT_MAX + 1) + squares_count(b->side[us]));
    }
}

enum { SETS = 4 }; /* the attacker's men, its kings, the defender's men, its kings */

struct piece_sets {
    squares set[SETS];
};

static struct piece_sets board_sets(const struct board *b, enum side attacker)
{
    squares ours = b->side[attacker], theirs = b->side[side_other(attacker)], kings = b->kings;

    return (struct piece_sets){{ours & ~kings, ours & kings, theirs & ~kings, theirs & kings}};
}

/* The inputs of the pieces of one set; returns how many. */
static inline int piece_inputs(squares pieces, int set, enum side attacker, uint8_t *input)
{
    int n = 0;

    for (; pieces; pieces &= pieces - 1) {
        square at = square_first(pieces);

        input[n++] = (uint8_t)(ESTIMATE_SQUARES * set +
                               (attacker == WHITE ? ESTIMATE_SQUARES - 1 - at : at));
    }
    return n;
}

int estimate_inputs(const struct board *b, enum side attacker, int above,
                    uint8_t input[ESTIMATE_ACTIVE_MAX])
{
    struct piece_sets pieces = board_sets(b, attacker);
    int n = 0;

    for (int i = 0; i < SETS; i++)
        n += piece_inputs(pieces.set[i], i, attacker, input + n);
    other_inputs(b, attacker, above, input + n);
    assert(n + ESTIMATE_OTHERS <= ESTIMATE_ACTIVE_MAX);
    return n + ESTIMATE_OTHERS;
}

/* -------------------------------------------------------------------- network -- */

/* 2 to the power of x / ESTIMATE_ONE^2, rounded down, within (E1). */
static uint32_t power_of_two(int32_t x)
{
    enum { ONE = ESTIMATE_ONE * ESTIMATE_ONE, STEPS = 16, SCALE = 10 };
    static const uint32_t part[STEPS] = {1024, 1069, 1117, 1166, 1218, 1272, 1328, 1387,
                                         1448, 1512, 1579, 1649, 1722, 1798, 1878, 1961};

    if (x <= 0)
        return 1;
    if (x >= ESTIMATE_BITS * ONE)
        return ESTIMATE_MAX;
    return (part[x / (ONE / STEPS) % STEPS] << x / ONE) >> SCALE;
}

/* Whatever follows the 64 sums. */
static struct estimate numbers_after(const struct estimate_sums *s, struct estimate_change *c,
                                     const struct board *b, enum side attacker, int above)
{
    int32_t log[2];

    other_inputs(b, attacker, above, c->add + c->added);
    c->added += ESTIMATE_OTHERS;
    estimate_kernel_best()->logarithms(
        s->sum, c, &estimate_weights.head[estimate_head_of(b, attacker, above)], log);
    return (struct estimate){power_of_two(log[0]), power_of_two(log[1])};
}

int estimate_head_of(const struct board *b, enum side attacker, int above)
{
    above = above > 1 ? at_most(above, ESTIMATE_HEAD_ABOVE) : 1;
    return (b->turn == attacker ? ESTIMATE_HEAD_ABOVE : 0) + above - 1;
}

void estimate_refresh(struct estimate_sums *s, const struct board *b, enum side attacker)
{
    struct piece_sets pieces = board_sets(b, attacker);
    struct estimate_change c;

    c.removed = 0;
    c.added = 0;
    for (int i = 0; i < SETS; i++)
        c.added += piece_inputs(pieces.set[i], i, attacker, c.add + c.added);
    estimate_kernel_best()->change(estimate_weights.first_bias, &c, s->sum);
}

struct estimate estimate_after(const struct estimate_sums *s, const struct board *before,
                               const struct board *after, enum side attacker, int above)
{
    struct piece_sets old = board_sets(before, attacker), new = board_sets(after, attacker);
    struct estimate_change c;

    c.removed = 0;
    c.added = 0;
    for (int i = 0; i < SETS; i++) {
        c.removed += piece_inputs(old.set[i] & ~new.set[i], i, attacker, c.remove + c.removed);
        c.added += piece_inputs(new.set[i] & ~old.set[i], i, attacker, c.add + c.added);
    }
    return numbers_after(s, &c, after, attacker, above);
}

struct estimate estimate_numbers(const struct board *b, enum side attacker, int above)
{
    struct estimate_sums s;

    estimate_refresh(&s, b, attacker);
    return estimate_after(&s, b, b, attacker, above);
}
