/* SPDX-License-Identifier: MIT
 *
 * weblog.h -- the access log: one line for each request and each problem.
 *
 *     2026-02-03T04:05:06Z 127.0.0.1 "GET /api/v1/position?fen=..." 200 412 35us
 *     2026-02-03T04:05:07Z -- reading tables: 3K-1K.dtw: ...
 *
 * (W1) A line is printable ASCII, whatever the request: other bytes are written as \xNN, and
 *      long lines are truncated.
 * (W2) Writes are buffered; weblog_flush is called once a second and at the end.
 *
 * The caller owns the log.  Safe on any thread. */
#ifndef KELSO_SERVE_WEBLOG_H
#define KELSO_SERVE_WEBLOG_H

#include <stdbool.h>
#include <stddef.h>

struct weblog;

/* `path` "-" is standard error; NULL logs only problems, to standard error.  Returns NULL with
 * errno set if the file cannot be opened. */
struct weblog *weblog_open(const char *path);
void weblog_close(struct weblog **log);
void weblog_flush(struct weblog *log);

/* Are requests logged at all? */
bool weblog_requests(const struct weblog *log);

void weblog_request(struct weblog *log, const char *client, const char *method, const char *uri,
                    int status, size_t bytes, double seconds);
void weblog_note(struct weblog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `text` as printable ASCII, truncated to fit; returns out. */
char *weblog_escape(const char *text, char *out, size_t size);

#endif
