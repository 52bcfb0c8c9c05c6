/* SPDX-License-Identifier: MIT */
#include "db/tables.h"
#include "base/bytes.h"
#include "base/machine.h"
#include "core/movegen.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

struct tables {
    struct catalog *catalog;
    struct probe *probe;
    struct profile *profile; /* counts answers, unless NULL */
    int limit;               /* use no table of more pieces */
    int complete;            /* every slice of this many pieces or fewer is there */
    int most;                /* some slice of this many pieces is there */
    bool has[SLICE_CODES];
    bool whole[PIECES_MAX + 1][PIECES_MAX + 1]; /* every slice up to these numbers per side */
    uint8_t above[33][33]; /* by the pieces of each side: the fewest captures into such slices */
};

/* -------------------------------------------------------------------- opening -- */

uint64_t tables_cache_default(void)
{
    uint64_t usual = UINT64_C(1) << 30, share = memory_all() / 8;

    return share < usual ? share : usual;
}

bool tables_exist(const char *dir)
{
    char path[TABLE_PATH_MAX];

    return catalog_default_dir(dir, path, sizeof path) && access(path, F_OK) == 0;
}

/* Is every slice of these two numbers of pieces there, and of all smaller ones? */
static void whole_find(struct tables *t, const struct slice *list, int n)
{
    for (int i = 0; i <= PIECES_MAX; i++)
        for (int j = 0; j <= PIECES_MAX; j++)
            t->whole[i][j] = i + j <= t->most;
    for (int i = 0; i < n; i++) {
        int us = list[i].kings + list[i].men, them = list[i].opp_kings + list[i].opp_men;

        for (int x = us; !t->has[slice_code(list[i])] && x <= PIECES_MAX; x++)
            for (int y = them; y <= PIECES_MAX; y++)
                t->whole[x][y] = t->whole[y][x] = false;
    }
}

static void above_find(struct tables *t)
{
    for (int i = 0; i <= 32; i++)
        for (int j = 0; j <= 32; j++) {
            bool whole = i <= PIECES_MAX && j <= PIECES_MAX && t->whole[i][j];
            int less = INT_MAX;

            if (i)
                less = t->above[i - 1][j];
            if (j && t->above[i][j - 1] < less)
                less = t->above[i][j - 1];
            t->above[i][j] = (uint8_t)(whole ? 0 : less + 1);
        }
}

/* Find which slices are there, and what follows from that. */
static void slices_find(struct tables *t)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(t->limit, PIECES_MAX, list), first_gap = t->limit + 1;

    for (int i = 0; i < n; i++) {
        int size = slice_pieces(list[i]);
        bool has = catalog_has(t->catalog, list[i], KIND_WLD);

        t->has[slice_code(list[i])] = t->has[slice_code(slice_flip(list[i]))] = has;
        if (has && size > t->most)
            t->most = size;
        if (!has && size < first_gap)
            first_gap = size;
    }
    t->complete = first_gap - 1;
    whole_find(t, list, n);
    above_find(t);
    assert(t->complete <= t->most || t->most == 0);
}

static enum status directory_open(struct tables *t, const char *dir, struct error *e)
{
    char path[TABLE_PATH_MAX];

    if (!catalog_default_dir(dir, path, sizeof path))
        return error_set(e, STATUS_MISSING, "no directory: give --dir, or set KELSO_DB or HOME");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return error_set(e, STATUS_MISSING, "%s: no tables there; 'kelso build' makes them", path);
    return catalog_open(&t->catalog, path, e);
}

enum status tables_open(struct tables **out, const struct tables_options *o, struct error *e)
{
    struct tables *t = calloc(1, sizeof *t);
    enum status rc;

    *out = t;
    if (!t)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to open tables");
    t->limit = o->pieces ? o->pieces : PIECES_MAX;
    if ((rc = directory_open(t, o->dir, e)) ||
        (rc = probe_open(&t->probe, t->catalog, o->cache ? o->cache : tables_cache_default(), e))) {
        tables_close(out);
        return rc;
    }
    if (o->without_flat)
        probe_without_flat(t->probe);
    slices_find(t);
    return STATUS_OK;
}

enum status tables_digest(const struct tables *t, uint64_t *digest, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(t->limit, PIECES_MAX, list);
    enum status rc = STATUS_OK;

    *digest = 0;
    for (int i = 0; !rc && i < n; i++) {
        const struct table *table;
        uint8_t bytes[2 * sizeof(uint64_t)];

        if (!t->has[slice_code(list[i])])
            continue;
        if ((rc = catalog_table(t->catalog, list[i], KIND_WLD, &table, e)))
            break;
        bytes_put(bytes, 8, (uint64_t)slice_code(list[i]));
        bytes_put(bytes + 8, 8, table_digest(table));
        *digest = XXH3_64bits_withSeed(bytes, sizeof bytes, *digest);
    }
    return rc;
}

void tables_close(struct tables **out)
{
    struct tables *t = *out;

    if (!t)
        return;
    probe_close(&t->probe);
    catalog_close(&t->catalog);
    free(t);
    *out = NULL;
}

/* ------------------------------------------------------------- what is there -- */

struct catalog *tables_catalog(const struct tables *t)
{
    return t->catalog;
}

const char *tables_dir(const struct tables *t)
{
    return catalog_dir(t->catalog);
}

int tables_complete(const struct tables *t)
{
    return t->complete;
}

int tables_most(const struct tables *t)
{
    return t->most;
}

bool tables_has(const struct tables *t, const struct board *b)
{
    enum side us = b->turn, them = side_other(us);
    struct slice s;

    if (squares_count(b->side[BLACK] | b->side[WHITE]) > t->most)
        return false;
    s = (struct slice){
        (uint8_t)squares_count(board_kings(b, us)), (uint8_t)squares_count(board_men(b, us)),
        (uint8_t)squares_count(board_kings(b, them)), (uint8_t)squares_count(board_men(b, them))};
    return t->has[slice_code(s)];
}

/* Does every capture, of one piece or several, lead into the tables? */
static bool captures_known(const struct tables *t, const struct board *b)
{
    int us = squares_count(b->side[b->turn]), them = squares_count(b->side[side_other(b->turn)]);

    return us <= PIECES_MAX && them <= PIECES_MAX + 1 && t->whole[us][them - 1];
}

bool tables_knows(const struct tables *t, const struct board *b)
{
    int pieces = squares_count(b->side[BLACK] | b->side[WHITE]);

    if (pieces <= t->complete || !b->side[b->turn]) /* the game is over */
        return true;
    if (pieces > t->most + 1)
        return false;
    return board_must_capture(b) ? captures_known(t, b) : tables_has(t, b);
}

int tables_distance(const struct tables *t, const struct board *b)
{
    return t->above[squares_count(b->side[BLACK])][squares_count(b->side[WHITE])];
}

/* -------------------------------------------------------------------- answers -- */

enum status tables_value(const struct tables *t, const struct board *b, enum value *v,
                         struct error *e)
{
    enum status rc = probe_value(t->probe, b, v, e);

    if (__builtin_expect(t->profile != NULL, 0) && !rc)
        profile_position(t->profile);
    return rc;
}

enum status tables_value_for(const struct tables *t, const struct board *b, enum side side,
                             enum value *v, struct error *e)
{
    enum status rc = tables_value(t, b, v, e);

    if (!rc && b->turn != side)
        *v = value_negate(*v);
    return rc;
}

bool tables_at_hand(const struct tables *t, const struct board *b, enum value *v)
{
    bool known = probe_at_hand(t->probe, b, v);

    if (__builtin_expect(t->profile != NULL, 0) && known)
        profile_position(t->profile);
    return known;
}

/* A side wins if it moves and gets a win, or if the other moves and does not get a draw. */
enum status tables_wins(const struct tables *t, const struct board *b, enum side side, bool *wins,
                        struct error *e)
{
    enum value enough = b->turn == side ? VALUE_WIN : VALUE_DRAW;
    bool reached;
    enum status rc = probe_reaches(t->probe, b, enough, &reached, e);

    if (__builtin_expect(t->profile != NULL, 0) && !rc)
        profile_position(t->profile);
    *wins = reached == (b->turn == side);
    return rc;
}

bool tables_wins_at_hand(const struct tables *t, const struct board *b, enum side side, bool *wins)
{
    enum value enough = b->turn == side ? VALUE_WIN : VALUE_DRAW;
    bool reached, known = probe_reaches_at_hand(t->probe, b, enough, &reached);

    if (__builtin_expect(t->profile != NULL, 0) && known)
        profile_position(t->profile);
    *wins = reached == (b->turn == side);
    return known;
}

enum status tables_batch(const struct tables *t, const struct view_source *source, size_t count,
                         int8_t *values, struct error *e)
{
    return probe_batch(t->probe, source, count, values, e);
}

void tables_prefetch(const struct tables *t, const struct board *b)
{
    probe_prefetch(t->probe, b);
}

void tables_profile(struct tables *t, struct profile *profile)
{
    t->profile = profile;
    probe_profile(t->probe, profile);
}

enum status tables_fill_slice(struct tables *t, struct slice s, struct crew *crew,
                              _Atomic uint64_t *done, struct error *e)
{
    return probe_fill_slice(t->probe, s, crew, done, e);
}

struct probe_stats tables_stats(const struct tables *t)
{
    return probe_stats(t->probe);
}

enum status tables_outcome(const struct tables *t, const struct board *b, enum kind kind,
                           struct outcome *o, struct error *e)
{
    return probe_outcome(t->probe, b, kind, o, e);
}

enum status tables_fill(struct tables *t, struct crew *crew, _Atomic uint64_t *done,
                        struct error *e)
{
    return probe_fill(t->probe, t->limit, crew, done, e);
}

enum status tables_pages(struct tables *t, uint64_t *pages, struct error *e)
{
    return probe_pages(t->probe, t->limit, pages, e);
}
