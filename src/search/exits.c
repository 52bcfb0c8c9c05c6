/* SPDX-License-Identifier: MIT
 *
 * Placings of the kings are numbered as pairs: the loser's set of squares is the row, the winner's
 * the column, both among the squares free of men.  Pairs that share a square are no positions; that
 * wastes a quarter of the room, but a king's move changes only one of the two numbers.
 *
 *     1. fill   part by part: which moves leave the block with the win (one ply), and in which
 *               positions the loser, to move, has lost
 *     2. step   from all positions of a distance to those of the next, row by row
 *
 * Positions of a distance are bits, so a step looks at few bytes of what it does not change. */
#include "search/exits.h"

#include "base/clock.h"
#include "core/movegen.h"
#include "db/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    PART = 4096,        /* positions filled at a time, at most ... */
    PART_FIRST = 16,    /* ... and under a time limit, at first */
    NEVER = UINT16_MAX, /* plies: no position, or captures that do not win */
    CLOSED = UINT8_MAX, /* open: not lost, or decided */
    POLL = 1 << 16,     /* positions stepped before the clock is read again */
};

/* The sets of squares for the kings of a side, and the moves between them. */
struct placings {
    uint32_t count;
    uint32_t *set;   /* by rank */
    uint32_t *first; /* [count + 1] of the moves of each */
    uint32_t *move;  /* the rank after it * 32 + the square it goes to */
};

/* Positions of one distance, as bits, row by row. */
struct front {
    uint64_t *winner, *loser; /* by the side to move */
};

/* A part of the block, and some of its positions as views, to ask the tables about. */
struct part {
    uint32_t size, row[PART], column[PART];
    uint32_t count; /* of the views */
    struct views views;
    uint32_t at[PART]; /* where each is in the part */
    uint32_t set[4][PART];
    uint32_t jumpers[PART];
    int8_t value[PART];
};

struct exits_block {
    enum side winner;
    struct view men; /* as the winner sees them; no kings */
    struct placings w, l;
    uint16_t *plies;  /* [l.count][w.count], winner to move; 0: not known */
    uint8_t *open;    /* the same, loser to move: moves of kings that are not decided yet */
    uint32_t words;   /* of a row of a front */
    struct front now; /* the positions at `level` */
    struct front next;
    uint64_t filled; /* placings, from the first */
    uint32_t pace;   /* positions of the next part */
    int level;
    uint32_t row; /* rows before this one have been stepped ... */
    bool any;     /* ... and there were positions among them */
    bool solved, failed;
    struct part part;
};

static uint64_t placings_all(const struct exits_block *x)
{
    return (uint64_t)x->w.count * x->l.count;
}

/* -------------------------------------------------------------------- opening -- */

static void moves_free(struct placings *p)
{
    free(p->first);
    free(p->move);
    p->first = p->move = NULL;
}

static void placings_free(struct placings *p)
{
    moves_free(p);
    free(p->set);
}

/* The moves of the kings on `set`. */
static uint32_t placings_moves(uint32_t set, uint32_t free, uint32_t *out)
{
    uint32_t n = 0;

    for (uint32_t rest = set; rest; rest &= rest - 1)
        for (int d = 0; d < 4; d++) {
            int from = __builtin_ctz(rest), to = kernel_neighbour[from][d];

            if (to >= 0 && (free & ~set) >> to & 1)
                out[n++] = set_rank_in((set ^ UINT32_C(1) << from) | UINT32_C(1) << to, free) << 5 |
                           (uint32_t)to;
        }
    return n;
}

static bool placings_make(struct placings *p, int kings, uint32_t free)
{
    uint32_t set = set_unrank_in(0, kings, free), n = 0;

    p->count = (uint32_t)binomial(__builtin_popcount(free), kings);
    p->set = malloc(p->count * sizeof *p->set);
    p->first = malloc((p->count + 1) * sizeof *p->first);
    p->move = malloc(((size_t)p->count * 4 * (size_t)kings + 1) * sizeof *p->move);
    if (!p->set || !p->first || !p->move)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        p->set[i] = set;
        p->first[i] = n;
        n += placings_moves(set, free, p->move + n);
        set = set_next_in(set, free);
    }
    p->first[p->count] = n;
    return true;
}

void exits_clear(struct exits *x)
{
    struct exits_block *b = x->block;

    x->block = NULL;
    if (!b)
        return;
    placings_free(&b->w);
    placings_free(&b->l);
    free(b->plies);
    free(b->open);
    free(b->now.winner);
    free(b->now.loser);
    free(b->next.winner);
    free(b->next.loser);
    free(b);
}

static bool front_make(struct front *f, size_t words)
{
    f->winner = calloc(words, sizeof *f->winner);
    f->loser = calloc(words, sizeof *f->loser);
    return f->winner && f->loser;
}

static bool block_room(struct exits_block *x, const struct view *v)
{
    uint32_t free = ~(v->men | v->opp_men);
    size_t words;

    if (!placings_make(&x->w, __builtin_popcount(v->kings), free) ||
        !placings_make(&x->l, __builtin_popcount(v->opp_kings), free))
        return false;
    x->words = (x->w.count + 63) / 64;
    words = (size_t)x->words * x->l.count;
    x->plies = calloc(placings_all(x), sizeof *x->plies);
    x->open = malloc(placings_all(x));
    return x->plies && x->open && front_make(&x->now, words) && front_make(&x->next, words);
}

/* Too many placings, or no time to make room for them? */
static bool is_too_large(const struct view *v, double until)
{
    int room = 32 - __builtin_popcount(v->men | v->opp_men);
    int kings = __builtin_popcount(v->kings), opp_kings = __builtin_popcount(v->opp_kings);
    uint64_t w = binomial(room, kings), l = binomial(room, opp_kings);

    return w * l > EXITS_PLACINGS || w * (uint64_t)kings > EXITS_KINGS ||
           l * (uint64_t)opp_kings > EXITS_KINGS ||
           (until > 0 && (double)(w * l) > (until - clock_seconds()) * EXITS_OPENED);
}

/* Is it the block of the view, with the same side to win? */
static bool block_is(const struct exits_block *x, const struct view *v, enum side winner)
{
    return x && x->winner == winner && x->men.men == v->men && x->men.opp_men == v->opp_men &&
           __builtin_popcount(x->w.set[0]) == __builtin_popcount(v->kings) &&
           __builtin_popcount(x->l.set[0]) == __builtin_popcount(v->opp_kings);
}

static bool exits_open(struct exits *x, const struct view *v, enum side winner, double until)
{
    struct exits_block *b;

    if (is_too_large(v, until) || !(b = calloc(1, sizeof *b)))
        return false;
    exits_clear(x);
    x->block = b;
    b->winner = winner;
    b->men = (struct view){.men = v->men, .opp_men = v->opp_men};
    b->pace = PART_FIRST;
    b->part.views = (struct views){b->part.set[0], b->part.set[1], b->part.set[2], b->part.set[3]};
    if (!block_room(b, v)) {
        exits_clear(x);
        return false;
    }
    memset(b->open, CLOSED, placings_all(b));
    return true;
}

/* --------------------------------------------------------------------- filling -- */

/* Position i of the part. */
static void front_add(const struct exits_block *x, uint64_t *bits, uint32_t i)
{
    uint32_t column = x->part.column[i];

    bits[(size_t)x->part.row[i] * x->words + column / 64] |= UINT64_C(1) << column % 64;
}

static struct view part_view(const struct exits_block *x, uint32_t i)
{
    return (struct view){x->men.men, x->w.set[x->part.column[i]], x->men.opp_men,
                         x->l.set[x->part.row[i]]};
}

static void part_read(const void *context, size_t first, size_t count, const struct views *out)
{
    const struct part *p = context;
    struct views from = views_from(&p->views, first);

    memcpy(out->men, from.men, count * sizeof *out->men);
    memcpy(out->kings, from.kings, count * sizeof *out->kings);
    memcpy(out->opp_men, from.opp_men, count * sizeof *out->opp_men);
    memcpy(out->opp_kings, from.opp_kings, count * sizeof *out->opp_kings);
}

/* The values of the part's views; false if one is not known. */
static bool part_ask(struct part *p, const struct tables *t)
{
    struct view_source source = {part_read, p};

    if (tables_batch(t, &source, p->count, p->value, NULL))
        return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->value[i] < 0)
            return false;
    return true;
}

static void part_add(struct part *p, uint32_t at, struct view v)
{
    p->at[p->count] = at;
    views_set(&p->views, p->count++, v);
}

/* The next part that is to be filled. */
static void part_begin(struct exits_block *x)
{
    struct part *p = &x->part;
    uint32_t row = (uint32_t)(x->filled / x->w.count), column = (uint32_t)(x->filled % x->w.count);

    for (p->size = 0; p->size < x->pace && row < x->l.count; p->size++) {
        p->row[p->size] = row;
        p->column[p->size] = column;
        if (x->w.set[column] & x->l.set[row])
            x->plies[x->filled + p->size] = NEVER;
        if (++column == x->w.count) {
            column = 0;
            row++;
        }
    }
}

/* Can a man step in this direction (kernel_neighbour) or the next? */
static bool can_step(uint32_t men, uint32_t taken, int direction)
{
    for (; men; men &= men - 1)
        for (int d = direction; d < direction + 2; d++) {
            int to = kernel_neighbour[__builtin_ctz(men)][d];

            if (to >= 0 && !(taken >> to & 1))
                return true;
        }
    return false;
}

/* The loser is to move, without a capture, and has lost. */
static void fill_lost(struct exits_block *x, uint32_t i)
{
    struct view v = part_view(x, i);
    uint32_t row = x->part.row[i], taken = v.men | v.kings | v.opp_men | v.opp_kings, open = 0;

    for (uint32_t m = x->l.first[row]; m < x->l.first[row + 1]; m++)
        open += !(v.kings >> (x->l.move[m] & 31) & 1);
    if (open)
        x->open[x->filled + i] = (uint8_t)open;
    else
        front_add(x, can_step(v.opp_men, taken, 2) ? x->next.loser : x->now.loser, i);
}

static bool fill_loser(struct exits_block *x, const struct tables *t)
{
    struct part *p = &x->part;

    p->count = 0;
    for (uint32_t i = 0; i < p->size; i++)
        if (x->plies[x->filled + i] != NEVER)
            part_add(p, i, part_view(x, i));
    views_pass(&p->views, p->count);
    views_jumpers(&p->views, p->count, p->jumpers);
    if (!part_ask(p, t))
        return false;
    for (uint32_t k = 0; k < p->count; k++)
        if (p->value[k] == VALUE_LOSS && p->jumpers[k])
            front_add(x, x->next.loser, p->at[k]);
        else if (p->value[k] == VALUE_LOSS)
            fill_lost(x, p->at[k]);
    return true;
}

/* The winner can leave the block. */
static void fill_exit(struct exits_block *x, uint32_t i)
{
    x->plies[x->filled + i] = 1;
    front_add(x, x->next.winner, i);
}

/* Of the views that fill_loser left, those in which the winner must capture. */
static bool fill_captures(struct exits_block *x, const struct tables *t)
{
    struct part *p = &x->part;
    uint32_t count = 0;

    views_pass(&p->views, p->count); /* from the loser's views back to the winner's */
    views_jumpers(&p->views, p->count, p->jumpers);
    for (uint32_t k = 0; k < p->count; k++)
        if (p->jumpers[k]) {
            p->at[count] = p->at[k];
            views_set(&p->views, count++, views_get(&p->views, k));
        }
    p->count = count;
    if (!part_ask(p, t))
        return false;
    for (uint32_t k = 0; k < count; k++)
        if (p->value[k] == VALUE_WIN)
            fill_exit(x, p->at[k]);
        else
            x->plies[x->filled + p->at[k]] = NEVER;
    return true;
}

/* The winner's view after its man has stepped. */
static struct view stepped(struct view v, int from, int to)
{
    v.men ^= UINT32_C(1) << from;
    *(to >= 28 ? &v.kings : &v.men) |= UINT32_C(1) << to;
    return v;
}

/* A step of a man of the winner, in all positions for which no exit is known yet. */
static bool fill_step(struct exits_block *x, const struct tables *t, int from, int to)
{
    struct part *p = &x->part;

    p->count = 0;
    for (uint32_t i = 0; i < p->size; i++) {
        struct view v = part_view(x, i);

        if (!x->plies[x->filled + i] && !((v.kings | v.opp_kings) >> to & 1))
            part_add(p, i, stepped(v, from, to));
    }
    views_pass(&p->views, p->count);
    if (!part_ask(p, t))
        return false;
    for (uint32_t k = 0; k < p->count; k++)
        if (p->value[k] == VALUE_LOSS)
            fill_exit(x, p->at[k]);
    return true;
}

static bool fill_steps(struct exits_block *x, const struct tables *t)
{
    for (uint32_t men = x->men.men; men; men &= men - 1)
        for (int d = 0; d < 2; d++) {
            int from = __builtin_ctz(men), to = kernel_neighbour[from][d];

            if (to >= 0 && !((x->men.men | x->men.opp_men) >> to & 1) && !fill_step(x, t, from, to))
                return false;
        }
    return true;
}

/* Pages that are not in memory can make a part take a thousand times as long as others: under a
 * time limit, parts are cut so that they take about a millisecond. */
static void pace_adapt(struct exits_block *x, double took)
{
    if (took > 1e-3)
        x->pace = x->pace > 1 ? x->pace / 2 : 1;
    else
        x->pace = 2 * x->pace < PART ? 2 * x->pace : PART;
}

/* False if a value is not to be had. */
static bool fill_part(struct exits_block *x, const struct tables *t, bool timed)
{
    double begun = clock_seconds();

    x->pace = timed ? x->pace : PART;
    part_begin(x);
    if (!fill_loser(x, t) || !fill_captures(x, t) || !fill_steps(x, t))
        return false;
    x->filled += x->part.size;
    pace_adapt(x, clock_seconds() - begun);
    return true;
}

/* -------------------------------------------------------------------- stepping -- */

/* The loser's positions of row l, decided now: the winner can go there. */
static bool step_loser(struct exits_block *x, uint32_t l)
{
    const uint64_t *from = x->now.loser + (size_t)l * x->words;
    uint64_t *to = x->next.winner + (size_t)l * x->words;
    uint16_t *plies = x->plies + (size_t)l * x->w.count;
    bool any = false;

    for (uint32_t word = 0; word < x->words; word++)
        for (uint64_t bits = from[word]; bits; bits &= bits - 1) {
            uint32_t w = word * 64 + (uint32_t)__builtin_ctzll(bits);

            any = true;
            for (uint32_t i = x->w.first[w]; i < x->w.first[w + 1]; i++) {
                uint32_t before = x->w.move[i] >> 5;

                if (plies[before])
                    continue;
                plies[before] = (uint16_t)(x->level + 1);
                to[before / 64] |= UINT64_C(1) << before % 64;
            }
        }
    return any;
}

/* The winner's positions of row l, decided now: the loser, in row `before`, has one move less to
 * hope for. */
static void step_row(struct exits_block *x, uint32_t l, uint32_t before)
{
    const uint64_t *from = x->now.winner + (size_t)l * x->words;
    uint64_t *to = x->next.loser + (size_t)before * x->words;
    uint8_t *open = x->open + (size_t)before * x->w.count;

    for (uint32_t word = 0; word < x->words; word++)
        for (uint64_t bits = from[word]; bits; bits &= bits - 1) {
            uint32_t w = word * 64 + (uint32_t)__builtin_ctzll(bits);

            if (open[w] == CLOSED || --open[w])
                continue;
            open[w] = CLOSED;
            to[word] |= bits & -bits;
        }
}

static bool step_winner(struct exits_block *x, uint32_t l)
{
    const uint64_t *from = x->now.winner + (size_t)l * x->words;
    bool any = false;

    for (uint32_t word = 0; word < x->words && !any; word++)
        any = from[word] != 0;
    for (uint32_t i = x->l.first[l]; any && i < x->l.first[l + 1]; i++)
        step_row(x, l, x->l.move[i] >> 5);
    return any;
}

/* All rows of this level are done. */
static void step_end(struct exits_block *x)
{
    size_t bytes = (size_t)x->words * x->l.count * sizeof *x->now.winner;
    struct front done = x->now;

    x->solved = x->level > 0 && !x->any;
    x->now = x->next;
    x->next = done;
    memset(done.winner, 0, bytes);
    memset(done.loser, 0, bytes);
    x->level++;
    x->row = 0;
    x->any = false;
}

static void step_rows(struct exits_block *x)
{
    for (uint32_t n = 0; n < POLL && x->row < x->l.count; n += x->w.count, x->row++) {
        x->any |= step_loser(x, x->row);
        x->any |= step_winner(x, x->row);
    }
    if (x->row == x->l.count)
        step_end(x);
}

/* --------------------------------------------------------------------- solving -- */

static bool must_pause(double until, const atomic_bool *stop)
{
    return (stop && atomic_load_explicit(stop, memory_order_relaxed)) ||
           (until > 0 && clock_seconds() >= until);
}

/* Only the distances are needed from now on. */
static void block_end(struct exits_block *x)
{
    moves_free(&x->w);
    moves_free(&x->l);
    free(x->open);
    free(x->now.winner);
    free(x->now.loser);
    free(x->next.winner);
    free(x->next.loser);
    x->open = NULL;
    x->now = x->next = (struct front){0};
}

bool exits_solve(struct exits *x, const struct tables *t, const struct board *b, double until,
                 const atomic_bool *stop)
{
    struct view v = view_of(b);
    struct exits_block *block;

    if (!block_is(x->block, &v, b->turn) && !exits_open(x, &v, b->turn, until))
        return false;
    block = x->block;
    while (!block->solved && !block->failed && !must_pause(until, stop)) {
        if (block->filled < placings_all(block))
            block->failed = !fill_part(block, t, until > 0);
        else
            step_rows(block);
        if (block->solved || block->failed)
            block_end(block);
    }
    return block->solved;
}

/* ------------------------------------------------------------------- distances -- */

int exits_plies(const struct exits *x, const struct board *b)
{
    const struct exits_block *block = x->block;
    struct view v = view_of(b);
    uint32_t free = ~(v.men | v.opp_men), plies;

    if (!block_is(block, &v, b->turn) || !block->solved)
        return 0;
    plies = block->plies[(uint64_t)set_rank_in(v.opp_kings, free) * block->w.count +
                         set_rank_in(v.kings, free)];
    return plies == NEVER ? 0 : (int)plies;
}

bool exits_leaves(const struct board *b, const struct move *m)
{
    return m->jumps || !(b->kings & squares_of(m->from));
}

int exits_by(const struct exits *x, const struct board *b, const struct move *m)
{
    struct board next = board_after(b, m);
    struct move_list list;
    int most = 0;

    if (exits_leaves(b, m))
        return 1;
    moves_generate(&next, &list);
    for (int i = 0; i < list.count; i++) {
        struct board after = board_after(&next, &list.move[i]);
        int plies = exits_leaves(&next, &list.move[i]) ? 1 : 1 + exits_plies(x, &after);

        most = plies > most ? plies : most;
    }
    return 1 + most;
}
