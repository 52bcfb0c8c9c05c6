/* SPDX-License-Identifier: MIT
 *
 * parameters.h -- the parameters of a request, checked.
 *
 * (P1) Each function returns true, or false after setting the reply to an error (400) that
 *      names the parameter, what was found and what was expected.
 *
 * The caller owns all arguments.  Safe on any thread. */
#ifndef KELSO_SERVE_PARAMETERS_H
#define KELSO_SERVE_PARAMETERS_H

#include "core/board.h"
#include "db/slice.h"
#include "serve/http.h"

/* fen=, required. */
bool parameter_board(const struct http_request *r, struct http_reply *reply, struct board *out);

/* Optional parameters: *out is unchanged if the parameter is missing. */
bool parameter_int(const struct http_request *r, struct http_reply *reply, const char *name,
                   int min, int max, int *out);
bool parameter_seconds(const struct http_request *r, struct http_reply *reply, const char *name,
                       double max, double *out);
bool parameter_choice(const struct http_request *r, struct http_reply *reply, const char *name,
                      const char *choices, int *out);
bool parameter_flag(const struct http_request *r, struct http_reply *reply, const char *name,
                    bool *out);
bool parameter_slice(const struct http_request *r, struct http_reply *reply, struct slice *out,
                     bool *given);

/* A list of kinds, "wld,dtw". */
bool parameter_kinds(const struct http_request *r, struct http_reply *reply, bool *kind);

#endif
