/* SPDX-License-Identifier: MIT
 *
 * Files: whole reads and writes, locks, and what publishing leaves behind: (F1), (F2). */
#include "kit/test.h"

#include "base/files.h"
#include "kit/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int create(const char *path, const char *text)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);

    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, path, text, strlen(text), NULL), STATUS_OK);
    return fd;
}

static void expect_bytes(const char *path, const char *text)
{
    size_t n;
    uint8_t *bytes = file_read(path, &n);

    assert_int_equal(n, strlen(text));
    assert_memory_equal(bytes, text, n);
    free(bytes);
}

static void test_publish(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX], temporary[SCRATCH_MAX];
    struct error e = {0};
    int fd;

    (void)state;
    scratch_file(&s, "file", path);
    scratch_file(&s, "file.tmp", temporary);
    fd = create(temporary, "new");
    assert_int_equal(file_publish(fd, temporary, path, &e), STATUS_OK);
    close(fd);
    expect_bytes(path, "new");
    assert_int_equal(file_replace(path, "newer", 5, &e), STATUS_OK);
    expect_bytes(path, "newer");
    assert_int_equal(scratch_count(&s), 1);
    scratch_remove(&s);
}

/* What cannot be published is reported and removed; what had the name keeps it. */
static void test_publish_failures(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX], temporary[SCRATCH_MAX], below[SCRATCH_MAX];
    struct error e = {0};
    int fd;

    (void)state;
    file_write(scratch_file(&s, "file", path), "old", 3);
    scratch_file(&s, "file.tmp", temporary);
    close(create(temporary, "new"));
    assert_int_equal(file_publish(-1, temporary, path, &e), STATUS_IO); /* no fsync */
    assert_non_null(strstr(e.text, "file.tmp: Bad file descriptor"));
    assert_int_equal(scratch_count(&s), 1);
    expect_bytes(path, "old");

    fd = create(temporary, "new");
    scratch_file(&s, "missing/file", below);
    assert_int_equal(file_publish(fd, temporary, below, &e), STATUS_IO); /* no rename */
    assert_non_null(strstr(e.text, "missing/file: No such file"));
    close(fd);
    assert_int_equal(scratch_count(&s), 1);
    assert_int_equal(file_replace(below, "new", 3, &e), STATUS_IO);
    scratch_remove(&s);
}

/* A path without a slash is in the working directory; one in the root has "/". */
static void test_publish_here(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX];
    int here = open(".", O_RDONLY | O_DIRECTORY);

    (void)state;
    assert_int_equal(chdir(s.path), 0);
    assert_int_equal(file_replace("plain", "bytes", 5, NULL), STATUS_OK);
    assert_int_equal(fchdir(here), 0);
    close(here);
    expect_bytes(scratch_file(&s, "plain", path), "bytes");
    scratch_remove(&s);
}

static void test_at(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX], bytes[8];
    struct error e = {0};
    int fd = create(scratch_file(&s, "file", path), "0123456789");

    (void)state;
    assert_int_equal(file_write_at(fd, path, "ab", 2, 4, &e), STATUS_OK);
    assert_int_equal(file_read_at(fd, path, bytes, 6, 2, &e), STATUS_OK);
    assert_memory_equal(bytes, "23ab67", 6);
    assert_int_equal(file_read_at(fd, path, bytes, 3, 8, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, "ends at byte 10"));
    close(fd);
    fd = open(path, O_RDONLY);
    assert_int_equal(file_write_at(fd, path, "ab", 2, 4, &e), STATUS_IO);
    close(fd);
    scratch_remove(&s);
}

static void test_lock(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX];
    struct error e = {0};
    int a, b;

    (void)state;
    scratch_file(&s, "lock", path);
    assert_int_equal(file_lock(path, &a, &e), STATUS_OK);
    assert_int_equal(file_lock(path, &b, &e), STATUS_LOCKED);
    assert_int_equal(b, -1);
    close(a);
    assert_int_equal(file_lock(path, &a, &e), STATUS_OK);
    close(a);
    assert_int_equal(directory_lock(s.path, &a, &e), STATUS_OK);
    assert_int_equal(directory_lock(s.path, &b, &e), STATUS_LOCKED);
    close(a);
    assert_int_equal(directory_lock(path, &b, &e), STATUS_IO); /* not a directory */
    scratch_remove(&s);
}

static void test_directory_make(void **state)
{
    struct scratch s = scratch_create();
    char path[SCRATCH_MAX];
    struct error e = {0};

    (void)state;
    assert_int_equal(directory_make(scratch_file(&s, "a/b/c", path), &e), STATUS_OK);
    assert_int_equal(directory_make(path, &e), STATUS_OK);
    file_write(scratch_file(&s, "file", path), "", 0);
    assert_int_equal(directory_make(path, &e), STATUS_IO);
    assert_int_equal(directory_make(scratch_file(&s, "file/below", path), &e), STATUS_IO);
    scratch_remove(&s);
}

/* Files of sizes about those that are read at once, and a pipe that comes in pieces. */
static void test_read_all(void **state)
{
    static const size_t sizes[] = {0, 1, 100, (1 << 14) - 1, 1 << 14, (1 << 14) + 65, 300000};
    struct scratch s = scratch_create();
    struct rng r = rng_for_test("read all");
    char path[SCRATCH_MAX], command[SCRATCH_MAX + 40];
    uint8_t *bytes;
    size_t n;
    struct error e = {0};

    (void)state;
    scratch_file(&s, "file", path);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *text = malloc(sizes[i] + 1);
        FILE *pipe;

        for (size_t k = 0; k < sizes[i]; k++)
            text[k] = (uint8_t)rng_next(&r);
        assert_int_equal(file_replace(path, text, sizes[i], &e), STATUS_OK);
        snprintf(command, sizeof command, "dd bs=777 if=%s 2>/dev/null", path);
        pipe = popen(command, "r");
        for (int k = 0; k < 2; k++) {
            assert_int_equal(k ? stream_read_all(pipe, "pipe", &bytes, &n, &e)
                               : file_read_all(path, &bytes, &n, &e),
                             STATUS_OK);
            assert_int_equal(n, sizes[i]);
            assert_memory_equal(bytes, text, n);
            for (size_t z = 0; z < FILE_SPARE; z++)
                assert_int_equal(bytes[n + z], 0);
            free(bytes);
        }
        assert_int_equal(pclose(pipe), 0);
        free(text);
    }
    assert_int_equal(file_read_all("/nowhere/file", &bytes, &n, &e), STATUS_MISSING);
    assert_non_null(strstr(e.text, "/nowhere/file"));
    assert_int_equal(file_read_all("/", &bytes, &n, &e), STATUS_IO); /* a directory */
    assert_null(bytes);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_publish),
        cmocka_unit_test(test_read_all),
        cmocka_unit_test(test_publish_failures),
        cmocka_unit_test(test_publish_here),
        cmocka_unit_test(test_at),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_directory_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
