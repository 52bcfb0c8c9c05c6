/* SPDX-License-Identifier: MIT
 *
 * part_log.h: finished parts come back, and nothing else does, wherever the file was cut or
 * damaged. */
#include "kit/scratch.h"
#include "kit/test.h"

#include "db/part_log.h"

#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 4, ADDED = 3, BYTES = 1000 };

static const struct part_log_name name = {{1, 1, 1, 1}, KIND_DTW, RAW_NARROW, 1, 3};

static void values_make(uint8_t *bytes, int part, int i)
{
    for (int k = 0; k < BYTES; k++)
        bytes[k] = (uint8_t)(k / 7 * (part + 1) + i);
}

/* Write all parts, and then some values of one that does not end. */
static void log_write(const char *path)
{
    struct part_log *l;
    uint8_t bytes[BYTES];
    uint32_t parts = PARTS + 1, done;

    assert_int_equal(part_log_open(&l, path, &name, &parts, &done, NULL), STATUS_OK);
    assert_int_equal(done, 0);
    assert_int_equal(part_log_cut(l, parts, 0, NULL), STATUS_OK);
    for (int part = 0; part <= PARTS; part++) {
        for (int i = 0; i < ADDED; i++) {
            values_make(bytes, part, i);
            assert_int_equal(part_log_add(l, bytes, BYTES, NULL), STATUS_OK);
        }
        if (part < PARTS)
            assert_int_equal(part_log_end(l, NULL), STATUS_OK);
    }
    part_log_close(&l);
    assert_null(l);
}

/* Read all of the first parts; returns how many the file has. */
static uint32_t log_check(const char *path, uint32_t keep)
{
    struct part_log *l;
    const uint8_t *bytes;
    uint8_t expected[BYTES];
    uint32_t parts = 99, done;
    size_t n;

    assert_int_equal(part_log_open(&l, path, &name, &parts, &done, NULL), STATUS_OK);
    assert_int_equal(parts, done ? PARTS + 1 : 99);
    keep = keep < done ? keep : done;
    assert_int_equal(part_log_cut(l, parts, keep, NULL), STATUS_OK);
    for (int k = 0; k < (int)keep * ADDED; k++) {
        assert_int_equal(part_log_next(l, &bytes, &n, NULL), STATUS_OK);
        assert_int_equal(n, BYTES);
        values_make(expected, k / ADDED, k % ADDED);
        assert_memory_equal(bytes, expected, BYTES);
    }
    assert_int_equal(part_log_next(l, &bytes, &n, NULL), STATUS_OK);
    assert_int_equal(n, 0);
    part_log_close(&l);
    return done;
}

static void test_parts_come_back(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];

    (void)state;
    log_write(scratch_file(&dir, "log", path));
    assert_int_equal(log_check(path, PARTS), PARTS);
    assert_int_equal(log_check(path, 2), PARTS);
    assert_int_equal(log_check(path, PARTS), 2); /* the others were cut off */
    scratch_remove(&dir);
}

/* (W1) */
static void test_cut_and_damaged(void **state)
{
    struct rng r = rng_for_test("part log");
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    size_t size;
    uint8_t *bytes;

    (void)state;
    log_write(scratch_file(&dir, "log", path));
    bytes = file_read(path, &size);
    for (int i = 0; i < 200; i++) {
        size_t at = 32 + (size_t)rng_below(&r, (int)size - 32);
        uint32_t before, done;

        file_write(path, bytes, at);
        before = log_check(path, PARTS); /* what ends before `at` */
        assert_in_range(before, 0, PARTS);
        bytes[at] ^= 1;
        file_write(path, bytes, size);
        done = log_check(path, PARTS);
        bytes[at] ^= 1;
        assert_int_equal(done, before);
    }
    free(bytes);
    scratch_remove(&dir);
}

/* In the place of libc's: what was synced. */
static int files_synced, directories_synced;

int fsync(int fd)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    ++*(S_ISDIR(st.st_mode) ? &directories_synced : &files_synced);
    return 0;
}

/* (W2): a power failure takes neither the part nor the name of its file. */
static void test_synced(void **state)
{
    struct scratch dir = scratch_create();
    struct part_log *l;
    char path[SCRATCH_MAX];
    uint32_t parts = 2, done;

    (void)state;
    files_synced = directories_synced = 0;
    assert_int_equal(part_log_open(&l, scratch_file(&dir, "log", path), &name, &parts, &done, NULL),
                     STATUS_OK);
    assert_int_equal(part_log_cut(l, parts, 0, NULL), STATUS_OK);
    assert_int_equal(part_log_add(l, (const uint8_t *)"x", 1, NULL), STATUS_OK);
    assert_int_equal(part_log_end(l, NULL), STATUS_OK);
    assert_true(files_synced == 1 && directories_synced == 1);
    part_log_close(&l);
    scratch_remove(&dir);
}

/* Another rank's file, one of another number of ranks or of another form has nothing to say. */
static void test_of_another_run(void **state)
{
    struct part_log_name other[3] = {name, name, name};
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];

    (void)state;
    log_write(scratch_file(&dir, "log", path));
    other[0].ranks = 4;
    other[1].rank = 2;
    other[2].form = RAW_NINE;
    for (int i = 0; i < 3; i++) {
        uint32_t parts = 7, done = 9;
        struct part_log *l;

        assert_int_equal(part_log_open(&l, path, &other[i], &parts, &done, NULL), STATUS_OK);
        assert_int_equal(done, 0);
        assert_int_equal(parts, 7);
        part_log_close(&l);
    }
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_come_back),
        cmocka_unit_test(test_cut_and_damaged),
        cmocka_unit_test(test_synced),
        cmocka_unit_test(test_of_another_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
