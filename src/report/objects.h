/* SPDX-License-Identifier: MIT
 *
 * objects.h -- the JSON objects of positions, lines, games and tables.
 *
 * These are the objects that commands print with --json and that the server sends.  Each function
 * writes one object; `key` is its key in the enclosing object (NULL at the top level or in an
 * array).
 *
 * Writers belong to one thread (json.h). */
#ifndef KELSO_REPORT_OBJECTS_H
#define KELSO_REPORT_OBJECTS_H

#include "report/json.h"
#include "report/review.h"
#include "report/survey.h"
#include "core/notation.h"

/* A position and the value of each move.  An unknown value is null; `missing`, if not NULL, is the
 * reason. */
void object_position(struct json *j, const char *key, const struct board *b, const struct answer *a,
                     const char *missing);

/* The legal moves, with their paths and the positions after them. */
void object_moves(struct json *j, const char *key, const struct board *b, enum move_style style);

/* A line of perfect play from b; with `ties` also the moves that are as good. */
enum status object_line(struct json *j, const char *key, const struct source *s,
                        const struct line *line, const struct board *b, bool ties, struct error *e);

/* A game with what each move gave away. */
void object_review(struct json *j, const char *key, const struct record *record,
                   const struct review *review);

void object_slice(struct json *j, const char *key, const struct survey_slice *row);
void object_count(struct json *j, const char *key, const struct survey_count *row);

/* `line` may be NULL. */
void object_longest(struct json *j, const char *key, const struct survey_longest *row,
                    const struct line *line);

#endif
