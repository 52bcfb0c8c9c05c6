/* SPDX-License-Identifier: MIT */
#include "proof/estimate.h"

#include "core/step.h"

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

static int piece_input(int set, square at, enum side attacker)
{
    return ESTIMATE_SQUARES * set + (attacker == WHITE ? ESTIMATE_SQUARES - 1 - at : at);
}

int estimate_inputs(const struct board *b, enum side attacker, int above,
                    uint8_t input[ESTIMATE_ACTIVE_MAX])
{
    struct piece_sets pieces = board_sets(b, attacker);
    int n = 0;

    for (int i = 0; i < SETS; i++)
        for (squares left = pieces.set[i]; left; left &= left - 1)
            input[n++] = (uint8_t)piece_input(i, square_first(left), attacker);
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

/* All sums, in registers that every machine has; wider types make poor code there. */
typedef int16_t lanes __attribute__((vector_size(16), may_alias));

enum { LANES = sizeof(struct estimate_sums) / sizeof(lanes) };

struct row {
    lanes part[LANES];
};

static inline struct row row_load(const int16_t *from)
{
    return *(const struct row *)from;
}

static inline void row_add(struct row *sum, int input)
{
    struct row r = row_load(estimate_weights.first[input]);

    for (int k = 0; k < LANES; k++)
        sum->part[k] += r.part[k];
}

static inline void row_subtract(struct row *sum, int input)
{
    struct row r = row_load(estimate_weights.first[input]);

    for (int k = 0; k < LANES; k++)
        sum->part[k] -= r.part[k];
}

void estimate_refresh(struct estimate_sums *s, const struct board *b, enum side attacker)
{
    struct piece_sets pieces = board_sets(b, attacker);
    struct row sum = row_load(estimate_weights.first_bias);

    for (int i = 0; i < SETS; i++)
        for (squares left = pieces.set[i]; left; left &= left - 1)
            row_add(&sum, piece_input(i, square_first(left), attacker));
    *(struct row *)s->sum = sum;
}

void estimate_update(struct estimate_sums *s, const struct board *before, const struct board *after,
                     enum side attacker)
{
    struct piece_sets old = board_sets(before, attacker), new = board_sets(after, attacker);
    struct row sum = row_load(s->sum);

    for (int i = 0; i < SETS; i++) {
        for (squares gone = old.set[i] & ~new.set[i]; gone; gone &= gone - 1)
            row_subtract(&sum, piece_input(i, square_first(gone), attacker));
        for (squares come = new.set[i] & ~old.set[i]; come; come &= come - 1)
            row_add(&sum, piece_input(i, square_first(come), attacker));
    }
    *(struct row *)s->sum = sum;
}

/* What passes of a sum in units of 1 / ESTIMATE_ONE^2, in units of 1 / ESTIMATE_ONE. */
static int16_t pass(int32_t sum)
{
    int32_t n = sum > 0 ? sum / ESTIMATE_ONE : 0;

    return (int16_t)(n < INT16_MAX ? n : INT16_MAX);
}

static struct estimate head_numbers(const struct estimate_head *h,
                                    const int16_t passed[ESTIMATE_SUMS])
{
    int16_t middle[ESTIMATE_MIDDLE];
    int32_t log[2];

    for (int i = 0; i < ESTIMATE_MIDDLE; i++) {
        int32_t sum = h->middle_bias[i];

        for (int k = 0; k < ESTIMATE_SUMS; k++)
            sum += passed[k] * h->middle[i][k];
        middle[i] = pass(sum);
    }
    for (int q = 0; q < 2; q++) {
        log[q] = h->last_bias[q];
        for (int i = 0; i < ESTIMATE_MIDDLE; i++)
            log[q] += middle[i] * h->last[q][i];
    }
    return (struct estimate){power_of_two(log[0]), power_of_two(log[1])};
}

int estimate_head_of(const struct board *b, enum side attacker, int above)
{
    above = above > 1 ? at_most(above, ESTIMATE_HEAD_ABOVE) : 1;
    return (b->turn == attacker ? ESTIMATE_HEAD_ABOVE : 0) + above - 1;
}

struct estimate estimate_finish(const struct estimate_sums *s, const struct board *b,
                                enum side attacker, int above)
{
    const struct estimate_head *head = &estimate_weights.head[estimate_head_of(b, attacker, above)];
    uint8_t input[ESTIMATE_OTHERS];
    struct row sum = row_load(s->sum);
    alignas(64) int16_t passed[ESTIMATE_SUMS]; /* the sums above 0 */

    other_inputs(b, attacker, above, input);
    for (int i = 0; i < ESTIMATE_OTHERS; i++)
        row_add(&sum, input[i]);
    for (int k = 0; k < LANES; k++)
        sum.part[k] &= sum.part[k] > 0;
    *(struct row *)passed = sum;
    return head_numbers(head, passed);
}

struct estimate estimate_numbers(const struct board *b, enum side attacker, int above)
{
    struct estimate_sums s;

    estimate_refresh(&s, b, attacker);
    return estimate_finish(&s, b, attacker, above);
}
