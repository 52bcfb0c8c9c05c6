/* SPDX-License-Identifier: MIT
 *
 * The table of the solver against a list: nothing is taken for another, nothing that is
 * decided is lost while the table may grow, and a table that is full forgets but never lies. */
#include "kit/positions.h"
#include "kit/test.h"

#include "proof/pn_table.h"

enum { COUNT = 100000, DEAR = 16 };

struct memory {
    struct board board;
    struct pn_key key;
    struct pn_numbers n;
    uint64_t work;
};

static int compare_keys(const void *a, const void *b)
{
    const struct pn_key *x = &((const struct memory *)a)->key;
    const struct pn_key *y = &((const struct memory *)b)->key;

    if (pn_key_equal(x, y))
        return 0;
    if (!placement_equal(x->pieces, y->pieces))
        return placement_compare(x->pieces, y->pieces);
    return 2 * x->turn + x->attacker < 2 * y->turn + y->attacker ? -1 : 1;
}

/* Positions, no two of them the same, with something to remember. */
static struct memory *memories(struct rng *r, int *count)
{
    struct memory *m = malloc(COUNT * sizeof *m);
    int n = 0;

    for (int i = 0; i < COUNT; i++) {
        m[i].board = random_pieces(r, 8 + rng_below(r, 8), 2);
        m[i].key = pn_key_of(&m[i].board, (enum side)rng_below(r, 2));
        m[i].n =
            (struct pn_numbers){(uint32_t)rng_below(r, 1 << 20), (uint32_t)rng_below(r, 1 << 20),
                                (enum pn_state)rng_below(r, PN_PROVEN + 1), 0};
        m[i].work = (uint64_t)rng_below(r, 100);
    }
    qsort(m, COUNT, sizeof *m, compare_keys);
    for (int i = 0; i < COUNT; i++)
        if (n == 0 || !pn_key_equal(&m[n - 1].key, &m[i].key))
            m[n++] = m[i];
    *count = n;
    return m;
}

static void put_all(struct pn_table *t, const struct memory *m, int count)
{
    for (int i = 0; i < count; i++) /* not in the order of the list */
        pn_table_put(t, &m[(int64_t)i * 7919 % count].key, &m[(int64_t)i * 7919 % count].n,
                     m[(int64_t)i * 7919 % count].work);
}

/* Is it there?  If so, as it was put, and by all ways to ask. */
static bool remembers(struct pn_table *t, const struct memory *m)
{
    const struct pn_entry *e = pn_table_entry(t, &m->key);
    struct board b;
    struct pn_numbers n;

    if (!pn_table_get(t, &m->key, &n)) {
        assert_null(e);
        return false;
    }
    assert_non_null(e);
    b = pn_entry_board(e);
    assert_true(board_equal(&b, &m->board));
    assert_true(pn_table_expect(t, &m->key));
    assert_true(n.phi == m->n.phi && n.delta == m->n.delta && n.state == m->n.state);
    return true;
}

/* The entries in all places: each can be found by its own key. */
static int count_places(struct pn_table *t)
{
    int n = 0;

    for (uint64_t i = 0; i < pn_table_places(t); i++) {
        const struct pn_entry *e = pn_table_at(t, i);

        if (e) {
            struct board b = pn_entry_board(e);
            struct pn_key key = pn_key_of(&b, (enum side)e->attacker);

            assert_ptr_equal(pn_table_entry(t, &key), e);
            n++;
        }
    }
    return n;
}

static void test_growing(void **state)
{
    struct rng r = rng_for_test("growing");
    struct pn_table *t = pn_table_create(UINT64_C(1) << 28, false);
    int count, lost = 0;
    struct memory *m = memories(&r, &count);

    (void)state;
    assert_non_null(t);
    for (int round = 0; round < 3; round++) {
        int kept = 0;

        put_all(t, m, count);
        for (int i = 0; i < count; i++) {
            bool there = remembers(t, &m[i]);

            if (m[i].n.state != PN_OPEN || m[i].work >= DEAR)
                assert_true(there);
            lost += !there;
            kept += there;
        }
        assert_true(lost < count / 100);
        assert_int_equal(count_places(t), kept);
        assert_false(pn_table_full(t));
        pn_table_clear(t);
        assert_int_equal(count_places(t), 0);
        for (int i = 0; i < count; i++)
            assert_false(remembers(t, &m[i]));
    }
    free(m);
    pn_table_free(&t);
}

/* A shared table grows when it is told to; what was dear enough to stay in a table that was not
 * yet grown is there afterwards, and it says when it may grow no more. */
static void test_growing_together(void **state)
{
    struct rng r = rng_for_test("growing together");
    struct pn_table *t = pn_table_create(UINT64_C(1) << 28, true);
    int count, lost = 0, grown = 0;
    struct memory *m = memories(&r, &count);

    (void)state;
    assert_non_null(t);
    assert_false(pn_table_crowded(t));
    for (int i = 0; i < count; i++) {
        pn_table_put(t, &m[i].key, &m[i].n, m[i].work);
        if (pn_table_crowded(t)) {
            pn_table_grow(t);
            grown++;
            assert_false(pn_table_crowded(t));
        }
    }
    for (int i = 0; i < count; i++)
        lost += !remembers(t, &m[i]);
    assert_true(grown > 2);
    assert_true(lost < count / 100);
    pn_table_clear(t);
    for (int i = 0; i < count; i++)
        assert_false(remembers(t, &m[i]));
    pn_table_free(&t);
    t = pn_table_create(0, true); /* as small as they come, and no larger */
    put_all(t, m, count);
    assert_false(pn_table_crowded(t));
    free(m);
    pn_table_free(&t);
}

/* A table for a third of them: those with the most work behind them stay. */
static void test_full(void **state)
{
    struct rng r = rng_for_test("full");
    struct pn_table *t = pn_table_create(UINT64_C(1) << 20, false);
    int count, much[2] = {0}, little[2] = {0};
    struct memory *m = memories(&r, &count);

    (void)state;
    assert_false(pn_table_full(t));
    put_all(t, m, count);
    assert_true(pn_table_full(t));
    for (int i = 0; i < count; i++)
        if (m[i].work >= 80)
            much[remembers(t, &m[i])]++;
        else if (m[i].work < 50)
            little[remembers(t, &m[i])]++;
    assert_true(much[1] > 9 * much[0]);
    assert_true(little[1] < little[0]);
    pn_table_clear(t);
    assert_false(pn_table_full(t));
    free(m);
    pn_table_free(&t);
}

/* What nobody has touched for many seasons makes room for what is new, whatever it cost. */
static void test_seasons(void **state)
{
    struct rng r = rng_for_test("seasons");
    struct pn_table *t = pn_table_create(UINT64_C(1) << 20, false);
    int count, half, old = 0, new = 0;
    struct memory *m = memories(&r, &count);

    (void)state;
    half = count / 2;
    for (int i = 0; i < count; i++)
        m[i].work = i < half ? 1000 : 10;
    put_all(t, m, half);
    for (int i = 0; i < 12; i++)
        pn_table_season(t);
    put_all(t, m + half, count - half);
    for (int i = 0; i < count; i++)
        *(i < half ? &old : &new) += remembers(t, &m[i]);
    assert_true(new > 9 * old);
    free(m);
    pn_table_free(&t);
}

/* Another key that differs in one field alone. */
static struct pn_key key_change(struct pn_key k, int field, struct rng *r)
{
    uint32_t bit = UINT32_C(1) << rng_below(r, 32);

    k.pieces.black ^= field == 0 ? bit : 0;
    k.pieces.white ^= field == 1 ? bit : 0;
    k.pieces.kings ^= field == 2 ? bit : 0;
    k.turn ^= field == 3;
    k.attacker ^= field == 4;
    k.hash = pn_hash(k.pieces, k.turn, k.attacker);
    return k;
}

/* Two keys that meet in one place, with the same tag, are not taken for each other. */
static void test_keys_are_exact(void **state)
{
    const uint64_t low = 0xFFF, tag = UINT64_C(0xFF) << 56; /* of the smallest table */
    struct rng r = rng_for_test("exact");
    struct pn_numbers proven = {0, PN_INFINITE, PN_PROVEN, 0}, n;

    (void)state;
    for (int field = 0; field < 5; field++) {
        struct pn_table *t = pn_table_create(0, false);
        struct pn_key a, b;

        do {
            a = (struct pn_key){
                .pieces = {(uint32_t)rng_next(&r), (uint32_t)rng_next(&r), (uint32_t)rng_next(&r)}};
            a = key_change(a, 5, &r);
            b = key_change(a, field, &r);
        } while ((a.hash ^ b.hash) & (low | tag));
        pn_table_put(t, &a, &proven, 1);
        assert_true(pn_table_expect(t, &b)); /* so alike */
        assert_false(pn_table_get(t, &b, &n));
        assert_null(pn_table_entry(t, &b));
        pn_table_put(t, &b, &(struct pn_numbers){1, 2, PN_OPEN, 0}, 1);
        assert_true(pn_table_get(t, &a, &n) && n.state == PN_PROVEN);
        assert_true(pn_table_get(t, &b, &n) && n.state == PN_OPEN && n.delta == 2);
        pn_table_free(&t);
    }
}

/* A proof stands, whatever is put later. */
static void test_decided(void **state)
{
    struct pn_table *t = pn_table_create(UINT64_C(1) << 20, true);
    struct pn_key key = pn_key_of(&board_start, WHITE);
    struct pn_numbers open = {3, 4, PN_OPEN, 0}, proven = {0, PN_INFINITE, PN_PROVEN, 0}, n;

    (void)state;
    pn_table_put(t, &key, &open, 1);
    pn_table_busy(t, &key, 1);
    assert_true(pn_table_get(t, &key, &n) && n.state == PN_OPEN && n.phi == 3 && n.busy == 1);
    pn_table_put(t, &key, &proven, 1);
    pn_table_put(t, &key, &open, 1);
    assert_true(pn_table_get(t, &key, &n) && n.state == PN_PROVEN && n.phi == 0);
    pn_table_clear(t);
    assert_false(pn_table_get(t, &key, &n));
    pn_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing),        cmocka_unit_test(test_growing_together),
        cmocka_unit_test(test_full),           cmocka_unit_test(test_seasons),
        cmocka_unit_test(test_keys_are_exact), cmocka_unit_test(test_decided),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
