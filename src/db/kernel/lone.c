/* SPDX-License-Identifier: MIT
 *
 * lone.c -- blocks in which only one side has kings.
 *
 * The side without kings leaves the block with every move, so its scores come
 * from finished data alone (leave.c does them as a single row); the side with
 * kings then looks at those.  Nothing is iterated.  Here the lanes run over the
 * kings of the side that moves, so conditions are bitmaps over its own sets.
 *
 * The same method serves captures of the opponent's only king: with the king on a given square, a
 * path that takes it leads to a block without kings. */
#include "db/kernel/space.h"

/* The side with kings, to move. */
struct lone {
    struct space *sp;
    struct half *h;
    const struct block_job *job;
    group *best;   /* [own->words] */
    uint32_t prey; /* the opponent's pieces */
    uint32_t must; /* those that a path has to take */
    int from;      /* the capturing piece */
    bool man;
};

/* Raise the best by the list, whose entries belong in order to `target`, where
 * `condition` holds. */
static void scatter(struct lone *c)
{
    struct list list = list_open(c->sp->list, c->sp->list_words);

    for (uint32_t w = 0; w < c->h->own->words; w++) {
        uint64_t target = c->sp->target[w], condition = c->sp->condition[w];

        if (target & condition) {
            group *at = c->best + w;
            lanes old = lanes_load(at), v = list_expand(&list, target);

            lanes_store(at, lanes_select(condition & target, lanes_max(old, v), old));
        }
        list_skip(&list, target);
    }
}

/* A man goes to `to` and becomes a king: our set plus `to` in the larger family. */
static void read_crowned(struct lone *c, conv_row from, uint32_t fixed, int to)
{
    struct space *sp = c->sp;
    const struct set_family *larger = &sp->sets->family[c->h->kings + 1];
    uint32_t bit = UINT32_C(1) << to;

    family_select(larger, 0, fixed, sp->present);
    family_select(larger, bit, fixed, sp->wanted);
    row_gather(sp, larger, from);
    family_select(c->h->own, 0, fixed | bit, sp->target);
    scatter(c);
}

/* A king goes from `from_square` to `to` (possibly the same), men fixed. */
static void read_king(struct lone *c, conv_row from, uint32_t fixed, int from_square, int to)
{
    struct space *sp = c->sp;
    uint32_t out = UINT32_C(1) << from_square, in = UINT32_C(1) << to;

    family_select(c->h->own, 0, fixed, sp->present);
    family_select(c->h->own, in, fixed | (out & ~in), sp->wanted);
    row_gather(sp, c->h->own, from);
    family_select(c->h->own, out, fixed | (in & ~out), sp->target);
    scatter(c);
}

static void read_man(struct lone *c, conv_row from, uint32_t fixed)
{
    struct space *sp = c->sp;

    family_select(c->h->own, 0, fixed, sp->present);
    memcpy(sp->wanted, sp->present, c->h->own->words * sizeof *sp->wanted);
    memcpy(sp->target, sp->present, c->h->own->words * sizeof *sp->target);
    row_gather(sp, c->h->own, from);
    scatter(c);
}

/* --------------------------------------------------------------- quiet moves -- */

static void condition_quiet(struct lone *c)
{
    memcpy(c->sp->condition, c->sp->quiet, c->h->own->words * sizeof *c->sp->condition);
}

static void man_steps(struct lone *c)
{
    struct half *h = c->h;

    for (int i = 0; i < h->man_moves; i++) {
        const struct man_move *m = &h->man_move[i];
        uint32_t fixed = m->men | h->opp_men;

        if (m->crowns) {
            condition_quiet(c);
            read_crowned(c, conv_row_at(m->table, m->block, 0), fixed, m->to);
            continue;
        }
        same_row from = same_row_at(m->table, m->block, 0);
        family_select(h->own, 0, fixed, c->sp->present);
        for (uint32_t w = 0; w < h->own->words; w++) {
            uint64_t mask = c->sp->present[w];
            group *at = c->best + w;
            lanes v = lanes_keep(c->sp->quiet[w], same_expand(from, mask));

            lanes_store(at, lanes_max(lanes_load(at), v));
            from = same_skip(from, lanes_of(mask));
        }
    }
}

/* Kings step to where the opponent, to move, was just computed. */
static void king_steps(struct lone *c, const group *opp_seen)
{
    struct half *h = c->h;
    struct space *sp = c->sp;
    uint32_t men = h->men | h->opp_men, words = h->own->words;

    condition_quiet(c);
    for (uint32_t x = ~men; x && !job_stopped(c->job); x &= x - 1)
        for (int d = 0; d < 4; d++) {
            int from = __builtin_ctz(x), to = kernel_neighbour[from][d];
            const uint64_t *has_from, *has_to;
            struct list end = list_open(sp->list, sp->list_words);

            if (to < 0 || (men >> to & 1))
                continue;
            has_from = family_has(h->own, from);
            has_to = family_has(h->own, to);
            for (uint32_t w = 0; w < words; w++) {
                uint64_t source = has_to[w] & ~has_from[w] & sp->valid[w];

                if (source)
                    list_add(&end, source, lanes_load(opp_seen + w));
                sp->target[w] = has_from[w] & ~has_to[w] & sp->valid[w];
            }
            scatter(c);
        }
}

/* ------------------------------------------------------------------ captures -- */

static void path_end(struct lone *c, int at, uint32_t taken, uint32_t empty, uint32_t blocked)
{
    struct half *h = c->h;
    uint32_t opp_men = h->opp_men & ~taken, from_bit = UINT32_C(1) << c->from;
    uint32_t men = c->man ? h->men & ~from_bit : h->men;
    bool crowns = c->man && at >= 28;
    uint32_t with = blocked | (c->man ? 0 : from_bit), without = empty & ~from_bit;
    const struct raw *t;
    conv_row from;

    if (c->man && !crowns)
        men |= UINT32_C(1) << at;
    if ((with & without) || __builtin_popcount(with) > h->kings)
        return;
    family_select(h->own, with, without | h->men | c->prey, c->sp->condition);
    if (!opp_men) {
        for (uint32_t w = 0; w < h->own->words; w++)
            lanes_store(c->best + w, lanes_select(c->sp->condition[w], lanes_fill(WIN_NOW),
                                                  lanes_load(c->best + w)));
        return;
    }
    t = table_after(c->job->conv, 0, __builtin_popcount(opp_men), h->kings + crowns,
                    h->men_count - crowns);
    from = conv_row_at(t, block_after(t, opp_men, men), 0);
    if (crowns)
        read_crowned(c, from, men | opp_men, at);
    else if (c->man)
        read_man(c, from, men | opp_men);
    else
        read_king(c, from, men | opp_men, c->from, at);
}

/* taken: men jumped; empty: squares where no king of ours may stand. */
static void path_follow(struct lone *c, int at, uint32_t taken, uint32_t empty)
{
    const struct half *h = c->h;
    uint32_t from_bit = UINT32_C(1) << c->from, fixed = (h->men | c->prey) & ~from_bit;
    uint32_t blocked = 0; /* squares where a king of ours must stand, to end here */
    int directions = c->man ? (at >= 28 ? 0 : 2) : 4;

    for (int d = 0; d < directions; d++) {
        int over = kernel_neighbour[at][d], land;

        if (over < 0 || !((c->prey & ~taken) >> over & 1) ||
            (land = kernel_neighbour[over][d]) < 0 || (fixed >> land & 1))
            continue;
        path_follow(c, land, taken | UINT32_C(1) << over, empty | UINT32_C(1) << land);
        blocked |= UINT32_C(1) << land;
    }
    if (taken && !(c->must & ~taken) && !(blocked & from_bit))
        path_end(c, at, taken, empty, blocked);
}

/* Which of our pieces could capture: fills `quiet`, returns their squares. */
static uint32_t capture_masks(struct lone *c)
{
    struct half *h = c->h;
    struct space *sp = c->sp;
    uint32_t fixed = h->men | c->prey, who = 0;

    memcpy(sp->quiet, sp->valid, h->own->words * sizeof *sp->quiet);
    for (uint32_t x = ~c->prey; x; x &= x - 1) {
        int s = __builtin_ctz(x);
        bool man = h->men >> s & 1;

        for (int d = 0; d < (man ? 2 : 4); d++) {
            int over = kernel_neighbour[s][d], land;
            const uint64_t *at, *free_land;

            if (over < 0 || !(c->prey >> over & 1) || (land = kernel_neighbour[over][d]) < 0 ||
                (fixed >> land & 1))
                continue;
            who |= UINT32_C(1) << s;
            at = man ? h->own->all : family_has(h->own, s);
            free_land = family_has(h->own, land);
            for (uint32_t w = 0; w < h->own->words; w++)
                sp->quiet[w] &= ~(at[w] & ~free_land[w]);
        }
    }
    return who;
}

static void captures(struct lone *c, uint32_t who)
{
    for (; who && !job_stopped(c->job); who &= who - 1) {
        c->from = __builtin_ctz(who);
        c->man = c->h->men >> c->from & 1;
        path_follow(c, c->from, 0, 0);
    }
}

/* The pieces of ours that a jump of some kind may start from. */
static uint32_t starts(const struct lone *c)
{
    uint32_t fixed = c->h->men | c->prey, who = 0;

    for (uint32_t x = c->prey; x; x &= x - 1)
        for (int d = 0; d < 4; d++) {
            int at = __builtin_ctz(x), from = kernel_neighbour[at][d ^ 3];
            int land = kernel_neighbour[at][d];

            if (from < 0 || land < 0 || (c->prey >> from & 1))
                continue;
            if (fixed >> land & 1)
                continue;
            if (d < 2 || !(c->h->men >> from & 1))
                who |= UINT32_C(1) << from;
        }
    return who;
}

void K(lone_king_captures)(struct space *sp, struct half *h, const struct block_job *job)
{
    struct lone c = {.sp = sp, .h = h, .job = job, .best = sp->dense[1]};
    uint32_t words = h->own->words, who;

    for (uint32_t x = ~(h->men | h->opp_men); x && !job_stopped(job); x &= x - 1) {
        int lane = 31 - __builtin_ctz(x);

        c.must = x & -x;
        c.prey = h->opp_men | c.must;
        if (!(who = starts(&c)))
            continue;
        memset(c.best, 0, words * sizeof *c.best);
        captures(&c, who);
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t m = lanes_above(lanes_load(c.best + w), 0); m; m &= m - 1) {
                size_t r = (size_t)__builtin_ctzll(m);

                group_raise(h->best + w * LANES + r, (size_t)lane, group_get(c.best + w, r));
            }
    }
}

/* -------------------------------------------------------------------- driver -- */

/* Store the vector of seen codes: one value per row, or one row of values. */
static void vector_store(struct half *h, const uint64_t *valid, uint32_t words, const group *seen)
{
    struct row_writer w;

    if (!half_is_kept(h))
        return;
    w = writer_open(h->out, layout_block(&h->out->layout, h->men, h->opp_men));
    for (uint32_t i = 0; i < words; i++)
        writer_put(&w, valid[i], lanes_load(seen + i));
    writer_close(&w);
}

bool K(lone_solve)(struct space *sp, struct half *with, struct half *without,
                   const struct block_job *job)
{
    uint32_t words = with->own->words, who;
    struct lone c = {.sp = sp, .h = with, .job = job, .best = sp->dense[1], .prey = with->opp_men};
    group *opp_seen = sp->dense[0];
    uint64_t overflow = 0;

    if (without->out) {
        K(half_leave)(sp, without, job); /* 1. no kings: a single row, all moves leave */
        for (uint32_t w = 0; w < words; w++) {
            lanes v = lanes_load(without->best + w);

            overflow |= without->valid[w] & lanes_overflow(v);
            lanes_store(opp_seen + w, lanes_keep(without->valid[w], lanes_seen(v)));
        }
        vector_store(without, without->valid, words, opp_seen);
    }
    if (!with->out)
        return overflow == 0;
    memcpy(sp->valid, with->row_ok, words * sizeof *sp->valid); /* 2. kings */
    memset(c.best, 0, words * sizeof *c.best);
    who = capture_masks(&c);
    man_steps(&c);
    if (!job->captures_only)
        king_steps(&c, opp_seen);
    captures(&c, who);
    for (uint32_t w = 0; w < words; w++) {
        lanes v = lanes_load(c.best + w);

        overflow |= with->row_ok[w] & lanes_overflow(v);
        lanes_store(c.best + w, lanes_seen(v));
    }
    vector_store(with, with->row_ok, words, c.best);
    return overflow == 0;
}
