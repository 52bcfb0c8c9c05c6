/* SPDX-License-Identifier: MIT
 *
 * The deck of openings: what it holds, what it is by the rules, and how a ballot is found. */
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "kit/run.h"
#include "play/openings.h"
#include "search/search.h"

static struct openings *deck(void)
{
    struct openings *o = malloc(sizeof *o);
    struct error e = {0};

    assert_non_null(o);
    if (openings_read(o, &e))
        fail_msg("%s", e.text);
    return o;
}

/* (O1), (O2) */
static void test_deck(void **state)
{
    struct openings *o = deck();
    int class[3] = {0};

    (void)state;
    for (int i = 0; i < OPENINGS; i++) {
        struct board b = board_start;

        assert_int_equal(o->opening[i].number, i + 1);
        class[o->opening[i].class]++;
        for (int k = 0; k < OPENING_PLIES; k++)
            b = board_after(&b, &o->opening[i].move[k]);
        assert_true(board_equal(&b, &o->opening[i].after));
        assert_true(openings_at(o, &b) == &o->opening[i]);
    }
    assert_int_equal(class[OPENING_BARRED], 18);
    assert_int_equal(class[OPENING_CROSSBOARD] + class[OPENING_MAIL], OPENINGS_PLAYED);
    free(o);
}

/* -------------------------------------------------------------- the deck by the rules -- */

struct survey_kit {
    struct openings *deck;
    struct search *search;
    struct board seen[302];
    int positions, even, in_deck;
};

/* All positions after three plies: those of the deck are the ones in which a search of seven
 * plies sees neither side win a man. */
static void look(struct survey_kit *k, const struct board *b, int ply)
{
    struct move_list legal;

    if (ply == OPENING_PLIES) {
        struct search_result r;
        bool even, found = openings_at(k->deck, b) != NULL;

        for (int i = 0; i < k->positions; i++)
            if (board_equal(&k->seen[i], b))
                return;
        k->seen[k->positions++] = *b;
        search_clear(k->search);
        assert_int_equal(
            search_run(k->search, b, NULL, 0, &(struct search_limits){.depth = 7}, &r, NULL),
            STATUS_OK);
        even = r.line[0].score == 0;
        assert_int_equal(even, found);
        k->even += even;
        k->in_deck += found;
        return;
    }
    moves_generate(b, &legal);
    for (int i = 0; i < legal.count; i++) {
        struct board next = board_after(b, &legal.move[i]);

        look(k, &next, ply + 1);
    }
}

static void test_deck_by_the_rules(void **state)
{
    struct survey_kit *k = calloc(1, sizeof *k);

    (void)state;
    k->deck = deck();
    assert_int_equal(
        search_open(&k->search,
                    &(struct search_options){.hash = 4 << 20, .plain = true, .material = true},
                    NULL),
        STATUS_OK);
    look(k, &board_start, 0);
    assert_int_equal(k->positions, 216);
    assert_int_equal(k->even, OPENINGS);
    assert_int_equal(k->in_deck, OPENINGS);
    search_close(&k->search);
    free(k->deck);
    free(k);
}

/* ------------------------------------------------------------------------- finding -- */

static void test_find(void **state)
{
    static const struct {
        const char *text;
        int number; /* 0: none */
    } table[] = {
        {"1", 1},
        {"174", 174},
        {"175", 0},
        {"0", 0},
        {"single corner", 120},
        {"Double Cross", 46},
        {"11-15 22-18 15x22", 120},
        {"11-15, 22-18, 15-22, 25x18", 120},
        {"c3d4 22-18 15x22", 120},
        {"9-13 24-20 11-15", 33},
        {"11-15 24-20 9-13", 33}, /* the same by another order */
        {"9-13 22-18", 0},
        {"9-13 22-17 5-9", 0}, /* a man down: not in the deck */
        {"nonsense", 0},
        {"", 0},
    };
    struct openings *o = deck();

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct opening *found = openings_find(o, table[i].text);

        if ((found ? found->number : 0) != table[i].number)
            fail_msg("'%s': found %d", table[i].text, found ? found->number : 0);
    }
    free(o);
}

/* Each order leads to the ballot's position, and all 302 lines of three plies that lead to the
 * deck are among them. */
static void test_orders(void **state)
{
    struct openings *o = deck();
    int lines = 0;

    (void)state;
    for (int i = 0; i < OPENINGS; i++) {
        struct move orders[OPENINGS_ORDERS_MAX][OPENING_PLIES];
        int n = opening_orders(&o->opening[i], orders);

        assert_true(n >= 1 && n < OPENINGS_ORDERS_MAX);
        for (int k = 0; k < n; k++) {
            struct board b = board_start;

            for (int m = 0; m < OPENING_PLIES; m++)
                b = board_after(&b, &orders[k][m]);
            assert_true(board_equal(&b, &o->opening[i].after));
        }
        lines += n;
    }
    printf("# %d lines lead to the deck\n", lines);
    assert_true(lines > OPENINGS && lines < 302);
    free(o);
}

static void test_bad_decks(void **state)
{
    static const char *const table[] = {
        "",
        "number,moves\n",
        "h\n1,9-13 21-17 5-9,crossboard,Edinburgh,\n",
        "h\n1,9-13 21-17 5-10,crossboard,Edinburgh,\n",
        "h\n2,9-13 21-17 5-9,crossboard,E,\n",
        "h\n1,9-13 21-17 5-9,other,E,\n",
        "h\n1,9-13 21-17 5-9,crossboard,E,\n2,9-13 21-17 5-9,crossboard,E,\n"};
    struct openings *o = malloc(sizeof *o);

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct error e = {0};

        assert_int_equal(openings_parse(table[i], strlen(table[i]), o, &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, "the deck of openings"));
    }
    free(o);
}

/* ------------------------------------------------------------------------ commands -- */

static void expect(const char *const *args, int status, const char *out)
{
    struct run r = run_kelso(args, "", 0);

    assert_int_equal(r.status, status);
    if (!strstr(r.out, out))
        fail_msg("expected '%s' in '%s'", out, r.out);
    run_free(&r);
}

static void test_commands(void **state)
{
    (void)state;
    expect(ARGS("openings"), 0, "\n174  12-16 24-20 10-15  mail        Dundee         Skunk");
    expect(ARGS("openings", "skunk", "--json"), 0, "[{\"number\":174,\"name\":\"Skunk\"");
    expect(ARGS("openings", "11-15 24-20 9-13"), 0, " 33  9-13 24-20 11-15");
    expect(ARGS("openings", "nonsense"), 1, "");
    expect(ARGS("match", "--ballots"), 0, "156 openings of the deck of 174");
    expect(ARGS("match", "--ballots", "--barred"), 0, "174 openings of the deck of 174");
    expect(ARGS("play", "--opening", "single corner", "--no-tables", "--depth", "1"), 0,
           "Opening: Single Corner (ballot 120).");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deck),      cmocka_unit_test(test_deck_by_the_rules),
        cmocka_unit_test(test_find),      cmocka_unit_test(test_orders),
        cmocka_unit_test(test_bad_decks), cmocka_unit_test(test_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
