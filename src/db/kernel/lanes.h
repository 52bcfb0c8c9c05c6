/* SPDX-License-Identifier: MIT
 *
 * lanes.h -- sixty-four scores at once.
 *
 * A row of scores is processed in chunks of 64 lanes, selected by 64-bit masks: a mask is one word
 * of a family bitmap (sets.h).  lanes_plain.h is the definition; with AVX-512 VBMI2 the same
 * operations are one or two instructions, with AVX2 and BMI2 a few.  Win, draw or loss are bits of
 * planes, for which every machine has the instructions.  These are the only files of the kernels
 * that know about instruction sets.
 *
 * (N1) lanes_expand reads 64 lanes from p whatever the mask; lanes_compress_loose writes
 *      64 lanes whatever the mask; lanes_compress writes only what the mask selects.
 * (N2) Every implementation gives the same lanes: tests compare whole tables. */
#ifndef KELSO_DB_KERNEL_LANES_H
#define KELSO_DB_KERNEL_LANES_H

#include "db/kernel/lanes_avx2.h" /* one of these has something in it */
#include "db/kernel/lanes_avx512.h"
#include "db/kernel/lanes_plain.h"
#include "db/kernel/lanes_planes.h"

#ifndef KERNEL_WLD
INLINE score group_get(const group *g, size_t lane)
{
    return g->v[lane];
}
INLINE void group_set(group *g, size_t lane, score s)
{
    g->v[lane] = s;
}

struct list {
    score *at;
};

INLINE struct list list_open(group *room, size_t words)
{
    (void)words;
    return (struct list){room->v};
}
INLINE void list_add(struct list *l, uint64_t mask, lanes v)
{
    lanes_compress_loose(l->at, mask, v);
    l->at += lanes_of(mask);
}
INLINE lanes list_expand(const struct list *l, uint64_t mask)
{
    return lanes_expand(mask, l->at);
}
#endif

INLINE void list_skip(struct list *l, uint64_t mask)
{
    l->at += (unsigned)lanes_of(mask);
}
INLINE void group_raise(group *g, size_t lane, score s)
{
    if (s > group_get(g, lane))
        group_set(g, lane, s);
}

/* The scores whose distance is too long for their width (value.h, V2 and V3). */
INLINE uint64_t lanes_overflow(lanes v)
{
#if defined(KERNEL_WLD)
    (void)v;
    return 0;
#elif defined(NINE)
    return ~lanes_differ(v, lanes_fill(NINE_OVERFLOW));
#elif defined(WIDE)
    (void)v;
    return 0; /* 32767 plies are out of reach */
#else
    return ~lanes_differ(v, lanes_fill(NARROW_OVERFLOW));
#endif
}

#endif
