/* SPDX-License-Identifier: MIT */
#include "db/probe.h"
#include "core/movegen.h"
#include "db/flat.h"
#include "db/page_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static_assert((int)CACHE_PAGE == (int)TABLE_PAGE, "a page of a table is a page of the cache");
static_assert(FLAT_PAGE_BYTES == CACHE_UNIT_WORDS * 8, "a page of a flat file is one at home");

/* A table of one slice and kind, and its pages in the cache. */
struct shelf {
    struct layout layout; /* `first` belongs to the table */
    const struct table *table;
    const struct shelf *values; /* of the same slice; itself for wld */
    int mirror;
    int log2;               /* of the bits of a packed value */
    const cache_word *home; /* where its pages are, or NULL: anywhere in the cache */
    cache_word *room;       /* the same, for us to fill; NULL if it is a flat file */
    const struct flat *flat;
    cache_entry entry[];
};

/* What one thread needs to decode a page. */
struct worker {
    struct worker *next;
    struct table_scratch *scratch;
    uint8_t values[TABLE_PAGE];
    uint16_t distances[TABLE_PAGE];
    uint64_t words[CACHE_SLAB_UNITS * CACHE_UNIT_WORDS];
};

struct probe {
    struct catalog *catalog;
    struct page_cache cache;
    struct sets *sets;
    pthread_mutex_t lock; /* guards idle, flat, and opening a shelf */
    struct worker *idle;
    bool without_flat;
    struct flat *flat[SLICE_CODES]; /* by canonical slice */
    _Atomic(struct shelf *) shelf[KINDS][SLICE_CODES];
};

/* ------------------------------------------------------------------ opening -- */

static int sets_wanted(const struct catalog *c)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list), most = 1;

    for (int i = 0; i < n; i++)
        if (catalog_has(c, list[i], KIND_WLD) && table_sets(list[i]) > most)
            most = table_sets(list[i]);
    return most;
}

enum status probe_open(struct probe **out, struct catalog *c, uint64_t bytes, struct error *e)
{
    struct probe *p = calloc(1, sizeof *p);

    *out = NULL;
    if (!p || !(p->sets = sets_create(sets_wanted(c))) || page_cache_open(&p->cache, bytes)) {
        if (p)
            sets_free(&p->sets);
        free(p);
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to probe");
    }
    p->catalog = c;
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return STATUS_OK;
}

void probe_without_flat(struct probe *p)
{
    p->without_flat = true;
}

static void worker_free(struct worker *w)
{
    table_scratch_free(&w->scratch);
    free(w);
}

void probe_close(struct probe **out)
{
    struct probe *p = *out;

    if (!p)
        return;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++)
            free(atomic_load(&p->shelf[k][i]));
    for (int i = 0; i < SLICE_CODES; i++)
        flat_close(&p->flat[i]);
    for (struct worker *w = p->idle, *next; w; w = next) {
        next = w->next;
        worker_free(w);
    }
    page_cache_close(&p->cache);
    sets_free(&p->sets);
    pthread_mutex_destroy(&p->lock);
    free(p);
    *out = NULL;
}

/* How wide a table's distances are: a byte if the longest fits. */
static int shelf_log2(const struct table *t, int mirror)
{
    const struct table_counts *quiet = &table_stats(t, mirror)->quiet;
    int win = quiet->longest[VALUE_WIN].plies, loss = quiet->longest[VALUE_LOSS].plies;
    int longest = win > loss ? win : loss;

    if (table_kind(t) == KIND_WLD)
        return 1;
    return longest < (table_kind(t) == KIND_DTW ? 512 : 256) ? 3 : 4;
}

/* The flat file of a wld table, or NULL: no file, one that was made from another table, or
 * a machine with another order of bytes than its words.  Under the lock. */
static enum status flat_find(struct probe *p, const struct table *t, const struct flat **out,
                             struct error *e)
{
    struct flat **at = &p->flat[slice_code(table_slice(t))];
    struct error why;
    enum status rc = STATUS_OK;

    if (!*at && !p->without_flat && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        rc = flat_open(at, catalog_dir(p->catalog), t, &why);
    *out = *at;
    if (rc == STATUS_OK || rc == STATUS_MISSING || rc == STATUS_MISMATCH)
        return STATUS_OK;
    return error_pass(e, &why);
}

static void shelf_place_pages(struct shelf *shelf, struct page_cache *cache, uint64_t pages)
{
    if (shelf->flat)
        shelf->home = flat_pages(shelf->flat, shelf->mirror);
    else
        shelf->home = shelf->room = page_cache_home(cache, pages, shelf->log2);
}

/* Under the lock. */
static enum status shelf_create(struct probe *p, const struct table *t, struct slice s,
                                const struct shelf *values, struct shelf **out, struct error *e)
{
    int mirror = !slice_equal(s, table_slice(t));
    size_t pages = table_pages(t, mirror);
    const struct flat *flat = NULL;
    struct shelf *shelf;
    enum status rc;

    *out = NULL;
    if (table_kind(t) == KIND_WLD && (rc = flat_find(p, t, &flat, e)))
        return rc;
    shelf = calloc(1, sizeof *shelf + pages * sizeof *shelf->entry);
    if (!shelf)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for %s", table_name(t));
    shelf->layout = *table_layout(t, mirror);
    shelf->table = t;
    shelf->mirror = mirror;
    shelf->log2 = shelf_log2(t, mirror);
    shelf->flat = flat;
    shelf->values = values ? values : shelf;
    shelf_place_pages(shelf, &p->cache, pages);
    *out = shelf;
    return STATUS_OK;
}

static enum status shelf_open(struct probe *p, struct slice s, enum kind kind,
                              const struct shelf **out, struct error *e)
{
    _Atomic(struct shelf *) *at = &p->shelf[kind][slice_code(s)];
    const struct shelf *values = NULL;
    const struct table *t;
    struct shelf *shelf;
    enum status rc;

    if (!catalog_has(p->catalog, s, kind)) {
        char name[SLICE_NAME_MAX];
        return error_set(e, STATUS_MISSING, "%s: no table %s.%s", catalog_dir(p->catalog),
                         slice_name(slice_canonical(s), name), kind_name(kind));
    }
    if ((rc = catalog_table(p->catalog, s, kind, &t, e)) ||
        (kind != KIND_WLD && (rc = shelf_open(p, s, KIND_WLD, &values, e))))
        return rc;
    pthread_mutex_lock(&p->lock);
    if (!(shelf = atomic_load(at)) && !(rc = shelf_create(p, t, s, values, &shelf, e)))
        atomic_store_explicit(at, shelf, memory_order_release);
    *out = shelf;
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* ------------------------------------------------------------------ decoding -- */

static struct worker *worker_get(struct probe *p)
{
    struct worker *w;

    pthread_mutex_lock(&p->lock);
    if ((w = p->idle))
        p->idle = w->next;
    pthread_mutex_unlock(&p->lock);
    if (!w && (w = malloc(sizeof *w)) && !(w->scratch = table_scratch_create(p->sets))) {
        free(w);
        w = NULL;
    }
    return w;
}

static void worker_put(struct probe *p, struct worker *w)
{
    pthread_mutex_lock(&p->lock);
    w->next = p->idle;
    p->idle = w;
    pthread_mutex_unlock(&p->lock);
}

/* Pack n numbers; false if one does not fit. */
static bool words_pack(const uint16_t *from, uint32_t n, int log2, uint64_t *words)
{
    uint32_t each = 64u >> log2, most = (1u << (1 << log2)) - 1, over = 0;

    for (uint32_t i = 0; i < n; i += each) {
        uint64_t word = 0;

        for (uint32_t j = i; j < i + each && j < n; j++) {
            over |= from[j] > most;
            word |= (uint64_t)from[j] << ((j - i) << log2);
        }
        words[i / each] = word;
    }
    return !over;
}

/* A page's place, if its table has a home. */
static const cache_word *shelf_place(const struct shelf *shelf, uint64_t page)
{
    return shelf->home ? shelf->home + page * (CACHE_UNIT_WORDS << (shelf->log2 - 1)) : NULL;
}

static cache_entry *shelf_entry(const struct shelf *shelf, uint64_t page)
{
    return (cache_entry *)(uintptr_t)&shelf->entry[page];
}

/* Put n numbers into the cache, as one if they are all the same. */
static bool page_put(struct probe *p, const struct shelf *shelf, uint64_t page, struct worker *w,
                     const uint16_t *numbers, uint32_t n)
{
    cache_entry *entry = shelf_entry(shelf, page);
    uint32_t i = 1;

    assert(!shelf->flat);
    while (i < n && numbers[i] == numbers[0])
        i++;
    if (i == n) {
        atomic_store_explicit(entry, CACHE_ONE_VALUE | numbers[0], memory_order_release);
        return true;
    }
    if (!words_pack(numbers, n, shelf->log2, w->words))
        return false;
    if (shelf->room)
        page_cache_put_home(shelf->room + (shelf_place(shelf, page) - shelf->home), entry,
                            shelf->log2, w->words);
    else
        page_cache_put(&p->cache, entry, shelf->log2, w->words);
    return true;
}

/* The values of a page, from the cache or from the file (then also to the cache). */
static enum status values_read(struct probe *p, const struct shelf *shelf, uint64_t page,
                               struct worker *w, struct error *e)
{
    uint32_t n = table_page_length(shelf->table, shelf->mirror, page);
    enum status rc;

    if (shelf->flat)
        return flat_read(shelf->flat, shelf->mirror, page, w->values, e);
    if (page_cache_copy(&p->cache, shelf_place(shelf, page), &shelf->entry[page], shelf->log2,
                        w->words)) {
        for (uint32_t i = 0; i < n; i++)
            w->values[i] = w->words[i / 32] >> i % 32 * 2 & 3;
        return STATUS_OK;
    }
    rc = table_read_values(shelf->table, w->scratch, shelf->mirror, page, w->values, e);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        w->distances[i] = w->values[i];
    page_put(p, shelf, page, w, w->distances, n);
    return STATUS_OK;
}

static enum status distances_read(struct probe *p, const struct shelf *shelf, uint64_t page,
                                  struct worker *w, struct error *e)
{
    uint32_t n = table_page_length(shelf->table, shelf->mirror, page);
    enum status rc;

    if ((rc = values_read(p, shelf->values, page, w, e)) ||
        (rc = table_read_distances(shelf->table, w->scratch, shelf->mirror, page, w->values,
                                   w->distances, e)))
        return rc;
    if (table_kind(shelf->table) == KIND_DTW)
        for (uint32_t i = 0; i < n; i++)
            w->distances[i] /= 2;
    if (!page_put(p, shelf, page, w, w->distances, n))
        return error_set(e, STATUS_DAMAGED, "%s: a distance is longer than the header says",
                         table_name(shelf->table));
    return STATUS_OK;
}

/* A page of a flat file is where it should be: check it once, and say so. */
static enum status page_check(const struct shelf *shelf, uint64_t page, struct error *e)
{
    uint32_t one;
    enum status rc = flat_check(shelf->flat, shelf->mirror, page, &one, e);

    if (!rc)
        atomic_store_explicit(shelf_entry(shelf, page),
                              one == FLAT_MIXED ? CACHE_AT_HOME : CACHE_ONE_VALUE | one,
                              memory_order_release);
    return rc;
}

static enum status page_read(struct probe *p, const struct shelf *shelf, uint64_t page,
                             struct error *e)
{
    struct worker *w;
    enum status rc;

    if (shelf->flat)
        return page_check(shelf, page, e);
    w = worker_get(p);
    if (!w)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to decode a page");
    rc = shelf->values == shelf ? values_read(p, shelf, page, w, e)
                                : distances_read(p, shelf, page, w, e);
    worker_put(p, w);
    return rc;
}

/* ------------------------------------------------------------------- filling -- */

/* The wld tables of at most so many pieces, each as both sides see it. */
struct fill {
    struct probe *probe;
    const struct shelf *shelf[SLICE_CODES];
    int shelves;
    struct crew *crew;
    _Atomic uint64_t *done;
    atomic_bool over; /* an error */
    enum status rc;   /* and error: under the probe's lock */
    struct error *error;
};

static enum status fill_open(struct fill *f, struct probe *p, int pieces, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(pieces, PIECES_MAX, list);
    enum status rc = STATUS_OK;

    *f = (struct fill){.probe = p, .error = e};
    for (int i = 0; !rc && i < n; i++)
        if (catalog_has(p->catalog, list[i], KIND_WLD)) {
            rc = shelf_open(p, list[i], KIND_WLD, &f->shelf[f->shelves++], e);
            if (!rc && !slice_equal(list[i], slice_flip(list[i])))
                rc = shelf_open(p, slice_flip(list[i]), KIND_WLD, &f->shelf[f->shelves++], e);
        }
    return rc;
}

static void fill_end(struct fill *f, enum status rc, const struct error *e)
{
    pthread_mutex_lock(&f->probe->lock);
    if (rc && !f->rc) {
        f->rc = rc;
        if (f->error)
            *f->error = *e;
    }
    pthread_mutex_unlock(&f->probe->lock);
    atomic_store(&f->over, true);
}

/* All pages of a shelf that are this thread's; those without a home as long as they push out
 * no others. */
static void fill_shelf(struct fill *f, const struct shelf *shelf, int id)
{
    uint64_t pages = table_pages(shelf->table, shelf->mirror);
    struct error e;

    for (uint64_t page = (uint64_t)id; page < pages; page += (uint64_t)f->crew->threads) {
        enum status rc = STATUS_OK;

        if (!shelf->home && page_cache_full(&f->probe->cache))
            return;
        if (crew_stopped(f->crew))
            rc = error_set(&e, STATUS_INTERRUPTED, "interrupted");
        else if (atomic_load_explicit(&shelf->entry[page], memory_order_relaxed) == 0)
            rc = page_read(f->probe, shelf, page, &e);
        if (rc) {
            fill_end(f, rc, &e);
            return;
        }
        if (f->done)
            atomic_fetch_add_explicit(f->done, 1, memory_order_relaxed);
    }
}

static void fill_work(void *arg, int id)
{
    struct fill *f = arg;

    for (int i = 0; i < f->shelves && !atomic_load(&f->over); i++)
        fill_shelf(f, f->shelf[i], id);
}

enum status probe_fill(struct probe *p, int pieces, struct crew *crew, _Atomic uint64_t *done,
                       struct error *e)
{
    struct fill f;
    enum status rc = fill_open(&f, p, pieces, e);

    if (rc)
        return rc;
    f.crew = crew;
    f.done = done;
    crew_run(crew, fill_work, &f);
    return f.rc;
}

enum status probe_pages(struct probe *p, int pieces, uint64_t *pages, struct error *e)
{
    struct fill f;
    enum status rc = fill_open(&f, p, pieces, e);

    *pages = 0;
    for (int i = 0; !rc && i < f.shelves; i++)
        *pages += table_pages(f.shelf[i]->table, f.shelf[i]->mirror);
    return rc;
}

/* ------------------------------------------------------------ without captures -- */

static inline bool shelf_has(const struct probe *p, const struct shelf *shelf, uint64_t page,
                             uint32_t i, uint32_t *number)
{
    if (shelf->home)
        return page_cache_get_home(shelf_place(shelf, page), &shelf->entry[page], shelf->log2, i,
                                   number);
    return page_cache_get(&p->cache, &shelf->entry[page], shelf->log2, i, number);
}

static enum status shelf_get(struct probe *p, const struct shelf *shelf, uint64_t index,
                             uint32_t *number, struct error *e)
{
    uint64_t page = index / TABLE_PAGE;

    while (!shelf_has(p, shelf, page, index % TABLE_PAGE, number)) {
        enum status rc = page_read(p, shelf, page, e);

        if (rc)
            return rc;
    }
    return STATUS_OK;
}

static enum status shelf_find(struct probe *p, struct slice s, enum kind kind,
                              const struct shelf **shelf, struct error *e)
{
    *shelf = atomic_load_explicit(&p->shelf[kind][slice_code(s)], memory_order_acquire);
    return *shelf ? STATUS_OK : shelf_open(p, s, kind, shelf, e);
}

/* Both sides have pieces; and there are tables of so many, or captures lead nearer to them. */
static bool board_probed(const struct board *b, bool captures)
{
    return b->side[BLACK] && b->side[WHITE] &&
           (captures || squares_count(b->side[BLACK] | b->side[WHITE]) <= PIECES_MAX);
}

static enum status not_probed(const struct board *b, struct error *e)
{
    if (!b->side[b->turn]) /* lost */
        return STATUS_OK;
    if (!b->side[side_other(b->turn)])
        return error_set(e, STATUS_POSITION, "the side that is not to move has no pieces");
    return error_set(e, STATUS_MISSING, "no tables of more than %d pieces", PIECES_MAX);
}

static enum status quiet_value(struct probe *p, const struct board *b, enum value *v,
                               struct error *e)
{
    struct view view = view_of(b);
    const struct shelf *shelf;
    uint32_t number;
    enum status rc = shelf_find(p, view_slice(&view), KIND_WLD, &shelf, e);

    if (!rc && !(rc = shelf_get(p, shelf, layout_index(&shelf->layout, &view), &number, e)))
        *v = (enum value)number;
    return rc;
}

/* A page of a flat file is at hand: it only has to be checked. */
static bool quiet_at_hand(struct probe *p, const struct board *b, enum value *v)
{
    struct view view = view_of(b);
    const struct shelf *shelf = atomic_load_explicit(
        &p->shelf[KIND_WLD][slice_code(view_slice(&view))], memory_order_acquire);
    uint32_t number;
    uint64_t index;

    if (!shelf)
        return false;
    index = layout_index(&shelf->layout, &view);
    if (shelf->flat ? shelf_get(p, shelf, index, &number, NULL) != STATUS_OK
                    : !shelf_has(p, shelf, index / TABLE_PAGE, index % TABLE_PAGE, &number))
        return false;
    *v = (enum value)number;
    return true;
}

static enum status quiet_outcome(struct probe *p, const struct board *b, enum kind kind,
                                 struct outcome *o, struct error *e)
{
    struct view view = view_of(b);
    const struct shelf *shelf;
    uint32_t number;
    uint64_t index;
    enum status rc = shelf_find(p, view_slice(&view), kind, &shelf, e);

    if (rc)
        return rc;
    index = layout_index(&shelf->layout, &view);
    if ((rc = shelf_get(p, shelf->values, index, &number, e)))
        return rc;
    *o = (struct outcome){(enum value)number, 0};
    if (kind == KIND_WLD || o->value == VALUE_DRAW)
        return STATUS_OK;
    if ((rc = shelf_get(p, shelf, index, &number, e)))
        return rc;
    o->plies = kind == KIND_DTC ? (int)number : (int)(2 * number) + (o->value == VALUE_WIN);
    return STATUS_OK;
}

/* ---------------------------------------------------------------- with captures -- */

/* Ends at the first capture that wins. */
static enum status capture_value(struct probe *p, const struct board *b, enum value *v,
                                 struct error *e)
{
    struct move_list list;
    enum value best = VALUE_LOSS;

    moves_generate(b, &list);
    for (int i = 0; i < list.count && best != VALUE_WIN; i++) {
        struct board next = board_after(b, &list.move[i]);
        enum value after;
        enum status rc = probe_value(p, &next, &after, e);

        if (rc)
            return rc;
        if (value_negate(after) > best)
            best = value_negate(after);
    }
    *v = best;
    return STATUS_OK;
}

/* A capture that wins is enough; else all must be at hand. */
static bool capture_at_hand(struct probe *p, const struct board *b, enum value *v)
{
    struct move_list list;
    bool all = true;

    *v = VALUE_LOSS;
    moves_generate(b, &list);
    for (int i = 0; i < list.count && *v != VALUE_WIN; i++) {
        struct board next = board_after(b, &list.move[i]);
        enum value after;

        if (!probe_at_hand(p, &next, &after))
            all = false;
        else if (value_negate(after) > *v)
            *v = value_negate(after);
    }
    return all || *v == VALUE_WIN;
}

static enum status capture_dtw(struct probe *p, const struct board *b, struct outcome *o,
                               struct error *e)
{
    struct move_list list;

    *o = outcome_lost;
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        struct outcome after;
        enum status rc = probe_outcome(p, &next, KIND_DTW, &after, e);

        if (rc)
            return rc;
        after = outcome_before(after);
        if (outcome_better(after, *o))
            *o = after;
    }
    return STATUS_OK;
}

static enum status capture_outcome(struct probe *p, const struct board *b, enum kind kind,
                                   struct outcome *o, struct error *e)
{
    enum value v;
    enum status rc;

    if (kind == KIND_DTW)
        return capture_dtw(p, b, o, e);
    if ((rc = capture_value(p, b, &v, e)))
        return rc;
    *o = kind == KIND_DTC ? outcome_converting(value_negate(v)) : (struct outcome){v, 0};
    return STATUS_OK;
}

/* -------------------------------------------------------------------- answers -- */

enum status probe_value(struct probe *p, const struct board *b, enum value *v, struct error *e)
{
    bool captures = board_must_capture(b);

    if (!board_probed(b, captures)) {
        *v = VALUE_LOSS;
        return not_probed(b, e);
    }
    return captures ? capture_value(p, b, v, e) : quiet_value(p, b, v, e);
}

bool probe_at_hand(struct probe *p, const struct board *b, enum value *v)
{
    bool captures = board_must_capture(b);

    if (!board_probed(b, captures)) {
        *v = VALUE_LOSS;
        return not_probed(b, NULL) == STATUS_OK;
    }
    return captures ? capture_at_hand(p, b, v) : quiet_at_hand(p, b, v);
}

enum status probe_outcome(struct probe *p, const struct board *b, enum kind kind, struct outcome *o,
                          struct error *e)
{
    bool captures = board_must_capture(b);

    if (!board_probed(b, captures)) {
        *o = outcome_lost;
        return not_probed(b, e);
    }
    return captures ? capture_outcome(p, b, kind, o, e) : quiet_outcome(p, b, kind, o, e);
}
