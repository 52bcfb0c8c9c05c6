/* SPDX-License-Identifier: MIT */
#include "games/deep.h"

#include "base/crew.h"
#include "core/movegen.h"
#include "games/wall.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EDGE UINT64_C(0x7C060301F) /* 1-4, 5, 12, 13, 20, 21, 28, 29-32 */

enum { DROP_MAN = 3, DROP_KING = 5 };

/* A wall of four rows takes time to build, so it is for long games only; with it a longer
 * look-ahead costs little. */
enum { NEAR_PLIES = DEEP_PLIES, LOOK_SHORT = 4, LOOK_LONG = 6, WALL_PLIES = 7, LONG_GAME = 18 };

#define DEFAULT_MEMORY ((size_t)2 << 30)

/* ------------------------------------------------------------------ bounds -- */

/* Below, the loser is Black. */
static inline squares firm(squares own)
{
    squares other = BOARD_SQUARES & ~own;

    return own & (EDGE | ~(other << 4 | other << 5));
}

static inline squares open_squares(squares own, squares empty)
{
    squares f = firm(own);
    return (f << 4 | f << 5) & empty;
}

static inline int count_open(const struct board *b)
{
    return squares_count(open_squares(b->side[BLACK], board_empty(b)));
}

/* Whose rear piece can step past it: the piece may lose its support. */
static bool can_desert(squares front, squares own, squares empty)
{
    return (((front >> 4) & own & (empty >> 5)) | ((front >> 5) & own & (empty >> 4))) != 0;
}

/* For a quiet move of a man. */
static inline int drop_quiet(squares own, squares empty)
{
    squares f = firm(own);
    squares one = f & (empty >> 4 | empty >> 5), both = f & empty >> 4 & empty >> 5;

    if (can_desert(both, own, empty))
        return DROP_MAN;
    return both || can_desert(one, own, empty) ? 2 : 1;
}

static int drop(const struct board *b)
{
    if (b->side[BLACK] & b->kings)
        return DROP_KING;
    return board_must_capture(b) ? DROP_MAN : drop_quiet(b->side[BLACK], board_empty(b));
}

int deep_open(const struct board *b, enum side loser)
{
    struct board seen = loser == BLACK ? *b : board_flip(b);
    return count_open(&seen);
}

int deep_drop(const struct board *b)
{
    struct board seen = b->turn == BLACK ? *b : board_flip(b);
    return drop(&seen);
}

/* -------------------------------------------------------------- look-ahead -- */

static bool is_deep_block(const struct board *b)
{
    return (b->side[BLACK] & home_edge(BLACK)) && moves_count(b) == 0;
}

/* Empty squares next to the loser's pieces, in any direction they may go. */
static squares mobile_squares(const struct board *b)
{
    squares own = b->side[BLACK], kings = own & b->kings;

    return (own << 4 | own << 5 | kings >> 4 | kings >> 5) & board_empty(b);
}

static bool any_child(const struct board *b, bool (*test)(const struct board *))
{
    struct move_list list;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board child = board_after(b, &list.move[i]);

        if (test(&child))
            return true;
    }
    return false;
}

static inline bool more_than_one(squares set)
{
    return (set & (set - 1)) != 0;
}

/* The winner makes the last move: a quiet one closes one square. */
static bool reaches_1(const struct board *b)
{
    if (count_open(b) > 1 || !(b->side[BLACK] & home_edge(BLACK)))
        return false;
    if (more_than_one(mobile_squares(b)) && !board_must_capture(b))
        return false;
    return any_child(b, is_deep_block);
}

/* The loser's men step by `up`; what (E5) forbids is seen before a move is made. */
static bool any_step(const struct board *b, int up)
{
    squares own = b->side[BLACK], empty = board_empty(b);

    for (squares from = own & empty >> up; from; from &= from - 1) {
        squares change = (from & -from) | (from & -from) << up;
        struct board child = *b;

        if (more_than_one(open_squares(own ^ change, empty ^ change)))
            continue;
        child.side[BLACK] ^= change;
        child.kings |= change & BOARD_ROW_8;
        child.turn = WHITE;
        if (reaches_1(&child))
            return true;
    }
    return false;
}

static bool reaches_2(const struct board *b)
{
    squares own = b->side[BLACK], empty = board_empty(b);
    int open = squares_count(open_squares(own, empty));

    if (own & b->kings)
        return open <= 1 + DROP_KING && any_child(b, reaches_1);
    if (open > 1 + DROP_MAN)
        return false;
    if (board_must_capture(b))
        return any_child(b, reaches_1);
    return open <= 1 + drop_quiet(own, empty) && (any_step(b, 4) || any_step(b, 5));
}

/* The winner's men step by `down`; the loser has no kings. */
static bool any_step_down(const struct board *b, int down)
{
    squares own = b->side[BLACK], empty = board_empty(b), f = firm(own);
    squares fronts = f << 4 | f << 5;

    for (squares from = b->side[WHITE] & empty << down; from; from &= from - 1) {
        squares change = (from & -from) | (from & -from) >> down;
        int open = squares_count(fronts & (empty ^ change));
        struct board child = *b;

        if (open > 1 + DROP_MAN)
            continue;
        child.side[WHITE] ^= change;
        child.kings |= change & BOARD_ROW_1;
        child.turn = BLACK;
        if (reaches_2(&child))
            return true;
    }
    return false;
}

static bool reaches_3(const struct board *b)
{
    int limit = 2 + (b->side[BLACK] & b->kings ? DROP_KING : DROP_MAN);

    if (board_must_capture(b))
        return any_child(b, reaches_2);
    if (count_open(b) > limit)
        return false;
    if (b->kings)
        return any_child(b, reaches_2);
    return any_step_down(b, 4) || any_step_down(b, 5);
}

bool deep_reaches(const struct board *b, int plies)
{
    static bool (*const reaches[])(const struct board *) = {is_deep_block, reaches_1, reaches_2,
                                                            reaches_3};
    enum side loser = (enum side)(b->turn ^ (plies & 1));
    struct board seen = loser == BLACK ? *b : board_flip(b);

    return reaches[plies](&seen);
}

/* ------------------------------------------------------------------ layers -- */

struct deep {
    const struct deep_options *options;
    int look; /* plies of the look-ahead */
    struct wall *wall;
    struct layer at[LINES_PLIES_MAX + 1]; /* all positions, up to `look` before the end */
    struct layer hits;                    /* the last of these with a deep block ahead */
    int ply;                              /* being made */
    bool keep;                            /* its positions are needed later */
    int slices;
    atomic_int next;
    pthread_mutex_t lock; /* guards what follows, and the layers being made */
    int shortest;
    uint64_t positions;
    bool failed;
};

static enum side turn_at(const struct deep *d, int ply)
{
    return (enum side)(d->options->start.turn ^ (ply & 1));
}

/* May a game of exactly `plies` plies through s, a position of the ply, end in a deep block? */
static bool is_hopeful(const struct deep *d, struct placement s, int ply, int plies)
{
    return wall_allows(d->wall, s, turn_at(d, plies), plies - ply);
}

/* Games of the requested length, and shorter ones: those that end with the same side to move are
 * allowed as well, and the others are covered by one ply less. */
static bool is_needed(const struct deep *d, struct placement s)
{
    int plies = d->options->plies;

    return is_hopeful(d, s, d->ply, plies) || (d->keep && is_hopeful(d, s, d->ply, plies - 1));
}

/* The children of the ply before whose hash falls into the slice. */
static bool slice_fill(const struct deep *d, int slice, struct placement_set *set)
{
    const struct layer *from = &d->at[d->ply - 1];
    enum side turn = turn_at(d, d->ply - 1);
    struct move_list list;

    for (size_t i = 0; i < from->count; i++) {
        struct board b = placement_board(from->placement[i], turn);

        moves_generate(&b, &list);
        for (int k = 0; k < list.count; k++) {
            struct board child = board_after(&b, &list.move[k]);
            struct placement s = placement_of(&child);

            if ((int)((placement_hash(s, 0) >> 40) % (unsigned)d->slices) != slice)
                continue;
            if (is_needed(d, s) && placement_set_add(set, s) == SET_NO_MEMORY)
                return false;
        }
    }
    return true;
}

static bool leads(const struct deep *d, const struct board *b, int ply, int end);

/* The men of the side to move step by `by`; there are no kings and no captures. */
static bool leads_by_step(const struct deep *d, const struct board *b, int by, int ply, int end)
{
    enum side us = b->turn;
    struct wall_steps f = wall_steps_from(d->wall, placement_of(b), us, turn_at(d, end), end - ply);
    squares empty = board_empty(b);

    for (squares left = b->side[us] & (by > 0 ? empty >> by : empty << -by); left;
         left &= left - 1) {
        square from = square_first(left), to = from + by;
        squares crowned = squares_of(to) & squares_crown_row(us);
        struct board child = *b;

        if (!crowned && !wall_allows_step(&f, from, to))
            continue;
        child.side[us] ^= squares_of(from) | squares_of(to);
        child.kings = crowned;
        child.turn = side_other(us);
        if (leads(d, &child, ply + 1, end))
            return true;
    }
    return false;
}

static bool leads_by_any(const struct deep *d, const struct board *b, int ply, int end)
{
    struct move_list list;

    moves_generate(b, &list);
    for (int k = 0; k < list.count; k++) {
        struct board child = board_after(b, &list.move[k]);

        if (is_hopeful(d, placement_of(&child), ply + 1, end) && leads(d, &child, ply + 1, end))
            return true;
    }
    return false;
}

/* Does a deep block lie at ply `end` of a game through b, a position of `ply`? */
static bool leads(const struct deep *d, const struct board *b, int ply, int end)
{
    int up = b->turn == BLACK ? 1 : -1;

    if (end - ply <= NEAR_PLIES)
        return deep_reaches(b, end - ply);
    if (b->kings || end - ply > WALL_PLIES || board_must_capture(b))
        return leads_by_any(d, b, ply, end);
    return leads_by_step(d, b, 4 * up, ply, end) || leads_by_step(d, b, 5 * up, ply, end);
}

/* Look ahead from each position of the slice. */
static bool slice_look(struct deep *d, const struct layer *slice, struct layer *hits)
{
    int end = d->ply + d->look;

    for (size_t i = 0; i < slice->count; i++) {
        struct board b = placement_board(slice->placement[i], turn_at(d, d->ply));

        if (is_hopeful(d, slice->placement[i], d->ply, end) && leads(d, &b, d->ply, end) &&
            !layer_push(hits, slice->placement[i]))
            return false;
    }
    return true;
}

static bool slice_store(struct deep *d, const struct layer *slice, const struct layer *hits)
{
    bool done = true;

    pthread_mutex_lock(&d->lock);
    d->positions += slice->count;
    if (hits->count > 0 && d->shortest < 0)
        d->shortest = d->ply + d->look;
    if (d->keep)
        done = layer_append(&d->at[d->ply], slice->placement, slice->count);
    else
        done = layer_append(&d->hits, hits->placement, hits->count);
    pthread_mutex_unlock(&d->lock);
    return done;
}

static bool slice_make(struct deep *d, int slice)
{
    struct placement_set set;
    struct layer layer = {0}, hits = {0};
    size_t expected = d->at[d->ply - 1].count * 5 / 2 / (size_t)d->slices;
    bool done = placement_set_open(&set, expected) && slice_fill(d, slice, &set);

    if (done) {
        placement_set_take(&set, &layer);
        done = slice_look(d, &layer, &hits) && slice_store(d, &layer, &hits);
    }
    placement_set_free(&set);
    layer_free(&layer);
    layer_free(&hits);
    return done;
}

static void work(void *context, int id)
{
    struct deep *d = context;
    bool done = true;

    (void)id;
    for (int slice; done && (slice = atomic_fetch_add(&d->next, 1)) < d->slices;)
        done = slice_make(d, slice);
    if (!done) {
        pthread_mutex_lock(&d->lock);
        d->failed = true;
        pthread_mutex_unlock(&d->lock);
    }
}

/* A set has two to three slots of a placement for each position that it will hold.  As many for
 * each thread, so that none waits for another's last one. */
static int slices_for(const struct deep *d, int threads)
{
    size_t memory = d->options->memory ? d->options->memory : DEFAULT_MEMORY;
    size_t need = d->at[d->ply - 1].count * 8 * sizeof(struct placement);
    size_t slices = need / (memory / (size_t)threads) + 1;

    return (int)(slices + (size_t)threads - 1) / threads * threads;
}

static bool make_ply(struct deep *d, int ply)
{
    int threads = crew_size(d->options->threads);

    d->ply = ply;
    d->keep = ply + d->look < d->options->plies;
    d->slices = slices_for(d, threads);
    atomic_store(&d->next, 0);
    crew_share(threads, work, d);
    return !d->failed;
}

/* ------------------------------------------------------------------- lines -- */

/* From the hits, the rest of their games. */
static bool finish(const struct deep *d, const struct layer *from, int ply, struct layer *to)
{
    int end = d->options->plies;
    struct move_list list;
    bool done = true;

    for (size_t i = 0; done && i < from->count; i++) {
        struct board b = placement_board(from->placement[i], turn_at(d, ply));

        moves_generate(&b, &list);
        for (int k = 0; done && k < list.count; k++) {
            struct board child = board_after(&b, &list.move[k]);

            if (leads(d, &child, ply + 1, end))
                done = layer_push(to, placement_of(&child));
        }
    }
    layer_sort(to);
    return done;
}

/* Of the positions of a ply, those that lead to one of the ply after it. */
static bool trace(const struct layer *from, enum side turn, const struct layer *goal,
                  struct layer *out)
{
    struct move_list list;
    bool done = true;

    for (size_t i = 0; done && goal->count > 0 && i < from->count; i++) {
        struct board b = placement_board(from->placement[i], turn);
        bool leads = false;

        moves_generate(&b, &list);
        for (int k = 0; !leads && k < list.count; k++) {
            struct board child = board_after(&b, &list.move[k]);
            leads = layer_has(goal, placement_of(&child));
        }
        done = !leads || layer_push(out, from->placement[i]);
    }
    layer_sort(out);
    return done;
}

static bool make_lines(struct deep *d, struct lines *out)
{
    int plies = d->options->plies;
    int base = plies > d->look ? plies - d->look : 0;
    bool done;

    *out = (struct lines){.plies = plies, .first = d->options->start.turn};
    layer_sort(&d->hits);
    done = layer_append(&out->at[base], d->hits.placement, d->hits.count);
    for (int t = base; done && t < plies; t++)
        done = finish(d, &out->at[t], t, &out->at[t + 1]);
    for (int t = base - 1; done && t >= 0; t--)
        done = trace(&d->at[t], turn_at(d, t), &out->at[t + 1], &out->at[t]);
    return done;
}

/* ------------------------------------------------------------------ public -- */

/* Games that are over before the look-ahead from ply 0 would see their end. */
static void look_near(struct deep *d)
{
    const struct board *start = &d->options->start;
    int last = d->options->plies < d->look ? d->options->plies : d->look;

    for (int plies = 0; plies <= last && d->shortest < 0; plies++)
        if (leads(d, start, 0, plies))
            d->shortest = plies;
    d->positions = 1;
}

static bool build_wall(struct deep *d, bool *stopped)
{
    const struct deep_options *o = d->options;
    int rows = o->rows ? o->rows : o->plies < LONG_GAME ? 2 : WALL_ROWS_MAX;

    d->wall = wall_open(rows);
    for (int n = 0; d->wall && n <= WALL_PLIES && !*stopped; n++) {
        struct shortest_report r = {.ply = n, .plies = WALL_PLIES, .wall = true};

        r.positions = wall_states(d->wall);
        *stopped = o->report && !o->report(o->context, &r);
        if (!wall_deepen(d->wall, o->threads))
            return false;
    }
    return d->wall != NULL;
}

static bool run(struct deep *d, bool *stopped)
{
    const struct deep_options *o = d->options;
    int base = o->plies > d->look ? o->plies - d->look : 0;

    if (!build_wall(d, stopped))
        return false;
    if (*stopped)
        return true;
    look_near(d);
    if (!layer_push(base ? &d->at[0] : &d->hits, placement_of(&o->start)))
        return false;
    if (!base && !leads(d, &o->start, 0, o->plies))
        d->hits.count = 0;
    for (int ply = 1; ply <= base; ply++) {
        struct shortest_report r = {.ply = ply, .plies = base};

        if (!make_ply(d, ply))
            return false;
        r.positions = d->at[ply].count;
        if ((*stopped = o->report && !o->report(o->context, &r)))
            break;
    }
    return true;
}

enum status deep_search(const struct deep_options *options, struct deep_result *out,
                        struct error *e)
{
    struct deep d = {.options = options, .shortest = -1};
    bool stopped = false, done;

    d.look = options->look ? options->look : options->plies < LONG_GAME ? LOOK_SHORT : LOOK_LONG;
    *out = (struct deep_result){0};
    pthread_mutex_init(&d.lock, NULL);
    done = run(&d, &stopped) && (stopped || make_lines(&d, &out->lines));
    out->shortest = d.shortest;
    out->positions = d.positions;
    for (int t = 0; t <= LINES_PLIES_MAX; t++)
        layer_free(&d.at[t]);
    layer_free(&d.hits);
    wall_free(&d.wall);
    pthread_mutex_destroy(&d.lock);
    if (done && !stopped)
        return STATUS_OK;
    lines_free(&out->lines);
    return done ? error_set(e, STATUS_INTERRUPTED, "stopped") : error_no_memory(e);
}
