/* SPDX-License-Identifier: MIT */
#include "games/status.h"

#include <stdarg.h>
#include <stdio.h>

enum games_status games_fail(struct games_error *error, enum games_status status,
                             const char *format, ...)
{
    va_list list;

    if (error) {
        va_start(list, format);
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
    }
    return status;
}

enum games_status games_no_memory(struct games_error *error)
{
    return games_fail(error, GAMES_NO_MEMORY, "not enough memory");
}
