/* SPDX-License-Identifier: MIT
 *
 * api.h -- what the server answers: the routes below /api/v1, /healthz and the page.
 *
 * The objects are those that the commands print with --json (report/objects.h); docs/api.md
 * shows each with an example.
 *
 * (A1) an answer that says what is true for ever may be kept by anybody; one that has a
 *      gap, which a build could fill, may not.
 * (A2) an error is {"error": {"status", "message"}}, and the column where it is a text
 *      that was wrong.
 *
 * The structure belongs to the caller and must outlive the server; handlers may run on
 * any thread. */
#ifndef KELSO_SERVE_API_H
#define KELSO_SERVE_API_H

#include "serve/http.h"
#include "serve/tasks.h"

struct api {
    struct sources *sources;
    struct jobs *jobs;
    struct tasks *tasks;
    struct proofs *proofs;
    const char *web; /* NULL: the page in the program */
    bool may_build;  /* from the page, with a token or without */
    atomic_int live; /* streams of analysis under way */
};

extern const struct http_route api_routes[]; /* their context is a struct api */

#endif
