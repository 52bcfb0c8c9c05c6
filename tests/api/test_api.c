/* SPDX-License-Identifier: MIT
 *
 * The public functions of kelso.h: what they answer, what they refuse, threads on one
 * handle, and the example programs, which see nothing but the public headers and the
 * shared library. */
#include "kit/run.h"
#include "kit/built.h"
#include "kit/test.h"

#include "db/probe.h"
#include "kelso.h"
#include "kelso_egdb.h"

#include <sys/stat.h>

struct kit {
    struct built built;
    kelso_tables *tables;
};

enum { PIECES = 4 };

static kelso_position position(const char *fen)
{
    kelso_position p;
    kelso_error e;

    if (kelso_position_parse(fen, &p, &e))
        fail_msg("%s: %s", fen, e.text);
    return p;
}

static kelso_position position_of(const struct board *b)
{
    return (kelso_position){squares_pack(board_men(b, BLACK)), squares_pack(board_kings(b, BLACK)),
                            squares_pack(board_men(b, WHITE)), squares_pack(board_kings(b, WHITE)),
                            b->turn == BLACK ? KELSO_BLACK : KELSO_WHITE};
}

/* ------------------------------------------------------------------ positions -- */

static void test_positions(void **state)
{
    kelso_position p = position("B:WK31:B25,K18");
    char fen[KELSO_FEN_MAX];

    (void)state;
    assert_int_equal(p.black_men, 1u << 24);
    assert_int_equal(p.black_kings, 1u << 17);
    assert_int_equal(p.white_men, 0);
    assert_int_equal(p.white_kings, 1u << 30);
    assert_int_equal(p.turn, KELSO_BLACK);
    assert_string_equal(kelso_position_format(&p, fen), "B:WK31:BK18,25");
}

static void refuse(struct kit *kit, kelso_position p)
{
    kelso_ranked_move ranked[KELSO_MOVES_MAX];
    kelso_move moves[KELSO_MOVES_MAX];
    kelso_error e = {0};
    kelso_answer answer;
    kelso_value value;
    int count;

    assert_int_equal(kelso_probe_wld(kit->tables, &p, &value, &e), KELSO_BAD_INPUT);
    assert_int_equal(e.status, KELSO_BAD_INPUT);
    assert_int_equal(strncmp(e.text, "position: ", 10), 0);
    assert_int_equal(kelso_probe_dtc(kit->tables, &p, &answer, NULL), KELSO_BAD_INPUT);
    assert_int_equal(kelso_probe_dtw(kit->tables, &p, &answer, NULL), KELSO_BAD_INPUT);
    assert_int_equal(kelso_probe_moves(kit->tables, &p, ranked, &count, NULL), KELSO_BAD_INPUT);
    assert_int_equal(kelso_line(kit->tables, &p, KELSO_DTW, moves, 1, &count, NULL, NULL),
                     KELSO_BAD_INPUT);
    assert_int_equal(kelso_moves(&p, moves, &count, NULL), KELSO_BAD_INPUT);
}

static void test_refusals(void **state)
{
    struct kit *kit = *state;
    kelso_position p;
    kelso_error e;

    refuse(kit, (kelso_position){1, 1, 4, 0, KELSO_BLACK});           /* a man and a king */
    refuse(kit, (kelso_position){1, 0, 1, 0, KELSO_BLACK});           /* both colours */
    refuse(kit, (kelso_position){1u << 31, 0, 4096, 0, KELSO_BLACK}); /* man on 32 */
    refuse(kit, (kelso_position){1, 0, 0, 0, KELSO_BLACK});           /* White has nothing */
    refuse(kit, (kelso_position){1, 0, 4096, 0, (kelso_side)7});
    refuse(kit, (kelso_position){0x1FFF, 0, 1u << 31, 0, KELSO_BLACK}); /* thirteen */
    assert_int_equal(kelso_position_parse("B:W1", &p, &e), KELSO_BAD_INPUT);
    assert_int_equal(strncmp(e.text, "FEN, column ", 12), 0);
    for (int s = -1; s < 10; s++)
        assert_non_null(kelso_strerror((kelso_status)s));
    assert_string_equal(kelso_version(), KELSO_VERSION);
}

/* ---------------------------------------------------------------------- moves -- */

static void test_moves(void **state)
{
    kelso_position p = position("B:W6,14,22:B1"), after;
    kelso_move moves[KELSO_MOVES_MAX], m;
    char text[KELSO_MOVE_TEXT_MAX];
    kelso_error e;
    int count;

    (void)state;
    assert_int_equal(kelso_moves(&p, moves, &count, &e), KELSO_OK);
    assert_int_equal(count, 1);
    assert_string_equal(kelso_move_format(&moves[0], text), "1x10x17x26");
    assert_int_equal(moves[0].captured, 1u << 5 | 1u << 13 | 1u << 21);
    assert_int_equal(kelso_move_parse(&p, "1x26", &m, &e), KELSO_OK);
    assert_memory_equal(&m, &moves[0], sizeof m);
    assert_int_equal(kelso_play(&p, &m, &after, &e), KELSO_OK);
    assert_int_equal(after.black_men, 1u << 25);
    assert_int_equal(after.white_men, 0);
    assert_int_equal(after.turn, KELSO_WHITE);
    m.path[1] = 9;
    assert_int_equal(kelso_play(&p, &m, &after, &e), KELSO_BAD_INPUT);
    m.length = 200;
    assert_int_equal(kelso_play(&p, &m, &after, &e), KELSO_BAD_INPUT);
    kelso_move_format(&m, text); /* stays in its room */
    assert_int_equal(kelso_move_parse(&p, "1-5", &m, &e), KELSO_BAD_INPUT);
}

/* --------------------------------------------------------------------- probes -- */

static void compare(struct kit *kit, const struct board *b, enum kind kind, kelso_status rc,
                    const kelso_answer *got)
{
    struct outcome want;

    assert_int_equal(rc, KELSO_OK);
    assert_int_equal(tables_outcome(kit->built.tables, b, kind, &want, NULL), STATUS_OK);
    assert_int_equal(got->value, want.value);
    assert_int_equal(got->plies, want.value == VALUE_DRAW ? -1 : want.plies);
}

static void test_probes(void **state)
{
    struct rng r = rng_for_test("probes");
    struct kit *kit = *state;

    for (int i = 0; i < 2000; i++) {
        struct board b = built_random(&r, PIECES);
        kelso_position p = position_of(&b);
        kelso_ranked_move moves[KELSO_MOVES_MAX];
        kelso_answer dtw, dtc;
        kelso_value v;
        int count;

        compare(kit, &b, KIND_DTW, kelso_probe_dtw(kit->tables, &p, &dtw, NULL), &dtw);
        compare(kit, &b, KIND_DTC, kelso_probe_dtc(kit->tables, &p, &dtc, NULL), &dtc);
        assert_int_equal(kelso_probe_wld(kit->tables, &p, &v, NULL), KELSO_OK);
        assert_int_equal(v, dtw.value);
        assert_int_equal(kelso_probe_moves(kit->tables, &p, moves, &count, NULL), KELSO_OK);
        if (count) {
            assert_int_equal(moves[0].value, v);
            assert_int_equal(moves[0].dtw, dtw.plies);
        }
    }
}

static void test_line(void **state)
{
    struct kit *kit = *state;
    kelso_position p = position("B:WK31:B25,K18"), draw = position("B:WK31,K32:BK1,K5");
    kelso_move moves[64];
    char text[KELSO_MOVE_TEXT_MAX];
    kelso_line_end end;
    kelso_error e;
    int count = -1;

    assert_int_equal(kelso_line(kit->tables, &p, KELSO_DTW, moves, 64, &count, &end, &e), KELSO_OK);
    assert_int_equal(count, 3);
    assert_int_equal(end, KELSO_LINE_LOST);
    assert_string_equal(kelso_move_format(&moves[0], text), "18-23");
    assert_int_equal(kelso_line(kit->tables, &p, KELSO_DTC, moves, 2, &count, NULL, &e),
                     KELSO_NO_ROOM);
    assert_true(count > 3);
    assert_true(moves[0].crowns);
    assert_int_equal(kelso_line(kit->tables, &draw, KELSO_DTW, moves, 64, &count, &end, &e),
                     KELSO_OK);
    assert_int_equal(end, KELSO_LINE_REPEATS);
    assert_int_equal(kelso_line(kit->tables, &p, (kelso_kind)9, moves, 64, &count, &end, &e),
                     KELSO_BAD_INPUT);
}

static void test_outside(void **state)
{
    struct kit *kit = *state;
    kelso_position five = position("B:W31,32:B1,2,3"), many = position("B:W21-32:B1-12");
    kelso_error e;
    kelso_value v;

    assert_int_equal(kelso_probe_wld(kit->tables, &five, &v, &e), KELSO_MISSING);
    assert_non_null(strstr(e.text, "3C-2C.wld"));
    assert_int_equal(kelso_probe_wld(kit->tables, &many, &v, &e), KELSO_MISSING);
    assert_int_equal(kelso_pieces(kit->tables), PIECES);
}

static void test_open(void **state)
{
    struct kit *kit = *state;
    kelso_tables *t = (kelso_tables *)kit, *again;
    char path[SCRATCH_MAX];
    kelso_error e;

    assert_int_equal(kelso_open(&t, "/nonexistent/tables", 0, &e), KELSO_IO);
    assert_null(t);
    assert_non_null(strstr(e.text, "/nonexistent/tables"));
    kelso_close(&t);
    assert_int_equal(kelso_open(&t, kit->built.dir.path, 1, &e), KELSO_OK); /* several at once */
    assert_int_equal(kelso_open(&again, kit->built.dir.path, 1 << 20, &e), KELSO_OK);
    kelso_close(&t);
    assert_null(t);
    kelso_close(&again);
    assert_int_equal(mkdir(scratch_file(&kit->built.dir, "empty", path), 0755), 0);
    assert_int_equal(kelso_open(&t, path, 0, &e), KELSO_OK);
    assert_int_equal(kelso_pieces(t), 0);
    kelso_close(&t);
}

/* --------------------------------------------------------------------- engines -- */

static void test_egdb(void **state)
{
    struct kit *kit = *state;
    struct rng r = rng_for_test("egdb");
    EGDB_DRIVER *db = egdb_open("", 16, kit->built.dir.path, NULL);
    EGDB_POSITION none = {1, 0, 0};

    assert_non_null(db);
    assert_int_equal(egdb_max_pieces(db), PIECES);
    for (int i = 0; i < 1000; i++) {
        struct board b = built_random(&r, PIECES);
        EGDB_POSITION p = {squares_pack(b.side[BLACK]), squares_pack(b.side[WHITE]),
                           squares_pack(b.kings)};
        static const int values[] = {EGDB_LOSS, EGDB_DRAW, EGDB_WIN};
        enum value v;

        assert_int_equal(tables_value(kit->built.tables, &b, &v, NULL), STATUS_OK);
        assert_int_equal(db->lookup(db, &p, b.turn == BLACK ? EGDB_BLACK : EGDB_WHITE, 0),
                         values[v]);
    }
    assert_int_equal(egdb_lookup(db, &none, EGDB_BLACK, 0), EGDB_WIN);
    assert_int_equal(egdb_lookup(db, &none, EGDB_WHITE, 0), EGDB_LOSS);
    none = (EGDB_POSITION){7, 0x30000000, 0};
    assert_int_equal(egdb_lookup(db, &none, EGDB_WHITE, 0), EGDB_UNKNOWN);
    assert_int_equal(egdb_close(db), 0);
    assert_null(egdb_open("", 16, "/nonexistent/tables", NULL));
}

/* -------------------------------------------------------------------- examples -- */

/* The examples stand beside the program. */
static struct run run_example(const char *name, const char *const *args)
{
    const char *program = getenv("KELSO_BINARY");
    char path[SCRATCH_MAX], saved[SCRATCH_MAX];
    struct run r;

    snprintf(saved, sizeof saved, "%s", program ? program : "build/check/kelso");
    snprintf(path, sizeof path, "%.*s/example_%s", (int)(strrchr(saved, '/') - saved), saved, name);
    setenv("KELSO_BINARY", path, 1);
    r = run_kelso(args, "", 0);
    setenv("KELSO_BINARY", saved, 1);
    return r;
}

static void test_examples(void **state)
{
    struct kit *kit = *state;
    struct run r = run_example("probe", ARGS(kit->built.dir.path, "B:WK31:B25,K18"));

    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "B:WK31:B25,K18: win in 3\n  18-23    win  dtw 3    dtc 3\n"));
    assert_non_null(strstr(r.out, "\n  18-23 31-27 23x32\n"));
    run_free(&r);
    r = run_example("probe", ARGS("/nonexistent/tables", "B:WK31:B25,K18"));
    assert_int_equal(r.status, 1);
    run_free(&r);
    r = run_example("engine", ARGS(kit->built.dir.path));
    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "win"));
    run_free(&r);
}

static int kit_open(void **state)
{
    struct kit *kit = malloc(sizeof *kit);
    kelso_error e;

    *state = kit;
    kit->built = built_open(PIECES);
    if (kelso_open(&kit->tables, kit->built.dir.path, 16 << 20, &e))
        fail_msg("%s", e.text);
    return 0;
}

static int kit_close(void **state)
{
    struct kit *kit = *state;

    kelso_close(&kit->tables);
    built_close(&kit->built);
    free(kit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_moves),     cmocka_unit_test(test_probes),
        cmocka_unit_test(test_line),      cmocka_unit_test(test_outside),
        cmocka_unit_test(test_open),      cmocka_unit_test(test_egdb),
        cmocka_unit_test(test_examples),
    };
    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
