/* SPDX-License-Identifier: MIT */
#include "core/movegen.h"

#include "core/generate.h"

#include <assert.h>
#include <string.h>

bool move_equal(const struct move *a, const struct move *b)
{
    return a->from == b->from && a->to == b->to && a->captured == b->captured &&
           a->jumps == b->jumps && memcmp(a->via, b->via, sizeof a->via) == 0;
}

squares board_jumpers(const struct board *b, enum side us)
{
    return us == BLACK ? jumpers(b, BLACK) : jumpers(b, WHITE);
}

int moves_count(const struct board *b)
{
    return b->turn == BLACK ? count_moves(b, BLACK) : count_moves(b, WHITE);
}

/* ------------------------------------------------------------- quiet moves -- */

/* List the steps of `set`, all men or all kings, in direction d. */
ALWAYS_INLINE struct move *quiet_in(const struct board *b, squares set, enum direction d,
                                    squares crown, struct move *out)
{
    static const int delta[DIRECTIONS] = {4, 5, -4, -5};

    for (squares to = quiet_to(b, set, d); to; to &= to - 1) {
        square t = square_first(to);

        *out++ = (struct move){.from = (uint8_t)(t - delta[d]),
                               .to = (uint8_t)t,
                               .crowns = (squares_of(t) & crown) != 0};
    }
    return out;
}

ALWAYS_INLINE int quiet(const struct board *b, enum side us, struct move_list *list)
{
    squares men = board_men(b, us), kings = board_kings(b, us);
    struct move *out = list->move;

    out = quiet_in(b, men, forward_4(us), squares_crown_row(us), out);
    out = quiet_in(b, men, forward_5(us), squares_crown_row(us), out);
    if (kings)
        for (enum direction d = UP_4; d < DIRECTIONS; d++)
            out = quiet_in(b, kings, d, 0, out);
    return list->count = (int)(out - list->move);
}

/* ---------------------------------------------------------------- captures -- */

/* An unfinished capture: where it may continue, and its path so far. */
struct jump {
    squares empty; /* with the start square */
    squares prey;  /* opponent's pieces not yet jumped */
    struct move path;
    struct move *out; /* where to write the next complete capture */
};

/* Where the piece on `at` can land by one jump in direction d; 0 if nowhere. */
ALWAYS_INLINE squares landing(const struct jump *j, squares at, enum direction d)
{
    return step(step(at, d) & j->prey, d) & j->empty;
}

static void follow_black_man(struct jump *j, squares at);
static void follow_white_man(struct jump *j, squares at);
static void follow_king(struct jump *j, squares at);

ALWAYS_INLINE void jump_over(struct jump *j, enum side us, bool king, squares at, squares over,
                             squares land)
{
    int n = j->path.jumps++;

    if (n)
        j->path.via[n - 1] = (uint8_t)square_first(at);
    j->path.captured ^= over;
    j->prey ^= over;
    if (king)
        follow_king(j, land);
    else if (us == BLACK)
        follow_black_man(j, land);
    else
        follow_white_man(j, land);
    j->prey ^= over;
    j->path.captured ^= over;
    if (n)
        j->path.via[n - 1] = 0;
    j->path.jumps--;
}

/* Follow a capture of a piece that stands on `at`; write the complete ones.  No man
 * jumps from its last row: there it stops and is crowned. */
ALWAYS_INLINE void follow(struct jump *j, enum side us, bool king, squares at)
{
    bool ended = true;

    for (enum direction d = first_direction(us, king); d < end_direction(us, king); d++) {
        squares land = landing(j, at, d);

        if (land) {
            ended = false;
            jump_over(j, us, king, at, step(at, d), land);
        }
    }
    if (ended) {
        *j->out = j->path;
        j->out->to = (uint8_t)square_first(at);
        j->out->crowns = !king && (at & squares_crown_row(us));
        j->out++;
    }
}

static void follow_black_man(struct jump *j, squares at)
{
    follow(j, BLACK, false, at);
}

static void follow_white_man(struct jump *j, squares at)
{
    follow(j, WHITE, false, at);
}

static void follow_king(struct jump *j, squares at)
{
    follow(j, BLACK, true, at);
}

static int captures(const struct board *b, squares who, struct move_list *list)
{
    struct jump j = {.prey = b->side[side_other(b->turn)], .out = list->move};

    for (; who; who &= who - 1) {
        squares piece = who & -who;

        j.empty = board_empty(b) | piece;
        j.path.from = (uint8_t)square_first(piece);
        if (piece & b->kings)
            follow_king(&j, piece);
        else if (b->turn == BLACK)
            follow_black_man(&j, piece);
        else
            follow_white_man(&j, piece);
    }
    list->count = (int)(j.out - list->move);
    assert(list->count <= MOVES_MAX);
    return list->count;
}

static int follow_count(struct jump *j, squares at)
{
    int n = 0;

    for (enum direction d = UP_4; d < DIRECTIONS; d++) {
        squares land = landing(j, at, d), over = step(at, d);

        if (!land)
            continue;
        j->prey ^= over;
        n += follow_count(j, land);
        j->prey ^= over;
    }
    return n ? n : 1;
}

int king_captures_count(const struct board *b, squares piece)
{
    struct jump j = {.empty = board_empty(b) | piece, .prey = b->side[side_other(b->turn)]};

    return follow_count(&j, piece);
}

int moves_generate(const struct board *b, struct move_list *list)
{
    squares who = board_jumpers(b, b->turn);

    if (who)
        return captures(b, who, list);
    return b->turn == BLACK ? quiet(b, BLACK, list) : quiet(b, WHITE, list);
}
