/* SPDX-License-Identifier: MIT
 *
 * The making half of quick.h: codes from a sample of each table, then chapter after chapter. */
#include "base/bytes.h"
#include "base/files.h"
#include "base/turns.h"
#include "db/quick_file.h"

#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

enum {
    SAMPLE_PAGES = 64,
    SAMPLE = SAMPLE_PAGES * TABLE_PAGE / QUICK_BLOCK,
    ANY_FORM = 8,
    AHEAD = 2, /* chapters that wait for their turn, for each thread */
};

struct chapter {
    uint8_t bytes[QUICK_CHAPTER_BYTES];
    uint32_t size;   /* bytes so far; in the end 0 if all values are `one` */
    uint32_t before; /* form of the block before, if it has one value, else draw */
    uint32_t one; /* the form of all blocks so far; ANY_FORM: of none, QUICK_FORM_FLAT: several */
};

struct maker {
    struct quick_plan plan;
    const struct sets *sets;
    struct crew *crew;
    _Atomic uint64_t *done;
    struct quick_coder *coder; /* by table */
    struct turns turns;        /* chapters, counted through both tables */
    struct chapter *chapter;   /* by slot */
    uint64_t size;             /* where the next chapter is written; of who delivers */
    struct derived_file file;  /* its head is header, codes and index */
};

/* What one thread needs. */
struct chapter_maker {
    struct table_scratch *scratch;
    struct quick_runs runs;
    uint8_t values[TABLE_PAGE];
};

/* ------------------------------------------------------------------ training -- */

/* The blocks of several values of some pages. */
static enum status sample_take(struct maker *m, int mirror, struct table_scratch *scratch,
                               struct quick_runs *sample[SAMPLE], uint32_t *n, struct error *e)
{
    const struct table *t = m->plan.table;
    uint64_t pages = table_pages(t, mirror), count = pages < SAMPLE_PAGES ? pages : SAMPLE_PAGES;
    uint8_t values[TABLE_PAGE];

    for (uint64_t i = 0; i < count; i++) {
        uint64_t page = i * pages / count;
        uint32_t length = table_page_length(t, mirror, page);
        const uint64_t *taking;
        enum status rc = table_read_values(t, scratch, mirror, page, values, e);

        if (rc)
            return rc;
        taking = table_captures(scratch, table_layout(t, mirror), page);
        for (uint32_t at = 0; at < length; at += QUICK_BLOCK) {
            uint32_t left = length - at;

            quick_runs_find(sample[*n], values + at, taking, at,
                            left < QUICK_BLOCK ? left : QUICK_BLOCK);
            *n += sample[*n]->count > 1;
        }
    }
    return STATUS_OK;
}

static enum status train(struct maker *m, struct error *e)
{
    struct table_scratch *scratch = table_scratch_create(m->sets);
    struct quick_runs *all = malloc((SAMPLE + 1) * sizeof *all), **sample;
    enum status rc = STATUS_OK;

    sample = malloc((SAMPLE + 1) * sizeof(struct quick_runs *));
    if (!scratch || !all || !sample)
        rc = error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", m->file.path);
    for (int i = 0; !rc && i <= SAMPLE; i++)
        sample[i] = &all[i];
    for (int i = 0; !rc && i < m->plan.tables; i++) {
        uint32_t n = 0;

        if (!(rc = sample_take(m, i, scratch, sample, &n, e))) {
            quick_coder_train(&m->coder[i], sample, n);
            memcpy(m->file.head + QUICK_HEADER + i * QUICK_LENGTHS, &m->coder[i].lengths,
                   QUICK_LENGTHS);
        }
    }
    free(sample);
    free(all);
    table_scratch_free(&scratch);
    return rc;
}

/* ------------------------------------------------------------------ chapters -- */

static void flat_put(struct chapter *c, const uint8_t *values, uint32_t n)
{
    memset(c->bytes + c->size, 0, QUICK_FLAT_BYTES);
    for (uint32_t i = 0; i < n; i++)
        c->bytes[c->size + i / 4] |= (uint8_t)(values[i] << i % 4 * 2);
}

/* Append block number `block` of the chapter. */
static void block_put(struct chapter *c, const struct quick_coder *coder, uint32_t block,
                      const struct quick_runs *runs, const uint8_t *values, uint32_t n)
{
    uint8_t *group = c->bytes + block / QUICK_GROUP_BLOCKS * QUICK_GROUP_BYTES;
    uint32_t base, form = c->before, size = 0, which;

    if (block % QUICK_GROUP_BLOCKS == 0)
        bytes_put(group, 4, c->size);
    base = (uint32_t)bytes_get(group, 4);
    if (runs->count == 1)
        form = runs->value[0];
    if (runs->count > 1) {
        size = quick_block_encode(coder, runs, c->bytes + c->size, &which);
        form = size ? QUICK_FORM_CODE + which : QUICK_FORM_FLAT;
        if (!size)
            flat_put(c, values, n);
        size = size ? size : QUICK_FLAT_BYTES;
    }
    bytes_put(group + 4 + 2 * (block % QUICK_GROUP_BLOCKS), 2, form | (c->size - base) << 3);
    c->before = form < QUICK_FORM_FLAT ? form : VALUE_DRAW;
    c->one = c->one == ANY_FORM || c->one == form ? form : QUICK_FORM_FLAT;
    c->size += size;
}

/* Encode a chapter of a table. */
static enum status chapter_encode(struct maker *m, struct chapter_maker *w, int mirror,
                                  uint64_t chapter, struct chapter *c, struct error *e)
{
    const struct table *t = m->plan.table;
    uint32_t length = quick_chapter_length(&m->plan, mirror, chapter);

    c->size = quick_chapter_head(length);
    c->before = VALUE_DRAW;
    c->one = ANY_FORM;
    memset(c->bytes, 0, c->size);
    for (uint32_t first = 0; first < length; first += TABLE_PAGE) {
        uint64_t page = chapter * QUICK_CHAPTER_PAGES + first / TABLE_PAGE;
        uint32_t n = table_page_length(t, mirror, page);
        const uint64_t *taking;
        enum status rc = table_read_values(t, w->scratch, mirror, page, w->values, e);

        if (rc)
            return rc;
        taking = table_captures(w->scratch, table_layout(t, mirror), page);
        for (uint32_t at = 0; at < n; at += QUICK_BLOCK) {
            uint32_t each = n - at < QUICK_BLOCK ? n - at : QUICK_BLOCK;

            quick_runs_find(&w->runs, w->values + at, taking, at, each);
            block_put(c, &m->coder[mirror], (first + at) / QUICK_BLOCK, &w->runs, w->values + at,
                      each);
        }
        if (m->done)
            atomic_fetch_add_explicit(m->done, 1, memory_order_relaxed);
    }
    if (c->one < QUICK_FORM_FLAT)
        c->size = 0;
    return STATUS_OK;
}

/* Append a chapter to the file. */
static void chapter_write(void *context, uint64_t number, uint32_t slot)
{
    struct maker *m = context;
    struct chapter *c = &m->chapter[slot];
    uint8_t *entry = m->file.head + m->plan.index + number * QUICK_ENTRY;
    uint32_t whole = 0;
    struct error e;

    if (c->size) {
        whole = (c->size + QUICK_SPARE + QUICK_ALIGN - 1) / QUICK_ALIGN * QUICK_ALIGN;
        assert(whole <= QUICK_CHAPTER_BYTES);
        memset(c->bytes + c->size, 0, whole - c->size);
    }
    bytes_put(entry, 8, m->size);
    bytes_put(entry + 8, 8, whole ? XXH3_64bits(c->bytes, whole) : c->one);
    if (file_write_at(m->file.fd, m->file.temporary, c->bytes, whole, m->size, &e))
        turns_fail(&m->turns, &e);
    m->size += whole;
}

static void chapter_make(struct maker *m, struct chapter_maker *w, uint64_t number,
                         struct chapter *c)
{
    int mirror = number >= m->plan.chapters[0];
    struct error e = {0};

    if (turns_failed(&m->turns))
        return;
    if (crew_stopped(m->crew))
        error_set(&e, STATUS_INTERRUPTED, "interrupted");
    else
        chapter_encode(m, w, mirror, number - (mirror ? m->plan.chapters[0] : 0), c, &e);
    if (e.status)
        turns_fail(&m->turns, &e);
}

static void chapters_make(void *arg, int id)
{
    struct maker *m = arg;
    struct chapter_maker *w = malloc(sizeof *w);
    uint64_t number;
    uint32_t slot;

    (void)id;
    if (!w || !(w->scratch = table_scratch_create(m->sets))) {
        struct error e;

        error_set(&e, STATUS_NO_MEMORY, "%s: not enough memory", m->file.path);
        turns_fail(&m->turns, &e);
    } else {
        while (turns_take(&m->turns, &number, &slot)) {
            chapter_make(m, w, number, &m->chapter[slot]);
            turns_give(&m->turns, number, chapter_write, m);
        }
        table_scratch_free(&w->scratch);
    }
    free(w);
}

/* ---------------------------------------------------------------------- file -- */

static enum status file_begin(struct maker *m, const char *dir, struct error *e)
{
    enum status rc =
        derived_create(&m->file, dir, table_slice(m->plan.table), "quick", m->plan.first, e);

    m->size = m->plan.first;
    if (!rc && (!(m->coder = calloc((size_t)m->plan.tables, sizeof *m->coder)) ||
                !(m->chapter = malloc(m->turns.slots * sizeof *m->chapter))))
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", m->file.path);
    return rc ? rc : train(m, e);
}

static enum status file_finish(struct maker *m, struct error *e)
{
    quick_header_encode(&m->plan, m->size, derived_body_sum(&m->file), m->file.head);
    return derived_publish(&m->file, e);
}

enum status quick_make(const char *dir, const struct table *t, const struct sets *sets,
                       struct crew *crew, _Atomic uint64_t *done, struct error *e)
{
    struct maker m = {.plan = quick_plan_of(t), .sets = sets, .crew = crew, .done = done};
    enum status rc;

    turns_open(&m.turns, AHEAD * (uint32_t)crew->threads);
    if (!(rc = file_begin(&m, dir, e))) {
        turns_begin(&m.turns, 0, m.plan.chapters[0] + m.plan.chapters[1]);
        crew_run(crew, chapters_make, &m);
        rc = m.turns.error.status ? error_pass(e, &m.turns.error) : file_finish(&m, e);
    }
    derived_close(&m.file, rc);
    free(m.coder);
    free(m.chapter);
    turns_close(&m.turns);
    return rc;
}
