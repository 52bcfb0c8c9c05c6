/* SPDX-License-Identifier: MIT */
#include "db/flat.h"
#include "base/bytes.h"
#include "base/files.h"
#include "db/derived.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    ENTRY_BYTES = 8, /* of the index, for a page */
};

#define ENTRY_SUM (UINT64_C(1) << 63)
#define REMEDY "remove it, or run 'kelso unpack' again"

static const struct derived_kind kind = {"kelso fl", 1, "a flat file", "the index", REMEDY};

char *flat_path(char *buf, size_t size, const char *dir, struct slice s)
{
    return derived_path(buf, size, dir, s, "flat");
}

char *flat_temporary(char *buf, size_t size, const char *dir, struct slice s)
{
    return derived_path(buf, size, dir, s, "flat.tmp");
}

/* -------------------------------------------------------------------- layout -- */

/* The layout, as it follows from the table. */
struct plan {
    const struct table *table;
    int tables;
    uint64_t pages[2];
    uint64_t first, size; /* offset of the first page, size of the file */
};

static struct plan plan_of(const struct table *t)
{
    struct plan p = {.table = t, .tables = slice_symmetric(table_slice(t)) ? 1 : 2};
    uint64_t index = 0;

    assert(table_kind(t) == KIND_WLD);
    for (int i = 0; i < p.tables; i++) {
        p.pages[i] = table_pages(t, i);
        index += p.pages[i] * ENTRY_BYTES;
    }
    p.first = (DERIVED_HEADER + index + FLAT_PAGE_BYTES - 1) / FLAT_PAGE_BYTES * FLAT_PAGE_BYTES;
    p.size = p.first + (p.pages[0] + p.pages[1]) * FLAT_PAGE_BYTES;
    return p;
}

/* A page's number in the file, all of table 0 before those of table 1. */
static uint64_t plan_page(const struct plan *p, int mirror, uint64_t page)
{
    int at = mirror < p->tables ? mirror : 0;

    assert(page < p->pages[at]);
    return page + (at ? p->pages[0] : 0);
}

static struct derived_places plan_places(const struct plan *p)
{
    return (struct derived_places){{p->pages[0], p->pages[1]}, p->first, p->size};
}

/* ------------------------------------------------------------------- reading -- */

struct flat {
    struct plan plan;
    int fd;
    uint8_t *head; /* header and index: all that is before the pages */
    char path[];
};

enum status flat_open(struct flat **out, const char *dir, const struct table *t, struct error *e)
{
    char path[TABLE_PATH_MAX + 8];
    struct derived_places places;
    struct flat *f;
    uint64_t size;
    enum status rc;

    *out = NULL;
    flat_path(path, sizeof path, dir, table_slice(t));
    if (!(f = calloc(1, sizeof *f + strlen(path) + 1)))
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", path);
    strcpy(f->path, path);
    f->plan = plan_of(t);
    places = plan_places(&f->plan);
    if ((rc = file_open(path, kind.what, DERIVED_HEADER, &f->fd, &size, e)) ||
        (rc = derived_head_read(&kind, t, &places, f->fd, size, path, &f->head, e)))
        flat_close(&f);
    *out = f;
    return rc;
}

void flat_close(struct flat **f)
{
    if (!*f)
        return;
    if ((*f)->fd >= 0)
        close((*f)->fd);
    free((*f)->head);
    free(*f);
    *f = NULL;
}

static uint64_t page_offset(const struct flat *f, int mirror, uint64_t page)
{
    return f->plan.first + plan_page(&f->plan, mirror, page) * FLAT_PAGE_BYTES;
}

static enum status page_fail(const struct flat *f, int mirror, uint64_t page, const char *what,
                             struct error *e)
{
    return error_set(e, STATUS_DAMAGED,
                     "%s: offset %" PRIu64 ": page %" PRIu64 " of table %d: %s: %s", f->path,
                     page_offset(f, mirror, page), page, mirror, what, REMEDY);
}

/* Is there a pair of bits that is none of the three values?  A checksum cannot tell. */
static bool packed_is_odd(const uint8_t packed[FLAT_PAGE_BYTES])
{
    uint64_t odd = 0;

    for (size_t i = 0; i < FLAT_PAGE_BYTES; i += 8) {
        uint64_t word;

        memcpy(&word, packed + i, 8);
        odd |= word & word >> 1;
    }
    return odd & UINT64_C(0x5555555555555555);
}

enum status flat_read_packed(const struct flat *f, int mirror, uint64_t page,
                             uint8_t packed[FLAT_PAGE_BYTES], uint32_t *one, struct error *e)
{
    uint64_t entry = bytes_get(
        f->head + DERIVED_HEADER + plan_page(&f->plan, mirror, page) * ENTRY_BYTES, ENTRY_BYTES);
    enum status rc;

    *one = FLAT_MIXED;
    if (entry <= VALUE_WIN) {
        *one = (uint32_t)entry;
        return STATUS_OK;
    }
    if (!(entry & ENTRY_SUM))
        return page_fail(f, mirror, page, "has no such value", e);
    if ((rc = file_read_at(f->fd, f->path, packed, FLAT_PAGE_BYTES, page_offset(f, mirror, page),
                           e)))
        return rc;
    if ((XXH3_64bits(packed, FLAT_PAGE_BYTES) | ENTRY_SUM) != entry)
        return page_fail(f, mirror, page, "its checksum does not match", e);
    if (packed_is_odd(packed))
        return page_fail(f, mirror, page, "has no such value", e);
    return STATUS_OK;
}

enum status flat_read(const struct flat *f, int mirror, uint64_t page, uint8_t *values,
                      struct error *e)
{
    uint32_t n = table_page_length(f->plan.table, mirror, page), one;
    uint8_t packed[FLAT_PAGE_BYTES];
    enum status rc = flat_read_packed(f, mirror, page, packed, &one, e);

    if (rc)
        return rc;
    if (one != FLAT_MIXED)
        memset(values, (int)one, n);
    else
        for (uint32_t i = 0; i < n; i++)
            values[i] = packed[i / 4] >> i % 4 * 2 & 3;
    return STATUS_OK;
}

enum status flat_check(const struct flat *f, int mirror, uint64_t page, struct error *e)
{
    uint8_t packed[FLAT_PAGE_BYTES];
    uint32_t one;

    return flat_read_packed(f, mirror, page, packed, &one, e);
}

/* -------------------------------------------------------------------- making -- */

struct maker {
    struct plan plan;
    const struct sets *sets;
    struct crew *crew;
    _Atomic uint64_t *done;
    _Atomic uint64_t next; /* page, counted through both tables */
    atomic_bool over;      /* an error, or asked to stop */
    pthread_mutex_t lock;  /* guards the two below */
    enum status rc;
    struct error *error;
    struct derived_file file; /* its head is header and index */
};

static void maker_end(struct maker *m, enum status rc, const struct error *e)
{
    pthread_mutex_lock(&m->lock);
    if (!m->rc) {
        m->rc = rc;
        error_pass(m->error, e);
    }
    pthread_mutex_unlock(&m->lock);
    atomic_store(&m->over, true);
}

/* Pack a page; false if it has one value throughout. */
static bool page_pack(const uint8_t *values, uint32_t n, uint8_t bytes[FLAT_PAGE_BYTES])
{
    bool mixed = false;

    memset(bytes, 0, FLAT_PAGE_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        mixed |= values[i] != values[0];
        bytes[i / 4] |= (uint8_t)(values[i] << i % 4 * 2);
    }
    return mixed;
}

/* Write page `number` of the file from the table. */
static enum status page_make(struct maker *m, struct table_scratch *scratch, uint64_t number,
                             struct error *e)
{
    int mirror = number >= m->plan.pages[0];
    uint64_t page = mirror ? number - m->plan.pages[0] : number, entry;
    uint8_t values[TABLE_PAGE], bytes[FLAT_PAGE_BYTES];
    enum status rc = table_read_values(m->plan.table, scratch, mirror, page, values, e);

    if (rc)
        return rc;
    entry = values[0];
    if (page_pack(values, table_page_length(m->plan.table, mirror, page), bytes)) {
        entry = XXH3_64bits(bytes, sizeof bytes) | ENTRY_SUM;
        rc = file_write_at(m->file.fd, m->file.temporary, bytes, sizeof bytes,
                           m->plan.first + number * FLAT_PAGE_BYTES, e);
    }
    bytes_put(m->file.head + DERIVED_HEADER + number * ENTRY_BYTES, ENTRY_BYTES, entry);
    return rc;
}

static void pages_make(void *arg, int id)
{
    struct maker *m = arg;
    struct table_scratch *scratch = table_scratch_create(m->sets);
    enum status rc = STATUS_OK;
    struct error e;

    (void)id;
    if (!scratch)
        rc = error_set(&e, STATUS_NO_MEMORY, "not enough memory to decode a page");
    while (!rc && !atomic_load(&m->over)) {
        uint64_t number = atomic_fetch_add(&m->next, 1);

        if (number >= m->plan.pages[0] + m->plan.pages[1])
            break;
        if (crew_stopped(m->crew))
            rc = error_set(&e, STATUS_INTERRUPTED, "interrupted");
        else
            rc = page_make(m, scratch, number, &e);
        if (!rc && m->done)
            atomic_fetch_add_explicit(m->done, 1, memory_order_relaxed);
    }
    if (rc)
        maker_end(m, rc, &e);
    table_scratch_free(&scratch);
}

/* The file at its full size, all of it a hole. */
static enum status file_begin(struct maker *m, const char *dir, struct error *e)
{
    struct derived_file *f = &m->file;
    enum status rc = derived_create(f, dir, table_slice(m->plan.table), "flat", m->plan.first, e);

    return !rc && ftruncate(f->fd, (off_t)m->plan.size) != 0 ? file_error(f->temporary, e) : rc;
}

static enum status file_finish(struct maker *m, struct error *e)
{
    struct derived_places places = plan_places(&m->plan);

    derived_encode(&kind, m->plan.table, &places, derived_body_sum(&m->file), m->file.head);
    return derived_publish(&m->file, e);
}

enum status flat_make(const char *dir, const struct table *t, const struct sets *sets,
                      struct crew *crew, _Atomic uint64_t *done, struct error *e)
{
    struct maker m = {.plan = plan_of(t), .sets = sets, .crew = crew, .done = done, .error = e};
    enum status rc;

    pthread_mutex_init(&m.lock, NULL);
    if (!(rc = file_begin(&m, dir, e))) {
        crew_run(crew, pages_make, &m);
        rc = m.rc ? m.rc : file_finish(&m, e);
    }
    derived_close(&m.file, rc);
    pthread_mutex_destroy(&m.lock);
    return rc;
}
