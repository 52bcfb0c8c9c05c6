/* SPDX-License-Identifier: MIT */
#include "db/paging.h"
#include "base/clock.h"
#include "base/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static_assert((int)CACHE_PAGE == (int)TABLE_PAGE, "a page of a table is a page of the cache");
static_assert(FLAT_PAGE_BYTES == CACHE_UNIT_WORDS * 8, "a page of a flat file is a pinned page");

enum { PAGE_SHIFT = 14, SLOT_SHIFT = 11 };

static_assert(1 << PAGE_SHIFT == TABLE_PAGE && 1 << SLOT_SHIFT == PART_VALUES, "the same sizes");

/* What one thread needs to decode a page. */
struct page_decoder {
    struct page_decoder *next;
    struct table_scratch *scratch;
    uint8_t values[TABLE_PAGE];
    uint16_t numbers[TABLE_PAGE];
    uint64_t words[CACHE_SLAB_UNITS * CACHE_UNIT_WORDS];
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

/* Would all values of the wld tables, 2 bits each, take more than this? */
static bool values_exceed(const struct catalog *c, uint64_t bytes)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list);
    uint64_t all = 0;

    for (int i = 0; i < n && all <= bytes; i++) {
        struct layout l;

        if (catalog_has(c, list[i], KIND_WLD) && layout_create(&l, list[i]) == 0) {
            all += l.positions / 4 * (slice_symmetric(list[i]) ? 1 : 2);
            layout_free(&l);
        }
    }
    return all > bytes;
}

/* Half of the page cache may be reserved for tables.  If that is not enough for all, parts of the
 * others need a cache of their own. */
static int caches_open(struct paging *p, uint64_t bytes)
{
    uint64_t parts = values_exceed(p->catalog, bytes / 2) ? bytes / 8 * 3 : 0;

    if (page_cache_open(&p->cache, bytes - parts))
        return -1;
    if (parts && part_cache_open(&p->parts, parts)) {
        page_cache_close(&p->cache);
        return -1;
    }
    return 0;
}

enum status paging_open(struct paging *p, struct catalog *c, uint64_t bytes, struct error *e)
{
    p->catalog = c;
    p->bytes = bytes;
    p->flat_left = p->flat_all = memory_all() / 2;
    p->next_key = 1;
    if (!(p->sets = sets_create(sets_wanted(c))) || caches_open(p, bytes)) {
        sets_free(&p->sets);
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to read tables");
    }
    pthread_mutex_init(&p->lock, NULL);
    return STATUS_OK;
}

static void decoder_free(struct page_decoder *d)
{
    table_scratch_free(&d->scratch);
    free(d);
}

static void paged_free(struct paged_table *t)
{
    if (t && t->own)
        munmap(t->pinned, t->own);
    free(t);
}

void paging_close(struct paging *p)
{
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++)
            paged_free(atomic_load(&p->table[k][i]));
    for (int i = 0; i < SLICE_CODES; i++) {
        flat_close(&p->flat[i]);
        quick_close(&p->quick[i]);
    }
    for (struct page_decoder *d = p->idle, *next; d; d = next) {
        next = d->next;
        decoder_free(d);
    }
    page_cache_close(&p->cache);
    part_cache_close(&p->parts);
    sets_free(&p->sets);
    pthread_mutex_destroy(&p->lock);
}

/* The width of a table's distances: a byte if the longest fits. */
static int number_log2(const struct table *t, int mirror)
{
    const struct table_counts *quiet = &table_stats(t, mirror)->quiet;
    int win = quiet->longest[VALUE_WIN].plies, loss = quiet->longest[VALUE_LOSS].plies;
    int longest = win > loss ? win : loss;

    if (table_kind(t) == KIND_WLD)
        return 1;
    return longest < (table_kind(t) == KIND_DTW ? 512 : 256) ? 3 : 4;
}

/* The flat file of a wld table, or NULL if there is none, if it was made from another table, or
 * on a big-endian machine.  Call under the lock. */
static enum status flat_find(struct paging *p, const struct table *t, const struct flat **out,
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

/* The same for its quick file; without room for it in memory there is none. */
static enum status quick_find(struct paging *p, const struct table *t, struct quick **out,
                              struct error *e)
{
    struct quick **at = &p->quick[slice_code(table_slice(t))];
    struct error why;
    enum status rc = STATUS_OK;

    if (!*at && !p->without_flat && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        rc = quick_open(at, catalog_dir(p->catalog), t, &why);
        if (*at && (quick_bytes(*at) > p->flat_left || quick_reserve(*at)))
            quick_close(at);
        else if (*at)
            p->flat_left -= quick_bytes(*at);
    }
    *out = *at;
    if (rc == STATUS_OK || rc == STATUS_MISSING || rc == STATUS_MISMATCH)
        return STATUS_OK;
    return error_pass(e, &why);
}

/* Memory for all pages of a flat file's table; none is taken before they are read. */
static void flat_pin(struct paging *p, struct paged_table *t, uint64_t pages)
{
    uint64_t bytes = pages * FLAT_PAGE_BYTES;
    void *memory;

    if (bytes > p->flat_left)
        return;
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    if (memory == MAP_FAILED)
        return;
    p->flat_left -= bytes;
    t->pinned = memory;
    t->own = bytes;
}

/* Set up a table of values whose pages have parts: an entry for each part if they have a fixed
 * place, none if there is a cache of parts. */
static void table_cut(struct paging *p, struct paged_table *t)
{
    int part = __builtin_ctz(table_part(t->table));

    if (t->flat || t->quick || t->values != t || part == PAGE_SHIFT ||
        (!t->pinned && !p->parts.sets))
        return;
    t->shift = part;
    if (t->pinned)
        return;
    if (t->shift > SLOT_SHIFT)
        t->shift = SLOT_SHIFT;
    t->key = p->next_key;
    p->next_key += (t->layout.positions >> t->shift) + 1;
    assert(p->next_key >> PART_KEY_BITS == 0);
}

static size_t entries_of(const struct paged_table *t)
{
    return t->key || t->quick ? 0 : (size_t)((t->layout.positions - 1) >> t->shift) + 1;
}

/* Set up everything but the entries.  Call under the lock. */
static enum status table_plan(struct paging *p, const struct table *from, struct slice s,
                              const struct paged_table *values, struct paged_table *t,
                              struct error *e)
{
    int mirror = !slice_equal(s, table_slice(from));
    uint64_t pages = table_pages(from, mirror);
    enum status rc;

    *t = (struct paged_table){.layout = *table_layout(from, mirror),
                              .table = from,
                              .values = values,
                              .mirror = mirror,
                              .log2 = number_log2(from, mirror),
                              .shift = PAGE_SHIFT};
    if (table_kind(from) == KIND_WLD && (rc = flat_find(p, from, &t->flat, e)))
        return rc;
    if (t->flat)
        flat_pin(p, t, pages);
    if (table_kind(from) == KIND_WLD && !t->pinned && (rc = quick_find(p, from, &t->quick, e)))
        return rc;
    if (t->quick)
        t->flat = NULL;
    else if (!t->pinned)
        t->pinned = page_cache_reserve(&p->cache, pages, t->log2);
    if (table_kind(from) == KIND_WLD)
        t->values = t;
    table_cut(p, t);
    t->units = entries_of(t);
    return STATUS_OK;
}

/* Under the lock. */
static enum status table_create(struct paging *p, const struct table *from, struct slice s,
                                const struct paged_table *values, struct paged_table **out,
                                struct error *e)
{
    struct paged_table plan, *t;
    enum status rc;

    *out = NULL;
    if ((values && (rc = table_fits(from, values->table, e))) ||
        (rc = table_plan(p, from, s, values, &plan, e)))
        return rc;
    t = calloc(1, sizeof *t + plan.units * (plan.pinned ? sizeof(cache_mark) : sizeof *t->entry));
    if (!t) {
        if (plan.own)
            munmap(plan.pinned, plan.own);
        p->flat_left += plan.own;
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for %s", table_name(from));
    }
    memcpy(t, &plan, sizeof plan);
    t->values = values ? values : t;
    assert((table_kind(from) == KIND_WLD) == (t->values == t));
    assert(t->values->table == from || t->values->mirror == t->mirror);
    *out = t;
    return STATUS_OK;
}

enum status paging_open_table(struct paging *p, struct slice s, enum kind kind,
                              const struct paged_table **out, struct error *e)
{
    _Atomic(struct paged_table *) *at = &p->table[kind][slice_code(s)];
    const struct paged_table *values = NULL;
    const struct table *from;
    struct paged_table *t;
    enum status rc;

    if (!catalog_has(p->catalog, s, kind)) {
        char name[SLICE_NAME_MAX];
        return error_set(e, STATUS_MISSING, "%s: no table %s.%s", catalog_dir(p->catalog),
                         slice_name(slice_canonical(s), name), kind_name(kind));
    }
    if ((rc = catalog_table(p->catalog, s, kind, &from, e)) ||
        (kind != KIND_WLD && (rc = paging_open_table(p, s, KIND_WLD, &values, e))))
        return rc;
    pthread_mutex_lock(&p->lock);
    if (!(t = atomic_load(at)) && !(rc = table_create(p, from, s, values, &t, e)))
        atomic_store_explicit(at, t, memory_order_release);
    *out = t;
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* ------------------------------------------------------------------ decoding -- */

static struct page_decoder *decoder_take(struct paging *p)
{
    struct page_decoder *d;

    pthread_mutex_lock(&p->lock);
    if ((d = p->idle))
        p->idle = d->next;
    pthread_mutex_unlock(&p->lock);
    if (!d && (d = malloc(sizeof *d)) && !(d->scratch = table_scratch_create(p->sets))) {
        free(d);
        d = NULL;
    }
    return d;
}

static void decoder_give_back(struct paging *p, struct page_decoder *d)
{
    pthread_mutex_lock(&p->lock);
    d->next = p->idle;
    p->idle = d;
    pthread_mutex_unlock(&p->lock);
}

/* Pack n numbers; false if one does not fit. */
static bool numbers_pack(const uint16_t *from, uint32_t n, int log2, uint64_t *words)
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

/* Tables are handed out as constants; only their entries change. */
static cache_entry *page_entry(const struct paged_table *t, uint64_t page)
{
    assert(page < t->units && !t->pinned);
    return (cache_entry *)(uintptr_t)&t->entry[page];
}

/* Put the packed numbers of d->words into the cache. */
static void words_put(struct paging *p, const struct paged_table *t, uint64_t page,
                      const struct page_decoder *d)
{
    assert(page < t->units);
    if (t->pinned)
        page_cache_put_pinned_words(paged_place(t, page), paged_mark(t, page), d->words,
                                    paged_words(t));
    else
        page_cache_put(&p->cache, page_entry(t, page), t->log2, d->words);
}

static void one_put(const struct paged_table *t, uint64_t page, uint32_t one)
{
    assert(page < t->units && one <= UINT16_MAX - CACHE_MARK_ONE);
    if (t->pinned)
        atomic_store_explicit(paged_mark(t, page), (uint16_t)(CACHE_MARK_ONE + one),
                              memory_order_release);
    else
        atomic_store_explicit(page_entry(t, page), CACHE_ONE_VALUE | one, memory_order_release);
}

/* Put n numbers into the cache, as one if they are all the same. */
static bool page_put(struct paging *p, const struct paged_table *t, uint64_t page,
                     struct page_decoder *d, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && d->numbers[i] == d->numbers[0])
        i++;
    if (i == n && d->numbers[0] <= UINT16_MAX - CACHE_MARK_ONE) {
        one_put(t, page, d->numbers[0]);
        return true;
    }
    if (!numbers_pack(d->numbers, n, t->log2, d->words))
        return false;
    words_put(p, t, page, d);
    return true;
}

/* A page of a flat file goes into the cache unchanged. */
static enum status flat_fetch(struct paging *p, const struct paged_table *t, uint64_t page,
                              struct page_decoder *d, struct error *e)
{
    uint32_t one;
    enum status rc = flat_read_packed(t->flat, t->mirror, page, (uint8_t *)d->words, &one, e);

    if (rc)
        return rc;
    if (one != FLAT_MIXED)
        one_put(t, page, one);
    else
        words_put(p, t, page, d);
    return STATUS_OK;
}

/* The values of a page, from the cache or from the file (then also to the cache). */
static enum status values_read(struct paging *p, const struct paged_table *t, uint64_t page,
                               struct page_decoder *d, struct error *e)
{
    uint32_t n = table_page_length(t->table, t->mirror, page);
    enum status rc;

    if (t->quick || (!t->flat && table_part(t->table) != TABLE_PAGE)) /* for distances: not kept */
        return table_read_values(t->table, d->scratch, t->mirror, page, d->values, e);
    if (t->pinned
            ? page_cache_copy_pinned(paged_place(t, page), paged_mark(t, page), t->log2, d->words)
            : page_cache_copy(&p->cache, &t->entry[page], t->log2, d->words)) {
        for (uint32_t i = 0; i < n; i++)
            d->values[i] = d->words[i / 32] >> i % 32 * 2 & 3;
        return STATUS_OK;
    }
    if (t->flat)
        return flat_read(t->flat, t->mirror, page, d->values, e);
    rc = table_read_values(t->table, d->scratch, t->mirror, page, d->values, e);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        d->numbers[i] = d->values[i];
    page_put(p, t, page, d, n);
    return STATUS_OK;
}

static enum status distances_read(struct paging *p, const struct paged_table *t, uint64_t page,
                                  struct page_decoder *d, struct error *e)
{
    uint32_t n = table_page_length(t->table, t->mirror, page);
    enum status rc;

    if ((rc = values_read(p, t->values, page, d, e)) ||
        (rc =
             table_read_distances(t->table, d->scratch, t->mirror, page, d->values, d->numbers, e)))
        return rc;
    if (table_kind(t->table) == KIND_DTW)
        for (uint32_t i = 0; i < n; i++)
            d->numbers[i] /= 2;
    if (!page_put(p, t, page, d, n))
        return error_set(e, STATUS_DAMAGED, "%s: a distance is longer than the header says",
                         table_name(t->table));
    return STATUS_OK;
}

/* All values of part `unit`, or of a whole page if the table has no place for its parts. */
static enum status part_read(struct paging *p, const struct paged_table *t, uint64_t unit,
                             struct page_decoder *d, struct error *e)
{
    uint64_t size = UINT64_C(1) << t->shift, first = unit << t->shift;
    uint64_t left = t->layout.positions - first, n = left < size ? left : size, end;
    uint8_t one;
    enum status rc;

    if (t->shift == PAGE_SHIFT) {
        if ((rc = table_read_values(t->table, d->scratch, t->mirror, unit, d->values, e)))
            return rc;
    } else {
        if ((rc = table_read_part(t->table, d->scratch, t->mirror, first + n - 1, d->values, &first,
                                  &end, &one, e)))
            return rc;
        if (one != TABLE_ANY) {
            one_put(t, unit, one);
            return STATUS_OK;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        d->numbers[i] = d->values[i];
    page_put(p, t, unit, d, (uint32_t)n);
    return STATUS_OK;
}

/* Pack count values, 2 bits each. */
static void values_pack(const uint8_t *values, uint32_t count, uint64_t words[PART_WORDS])
{
    for (uint32_t i = 0; i < count; i += 32) {
        uint64_t word = 0;

        for (uint32_t j = 0; j < 32 && i + j < count; j++)
            word |= (uint64_t)values[i + j] << 2 * j;
        words[i / 32] = word;
    }
}

/* A value requested once may not be requested again: decode only as much as needed.  A second
 * request for more gets the whole part. */
enum status paging_read_part(struct paging *p, const struct paged_table *t, uint64_t index,
                             uint32_t *number, struct error *e)
{
    uint64_t key = t->key + (index >> t->shift), wanted = index, first, end, base;
    struct page_decoder *d = decoder_take(p);
    uint32_t other;
    uint8_t one;
    enum status rc;

    if (!d)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to decode a page");
    if (part_cache_get(&p->parts, key, 0, &other)) {
        wanted = index | ((UINT64_C(1) << t->shift) - 1);
        wanted = wanted < t->layout.positions ? wanted : t->layout.positions - 1;
    }
    atomic_fetch_add_explicit(&p->decoded, 1, memory_order_relaxed);
    rc = table_read_part(t->table, d->scratch, t->mirror, wanted, d->values, &first, &end, &one, e);
    if (!rc)
        *number = one == TABLE_ANY ? d->values[index - first] : one;
    if (!rc && one != TABLE_ANY) {
        part_cache_put_one(&p->parts, key, one);
    } else if (!rc) {
        base = index >> t->shift << t->shift; /* a slot holds half of a large part */
        values_pack(d->values + (base - first), (uint32_t)(end - base), d->words);
        part_cache_put(&p->parts, key, (uint32_t)(end - base), d->words);
    }
    decoder_give_back(p, d);
    return rc;
}

enum status paging_read_chapter(struct paging *p, const struct paged_table *t, uint64_t index,
                                struct error *e)
{
    atomic_fetch_add_explicit(&p->read, 1, memory_order_relaxed);
    return quick_load(t->quick, t->mirror, index, e);
}

enum status paging_read(struct paging *p, const struct paged_table *t, uint64_t page,
                        struct error *e)
{
    struct page_decoder *d;
    enum status rc;

    d = decoder_take(p);
    if (!d)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to decode a page");
    atomic_fetch_add_explicit(t->flat ? &p->read : &p->decoded, 1, memory_order_relaxed);
    rc = t->flat                              ? flat_fetch(p, t, page, d, e)
         : t->values != t                     ? distances_read(p, t, page, d, e)
         : table_part(t->table) != TABLE_PAGE ? part_read(p, t, page, d, e)
                                              : values_read(p, t, page, d, e);
    decoder_give_back(p, d);
    return rc;
}

bool paging_peek_elsewhere(const struct paging *p, const struct paged_table *t, uint64_t index,
                           uint32_t *number)
{
    uint64_t unit = index >> t->shift;
    uint32_t i = (uint32_t)(index & ((UINT64_C(1) << t->shift) - 1));

    if (t->quick)
        return quick_peek(t->quick, t->mirror, index, number);
    if (t->key)
        return part_cache_get(&p->parts, t->key + unit, i, number);
    return page_cache_get(&p->cache, &t->entry[unit], t->log2, i, number);
}

enum status paging_fetch(struct paging *p, const struct paged_table *t, uint64_t index,
                         uint32_t *number, struct error *e)
{
    struct profile *profile = t->values == t ? p->profile : NULL;
    double start = profile ? clock_now(profile->clock) : 0;
    enum status rc = t->quick ? paging_read_chapter(p, t, index, e)
                     : t->key ? paging_read_part(p, t, index, number, e)
                              : paging_read(p, t, index >> t->shift, e);

    if (profile)
        profile_decode(profile, t->layout.slice, clock_now(profile->clock) - start);
    return rc;
}

/* ------------------------------------------------------------------- filling -- */

/* The wld tables of at most `pieces` pieces, with either side to move. */
struct fill {
    struct paging *paging;
    const struct paged_table *table[SLICE_CODES];
    int tables;
    struct crew *crew;
    _Atomic uint64_t *done;
    _Atomic uint64_t slots; /* of the part cache, that were filled */
    atomic_bool over;       /* there was an error */
    enum status rc;         /* which one; with `error` under the paging's lock */
    struct error *error;
};

static enum status fill_add(struct fill *f, struct slice s, struct error *e)
{
    enum status rc = paging_open_table(f->paging, s, KIND_WLD, &f->table[f->tables++], e);

    if (!rc && !slice_symmetric(s))
        rc = paging_open_table(f->paging, slice_flip(s), KIND_WLD, &f->table[f->tables++], e);
    return rc;
}

static enum status fill_open(struct fill *f, struct paging *p, int pieces, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(pieces, PIECES_MAX, list);
    enum status rc = STATUS_OK;

    *f = (struct fill){.paging = p, .error = e};
    for (int i = 0; !rc && i < n; i++)
        if (catalog_has(p->catalog, list[i], KIND_WLD))
            rc = fill_add(f, list[i], e);
    return rc;
}

static void fill_end(struct fill *f, enum status rc, const struct error *e)
{
    pthread_mutex_lock(&f->paging->lock);
    if (rc && !f->rc) {
        f->rc = rc;
        if (f->error)
            *f->error = *e;
    }
    pthread_mutex_unlock(&f->paging->lock);
    atomic_store(&f->over, true);
}

/* Pages, parts or chapters of a table. */
static uint64_t paged_count(const struct paged_table *t)
{
    if (t->quick)
        return t->quick->chapters[t->quick->tables > 1 ? t->mirror : 0];
    return ((t->layout.positions - 1) >> t->shift) + 1;
}

/* Is there room for another page without a fixed place?  The part cache is filled by half:
 * beyond that parts would increasingly evict each other from their sets. */
static bool fill_room(struct fill *f, const struct paged_table *t)
{
    if (t->pinned || t->quick)
        return true;
    if (t->key)
        return atomic_fetch_add(&f->slots, 1) < f->paging->parts.sets * PART_WAYS / 2;
    return !page_cache_full(&f->paging->cache);
}

/* A whole page or part, unless it is there. */
static enum status fill_read(struct paging *p, const struct paged_table *t, uint64_t unit,
                             struct error *e)
{
    uint64_t last = ((unit + 1) << t->shift) - 1;
    uint32_t number;

    if (t->quick)
        return paging_read_chapter(p, t, unit * QUICK_CHAPTER, e);
    if (t->key)
        return paging_get(p, t, last < t->layout.positions ? last : t->layout.positions - 1,
                          &number, e);
    if (t->pinned ? atomic_load_explicit(paged_mark(t, unit), memory_order_relaxed)
                  : atomic_load_explicit(&t->entry[unit], memory_order_relaxed))
        return STATUS_OK;
    return paging_read(p, t, unit, e);
}

/* Fill this thread's share of a table's pages; those without a fixed place only while they
 * evict no others. */
static void fill_table(struct fill *f, const struct paged_table *t, int id)
{
    struct error e;

    for (uint64_t page = (uint64_t)id; page < paged_count(t); page += (uint64_t)f->crew->threads) {
        enum status rc = STATUS_OK;

        if (!fill_room(f, t))
            return;
        if (crew_stopped(f->crew))
            rc = error_set(&e, STATUS_INTERRUPTED, "interrupted");
        else
            rc = fill_read(f->paging, t, page, &e);
        if (rc) {
            fill_end(f, rc, &e);
            return;
        }
        if (f->done)
            atomic_fetch_add_explicit(f->done, 1, memory_order_relaxed);
    }
}

/* All pages with a fixed place will be read, so large pieces of memory are the cheapest. */
static void fill_begin(const struct fill *f)
{
    for (int i = 0; i < f->tables; i++) {
        const struct paged_table *t = f->table[i];

        if (t->pinned)
            madvise((void *)t->pinned, t->units * paged_words(t) * sizeof *t->pinned,
                    MADV_HUGEPAGE);
    }
}

static void fill_work(void *arg, int id)
{
    struct fill *f = arg;

    for (int i = 0; i < f->tables && !atomic_load(&f->over); i++)
        fill_table(f, f->table[i], id);
}

enum status paging_fill(struct paging *p, int pieces, struct crew *crew, _Atomic uint64_t *done,
                        struct error *e)
{
    struct fill f;
    enum status rc = fill_open(&f, p, pieces, e);

    if (rc)
        return rc;
    f.crew = crew;
    f.done = done;
    fill_begin(&f);
    crew_run(crew, fill_work, &f);
    return f.rc;
}

enum status paging_fill_slice(struct paging *p, struct slice s, struct crew *crew,
                              _Atomic uint64_t *done, struct error *e)
{
    struct fill f = {.paging = p, .crew = crew, .done = done, .error = e};
    enum status rc = fill_add(&f, slice_canonical(s), e);

    if (rc)
        return rc;
    fill_begin(&f);
    crew_run(crew, fill_work, &f);
    return f.rc;
}

enum status paging_count(struct paging *p, int pieces, uint64_t *pages, struct error *e)
{
    struct fill f;
    enum status rc = fill_open(&f, p, pieces, e);

    *pages = 0;
    for (int i = 0; !rc && i < f.tables; i++)
        *pages += paged_count(f.table[i]);
    return rc;
}
