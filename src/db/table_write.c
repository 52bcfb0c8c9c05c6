/* SPDX-License-Identifier: MIT
 *
 * The writing half of table.h.
 *
 * Pages are written as they arrive, after room for the header.  Index and models are kept in
 * memory and written last, then the header. */
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

static enum status writer_create(struct table_writer **out, const char *dir, struct slice s,
                                 enum kind kind, uint32_t part, struct error *e)
{
    struct table_writer *w = calloc(1, sizeof *w);
    enum status rc;

    *out = NULL;
    if (!w)
        return error_no_memory(e);
    w->fd = -1;
    w->header.slice = slice_canonical(s);
    w->header.kind = kind;
    w->header.part = part;
    w->header.version = version_of(kind, part);
    w->header.tables = slice_symmetric(s) ? 1 : 2;
    if ((rc = writer_tables(w, e)) || (dir && (rc = writer_prepare(w, dir, e)))) {
        table_writer_abandon(&w);
        return rc;
    }
    *out = w;
    return STATUS_OK;
}

enum status table_writer_create(struct table_writer **w, const char *dir, struct slice s,
                                enum kind kind, struct error *e)
{
    return writer_create(w, dir, s, kind, kind == KIND_WLD ? TABLE_PART : TABLE_PAGE, e);
}

enum status table_writer_create_parts(struct table_writer **w, const char *dir, struct slice s,
                                      uint32_t part, struct error *e)
{
    assert(part_is_good(part));
    return writer_create(w, dir, s, KIND_WLD, part, e);
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

/* Convert plies to the codec's units: in a dtw a win is odd, a loss even. */
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

/* Part i of a page: its map (the page's own if there are no parts) and where it begins. */
static const struct codec_map *part_map(const struct table_writer *w, struct table_scratch *scratch,
                                        int mirror, uint64_t page, uint32_t i, uint32_t *first)
{
    const struct codec_map *map = scratch_map(scratch, &w->layout[mirror], page);
    uint32_t part = w->header.part, left = map->n - i * part;

    *first = i * part;
    if (part == TABLE_PAGE)
        return map;
    codec_map_part(&scratch->part, map, *first, left < part ? left : part);
    return &scratch->part;
}

static uint32_t parts_of(const struct table_writer *w, uint32_t n)
{
    return (n + w->header.part - 1) / w->header.part;
}

/* The values that go with distances, as every reader will have them. */
static const uint8_t *values_filled(struct table_scratch *scratch, const struct codec_map *map,
                                    const uint8_t *values)
{
    memcpy(scratch->values, values, map->n);
    codec_fill_values(map, scratch->values);
    return scratch->values;
}

void table_writer_train(struct table_writer *w, struct table_scratch *scratch, int mirror,
                        uint64_t page, const uint8_t *values, const uint16_t *distances)
{
    const struct codec_map *map = scratch_map(scratch, &w->layout[mirror], page);

    if (w->header.kind == KIND_WLD)
        for (uint32_t i = 0, first; i < parts_of(w, map->n); i++) {
            const struct codec_map *part = part_map(w, scratch, mirror, page, i, &first);

            codec_train_values(&w->training[mirror], part, values + first);
        }
    else
        codec_train_distances(&w->training[mirror], map, values_filled(scratch, map, values),
                              units_from_plies(w->header.kind, distances, scratch, map->n));
}

void table_writer_train_end(struct table_writer *w, int mirror)
{
    codec_train_end(&w->training[mirror], &w->model[mirror]);
}

static_assert((int)TABLE_MODEL_BYTES_MAX == (int)CODEC_MODEL_BYTES_MAX, "the codec's");

size_t table_writer_model(const struct table_writer *w, int mirror, uint8_t *bytes)
{
    return codec_model_save(&w->model[mirror], bytes);
}

bool table_writer_take_model(struct table_writer *w, int mirror, const uint8_t *bytes, size_t n)
{
    return codec_model_load(&w->model[mirror], codec_kind_of(w->header.kind), bytes, n);
}

/* Do all stored values agree?  Then the others may be set to the same value. */
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

/* An entry of a page's directory; returns its size. */
static uint32_t part_put(uint8_t *out, uint32_t size, uint32_t one)
{
    if (size <= PART_SIZE_MORE) {
        out[0] = (uint8_t)(size ? size + VALUE_WIN : one);
        return 1;
    }
    size -= PART_SIZE_MORE + 1;
    out[0] = (uint8_t)(PART_SIZE_WIDE + size / 256);
    out[1] = (uint8_t)size;
    return 2;
}

/* The directory comes first in the page: the parts are moved to make room once its size is
 * known. */
static uint32_t parts_encode(const struct table_writer *w, struct table_scratch *scratch,
                             int mirror, uint64_t page, uint8_t *values, uint32_t n, uint8_t *out)
{
    uint8_t directory[2 * TABLE_PAGE / TABLE_PART_MIN];
    uint32_t head = 0, size = 0, first;

    for (uint32_t i = 0; i < parts_of(w, n); i++) {
        const struct codec_map *part = part_map(w, scratch, mirror, page, i, &first);
        uint32_t bytes = 0, one;

        if (!values_uniform(values + first, part->n, &one))
            bytes = (uint32_t)codec_encode_values(&w->model[mirror], &scratch->work, part,
                                                  values + first, out + sizeof directory + size);
        head += part_put(directory + head, bytes, one);
        size += bytes;
    }
    memmove(out + head, out + sizeof directory, size);
    memcpy(out, directory, head);
    return head + size;
}

static uint32_t values_encode(const struct table_writer *w, struct table_scratch *scratch,
                              int mirror, uint64_t page, uint8_t *values, uint32_t n, uint8_t *out)
{
    if (w->header.part != TABLE_PAGE)
        return parts_encode(w, scratch, mirror, page, values, n, out);
    return (uint32_t)codec_encode_values(&w->model[mirror], &scratch->work,
                                         scratch_map(scratch, &w->layout[mirror], page), values,
                                         out);
}

void table_page_encode(const struct table_writer *w, struct table_scratch *scratch, int mirror,
                       uint64_t page, uint8_t *values, const uint16_t *distances,
                       struct table_page *out)
{
    const struct layout *l = &w->layout[mirror];
    uint32_t n = page_length(l, page);

    out->size = 0;
    if (w->header.kind == KIND_WLD) {
        if (values_uniform(values, n, &out->check))
            return;
        out->size = values_encode(w, scratch, mirror, page, values, n, out->bytes);
    } else {
        const uint16_t *unit = units_from_plies(w->header.kind, distances, scratch, n);
        const struct codec_map *map = scratch_map(scratch, l, page);

        if (units_uniform(unit, n, &out->check))
            return;
        out->size = (uint32_t)codec_encode_distances(
            &w->model[mirror], map, values_filled(scratch, map, values), unit, out->bytes);
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

/* Models and index follow the pages; their checksum and offsets complete the header. */
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
