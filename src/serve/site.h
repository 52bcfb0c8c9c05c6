/* SPDX-License-Identifier: MIT
 *
 * site.h -- the page's files: from the program itself or, for hacking on them, from disk.
 *
 * (S1) from disk nothing is served but regular files below the directory: a path is
 *      letters, digits, '.', '-', '_' and '/', no component begins with a dot.
 *
 * Any thread. */
#ifndef KELSO_SERVE_SITE_H
#define KELSO_SERVE_SITE_H

#include "serve/http.h"

/* `dir` NULL: the files in the program. */
void site_serve(const char *dir, const struct http_request *r, struct http_reply *reply);

/* Is this a path that could be served from disk?  For tests. */
bool site_path_is_safe(const char *path);

#endif
