/* SPDX-License-Identifier: MIT
 *
 * table_format.h -- the bytes of a table file, for its reader and its writer only.
 *
 * table.h draws the layout; this file converts it to and from a struct.
 *
 * (F1) header_decode accepts exactly what header_encode writes: reserved bytes are 0, and every
 *      offset follows from the sizes before it.
 * (F2) It checks all numbers against each other and against the slice before they are used.
 *
 * Functions on the caller's memory; safe on any thread. */
#ifndef KELSO_DB_TABLE_FORMAT_H
#define KELSO_DB_TABLE_FORMAT_H

#include "base/bytes.h"
#include "db/codec.h"
#include "db/table.h"

enum {
    PART_SIZE_WIDE = 240, /* in a page's directory: entries from here on take two bytes */
    PART_SIZE_MORE = PART_SIZE_WIDE - VALUE_WIN - 1,
    HEADER_BYTES = 512,
    HEADER_SUM = 504, /* offset of the header's own sum */
    GROUP_PAGES = 64,
    GROUP_SIZES = 8,
    GROUP_CHECKS = GROUP_SIZES + 3 * GROUP_PAGES,
    GROUP_BYTES = GROUP_CHECKS + 4 * GROUP_PAGES,
};

struct table_header {
    enum kind kind;
    int version;
    uint32_t part; /* positions per part; TABLE_PAGE if pages have no parts */
    struct slice slice;
    int tables;
    uint64_t pages[2];
    uint64_t models, index, size; /* offsets; `size` is the end of the file */
    uint64_t model_size[2];
    uint64_t body_sum; /* XXH3 of models and index */
    struct table_stats stats[2];
};

struct table_scratch {
    const struct sets *sets;
    struct slice slice; /* `map` describes this page of this slice, if pieces > 0: */
    uint64_t page;
    bool whole;  /* not only the captures */
    bool wanted; /* the whole map was asked for, so the next page is likely to need its own */
    struct codec_map map, part;
    struct codec_work work;
    uint8_t values[TABLE_PAGE];
    uint16_t unit[TABLE_PAGE];           /* distances as the codec sees them */
    uint8_t bytes[TABLE_PAGE_BYTES_MAX]; /* an encoded page, as it was read */
};

/* What the rules say about a page. */
const struct codec_map *scratch_map(struct table_scratch *scratch, const struct layout *l,
                                    uint64_t page);

static inline uint64_t pages_of(uint64_t positions)
{
    return (positions + TABLE_PAGE - 1) / TABLE_PAGE;
}

static inline uint32_t page_length(const struct layout *l, uint64_t page)
{
    uint64_t left = l->positions - page * TABLE_PAGE;

    return left < TABLE_PAGE ? (uint32_t)left : TABLE_PAGE;
}

/* Version 1 of wld has no parts; version 1 of dtc and 2 of dtw depend on the filling of
 * captures in a wld table without parts. */
static inline int version_newest(enum kind kind)
{
    return kind == KIND_DTW ? 3 : 2;
}

static inline int version_of(enum kind kind, uint32_t part)
{
    return kind == KIND_WLD && part == TABLE_PAGE ? 1 : version_newest(kind);
}

static inline bool part_is_good(uint32_t part)
{
    return part == TABLE_PAGE ||
           (part >= TABLE_PART_MIN && part <= TABLE_PART_MAX && (part & (part - 1)) == 0);
}

static inline enum codec_kind codec_kind_of(enum kind kind)
{
    return kind == KIND_WLD ? CODEC_VALUES : kind == KIND_DTC ? CODEC_DISTANCES : CODEC_COUNTED;
}

static inline uint64_t groups_of(uint64_t pages)
{
    return (pages + GROUP_PAGES - 1) / GROUP_PAGES;
}

/* The size of the whole index. */
static inline uint64_t index_bytes(const struct table_header *h)
{
    return (groups_of(h->pages[0]) + groups_of(h->pages[1])) * GROUP_BYTES;
}

void header_encode(const struct table_header *h, uint8_t out[HEADER_BYTES]);

/* `layout` gets the layouts of the tables (the caller frees them, even after an error); `size` is
 * the size of the file; *wrong describes the fault in a few words. */
enum status header_decode(const uint8_t in[HEADER_BYTES], uint64_t size, struct table_header *h,
                          struct layout layout[2], const char **wrong);

#endif
