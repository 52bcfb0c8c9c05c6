/* SPDX-License-Identifier: MIT
 *
 * A store whose file was damaged anywhere: (W1) and (W2) of store_walk.h, (G4) of store.h.  Each
 * damaged copy is opened by a child, which reads all that was written, writes more and reads it
 * back: it is refused, or reads everything that was written, and no signal ends it. */
#include "kit/positions.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "base/clock.h"
#include "proof/store.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORDS = 1200, NUMBERS = 150, TEXT = 30000 };
enum { EXIT_FINE, EXIT_REFUSED, EXIT_WRONG = 9 };

static struct board position[RECORDS];

static struct store_record record_of(int i)
{
    return (struct store_record){.bounds = {VALUE_LOSS, VALUE_WIN},
                                 .own = {VALUE_LOSS, VALUE_WIN},
                                 .score = i % 100,
                                 .nodes = (uint64_t)i * 77,
                                 .searches = (uint32_t)i};
}

static char *long_text(void)
{
    char *text = malloc(TEXT + 1);

    assert_non_null(text);
    for (int i = 0; i < TEXT; i++)
        text[i] = (char)('a' + i * 7 % 26);
    text[TEXT] = 0;
    return text;
}

/* Trees of several levels, data of several pages, pages that are free again. */
static void store_make(const struct scratch *dir)
{
    struct rng rng = rng_for_test("store walk");
    struct solve_numbers after[3] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}, {{9, 1}, {2, 3}}};
    char *text = long_text();
    struct store *s;

    assert_int_equal(store_open(&s, dir->path, true, NULL), STATUS_OK);
    store_group(s);
    for (int i = 0; i < RECORDS; i++) {
        struct store_record r = record_of(i), other;

        do
            position[i] = random_position(&rng);
        while (store_get(s, &position[i], &other, NULL) == STATUS_OK);
        assert_int_equal(store_put(s, &position[i], &r, NULL), STATUS_OK);
        if (i < NUMBERS)
            assert_int_equal(store_put_numbers(s, &position[i], after, 3, NULL), STATUS_OK);
        if (i % 200 == 199)
            assert_int_equal(store_commit(s, NULL), STATUS_OK);
    }
    assert_int_equal(store_put_text(s, "long", text, NULL), STATUS_OK);
    assert_int_equal(store_put_text(s, "short", "B:W32:B1\n", NULL), STATUS_OK);
    assert_int_equal(store_ungroup(s, NULL), STATUS_OK);
    store_close(&s);
    free(text);
}

static bool record_same(const struct store_record *a, const struct store_record *b)
{
    return a->bounds.lower == b->bounds.lower && a->bounds.upper == b->bounds.upper &&
           a->score == b->score && a->nodes == b->nodes && a->searches == b->searches;
}

/* What a program does with a store; in a child, so without cmocka. */
static int store_use(const char *dir)
{
    struct store_record r = record_of(RECORDS), got;
    bool damaged = false;
    struct store *s;
    char *text = NULL, *want;
    enum status rc = store_open(&s, dir, true, NULL);

    if (rc)
        return rc == STATUS_DAMAGED || rc == STATUS_IO || rc == STATUS_NO_MEMORY ? EXIT_REFUSED
                                                                                 : EXIT_WRONG;
    for (int i = 0; i < RECORDS; i++) {
        struct store_record wanted = record_of(i);

        if (store_get(s, &position[i], &got, NULL) || !record_same(&got, &wanted))
            return EXIT_WRONG;
    }
    want = long_text();
    if (store_get_text(s, "long", &text, NULL) || strcmp(text, want) != 0)
        return EXIT_WRONG;
    free(text);
    free(want);
    store_group(s);
    for (int i = 0; i < 40; i++) {
        rc = store_put(s, &position[i * 13], &r, NULL);
        damaged |= rc != STATUS_OK;
    }
    damaged |= store_ungroup(s, NULL) != STATUS_OK;
    store_close(&s);
    return damaged ? EXIT_REFUSED : EXIT_FINE;
}

static int use_in_child(const char *dir)
{
    int status;
    pid_t pid;

    fflush(NULL);
    if ((pid = fork()) == 0) {
        alarm(60);
        if (!freopen("/dev/null", "w", stderr))
            _exit(EXIT_WRONG);
        _exit(store_use(dir));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void expect_survives(const struct scratch *dir, const char *path, const uint8_t *bytes,
                            size_t size, const char *what, size_t at, int *count)
{
    int code;

    file_write(path, bytes, size);
    code = use_in_child(dir->path);
    if (code < 0 || code > EXIT_REFUSED)
        fail_msg("%s at %zu of %zu (page %zu, offset %zu): ended with %d", what, at, size,
                 at / 4096, at % 4096, code);
    count[code]++;
}

static void test_damage_anywhere(void **state)
{
    struct rng rng = rng_for_test("damage anywhere");
    struct scratch dir = scratch_create();
    int runs = test_is_long() ? 20000 : test_is_sanitized() ? 40 : 200, count[2] = {0};
    char path[SCRATCH_MAX];
    uint8_t *bytes;
    size_t size;

    (void)state;
    store_make(&dir);
    bytes = file_read(scratch_file(&dir, "data.mdb", path), &size);
    expect_survives(&dir, path, bytes, size, "nothing", 0, count);
    assert_int_equal(count[EXIT_FINE], 1);
    for (int i = 0; i < runs; i++) {
        bool head = rng_below(&rng, 2); /* of a page: there the damage is worst */
        size_t at = (size_t)rng_below(&rng, (int)size), n = 1;
        uint8_t was[512];

        if (head)
            at = at / 4096 * 4096 + (size_t)rng_below(&rng, 160);
        memcpy(was, bytes + at, at + sizeof was <= size ? sizeof was : 1);
        if (at + sizeof was <= size && rng_below(&rng, 4) == 0) {
            n = sizeof was;
            memset(bytes + at, rng_below(&rng, 2) ? 0 : 255, n);
        } else {
            bytes[at] ^= (uint8_t)(1u << rng_below(&rng, 8));
        }
        expect_survives(&dir, path, bytes, size, n > 1 ? "a sector" : "a bit", at, count);
        memcpy(bytes + at, was, n);
    }
    print_message("%zu bytes, %d damages: %d read as before, %d refused\n", size, runs,
                  count[EXIT_FINE] - 1, count[EXIT_REFUSED]);
    assert_true(count[EXIT_REFUSED] > runs / 10);
    free(bytes);
    scratch_remove(&dir);
}

/* What the walk costs: printed, not judged. */
static void test_cost(void **state)
{
    struct scratch dir = scratch_create();
    double before;
    struct store *s;

    (void)state;
    store_make(&dir);
    before = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(store_open(&s, dir.path, false, NULL), STATUS_OK);
        store_close(&s);
    }
    print_message("opening takes %.3f ms of CPU\n",
                  1000 * (clock_now(CLOCK_PROCESS_CPUTIME_ID) - before) / 20);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage_anywhere),
        cmocka_unit_test(test_cost),
    };

    if (access("/dev/shm", W_OK) == 0) /* thousands of syncs: in memory */
        setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
