/* SPDX-License-Identifier: MIT
 *
 * paging.h -- the numbers of tables by index, from pages that are decoded when first needed.
 *
 * A paged table is one slice, one side to move and one kind.  paging_get gives its number at an
 * index: a value (enum value) of a wld table, plies of a dtc table, plies / 2 of a dtw table.  A
 * page comes from the table's file, or from the flat file beside it, and stays in the page cache
 * until its memory is needed.  Pages of flat files stay for good, in memory of their own that
 * grows as they are read, as long as all of them take at most half of the machine's memory.
 *
 * A wld table whose pages have parts is decoded part by part: one with a fixed place for all its
 * values has an entry for each part, any other has none, and its parts go to the part cache,
 * decoded up to what was asked for.
 *
 * (G1) a number is what the file says, checked against its checksum; else there is a status.
 *      It comes from memory of our own: a file that changes later changes no answer.
 * (G2) a paged table is opened once and stays where it is until paging_close.
 * (G3) distances are decoded with the values of the same page: `values` of a wld table is the
 *      table itself, of any other kind the wld table of the same slice and mirror.
 *
 * Any thread, but for open and close.  The catalog must outlive the paging.  Used by probe.c
 * only; everybody else asks for positions (probe.h). */
#ifndef KELSO_DB_PAGING_H
#define KELSO_DB_PAGING_H

#include "base/crew.h"
#include "db/catalog.h"
#include "db/flat.h"
#include "db/page_cache.h"
#include "db/part_cache.h"

#include <pthread.h>

struct paged_table {
    struct layout layout; /* `first` belongs to the table */
    const struct table *table;
    const struct paged_table *values; /* (G3) */
    int mirror;
    int log2;                /* of the bits of a packed number */
    int shift;               /* log2 of the positions that an entry stands for */
    uint64_t key;            /* not 0: no entries, and this plus part number is a part's key */
    uint64_t units;          /* entries */
    cache_word *pinned;      /* where its pages are for good; NULL: anywhere in the cache */
    size_t own;              /* bytes of `pinned` if they are not of the cache, else 0 */
    const struct flat *flat; /* of a wld table: where its pages come from; NULL: the table */
    cache_entry entry[];     /* by page or part */
};

struct paging {
    struct catalog *catalog;
    struct page_cache cache;
    struct part_cache parts; /* of tables without a fixed place, if there are such */
    struct sets *sets;
    pthread_mutex_t lock;           /* guards idle, flat, flat_left, and opening a table */
    struct page_decoder *idle;      /* a list */
    bool without_flat;              /* never look for flat files */
    struct flat *flat[SLICE_CODES]; /* by canonical slice */
    uint64_t next_key;              /* for the parts of the next table without entries */
    uint64_t flat_left;             /* bytes that pages of flat files may still take */
    _Atomic(struct paged_table *) table[KINDS][SLICE_CODES];
};

/* `bytes`: for decoded pages; at least 256 KiB are taken. */
enum status paging_open(struct paging *p, struct catalog *c, uint64_t bytes, struct error *e);
void paging_close(struct paging *p);

/* Open a table, or find it open. */
enum status paging_open_table(struct paging *p, struct slice s, enum kind kind,
                              const struct paged_table **out, struct error *e);

/* Decode what an entry stands for, or read it from the flat file; paging_peek then finds it unless
 * others push it out at once. */
enum status paging_read(struct paging *p, const struct paged_table *t, uint64_t unit,
                        struct error *e);

/* The number at an index of a table without entries, decoded from the table. */
enum status paging_read_part(struct paging *p, const struct paged_table *t, uint64_t index,
                             uint32_t *number, struct error *e);

/* Read all wld pages of slices of at most so many pieces, on all threads of the crew, as long as
 * they push out no others.  `done` counts pages and may be NULL.  STATUS_INTERRUPTED if the crew
 * was asked to stop. */
enum status paging_fill(struct paging *p, int pieces, struct crew *crew, _Atomic uint64_t *done,
                        struct error *e);

/* How many wld pages, or parts, there are. */
enum status paging_count(struct paging *p, int pieces, uint64_t *pages, struct error *e);

/* ---------------------------------------------------------------- the quick way -- */

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

/* Words of what an entry stands for, and their fixed place, if the table has one. */
static inline uint64_t paged_words(const struct paged_table *t)
{
    return UINT64_C(1) << (t->shift + t->log2 - 6);
}

static inline cache_word *paged_place(const struct paged_table *t, uint64_t unit)
{
    return t->pinned ? t->pinned + unit * paged_words(t) : NULL;
}

/* The number at an index if its page is in the cache. */
static inline bool paging_peek(const struct paging *p, const struct paged_table *t, uint64_t index,
                               uint32_t *number)
{
    uint64_t unit = index >> t->shift;
    uint32_t i = (uint32_t)(index & ((UINT64_C(1) << t->shift) - 1));

    if (t->pinned)
        return page_cache_get_pinned(paged_place(t, unit), &t->entry[unit], t->log2, i, number);
    if (t->key)
        return part_cache_get(&p->parts, t->key + unit, i, number);
    return page_cache_get(&p->cache, &t->entry[unit], t->log2, i, number);
}

/* Read the page if need be. */
static inline enum status paging_get(struct paging *p, const struct paged_table *t, uint64_t index,
                                     uint32_t *number, struct error *e)
{
    while (!paging_peek(p, t, index, number)) {
        enum status rc = t->key ? paging_read_part(p, t, index, number, e)
                                : paging_read(p, t, index >> t->shift, e);

        if (rc || t->key)
            return rc;
    }
    return STATUS_OK;
}

/* Without decoding anything; a page of a flat file only has to be read. */
static inline bool paging_at_hand(struct paging *p, const struct paged_table *t, uint64_t index,
                                  uint32_t *number)
{
    return t->flat ? paging_get(p, t, index, number, NULL) == STATUS_OK
                   : paging_peek(p, t, index, number);
}

#endif
