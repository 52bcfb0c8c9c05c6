/* SPDX-License-Identifier: MIT
 *
 * Games that end in a block before anything was captured or crowned, counted from their
 * end: all pairs of armies that so many steps can make, of these the blocks, and from each
 * block back to the start.  Nothing is shared with src/games or the rules in src/core; the
 * results are those of docs/shortest.md. */
#include "test.h"

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

static bool must_capture(uint32_t us, uint32_t them, int down)
{
    for (int s = 0; s < 32; s++)
        for (int right = -1; has(us, s) && right <= 1; right += 2) {
            int over = square_beside(s, down, right);
            int to = over < 0 ? -1 : square_beside(over, down, right);

            if (to >= 0 && has(them, over) && !has(us | them, to))
                return true;
        }
    return false;
}

/* All places from which one quiet step of a side leads to p. */
static size_t places_before(const struct place *p, bool black, struct place *out)
{
    uint32_t us = black ? p->black : p->white, them = black ? p->white : p->black;
    int down = black ? 1 : -1;
    size_t n = 0;

    for (int s = 0; s < 32; s++)
        for (int right = -1; has(us, s) && right <= 1; right += 2) {
            int from = square_beside(s, -down, right);
            uint32_t before = (us & ~(1u << s)) | (from < 0 ? 0 : 1u << from);

            if (from < 0 || has(us | them, from) || must_capture(before, them, down))
                continue;
            out[n++] = black ? (struct place){before, them, p->games}
                             : (struct place){them, before, p->games};
        }
    return n;
}

/* Games of exactly `plies` quiet steps from the start to this end. */
static uint64_t games_to(struct place end, int plies)
{
    struct place *at = malloc(sizeof *at);
    size_t count = 1;
    uint64_t games;

    end.games = 1;
    at[0] = end;
    for (int ply = plies; ply > 0; ply--) {
        struct place *before = malloc((count * MEN * 2 + 1) * sizeof *before);
        size_t n = 0, distinct = 0;

        for (size_t i = 0; i < count; i++)
            n += places_before(&at[i], ply % 2 == 1, before + n);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_without_capture)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
