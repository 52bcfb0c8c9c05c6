/* SPDX-License-Identifier: MIT */
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { QUOTED_BYTES = 20 }; /* at four characters each they fit TEXT_QUOTE_MAX */

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void text_skip_spaces(struct text *t)
{
    while (is_space(text_peek(t)))
        t->at++;
}

bool text_accept_word(struct text *t, const char *word)
{
    size_t n = strlen(word);

    if (t->end - t->at < n || memcmp(t->bytes + t->at, word, n) != 0)
        return false;
    t->at += n;
    return true;
}

int text_number(struct text *t, int max)
{
    int value = -1;

    for (int c; (c = text_peek(t)) >= '0' && c <= '9'; t->at++) {
        value = (value < 0 ? 0 : value * 10) + (c - '0');
        if (value > max)
            value = max + 1;
    }
    return value;
}

/* A quotation ends before the next separator, so that it names one word. */
static size_t word_length(const struct text *t, size_t at)
{
    size_t n = 0;

    while (at + n < t->end && !is_space((unsigned char)t->bytes[at + n]) &&
           !strchr(",:;.", t->bytes[at + n]))
        n++;
    return n ? n : 1;
}

const char *text_quote(const struct text *t, size_t at, char out[TEXT_QUOTE_MAX])
{
    size_t n, used = 0;

    if (at >= t->end)
        return strcpy(out, "the end");
    if (t->bytes[at] == '\n' || t->bytes[at] == '\r')
        return strcpy(out, "the end of the line");
    n = word_length(t, at);
    out[used++] = '\'';
    for (size_t i = 0; i < n && i < QUOTED_BYTES; i++) {
        unsigned char c = (unsigned char)t->bytes[at + i];
        bool plain = c >= ' ' && c <= '~' && c != '\\';
        used += (size_t)snprintf(out + used, TEXT_QUOTE_MAX - used, plain ? "%c" : "\\x%02X", c);
    }
    strcpy(out + used, n > QUOTED_BYTES ? "...'" : "'");
    return out;
}

bool text_fail(struct text_error *error, size_t at, const char *format, ...)
{
    va_list args;

    if (!error)
        return false;
    error->at = at;
    va_start(args, format);
    vsnprintf(error->what, sizeof error->what, format, args);
    va_end(args);
    return false;
}

bool text_expected(const struct text *t, struct text_error *error, const char *expected)
{
    char quote[TEXT_QUOTE_MAX];

    return text_fail(error, t->at, "expected %s, found %s", expected, text_quote(t, t->at, quote));
}

struct text_place text_place_from(struct text_place p, const char *bytes, size_t at)
{
    if (p.at > at || p.line == 0)
        p = (struct text_place){.line = 1, .column = 1};
    for (; p.at < at; p.at++) {
        bool second = bytes[p.at] == '\n' && p.at > 0 && bytes[p.at - 1] == '\r';

        p.column++;
        if (bytes[p.at] == '\n' || bytes[p.at] == '\r') {
            p.line += !second;
            p.column = 1;
        }
    }
    return p;
}

struct text_place text_place(const char *bytes, size_t at)
{
    return text_place_from((struct text_place){0}, bytes, at);
}
