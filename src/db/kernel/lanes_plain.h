/* SPDX-License-Identifier: MIT
 *
 * lanes_plain.h -- the operations of lanes.h in plain C: their definition.
 *
 * Private to lanes.h. */
#ifndef KELSO_DB_KERNEL_LANES_PLAIN_H
#define KELSO_DB_KERNEL_LANES_PLAIN_H

#include "db/kernel/lanes_base.h"

#ifdef LANES_PLAIN
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
    lanes v;

    for (int i = 0; i < LANES; i++)
        v.v[i] = s;
    return v;
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
}
/* A lane of all ones for each bit of the mask. */
INLINE lanes lanes_from_mask(uint64_t mask)
{
    lanes v;

    for (int i = 0; i < LANES; i++)
        v.v[i] = (score) - (score)(mask >> i & 1);
    return v;
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    lanes m = lanes_from_mask(mask);

    for (int i = 0; i < LANES; i++)
        no.v[i] = (score)((yes.v[i] & m.v[i]) | (no.v[i] & ~m.v[i]));
    return no;
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    lanes m = lanes_from_mask(mask);

    for (int i = 0; i < LANES; i++)
        v.v[i] &= m.v[i];
    return v;
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    uint64_t mask = 0;

    if (memcmp(a.v, b.v, sizeof a.v) == 0)
        return 0;
    for (int i = 0; i < LANES; i++)
        mask |= (uint64_t)(a.v[i] != b.v[i]) << i;
    return mask;
}
INLINE uint64_t lanes_above(lanes a, score s)
{
    uint64_t mask = 0;

    for (int i = 0; i < LANES; i++)
        mask |= (uint64_t)(a.v[i] > s) << i;
    return mask;
}
INLINE uint64_t lanes_below(lanes a, score s)
{
    uint64_t mask = 0;

    for (int i = 0; i < LANES; i++)
        mask |= (uint64_t)(a.v[i] < s) << i;
    return mask;
}
INLINE lanes lanes_expand(uint64_t mask, const score *p)
{
    lanes v;

    if (mask == ~UINT64_C(0)) {
        memcpy(v.v, p, sizeof v.v);
        return v;
    }
    memset(v.v, 0, sizeof v.v);
    for (; mask; mask &= mask - 1)
        v.v[__builtin_ctzll(mask)] = *p++;
    return v;
}
INLINE void lanes_compress(score *p, uint64_t mask, lanes v)
{
    for (; mask; mask &= mask - 1)
        *p++ = v.v[__builtin_ctzll(mask)];
}
INLINE void lanes_compress_loose(score *p, uint64_t mask, lanes v)
{
    lanes_compress(p, mask, v);
}
#ifdef NINE
/* Low bytes that are stored one after the other, to the lanes of the mask; `high` are the lanes
 * that have the ninth bit. */
INLINE lanes lanes_expand_nine(uint64_t mask, const uint8_t *p, uint64_t high)
{
    lanes v;

    for (int i = 0; i < LANES; i++)
        v.v[i] = (score)((high >> i & 1) << 8);
    if (mask == ~UINT64_C(0))
        for (int i = 0; i < LANES; i++)
            v.v[i] |= p[i];
    else
        for (; mask; mask &= mask - 1)
            v.v[__builtin_ctzll(mask)] |= *p++;
    return v;
}
/* Store the low bytes of the lanes in the mask. */
INLINE void lanes_compress_nine(uint8_t *p, uint64_t mask, lanes v)
{
    for (; mask; mask &= mask - 1)
        *p++ = (uint8_t)v.v[__builtin_ctzll(mask)];
}
#endif
INLINE lanes lanes_seen(lanes v)
{
    for (int i = 0; i < LANES; i++)
        v.v[i] = score_seen(v.v[i]);
    return v;
}
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    for (int r = 0; r < LANES; r += 8)
        for (int c = 0; c < LANES; c++)
            for (int q = 0; q < 8; q++)
                out[c].v[r + q] = score_seen(in[r + q].v[c]);
}
#endif

#endif
