/* SPDX-License-Identifier: MIT
 *
 * The public functions of kelso.h: what they answer, what they refuse, threads on one
 * handle, and the example programs, which see nothing but the public headers and the
 * shared library. */
#include "kit/run.h"
#include "kit/built.h"
#include "kit/positions.h"
#include "kit/test.h"

#include "db/probe.h"
#include "db/unpack.h"
#include "kelso.h"
#include "kelso_egdb.h"

#include <sys/stat.h>
#include <unistd.h>

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

static EGDB_BITBOARD bits_normal(const struct board *b)
{
    EGDB_BITBOARD p;

    p.normal.black = squares_pack(b->side[BLACK]);
    p.normal.white = squares_pack(b->side[WHITE]);
    p.normal.king = squares_pack(b->kings);
    return p;
}

/* The slow way: square by square, bit 3 for the first of a row of four. */
static uint32_t row_reversed(squares set)
{
    uint32_t out = 0;

    for (int n = 1; n <= 32; n++)
        if (set & squares_of(square_from_number(n)))
            out |= 1u << ((n - 1) / 4 * 4 + 3 - (n - 1) % 4);
    return out;
}

static EGDB_BITBOARD bits_reversed(const struct board *b)
{
    EGDB_BITBOARD p;

    p.row_reversed.black_man = row_reversed(board_men(b, BLACK));
    p.row_reversed.black_king = row_reversed(board_kings(b, BLACK));
    p.row_reversed.white_man = row_reversed(board_men(b, WHITE));
    p.row_reversed.white_king = row_reversed(board_kings(b, WHITE));
    return p;
}

/* A client written to the driver's interface gets what the tables say, in both layouts. */
static void test_egdb(void **state)
{
    static const int values[] = {EGDB_LOSS, EGDB_DRAW, EGDB_WIN};
    struct kit *kit = *state;
    const char *dir = kit->built.dir.path;
    struct rng r = rng_for_test("egdb");
    EGDB_DRIVER *db = egdb_open(EGDB_NORMAL, PIECES, 16, dir, NULL);
    EGDB_DRIVER *turned = egdb_open(EGDB_ROW_REVERSED, PIECES, 16, dir, NULL);
    EGDB_TYPE type;
    int pieces;

    assert_non_null(db);
    assert_non_null(turned);
    assert_int_equal(egdb_identify(dir, &type, &pieces), 0);
    assert_int_equal(pieces, PIECES);
    assert_int_equal(type, EGDB_KINGSROW32_WLD);
    assert_int_equal(egdb_version, KELSO_VERSION_NUMBER);
    for (int i = 0; i < 1000; i++) {
        struct board b = built_random(&r, PIECES);
        EGDB_BITBOARD p = bits_normal(&b), q = bits_reversed(&b);
        int color = b.turn == BLACK ? EGDB_BLACK : EGDB_WHITE;
        enum value v;

        assert_int_equal(tables_value(kit->built.tables, &b, &v, NULL), STATUS_OK);
        assert_int_equal(db->lookup(db, &p, color, 0), values[v]);
        assert_int_equal(db->lookup(db, &p, color, 1), values[v]); /* it is in the cache now */
        assert_int_equal(turned->lookup(turned, &q, color, 0), values[v]);
    }
    assert_int_equal(db->get_stats(db)->db_requests, 2000);
    assert_int_equal(db->get_stats(db)->db_returns, 2000);
    db->reset_stats(db);
    assert_int_equal(db->get_stats(db)->db_requests, 0);
    assert_int_equal(db->verify(db), 0);
    assert_int_equal(db->close(db), 0);
    assert_int_equal(turned->close(turned), 0);
}

static int messages;

static void count_message(char *text)
{
    (void)text;
    messages++;
}

static void test_egdb_edges(void **state)
{
    struct kit *kit = *state;
    EGDB_DRIVER *db = egdb_open(EGDB_NORMAL, PIECES, 16, kit->built.dir.path, NULL);
    EGDB_BITBOARD p = {.normal = {1, 0, 0}};
    EGDB_TYPE type;
    int pieces;

    assert_int_equal(db->lookup(db, &p, EGDB_BLACK, 0), EGDB_WIN);
    assert_int_equal(db->lookup(db, &p, EGDB_WHITE, 0), EGDB_LOSS);
    p = (EGDB_BITBOARD){.normal = {7, 0x30000000, 0}}; /* five pieces */
    assert_int_equal(db->lookup(db, &p, EGDB_WHITE, 0), EGDB_UNKNOWN);
    assert_int_equal(db->get_stats(db)->db_not_present_requests, 1);
    db->close(db);
    /* A fresh handle has nothing in its cache. */
    db = egdb_open(EGDB_NORMAL, PIECES, 16, kit->built.dir.path, NULL);
    p = (EGDB_BITBOARD){.normal = {0x00000021, 0x10000400, 0}};
    assert_int_equal(db->lookup(db, &p, EGDB_BLACK, 1), EGDB_NOT_IN_CACHE);
    db->close(db);
    messages = 0;
    assert_null(egdb_open(EGDB_NORMAL, 4, 16, "/nonexistent/tables", count_message));
    assert_int_equal(messages, 1);
    assert_int_not_equal(egdb_identify("/nonexistent/tables", &type, &pieces), 0);
}

/* ----------------------------------------------------------- slices, at hand, sums -- */

static void test_slices(void **state)
{
    struct kit *kit = *state;
    kelso_slice slices[64], one;
    int count, files = 0;

    assert_int_equal(kelso_slices(kit->tables, slices, 64, &count, NULL), KELSO_OK);
    assert_int_equal(count, slice_order(PIECES, PIECES, NULL));
    for (int i = 0; i < count; i++) {
        struct slice s;

        assert_true(slice_parse(slices[i].name, &s));
        assert_int_equal(slices[i].kings, s.kings);
        assert_int_equal(slices[i].other_men, s.opp_men);
        assert_int_equal(slices[i].kinds, 1 << KELSO_WLD | 1 << KELSO_DTC | 1 << KELSO_DTW);
        files++;
    }
    assert_int_equal(kelso_slices(kit->tables, &one, 1, &count, NULL), KELSO_NO_ROOM);
    assert_int_equal(count, files);
}

static void test_at_hand(void **state)
{
    struct kit *kit = *state;
    kelso_position p = position("B:W29,30:BK1,5");
    kelso_tables *fresh;
    kelso_value v, w;

    assert_int_equal(kelso_open(&fresh, kit->built.dir.path, 0, NULL), KELSO_OK);
    assert_int_equal(kelso_probe_wld_at_hand(fresh, &p, &v, NULL), KELSO_NOT_AT_HAND);
    assert_int_equal(kelso_probe_wld(fresh, &p, &v, NULL), KELSO_OK);
    assert_int_equal(kelso_probe_wld_at_hand(fresh, &p, &w, NULL), KELSO_OK);
    assert_int_equal(v, w);
    kelso_close(&fresh);
}

static void test_version(void **state)
{
    char text[32];

    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", KELSO_VERSION_MAJOR, KELSO_VERSION_MINOR,
             KELSO_VERSION_PATCH);
    assert_string_equal(text, kelso_version());
    assert_int_equal(kelso_version_number(), KELSO_VERSION_NUMBER);
}

/* --------------------------------------------------------------------- endings -- */

struct progress {
    int calls, stop_after;
    double last;
};

static int progress_note(void *context, double share)
{
    struct progress *p = context;

    assert_true(share >= p->last && share <= 1);
    p->last = share;
    return ++p->calls < p->stop_after;
}

/* On demand against the tables, over positions that play reaches. */
static void test_endings(void **state)
{
    struct kit *kit = *state;
    kelso_position p = position("B:WK31,30:BK18,25");
    struct progress progress = {.stop_after = 1000000};
    kelso_answer a, b;
    kelso_ending *e;
    kelso_error why;

    assert_int_equal(kelso_ending_open(&e, &p, 1, &why), KELSO_OK);
    assert_true(kelso_ending_values(e) > 1000);
    assert_true(kelso_ending_bytes(e, 1) > 1000);
    assert_int_equal(kelso_ending_probe(e, &p, KELSO_DTW, &a, NULL), KELSO_MISSING);
    assert_int_equal(kelso_ending_solve(e, 1, 1, NULL, NULL, &why), KELSO_NO_MEMORY);
    assert_int_equal(kelso_ending_solve(e, 2, 0, progress_note, &progress, &why), KELSO_OK);
    assert_true(progress.last == 1);
    for (int ply = 0; ply < 40; ply++) {
        kelso_move moves[KELSO_MOVES_MAX];
        int count;

        assert_int_equal(kelso_ending_probe(e, &p, KELSO_DTW, &a, &why), KELSO_OK);
        assert_int_equal(kelso_probe_dtw(kit->tables, &p, &b, &why), KELSO_OK);
        assert_true(a.value == b.value && a.plies == b.plies);
        assert_int_equal(kelso_ending_probe(e, &p, KELSO_DTC, &a, &why), KELSO_OK);
        assert_int_equal(kelso_probe_dtc(kit->tables, &p, &b, &why), KELSO_OK);
        assert_true(a.value == b.value && a.plies == b.plies);
        assert_int_equal(kelso_moves(&p, moves, &count, NULL), KELSO_OK);
        if (!count)
            break;
        assert_int_equal(kelso_play(&p, &moves[ply % count], &p, NULL), KELSO_OK);
        if (!(p.black_men | p.black_kings) || !(p.white_men | p.white_kings))
            break;
    }
    p = position("B:W30,K31:B13,K18"); /* men never move back */
    assert_int_equal(kelso_ending_probe(e, &p, KELSO_DTW, &a, NULL), KELSO_MISSING);
    kelso_ending_close(&e);
    assert_null(e);
}

static void test_ending_cancelled(void **state)
{
    kelso_position p = position("B:WK9,K21,12:BK4,1,8,10");
    struct progress progress = {.stop_after = 1};
    kelso_ending *e;

    (void)state;
    assert_int_equal(kelso_ending_open(&e, &p, 0, NULL), KELSO_OK);
    assert_int_equal(kelso_ending_solve(e, 1, 0, progress_note, &progress, NULL), KELSO_CANCELLED);
    kelso_ending_close(&e);
    p = position("B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12");
    assert_int_equal(kelso_ending_open(&e, &p, 0, NULL), KELSO_BAD_INPUT);
    assert_null(e);
}

/* -------------------------------------------------------------------- examples -- */

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

/* ----------------------------------------------------------- many, and beforehand -- */

static kelso_position position_from(const struct board *b)
{
    return (kelso_position){squares_pack(board_men(b, BLACK)), squares_pack(board_kings(b, BLACK)),
                            squares_pack(board_men(b, WHITE)), squares_pack(board_kings(b, WHITE)),
                            b->turn == BLACK ? KELSO_BLACK : KELSO_WHITE};
}

/* Any number of pieces up to 24, now and then more than a side may have, on one square, or none. */
static kelso_position position_any(struct rng *r, int i, int pieces)
{
    struct board b = i % 9 ? built_random(r, pieces + (i % 9 == 1)) : random_position(r);
    kelso_position p = position_from(&b);

    switch (i % 50 == 7 ? rng_below(r, 7) : -1) {
    case 0:
        p.black_kings = p.white_kings; /* not a position, or another one */
        break;
    case 1:
        p.turn = (kelso_side)(2 + rng_below(r, 2));
        break;
    case 2:
        p.white_men = p.white_kings = 0;
        break;
    case 3:
        p.black_men = p.black_kings = p.white_men = p.white_kings = 0;
        break;
    case 4:
        p.black_men |= 1u << 28;
        break;
    case 5:
        p.white_men |= 1;
        break;
    case 6:
        p.black_kings |= 0xFFFF & ~(p.black_men | p.white_men | p.white_kings);
    }
    return p;
}

/* The batch and its twin, one probe after the other: random positions, those with captures, some
 * beyond the tables, some that are none. */
static void batch_compare(const char *dir, uint64_t cache)
{
    enum { COUNT = 13000 }; /* several chunks */
    struct rng r = rng_for_test("batch");
    kelso_position *p = calloc(COUNT, sizeof *p);
    int8_t *values = malloc(COUNT);
    kelso_tables *t;
    int unknown = 0, known = 0;

    assert_int_equal(kelso_open(&t, dir, cache, NULL), KELSO_OK);
    for (int i = 0; i < COUNT; i++) {
        p[i] = position_any(&r, i, PIECES);
        kelso_prefetch(t, &p[i]);
    }
    for (size_t n = COUNT; n > 0; n /= 3) { /* any number */
        memset(values, 99, COUNT);
        assert_int_equal(kelso_probe_batch(t, p, n, values, NULL), KELSO_OK);
        for (size_t i = 0; i < n; i++) {
            kelso_value v = KELSO_LOSS;
            kelso_status rc = kelso_probe_wld(t, &p[i], &v, NULL);

            assert_true(rc == KELSO_OK || rc == KELSO_MISSING || rc == KELSO_BAD_INPUT);
            assert_int_equal(values[i], rc ? -1 : (int)v);
            unknown += values[i] < 0;
            known += values[i] >= 0;
        }
        assert_true(n == COUNT || values[n] == 99);
    }
    assert_true(unknown > 1000 && known > 5000);
    assert_int_equal(kelso_probe_batch(t, NULL, 0, NULL, NULL), KELSO_OK);
    kelso_close(&t);
    free(values);
    free(p);
}

static void form_make(const char *dir, enum unpack_form form, bool make)
{
    struct unpack_options o = {.form = form, .pieces = 10, .max_side = 10, .threads = 1};
    struct catalog *c;
    uint64_t freed;
    int files;

    assert_int_equal(catalog_open(&c, dir, NULL), STATUS_OK);
    if (make)
        assert_int_equal(unpack_run(c, &o, NULL), STATUS_OK);
    else
        assert_int_equal(unpack_remove(c, &o, &files, &freed, NULL), STATUS_OK);
    catalog_close(&c);
}

/* In every form: pages in their place, parts in a small cache, flat and quick files; then with
 * tables missing. */
static void test_batch(void **state)
{
    struct scratch dir = build_tables(PIECES);
    char path[TABLE_PATH_MAX];

    (void)state;
    batch_compare(dir.path, 0);
    batch_compare(dir.path, 1);
    for (int form = 0; form < UNPACK_FORMS; form++) {
        form_make(dir.path, (enum unpack_form)form, true);
        batch_compare(dir.path, 1);
        form_make(dir.path, (enum unpack_form)form, false);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const gone[3] = {"1K1C-1K", "2K-1C", "2K1C-1K"};

        snprintf(path, sizeof path, "%s/%s.wld", dir.path, gone[i]);
        assert_int_equal(unlink(path), 0);
    }
    batch_compare(dir.path, 0);
    scratch_remove(&dir);
}

/* A damaged table ends a batch that needs it. */
static void test_batch_damaged(void **state)
{
    enum { COUNT = 3000, SPOILED = 64 };
    struct scratch dir = build_tables(3);
    struct rng r = rng_for_test("batch damaged");
    kelso_position *p = calloc(COUNT, sizeof *p);
    int8_t *values = malloc(COUNT);
    char path[TABLE_PATH_MAX];
    bool damaged = false;
    kelso_tables *t;
    kelso_error e = {.status = KELSO_OK};
    FILE *f;

    (void)state;
    snprintf(path, sizeof path, "%s/2K-1C.wld", dir.path);
    assert_non_null(f = fopen(path, "r+b"));
    fseek(f, -SPOILED, SEEK_END);
    for (int i = 0; i < SPOILED; i++)
        fputc(0x55, f);
    fclose(f);
    assert_int_equal(kelso_open(&t, dir.path, 1, NULL), KELSO_OK);
    for (int i = 0; i < COUNT; i++) {
        struct board b = built_random(&r, 3);
        kelso_value v;

        p[i] = position_from(&b);
        damaged |= kelso_probe_wld(t, &p[i], &v, NULL) == KELSO_DAMAGED;
    }
    assert_true(damaged);
    assert_int_equal(kelso_probe_batch(t, p, COUNT, values, &e), KELSO_DAMAGED);
    assert_non_null(strstr(e.text, "2K-1C.wld"));
    kelso_close(&t);
    free(values);
    free(p);
    scratch_remove(&dir);
}

/* Captures that lead to more positions than there is room for are probed one by one. */
static void test_batch_of_captures(void **state)
{
    enum { COUNT = 5000 };
    struct kit *kit = *state;
    kelso_position p = position("B:W6,7,8,14,15,16,22,23,24:BK2,K10,K11");
    kelso_position *all = malloc(COUNT * sizeof *all);
    int8_t *values = malloc(COUNT);
    kelso_value v = KELSO_LOSS;
    kelso_status rc = kelso_probe_wld(kit->tables, &p, &v, NULL);

    for (int i = 0; i < COUNT; i++)
        all[i] = p;
    assert_int_equal(kelso_probe_batch(kit->tables, all, COUNT, values, NULL), KELSO_OK);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(values[i], rc ? -1 : (int)v);
    free(all);
    free(values);
}

/* A preloaded slice is at hand; the counts say what was done. */
static void test_preload(void **state)
{
    struct scratch dir = build_tables(3);
    kelso_position p;
    kelso_cache before, after;
    kelso_tables *t;
    kelso_value v;
    kelso_error e;

    (void)state;
    assert_int_equal(kelso_open(&t, dir.path, 0, NULL), KELSO_OK);
    assert_int_equal(kelso_position_parse("B:WK31:B25,K18", &p, NULL), KELSO_OK);
    assert_int_equal(kelso_probe_wld_at_hand(t, &p, &v, NULL), KELSO_NOT_AT_HAND);
    kelso_cache_stats(t, &before);
    assert_int_equal(before.decoded + before.read + before.compressed, 0);
    assert_int_equal(kelso_preload(t, "1K1C-1K", 2, NULL, NULL, &e), KELSO_OK);
    kelso_cache_stats(t, &after);
    assert_true(after.decoded > 0 && after.cache_bytes > 0);
    assert_int_equal(after.compressed, 2);
    assert_int_equal(kelso_probe_wld_at_hand(t, &p, &v, NULL), KELSO_OK);
    assert_int_equal(kelso_preload(t, "4K-4K", 2, NULL, NULL, &e), KELSO_MISSING);
    assert_int_equal(kelso_preload(t, "four", 2, NULL, NULL, &e), KELSO_BAD_INPUT);
    assert_non_null(strstr(e.text, "four"));
    assert_int_equal(kelso_preload(t, NULL, 2, NULL, NULL, &e), KELSO_BAD_INPUT);
    kelso_close(&t);
    form_make(dir.path, UNPACK_QUICK, true);
    assert_int_equal(kelso_open(&t, dir.path, 0, NULL), KELSO_OK);
    assert_int_equal(kelso_preload(t, "1K1C-1K", 2, NULL, NULL, &e), KELSO_OK);
    kelso_cache_stats(t, &after);
    assert_int_equal(after.quick, 2);
    assert_true(after.read > 0 && after.kept_bytes > 0 && after.decoded == 0);
    kelso_close(&t);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_moves),         cmocka_unit_test(test_probes),
        cmocka_unit_test(test_line),          cmocka_unit_test(test_outside),
        cmocka_unit_test(test_open),          cmocka_unit_test(test_egdb),
        cmocka_unit_test(test_egdb_edges),    cmocka_unit_test(test_slices),
        cmocka_unit_test(test_at_hand),       cmocka_unit_test(test_version),
        cmocka_unit_test(test_endings),       cmocka_unit_test(test_ending_cancelled),
        cmocka_unit_test(test_batch),         cmocka_unit_test(test_batch_of_captures),
        cmocka_unit_test(test_batch_damaged), cmocka_unit_test(test_preload),
        cmocka_unit_test(test_examples),
    };
    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
