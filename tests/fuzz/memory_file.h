/* SPDX-License-Identifier: MIT
 *
 * memory_file.h -- a file without a disk: readers open it by its name, fuzzers fill it anew for
 * each input.  The names are links in a directory of their own to an anonymous file of this
 * process; links and directory are removed at the end. */
#ifndef KELSO_TESTS_MEMORY_FILE_H
#define KELSO_TESTS_MEMORY_FILE_H

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int fd;
    char dir[64], path[128];
    size_t size; /* what is in the file */
    uint8_t bytes[1 << 20];
};

static struct memory_file *memory_file_made; /* to be removed at exit; one a program */

static void memory_file_remove(void)
{
    unlink(memory_file_made->path);
    rmdir(memory_file_made->dir);
}

/* dir/name is the file. */
static inline void memory_file_open(struct memory_file *f, const char *name)
{
    char target[32];

    f->fd = memfd_create("fuzz", MFD_CLOEXEC);
    MUST(f->fd >= 0);
    strcpy(f->dir, "/tmp/kelso-fuzz-XXXXXX");
    MUST(mkdtemp(f->dir));
    snprintf(f->path, sizeof f->path, "%s/%s", f->dir, name);
    snprintf(target, sizeof target, "/proc/self/fd/%d", f->fd);
    MUST(symlink(target, f->path) == 0);
    memory_file_made = f;
    atexit(memory_file_remove);
}

/* Only what differs from what is there is written: most inputs change a few bytes. */
static inline void memory_file_fill(struct memory_file *f, const uint8_t *bytes, size_t size)
{
    size_t common = size < f->size ? size : f->size, first = 0, end = size;

    MUST(size <= sizeof f->bytes);
    while (first + 4096 <= common && memcmp(f->bytes + first, bytes + first, 4096) == 0)
        first += 4096;
    while (size == f->size && end >= first + 4096 &&
           memcmp(f->bytes + end - 4096, bytes + end - 4096, 4096) == 0)
        end -= 4096;
    if (size != f->size)
        MUST(ftruncate(f->fd, (off_t)size) == 0);
    MUST(pwrite(f->fd, bytes + first, end - first, (off_t)first) == (ssize_t)(end - first));
    memcpy(f->bytes + first, bytes + first, end - first);
    f->size = size;
}

#endif
