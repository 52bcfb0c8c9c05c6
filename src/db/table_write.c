/* SPDX-License-Identifier: MIT
 *
 * The writing half of table.h.
 *
 * Pages go to the disk as they come, behind room for the header; index and models
 * are kept and written last, then the header. */
#include "base/files.h"
#include "db/table_format.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { BUFFER_BYTES = 1 << 20 };

struct table_writer {
    struct table_header header;
    struct layout layout[2];
    struct codec_training training[2];
    struct codec_model model[2];
    uint8_t *index;  /* of both tables */
    uint64_t next;   /* the next page to be appended, counted through both tables */
    uint64_t offset; /* of the next page, from the first page */
    int fd;
    size_t buffered;
    uint8_t *buffer;
    char path[TABLE_PATH_MAX], temporary[TABLE_PATH_MAX + 8];
};

/* ------------------------------------------------------------------ output -- */

static enum status flush(struct table_writer *w, struct error *e)
{
    size_t n = w->buffered;

    w->buffered = 0;
    return file_write_all(w->fd, w->temporary, w->buffer, n, e);
}

static enum status put(struct table_writer *w, const void *bytes, size_t n, struct error *e)
{
    enum status rc;

    if (n > BUFFER_BYTES - w->buffered && (rc = flush(w, e)))
        return rc;
    if (n > BUFFER_BYTES)
        return file_write_all(w->fd, w->temporary, bytes, n, e);
    memcpy(w->buffer + w->buffered, bytes, n);
    w->buffered += n;
    return STATUS_OK;
}

/* ----------------------------------------------------------------- creating -- */

static enum status writer_tables(struct table_writer *w, struct error *e)
{
    struct table_header *h = &w->header;

    for (int i = 0; i < h->tables; i++) {
        if (layout_create(&w->layout[i], i ? slice_flip(h->slice) : h->slice))
            return error_set(e, STATUS_NO_MEMORY, "not enough memory for the layout of a table");
        h->pages[i] = pages_of(w->layout[i].positions);
        codec_train_begin(&w->training[i], codec_kind_of(h->kind));
    }
    return STATUS_OK;
}

/* Names, memory and the temporary file with room for the header. */
static enum status writer_prepare(struct table_writer *w, const char *dir, struct error *e)
{
    static const uint8_t empty[HEADER_BYTES];
    struct table_header *h = &w->header;

    if (strlen(dir) >= TABLE_PATH_MAX - 32)
        return error_set(e, STATUS_IO, "%.80s...: %s", dir, strerror(ENAMETOOLONG));
    table_path(w->path, sizeof w->path, dir, h->slice, h->kind);
    snprintf(w->temporary, sizeof w->temporary, "%s.tmp", w->path);
    w->index = calloc(1, index_bytes(h));
    w->buffer = malloc(BUFFER_BYTES);
    if (!w->index || !w->buffer)
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", w->path);
    w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (w->fd < 0)
        return file_error(w->temporary, e);
    return put(w, empty, sizeof empty, e);
}

enum status table_writer_create(struct table_writer **out, const char *dir, struct slice s,
                                enum kind kind, struct error *e)
{
    struct table_writer *w = calloc(1, sizeof *w);
    enum status rc;

    *out = NULL;
    if (!w)
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", dir);
    w->fd = -1;
    w->header.slice = slice_canonical(s);
    w->header.kind = kind;
    w->header.tables = slice_symmetric(s) ? 1 : 2;
    if ((rc = writer_tables(w, e)) || (rc = writer_prepare(w, dir, e))) {
        table_writer_abandon(&w);
        return rc;
    }
    *out = w;
    return STATUS_OK;
}

static void writer_free(struct table_writer **w)
{
    for (int i = 0; i < 2; i++)
        layout_free(&(*w)->layout[i]);
    if ((*w)->fd >= 0)
        close((*w)->fd);
    free((*w)->index);
    free((*w)->buffer);
    free(*w);
    *w = NULL;
}

void table_writer_abandon(struct table_writer **w)
{
    if (!*w)
        return;
    if ((*w)->fd >= 0)
        unlink((*w)->temporary);
    writer_free(w);
}

/* -------------------------------------------------------------------- pages -- */

/* From plies to what the codec keeps: a win of a dtw is odd, a loss even. */
static const uint16_t *units_from_plies(enum kind kind, const uint16_t *distances,
                                        struct table_scratch *scratch, uint32_t n)
{
    if (kind != KIND_DTW)
        return distances;
    for (uint32_t i = 0; i < n; i++)
        scratch->unit[i] =
            distances[i] == TABLE_ANY_DISTANCE ? TABLE_ANY_DISTANCE : distances[i] / 2;
    return scratch->unit;
}

void table_writer_train(struct table_writer *w, struct table_scratch *scratch, int mirror,
                        uint64_t page, const uint8_t *values, const uint16_t *distances)
{
    const struct codec_map *map = scratch_map(scratch, &w->layout[mirror], page);

    if (w->header.kind == KIND_WLD)
        codec_train_values(&w->training[mirror], map, values);
    else
        codec_train_distances(&w->training[mirror], map, values,
                              units_from_plies(w->header.kind, distances, scratch, map->n));
}

void table_writer_train_end(struct table_writer *w, int mirror)
{
    codec_train_end(&w->training[mirror], &w->model[mirror]);
}

/* Do all values that matter agree?  Then all others may as well. */
static bool values_uniform(uint8_t *values, uint32_t n, uint32_t *one)
{
    uint32_t i = 0;

    while (i < n && values[i] == TABLE_ANY)
        i++;
    *one = i < n ? values[i] : VALUE_DRAW;
    for (; i < n; i++)
        if (values[i] != *one && values[i] != TABLE_ANY)
            return false;
    memset(values, (int)*one, n);
    return true;
}

static bool units_uniform(const uint16_t *unit, uint32_t n, uint32_t *one)
{
    uint32_t i = 0;

    while (i < n && unit[i] == TABLE_ANY_DISTANCE)
        i++;
    *one = i < n ? unit[i] : 0;
    for (; i < n; i++)
        if (unit[i] != *one && unit[i] != TABLE_ANY_DISTANCE)
            return false;
    return true;
}

void table_page_encode(const struct table_writer *w, struct table_scratch *scratch, int mirror,
                       uint64_t page, uint8_t *values, const uint16_t *distances,
                       struct table_page *out)
{
    const struct layout *l = &w->layout[mirror];
    const struct codec_model *m = &w->model[mirror];
    uint32_t n = page_length(l, page);

    out->size = 0;
    if (w->header.kind == KIND_WLD) {
        if (values_uniform(values, n, &out->check))
            return;
        out->size =
            (uint32_t)codec_encode_values(m, scratch_map(scratch, l, page), values, out->bytes);
    } else {
        const uint16_t *unit = units_from_plies(w->header.kind, distances, scratch, n);

        if (units_uniform(unit, n, &out->check))
            return;
        out->size = (uint32_t)codec_encode_distances(m, scratch_map(scratch, l, page), values, unit,
                                                     out->bytes);
    }
    assert(out->size > 0 && out->size <= TABLE_PAGE_BYTES_MAX);
    out->check = (uint32_t)XXH3_64bits(out->bytes, out->size);
}

enum status table_writer_append(struct table_writer *w, const struct table_page *p, struct error *e)
{
    uint64_t first = w->header.pages[0], page = w->next < first ? w->next : w->next - first;
    uint64_t group = page / GROUP_PAGES + (w->next < first ? 0 : groups_of(first));
    unsigned at = page % GROUP_PAGES;
    uint8_t *entry = w->index + group * GROUP_BYTES;

    assert(w->next < first + w->header.pages[1]);
    if (at == 0)
        bytes_put(entry, 8, w->offset);
    bytes_put(entry + GROUP_SIZES + 3 * at, 3, p->size);
    bytes_put(entry + GROUP_CHECKS + 4 * at, 4, p->check);
    w->offset += p->size;
    w->next++;
    return put(w, p->bytes, p->size, e);
}

/* ---------------------------------------------------------------- finishing -- */

/* Models and index follow the pages; their sum and places complete the header. */
static enum status write_body(struct table_writer *w, struct error *e)
{
    struct table_header *h = &w->header;
    XXH3_state_t *sum = XXH3_createState();
    enum status rc = STATUS_OK;

    if (!sum)
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", w->path);
    XXH3_64bits_reset(sum);
    h->models = h->index = HEADER_BYTES + w->offset;
    for (int i = 0; i < h->tables && !rc; i++) {
        uint8_t model[CODEC_MODEL_BYTES_MAX];

        h->model_size[i] = codec_model_save(&w->model[i], model);
        h->index += h->model_size[i];
        XXH3_64bits_update(sum, model, h->model_size[i]);
        rc = put(w, model, h->model_size[i], e);
    }
    XXH3_64bits_update(sum, w->index, index_bytes(h));
    if (!rc)
        rc = put(w, w->index, index_bytes(h), e);
    h->size = h->index + index_bytes(h);
    h->body_sum = XXH3_64bits_digest(sum);
    XXH3_freeState(sum);
    return rc ? rc : flush(w, e);
}

static enum status write_header(struct table_writer *w, struct error *e)
{
    uint8_t header[HEADER_BYTES];

    header_encode(&w->header, header);
    if (lseek(w->fd, 0, SEEK_SET) != 0)
        return file_error(w->temporary, e);
    return file_write_all(w->fd, w->temporary, header, sizeof header, e);
}

enum status table_writer_finish(struct table_writer **out, const struct table_stats stats[2],
                                struct error *e)
{
    struct table_writer *w = *out;
    enum status rc;

    assert(w->next == w->header.pages[0] + w->header.pages[1]);
    for (int i = 0; i < w->header.tables; i++)
        w->header.stats[i] = stats[i];
    if ((rc = write_body(w, e)) || (rc = write_header(w, e))) {
        table_writer_abandon(out);
        return rc;
    }
    rc = file_publish(w->fd, w->temporary, w->path, e);
    writer_free(out);
    return rc;
}
