/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

enum status error_set(struct error *e, enum status status, const char *format, ...)
{
    if (e) {
        va_list args;

        e->status = status;
        va_start(args, format);
        vsnprintf(e->text, sizeof e->text, format, args);
        va_end(args);
    }
    return status;
}

enum status error_no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory");
}

enum status error_pass(struct error *e, const struct error *why)
{
    if (e)
        *e = *why;
    return why->status;
}
