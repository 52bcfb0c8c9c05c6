/* SPDX-License-Identifier: MIT */
#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>

/* A message may quote what the user typed: it stays one line, and no escape
 * sequence reaches the terminal. */
char *app_printable(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = '?';
    return text;
}

int app_error(const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout);
    fprintf(stderr, "kelso: %s\n", app_printable(text));
    return EXIT_BAD;
}
