/* SPDX-License-Identifier: MIT
 *
 * site.h -- the page's files: built in or, for development, from disk.
 *
 * (S1) From disk only regular files below the directory are served: a path consists of letters,
 *      digits, '.', '-', '_' and '/', and no component begins with a dot.
 *
 * No state; safe on any thread. */
#ifndef KELSO_SERVE_SITE_H
#define KELSO_SERVE_SITE_H

#include "serve/http.h"

/* `dir` NULL: the built-in files. */
void site_serve(const char *dir, const struct http_request *r, struct http_reply *reply);

/* Is this a path that could be served from disk?  For tests. */
bool site_path_is_safe(const char *path);

#endif
