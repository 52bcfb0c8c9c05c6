/* SPDX-License-Identifier: MIT
 *
 * interpose.h -- what a library needs that is loaded before the program and stands in front of
 * functions of libc.  It defines open64: one source of a library includes it. */
#ifndef KELSO_TESTS_INTERPOSE_H
#define KELSO_TESTS_INTERPOSE_H

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

/* The function behind ours. */
#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* The mode that follows the flags of open. */
#define OPEN_MODE(flags, mode)                                                                     \
    do {                                                                                           \
        va_list arguments;                                                                         \
                                                                                                   \
        va_start(arguments, flags);                                                                \
        mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                                    \
        va_end(arguments);                                                                         \
    } while (0)

int open64(const char *path, int flags, ...)
{
    mode_t mode;

    OPEN_MODE(flags, mode);
    return open(path, flags, mode);
}

#endif
