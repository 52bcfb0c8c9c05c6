/* SPDX-License-Identifier: MIT
 *
 * flat_kit.h -- tables of a few pieces with their flat files, one of these known byte by byte.
 *
 * A test may change that file (flat_kit_copy, then flat_kit_put) and leaves it as it was
 * (flat_kit_restore).  Failures end the test. */
#ifndef KELSO_TESTS_FLAT_KIT_H
#define KELSO_TESTS_FLAT_KIT_H

#include "kit/built.h"
#include "kit/test.h"

#include "db/flat.h"
#include "db/unpack.h"
#include "db/verify.h"

/* Where things are in a flat file (flat.h). */
enum {
    HEADER = 512,
    VERSION_AT = 8,
    DIGEST_AT = 16,
    FIRST_AT = 40,
    BODY_SUM_AT = 56,
    SUM_AT = 504
};

struct flat_kit {
    struct scratch dir;
    int pieces;
    struct catalog *catalog;
    struct probe *plain; /* never looks at a flat file */
    struct sets *sets;
    struct table_scratch *scratch;
    const struct table *table; /* of 1K1C-1C, with pages of one value and others */
    char path[SCRATCH_MAX];    /* of its flat file */
    uint8_t *bytes;            /* of that, as it should be */
    size_t size;
};

/* For cmocka_run_group_tests: makes the kit, with all flat files; *state is it. */
int flat_kit_open(void **state);
int flat_kit_close(void **state);

/* --------------------------------------------------------------- making files -- */

/* What unpack_run reported. */
struct flat_tally {
    int made, there, wrong;
    uint64_t pages, size, occupied;
};

/* All slices, counted in *t, which is set to zero. */
struct unpack_options flat_kit_options(struct flat_tally *t, int threads);

/* Make what is not there, or not good. */
struct flat_tally flat_kit_unpack(struct flat_kit *kit, int threads);

/* Take all flat files away. */
void flat_kit_clear(struct flat_kit *kit);

/* ------------------------------------------------------------- the known file -- */

/* A copy of the good file, to be changed; the caller frees it. */
uint8_t *flat_kit_copy(const struct flat_kit *kit);

/* These bytes replace the file, as flat_make would. */
void flat_kit_put(const struct flat_kit *kit, const uint8_t *bytes, size_t size);
void flat_kit_restore(const struct flat_kit *kit);

/* Make the sums of header and index right again. */
void flat_kit_seal(uint8_t *bytes);

/* The first page of table 0 that has (no) single value, and where a page is in the file. */
uint64_t flat_kit_page(const struct flat_kit *kit, bool mixed);
size_t flat_kit_page_offset(const struct flat_kit *kit, uint64_t page);

/* Is the file what it was, and does verify agree? */
void flat_kit_expect_whole(struct flat_kit *kit);

/* --------------------------------------------------------------------- asking -- */

/* A probe that uses flat files. */
struct probe *flat_kit_probe(struct flat_kit *kit);

/* Position `index` of the kit's table. */
struct board flat_kit_board(const struct flat_kit *kit, uint64_t index);

/* What verify found; the text is of the last. */
struct flat_faults {
    int count;
    char text[600];
};

/* Verify one slice, this fraction of its positions. */
enum status faults_find(struct catalog *c, struct slice s, double fraction,
                        struct flat_faults *faults, struct verify_result *r);

/* Verify the kit's slice, this fraction of its positions; returns the number of faults. */
int flat_kit_faults(struct flat_kit *kit, struct flat_faults *faults, double fraction);

#endif
