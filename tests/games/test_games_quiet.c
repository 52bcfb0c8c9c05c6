/* SPDX-License-Identifier: MIT
 *
 * Games that end in a block before anything was captured or crowned, counted from their
 * end: all pairs of armies that so many steps can make, of these the blocks, and from each
 * block back to the start.  Then the same from blocks of docs/data in which Black has
 * captured one man and nothing else has been captured.  Nothing is shared with src/games
 * or the rules in src/core; the results are those of docs/shortest.md. */
#include "kit/test.h"

enum { MEN = 12, PLIES_MAX = 22 };

#define HOME_BLACK UINT32_C(0x00000FFF) /* square n is bit n - 1 */
#define HOME_WHITE UINT32_C(0xFFF00000)

/* The square one row on (down: 1, up: -1) to the left or right of s, or -1. */
static int square_beside(int s, int down, int right)
{
    int row = s / 4 + down, column = s % 4 * 2 + (s / 4 % 2 == 0) + right;

    return row < 0 || row > 7 || column < 0 || column > 7 ? -1 : row * 4 + column / 2;
}

static bool has(uint32_t set, int s)
{
    return s >= 0 && set >> s & 1;
}

/* ---------------------------------------------------------------------- armies -- */

struct armies {
    uint32_t *set;
    size_t count;
};

static int compare_sets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Every army of Black one step on, each once. */
static struct armies armies_step(struct armies from)
{
    struct armies to = {malloc(from.count * MEN * 2 * sizeof *to.set), 0};
    size_t n = 0;

    for (size_t i = 0; i < from.count; i++)
        for (int s = 0; s < 32; s++)
            for (int right = -1; right <= 1; right += 2) {
                int t = square_beside(s, 1, right);

                if (has(from.set[i], s) && t >= 0 && !has(from.set[i], t))
                    to.set[n++] = (from.set[i] & ~(1u << s)) | 1u << t;
            }
    qsort(to.set, n, sizeof *to.set, compare_sets);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || to.set[to.count - 1] != to.set[i])
            to.set[to.count++] = to.set[i];
    return to;
}

static uint32_t turned(uint32_t set)
{
    uint32_t r = 0;

    for (int s = 0; s < 32; s++)
        r |= (set >> s & 1) << (31 - s);
    return r;
}

/* --------------------------------------------------------------------- walking -- */

struct place {
    uint32_t black, white;
    uint64_t games;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->black != y->black)
        return x->black < y->black ? -1 : 1;
    return (x->white > y->white) - (x->white < y->white);
}

static bool can_jump(uint32_t us, uint32_t them, int s, int down)
{
    for (int right = -1; has(us, s) && right <= 1; right += 2) {
        int over = square_beside(s, down, right);
        int to = over < 0 ? -1 : square_beside(over, down, right);

        if (to >= 0 && has(them, over) && !has(us | them, to))
            return true;
    }
    return false;
}

static bool must_capture(uint32_t us, uint32_t them, int down)
{
    for (int s = 0; s < 32; s++)
        if (can_jump(us, them, s, down))
            return true;
    return false;
}

static uint32_t moved(uint32_t army, int from, int to)
{
    return (army & ~(1u << from)) | 1u << to;
}

/* Rows that an army's men have gone, if they are twelve. */
static int steps_of(uint32_t army, bool black)
{
    int rows = 0;

    for (int s = 0; s < 32; s++)
        if (has(army, s))
            rows += black ? s / 4 : 7 - s / 4;
    return rows - 4 * (0 + 1 + 2);
}

/* With all men on the board every ply so far was a step. */
static bool place_possible(const struct place *p, int ply)
{
    return __builtin_popcount(p->white) < MEN ||
           (steps_of(p->black, true) == (ply + 1) / 2 && steps_of(p->white, false) == ply / 2);
}

/* All places from which one step of a side leads to p, or a jump of a man of Black over the
 * one man that White has lost. */
static size_t places_before(const struct place *p, bool black, struct place *out)
{
    uint32_t us = black ? p->black : p->white, them = black ? p->white : p->black;
    int down = black ? 1 : -1;
    bool jumps = black && __builtin_popcount(them) == MEN - 1;
    size_t n = 0;

    for (int s = 0; s < 32; s++)
        for (int right = -1; has(us, s) && right <= 1; right += 2) {
            int near = square_beside(s, -down, right);
            int far = near < 0 ? -1 : square_beside(near, -down, right);

            if (near < 0 || has(us | them, near))
                continue;
            if (!must_capture(moved(us, s, near), them, down))
                out[n++] = black ? (struct place){moved(us, s, near), them, p->games}
                                 : (struct place){them, moved(us, s, near), p->games};
            if (jumps && far >= 0 && !has(us | them, far) && !can_jump(us, them, s, down))
                out[n++] = (struct place){moved(us, s, far), them | 1u << near, p->games};
        }
    return n;
}

/* Games of exactly `plies` from the start to this end. */
static uint64_t games_to(struct place end, int plies)
{
    struct place *at = malloc(sizeof *at);
    size_t count = 1;
    uint64_t games;

    end.games = 1;
    at[0] = end;
    for (int ply = plies; ply > 0; ply--) {
        struct place *before = malloc((count * MEN * 4 + 1) * sizeof *before);
        size_t all = 0, n = 0, distinct = 0;

        for (size_t i = 0; i < count; i++)
            all += places_before(&at[i], ply % 2 == 1, before + all);
        for (size_t i = 0; i < all; i++)
            if (place_possible(&before[i], ply - 1))
                before[n++] = before[i];
        qsort(before, n, sizeof *before, compare_places);
        for (size_t i = 0; i < n; i++)
            if (distinct && compare_places(&before[distinct - 1], &before[i]) == 0)
                before[distinct - 1].games += before[i].games;
            else
                before[distinct++] = before[i];
        free(at);
        at = before;
        count = distinct;
    }
    games = 0;
    for (size_t i = 0; i < count; i++)
        if (at[i].black == HOME_BLACK && at[i].white == HOME_WHITE)
            games = at[i].games;
    free(at);
    return games;
}

/* ---------------------------------------------------------------------- blocks -- */

/* The squares that the other side must fill so that no man of this army (which goes down)
 * can move: those in front of it and those behind them. */
static uint32_t army_needs(uint32_t army)
{
    uint32_t needs = 0;

    for (int s = 0; s < 32; s++)
        for (int right = -1; has(army, s) && right <= 1; right += 2) {
            int front = square_beside(s, 1, right);
            int behind = front < 0 ? -1 : square_beside(front, 1, right);

            if (front < 0 || has(army, front))
                continue;
            needs |= 1u << front;
            if (behind >= 0 && !has(army, behind))
                needs |= 1u << behind;
        }
    return needs;
}

struct tally {
    uint64_t games, finals;
};

/* All armies go down the board: here winners are turned, and where White loses the whole
 * board is turned for the games. */
static struct tally blocks_count(struct armies losers, struct armies winners, int plies)
{
    struct tally t = {0};
    uint32_t *up = malloc(winners.count * sizeof *up);

    for (size_t j = 0; j < winners.count; j++)
        up[j] = turned(winners.set[j]);

    for (size_t i = 0; i < losers.count; i++) {
        uint32_t loser = losers.set[i], needs = army_needs(loser);

        for (size_t j = 0; __builtin_popcount(needs) <= MEN && j < winners.count; j++) {
            struct place end = {loser, up[j], 0};
            uint64_t games;

            if ((up[j] & needs) != needs || up[j] & loser)
                continue;
            if (plies % 2) /* White is to move and loses */
                end = (struct place){winners.set[j], turned(loser), 0};
            games = games_to(end, plies);
            t.games += games;
            t.finals += games != 0;
        }
    }
    free(up);
    return t;
}

static void test_blocks_without_capture(void **state)
{
    static const struct tally published[PLIES_MAX + 1] = {[21] = {106614, 13}, [22] = {644350, 4}};
    struct armies armies[PLIES_MAX / 2 + 1] = {{malloc(sizeof(uint32_t)), 1}};
    int last = test_is_long() ? PLIES_MAX : test_is_sanitized() ? 18 : 21;

    (void)state;
    armies[0].set[0] = HOME_BLACK;
    for (int n = 1; n <= PLIES_MAX / 2; n++)
        armies[n] = armies_step(armies[n - 1]);
    for (int plies = 1; plies <= last; plies++) {
        int first = (plies + 1) / 2, second = plies / 2; /* steps of Black, of White */
        struct tally t = plies % 2 ? blocks_count(armies[second], armies[first], plies)
                                   : blocks_count(armies[first], armies[second], plies);

        printf("# %d plies: %llu games, %llu blocks\n", plies, (unsigned long long)t.games,
               (unsigned long long)t.finals);
        assert_int_equal(t.games, published[plies].games);
        assert_int_equal(t.finals, published[plies].finals);
    }
    for (int n = 0; n <= PLIES_MAX / 2; n++)
        free(armies[n].set);
}

/* The men behind a colour's letter in a line of docs/data; 0 if there is a king. */
static uint32_t men_in(const char *fen, const char *colour)
{
    uint32_t set = 0;

    for (const char *at = strstr(fen, colour) + 2;; at++) {
        char *end;
        long number = strtol(at, &end, 10);

        if (end == at)
            return 0;
        set |= 1u << (number - 1);
        at = end;
        if (*at != ',')
            return set;
    }
}

static void test_blocks_after_one_capture(void **state)
{
    FILE *in = fopen("docs/data/deep-blocks-21.txt", "r");
    char fen[256];
    uint64_t games = 0;
    int finals = 0;

    (void)state;
    assert_non_null(in);
    while (fgets(fen, sizeof fen, in)) {
        struct place end = {men_in(fen, ":B"), men_in(fen, ":W"), 0};

        if (__builtin_popcount(end.black) != MEN || __builtin_popcount(end.white) != MEN - 1)
            continue;
        assert_int_equal(army_needs(turned(end.white)) & ~turned(end.black), 0);
        games += games_to(end, 21);
        finals++;
    }
    fclose(in);
    assert_int_equal(finals, 7);
    assert_int_equal(games, 3138824);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_without_capture),
        cmocka_unit_test(test_blocks_after_one_capture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
