/* SPDX-License-Identifier: MIT
 *
 * handlers.h -- the handlers of api.h's routes that have files of their own.
 *
 * Their context is a struct api.  Any thread. */
#ifndef KELSO_SERVE_HANDLERS_H
#define KELSO_SERVE_HANDLERS_H

#include "serve/api.h"

/* Answer with an error of the tables, which does not say where they are. */
void api_fail(const struct api *api, struct http_reply *reply, const struct error *e);

/* work.c: jobs and proofs */
http_handler post_estimate, post_solve, post_prove, post_build;
http_handler get_jobs, get_job, delete_job, get_proof, get_proofs;

/* think.c: the player */
http_handler post_analysis, post_live, post_play;

/* game_report.c: a game, move by move */
http_handler post_report;

/* Streams of analysis share a few places; SEARCH_BYTES is what each of them remembers. */
enum { LIVE_MAX = 4, LIVE_SECONDS_MAX = 600, SEARCH_BYTES = 32 << 20 };

/* Take a place, or answer 503 and return false.  A place that was taken must be left. */
bool live_enter(struct api *api, const struct http_request *r, struct http_reply *reply);
void live_leave(struct api *api);

#endif
