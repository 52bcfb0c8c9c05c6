/* SPDX-License-Identifier: MIT
 *
 * outcomes.h -- values and distances of the tables, in words and in JSON.
 *
 * Safe on any thread that the stream allows. */
#ifndef KELSO_REPORT_OUTCOMES_H
#define KELSO_REPORT_OUTCOMES_H

#include "db/answer.h"
#include "report/json.h"

enum { OUTCOME_TEXT_MAX = 32 };

const char *value_name(enum value v); /* "win", "draw", "loss" */

/* "wins in 201", "loses in 12", "draws"; without plies for KIND_WLD. */
const char *outcome_text(struct outcome o, enum kind kind, char text[OUTCOME_TEXT_MAX]);

/* The distance of a kind, or null if there is none. */
void json_plies(struct json *j, const char *key, const struct verdict *v, enum kind kind);

#endif
