/* SPDX-License-Identifier: MIT
 *
 * The reading half of table.h. */
#include "base/files.h"
#include "db/codec_lines.h"
#include "db/table_format.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

struct table {
    struct table_header header;
    struct layout layout[2];
    struct codec_model model[2];
    const uint8_t *group[2]; /* the index of each table, in `body` */
    uint8_t *body;           /* models and index */
    int fd;
    uint64_t size;
    uint64_t digest;
    char path[];
};

/* ------------------------------------------------------------------ opening -- */

static enum status body_read(struct table *t, struct error *e)
{
    const struct table_header *h = &t->header;
    enum status rc = file_load(t->fd, t->path, h->models, h->size - h->models, &t->body, e);
    const uint8_t *model = t->body;

    if (rc)
        return rc;
    if (XXH3_64bits(model, h->size - h->models) != h->body_sum)
        return error_set(e, STATUS_DAMAGED,
                         "%s: offset %" PRIu64 ": the checksum of models and index does not match",
                         t->path, h->models);
    for (int i = 0; i < h->tables; i++) {
        if (!codec_model_load(&t->model[i], codec_kind_of(h->kind), model, h->model_size[i]))
            return error_set(e, STATUS_FORMAT, "%s: offset %" PRIu64 ": not a model", t->path,
                             h->models + (uint64_t)(model - t->body));
        model += h->model_size[i];
    }
    t->group[0] = t->body + (h->index - h->models);
    t->group[1] = t->group[0] + groups_of(h->pages[0]) * GROUP_BYTES;
    return STATUS_OK;
}

static enum status header_read(struct table *t, struct error *e)
{
    uint8_t bytes[HEADER_BYTES];
    const char *wrong;
    enum status rc = file_read_at(t->fd, t->path, bytes, sizeof bytes, 0, e);

    if (rc)
        return rc;
    if ((rc = header_decode(bytes, t->size, &t->header, t->layout, &wrong)))
        return error_set(e, rc, "%s: %s", t->path, wrong);
    t->digest = bytes_get(bytes + HEADER_SUM, 8);
    return STATUS_OK;
}

enum status table_open(struct table **out, const char *path, struct error *e)
{
    struct table *t = calloc(1, sizeof *t + strlen(path) + 1);
    enum status rc;

    *out = NULL;
    if (!t)
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", path);
    strcpy(t->path, path);
    if ((rc = file_open(path, "a table", HEADER_BYTES, &t->fd, &t->size, e)) ||
        (rc = header_read(t, e)) || (rc = body_read(t, e)))
        table_close(&t);
    *out = t;
    return rc;
}

void table_close(struct table **t)
{
    if (!*t)
        return;
    if ((*t)->fd >= 0)
        close((*t)->fd);
    free((*t)->body);
    for (int i = 0; i < 2; i++)
        layout_free(&(*t)->layout[i]);
    free(*t);
    *t = NULL;
}

/* ------------------------------------------------------------------ what it is -- */

struct slice table_slice(const struct table *t)
{
    return t->header.slice;
}

enum kind table_kind(const struct table *t)
{
    return t->header.kind;
}

uint64_t table_size(const struct table *t)
{
    return t->size;
}

uint64_t table_memory(const struct table *t)
{
    return t->header.size - t->header.models;
}

uint64_t table_digest(const struct table *t)
{
    return t->digest;
}

const char *table_name(const struct table *t)
{
    return t->path;
}

uint32_t table_part(const struct table *t)
{
    return t->header.part;
}

bool table_newest(const struct table *t)
{
    return t->header.version == version_newest(t->header.kind);
}

enum status table_fits(const struct table *distances, const struct table *wld, struct error *e)
{
    if (distances == wld || table_newest(distances) || wld->header.part == TABLE_PAGE)
        return STATUS_OK;
    return error_set(e, STATUS_MISMATCH,
                     "%s: version %d does not go with parts of %" PRIu32
                     " positions in the wld table: run 'kelso repack'",
                     distances->path, distances->header.version, wld->header.part);
}

/* A symmetric slice is its own mirror. */
static int table_at(const struct table *t, int mirror)
{
    return mirror < t->header.tables ? mirror : 0;
}

const struct layout *table_layout(const struct table *t, int mirror)
{
    return &t->layout[table_at(t, mirror)];
}

uint64_t table_pages(const struct table *t, int mirror)
{
    return t->header.pages[table_at(t, mirror)];
}

const struct table_stats *table_stats(const struct table *t, int mirror)
{
    return &t->header.stats[table_at(t, mirror)];
}

uint32_t table_page_length(const struct table *t, int mirror, uint64_t page)
{
    return page_length(table_layout(t, mirror), page);
}

/* -------------------------------------------------------------------- pages -- */

struct page_place { /* of a page in the file */
    uint64_t offset;
    uint32_t size, check;
};

static struct page_place page_place(const struct table *t, int mirror, uint64_t page)
{
    const uint8_t *group = t->group[mirror] + page / GROUP_PAGES * GROUP_BYTES;
    unsigned at = page % GROUP_PAGES;
    uint64_t offset = HEADER_BYTES + bytes_get(group, 8);

    for (unsigned i = 0; i < at; i++)
        offset += bytes_get(group + GROUP_SIZES + 3 * i, 3);
    return (struct page_place){offset, (uint32_t)bytes_get(group + GROUP_SIZES + 3 * at, 3),
                               (uint32_t)bytes_get(group + GROUP_CHECKS + 4 * at, 4)};
}

bool table_page_one(const struct table *t, int mirror, uint64_t page, uint32_t *one)
{
    const uint8_t *group = t->group[table_at(t, mirror)] + page / GROUP_PAGES * GROUP_BYTES;
    unsigned at = page % GROUP_PAGES;

    *one = (uint32_t)bytes_get(group + GROUP_CHECKS + 4 * at, 4);
    return t->header.kind == KIND_WLD && !bytes_get(group + GROUP_SIZES + 3 * at, 3) &&
           *one <= VALUE_WIN;
}

static enum status page_fail(const struct table *t, int mirror, uint64_t page, uint64_t offset,
                             enum status status, const char *what, struct error *e)
{
    return error_set(e, status, "%s: offset %" PRIu64 ": page %" PRIu64 " of table %d: %s", t->path,
                     offset, page, mirror, what);
}

/* Find a page, read its bytes and check them.  Offsets come from a file: guard against overflow. */
static enum status page_fetch(const struct table *t, int mirror, uint64_t page,
                              struct page_place *p, uint8_t bytes[TABLE_PAGE_BYTES_MAX],
                              struct error *e)
{
    uint64_t end = t->header.models;
    enum status rc;

    *p = page_place(t, mirror, page);
    if (p->size == 0)
        return STATUS_OK;
    if (p->size > TABLE_PAGE_BYTES_MAX || p->offset < HEADER_BYTES || p->offset > end ||
        p->size > end - p->offset)
        return page_fail(t, mirror, page, p->offset, STATUS_FORMAT, "outside the file's pages", e);
    if ((rc = file_read_at(t->fd, t->path, bytes, p->size, p->offset, e)))
        return rc;
    if ((uint32_t)XXH3_64bits(bytes, p->size) != p->check)
        return page_fail(t, mirror, page, p->offset, STATUS_DAMAGED, "its checksum does not match",
                         e);
    return STATUS_OK;
}

/* ------------------------------------------------------------------- values -- */

/* A part of a page: one value, or bytes. */
struct page_part {
    uint32_t offset, size; /* in the page */
    uint8_t one;           /* if size is 0 */
};

/* Read the next entry of a directory at `at` of the page's `size` bytes; false if it is cut off. */
static bool part_next(const uint8_t *page, uint32_t size, uint32_t *at, struct page_part *p)
{
    uint32_t b;

    if (*at >= size)
        return false;
    b = page[(*at)++];
    p->one = (uint8_t)b;
    p->size = b <= VALUE_WIN ? 0 : b - VALUE_WIN;
    if (b < PART_SIZE_WIDE)
        return true;
    if (*at >= size)
        return false;
    p->size = (b - PART_SIZE_WIDE) * 256 + page[(*at)++] + PART_SIZE_MORE + 1;
    return true;
}

/* Find part number `wanted` of `parts`; false if the directory is invalid. */
static bool part_find(const uint8_t *page, uint32_t size, uint32_t parts, uint32_t wanted,
                      struct page_part *p)
{
    uint32_t at = 0, before = 0;
    struct page_part other;

    for (uint32_t i = 0; i < parts; i++) {
        if (!part_next(page, size, &at, &other))
            return false;
        if (i == wanted)
            *p = other;
        if (i < wanted)
            before += other.size;
    }
    p->offset = at + before;
    return p->offset <= size && p->size <= size - p->offset;
}

static uint32_t parts_of(const struct table *t, uint32_t length)
{
    return (length + t->header.part - 1) / t->header.part;
}

static enum status parts_fail(const struct table *t, int at, uint64_t page,
                              const struct page_place *p, struct error *e)
{
    return page_fail(t, at, page, p->offset, STATUS_FORMAT, "its parts do not fit its size", e);
}

/* Decode all parts of a page; those with several values use the page's map. */
static enum status parts_read(const struct table *t, struct table_scratch *scratch, int at,
                              uint64_t page, const struct page_place *p, uint8_t *values,
                              struct error *e)
{
    const struct layout *l = &t->layout[at];
    const uint8_t *bytes = scratch->bytes;
    uint32_t n = page_length(l, page), part = t->header.part;

    for (uint32_t i = 0; i < parts_of(t, n); i++) {
        uint32_t first = i * part, length = n - first < part ? n - first : part;
        struct page_part q;

        if (!part_find(bytes, p->size, parts_of(t, n), i, &q))
            return parts_fail(t, at, page, p, e);
        if (q.size == 0) {
            memset(values + first, q.one, length);
            continue;
        }
        codec_map_part(&scratch->part, scratch_map(scratch, l, page), first, length);
        codec_decode_values(&t->model[at], &scratch->work, &scratch->part, length, bytes + q.offset,
                            q.size, values + first);
    }
    return STATUS_OK;
}

enum status table_read_values(const struct table *t, struct table_scratch *scratch, int mirror,
                              uint64_t page, uint8_t *values, struct error *e)
{
    int at = table_at(t, mirror);
    const struct layout *l = &t->layout[at];
    uint32_t n = page_length(l, page);
    struct page_place p;
    enum status rc;

    assert(t->header.kind == KIND_WLD && page < t->header.pages[at]);
    if ((rc = page_fetch(t, at, page, &p, scratch->bytes, e)))
        return rc;
    if (p.size == 0 && p.check > VALUE_WIN)
        return page_fail(t, at, page, p.offset, STATUS_FORMAT, "has no such value", e);
    if (p.size == 0)
        memset(values, (int)p.check, n);
    else if (t->header.part != TABLE_PAGE)
        return parts_read(t, scratch, at, page, &p, values, e);
    else
        codec_decode_values(&t->model[at], &scratch->work, scratch_map(scratch, l, page), n,
                            scratch->bytes, p.size, values);
    return STATUS_OK;
}

enum status table_read_part(const struct table *t, struct table_scratch *scratch, int mirror,
                            uint64_t index, uint8_t *values, uint64_t *first, uint64_t *end,
                            uint8_t *one, struct error *e)
{
    int at = table_at(t, mirror);
    const struct layout *l = &t->layout[at];
    uint64_t page = index / TABLE_PAGE;
    uint32_t n = page_length(l, page), part = t->header.part, in = (uint32_t)(index % TABLE_PAGE);
    uint32_t start = in / part * part, length = n - start < part ? n - start : part;
    uint32_t stop = (in / CODEC_CHUNK + 1) * CODEC_CHUNK - start;
    struct page_part q = {.one = TABLE_ANY};
    struct codec_lines lines;
    struct page_place p;
    enum status rc;

    assert(t->header.kind == KIND_WLD && index < l->positions);
    *first = page * TABLE_PAGE + start;
    *end = *first + length;
    if ((rc = page_fetch(t, at, page, &p, scratch->bytes, e)))
        return rc;
    q.size = p.size;
    if (p.size == 0)
        q.one = (uint8_t)(p.check <= VALUE_WIN ? p.check : TABLE_ANY);
    else if (part != TABLE_PAGE &&
             !part_find(scratch->bytes, p.size, parts_of(t, n), start / part, &q))
        return parts_fail(t, at, page, &p, e);
    if (q.size == 0 && q.one > VALUE_WIN)
        return page_fail(t, at, page, p.offset, STATUS_FORMAT, "has no such value", e);
    *one = q.size ? TABLE_ANY : q.one;
    if (q.size == 0)
        return STATUS_OK;
    stop = stop < length ? stop : length;
    *end = *first + stop;
    codec_lines_begin(&lines, &scratch->part, l, scratch->sets, *first, stop);
    codec_decode_beginning(&t->model[at], &scratch->work, &lines, length, scratch->bytes + q.offset,
                           q.size, values);
    return STATUS_OK;
}

/* --------------------------------------------------------------- distances -- */

/* Convert the codec's units to plies; draws stay 0. */
static void plies_from_units(enum kind kind, const uint8_t *values, uint16_t *distances, uint32_t n)
{
    if (kind == KIND_DTW)
        for (uint32_t i = 0; i < n; i++)
            distances[i] = (uint16_t)(2 * distances[i] + (values[i] == VALUE_WIN));
}

enum status table_read_distances(const struct table *t, struct table_scratch *scratch, int mirror,
                                 uint64_t page, const uint8_t *values, uint16_t *distances,
                                 struct error *e)
{
    int at = table_at(t, mirror);
    const struct layout *l = &t->layout[at];
    uint32_t n = page_length(l, page);
    struct page_place p;
    enum status rc;

    assert(t->header.kind != KIND_WLD && page < t->header.pages[at]);
    if ((rc = page_fetch(t, at, page, &p, scratch->bytes, e)))
        return rc;
    if (!p.size && p.check >= TABLE_ANY_DISTANCE)
        return page_fail(t, at, page, p.offset, STATUS_FORMAT, "has no such distance", e);
    if (p.size && t->header.version == version_newest(t->header.kind)) {
        memcpy(scratch->values, values, n);
        values = scratch->values;
        codec_fill_values(scratch_map(scratch, l, page), scratch->values);
    }
    if (p.size)
        codec_decode_distances(&t->model[at], scratch_map(scratch, l, page), values, scratch->bytes,
                               p.size, distances);
    else
        for (uint32_t i = 0; i < n; i++)
            distances[i] = (uint16_t)p.check;
    plies_from_units(t->header.kind, values, distances, n);
    return STATUS_OK;
}

enum status table_check_page(const struct table *t, int mirror, uint64_t page, struct error *e)
{
    uint8_t bytes[TABLE_PAGE_BYTES_MAX];
    struct page_place p;

    return page_fetch(t, table_at(t, mirror), page, &p, bytes, e);
}
