/* SPDX-License-Identifier: MIT */
#include "base/files.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 14 };

enum status file_error(const char *path, struct error *e)
{
    return error_set(e, STATUS_IO, "%s: %s", path, strerror(errno));
}

enum status file_open_error(const char *path, struct error *e)
{
    enum status status = errno == ENOENT ? STATUS_MISSING : STATUS_IO;

    return error_set(e, status, "%s: %s", path, strerror(errno));
}

enum status file_write_all(int fd, const char *path, const void *bytes, size_t n, struct error *e)
{
    const char *p = bytes;

    while (n > 0) {
        ssize_t k = write(fd, p, n);

        if (k < 0 && errno != EINTR)
            return file_error(path, e);
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        }
    }
    return STATUS_OK;
}

enum status file_write_at(int fd, const char *path, const void *bytes, size_t n, uint64_t offset,
                          struct error *e)
{
    const char *p = bytes;

    while (n > 0) {
        ssize_t k = pwrite(fd, p, n, (off_t)offset);

        if (k < 0 && errno == EINTR)
            continue;
        if (k == 0)
            errno = ENOSPC;
        if (k <= 0)
            return file_error(path, e);
        p += k;
        n -= (size_t)k;
        offset += (uint64_t)k;
    }
    return STATUS_OK;
}

enum status file_read_at(int fd, const char *path, void *bytes, size_t n, uint64_t offset,
                         struct error *e)
{
    char *p = bytes;

    while (n > 0) {
        ssize_t k = pread(fd, p, n, (off_t)offset);

        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return file_error(path, e);
        if (k == 0)
            return error_set(e, STATUS_DAMAGED, "%s: ends at byte %" PRIu64 ", too early", path,
                             offset);
        p += k;
        n -= (size_t)k;
        offset += (uint64_t)k;
    }
    return STATUS_OK;
}

/* A regular file that is long enough. */
static enum status file_measure(int fd, const char *path, const char *what, uint64_t least,
                                uint64_t *size, struct error *e)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return file_error(path, e);
    if (!S_ISREG(st.st_mode))
        return error_set(e, STATUS_FORMAT, "%s: not a regular file", path);
    *size = (uint64_t)st.st_size;
    if (*size < least)
        return error_set(e, STATUS_FORMAT,
                         "%s: too short to be %s: expected %" PRIu64 " bytes or more", path, what,
                         least);
    return STATUS_OK;
}

enum status stream_read_all(FILE *f, const char *name, uint8_t **bytes, size_t *n, struct error *e)
{
    size_t room = 0, got;

    *bytes = NULL;
    *n = 0;
    do {
        if (!array_room((void **)bytes, &room, *n + READ_BYTES + FILE_SPARE, 1)) {
            free(*bytes);
            *bytes = NULL;
            return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", name);
        }
        got = fread(*bytes + *n, 1, room - FILE_SPARE - *n, f);
        *n += got;
    } while (got > 0);
    if (ferror(f)) {
        enum status rc = file_error(name, e);

        free(*bytes);
        *bytes = NULL;
        return rc;
    }
    memset(*bytes + *n, 0, FILE_SPARE);
    return STATUS_OK;
}

enum status file_read_all(const char *path, uint8_t **bytes, size_t *n, struct error *e)
{
    FILE *f = fopen(path, "rb");
    enum status rc = f ? stream_read_all(f, path, bytes, n, e) : file_open_error(path, e);

    if (f)
        fclose(f);
    return rc;
}

enum status file_open(const char *path, const char *what, uint64_t least, int *fd, uint64_t *size,
                      struct error *e)
{
    enum status rc;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* never wait for a pipe */
    if (*fd < 0)
        return file_open_error(path, e);
    if ((rc = file_measure(*fd, path, what, least, size, e))) {
        close(*fd);
        *fd = -1;
    }
    return rc;
}

enum status file_load(int fd, const char *path, uint64_t offset, uint64_t n, uint8_t **bytes,
                      struct error *e)
{
    enum status rc;

    if (!(*bytes = malloc(n ? n : 1)))
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory for %" PRIu64 " bytes", path,
                         n);
    if ((rc = file_read_at(fd, path, *bytes, n, offset, e))) {
        free(*bytes);
        *bytes = NULL;
    }
    return rc;
}

/* Lock what was opened as *fd. */
static enum status lock_opened(const char *path, int *fd, struct error *e)
{
    enum status rc = STATUS_LOCKED;

    if (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) == 0)
        return STATUS_OK;
    if (*fd < 0 || errno != EWOULDBLOCK)
        rc = file_error(path, e);
    else
        error_set(e, rc, "%s: locked by another process", path);
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return rc;
}

enum status file_lock(const char *path, int *fd, struct error *e)
{
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    return lock_opened(path, fd, e);
}

enum status directory_lock(const char *dir, int *fd, struct error *e)
{
    *fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return lock_opened(dir, fd, e);
}

/* The directory in which a path lies. */
static enum status directory_of(const char *path, char dir[PATH_MAX], struct error *e)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;

    if (n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return file_error(path, e);
    }
    if (!slash)
        strcpy(dir, ".");
    else if (n == 0)
        strcpy(dir, "/");
    else {
        memcpy(dir, path, n);
        dir[n] = 0;
    }
    return STATUS_OK;
}

enum status directory_sync(const char *dir, struct error *e)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum status rc = STATUS_OK;

    if (fd < 0 || fsync(fd) != 0)
        rc = file_error(dir, e);
    if (fd >= 0)
        close(fd);
    return rc;
}

enum status file_sync_name(const char *path, struct error *e)
{
    char dir[PATH_MAX];
    enum status rc = directory_of(path, dir, e);

    return rc ? rc : directory_sync(dir, e);
}

enum status directory_make(const char *dir, struct error *e)
{
    char path[PATH_MAX];
    struct stat st;
    enum status rc;

    if (strlen(dir) >= sizeof path) {
        errno = ENAMETOOLONG;
        return file_error(dir, e);
    }
    strcpy(path, dir);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            if (mkdir(path, 0777) == 0 && (rc = file_sync_name(path, e))) /* the last one tells */
                return rc;
            *p = '/';
        }
    if (mkdir(path, 0777) == 0)
        return file_sync_name(path, e);
    if (errno == EEXIST && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        errno = ENOTDIR;
    else if (errno == EEXIST)
        return STATUS_OK;
    return file_error(dir, e);
}

/* ----------------------------------------------------------------- publish -- */

enum status file_publish(int fd, const char *temporary, const char *path, struct error *e)
{
    char dir[PATH_MAX];
    enum status rc = directory_of(path, dir, e);

    if (!rc && fsync(fd) != 0)
        rc = file_error(temporary, e);
    if (!rc && rename(temporary, path) != 0)
        rc = file_error(path, e);
    if (rc) {
        unlink(temporary);
        return rc;
    }
    return directory_sync(dir, e);
}

enum status file_replace(const char *path, const void *bytes, size_t n, struct error *e)
{
    char temporary[PATH_MAX];
    enum status rc;
    int fd;

    if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return file_error(path, e);
    }
    fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return file_error(temporary, e);
    if ((rc = file_write_all(fd, temporary, bytes, n, e)))
        unlink(temporary);
    else
        rc = file_publish(fd, temporary, path, e);
    close(fd); /* what mattered has been synced */
    return rc;
}
