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

enum { LIVE_MAX = 4, LIVE_SECONDS_MAX = 600 };

#endif
