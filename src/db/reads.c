/* SPDX-License-Identifier: MIT */
#include "db/reads.h"

#include "db/kernel/kernel.h"

struct reads {
    struct slice slice;
    uint32_t men, opp_men;
    reads_taker *take;
    void *context;
};

/* The block after a move: the opponent keeps `opp_men` and loses `kings` kings. */
static void read_add(const struct reads *r, uint32_t men, uint32_t opp_men, int kings, bool same)
{
    int own = __builtin_popcount(men), crowned = r->slice.men - own;
    struct read read = {.men = men, .opp_men = opp_men, .same = same};

    if (r->slice.opp_kings == kings && !opp_men)
        return; /* nothing is left: no table */
    read.table =
        (struct slice){(uint8_t)(r->slice.opp_kings - kings), (uint8_t)__builtin_popcount(opp_men),
                       (uint8_t)(r->slice.kings + crowned), (uint8_t)own};
    r->take(r->context, &read);
}

static void steps_add(const struct reads *r)
{
    for (uint32_t x = r->men; x; x &= x - 1)
        for (int d = 0; d < 2; d++) {
            int from = __builtin_ctz(x), to = kernel_neighbour[from][d];
            uint32_t left = r->men & ~(x & -x);

            if (to < 0 || (r->men | r->opp_men) >> to & 1)
                continue;
            read_add(r, to >= 28 ? left : left | UINT32_C(1) << to, r->opp_men, 0, to < 28);
        }
}

/* The opponent's men that some king could jump: the squares before and behind have no man. */
static uint32_t men_jumpable(const struct reads *r)
{
    uint32_t found = 0, men = r->men | r->opp_men;

    for (uint32_t x = r->opp_men; x; x &= x - 1)
        for (int d = 0; d < 2; d++) {
            int over = __builtin_ctz(x), to = kernel_neighbour[over][d];
            int from = kernel_neighbour[over][3 - d];

            if (from >= 0 && to >= 0 && !((men >> from | men >> to) & 1))
                found |= x & -x;
        }
    return found;
}

/* Kings may take any of these men, and any number of kings. */
static void king_captures_add(const struct reads *r)
{
    uint32_t all = men_jumpable(r), taken = all;

    for (;; taken = (taken - 1) & all) {
        for (int kings = taken ? 0 : 1; kings <= r->slice.opp_kings; kings++)
            read_add(r, r->men, r->opp_men & ~taken, kings, false);
        if (!taken)
            return;
    }
}

/* A man jumps on from `at`; `left` are the other men, `kings` the kings taken so far. */
static void man_follow(const struct reads *r, int at, uint32_t left, uint32_t opp_men, int kings)
{
    for (int d = 0; d < 2; d++) {
        int over = kernel_neighbour[at][d], land = over < 0 ? -1 : kernel_neighbour[over][d];
        uint32_t taken, opp_left;
        int more;

        if (land < 0 || (left | r->opp_men) >> land & 1 || left >> over & 1)
            continue;
        taken = UINT32_C(1) << over;
        more = r->opp_men & taken ? kings : kings + 1;
        if (more > r->slice.opp_kings)
            continue;
        opp_left = opp_men & ~taken;
        read_add(r, land >= 28 ? left : left | UINT32_C(1) << land, opp_left, more, false);
        if (land < 28)
            man_follow(r, land, left, opp_left, more);
    }
}

void reads_each(struct slice s, uint32_t men, uint32_t opp_men, bool captures, reads_taker *take,
                void *context)
{
    struct reads r = {s, men, opp_men, take, context};

    if (!captures)
        steps_add(&r);
    if (s.kings)
        king_captures_add(&r);
    for (uint32_t x = men; x; x &= x - 1)
        man_follow(&r, __builtin_ctz(x), men & ~(x & -x), opp_men, 0);
}
