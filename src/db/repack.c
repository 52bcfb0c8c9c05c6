/* SPDX-License-Identifier: MIT */
#include "db/repack.h"
#include "base/turns.h"
#include "db/pages.h"
#include "db/table_format.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 4, /* pages that a thread takes at a time */
    AHEAD = 4, /* chunks that wait for their turn, for each thread */
};

/* What a thread needs. */
struct repack_worker {
    struct table_scratch *scratch;
    uint8_t values[TABLE_PAGE];
    uint16_t distances[TABLE_PAGE];
};

/* Encoded pages that wait for their turn. */
struct repack_chunk {
    int pages;
    struct table_page page[CHUNK];
};

/* One table being converted. */
struct repack {
    const struct repack_options *o;
    struct crew crew;
    struct sets *sets;
    struct repack_worker *worker[CREW_MAX];
    const struct table *from, *wld; /* wld: of `from`, or itself */
    struct table_writer *writer;
    int mirrors;
    uint64_t pages[2], chunks[2];
    _Atomic int next_training;
    struct turns turns;         /* chunks, counted through both tables */
    struct repack_chunk *chunk; /* by slot */
};

/* ---------------------------------------------------------------------- pages -- */

/* A page as a builder has it, without values where the mover has a capture. */
static enum status page_read(struct repack *r, struct repack_worker *w, int mirror, uint64_t page,
                             struct error *e)
{
    uint32_t n = table_page_length(r->from, mirror, page);
    const uint64_t *taking;
    enum status rc = table_read_values(r->wld, w->scratch, mirror, page, w->values, e);

    if (!rc && r->from != r->wld)
        rc = table_read_distances(r->from, w->scratch, mirror, page, w->values, w->distances, e);
    if (rc)
        return rc;
    taking = table_captures(w->scratch, table_layout(r->from, mirror), page);
    for (uint32_t i = 0; i < n; i++) {
        bool capture = taking[i / 64] >> i % 64 & 1;

        if (capture || w->values[i] == VALUE_DRAW)
            w->distances[i] = TABLE_ANY_DISTANCE;
        if (capture)
            w->values[i] = TABLE_ANY;
    }
    return STATUS_OK;
}

static void train_job(void *arg, int id)
{
    struct repack *r = arg;
    struct repack_worker *w = r->worker[id];
    struct error e;

    for (int m; (m = atomic_fetch_add(&r->next_training, 1)) < r->mirrors;) {
        uint64_t pages = r->pages[m];

        for (uint32_t i = 0; i < pages_trained(pages) && !crew_stopped(&r->crew); i++) {
            uint64_t page = pages_trained_at(pages, i);

            if (page_read(r, w, m, page, &e)) {
                turns_fail(&r->turns, &e);
                return;
            }
            table_writer_train(r->writer, w->scratch, m, page, w->values, w->distances);
        }
        table_writer_train_end(r->writer, m);
    }
}

static void chunk_append(void *context, uint64_t number, uint32_t slot)
{
    struct repack *r = context;
    const struct repack_chunk *c = &r->chunk[slot];
    struct error e;

    (void)number;
    for (int i = 0; i < c->pages && !turns_failed(&r->turns); i++)
        if (table_writer_append(r->writer, &c->page[i], &e))
            turns_fail(&r->turns, &e);
}

static void chunk_make(struct repack *r, struct repack_worker *w, uint64_t number,
                       struct repack_chunk *c)
{
    int mirror = number >= r->chunks[0], n = 0;
    uint64_t page = (number - (mirror ? r->chunks[0] : 0)) * CHUNK;
    struct error e;

    for (; n < CHUNK && page < r->pages[mirror] && !crew_stopped(&r->crew); n++, page++) {
        if (turns_failed(&r->turns))
            break;
        if (page_read(r, w, mirror, page, &e)) {
            turns_fail(&r->turns, &e);
            break;
        }
        table_page_encode(r->writer, w->scratch, mirror, page, w->values, w->distances,
                          &c->page[n]);
        if (r->o->done)
            atomic_fetch_add_explicit(r->o->done, 1, memory_order_relaxed);
    }
    c->pages = n;
}

static void pages_job(void *arg, int id)
{
    struct repack *r = arg;
    uint64_t number;
    uint32_t slot;

    while (turns_take(&r->turns, &number, &slot)) {
        chunk_make(r, r->worker[id], number, &r->chunk[slot]);
        turns_give(&r->turns, number, chunk_append, r);
    }
}

/* --------------------------------------------------------------------- tables -- */

static bool table_wanted(const struct repack_options *o, const struct table *t)
{
    return table_kind(t) == KIND_WLD ? table_part(t) != o->part : !table_newest(t);
}

static enum status writer_open(struct repack *r, const char *dir, struct error *e)
{
    struct slice s = table_slice(r->from);

    if (table_kind(r->from) == KIND_WLD)
        return table_writer_create_parts(&r->writer, dir, s, r->o->part, e);
    return table_writer_create(&r->writer, dir, s, table_kind(r->from), e);
}

static enum status table_repack(struct repack *r, const char *dir, struct error *e)
{
    struct table_stats stats[2];
    enum status rc = table_fits(r->from, r->wld, e);

    if (rc || (rc = writer_open(r, dir, e)))
        return rc;
    r->mirrors = slice_symmetric(table_slice(r->from)) ? 1 : 2;
    for (int m = 0; m < 2; m++) {
        r->pages[m] = m < r->mirrors ? table_pages(r->from, m) : 0;
        r->chunks[m] = (r->pages[m] + CHUNK - 1) / CHUNK;
        stats[m] = *table_stats(r->from, m);
    }
    turns_begin(&r->turns, 0, r->chunks[0] + r->chunks[1]);
    atomic_store(&r->next_training, 0);
    crew_run(&r->crew, train_job, r);
    if (!r->turns.error.status && !crew_stopped(&r->crew))
        crew_run(&r->crew, pages_job, r);
    if (crew_stopped(&r->crew))
        rc = error_set(e, STATUS_INTERRUPTED, "interrupted");
    else if (r->turns.error.status)
        rc = error_pass(e, &r->turns.error);
    if (!rc)
        return table_writer_finish(&r->writer, stats, e);
    table_writer_abandon(&r->writer);
    return rc;
}

static enum status slice_kind_repack(struct repack *r, struct catalog *c, struct slice s,
                                     enum kind kind, struct error *e)
{
    struct repack_report report = {.slice = s, .kind = kind};
    enum status rc;

    if (!catalog_has(c, s, kind))
        return STATUS_OK;
    if ((rc = catalog_table(c, s, kind, &r->from, e)) ||
        (rc = catalog_table(c, s, KIND_WLD, &r->wld, e)))
        return rc;
    report.before = report.after = table_size(r->from);
    report.values = table_layout(r->from, 0)->positions * (slice_symmetric(s) ? 1 : 2);
    report.made = table_wanted(r->o, r->from);
    if (report.made && ((rc = table_repack(r, catalog_dir(c), e)) ||
                        (rc = catalog_replaced(c, s, kind, &report.after, e))))
        return rc;
    if (r->o->report)
        r->o->report(r->o->context, &report);
    return report.made ? catalog_write_manifest(c, e) : STATUS_OK;
}

static enum status slice_repack(struct repack *r, struct catalog *c, struct slice s,
                                struct error *e)
{
    enum status rc = STATUS_OK;

    if (r->o->begin)
        r->o->begin(r->o->context, s);
    for (int k = KINDS - 1; k >= 0 && !rc; k--) /* (R2): values last */
        rc = slice_kind_repack(r, c, s, (enum kind)k, e);
    return rc;
}

/* ------------------------------------------------------------------------ all -- */

bool repack_part_good(uint32_t part)
{
    return part_is_good(part);
}

static int slices_wanted(const struct catalog *c, const struct repack_options *o,
                         struct slice list[SLICE_CODES])
{
    int n = slice_order(o->pieces, PIECES_MAX, list), kept = 0;

    if (o->slice) {
        list[0] = slice_canonical(*o->slice);
        n = 1;
    }
    for (int i = 0; i < n; i++)
        if (catalog_has(c, list[i], KIND_WLD))
            list[kept++] = list[i];
    return kept;
}

enum status repack_work(struct catalog *c, const struct repack_options *o, uint64_t *pages,
                        struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slices_wanted(c, o, list);
    enum status rc = STATUS_OK;

    *pages = 0;
    for (int i = 0; i < n && !rc; i++)
        for (int k = 0; k < KINDS && !rc; k++) {
            const struct table *t;

            if (catalog_has(c, list[i], (enum kind)k) &&
                !(rc = catalog_table(c, list[i], (enum kind)k, &t, e)) && table_wanted(o, t))
                *pages += table_pages(t, 0) + (slice_symmetric(list[i]) ? 0 : table_pages(t, 1));
        }
    return rc;
}

static enum status repack_open(struct repack *r, const struct slice *list, int n, struct error *e)
{
    int most = 1;

    for (int i = 0; i < n; i++)
        most = table_sets(list[i]) > most ? table_sets(list[i]) : most;
    if (!(r->sets = sets_create(most)) || crew_open(&r->crew, r->o->threads, r->o->stop))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to repack");
    turns_open(&r->turns, AHEAD * (uint32_t)r->crew.threads);
    if (!(r->chunk = calloc(r->turns.slots, sizeof *r->chunk)))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to repack");
    for (int i = 0; i < r->crew.threads; i++)
        if (!(r->worker[i] = calloc(1, sizeof *r->worker[i])) ||
            !(r->worker[i]->scratch = table_scratch_create(r->sets)))
            return error_set(e, STATUS_NO_MEMORY, "not enough memory to repack");
    return STATUS_OK;
}

static void repack_close(struct repack *r)
{
    for (int i = 0; i < r->crew.threads; i++)
        if (r->worker[i]) {
            table_scratch_free(&r->worker[i]->scratch);
            free(r->worker[i]);
        }
    if (r->crew.threads) {
        turns_close(&r->turns);
        crew_close(&r->crew);
    }
    free(r->chunk);
    sets_free(&r->sets);
}

enum status repack_run(struct catalog *c, const struct repack_options *o, struct error *e)
{
    struct repack r = {.o = o};
    struct slice list[SLICE_CODES];
    int n = slices_wanted(c, o, list);
    enum status rc;

    rc = repack_open(&r, list, n, e);
    for (int i = 0; i < n && !rc; i++)
        rc = slice_repack(&r, c, list[i], e);
    if (!rc)
        rc = catalog_mend_manifest(c, e);
    repack_close(&r);
    return rc;
}
