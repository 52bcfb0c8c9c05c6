/* SPDX-License-Identifier: MIT
 *
 * The values of many positions at once.  A single probe of a random position waits for memory
 * several times: for the description of the table, for the place in it, for the codes of a quick
 * file.  Here
 *
 *     1. captures are played until only positions to look up are left,
 *     2. these are grouped by table, so that what describes a table is fetched once for all of
 * them,
 *     3. in that order, places are computed and requested for a window of positions, then read,
 *     4. values go back from the positions after captures to those before. */
#include "core/movegen.h"
#include "db/paging.h"
#include "db/probe.h"

#include <assert.h>
#include <stdlib.h>

enum {
    CHUNK = 2048,     /* positions of the caller at a time */
    ITEMS_EACH = 4,   /* items per position, with those that captures lead to, ... */
    ITEMS_MORE = 256, /* ... and this many more */
    WINDOW = 128,
    GROUPS = 1024, /* tables at a time; positions of more are probed one by one */
    ALONE = -2,    /* a value that probe_value decides */
};

/* A position of the caller, or one that a capture leads to. */
struct item {
    int32_t parent; /* the item before the capture; ~k: position k of the chunk */
    bool alone;     /* something is unusual: probe_value decides */
};

/* An item to look up. */
struct quiet {
    struct view view;
    uint32_t item;
    uint32_t group;
};

/* The items of a table. */
struct group {
    const struct paged_table *table; /* NULL: it cannot be opened */
    uint32_t count;
    uint32_t code; /* of its slice */
};

struct batch {
    struct probe *probe;
    struct paging *paging;
    uint32_t count, room; /* of the items */
    uint32_t kept;        /* room kept for positions of the caller not yet added */
    uint32_t quiets, groups;
    struct item *item;
    uint8_t *value;                /* by item; before its captures are known: the best so far */
    struct quiet *quiet, *ordered; /* as they were met; group by group */
    struct group group[GROUPS];
    uint16_t group_of[SLICE_CODES]; /* its number + 1; 0: none yet */
};

/* A position of the window. */
struct place {
    const struct paged_table *table;
    uint64_t index;
    uint32_t item;
};

static void batch_close(struct batch *b)
{
    free(b->item);
    free(b->value);
    free(b->quiet);
    free(b->ordered);
    free(b);
}

static enum status batch_open(struct batch **out, struct probe *p, size_t count, struct error *e)
{
    size_t room = (count < CHUNK ? count : CHUNK) * ITEMS_EACH + ITEMS_MORE;
    struct batch *b = calloc(1, sizeof *b);

    if ((*out = b)) {
        b->probe = p;
        b->paging = &p->paging;
        b->room = (uint32_t)room;
        b->item = malloc(room * sizeof *b->item);
        b->value = malloc(room);
        b->quiet = malloc(room * sizeof *b->quiet);
        b->ordered = malloc(room * sizeof *b->ordered);
        if (b->item && b->value && b->quiet && b->ordered)
            return STATUS_OK;
        batch_close(b);
    }
    return error_no_memory(e);
}

/* ---------------------------------------------------------------- 1. captures -- */

static void item_add(struct batch *b, const struct board *board, int32_t parent);

static void item_expand(struct batch *b, uint32_t i, const struct board *board)
{
    struct move_list list;

    moves_generate(board, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(board, &list.move[m]);

        if (b->count + b->kept < b->room)
            item_add(b, &next, (int32_t)i);
        else
            b->item[i].alone = true;
    }
}

/* The number of the group of a slice, made on first use; GROUPS if there are too many. */
static uint32_t group_find(struct batch *b, struct slice s)
{
    uint32_t code = (uint32_t)slice_code(s);
    struct group *g;

    if (b->group_of[code])
        return b->group_of[code] - 1u;
    if (b->groups == GROUPS)
        return GROUPS;
    g = &b->group[b->groups];
    *g = (struct group){.code = code};
    if (paging_table(b->paging, s, KIND_WLD, &g->table, NULL))
        g->table = NULL;
    b->group_of[code] = (uint16_t)++b->groups;
    return b->groups - 1;
}

static void item_enlist(struct batch *b, uint32_t i, const struct board *board)
{
    struct quiet *q = &b->quiet[b->quiets];

    q->view = view_of(board);
    q->item = i;
    q->group = group_find(b, view_slice(&q->view));
    if (q->group == GROUPS || !b->group[q->group].table) {
        b->item[i].alone = true;
        return;
    }
    b->group[q->group].count++;
    b->quiets++;
}

static void item_add(struct batch *b, const struct board *board, int32_t parent)
{
    uint32_t i = b->count++;

    assert(i < b->room);
    b->value[i] = VALUE_LOSS;
    b->item[i] = (struct item){parent, false};
    if (!board->side[board->turn])
        return; /* lost */
    if (!board->side[side_other(board->turn)])
        b->item[i].alone = true;
    else if (board_must_capture(board))
        item_expand(b, i, board);
    else if (squares_count(board->side[BLACK] | board->side[WHITE]) > PIECES_MAX)
        b->item[i].alone = true;
    else
        item_enlist(b, i, board);
}

/* -------------------------------------------------------------------- 2. order -- */

static void quiets_order(struct batch *b)
{
    uint32_t at[GROUPS], next = 0;

    for (uint32_t g = 0; g < b->groups; g++) {
        at[g] = next;
        next += b->group[g].count;
        b->group_of[b->group[g].code] = 0;
    }
    for (uint32_t i = 0; i < b->quiets; i++)
        b->ordered[at[b->quiet[i].group]++] = b->quiet[i];
}

/* ------------------------------------------------------------------ 3. reading -- */

/* Read a value; false: *lane says where it is encoded. */
static bool place_read(struct batch *b, const struct place *p, struct quick_lane *lane)
{
    const struct paged_table *t = p->table;
    struct quick_place place;
    uint32_t number;

    if (t->quick && quick_locate(t->quick, t->mirror, p->index, &place) && place.lookup) {
        paging_count_probe(b->paging, t);
        quick_lane_open(lane, place.lookup, place.block, place.at, p->item);
        return false;
    }
    if (paging_get(b->paging, t, p->index, &number, NULL)) {
        b->item[p->item].alone = true;
    } else {
        paging_count_probe(b->paging, t);
        b->value[p->item] = (uint8_t)number;
    }
    return true;
}

static void window_probe(struct batch *b, const struct quiet *quiet, uint32_t n)
{
    struct quick_lane lanes[WINDOW];
    struct place places[WINDOW];
    uint32_t coded = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct paged_table *t = b->group[quiet[i].group].table;

        places[i] = (struct place){t, layout_index(&t->layout, &quiet[i].view), quiet[i].item};
    }
    for (uint32_t i = 0; i < n; i++) /* in one loop: each may wait for its address translation */
        paging_prefetch(b->paging, places[i].table, places[i].index);
    for (uint32_t i = 0; i < n; i++)
        paging_prefetch_more(b->paging, places[i].table, places[i].index);
    for (uint32_t i = 0; i < n; i++)
        coded += !place_read(b, &places[i], &lanes[coded]);
    quick_lanes_run(lanes, coded, b->value);
}

/* -------------------------------------------------------------------- 4. back -- */

/* Pass the value of an item to its parent, or to the caller. */
static void item_fold(struct batch *b, uint32_t i, int8_t *values)
{
    const struct item *item = &b->item[i];
    uint8_t negated = (uint8_t)value_negate((enum value)b->value[i]);

    if (item->parent < 0) {
        values[~item->parent] = item->alone ? ALONE : (int8_t)b->value[i];
        return;
    }
    b->item[item->parent].alone |= item->alone;
    if (negated > b->value[item->parent])
        b->value[item->parent] = negated;
}

static void items_probe(struct batch *b, int8_t *values)
{
    quiets_order(b);
    for (uint32_t i = 0; i < b->quiets; i += WINDOW)
        window_probe(b, b->ordered + i, b->quiets - i < WINDOW ? b->quiets - i : WINDOW);
    for (uint32_t i = b->count; i-- > 0;)
        item_fold(b, i, values);
}

/* ---------------------------------------------------------------------- chunks -- */

/* The value of a position that is probed alone; -1 if unknown or no position. */
static enum status value_alone(struct probe *p, const struct board *board, int8_t *value,
                               struct error *e)
{
    enum value v = VALUE_LOSS;
    enum status rc = probe_value(p, board, &v, e);

    *value = rc ? -1 : (int8_t)v;
    return rc == STATUS_MISSING || rc == STATUS_POSITION ? STATUS_OK : rc;
}

/* Positions `first` to first + n - 1 of the source. */
static enum status chunk_probe(struct batch *b, const struct board_source *source, size_t first,
                               uint32_t n, int8_t *values, struct error *e)
{
    enum status rc = STATUS_OK;
    struct board board;

    b->count = b->quiets = b->groups = 0;
    for (uint32_t k = 0; k < n; k++) {
        b->kept = n - k - 1;
        values[k] = -1;
        if (source->get(source->context, first + k, &board))
            item_add(b, &board, ~(int32_t)k);
    }
    items_probe(b, values);
    for (uint32_t k = 0; k < n && !rc; k++)
        if (values[k] == ALONE && source->get(source->context, first + k, &board))
            rc = value_alone(b->probe, &board, &values[k], e);
    return rc;
}

enum status probe_batch(struct probe *p, const struct board_source *source, size_t count,
                        int8_t *values, struct error *e)
{
    struct batch *b;
    enum status rc = batch_open(&b, p, count, e);

    if (rc)
        return rc;
    for (size_t i = 0; i < count && !rc; i += CHUNK)
        rc = chunk_probe(b, source, i, count - i < CHUNK ? (uint32_t)(count - i) : CHUNK,
                         values + i, e);
    batch_close(b);
    return rc;
}
