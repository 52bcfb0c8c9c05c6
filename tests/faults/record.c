/* SPDX-License-Identifier: MIT
 *
 * record.c -- a library to be loaded before a program (LD_PRELOAD) that writes each file operation
 * of the program to the file $KELSO_RECORD, in the order in which they happened (record.h).
 *
 * One lock is held over a call and its record.  Calls that fail are not recorded.  Stores into a
 * shared mapping are seen when msync writes them. */
#include "faults/record.h"
#include "faults/interpose.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FDS = 1024, MAPPINGS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static char root[PATH_MAX];
static bool followed[FDS]; /* descriptors of files and directories below the root */

static struct {
    char *data;
    size_t size;
    int fd;
    off_t offset;
} mappings[MAPPINGS];

static ssize_t write_log(const struct iovec *parts, int count)
{
    NEXT(writev);
    return next(log_fd, parts, count);
}

static void record(enum record_kind kind, int fd, uint64_t offset, int flags, const void *bytes,
                   size_t length)
{
    struct record_head head = {.kind = kind,
                               .fd = fd,
                               .flags = flags,
                               .pid = (int32_t)getpid(),
                               .offset = offset,
                               .length = length};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, length}};
    int error = errno;

    if (write_log(parts, 2) != (ssize_t)(sizeof head + length))
        abort();
    errno = error;
}

/* ----------------------------------------------------------------------- paths -- */

/* The path below the root, or false. */
static bool path_below(int at, const char *path, char out[PATH_MAX])
{
    char dir[PATH_MAX] = "", link[64], all[2 * PATH_MAX];
    size_t n = strlen(root);
    ssize_t got;

    if (log_fd < 0)
        return false;
    if (path[0] != '/') {
        snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
        if ((got = readlink(link, dir, sizeof dir - 1)) < 0)
            return false;
        dir[got] = 0;
    }
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    if (strcmp(path, ".") == 0)
        path = "";
    snprintf(all, sizeof all, "%s%s%s", dir, *dir && *path ? "/" : "", path);
    if (strncmp(all, root, n) != 0 || (all[n] && all[n] != '/'))
        return false;
    snprintf(out, PATH_MAX, "%s", all[n] ? all + n + 1 : "");
    return true;
}

static void record_path(enum record_kind kind, const char *path)
{
    record(kind, -1, 0, 0, path, strlen(path) + 1);
}

static bool is_followed(int fd)
{
    return fd >= 0 && fd < FDS && followed[fd];
}

/* ----------------------------------------------------------------------- files -- */

int open(const char *path, int flags, ...)
{
    char name[PATH_MAX];
    mode_t mode;
    bool below, fresh;
    int fd;

    NEXT(open);
    OPEN_MODE(flags, mode);
    pthread_mutex_lock(&lock);
    below = path_below(AT_FDCWD, path, name);
    fresh = below && access(path, F_OK) != 0;
    fd = next(path, flags, mode);
    if (fd >= 0 && fd < FDS && (followed[fd] = below))
        record(RECORD_OPEN, fd, fresh, flags, name, strlen(name) + 1);
    pthread_mutex_unlock(&lock);
    return fd;
}

int close(int fd)
{
    int rc;

    NEXT(close);
    pthread_mutex_lock(&lock);
    if (is_followed(fd)) {
        followed[fd] = false;
        record(RECORD_CLOSE, fd, 0, 0, NULL, 0);
    }
    rc = next(fd);
    pthread_mutex_unlock(&lock);
    return rc;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    ssize_t done;

    NEXT(write);
    if (!is_followed(fd))
        return next(fd, bytes, n);
    pthread_mutex_lock(&lock);
    if ((done = next(fd, bytes, n)) > 0)
        record(RECORD_WRITE, fd, (uint64_t)(lseek(fd, 0, SEEK_CUR) - done), 0, bytes, (size_t)done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t done = 0;

    for (int i = 0; i < count; i++) {
        ssize_t k = write(fd, parts[i].iov_base, parts[i].iov_len);

        if (k < 0)
            return done ? done : -1;
        done += k;
        if ((size_t)k < parts[i].iov_len)
            break;
    }
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    ssize_t done;

    NEXT(pwrite);
    if (!is_followed(fd))
        return next(fd, bytes, n, offset);
    pthread_mutex_lock(&lock);
    if ((done = next(fd, bytes, n, offset)) > 0)
        record(RECORD_WRITE, fd, (uint64_t)offset, 0, bytes, (size_t)done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t offset)
{
    return pwrite(fd, bytes, n, offset);
}

static int recorded(int rc, enum record_kind kind, int fd, off_t size)
{
    if (rc == 0 && is_followed(fd))
        record(kind, fd, (uint64_t)size, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return rc;
}

int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate);
    pthread_mutex_lock(&lock);
    return recorded(next(fd, size), RECORD_TRUNCATE, fd, size);
}

int ftruncate64(int fd, off_t size)
{
    return ftruncate(fd, size);
}

int posix_fallocate(int fd, off_t offset, off_t size)
{
    NEXT(posix_fallocate);
    pthread_mutex_lock(&lock);
    return recorded(next(fd, offset, size), RECORD_GROW, fd, offset + size);
}

int posix_fallocate64(int fd, off_t offset, off_t size)
{
    return posix_fallocate(fd, offset, size);
}

int fsync(int fd)
{
    NEXT(fsync);
    pthread_mutex_lock(&lock);
    return recorded(next(fd), RECORD_SYNC, fd, 0);
}

int fdatasync(int fd)
{
    NEXT(fdatasync);
    pthread_mutex_lock(&lock);
    return recorded(next(fd), RECORD_SYNC, fd, 0);
}

/* -------------------------------------------------------------------- mappings -- */

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *p;

    NEXT(mmap);
    p = next(at, size, protection, flags, fd, offset);
    if (p == MAP_FAILED || !(flags & MAP_SHARED) || !(protection & PROT_WRITE) || !is_followed(fd))
        return p;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAPPINGS; i++)
        if (!mappings[i].data) {
            mappings[i].data = p;
            mappings[i].size = size;
            mappings[i].fd = dup(fd); /* known by it when the first is closed */
            mappings[i].offset = offset;
            record(RECORD_OPEN, mappings[i].fd, 2, fd, "", 1);
            break;
        }
    pthread_mutex_unlock(&lock);
    return p;
}

int munmap(void *at, size_t size)
{
    NEXT(munmap);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAPPINGS; i++)
        if (mappings[i].data == at && at) {
            mappings[i].data = NULL;
            record(RECORD_CLOSE, mappings[i].fd, 0, 0, NULL, 0);
        }
    pthread_mutex_unlock(&lock);
    return next(at, size);
}

int msync(void *at, size_t size, int flags)
{
    int rc;

    NEXT(msync);
    pthread_mutex_lock(&lock);
    rc = next(at, size, flags);
    for (int i = 0; rc == 0 && i < MAPPINGS; i++) {
        char *data = mappings[i].data;

        if (data && (char *)at >= data && (char *)at + size <= data + mappings[i].size)
            record(RECORD_STORE, mappings[i].fd,
                   (uint64_t)(mappings[i].offset + ((char *)at - data)), 0, at, size);
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

/* ----------------------------------------------------------------------- names -- */

int mkdir(const char *path, mode_t mode)
{
    char name[PATH_MAX];
    int rc;

    NEXT(mkdir);
    pthread_mutex_lock(&lock);
    rc = next(path, mode);
    if (rc == 0 && path_below(AT_FDCWD, path, name))
        record_path(RECORD_MKDIR, name);
    pthread_mutex_unlock(&lock);
    return rc;
}

int rename(const char *from, const char *to)
{
    char names[2 * PATH_MAX], name[PATH_MAX];
    size_t n;
    int rc;

    NEXT(rename);
    pthread_mutex_lock(&lock);
    rc = next(from, to);
    if (rc == 0 && path_below(AT_FDCWD, from, names) && path_below(AT_FDCWD, to, name)) {
        n = strlen(names) + 1;
        strcpy(names + n, name);
        record(RECORD_RENAME, -1, 0, 0, names, n + strlen(name) + 1);
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

int unlinkat(int at, const char *path, int flags)
{
    char name[PATH_MAX];
    int rc;

    NEXT(unlinkat);
    pthread_mutex_lock(&lock);
    rc = next(at, path, flags);
    if (rc == 0 && path_below(at, path, name))
        record_path(RECORD_UNLINK, name);
    pthread_mutex_unlock(&lock);
    return rc;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

__attribute__((constructor)) static void record_begin(void)
{
    const char *path = getenv("KELSO_RECORD");
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    int fd;

    if (!path || !getcwd(root, sizeof root))
        return;
    if ((fd = next(path, O_WRONLY | O_CREAT | O_APPEND, 0666)) < 0)
        abort();
    log_fd = fcntl(fd, F_DUPFD_CLOEXEC, 500);
    close(fd);
}
