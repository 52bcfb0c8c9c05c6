/* SPDX-License-Identifier: MIT
 *
 * database.h -- what the commands on endgame tables share: where tables are, which
 * slice is meant, how an outcome is said.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_APP_DATABASE_H
#define KELSO_APP_DATABASE_H

#include "db/catalog.h"

#define OPTION_DIR(args)                                                                           \
    {                                                                                              \
        "dir", OPTION_TEXT, offsetof(args, dir), "DIR", "where the tables are", 0, 0, 0, NULL      \
    }

/* The catalog of --dir, $KELSO_DB or the user's data directory. */
int database_open(const char *dir, struct catalog **c);

/* A slice as given by the user. */
int database_slice(const char *text, struct slice *s);

#endif
