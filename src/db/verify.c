/* SPDX-License-Identifier: MIT */
#include "db/verify.h"

#include "base/random.h"
#include "base/crew.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "db/flat.h"
#include "db/quick.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One thread's memory. */
struct checker {
    struct table_scratch *scratch;
    uint8_t values[TABLE_PAGE], flat[TABLE_PAGE];
    struct quick_chapter chapter;
    uint16_t distances[KINDS][TABLE_PAGE];
    struct table_stats stats[KINDS];
    uint64_t checked;
};

struct verify {
    const struct verify_options *o;
    struct verify_result *result;
    struct catalog *catalog;
    struct probe *probe;
    struct sets *sets;
    struct crew crew;
    struct checker *checker[CREW_MAX];
    pthread_mutex_t lock; /* reports */
    atomic_bool enough;   /* faults_max reached, or an error */
    struct error error;
    /* the current table */
    const struct table *table[KINDS]; /* NULL where there is none */
    struct flat *flat;                /* NULL as well */
    struct quick *quick;
    const struct layout *layout;
    int mirror;
    _Atomic uint64_t next; /* page */
};

/* ------------------------------------------------------------------- faults -- */

static void fault_report(struct verify *v, const struct verify_fault *f)
{
    pthread_mutex_lock(&v->lock);
    if (!atomic_load(&v->enough)) {
        v->result->faults++;
        if (v->o->report)
            v->o->report(v->o->context, f);
        if (v->result->faults >= v->o->faults_max)
            atomic_store(&v->enough, true);
    }
    pthread_mutex_unlock(&v->lock);
}

__attribute__((format(printf, 2, 3))) static void fault_text(struct verify *v, const char *format,
                                                             ...)
{
    struct verify_fault f = {0};
    va_list args;

    va_start(args, format);
    vsnprintf(f.text, sizeof f.text, format, args);
    va_end(args);
    fault_report(v, &f);
}

/* A successor cannot be read.  Damage is a fault; anything else stops the check. */
static void give_up(struct verify *v, const struct error *e)
{
    if (e->status == STATUS_DAMAGED || e->status == STATUS_FORMAT) {
        fault_text(v, "%s", e->text);
        atomic_store(&v->enough, true);
        return;
    }
    pthread_mutex_lock(&v->lock);
    if (!v->error.status)
        v->error = *e;
    atomic_store(&v->enough, true);
    pthread_mutex_unlock(&v->lock);
}

static const char *outcome_text(struct outcome o, enum kind kind, char buf[32])
{
    static const char *const name[] = {"loss", "draw", "win"};

    if (kind == KIND_WLD || o.value == VALUE_DRAW)
        snprintf(buf, 32, "%s", name[o.value]);
    else
        snprintf(buf, 32, "%s in %d", name[o.value], o.plies);
    return buf;
}

static void fault_value(struct verify *v, enum kind kind, uint64_t index, const struct board *b,
                        struct outcome stored, struct outcome expected)
{
    struct verify_fault f = {.has_position = true,
                             .slice = v->layout->slice,
                             .kind = kind,
                             .index = index,
                             .board = *b,
                             .stored = stored,
                             .expected = expected};
    char fen[FEN_TEXT_MAX], name[SLICE_NAME_MAX], one[32], other[32];

    fen_format(b, fen);
    snprintf(f.text, sizeof f.text,
             "%s: side to move first of %s, index %" PRIu64 ", %s: stored %s, expected %s",
             table_name(v->table[kind]), slice_name(f.slice, name), index, fen,
             outcome_text(stored, kind, one), outcome_text(expected, kind, other));
    fault_report(v, &f);
}

/* ----------------------------------------------------------------- one position -- */

/* The outcome of one move, as the kind counts it. */
static enum status outcome_by(struct verify *v, const struct board *b, const struct move *m,
                              enum kind kind, struct outcome *o, struct error *e)
{
    struct board next = board_after(b, m);
    bool converts = kind == KIND_DTC && move_is_conversion(m);
    struct outcome after;
    enum status rc = probe_outcome(v->probe, &next, converts ? KIND_WLD : kind, &after, e);

    if (rc)
        return rc;
    *o = converts ? outcome_converting(after.value) : outcome_before(after);
    if (kind == KIND_WLD)
        o->plies = 0;
    return STATUS_OK;
}

/* Recompute by the rules: the best over all moves; no move is a loss. */
static enum status outcome_again(struct verify *v, const struct board *b,
                                 const struct move_list *list, enum kind kind, struct outcome *best,
                                 struct error *e)
{
    *best = outcome_lost;
    for (int i = 0; i < list->count; i++) {
        struct outcome o;
        enum status rc = outcome_by(v, b, &list->move[i], kind, &o, e);

        if (rc)
            return rc;
        if (i == 0 || outcome_better(o, *best))
            *best = o;
    }
    return STATUS_OK;
}

static struct outcome outcome_stored(const struct checker *c, enum kind kind, uint32_t i)
{
    enum value value = (enum value)c->values[i];
    bool plies = kind != KIND_WLD && value != VALUE_DRAW;

    return (struct outcome){value, plies ? c->distances[kind][i] : 0};
}

static void record_raise(struct table_record *r, int plies, uint64_t index)
{
    if (plies > r->plies || (plies == r->plies && index < r->index))
        *r = (struct table_record){plies, index};
}

static void stats_add(struct table_stats *s, enum kind kind, struct outcome o, bool quiet,
                      uint64_t index)
{
    s->all.count[o.value]++;
    s->quiet.count[o.value] += quiet;
    if (kind == KIND_WLD || o.value == VALUE_DRAW)
        return;
    record_raise(&s->all.longest[o.value], o.plies, index);
    if (quiet)
        record_raise(&s->quiet.longest[o.value], o.plies, index);
}

/* Check a stored value, or count one that is not stored. */
static enum status position_check(struct verify *v, struct checker *c, uint64_t first, uint32_t i,
                                  struct error *e)
{
    struct move_list list;
    struct view view;
    struct board b;
    bool quiet;

    layout_view(v->layout, first + i, &view);
    b = view_board(&view, BLACK);
    quiet = !board_must_capture(&b);
    if (quiet)
        moves_generate(&b, &list);
    for (int k = 0; k < KINDS; k++) {
        struct outcome stored, expected;
        enum kind kind = (enum kind)k;
        enum status rc;

        if (!v->table[k])
            continue;
        rc = quiet ? outcome_again(v, &b, &list, kind, &expected, e)
                   : probe_outcome(v->probe, &b, kind, &expected, e);
        if (rc)
            return rc;
        stored = quiet ? outcome_stored(c, kind, i) : expected;
        if (!outcome_equal(stored, expected))
            fault_value(v, kind, first + i, &b, stored, expected);
        c->checked += quiet;
        stats_add(&c->stats[k], kind, stored, quiet, first + i);
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------ one page -- */

/* A fixed fraction of all numbers. */
static bool chosen(const struct verify *v, uint64_t what, uint64_t number, double fraction)
{
    uint64_t part = random_mix((uint64_t)slice_code(v->layout->slice) << 8 | what);
    uint64_t key = random_mix(v->o->seed ^ part);

    return fraction >= 1 || (double)random_mix(key + number) < fraction * 0x1p64;
}

/* Decoding a page is expensive: check fewer pages, but many positions of each. */
static double page_fraction(double fraction)
{
    return fraction * 64 < 1 ? fraction * 64 : 1;
}

static enum status page_decode(struct verify *v, struct checker *c, uint64_t page, struct error *e)
{
    enum status rc =
        table_read_values(v->table[KIND_WLD], c->scratch, v->mirror, page, c->values, e);

    for (int k = 0; k < KINDS && !rc; k++)
        if (k != KIND_WLD && v->table[k])
            rc = table_read_distances(v->table[k], c->scratch, v->mirror, page, c->values,
                                      c->distances[k], e);
    return rc;
}

/* Check the checksums of pages that are not decoded. */
static enum status page_sums(struct verify *v, uint64_t page, struct error *e)
{
    enum status rc = STATUS_OK;

    for (int k = 0; k < KINDS && !rc; k++)
        if (v->table[k])
            rc = table_check_page(v->table[k], v->mirror, page, e);
    return rc;
}

/* Check that a page of the flat file has a valid checksum and, if the table's page was decoded,
 * the same values. */
static void flat_page_check(struct verify *v, struct checker *c, uint64_t page, bool decoded)
{
    uint32_t n = table_page_length(v->table[KIND_WLD], v->mirror, page), i = 0;
    char path[TABLE_PATH_MAX];
    struct error e;

    if (flat_read(v->flat, v->mirror, page, c->flat, &e)) {
        fault_text(v, "%s", e.text);
        return;
    }
    while (decoded && i < n && c->flat[i] == c->values[i])
        i++;
    if (decoded && i < n)
        fault_text(v, "%s: table %d, index %" PRIu64 ": value %d, the wld table has %d",
                   flat_path(path, sizeof path, catalog_dir(v->catalog), v->layout->slice),
                   v->mirror, page * TABLE_PAGE + i, c->flat[i], c->values[i]);
}

/* The same for the quick file, except for values that do not matter. */
static void quick_page_check(struct verify *v, struct checker *c, uint64_t page, bool decoded)
{
    uint32_t n = table_page_length(v->table[KIND_WLD], v->mirror, page), i = 0;
    char path[TABLE_PATH_MAX];
    const uint64_t *taking;
    struct error e;

    if (!decoded) {
        if (quick_read_chapter(v->quick, v->mirror, page / QUICK_CHAPTER_PAGES, &c->chapter, &e))
            fault_text(v, "%s", e.text);
        return;
    }
    if (quick_read(v->quick, v->mirror, page, &c->chapter, c->flat, &e)) {
        fault_text(v, "%s", e.text);
        return;
    }
    taking = table_captures(c->scratch, v->layout, page);
    while (i < n && (c->flat[i] == c->values[i] || taking[i / 64] >> i % 64 & 1))
        i++;
    if (i < n)
        fault_text(v, "%s: table %d, index %" PRIu64 ": value %d, the wld table has %d",
                   quick_path(path, sizeof path, catalog_dir(v->catalog), v->layout->slice),
                   v->mirror, page * TABLE_PAGE + i, c->flat[i], c->values[i]);
}

static void page_check(struct verify *v, struct checker *c, uint64_t page)
{
    double pages = page_fraction(v->o->fraction), each = v->o->fraction / pages;
    uint64_t first = page * TABLE_PAGE;
    uint32_t n = table_page_length(v->table[KIND_WLD], v->mirror, page);
    bool wanted = pages > 0 && chosen(v, 0, page, pages);
    struct error e = {0};

    if (wanted ? page_decode(v, c, page, &e) : page_sums(v, page, &e)) {
        fault_text(v, "%s", e.text);
        return;
    }
    if (v->flat)
        flat_page_check(v, c, page, wanted);
    if (v->quick)
        quick_page_check(v, c, page, wanted);
    for (uint32_t i = 0; wanted && i < n && !atomic_load(&v->enough); i++)
        if (chosen(v, 1, first + i, each) && position_check(v, c, first, i, &e)) {
            give_up(v, &e);
            return;
        }
}

/* ----------------------------------------------------------------- one table -- */

static void pages_job(void *arg, int id)
{
    struct verify *v = arg;

    while (!atomic_load(&v->enough) && !crew_stopped(&v->crew)) {
        uint64_t page = atomic_fetch_add(&v->next, 1);

        if (page >= table_pages(v->table[KIND_WLD], v->mirror))
            return;
        page_check(v, v->checker[id], page);
        if (v->o->done)
            atomic_fetch_add(v->o->done, table_page_length(v->table[KIND_WLD], v->mirror, page));
    }
}

static void stats_clear(struct table_stats *s)
{
    *s = (struct table_stats){0};
    for (int i = 0; i < 3; i++)
        s->all.longest[i] = s->quiet.longest[i] = (struct table_record){-1, UINT64_MAX};
}

static void counts_merge(struct table_counts *to, const struct table_counts *from)
{
    for (int i = 0; i < 3; i++) {
        to->count[i] += from->count[i];
        if (from->longest[i].plies >= 0)
            record_raise(&to->longest[i], from->longest[i].plies, from->longest[i].index);
    }
}

static bool counts_equal(const struct table_counts *a, const struct table_counts *b)
{
    for (int i = 0; i < 3; i++)
        if (a->count[i] != b->count[i] || a->longest[i].plies != b->longest[i].plies ||
            (a->longest[i].plies >= 0 && a->longest[i].index != b->longest[i].index))
            return false;
    return true;
}

static void stats_check(struct verify *v, int kind)
{
    const struct table_stats *said = table_stats(v->table[kind], v->mirror);
    struct table_stats found;
    char name[SLICE_NAME_MAX];

    stats_clear(&found);
    for (int i = 0; i < v->crew.threads; i++) {
        counts_merge(&found.all, &v->checker[i]->stats[kind].all);
        counts_merge(&found.quiet, &v->checker[i]->stats[kind].quiet);
    }
    if (counts_equal(&said->all, &found.all) && counts_equal(&said->quiet, &found.quiet))
        return;
    fault_text(v,
               "%s: statistics of %s: stored %" PRIu64 "/%" PRIu64 "/%" PRIu64
               " wins/draws/losses, longest %d and %d; found %" PRIu64 "/%" PRIu64 "/%" PRIu64
               ", longest %d and %d",
               table_name(v->table[kind]), slice_name(v->layout->slice, name),
               said->all.count[VALUE_WIN], said->all.count[VALUE_DRAW], said->all.count[VALUE_LOSS],
               said->all.longest[VALUE_WIN].plies, said->all.longest[VALUE_LOSS].plies,
               found.all.count[VALUE_WIN], found.all.count[VALUE_DRAW], found.all.count[VALUE_LOSS],
               found.all.longest[VALUE_WIN].plies, found.all.longest[VALUE_LOSS].plies);
}

static void mirror_check(struct verify *v, int mirror)
{
    v->mirror = mirror;
    v->layout = table_layout(v->table[KIND_WLD], mirror);
    atomic_store(&v->next, 0);
    for (int i = 0; i < v->crew.threads; i++)
        for (int k = 0; k < KINDS; k++)
            stats_clear(&v->checker[i]->stats[k]);
    crew_run(&v->crew, pages_job, v);
    for (int k = 0; k < KINDS; k++)
        if (v->table[k] && v->o->fraction >= 1 && !atomic_load(&v->enough) &&
            !crew_stopped(&v->crew))
            stats_check(v, k);
}

/* Open the tables of a slice; false if none can be checked. */
static bool tables_open(struct verify *v, struct slice s)
{
    char name[SLICE_NAME_MAX];
    struct error e;

    for (int k = 0; k < KINDS; k++) {
        v->table[k] = NULL;
        if (!catalog_has(v->catalog, s, (enum kind)k))
            continue;
        v->result->tables++;
        if (catalog_table(v->catalog, s, (enum kind)k, &v->table[k], &e)) {
            v->table[k] = NULL;
            fault_text(v, "%s", e.text);
            if (k == KIND_WLD)
                return false;
        } else if (v->table[KIND_WLD] && table_fits(v->table[k], v->table[KIND_WLD], &e)) {
            v->table[k] = NULL;
            fault_text(v, "%s", e.text);
        }
    }
    if (!v->table[KIND_WLD])
        fault_text(v, "%s: %s has distances but no win/loss/draw table", catalog_dir(v->catalog),
                   slice_name(s, name));
    return v->table[KIND_WLD] != NULL;
}

/* A flat or quick file need not exist, but if it does, it must be valid.  Returns whether it
 * exists. */
static bool form_found(struct verify *v, enum status rc, const struct error *e)
{
    if (rc == STATUS_MISMATCH)
        fault_text(v, "%s; it is not used: 'kelso unpack' makes it again", e->text);
    else if (rc && rc != STATUS_MISSING)
        fault_text(v, "%s", e->text);
    return rc != STATUS_MISSING;
}

static void forms_find(struct verify *v)
{
    const char *dir = catalog_dir(v->catalog);
    struct error e;
    enum status rc = flat_open(&v->flat, dir, v->table[KIND_WLD], &e);

    v->result->flat += form_found(v, rc, &e);
    rc = quick_open(&v->quick, dir, v->table[KIND_WLD], &e);
    v->result->quick += form_found(v, rc, &e);
    for (int i = 0; i < v->crew.threads; i++)
        v->checker[i]->chapter.number = QUICK_NO_CHAPTER;
}

/* ----------------------------------------------------------------------- all -- */

static bool slice_wanted(const struct catalog *c, const struct verify_options *o, struct slice s)
{
    bool any = false;

    if (o->slice && !slice_equal(slice_canonical(*o->slice), s))
        return false;
    for (int k = 0; k < KINDS; k++)
        any |= catalog_has(c, s, (enum kind)k);
    return any;
}

static int slices_wanted(const struct catalog *c, const struct verify_options *o,
                         struct slice list[SLICE_CODES])
{
    int n = slice_order(PIECES_MAX, PIECES_MAX, list), kept = 0;

    for (int i = 0; i < n; i++)
        if (slice_wanted(c, o, list[i]))
            list[kept++] = list[i];
    return kept;
}

uint64_t verify_work(const struct catalog *c, const struct verify_options *o)
{
    struct slice list[SLICE_CODES];
    int n = slices_wanted(c, o, list);
    uint64_t work = 0;

    for (int i = 0; i < n; i++) {
        struct layout l;

        if (layout_create(&l, list[i]))
            return 0;
        work += l.positions * (slice_symmetric(list[i]) ? 1 : 2);
        layout_free(&l);
    }
    return work;
}

static enum status verify_open(struct verify *v, const struct slice *list, int n, struct error *e)
{
    int most = 1;
    enum status rc = probe_open(&v->probe, v->catalog, v->o->cache, e);

    if (rc)
        return rc;
    probe_without_flat(v->probe); /* they are checked, not trusted */
    for (int i = 0; i < n; i++)
        most = table_sets(list[i]) > most ? table_sets(list[i]) : most;
    v->sets = sets_create(most);
    if (!v->sets || crew_open(&v->crew, v->o->threads, v->o->stop))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to verify");
    for (int i = 0; i < v->crew.threads; i++) {
        v->checker[i] = calloc(1, sizeof *v->checker[i]);
        if (!v->checker[i] || !(v->checker[i]->scratch = table_scratch_create(v->sets)))
            return error_set(e, STATUS_NO_MEMORY, "not enough memory to verify");
    }
    return STATUS_OK;
}

static void verify_close(struct verify *v)
{
    for (int i = 0; i < CREW_MAX && v->checker[i]; i++) {
        v->result->checked += v->checker[i]->checked;
        table_scratch_free(&v->checker[i]->scratch);
        free(v->checker[i]);
    }
    if (v->crew.threads)
        crew_close(&v->crew);
    sets_free(&v->sets);
    probe_close(&v->probe);
    pthread_mutex_destroy(&v->lock);
}

static void slices_check(struct verify *v, const struct slice *list, int n)
{
    for (int i = 0; i < n && !atomic_load(&v->enough) && !crew_stopped(&v->crew); i++) {
        if (v->o->begin)
            v->o->begin(v->o->context, list[i]);
        if (!tables_open(v, list[i]))
            continue;
        forms_find(v);
        for (int m = 0; m < (slice_symmetric(list[i]) ? 1 : 2); m++)
            mirror_check(v, m);
        flat_close(&v->flat);
        quick_close(&v->quick);
    }
}

enum status verify_run(struct catalog *c, const struct verify_options *o, struct verify_result *r,
                       struct error *e)
{
    struct verify v = {.o = o, .result = r, .catalog = c};
    struct slice list[SLICE_CODES];
    int n = slices_wanted(c, o, list);
    struct error manifest;
    enum status rc;

    *r = (struct verify_result){0};
    pthread_mutex_init(&v.lock, NULL);
    if (!(rc = verify_open(&v, list, n, e))) {
        if (!o->slice && catalog_check(c, &manifest))
            fault_text(&v, "%s", manifest.text);
        slices_check(&v, list, n);
        if (v.error.status)
            rc = error_pass(e, &v.error);
        else if (o->stop && atomic_load(o->stop))
            rc = error_set(e, STATUS_INTERRUPTED, "interrupted");
    }
    verify_close(&v);
    if (!rc && r->faults)
        rc = error_set(e, STATUS_MISMATCH, "%d faults", r->faults);
    return rc;
}
