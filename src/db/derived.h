/* SPDX-License-Identifier: MIT
 *
 * derived.h -- the header of a file that is made from a wld table: flat.h and quick.h.
 *
 * Such a file may be deleted and made again at any time.  Its header has the same layout for
 * every kind of file (flat.h draws it); the kinds differ in their magic, version and contents.
 *
 * (D1) derived_head_read accepts exactly the header that derived_encode writes for the same table.
 * (D2) A file of another version, or made from another table, is STATUS_MISMATCH; any other
 *      difference is STATUS_FORMAT or STATUS_DAMAGED.
 *
 * Functions on the caller's memory; safe on any thread. */
#ifndef KELSO_DB_DERIVED_H
#define KELSO_DB_DERIVED_H

#include "db/table.h"

enum {
    DERIVED_HEADER = 512,
    DERIVED_BODY_SUM = 56, /* offset of the checksum of the bytes after the header */
    DERIVED_SUM = 504      /* and of the checksum of the header itself */
};

struct derived_kind {
    char magic[9];
    int version;
    const char *what;   /* "a flat file", for errors */
    const char *head;   /* what is between the header and the first page or chapter */
    const char *remedy; /* how to get a good one */
};

/* The other fields of the header: the number of pages or chapters of each table, the offset of the
 * first one, and the size of the file. */
struct derived_places {
    uint64_t count[2];
    uint64_t first, size;
};

/* `body` is the checksum of the bytes between the header and the first page or chapter. */
void derived_encode(const struct derived_kind *k, const struct table *t,
                    const struct derived_places *p, uint64_t body, uint8_t out[DERIVED_HEADER]);

/* Read and check all that comes before the first page or chapter of a file of `size` bytes; the
 * caller frees *head, also after a failure.  With places->size 0 the header's is that of the file.
 */
enum status derived_head_read(const struct derived_kind *k, const struct table *t,
                              const struct derived_places *places, int fd, uint64_t size,
                              const char *path, uint8_t **head, struct error *e);

/* "DIR/SLICE.END"; returns buf. */
char *derived_path(char *buf, size_t size, const char *dir, struct slice s, const char *end);

/* A file that is being made: `head`, all that comes before the first page or chapter, is in
 * memory, the rest goes to a temporary file. */
struct derived_file {
    char path[TABLE_PATH_MAX + 16], temporary[TABLE_PATH_MAX + 16];
    uint8_t *head; /* `first` bytes */
    uint64_t first;
    int fd;
};

/* Create "DIR/SLICE.END.tmp".  Whatever it returns, call derived_close in the end. */
enum status derived_create(struct derived_file *f, const char *dir, struct slice s, const char *end,
                           uint64_t first, struct error *e);

/* The checksum of the bytes of `head` after the header. */
uint64_t derived_body_sum(const struct derived_file *f);

/* Write `head` and give the file its name (file_publish). */
enum status derived_publish(struct derived_file *f, struct error *e);

/* If `rc` is an error, remove the temporary file. */
void derived_close(struct derived_file *f, enum status rc);

#endif
