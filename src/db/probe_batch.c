/* SPDX-License-Identifier: MIT
 *
 * The values of many positions at once.  A single probe of a random position waits for memory two
 * or three times; here the waits of many positions overlap: first the captures of all are played,
 * then what every position needs is requested, then it is read. */
#include "core/movegen.h"
#include "db/paging.h"
#include "db/probe.h"

enum {
    CHUNK = 64,       /* positions of the caller at a time */
    ITEMS = 8 * CHUNK /* with those that captures lead to */
};

/* A position: of the caller, or one that a capture leads to. */
struct item {
    struct board board;
    const struct paged_table *table; /* of a position to look up, else NULL */
    uint64_t index;
    int16_t parent; /* the item before the capture; -1: a position of the caller */
    uint8_t value;  /* of a position with captures: the best so far */
    bool alone;     /* something is unusual: probe_value decides */
};

struct batch {
    struct probe *probe;
    struct paging *paging;
    int count;
    struct item item[ITEMS];
};

static void item_add(struct batch *b, const struct board *board, int parent)
{
    b->item[b->count++] =
        (struct item){.board = *board, .parent = (int16_t)parent, .value = VALUE_LOSS};
}

/* Play the captures of an item; false if there is no room. */
static bool item_expand(struct batch *b, int i)
{
    struct move_list list;

    moves_generate(&b->item[i].board, &list);
    if (b->count + list.count > ITEMS)
        return false;
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(&b->item[i].board, &list.move[m]);

        item_add(b, &next, i);
    }
    return true;
}

/* Find the place of an item's value and request it, or replace it by its captures. */
static void item_place(struct batch *b, int i)
{
    struct item *item = &b->item[i];
    const struct board *board = &item->board;
    struct view view;

    if (!board->side[board->turn])
        return; /* lost */
    if (!board->side[side_other(board->turn)]) {
        item->alone = true;
        return;
    }
    if (board_must_capture(board)) {
        item->alone = !item_expand(b, i);
        return;
    }
    view = view_of(board);
    if (squares_count(board->side[BLACK] | board->side[WHITE]) > PIECES_MAX ||
        paging_table(b->paging, view_slice(&view), KIND_WLD, &item->table, NULL)) {
        item->table = NULL;
        item->alone = true;
        return;
    }
    item->index = layout_index(&item->table->layout, &view);
    paging_prefetch(b->paging, item->table, item->index);
}

/* What an item is worth goes to the item before it. */
static void item_fold(struct batch *b, int i)
{
    struct item *item = &b->item[i], *parent;
    enum value v;

    if (item->parent < 0)
        return;
    parent = &b->item[item->parent];
    v = value_negate((enum value)item->value);
    parent->alone |= item->alone;
    if (v > parent->value)
        parent->value = (uint8_t)v;
}

static void chunk_probe(struct batch *b, const struct board *boards, int n)
{
    b->count = 0;
    for (int i = 0; i < n; i++)
        item_add(b, &boards[i], -1);
    for (int i = 0; i < b->count; i++) /* items are added meanwhile */
        item_place(b, i);
    for (int i = 0; i < b->count; i++)
        if (b->item[i].table)
            paging_prefetch_more(b->item[i].table, b->item[i].index);
    for (int i = b->count - 1; i >= 0; i--) {
        struct item *item = &b->item[i];
        uint32_t number;

        if (item->table) {
            item->alone = paging_get(b->paging, item->table, item->index, &number, NULL) != 0;
            if (!item->alone)
                paging_count_probe(b->paging, item->table);
            item->value = item->alone ? VALUE_LOSS : (uint8_t)number;
        }
        item_fold(b, i);
    }
}

enum status probe_batch(struct probe *p, const struct board *boards, size_t count, int8_t *values,
                        struct error *e)
{
    struct batch b = {.probe = p, .paging = probe_paging(p)};

    for (size_t first = 0; first < count; first += CHUNK) {
        int n = count - first < CHUNK ? (int)(count - first) : CHUNK;

        chunk_probe(&b, boards + first, n);
        for (int i = 0; i < n; i++) {
            enum value v = (enum value)b.item[i].value;
            enum status rc =
                b.item[i].alone ? probe_value(p, &boards[first + (size_t)i], &v, e) : STATUS_OK;

            if (rc && rc != STATUS_MISSING && rc != STATUS_POSITION)
                return rc;
            values[first + (size_t)i] = rc ? -1 : (int8_t)v;
        }
    }
    return STATUS_OK;
}
