/* SPDX-License-Identifier: MIT
 *
 * history.h -- what a program did to its files, from the log of faults/record.c, and what a power
 * failure could leave of it.
 *
 * Operations are numbered from 1.  A crash at k comes after operation k - 1 began.
 *
 * (H1) content is sure up to the last sync of the file that ended before k, a name up to the last
 *      sync of its directory; everything later is unsure.
 * (H2) files are numbers; those below before.count were there at the beginning. */
#ifndef KELSO_TESTS_HISTORY_H
#define KELSO_TESTS_HISTORY_H

#include "kit/test.h"
#include "faults/record.h"

enum { NAME = 128, MAX_FDS = 1024 };

#define NEVER UINT64_MAX

struct change { /* of a file's content */
    enum record_kind kind;
    int file;
    uint64_t at, synced; /* operations */
    uint64_t offset, length;
    const uint8_t *data;
};

struct naming { /* a change of a directory */
    enum record_kind kind;
    int file; /* -1: a directory */
    uint64_t at, synced;
    char name[NAME], to[NAME];
};

struct handle { /* an open descriptor */
    int file;   /* -1: a directory */
    bool open, sync;
    char dir[NAME];
};

struct entry {
    char name[NAME];
    int file;         /* -1: a directory */
    uint64_t renamed; /* the operation that gave it this name; 0: none */
};

struct tree {
    struct entry *entries;
    int count;
};

struct history {
    uint8_t *log;
    uint64_t operations;
    struct change *changes;
    struct naming *namings;
    int change_count, naming_count, file_count;
    int stores; /* into mappings */
    struct tree before, after;
    struct handle handles[MAX_FDS];
    bool deaf_files, deaf_directories; /* do not believe syncs of ... */
};

struct bytes {
    uint8_t *data;
    uint64_t size, room;
};

enum unsure { /* what of the unsure is there */
              UNSURE_ALL,
              UNSURE_NONE,
              UNSURE_IN_ORDER, /* up to some operation */
              UNSURE_ANY,      /* each by chance; a write may be cut short, or leave zeros */
              UNSURE_STYLES
};

struct entry *tree_find(const struct tree *t, const char *name);
struct tree tree_copy(const struct tree *t); /* the caller frees its entries */
void tree_put(struct tree *t, const char *name, int file, uint64_t renamed);
void tree_apply(struct tree *t, const struct naming *n);

/* The directory of a path; "" for the topmost. */
void path_parent(const char *name, char dir[NAME]);

/* Read a log; h->before, h->file_count and the deaf_ flags are set. */
void history_read(struct history *h, const char *path);
void history_free(struct history *h);

/* What a file holds after a crash at operation k; without r, all that was done before it.  The
 * caller frees its data. */
struct bytes history_content(const struct history *h, int file, uint64_t k, struct rng *r,
                             enum unsure style);
bool bytes_equal(const struct bytes *a, const struct bytes *b);

#endif
