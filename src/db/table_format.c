/* SPDX-License-Identifier: MIT */
#include "db/table_format.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char magic[] = "kelso tb";

enum { STATS_BYTES = 192, STATS_AT = 96 };

/* Files store the counts in the usual order: win, draw, loss. */
static const enum value stored[3] = {VALUE_WIN, VALUE_DRAW, VALUE_LOSS};

const char *kind_name(enum kind kind)
{
    static const char *const name[KINDS] = {"wld", "dtc", "dtw"};

    return name[kind];
}

char *table_path(char *buf, size_t size, const char *dir, struct slice s, enum kind kind)
{
    char name[SLICE_NAME_MAX];

    snprintf(buf, size, "%s/%s.%s", dir, slice_name(slice_canonical(s), name), kind_name(kind));
    return buf;
}

/* ------------------------------------------------------------------ scratch -- */

static_assert((int)TABLE_PAGE == (int)CODEC_PAGE_MAX, "a page is what the codec takes at once");

int table_sets(struct slice s)
{
    int one = codec_map_sets(s), other = codec_map_sets(slice_flip(s));

    return one > other ? one : other;
}

struct table_scratch *table_scratch_create(const struct sets *sets)
{
    struct table_scratch *scratch = calloc(1, sizeof *scratch);

    if (scratch)
        scratch->sets = sets;
    return scratch;
}

void table_scratch_free(struct table_scratch **scratch)
{
    free(*scratch);
    *scratch = NULL;
}

static bool scratch_is_at(const struct table_scratch *scratch, const struct layout *l,
                          uint64_t page)
{
    return slice_equal(scratch->slice, l->slice) && scratch->page == page;
}

static void scratch_fill(struct table_scratch *scratch, const struct layout *l, uint64_t page,
                         bool whole)
{
    assert(codec_map_sets(l->slice) <= scratch->sets->kmax);
    (whole ? codec_map_fill : codec_map_captures)(&scratch->map, l, scratch->sets,
                                                  page * TABLE_PAGE, page_length(l, page));
    scratch->slice = l->slice;
    scratch->page = page;
    scratch->whole = whole;
}

const struct codec_map *scratch_map(struct table_scratch *scratch, const struct layout *l,
                                    uint64_t page)
{
    if (!scratch_is_at(scratch, l, page) || !scratch->whole)
        scratch_fill(scratch, l, page, true);
    scratch->wanted = true;
    return &scratch->map;
}

const uint64_t *table_captures(struct table_scratch *scratch, const struct layout *l, uint64_t page)
{
    if (!scratch_is_at(scratch, l, page)) {
        scratch_fill(scratch, l, page, scratch->wanted);
        scratch->wanted = false;
    }
    return scratch->map.taking;
}

/* --------------------------------------------------------------- statistics -- */

static void record_encode(const struct table_record *r, uint8_t *out)
{
    bytes_put(out, 8, r->plies < 0 ? UINT64_MAX : r->index);
    bytes_put(out + 8, 4, r->plies < 0 ? 0 : (uint64_t)r->plies);
}

static void record_decode(const uint8_t *in, struct table_record *r)
{
    r->index = bytes_get(in, 8);
    r->plies = r->index == UINT64_MAX ? -1 : (int)bytes_get(in + 8, 4);
}

static void stats_encode(const struct table_stats *s, uint8_t *out)
{
    const struct table_counts *part[2] = {&s->all, &s->quiet};

    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < 3; i++)
            bytes_put(out + 24 * p + 8 * i, 8, part[p]->count[stored[i]]);
        record_encode(&part[p]->longest[VALUE_WIN], out + 48 + 32 * p);
        record_encode(&part[p]->longest[VALUE_LOSS], out + 64 + 32 * p);
    }
}

static void stats_decode(const uint8_t *in, struct table_stats *s)
{
    struct table_counts *part[2] = {&s->all, &s->quiet};

    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < 3; i++)
            part[p]->count[stored[i]] = bytes_get(in + 24 * p + 8 * i, 8);
        record_decode(in + 48 + 32 * p, &part[p]->longest[VALUE_WIN]);
        record_decode(in + 64 + 32 * p, &part[p]->longest[VALUE_LOSS]);
        part[p]->longest[VALUE_DRAW] = (struct table_record){-1, UINT64_MAX};
    }
}

static bool record_plausible(const struct table_record *r, enum kind kind, uint64_t positions)
{
    if (r->plies < 0)
        return r->index == UINT64_MAX;
    return kind != KIND_WLD && r->plies < TABLE_ANY_DISTANCE && r->index < positions;
}

static bool stats_plausible(const struct table_stats *s, enum kind kind, uint64_t positions)
{
    uint64_t left = positions;

    for (int v = 0; v < 3; v++) {
        if (s->all.count[v] > left || s->quiet.count[v] > s->all.count[v] ||
            !record_plausible(&s->all.longest[v], kind, positions) ||
            !record_plausible(&s->quiet.longest[v], kind, positions))
            return false;
        left -= s->all.count[v];
    }
    return left == 0;
}

/* ------------------------------------------------------------------- header -- */

void header_encode(const struct table_header *h, uint8_t out[HEADER_BYTES])
{
    memset(out, 0, HEADER_BYTES);
    memcpy(out, magic, 8);
    bytes_put(out + 8, 2, (uint64_t)h->version);
    out[10] = (uint8_t)h->kind;
    out[11] = (uint8_t)h->tables;
    out[12] = h->slice.kings;
    out[13] = h->slice.men;
    out[14] = h->slice.opp_kings;
    out[15] = h->slice.opp_men;
    bytes_put(out + 16, 4, TABLE_PAGE);
    bytes_put(out + 20, 4, h->part == TABLE_PAGE ? 0 : h->part);
    bytes_put(out + 40, 8, HEADER_BYTES);
    bytes_put(out + 48, 8, h->models);
    bytes_put(out + 72, 8, h->index);
    bytes_put(out + 80, 8, h->size);
    bytes_put(out + 88, 8, h->body_sum);
    for (int i = 0; i < h->tables; i++) {
        bytes_put(out + 24 + 8 * i, 8, h->pages[i]);
        bytes_put(out + 56 + 8 * i, 8, h->model_size[i]);
        stats_encode(&h->stats[i], out + STATS_AT + STATS_BYTES * i);
    }
    bytes_put(out + HEADER_SUM, 8, XXH3_64bits(out, HEADER_SUM));
}

static enum status fault(const char **wrong, enum status status, const char *what)
{
    *wrong = what;
    return status;
}

/* Decode the identity of the table: kind and slice. */
static enum status decode_identity(const uint8_t *in, struct table_header *h, const char **wrong)
{
    struct slice s = {in[12], in[13], in[14], in[15]};

    if (memcmp(in, magic, 8) != 0)
        return fault(wrong, STATUS_FORMAT, "not a table of kelso (wrong magic)");
    if (in[10] >= KINDS)
        return fault(wrong, STATUS_FORMAT, "unknown kind at offset 10");
    h->kind = (enum kind)in[10];
    h->version = (int)bytes_get(in + 8, 2);
    if (h->version != version_newest(h->kind) && h->version != version_newest(h->kind) - 1)
        return fault(wrong, STATUS_FORMAT,
                     "a version of the format that this program does not read");
    if (bytes_get(in + HEADER_SUM, 8) != XXH3_64bits(in, HEADER_SUM))
        return fault(wrong, STATUS_DAMAGED, "the header's checksum does not match");
    if (!s.kings + !s.men == 2 || !s.opp_kings + !s.opp_men == 2 || slice_pieces(s) > PIECES_MAX ||
        !slice_equal(s, slice_canonical(s)))
        return fault(wrong, STATUS_FORMAT, "no canonical slice at offset 12");
    if (in[11] != (slice_symmetric(s) ? 1 : 2))
        return fault(wrong, STATUS_FORMAT, "wrong number of tables at offset 11");
    if (bytes_get(in + 16, 4) != TABLE_PAGE)
        return fault(wrong, STATUS_FORMAT, "unknown page size at offset 16");
    h->part = bytes_get(in + 20, 4) ? (uint32_t)bytes_get(in + 20, 4) : TABLE_PAGE;
    if (!part_is_good(h->part) || (h->kind != KIND_WLD && h->part != TABLE_PAGE) ||
        (h->kind == KIND_WLD && h->version != version_of(h->kind, h->part)))
        return fault(wrong, STATUS_FORMAT, "unknown size of parts at offset 20");
    h->slice = s;
    h->tables = in[11];
    return STATUS_OK;
}

/* Decode the offsets.  Each part is checked against the rest of the file. */
static enum status decode_places(const uint8_t *in, uint64_t size, struct table_header *h,
                                 const char **wrong)
{
    uint64_t left = size - HEADER_BYTES, index;

    h->models = bytes_get(in + 48, 8);
    h->index = bytes_get(in + 72, 8);
    h->size = bytes_get(in + 80, 8);
    h->body_sum = bytes_get(in + 88, 8);
    index = index_bytes(h);
    if (h->size != size)
        return fault(wrong, STATUS_FORMAT,
                     "the size at offset 80 is not that of the file: it was cut short or extended");
    if (index > left)
        return fault(wrong, STATUS_FORMAT, "too short for its index");
    left -= index;
    for (int i = 0; i < h->tables; i++) {
        h->model_size[i] = bytes_get(in + 56 + 8 * i, 8);
        if (h->model_size[i] > left)
            return fault(wrong, STATUS_FORMAT, "too short for its models");
        left -= h->model_size[i];
    }
    if (h->models != HEADER_BYTES + left || h->index != size - index)
        return fault(wrong, STATUS_FORMAT,
                     "offsets of models and index that do not fit the file's size");
    return STATUS_OK;
}

static enum status decode_tables(const uint8_t *in, struct table_header *h, struct layout layout[2],
                                 const char **wrong)
{
    for (int i = 0; i < h->tables; i++) {
        if (layout_create(&layout[i], i ? slice_flip(h->slice) : h->slice))
            return fault(wrong, STATUS_NO_MEMORY, "not enough memory");
        h->pages[i] = bytes_get(in + 24 + 8 * i, 8);
        if (h->pages[i] != pages_of(layout[i].positions))
            return fault(wrong, STATUS_FORMAT, "wrong number of pages at offset 24");
        stats_decode(in + STATS_AT + STATS_BYTES * i, &h->stats[i]);
        if (!stats_plausible(&h->stats[i], h->kind, layout[i].positions))
            return fault(wrong, STATUS_FORMAT, "impossible statistics at offset 96");
    }
    return STATUS_OK;
}

enum status header_decode(const uint8_t in[HEADER_BYTES], uint64_t size, struct table_header *h,
                          struct layout layout[2], const char **wrong)
{
    uint8_t again[HEADER_BYTES];
    enum status rc;

    *h = (struct table_header){0};
    if ((rc = decode_identity(in, h, wrong)) || (rc = decode_tables(in, h, layout, wrong)) ||
        (rc = decode_places(in, size, h, wrong)))
        return rc;
    header_encode(h, again);
    if (memcmp(in, again, HEADER_BYTES) != 0)
        return fault(wrong, STATUS_FORMAT, "reserved bytes of the header are not 0");
    return STATUS_OK;
}
