/* SPDX-License-Identifier: MIT
 *
 * leave.c -- the best score by leaving the block, a row of positions at a time.
 *
 * The mover's kings are fixed; the opponent's are unknown, so a statement about
 * them is a bitmap over the family of their sets.  A capture path is followed on
 * the board of everything that is fixed, collecting what it asks of the unknown:
 * these squares hold kings (they are jumped), these are empty (landings), and at
 * its end no further jump is possible.  One path then serves, at once, all sets
 * that meet its conditions, and reads one contiguous row of finished data. */
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

/* One row under work, and the piece of it that captures. */
struct row {
    struct space *sp;
    struct half *h;
    const struct block_job *job;
    uint32_t kings; /* the mover's */
    size_t r;
    int from;
    bool man;
    bool men_only; /* paths that take a king are done elsewhere */
};

/* What a path asks of the opponent's kings, beside `valid`. */
struct path {
    uint32_t kings;  /* jumped: they stand here */
    uint32_t men;    /* jumped men: known, nothing to ask */
    uint32_t landed; /* empty */
};

/* The jumps that would go on from the end of a path. */
struct onward {
    int n;
    struct {
        int8_t over, land;
        bool man; /* over a man: possible unless a king stands on `land` */
    } jump[4];
};

INLINE group *best_at(const struct half *h, size_t r, int panel)
{
    return h->best + (size_t)panel * h->rows + r;
}

/* The sets of opponent's kings for which the path exists and ends: condition. */
INLINE bool path_condition_in(const struct row *row, struct path p, const struct onward *on,
                              int panels)
{
    struct space *sp = row->sp;
    const struct half *h = row->h;
    const uint64_t *with[16], *without[16], *over[4], *land[4];
    int n_with = 0, n_without = 0, n_free = 0, w = 0;
    uint64_t any = 0;
    bits512 all = {0};

    for (uint32_t x = p.kings; x; x &= x - 1)
        with[n_with++] = opp_has(h, __builtin_ctz(x));
    for (uint32_t x = p.landed; x; x &= x - 1)
        without[n_without++] = opp_has(h, __builtin_ctz(x));
    for (int i = 0; i < on->n; i++) {
        if (on->jump[i].man) {
            with[n_with++] = opp_has(h, on->jump[i].land);
        } else {
            over[n_free] = opp_has(h, on->jump[i].over);
            land[n_free++] = opp_has(h, on->jump[i].land);
        }
    }
    for (; w + WORDS <= panels; w += WORDS) {
        bits512 c = *bits512_at(sp->valid + w);

        for (int i = 0; i < n_with; i++)
            c &= *bits512_at(with[i] + w);
        for (int i = 0; i < n_without; i++)
            c &= ~*bits512_at(without[i] + w);
        for (int i = 0; i < n_free; i++)
            c &= ~(*bits512_at(over[i] + w) & ~*bits512_at(land[i] + w));
        *(bits512 *)(sp->condition + w) = c;
        all |= c;
    }
    for (int i = 0; i < WORDS; i++)
        any |= all[i];
    for (; w < panels; w++) {
        uint64_t c = sp->valid[w];

        for (int i = 0; i < n_with; i++)
            c &= with[i][w];
        for (int i = 0; i < n_without; i++)
            c &= ~without[i][w];
        for (int i = 0; i < n_free; i++)
            c &= ~(over[i][w] & ~land[i][w]);
        sp->condition[w] = c;
        any |= c;
    }
    return any != 0;
}

static bool path_condition(const struct row *row, struct path p, const struct onward *on)
{
    switch (row->h->panels) {
    case 1:
        return path_condition_in(row, p, on, 1);
    case 8:
        return path_condition_in(row, p, on, 8);
    default:
        return path_condition_in(row, p, on, row->h->panels);
    }
}

static void path_wins(const struct row *row)
{
    for (int w = 0; w < row->h->panels; w++)
        if (row->sp->condition[w]) {
            group *at = best_at(row->h, row->r, w);
            lanes_store(at,
                        lanes_select(row->sp->condition[w], lanes_fill(WIN_NOW), lanes_load(at)));
        }
}

INLINE void best_raise(const struct row *row, int w, lanes v)
{
    group *at = best_at(row->h, row->r, w);
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

/* Kings were taken: the child's row runs over smaller sets.  Those that avoid the
 * squares of the taken kings correspond, in order, to ours that contain them. */
static void path_read_fewer_kings(const struct row *row, conv_row from, uint32_t occupied,
                                  uint32_t taken)
{
    struct space *sp = row->sp;
    const struct set_family *child =
        &sp->sets->family[row->h->opp_kings - __builtin_popcount(taken)];
    struct list list = list_open(sp->list, sp->list_words), end = list;

    family_select(child, 0, packed_flip(occupied), sp->present);
    family_select(child, 0, packed_flip(occupied | taken), sp->wanted);
    for (uint32_t w = 0; w < child->words; w++) {
        int n = lanes_of(sp->present[w]);

        if (sp->wanted[w])
            list_add(&end, bits_gather(sp->wanted[w], sp->present[w]),
                     conv_expand(from, lanes_first(n)));
        from = conv_skip(from, n);
    }
    family_select(row->h->opp, packed_flip(taken), packed_flip(occupied), sp->target);
    for (int w = 0; w < row->h->panels; w++) {
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
    group_raise(best_at(row->h, row->r, 0), (size_t)(31 - __builtin_ctz(p.kings)), s);
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
    struct target t;

    if (only_king ? !only_king_condition(row, p, on) : !path_condition(row, p, on))
        return;
    t = path_target(row, at, p);
    if (only_king)
        only_king_raise(row, p, t.wins ? WIN_NOW : conv_first(t.from));
    else if (t.wins)
        path_wins(row);
    else if (p.kings)
        path_read_fewer_kings(row, t.from, t.occupied, p.kings);
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

static void row_men(struct space *sp, struct half *h, uint32_t kings, size_t r)
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
        lanes_store(best_at(h, r, w), lanes_keep(sp->quiet[w], v));
    }
}

/* Against a single king the paths that take it are one lane each: lone.c follows
 * them with the lanes running over our kings instead. */
INLINE bool half_lone_king(const struct half *h)
{
    return h->opp_kings == 1 && h->kings >= 2;
}

static void row_captures(struct space *sp, struct half *h, const struct block_job *job,
                         uint32_t kings, size_t r)
{
    struct row row = {.sp = sp, .h = h, .job = job, .kings = kings, .r = r};

    row.men_only = half_lone_king(h);

    for (uint32_t x = kings | h->men; x; x &= x - 1) {
        row.from = __builtin_ctz(x);
        row.man = !(kings >> row.from & 1);
        path_follow(&row, row.from, (struct path){0, 0, 0});
    }
}

void K(half_masks)(struct space *sp, struct half *h)
{
    for (size_t r = 0; r < h->own->count; r++)
        if (h->row_ok[r / 64] >> r % 64 & 1) {
            family_select(h->opp, 0, packed_flip(h->own->set[r]), sp->avoid);
            row_masks(sp, h, h->own->set[r], r);
        }
}

void K(half_leave)(struct space *sp, struct half *h, const struct block_job *job)
{
    for (size_t r = 0; r < h->own->count; r++) {
        uint32_t kings = h->own->set[r];
        bool capturing;

        if (!(h->row_ok[r / 64] >> r % 64 & 1))
            continue;
        family_select(h->opp, 0, packed_flip(kings), sp->avoid);
        capturing = row_masks(sp, h, kings, r);
        row_men(sp, h, kings, r);
        if (capturing)
            row_captures(sp, h, job, kings, r);
    }
    if (half_lone_king(h))
        K(lone_king_captures)(sp, h, job);
}
