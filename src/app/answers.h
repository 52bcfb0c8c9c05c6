/* SPDX-License-Identifier: MIT
 *
 * answers.h -- what the commands share that answer from tables: where the outcomes come
 * from, and how an outcome is said.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_APP_ANSWERS_H
#define KELSO_APP_ANSWERS_H

#include "app/json.h"
#include "db/answer.h"

/* The tables of a directory, as a source of outcomes. */
struct answers {
    struct catalog *catalog;
    struct probe *probe;
    struct source source;
};

/* `memory` is for decoded pages; 0 means 256 MiB. */
int answers_open(struct answers *a, const char *dir, uint64_t memory);
void answers_close(struct answers *a);

#define OPTION_PAGES(args)                                                                         \
    {                                                                                              \
        "memory", OPTION_SIZE, offsetof(args, memory), "SIZE", "for decoded pages (256M)", 0, 0,   \
            0, NULL                                                                                \
    }

enum { OUTCOME_TEXT_MAX = 32 };

/* "wins in 201", "loses in 12", "draws"; without plies for KIND_WLD. */
const char *outcome_text(struct outcome o, enum kind kind, char text[OUTCOME_TEXT_MAX]);

const char *value_name(enum value v); /* "win", "draw", "loss" */

/* The distance of a kind, or null where there is none. */
void json_plies(struct json *j, const char *key, const struct verdict *v, enum kind kind);

/* Print what went wrong, with the position that it went wrong with. */
int answers_error(const struct board *b, const struct error *e);

#endif
