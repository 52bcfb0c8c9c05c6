/* SPDX-License-Identifier: MIT
 *
 * answers.h -- what the commands share that answer from tables: where the outcomes come
 * from, and how an outcome is said.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_CLI_ANSWERS_H
#define KELSO_CLI_ANSWERS_H

#include "cli/options.h"
#include "db/answer.h"
#include "db/ondemand.h"
#include "report/outcomes.h"

/* What the user asked for: the options that these commands share. */
struct answers_args {
    const char *dir;
    uint64_t cache, memory;
    bool on_demand;
    int progress;
};

extern const struct option_spec answers_options[];  /* dir, cache */
extern const struct option_spec ondemand_options[]; /* on-demand, memory, progress */

/* Where outcomes come from: the tables of a directory and, if need be and allowed,
 * an ending that was solved for the position at hand (db/ondemand.h). */
struct answers {
    struct answers_args args;
    struct tables *tables; /* NULL: there is no directory, all is on demand */
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

/* Back to the tables, if there are any. */
void answers_reset(struct answers *a);

/* answer_position, solving on demand where that helps. */
int answers_position(struct answers *a, const struct board *b, unsigned want, struct answer *out);

/* Print what went wrong, with the position that it went wrong with. */
int answers_error(const struct board *b, const struct error *e);

/* The same, with a hint at --on-demand where that would help. */
int answers_refuse(const struct answers *a, const struct board *b, const struct error *why);

#endif
