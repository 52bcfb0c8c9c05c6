/* SPDX-License-Identifier: MIT
 *
 * The census: published counts, a naive twin, resuming, and what can go wrong with
 * files: (N1)-(N4), (L1)-(L4), (W1), (W2). */
#include "kit/test.h"

#include "base/bytes.h"
#include "core/movegen.h"
#include "games/census.h"
#include "games/layer.h"
#include "kit/games_brute.h"
#include "kit/golden.h"
#include "kit/run.h"
#include "kit/scratch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* Bryant, Table 1.  The naive census below confirms the plain counts to ply 8. */
static const uint64_t bryant[] = {1,     7,     49,     216,    805,     2733,    9089,
                                  27973, 84325, 250578, 739383, 2142531, 6053625, 16658843};
static const uint64_t plain[] = {1,     7,     49,     216,    805,     2733,   9105,
                                 28123, 85338, 255764, 767671, 2261420, 6561549};

static struct census *census_of(struct census_options o)
{
    struct census *c = malloc(sizeof *c);
    struct error e = {0};

    if (census_run(c, &o, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    return c;
}

static void census_done(struct census *c)
{
    census_close(c);
    free(c);
}

static void check_counts(const struct census *c, const uint64_t *expected)
{
    for (int i = 0; i <= c->plies; i++)
        assert_int_equal(c->count[i], expected[i]);
}

static void test_published(void **state)
{
    int plies = test_is_sanitized() ? 8 : test_is_long() ? 13 : 11;
    struct census *c = census_of((struct census_options){
        .plies = plies, .counting = CENSUS_BRYANT, .threads = 2, .memory = 256 << 20});

    (void)state;
    check_counts(c, bryant);
    census_done(c);
}

static void test_plain(void **state)
{
    int plies = test_is_sanitized() ? 8 : test_is_long() ? 12 : 10;
    struct census *c =
        census_of((struct census_options){.plies = plies, .threads = 2, .memory = 256 << 20});

    (void)state;
    check_counts(c, plain);
    census_done(c);
}

/* ------------------------------------------------------------------- naive -- */

/* All of it again with sorted arrays of whole positions. */
static void naive_ply(const struct layer *from, enum side turn, bool relative, struct layer *to)
{
    struct move_list list;

    for (size_t i = 0; i < from->count; i++) {
        struct board b = placement_board(from->placement[i], relative ? BLACK : turn);

        moves_generate(&b, &list);
        for (int k = 0; k < list.count; k++) {
            struct board child = board_after(&b, &list.move[k]);

            if (relative)
                child = board_flip(&child);
            assert_true(layer_push(to, placement_of(&child)));
        }
    }
    layer_sort(to);
}

static uint64_t remove_earlier(struct layer *ply, int number, bool relative)
{
    struct layer *now = &ply[number];
    size_t n = 0;

    for (size_t i = 0; i < now->count; i++) {
        bool seen = false;

        for (int k = relative ? 0 : number % 2; k < number; k += relative ? 1 : 2)
            seen = seen || layer_has(&ply[k], now->placement[i]);
        if (!seen)
            now->placement[n++] = now->placement[i];
    }
    return now->count = n;
}

static void check_naive(const struct board *start, int plies, enum census_counting counting)
{
    bool relative = counting == CENSUS_BRYANT;
    struct board first = relative && start->turn == WHITE ? board_flip(start) : *start;
    struct layer ply[12] = {{0}};
    struct census *c = census_of((struct census_options){
        .start = start, .plies = plies, .counting = counting, .threads = 2, .memory = 1});

    assert_true(layer_push(&ply[0], placement_of(&first)));
    for (int i = 1; i <= plies; i++) {
        naive_ply(&ply[i - 1], (enum side)(start->turn ^ ((i - 1) & 1)), relative, &ply[i]);
        assert_int_equal(remove_earlier(ply, i, relative), c->count[i]);
    }
    for (int i = 0; i <= plies; i++)
        layer_free(&ply[i]);
    census_done(c);
}

static void test_naive(void **state)
{
    struct rng r = rng_for_test("naive");
    int n = test_is_sanitized() ? 5 : 30;

    (void)state;
    check_naive(&board_start, test_is_sanitized() ? 5 : 8, CENSUS_PLAIN);
    check_naive(&board_start, test_is_sanitized() ? 5 : 8, CENSUS_BRYANT);
    for (int i = 0; i < n; i++) {
        struct board b = brute_walk(&r, 10 + rng_below(&r, 50));

        if (squares_count(b.kings) > 1)
            continue; /* a few more may come; there is a limit on kings */
        check_naive(&b, 4, CENSUS_PLAIN);
        check_naive(&b, 4, CENSUS_BRYANT);
    }
}

static void test_too_many_kings(void **state)
{
    struct board b = {.side = {squares_unpack(0x000000FF), squares_unpack(0xFF000000)},
                      .kings = squares_unpack(0xFF0000FF),
                      .turn = BLACK};
    struct census *c = malloc(sizeof *c);
    struct error e;

    (void)state;
    assert_int_equal(census_run(c, &(struct census_options){.start = &b, .plies = 2}, &e),
                     STATUS_OVERFLOW);
    census_done(c);
}

/* ------------------------------------------------------------------- files -- */

static struct census_options in_dir(const struct scratch *s, int plies)
{
    return (struct census_options){
        .plies = plies, .counting = CENSUS_BRYANT, .dir = s->path, .threads = 2, .memory = 1 << 22};
}

static const char *ply_file(const struct scratch *s, int ply, char out[SCRATCH_MAX])
{
    char name[32];

    snprintf(name, sizeof name, "ply-%02d.census", ply);
    return scratch_file(s, name, out);
}

/* (N3): one thread and much memory, three threads and little: the same bytes. */
static void test_same_bytes(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create();
    struct census_options one = in_dir(&a, 9), three = in_dir(&b, 9);
    char path[SCRATCH_MAX];

    (void)state;
    one.threads = 1;
    one.memory = 64 << 20;
    three.threads = 3;
    three.memory = 1;
    census_done(census_of(one));
    census_done(census_of(three));
    for (int ply = 0; ply < 9; ply++) {
        size_t m, n;
        uint8_t *x = file_read(ply_file(&a, ply, path), &m);
        uint8_t *y = file_read(ply_file(&b, ply, path), &n);

        assert_int_equal(m, n);
        assert_memory_equal(x, y, m);
        free(x);
        free(y);
    }
    assert_int_equal(scratch_count(&a), 9); /* nothing temporary is left */
    scratch_remove(&a);
    scratch_remove(&b);
}

static void test_resume(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX];
    struct census *c;

    (void)state;
    census_done(census_of(in_dir(&s, 4)));
    file_write(scratch_file(&s, "ply-04.census.tmp", path), "half", 4);
    file_write(scratch_file(&s, "spill-007.tmp", path), "half", 4);
    c = census_of(in_dir(&s, 8));
    check_counts(c, bryant);
    census_done(c);
    assert_int_equal(unlink(ply_file(&s, 5, path)), 0); /* a gap: made again from there */
    c = census_of(in_dir(&s, 8));
    check_counts(c, bryant);
    census_done(c);
    assert_int_equal(scratch_count(&s), 8);
    scratch_remove(&s);
}

static void expect_failure_of(const struct census_options *o, enum status expected,
                              const char *named)
{
    struct census *c = malloc(sizeof *c);
    struct error e = {0};

    assert_int_equal(census_run(c, o, &e), expected);
    if (!strstr(e.text, named))
        fail_msg("expected \"%s\" in \"%s\"", named, e.text);
    census_done(c);
}

static void expect_failure(const struct scratch *s, int plies, enum status expected,
                           const char *named)
{
    struct census_options o = in_dir(s, plies);

    expect_failure_of(&o, expected, named);
}

/* A flipped bit anywhere is an error that names the file; never another count. */
static void test_damage(void **state)
{
    struct rng r = rng_for_test("damage");
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX];

    (void)state;
    census_done(census_of(in_dir(&s, 6)));
    for (int i = 0; i < (test_is_sanitized() ? 20 : 100); i++) {
        int ply = rng_below(&r, 6);
        size_t size, at;
        uint8_t *bytes = file_read(ply_file(&s, ply, path), &size), *copy;

        copy = malloc(size);
        memcpy(copy, bytes, size);
        at = i % 2 ? (size_t)(rng_next(&r) % size) : (size_t)rng_below(&r, 80) % size;
        copy[at] ^= (uint8_t)(1 << rng_below(&r, 8));
        file_write(path, copy, i % 5 ? size : at);
        expect_failure(&s, 6, STATUS_DAMAGED, "ply-0");
        file_write(path, bytes, size);
        free(bytes);
        free(copy);
    }
    scratch_remove(&s);
}

/* A file with right sums that holds one code, the first that no position has. */
static void forge(const char *path, const struct bands *bands)
{
    enum { HEADER = 64, CELL = 24, ROW = 1, COLUMN = 2, INDEX = BANDS * BANDS * CELL };
    size_t size, run = 0;
    uint8_t *old = file_read(path, &size), *bytes = calloc(1, HEADER + 10 + INDEX), *index, *cell;

    assert_non_null(bytes);
    memcpy(bytes, old, HEADER);
    for (uint64_t delta = bands->first[BANDS] - bands->first[COLUMN]; delta; delta >>= 7)
        bytes[HEADER + run++] = (uint8_t)((delta & 127) | (delta > 127 ? 128 : 0));
    index = bytes + HEADER + run;
    cell = index + (size_t)(ROW * BANDS + COLUMN) * CELL;
    bytes_put(index + (size_t)ROW * BANDS * CELL, 8, HEADER); /* the row begins there */
    bytes_put(cell, 8, HEADER);
    bytes_put(cell + 8, 4, run);
    bytes_put(cell + 12, 4, bytes_get(bytes + 32, 8));
    bytes_put(cell + 16, 8, XXH3_64bits(bytes + HEADER, run));
    bytes_put(bytes + 40, 8, HEADER + run);
    bytes_put(bytes + 48, 8, XXH3_64bits(index, INDEX));
    bytes_put(bytes + 56, 8, XXH3_64bits(bytes, 56));
    file_write(path, bytes, HEADER + run + INDEX);
    free(bytes);
    free(old);
}

static void test_forged_code(void **state)
{
    struct scratch s = scratch_create();
    struct census *c = census_of(in_dir(&s, 4));
    char path[SCRATCH_MAX];

    (void)state;
    forge(ply_file(&s, 3, path), &c->bands);
    census_done(c);
    expect_failure(&s, 5, STATUS_DAMAGED, "ply-03.census: a code of another cell at byte 64");
    scratch_remove(&s);
}

/* (L4): what a directory holds is the answer to one question; to no other. */
static void test_other_question(void **state)
{
    struct scratch s = scratch_create();
    struct board start = golden_board("B:W25:B17,18"), flipped = board_flip(&start);
    struct census_options o = in_dir(&s, 4);
    struct census *first, *again;

    (void)state;
    o.start = &start;
    first = census_of(o);
    expect_failure(&s, 3, STATUS_MISMATCH, "from B:W25:B17,18, not from B:W21");
    o.counting = CENSUS_PLAIN;
    expect_failure_of(&o, STATUS_MISMATCH, "counted as bryant, not as plain");
    o.counting = CENSUS_BRYANT;
    o.start = &flipped; /* the same positions, seen from the other side */
    again = census_of(o);
    check_counts(again, first->count);
    census_done(first);
    census_done(again);
    scratch_remove(&s);
}

/* The same through the program: it printed the games and the counts of the first question. */
static void test_other_question_said(void **state)
{
    struct scratch s = scratch_create();

    (void)state;
    run_expect(ARGS("shortest", "--method", "bfs", "--plies", "3", "--list", "games", "--fen",
                    "B:W25:B17,18", "--dir", s.path),
               0, "18-23 25-22 17x26", "");
    run_expect(ARGS("shortest", "--method", "bfs", "--plies", "3", "--fen", "B:W30:BK22,21",
                    "--dir", s.path),
               2, "", "ply-00.census: holds another census: from B:W25:B17,18, not from B:W30");
    run_expect(ARGS("census", "--count", "bryant", "--plies", "3", "--dir", s.path), 2, "",
               "holds another census: from B:W25:B17,18");
    run_expect(ARGS("census", "--plies", "3", "--dir", s.path), 2, "",
               "counted as bryant, not as plain; use another directory");
    scratch_remove(&s);
}

/* A file of the format that did not name its start is not taken for an answer. */
static void test_old_format(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX];
    size_t size;
    uint8_t *bytes;

    (void)state;
    census_done(census_of(in_dir(&s, 2)));
    bytes = file_read(ply_file(&s, 0, path), &size);
    bytes[7] = '1';
    file_write(path, bytes, size);
    free(bytes);
    expect_failure(&s, 2, STATUS_DAMAGED, "does not name its start");
    scratch_remove(&s);
}

static void test_no_directory(void **state)
{
    struct scratch s = scratch_create(), below = s;
    char path[SCRATCH_MAX];

    (void)state;
    file_write(scratch_file(&s, "file", path), "", 0);
    strcat(below.path, "/file/census");
    expect_failure(&below, 3, STATUS_IO, "file/census");
    scratch_remove(&s);
}

/* A file size limit stands for a full disk. */
static void test_full_disk(void **state)
{
    struct scratch s = scratch_create();
    struct census *c;
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        struct rlimit limit = {600000, 600000};
        struct census_options o = in_dir(&s, 10);
        struct error e = {0};

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        c = malloc(sizeof *c);
        status = census_run(c, &o, &e);
        _exit(status == STATUS_IO && strstr(e.text, s.path) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    c = census_of(in_dir(&s, 9)); /* with room again */
    check_counts(c, bryant);
    census_done(c);
    scratch_remove(&s);
}

/* kill -9 at any time; the next run has the right counts. */
static void test_kill(void **state)
{
    struct rng r = rng_for_test("kill");
    int plies = test_is_sanitized() ? 8 : 10;

    (void)state;
    for (int i = 0; i < (test_is_long() ? 50 : 6); i++) {
        struct scratch s = scratch_create();
        struct census *c;
        pid_t child = fork();

        if (child == 0) {
            census_done(census_of(in_dir(&s, plies)));
            _exit(0);
        }
        usleep((useconds_t)rng_below(&r, 700000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        c = census_of(in_dir(&s, plies));
        check_counts(c, bryant);
        census_done(c);
        assert_int_equal(scratch_count(&s), plies);
        scratch_remove(&s);
    }
}

static bool stop_at_5(void *context, const struct census_report *r)
{
    (void)context;
    return r->ply < 5;
}

static void test_stop(void **state)
{
    struct scratch s = scratch_create();
    struct census_options o = in_dir(&s, 7);
    struct census *c = malloc(sizeof *c);
    struct error e;

    (void)state;
    o.report = stop_at_5;
    assert_int_equal(census_run(c, &o, &e), STATUS_INTERRUPTED);
    census_done(c);
    assert_int_equal(scratch_count(&s), 5);
    scratch_remove(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),      cmocka_unit_test(test_plain),
        cmocka_unit_test(test_naive),          cmocka_unit_test(test_too_many_kings),
        cmocka_unit_test(test_same_bytes),     cmocka_unit_test(test_resume),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_forged_code),
        cmocka_unit_test(test_other_question), cmocka_unit_test(test_other_question_said),
        cmocka_unit_test(test_old_format),     cmocka_unit_test(test_no_directory),
        cmocka_unit_test(test_full_disk),      cmocka_unit_test(test_kill),
        cmocka_unit_test(test_stop),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
