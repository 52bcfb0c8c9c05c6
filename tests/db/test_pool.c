/* SPDX-License-Identifier: MIT
 *
 * Where the builder keeps tables: memory that is used again (frames.h), packed tables
 * (swap.h), and the pool over both.  Random calls against what the headers promise. */
#include "kit/scratch.h"
#include "kit/test.h"

#include "base/big_array.h"
#include "db/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ frames -- */

enum { PIECES = 12 };

static void test_frames(void **state)
{
    struct rng rng = rng_for_test("frames");
    struct frames *f = frames_create();
    uint8_t *piece[PIECES] = {0};
    size_t bytes[PIECES] = {0};
    uint64_t used = 0, most = 0;

    (void)state;
    for (int round = 0; round < 400; round++) {
        int i = rng_below(&rng, PIECES);

        if (piece[i]) {
            for (size_t at = 0; at < bytes[i]; at += 4096)
                assert_int_equal(piece[i][at], i);
            if (bytes[i] >= 1 << 20)
                used -= frames_size(bytes[i]);
            frames_give(f, piece[i], bytes[i]);
            piece[i] = NULL;
            continue;
        }
        bytes[i] = (size_t)rng_below(&rng, rng_below(&rng, 2) ? 9 << 20 : 5000) + 1;
        piece[i] = frames_take(f, bytes[i]);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        memset(piece[i], i, bytes[i]);
        if (bytes[i] >= 1 << 20)
            used += frames_size(bytes[i]);
        most = used > most ? used : most;
        assert_true(used + frames_spare(f) <= most); /* (F2) */
        if (rng_below(&rng, 20) == 0) {
            uint64_t limit = used + (uint64_t)rng_below(&rng, 16 << 20);

            frames_limit(f, limit);
            most = used + frames_spare(f);
            assert_true(most < limit + (2 << 20));
        }
    }
    for (int i = 0; i < PIECES; i++)
        frames_give(f, piece[i], bytes[i]);
    frames_free(&f);
    assert_null(f);
}

/* Pages of addresses in use, by this process. */
static long addresses_now(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0;

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld", &pages), 1);
    fclose(f);
    return pages;
}

/* What the system refuses leaves nothing behind, whether some of it came from spare memory or
 * not. */
static void test_frames_refused(void **state)
{
    enum { SPARE = 8 << 20, PIECE = 256 << 20, TRIES = 20 };
    struct frames *f = frames_create();
    struct rlimit limit, none;
    long before;

    (void)state;
    frames_give(f, frames_take(f, SPARE), SPARE);
    assert_int_equal(getrlimit(RLIMIT_DATA, &limit), 0);
    none = (struct rlimit){1 << 20, limit.rlim_max};
    before = addresses_now();
    for (int i = 0; i < TRIES; i++) {
        void *piece;

        assert_int_equal(setrlimit(RLIMIT_DATA, &none), 0);
        piece = frames_take(f, PIECE);
        assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
        assert_null(piece);
        assert_int_equal(frames_spare(f), SPARE);
    }
    assert_true((addresses_now() - before) * 4096 < PIECE);
    frames_free(&f);
}

/* In the place of libc's.  When told to it fails as Linux may: what was at the target is gone, and
 * another thread has got the addresses. */
static struct {
    bool on;
    uint8_t *taken;
    size_t bytes;
} refusal;

void *mremap(void *from, size_t had, size_t bytes, int flags, ...)
{
    void *to = NULL;
    va_list arguments;

    va_start(arguments, flags);
    if (flags & MREMAP_FIXED)
        to = va_arg(arguments, void *);
    va_end(arguments);
    if (!refusal.on)
        return (void *)syscall(SYS_mremap, from, had, bytes, flags, to);
    refusal.taken =
        mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    refusal.bytes = bytes;
    errno = ENOMEM;
    return MAP_FAILED;
}

/* They are still that thread's. */
static void assert_taken(void)
{
    assert_true(refusal.taken != MAP_FAILED);
    memset(refusal.taken, 7, refusal.bytes);
    munmap(refusal.taken, refusal.bytes);
    refusal.on = false;
}

static void test_move_refused(void **state)
{
    enum { SPARE = 4 << 20, PIECE = 10 << 20, COUNT = 3 * BIG_ARRAY };
    struct frames *f = frames_create();
    void *piece, *array = NULL, *same;
    size_t room = 0, before;

    (void)state;
    frames_give(f, frames_take(f, SPARE), SPARE);
    refusal.on = true;
    assert_null(frames_take(f, PIECE));
    assert_taken();
    assert_int_equal(frames_spare(f), SPARE);
    piece = frames_take(f, PIECE);
    assert_non_null(piece);
    assert_int_equal(frames_spare(f), 0);
    frames_give(f, piece, PIECE);
    frames_free(&f);

    assert_true(big_array_room(&array, &room, COUNT, 1));
    before = room;
    same = array;
    refusal.on = true;
    assert_false(big_array_room(&array, &room, room + 1, 1));
    assert_taken();
    assert_true(array == same && room == before);
    memset(array, 1, COUNT);
    assert_true(big_array_room(&array, &room, room + 1, 1));
    big_array_free(array, room, 1);
}

/* -------------------------------------------------------------------------- swap -- */

static const struct slice tables[] = {{2, 1, 1, 0}, {1, 0, 2, 1}, {1, 1, 1, 1}, {0, 2, 1, 1},
                                      {2, 0, 2, 0}, {1, 2, 1, 1}, {2, 1, 1, 1}, {1, 1, 2, 1}};
enum { TABLES = sizeof tables / sizeof *tables };

static size_t raw_content(const struct raw *r)
{
    return r->layout.blocks * r->stride;
}

/* Noise and runs, told by a number. */
static void raw_fill(struct raw *r, uint64_t seed)
{
    struct rng rng = {seed};

    for (size_t i = 0; i < raw_content(r); i += 8) {
        uint64_t x = rng_next(&rng);

        x = x & 1 ? x : x & 2 ? 0 : UINT64_MAX;
        memcpy(r->data + i, &x, raw_content(r) - i < 8 ? raw_content(r) - i : 8);
    }
}

static void assert_filled(const struct raw *r, uint64_t seed)
{
    struct raw expected;

    assert_int_equal(raw_create(&expected, r->layout.slice, r->form, NULL), 0);
    raw_fill(&expected, seed);
    assert_memory_equal(expected.data, r->data, raw_content(r));
    raw_free(&expected);
}

static void swap_round(struct swap *s, struct crew *crew, bool put)
{
    struct error e;

    for (int i = 0; i < TABLES; i++) {
        struct raw r;

        assert_int_equal(raw_create(&r, tables[i], i % 2 ? RAW_PACKED : RAW_WIDE, NULL), 0);
        raw_fill(&r, put ? (uint64_t)i : 99);
        if (put)
            assert_int_equal(swap_out(s, crew, i % 2 ? KIND_WLD : KIND_DTC, &r, &e), STATUS_OK);
        else
            assert_int_equal(swap_in(s, crew, i % 2 ? KIND_WLD : KIND_DTC, &r, &e), STATUS_OK);
        assert_filled(&r, (uint64_t)i);
        raw_free(&r);
    }
}

static void test_swap(void **state)
{
    struct scratch a = scratch_create();
    struct crew crew;
    struct swap *s, *second;
    struct error e;
    char path[SCRATCH_MAX];

    (void)state;
    crew_open(&crew, 3, NULL);
    assert_int_equal(swap_open(&s, NULL, &e), STATUS_OK);
    swap_round(s, &crew, true);
    assert_true(swap_memory(s) > 0 && swap_files(s) == 0);
    swap_round(s, &crew, false);
    for (int i = 0; i < TABLES; i++)
        swap_drop(s, i % 2 ? KIND_WLD : KIND_DTC, tables[i]);
    assert_int_equal(swap_memory(s), 0);
    swap_close(&s);

    file_write(scratch_file(&a, "2K-1K.wld.packed-tmp", path), "x", 1);
    assert_int_equal(swap_open(&s, a.path, &e), STATUS_OK);
    assert_int_equal(access(path, F_OK), -1);
    swap_round(s, &crew, true);
    assert_true(swap_memory(s) == 0 && swap_files(s) > 0);
    swap_round(s, &crew, false);
    assert_int_equal(swap_open(&second, a.path, &e), STATUS_LOCKED);
    swap_close(&s);
    assert_int_equal(swap_open(&s, a.path, &e), STATUS_OK); /* (X2) */
    swap_round(s, &crew, false);
    for (int i = 0; i < TABLES; i++)
        swap_drop(s, i % 2 ? KIND_WLD : KIND_DTC, tables[i]);
    for (int i = 0; i < TABLES; i++)
        assert_false(swap_has(s, i % 2 ? KIND_WLD : KIND_DTC, tables[i]));
    swap_close(&s);
    crew_close(&crew);
    scratch_remove(&a);
}

/* A file of another form is none: what is packed in this one takes its place. */
static void test_swap_form(void **state)
{
    struct scratch a = scratch_create();
    struct crew crew;
    struct swap *s;
    struct error e;
    struct raw narrow, nine;

    (void)state;
    crew_open(&crew, 2, NULL);
    assert_int_equal(raw_create(&narrow, tables[0], RAW_NARROW, NULL), 0);
    assert_int_equal(raw_create(&nine, tables[0], RAW_NINE, NULL), 0);
    raw_fill(&narrow, 1);
    assert_int_equal(swap_open(&s, a.path, &e), STATUS_OK);
    assert_int_equal(swap_out(s, &crew, KIND_DTW, &narrow, &e), STATUS_OK);
    swap_close(&s);
    assert_int_equal(swap_open(&s, a.path, &e), STATUS_OK);
    assert_true(swap_fits(s, KIND_DTW, tables[0], RAW_NARROW));
    assert_false(swap_fits(s, KIND_DTW, tables[0], RAW_NINE));
    raw_fill(&nine, 2);
    assert_int_equal(swap_out(s, &crew, KIND_DTW, &nine, &e), STATUS_OK);
    raw_fill(&nine, 3);
    assert_int_equal(swap_in(s, &crew, KIND_DTW, &nine, &e), STATUS_OK);
    assert_filled(&nine, 2);
    assert_false(swap_fits(s, KIND_DTW, tables[0], RAW_NARROW));
    swap_close(&s);
    raw_free(&narrow);
    raw_free(&nine);
    crew_close(&crew);
    scratch_remove(&a);
}

/* (X1) any byte of the file. */
static void test_swap_damaged(void **state)
{
    struct rng rng = rng_for_test("swap_damaged");
    struct scratch a = scratch_create();
    struct crew crew;
    struct swap *s;
    struct error e;
    struct raw r;
    char path[SCRATCH_MAX];
    size_t size;
    uint8_t *bytes;

    (void)state;
    crew_open(&crew, 2, NULL);
    assert_int_equal(raw_create(&r, tables[0], RAW_PACKED, NULL), 0);
    raw_fill(&r, 7);
    assert_int_equal(swap_open(&s, a.path, &e), STATUS_OK);
    assert_int_equal(swap_out(s, &crew, KIND_WLD, &r, &e), STATUS_OK);
    swap_close(&s);
    bytes = file_read(scratch_file(&a, "2K1C-1K.wld.packed", path), &size);
    for (int round = 0; round < 200; round++) {
        size_t at = (size_t)rng_below(&rng, (int)size);
        uint8_t old = bytes[at];
        bool cut = round % 10 == 9;
        enum status rc;

        bytes[at] ^= (uint8_t)(1 << rng_below(&rng, 8));
        file_write(path, bytes, cut ? at : size);
        bytes[at] = old;
        assert_int_equal(swap_open(&s, a.path, &e), STATUS_OK);
        rc = swap_in(s, &crew, KIND_WLD, &r, &e);
        assert_int_equal(rc, STATUS_DAMAGED);
        assert_non_null(strstr(e.text, path));
        swap_close(&s);
    }
    free(bytes);
    raw_free(&r);
    crew_close(&crew);
    scratch_remove(&a);
}

/* A limit on file sizes stands in for a full disk. */
static void test_swap_full(void **state)
{
    struct scratch a = scratch_create();
    pid_t pid = fork();
    int status;

    (void)state;
    if (pid == 0) {
        struct rlimit limit = {2000, 2000};
        struct crew crew;
        struct swap *s;
        struct error e = {0};
        struct raw r;
        bool good;

        signal(SIGXFSZ, SIG_IGN);
        good = crew_open(&crew, 2, NULL) == 0 && !raw_create(&r, tables[5], RAW_PACKED, NULL) &&
               setrlimit(RLIMIT_FSIZE, &limit) == 0 && !swap_open(&s, a.path, &e);
        if (!good)
            _exit(98);
        raw_fill(&r, 5);
        good = swap_out(s, &crew, KIND_WLD, &r, &e) == STATUS_IO && strstr(e.text, a.path) &&
               !swap_has(s, KIND_WLD, tables[5]);
        swap_close(&s);
        _exit(good ? 0 : 97);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(scratch_count(&a), 0);
    scratch_remove(&a);
}

/* In the place of libc's: so many calls are broken off by a signal. */
static int signals;

int posix_fallocate(int fd, off_t offset, off_t bytes)
{
    return signals && signals--                                               ? EINTR
           : fallocate(fd, 0, offset, bytes) && ftruncate(fd, offset + bytes) ? errno
                                                                              : 0;
}

/* A file for a table is made in spite of signals. */
static void test_swap_signals(void **state)
{
    struct scratch a = scratch_create();
    struct swap *s;
    struct error e = {0};
    struct raw r;
    bool kept;

    (void)state;
    assert_int_equal(swap_open(&s, a.path, &e), STATUS_OK);
    assert_int_equal(raw_create_sparse(&r, tables[0], RAW_NARROW), 0);
    signals = 3;
    assert_int_equal(swap_map(s, KIND_DTW, &r, false, &kept, &e), STATUS_OK);
    assert_int_equal(signals, 0);
    raw_fill(&r, 4);
    assert_filled(&r, 4);
    raw_free(&r);
    swap_drop(s, KIND_DTW, tables[0]);
    swap_close(&s);
    assert_int_equal(scratch_count(&a), 0);
    scratch_remove(&a);
}

/* -------------------------------------------------------------------------- pool -- */

static uint64_t pool_sum(const struct pool *p)
{
    uint64_t bytes = 0;

    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++)
            if (p->set[k].at[i] && !p->mapped[k][i])
                bytes += p->set[k].at[i]->bytes;
    return bytes;
}

static void pool_check(const struct pool *p, const bool *made)
{
    assert_int_equal(p->used, pool_sum(p));                                          /* (O1) */
    assert_true(p->used + p->aside + p->window + swap_memory(p->swap) <= p->budget); /* (O3) */
    for (int i = 0; i < TABLES; i++) {
        bool has = pool_has(p, KIND_WLD, tables[i]);

        if (made[i] && p->pinned[slice_code(tables[i])])
            assert_true(has); /* (O2) */
        if (has)
            assert_filled(p->set[KIND_WLD].at[slice_code(tables[i])], (uint64_t)i);
    }
}

/* Random steps: make a table, bring it back, pin, unpin, reserve. */
static void pool_play(struct rng *rng, struct pool *p)
{
    bool made[TABLES] = {false};

    for (int round = 0; round < 300; round++) {
        int i = rng_below(rng, TABLES), code = slice_code(tables[i]);
        struct raw *r;
        struct error e = {0};
        enum status rc = STATUS_OK;

        p->aside = 0;
        p->next_use[code] = rng_below(rng, 4) ? rng_below(rng, 50) : POOL_NEVER;
        switch (rng_below(rng, 4)) {
        case 0:
            if (pool_has(p, KIND_WLD, tables[i]))
                break;
            if (swap_has(p->swap, KIND_WLD, tables[i])) {
                rc = pool_swap_in(p, KIND_WLD, tables[i], RAW_PACKED, &e);
            } else if (!(rc = pool_add(p, KIND_WLD, tables[i], RAW_PACKED, &r, &e))) {
                raw_fill(r, (uint64_t)i);
                made[i] = true;
            }
            break;
        case 1:
            if (pool_has(p, KIND_WLD, tables[i]) && p->pinned[code] < 3)
                pool_pin(p, tables[i], 1);
            break;
        case 2:
            if (p->pinned[code])
                pool_pin(p, tables[i], -1);
            break;
        default:
            rc = pool_reserve(p, (uint64_t)rng_below(rng, (int)p->budget), &e);
        }
        if (rc) {
            assert_int_equal(rc, STATUS_NO_MEMORY);
            assert_non_null(strstr(e.text, "--memory"));
        } else {
            assert_string_equal(e.text, ""); /* nothing is left of what was tried */
        }
        pool_check(p, made);
    }
}

static void test_pool(void **state)
{
    struct rng rng = rng_for_test("pool");
    struct crew crew;
    uint64_t all = 0;

    (void)state;
    crew_open(&crew, 2, NULL);
    for (int i = 0; i < TABLES; i++)
        all += raw_bytes(tables[i], RAW_PACKED);
    for (int round = 0; round < 8; round++) {
        struct scratch a = scratch_create();
        struct pool *p;
        struct error e;

        assert_int_equal(
            pool_open(&p, all * (uint64_t)(2 + round) / 8, round % 2 ? a.path : NULL, &crew, &e),
            STATUS_OK);
        pool_play(&rng, p);
        for (int i = 0; i < SLICE_CODES; i++) {
            p->next_use[i] = POOL_NEVER;
            p->pinned[i] = 0;
        }
        pool_forget(p);
        assert_int_equal(pool_sum(p), 0);
        assert_int_equal(p->used, 0);
        assert_int_equal(swap_memory(p->swap) + swap_files(p->swap), 0);
        assert_int_equal(scratch_count(&a), 0);
        pool_close(&p);
        scratch_remove(&a);
    }
    crew_close(&crew);
}

/* (O4) */
static void assert_settles(const struct pool *p, uint64_t bytes)
{
    for (int i = 0; i < 2000 && residents_now(p->residents) > bytes; i++)
        usleep(5000);
    assert_true(residents_now(p->residents) <= bytes);
}

/* A table that does not fit is a file, and its pages stay within what is left. */
static void test_pool_files(void **state)
{
    static const struct slice small = {2, 1, 2, 0}, large = {3, 1, 2, 0};
    uint64_t budget = 8 << 20;
    struct scratch a = scratch_create();
    struct crew crew;
    struct pool *p;
    struct raw *r;
    struct error e = {0};

    (void)state;
    crew_open(&crew, 2, NULL);
    assert_int_equal(pool_open(&p, budget, a.path, &crew, &e), STATUS_OK);
    p->window = budget / 4;
    assert_int_equal(pool_add(p, KIND_WLD, small, RAW_PACKED, &r, &e), STATUS_OK);
    pool_pin(p, small, 1);
    raw_fill(r, 1);
    assert_int_equal(pool_add(p, KIND_WLD, large, RAW_PACKED, &r, &e), STATUS_OK);
    assert_true(p->mapped[KIND_WLD][slice_code(large)] && p->files == 1);
    assert_true(r->bytes > budget && p->used + p->window < budget);
    raw_fill(r, 2);
    assert_settles(p, budget - p->used);
    assert_filled(r, 2);
    assert_int_equal(pool_reserve(p, budget / 4, &e), STATUS_OK); /* files have that much less */
    assert_filled(r, 2);
    assert_settles(p, budget - p->used - budget / 4);
    p->aside = 0;
    assert_string_equal(e.text, "");
    assert_int_equal(pool_room(p, budget - p->used, NULL), STATUS_NO_MEMORY);
    assert_int_equal(p->window, budget / 4); /* tables leave it, workspaces do not */
    assert_int_equal(pool_reserve(p, budget - p->used, &e), STATUS_OK);
    assert_string_equal(e.text, ""); /* not of the attempt that left the window as it was */
    assert_int_equal(p->window, 0);
    assert_int_equal(p->aside, budget - p->used);
    assert_int_equal(pool_reserve(p, 1, &e), STATUS_NO_MEMORY);
    assert_non_null(strstr(e.text, "--memory"));
    pool_drop(p, KIND_WLD, large);
    assert_int_equal(p->files, 0);
    pool_close(&p);
    crew_close(&crew);
    scratch_remove(&a);
}

int main(void)
{
    const struct CMUnitTest tests_all[] = {
        cmocka_unit_test(test_frames),       cmocka_unit_test(test_frames_refused),
        cmocka_unit_test(test_move_refused), cmocka_unit_test(test_swap),
        cmocka_unit_test(test_swap_form),    cmocka_unit_test(test_swap_damaged),
        cmocka_unit_test(test_swap_full),    cmocka_unit_test(test_pool),
        cmocka_unit_test(test_swap_signals), cmocka_unit_test(test_pool_files),
    };

    return cmocka_run_group_tests(tests_all, NULL, NULL);
}
