/* SPDX-License-Identifier: MIT
 *
 * scores.h -- the result of a search, as text and as JSON.
 *
 * Safe on any thread that the stream allows. */
#ifndef KELSO_REPORT_SCORES_H
#define KELSO_REPORT_SCORES_H

#include "report/json.h"
#include "search/search.h"

enum { SCORE_TEXT_MAX = 32 };

/* "+0.53", "win in 23", "win" (by the tables), "draw", as the side to move sees it. */
const char *score_text(const struct search_line *line, char text[SCORE_TEXT_MAX]);

/* The moves of a variation, in numbers, a blank before each. */
void pv_print(FILE *out, const struct board *b, const struct search_line *line);
void json_pv(struct json *j, const char *key, const struct board *b,
             const struct search_line *line);

/* Add score, proven, value, rests_on_db_draw and pv to the open object. */
void json_line(struct json *j, const struct board *b, const struct search_line *line);

/* A whole search, as an object. */
void json_search(struct json *j, const struct board *b, const struct search_result *r);

#endif
