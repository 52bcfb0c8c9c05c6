/* SPDX-License-Identifier: MIT
 *
 * The reading half of quick.h. */
#include "db/quick.h"
#include "base/bytes.h"
#include "base/files.h"
#include "db/derived.h"
#include "db/quick_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#define REMEDY "remove it, or run 'kelso unpack --form quick' again"

static_assert(QUICK_CHAPTER % TABLE_PAGE == 0 && TABLE_PAGE % QUICK_BLOCK == 0, "whole pages");
static_assert(4 + 2 * QUICK_GROUP_BLOCKS == QUICK_GROUP_BYTES, "a line describes a group");

static const struct derived_kind kind = {"kelso qk", 1, "a quick file", "codes and index", REMEDY};

struct quick_file {
    struct quick_plan plan;
    int fd;
    uint64_t size;
    uint8_t *head;           /* header, codes and index: all that is before the chapters */
    uint64_t reserved, used; /* bytes of `memory` */
    pthread_mutex_t lock;    /* one chapter at a time is read into `memory` */
    char path[];
};

char *quick_path(char *buf, size_t size, const char *dir, struct slice s)
{
    return derived_path(buf, size, dir, s, "quick");
}

char *quick_temporary(char *buf, size_t size, const char *dir, struct slice s)
{
    return derived_path(buf, size, dir, s, "quick.tmp");
}

/* -------------------------------------------------------------------- layout -- */

struct quick_plan quick_plan_of(const struct table *t)
{
    struct quick_plan p = {.table = t, .tables = slice_symmetric(table_slice(t)) ? 1 : 2};
    uint64_t end;

    assert(table_kind(t) == KIND_WLD);
    for (int i = 0; i < p.tables; i++)
        p.chapters[i] = (table_layout(t, i)->positions + QUICK_CHAPTER - 1) / QUICK_CHAPTER;
    p.index = QUICK_HEADER + (uint64_t)p.tables * QUICK_LENGTHS;
    end = p.index + (p.chapters[0] + p.chapters[1]) * QUICK_ENTRY;
    p.first = (end + QUICK_ALIGN - 1) / QUICK_ALIGN * QUICK_ALIGN;
    return p;
}

uint32_t quick_chapter_length(const struct quick_plan *p, int mirror, uint64_t chapter)
{
    uint64_t left = table_layout(p->table, mirror)->positions - chapter * QUICK_CHAPTER;

    return left < QUICK_CHAPTER ? (uint32_t)left : QUICK_CHAPTER;
}

uint32_t quick_chapter_head(uint32_t length)
{
    return (length + QUICK_GROUP - 1) / QUICK_GROUP * QUICK_GROUP_BYTES;
}

static struct derived_places plan_places(const struct quick_plan *p, uint64_t size)
{
    return (struct derived_places){{p->chapters[0], p->chapters[1]}, p->first, size};
}

void quick_header_encode(const struct quick_plan *p, uint64_t size, uint64_t body,
                         uint8_t out[QUICK_HEADER])
{
    struct derived_places places = plan_places(p, size);

    derived_encode(&kind, p->table, &places, body, out);
}

/* ------------------------------------------------------------------- opening -- */

static uint64_t entry_get(const struct quick_file *f, uint64_t number, int field)
{
    return bytes_get(f->head + f->plan.index + number * QUICK_ENTRY + 8 * field, 8);
}

static uint64_t chapter_end(const struct quick_file *f, uint64_t number)
{
    return number + 1 < f->plan.chapters[0] + f->plan.chapters[1] ? entry_get(f, number + 1, 0)
                                                                  : f->size;
}

/* The chapters are adjacent, and none is too large. */
static bool index_good(const struct quick_file *f)
{
    uint64_t at = f->plan.first;

    for (uint64_t i = 0; i < f->plan.chapters[0] + f->plan.chapters[1]; i++) {
        uint64_t end = chapter_end(f, i);

        if (entry_get(f, i, 0) != at || end < at || end > f->size || at % QUICK_ALIGN ||
            end - at > QUICK_CHAPTER_BYTES || (end == at && entry_get(f, i, 1) > VALUE_WIN))
            return false;
        at = end;
    }
    return at == f->size;
}

/* The size does not follow from the table. */
static enum status head_read(struct quick_file *f, struct error *e)
{
    struct derived_places places = plan_places(&f->plan, 0);
    enum status rc =
        derived_head_read(&kind, f->plan.table, &places, f->fd, f->size, f->path, &f->head, e);

    if (!rc && !index_good(f))
        return error_set(e, STATUS_FORMAT, "%s: offset %" PRIu64 ": not an index: %s", f->path,
                         f->plan.index, REMEDY);
    return rc;
}

static enum status codes_read(struct quick *q, struct error *e)
{
    const struct quick_file *f = q->file;

    for (int i = 0; i < q->tables; i++) {
        struct quick_lengths lengths;

        if (!(q->lookup[i] = malloc(sizeof *q->lookup[i])))
            return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", f->path);
        memcpy(&lengths, f->head + QUICK_HEADER + i * QUICK_LENGTHS, sizeof lengths);
        if (!quick_lookup_fill(q->lookup[i], &lengths))
            return error_set(e, STATUS_FORMAT, "%s: offset %d: not a code: %s", f->path,
                             QUICK_HEADER + i * QUICK_LENGTHS, REMEDY);
    }
    if (q->tables == 1)
        q->lookup[1] = q->lookup[0];
    return STATUS_OK;
}

enum status quick_open(struct quick **out, const char *dir, const struct table *t, struct error *e)
{
    char path[TABLE_PATH_MAX + 8];
    struct quick *q = calloc(1, sizeof *q);
    struct quick_file *f;
    enum status rc;

    *out = NULL;
    quick_path(path, sizeof path, dir, table_slice(t));
    if (!q || !(f = calloc(1, sizeof *f + strlen(path) + 1))) {
        free(q);
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", path);
    }
    q->file = f;
    strcpy(f->path, path);
    pthread_mutex_init(&f->lock, NULL);
    f->plan = quick_plan_of(t);
    q->tables = f->plan.tables;
    memcpy(q->chapters, f->plan.chapters, sizeof q->chapters);
    if ((rc = file_open(path, kind.what, QUICK_HEADER, &f->fd, &f->size, e)) ||
        (rc = head_read(f, e)) || (rc = codes_read(q, e)))
        quick_close(&q);
    *out = q;
    return rc;
}

void quick_close(struct quick **out)
{
    struct quick *q = *out;

    if (!q)
        return;
    if (q->file->fd >= 0)
        close(q->file->fd);
    if (q->memory)
        munmap(q->memory, q->file->reserved);
    free(q->state);
    free(q->lookup[0]);
    if (q->tables > 1)
        free(q->lookup[1]);
    free(q->file->head);
    pthread_mutex_destroy(&q->file->lock);
    free(q->file);
    free(q);
    *out = NULL;
}

/* ------------------------------------------------------------------ chapters -- */

static enum status chapter_fail(const struct quick_file *f, uint64_t number, enum status status,
                                const char *what, struct error *e)
{
    return error_set(e, status, "%s: offset %" PRIu64 ": chapter %" PRIu64 ": %s: %s", f->path,
                     entry_get(f, number, 0), number, what, REMEDY);
}

bool quick_chapter_good(const uint8_t *bytes, uint64_t size, uint32_t length)
{
    uint32_t head = quick_chapter_head(length);

    if (size < head)
        return false;
    for (uint32_t g = 0; g < head; g += QUICK_GROUP_BYTES) {
        uint64_t base = bytes_get(bytes + g, 4);

        for (int i = 0; i < QUICK_GROUP_BLOCKS; i++) {
            uint64_t entry = bytes_get(bytes + g + 4 + 2 * i, 2), form = entry & 7;
            uint64_t needs = form == QUICK_FORM_FLAT ? QUICK_FLAT_BYTES : QUICK_SPARE;

            if (form >= QUICK_FORM_FLAT && base + (entry >> 3) + needs > size)
                return false;
        }
    }
    return true;
}

/* Read and check; `bytes` has room for the chapter. */
static enum status chapter_fetch(const struct quick *q, int mirror, uint64_t number, uint8_t *bytes,
                                 struct error *e)
{
    const struct quick_file *f = q->file;
    uint64_t at = entry_get(f, number, 0), size = chapter_end(f, number) - at;
    uint64_t chapter = number - (mirror && q->tables > 1 ? q->chapters[0] : 0);
    enum status rc = file_read_at(f->fd, f->path, bytes, size, at, e);

    if (rc)
        return rc;
    if (XXH3_64bits(bytes, size) != entry_get(f, number, 1))
        return chapter_fail(f, number, STATUS_DAMAGED, "its checksum does not match", e);
    if (!quick_chapter_good(bytes, size, quick_chapter_length(&f->plan, mirror, chapter)))
        return chapter_fail(f, number, STATUS_FORMAT, "its blocks do not fit its size", e);
    return STATUS_OK;
}

/* QUICK_ONE_VALUE | value if a chapter has no bytes, else 0. */
static uint64_t chapter_one(const struct quick_file *f, uint64_t number)
{
    return chapter_end(f, number) == entry_get(f, number, 0)
               ? QUICK_ONE_VALUE | entry_get(f, number, 1)
               : 0;
}

uint64_t quick_bytes(const struct quick *q)
{
    return q->file->size - q->file->plan.first + QUICK_READ_MAX;
}

int quick_reserve(struct quick *q)
{
    uint64_t bytes = quick_bytes(q);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return -1;
    q->state = calloc(q->chapters[0] + q->chapters[1], sizeof *q->state);
    if (!q->state) {
        munmap(memory, bytes);
        return -1;
    }
    madvise(memory, bytes, MADV_HUGEPAGE);
    q->memory = memory;
    q->file->reserved = bytes;
    return 0;
}

enum status quick_load(struct quick *q, int mirror, uint64_t index, struct error *e)
{
    uint64_t number = quick_chapter_number(q, mirror, index), seen;
    struct quick_file *f = q->file;
    enum status rc = STATUS_OK;

    pthread_mutex_lock(&f->lock);
    if (!atomic_load(&q->state[number])) {
        if (!(seen = chapter_one(f, number))) {
            rc = chapter_fetch(q, mirror, number, q->memory + f->used, e);
            seen = f->used + 1;
            f->used += rc ? 0 : chapter_end(f, number) - entry_get(f, number, 0);
        }
        if (!rc)
            atomic_store_explicit(&q->state[number], seen, memory_order_release);
    }
    pthread_mutex_unlock(&f->lock);
    return rc;
}

enum status quick_read_chapter(const struct quick *q, int mirror, uint64_t chapter,
                               struct quick_chapter *c, struct error *e)
{
    uint64_t number = chapter + (mirror && q->tables > 1 ? q->chapters[0] : 0);
    enum status rc;

    if (c->number == number)
        return STATUS_OK;
    c->number = QUICK_NO_CHAPTER;
    c->one = chapter_one(q->file, number);
    if (!c->one && (rc = chapter_fetch(q, mirror, number, c->bytes, e)))
        return rc;
    c->number = number;
    return STATUS_OK;
}

enum status quick_read(const struct quick *q, int mirror, uint64_t page, struct quick_chapter *c,
                       uint8_t *values, struct error *e)
{
    uint32_t n = table_page_length(q->file->plan.table, mirror, page);
    uint32_t first = (uint32_t)(page % QUICK_CHAPTER_PAGES) * TABLE_PAGE;
    enum status rc = quick_read_chapter(q, mirror, page / QUICK_CHAPTER_PAGES, c, e);

    for (uint32_t i = 0; !rc && i < n; i++)
        values[i] = (uint8_t)(c->one ? (uint32_t)c->one
                                     : quick_chapter_value(q->lookup[mirror], c->bytes, first + i));
    return rc;
}
