/* SPDX-License-Identifier: MIT */
#include "games/wall.h"

#include "base/crew.h"
#include "games/shortest.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Where there may be a king of the loser; the winner has none, or any may be one. */
enum loser_stage { LOSER_MEN, LOSER_AWAY, LOSER_NEAR, LOSER_STAGES };
enum winner_stage { WINNER_MEN, WINNER_KINGS, WINNER_STAGES };

enum {
    LOSER_DIGIT = 1,
    WINNER_DIGIT = 2,
    HALF_SQUARES = 8, /* a state is two numbers of eight digits */
    HALF_STATES = 6561,
    BITS = 18,
    CHUNK = 1 << 12 /* words that a thread takes at a time */
};

struct wall_half {
    squares own, foe; /* the loser's, the winner's */
};

typedef uint64_t *level[LOSER_STAGES][WINNER_STAGES];

struct wall {
    int rows, plies;
    squares region, last, beyond; /* all rows; the last of them; the row after it */
    uint32_t states;
    size_t words;
    /* The squares furthest from home have the least weight, so that positions that differ
     * there, as brothers do, lie close together. */
    uint32_t weight[BITS];
    uint32_t digit[2][2][35]; /* the same for [loser][side of the piece], as they see it */
    uint32_t sum[2][1 << HALF_SQUARES]; /* of the weights of packed squares, by byte */
    struct wall_half low[HALF_STATES], high[HALF_STATES];
    level level[WALL_PLIES_MAX + 1];
};

static inline bool holds(const uint64_t *set, uint32_t state)
{
    return set[state / 64] >> state % 64 & 1;
}

/* ------------------------------------------------------------ relaxed game -- */

/* One state seen by the side to move, and the sets of the level before: where a move
 * must lead. */
struct wall_view {
    const struct wall *wall;
    squares mine, theirs, empty;  /* all within the region */
    squares hop;                  /* squares, beyond too, from which a jump may be possible */
    uint32_t state;               /* its number ... */
    uint32_t my_digit, its_digit; /* ... and what a piece of mine, of theirs is in it */
    bool winner;                  /* moves: down, and comes in from outside */
    bool near;                    /* any of my pieces may be a king */
    bool enters;                  /* one of mine may come in from outside ... */
    bool as_king;                 /* ... and be a king */
    const uint64_t *within;       /* a man ends in the region */
    const uint64_t *outside;      /* a piece ends outside */
    const uint64_t *kings;        /* a king ends in the region, or a man is crowned */
};

/* A piece in the air: `state` is without it and what it has taken. */
struct flight {
    squares taken;
    squares seen; /* what it had taken when it was last outside */
    uint32_t state;
    bool king;
};

static inline squares shifted(squares set, int by)
{
    return by > 0 ? set << by : set >> -by;
}

static inline uint32_t my_weight(const struct wall_view *v, squares one)
{
    return v->my_digit * v->wall->weight[square_first(one)];
}

static inline uint32_t its_weight(const struct wall_view *v, squares one)
{
    return v->its_digit * v->wall->weight[square_first(one)];
}

/* The piece comes down on `to`. */
static inline bool lands(const struct wall_view *v, squares to, uint32_t state, bool king)
{
    bool crowned = king || (v->winner && (to & BOARD_ROW_1));

    return holds(crowned ? v->kings : v->within, state + my_weight(v, to));
}

static bool jumps(const struct wall_view *v, squares at, struct flight f);

/* From outside into the last row, by a step or a jump, or by a jump over that row. */
static bool comes_in(const struct wall_view *v, struct flight f)
{
    f.seen = f.taken;
    for (squares left = v->empty & v->wall->last; left; left &= left - 1) {
        squares to = left & -left;

        if (lands(v, to, f.state, f.king) || ((to & v->hop) && jumps(v, to, f)))
            return true;
    }
    for (squares left = v->wall->beyond & v->hop; left; left &= left - 1)
        if (jumps(v, left & -left, f))
            return true;
    return false;
}

/* A king may come back by the same move. */
static bool goes_out(const struct wall_view *v, struct flight f)
{
    return holds(v->outside, f.state) || (f.king && comes_in(v, f));
}

static bool jumps_by(const struct wall_view *v, squares at, int d, struct flight f)
{
    squares over = shifted(at, d) & v->theirs & ~f.taken, to = shifted(over, d) & BOARD_SQUARES;

    if (!to || ((to & v->wall->region) && !(to & v->empty)))
        return false;
    f.taken |= over;
    f.state -= its_weight(v, over);
    if (!(to & v->wall->region))
        return goes_out(v, f);
    return lands(v, to, f.state, f.king) || jumps(v, to, f);
}

/* The piece goes on from `at`, over pieces of the region or out of it in any way; to be
 * outside again with the same pieces taken is nothing new. */
static bool jumps(const struct wall_view *v, squares at, struct flight f)
{
    bool up = !v->winner || f.king, down = v->winner || f.king;

    if (up && (at & v->wall->last) && f.taken != f.seen && goes_out(v, f))
        return true;
    return (up && (jumps_by(v, at, 4, f) || jumps_by(v, at, 5, f))) ||
           (down && (jumps_by(v, at, -4, f) || jumps_by(v, at, -5, f)));
}

static bool steps_by(const struct wall_view *v, int d)
{
    for (squares left = v->mine & shifted(v->empty, -d); left; left &= left - 1) {
        squares from = left & -left;

        if (lands(v, shifted(from, d), v->state - my_weight(v, from), v->near))
            return true;
    }
    return false;
}

static bool steps(const struct wall_view *v)
{
    bool up = !v->winner || v->near, down = v->winner || v->near;

    return (up && (steps_by(v, 4) || steps_by(v, 5))) ||
           (down && (steps_by(v, -4) || steps_by(v, -5)));
}

/* Has the side to move a move to the level before?  Passes are known already. */
static bool moves(struct wall_view *v)
{
    squares empty = v->empty, leavers = !v->winner || v->near ? v->wall->last : 0;
    bool found;

    if (steps(v))
        return true;
    if (v->enters && comes_in(v, (struct flight){0, 0, v->state, v->as_king}))
        return true;
    found = false;
    for (squares left = v->mine & (v->hop | leavers); left && !found; left &= left - 1) {
        squares from = left & -left;

        v->empty = empty | from; /* a jump may end where it began */
        found = jumps(v, from,
                      (struct flight){0, BOARD_SQUARES, v->state - my_weight(v, from), v->near});
    }
    v->empty = empty;
    return found;
}

/* No piece of the loser has a move, as far as the region tells. */
static bool is_closed(const struct wall *w, squares own, squares foe)
{
    squares edge = home_edge(BLACK), empty = w->region & ~(own | foe);

    if ((own << 4 | own << 5) & empty)
        return false;
    if ((((own << 4) & foe) << 4 | ((own << 5) & foe) << 5) & empty)
        return false;
    return (own & edge) || (edge & ~w->region);
}

/* ------------------------------------------------------------------ levels -- */

struct wall_builder {
    const struct wall *wall;
    const level *goal; /* the level before; NULL for level 0 */
    uint64_t *out;     /* the set being made ... */
    int plies;         /* ... is one of this level, for these stages */
    enum loser_stage loser;
    enum winner_stage winner;
    atomic_size_t next;
};

static enum loser_stage stage_after_leaving(enum loser_stage stage)
{
    return stage == LOSER_MEN ? LOSER_AWAY : stage; /* it may have been crowned */
}

/* All of a view but the state. */
static struct wall_view view_of(const struct wall_builder *job)
{
    const level *goal = job->goal;
    bool winner = job->plies % 2, kings = job->winner == WINNER_KINGS;
    struct wall_view v = {.wall = job->wall, .winner = winner};

    if (!goal)
        return v;
    v.near = winner ? kings : job->loser == LOSER_NEAR;
    v.enters = winner || job->loser != LOSER_MEN;
    v.as_king = winner ? kings : true;
    v.my_digit = winner ? WINNER_DIGIT : LOSER_DIGIT;
    v.its_digit = winner ? LOSER_DIGIT : WINNER_DIGIT;
    v.within = (*goal)[job->loser][job->winner];
    v.outside = winner ? v.within : (*goal)[stage_after_leaving(job->loser)][job->winner];
    v.kings = winner ? (*goal)[job->loser][WINNER_KINGS] : (*goal)[LOSER_NEAR][job->winner];
    return v;
}

/* Over one of theirs, to a square that is free, mine (a jump may end where it began) or
 * outside. */
static squares hops(const struct wall_view *v)
{
    bool kings = v->near || (v->enters && v->as_king);
    squares to = BOARD_SQUARES & ~v->theirs, hop = 0;

    if (!v->winner || kings)
        hop = (to >> 4 & v->theirs) >> 4 | (to >> 5 & v->theirs) >> 5;
    if (v->winner || kings)
        hop |= (to << 4 & v->theirs) << 4 | (to << 5 & v->theirs) << 5;
    return hop;
}

static bool state_belongs(struct wall_view *v, uint32_t state)
{
    const struct wall_half *low = &v->wall->low[state % HALF_STATES];
    const struct wall_half *high = &v->wall->high[state / HALF_STATES];
    squares own = low->own | high->own, foe = low->foe | high->foe;

    if (!v->within)
        return is_closed(v->wall, own, foe);
    v->mine = v->winner ? foe : own;
    v->theirs = v->winner ? own : foe;
    v->empty = v->wall->region & ~(own | foe);
    v->state = state;
    v->hop = hops(v);
    return moves(v);
}

/* The states not yet known to belong that may: those of the sets further on. */
static inline uint64_t candidates(const struct wall_builder *job, size_t word)
{
    const level *made = &job->wall->level[job->plies];
    uint64_t may = ~job->out[word];

    if (job->loser + 1 < LOSER_STAGES)
        may &= (*made)[job->loser + 1][job->winner][word];
    if (job->winner + 1 < WINNER_STAGES)
        may &= (*made)[job->loser][job->winner + 1][word];
    return may;
}

static void work(void *context, int id)
{
    struct wall_builder *job = context;
    struct wall_view v = view_of(job);
    size_t words = job->wall->words;

    (void)id;
    for (size_t at; (at = atomic_fetch_add(&job->next, CHUNK)) < words;)
        for (size_t i = at; i < words && i < at + CHUNK; i++)
            for (uint64_t left = candidates(job, i); left; left &= left - 1) {
                uint32_t state = (uint32_t)(i * 64) + (uint32_t)square_first(left);

                if (state < job->wall->states && state_belongs(&v, state))
                    job->out[i] |= left & -left;
            }
}

/* Where a pass leads: the state stays, but a man may be crowned outside. */
static const uint64_t *pass(const struct wall_builder *job)
{
    bool loser_moves = job->plies % 2 == 0;

    return (*job->goal)[loser_moves ? stage_after_leaving(job->loser) : job->loser][job->winner];
}

static bool set_build(struct wall *w, struct wall_builder job, int threads)
{
    job.wall = w;
    job.goal = job.plies ? &w->level[job.plies - 1] : NULL;
    job.out = calloc(w->words, sizeof(uint64_t));
    w->level[job.plies][job.loser][job.winner] = job.out;
    if (!job.out)
        return false;
    if (job.goal)
        memcpy(job.out, pass(&job), w->words * sizeof *job.out);
    crew_share(threads, work, &job);
    return true;
}

/* The stages further on first: a state that does not belong there needs no look here. */
static bool level_build(struct wall *w, int plies, int threads)
{
    for (int l = LOSER_STAGES; l-- > LOSER_MEN;)
        for (int k = WINNER_STAGES; k-- > WINNER_MEN;) {
            struct wall_builder job = {.plies = plies, .loser = l, .winner = k};

            if (!set_build(w, job, threads))
                return false;
        }
    return true;
}

static void weights_fill(struct wall *w)
{
    w->states = 1;
    for (int number = 4 * w->rows; number > 0; number--, w->states *= 3) {
        square s = square_from_number(number);
        int byte = (number - 1) / HALF_SQUARES, bit = (number - 1) % HALF_SQUARES;

        w->weight[s] = w->states;
        for (int set = 0; set < 1 << HALF_SQUARES; set++)
            w->sum[byte][set] += set >> bit & 1 ? w->states : 0;
        w->region |= squares_of(s);
        if (number > 4 * (w->rows - 1))
            w->last |= squares_of(s);
    }
    w->beyond = (w->last << 4 | w->last << 5) & BOARD_SQUARES & ~w->region;
    w->words = (w->states + 63) / 64;
}

/* What eight digits say, the least of them that of square `number`. */
static struct wall_half half_of(uint32_t digits, int number)
{
    struct wall_half h = {0};

    for (; digits; digits /= 3, number--) {
        squares s = squares_of(square_from_number(number));

        h.own |= digits % 3 == LOSER_DIGIT ? s : 0;
        h.foe |= digits % 3 == WINNER_DIGIT ? s : 0;
    }
    return h;
}

/* The squares of a loser that is White lie the other way round. */
static void digits_fill(struct wall *w)
{
    for (squares left = w->region; left; left &= left - 1) {
        square s = square_first(left), flipped = square_first(squares_flip(left & -left));

        w->digit[BLACK][BLACK][s] = LOSER_DIGIT * w->weight[s];
        w->digit[BLACK][WHITE][s] = WINNER_DIGIT * w->weight[s];
        w->digit[WHITE][WHITE][flipped] = LOSER_DIGIT * w->weight[s];
        w->digit[WHITE][BLACK][flipped] = WINNER_DIGIT * w->weight[s];
    }
}

static void halves_fill(struct wall *w)
{
    for (uint32_t i = 0; i < HALF_STATES && i < w->states; i++)
        w->low[i] = half_of(i, 4 * w->rows);
    for (uint32_t i = 0; i < w->states / HALF_STATES; i++)
        w->high[i] = half_of(i, 4 * w->rows - HALF_SQUARES);
}

/* ------------------------------------------------------------------ public -- */

struct wall *wall_open(int rows)
{
    struct wall *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->rows = rows;
    w->plies = -1;
    weights_fill(w);
    digits_fill(w);
    halves_fill(w);
    return w;
}

bool wall_deepen(struct wall *w, int threads)
{
    if (w->plies == WALL_PLIES_MAX)
        return true;
    if (!level_build(w, w->plies + 1, threads))
        return false;
    w->plies++;
    return true;
}

struct wall *wall_build(int rows, int plies, int threads)
{
    struct wall *w = wall_open(rows);

    for (int n = 0; w && n <= plies; n++)
        if (!wall_deepen(w, threads))
            wall_free(&w);
    return w;
}

void wall_free(struct wall **wall)
{
    struct wall *w = *wall;

    for (int n = 0; w && n <= WALL_PLIES_MAX; n++)
        for (int l = 0; l < LOSER_STAGES; l++)
            for (int k = 0; k < WINNER_STAGES; k++)
                free(w->level[n][l][k]);
    free(w);
    *wall = NULL;
}

static uint32_t sum_of(const struct wall *w, uint32_t set)
{
    return w->sum[0][set & 0xFF] + w->sum[1][set >> HALF_SQUARES & 0xFF];
}

/* What the region tells of a position, seen by the loser as Black. */
struct place {
    uint32_t state;
    enum loser_stage loser;
    enum winner_stage winner;
};

static struct place place_of(const struct wall *w, struct placement s, enum side loser)
{
    uint32_t own = loser == BLACK ? s.black : packed_flip(s.white);
    uint32_t foe = loser == BLACK ? s.white : packed_flip(s.black);
    uint32_t kings = loser == BLACK ? s.kings : packed_flip(s.kings);
    struct place p = {LOSER_DIGIT * sum_of(w, own) + WINNER_DIGIT * sum_of(w, foe), LOSER_MEN,
                      kings & foe ? WINNER_KINGS : WINNER_MEN};

    if (kings & own)
        p.loser = kings & own & ((1u << 4 * w->rows) - 1) ? LOSER_NEAR : LOSER_AWAY;
    return p;
}

bool wall_allows(const struct wall *w, struct placement s, enum side loser, int plies)
{
    struct place p;

    if (plies > w->plies)
        return true;
    p = place_of(w, s, loser);
    return holds(w->level[plies][p.loser][p.winner], p.state);
}

struct wall_steps wall_steps_from(const struct wall *w, struct placement s, enum side turn,
                                  enum side loser, int plies)
{
    struct place p = place_of(w, s, loser);

    return (struct wall_steps){w->level[plies - 1][p.loser][p.winner], p.state,
                               w->digit[loser][turn]};
}

bool wall_leads(const struct wall *w, struct placement before, struct placement after,
                enum side loser, bool loser_moves)
{
    struct place from = place_of(w, before, loser), to = place_of(w, after, loser);
    uint64_t *none = calloc(w->words, sizeof *none), *one = calloc(w->words, sizeof *one);
    struct wall_builder job = {.wall = w, .plies = loser_moves ? 2 : 1};
    struct wall_view v;
    bool leads = false;
    level goal;

    job.loser = from.loser;
    job.winner = from.winner;
    job.goal = (const level *)&goal;
    for (enum loser_stage l = LOSER_MEN; l < LOSER_STAGES; l++)
        for (enum winner_stage k = WINNER_MEN; k < WINNER_STAGES; k++)
            goal[l][k] = l >= to.loser && k >= to.winner ? one : none;
    if (none && one) {
        one[to.state / 64] |= UINT64_C(1) << to.state % 64;
        v = view_of(&job);
        leads = holds(pass(&job), from.state) || state_belongs(&v, from.state);
    }
    free(none);
    free(one);
    return leads;
}

uint64_t wall_states(const struct wall *w)
{
    return w->states;
}

uint64_t wall_count(const struct wall *w, int plies)
{
    uint64_t count = 0;

    for (size_t i = 0; i < w->words; i++)
        count += (uint64_t)__builtin_popcountll(w->level[plies][LOSER_MEN][WINNER_MEN][i]);
    return count;
}
