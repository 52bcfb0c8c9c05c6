/* SPDX-License-Identifier: MIT
 *
 * PDN: what is read, where errors are, how reading goes on after them, and that the
 * canonical form reads back as itself. */
#include "kit/test.h"

#include "core/movegen.h"
#include "core/pdn.h"
#include "core/pdn_writer.h"
#include "kit/golden.h"
#include "kit/run.h"
#include "kit/built.h"

/* A growing text to write into. */
struct buffer {
    char *bytes;
    size_t length, capacity;
};

static void buffer_add(void *context, const char *bytes, size_t length)
{
    struct buffer *b = context;

    if (b->length + length + 1 > b->capacity) {
        b->capacity = 2 * (b->length + length + 1);
        b->bytes = realloc(b->bytes, b->capacity);
        assert_non_null(b->bytes);
    }
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
    b->bytes[b->length] = '\0';
}

static void buffer_text(struct buffer *b, const char *text)
{
    buffer_add(b, text, strlen(text));
}

/* All games of a text in canonical form; they must be good. */
static struct buffer canonical(const char *bytes, size_t length, enum move_style style)
{
    struct pdn_reader r = pdn_open(bytes, length);
    struct buffer out = {0};
    struct pdn_writer w = pdn_writer_open(buffer_add, &out, style);
    struct text_error error;
    enum pdn_status status;

    buffer_text(&out, "");
    while ((status = pdn_next(&r, pdn_writer_event, &w, &error)) != PDN_AT_END)
        if (status == PDN_BAD) {
            struct text_place p = text_place(bytes, error.at);
            fail_msg("%zu:%zu: %s", p.line, p.column, error.what);
        }
    return out;
}

/* ----------------------------------------------------------------- reading -- */

/* With as_found, tags stay, and what is missing is added. */
static void test_tags_as_found(void **state)
{
    static const char kept[] =
        "[White \"w\"]\n[GameType \"21,B\"]\n[X \"\"]\n[Event \"e\"]\n\n"
        "1. 11-15 *\n\n"
        "[SetUp \"1\"]\n[Result \"2-0\"]\n[FEN \"W:WK1:BK32\"]\n[GameType \"21\"]\n\n"
        "1... 1-5 1-0\n";
    static const struct pdn_game bare = {.start = {.turn = WHITE}};
    struct pdn_reader r = pdn_open(kept, sizeof kept - 1);
    struct buffer out = {0};
    struct pdn_writer w = pdn_writer_open(buffer_add, &out, MOVE_NUMBERS);

    (void)state;
    w.as_found = true;
    assert_int_equal(pdn_next(&r, pdn_writer_event, &w, NULL), PDN_GOOD);
    assert_int_equal(pdn_next(&r, pdn_writer_event, &w, NULL), PDN_GOOD);
    assert_string_equal(out.bytes, kept);
    pdn_writer_event(&w, &(struct pdn_event){.kind = PDN_GAME, .game = &bare});
    assert_string_equal(out.bytes + sizeof kept - 1,
                        "\n[GameType \"21\"]\n[SetUp \"1\"]\n[FEN \"W:W:B\"]\n\n");
    free(out.bytes);
}

static void test_canonical(void **state)
{
    size_t length, expected_length;
    char *bytes = golden_read("tests/golden/tour.pdn", &length);
    char *expected = golden_read("tests/golden/tour.canonical.pdn", &expected_length);
    struct buffer first = canonical(bytes, length, MOVE_NUMBERS);
    struct buffer second = canonical(first.bytes, first.length, MOVE_NUMBERS);
    struct buffer letters = canonical(bytes, length, MOVE_ALGEBRAIC);
    struct buffer numbers = canonical(letters.bytes, letters.length, MOVE_NUMBERS);

    (void)state;
    assert_string_equal(first.bytes, expected);
    assert_string_equal(second.bytes, expected);
    assert_string_equal(numbers.bytes, expected);
    free(first.bytes);
    free(second.bytes);
    free(letters.bytes);
    free(numbers.bytes);
    free(bytes);
    free(expected);
}

/* What a visitor saw, as text. */
static void trace(void *context, const struct pdn_event *e)
{
    static const char *const kind[] = {"game", "move", "comment", "nag", "open", "close", "result"};
    struct buffer *out = context;
    char line[200], move[MOVE_TEXT_MAX] = "";

    if (e->kind == PDN_NOTE)
        return;
    if (e->kind == PDN_MOVE) {
        bool found = false;

        move_format(e->move, NULL, MOVE_NUMBERS, move);
        for (int i = 0; i < e->legal->count; i++)
            found |= move_equal(e->move, &e->legal->move[i]);
        assert_true(found); /* (D1) */
    }
    snprintf(line, sizeof line, "%d %d %s %s%.*s\n", e->depth, e->ply, kind[e->kind], move,
             e->kind == PDN_COMMENT ? (int)e->text.length : 0, e->text.bytes);
    buffer_text(out, line);
}

static void test_events(void **state)
{
    static const char text[] = "11-15 24-20 (24-19 {x} 15x24 (15x24)) 8-11!? *";
    static const char expected[] = "0 0 game \n"
                                   "0 0 move 11-15\n"
                                   "0 1 move 24-20\n"
                                   "0 2 open \n"
                                   "1 1 move 24-19\n"
                                   "1 2 comment x\n"
                                   "1 2 move 15x24\n"
                                   "1 3 open \n"
                                   "2 2 move 15x24\n"
                                   "1 3 close \n"
                                   "0 2 close \n"
                                   "0 2 move 8-11\n"
                                   "0 3 nag \n"
                                   "0 3 result \n";
    struct pdn_reader r = pdn_open(text, sizeof text - 1);
    struct buffer out = {0};
    struct text_error error;

    (void)state;
    assert_int_equal(pdn_next(&r, trace, &out, &error), PDN_GOOD);
    assert_string_equal(out.bytes, expected);
    assert_int_equal(pdn_next(&r, trace, &out, &error), PDN_AT_END);
    free(out.bytes);
}

static void keep_game(void *context, const struct pdn_event *e)
{
    *(struct pdn_game *)context = *e->game;
}

static void test_tags(void **state)
{
    static const char text[] = "\xEF\xBB\xBF[ Event \"a \\\"b\\\" \\\\ c\" ]\r\n[X_1 \"\"]\r\n*";
    struct pdn_reader r = pdn_open(text, sizeof text - 1);
    struct pdn_game game;
    char value[32];

    (void)state;
    assert_int_equal(pdn_next(&r, keep_game, &game, NULL), PDN_GOOD);
    assert_int_equal(game.tags, 2);
    assert_string_equal(pdn_tag_text(pdn_tag_find(&game, "Event"), value, sizeof value),
                        "a \"b\" \\ c");
    assert_string_equal(pdn_tag_text(pdn_tag_find(&game, "Event"), value, 4), "a \"");
    assert_string_equal(pdn_tag_text(pdn_tag_find(&game, "X_1"), value, sizeof value), "");
    assert_null(pdn_tag_find(&game, "Site"));
}

/* What is escaped comes back. */
static void test_escapes(void **state)
{
    static const struct {
        const char *text, *written, *back;
    } table[] = {
        {"", "", ""},
        {"hub=sh -c \"x y\"", "hub=sh -c \\\"x y\\\"", "hub=sh -c \"x y\""},
        {"C:\\games\\", "C:\\\\games\\\\", "C:\\games\\"},
        {"a\nb\tc", "a b c", "a b c"},
    };
    char value[64], back[64], text[128];

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pdn_game game;
        struct pdn_reader r;

        assert_string_equal(pdn_tag_escape(table[i].text, value, sizeof value), table[i].written);
        r = pdn_open(text, (size_t)sprintf(text, "[Black \"%s\"] *", value));
        assert_int_equal(pdn_next(&r, keep_game, &game, NULL), PDN_GOOD);
        assert_string_equal(pdn_tag_text(&game.tag[0], back, sizeof back), table[i].back);
    }
    assert_string_equal(pdn_tag_escape("abc\"", value, 6), "abc\\\"");
    assert_string_equal(pdn_tag_escape("abc\"", value, 5), "abc");
    assert_string_equal(pdn_tag_text(&(struct pdn_tag){{"X", 1}, {"a\\b\\", 4}}, back, sizeof back),
                        "a\\b\\"); /* found so in files */
}

/* ------------------------------------------------------------------ errors -- */

static void test_errors(void **state)
{
    static const struct {
        const char *text;
        size_t line, column;
        const char *what;
    } table[] = {
        {"1. 11-15\n2. 99-1 *", 2, 4, "expected a square, 1 to 32 or a1 to h8, found '99-1'"},
        {"1. 11-15\r\n2. 99-1 *", 2, 4, "expected a square, 1 to 32 or a1 to h8, found '99-1'"},
        {"1. 11-15\r2. 99-1 *", 2, 4, "expected a square, 1 to 32 or a1 to h8, found '99-1'"},
        {"xyz", 1, 1, "expected tags or moves, found 'xyz'"},
        {"11-15 21-18 *", 1, 7,
         "expected a legal move (21-17, 22-18, 23-19, 24-20, 22-17, 23-18, 24-19), found '21-18'"},
        {"11-15 22-18 8-11 *", 1, 13, "expected a legal move (15x22), found '8-11'"},
        {"11-15 {no end", 1, 7, "expected } to close this comment, found the end"},
        {"{no game", 1, 1, "expected } to close this comment, found the end"},
        {"11-15 } *", 1, 7, "expected a move or a result, found '}'"},
        {"11-15 [ *", 1, 7, "expected a move or a result, found '['"},
        {"( 11-15 ) *", 1, 1, "expected a move before a variation"},
        {"( 11-15 *", 1, 1, "expected ) to close this variation"},
        {"11-15 12 *", 1, 9, "expected - or x, found ' '"},
        {"11-15 12- *", 1, 11, "expected a square, 1 to 32 or a1 to h8, found '*'"},
        {"[FEN \"B:W6,7,14,15:B2\"] 2x18 *", 1, 25,
         "'2x18' is ambiguous: expected one of 2x9x18, 2x11x18"},
        {"[FEN \"B:W6,7,14,15,32:B2\"] 2x18 32-28 *", 1, 28,
         "'2x18' is ambiguous: expected one of 2x9x18, 2x11x18"},
        {"[GameType \"20\"]\n*", 1, 12, "expected game type 21, English draughts, found '20'"},
        {"[FEN \"B:W21:B33\"]\n*", 1, 14, "expected a square from 1 to 32, found '33'"},
        {"B:W21:B33 1-5 *", 1, 8, "expected a square from 1 to 32, found '33'"},
        {"[FEN \"B:W5:B1\"] 1-6 5-1 6-9 1-7 *", 1, 29,
         "expected a legal move (1-5, 1-6), found '1-7'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pdn_reader r = pdn_open(table[i].text, strlen(table[i].text));
        struct text_error error = {0};
        struct text_place place;

        if (pdn_next(&r, NULL, NULL, &error) != PDN_BAD)
            fail_msg("accepted: %s", table[i].text);
        assert_string_equal(error.what, table[i].what);
        place = text_place(table[i].text, error.at);
        assert_int_equal(place.line, table[i].line);
        assert_int_equal(place.column, table[i].column);
        assert_int_equal(pdn_next(&r, NULL, NULL, &error), PDN_AT_END);
    }
}

static void test_deep_variations(void **state)
{
    struct buffer text = {0};
    struct pdn_reader r;
    struct text_error error;

    (void)state;
    buffer_text(&text, "11-15 ");
    for (int i = 0; i < PDN_DEPTH_MAX + 1; i++)
        buffer_text(&text, "(11-16 ");
    r = pdn_open(text.bytes, text.length);
    assert_int_equal(pdn_next(&r, NULL, NULL, &error), PDN_BAD);
    assert_string_equal(error.what, "variations are nested deeper than 32");
    free(text.bytes);
}

static void test_too_many_tags(void **state)
{
    struct buffer text = {0};
    struct pdn_reader r;
    struct text_error error;

    (void)state;
    for (int i = 0; i <= PDN_TAGS_MAX; i++) {
        char tag[32];

        sprintf(tag, "[T%d \"\"]\n", i);
        buffer_text(&text, tag);
    }
    buffer_text(&text, "11-15 * 11-15 *");
    r = pdn_open(text.bytes, text.length);
    assert_int_equal(pdn_next(&r, NULL, NULL, &error), PDN_BAD);
    assert_string_equal(error.what, "a game has at most 64 tags");
    assert_int_equal(pdn_next(&r, NULL, NULL, &error), PDN_GOOD);
    free(text.bytes);
}

/* A bad game does not stop the next one from being read. */
static void test_recovery(void **state)
{
    static const struct {
        const char *text, *status; /* g good, b bad */
    } table[] = {
        {"11-17 * 11-15 *", "bg"},
        {"[Event \"1\"]\n11-17 24-20\n[Event \"2\"]\n11-15 *", "bg"},
        {"[Event \"1\"]\n11-17 { 1-0 [x] } 24-20 1-0\n11-15 *", "bg"},
        {"[Event \"1\"]\n11-15 24-20\n[Event \"2\"]\n11-15 *", "gg"},
        {"[Event 1]\n[Site \"x\"]\n11-15 *\n[Event \"2\"]\n11-15 *", "gg"},
        {"[Event \"1\"]\n11-15 {open\n\n[Event \"2\"]\n11-15 {closed} *", "bg"},
        {"B:WK1:BK32 32-1\nB:WK1:BK32 32-28\n", "bg"},
        {"[FEN \"B:W21:B21\"]\n11-15 *\n[Event \"2\"]\n11-15 *", "bg"},
        {"11-15 {open\n[Event \"2\"]\n11-15 *", "bg"},
        {"11-15 ( 1-0\n[Event \"2\"]\n11-15 *", "gg"},
        {"11-15 ; 1-0\n 99-1 ; 1-0\n *\n 11-15 *", "bg"},
        {"]]]] * 11-15 *", "bg"},
        {"* * 11-15 *", "ggg"},
        {"\n\n; nothing\n% nothing\n{nothing}\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pdn_reader r = pdn_open(table[i].text, strlen(table[i].text));
        char found[16] = "";
        enum pdn_status s;

        while ((s = pdn_next(&r, NULL, NULL, NULL)) != PDN_AT_END)
            strcat(found, s == PDN_GOOD ? "g" : "b");
        assert_string_equal(found, table[i].status);
    }
}

/* ------------------------------------------------------------ random games -- */

static void add_move(struct rng *r, struct buffer *out, const struct move *m,
                     const struct move_list *legal)
{
    char text[MOVE_TEXT_MAX];

    if (rng_below(r, 4) == 0)
        buffer_text(out, "7... ");
    move_format(m, rng_below(r, 2) ? legal : NULL, (enum move_style)rng_below(r, 2), text);
    buffer_text(out, text);
    buffer_text(out, rng_below(r, 8) ? " " : "?! $99 {a  {b ; c\n\n% d} ; e } ; f\n");
}

/* Write a random line from b in careless PDN, with variations inside. */
static void random_line(struct rng *r, struct buffer *out, struct board b, int plies, int depth)
{
    struct move_list list;

    for (int i = 0; i < plies && moves_generate(&b, &list); i++) {
        const struct move *m = &list.move[rng_below(r, list.count)];
        const struct move *other = &list.move[rng_below(r, list.count)];

        add_move(r, out, m, &list);
        if (depth < 4 && rng_below(r, 10) == 0) {
            buffer_text(out, "(");
            add_move(r, out, other, &list);
            random_line(r, out, board_after(&b, other), 10, depth + 1);
            buffer_text(out, ") ");
        }
        b = board_after(&b, m);
    }
}

/* (W1): the canonical form is its own canonical form, and the events are the same. */
static void test_random_games(void **state)
{
    struct rng r = rng_for_test("random games");

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 20 : 300); i++) {
        struct buffer text = {0}, first, second, letters, third;

        for (int game = 0; game < 3; game++) {
            random_line(&r, &text, board_start, 60, 0);
            buffer_text(&text, " 1-1\n");
        }
        first = canonical(text.bytes, text.length, MOVE_NUMBERS);
        second = canonical(first.bytes, first.length, MOVE_NUMBERS);
        letters = canonical(first.bytes, first.length, MOVE_ALGEBRAIC);
        third = canonical(letters.bytes, letters.length, MOVE_NUMBERS);
        assert_string_equal(first.bytes, second.bytes);
        assert_string_equal(first.bytes, third.bytes);
        free(text.bytes);
        free(first.bytes);
        free(second.bytes);
        free(letters.bytes);
        free(third.bytes);
    }
}

/* ---------------------------------------------------------------- commands -- */

struct results {
    int black, white; /* games that end without a move, by who has won */
};

static void check_result(void *context, const struct pdn_event *e)
{
    struct results *r = context;
    const struct pdn_tag *tag = pdn_tag_find(e->game, "Result");

    if (e->kind != PDN_RESULT)
        return;
    assert_non_null(tag); /* that it agrees, the reader has seen to */
    if (moves_count(e->board) > 0)
        return;
    assert_int_equal(e->result, pdn_won_by(side_other(e->board->turn)));
    *(e->board->turn == WHITE ? &r->black : &r->white) += 1;
}

/* Games that a command has written. */
static struct results results_of(const char *text, size_t length)
{
    struct pdn_reader r = pdn_open(text, length);
    struct results found = {0};
    struct text_error error;
    enum pdn_status status;

    while ((status = pdn_next(&r, check_result, &found, &error)) == PDN_GOOD)
        ;
    assert_int_equal(status, PDN_AT_END);
    return found;
}

/* Written in canonical form, so that reading and writing it gives the same bytes. */
static struct results results_of_command(const char *const *args)
{
    struct run run = run_kelso(args, "", 0);
    struct buffer again;
    struct results found;

    assert_int_equal(run.status, 0);
    again = canonical(run.out, run.out_length, MOVE_NUMBERS);
    assert_string_equal(again.bytes, run.out);
    found = results_of(run.out, run.out_length);
    free(again.bytes);
    run_free(&run);
    return found;
}

/* 1-0 is Black's win, whichever command has written it. */
static void test_winners(void **state)
{
    /* Six plies before the end of a game of twenty. */
    static const char late[] = "B:WK2,K19,21,25,26,27,28,29,30,31,32:B1,5,7,8,11";
    struct scratch dir = build_tables(3);
    struct results r;

    (void)state;
    assert_string_equal(pdn_result_text(pdn_won_by(BLACK)), "1-0");
    assert_string_equal(pdn_result_text(pdn_won_by(WHITE)), "0-1");
    r = results_of_command(ARGS("line", "--pdn", "B:WK31:B25,K18", "--dir", dir.path));
    assert_true(r.black == 1 && r.white == 0);
    r = results_of_command(ARGS("line", "--pdn", "W:W8,K15:BK2", "--dir", dir.path));
    assert_true(r.black == 0 && r.white == 1);
    r = results_of_command(ARGS("line", "--pdn", "B:WK1:BK32", "--dir", dir.path));
    assert_true(r.black == 0 && r.white == 0);
    r = results_of_command(ARGS("shortest", "--plies", "6", "--list", "pdn", "--fen", late));
    assert_true(r.black == 0 && r.white > 0);
    scratch_remove(&dir);
}

static void test_winners_of_a_match(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct results found;
    uint8_t *text;
    size_t length;
    struct run r;

    (void)state;
    scratch_file(&dir, "match.pdn", path);
    r = run_kelso(ARGS("match", "--no-tables", "--a", "depth=5", "--b", "depth=1", "--games", "8",
                       "--pdn", path),
                  "", 0);
    assert_int_equal(r.status, 0);
    run_free(&r);
    text = file_read(path, &length);
    found = results_of((const char *)text, length);
    assert_true(found.black > 0 && found.white > 0);
    free(text);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),       cmocka_unit_test(test_tags_as_found),
        cmocka_unit_test(test_events),          cmocka_unit_test(test_tags),
        cmocka_unit_test(test_escapes),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_deep_variations), cmocka_unit_test(test_too_many_tags),
        cmocka_unit_test(test_recovery),        cmocka_unit_test(test_random_games),
        cmocka_unit_test(test_winners),         cmocka_unit_test(test_winners_of_a_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
