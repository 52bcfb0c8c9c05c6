/* SPDX-License-Identifier: MIT */
#include "cli/command.h"

#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { DESCRIPTORS = 8192 }; /* wanted: tables, flat files, connections */

/* A message may quote user input: it must stay one line, and no escape sequence may reach the
 * terminal. */
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

static void print_option(const struct option_spec *o)
{
    char left[64];

    snprintf(left, sizeof left, "--%s %s", o->name, o->value ? o->value : "");
    printf("  %-18s %s\n", left, o->help);
}

void command_print(const struct command *c)
{
    struct option_walk w = option_walk(c->options);
    struct option_spec o;

    printf("kelso %s%s%s -- %s\n\n%s", c->name, *c->usage ? " " : "", c->usage, c->summary,
           c->help);
    if (c->options)
        printf("\nOptions:\n");
    while (option_next(&w, &o))
        if (o.type != OPTION_RENAMED)
            print_option(&o);
}

bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* Reaching a file size limit is an error to report, not a signal.  Each table takes a descriptor,
 * so allow as many as the system permits. */
static void limits_set(void)
{
    struct rlimit files;

    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < DESCRIPTORS) {
        files.rlim_cur = files.rlim_max < DESCRIPTORS ? files.rlim_max : DESCRIPTORS;
        setrlimit(RLIMIT_NOFILE, &files); /* without it there are fewer */
    }
}

void app_begin(void)
{
    setlocale(LC_CTYPE, "");
    limits_set();
}
