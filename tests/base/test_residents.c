/* SPDX-License-Identifier: MIT
 *
 * Residents: threads write and read two mapped files while their pages are unmapped again and
 * again: (R1), (R3); addresses that were removed and used for something else: (R2); pages that
 * unmapping does not give back: (R4). */
#include "kit/scratch.h"
#include "kit/test.h"

#include "base/crew.h"
#include "base/residents.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILES = 2, BYTES = 24 << 20, PAGE = 4096, BOUND = 4 << 20, ROUNDS = 6, THREADS = 2 };

struct bench {
    struct crew crew;
    struct residents *residents;
    uint8_t *at[FILES];
    atomic_int wrong;
};

static uint8_t *file_map(const struct scratch *s, int i)
{
    char path[SCRATCH_MAX];
    uint8_t *at;
    int fd;

    scratch_file(s, i ? "b" : "a", path);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    assert_true(fd >= 0 && ftruncate(fd, BYTES) == 0);
    at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    close(fd);
    return at;
}

/* Each thread has pages of its own: it checks what it wrote in the round before. */
static void touch(void *arg, int id)
{
    struct bench *b = arg;

    for (int round = 1; round <= ROUNDS; round++)
        for (int f = 0; f < FILES; f++)
            for (size_t i = (size_t)id * PAGE; i < BYTES; i += THREADS * PAGE) {
                if (b->at[f][i] != round - 1)
                    atomic_fetch_add(&b->wrong, 1);
                b->at[f][i] = (uint8_t)round;
            }
}

/* The system may be slow to give the thread its turn. */
static bool settles(const struct residents *r, uint64_t most)
{
    for (int i = 0; i < 2000; i++) {
        if (residents_now(r) <= most)
            return true;
        usleep(5000);
    }
    return false;
}

static void test_files(void **state)
{
    struct scratch s = scratch_create();
    struct bench b = {0};
    struct error e;

    (void)state;
    assert_int_equal(residents_open(&b.residents, &e), STATUS_OK);
    for (int i = 0; i < FILES; i++) {
        b.at[i] = file_map(&s, i);
        assert_int_equal(residents_add(b.residents, b.at[i], BYTES, &e), STATUS_OK);
    }
    crew_open(&b.crew, THREADS, NULL);
    crew_run(&b.crew, touch, &b); /* no bound yet */
    assert_true(residents_now(b.residents) >= FILES * (uint64_t)BYTES);
    residents_bound(b.residents, BOUND);
    assert_true(settles(b.residents, BOUND));
    for (int f = 0; f < FILES; f++)
        for (size_t i = 0; i < BYTES; i += PAGE)
            b.at[f][i] = 0;
    crew_run(&b.crew, touch, &b);
    assert_true(settles(b.residents, BOUND)); /* (R3) */
    assert_int_equal(b.wrong, 0);             /* (R1) */
    for (int i = 0; i < FILES; i++) {
        residents_remove(b.residents, b.at[i]);
        munmap(b.at[i], BYTES);
    }
    residents_close(&b.residents);
    assert_null(b.residents);
    crew_close(&b.crew);
    scratch_remove(&s);
}

/* Memory that is not a file would be lost by unmapping. */
static void test_removed(void **state)
{
    struct scratch s = scratch_create();
    struct residents *r;
    struct error e;
    uint8_t *at[FILES];

    (void)state;
    assert_int_equal(residents_open(&r, &e), STATUS_OK);
    residents_bound(r, 0);
    for (int i = 0; i < FILES; i++) {
        at[i] = file_map(&s, i);
        assert_int_equal(residents_add(r, at[i], BYTES, &e), STATUS_OK);
    }
    residents_remove(r, at[0]);
    assert_true(mmap(at[0], BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                     -1, 0) == at[0]);
    memset(at[0], 7, BYTES);
    usleep(50000);
    for (size_t i = 0; i < BYTES; i += PAGE)
        assert_int_equal(at[0][i], 7); /* (R2) */
    residents_remove(r, at[1]);
    for (int i = 0; i < FILES; i++)
        munmap(at[i], BYTES);
    residents_close(&r);
    scratch_remove(&s);
}

/* (R4): pages of files that nobody may unmap are more than the bound allows. */
static void test_others(void **state)
{
    enum { OTHERS = 6 << 20, SOME = 512 << 10 };
    struct scratch s = scratch_create();
    struct residents *r;
    struct error e;
    uint8_t *other, *at;

    (void)state;
    assert_int_equal(residents_open(&r, &e), STATUS_OK);
    residents_bound(r, 0);
    at = file_map(&s, 0);
    other = file_map(&s, 1);
    assert_int_equal(residents_add(r, at, BYTES, &e), STATUS_OK);
    for (size_t i = 0; i < OTHERS; i += PAGE)
        at[i] = other[i] = 1;
    assert_true(settles(r, 0));
    residents_bound(r, BOUND);
    for (size_t i = 0; i < SOME; i += PAGE)
        at[i] = 2;
    usleep(50000);
    assert_true(residents_now(r) >= SOME);
    residents_remove(r, at);
    munmap(at, BYTES);
    munmap(other, BYTES);
    residents_close(&r);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
