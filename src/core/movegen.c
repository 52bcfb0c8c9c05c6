/* SPDX-License-Identifier: MIT */
#include "core/movegen.h"

#include "core/step.h"

#include <assert.h>
#include <string.h>

/* The pieces of `us` that may go in direction d at all. */
ALWAYS_INLINE squares movers(const struct board *b, enum side us, enum direction d)
{
    bool forward = (d < DOWN_4) == (us == BLACK);
    return forward ? b->side[us] : b->side[us] & b->kings;
}

ALWAYS_INLINE squares jumpers_in(const struct board *b, enum side us, enum direction d)
{
    squares over = step_back(board_empty(b), d) & b->side[side_other(us)];
    return step_back(over, d) & movers(b, us, d);
}

ALWAYS_INLINE squares jumpers(const struct board *b, enum side us)
{
    squares found = jumpers_in(b, us, us == BLACK ? UP_4 : DOWN_4) |
                    jumpers_in(b, us, us == BLACK ? UP_5 : DOWN_5);

    if (b->side[us] & b->kings)
        found |= jumpers_in(b, us, us == BLACK ? DOWN_4 : UP_4) |
                 jumpers_in(b, us, us == BLACK ? DOWN_5 : UP_5);
    return found;
}

squares board_jumpers(const struct board *b, enum side us)
{
    return us == BLACK ? jumpers(b, BLACK) : jumpers(b, WHITE);
}

/* ------------------------------------------------------------- quiet moves -- */

ALWAYS_INLINE struct move *quiet_in(const struct board *b, enum side us, enum direction d,
                                    struct move *out)
{
    static const int delta[DIRECTIONS] = {4, 5, -4, -5};
    squares to = step(movers(b, us, d), d) & board_empty(b);
    squares kings_to = step(b->kings, d);

    for (; to; to &= to - 1) {
        square t = square_first(to);
        squares bit = to & -to;

        *out = (struct move){.from = (uint8_t)(t - delta[d]), .to = (uint8_t)t};
        out->crowns = (bit & squares_crown_row(us)) && !(bit & kings_to);
        out++;
    }
    return out;
}

ALWAYS_INLINE int quiet(const struct board *b, enum side us, struct move_list *list)
{
    struct move *out = list->move;

    out = quiet_in(b, us, us == BLACK ? UP_4 : DOWN_4, out);
    out = quiet_in(b, us, us == BLACK ? UP_5 : DOWN_5, out);
    if (b->side[us] & b->kings) {
        out = quiet_in(b, us, us == BLACK ? DOWN_4 : UP_4, out);
        out = quiet_in(b, us, us == BLACK ? DOWN_5 : UP_5, out);
    }
    return list->count = (int)(out - list->move);
}

ALWAYS_INLINE int quiet_count(const struct board *b, enum side us)
{
    squares empty = board_empty(b), all = b->side[us], kings = all & b->kings;
    int n;

    if (us == BLACK)
        n = squares_count(all << 4 & empty) + squares_count(all << 5 & empty);
    else
        n = squares_count(all >> 4 & empty) + squares_count(all >> 5 & empty);
    if (kings) {
        if (us == BLACK)
            n += squares_count(kings >> 4 & empty) + squares_count(kings >> 5 & empty);
        else
            n += squares_count(kings << 4 & empty) + squares_count(kings << 5 & empty);
    }
    return n;
}

/* ---------------------------------------------------------------- captures -- */

/* A capture under way.  `empty` already counts the start square as empty. */
struct jump {
    squares empty;
    squares prey;  /* opponent's pieces not yet jumped */
    squares crown; /* where this piece would be crowned; 0 for a king */
};

/* Where the piece on `at` can land by one jump in direction d; 0 if nowhere. */
ALWAYS_INLINE squares landing(const struct jump *j, squares at, enum direction d)
{
    return step(step(at, d) & j->prey, d) & j->empty;
}

/* Follow the capture of a piece that stands on `at`, with `path` so far; write
 * the complete ones.  Returns the end of the list. */
static struct move *follow(const struct jump *j, enum side us, bool king, squares at,
                           const struct move *path, struct move *out)
{
    bool ended = true;

    if (!(at & j->crown)) {
        for (enum direction d = first_direction(us, king); d < end_direction(us, king); d++) {
            squares land = landing(j, at, d);
            struct jump next = *j;
            struct move longer;

            if (!land)
                continue;
            ended = false;
            next.prey &= ~step(at, d);
            longer = *path;
            longer.captured |= step(at, d);
            if (longer.jumps)
                longer.via[longer.jumps - 1] = (uint8_t)square_first(at);
            longer.jumps++;
            out = follow(&next, us, king, land, &longer, out);
        }
    }
    if (ended && path->jumps) {
        *out = *path;
        out->to = (uint8_t)square_first(at);
        out->crowns = (at & j->crown) != 0;
        out++;
    }
    return out;
}

static int follow_count(const struct jump *j, enum side us, bool king, squares at)
{
    int n = 0;

    if (at & j->crown)
        return 1;
    for (enum direction d = first_direction(us, king); d < end_direction(us, king); d++) {
        squares land = landing(j, at, d);

        if (land) {
            struct jump next = {j->empty, j->prey & ~step(at, d), j->crown};
            n += follow_count(&next, us, king, land);
        }
    }
    return n ? n : 1;
}

static struct jump jump_start(const struct board *b, squares piece)
{
    enum side us = b->turn;

    return (struct jump){
        .empty = board_empty(b) | piece,
        .prey = b->side[side_other(us)],
        .crown = piece & b->kings ? 0 : squares_crown_row(us),
    };
}

static int captures(const struct board *b, squares who, struct move_list *list)
{
    struct move *out = list->move;

    for (; who; who &= who - 1) {
        squares piece = who & -who;
        struct jump j = jump_start(b, piece);
        struct move path = {.from = (uint8_t)square_first(piece)};

        out = follow(&j, b->turn, (piece & b->kings) != 0, piece, &path, out);
    }
    list->count = (int)(out - list->move);
    assert(list->count <= MOVES_MAX);
    return list->count;
}

static int captures_count(const struct board *b, squares who)
{
    int n = 0;

    for (; who; who &= who - 1) {
        squares piece = who & -who;
        struct jump j = jump_start(b, piece);

        n += follow_count(&j, b->turn, (piece & b->kings) != 0, piece);
    }
    return n;
}

/* ------------------------------------------------------------------ public -- */

bool move_equal(const struct move *a, const struct move *b)
{
    return a->from == b->from && a->to == b->to && a->captured == b->captured &&
           a->jumps == b->jumps && memcmp(a->via, b->via, sizeof a->via) == 0;
}

int moves_generate(const struct board *b, struct move_list *list)
{
    if (b->turn == BLACK) {
        squares who = jumpers(b, BLACK);
        return who ? captures(b, who, list) : quiet(b, BLACK, list);
    } else {
        squares who = jumpers(b, WHITE);
        return who ? captures(b, who, list) : quiet(b, WHITE, list);
    }
}

int moves_count(const struct board *b)
{
    if (b->turn == BLACK) {
        squares who = jumpers(b, BLACK);
        return who ? captures_count(b, who) : quiet_count(b, BLACK);
    } else {
        squares who = jumpers(b, WHITE);
        return who ? captures_count(b, who) : quiet_count(b, WHITE);
    }
}
