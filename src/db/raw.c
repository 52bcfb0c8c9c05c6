/* SPDX-License-Identifier: MIT */
#include "db/raw.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#define TOO_MANY (UINT64_MAX >> 16) /* bytes: more than any memory, and sums do not overflow */

enum {
    CHUNK_BYTES = 1 << 16, /* of a chunk of a share: more only if a block is larger */
    CHUNKS_LEAST = 16,     /* for each rank, if there are as many blocks */
};

static size_t plane_bytes(const struct layout *l)
{
    return (l->block_size + 7) / 8;
}

uint64_t raw_layout_stride(const struct layout *l, enum raw_form form)
{
    switch (form) {
    case RAW_PACKED:
        return 2 * plane_bytes(l);
    case RAW_NARROW:
        return l->block_size;
    case RAW_NINE:
        return l->block_size + plane_bytes(l);
    default:
        return 2 * l->block_size;
    }
}

static size_t plane_start(const struct layout *l, enum raw_form form)
{
    return form == RAW_PACKED ? plane_bytes(l) : form == RAW_NINE ? l->block_size : 0;
}

uint64_t raw_layout_bytes(const struct layout *l, enum raw_form form)
{
    return frames_size(l->blocks * raw_layout_stride(l, form) + RAW_SLACK);
}

uint64_t raw_stride(struct slice s, enum raw_form form)
{
    struct layout l;
    uint64_t bytes;

    if (layout_create(&l, s))
        return TOO_MANY;
    bytes = raw_layout_stride(&l, form);
    layout_free(&l);
    return bytes;
}

uint64_t raw_bytes(struct slice s, enum raw_form form)
{
    struct layout l;
    uint64_t bytes;

    if (layout_create(&l, s))
        return TOO_MANY;
    bytes = raw_layout_bytes(&l, form);
    layout_free(&l);
    return bytes;
}

struct raw_cut raw_cut(const struct layout *l, enum raw_form form, int ranks)
{
    struct raw_cut c = {.blocks = l->blocks, .stride = raw_layout_stride(l, form)};
    uint64_t most = CHUNK_BYTES / c.stride, even = l->blocks / ((uint64_t)ranks * CHUNKS_LEAST);

    c.each = even < most ? even : most;
    c.each = c.each ? c.each : 1;
    c.chunks = (l->blocks + c.each - 1) / c.each;
    c.places = (c.chunks + (uint64_t)ranks - 1) / (uint64_t)ranks;
    return c;
}

uint64_t raw_share_bytes(struct slice s, enum raw_form form, int ranks)
{
    struct layout l;
    struct raw_cut c;

    if (ranks == 1)
        return raw_bytes(s, form);
    if (layout_create(&l, s))
        return TOO_MANY;
    c = raw_cut(&l, form, ranks);
    layout_free(&l);
    return frames_size(c.places * c.each * c.stride + RAW_SLACK);
}

static int raw_shape(struct raw *r, struct slice s, enum raw_form form, int ranks)
{
    *r = (struct raw){.form = form};
    if (layout_create(&r->layout, s))
        return -1;
    r->plane = plane_start(&r->layout, form);
    r->stride = raw_layout_stride(&r->layout, form);
    r->bytes = raw_layout_bytes(&r->layout, form);
    if (ranks > 1) {
        struct raw_cut c = raw_cut(&r->layout, form, ranks);

        r->layout.blocks = c.places;
        r->layout.block_size *= c.each;
        r->layout.positions = c.places * r->layout.block_size;
        r->stride = c.each * c.stride;
        r->bytes = frames_size(c.places * r->stride + RAW_SLACK);
    }
    return 0;
}

static int raw_map(struct raw *r)
{
    r->data = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r->data == MAP_FAILED) {
        layout_free(&r->layout);
        *r = (struct raw){0};
        return -1;
    }
    madvise(r->data, r->bytes, MADV_NOHUGEPAGE); /* larger pages would be mostly holes */
    return 0;
}

int raw_create_sparse(struct raw *r, struct slice s, enum raw_form form)
{
    return raw_shape(r, s, form, 1) ? -1 : raw_map(r);
}

int raw_create_empty(struct raw *r, struct slice s, enum raw_form form)
{
    int rc = raw_shape(r, s, form, 1);

    r->bytes = 0;
    return rc;
}

int raw_create_share(struct raw *r, struct slice s, enum raw_form form, int ranks, bool sparse,
                     struct frames *frames)
{
    if (raw_shape(r, s, form, ranks))
        return -1;
    if (sparse)
        return raw_map(r);
    r->frames = frames;
    r->data = frames_take(frames, r->bytes);
    if (!r->data) {
        layout_free(&r->layout);
        *r = (struct raw){0};
        return -1;
    }
    return 0;
}

int raw_create(struct raw *r, struct slice s, enum raw_form form, struct frames *frames)
{
    return raw_create_share(r, s, form, 1, false, frames);
}

void raw_free(struct raw *r)
{
    frames_give(r->frames, r->data, r->bytes);
    layout_free(&r->layout);
    *r = (struct raw){0};
}

static bool bit_at(const uint8_t *plane, uint64_t i)
{
    return plane[i / 8] >> i % 8 & 1;
}

/* The code of value i of a block with two bytes a value; with nine bits. */
static uint16_t wide_seen(const uint8_t *block, uint64_t i)
{
    uint16_t seen;

    memcpy(&seen, block + 2 * i, sizeof seen);
    return seen;
}

static uint16_t nine_seen(const uint8_t *block, size_t plane, uint64_t i)
{
    return (uint16_t)(block[i] | bit_at(block + plane, i) << 8);
}

enum { PACK_LOOK = 1 << 22 }; /* values between two looks at the stop flag */

/* From up to 64 seen codes of a block, from number `first` on: bitmaps of wins and losses for
 * the mover. */
static void codes_pack(const struct raw *t, const uint8_t *block, uint64_t first, uint64_t n,
                       uint64_t *win, uint64_t *loss)
{
    *win = *loss = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint16_t seen = NARROW_DRAW, draw = NARROW_DRAW;

        if (t->form == RAW_WIDE) {
            seen = wide_seen(block, first + i);
            draw = WIDE_DRAW;
        } else if (t->form == RAW_NINE) {
            seen = nine_seen(block, t->plane, first + i);
            draw = NINE_DRAW;
        } else {
            seen = block[first + i];
        }
        *win |= (uint64_t)(seen < draw) << i;
        *loss |= (uint64_t)(seen > draw) << i;
    }
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

void raw_pack_block(struct raw *packed, const struct raw *distances, uint64_t block,
                    const atomic_bool *stop)
{
    const uint8_t *from = distances->data + block * distances->stride;
    uint8_t *to = packed->data + block * packed->stride;
    uint64_t size = packed->layout.block_size;

    assert(packed->form == RAW_PACKED && distances->form != RAW_PACKED);
    assert(slice_equal(packed->layout.slice, distances->layout.slice));
    assert(block < packed->layout.blocks);
    for (uint64_t i = 0; i < size; i += 64) {
        uint64_t n = size - i < 64 ? size - i : 64, win, loss;

        if (i % PACK_LOOK == 0 && i && is_stopped(stop))
            return;
        codes_pack(distances, from, i, n, &win, &loss);
        memcpy(to + i / 8, &win, (n + 7) / 8);
        memcpy(to + packed->plane + i / 8, &loss, (n + 7) / 8);
    }
}

void raw_pack(struct raw *packed, const struct raw *distances, const atomic_bool *stop)
{
    for (uint64_t b = 0; b < packed->layout.blocks && !is_stopped(stop); b++)
        raw_pack_block(packed, distances, b, stop);
}

struct outcome raw_outcome(const struct raw *r, uint64_t index)
{
    const uint8_t *block = r->data + index / r->layout.block_size * r->stride;
    uint64_t i = index % r->layout.block_size;

    assert(index < r->layout.positions);
    switch (r->form) {
    case RAW_PACKED:
        if (bit_at(block, i))
            return (struct outcome){VALUE_WIN, 0};
        if (bit_at(block + r->plane, i))
            return (struct outcome){VALUE_LOSS, 0};
        return (struct outcome){VALUE_DRAW, 0};
    case RAW_NARROW:
        return outcome_from_narrow(block[i]);
    case RAW_NINE:
        return outcome_from_nine(nine_seen(block, r->plane, i));
    default:
        return outcome_from_wide(wide_seen(block, i));
    }
}
