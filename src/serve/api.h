/* SPDX-License-Identifier: MIT
 *
 * api.h -- the server's routes: everything below /api/v1, /healthz and the page.
 *
 * The objects are those that the commands print with --json (report/objects.h); docs/api.md
 * shows each with an example.
 *
 * (A1) An answer that can never change may be cached by anyone; one with a gap that a build
 *      could fill may not.
 * (A2) An error is {"error": {"status", "message"}}, with "column" if a text was malformed.
 *
 * The caller owns the struct; it must outlive the server.  Handlers may run on any thread. */
#ifndef KELSO_SERVE_API_H
#define KELSO_SERVE_API_H

#include "serve/http.h"
#include "serve/queue_watch.h"
#include "serve/tasks.h"

struct api {
    struct sources *sources;
    struct jobs *jobs;
    struct tasks *tasks;
    struct proofs *proofs;
    struct queue_watch *queue; /* NULL: none */
    const char *web;           /* NULL: the built-in page */
    bool may_build;            /* whether the page offers builds */
    atomic_int live;           /* streams of analysis under way */
};

extern const struct http_route api_routes[]; /* their context is a struct api */

#endif
