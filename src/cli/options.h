/* SPDX-License-Identifier: MIT
 *
 * options.h -- the options of a command, as a table.
 *
 * A command describes its long options in a constant table; each row names the
 * field of the command's own argument structure that it fills, so the table
 * serves parsing, help and shell completion.
 *
 *     struct args { int threads; uint64_t hash; bool json; };
 *     static const struct option_spec options[] = {
 *         {"threads", OPTION_INT, offsetof(struct args, threads), "N", "use N threads",
 *          .min = 1, .max = 256},
 *         {"hash", OPTION_SIZE, offsetof(struct args, hash), "SIZE", "use a table of SIZE"},
 *         OPTION_JSON(struct args),
 *         {0}};
 *
 * Values follow as `--name value` or `--name=value`; `--` ends the options; `-` alone
 * is an operand.  Nothing is copied: text values point into argv.
 *
 * Options that several commands share are in a table of their own, a group, with its own
 * struct; groups do not nest.
 *
 * Tables are constant.  One thread. */
#ifndef KELSO_CLI_OPTIONS_H
#define KELSO_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {                  /* and the type of the field it fills */
                   OPTION_FLAG,     /* bool */
                   OPTION_INT,      /* int: from min to max */
                   OPTION_COUNT,    /* uint64_t: how many, as in 20000, 50k, 2M, 1.5G */
                   OPTION_SIZE,     /* uint64_t: bytes, as in 4096, 512K, 64M, 2G, 1.5T */
                   OPTION_MEMORY,   /* the same, allocated at once: at most the machine's memory */
                   OPTION_DURATION, /* double: seconds, as in 90, 1.5s, 10m, 2h, 250ms; not 0 */
                   OPTION_TEXT,     /* const char * */
                   OPTION_CHOICE,   /* int: the index of the value in `choices` */
                   OPTION_GROUP,    /* not an option: the rows of `group` are included here */
                   OPTION_RENAMED   /* an old name: refused with the new one, which is `help` */
};

struct option_spec {
    const char *name; /* without the dashes; NULL ends the table */
    enum option_type type;
    size_t offset;
    const char *value; /* the name of the value in help; NULL for a flag */
    const char *help;
    int64_t min, max;    /* OPTION_INT; 0, 0 means 0 to INT_MAX */
    uint64_t unit;       /* sizes: the unit of a number without a letter; 0 means bytes */
    const char *choices; /* OPTION_CHOICE: "auto|always|never" */
    const struct option_spec *group; /* OPTION_GROUP: a table whose offsets count from `offset` */
};

/* Options that many commands have. */
#define OPTION_JSON(args)                                                                          \
    {                                                                                              \
        .name = "json", .type = OPTION_FLAG, .offset = offsetof(args, json),                       \
        .help = "answer in JSON"                                                                   \
    }
#define OPTION_DIR(args)                                                                           \
    {                                                                                              \
        .name = "dir", .type = OPTION_TEXT, .offset = offsetof(args, dir), .value = "DIR",         \
        .help = "where the tables are"                                                             \
    }
#define OPTION_CACHE(args)                                                                         \
    {                                                                                              \
        .name = "cache", .type = OPTION_SIZE, .offset = offsetof(args, cache), .value = "SIZE",    \
        .help = "for decoded pages of tables (1G)"                                                 \
    }
#define OPTION_PROGRESS(args) OPTION_PROGRESS_OF(args, progress)
#define OPTION_PROGRESS_OF(args, field)                                                            \
    {                                                                                              \
        .name = "progress", .type = OPTION_CHOICE, .offset = offsetof(args, field),                \
        .value = "HOW", .help = "auto (a bar on a terminal), bar, plain, json or none",            \
        .choices = "auto|bar|plain|json|none"                                                      \
    }

/* The rows of another table, which fill the structure that `field` is. */
#define OPTIONS_OF(args, field, table)                                                             \
    {                                                                                              \
        .type = OPTION_GROUP, .offset = offsetof(args, field), .group = table                      \
    }

/* An old spelling is an error that names the new one. */
#define OPTION_WAS(old, new)                                                                       \
    {                                                                                              \
        .name = old, .type = OPTION_RENAMED, .value = "", .help = new                              \
    }

/* Iterate over a table and its groups:
 *
 *     struct option_walk w = option_walk(c->options);
 *     struct option_spec o;
 *     while (option_next(&w, &o))
 *         ...
 */
struct option_walk {
    const struct option_spec *at, *outer;
    size_t base;
};

struct option_walk option_walk(const struct option_spec *table);
bool option_next(struct option_walk *w, struct option_spec *out);

struct command;

/* Fill *args from argv.  Operands are moved to argv[0..]; returns their number, or
 * -1 after one line on standard error.  The number is checked against the command's
 * limits. */
int options_parse(const struct command *c, int argc, char **argv, void *args);

#endif
