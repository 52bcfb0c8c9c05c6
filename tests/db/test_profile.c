/* SPDX-License-Identifier: MIT
 *
 * Profiles: that every probe is counted, once and in its slice; the file; the choice of forms; and
 * the commands that use them. */
#include "kit/built.h"
#include "kit/run.h"
#include "kit/test.h"

#include "base/files.h"
#include "core/movegen.h"
#include "db/forms.h"
#include "proof/solve.h"

#include <unistd.h>

enum { PIECES = 4 };

static int setup(void **state)
{
    return built_setup(state, PIECES);
}

static struct profile *profile_create(void)
{
    struct profile *p = calloc(1, sizeof *p);

    assert_non_null(p);
    p->clock = CLOCK_MONOTONIC;
    return p;
}

/* -------------------------------------------------------------------- counting -- */

/* The slow twin: what looking up b takes, by canonical slice.  Returns the value of b. */
static enum value count_slowly(struct tables *t, const struct board *b, uint64_t *count)
{
    struct view view = view_of(b);
    enum value best = VALUE_LOSS, v;
    struct move_list list;

    if (!b->side[b->turn])
        return VALUE_LOSS;
    if (!board_must_capture(b)) {
        count[slice_code(slice_canonical(view_slice(&view)))]++;
        assert_int_equal(tables_value(t, b, &v, NULL), STATUS_OK);
        return v;
    }
    moves_generate(b, &list);
    for (int i = 0; i < list.count && best != VALUE_WIN; i++) {
        struct board next = board_after(b, &list.move[i]);

        v = value_negate(count_slowly(t, &next, count));
        best = v > best ? v : best;
    }
    return best;
}

static void test_counts(void **state)
{
    struct built *built = *state;
    struct rng r = rng_for_test("counts");
    struct profile *p = profile_create();
    uint64_t *want = calloc(SLICE_CODES, sizeof *want), all = 0, sum = 0;
    struct profile_line lines[SLICE_CODES];
    int n, positions = 5000;

    for (int i = 0; i < positions; i++) {
        struct board b = built_random(&r, PIECES);
        enum value v, slow = count_slowly(built->tables, &b, want);

        tables_profile(built->tables, p);
        assert_int_equal(tables_value(built->tables, &b, &v, NULL), STATUS_OK);
        tables_profile(built->tables, NULL);
        assert_int_equal(v, slow);
    }
    n = profile_lines(p, lines);
    for (int i = 0; i < n; i++) {
        assert_int_equal(lines[i].probes, want[slice_code(lines[i].slice)]);
        assert_true(i == 0 || lines[i - 1].seconds >= lines[i].seconds);
        sum += lines[i].probes;
    }
    for (int i = 0; i < SLICE_CODES; i++)
        all += want[i];
    assert_int_equal(sum, all);
    assert_int_equal(p->positions, positions);
    free(want);
    free(p);
}

static void boards_read(const void *boards, size_t first, size_t count, const struct views *views)
{
    for (size_t i = 0; i < count; i++)
        views_set(views, i, view_of((const struct board *)boards + first + i));
}

static void test_batch_counts(void **state)
{
    struct built *built = *state;
    struct rng r = rng_for_test("batch");
    struct profile *p = profile_create();
    struct board boards[500];
    struct profile_line lines[SLICE_CODES];
    struct view_source source = {boards_read, boards};
    int8_t values[500];
    uint64_t quiet = 0, sum = 0;

    for (int i = 0; i < 500; i++) {
        do
            boards[i] = built_random(&r, PIECES);
        while (board_must_capture(&boards[i]));
        quiet++;
    }
    tables_profile(built->tables, p);
    assert_int_equal(tables_batch(built->tables, &source, 500, values, NULL), STATUS_OK);
    tables_profile(built->tables, NULL);
    for (int i = 0, n = profile_lines(p, lines); i < n; i++)
        sum += lines[i].probes;
    assert_int_equal(sum, quiet);
    free(p);
}

/* The tables and the solver count the same answers, on one thread and on two.  Closures ask the
 * tables too, which the solver does not count as probes. */
static void test_solver(void **state)
{
    struct built *built = *state;
    struct rng r = rng_for_test("solver");
    struct tables *few = built_few(built, PIECES - 1);

    for (int threads = 1; threads <= 2; threads++) {
        struct dfpn_options o = {
            .memory = 16 << 20, .threads = threads, .knobs = dfpn_default, .tables = few};
        struct profile *p = profile_create();
        struct profile_line lines[SLICE_CODES];
        uint64_t sum = 0, before;
        struct dfpn *d;

        assert_int_equal(dfpn_open(&d, &o, NULL), STATUS_OK);
        tables_profile(few, p);
        for (int exact = 0; exact < 20;) {
            struct board b = built_random(&r, PIECES);
            struct solution s;

            if (tables_knows(few, &b))
                continue; /* the answer to the root is no probe of the search */
            dfpn_clear(d);
            before = p->positions;
            assert_int_equal(solve_position(d, &b, (struct solve_hint){.bounds = bounds_unknown},
                                            (struct dfpn_limits){.nodes = 2000}, &s, NULL),
                             STATUS_OK);
            assert_true(p->positions - before >= s.work.probes);
            if (s.work.checks == 0)
                assert_int_equal(p->positions - before, s.work.probes);
            exact += s.work.checks == 0 && s.work.probes > 10;
        }
        tables_profile(few, NULL);
        dfpn_close(&d);
        for (int i = 0, n = profile_lines(p, lines); i < n; i++)
            sum += lines[i].probes;
        assert_true(sum > 200);
        free(p);
    }
    tables_close(&few);
}

/* Nothing is at hand in new tables: each page is decoded once. */
static void test_decodes(void **state)
{
    struct built *built = *state;
    struct tables *fresh = built_few(built, 2);
    struct profile *p = profile_create();
    struct profile_line lines[SLICE_CODES];
    struct rng r = rng_for_test("decodes");
    uint64_t decoded = 0;

    tables_profile(fresh, p);
    for (int i = 0; i < 500; i++) {
        struct board b = built_random(&r, 2);
        enum value v;

        assert_int_equal(tables_value(fresh, &b, &v, NULL), STATUS_OK);
    }
    for (int i = 0, n = profile_lines(p, lines); i < n; i++) {
        decoded += lines[i].decodes;
        assert_true(lines[i].seconds > 0);
    }
    assert_true(decoded > 0);
    assert_int_equal(decoded, tables_stats(fresh).decoded);
    free(p);
    tables_close(&fresh);
}

/* -------------------------------------------------------------------- the file -- */

static void test_file(void **state)
{
    struct built *built = *state;
    struct profile_line lines[3] = {{{2, 1, 1, 2}, 5, 2, 0.25},
                                    {{1, 0, 1, 0}, UINT64_MAX, 0, 0},
                                    {{3, 0, 0, 3}, 0, 7, 123456.5}};
    struct profile_line back[SLICE_CODES];
    char path[SCRATCH_MAX];
    int n;

    scratch_file(&built->dir, "use.txt", path);
    assert_int_equal(profile_write(path, lines, 3, NULL), STATUS_OK);
    assert_int_equal(profile_read(path, back, &n, NULL), STATUS_OK);
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(slice_equal(back[i].slice, lines[i].slice));
        assert_int_equal(back[i].probes, lines[i].probes);
        assert_int_equal(back[i].decodes, lines[i].decodes);
        assert_true(back[i].seconds == lines[i].seconds);
    }
    assert_int_equal(unlink(path), 0);
}

/* (P2) */
static void test_bad_files(void **state)
{
    static const struct {
        const char *text, *wrong;
    } bad[] = {
        {"", "no slice"},
        {"# nothing\n\n", "no slice"},
        {"1K-1K 1 2 0.5\n2K-1K 1 2\n", "line 2: expected four words"},
        {"\n#\n1K-1K 1 2 0.5 7\n", "line 3: expected four words, found more"},
        {"1K1K 1 2 0.5\n", "line 1: the first word"},
        {"9K-9K 1 2 0.5\n", "line 1: the first word"},
        {"1K-1K -1 2 0.5\n", "line 1: the number of probes"},
        {"1K-1K 1 99999999999999999999 0.5\n", "line 1: the number of decodes"},
        {"1K-1K 1 2x 0.5\n", "line 1: the number of decodes"},
        {"1K-1K 1 2 nan\n", "line 1: the seconds"},
        {"1K-1K 1 2 -0.5\n", "line 1: the seconds"},
        {"1K-1K 1 2 1.2.3\n", "line 1: the seconds"},
        {"1K-1C 1 2 1\n1C-1K 1 2 1", "line 2: this slice already has a line"},
    };
    struct built *built = *state;
    struct profile_line lines[SLICE_CODES];
    char path[SCRATCH_MAX];
    struct error e;
    int n;

    scratch_file(&built->dir, "bad.txt", path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(file_replace(path, bad[i].text, strlen(bad[i].text), NULL), STATUS_OK);
        assert_int_equal(profile_read(path, lines, &n, &e), STATUS_FORMAT);
        if (!strstr(e.text, bad[i].wrong) || !strstr(e.text, path))
            fail_msg("'%s' is not in '%s'", bad[i].wrong, e.text);
    }
    assert_int_equal(file_replace(path, "1K-1K 1\0 2 3\n", 13, NULL), STATUS_OK);
    assert_int_equal(profile_read(path, lines, &n, &e), STATUS_FORMAT);
    assert_non_null(strstr(e.text, "line 1: this is not text"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(profile_read(path, lines, &n, &e), STATUS_MISSING);
}

/* -------------------------------------------------------------------- choosing -- */

static struct form_costs costs_of(struct slice s, uint64_t quick, double saves, uint64_t flat,
                                  double more)
{
    return (struct form_costs){.slice = s,
                               .bytes = {[FORM_QUICK] = quick, [FORM_FLAT] = flat},
                               .saves = {[FORM_QUICK] = saves, [FORM_FLAT] = more}};
}

static void test_choice(void **state)
{
    struct form_costs c[3] = {costs_of((struct slice){1, 0, 1, 0}, 100, 1, 500, 1.5),
                              costs_of((struct slice){2, 0, 1, 0}, 100, 3, 500, 3.1),
                              costs_of((struct slice){2, 0, 2, 0}, 10, -1, 50, -0.5)};

    (void)state;
    assert_int_equal(forms_choose(c, 3, 99), 0);
    assert_int_equal(forms_choose(c, 3, 150), 100);
    assert_int_equal(c[0].chosen, FORM_COMPRESSED);
    assert_int_equal(c[1].chosen, FORM_QUICK);
    assert_int_equal(forms_choose(c, 3, 200), 200);
    assert_int_equal(forms_choose(c, 3, 600), 600); /* one of the two can be flat */
    assert_int_equal(c[0].chosen, FORM_FLAT);
    assert_int_equal(c[1].chosen, FORM_QUICK);
    assert_int_equal(forms_choose(c, 3, 100000), 1000);
    assert_int_equal(c[2].chosen, FORM_COMPRESSED); /* (F2) */
}

/* (F1) to (F3) on random costs. */
static void test_random_choices(void **state)
{
    enum { N = 40 };
    struct rng r = rng_for_test("choices");
    struct slice list[SLICE_CODES];

    (void)state;
    assert_true(slice_order(6, 6, list) >= N);
    for (int round = 0; round < 300; round++) {
        struct form_costs a[N], b[N];
        uint64_t memory = (uint64_t)rng_below(&r, 30000), taken, sum = 0;

        for (int i = 0; i < N; i++)
            a[i] = costs_of(list[i], 1 + (uint64_t)rng_below(&r, 500), rng_below(&r, 20) - 4,
                            1 + (uint64_t)rng_below(&r, 2000), rng_below(&r, 20) - 4);
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i];
        taken = forms_choose(a, N, memory);
        assert_int_equal(forms_choose(b, N, memory), taken);
        assert_true(taken <= memory);
        for (int i = 0; i < N; i++) {
            sum += a[i].chosen ? a[i].bytes[a[i].chosen] : 0;
            assert_int_equal(a[i].chosen, b[N - 1 - i].chosen);
            assert_true(a[i].chosen == FORM_COMPRESSED || a[i].saves[a[i].chosen] > 0);
            if (!a[i].chosen) /* nothing that pays and fits is left */
                for (int f = FORM_QUICK; f < FORMS; f++)
                    assert_true(a[i].saves[f] <= 0 || a[i].bytes[f] > memory - taken);
        }
        assert_int_equal(sum, taken);
    }
}

/* ------------------------------------------------------------------ the commands -- */

static void text_put(const char *path, const char *text)
{
    assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

static int file_there(const struct built *built, const char *name)
{
    char path[SCRATCH_MAX];

    return access(scratch_file(&built->dir, name, path), F_OK) == 0;
}

static void test_commands(void **state)
{
    struct built *built = *state;
    const char *dir = built->dir.path;
    char use[SCRATCH_MAX];
    const char *summary;
    struct run a, b;
    uint64_t taken;

    scratch_file(&built->dir, "use.txt", use);
    run_expect(ARGS("solve", "--dir", dir, "--pieces", "3", "--threads", "1", "--nodes", "3000",
                    "--profile", use, "B:W30,31:B7,16"),
               1, "probes of", "");
    run_expect(ARGS("unpack", "--dir", dir, "--profile", use), 2, "", "give --memory");
    run_expect(ARGS("unpack", "--dir", dir, "--memory", "1M"), 2, "", "give --profile");
    run_expect(ARGS("unpack", "--dir", dir, "--profile", use, "--memory", "1M", "--form", "flat"),
               2, "", "do not give these as well");
    text_put(use, "1K1C-1C 1000 9 5\n2K-1K 1000 9 1\n5K-5K 1 1 1\n");
    a = run_kelso(ARGS("unpack", "--dir", dir, "--profile", use, "--memory", "8K", "--json"), NULL,
                  0);
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "\"missing\":1"));
    assert_non_null(summary = strstr(a.out, "\"left_out\""));
    assert_non_null(summary = strstr(summary, "\"bytes\":"));
    taken = strtoull(summary + strlen("\"bytes\":"), NULL, 10);
    assert_true(taken > 0 && taken <= 8192);
    assert_false(file_there(built, "2K-1K.flat") && file_there(built, "1K1C-1C.flat"));
    b = run_kelso(ARGS("unpack", "--dir", dir, "--profile", use, "--memory", "1M"), NULL, 0);
    assert_int_equal(b.status, 0);
    assert_true(file_there(built, "2K-1K.flat") && file_there(built, "1K1C-1C.flat"));
    assert_false(file_there(built, "1K-1K.flat") || file_there(built, "1K-1K.quick"));
    run_free(&a);
    run_free(&b);
    text_put(use, "1K1C-1C 1000\n");
    run_expect(ARGS("unpack", "--dir", dir, "--profile", use, "--memory", "1M"), 2, "",
               "use.txt, line 1: expected four words");
    assert_int_equal(unlink(use), 0);
    run_expect(ARGS("unpack", "--dir", dir, "--remove"), 0, "files removed", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_batch_counts),
        cmocka_unit_test(test_solver),   cmocka_unit_test(test_decodes),
        cmocka_unit_test(test_file),     cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_choice),   cmocka_unit_test(test_random_choices),
        cmocka_unit_test(test_commands),
    };

    return cmocka_run_group_tests(tests, setup, built_teardown);
}
