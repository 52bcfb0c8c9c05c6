/* SPDX-License-Identifier: MIT
 *
 * lanes_planes.h -- win, draw or loss in two bit planes: the same on every machine, but for
 * bits_spread and bits_gather.
 *
 * Private to lanes.h. */
#ifndef KELSO_DB_KERNEL_LANES_PLANES_H
#define KELSO_DB_KERNEL_LANES_PLANES_H

#include "db/kernel/lanes_base.h"

#ifdef LANES_PLANES
typedef group lanes;

INLINE lanes lanes_load(const group *p)
{
    return *p;
}
INLINE void lanes_store(group *p, lanes v)
{
    *p = v;
}
INLINE lanes lanes_fill(score s)
{
    return (lanes){s >= DRAW ? ~UINT64_C(0) : 0, s > DRAW ? ~UINT64_C(0) : 0};
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    return (lanes){a.draw | b.draw, a.win | b.win};
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    return (lanes){(yes.draw & mask) | (no.draw & ~mask), (yes.win & mask) | (no.win & ~mask)};
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    return (lanes){v.draw & mask, v.win & mask};
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    return (a.draw ^ b.draw) | (a.win ^ b.win);
}
/* s is 0 or DRAW. */
INLINE uint64_t lanes_above(lanes a, score s)
{
    return s >= DRAW ? a.win : a.draw;
}
/* s is DRAW. */
INLINE uint64_t lanes_below(lanes a, score s)
{
    (void)s;
    return ~a.draw;
}
INLINE lanes lanes_seen(lanes v)
{
    return (lanes){~v.win, ~v.draw};
}

/* One score of a group. */
INLINE score group_get(const group *g, size_t lane)
{
    return g->win >> lane & 1 ? WIN_NOW : g->draw >> lane & 1 ? DRAW : 0;
}
INLINE void group_set(group *g, size_t lane, score s)
{
    uint64_t bit = UINT64_C(1) << lane;

    g->draw = (g->draw & ~bit) | (s >= DRAW ? bit : 0);
    g->win = (g->win & ~bit) | (s > DRAW ? bit : 0);
}

/* Transpose 64 x 64 bits: exchange the off-diagonal squares of 32, 16, ... bits. */
INLINE void bits_transpose(uint64_t x[LANES])
{
    static const uint64_t low[] = {0x00000000FFFFFFFF, 0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF,
                                   0x0F0F0F0F0F0F0F0F, 0x3333333333333333, 0x5555555555555555};

    for (int step = 0, n = 32; n; step++, n /= 2)
        for (int i = 0; i < LANES; i += 2 * n)
            for (int k = i; k < i + n; k++) {
                uint64_t t = (x[k] >> n ^ x[k + n]) & low[step];

                x[k + n] ^= t;
                x[k] ^= t << n;
            }
}
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    uint64_t draw[LANES], win[LANES];

    for (int r = 0; r < LANES; r++) {
        draw[r] = ~in[r].win;
        win[r] = ~in[r].draw;
    }
    bits_transpose(draw);
    bits_transpose(win);
    for (int c = 0; c < LANES; c++)
        out[c] = (group){draw[c], win[c]};
}

/* Scores one after the other, without gaps: written from the start, then read again. */
struct list {
    uint64_t *draw, *win;
    uint64_t at;
};

/* Room for `words` groups is in two halves. */
INLINE struct list list_open(group *room, size_t words)
{
    uint64_t *draw = (uint64_t *)(void *)room;

    return (struct list){draw, draw + words, 0};
}
INLINE void list_add(struct list *l, uint64_t mask, lanes v)
{
    uint64_t draw = bits_gather(v.draw, mask), win = bits_gather(v.win, mask), i = l->at / 64;
    int have = (int)(l->at % 64);

    if (have) {
        l->draw[i] |= draw << have;
        l->win[i] |= win << have;
        l->draw[i + 1] = draw >> (64 - have);
        l->win[i + 1] = win >> (64 - have);
    } else {
        l->draw[i] = draw;
        l->win[i] = win;
    }
    l->at += (uint64_t)lanes_of(mask);
}
INLINE uint64_t list_bits(const uint64_t *plane, uint64_t at)
{
    int have = (int)(at % 64);

    return have ? plane[at / 64] >> have | plane[at / 64 + 1] << (64 - have) : plane[at / 64];
}
INLINE lanes list_expand(const struct list *l, uint64_t mask)
{
    return (lanes){bits_spread(list_bits(l->draw, l->at), mask),
                   bits_spread(list_bits(l->win, l->at), mask)};
}
#endif

#endif
