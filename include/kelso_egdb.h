/* SPDX-License-Identifier: MIT
 *
 * kelso_egdb.h -- kelso's tables through the endgame driver interface of checkers engines.
 *
 * Engines that read the endgame databases of KingsRow, Cake or Chinook do so through a driver
 * with a fixed interface: egdb_open, a handle of function pointers, egdb_identify.  This header
 * declares the same types, names and signatures, as inline functions over kelso.h.  An engine
 * includes it in place of its driver's header, links -lkelso, and opens a directory of kelso's
 * tables:
 *
 *     EGDB_DRIVER *db = egdb_open(EGDB_NORMAL, 8, 512, "tables", print);
 *     EGDB_BITBOARD p;
 *
 *     p.normal.black = black, p.normal.white = white, p.normal.king = kings;
 *     value = db->lookup(db, &p, EGDB_BLACK, 0);
 *     db->close(db);
 *
 * Two bit layouts are supported.  EGDB_NORMAL: bit 0 is square 1, bit 1 square 2 and so on.
 * EGDB_ROW_REVERSED: bit 3 is square 1, bit 2 square 2, each row of four in reverse order.
 *
 * What differs from other drivers:
 * - Positions with captures pending, for either side, are answered exactly.  An engine may drop
 *   the tests that guard its lookups.
 * - Win/loss/draw only.  egdb_identify says EGDB_KINGSROW32_WLD for any directory of kelso's
 *   tables: engines understand that as "exact values of all positions".
 * - A conditional lookup (cl != 0) returns EGDB_NOT_IN_CACHE if a page must be decoded first.
 * - EGDB_UNKNOWN means outside the tables; a damaged file is reported once through the message
 *   function and counts as unknown.
 * - autoload_hits and lru_cache_hits are always 0; lru_cache_loads counts lookups that had to wait
 *   for a page.
 *
 * Threads: as in kelso.h, any number may look up values at once. */
#ifndef KELSO_EGDB_H
#define KELSO_EGDB_H

#include "kelso.h"

#include <stdlib.h>
#include <string.h>

enum EGDB_COLOR { EGDB_BLACK = 0, EGDB_WHITE = 1 };

/* kelso's tables give UNKNOWN, WIN, LOSS, DRAW and, for conditional lookups, NOT_IN_CACHE. */
enum LOOKUP_VALUE {
    EGDB_SUBDB_UNAVAILABLE = -2,
    EGDB_NOT_IN_CACHE = -1,
    EGDB_UNKNOWN = 0,
    EGDB_WIN = 1,
    EGDB_LOSS = 2,
    EGDB_DRAW = 3,
    EGDB_DRAW_OR_LOSS = 4,
    EGDB_WIN_OR_DRAW = 5
};

enum MTC_VALUE { MTC_UNKNOWN = 0, MTC_LESS_THAN_THRESHOLD = 1, MTC_THRESHOLD = 10 };

typedef enum {
    EGDB_KINGSROW_WLD = 0,
    EGDB_KINGSROW_MTC,
    EGDB_CAKE_WLD,
    EGDB_CHINOOK_WLD,
    EGDB_KINGSROW32_WLD,
    EGDB_KINGSROW32_MTC,
    EGDB_CHINOOK_ITALIAN_WLD,
    EGDB_KINGSROW32_ITALIAN_WLD,
    EGDB_KINGSROW32_ITALIAN_MTC,
    EGDB_KINGSROW32_WLD_TUN,
    EGDB_KINGSROW32_ITALIAN_WLD_TUN,
    EGDB_KINGSROW_DTW,
    EGDB_KINGSROW_ITALIAN_DTW
} EGDB_TYPE;

typedef enum { EGDB_NORMAL = 0, EGDB_ROW_REVERSED } EGDB_BITBOARD_TYPE;

typedef struct {
    unsigned int lru_cache_hits;
    unsigned int lru_cache_loads;
    unsigned int autoload_hits;
    unsigned int db_requests;             /* lookups */
    unsigned int db_returns;              /* that gave a win, a loss or a draw */
    unsigned int db_not_present_requests; /* that were outside the tables */
} EGDB_STATS;

typedef struct {
    unsigned int black, white, king; /* `king` has the kings of both colours */
} EGDB_NORMAL_BITBOARD;

typedef struct {
    unsigned int black_man, black_king, white_man, white_king;
} EGDB_ROW_REVERSED_BITBOARD;

typedef union {
    EGDB_NORMAL_BITBOARD normal;
    EGDB_ROW_REVERSED_BITBOARD row_reversed;
} EGDB_BITBOARD;

typedef struct egdb_driver {
    int (*lookup)(struct egdb_driver *handle, EGDB_BITBOARD *position, int color, int cl);
    void (*reset_stats)(struct egdb_driver *handle);
    EGDB_STATS *(*get_stats)(struct egdb_driver *handle);
    int (*verify)(struct egdb_driver *handle);
    int (*close)(struct egdb_driver *handle);
    void *internal_data;
} EGDB_DRIVER;

/* Drivers export their version; this one's is that of kelso.h. */
static const unsigned int egdb_version __attribute__((unused)) = KELSO_VERSION_NUMBER;

/* ---------------------------------------------------------------------- inside -- */

struct kelso_egdb {
    kelso_tables *tables;
    EGDB_BITBOARD_TYPE type;
    int pieces; /* use no tables of more pieces */
    EGDB_STATS stats;
    void (*message)(char *);
    int complained; /* damage has been reported */
};

static inline void kelso_egdb_add(unsigned int *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Reverse each row of four squares. */
static inline uint32_t kelso_egdb_turn(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    return (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
}

static inline kelso_position kelso_egdb_position(const struct kelso_egdb *db,
                                                 const EGDB_BITBOARD *b, int color)
{
    kelso_position p;

    if (db->type == EGDB_ROW_REVERSED) {
        p.black_men = kelso_egdb_turn(b->row_reversed.black_man);
        p.black_kings = kelso_egdb_turn(b->row_reversed.black_king);
        p.white_men = kelso_egdb_turn(b->row_reversed.white_man);
        p.white_kings = kelso_egdb_turn(b->row_reversed.white_king);
    } else {
        p.black_men = b->normal.black & ~b->normal.king;
        p.black_kings = b->normal.black & b->normal.king;
        p.white_men = b->normal.white & ~b->normal.king;
        p.white_kings = b->normal.white & b->normal.king;
    }
    p.turn = color == EGDB_BLACK ? KELSO_BLACK : KELSO_WHITE;
    return p;
}

static inline void kelso_egdb_complain(struct kelso_egdb *db, kelso_error *error)
{
    if (error->status != KELSO_MISSING && error->status != KELSO_BAD_INPUT && db->message &&
        !__atomic_exchange_n(&db->complained, 1, __ATOMIC_RELAXED))
        db->message(error->text);
}

/* Win, loss, draw, unknown, or not in the cache. */
static inline int kelso_egdb_value(struct kelso_egdb *db, const kelso_position *p, int cl)
{
    kelso_error error;
    kelso_value value;
    kelso_status rc = kelso_probe_wld_at_hand(db->tables, p, &value, NULL);

    if (rc == KELSO_NOT_AT_HAND && cl)
        return EGDB_NOT_IN_CACHE;
    if (rc == KELSO_NOT_AT_HAND) {
        rc = kelso_probe_wld(db->tables, p, &value, &error);
        if (rc == KELSO_OK)
            kelso_egdb_add(&db->stats.lru_cache_loads);
        else
            kelso_egdb_complain(db, &error);
    }
    if (rc != KELSO_OK)
        return EGDB_UNKNOWN;
    return value == KELSO_WIN ? EGDB_WIN : value == KELSO_LOSS ? EGDB_LOSS : EGDB_DRAW;
}

static inline int kelso_egdb_lookup(EGDB_DRIVER *handle, EGDB_BITBOARD *position, int color, int cl)
{
    struct kelso_egdb *db = (struct kelso_egdb *)handle->internal_data;
    kelso_position p = kelso_egdb_position(db, position, color);
    uint32_t black = p.black_men | p.black_kings, white = p.white_men | p.white_kings;
    int value = EGDB_UNKNOWN;

    kelso_egdb_add(&db->stats.db_requests);
    if (!black || !white)
        value = (color == EGDB_BLACK ? black : white) ? EGDB_WIN : EGDB_LOSS;
    else if (__builtin_popcount(black | white) <= db->pieces)
        value = kelso_egdb_value(db, &p, cl);
    if (value > EGDB_UNKNOWN)
        kelso_egdb_add(&db->stats.db_returns);
    else if (value == EGDB_UNKNOWN)
        kelso_egdb_add(&db->stats.db_not_present_requests);
    return value;
}

static inline void kelso_egdb_reset_stats(EGDB_DRIVER *handle)
{
    memset(&((struct kelso_egdb *)handle->internal_data)->stats, 0, sizeof(EGDB_STATS));
}

static inline EGDB_STATS *kelso_egdb_get_stats(EGDB_DRIVER *handle)
{
    return &((struct kelso_egdb *)handle->internal_data)->stats;
}

/* 0 if every byte of every table agrees with its checksums. */
static inline int kelso_egdb_verify(EGDB_DRIVER *handle)
{
    struct kelso_egdb *db = (struct kelso_egdb *)handle->internal_data;
    kelso_error error;
    kelso_status rc = kelso_check(db->tables, 1, NULL, NULL, &error);

    if (rc != KELSO_OK && db->message)
        db->message(error.text);
    return rc != KELSO_OK;
}

static inline int kelso_egdb_close(EGDB_DRIVER *handle)
{
    struct kelso_egdb *db = (struct kelso_egdb *)handle->internal_data;

    kelso_close(&db->tables);
    free(db);
    free(handle);
    return 0;
}

/* --------------------------------------------------------------------- functions -- */

/* Returns 0 if the directory holds kelso's tables, with their type and the number of pieces up to
 * which they are complete. */
static inline int egdb_identify(const char *directory, EGDB_TYPE *type, int *max_pieces)
{
    kelso_tables *tables;

    if (kelso_open(&tables, directory, 0, NULL) != KELSO_OK)
        return 1;
    *max_pieces = kelso_pieces(tables);
    *type = EGDB_KINGSROW32_WLD;
    kelso_close(&tables);
    return *max_pieces < 2;
}

/* Open a directory; use no tables of more than `pieces` pieces.  NULL when it fails; then
 * `message` (if any) is called with one line. */
static inline EGDB_DRIVER *egdb_open(EGDB_BITBOARD_TYPE type, int pieces, int cache_mb,
                                     const char *directory, void (*message)(char *))
{
    EGDB_DRIVER *handle = (EGDB_DRIVER *)calloc(1, sizeof *handle);
    struct kelso_egdb *db = (struct kelso_egdb *)calloc(1, sizeof *db);
    char memory[] = "not enough memory";
    kelso_error error;

    if (!handle || !db ||
        kelso_open(&db->tables, directory, (uint64_t)(cache_mb > 0 ? cache_mb : 1) << 20, &error)) {
        if (message)
            message(handle && db ? error.text : memory);
        free(handle);
        free(db);
        return NULL;
    }
    db->type = type;
    db->pieces = pieces;
    db->message = message;
    handle->lookup = kelso_egdb_lookup;
    handle->reset_stats = kelso_egdb_reset_stats;
    handle->get_stats = kelso_egdb_get_stats;
    handle->verify = kelso_egdb_verify;
    handle->close = kelso_egdb_close;
    handle->internal_data = db;
    return handle;
}

#endif
