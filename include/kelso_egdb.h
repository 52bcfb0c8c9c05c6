/* SPDX-License-Identifier: MIT
 *
 * kelso_egdb.h -- kelso's tables behind the interface that checkers engines know.
 *
 * Engines that read endgame databases through an `egdb` driver open it with a cache size
 * and a directory, look positions up by bitboards and colour, and get win, loss, draw or
 * unknown.  This header gives the same names over kelso.h, so that such an engine takes
 * kelso's tables by including it instead of its driver's header and linking -lkelso:
 *
 *     EGDB_DRIVER *db = egdb_open("", 512, "tables", print);
 *     EGDB_POSITION p = {black, white, kings};
 *     int value = egdb_lookup(db, &p, EGDB_BLACK, 0);
 *
 * What is better than the engine is used to: positions with captures pending, for either
 * side, are answered exactly, so nothing need be filtered out before a lookup.
 *
 * What differs: bit n - 1 is square n, Black's men on 1-12 at the start and Black moving
 * first.  A conditional lookup (cl != 0) is answered like any other, even where
 * a page must be decoded for it.  EGDB_UNKNOWN means outside the tables, and also
 * damage; egdb_lookup_error tells which.
 *
 * Threads: as kelso.h; any number may look up at once. */
#ifndef KELSO_EGDB_H
#define KELSO_EGDB_H

#include "kelso.h"

#include <stdlib.h>

typedef uint32_t EGDB_BITBOARD;

/* `king` has the kings of both colours. */
typedef struct EGDB_POSITION {
    EGDB_BITBOARD black, white, king;
} EGDB_POSITION;

enum { EGDB_BLACK = 0, EGDB_WHITE = 1 };

/* Of these a kelso table gives UNKNOWN, WIN, LOSS and DRAW; an engine's switch may name
 * the others. */
enum {
    EGDB_SUBDB_UNAVAILABLE = -2,
    EGDB_NOT_IN_CACHE = -1,
    EGDB_UNKNOWN = 0,
    EGDB_WIN = 1,
    EGDB_LOSS = 2,
    EGDB_DRAW = 3,
    EGDB_DRAW_OR_LOSS = 4,
    EGDB_WIN_OR_DRAW = 5
};

typedef struct EGDB_DRIVER {
    int (*lookup)(struct EGDB_DRIVER *handle, const EGDB_POSITION *position, int color, int cl);
    int (*close)(struct EGDB_DRIVER *handle);
    int max_pieces;
    kelso_tables *tables;
} EGDB_DRIVER;

/* A lookup that also says why a value is unknown; `error` may be NULL.  A side without
 * pieces has lost. */
static inline int egdb_lookup_error(EGDB_DRIVER *handle, const EGDB_POSITION *position, int color,
                                    kelso_error *error)
{
    EGDB_BITBOARD kings = position->king, own, other;
    kelso_position p;
    kelso_value value;

    own = color == EGDB_BLACK ? position->black : position->white;
    other = color == EGDB_BLACK ? position->white : position->black;
    if (!own || !other)
        return own ? EGDB_WIN : EGDB_LOSS;
    p.black_men = position->black & ~kings;
    p.black_kings = position->black & kings;
    p.white_men = position->white & ~kings;
    p.white_kings = position->white & kings;
    p.turn = color == EGDB_BLACK ? KELSO_BLACK : KELSO_WHITE;
    if (kelso_probe_wld(handle->tables, &p, &value, error) != KELSO_OK)
        return EGDB_UNKNOWN;
    return value == KELSO_WIN ? EGDB_WIN : value == KELSO_LOSS ? EGDB_LOSS : EGDB_DRAW;
}

static inline int egdb_lookup(EGDB_DRIVER *handle, const EGDB_POSITION *position, int color, int cl)
{
    (void)cl;
    return egdb_lookup_error(handle, position, color, NULL);
}

static inline int egdb_max_pieces(const EGDB_DRIVER *handle)
{
    return handle->max_pieces;
}

/* Returns 0. */
static inline int egdb_close(EGDB_DRIVER *handle)
{
    kelso_close(&handle->tables);
    free(handle);
    return 0;
}

/* NULL when it fails; then, and only then, `message` (if any) is called with one line.
 * There are no options: `options` is not looked at. */
static inline EGDB_DRIVER *egdb_open(const char *options, int cache_mb, const char *directory,
                                     void (*message)(char *))
{
    EGDB_DRIVER *handle = (EGDB_DRIVER *)calloc(1, sizeof *handle);
    kelso_error error;

    (void)options;
    if (!handle)
        return NULL;
    if (kelso_open(&handle->tables, directory, (uint64_t)(cache_mb > 0 ? cache_mb : 1) << 20,
                   &error) != KELSO_OK) {
        if (message)
            message(error.text);
        free(handle);
        return NULL;
    }
    handle->lookup = egdb_lookup;
    handle->close = egdb_close;
    handle->max_pieces = kelso_pieces(handle->tables);
    return handle;
}

#endif
