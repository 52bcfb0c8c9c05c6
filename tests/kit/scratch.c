/* SPDX-License-Identifier: MIT */
#include "kit/scratch.h"
#include "kit/test.h"

#include <dirent.h>
#include <ftw.h>
#include <unistd.h>

struct scratch scratch_create(void)
{
    const char *base = getenv("TMPDIR");
    struct scratch s;

    snprintf(s.path, sizeof s.path, "%s/kelso-test-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(s.path));
    return s;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void scratch_remove(struct scratch *s)
{
    assert_int_equal(nftw(s->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

const char *scratch_file(const struct scratch *s, const char *name, char buf[SCRATCH_MAX])
{
    assert_true(snprintf(buf, SCRATCH_MAX, "%s/%s", s->path, name) < SCRATCH_MAX);
    return buf;
}

int scratch_count(const struct scratch *s)
{
    DIR *d = opendir(s->path);
    int n = -2; /* . and .. */

    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

uint8_t *file_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}
