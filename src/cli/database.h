/* SPDX-License-Identifier: MIT
 *
 * database.h -- what the commands on endgame tables share: where tables are, which
 * slice is meant, how an outcome is said.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_CLI_DATABASE_H
#define KELSO_CLI_DATABASE_H

#include "db/probe.h"

#define OPTION_DIR(args)                                                                           \
    {                                                                                              \
        "dir", OPTION_TEXT, offsetof(args, dir), "DIR", "where the tables are", 0, 0, 0, NULL      \
    }

/* The catalog of --dir, $KELSO_DB or the user's data directory. */
int database_open(const char *dir, struct catalog **c);

#define OPTION_WARM(args)                                                                          \
    {                                                                                              \
        "warm", OPTION_FLAG, offsetof(args, warm), NULL,                                           \
            "read all tables first, as far as --pages allows; see 'kelso unpack'", 0, 0, 0, NULL   \
    }

/* Decode the tables of at most `pieces` (0: all) before they are needed, as far as there is
 * room, or check their flat files, on all cores, with a line of progress. */
int database_warm(struct probe *p, int pieces, int progress);

/* A slice as given by the user. */
int database_slice(const char *text, struct slice *s);

#endif
