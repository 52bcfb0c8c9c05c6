/* SPDX-License-Identifier: MIT
 *
 * preload.c -- a library to be loaded before a program (LD_PRELOAD), in which the n-th call of
 * some kind fails.
 *
 * The program is started once and stops before its main: there it reads orders from descriptor
 * FAULT_ORDERS and forks for each of them.  The child goes to the order's directory, sends its
 * output to files there (fault.out, fault.err; its id is in fault.pid) and runs main with the
 * fault; the parent tells how it ended and how many calls there were.  So a run costs a fork, not
 * the loading of a program, and begins each time from the same memory.
 *
 * Not for programs under AddressSanitizer, which has a malloc of its own. */
#include "faults/preload.h"
#include "faults/interpose.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fault_order order;
static _Atomic uint64_t *calls; /* of the order's kind; shared with the parent */
static atomic_bool armed;

/* Count a call; must it fail? */
static bool fails(enum fault_kind kind)
{
    uint64_t n;

    if (!atomic_load_explicit(&armed, memory_order_relaxed) || order.kind != kind)
        return false;
    n = atomic_fetch_add(calls, 1) + 1;
    return order.all_after ? n >= order.n : n == order.n;
}

/* ---------------------------------------------------------------------- memory -- */

/* dlsym may ask for memory itself: a little is here. */
static char first_bytes[65536];
static size_t first_used;

static void *first_take(size_t size)
{
    void *p = first_bytes + first_used;

    first_used += (size + 15) / 16 * 16;
    if (first_used > sizeof first_bytes)
        abort();
    return p;
}

static bool is_first(const void *p)
{
    return (const char *)p >= first_bytes && (const char *)p < first_bytes + sizeof first_bytes;
}

static void *(*next_malloc)(size_t), *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);

static bool memory_ready(void)
{
    static bool asking;

    if (next_free)
        return true;
    if (asking)
        return false;
    asking = true;
    next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    asking = false;
    return true;
}

static bool no_memory(void)
{
    if (!fails(FAULT_MALLOC))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    if (!memory_ready())
        return first_take(size);
    return no_memory() ? NULL : next_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!memory_ready())
        return first_take(count * size);
    return no_memory() ? NULL : next_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    if (!memory_ready() || is_first(p))
        abort();
    return no_memory() ? NULL : next_realloc(p, size);
}

void free(void *p)
{
    if (p && !is_first(p) && memory_ready())
        next_free(p);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    NEXT(aligned_alloc);
    return no_memory() ? NULL : next(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    NEXT(posix_memalign);
    return no_memory() ? ENOMEM : next(p, alignment, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    NEXT(mmap);
    if (fails(FAULT_MMAP)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return next(at, size, protection, flags, fd, offset);
}

/* As Linux may, it fails when what was at the target is gone. */
void *mremap(void *from, size_t had, size_t size, int flags, ...)
{
    void *to = NULL;
    va_list arguments;

    NEXT(mremap);
    va_start(arguments, flags);
    if (flags & MREMAP_FIXED)
        to = va_arg(arguments, void *);
    va_end(arguments);
    if (!fails(FAULT_MMAP))
        return next(from, had, size, flags, to);
    if (to)
        munmap(to, size);
    errno = ENOMEM;
    return MAP_FAILED;
}

/* ----------------------------------------------------------------------- files -- */

/* Does the descriptor belong to a file that the program opened?  Output does not count. */
static bool is_file(int fd)
{
    return fd > 2;
}

static bool fails_with(enum fault_kind kind, int error)
{
    if (!fails(kind))
        return false;
    errno = error;
    return true;
}

ssize_t read(int fd, void *bytes, size_t n)
{
    NEXT(read);
    if (is_file(fd) && fails_with(FAULT_READ, EIO))
        return -1;
    if (n > 1 && is_file(fd) && fails(FAULT_SHORT))
        n /= 2;
    return next(fd, bytes, n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t offset)
{
    NEXT(pread);
    if (fails_with(FAULT_READ, EIO))
        return -1;
    if (n > 1 && fails(FAULT_SHORT))
        n /= 2;
    return next(fd, bytes, n, offset);
}

ssize_t pread64(int fd, void *bytes, size_t n, off_t offset)
{
    return pread(fd, bytes, n, offset);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    NEXT(write);
    if (is_file(fd) && fails_with(FAULT_WRITE, ENOSPC))
        return -1;
    if (n > 1 && is_file(fd) && fails(FAULT_SHORT))
        n /= 2;
    return next(fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    NEXT(pwrite);
    if (fails_with(FAULT_WRITE, ENOSPC))
        return -1;
    if (n > 1 && fails(FAULT_SHORT))
        n /= 2;
    return next(fd, bytes, n, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t offset)
{
    return pwrite(fd, bytes, n, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    NEXT(writev);
    if (is_file(fd) && fails_with(FAULT_WRITE, ENOSPC))
        return -1;
    return next(fd, parts, count);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    NEXT(pwritev);
    if (fails_with(FAULT_WRITE, ENOSPC))
        return -1;
    return next(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset)
{
    return pwritev(fd, parts, count, offset);
}

int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate);
    return fails_with(FAULT_WRITE, ENOSPC) ? -1 : next(fd, size);
}

int ftruncate64(int fd, off_t size)
{
    return ftruncate(fd, size);
}

int fsync(int fd)
{
    NEXT(fsync);
    return fails_with(FAULT_SYNC, EIO) ? -1 : next(fd);
}

int fdatasync(int fd)
{
    NEXT(fdatasync);
    return fails_with(FAULT_SYNC, EIO) ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return fails_with(FAULT_RENAME, EIO) ? -1 : next(from, to);
}

int open(const char *path, int flags, ...)
{
    mode_t mode;

    NEXT(open);
    OPEN_MODE(flags, mode);
    return fails_with(FAULT_OPEN, EMFILE) ? -1 : next(path, flags, mode);
}

/* ---------------------------------------------------------------------- orders -- */

/* In the child: everything as the order says, then on to main. */
static void order_begin(void)
{
    int out, err, pid;

    close(FAULT_ORDERS);
    close(FAULT_REPORTS);
    if (chdir(order.dir) != 0 ||
        (out = open("fault.out", O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0 ||
        (err = open("fault.err", O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0 || dup2(out, 1) < 0 ||
        dup2(err, 2) < 0)
        _exit(125);
    close(out);
    close(err);
    if ((pid = open("fault.pid", O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0 ||
        dprintf(pid, "%d\n", (int)getpid()) < 0)
        _exit(125);
    close(pid);
    alarm(FAULT_SECONDS);
    atomic_store(calls, 0);
    atomic_store(&armed, true);
}

__attribute__((constructor)) static void orders_serve(void)
{
    if (!getenv("KELSO_FAULTS"))
        return;
    memory_ready();
    unsetenv("LD_PRELOAD");
    calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (calls == MAP_FAILED)
        _exit(125);
    while (read(FAULT_ORDERS, &order, sizeof order) == (ssize_t)sizeof order) {
        struct fault_report report = {0};
        pid_t child = fork();

        if (child == 0) {
            order_begin();
            return;
        }
        if (child < 0 || waitpid(child, &report.status, 0) != child)
            _exit(125);
        report.calls = atomic_load(calls);
        if (write(FAULT_REPORTS, &report, sizeof report) != (ssize_t)sizeof report)
            _exit(125);
    }
    _exit(0);
}
