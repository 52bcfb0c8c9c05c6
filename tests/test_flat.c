/* SPDX-License-Identifier: MIT
 *
 * Flat files: what a probe answers from them is what it answers from the tables, whatever
 * has happened to a file is noticed (L1)-(L4), and making them can be stopped, killed and
 * gone on with (N1), (N2). */
#include "run.h"
#include "tables.h"
#include "test.h"

#include "core/movegen.h"
#include "db/flat.h"
#include "db/unpack.h"
#include "db/verify.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    HEADER = 512,
    VERSION_AT = 8,
    DIGEST_AT = 16,
    FIRST_AT = 40,
    BODY_SUM_AT = 56,
    SUM_AT = 504
};

struct kit {
    struct scratch dir;
    int pieces;
    struct catalog *catalog;
    struct probe *plain; /* never looks at a flat file */
    struct sets *sets;
    struct table_scratch *scratch;
    const struct table *table; /* of 1K1C-1C, with pages of one value and others */
    char path[SCRATCH_MAX];    /* of its flat file */
    uint8_t *bytes;            /* of that, as it should be */
    size_t size;
};

/* ---------------------------------------------------------------------- tools -- */

struct tally {
    int made, there, wrong;
    uint64_t pages, size, occupied;
};

static void count_report(void *context, const struct unpack_report *r)
{
    struct tally *t = context;

    t->made += r->made;
    t->there += !r->made;
    t->wrong += r->wrong != NULL;
    t->pages += r->pages;
    t->size += r->size;
    t->occupied += r->occupied;
}

static struct unpack_options options_for(struct tally *t, int threads)
{
    *t = (struct tally){0};
    return (struct unpack_options){.pieces = PIECES_MAX,
                                   .max_side = PIECES_MAX,
                                   .threads = threads,
                                   .report = count_report,
                                   .context = t};
}

static struct tally unpack_all(struct kit *kit, int threads)
{
    struct tally t;
    struct unpack_options o = options_for(&t, threads);
    _Atomic uint64_t done = 0;
    struct error e = {0};
    uint64_t pages;

    o.done = &done;
    assert_int_equal(unpack_work(kit->catalog, &o, &pages, &e), STATUS_OK);
    if (unpack_run(kit->catalog, &o, &e))
        fail_msg("%s", e.text);
    assert_int_equal(done, pages);
    assert_int_equal(t.pages, pages);
    return t;
}

static void remove_all(struct kit *kit)
{
    struct tally t;
    struct unpack_options o = options_for(&t, 1);
    uint64_t freed;
    int files;

    assert_int_equal(unpack_remove(kit->catalog, &o, &files, &freed, NULL), STATUS_OK);
}

static uint64_t number_get(const uint8_t *at)
{
    uint64_t x = 0;

    for (int i = 7; i >= 0; i--)
        x = x << 8 | at[i];
    return x;
}

static void number_put(uint8_t *at, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(x >> 8 * i);
}

/* Make the sums of header and index right again. */
static void sums_forge(uint8_t *bytes)
{
    number_put(bytes + BODY_SUM_AT,
               XXH3_64bits(bytes + HEADER, number_get(bytes + FIRST_AT) - HEADER));
    number_put(bytes + SUM_AT, XXH3_64bits(bytes, SUM_AT));
}

/* A copy of the good file, to be changed; it replaces the good one as flat_make would. */
static uint8_t *copy_bytes(const struct kit *kit)
{
    uint8_t *copy = malloc(kit->size + 1);

    assert_non_null(copy);
    memcpy(copy, kit->bytes, kit->size);
    copy[kit->size] = 0;
    return copy;
}

static void put_bytes(const struct kit *kit, const uint8_t *bytes, size_t size)
{
    unlink(kit->path);
    file_write(kit->path, bytes, size);
}

static enum status open_flat(const struct kit *kit, struct flat **f, struct error *e)
{
    *e = (struct error){0};
    return flat_open(f, kit->dir.path, kit->table, e);
}

/* The first page of table 0 that has (no) single value. */
static uint64_t page_find(const struct kit *kit, bool mixed)
{
    uint64_t page = 0;

    while ((number_get(kit->bytes + HEADER + 8 * page) > 2) != mixed)
        page++;
    assert_true(page < table_pages(kit->table, 0));
    return page;
}

static size_t page_offset(const struct kit *kit, uint64_t page)
{
    return number_get(kit->bytes + FIRST_AT) + page * FLAT_PAGE_BYTES;
}

/* Change n bytes of a file in place; zeros if `bytes` is NULL. */
static void file_change(const char *path, size_t at, const uint8_t *bytes, size_t n)
{
    int fd = open(path, O_WRONLY);
    uint8_t *zeros = calloc(1, n);

    assert_true(fd >= 0 && zeros);
    assert_int_equal(pwrite(fd, bytes ? bytes : zeros, n, (off_t)at), n);
    close(fd);
    free(zeros);
}

static struct probe *probe_for(struct kit *kit)
{
    struct probe *p;
    struct error e;

    if (probe_open(&p, kit->catalog, UINT64_C(1) << 20, &e))
        fail_msg("%s", e.text);
    return p;
}

/* Position `index` of the kit's table. */
static struct board board_at(const struct kit *kit, uint64_t index)
{
    struct view v;

    layout_view(table_layout(kit->table, 0), index, &v);
    return view_board(&v, BLACK);
}

/* --------------------------------------------------------------------- equality -- */

/* All positions of one side's view, both probes. */
static void compare_view(struct kit *kit, struct probe *flat, struct slice s)
{
    struct layout l;

    assert_int_equal(layout_create(&l, s), 0);
    for (uint64_t i = 0; i < l.positions; i++) {
        enum value value, want;
        struct view v;
        struct board b;
        struct error e = {0};

        layout_view(&l, i, &v);
        b = view_board(&v, BLACK);
        assert_int_equal(probe_value(kit->plain, &b, &want, &e), STATUS_OK);
        if (probe_value(flat, &b, &value, &e) || value != want)
            fail_msg("index %llu: %d, expected %d; %s", (unsigned long long)i, value, want, e.text);
        if (i % 61 == 0) { /* distances are decoded on top of values */
            struct outcome o, other;

            assert_int_equal(probe_outcome(kit->plain, &b, KIND_DTW, &o, &e), STATUS_OK);
            assert_int_equal(probe_outcome(flat, &b, KIND_DTW, &other, &e), STATUS_OK);
            assert_true(outcome_equal(o, other));
        }
    }
    layout_free(&l);
}

static void test_equal(void **state)
{
    static const char *const names[] = {"1C-1C", "2K-1C", "1K1C-1C", "2C-1C", "2C-2C", "1K1C-2C"};
    struct kit *kit = *state;
    struct probe *flat = probe_for(kit);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct slice s;

        assert_true(slice_parse(names[i], &s));
        if (slice_pieces(s) > kit->pieces)
            continue;
        compare_view(kit, flat, s);
        compare_view(kit, flat, slice_flip(s));
    }
    probe_close(&flat);
}

/* The document's words in code: value i of a page, out of the whole file. */
static uint32_t value_in(const uint8_t *bytes, uint64_t number, uint32_t i)
{
    uint64_t entry = number_get(bytes + HEADER + 8 * number);
    const uint8_t *page = bytes + number_get(bytes + FIRST_AT) + 4096 * number;

    return entry <= 2 ? (uint32_t)entry : page[i / 4] >> 2 * (i % 4) & 3;
}

static void file_compare(struct kit *kit, const struct table *t)
{
    int tables = slice_symmetric(table_slice(t)) ? 1 : 2;
    uint8_t values[TABLE_PAGE], again[TABLE_PAGE], *bytes;
    char path[SCRATCH_MAX];
    struct flat *f;
    size_t size;

    assert_int_equal(flat_open(&f, kit->dir.path, t, NULL), STATUS_OK);
    bytes = file_read(flat_path(path, sizeof path, kit->dir.path, table_slice(t)), &size);
    for (int m = 0; m < tables; m++)
        for (uint64_t page = 0; page < table_pages(t, m); page++) {
            uint64_t number = page + (m ? table_pages(t, 0) : 0);
            uint32_t n = table_page_length(t, m, page);

            assert_int_equal(table_read_values(t, kit->scratch, m, page, values, NULL), 0);
            assert_int_equal(flat_read(f, m, page, again, NULL), STATUS_OK);
            assert_memory_equal(values, again, n);
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(value_in(bytes, number, i), values[i]);
        }
    flat_close(&f);
    free(bytes);
}

static void test_bytes(void **state)
{
    struct kit *kit = *state;
    struct slice list[SLICE_CODES];
    int n = slice_order(3, 3, list);
    const struct table *t;

    for (int i = 0; i < n; i++) {
        assert_int_equal(catalog_table(kit->catalog, list[i], KIND_WLD, &t, NULL), STATUS_OK);
        file_compare(kit, t);
    }
}

/* (L2) */
static void test_same_bytes(void **state)
{
    struct kit *kit = *state;

    for (int threads = 1; threads <= 5; threads += 2) {
        uint8_t *bytes;
        struct crew crew;
        size_t size;

        assert_int_equal(crew_open(&crew, threads, NULL), 0);
        assert_int_equal(unlink(kit->path), 0);
        assert_int_equal(flat_make(kit->dir.path, kit->table, kit->sets, &crew, NULL, NULL),
                         STATUS_OK);
        crew_close(&crew);
        bytes = file_read(kit->path, &size);
        assert_int_equal(size, kit->size);
        assert_memory_equal(bytes, kit->bytes, size);
        free(bytes);
    }
}

/* Where there is a hole nothing is stored, and the disk knows. */
static void test_holes(void **state)
{
    static const uint8_t zeros[FLAT_PAGE_BYTES];
    struct kit *kit = *state;
    struct tally t = unpack_all(kit, 2);

    assert_memory_equal(kit->bytes + page_offset(kit, page_find(kit, false)), zeros, sizeof zeros);
    assert_int_equal(t.made, 0);
    assert_true(t.occupied > 0 && t.size > 0);
    print_message("# %llu bytes on disk of %llu\n", (unsigned long long)t.occupied,
                  (unsigned long long)t.size);
}

/* ----------------------------------------------------------------------- damage -- */

/* Opening says so, with the file's name; a probe passes it on. */
static void expect_broken(struct kit *kit, const uint8_t *bytes, size_t size, const char *words)
{
    struct board b = board_at(kit, 0);
    struct probe *p;
    struct error e;
    struct flat *f;
    enum value v;
    enum status rc;

    put_bytes(kit, bytes, size);
    rc = open_flat(kit, &f, &e);
    assert_null(f);
    if ((rc != STATUS_DAMAGED && rc != STATUS_FORMAT) || rc != e.status ||
        !strstr(e.text, kit->path) || !strstr(e.text, words))
        fail_msg("status %d, \"%s\", expected words \"%s\"", rc, e.text, words);
    p = probe_for(kit);
    assert_int_equal(probe_value(p, &b, &v, &e), rc);
    assert_non_null(strstr(e.text, kit->path));
    assert_int_equal(probe_value(p, &b, &v, &e), rc); /* again */
    probe_close(&p);
}

static void test_header(void **state)
{
    struct kit *kit = *state;
    uint8_t *bytes = copy_bytes(kit);

    for (size_t at = 0; at < HEADER; at += at < 80 || at > 490 ? 1 : 37) {
        bytes[at] ^= 0x10;
        expect_broken(kit, bytes, kit->size, at < 8 ? "not a flat file" : "header");
        bytes[at] ^= 0x10;
    }
    for (int at = 10; at < 56; at += at == 15 ? 9 : 1) { /* wrong, but with a good sum */
        bytes[at] ^= 0x10;
        number_put(bytes + SUM_AT, XXH3_64bits(bytes, SUM_AT));
        expect_broken(kit, bytes, kit->size, "does not fit");
        bytes[at] ^= 0x10;
    }
    free(bytes);
    put_bytes(kit, kit->bytes, kit->size);
}

static void test_index(void **state)
{
    struct kit *kit = *state;
    size_t first = number_get(kit->bytes + FIRST_AT);
    uint8_t *bytes = copy_bytes(kit);
    uint64_t page = page_find(kit, false);
    struct error e;
    struct flat *f;
    uint32_t one;

    for (size_t at = HEADER; at < first; at += at < HEADER + 64 ? 1 : 97) { /* and what fills up */
        bytes[at] ^= 1;
        expect_broken(kit, bytes, kit->size, "index");
        bytes[at] ^= 1;
    }
    number_put(bytes + HEADER + 8 * page, 5); /* no value, no sum */
    sums_forge(bytes);
    put_bytes(kit, bytes, kit->size);
    assert_int_equal(open_flat(kit, &f, &e), STATUS_OK);
    assert_int_equal(flat_check(f, 0, page, &one, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, "no such value"));
    flat_close(&f);
    free(bytes);
    put_bytes(kit, kit->bytes, kit->size);
}

static void test_length(void **state)
{
    struct kit *kit = *state;
    size_t first = number_get(kit->bytes + FIRST_AT);
    size_t cut[] = {0,
                    1,
                    511,
                    512,
                    513,
                    first - 1,
                    first,
                    first + 1,
                    kit->size - 4096,
                    kit->size - 1,
                    kit->size + 1};
    uint8_t *bytes = copy_bytes(kit);

    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        expect_broken(kit, bytes, cut[i], cut[i] < HEADER ? "too short" : "bytes, expected");
    unlink(kit->path);
    assert_int_equal(mkdir(kit->path, 0755), 0);
    {
        struct error e;
        struct flat *f;

        assert_int_equal(open_flat(kit, &f, &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, "not a regular file"));
    }
    assert_int_equal(rmdir(kit->path), 0);
    free(bytes);
    put_bytes(kit, kit->bytes, kit->size);
}

/* One bit of a page: that page says so, with its number; the others answer. */
static void test_page(void **state)
{
    struct kit *kit = *state;
    struct rng r = rng_for_test("page");
    uint64_t page = page_find(kit, true);
    const struct layout *l = table_layout(kit->table, 0);

    for (int n = 0; n < 20; n++) {
        uint8_t *bytes = copy_bytes(kit);
        size_t at = page_offset(kit, page) + (size_t)rng_below(&r, FLAT_PAGE_BYTES);
        struct probe *p;
        int asked = 0;

        bytes[at] ^= (uint8_t)(1 << rng_below(&r, 8));
        put_bytes(kit, bytes, kit->size);
        p = probe_for(kit);
        for (uint64_t i = 0; i < l->positions; i += 31) {
            struct board b = board_at(kit, i);
            enum value v, want;
            struct error e = {0};
            enum status rc = probe_value(p, &b, &v, &e);

            if (rc) {
                assert_int_equal(rc, STATUS_DAMAGED);
                assert_int_equal(i / TABLE_PAGE, page);
                assert_non_null(strstr(e.text, kit->path));
                assert_non_null(strstr(e.text, "kelso unpack"));
                asked++;
                continue;
            }
            assert_int_equal(probe_value(kit->plain, &b, &want, NULL), STATUS_OK);
            assert_int_equal(v, want);
        }
        assert_true(asked > 0);
        probe_close(&p);
        free(bytes);
    }
    put_bytes(kit, kit->bytes, kit->size);
}

/* (L4): readers do without it, and unpack makes it again. */
static void expect_stale(struct kit *kit, uint8_t *bytes, const char *words)
{
    struct probe *p;
    struct error e;
    struct flat *f;
    struct tally t;
    uint8_t *again;
    size_t size;

    sums_forge(bytes);
    bytes[page_offset(kit, page_find(kit, true))] ^= 1; /* would be noticed if it was used */
    put_bytes(kit, bytes, kit->size);
    assert_int_equal(open_flat(kit, &f, &e), STATUS_MISMATCH);
    assert_non_null(strstr(e.text, words));
    p = probe_for(kit);
    compare_view(kit, p, table_slice(kit->table));
    probe_close(&p);
    t = unpack_all(kit, 2);
    assert_int_equal(t.made, 1);
    assert_int_equal(t.wrong, 1);
    again = file_read(kit->path, &size);
    assert_int_equal(size, kit->size);
    assert_memory_equal(again, kit->bytes, size);
    free(again);
    free(bytes);
}

static void test_stale(void **state)
{
    struct kit *kit = *state;
    uint8_t *bytes = copy_bytes(kit);

    bytes[DIGEST_AT] ^= 1;
    expect_stale(kit, bytes, "another table");
    bytes = copy_bytes(kit);
    bytes[VERSION_AT]++;
    expect_stale(kit, bytes, "version 2, expected 1");
}

/* ---------------------------------------------------------------- a wrong value -- */

struct faults {
    int count;
    char text[600];
};

static void note_fault(void *context, const struct verify_fault *f)
{
    struct faults *faults = context;

    faults->count++;
    memcpy(faults->text, f->text, sizeof faults->text);
}

static int faults_of(struct kit *kit, struct faults *faults, double fraction)
{
    struct slice s = table_slice(kit->table);
    struct verify_options o = {.slice = &s,
                               .fraction = fraction,
                               .threads = 2,
                               .memory = 1 << 24,
                               .faults_max = 1000,
                               .report = note_fault,
                               .context = faults};
    struct verify_result r;
    struct error e = {0};
    enum status rc;

    *faults = (struct faults){0};
    rc = verify_run(kit->catalog, &o, &r, &e);
    assert_int_equal(rc, faults->count ? STATUS_MISMATCH : STATUS_OK);
    assert_int_equal(r.faults, faults->count);
    assert_int_equal(r.flat, access(kit->path, F_OK) == 0);
    return faults->count;
}

/* A quiet position of a page with several values. */
static uint64_t quiet_index(struct kit *kit, uint64_t page)
{
    const uint64_t *taking = table_captures(kit->scratch, table_layout(kit->table, 0), page);
    uint32_t i = 0;

    while (taking[i / 64] >> i % 64 & 1)
        i++;
    assert_true(i < table_page_length(kit->table, 0, page));
    return page * TABLE_PAGE + i;
}

/* A forged value with all sums right: probes do look into the file, and verify sees it. */
static void test_forged(void **state)
{
    struct kit *kit = *state;
    uint64_t page = page_find(kit, true), index = quiet_index(kit, page);
    uint32_t i = index % TABLE_PAGE;
    struct board b = board_at(kit, index);
    uint8_t *bytes = copy_bytes(kit), *at = bytes + page_offset(kit, page);
    enum value good, forged, found;
    struct faults faults;
    struct probe *p;
    char place[64];

    assert_int_equal(faults_of(kit, &faults, 1), 0);
    assert_int_equal(probe_value(kit->plain, &b, &good, NULL), STATUS_OK);
    forged = good == VALUE_WIN ? VALUE_LOSS : VALUE_WIN;
    at[i / 4] = (uint8_t)((at[i / 4] & ~(3 << i % 4 * 2)) | (int)forged << i % 4 * 2);
    number_put(bytes + HEADER + 8 * page, XXH3_64bits(at, FLAT_PAGE_BYTES) | UINT64_C(1) << 63);
    sums_forge(bytes);
    put_bytes(kit, bytes, kit->size);
    p = probe_for(kit);
    assert_int_equal(probe_value(p, &b, &found, NULL), STATUS_OK);
    assert_int_equal(found, forged);
    probe_close(&p);
    assert_int_equal(faults_of(kit, &faults, 1), 1);
    snprintf(place, sizeof place, "index %llu", (unsigned long long)index);
    assert_non_null(strstr(faults.text, place));
    assert_non_null(strstr(faults.text, kit->path));
    free(bytes);
    put_bytes(kit, kit->bytes, kit->size);
}

/* Sums are checked also where verify does not decode. */
static void test_verify(void **state)
{
    struct kit *kit = *state;
    uint8_t *bytes = copy_bytes(kit);
    struct faults faults;

    bytes[page_offset(kit, page_find(kit, true))] ^= 1;
    put_bytes(kit, bytes, kit->size);
    assert_int_equal(faults_of(kit, &faults, 0), 1);
    assert_non_null(strstr(faults.text, "checksum"));
    bytes[DIGEST_AT] ^= 1;
    sums_forge(bytes);
    put_bytes(kit, bytes, kit->size);
    assert_int_equal(faults_of(kit, &faults, 0), 1);
    assert_non_null(strstr(faults.text, "another table"));
    put_bytes(kit, bytes, 100);
    assert_int_equal(faults_of(kit, &faults, 0), 1);
    assert_non_null(strstr(faults.text, "too short"));
    unlink(kit->path);
    assert_int_equal(faults_of(kit, &faults, 0), 0);
    free(bytes);
    put_bytes(kit, kit->bytes, kit->size);
}

/* ----------------------------------------------------------------------- making -- */

static void expect_whole(struct kit *kit)
{
    struct faults faults;
    uint8_t *bytes;
    size_t size;

    bytes = file_read(kit->path, &size);
    assert_int_equal(size, kit->size);
    assert_memory_equal(bytes, kit->bytes, size);
    free(bytes);
    assert_int_equal(faults_of(kit, &faults, 0), 0);
}

static void test_resume(void **state)
{
    struct kit *kit = *state;
    uint8_t *bytes = copy_bytes(kit);
    int slices = unpack_all(kit, 2).there;
    char path[SCRATCH_MAX];
    struct tally t;

    assert_true(slices >= 9);
    bytes[page_offset(kit, page_find(kit, true)) + 4095] ^= 0x80; /* only reading it all tells */
    put_bytes(kit, bytes, kit->size);
    assert_int_equal(unlink(scratch_file(&kit->dir, "2K-1K.flat", path)), 0);
    t = unpack_all(kit, 3);
    assert_int_equal(t.made, 2);
    assert_int_equal(t.wrong, 1);
    assert_int_equal(t.there, slices - 2);
    expect_whole(kit);
    free(bytes);
}

static void test_stop(void **state)
{
    struct kit *kit = *state;
    atomic_bool stop = true;
    int files = scratch_count(&kit->dir);
    struct tally t;
    struct unpack_options o = options_for(&t, 2);

    o.stop = &stop;
    assert_int_equal(unpack_run(kit->catalog, &o, NULL), STATUS_INTERRUPTED); /* while checking */
    remove_all(kit);
    assert_int_equal(unpack_run(kit->catalog, &o, NULL), STATUS_INTERRUPTED); /* while making */
    assert_int_equal(t.made, 0);
    t = unpack_all(kit, 2);
    assert_int_equal(scratch_count(&kit->dir), files);
    expect_whole(kit);
}

/* (N2), and that the lock goes with whoever had it. */
static void test_lock(void **state)
{
    struct kit *kit = *state;
    char path[SCRATCH_MAX];
    int fd = open(scratch_file(&kit->dir, ".lock-flat", path), O_RDWR | O_CREAT, 0666);
    struct tally t;
    struct unpack_options o = options_for(&t, 2);
    struct error e;
    uint64_t freed;
    int files;

    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(unpack_run(kit->catalog, &o, &e), STATUS_LOCKED);
    assert_non_null(strstr(e.text, kit->dir.path));
    assert_int_equal(unpack_remove(kit->catalog, &o, &files, &freed, &e), STATUS_LOCKED);
    close(fd);
    unpack_all(kit, 1);
}

/* A limit to the size of files stands for a full disk. */
static void test_full_disk(void **state)
{
    struct kit *kit = *state;
    char path[SCRATCH_MAX];
    int status;
    pid_t child;

    assert_int_equal(unlink(kit->path), 0);
    child = fork();
    if (child == 0) {
        struct rlimit limit = {kit->size - 1, kit->size - 1};
        struct error e = {0};
        struct crew crew;

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        crew_open(&crew, 2, NULL);
        status = flat_make(kit->dir.path, kit->table, kit->sets, &crew, NULL, &e);
        _exit(status == STATUS_IO && strstr(e.text, kit->dir.path) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_not_equal(access(kit->path, F_OK), 0);
    flat_temporary(path, sizeof path, kit->dir.path, table_slice(kit->table));
    assert_int_not_equal(access(path, F_OK), 0);
    unpack_all(kit, 1); /* with room again */
    expect_whole(kit);
}

/* kill -9 at any time: what has its final name is whole, and the next run goes on. */
static void test_kill(void **state)
{
    struct kit *kit = *state;
    struct rng r = rng_for_test("kill");

    for (int i = 0; i < (test_is_long() ? 60 : 8); i++) {
        struct tally t;
        pid_t child;

        remove_all(kit);
        child = fork();
        if (child == 0) {
            struct unpack_options o = options_for(&t, 2);

            unpack_run(kit->catalog, &o, NULL);
            _exit(0);
        }
        usleep((useconds_t)rng_below(&r, 150000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        t = unpack_all(kit, 2);
        assert_int_equal(t.wrong, 0);
        expect_whole(kit);
    }
}

/* Another process asks while the files are taken away and made again under it. */
static void test_processes(void **state)
{
    struct kit *kit = *state;
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct probe *p;
        int wrong = probe_open(&p, kit->catalog, 1 << 20, NULL) != STATUS_OK;

        for (uint64_t i = 0; !wrong && i < table_layout(kit->table, 0)->positions; i++) {
            struct board b = board_at(kit, i);
            enum value v, want;

            wrong = probe_value(p, &b, &v, NULL) || probe_value(kit->plain, &b, &want, NULL) ||
                    v != want;
        }
        _exit(wrong);
    }
    for (int i = 0; i < 5; i++) {
        remove_all(kit);
        unpack_all(kit, 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---------------------------------------------------------------------- filling -- */

static uint64_t fill(struct probe *p, int pieces)
{
    _Atomic uint64_t done = 0;
    struct crew crew;

    assert_int_equal(crew_open(&crew, 3, NULL), 0);
    assert_int_equal(probe_fill(p, pieces, &crew, &done, NULL), STATUS_OK);
    crew_close(&crew);
    return done;
}

/* With flat files there is always room. */
static void test_fill(void **state)
{
    struct kit *kit = *state;
    struct probe *p;
    uint64_t pages;

    assert_int_equal(probe_open(&p, kit->catalog, 0, NULL), STATUS_OK);
    assert_int_equal(probe_pages(p, kit->pieces, &pages, NULL), STATUS_OK);
    assert_int_equal(fill(p, kit->pieces), pages);
    assert_int_equal(fill(p, kit->pieces), pages);
    probe_close(&p);
}

/* Ask about each position of a symmetric slice that has no capture; the number of answers. */
static int ask_quiet(struct probe *p, const struct table *t, uint64_t most)
{
    const struct layout *l = table_layout(t, 0);
    int answers = 0;

    for (uint64_t i = 0; i < l->positions && i < most; i++) {
        struct view view;
        struct board b;
        enum value v;

        layout_view(l, i, &view);
        b = view_board(&view, BLACK);
        if (!board_must_capture(&b))
            answers += probe_value(p, &b, &v, NULL) == STATUS_OK;
    }
    return answers;
}

/* Without them, a table that has a home is filled, however full the rest of the cache is.  The
 * table's pages are spoiled afterwards: whoever still has to decode one will notice. */
static void test_fill_homes(void **state)
{
    enum { SLABS = 12, SLAB_BYTES = 8 * FLAT_PAGE_BYTES, HEADER_BYTES = 512 };
    struct kit *kit = *state;
    char path[SCRATCH_MAX];
    const struct table *t;
    struct probe *p;
    struct slice s;
    uint8_t *bytes;
    size_t size;
    int answers;

    if (kit->pieces < 4)
        skip();
    assert_true(slice_parse("1K1C-1K1C", &s)); /* 41 pages: all of the half that is for homes */
    assert_int_equal(catalog_table(kit->catalog, s, KIND_WLD, &t, NULL), STATUS_OK);
    answers = ask_quiet(kit->plain, t, UINT64_MAX);
    assert_int_equal(probe_open(&p, kit->catalog, SLABS * SLAB_BYTES, NULL), STATUS_OK);
    probe_without_flat(p);
    assert_true(ask_quiet(p, t, 1000) > 0); /* the first to get a home, but not the first to fill */
    fill(p, 4);
    table_path(path, sizeof path, kit->dir.path, s, KIND_WLD);
    bytes = file_read(path, &size);
    file_change(path, HEADER_BYTES, NULL, 10000);
    assert_int_equal(ask_quiet(p, t, UINT64_MAX), answers);
    probe_close(&p);
    assert_int_equal(probe_open(&p, kit->catalog, SLABS * SLAB_BYTES, NULL), STATUS_OK);
    probe_without_flat(p);
    assert_true(ask_quiet(p, t, 30000) == 0); /* spoiled indeed */
    probe_close(&p);
    file_change(path, HEADER_BYTES, bytes + HEADER_BYTES, 10000);
    free(bytes);
}

/* ------------------------------------------------------------------- the command -- */

static void expect_run(const char *const *args, int status, const char *out, const char *err)
{
    struct run r = run_kelso(args, "", 0);

    if (r.status != status || !strstr(r.out, out) || !strstr(r.err, err))
        fail_msg("status %d, out \"%s\", err \"%s\"", r.status, r.out, r.err);
    run_free(&r);
}

static void test_command(void **state)
{
    struct kit *kit = *state;
    const char *dir = kit->dir.path;
    struct run r;

    expect_run(ARGS("unpack", "--dir", dir, "--remove"), 0, "files removed", "");
    expect_run(ARGS("unpack", "--dir", dir, "--slice", "1K1C-1C"), 0, "1 slice unpacked", "");
    expect_run(ARGS("unpack", "--dir", dir, "--pieces", "3"), 0, "(1 were there)", "");
    expect_run(ARGS("unpack", "--dir", dir, "--pieces", "3", "--max-side", "1"), 0,
               "all 3 flat files are there", "");
    put_bytes(kit, kit->bytes, kit->size - 1);
    expect_run(ARGS("unpack", "--dir", dir, "--pieces", "3"), 0, "made again: ", "");
    r = run_kelso(ARGS("unpack", "--dir", dir, "--slice", "1K1C-1C", "--json"), "", 0);
    assert_int_equal(r.status, 0);
    assert_true(json_is_valid(r.out));
    assert_non_null(strstr(r.out, "\"made\":false"));
    run_free(&r);
    r = run_kelso(ARGS("unpack", "--dir", dir, "--remove", "--json"), "", 0);
    assert_true(json_is_valid(r.out));
    run_free(&r);
    expect_run(ARGS("unpack", "--dir", dir, "--slice", "4K-4K"), 2, "", "no such table");
    expect_run(ARGS("unpack", "--dir", dir, "--slice", "x"), 2, "", "not a slice");
    expect_run(ARGS("unpack", "--dir", "/nowhere"), 2, "", "no tables");
    unpack_all(kit, 2);
}

/* The directory is what it was: flat files are no tables. */
static void test_catalog(void **state)
{
    struct kit *kit = *state;
    struct catalog *c;
    struct error e;

    unpack_all(kit, 2);
    assert_int_equal(catalog_open(&c, kit->dir.path, &e), STATUS_OK);
    assert_int_equal(catalog_check(c, &e), STATUS_OK);
    catalog_close(&c);
    assert_int_equal(catalog_open_to_build(&c, kit->dir.path, &e), STATUS_OK);
    catalog_close(&c);
    expect_whole(kit);
}

/* docs/format.md repeats the table of flat.h for people: line by line the same. */
static void test_document(void **state)
{
    size_t size;
    char *header = (char *)file_read("src/db/flat.h", &size), *line, *rest, *document;
    int rows = 0;

    (void)state;
    header[size] = 0;
    document = (char *)file_read("docs/format.md", &size);
    document[size] = 0;
    for (line = strtok_r(header, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        unsigned offset;

        if (strncmp(line, " *      ", 8) != 0 || sscanf(line, " *     %6u ", &offset) != 1)
            continue;
        rows++;
        if (!strstr(document, line + 3))
            fail_msg("docs/format.md lacks the line: %s", line + 3);
    }
    assert_true(rows > 10);
    free(header);
    free(document);
}

/* ------------------------------------------------------------------------ the kit -- */

static int kit_open(void **state)
{
    struct kit *kit = calloc(1, sizeof *kit);
    struct slice s;

    *state = kit;
    kit->pieces = test_is_sanitized() ? 3 : 4;
    kit->dir = tables_build(kit->pieces);
    assert_true(slice_parse("1K1C-1C", &s));
    assert_int_equal(catalog_open(&kit->catalog, kit->dir.path, NULL), STATUS_OK);
    assert_int_equal(probe_open(&kit->plain, kit->catalog, 1 << 24, NULL), STATUS_OK);
    probe_without_flat(kit->plain);
    assert_int_equal(catalog_table(kit->catalog, s, KIND_WLD, &kit->table, NULL), STATUS_OK);
    assert_non_null(kit->sets = sets_create(8));
    assert_non_null(kit->scratch = table_scratch_create(kit->sets));
    assert_true(unpack_all(kit, 2).made > 0);
    flat_path(kit->path, sizeof kit->path, kit->dir.path, s);
    kit->bytes = file_read(kit->path, &kit->size);
    return 0;
}

static int kit_close(void **state)
{
    struct kit *kit = *state;

    free(kit->bytes);
    table_scratch_free(&kit->scratch);
    sets_free(&kit->sets);
    probe_close(&kit->plain);
    catalog_close(&kit->catalog);
    scratch_remove(&kit->dir);
    free(kit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_holes),
        cmocka_unit_test(test_header),     cmocka_unit_test(test_index),
        cmocka_unit_test(test_length),     cmocka_unit_test(test_page),
        cmocka_unit_test(test_stale),      cmocka_unit_test(test_forged),
        cmocka_unit_test(test_verify),     cmocka_unit_test(test_resume),
        cmocka_unit_test(test_stop),       cmocka_unit_test(test_lock),
        cmocka_unit_test(test_full_disk),  cmocka_unit_test(test_kill),
        cmocka_unit_test(test_processes),  cmocka_unit_test(test_fill),
        cmocka_unit_test(test_fill_homes), cmocka_unit_test(test_command),
        cmocka_unit_test(test_catalog),    cmocka_unit_test(test_document),
    };

    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
