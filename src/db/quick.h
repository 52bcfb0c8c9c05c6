/* SPDX-License-Identifier: MIT
 *
 * quick.h -- the values of a wld table as run lengths, in a file beside it.
 *
 * SLICE.quick holds the values of SLICE.wld for positions in which the mover has no capture, as
 * prefix codes of run lengths (quick_code.h): two to four times the size of the table, a fifth
 * of the flat form.  A value is found in a fraction of a microsecond without decoding a page.
 * The file is made from the table and may be deleted at any time.
 *
 * Values are divided into blocks of 1024; 30 blocks make a group, 32 groups a chapter (60 pages
 * of the table).  A chapter is read and checked as a unit.  All numbers are little-endian.
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  magic "kelso qk"
 *          8     2  version of the quick file: 1
 *         10     1  tables: 1 or 2, as in the wld file
 *         11     1  reserved, 0
 *         12     4  the canonical slice, as in the wld file
 *         16     8  digest of the wld file: the last 8 bytes of its header
 *         24    16  number of chapters of each table
 *         40     8  offset of the first chapter, a multiple of 64
 *         48     8  size of the quick file
 *         56     8  XXH3 of the bytes from 512 to the first chapter
 *         64   440  reserved, 0
 *        504     8  XXH3 of bytes 0 to 503, in every version
 *        512        codes, index, then 0 up to the first chapter
 *
 * The codes of each table are 4 * 3 * 90 bytes: the length of the prefix code of each symbol, by
 * code and value of the run.  The index has 16 bytes for each chapter:
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  offset in the file, a multiple of 64
 *          8     8  XXH3 of the chapter
 *
 * A chapter ends where the next begins.  If it has no bytes, all its values are the same, and that
 * value takes the place of the checksum: 0 loss, 1 draw, 2 win.  Any other chapter begins with 64
 * bytes for each of its groups:
 *
 *     OFFSET  SIZE  WHAT
 *          0     4  offset in the chapter of the bytes of the group's blocks
 *          4    60  2 bytes for each block: form + 8 * offset of its bytes in the group
 *
 * Forms 0, 1 and 2: the block has this value throughout, and no bytes.  3: its bytes are the
 * values, 2 bits each, value i in byte i / 4, bits 2 * (i % 4) and up.  4 to 7: it is encoded with
 * code 0 to 3.  The blocks follow, then at least 16 zeros, up to a multiple of 64.
 *
 * (K1) A file under its final name is complete, like a table: temporary name, sync, rename.
 * (K2) The same table gives the same bytes for any number of threads.
 * (K3) A damaged file never yields a value, even if it is changed or truncated while open:
 *      chapters are checked against their checksums in the reader's own memory when they are
 *      read, everything else when the file is opened.  Even for bytes with valid checksums,
 *      nothing outside that memory is read.
 * (K4) A file that was made from another table, or has another version, is not damaged: it
 *      gives STATUS_MISMATCH, and readers ignore it.
 *
 * The caller owns the handle; the table must outlive it.  After quick_reserve, quick_peek and
 * quick_load are safe on any thread. */
#ifndef KELSO_DB_QUICK_H
#define KELSO_DB_QUICK_H

#include "base/crew.h"
#include "db/quick_code.h"
#include "db/table.h"

enum {
    QUICK_GROUP_BLOCKS = 30,
    QUICK_GROUP = QUICK_GROUP_BLOCKS * QUICK_BLOCK,
    QUICK_GROUP_BYTES = 64, /* of a group's description */
    QUICK_GROUPS = 32,      /* of a chapter */
    QUICK_CHAPTER = QUICK_GROUPS * QUICK_GROUP,
    QUICK_CHAPTER_PAGES = QUICK_CHAPTER / TABLE_PAGE,
    QUICK_CHAPTER_BYTES =
        QUICK_GROUPS * (QUICK_GROUP_BYTES + QUICK_GROUP_BLOCKS * QUICK_FLAT_BYTES) + 128,
    QUICK_FORM_FLAT = 3,
    QUICK_FORM_CODE = 4,
};

#define QUICK_ONE_VALUE (UINT64_C(1) << 63)

struct quick {
    int tables;
    uint64_t chapters[2];
    struct quick_lookup *lookup[2];
    /* After quick_reserve, by chapter, those of table 0 first: 0 if it has not been read, else
     * QUICK_ONE_VALUE | value, or 1 + its offset in `memory`. */
    _Atomic uint64_t *state;
    uint8_t *memory;
    struct quick_file *file;
};

/* "3K1C-2K1C.quick" in dir, and the temporary name; they return buf. */
char *quick_path(char *buf, size_t size, const char *dir, struct slice s);
char *quick_temporary(char *buf, size_t size, const char *dir, struct slice s);

/* The quick file of wld table t in dir; STATUS_MISSING if there is none. */
enum status quick_open(struct quick **q, const char *dir, const struct table *t, struct error *e);
void quick_close(struct quick **q);

/* The most that quick_reserve takes: memory is committed as chapters are read. */
uint64_t quick_bytes(const struct quick *q);
int quick_reserve(struct quick *q); /* 0, or -1 without memory */

/* Read and check the chapter of position `index`, unless that was done before. */
enum status quick_load(struct quick *q, int mirror, uint64_t index, struct error *e);

/* A chapter in the caller's memory, for reading a file once. */
struct quick_chapter {
    uint64_t number; /* through both tables; QUICK_NO_CHAPTER: nothing was read */
    uint64_t one;    /* QUICK_ONE_VALUE | value, or 0 */
    uint8_t bytes[QUICK_CHAPTER_BYTES + QUICK_READ_MAX];
};

#define QUICK_NO_CHAPTER UINT64_MAX

enum status quick_read_chapter(const struct quick *q, int mirror, uint64_t chapter,
                               struct quick_chapter *c, struct error *e);

/* The values of a page of the table, one byte each; *c is kept from call to call. */
enum status quick_read(const struct quick *q, int mirror, uint64_t page, struct quick_chapter *c,
                       uint8_t *values, struct error *e);

/* Write the quick file of wld table t to dir; on failure an existing file stays as it was.  One
 * process at a time.  `sets` must cover table_sets of the slice; `done` counts pages of the
 * table and may be NULL. */
enum status quick_make(const char *dir, const struct table *t, const struct sets *sets,
                       struct crew *crew, _Atomic uint64_t *done, struct error *e);

/* --------------------------------------------------------------- the fast path -- */

/* Where a value is: at `at` of an encoded block, or already known (lookup is NULL). */
struct quick_place {
    const uint32_t *lookup;
    const uint8_t *block;
    uint32_t at, value;
};

/* Value `in` of a chapter's bytes. */
static inline struct quick_place quick_chapter_place(const struct quick_lookup *lookup,
                                                     const uint8_t *chapter, uint32_t in)
{
    const uint8_t *group = chapter + in / QUICK_GROUP * QUICK_GROUP_BYTES, *block;
    uint32_t at = in % QUICK_GROUP, base, form;
    uint16_t entry;

    memcpy(&base, group, sizeof base);
    memcpy(&entry, group + 4 + 2 * (at / QUICK_BLOCK), sizeof entry);
    at %= QUICK_BLOCK;
    form = entry & 7;
    if (form < QUICK_FORM_FLAT)
        return (struct quick_place){.value = form};
    block = chapter + base + (entry >> 3);
    if (form == QUICK_FORM_FLAT)
        return (struct quick_place){.value = (uint32_t)(block[at / 4] >> at % 4 * 2 & 3) % 3};
    return (struct quick_place){lookup->of[form - QUICK_FORM_CODE], block, at, 0};
}

static inline uint32_t quick_place_value(const struct quick_place *p)
{
    return p->lookup ? quick_block_value(p->lookup, p->block, p->at) : p->value;
}

static inline uint32_t quick_chapter_value(const struct quick_lookup *lookup,
                                           const uint8_t *chapter, uint32_t in)
{
    struct quick_place p = quick_chapter_place(lookup, chapter, in);

    return quick_place_value(&p);
}

static inline uint64_t quick_chapter_number(const struct quick *q, int mirror, uint64_t index)
{
    return index / QUICK_CHAPTER + (mirror && q->tables > 1 ? q->chapters[0] : 0);
}

/* The bytes that describe a position's group; NULL if there are none. */
static inline const uint8_t *quick_group(const struct quick *q, int mirror, uint64_t index)
{
    uint64_t seen = atomic_load_explicit(&q->state[quick_chapter_number(q, mirror, index)],
                                         memory_order_acquire);

    if (!seen || seen & QUICK_ONE_VALUE)
        return NULL;
    return q->memory + (seen - 1) + index % QUICK_CHAPTER / QUICK_GROUP * QUICK_GROUP_BYTES;
}

/* Prefetch these bytes and, after they have arrived, those of the block. */
static inline void quick_prefetch(const struct quick *q, int mirror, uint64_t index)
{
    const uint8_t *group = quick_group(q, mirror, index);

    if (group)
        __builtin_prefetch(group);
}

static inline void quick_prefetch_block(const struct quick *q, int mirror, uint64_t index)
{
    const uint8_t *group = quick_group(q, mirror, index), *block;
    uint32_t base;
    uint16_t entry;

    if (!group)
        return;
    memcpy(&base, group, sizeof base);
    memcpy(&entry, group + 4 + index % QUICK_CHAPTER % QUICK_GROUP / QUICK_BLOCK * 2, sizeof entry);
    block = group - index % QUICK_CHAPTER / QUICK_GROUP * QUICK_GROUP_BYTES + base + (entry >> 3);
    __builtin_prefetch(block);
    __builtin_prefetch(block + 64);
}

/* Where the value at an index is; false if its chapter has not been read. */
static inline bool quick_locate(const struct quick *q, int mirror, uint64_t index,
                                struct quick_place *place)
{
    uint64_t seen = atomic_load_explicit(&q->state[quick_chapter_number(q, mirror, index)],
                                         memory_order_acquire);

    if (seen && !(seen & QUICK_ONE_VALUE))
        *place = quick_chapter_place(q->lookup[mirror], q->memory + (seen - 1),
                                     (uint32_t)(index % QUICK_CHAPTER));
    else
        *place = (struct quick_place){.value = (uint32_t)seen};
    return seen != 0;
}

/* The value. */
static inline bool quick_peek(const struct quick *q, int mirror, uint64_t index, uint32_t *value)
{
    struct quick_place place;
    bool found = quick_locate(q, mirror, index, &place);

    *value = quick_place_value(&place);
    return found;
}

#endif
