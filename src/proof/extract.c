/* SPDX-License-Identifier: MIT */
#include "proof/extract.h"
#include "core/movegen.h"
#include "base/array.h"
#include "core/notation.h"
#include "proof/position_map.h"

#include <stdlib.h>

enum {
    NOBODY = UINT32_MAX,
    ROUNDS = 8,            /* of repairing a win */
    ITEMS_EVERY = 1 << 6,  /* positions between checks of the clock ... */
    PLACES_EVERY = 1 << 18 /* ... and places of the table */
};

/* A position of the proof under construction. */
struct item {
    struct board board;
    uint32_t waiting; /* defender in a win: moves not yet answered */
    uint32_t first;   /* edges to parents, while a win is put together */
    uint32_t answer;  /* the item that the chosen move leads to, or NOBODY: tables */
    uint8_t from, to; /* the chosen move */
    bool ready, wanted;
};

struct link {
    uint32_t parent, next;
    uint8_t from, to;
};

struct extractor {
    struct dfpn *d;
    const struct tables *tables;
    struct extract_limits limits;
    enum side attacker;
    bool wins;
    struct position_map map;
    struct item *item;
    size_t items, item_room;
    struct link *link;
    size_t links, link_room;
    struct dfpn_work work; /* so far */
    double deadline;       /* by dfpn_clock, for all of it; 0: none */
    uint32_t *order;       /* the items to write; those of a win as they became ready */
    size_t ordered;
};

/* --------------------------------------------------------------------- limits -- */

/* The seconds begin. */
static void extractor_begin(struct extractor *x)
{
    x->deadline = x->limits.seconds > 0 ? dfpn_clock(x->d) + x->limits.seconds : 0;
}

static bool extractor_late(const struct extractor *x)
{
    return x->deadline > 0 && dfpn_clock(x->d) >= x->deadline;
}

static bool extractor_stopped(const struct extractor *x)
{
    return x->limits.stop && atomic_load_explicit(x->limits.stop, memory_order_relaxed);
}

/* Is the time over, or is it to stop? */
static enum status time_check(const struct extractor *x, struct error *e)
{
    char fen[FEN_TEXT_MAX];

    if (extractor_stopped(x))
        return error_set(e, STATUS_INTERRUPTED, "stopped");
    if (!extractor_late(x))
        return STATUS_OK;
    fen_format(&x->item[0].board, fen);
    return error_set(e, STATUS_MISMATCH,
                     "%s: the time is too short to write down the proof; give more --time", fen);
}

/* What is left for a search; false if there is nothing. */
static bool search_limits(const struct extractor *x, struct dfpn_limits *left)
{
    *left = x->limits.search;
    if (x->limits.together) {
        left->nodes -= left->nodes < x->work.nodes ? left->nodes : x->work.nodes;
        left->seconds -= left->seconds > 0 ? x->work.seconds : 0;
        if ((x->limits.search.nodes && !left->nodes) ||
            (x->limits.search.seconds > 0 && left->seconds <= 0))
            return false;
    }
    if (x->deadline > 0) {
        double until = x->deadline - dfpn_clock(x->d);

        left->seconds = left->seconds > 0 && left->seconds < until ? left->seconds : until;
    }
    return x->deadline <= 0 || left->seconds > 0;
}

/* --------------------------------------------------------------------- memory -- */

static enum status no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory to extract a proof");
}

/* Back to the beginning, but for the work. */
static void extractor_empty(struct extractor *x)
{
    position_map_free(&x->map);
    free(x->item);
    free(x->link);
    free(x->order);
    x->item = NULL;
    x->link = NULL;
    x->order = NULL;
    x->items = x->item_room = x->links = x->link_room = x->ordered = 0;
}

/* The item of b, new or old. */
static enum status item_get(struct extractor *x, const struct board *b, uint32_t *out,
                            struct error *e)
{
    struct position p = position_of(b);
    int64_t at = position_map_get(&x->map, p);

    *out = (uint32_t)at;
    if (at != POSITION_MAP_NONE)
        return STATUS_OK;
    *out = (uint32_t)x->items;
    if (x->items >= NOBODY ||
        !array_room((void **)&x->item, &x->item_room, x->items + 1, sizeof *x->item) ||
        !position_map_put(&x->map, p, *out))
        return no_memory(e);
    x->item[x->items++] = (struct item){.board = *b, .first = NOBODY, .answer = NOBODY};
    return STATUS_OK;
}

static enum status link_add(struct extractor *x, uint32_t parent, uint32_t child,
                            const struct move *m, struct error *e)
{
    if (x->links >= NOBODY ||
        !array_room((void **)&x->link, &x->link_room, x->links + 1, sizeof *x->link))
        return no_memory(e);
    x->link[x->links] = (struct link){parent, x->item[child].first, (uint8_t)square_number(m->from),
                                      (uint8_t)square_number(m->to)};
    x->item[child].first = (uint32_t)x->links++;
    return STATUS_OK;
}

/* -------------------------------------------------------------- what is known -- */

enum stand { STAND_NOT, STAND_TABLES, STAND_SEARCH };

static enum status stand_of(struct extractor *x, const struct board *b, enum stand *stand,
                            uint32_t *work, struct error *e)
{
    struct pn_key key = pn_key_of(b, x->attacker);
    const struct pn_entry *entry;
    enum value v;
    enum status rc;

    *stand = STAND_NOT;
    *work = 0;
    if (tables_knows(x->tables, b)) {
        if ((rc = tables_value_for(x->tables, b, x->attacker, &v, e)))
            return rc;
        if ((v == VALUE_WIN) == x->wins)
            *stand = STAND_TABLES;
        return STATUS_OK;
    }
    entry = pn_table_entry(dfpn_table(x->d), &key);
    if (entry && entry->state == (x->wins ? PN_PROVEN : PN_DISPROVEN)) {
        *stand = STAND_SEARCH;
        *work = entry->work;
    }
    return STATUS_OK;
}

/* An expected entry is no longer in the table: search again. */
static enum status ask_again(struct extractor *x, const struct board *b, enum stand *stand,
                             struct error *e)
{
    struct dfpn_limits left;
    enum pn_state verdict;
    uint32_t unused;
    enum status rc = time_check(x, e);

    if (rc || tables_knows(x->tables, b) || !search_limits(x, &left))
        return rc;
    rc = dfpn_ask(x->d, b, x->attacker, left, &verdict, &x->work, e);
    return rc ? rc : stand_of(x, b, stand, &unused, e);
}

static enum status lost_track(const struct board *b, struct error *e)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    return error_set(e, STATUS_MISMATCH, "%s: the search has lost the proof; more --memory helps",
                     fen);
}

/* The same for a position that the proof needs. */
static enum status stand_needed(struct extractor *x, const struct board *b, enum stand *stand,
                                struct error *e)
{
    uint32_t unused;
    enum status rc = stand_of(x, b, stand, &unused, e);

    if (!rc && *stand == STAND_NOT)
        rc = ask_again(x, b, stand, e);
    return !rc && *stand == STAND_NOT ? lost_track(b, e) : rc;
}

/* What is known after move m of b, and its item if that is by search.  `needed`: it is an error if
 * nothing is known. */
static enum status child_get(struct extractor *x, const struct board *b, const struct move *m,
                             bool needed, enum stand *stand, uint32_t *child, struct error *e)
{
    struct board next = board_after(b, m);
    enum status rc =
        needed ? stand_needed(x, &next, stand, e) : stand_of(x, &next, stand, child, e);

    return !rc && *stand == STAND_SEARCH ? item_get(x, &next, child, e) : rc;
}

static void item_plays(struct item *item, const struct move *m)
{
    item->from = (uint8_t)square_number(m->from);
    item->to = (uint8_t)square_number(m->to);
}

/* ----------------------------------------------------------------------- holds -- */

/* All moves of the attacker. */
static enum status hold_attacker(struct extractor *x, uint32_t i, struct error *e)
{
    struct board b = x->item[i].board;
    struct move_list list;
    enum status rc = STATUS_OK;

    moves_generate(&b, &list);
    for (int m = 0; !rc && m < list.count; m++) {
        enum stand stand;
        uint32_t unused;

        rc = child_get(x, &b, &list.move[m], true, &stand, &unused, e);
    }
    return rc;
}

/* Choose one reply: into the tables, else to a position already in the proof, else the cheapest. */
static enum status hold_reply(struct extractor *x, const struct board *b, int *chosen,
                              enum stand *how, struct error *e)
{
    uint64_t least = UINT64_MAX;
    struct move_list list;
    enum status rc = STATUS_OK;

    *chosen = -1;
    moves_generate(b, &list);
    for (int m = 0; !rc && m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);
        enum stand stand;
        uint32_t work;
        uint64_t cost;

        rc = stand_of(x, &next, &stand, &work, e);
        if (rc || stand == STAND_NOT)
            continue;
        cost = stand == STAND_TABLES ? 0
               : position_map_get(&x->map, position_of(&next)) != POSITION_MAP_NONE
                   ? 1
                   : UINT64_C(2) + work;
        if (cost < least) {
            least = cost;
            *chosen = m;
            *how = stand;
        }
    }
    for (int m = 0; !rc && *chosen < 0 && m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);

        *how = STAND_NOT;
        rc = ask_again(x, &next, how, e);
        if (*how != STAND_NOT)
            *chosen = m;
    }
    return rc;
}

static enum status hold_defender(struct extractor *x, uint32_t i, struct error *e)
{
    struct board b = x->item[i].board, next;
    struct move_list list;
    enum stand how = STAND_NOT;
    uint32_t answer = NOBODY;
    enum status rc;
    int m;

    if ((rc = hold_reply(x, &b, &m, &how, e)))
        return rc;
    if (m < 0)
        return lost_track(&b, e);
    moves_generate(&b, &list);
    next = board_after(&b, &list.move[m]);
    if (how == STAND_SEARCH && (rc = item_get(x, &next, &answer, e)))
        return rc;
    x->item[i].answer = answer;
    item_plays(&x->item[i], &list.move[m]);
    return STATUS_OK;
}

static enum status order_create(struct extractor *x, struct error *e)
{
    x->order = malloc(x->items * sizeof *x->order);
    return x->order ? STATUS_OK : no_memory(e);
}

/* Before item i is looked at: are there too many positions, or is the time over? */
static enum status limits_check(const struct extractor *x, uint32_t i, struct error *e)
{
    if (x->limits.items && x->items > x->limits.items)
        return error_set(e, STATUS_OVERFLOW, "the proof has too many positions");
    return i % ITEMS_EVERY ? STATUS_OK : time_check(x, e);
}

static enum status hold_collect(struct extractor *x, struct error *e)
{
    enum status rc = STATUS_OK;

    for (uint32_t i = 0; !rc && i < x->items; i++)
        if (!(rc = limits_check(x, i, e)))
            rc = x->item[i].board.turn == x->attacker ? hold_attacker(x, i, e)
                                                      : hold_defender(x, i, e);
    if (!rc)
        rc = order_create(x, e);
    for (uint32_t i = 0; !rc && i < x->items; i++) {
        x->item[i].wanted = true;
        x->order[x->ordered++] = i;
    }
    return rc;
}

/* ------------------------------------------------------------------------ wins -- */

/* Moves of an item: those into the tables count at once, the others become links. */
static enum status win_moves(struct extractor *x, uint32_t i, struct error *e)
{
    struct board b = x->item[i].board;
    bool chooses = b.turn == x->attacker;
    struct move_list list;
    enum status rc = STATUS_OK;

    moves_generate(&b, &list);
    for (int m = 0; !rc && m < list.count; m++) {
        enum stand stand;
        uint32_t child;

        rc = child_get(x, &b, &list.move[m], !chooses, &stand, &child, e);
        if (!rc && stand == STAND_TABLES && chooses) {
            x->item[i].ready = true;
            item_plays(&x->item[i], &list.move[m]);
            return STATUS_OK;
        }
        if (!rc && stand == STAND_SEARCH) {
            x->item[i].waiting++;
            rc = link_add(x, i, child, &list.move[m], e);
        }
    }
    if (!chooses && x->item[i].waiting == 0)
        x->item[i].ready = true;
    return rc;
}

/* If the attacker's winning move is no longer in the table, search again. */
static enum status win_expand(struct extractor *x, uint32_t i, struct error *e)
{
    struct board b = x->item[i].board;
    enum stand stand = STAND_NOT;
    enum status rc = win_moves(x, i, e);

    if (rc || x->item[i].ready || x->item[i].waiting)
        return rc;
    rc = ask_again(x, &b, &stand, e);
    return rc ? rc : win_moves(x, i, e);
}

/* Propagate from ready items to those that become ready. */
static void win_order(struct extractor *x)
{
    for (uint32_t i = 0; i < x->items; i++)
        if (x->item[i].ready)
            x->order[x->ordered++] = i;
    for (size_t head = 0; head < x->ordered; head++) {
        uint32_t child = x->order[head];

        for (uint32_t k = x->item[child].first; k != NOBODY; k = x->link[k].next) {
            struct item *p = &x->item[x->link[k].parent];

            if (p->ready)
                continue;
            if (p->board.turn == x->attacker) {
                p->answer = child;
                p->from = x->link[k].from;
                p->to = x->link[k].to;
            } else if (--p->waiting > 0) {
                continue;
            }
            p->ready = true;
            x->order[x->ordered++] = x->link[k].parent;
        }
    }
}

/* Mark what the root needs; in reverse order parents come before children. */
static void win_mark(struct extractor *x)
{
    x->item[0].wanted = true;
    for (uint32_t i = 0; i < x->items; i++)
        x->item[i].waiting = 0;
    for (size_t at = x->ordered; at-- > 0;) {
        uint32_t i = x->order[at];

        for (uint32_t k = x->item[i].first; k != NOBODY && !x->item[i].wanted;
             k = x->link[k].next) {
            const struct item *p = &x->item[x->link[k].parent];

            x->item[i].wanted = p->wanted && (p->board.turn == x->attacker ? p->answer == i : true);
        }
    }
}

/* The positions that the root's win may depend on, in an order in which it can be proven; the root
 * is not ready if something is missing. */
static enum status win_gather(struct extractor *x, struct error *e)
{
    enum status rc = STATUS_OK;

    for (uint32_t i = 0; !rc && i < x->items; i++)
        if (!(rc = limits_check(x, i, e)))
            rc = win_expand(x, i, e);
    if (rc || (rc = order_create(x, e)))
        return rc;
    win_order(x);
    return STATUS_OK;
}

static void forget(struct extractor *x, const struct board *b)
{
    struct pn_key key = pn_key_of(b, x->attacker);

    pn_table_forget(dfpn_table(x->d), &key);
}

/* Forget every win in the table that is not known to be ready. */
static enum status wins_forget(struct extractor *x, struct error *e)
{
    const struct pn_table *t = dfpn_table(x->d);
    enum status rc = STATUS_OK;

    for (uint64_t place = 0; !rc && place < pn_table_places(t); place++) {
        const struct pn_entry *entry = pn_table_at(t, place);
        struct board b;
        int64_t at;

        if (place % PLACES_EVERY == 0)
            rc = time_check(x, e);
        if (!entry || entry->state != PN_PROVEN || (enum side)entry->attacker != x->attacker)
            continue;
        b = pn_entry_board(entry);
        at = position_map_get(&x->map, position_of(&b));
        if (at == POSITION_MAP_NONE || !x->item[at].ready)
            forget(x, &b);
    }
    return rc;
}

/* The table has lost the move by which a position was proven, and its other winning moves lead back
 * to it: nothing shows that, but the positions that depend on it are not ready.  Forget them and
 * search the root again; it rests on what is ready, and finds the rest anew.  What it meets then
 * may be of the same kind, so the second time every such win is forgotten. */
static enum status win_repair(struct extractor *x, int round, enum stand *stand, struct error *e)
{
    struct board root = x->item[0].board;
    enum status rc = STATUS_OK;
    uint32_t i;

    for (i = 0; i < x->items; i++)
        if (!x->item[i].ready)
            forget(x, &x->item[i].board);
    if (round > 0)
        rc = wins_forget(x, e);
    if (!rc)
        rc = ask_again(x, &root, stand, e);
    extractor_empty(x);
    return rc ? rc : item_get(x, &root, &i, e);
}

static enum status win_collect(struct extractor *x, struct error *e)
{
    enum status rc = win_gather(x, e);
    enum stand stand = STAND_SEARCH;

    for (int round = 0; !rc && !x->item[0].ready; round++) {
        if (round == ROUNDS || stand == STAND_NOT)
            return lost_track(&x->item[0].board, e);
        stand = STAND_NOT;
        rc = win_repair(x, round, &stand, e);
        if (!rc && stand == STAND_SEARCH)
            rc = win_gather(x, e);
    }
    if (!rc)
        win_mark(x);
    return rc;
}

/* ------------------------------------------------------------------------ whole -- */

static enum status claims_write(const struct extractor *x, struct certificate *out, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t at = 0; !rc && at < x->ordered; at++) {
        const struct item *i = &x->item[x->order[at]];
        bool chooses = (i->board.turn == x->attacker) == x->wins;

        if (i->wanted)
            rc = certificate_add(out,
                                 &(struct claim){.pieces = placement_of(&i->board),
                                                 .turn = (uint8_t)i->board.turn,
                                                 .attacker = (uint8_t)x->attacker,
                                                 .wins = x->wins,
                                                 .from = chooses ? i->from : 0,
                                                 .to = chooses ? i->to : 0},
                                 e);
    }
    return rc;
}

/* From the root on, and written down. */
static enum status extractor_run(struct extractor *x, const struct board *root,
                                 struct certificate *out, struct error *e)
{
    enum status rc;
    uint32_t i;

    if (tables_knows(x->tables, root))
        return STATUS_OK;
    extractor_begin(x);
    rc = item_get(x, root, &i, e);
    if (!rc)
        rc = x->wins ? win_collect(x, e) : hold_collect(x, e);
    if (!rc)
        rc = claims_write(x, out, e);
    extractor_empty(x);
    return rc;
}

enum status extract_question(struct dfpn *d, const struct tables *o, const struct board *root,
                             enum side attacker, bool wins, struct extract_limits limits,
                             struct certificate *out, struct error *e)
{
    struct extractor x = {
        .d = d, .tables = o, .limits = limits, .attacker = attacker, .wins = wins};

    return extractor_run(&x, root, out, e);
}

/* The next move of a line from item *at: the one of the proof, or the reply that became ready
 * last.  *at advances; NOBODY if the move leads into the tables.  False if there is no move. */
static bool line_step(struct extractor *x, const uint32_t *rank, uint32_t *at, struct move *out)
{
    const struct item *i = &x->item[*at];
    bool chooses = i->board.turn == x->attacker, any = false;
    struct board b = i->board;
    struct move_list list;

    *at = NOBODY;
    moves_generate(&b, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(&b, &list.move[m]);
        int64_t child = tables_knows(x->tables, &next)
                            ? POSITION_MAP_NONE
                            : position_map_get(&x->map, position_of(&next));
        uint32_t item = child == POSITION_MAP_NONE ? NOBODY : (uint32_t)child;

        if (chooses && (square_number(list.move[m].from) != i->from ||
                        square_number(list.move[m].to) != i->to || item != i->answer))
            continue;
        if (any && (item == NOBODY || (*at != NOBODY && rank[item] <= rank[*at])))
            continue;
        any = true;
        *at = item;
        *out = list.move[m];
    }
    return any;
}

static enum status line_walk(struct extractor *x, struct move *line, int max, int *plies,
                             struct error *e)
{
    uint32_t *rank = calloc(x->items, sizeof *rank), at = 0;

    if (!rank)
        return no_memory(e);
    for (size_t i = 0; i < x->ordered; i++)
        rank[x->order[i]] = (uint32_t)i;
    while (*plies < max && at != NOBODY && line_step(x, rank, &at, &line[*plies]))
        ++*plies;
    free(rank);
    return STATUS_OK;
}

enum status extract_line(struct dfpn *d, const struct tables *o, const struct board *root,
                         enum side attacker, struct dfpn_limits limits, struct move *line, int max,
                         int *plies, struct error *e)
{
    struct extractor x = {.d = d,
                          .tables = o,
                          .limits = {limits, .together = true, .items = EXTRACT_LINE_MAX},
                          .attacker = attacker,
                          .wins = true};
    enum status rc;
    uint32_t i;

    *plies = 0;
    if (tables_knows(o, root))
        return STATUS_OK;
    extractor_begin(&x);
    rc = item_get(&x, root, &i, e);
    if (!rc)
        rc = win_collect(&x, e);
    if (!rc)
        rc = line_walk(&x, line, max, plies, e);
    extractor_empty(&x);
    return rc;
}

enum status extract_certificate(struct dfpn *d, const struct tables *o, const struct board *root,
                                struct bounds bounds, struct extract_limits limits,
                                struct certificate *out, struct error *e)
{
    enum side us = root->turn, them = side_other(us);
    enum status rc = STATUS_OK;

    out->root = *root;
    out->lower = bounds.lower;
    out->upper = bounds.upper;
    if (bounds.lower == VALUE_WIN)
        return extract_question(d, o, root, us, true, limits, out, e);
    if (bounds.upper == VALUE_LOSS)
        return extract_question(d, o, root, them, true, limits, out, e);
    if (bounds.lower == VALUE_DRAW)
        rc = extract_question(d, o, root, them, false, limits, out, e);
    if (!rc && bounds.upper == VALUE_DRAW)
        rc = extract_question(d, o, root, us, false, limits, out, e);
    return rc;
}
