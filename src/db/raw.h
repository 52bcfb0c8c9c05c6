/* SPDX-License-Identifier: MIT
 *
 * raw.h -- the values of one slice in memory, ready to be looked up by builders.
 *
 * Values are "seen" codes (value.h) in the order of slice.h, block after block,
 * in one of three forms:
 *
 *     RAW_PACKED  two bit planes a block: "the mover wins", then "the mover loses"
 *     RAW_NARROW  one byte a position
 *     RAW_WIDE    two bytes a position
 *
 * (R1) blocks start at multiples of `stride` bytes, so that threads which write
 *      different blocks never touch the same byte.
 * (R2) RAW_SLACK bytes behind the data may be read, not written.
 *
 * raw_create owns the memory, raw_free gives it back and empties the struct.
 * Readers may share a finished raw; a block has one writer. */
#ifndef KELSO_DB_RAW_H
#define KELSO_DB_RAW_H

#include "db/frames.h"
#include "db/slice.h"
#include "db/value.h"

enum raw_form { RAW_PACKED, RAW_NARROW, RAW_WIDE };

enum { RAW_SLACK = 256 };

struct raw {
    struct layout layout;
    enum raw_form form;
    size_t stride; /* bytes of a block */
    size_t plane;  /* RAW_PACKED: bytes of one bit plane */
    size_t bytes;  /* mapped, for raw_free */
    uint8_t *data;
    struct frames *frames; /* where the memory came from, and goes to; not owned */
};

/* How much memory raw_create would take. */
uint64_t raw_bytes(struct slice s, enum raw_form form);

/* 0, or -1.  The memory comes from `frames`, if any, and has any content. */
int raw_create(struct raw *r, struct slice s, enum raw_form form, struct frames *frames);

/* The same for a table of which only some blocks will be touched: memory is taken
 * as they are. */
int raw_create_sparse(struct raw *r, struct slice s, enum raw_form form);
void raw_free(struct raw *r);

/* Raws of the slices known so far, by slice_code; NULL where there is none. */
struct raw_set {
    const struct raw *at[SLICE_CODES];
};

/* Win/loss/draw planes from distances of the same slice: of one block, of all. */
void raw_pack_block(struct raw *packed, const struct raw *distances, uint64_t block);
void raw_pack(struct raw *packed, const struct raw *distances);

/* One position, the slow way. */
struct outcome raw_outcome(const struct raw *r, uint64_t index);

#endif
