/* SPDX-License-Identifier: MIT
 *
 * status.h -- how the jobs of games/ report failure.
 *
 * A function that can fail returns a games_status and, unless it is GAMES_OK, has
 * written one line that names the file or the place into the caller's buffer.
 *
 * (S1) the text is always terminated; a NULL error is allowed and ignored.
 *
 * The buffer belongs to the caller and to one thread. */
#ifndef KELSO_GAMES_STATUS_H
#define KELSO_GAMES_STATUS_H

#include <stddef.h>

enum games_status {
    GAMES_OK,
    GAMES_NO_MEMORY,
    GAMES_IO,      /* the system said no: errno is in the text */
    GAMES_DAMAGED, /* a file is not what was written */
    GAMES_OTHER,   /* a good file that answers another question */
    GAMES_RANGE,   /* a limit of the program, never a wrong result */
    GAMES_STOPPED  /* the caller asked to stop */
};

enum { GAMES_ERROR_MAX = 512 };

struct games_error {
    char text[GAMES_ERROR_MAX];
};

/* Write the text and return `status`. */
enum games_status games_fail(struct games_error *error, enum games_status status,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "not enough memory", GAMES_NO_MEMORY. */
enum games_status games_no_memory(struct games_error *error);

#endif
