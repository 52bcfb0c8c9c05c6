/* SPDX-License-Identifier: MIT
 *
 * codec_range.h -- a range coder for bits and for symbols.
 *
 * A bit with probability p of being 1 costs -log2 p bits, to within a thousandth; a symbol
 * costs -log2 of its share of the interval.  The interval is 64 bits wide and shrinks by whole
 * 32-bit words; a carry runs back through the bytes already written.  The output ends with the
 * shortest string of bytes inside the interval, and a reader treats bytes past the end as
 * zeros, so a few near-certain bits cost nothing.
 *
 * (R1) For any input, a decoder reads only within [at, end) and terminates.
 * (R2) An encoder writes only within [at, end); `full` is set if it had to stop.
 *
 * Everything is inlined into the loops of codec_*.c.  No allocation; any thread. */
#ifndef KELSO_DB_CODEC_RANGE_H
#define KELSO_DB_CODEC_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGE_BITS = 20 }; /* precision of a probability */

/* ------------------------------------------------------------------- encoder -- */

struct range_encoder {
    uint64_t low, range;
    uint8_t *begin, *at, *end;
    bool full;
};

static inline void range_encoder_init(struct range_encoder *e, uint8_t *out, size_t capacity)
{
    *e =
        (struct range_encoder){.range = UINT64_MAX, .begin = out, .at = out, .end = out + capacity};
}

static inline void range_carry(struct range_encoder *e)
{
    uint8_t *p = e->at;

    while (p > e->begin && ++*--p == 0)
        ;
}

static inline void range_put(struct range_encoder *e, int bytes)
{
    if (e->end - e->at < bytes) {
        e->full = true;
        return;
    }
    for (int i = 0; i < bytes; i++)
        *e->at++ = (uint8_t)(e->low >> (56 - 8 * i));
}

/* Narrow the interval to the part that begins at `skip` and is `range` wide. */
static inline void range_narrow(struct range_encoder *e, uint64_t skip, uint64_t range)
{
    e->low += skip;
    if (e->low < skip)
        range_carry(e);
    e->range = range;
    if (e->range < UINT64_C(1) << 32) {
        range_put(e, 4);
        e->low <<= 32;
        e->range <<= 32;
    }
}

static inline void range_encode(struct range_encoder *e, uint32_t p, int bit)
{
    uint64_t part = (e->range >> RANGE_BITS) * p;

    if (bit)
        range_narrow(e, 0, part);
    else
        range_narrow(e, part, e->range - part);
}

/* The symbol with the share start .. start + size - 1 of 2^bits, bits <= 16. */
static inline void range_encode_part(struct range_encoder *e, uint32_t start, uint32_t size,
                                     int bits)
{
    uint64_t one = e->range >> bits;

    range_narrow(e, one * start, one * size);
}

/* Returns the number of bytes. */
static inline size_t range_finish(struct range_encoder *e)
{
    for (int bytes = 0; bytes <= 8; bytes++) {
        uint64_t rest = bytes == 8 ? 0 : UINT64_MAX >> 8 * bytes, value = (e->low + rest) & ~rest;

        if (value - e->low >= e->range)
            continue;
        if (value < e->low)
            range_carry(e);
        e->low = value;
        range_put(e, bytes);
        break;
    }
    while (e->at > e->begin && e->at[-1] == 0)
        e->at--;
    return (size_t)(e->at - e->begin);
}

/* ------------------------------------------------------------------- decoder -- */

struct range_decoder {
    uint64_t code, range; /* code: the value minus the low end of the interval */
    const uint8_t *at, *end;
};

static inline uint32_t range_word(struct range_decoder *d)
{
    uint32_t word = 0;

    for (int i = 0; i < 4; i++)
        word = word << 8 | (d->at < d->end ? *d->at++ : 0);
    return word;
}

static inline void range_decoder_init(struct range_decoder *d, const uint8_t *bytes, size_t size)
{
    *d = (struct range_decoder){.range = UINT64_MAX, .at = bytes, .end = bytes + size};
    d->code = range_word(d);
    d->code = d->code << 32 | range_word(d);
}

static inline void range_skip(struct range_decoder *d, uint64_t skip, uint64_t range)
{
    d->code -= skip;
    d->range = range;
    if (d->range < UINT64_C(1) << 32) {
        d->code = d->code << 32 | range_word(d);
        d->range <<= 32;
    }
}

static inline int range_decode(struct range_decoder *d, uint32_t p)
{
    uint64_t part = (d->range >> RANGE_BITS) * p;
    int bit = d->code < part;

    if (bit)
        range_skip(d, 0, part);
    else
        range_skip(d, part, d->range - part);
    return bit;
}

/* Where the code lies in 2^bits.  Find the symbol that owns this point ... */
static inline uint32_t range_decode_point(const struct range_decoder *d, int bits)
{
    uint64_t point = d->code / (d->range >> bits), last = (UINT64_C(1) << bits) - 1;

    return (uint32_t)(point < last ? point : last);
}

/* ... and then consume it. */
static inline void range_decode_part(struct range_decoder *d, uint32_t start, uint32_t size,
                                     int bits)
{
    uint64_t one = d->range >> bits;

    range_skip(d, one * start, one * size);
}

#endif
