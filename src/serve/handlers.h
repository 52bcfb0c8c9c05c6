/* SPDX-License-Identifier: MIT
 *
 * handlers.h -- the handlers of api.h's routes that have files of their own.
 *
 * (A1) A handler fills in its reply and returns; it never ends the process.
 *
 * Their context is a struct api, owned by the caller of http_open.  They may run on any thread. */
#ifndef KELSO_SERVE_HANDLERS_H
#define KELSO_SERVE_HANDLERS_H

#include "serve/api.h"

/* Answer with an error of the tables, without revealing where they are. */
void api_fail(const struct api *api, struct http_reply *reply, struct error *e);

/* api.c: positions, games and tables */
http_handler get_position, get_moves, get_line, get_longest, get_stats, get_slices, get_shortest,
    get_state;

/* study.c: any route that answers with a list, as JSON or as CSV */
http_handler get_list;

/* work.c: jobs and proofs */
http_handler post_estimate, post_solve, post_prove, post_build;
http_handler get_jobs, get_job, delete_job, get_proof, get_proofs;

/* think.c: the player */
http_handler post_analysis, post_live, post_play;

/* game_report.c: a game, move by move */
http_handler post_report;

/* At most LIVE_MAX streams of analysis run at a time; each has SEARCH_BYTES of hash memory. */
enum { LIVE_MAX = 4, LIVE_SECONDS_MAX = 600, SEARCH_BYTES = 32 << 20 };

/* Take a place, or answer 503 and return false.  A place that was taken must be released. */
bool live_enter(struct api *api, const struct http_request *r, struct http_reply *reply);
void live_leave(struct api *api);

#endif
