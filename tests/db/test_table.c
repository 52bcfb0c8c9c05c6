/* SPDX-License-Identifier: MIT
 *
 * Table files: what is written is read, (T1) a failure leaves nothing behind, (T2)
 * the same values make the same bytes, (T3) no damage passes for a value. */
#include "kit/built.h"
#include "kit/document.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "base/bytes.h"
#include "db/codec_map.h"
#include "db/table.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <xxhash.h>

static const struct slice small = {1, 0, 0, 1}; /* 1K-1C: one page a table */
static const struct slice even = {0, 1, 0, 1};  /* 1C-1C: one table */
static const struct slice large = {2, 1, 1, 1}; /* hundreds of pages a table */

/* ------------------------------------------------------- values of our own -- */

struct kit { /* what all tests share */
    struct sets *sets;
    struct table_scratch *scratch;
};

struct pages { /* of one table: what a builder would hand over */
    const struct kit *kit;
    uint64_t positions;
    uint8_t *value;
    uint16_t *distance;
};

/* Values do not matter where the mover has a capture. */
static void pages_mask(struct pages *p, const struct layout *l)
{
    struct codec_map *map = malloc(sizeof *map);

    for (uint64_t first = 0; first < p->positions; first += TABLE_PAGE) {
        uint64_t left = p->positions - first;

        codec_map_fill(map, l, p->kit->sets, first,
                       left < TABLE_PAGE ? (uint32_t)left : TABLE_PAGE);
        for (uint32_t i = 0; i < map->n; i++)
            if (codec_map_bit(map->taking, i)) {
                p->value[first + i] = TABLE_ANY;
                p->distance[first + i] = TABLE_ANY_DISTANCE;
            }
    }
    free(map);
}

/* Runs of values of random lengths, some long enough to fill pages. */
static struct pages pages_random(struct rng *r, const struct kit *kit, struct slice s)
{
    struct pages p = {.kit = kit};
    struct layout l;
    uint64_t i = 0;

    assert_int_equal(layout_create(&l, s), 0);
    p.positions = l.positions;
    p.value = malloc(p.positions);
    p.distance = malloc(2 * p.positions);
    assert_true(p.value && p.distance);
    while (i < p.positions) {
        uint64_t run = 1 + rng_next(r) % (UINT64_C(1) << rng_below(r, 19));
        uint8_t v = (uint8_t)rng_below(r, 3);
        int n = 2 * rng_below(r, 120), spread = 1 + rng_below(r, 6);

        for (; run > 0 && i < p.positions; run--, i++) {
            p.value[i] = v;
            p.distance[i] = v == VALUE_WIN    ? (uint16_t)(n + rng_below(r, spread) * 2 + 1)
                            : v == VALUE_LOSS ? (uint16_t)(n + rng_below(r, spread) * 2)
                                              : TABLE_ANY_DISTANCE;
        }
    }
    pages_mask(&p, &l);
    layout_free(&l);
    return p;
}

static void pages_free(struct pages *p)
{
    free(p->value);
    free(p->distance);
}

/* Counts that fit the number of positions; nothing else is asked of statistics. */
static struct table_stats stats_for(const struct pages *p, enum kind kind)
{
    struct table_record none = {-1, 0}, some = {41, p->positions - 1};
    struct table_counts c = {{p->positions - 3, 1, 2}, {none, none, none}};
    struct table_stats s = {c, {{0, 1, 2}, {none, none, none}}};

    if (kind != KIND_WLD)
        s.all.longest[VALUE_WIN] = some;
    return s;
}

/* ------------------------------------------------------------ write and read -- */

/* The distances of the page, with those that matter only. */
static const uint16_t *page_distances(const struct pages *p, uint64_t page)
{
    return p->distance + page * TABLE_PAGE;
}

static uint32_t page_length(const struct pages *p, uint64_t page)
{
    uint64_t left = p->positions - page * TABLE_PAGE;

    return left < TABLE_PAGE ? (uint32_t)left : TABLE_PAGE;
}

static void writer_train(struct table_writer *w, int mirror, const struct pages *p, enum kind kind)
{

    for (uint64_t page = 0; page * TABLE_PAGE < p->positions; page += 3)
        table_writer_train(w, p->kit->scratch, mirror, page, p->value + page * TABLE_PAGE,
                           kind == KIND_WLD ? NULL : page_distances(p, page));
    table_writer_train_end(w, mirror);
}

/* Writes wld (and fills in what a reader will see), then the distances. */
static enum status write_kind(const char *dir, struct slice s, enum kind kind, struct pages p[2],
                              struct error *e)
{
    int tables = slice_symmetric(s) ? 1 : 2;
    struct table_page *page = malloc(sizeof *page);
    struct table_stats stats[2] = {stats_for(&p[0], kind), stats_for(&p[1], kind)};
    struct table_writer *w;
    enum status rc = table_writer_create(&w, dir, s, kind, e);

    for (int m = 0; m < tables && !rc; m++)
        writer_train(w, m, &p[m], kind);
    for (int m = 0; m < tables && !rc; m++)
        for (uint64_t i = 0; i * TABLE_PAGE < p[m].positions && !rc; i++) {
            table_page_encode(w, p->kit->scratch, m, i, p[m].value + i * TABLE_PAGE,
                              kind == KIND_WLD ? NULL : page_distances(&p[m], i), page);
            rc = table_writer_append(w, page, e);
        }
    free(page);
    if (rc)
        table_writer_abandon(&w);
    else
        rc = table_writer_finish(&w, stats, e);
    assert_null(w);
    return rc;
}

static void write_pair(const char *dir, struct slice s, enum kind kind, struct pages p[2])
{
    struct error e;

    if (write_kind(dir, s, KIND_WLD, p, &e) || write_kind(dir, s, kind, p, &e))
        fail_msg("%s", e.text);
}

static void compare(const struct table *wld, const struct table *dist, int mirror,
                    const struct pages *told, const struct pages *filled)
{
    static uint8_t value[TABLE_PAGE];
    static uint16_t distance[TABLE_PAGE];

    for (uint64_t i = 0; i < table_pages(wld, mirror); i++) {
        uint32_t n = table_page_length(wld, mirror, i), one;
        bool alike;

        assert_int_equal(n, page_length(told, i));
        assert_int_equal(table_read_values(wld, told->kit->scratch, mirror, i, value, NULL),
                         STATUS_OK);
        assert_int_equal(
            table_read_distances(dist, told->kit->scratch, mirror, i, value, distance, NULL),
            STATUS_OK);
        assert_false(table_page_one(dist, mirror, i, &one));
        alike = table_page_one(wld, mirror, i, &one);
        for (uint32_t k = 0; k < n; k++) {
            uint64_t at = i * TABLE_PAGE + k;

            assert_true(!alike || value[k] == one);
            if (value[k] != filled->value[at] || value[k] > VALUE_WIN ||
                (told->value[at] != TABLE_ANY && value[k] != told->value[at]) ||
                (told->distance[at] != TABLE_ANY_DISTANCE && distance[k] != told->distance[at]))
                fail_msg("table %d, position %lu", mirror, (unsigned long)at);
        }
    }
}

static void round_trip(struct rng *r, const struct kit *kit, struct slice s, enum kind kind)
{
    struct scratch dir = scratch_create();
    struct pages told[2] = {pages_random(r, kit, s), pages_random(r, kit, slice_flip(s))},
                 filled[2];
    struct table *wld, *dist;

    for (int m = 0; m < 2; m++) {
        filled[m] = told[m];
        filled[m].value = malloc(told[m].positions);
        memcpy(filled[m].value, told[m].value, told[m].positions);
    }
    write_pair(dir.path, s, kind, filled);
    assert_int_equal(scratch_count(&dir), 2);
    wld = built_table(dir.path, s, KIND_WLD);
    dist = built_table(dir.path, s, kind);
    assert_true(slice_equal(table_slice(dist), slice_canonical(s)));
    assert_int_equal(table_kind(dist), kind);
    assert_int_equal(table_stats(dist, 0)->all.longest[VALUE_WIN].plies, 41);
    assert_int_equal(table_stats(dist, 0)->all.longest[VALUE_LOSS].plies, -1);
    for (int m = 0; m < (slice_symmetric(s) ? 1 : 2); m++)
        compare(wld, dist, m, &told[m], &filled[m]);
    table_close(&wld);
    table_close(&dist);
    for (int m = 0; m < 2; m++) {
        free(filled[m].value);
        pages_free(&told[m]);
    }
    scratch_remove(&dir);
}

static void test_round_trip(void **state)
{
    struct rng r = rng_for_test("round trip");

    (void)state;
    round_trip(&r, *state, small, KIND_DTW);
    round_trip(&r, *state, even, KIND_DTC);
    round_trip(&r, *state, large, KIND_DTC);
    if (!test_is_sanitized())
        round_trip(&r, *state, large, KIND_DTW);
}

/* (T2) */
static void test_same_bytes(void **state)
{
    struct rng r = rng_for_test("same bytes"), again = r;
    uint8_t *bytes[2];
    size_t size[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scratch dir = scratch_create();
        struct rng *g = i ? &again : &r;
        struct pages p[2] = {pages_random(g, *state, small),
                             pages_random(g, *state, slice_flip(small))};
        char path[SCRATCH_MAX];

        write_pair(dir.path, small, KIND_DTW, p);
        bytes[i] = file_read(scratch_file(&dir, "1K-1C.dtw", path), &size[i]);
        pages_free(&p[0]);
        pages_free(&p[1]);
        scratch_remove(&dir);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* ------------------------------------------------------------------- damage -- */

struct damage { /* a small pair of files, and copies to spoil */
    struct scratch dir;
    struct pages page[2];
    char wld[SCRATCH_MAX], dtw[SCRATCH_MAX];
    uint8_t *bytes;
    size_t size;
};

static struct damage damage_create(struct rng *r, const struct kit *kit)
{
    struct damage d = {.dir = scratch_create()};

    d.page[0] = pages_random(r, kit, small);
    d.page[1] = pages_random(r, kit, slice_flip(small));
    write_pair(d.dir.path, small, KIND_DTW, d.page);
    scratch_file(&d.dir, "1K-1C.wld", d.wld);
    scratch_file(&d.dir, "1K-1C.dtw", d.dtw);
    d.bytes = file_read(d.wld, &d.size);
    return d;
}

static void damage_free(struct damage *d)
{
    free(d->bytes);
    pages_free(&d->page[0]);
    pages_free(&d->page[1]);
    scratch_remove(&d->dir);
}

/* Open a file and read all of it; the first error. */
static enum status read_whole(const struct kit *kit, const char *path, struct error *e)
{
    static uint8_t value[TABLE_PAGE];
    struct table *t;
    enum status rc = table_open(&t, path, e);

    if (rc)
        return rc;
    for (int m = 0; m < 2; m++)
        for (uint64_t i = 0; i < table_pages(t, m) && !rc; i++)
            rc = table_read_values(t, kit->scratch, m, i, value, e);
    table_close(&t);
    return rc;
}

static void expect_fault(struct damage *d, const uint8_t *bytes, size_t size, size_t at)
{
    struct error e = {0};

    file_write(d->wld, bytes, size);
    if (read_whole(d->page[0].kit, d->wld, &e) == STATUS_OK)
        fail_msg("%zu bytes, damage at %zu: read as if nothing had happened", size, at);
    assert_non_null(strstr(e.text, d->wld));
}

static void test_bit_flips(void **state)
{
    struct rng r = rng_for_test("bit flips");
    struct damage d = damage_create(&r, *state);

    (void)state;
    for (size_t at = 0; at < d.size; at += at < 512 ? 1 : 1 + (size_t)rng_below(&r, 9)) {
        uint8_t bit = (uint8_t)(1 << rng_below(&r, 8));

        d.bytes[at] ^= bit;
        expect_fault(&d, d.bytes, d.size, at);
        d.bytes[at] ^= bit;
    }
    damage_free(&d);
}

static void test_cut_and_extended(void **state)
{
    struct rng r = rng_for_test("cut");
    struct damage d = damage_create(&r, *state);

    (void)state;
    for (size_t size = 0; size < d.size; size += 1 + (size_t)rng_below(&r, 7))
        expect_fault(&d, d.bytes, size, size);
    d.bytes[d.size] = 0; /* file_read leaves room for one more */
    expect_fault(&d, d.bytes, d.size + 1, d.size);
    damage_free(&d);
}

static void seal(uint8_t *bytes, size_t size)
{
    uint64_t models = 0, sum;

    memcpy(&models, bytes + 48, 8);
    if (models < size) {
        sum = XXH3_64bits(bytes + models, size - models);
        memcpy(bytes + 88, &sum, 8);
    }
    sum = XXH3_64bits(bytes, 504);
    memcpy(bytes + 504, &sum, 8);
}

/* A forger who makes the sums right may get wrong values through, but no access
 * outside the file (AddressSanitizer would notice), and an error names the file. */
static void test_forged(void **state)
{
    enum { ROUNDS = 1500 };
    struct rng r = rng_for_test("forged");
    struct damage d = damage_create(&r, *state);
    uint8_t *copy = malloc(d.size);
    int opened = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int changes = 1 + rng_below(&r, 3);
        struct error e = {0};
        enum status rc;

        memcpy(copy, d.bytes, d.size);
        while (changes--) {
            size_t at = rng_below(&r, 2) ? (size_t)rng_below(&r, 504)
                                         : d.size - 1 - (size_t)rng_below(&r, (int)d.size - 512);
            copy[at] = (uint8_t)rng_next(&r);
        }
        seal(copy, d.size);
        file_write(d.wld, copy, d.size);
        rc = read_whole(*state, d.wld, &e);
        assert_true(rc == STATUS_OK || rc == STATUS_FORMAT || rc == STATUS_DAMAGED);
        if (rc != STATUS_OK)
            assert_non_null(strstr(e.text, d.wld));
        opened += rc == STATUS_OK;
    }
    print_message("# forged: %d of %d could be read\n", opened, ROUNDS);
    assert_true(opened > 0 && opened < ROUNDS); /* both ways were taken */
    free(copy);
    damage_free(&d);
}

static void test_not_a_table(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct table *t;
    struct error e;

    (void)state;
    scratch_file(&dir, "2K-1K.wld", path);
    assert_int_equal(table_open(&t, path, &e), STATUS_MISSING);
    assert_non_null(strstr(e.text, path));
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(table_open(&t, path, &e), STATUS_FORMAT);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(table_open(&t, path, &e), STATUS_FORMAT);
    assert_int_equal(remove(path), 0);
    file_write(path, "", 0);
    assert_int_equal(table_open(&t, path, &e), STATUS_FORMAT);
    assert_null(t);
    scratch_remove(&dir);
}

/* ----------------------------------------------------------------- failures -- */

/* (T1) a write that fails in the middle: the system's limit on file sizes. */
static void test_disk_full(void **state)
{
    struct rng r = rng_for_test("disk full");
    struct scratch dir = scratch_create();
    struct pages p[2] = {pages_random(&r, *state, large),
                         pages_random(&r, *state, slice_flip(large))};
    struct rlimit old, limit;
    struct error e;
    enum status rc;

    (void)state;
    assert_int_equal(write_kind(dir.path, large, KIND_WLD, p, &e), STATUS_OK); /* fills p */
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (rlim_t most = 0; most < 30000; most += 9000) {
        limit = (struct rlimit){most, old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        rc = write_kind(dir.path, large, KIND_DTW, p, &e);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(rc, STATUS_IO);
        assert_non_null(strstr(e.text, "2K1C-1K1C.dtw"));
        assert_non_null(strstr(e.text, strerror(EFBIG)));
        assert_int_equal(scratch_count(&dir), 1);
    }
    pages_free(&p[0]);
    pages_free(&p[1]);
    scratch_remove(&dir);
}

static void test_cannot_create(void **state)
{
    struct scratch dir = scratch_create();
    struct rng r = {1};
    struct pages p[2] = {pages_random(&r, *state, small),
                         pages_random(&r, *state, slice_flip(small))};
    char path[SCRATCH_MAX];
    struct error e;

    (void)state;
    assert_int_equal(write_kind("/nonexistent", small, KIND_WLD, p, &e), STATUS_IO);
    assert_non_null(strstr(e.text, "/nonexistent/1K-1C.wld"));
    assert_int_equal(mkdir(scratch_file(&dir, "1K-1C.wld", path), 0777), 0);
    assert_int_equal(write_kind(dir.path, small, KIND_WLD, p, &e), STATUS_IO);
    assert_non_null(strstr(e.text, path));
    assert_int_equal(scratch_count(&dir), 1);
    pages_free(&p[0]);
    pages_free(&p[1]);
    scratch_remove(&dir);
}

/* ------------------------------------------------------------------- numbers -- */

/* Little-endian, whatever the machine; nothing beside them is touched. */
static void test_numbers(void **state)
{
    static const uint8_t want[] = {9, 0xEF, 0xCD, 0xAB, 9};
    uint8_t bytes[] = {9, 0, 0, 0, 9};

    (void)state;
    bytes_put(bytes + 1, 3, 0xABCDEF);
    assert_memory_equal(bytes, want, sizeof want);
    assert_int_equal(bytes_get(want + 1, 3), 0xABCDEF);
    assert_int_equal(bytes_get(want, 5), UINT64_C(0x09ABCDEF09));
}

/* -------------------------------------------------------------- the document -- */

/* docs/format.md repeats the tables of table.h for people. */
static void test_document(void **state)
{
    (void)state;
    assert_true(document_rows("src/db/table.h") > 20);
}

static int kit_open(void **state)
{
    struct kit *kit = malloc(sizeof *kit);

    kit->sets = sets_create(table_sets(large));
    kit->scratch = table_scratch_create(kit->sets);
    *state = kit;
    return kit->sets && kit->scratch ? 0 : -1;
}

static int kit_close(void **state)
{
    struct kit *kit = *state;

    table_scratch_free(&kit->scratch);
    sets_free(&kit->sets);
    free(kit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_bit_flips),  cmocka_unit_test(test_cut_and_extended),
        cmocka_unit_test(test_forged),     cmocka_unit_test(test_not_a_table),
        cmocka_unit_test(test_disk_full),  cmocka_unit_test(test_cannot_create),
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_document),
    };
    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
