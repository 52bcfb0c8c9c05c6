/* SPDX-License-Identifier: MIT
 *
 * The reading half of table.h. */
#include "base/files.h"
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

uint64_t table_digest(const struct table *t)
{
    return t->digest;
}

const char *table_name(const struct table *t)
{
    return t->path;
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

struct place { /* of a page in the file */
    uint64_t offset;
    uint32_t size, check;
};

static struct place page_place(const struct table *t, int mirror, uint64_t page)
{
    const uint8_t *group = t->group[mirror] + page / GROUP_PAGES * GROUP_BYTES;
    unsigned at = page % GROUP_PAGES;
    uint64_t offset = HEADER_BYTES + bytes_get(group, 8);

    for (unsigned i = 0; i < at; i++)
        offset += bytes_get(group + GROUP_SIZES + 3 * i, 3);
    return (struct place){offset, (uint32_t)bytes_get(group + GROUP_SIZES + 3 * at, 3),
                          (uint32_t)bytes_get(group + GROUP_CHECKS + 4 * at, 4)};
}

static enum status page_fail(const struct table *t, int mirror, uint64_t page, uint64_t offset,
                             enum status status, const char *what, struct error *e)
{
    return error_set(e, status, "%s: offset %" PRIu64 ": page %" PRIu64 " of table %d: %s", t->path,
                     offset, page, mirror, what);
}

/* Find a page, read its bytes and check them.  Offsets come from a file: mind overflow. */
static enum status page_fetch(const struct table *t, int mirror, uint64_t page, struct place *p,
                              uint8_t bytes[TABLE_PAGE_BYTES_MAX], struct error *e)
{
    uint64_t end = t->header.models;
    enum status rc;

    *p = page_place(t, mirror, page);
    if (p->size == 0)
        return STATUS_OK;
    if (p->size > TABLE_PAGE_BYTES_MAX || p->offset < HEADER_BYTES || p->offset > end ||
        p->size > end - p->offset)
        return page_fail(t, mirror, page, p->offset, STATUS_FORMAT, "outside of the file's pages",
                         e);
    if ((rc = file_read_at(t->fd, t->path, bytes, p->size, p->offset, e)))
        return rc;
    if ((uint32_t)XXH3_64bits(bytes, p->size) != p->check)
        return page_fail(t, mirror, page, p->offset, STATUS_DAMAGED, "its checksum does not match",
                         e);
    return STATUS_OK;
}

enum status table_read_values(const struct table *t, struct table_scratch *scratch, int mirror,
                              uint64_t page, uint8_t *values, struct error *e)
{
    int at = table_at(t, mirror);
    const struct layout *l = &t->layout[at];
    struct place p;
    enum status rc;

    assert(t->header.kind == KIND_WLD && page < t->header.pages[at]);
    if ((rc = page_fetch(t, at, page, &p, scratch->bytes, e)))
        return rc;
    if (p.size)
        codec_decode_values(&t->model[at], scratch_map(scratch, l, page), scratch->bytes, p.size,
                            values);
    else if (p.check <= VALUE_WIN)
        memset(values, (int)p.check, page_length(l, page));
    else
        return page_fail(t, at, page, p.offset, STATUS_FORMAT, "has no such value", e);
    return STATUS_OK;
}

/* From what the codec keeps to plies; draws keep 0. */
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
    struct place p;
    enum status rc;

    assert(t->header.kind != KIND_WLD && page < t->header.pages[at]);
    if ((rc = page_fetch(t, at, page, &p, scratch->bytes, e)))
        return rc;
    if (!p.size && p.check >= TABLE_ANY_DISTANCE)
        return page_fail(t, at, page, p.offset, STATUS_FORMAT, "has no such distance", e);
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
    struct place p;

    return page_fetch(t, table_at(t, mirror), page, &p, bytes, e);
}
