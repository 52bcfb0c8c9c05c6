/* SPDX-License-Identifier: MIT */
#include "games/wall.h"

#include "games/search.h"

#include <pthread.h>
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
    HALF_SHIFT = 9, /* from one half to the other, in the padded layout */
    BITS = 18,
    THREADS_MAX = 64,
    CHUNK = 1 << 12 /* words that a thread takes at a time */
};

struct half {
    squares own, foe; /* the loser's, the winner's */
};

typedef uint64_t *level[LOSER_STAGES][WINNER_STAGES];

struct wall {
    int rows, plies;
    squares region, last, beyond; /* all rows; the last of them; the row after it */
    uint32_t states;
    size_t words;
    uint32_t weight[BITS];    /* of the digit of a square */
    uint32_t ternary[1 << 8]; /* packed squares as a number of base three */
    struct half half[HALF_STATES];
    level level[WALL_PLIES_MAX + 1];
};

static inline bool holds(const uint64_t *set, uint32_t state)
{
    return set[state / 64] >> state % 64 & 1;
}

/* ------------------------------------------------------------ relaxed game -- */

/* One state seen by the side to move, and the sets of the level before: where a move
 * must lead. */
struct view {
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

static inline uint32_t my_weight(const struct view *v, squares one)
{
    return v->my_digit * v->wall->weight[square_first(one)];
}

static inline uint32_t its_weight(const struct view *v, squares one)
{
    return v->its_digit * v->wall->weight[square_first(one)];
}

/* The piece comes down on `to`. */
static inline bool lands(const struct view *v, squares to, uint32_t state, bool king)
{
    bool crowned = king || (v->winner && (to & BOARD_ROW_1));

    return holds(crowned ? v->kings : v->within, state + my_weight(v, to));
}

static bool jumps(const struct view *v, squares at, struct flight f);

/* From outside into the last row, by a step or a jump, or by a jump over that row. */
static bool comes_in(const struct view *v, struct flight f)
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
static bool goes_out(const struct view *v, struct flight f)
{
    return holds(v->outside, f.state) || (f.king && comes_in(v, f));
}

static bool jumps_by(const struct view *v, squares at, int d, struct flight f)
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
static bool jumps(const struct view *v, squares at, struct flight f)
{
    bool up = !v->winner || f.king, down = v->winner || f.king;

    if (up && (at & v->wall->last) && f.taken != f.seen && goes_out(v, f))
        return true;
    return (up && (jumps_by(v, at, 4, f) || jumps_by(v, at, 5, f))) ||
           (down && (jumps_by(v, at, -4, f) || jumps_by(v, at, -5, f)));
}

static bool steps_by(const struct view *v, int d)
{
    for (squares left = v->mine & shifted(v->empty, -d); left; left &= left - 1) {
        squares from = left & -left;

        if (lands(v, shifted(from, d), v->state - my_weight(v, from), v->near))
            return true;
    }
    return false;
}

static bool steps(const struct view *v)
{
    bool up = !v->winner || v->near, down = v->winner || v->near;

    return (up && (steps_by(v, 4) || steps_by(v, 5))) ||
           (down && (steps_by(v, -4) || steps_by(v, -5)));
}

/* Has the side to move a move to the level before?  Passes are known already. */
static bool moves(const struct view *v)
{
    struct view lifted = *v;

    if (steps(v) || (v->enters && comes_in(v, (struct flight){0, 0, v->state, v->as_king})))
        return true;
    for (squares left = v->mine & (v->hop | v->wall->last); left; left &= left - 1) {
        squares from = left & -left;

        lifted.empty = v->empty | from;
        if (jumps(&lifted, from,
                  (struct flight){0, BOARD_SQUARES, v->state - my_weight(v, from), v->near}))
            return true;
    }
    return false;
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

struct builder {
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

static struct view winner_view(const struct builder *job, const struct half *state)
{
    const level *goal = job->goal;
    bool kings = job->winner == WINNER_KINGS;

    return (struct view){.mine = state->foe,
                         .theirs = state->own,
                         .my_digit = WINNER_DIGIT,
                         .its_digit = LOSER_DIGIT,
                         .winner = true,
                         .near = kings,
                         .enters = true,
                         .as_king = kings,
                         .within = (*goal)[job->loser][job->winner],
                         .outside = (*goal)[job->loser][job->winner],
                         .kings = (*goal)[job->loser][WINNER_KINGS]};
}

static struct view loser_view(const struct builder *job, const struct half *state)
{
    const level *goal = job->goal;

    return (struct view){.mine = state->own,
                         .theirs = state->foe,
                         .my_digit = LOSER_DIGIT,
                         .its_digit = WINNER_DIGIT,
                         .near = job->loser == LOSER_NEAR,
                         .enters = job->loser != LOSER_MEN,
                         .as_king = true,
                         .within = (*goal)[job->loser][job->winner],
                         .outside = (*goal)[stage_after_leaving(job->loser)][job->winner],
                         .kings = (*goal)[LOSER_NEAR][job->winner]};
}

/* Over one of theirs, to a square that is free, mine (a jump may end where it began) or
 * outside. */
static squares hops(const struct view *v, bool up, bool down)
{
    squares to = BOARD_SQUARES & ~v->theirs, hop = 0;

    if (up)
        hop = (to >> 4 & v->theirs) >> 4 | (to >> 5 & v->theirs) >> 5;
    if (down)
        hop |= (to << 4 & v->theirs) << 4 | (to << 5 & v->theirs) << 5;
    return hop;
}

static bool state_belongs(const struct builder *job, uint32_t number)
{
    const struct wall *w = job->wall;
    const struct half *low = &w->half[number % HALF_STATES], *high = &w->half[number / HALF_STATES];
    struct half state = {low->own | high->own << HALF_SHIFT, low->foe | high->foe << HALF_SHIFT};
    struct view v;

    if (!job->goal)
        return is_closed(w, state.own, state.foe);
    v = job->plies % 2 ? winner_view(job, &state) : loser_view(job, &state);
    v.wall = w;
    v.empty = w->region & ~(state.own | state.foe);
    v.state = number;
    v.hop = hops(&v, !v.winner || v.near || v.enters, v.winner || v.near || v.enters);
    return moves(&v);
}

static void *work(void *context)
{
    struct builder *job = context;
    size_t words = job->wall->words;

    for (size_t at; (at = atomic_fetch_add(&job->next, CHUNK)) < words;)
        for (size_t i = at; i < words && i < at + CHUNK; i++)
            for (uint64_t left = ~job->out[i]; left; left &= left - 1) {
                uint32_t state = (uint32_t)(i * 64) + (uint32_t)square_first(left);

                if (state < job->wall->states && state_belongs(job, state))
                    job->out[i] |= left & -left;
            }
    return NULL;
}

/* Where a pass leads: the state stays, but a man may be crowned outside. */
static const uint64_t *pass(const struct builder *job)
{
    bool loser_moves = job->plies % 2 == 0;

    return (*job->goal)[loser_moves ? stage_after_leaving(job->loser) : job->loser][job->winner];
}

static void run(struct builder *job, int threads)
{
    pthread_t thread[THREADS_MAX];
    int started = 0;

    while (started < threads - 1 && pthread_create(&thread[started], NULL, work, job) == 0)
        started++;
    work(job);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}

static bool set_build(struct wall *w, struct builder job, int threads)
{
    const uint64_t *start = NULL;
    bool same = job.plies < 2 && job.loser != LOSER_MEN; /* no move of the loser is left */

    job.wall = w;
    job.goal = job.plies ? &w->level[job.plies - 1] : NULL;
    job.out = w->level[job.plies][job.loser][job.winner] = calloc(w->words, sizeof(uint64_t));
    if (!job.out)
        return false;
    if (same)
        start = w->level[job.plies][LOSER_MEN][job.winner];
    else if (job.goal)
        start = pass(&job);
    if (start)
        memcpy(job.out, start, w->words * sizeof *start);
    if (!same)
        run(&job, threads);
    return true;
}

static bool level_build(struct wall *w, int plies, int threads)
{
    for (enum loser_stage l = LOSER_MEN; l < LOSER_STAGES; l++)
        for (enum winner_stage k = WINNER_MEN; k < WINNER_STAGES; k++)
            if (!set_build(w, (struct builder){.plies = plies, .loser = l, .winner = k}, threads))
                return false;
    return true;
}

static void tables_fill(struct wall *w)
{
    for (int i = 0; i < 1 << HALF_SQUARES; i++)
        for (int s = HALF_SQUARES; s-- > 0;)
            w->ternary[i] = 3 * w->ternary[i] + (i >> s & 1);
    for (uint32_t i = 0; i < HALF_STATES; i++)
        for (uint32_t s = 0, left = i; s < HALF_SQUARES; s++, left /= 3) {
            w->half[i].own |= (squares)(left % 3 == LOSER_DIGIT) << s;
            w->half[i].foe |= (squares)(left % 3 == WINNER_DIGIT) << s;
        }
    w->states = 1;
    for (int number = 1; number <= 4 * w->rows; number++, w->states *= 3) {
        square s = square_from_number(number);

        w->weight[s] = w->states;
        w->region |= squares_of(s);
        if (number > 4 * (w->rows - 1))
            w->last |= squares_of(s);
    }
    w->beyond = (w->last << 4 | w->last << 5) & BOARD_SQUARES & ~w->region;
    w->words = (w->states + 63) / 64;
}

/* ------------------------------------------------------------------ public -- */

struct wall *wall_build(int rows, int plies, int threads)
{
    struct wall *w = calloc(1, sizeof *w);
    bool done = w != NULL;

    if (!done)
        return NULL;
    w->rows = rows;
    w->plies = plies < WALL_PLIES_MAX ? plies : WALL_PLIES_MAX;
    tables_fill(w);
    for (int n = 0; done && n <= w->plies; n++)
        done = level_build(w, n, threads < THREADS_MAX ? threads : THREADS_MAX);
    if (!done)
        wall_free(&w);
    return w;
}

void wall_free(struct wall **wall)
{
    struct wall *w = *wall;

    for (int n = 0; w && n <= w->plies; n++)
        for (int l = 0; l < LOSER_STAGES; l++)
            for (int k = 0; k < WINNER_STAGES; k++)
                free(w->level[n][l][k]);
    free(w);
    *wall = NULL;
}

static uint32_t state_of(const struct wall *w, uint32_t own, uint32_t foe)
{
    uint32_t region = (1u << 4 * w->rows) - 1;

    own &= region;
    foe &= region;
    return LOSER_DIGIT * w->ternary[own & 0xFF] + WINNER_DIGIT * w->ternary[foe & 0xFF] +
           HALF_STATES * (LOSER_DIGIT * w->ternary[own >> HALF_SQUARES] +
                          WINNER_DIGIT * w->ternary[foe >> HALF_SQUARES]);
}

/* What the region tells of a position, seen by the loser as Black. */
struct place {
    uint32_t state;
    enum loser_stage loser;
    enum winner_stage winner;
};

static struct place place_of(const struct wall *w, struct spot s, enum side loser)
{
    uint32_t own = loser == BLACK ? s.black : packed_flip(s.white);
    uint32_t foe = loser == BLACK ? s.white : packed_flip(s.black);
    uint32_t kings = loser == BLACK ? s.kings : packed_flip(s.kings);
    struct place p = {state_of(w, own, foe), LOSER_MEN, kings & foe ? WINNER_KINGS : WINNER_MEN};

    if (kings & own)
        p.loser = kings & own & ((1u << 4 * w->rows) - 1) ? LOSER_NEAR : LOSER_AWAY;
    return p;
}

bool wall_allows(const struct wall *w, struct spot s, enum side loser, int plies)
{
    struct place p;

    if (plies > w->plies)
        return true;
    p = place_of(w, s, loser);
    return holds(w->level[plies][p.loser][p.winner], p.state);
}

bool wall_leads(const struct wall *w, struct spot before, struct spot after, enum side loser,
                bool loser_moves)
{
    struct place from = place_of(w, before, loser), to = place_of(w, after, loser);
    uint64_t *none = calloc(w->words, sizeof *none), *one = calloc(w->words, sizeof *one);
    struct builder job = {.wall = w, .plies = loser_moves ? 2 : 1};
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
        leads = holds(pass(&job), from.state) || state_belongs(&job, from.state);
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
