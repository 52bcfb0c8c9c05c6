/* SPDX-License-Identifier: MIT
 *
 * database.h -- shared by the commands on endgame tables: find the tables, parse a
 * slice.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_CLI_DATABASE_H
#define KELSO_CLI_DATABASE_H

#include "cli/options.h"
#include "db/tables.h"

/* The catalog of --dir, $KELSO_DB or the user's data directory. */
int database_open(const char *dir, struct catalog **c);

#define OPTION_WARM(args)                                                                          \
    {                                                                                              \
        .name = "warm", .type = OPTION_FLAG, .offset = offsetof(args, warm),                       \
        .help = "read all tables first, as far as --cache allows; see 'kelso unpack'"              \
    }

/* Decode as many tables as fit in advance, or check their flat files, on all cores, with
 * progress. */
int database_warm(struct tables *t, int progress);

/* A slice as given by the user. */
int database_slice(const char *text, struct slice *s);

#endif
