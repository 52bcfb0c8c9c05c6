/* SPDX-License-Identifier: MIT
 *
 * men.c -- blocks without kings: a single position for each side to move, and
 * every move leaves it. */
#include "db/kernel/space.h"

struct men {
    const struct half *h;
    const struct block_job *job;
    score best;
};

static void raise_to(struct men *c, score s)
{
    if (s > c->best)
        c->best = s;
}

/* Our men are now `men` (and one king, if any), the opponent's `opp_men`. */
static void read_conversion(struct men *c, uint32_t king, uint32_t men, uint32_t opp_men)
{
    const struct raw *t;
    uint64_t row;

    if (!opp_men) {
        raise_to(c, WIN_NOW);
        return;
    }
    t = table_after(c->job->conv, 0, __builtin_popcount(opp_men), king != 0,
                    __builtin_popcount(men));
    row = set_rank_in(king, ~(men | opp_men));
    raise_to(c, conv_first(conv_row_at(t, block_after(t, opp_men, men), row)));
}

/* Jumps of a man on `at`; `men` are the others.  False if there is none. */
static bool follow(struct men *c, int at, uint32_t men, uint32_t opp_men)
{
    bool any = false;

    for (int d = 0; d < 2; d++) {
        int over = kernel_neighbour[at][d], land;
        uint32_t left;

        if (over < 0 || !(opp_men >> over & 1) || (land = kernel_neighbour[over][d]) < 0 ||
            ((men | opp_men) >> land & 1))
            continue;
        any = true;
        left = opp_men & ~(UINT32_C(1) << over);
        if (land >= 28)
            read_conversion(c, UINT32_C(1) << land, men, left);
        else if (!follow(c, land, men, left))
            read_conversion(c, 0, men | UINT32_C(1) << land, left);
    }
    return any;
}

static void steps(struct men *c)
{
    for (int i = 0; i < c->h->man_moves; i++) {
        const struct man_move *m = &c->h->man_move[i];

        if (m->crowns)
            read_conversion(c, UINT32_C(1) << m->to, m->men, c->h->opp_men);
        else
            raise_to(c, same_first(same_row_at(m->table, m->block, 0)));
    }
}

static void position_store(const struct half *h, score seen)
{
    struct row_writer w = writer_open(h->out, layout_block(&h->out->layout, h->men, h->opp_men));

    writer_put(&w, 1, lanes_fill(seen));
    writer_close(&w);
}

bool K(men_solve)(struct half *h, const struct block_job *job)
{
    struct men c = {.h = h, .job = job, .best = 0};
    bool captured = false;

    for (uint32_t x = h->men; x; x &= x - 1)
        captured |= follow(&c, __builtin_ctz(x), h->men & ~(x & -x), h->opp_men);
    if (!captured)
        steps(&c);
    if (half_is_kept(h))
        position_store(h, score_seen(c.best));
    return !(lanes_overflow(lanes_fill(c.best)) & 1);
}
