/* SPDX-License-Identifier: MIT */
#include "serve/weblog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { URI_MAX = 1024 };

struct weblog {
    FILE *out;
    bool owned, requests;
};

struct weblog *weblog_open(const char *path)
{
    struct weblog *log = calloc(1, sizeof *log);

    if (!log)
        return NULL;
    log->owned = path && strcmp(path, "-") != 0;
    log->requests = path != NULL;
    log->out = log->owned ? fopen(path, "ae") : stderr;
    if (!log->out) {
        free(log);
        return NULL;
    }
    return log;
}

void weblog_close(struct weblog **log)
{
    if (!*log)
        return;
    if ((*log)->owned)
        fclose((*log)->out);
    free(*log);
    *log = NULL;
}

void weblog_flush(struct weblog *log)
{
    fflush(log->out);
}

bool weblog_requests(const struct weblog *log)
{
    return log->requests;
}

char *weblog_escape(const char *text, char *out, size_t size)
{
    size_t n = 0;

    for (; *text && n + 8 < size; text++) {
        unsigned char c = (unsigned char)*text;

        if (c > ' ' && c < 0x7F && c != '"' && c != '\\')
            out[n++] = (char)c;
        else
            n += (size_t)sprintf(out + n, "\\x%02x", c);
    }
    strcpy(out + n, *text ? "..." : "");
    return out;
}

static const char *stamp(char text[32])
{
    time_t now = time(NULL);
    struct tm tm;

    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    return text;
}

void weblog_request(struct weblog *log, const char *client, const char *method, const char *uri,
                    int status, size_t bytes, double seconds)
{
    char when[32], what[URI_MAX], verb[64];

    if (log->requests)
        fprintf(log->out, "%s %s \"%s %s\" %d %zu %.0fus\n", stamp(when), client,
                weblog_escape(method, verb, sizeof verb), weblog_escape(uri, what, sizeof what),
                status, bytes, seconds * 1e6);
}

void weblog_note(struct weblog *log, const char *format, ...)
{
    char when[32], text[URI_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text[strcspn(text, "\r\n")] = 0;
    fprintf(log->out, "%s -- %s\n", stamp(when), text);
    fflush(log->out);
}
