/* SPDX-License-Identifier: MIT */
#include "kit/brute.h"
#include "kit/naive.h"
#include "kit/positions.h"
#include "kit/test.h"

enum {
    UNKNOWN = -1,
    CONVERTS = 1, /* low bit of a successor */
};

#define NOBODY (UINT32_MAX >> 1) /* the successor in which a side has no pieces: lost in 0 */

struct entry {
    uint64_t key;
    size_t first; /* of its successors; they end where those of the next begin */
    int16_t dtw, dtc;
    int8_t value; /* enum value */
};

struct brute {
    int men; /* at most, with four pieces */
    size_t count, room;
    struct entry *entry;
    size_t successors, successor_room;
    uint32_t *successor; /* entry * 2 + CONVERTS */
    size_t mask;
    uint32_t *table; /* entry + 1 by hash of key */
};

/* ---------------------------------------------------------------- positions -- */

/* Five states a square would be 2^74: but with few pieces, seven bits each suffice. */
static uint64_t key_of(const struct naive_board *n)
{
    static const char kinds[] = "bBwW";
    uint64_t key = n->turn == 'w' ? 3 : 2; /* a leading 1, then the turn */

    for (int s = 1; s <= 32; s++)
        if (n->at[s] != '.')
            key = key << 7 | (uint64_t)((s - 1) << 2 | (int)(strchr(kinds, n->at[s]) - kinds));
    return key;
}

static size_t slot_of(const struct brute *b, uint64_t key)
{
    size_t i = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & b->mask;

    while (b->table[i] && b->entry[b->table[i] - 1].key != key)
        i = (i + 1) & b->mask;
    return i;
}

static bool is_wanted(const struct brute *b, const struct board *x)
{
    squares all = x->side[BLACK] | x->side[WHITE];

    return x->side[BLACK] && x->side[WHITE] &&
           (squares_count(all) < 4 || squares_count(all & ~x->kings) <= b->men);
}

static void entry_add(struct brute *b, uint64_t key)
{
    if (b->count == b->room) {
        b->room = b->room ? 2 * b->room : 1024;
        b->entry = realloc(b->entry, b->room * sizeof *b->entry);
        assert_non_null(b->entry);
    }
    b->entry[b->count++] =
        (struct entry){.key = key, .dtw = UNKNOWN, .dtc = UNKNOWN, .value = VALUE_DRAW};
}

static void position_add(void *context, const struct board *x)
{
    struct brute *b = context;
    struct naive_board n = naive_from_board(x);

    if (is_wanted(b, x))
        entry_add(b, key_of(&n));
}

static void table_open(struct brute *b, size_t count)
{
    b->mask = 1;
    while (b->mask < 2 * count)
        b->mask *= 2;
    b->table = calloc(b->mask, sizeof *b->table);
    assert_non_null(b->table);
    b->mask--;
}

static void table_fill(struct brute *b)
{
    table_open(b, b->count);
    for (size_t i = 0; i < b->count; i++)
        b->table[slot_of(b, b->entry[i].key)] = (uint32_t)i + 1;
}

static struct naive_board board_of(uint64_t key)
{
    struct naive_board n;

    memset(n.at, '.', sizeof n.at);
    for (; key > 3; key >>= 7)
        n.at[(key >> 2 & 31) + 1] = "bBwW"[key & 3];
    n.turn = key == 3 ? 'w' : 'b';
    return n;
}

/* ---------------------------------------------------------------- successors -- */

static bool has_pieces(const struct naive_board *n, char man)
{
    for (int s = 1; s <= 32; s++)
        if (n->at[s] == man || n->at[s] == man - 'a' + 'A')
            return true;
    return false;
}

static bool is_conversion(const struct naive_board *n, const struct naive_move *m)
{
    int from = m->path[0], to = m->path[m->squares - 1];

    return m->captures || (n->at[from] == 'b' && to > 28) || (n->at[from] == 'w' && to < 5);
}

static uint32_t successor_of(const struct brute *b, const struct naive_board *n,
                             const struct naive_move *m)
{
    struct naive_board after = naive_after(n, m);
    uint32_t id = NOBODY;

    if (has_pieces(&after, after.turn)) {
        id = b->table[slot_of(b, key_of(&after))];
        assert_int_not_equal(id, 0);
        id--;
    }
    return id * 2 + is_conversion(n, m);
}

static void successors_add(struct brute *b, size_t i)
{
    static struct naive_list list;
    struct naive_board n = board_of(b->entry[i].key);

    naive_moves(&n, &list);
    b->entry[i].first = b->successors;
    while (b->successors + (size_t)list.count > b->successor_room) {
        b->successor_room = b->successor_room ? 2 * b->successor_room : 4096;
        b->successor = realloc(b->successor, b->successor_room * sizeof *b->successor);
        assert_non_null(b->successor);
    }
    for (int m = 0; m < list.count; m++)
        b->successor[b->successors++] = successor_of(b, &n, &list.move[m]);
}

/* -------------------------------------------------------------------- passes -- */

static int dtw_after(const struct brute *b, uint32_t next, enum value *v)
{
    if (next / 2 == NOBODY) {
        *v = VALUE_LOSS;
        return 0;
    }
    *v = (enum value)b->entry[next / 2].value;
    return b->entry[next / 2].dtw;
}

/* Is the entry decided in exactly n plies?  Earlier passes found all that are decided
 * sooner. */
static enum value dtw_decide(const struct brute *b, size_t i, int n)
{
    bool all_win = true;
    int longest = -1;

    for (size_t s = b->entry[i].first; s < b->entry[i + 1].first; s++) {
        enum value v;
        int plies = dtw_after(b, b->successor[s], &v);

        if (v == VALUE_LOSS && plies == n - 1)
            return VALUE_WIN;
        all_win &= v == VALUE_WIN && plies < n;
        longest = v == VALUE_WIN && plies > longest ? plies : longest;
    }
    return all_win && longest == n - 1 ? VALUE_LOSS : VALUE_DRAW;
}

static bool dtw_pass(struct brute *b, int n)
{
    bool any = false;

    for (size_t i = 0; i < b->count; i++) {
        struct entry *e = &b->entry[i];
        enum value v;

        if (e->dtw != UNKNOWN || (v = dtw_decide(b, i, n)) == VALUE_DRAW)
            continue;
        e->dtw = (int16_t)n;
        e->value = (int8_t)v;
        any = true;
    }
    return any;
}

/* Plies to the conversion by one move, UNKNOWN if not yet known; *v its value for the
 * one who moves. */
static int dtc_by(const struct brute *b, uint32_t next, enum value *v)
{
    enum value after;
    int plies;

    dtw_after(b, next, &after);
    *v = value_negate(after);
    if (next & CONVERTS)
        return 1;
    plies = b->entry[next / 2].dtc;
    return plies == UNKNOWN ? UNKNOWN : plies + 1;
}

static bool dtc_decided(const struct brute *b, size_t i, int n)
{
    bool is_win = b->entry[i].value == VALUE_WIN, known = true;
    int longest = 0;

    for (size_t s = b->entry[i].first; s < b->entry[i + 1].first; s++) {
        enum value v;
        int plies = dtc_by(b, b->successor[s], &v);

        if (is_win && v == VALUE_WIN && plies == n)
            return true;
        known &= plies != UNKNOWN && plies <= n;
        longest = plies > longest ? plies : longest;
    }
    return !is_win && known && longest == n;
}

static bool dtc_pass(struct brute *b, int n)
{
    bool any = false;

    for (size_t i = 0; i < b->count; i++)
        if (b->entry[i].value != VALUE_DRAW && b->entry[i].dtc == UNKNOWN && dtc_decided(b, i, n)) {
            b->entry[i].dtc = (int16_t)n;
            any = true;
        }
    return any;
}

static void entries_solve(struct brute *b)
{
    b->entry = realloc(b->entry, (b->count + 1) * sizeof *b->entry);
    assert_non_null(b->entry);
    for (size_t i = 0; i < b->count; i++)
        successors_add(b, i);
    b->entry[b->count].first = b->successors;
    for (int n = 0; dtw_pass(b, n) || n < 1; n++) /* perhaps none is lost in 0 plies */
        ;
    for (int n = 0; dtc_pass(b, n) || n < 2; n++)
        ;
}

struct brute *brute_solve(int men)
{
    struct brute *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->men = men;
    for (int pieces = 2; pieces <= (men < 0 ? 3 : 4); pieces++)
        each_position(pieces, position_add, b);
    table_fill(b);
    entries_solve(b);
    return b;
}

/* Add a position that is not there yet. */
static void position_meet(struct brute *b, const struct naive_board *n)
{
    uint64_t key = key_of(n);
    size_t slot = slot_of(b, key);

    if (!b->table[slot]) {
        entry_add(b, key);
        b->table[slot] = (uint32_t)b->count;
    }
}

struct brute *brute_solve_from(const struct board *root, size_t limit)
{
    static struct naive_list list;
    struct brute *b = calloc(1, sizeof *b);
    struct naive_board n = naive_from_board(root);

    assert_non_null(b);
    table_open(b, limit + sizeof list.move / sizeof *list.move);
    position_meet(b, &n);
    for (size_t i = 0; i < b->count && b->count <= limit; i++) {
        n = board_of(b->entry[i].key);
        naive_moves(&n, &list);
        for (int m = 0; m < list.count; m++) {
            struct naive_board after = naive_after(&n, &list.move[m]);

            if (has_pieces(&after, after.turn))
                position_meet(b, &after);
        }
    }
    if (b->count > limit) {
        brute_free(b);
        return NULL;
    }
    entries_solve(b);
    return b;
}

void brute_free(struct brute *b)
{
    free(b->entry);
    free(b->successor);
    free(b->table);
    free(b);
}

/* ------------------------------------------------------------------- answers -- */

size_t brute_count(const struct brute *b)
{
    return b->count;
}

struct board brute_board(const struct brute *b, size_t i)
{
    struct naive_board n = board_of(b->entry[i].key);

    return naive_to_board(&n);
}

struct outcome brute_dtw(const struct brute *b, size_t i)
{
    const struct entry *e = &b->entry[i];

    return (struct outcome){(enum value)e->value, e->value == VALUE_DRAW ? 0 : e->dtw};
}

struct outcome brute_dtc(const struct brute *b, size_t i)
{
    const struct entry *e = &b->entry[i];

    return (struct outcome){(enum value)e->value, e->value == VALUE_DRAW ? 0 : e->dtc};
}
