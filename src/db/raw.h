/* SPDX-License-Identifier: MIT
 *
 * raw.h -- the values of one slice in memory, as the builder reads and writes them.
 *
 * Values are "seen" codes (value.h) in the order of slice.h, block after block,
 * in one of four forms:
 *
 *     RAW_PACKED  two bit planes per block: "the mover wins", then "the mover loses"
 *     RAW_NARROW  one byte per position
 *     RAW_WIDE    two bytes per position
 *     RAW_NINE    one byte per position, then per block a bit plane: the ninth bits
 *
 * (R1) Blocks start at multiples of `stride` bytes, so threads that write different blocks
 *      never touch the same byte.
 * (R2) RAW_SLACK bytes after the data may be read, not written.
 *
 * A raw owns its memory; raw_free releases it and clears the struct.  Readers may share a
 * finished raw; a block has one writer. */
#ifndef KELSO_DB_RAW_H
#define KELSO_DB_RAW_H

#include "db/frames.h"
#include "db/slice.h"
#include "db/value.h"

#include <stdatomic.h>

enum raw_form { RAW_PACKED, RAW_NARROW, RAW_WIDE, RAW_NINE, RAW_FORMS };

enum { RAW_SLACK = 256 };

struct raw {
    struct layout layout;
    enum raw_form form;
    size_t stride; /* bytes of a block */
    size_t plane;  /* where the last bit plane of a block begins, if there is one */
    size_t bytes;  /* mapped, for raw_free */
    uint8_t *data;
    struct frames *frames; /* source of the memory, or NULL; not owned */
};

/* The memory that raw_create would take; if there is not even enough to find out, more than there
 * is anywhere. */
uint64_t raw_bytes(struct slice s, enum raw_form form);

/* Bytes of one block, the stride. */
uint64_t raw_stride(struct slice s, enum raw_form form);

/* The same two, for an existing layout. */
uint64_t raw_layout_bytes(const struct layout *l, enum raw_form form);
uint64_t raw_layout_stride(const struct layout *l, enum raw_form form);

/* Returns 0, or -1 without memory.  The memory comes from `frames` if not NULL; its content is
 * undefined. */
int raw_create(struct raw *r, struct slice s, enum raw_form form, struct frames *frames);

/* The same for a table of which only some blocks will be touched: memory is committed on first
 * touch, RAW_PAGE bytes at a time. */
enum { RAW_PAGE = 4096 };

int raw_create_sparse(struct raw *r, struct slice s, enum raw_form form);
/* The same without memory, for a table that is never read: its values are not kept. */
int raw_create_empty(struct raw *r, struct slice s, enum raw_form form);
void raw_free(struct raw *r);

/* The share of a table that one of several ranks holds: its blocks are cut into chunks of so many
 * blocks, and chunk c is in place c / ranks of rank c % ranks. */
struct raw_cut {
    uint64_t blocks; /* of the table */
    uint64_t each;   /* blocks of a chunk */
    uint64_t chunks, places;
    size_t stride; /* of the table */
};

struct raw_cut raw_cut(const struct layout *l, enum raw_form form, int ranks);

/* A share as a raw: a block of it is a chunk of the table.  With one rank the table itself.
 * `sparse`: as above. */
int raw_create_share(struct raw *r, struct slice s, enum raw_form form, int ranks, bool sparse,
                     struct frames *frames);
uint64_t raw_share_bytes(struct slice s, enum raw_form form, int ranks);

/* Raws of the slices known so far, by slice_code; NULL where there is none. */
struct raw_set {
    const struct raw *at[SLICE_CODES];
};

/* Compute win/loss/draw planes from the distances of the same slice: one block, or all.  They
 * return early, with planes unfinished, once `stop` is set; it may be NULL. */
void raw_pack_block(struct raw *packed, const struct raw *distances, uint64_t block,
                    const atomic_bool *stop);
void raw_pack(struct raw *packed, const struct raw *distances, const atomic_bool *stop);

/* One position, the slow way. */
struct outcome raw_outcome(const struct raw *r, uint64_t index);

#endif
