/* SPDX-License-Identifier: MIT
 *
 * Quick files: what a probe answers from them is what it answers from the tables, and whatever has
 * happened to a file is noticed (K1)-(K4); the code of a block against the runs it stands for. */
#include "kit/document.h"
#include "kit/flat_kit.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "base/bytes.h"
#include "core/movegen.h"
#include "db/quick_file.h"
#include "db/quick_lanes.h"

#include <unistd.h>
#include <xxhash.h>

struct world {
    int pieces;
    struct scratch dir;
    struct catalog *catalog;
    struct probe *plain; /* never looks at a quick file */
    struct sets *sets;
};

/* ----------------------------------------------------------------------- blocks -- */

/* Random runs of a mean length; some positions do not matter. */
static void block_random(struct rng *r, uint8_t values[QUICK_BLOCK],
                         uint64_t taking[QUICK_BLOCK / 64], uint32_t mean, uint32_t share)
{
    uint8_t v = (uint8_t)rng_below(r, 3);

    for (uint32_t i = 0; i < QUICK_BLOCK; i++) {
        if (rng_below(r, (int)mean) == 0)
            v = (uint8_t)rng_below(r, 3);
        values[i] = v;
        if (i % 64 == 0)
            taking[i / 64] = 0;
        taking[i / 64] |= (uint64_t)(rng_below(r, 100) < (int)share) << i % 64;
    }
}

/* All values of a block by lanes, with each instruction set, against one after the other. */
static void lanes_compare(const uint32_t *lookup, const uint8_t *bytes)
{
    static struct quick_lanes lanes;
    uint8_t values[QUICK_BLOCK];

    for (enum quick_isa isa = QUICK_PLAIN; isa < QUICK_ISAS; isa++) {
        quick_lanes_runner *run = quick_lanes_runner_of(isa);

        if (!run)
            continue; /* not on this processor */
        memset(values, 99, sizeof values);
        memset(&lanes, 0x99, sizeof lanes);
        lanes.count = 0;
        for (uint32_t i = 0, most = 1; i < QUICK_BLOCK; i++) { /* 1 lane, 2, ... as many as fit */
            quick_lanes_add(&lanes, lookup, bytes, i, QUICK_BLOCK - 1 - i);
            if (lanes.count < most && i + 1 < QUICK_BLOCK)
                continue;
            run(&lanes, values);
            assert_int_equal(lanes.count, 0);
            most = most < QUICK_LANES ? most + 1 : most;
        }
        run(&lanes, values);
        for (uint32_t i = 0; i < QUICK_BLOCK; i++)
            assert_int_equal(values[QUICK_BLOCK - 1 - i], quick_block_value(lookup, bytes, i));
    }
}

/* What a set of starts gives, position by position: the twin of quick_block_value. */
static void block_compare(const struct quick_coder *coder, const struct quick_lookup *lookup,
                          const uint8_t *values, const uint64_t *taking, struct quick_runs *runs)
{
    uint8_t bytes[QUICK_FLAT_BYTES + QUICK_SPARE] = {0}, again[QUICK_FLAT_BYTES];
    uint32_t which, other, size;

    quick_runs_find(runs, values, taking, 0, QUICK_BLOCK);
    if (runs->count < 2)
        return;
    size = quick_block_encode(coder, runs, bytes, &which);
    assert_true(size < QUICK_FLAT_BYTES);
    if (!size)
        return;
    memset(bytes + size, 0xFF, sizeof bytes - size); /* what follows does not matter */
    for (uint32_t i = 0; i < QUICK_BLOCK; i++)
        if (!(taking[i / 64] >> i % 64 & 1))
            assert_int_equal(quick_block_value(lookup->of[which], bytes, i), values[i]);
    lanes_compare(lookup->of[which], bytes);
    assert_int_equal(quick_block_encode(coder, runs, again, &other), size); /* (C3) */
    assert_int_equal(other, which);
    assert_memory_equal(again, bytes, size);
}

/* Codes from one kind of blocks, for all kinds of blocks. */
static void test_blocks(void **state)
{
    enum { SAMPLE = 40 };
    static const uint32_t means[] = {3, 10, 40, 200, 2000};
    struct rng r = rng_for_test("blocks");
    struct quick_runs *runs = malloc((SAMPLE + 1) * sizeof *runs), *sample[SAMPLE];
    struct quick_coder *coder = calloc(1, sizeof *coder);
    struct quick_lookup *lookup = malloc(sizeof *lookup);
    uint8_t values[QUICK_BLOCK];
    uint64_t taking[QUICK_BLOCK / 64];

    (void)state;
    for (uint32_t trial = 0; trial < 25; trial++) {
        uint32_t n = 0, mean = means[trial % 5];

        for (int i = 0; i < SAMPLE && trial != 7; i++) { /* once no sample at all */
            block_random(&r, values, taking, mean, trial * 4);
            quick_runs_find(&runs[n], values, taking, 0, QUICK_BLOCK);
            sample[n] = &runs[n];
            n += runs[n].count > 1;
        }
        quick_coder_train(coder, sample, n);
        assert_true(quick_lookup_fill(lookup, &coder->lengths));
        for (int i = 0; i < 60; i++) {
            block_random(&r, values, taking, means[i % 5], (uint32_t)rng_below(&r, 101));
            block_compare(coder, lookup, values, taking, &runs[SAMPLE]);
        }
    }
    free(runs);
    free(coder);
    free(lookup);
}

/* Lengths that are no prefix code are refused; any that are give values, from any bytes (C2). */
static void test_any_codes(void **state)
{
    struct rng r = rng_for_test("codes");
    struct quick_lengths *lengths = malloc(sizeof *lengths);
    struct quick_lookup *lookup = malloc(sizeof *lookup);
    uint8_t *bytes = malloc(QUICK_READ_MAX);
    int good = 0;

    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        memset(lengths, 0, sizeof *lengths);
        for (int i = 0; i < QUICK_CODES * 3 * (1 + trial % 40); i++)
            (&lengths->of[0][0][0])[rng_below(&r, QUICK_LENGTHS)] =
                (uint8_t)(trial % 2 ? 9 : rng_below(&r, 11));
        for (int i = 0; i < QUICK_READ_MAX; i++)
            bytes[i] = (uint8_t)(trial % 3 ? rng_next(&r) : 0);
        if (!quick_lookup_fill(lookup, lengths))
            continue;
        good++;
        for (int i = 0; i < 50; i++)
            assert_in_range(quick_block_value(lookup->of[i % QUICK_CODES], bytes,
                                              (uint32_t)rng_below(&r, QUICK_BLOCK)),
                            0, 2);
        lanes_compare(lookup->of[trial % QUICK_CODES], bytes);
    }
    memset(lengths, 1, sizeof *lengths);
    assert_false(quick_lookup_fill(lookup, lengths));
    memset(lengths, 0, sizeof *lengths);
    lengths->of[3][2][QUICK_ESCAPE] = QUICK_BITS + 1;
    assert_false(quick_lookup_fill(lookup, lengths));
    assert_true(good > 50);
    free(lengths);
    free(lookup);
    free(bytes);
}

/* --------------------------------------------------------------------- equality -- */

static struct probe *probe_make(struct world *w, uint64_t cache)
{
    struct probe *p;
    struct error e;

    if (probe_open(&p, w->catalog, cache, &e))
        fail_msg("%s", e.text);
    return p;
}

static void compare_one(struct world *w, struct probe *quick, const struct board *b, bool distance)
{
    enum value value, want, other;
    struct error e = {0};

    assert_int_equal(probe_value(w->plain, b, &want, &e), STATUS_OK);
    if (probe_value(quick, b, &value, &e) || value != want)
        fail_msg("%d, expected %d; %s", value, want, e.text);
    assert_true(probe_at_hand(quick, b, &other));
    assert_int_equal(other, want);
    if (distance) { /* decoded on top of the table's own values */
        struct outcome o, again;

        assert_int_equal(probe_outcome(w->plain, b, KIND_DTW, &o, &e), STATUS_OK);
        assert_int_equal(probe_outcome(quick, b, KIND_DTW, &again, &e), STATUS_OK);
        assert_true(outcome_equal(o, again));
    }
}

static void compare_view(struct world *w, struct probe *quick, struct slice s)
{
    struct layout l;

    assert_int_equal(layout_create(&l, s), 0);
    for (uint64_t i = 0; i < l.positions; i++) {
        struct view v;
        struct board b;

        layout_view(&l, i, &v);
        b = view_board(&v, i % 2 ? WHITE : BLACK);
        compare_one(w, quick, &b, i % 67 == 0);
    }
    layout_free(&l);
}

/* Every position of every slice. */
static void test_equal(void **state)
{
    struct world *w = *state;
    struct probe *quick = probe_make(w, 1 << 20);
    struct slice list[SLICE_CODES];
    int n = slice_order(w->pieces, w->pieces, list);

    for (int i = 0; i < n; i++) {
        compare_view(w, quick, list[i]);
        if (!slice_symmetric(list[i]))
            compare_view(w, quick, slice_flip(list[i]));
    }
    probe_close(&quick);
}

/* Random ones of more pieces, from tables of the test's long form only. */
static void test_more_pieces(void **state)
{
    struct rng r = rng_for_test("more");
    struct unpack_options o = {.form = UNPACK_QUICK, .pieces = 6, .max_side = 6, .threads = 2};
    struct world w = {.pieces = 6};
    struct probe *quick;
    struct built built;

    (void)state;
    if (!test_is_long())
        skip();
    built = built_open_wld(6);
    w.catalog = tables_catalog(built.tables);
    assert_int_equal(unpack_run(w.catalog, &o, NULL), STATUS_OK);
    w.plain = probe_make(&w, UINT64_C(1) << 28);
    probe_without_flat(w.plain);
    quick = probe_make(&w, 1 << 20);
    for (int i = 0; i < 3000000; i++) {
        struct board b = built_random(&r, 6);

        compare_one(&w, quick, &b, false);
    }
    probe_close(&quick);
    probe_close(&w.plain);
    built_close(&built);
}

/* ----------------------------------------------------------------- a small file -- */

/* One file, known byte by byte. */
struct known {
    const struct table *table;
    char path[SCRATCH_MAX];
    uint8_t *bytes;
    size_t size;
};

static struct known known_open(struct world *w, const char *name)
{
    struct known k;
    struct slice s;

    assert_true(slice_parse(name, &s));
    assert_int_equal(catalog_table(w->catalog, s, KIND_WLD, &k.table, NULL), STATUS_OK);
    quick_path(k.path, sizeof k.path, w->dir.path, s);
    k.bytes = file_read(k.path, &k.size);
    return k;
}

static void known_put(const struct known *k, const uint8_t *bytes, size_t size)
{
    unlink(k->path);
    file_write(k->path, bytes, size);
}

static void known_close(struct known *k)
{
    known_put(k, k->bytes, k->size);
    free(k->bytes);
}

/* Read all there is. */
static enum status known_read(struct world *w, const struct known *k, struct error *e)
{
    static struct quick_chapter c;
    static uint8_t values[TABLE_PAGE];
    struct quick *q;
    enum status rc = quick_open(&q, w->dir.path, k->table, e);

    c.number = QUICK_NO_CHAPTER;
    for (int m = 0; !rc && m < q->tables; m++)
        for (uint64_t page = 0; !rc && page < table_pages(k->table, m); page++)
            rc = quick_read(q, m, page, &c, values, e);
    quick_close(&q);
    return rc;
}

/* Make the sums right again: a forger's file, not a damaged one. */
static void known_seal(uint8_t *bytes, const struct known *k)
{
    struct quick_plan p = quick_plan_of(k->table);
    uint64_t all = p.chapters[0] + p.chapters[1];

    for (uint64_t i = 0; i < all; i++) {
        uint8_t *entry = bytes + p.index + QUICK_ENTRY * i;
        uint64_t at = bytes_get(entry, 8);
        uint64_t end = i + 1 < all ? bytes_get(entry + QUICK_ENTRY, 8) : k->size;

        if (at < end && end <= k->size)
            bytes_put(entry + 8, 8, XXH3_64bits(bytes + at, end - at));
    }
    bytes_put(bytes + QUICK_BODY_SUM, 8, XXH3_64bits(bytes + QUICK_HEADER, p.first - QUICK_HEADER));
    bytes_put(bytes + DERIVED_SUM, 8, XXH3_64bits(bytes, DERIVED_SUM));
}

/* ----------------------------------------------------------------------- damage -- */

/* Every byte of a small file, and every length. */
static void test_damage(void **state)
{
    struct world *w = *state;
    struct known k = known_open(w, "1C-1C");
    uint8_t *bytes = malloc(k.size);
    struct rng r = rng_for_test("damage");
    size_t step = test_is_sanitized() ? 7 : 1;

    assert_true(k.size < 40000);
    assert_int_equal(known_read(w, &k, NULL), STATUS_OK);
    memcpy(bytes, k.bytes, k.size);
    for (size_t i = 0; i < k.size; i += step) {
        struct error e = {0};
        enum status rc;

        bytes[i] ^= (uint8_t)(1u << rng_below(&r, 8));
        known_put(&k, bytes, k.size);
        rc = known_read(w, &k, &e);
        if (rc != STATUS_DAMAGED && rc != STATUS_FORMAT)
            fail_msg("byte %zu: status %d", i, rc);
        assert_non_null(strstr(e.text, k.path));
        assert_non_null(strstr(e.text, "kelso unpack --form quick"));
        bytes[i] = k.bytes[i];
    }
    for (size_t i = 0; i < k.size; i += step * 5) {
        known_put(&k, bytes, i);
        assert_int_not_equal(known_read(w, &k, NULL), STATUS_OK);
    }
    free(bytes);
    known_close(&k);
}

/* A probe passes damage on; it does not fall back silently, and never answers wrongly. */
static void test_probe_damaged(void **state)
{
    struct world *w = *state;
    struct known k = known_open(w, "1K1C-1C");
    struct quick_plan p = quick_plan_of(k.table);
    uint8_t *bytes = malloc(k.size);
    struct board b;
    struct view v;
    struct probe *probe;
    struct error e;
    enum value value;

    memcpy(bytes, k.bytes, k.size);
    bytes[p.first + 5] ^= 1;
    known_put(&k, bytes, k.size);
    layout_view(table_layout(k.table, 0), 0, &v);
    for (uint64_t i = 0; b = view_board(&v, BLACK), board_must_capture(&b); i++)
        layout_view(table_layout(k.table, 0), i, &v);
    probe = probe_make(w, 1 << 20);
    assert_int_equal(probe_value(probe, &b, &value, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, k.path));
    assert_false(probe_at_hand(probe, &b, &value));
    probe_close(&probe);
    free(bytes);
    known_close(&k);
}

/* Files with all sums right and anything inside: values are wrong, nothing breaks (K3). */
static void test_forged(void **state)
{
    struct world *w = *state;
    struct known k = known_open(w, "1K1C-1C");
    struct rng r = rng_for_test("forged");
    uint8_t *bytes = malloc(k.size);
    int read = 0;

    for (int trial = 0; trial < 300; trial++) {
        size_t from = trial % 2 ? (size_t)quick_plan_of(k.table).first : QUICK_HEADER;
        size_t n = 1 + (size_t)rng_below(&r, 64);
        size_t at = from + (size_t)rng_below(&r, (int)(k.size - from));

        memcpy(bytes, k.bytes, k.size);
        for (size_t i = at; i < at + n && i < k.size; i++)
            bytes[i] = (uint8_t)rng_next(&r);
        known_seal(bytes, &k);
        known_put(&k, bytes, k.size);
        read += known_read(w, &k, NULL) == STATUS_OK;
    }
    print_message("# %d of 300 were read\n", read);
    assert_true(read > 50 && read < 300);
    free(bytes);
    known_close(&k);
}

/* (K4): readers do without it, `unpack` makes it again. */
static void expect_stale(struct world *w, struct known *k, size_t at, const char *words)
{
    struct unpack_options o = {.form = UNPACK_QUICK, .pieces = 3, .max_side = 3, .threads = 2};
    uint8_t *bytes = malloc(k->size), *again;
    struct error e = {0};
    struct probe *p;
    struct board b;
    struct view v;
    enum value value;
    size_t size;

    memcpy(bytes, k->bytes, k->size);
    bytes[at] ^= 3;
    known_seal(bytes, k);
    known_put(k, bytes, k->size);
    assert_int_equal(known_read(w, k, &e), STATUS_MISMATCH);
    assert_non_null(strstr(e.text, words));
    p = probe_make(w, 1 << 20);
    layout_view(table_layout(k->table, 0), 0, &v);
    b = view_board(&v, BLACK);
    assert_int_equal(probe_value(p, &b, &value, NULL), STATUS_OK);
    probe_close(&p);
    assert_int_equal(unpack_run(w->catalog, &o, NULL), STATUS_OK);
    again = file_read(k->path, &size);
    assert_int_equal(size, k->size);
    assert_memory_equal(again, k->bytes, size);
    free(again);
    free(bytes);
}

static void test_stale(void **state)
{
    struct known k = known_open(*state, "1K1C-1C");

    expect_stale(*state, &k, 16, "another table");
    expect_stale(*state, &k, 8, "version 2, expected 1");
    known_close(&k);
}

/* (K2) */
static void test_same_bytes(void **state)
{
    struct world *w = *state;
    struct known k = known_open(w, "1K1C-1C");

    for (int threads = 1; threads <= 5; threads += 2) {
        struct crew crew;
        uint8_t *bytes;
        size_t size;

        assert_int_equal(crew_open(&crew, threads, NULL), 0);
        assert_int_equal(quick_make(w->dir.path, k.table, w->sets, &crew, NULL, NULL), STATUS_OK);
        crew_close(&crew);
        bytes = file_read(k.path, &size);
        assert_int_equal(size, k.size);
        assert_memory_equal(bytes, k.bytes, size);
        free(bytes);
    }
    known_close(&k);
}

/* ----------------------------------------------------------------------- verify -- */

static int verify_faults(struct world *w, const struct table *t, double fraction,
                         struct flat_faults *faults)
{
    struct verify_result r;

    faults_find(w->catalog, table_slice(t), fraction, faults, &r);
    assert_int_equal(r.quick, 1);
    assert_int_equal(r.faults, faults->count);
    return faults->count;
}

/* Verify sees a wrong value, and a wrong sum also where it decodes nothing. */
static void test_verify(void **state)
{
    struct world *w = *state;
    struct known k = known_open(w, "1K1C-1C");
    struct quick_plan p = quick_plan_of(k.table);
    uint8_t *bytes = malloc(k.size), *group = bytes + p.first;
    struct flat_faults faults;

    assert_int_equal(verify_faults(w, k.table, 1, &faults), 0);
    memcpy(bytes, k.bytes, k.size);
    for (int i = 0; i < QUICK_GROUP_BLOCKS; i++) { /* a block of several values has one */
        uint64_t entry = bytes_get(group + 4 + 2 * i, 2);

        if ((entry & 7) >= QUICK_FORM_CODE) {
            bytes_put(group + 4 + 2 * i, 2, VALUE_LOSS);
            break;
        }
    }
    assert_memory_not_equal(bytes, k.bytes, k.size);
    known_put(&k, bytes, k.size);
    assert_true(verify_faults(w, k.table, 0, &faults) >= 1);
    assert_non_null(strstr(faults.text, "checksum"));
    known_seal(bytes, &k);
    known_put(&k, bytes, k.size);
    assert_int_equal(verify_faults(w, k.table, 0, &faults), 0);
    assert_int_equal(verify_faults(w, k.table, 1, &faults), 1);
    assert_non_null(strstr(faults.text, "the wld table has"));
    free(bytes);
    known_close(&k);
}

/* All chapters beforehand; a flat file is preferred. */
static void test_fill(void **state)
{
    struct world *w = *state;
    struct probe *p = probe_make(w, 0);
    _Atomic uint64_t done = 0;
    struct crew crew;
    uint64_t count;

    assert_int_equal(probe_pages(p, w->pieces, &count, NULL), STATUS_OK);
    assert_int_equal(crew_open(&crew, 3, NULL), 0);
    assert_int_equal(probe_fill(p, w->pieces, &crew, &done, NULL), STATUS_OK);
    assert_int_equal(done, count);
    crew_close(&crew);
    probe_close(&p);
}

/* docs/format.md repeats the tables of quick.h for people. */
static void test_document(void **state)
{
    (void)state;
    assert_true(document_rows("src/db/quick.h") > 14);
}

static int world_open(void **state)
{
    static struct world w;
    struct unpack_options o = {
        .form = UNPACK_QUICK, .pieces = PIECES_MAX, .max_side = PIECES_MAX, .threads = 2};
    struct error e;

    w.pieces = test_is_sanitized() ? 3 : 4;
    w.dir = build_tables(w.pieces);
    assert_int_equal(catalog_open(&w.catalog, w.dir.path, NULL), STATUS_OK);
    w.plain = probe_make(&w, 1 << 24);
    probe_without_flat(w.plain);
    assert_non_null(w.sets = sets_create(8));
    if (unpack_run(w.catalog, &o, &e))
        fail_msg("%s", e.text);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    sets_free(&w->sets);
    probe_close(&w->plain);
    catalog_close(&w->catalog);
    scratch_remove(&w->dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_any_codes),
        cmocka_unit_test(test_equal),      cmocka_unit_test(test_more_pieces),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_probe_damaged),
        cmocka_unit_test(test_forged),     cmocka_unit_test(test_stale),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_verify),
        cmocka_unit_test(test_fill),       cmocka_unit_test(test_document),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
