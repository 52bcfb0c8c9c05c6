/* SPDX-License-Identifier: MIT
 *
 * Histograms of slices against a count by probing each position, and against the headers of
 * the tables: (H1), (H2) of histogram.h. */
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "db/answer.h"
#include "report/histogram.h"

enum { TABLES = 4 };

static const struct table *table_of(const struct built *b, struct slice s, enum kind kind)
{
    const struct table *t;
    struct error e;

    if (catalog_table(tables_catalog(b->tables), s, kind, &t, &e))
        fail_msg("%s", e.text);
    return t;
}

static void read_all(const struct built *b, struct slice s, int mirror, enum kind kind,
                     uint64_t pages, struct histogram *h)
{
    struct error e;

    if (histogram_read(h, table_of(b, s, KIND_WLD), kind == KIND_WLD ? NULL : table_of(b, s, kind),
                       mirror, pages, NULL, &e))
        fail_msg("%s", e.text);
}

/* ---------------------------------------------------------------------- the twin -- */

static void count_set(uint64_t count[33][3], squares set, enum value v)
{
    for (int n = 1; n <= 32; n++)
        if (set & squares_of(square_from_number(n)))
            count[n][v]++;
}

/* The same by probing. */
static void count_slowly(const struct built *b, struct slice s, int mirror, enum kind kind,
                         struct histogram *h)
{
    const struct layout *l = table_layout(table_of(b, s, KIND_WLD), mirror);
    struct source source = source_from_tables(b->tables);

    memset(h, 0, sizeof *h);
    for (uint64_t i = 0; i < l->positions; i++) {
        struct outcome o;
        struct error e;
        struct view v;
        struct board at;

        layout_view(l, i, &v);
        at = view_board(&v, BLACK);
        if (board_must_capture(&at))
            continue;
        if (source.outcome(source.context, &at, kind, &o, &e))
            fail_msg("%s", e.text);
        h->count[o.value]++;
        if (o.value != VALUE_DRAW)
            h->plies[o.value][o.plies]++;
        count_set(h->square[HISTOGRAM_KING], at.side[BLACK] & at.kings, o.value);
        count_set(h->square[HISTOGRAM_MAN], at.side[BLACK] & ~at.kings, o.value);
        count_set(h->square[HISTOGRAM_OPP_KING], at.side[WHITE] & at.kings, o.value);
        count_set(h->square[HISTOGRAM_OPP_MAN], at.side[WHITE] & ~at.kings, o.value);
    }
}

static void test_by_probing(void **state)
{
    static const struct slice slices[] = {{1, 0, 1, 0}, {1, 1, 1, 0}, {0, 2, 0, 1}, {1, 0, 0, 1}};
    struct histogram *h = malloc(2 * sizeof *h);

    for (int i = 0; i < 4; i++)
        for (int mirror = 0; mirror < (slice_symmetric(slices[i]) ? 1 : 2); mirror++)
            for (int kind = KIND_DTC; kind <= KIND_DTW; kind++) {
                struct slice s = slice_canonical(slices[i]);

                read_all(*state, s, mirror, (enum kind)kind, UINT64_MAX, &h[0]);
                count_slowly(*state, s, mirror, (enum kind)kind, &h[1]);
                assert_memory_equal(h[0].count, h[1].count, sizeof h->count);
                assert_memory_equal(h[0].plies, h[1].plies, sizeof h->plies);
                assert_memory_equal(h[0].square, h[1].square, sizeof h->square);
            }
    free(h);
}

/* -------------------------------------------------------------------- the header -- */

static void check_header(const struct built *b, struct slice s, int mirror, struct histogram *h)
{
    const struct table_counts *told = &table_stats(table_of(b, s, KIND_DTW), mirror)->quiet;

    read_all(b, s, mirror, KIND_DTW, UINT64_MAX, h);
    assert_memory_equal(h->count, told->count, sizeof h->count);
    for (int v = VALUE_LOSS; v <= VALUE_WIN; v += VALUE_WIN - VALUE_LOSS) {
        uint64_t sum = 0;
        int longest = -1;

        for (int plies = 0; plies < HISTOGRAM_PLIES; plies++) {
            sum += h->plies[v][plies];
            longest = h->plies[v][plies] ? plies : longest;
        }
        assert_int_equal(sum, h->count[v]);
        assert_int_equal(longest, told->longest[v].plies);
    }
}

static void test_by_header(void **state)
{
    struct histogram *h = malloc(sizeof *h);
    struct slice list[SLICE_CODES];
    int n = slice_order(TABLES, PIECES_MAX, list);

    for (int i = 0; i < n; i++)
        for (int mirror = 0; mirror < (slice_symmetric(list[i]) ? 1 : 2); mirror++)
            check_header(*state, list[i], mirror, h);
    assert_true(n > 20);
    free(h);
}

/* A sample has as many pages as are allowed, and no position that is not there. */
static void test_sample(void **state)
{
    struct slice s = {2, 0, 2, 0};
    struct histogram *h = malloc(2 * sizeof *h);
    atomic_bool stop = true;
    struct error e;

    read_all(*state, s, 0, KIND_WLD, UINT64_MAX, &h[0]);
    read_all(*state, s, 0, KIND_WLD, 3, &h[1]);
    assert_int_equal(h[0].read, h[0].pages);
    assert_true(h[0].pages > 3);
    assert_int_equal(h[1].read, 3);
    for (int v = 0; v < 3; v++)
        assert_true(h[1].count[v] <= h[0].count[v]);
    assert_true(h[1].count[0] + h[1].count[1] + h[1].count[2] > TABLE_PAGE);
    assert_int_equal(histogram_read(&h[1], table_of(*state, s, KIND_WLD), NULL, 0, 3, &stop, &e),
                     STATUS_OK);
    assert_int_equal(h[1].read, 1); /* something, even if there is no time */
    free(h);
}

static int set_up(void **state)
{
    struct built *b = malloc(sizeof *b);

    *b = built_open(TABLES);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    built_close(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_probing),
        cmocka_unit_test(test_by_header),
        cmocka_unit_test(test_sample),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
