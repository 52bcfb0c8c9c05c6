/* SPDX-License-Identifier: MIT
 *
 * answers.h -- shared by the commands that answer from tables: the source of outcomes, and how
 * an outcome is printed.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_CLI_ANSWERS_H
#define KELSO_CLI_ANSWERS_H

#include "cli/options.h"
#include "db/answer.h"
#include "db/ondemand.h"
#include "report/outcomes.h"

/* The options that these commands share. */
struct answers_args {
    const char *dir;
    uint64_t cache, memory;
    bool on_demand;
    int progress;
};

extern const struct option_spec answers_options[];  /* dir, cache */
extern const struct option_spec ondemand_options[]; /* on-demand, memory, progress */

/* The source of outcomes: the tables of a directory and, if necessary and allowed, an ending
 * solved for the current position (db/ondemand.h). */
struct answers {
    struct answers_args args;
    struct tables *tables; /* NULL: no directory, everything is solved on demand */
    struct ondemand *ending;
    struct source source;
};

int answers_open(struct answers *a, const struct answers_args *args);
void answers_close(struct answers *a);

/* The tables cannot answer, for the reason `why`: solve from b on, if requested, and answer
 * from there.  `want` as in answer_position; distances to conversion are left out if others are
 * wanted too and memory is short.  Prints the cost in advance. */
int answers_solve(struct answers *a, const struct board *b, unsigned want, const struct error *why);

/* Back to the tables, if there are any. */
void answers_reset(struct answers *a);

/* answer_position, solving on demand if that helps. */
int answers_position(struct answers *a, const struct board *b, unsigned want, struct answer *out);

/* Print an error and the position that caused it. */
int answers_error(const struct board *b, const struct error *e);

/* The same, suggesting --on-demand if that would help. */
int answers_refuse(const struct answers *a, const struct board *b, const struct error *why);

#endif
