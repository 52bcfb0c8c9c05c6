/* SPDX-License-Identifier: MIT
 *
 * answers.h -- what the commands share that answer from tables: where the outcomes come
 * from, and how an outcome is said.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_CLI_ANSWERS_H
#define KELSO_CLI_ANSWERS_H

#include "report/json.h"
#include "db/answer.h"
#include "db/ondemand.h"

/* What the user asked for: the options that these commands share. */
struct answers_args {
    const char *dir;
    uint64_t memory;
    bool on_demand;
    int progress;
};

#define OPTIONS_ANSWERS(args, field)                                                               \
    {"dir", OPTION_TEXT, offsetof(args, field.dir), "DIR", "where the tables are", 0, 0, 0, NULL}, \
    {                                                                                              \
        "memory", OPTION_SIZE, offsetof(args, field.memory), "SIZE",                               \
            "for decoded pages (256M), or to solve on demand (3/4 of RAM)", 0, 0, 0, NULL          \
    }

#define OPTION_ON_DEMAND(args, field)                                                              \
    {                                                                                              \
        "on-demand", OPTION_FLAG, offsetof(args, field.on_demand), NULL,                           \
            "where tables are missing, solve what the position can reach", 0, 0, 0, NULL           \
    }

/* Where outcomes come from: the tables of a directory and, if need be and allowed,
 * an ending that was solved for the position at hand (db/ondemand.h). */
struct answers {
    struct answers_args args;
    struct catalog *catalog; /* NULL: there is no directory, all is on demand */
    struct probe *probe;
    struct ondemand *ending;
    struct source source;
};

int answers_open(struct answers *a, const struct answers_args *args);
void answers_close(struct answers *a);

/* The tables cannot answer, as `why` says: solve from b on, if that was asked for, and
 * answer from there.  `want` as in answer_position; distances to conversion are left
 * out where others are wanted too and memory is short.  Says beforehand what it will
 * take. */
int answers_solve(struct answers *a, const struct board *b, unsigned want, const struct error *why);

/* Find what a position can reach (db/ondemand.h), with distances to conversion if they are
 * asked for and fit `memory`, or nothing else is. */
enum status ending_plan(struct ondemand **o, const struct board *b, unsigned want, int threads,
                        uint64_t memory, struct error *e);

/* Back to the tables, if there are any. */
void answers_reset(struct answers *a);

/* answer_position, solving on demand where that helps. */
int answers_position(struct answers *a, const struct board *b, unsigned want, struct answer *out);

enum { OUTCOME_TEXT_MAX = 32 };

/* "wins in 201", "loses in 12", "draws"; without plies for KIND_WLD. */
const char *outcome_text(struct outcome o, enum kind kind, char text[OUTCOME_TEXT_MAX]);

const char *value_name(enum value v); /* "win", "draw", "loss" */

/* The distance of a kind, or null where there is none. */
void json_plies(struct json *j, const char *key, const struct verdict *v, enum kind kind);

/* Print what went wrong, with the position that it went wrong with. */
int answers_error(const struct board *b, const struct error *e);

/* The same, with a hint at --on-demand where that would help. */
int answers_refuse(const struct answers *a, const struct board *b, const struct error *why);

#endif
