/* SPDX-License-Identifier: MIT
 *
 * leave.c -- the best score by leaving the block, a row of positions at a time.
 *
 * The mover's kings are fixed; the opponent's are unknown, so a statement about them is a
 * bitmap over the family of their sets.  A capture path is followed on the board of all fixed
 * pieces, collecting the conditions on the unknown ones: these squares hold kings (they are
 * jumped), these are empty (landings), and at its end no further jump is possible.  One path
 * then serves, at once, all sets that meet its conditions, and reads one contiguous row of
 * finished data. */
#include "db/kernel/space.h"

/* ------------------------------------------------------- what the men can do -- */

static void man_move_add(struct half *h, const struct block_job *job, int from, int to)
{
    struct man_move *m = &h->man_move[h->man_moves];
    uint64_t *present = m->present;
    uint32_t bit = UINT32_C(1) << to;

    *m = (struct man_move){.to = to, .crowns = to >= 28, .present = present};
    m->men = (h->men & ~(UINT32_C(1) << from)) | (m->crowns ? 0 : bit);
    m->table = table_after(m->crowns ? job->conv : job->same, h->opp_kings, h->opp_men_count,
                           h->kings + m->crowns, h->men_count - m->crowns);
    m->block = block_after(m->table, h->opp_men, m->men);
    family_select(h->opp, 0, packed_flip(m->men | h->opp_men | bit), present);
    h->man_moves++;
}

void K(half_prepare)(struct half *h, const struct block_job *job)
{
    uint32_t occupied = h->men | h->opp_men;

    family_select(h->opp, 0, packed_flip(occupied), h->men_free);
    family_select(h->own, 0, occupied, h->row_ok);
    h->man_moves = 0;
    for (uint32_t x = job->captures_only ? 0 : h->men; x; x &= x - 1)
        for (int d = 0; d < 2; d++) {
            int from = __builtin_ctz(x), to = kernel_neighbour[from][d];

            if (to >= 0 && !(occupied >> to & 1))
                man_move_add(h, job, from, to);
        }
}

/* ------------------------------------------------------------------ captures -- */

/* The current row, and the piece of it that captures. */
struct row {
    struct space *sp;
    struct half *h;
    const struct block_job *job;
    uint32_t kings; /* the mover's */
    int from;
    bool man;
    bool men_only; /* paths that take a king are done elsewhere */
};

/* The conditions of a path on the opponent's kings, besides `valid`. */
struct path {
    uint32_t kings;  /* jumped: they stand here */
    uint32_t men;    /* jumped men: known, no condition */
    uint32_t landed; /* empty */
};

/* The jumps that could continue from the end of a path. */
struct onward {
    int n;
    struct {
        int8_t over, land;
        bool man; /* over a man: possible unless a king stands on `land` */
    } jump[4];
};

/* The bitmaps that a condition is made of. */
struct condition {
    const uint64_t *start, *at;          /* sets to begin with; those with a king on `at` */
    const uint64_t *taken[16], *with[4]; /* sets that have to contain a square, ... */
    const uint64_t *without[16];         /* ... must not contain it, ... */
    const uint64_t *over[4], *land[4];   /* ... or not the one without the other */
    int n_taken, n_with, n_without, n_free;
};

/* The opponent's sets that avoid the pieces that do not move with the row's piece, and the same for
 * one king fewer.  Computed when the first path of the piece needs them. */
static void row_base(const struct row *row)
{
    struct space *sp = row->sp;
    const struct half *h = row->h;
    uint32_t still = (h->men | h->opp_men | row->kings) & ~(UINT32_C(1) << row->from);

    if (sp->based)
        return;
    family_select(h->opp, 0, packed_flip(still), sp->base);
    family_select(h->opp - 1, 0, packed_flip(still), sp->base_fewer);
    sp->based = true;
}

/* A path that takes only kings: its target is its condition without the squares that it leaves and
 * passes, so both are computed together. */
INLINE bool path_is_based(struct path p)
{
    return p.kings && !p.men;
}

static void condition_make(struct condition *c, const struct row *row, int at, struct path p,
                           const struct onward *on)
{
    const struct half *h = row->h;
    uint32_t passed = p.landed;

    c->n_taken = c->n_with = c->n_without = c->n_free = 0;
    c->start = path_is_based(p) ? row->sp->base : row->sp->valid;
    c->at = opp_has(h, at);
    if (path_is_based(p))
        passed = (passed & ~(UINT32_C(1) << at)) | UINT32_C(1) << row->from;
    for (uint32_t x = p.kings; x; x &= x - 1)
        c->taken[c->n_taken++] = opp_has(h, __builtin_ctz(x));
    for (uint32_t x = passed; x; x &= x - 1)
        c->without[c->n_without++] = opp_has(h, __builtin_ctz(x));
    for (int i = 0; i < on->n; i++) {
        if (on->jump[i].man) {
            c->with[c->n_with++] = opp_has(h, on->jump[i].land);
        } else {
            c->over[c->n_free] = opp_has(h, on->jump[i].over);
            c->land[c->n_free++] = opp_has(h, on->jump[i].land);
        }
    }
}

/* Eight words of the condition, and of the target if requested; returns whether any bit is
 * set. */
INLINE bool condition_words(const struct condition *c, int w, uint64_t *out, uint64_t *target)
{
    bits256 x = *bits256_at(c->start + w), y = *bits256_at(c->start + w + 4), any;

    for (int i = 0; i < c->n_taken; i++) {
        x &= *bits256_at(c->taken[i] + w);
        y &= *bits256_at(c->taken[i] + w + 4);
    }
    if (target) {
        *bits256_in(target) = x &= ~*bits256_at(c->at + w);
        *bits256_in(target + 4) = y &= ~*bits256_at(c->at + w + 4);
    }
    for (int i = 0; i < c->n_with; i++) {
        x &= *bits256_at(c->with[i] + w);
        y &= *bits256_at(c->with[i] + w + 4);
    }
    for (int i = 0; i < c->n_without; i++) {
        x &= ~*bits256_at(c->without[i] + w);
        y &= ~*bits256_at(c->without[i] + w + 4);
    }
    for (int i = 0; i < c->n_free; i++) {
        x &= ~(*bits256_at(c->over[i] + w) & ~*bits256_at(c->land[i] + w));
        y &= ~(*bits256_at(c->over[i] + w + 4) & ~*bits256_at(c->land[i] + w + 4));
    }
    *bits256_in(out) = x;
    *bits256_in(out + 4) = y;
    any = x | y;
    return (any[0] | any[1] | any[2] | any[3]) != 0;
}

INLINE uint64_t condition_word(const struct condition *c, int w, uint64_t *target)
{
    uint64_t x = c->start[w];

    for (int i = 0; i < c->n_taken; i++)
        x &= c->taken[i][w];
    if (target)
        *target = x &= ~c->at[w];
    for (int i = 0; i < c->n_with; i++)
        x &= c->with[i][w];
    for (int i = 0; i < c->n_without; i++)
        x &= ~c->without[i][w];
    for (int i = 0; i < c->n_free; i++)
        x &= ~(c->over[i][w] & ~c->land[i][w]);
    return x;
}

INLINE bool condition_fill(struct space *sp, const struct condition *c, int first, int panels,
                           bool based)
{
    bool any = false;
    int w = first;

    for (; w + 8 <= panels; w += 8)
        any |= condition_words(c, w, sp->condition + w, based ? sp->target + w : NULL);
    for (; w < panels; w++)
        any |= (sp->condition[w] = condition_word(c, w, based ? sp->target + w : NULL)) != 0;
    return any;
}

/* The first word of a bitmap that can have a set with these kings: a set of rank below
 * C(t, k) has no square from t on. */
static int path_first(const struct half *h, struct path p)
{
    int top = 31 - __builtin_ctz(p.kings | UINT32_C(1) << 31);

    return (int)(sets_binomial[top][h->opp_kings] / 64);
}

/* The sets of opponent's kings for which the path exists and ends: sp->condition, from word `first`
 * on; and sp->target if it takes only kings. */
static bool path_condition(const struct row *row, int at, struct path p, const struct onward *on,
                           int first)
{
    struct space *sp = row->sp;
    struct condition c;
    int panels = row->h->panels;

    if (path_is_based(p))
        row_base(row);
    condition_make(&c, row, at, p, on);
    if (!path_is_based(p))
        return condition_fill(sp, &c, first, panels, false);
    switch (panels) {
    case 1:
        return condition_fill(sp, &c, 0, 1, true);
    case 8:
        return condition_fill(sp, &c, first, 8, true);
    default:
        return condition_fill(sp, &c, first, panels, true);
    }
}

static void path_wins(const struct row *row, int first)
{
    for (int w = first; w < row->h->panels; w++)
        if (row->sp->condition[w]) {
            group *at = row->sp->best + w;
            lanes_store(at,
                        lanes_select(row->sp->condition[w], lanes_fill(WIN_NOW), lanes_load(at)));
        }
}

INLINE void best_raise(const struct row *row, int w, lanes v)
{
    group *at = row->sp->best + w;
    lanes old = lanes_load(at);

    lanes_store(at, lanes_select(row->sp->condition[w], lanes_max(old, v), old));
}

/* No king was taken: the child's row runs over the same sets. */
static void path_read_same_sets(const struct row *row, conv_row from, uint32_t occupied)
{
    struct space *sp = row->sp;

    family_select(row->h->opp, 0, packed_flip(occupied), sp->target);
    for (int w = 0; w < row->h->panels; w++) {
        if (sp->condition[w])
            best_raise(row, w, conv_expand(from, sp->target[w]));
        from = conv_skip(from, lanes_of(sp->target[w]));
    }
}

/* `present`: the sets of one king fewer that avoid the pieces left on the board; `wanted`: those
 * that also avoid the taken king's square. */
static void one_less_select(const struct row *row, int at, uint32_t taken, uint32_t words)
{
    struct space *sp = row->sp;
    const struct set_family *child = row->h->opp - 1;
    const uint64_t *on_at = family_has(child, 31 - at);
    const uint64_t *on_taken = family_has(child, 31 - __builtin_ctz(taken));

    for (uint32_t w = 0; w < words; w++) {
        sp->present[w] = sp->base_fewer[w] & ~on_at[w];
        sp->wanted[w] = sp->present[w] & ~on_taken[w];
    }
}

static void fewer_kings_select(const struct row *row, const struct set_family *child, int at,
                               struct path p, uint32_t occupied)
{
    struct space *sp = row->sp;

    if (path_is_based(p) && child == row->h->opp - 1 && child->k > 1) {
        one_less_select(row, at, p.kings, child->k == 2 ? 8 : child->words);
    } else {
        family_select(child, 0, packed_flip(occupied), sp->present);
        family_select(child, 0, packed_flip(occupied | p.kings), sp->wanted);
    }
    if (!path_is_based(p))
        family_select(row->h->opp, packed_flip(p.kings), packed_flip(occupied), sp->target);
}

/* Kings were taken: the child's row runs over smaller sets.  Those that avoid the
 * squares of the taken kings correspond, in order, to ours that contain them. */
static void path_read_fewer_kings(const struct row *row, conv_row from, int at, struct path p,
                                  uint32_t occupied, int first)
{
    struct space *sp = row->sp;
    const struct set_family *child = row->h->opp - __builtin_popcount(p.kings);
    struct list list = list_open(sp->list, sp->list_words);

    fewer_kings_select(row, child, at, p, occupied);
    row_gather(sp, child, from);
    for (int w = first; w < row->h->panels; w++) {
        if (sp->condition[w])
            best_raise(row, w, list_expand(&list, sp->target[w]));
        list_skip(&list, sp->target[w]);
    }
}

/* The only king was taken: one position, and no lanes to look at. */
static bool only_king_condition(const struct row *row, struct path p, const struct onward *on)
{
    return on->n == 0 && (row->sp->valid[0] >> (31 - __builtin_ctz(p.kings)) & 1);
}

static void only_king_raise(const struct row *row, struct path p, score s)
{
    group_raise(row->sp->best, (size_t)(31 - __builtin_ctz(p.kings)), s);
}

/* The row of finished data that a path ends in. */
struct target {
    uint32_t occupied; /* by known pieces, afterwards */
    bool wins;         /* the opponent has nothing left: no data */
    conv_row from;
};

static struct target path_target(const struct row *row, int at, struct path p)
{
    const struct half *h = row->h;
    uint32_t from_bit = UINT32_C(1) << row->from, to_bit = UINT32_C(1) << at;
    bool crowns = row->man && at >= 28;
    uint32_t men = h->men, kings = row->kings, opp_men = h->opp_men & ~p.men;
    int opp_kings = h->opp_kings - __builtin_popcount(p.kings);
    struct target target = {.wins = opp_kings == 0 && opp_men == 0};
    const struct raw *t;

    if (target.wins)
        return target;
    if (row->man) {
        men = (men & ~from_bit) | (crowns ? 0 : to_bit);
        kings |= crowns ? to_bit : 0;
    } else {
        kings = (kings & ~from_bit) | to_bit;
    }
    target.occupied = men | opp_men | kings;
    t = table_after(row->job->conv, opp_kings, __builtin_popcount(opp_men), h->kings + crowns,
                    h->men_count - crowns);
    target.from =
        conv_row_at(t, block_after(t, opp_men, men), set_rank_in(kings, ~(men | opp_men)));
    return target;
}

/* The path is complete on `at`: raise the best of all positions that have it. */
static void path_end(const struct row *row, int at, struct path p, const struct onward *on)
{
    bool only_king = row->h->opp_kings == 1 && p.kings;
    int first = path_first(row->h, p);
    struct target t;

    if (only_king ? !only_king_condition(row, p, on) : !path_condition(row, at, p, on, first))
        return;
    t = path_target(row, at, p);
    if (only_king)
        only_king_raise(row, p, t.wins ? WIN_NOW : conv_first(t.from));
    else if (t.wins)
        path_wins(row, first);
    else if (p.kings)
        path_read_fewer_kings(row, t.from, at, p, t.occupied, first);
    else
        path_read_same_sets(row, t.from, t.occupied);
}

/* Follow all jumps of the row's piece from `at`. */
static void path_follow(const struct row *row, int at, struct path p)
{
    const struct half *h = row->h;
    uint32_t fixed = (h->men | h->opp_men | row->kings) & ~(UINT32_C(1) << row->from);
    struct onward on = {.n = 0};
    int directions = row->man ? (at >= 28 ? 0 : 2) : 4;

    for (int d = 0; d < directions; d++) {
        int over = kernel_neighbour[at][d], land;
        struct path longer = p;
        bool man;

        if (over < 0 || (land = kernel_neighbour[over][d]) < 0 || (fixed >> land & 1))
            continue;
        man = h->opp_men >> over & 1;
        if (man ? p.men >> over & 1 : (fixed | p.kings) >> over & 1)
            continue;
        if (!man && __builtin_popcount(p.kings) == h->opp_kings)
            continue;
        *(man ? &longer.men : &longer.kings) |= UINT32_C(1) << over;
        longer.landed |= UINT32_C(1) << land;
        if (man || !row->men_only)
            path_follow(row, land, longer);
        on.jump[on.n].over = (int8_t)over;
        on.jump[on.n].land = (int8_t)land;
        on.jump[on.n++].man = man;
    }
    if (p.men | p.kings)
        path_end(row, at, p, &on);
}

/* ---------------------------------------------------------------------- rows -- */

/* The sets of opponent's kings that let some piece of the row capture; also says
 * whether any capture is possible at all. */
static bool row_masks(struct space *sp, struct half *h, uint32_t kings, size_t r)
{
    uint32_t fixed = h->men | h->opp_men | kings;
    const uint64_t *over[64], *land[64];
    int n = 0;

    for (uint32_t x = h->men | kings; x; x &= x - 1) {
        int s = __builtin_ctz(x), directions = kings >> s & 1 ? 4 : 2;

        for (int d = 0; d < directions; d++) {
            int o = kernel_neighbour[s][d], l = o < 0 ? -1 : kernel_neighbour[o][d];
            bool man;

            if (l < 0 || (fixed >> l & 1))
                continue;
            man = h->opp_men >> o & 1;
            if (!man && (fixed >> o & 1))
                continue;
            over[n] = man ? h->opp->all : opp_has(h, o);
            land[n++] = opp_has(h, l);
        }
    }
    for (int w = 0; w < h->panels; w++) {
        uint64_t capture = 0;

        sp->valid[w] = sp->avoid[w] & h->men_free[w];
        for (int i = 0; i < n; i++)
            capture |= over[i][w] & ~land[i][w];
        sp->quiet[w] = sp->valid[w] & ~capture;
        if (h->valid)
            h->valid[(size_t)w * h->rows + r] = sp->valid[w];
        h->quiet[(size_t)w * h->rows + r] = sp->quiet[w];
    }
    return n != 0;
}

/* Rows of finished data reached by the men's steps with these kings. */
static int man_rows(const struct half *h, uint32_t kings, bool crowning,
                    const struct man_move *which[], uint64_t index[])
{
    int n = 0;

    for (int i = 0; i < h->man_moves; i++) {
        const struct man_move *m = &h->man_move[i];
        uint32_t bit = UINT32_C(1) << m->to, after = m->crowns ? kings | bit : kings;

        if (m->crowns != crowning || (kings & bit))
            continue;
        which[n] = m;
        index[n++] = set_rank_in(after, ~(m->men | h->opp_men));
    }
    return n;
}

static void row_men(struct space *sp, const struct half *h, uint32_t kings)
{
    const struct man_move *step[MAN_MOVES_MAX], *crown[MAN_MOVES_MAX];
    uint64_t index[MAN_MOVES_MAX];
    same_row same[MAN_MOVES_MAX];
    conv_row conv[MAN_MOVES_MAX];
    int steps = man_rows(h, kings, false, step, index), crowns;

    for (int i = 0; i < steps; i++)
        same[i] = same_row_at(step[i]->table, step[i]->block, index[i]);
    crowns = man_rows(h, kings, true, crown, index);
    for (int i = 0; i < crowns; i++)
        conv[i] = conv_row_at(crown[i]->table, crown[i]->block, index[i]);
    for (int w = 0; w < h->panels; w++) {
        lanes v = lanes_fill(0);

        for (int i = 0; i < steps; i++) {
            uint64_t mask = step[i]->present[w] & sp->avoid[w];
            v = lanes_max(v, same_expand(same[i], mask));
            same[i] = same_skip(same[i], lanes_of(mask));
        }
        for (int i = 0; i < crowns; i++) {
            uint64_t mask = crown[i]->present[w] & sp->avoid[w];
            v = lanes_max(v, conv_expand(conv[i], mask));
            conv[i] = conv_skip(conv[i], lanes_of(mask));
        }
        lanes_store(sp->best + w, lanes_keep(sp->quiet[w], v));
    }
}

/* Against a single king the paths that take it are one lane each: lone.c follows
 * them with the lanes running over our kings instead. */
INLINE bool half_lone_king(const struct half *h)
{
    return h->opp_kings == 1 && h->kings >= 2;
}

static void row_captures(struct space *sp, struct half *h, const struct block_job *job,
                         uint32_t kings)
{
    struct row row = {.sp = sp, .h = h, .job = job, .kings = kings};

    row.men_only = half_lone_king(h);

    for (uint32_t x = kings | h->men; x; x &= x - 1) {
        row.from = __builtin_ctz(x);
        row.man = !(kings >> row.from & 1);
        sp->based = false;
        path_follow(&row, row.from, (struct path){0, 0, 0});
    }
}

/* Rows of a side with few kings are short: check the flag once for 64 of them. */
INLINE bool row_stopped(const struct block_job *job, size_t r)
{
    return r % 64 == 63 && job_stopped(job);
}

void K(half_masks)(struct space *sp, struct half *h, const struct block_job *job)
{
    for (size_t r = 0; r < h->own->count && !row_stopped(job, r); r++)
        if (h->row_ok[r / 64] >> r % 64 & 1) {
            family_select(h->opp, 0, packed_flip(h->own->set[r]), sp->avoid);
            row_masks(sp, h, h->own->set[r], r);
        }
}

/* Store the current row; a row whose kings stand on men is empty. */
static void row_store(const struct space *sp, struct half *h, size_t r, bool ok)
{
    for (int w = 0; w < h->panels; w++) {
        group *at = h->best + (size_t)w * h->rows + r;

        if (h->valid)
            lanes_store(at, lanes_load(sp->best + w));
        else
            lanes_store(at, lanes_select(ok ? sp->valid[w] : 0, lanes_load(sp->best + w),
                                         lanes_fill(WIN_NOW)));
    }
}

static void row_leave(struct space *sp, struct half *h, const struct block_job *job, size_t r)
{
    uint32_t kings = h->own->set[r];
    bool capturing;

    family_select(h->opp, 0, packed_flip(kings), sp->avoid);
    capturing = row_masks(sp, h, kings, r);
    row_men(sp, h, kings);
    if (capturing)
        row_captures(sp, h, job, kings);
    row_store(sp, h, r, true);
}

void K(half_leave)(struct space *sp, struct half *h, const struct block_job *job)
{
    uint32_t g;

    phase_begin(sp);
    while (phase_take(sp, h->own->words, &g))
        for (size_t r = g * (size_t)64; r < h->own->count && r < (g + (size_t)1) * 64; r++) {
            if (h->row_ok[g] >> r % 64 & 1)
                row_leave(sp, h, job, r);
            else if (!h->valid)
                row_store(sp, h, r, false);
        }
    phase_end(sp, false);
    if (!half_lone_king(h))
        return;
    phase_begin(sp);
    if (phase_mine(sp))
        K(lone_king_captures)(sp, h, job);
    phase_end(sp, false);
}
