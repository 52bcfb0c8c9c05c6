/* SPDX-License-Identifier: MIT
 *
 * quick_file.h -- shared by the reader and the writer of quick files: the layout.
 *
 * Private to quick.c, quick_make.c and their tests.  Plain values; safe on any thread. */
#ifndef KELSO_DB_QUICK_FILE_H
#define KELSO_DB_QUICK_FILE_H

#include "db/derived.h"
#include "db/quick.h"

enum {
    QUICK_HEADER = DERIVED_HEADER,
    QUICK_BODY_SUM = DERIVED_BODY_SUM,
    QUICK_ENTRY = 16, /* bytes of a chapter's index entry */
    QUICK_ALIGN = 64,
    QUICK_SPARE = 16, /* zeros after the last block of a chapter */
};

/* The layout, as it follows from the table. */
struct quick_plan {
    const struct table *table;
    int tables;
    uint64_t chapters[2];
    uint64_t index, first; /* offsets of the index and of the first chapter */
};

struct quick_plan quick_plan_of(const struct table *t);

/* The header of a file of that size; `body` is the checksum of the bytes between it and the
 * first chapter. */
void quick_header_encode(const struct quick_plan *p, uint64_t size, uint64_t body,
                         uint8_t out[QUICK_HEADER]);

/* Positions of a chapter, and the bytes that describe its groups. */
uint32_t quick_chapter_length(const struct quick_plan *p, int mirror, uint64_t chapter);
uint32_t quick_chapter_head(uint32_t length);

/* Does every block begin inside the chapter, and every flat block end there?  Then reading any
 * value stays within QUICK_READ_MAX bytes after the chapter. */
bool quick_chapter_good(const uint8_t *bytes, uint64_t size, uint32_t length);

#endif
