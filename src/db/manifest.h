/* SPDX-License-Identifier: MIT
 *
 * manifest.h -- SHA-256 digests of table files, to publish and to compare.
 *
 * One line per file, in the format of sha256sum: 64 hexadecimal digits, two blanks, the name.
 * Lines are sorted by name, bytewise.  The same tables give the same text on every machine.
 * (The file MANIFEST of a directory is different: it lists quick digests for kelso itself.)
 *
 * (M1) Every file that the text names is read completely and compared.  A malformed line, or
 *      one that does not name a table file, is an error that gives the line number.
 *
 * The caller owns a struct manifest and frees it with manifest_free.  One thread at a time. */
#ifndef KELSO_DB_MANIFEST_H
#define KELSO_DB_MANIFEST_H

#include "base/sha256.h"
#include "db/catalog.h"

#include <stdatomic.h>

enum { MANIFEST_NAME_MAX = SLICE_NAME_MAX + 8 };

struct manifest_entry {
    char name[MANIFEST_NAME_MAX];
    char sha256[SHA256_TEXT];
};

struct manifest {
    struct manifest_entry *entry;
    int count;
};

/* The names of all tables of at most `pieces` pieces, sorted; digests are "". */
enum status manifest_list(struct manifest *m, const struct catalog *c, int pieces, struct error *e);

/* Read the text; `path` is for errors. */
enum status manifest_parse(struct manifest *m, const char *path, const char *text, struct error *e);
void manifest_free(struct manifest *m);

/* The digest of a file in the directory, in hexadecimal. */
enum status manifest_digest(const struct catalog *c, const char *name, char sha256[SHA256_TEXT],
                            struct error *e);

#endif
