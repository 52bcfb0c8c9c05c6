/* SPDX-License-Identifier: MIT
 *
 * paging.h -- numbers of tables by index, from pages that are decoded on first use.
 *
 * A paged table is one slice, one side to move and one kind.  paging_get gives its number at an
 * index: a value (enum value) of a wld table, plies of a dtc table, plies / 2 of a dtw table.  A
 * page comes from the table's file, or from the flat file beside it, and stays in the page cache
 * until its memory is needed.  Pages of flat files stay permanently, in memory of their own that
 * grows as they are read, up to half of the machine's memory in total.  The rest of that half is
 * used for the quick files of tables without a flat file, or without room for one; values are
 * looked up in them directly, without pages.
 *
 * A wld table whose pages have parts is decoded part by part.  If it has a fixed place for all its
 * values, it has an entry for each part.  Otherwise it has no entries, and its parts go to the part
 * cache, each decoded only as far as needed.
 *
 * (G1) A number is exactly what the file holds, verified by checksum; otherwise an error status
 *      is returned.  It is read from private memory: later changes of the file change no
 *      answer.
 * (G2) A paged table is opened once and stays at its address until paging_close.
 * (G3) Distances are decoded together with the values of the same page: `values` is the wld
 *      table of the same slice and mirror (for a wld table, the table itself).
 *
 * Safe on any thread, except open and close.  The catalog must outlive the paging.  Only the
 * sources of probe.h use this; everything else looks up positions. */
#ifndef KELSO_DB_PAGING_H
#define KELSO_DB_PAGING_H

#include "base/crew.h"
#include "db/catalog.h"
#include "db/flat.h"
#include "db/page_cache.h"
#include "db/part_cache.h"
#include "db/profile.h"
#include "db/quick.h"

#include <pthread.h>

struct paged_table {
    struct layout layout; /* `first` belongs to the table */
    const struct table *table;
    const struct paged_table *values; /* (G3) */
    int mirror;
    int log2;       /* of the bits of a packed number */
    int shift;      /* log2 of the positions that an entry stands for */
    uint64_t key;   /* nonzero: there are no entries; the key of a part is this plus its number */
    uint64_t units; /* entries */
    cache_word *pinned;      /* the fixed place of its pages; NULL: anywhere in the cache */
    size_t own;              /* bytes of `pinned` if allocated outside the cache, else 0 */
    const struct flat *flat; /* the flat file of a wld table, or NULL: decode the table */
    struct quick *quick;     /* the quick file of a wld table, which then has no entries, or NULL */
    cache_entry entry[];     /* by page or part; with a fixed place they are marks (paged_mark) */
};

struct paging {
    struct catalog *catalog;
    struct page_cache cache;
    struct part_cache parts; /* for tables without a fixed place, if there are any */
    struct sets *sets;
    pthread_mutex_t lock;           /* guards idle, flat, quick, flat_left, and opening a table */
    struct page_decoder *idle;      /* a list */
    bool without_flat;              /* never look for flat and quick files */
    struct profile *profile;        /* counts lookups and decodes; may be NULL */
    struct flat *flat[SLICE_CODES]; /* by canonical slice */
    struct quick *quick[SLICE_CODES];
    uint64_t next_key;              /* for the parts of the next table without entries */
    uint64_t bytes, flat_all;       /* limits: of decoded pages; of flat and quick files */
    _Atomic uint64_t decoded, read; /* pages and parts; pages and chapters of files */
    uint64_t flat_left;             /* bytes still available for flat and quick files */
    _Atomic(struct paged_table *) table[KINDS][SLICE_CODES];
};

/* The handle of probe.h. */
struct probe {
    struct paging paging;
};

/* `bytes`: memory for decoded pages, at least 256 KiB. */
enum status paging_open(struct paging *p, struct catalog *c, uint64_t bytes, struct error *e);
void paging_close(struct paging *p);

/* Open a table, unless it is open already. */
enum status paging_open_table(struct paging *p, struct slice s, enum kind kind,
                              const struct paged_table **out, struct error *e);

/* Decode the page or part of an entry, or read it from the flat file; paging_peek then finds it
 * unless other threads evict it at once. */
enum status paging_read(struct paging *p, const struct paged_table *t, uint64_t unit,
                        struct error *e);

/* Read the chapter of a quick file that contains an index. */
enum status paging_read_chapter(struct paging *p, const struct paged_table *t, uint64_t index,
                                struct error *e);

/* The number at an index of a table without entries, decoded from the table. */
enum status paging_read_part(struct paging *p, const struct paged_table *t, uint64_t index,
                             uint32_t *number, struct error *e);

/* The slow path of paging_get, when paging_peek finds nothing: one of the three above, counted in
 * the profile. */
enum status paging_fetch(struct paging *p, const struct paged_table *t, uint64_t index,
                         uint32_t *number, struct error *e);

/* Read all wld pages of slices of at most `pieces` pieces, on all threads of the crew, until
 * one would evict another.  `done` counts pages and may be NULL.  STATUS_INTERRUPTED if the
 * crew was told to stop. */
enum status paging_fill(struct paging *p, int pieces, struct crew *crew, _Atomic uint64_t *done,
                        struct error *e);

/* The same for one slice, with either side to move. */
enum status paging_fill_slice(struct paging *p, struct slice s, struct crew *crew,
                              _Atomic uint64_t *done, struct error *e);

/* The number of wld pages or parts. */
enum status paging_count(struct paging *p, int pieces, uint64_t *pages, struct error *e);

/* ---------------------------------------------------------------- the fast path -- */

/* The table if it is open, else NULL. */
static inline const struct paged_table *paging_opened(const struct paging *p, struct slice s,
                                                      enum kind kind)
{
    return atomic_load_explicit(&p->table[kind][slice_code(s)], memory_order_acquire);
}

static inline enum status paging_table(struct paging *p, struct slice s, enum kind kind,
                                       const struct paged_table **out, struct error *e)
{
    *out = paging_opened(p, s, kind);
    return *out ? STATUS_OK : paging_open_table(p, s, kind, out, e);
}

/* The number of words of an entry, and their fixed place if the table has one. */
static inline uint64_t paged_words(const struct paged_table *t)
{
    return UINT64_C(1) << (t->shift + t->log2 - 6);
}

static inline cache_word *paged_place(const struct paged_table *t, uint64_t unit)
{
    return t->pinned ? t->pinned + unit * paged_words(t) : NULL;
}

/* The mark of a unit that has a fixed place. */
static inline cache_mark *paged_mark(const struct paged_table *t, uint64_t unit)
{
    return (cache_mark *)(uintptr_t)t->entry + unit;
}

/* Count a lookup. */
static inline void paging_count_probe(const struct paging *p, const struct paged_table *t)
{
    if (__builtin_expect(p->profile != NULL, 0))
        profile_probe(p->profile, t->layout.slice);
}

/* Prefetch what paging_peek will read first.  Never waits. */
static inline void paging_prefetch(const struct paging *p, const struct paged_table *t,
                                   uint64_t index)
{
    uint64_t unit = index >> t->shift;

    if (t->quick) {
        quick_prefetch(t->quick, t->mirror, index);
    } else if (t->key) {
        part_cache_prefetch_tags(&p->parts, t->key + unit);
    } else {
        uint32_t i = (uint32_t)(index & ((UINT64_C(1) << t->shift) - 1));

        if (t->pinned) {
            __builtin_prefetch(paged_mark(t, unit));
            __builtin_prefetch(paged_place(t, unit) + (i >> (6 - t->log2)));
        } else {
            __builtin_prefetch(&t->entry[unit]);
        }
    }
}

/* paging_peek for tables without a fixed place. */
bool paging_peek_elsewhere(const struct paging *p, const struct paged_table *t, uint64_t index,
                           uint32_t *number);

/* The number at an index if its page is in the cache.  Tables with a fixed place are the common
 * case; what the others need would make this too large to be inlined. */
static inline bool paging_peek(const struct paging *p, const struct paged_table *t, uint64_t index,
                               uint32_t *number)
{
    uint64_t unit = index >> t->shift;
    uint32_t i = (uint32_t)(index & ((UINT64_C(1) << t->shift) - 1));

    if (__builtin_expect(t->pinned == NULL, 0))
        return paging_peek_elsewhere(p, t, index, number);
    return page_cache_get_pinned(paged_place(t, unit), paged_mark(t, unit), t->log2, i, number);
}

/* The same, reading the page if necessary. */
static inline enum status paging_get(struct paging *p, const struct paged_table *t, uint64_t index,
                                     uint32_t *number, struct error *e)
{
    while (!paging_peek(p, t, index, number)) {
        enum status rc = paging_fetch(p, t, index, number, e);

        if (rc || t->key)
            return rc;
    }
    return STATUS_OK;
}

/* The same without decoding; reading from a flat or quick file is allowed, and a table's index
 * tells the value of a wld page that has only one. */
static inline bool paging_at_hand(struct paging *p, const struct paged_table *t, uint64_t index,
                                  uint32_t *number)
{
    if (t->flat || t->quick)
        return paging_get(p, t, index, number, NULL) == STATUS_OK;
    return paging_peek(p, t, index, number) ||
           table_page_one(t->table, t->mirror, index / TABLE_PAGE, number);
}

#endif
