/* SPDX-License-Identifier: MIT
 *
 * builder.h -- what the parts of the builder share: build.c, and shares.c for a team whose ranks
 * hold shares of tables.
 *
 * Internal to build.h. */
#ifndef KELSO_DB_BUILDER_H
#define KELSO_DB_BUILDER_H

#include "db/blocks.h"
#include "db/build.h"
#include "db/catalog.h"
#include "db/pool.h"
#include "db/spread.h"

struct builder {
    const struct build_plan *plan;
    const struct build_options *o;
    struct crew crew;
    struct sets *sets;
    struct pool *pool;
    struct catalog *catalog;          /* rank 0 */
    bool present[SLICE_CODES][KINDS]; /* the files that are there, by canonical slice */
    uint64_t decoded;                 /* values that were read back from files */
    bool spread;                      /* ranks hold shares of tables */
    struct spread_traffic traffic;    /* since the build began; */
    uint32_t parts, kept;             /* the same, see spread.h */
    char scratch[SCRATCH_PATH_MAX - SCRATCH_NAME_MAX]; /* this rank's directory, or "" */
    bool nine; /* distances to the win have nine bits: for eight pieces a byte is too short */
};

/* How tables of a kind are held, and solved. */
enum raw_form builder_form(const struct builder *b, enum kind kind);
const struct kernel *builder_kernel(const struct builder *b, enum kind kind);

/* The tables that a kind reads across a conversion. */
enum kind kind_across(enum kind kind);

void builder_tell(const struct builder *b, struct slice s, const char *step);

/* shares.c.  Only if b->spread, all ranks together; the work of the functions in build.c that hold
 * whole tables. */

/* The memory for what a rank fetches. */
uint64_t shares_room(const struct builder *b);

/* Bring back this rank's share of a table, from the pool, the swap or the file. */
enum status shares_bring(struct builder *b, enum kind kind, struct slice s, struct error *e);

/* The tables of s are in the pool: fill them; derive win/loss/draw from distances. */
enum status shares_solve(struct builder *b, struct slice s, enum kind kind,
                         struct workspaces *workspaces, struct error *e);
enum status shares_pack(struct builder *b, struct slice table, struct error *e);

/* Save the slice whose shares are in source->raw. */
enum status shares_save(struct builder *b, struct pages_source *source, struct pages_result *result,
                        struct error *e);

/* The slice is in its files: remove what this rank logged of it, if anything. */
void shares_forget(const struct builder *b, struct slice s);

#endif
