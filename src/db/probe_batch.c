/* SPDX-License-Identifier: MIT
 *
 * The values of many positions at once.  A single probe of a random position waits for memory
 * several times: for the description of the table, for the place in it, for the codes of a quick
 * file.  Here
 *
 *     1. captures are played until only positions to look up are left,
 *     2. these are sorted by table, so that what describes a table is fetched once for all of them,
 *     3. in that order, places are computed and requested for a window of positions, then read,
 *     4. values go back from the positions after captures to those before. */
#include "core/movegen.h"
#include "db/paging.h"
#include "db/probe.h"

#include <assert.h>
#include <stdlib.h>

enum {
    CHUNK = 4096,     /* positions of the caller at a time */
    ITEMS_EACH = 4,   /* items per position, with those that captures lead to, ... */
    ITEMS_MORE = 256, /* ... and this many more */
    WINDOW = 128,
    DIGIT = 100, /* a slice's code has two digits */
    ALONE = -2,  /* a value that probe_value decides */
};

_Static_assert(SLICE_CODES <= DIGIT * DIGIT, "two digits are enough");

/* A position of the caller, or one that a capture leads to. */
struct item {
    struct view view;
    int32_t parent; /* the item before the capture; ~k: position k of the chunk */
    uint16_t code;  /* of its slice */
    bool alone;     /* something is unusual: probe_value decides */
};

struct batch {
    struct probe *probe;
    struct paging *paging;
    uint32_t count, room; /* of the items */
    uint32_t kept;        /* room kept for positions of the caller not yet added */
    uint32_t sorted;
    struct item *item;
    uint32_t *order, *spare; /* the items to look up; room to sort them */
    uint8_t *value;          /* by item; before its captures are known: the best so far */
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
    free(b->order);
    free(b->spare);
    free(b->value);
}

static enum status batch_open(struct batch *b, struct probe *p, size_t count, struct error *e)
{
    size_t room = (count < CHUNK ? count : CHUNK) * ITEMS_EACH + ITEMS_MORE;

    *b = (struct batch){.probe = p,
                        .paging = &p->paging,
                        .room = (uint32_t)room,
                        .item = malloc(room * sizeof *b->item),
                        .order = malloc(room * sizeof *b->order),
                        .spare = malloc(room * sizeof *b->spare),
                        .value = malloc(room)};
    if (b->item && b->order && b->spare && b->value)
        return STATUS_OK;
    batch_close(b);
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

static void item_enlist(struct batch *b, uint32_t i, const struct board *board)
{
    struct item *item = &b->item[i];

    item->view = view_of(board);
    item->code = (uint16_t)slice_code(view_slice(&item->view));
    b->order[b->sorted++] = i;
}

static void item_add(struct batch *b, const struct board *board, int32_t parent)
{
    uint32_t i = b->count++;

    assert(i < b->room);
    b->value[i] = VALUE_LOSS;
    b->item[i].parent = parent;
    b->item[i].alone = false;
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

static uint32_t code_digit(uint32_t code, int digit)
{
    return digit ? code / DIGIT : code % DIGIT;
}

static void sort_by_digit(struct batch *b, int digit)
{
    uint32_t first[DIGIT + 1] = {0}, *order = b->order;

    for (uint32_t i = 0; i < b->sorted; i++)
        first[code_digit(b->item[order[i]].code, digit) + 1]++;
    for (int d = 0; d < DIGIT; d++)
        first[d + 1] += first[d];
    for (uint32_t i = 0; i < b->sorted; i++)
        b->spare[first[code_digit(b->item[order[i]].code, digit)]++] = order[i];
    b->order = b->spare;
    b->spare = order;
}

/* ------------------------------------------------------------------ 3. reading -- */

/* The table of the item; `before` is that of the item before it in the order, or NULL. */
static const struct paged_table *item_table(struct batch *b, struct item *item,
                                            const struct paged_table *before)
{
    const struct paged_table *t;

    if (before && slice_code(before->layout.slice) == item->code)
        return before;
    return paging_table(b->paging, view_slice(&item->view), KIND_WLD, &t, NULL) ? NULL : t;
}

/* Compute the places of some items. */
static int window_open(struct batch *b, struct place *places, const uint32_t *order, uint32_t n)
{
    const struct paged_table *t = NULL;
    int count = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct item *item = &b->item[order[i]];

        if (!(t = item_table(b, item, t))) {
            item->alone = true;
            continue;
        }
        places[count++] = (struct place){t, layout_index(&t->layout, &item->view), order[i]};
    }
    return count;
}

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

static void window_probe(struct batch *b, const uint32_t *order, uint32_t n)
{
    struct quick_lane lanes[WINDOW];
    struct place places[WINDOW];
    int count = window_open(b, places, order, n);
    uint32_t coded = 0;

    for (int i = 0; i < count; i++) /* in one loop: each may wait for its address translation */
        paging_prefetch(b->paging, places[i].table, places[i].index);
    for (int i = 0; i < count; i++)
        paging_prefetch_more(places[i].table, places[i].index);
    for (int i = 0; i < count; i++)
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
    sort_by_digit(b, 0);
    sort_by_digit(b, 1);
    for (uint32_t i = 0; i < b->sorted; i += WINDOW)
        window_probe(b, b->order + i, b->sorted - i < WINDOW ? b->sorted - i : WINDOW);
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

    b->count = b->sorted = 0;
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
    struct batch b;
    enum status rc = batch_open(&b, p, count, e);

    if (rc)
        return rc;
    for (size_t i = 0; i < count && !rc; i += CHUNK)
        rc = chunk_probe(&b, source, i, count - i < CHUNK ? (uint32_t)(count - i) : CHUNK,
                         values + i, e);
    batch_close(&b);
    return rc;
}
