/* SPDX-License-Identifier: MIT
 *
 * weblog.h -- the access log: a line for each request, a line for each mishap.
 *
 *     2026-02-03T04:05:06Z 127.0.0.1 "GET /api/v1/position?fen=..." 200 412 35us
 *     2026-02-03T04:05:07Z -- reading tables: 3K-1K.dtw: ...
 *
 * (W1) a line is one line of printable ASCII, whatever was asked for: other bytes are
 *      written as \xNN, and what is too long is cut.
 * (W2) writing is buffered; weblog_flush is called once a second and at the end.
 *
 * Any thread. */
#ifndef KELSO_SERVE_WEBLOG_H
#define KELSO_SERVE_WEBLOG_H

#include <stdbool.h>
#include <stddef.h>

struct weblog;

/* `path` "-" is standard error; NULL: keep nothing but mishaps, on standard error.
 * Returns NULL and leaves errno if the file cannot be opened. */
struct weblog *weblog_open(const char *path);
void weblog_close(struct weblog **log);
void weblog_flush(struct weblog *log);

/* Are requests wanted at all? */
bool weblog_requests(const struct weblog *log);

void weblog_request(struct weblog *log, const char *client, const char *method, const char *uri,
                    int status, size_t bytes, double seconds);
void weblog_note(struct weblog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `text` as printable ASCII, cut to fit; returns out. */
char *weblog_escape(const char *text, char *out, size_t size);

#endif
