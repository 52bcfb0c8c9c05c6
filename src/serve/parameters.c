/* SPDX-License-Identifier: MIT */
#include "serve/parameters.h"
#include "base/parse.h"
#include "core/notation.h"
#include "db/table.h"

#include <string.h>

/* The text found, made printable. */
static const char *shown(const char *text, char out[80])
{
    return weblog_escape(text, out, 80);
}

static bool bad(struct http_reply *reply, const char *name, const char *found, const char *expected)
{
    char text[80];

    http_fail(reply, 400, 0, "%s: expected %s, found '%s'", name, expected, shown(found, text));
    return false;
}

bool parameter_board(const struct http_request *r, struct http_reply *reply, struct board *out)
{
    struct text_error error;
    size_t length;
    const char *fen = http_parameter(r, "fen", &length);

    if (!fen) {
        http_fail(reply, 400, 0, "fen: expected a position, as in fen=B:WK31:B25,K18");
        return false;
    }
    if (fen_parse(fen, length, out, &error))
        return true;
    http_fail(reply, 400, (int)error.at + 1, "fen, column %zu: %s", error.at + 1, error.what);
    return false;
}

bool parameter_int(const struct http_request *r, struct http_reply *reply, const char *name,
                   int min, int max, int *out)
{
    size_t length;
    const char *text = http_parameter(r, name, &length);
    char expected[64];

    if (!text || parse_int(text, min, max, out))
        return true;
    snprintf(expected, sizeof expected, "a number from %d to %d", min, max);
    return bad(reply, name, text, expected);
}

bool parameter_seconds(const struct http_request *r, struct http_reply *reply, const char *name,
                       double max, double *out)
{
    size_t length;
    const char *text = http_parameter(r, name, &length);
    char expected[64];
    double value;

    if (!text)
        return true;
    if (parse_duration(text, &value) && value > 0 && value <= max) {
        *out = value;
        return true;
    }
    snprintf(expected, sizeof expected, "a time above 0, at most %g seconds, as in 500ms", max);
    return bad(reply, name, text, expected);
}

bool parameter_choice(const struct http_request *r, struct http_reply *reply, const char *name,
                      const char *choices, int *out)
{
    size_t length;
    const char *text = http_parameter(r, name, &length);

    return !text || parse_choice(text, choices, out) || bad(reply, name, text, choices);
}

bool parameter_flag(const struct http_request *r, struct http_reply *reply, const char *name,
                    bool *out)
{
    int value = *out;

    if (!parameter_choice(r, reply, name, "0|1", &value))
        return false;
    *out = value;
    return true;
}

bool parameter_slice(const struct http_request *r, struct http_reply *reply, struct slice *out,
                     bool *given)
{
    size_t length;
    const char *text = http_parameter(r, "slice", &length);

    *given = text != NULL;
    return !text || slice_parse(text, out) ||
           bad(reply, "slice", text, "pieces, as in 3K1C-2K1C, at most ten");
}

/* One name of a list; its length, or 0. */
static size_t kind_take(const char *text, bool *kind)
{
    size_t n = strcspn(text, ",");

    for (int k = 0; k < KINDS; k++) {
        const char *name = kind_name((enum kind)k);

        if (strlen(name) == n && strncmp(text, name, n) == 0) {
            kind[k] = true;
            return n;
        }
    }
    return 0;
}

bool parameter_kinds(const struct http_request *r, struct http_reply *reply, bool *kind)
{
    size_t length, n;
    const char *text = http_parameter(r, "kinds", &length);

    for (int k = 0; k < KINDS; k++)
        kind[k] = !text || k == KIND_WLD;
    for (const char *at = text; at && *at; at += n + (at[n] == ','))
        if (!(n = kind_take(at, kind)))
            return bad(reply, "kinds", text, "a list of wld, dtc, dtw");
    return true;
}
