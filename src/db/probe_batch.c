/* SPDX-License-Identifier: MIT
 *
 * The values of many positions at once.  A single probe of a random position is mostly waiting: for
 * branches that could not be predicted (whose turn it is, whether there is a capture, how many
 * pieces of each kind), and for memory.  Here
 *
 *     1. positions are read as views, side by side, and those with a capture are told apart without
 *        branches (views.h); the positions after captures are the next level, and so on,
 *     2. all that are left to look up are ordered by table, so that what describes a table is
 *        fetched once and the pieces of neighbours are the same,
 *     3. in that order, they are numbered and looked up in windows, step by step (paging_many.h),
 *     4. values go back from the positions after captures to those before. */
#include "core/move.h"
#include "db/paging_many.h"
#include "db/probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 4096,     /* positions of the caller at a time */
    ITEMS_EACH = 4,   /* items per position, with those that captures lead to, ... */
    ITEMS_MORE = 256, /* ... and this many more */
    WINDOW = QUICK_LANES,
    GROUPS = 1024,
    VALUE_NONE = 255, /* -1 for the caller */
};

/* Numbers of four kinds of pieces that add up to PIECES_MAX or less. */
_Static_assert(GROUPS >
                   (PIECES_MAX + 4) * (PIECES_MAX + 3) * (PIECES_MAX + 2) * (PIECES_MAX + 1) / 24,
               "a group for each slice");

/* An item to look up. */
struct quiet {
    uint32_t item;
    uint32_t group;
};

/* The items of a slice. */
struct group {
    const struct paged_table *table; /* NULL: it cannot be opened */
    uint32_t count, first;           /* among those in order */
    uint32_t code;                   /* of the slice */
};

struct batch {
    struct probe *probe;
    struct paging *paging;
    uint32_t room; /* for items: positions of the caller, then those that captures lead to */
    uint32_t count;
    uint32_t quiets, groups;
    struct views views;  /* of the items */
    uint32_t *jumpers;   /* by item */
    uint32_t *parent;    /* the item before the capture */
    uint8_t *value;      /* before its captures are known: the best so far */
    uint8_t *alone;      /* something is unusual: probe_value decides */
    uint32_t *captures;  /* items of a level that have captures */
    struct quiet *quiet; /* as they were met */
    struct view *view;   /* group by group: the view ... */
    uint32_t *item;      /* ... and the item */
    void *memory;        /* of all these arrays */
    struct group group[GROUPS];
    uint16_t group_of[SLICE_CODES]; /* its number + 1; 0: none yet */
};

/* Lookups in one table. */
struct segment {
    const struct paged_table *table;
    uint32_t first, count;
};

/* Lookups whose waits overlap. */
struct window {
    uint32_t count, segments;
    struct segment segment[WINDOW];
    uint64_t index[WINDOW];
    uint32_t item[WINDOW];
    uint8_t value[WINDOW];
    struct quick_lanes lanes;
};

/* -------------------------------------------------------------------- opening -- */

static void batch_close(struct batch *b)
{
    free(b->memory);
    free(b);
}

/* An array in the first part of `memory` that is not used; NULL if there is no memory yet. */
static void *array_take(uint8_t *memory, size_t *used, size_t bytes)
{
    size_t at = *used;

    *used += (bytes + 63) / 64 * 64;
    return memory ? memory + at : NULL;
}

/* Divide the memory among the arrays; return how much they take. */
static size_t batch_arrays(struct batch *b, uint8_t *memory, size_t room)
{
    size_t used = 0;

    b->views.men = array_take(memory, &used, room * sizeof(uint32_t));
    b->views.kings = array_take(memory, &used, room * sizeof(uint32_t));
    b->views.opp_men = array_take(memory, &used, room * sizeof(uint32_t));
    b->views.opp_kings = array_take(memory, &used, room * sizeof(uint32_t));
    b->jumpers = array_take(memory, &used, room * sizeof *b->jumpers);
    b->parent = array_take(memory, &used, room * sizeof *b->parent);
    b->value = array_take(memory, &used, room * sizeof *b->value);
    b->alone = array_take(memory, &used, room * sizeof *b->alone);
    b->captures = array_take(memory, &used, room * sizeof *b->captures);
    b->quiet = array_take(memory, &used, room * sizeof *b->quiet);
    b->view = array_take(memory, &used, room * sizeof *b->view);
    b->item = array_take(memory, &used, room * sizeof *b->item);
    return used;
}

static enum status batch_open(struct batch **out, struct probe *p, size_t count, struct error *e)
{
    size_t room = (count < CHUNK ? count : CHUNK) * ITEMS_EACH + ITEMS_MORE;
    struct batch *b = calloc(1, sizeof *b);

    if ((*out = b)) {
        b->probe = p;
        b->paging = &p->paging;
        b->room = (uint32_t)room;
        b->memory = malloc(batch_arrays(b, NULL, room));
        if (b->memory) {
            batch_arrays(b, b->memory, room);
            return STATUS_OK;
        }
        batch_close(b);
    }
    return error_no_memory(e);
}

/* -------------------------------------------------------------------- 1. levels -- */

/* The slice_code of a view to look up; 0, which is none, if it has a capture, if a side has no
 * pieces, or if there are too many. */
static inline uint32_t code_of(const struct view *v, uint32_t jumpers)
{
    uint32_t kings = (uint32_t)__builtin_popcount(v->kings);
    uint32_t men = (uint32_t)__builtin_popcount(v->men);
    uint32_t opp_kings = (uint32_t)__builtin_popcount(v->opp_kings);
    uint32_t opp_men = (uint32_t)__builtin_popcount(v->opp_men);
    uint32_t code = ((kings * PIECES_MAX + men) * PIECES_MAX + opp_kings) * PIECES_MAX + opp_men;
    bool regular = !jumpers & (kings + men > 0) & (opp_kings + opp_men > 0) &
                   (kings + men + opp_kings + opp_men <= PIECES_MAX);

    return code & -(uint32_t)regular;
}

static uint32_t group_add(struct batch *b, uint32_t code)
{
    struct group *g = &b->group[b->groups];

    assert(b->groups < GROUPS);
    *g = (struct group){.code = code};
    if (code && paging_table(b->paging, slice_of_code((int)code), KIND_WLD, &g->table, NULL))
        g->table = NULL;
    b->group_of[code] = (uint16_t)++b->groups;
    return b->groups;
}

/* Enlist the items of a level that have no captures; the others are b->captures.  Returns how many
 * these are. */
static uint32_t level_enlist(struct batch *b, uint32_t first, uint32_t end)
{
    uint32_t captures = 0, quiets = b->quiets;

    for (uint32_t i = first; i < end; i++) {
        struct view view = views_get(&b->views, i);
        uint32_t code = code_of(&view, b->jumpers[i]), group = b->group_of[code];
        bool takes = b->jumpers[i];

        if (__builtin_expect(!group, 0))
            group = group_add(b, code);
        b->group[group - 1].count += !takes;
        b->quiet[quiets] = (struct quiet){i, group - 1};
        quiets += !takes;
        b->captures[captures] = i;
        captures += takes;
    }
    b->quiets = quiets;
    return captures;
}

static void item_expand(struct batch *b, uint32_t i)
{
    struct view view = views_get(&b->views, i);
    struct views out = views_from(&b->views, b->count);
    uint32_t n;

    if (b->room - b->count < MOVES_MAX) {
        b->alone[i] = true;
        return;
    }
    n = views_capture(&view, b->jumpers[i], &out);
    for (uint32_t k = 0; k < n; k++)
        b->parent[b->count++] = i;
}

/* Level by level: the positions of the caller, those after one capture, after two, and so on. */
static void levels_expand(struct batch *b)
{
    for (uint32_t first = 0; first < b->count;) {
        uint32_t end = b->count, captures;
        struct views level = views_from(&b->views, first);

        memset(b->value + first, VALUE_LOSS, end - first);
        memset(b->alone + first, false, end - first);
        views_jumpers(&level, end - first, b->jumpers + first);
        captures = level_enlist(b, first, end);
        for (uint32_t c = 0; c < captures; c++)
            item_expand(b, b->captures[c]);
        level = views_from(&b->views, end);
        views_pass(&level, b->count - end);
        first = end;
    }
}

/* -------------------------------------------------------------------- 2. order -- */

static void quiets_order(struct batch *b)
{
    uint32_t at[GROUPS], next = 0;

    for (uint32_t g = 0; g < b->groups; g++) {
        b->group[g].first = at[g] = next;
        next += b->group[g].count;
        b->group_of[b->group[g].code] = 0;
    }
    for (uint32_t i = 0; i < b->quiets; i++) {
        const struct quiet *q = &b->quiet[i];
        uint32_t to = at[q->group]++;

        b->view[to] = views_get(&b->views, q->item);
        b->item[to] = q->item;
    }
}

/* ------------------------------------------------------------------ 3. reading -- */

static void window_read(struct batch *b, struct window *w)
{
    for (uint32_t i = 0; i < w->segments; i++) {
        const struct segment *s = &w->segment[i];

        paging_follow(b->paging, s->table, w->index + s->first, s->count);
    }
    for (uint32_t i = 0; i < w->segments; i++) {
        const struct segment *s = &w->segment[i];

        paging_collect(b->paging, s->table, w->index + s->first, s->count, w->value + s->first,
                       &w->lanes, s->first);
    }
    quick_lanes_run(&w->lanes, w->value);
    for (uint32_t i = 0; i < w->count; i++) {
        b->value[w->item[i]] = w->value[i];
        b->alone[w->item[i]] = w->value[i] == PAGED_FAULT;
    }
    w->count = w->segments = 0;
}

/* Number the items of a group, and read whenever the window is full. */
static void group_read(struct batch *b, struct window *w, const struct group *g)
{
    for (uint32_t i = 0, n; i < g->count; i += n) {
        n = g->count - i < WINDOW - w->count ? g->count - i : WINDOW - w->count;
        layout_indices(&g->table->layout, b->view + g->first + i, n, w->index + w->count);
        memcpy(w->item + w->count, b->item + g->first + i, n * sizeof *w->item);
        paging_request(b->paging, g->table, w->index + w->count, n);
        w->segment[w->segments++] = (struct segment){g->table, w->count, n};
        w->count += n;
        if (w->count == WINDOW)
            window_read(b, w);
    }
}

/* A side has no pieces, there are too many, or the table is missing.  Without pieces the mover has
 * lost; without any on the board, there is no position. */
static void group_decide(struct batch *b, const struct group *g)
{
    for (uint32_t i = g->first; i < g->first + g->count; i++) {
        const struct view *v = &b->view[i];

        b->alone[b->item[i]] = v->men || v->kings;
        if (!(v->men | v->kings | v->opp_men | v->opp_kings))
            b->value[b->item[i]] = VALUE_NONE;
    }
}

static void groups_read(struct batch *b)
{
    struct window w;

    w.count = w.segments = w.lanes.count = 0;
    for (uint32_t g = 0; g < b->groups; g++)
        if (b->group[g].table)
            group_read(b, &w, &b->group[g]);
        else
            group_decide(b, &b->group[g]);
    window_read(b, &w);
}

/* -------------------------------------------------------------------- 4. back -- */

/* Pass the values of items to their parents. */
static void items_fold(struct batch *b, uint32_t roots)
{
    for (uint32_t i = b->count; i-- > roots;) {
        uint32_t parent = b->parent[i];
        uint8_t negated = (uint8_t)value_negate((enum value)b->value[i]);

        b->alone[parent] |= b->alone[i];
        b->value[parent] = negated > b->value[parent] ? negated : b->value[parent];
    }
}

/* ---------------------------------------------------------------------- chunks -- */

/* The value of a position that is probed alone; -1 if unknown or no position. */
static enum status value_alone(struct batch *b, uint32_t i, int8_t *value, struct error *e)
{
    struct view view = views_get(&b->views, i);
    struct board board = view_board(&view, BLACK);
    enum value v = VALUE_LOSS;
    struct error why;
    enum status rc = probe_value(b->probe, &board, &v, &why);

    *value = rc ? -1 : (int8_t)v;
    return !rc || rc == STATUS_MISSING || rc == STATUS_POSITION ? STATUS_OK : error_pass(e, &why);
}

/* Positions `first` to first + n - 1 of the source. */
static enum status chunk_probe(struct batch *b, const struct view_source *source, size_t first,
                               uint32_t n, int8_t *values, struct error *e)
{
    enum status rc = STATUS_OK;

    b->count = n;
    b->quiets = b->groups = 0;
    source->read(source->context, first, n, &b->views);
    levels_expand(b);
    quiets_order(b);
    groups_read(b);
    items_fold(b, n);
    for (uint32_t k = 0; k < n && !rc; k++) {
        values[k] = (int8_t)b->value[k];
        if (__builtin_expect(b->alone[k], 0))
            rc = value_alone(b, k, &values[k], e);
    }
    return rc;
}

enum status probe_batch(struct probe *p, const struct view_source *source, size_t count,
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
