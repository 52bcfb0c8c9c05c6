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
 * is an operand.  Nothing is copied: text values point into argv. */
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
                   OPTION_MEMORY,   /* the same, taken as a whole: no more than there is */
                   OPTION_DURATION, /* double: seconds, as in 90, 1.5s, 10m, 2h, 250ms; not 0 */
                   OPTION_TEXT,     /* const char * */
                   OPTION_CHOICE    /* int: the place of the value in `choices` */
};

struct option_spec {
    const char *name; /* without the dashes; NULL ends the table */
    enum option_type type;
    size_t offset;
    const char *value; /* what help calls the value; NULL for a flag */
    const char *help;
    int64_t min, max;    /* OPTION_INT; 0, 0 means 0 to INT_MAX */
    uint64_t unit;       /* sizes: what a number without a letter counts; 0 means bytes */
    const char *choices; /* OPTION_CHOICE: "auto|always|never" */
};

#define OPTION_JSON(args)                                                                          \
    {                                                                                              \
        "json", OPTION_FLAG, offsetof(args, json), NULL, "answer in JSON", 0, 0, 0, NULL           \
    }

struct command;

/* Fill *args from argv.  Operands are moved to argv[0..]; returns their number, or
 * -1 after one line on standard error.  The number is checked against the command's
 * limits. */
int options_parse(const struct command *c, int argc, char **argv, void *args);

/* The parsers of values, for operands and for tests: false if `text` is no such
 * thing or does not fit. */
bool parse_int(const char *text, int64_t min, int64_t max, int *out);
bool parse_count(const char *text, uint64_t *out);
bool parse_size(const char *text, uint64_t unit, uint64_t *out);
bool parse_duration(const char *text, double *out);
bool parse_choice(const char *text, const char *choices, int *out);

#endif
