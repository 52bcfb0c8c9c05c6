/* SPDX-License-Identifier: MIT */
#include "db/raw.h"

#include <string.h>
#include <sys/mman.h>

static size_t plane_bytes(const struct layout *l)
{
    return (l->block_size + 7) / 8;
}

static size_t stride_bytes(const struct layout *l, enum raw_form form)
{
    switch (form) {
    case RAW_PACKED:
        return 2 * plane_bytes(l);
    case RAW_NARROW:
        return l->block_size;
    default:
        return 2 * l->block_size;
    }
}

uint64_t raw_bytes(struct slice s, enum raw_form form)
{
    struct layout l;
    uint64_t bytes;

    if (layout_create(&l, s))
        return UINT64_MAX;
    bytes = l.blocks * stride_bytes(&l, form) + RAW_SLACK;
    layout_free(&l);
    return bytes;
}

int raw_create(struct raw *r, struct slice s, enum raw_form form)
{
    *r = (struct raw){.form = form};
    if (layout_create(&r->layout, s))
        return -1;
    r->plane = form == RAW_PACKED ? plane_bytes(&r->layout) : 0;
    r->stride = stride_bytes(&r->layout, form);
    r->bytes = r->layout.blocks * r->stride + RAW_SLACK;
    r->data = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (r->data == MAP_FAILED) {
        layout_free(&r->layout);
        *r = (struct raw){0};
        return -1;
    }
    madvise(r->data, r->bytes, MADV_HUGEPAGE);
    return 0;
}

void raw_free(struct raw *r)
{
    if (r->data)
        munmap(r->data, r->bytes);
    layout_free(&r->layout);
    *r = (struct raw){0};
}

static bool bit_at(const uint8_t *plane, uint64_t i)
{
    return plane[i / 8] >> i % 8 & 1;
}

struct outcome raw_outcome(const struct raw *r, uint64_t index)
{
    const uint8_t *block = r->data + index / r->layout.block_size * r->stride;
    uint64_t i = index % r->layout.block_size;

    switch (r->form) {
    case RAW_PACKED:
        if (bit_at(block, i))
            return (struct outcome){VALUE_WIN, 0};
        if (bit_at(block + r->plane, i))
            return (struct outcome){VALUE_LOSS, 0};
        return (struct outcome){VALUE_DRAW, 0};
    case RAW_NARROW:
        return outcome_from_narrow(block[i]);
    default: {
        uint16_t seen;
        memcpy(&seen, block + 2 * i, sizeof seen);
        return outcome_from_wide(seen);
    }
    }
}
