/* SPDX-License-Identifier: MIT
 *
 * `kelso analyze FILE`: what it marks, what it does with bad games, and what Ctrl-C keeps. */
#include "kit/test.h"

#include "core/notation.h"
#include "core/pdn.h"
#include "kit/run.h"
#include "kit/scratch.h"

#include <stdlib.h>

struct marks {
    char last[MOVE_TEXT_MAX];
    int games, moves, marked, judged;
    int summaries, counted; /* bad moves and blunders, as the summaries have it */
};

/* (J1) of judge.h: what is called better is not what was played. */
static void take(void *context, const struct pdn_event *e)
{
    struct marks *m = context;
    char text[200];
    const char *better;

    m->games += e->kind == PDN_GAME;
    m->moves += e->kind == PDN_MOVE;
    if (e->kind == PDN_MOVE)
        move_format(e->move, e->legal, MOVE_NUMBERS, m->last);
    if (e->kind != PDN_COMMENT)
        return;
    snprintf(text, sizeof text, "%.*s", (int)e->text.length, e->text.bytes);
    for (char *c = text; *c; c++) /* lines are broken anywhere */
        if (*c == '\n')
            *c = ' ';
    if (strncmp(text, "Black:", 6) == 0) {
        m->summaries++;
        m->counted += atoi(text + 6) + atoi(strchr(text, ',') + 1);
        if ((better = strstr(text, "White:")))
            m->counted += atoi(better + 6) + atoi(strchr(better, ',') + 1);
        return;
    }
    m->judged++;
    if (!(better = strstr(text, "better ")))
        return;
    m->marked++;
    better += strlen("better ");
    if (strncmp(better, m->last, strlen(m->last)) == 0 && better[strlen(m->last)] == ',')
        fail_msg("%s was played, and is called better: %s", m->last, text);
}

static struct marks read_marks(const char *text, size_t length)
{
    struct pdn_reader r = pdn_open(text, length);
    struct marks m = {0};
    struct text_error error;
    enum pdn_status status;

    while ((status = pdn_next(&r, take, &m, &error)) == PDN_GOOD)
        ;
    if (status != PDN_AT_END)
        fail_msg("%s", error.what);
    return m;
}

static void test_marks(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct marks m;
    struct run r;

    (void)state;
    scratch_file(&dir, "games.pdn", path);
    r = run_kelso(ARGS("match", "--no-tables", "--a", "depth=1", "--b", "depth=2", "--games", "4",
                       "--progress", "none", "--pdn", path),
                  "", 0);
    assert_int_equal(r.status, 0);
    run_free(&r);
    r = run_kelso(ARGS("analyze", path, "--no-tables", "--depth", "3"), "", 0);
    assert_int_equal(r.status, 0);
    m = read_marks(r.out, r.out_length);
    printf("# %d games, %d moves, %d marked\n", m.games, m.moves, m.marked);
    assert_int_equal(m.games, 4);
    assert_int_equal(m.judged, m.moves);
    assert_true(m.marked > 0);
    assert_int_equal(m.summaries, 4);
    assert_int_equal(m.counted, m.marked);
    assert_non_null(strstr(r.out, "[Opening \""));
    run_free(&r);
    scratch_remove(&dir);
}

/* A bad game is reported and written up to its error; the games after it are read. */
static void test_bad_games(void **state)
{
    static const char text[] =
        "[Event \"1\"]\n\n1. 11-15 22-18 *\n\n[Event \"2\"]\n\n1. 9-14 22-25 *\n\n"
        "[Event \"3\"]\n[FEN \"B:W21:B33\"]\n\n1. 9-14 *\n\n"
        "[Event \"4\"]\n\n1. 10x15! {why} 24x20 1/2\n";
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct marks m;
    struct run r;

    (void)state;
    scratch_file(&dir, "games.pdn", path);
    file_write(path, text, sizeof text - 1);
    r = run_kelso(ARGS("analyze", path, "--no-tables", "--depth", "2"), "", 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, ":7:9: game 2: expected a legal move"));
    assert_non_null(strstr(r.err, ":10:14: game 3: expected a square"));
    m = read_marks(r.out, r.out_length);
    assert_int_equal(m.games, 3);
    assert_int_equal(m.moves, 5);
    assert_non_null(strstr(r.out, "[Event \"4\"]"));
    run_free(&r);
    scratch_remove(&dir);
}

/* (A2) of annotate.h; in other bytes than UTF-8, and as the second of two games. */
static void test_keeps_words(void **state)
{
    static const char text[] =
        "1. 9-14 *\n\n[Event \"\xe9t\xe9\"]\n\n{Old.} 1. 11-15! {us\xe9} (1. 9-14 {solid} 1... "
        "22-18 "
        "(1... 22-17 $7)) 1... 23-19 $300 2. 8-11 ; rest\n2... 22-17 1/2-1/2\n";
    static const char *const kept[] = {"[Event \"\xc3\xa9t\xc3\xa9\"]",
                                       "{Old.} 1. 11-15 $1 {",
                                       "{us\xc3\xa9} (1. 9-14 {solid} 1... 22-18",
                                       "(1... 22-17 $7))",
                                       "1... 23-19 $300 {",
                                       "} {rest} 2... 22-17",
                                       "} {Black: 0 blunders, ",
                                       "} 1/2-1/2\n"};
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    const char *at;
    struct run r;

    (void)state;
    scratch_file(&dir, "games.pdn", path);
    file_write(path, text, sizeof text - 1);
    r = run_kelso(ARGS("analyze", path, "--no-tables", "--depth", "2"), "", 0);
    assert_int_equal(r.status, 0);
    for (char *c = r.out; *c; c++) /* however the lines are broken */
        if (*c == '\n' && c[1] != '\n' && c[1])
            *c = ' ';
    at = r.out;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!(at = strstr(at, kept[i])))
            fail_msg("expected %s in\n%s", kept[i], r.out);
    run_free(&r);
    scratch_remove(&dir);
}

/* (A1) of annotate.h: the game is written to its end, the moves judged so far with what they are
 * worth. */
static void test_interrupted(void **state)
{
    static const char text[] = "[Event \"1\"]\n\n1. 11-15 22-18 2. 15x22 25x18 3. 8-11 29-25 1-0\n";
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct marks m;
    struct run r;

    (void)state;
    scratch_file(&dir, "game.pdn", path);
    file_write(path, text, sizeof text - 1);
    r = run_kelso_stopped(
        ARGS("analyze", path, "--no-tables", "--time", "60", "--progress", "bar"));
    assert_int_equal(r.status, 130);
    m = read_marks(r.out, r.out_length);
    assert_int_equal(m.games, 1);
    assert_int_equal(m.moves, 6);
    assert_true(m.judged < 6);
    assert_int_equal(m.summaries, 0); /* not judged to its end */
    assert_non_null(strstr(r.out, "1-0"));
    run_free(&r);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_bad_games),
        cmocka_unit_test(test_keeps_words),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
