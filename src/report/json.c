/* SPDX-License-Identifier: MIT */
#include "report/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct json json_open(FILE *out)
{
    return (struct json){.out = out};
}

/* The length of the UTF-8 character at s, or 0 if there is none. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    uint32_t code = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if ((s[0] >= 0x80 && s[0] < 0xC2) || s[0] > 0xF4 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3F);
    }
    if (code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return 0;
    return n;
}

static void write_ascii(FILE *out, unsigned char c)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *e = c ? strchr(escaped, c) : NULL;

    if (e)
        fprintf(out, "\\%c", letters[e - escaped]);
    else if (c < 0x20 || c == 0x7F)
        fprintf(out, "\\u%04x", c);
    else
        putc(c, out);
}

static void write_string(FILE *out, const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;

    putc('"', out);
    for (size_t i = 0, n; i < length; i += n ? n : 1) {
        n = utf8_length(s + i, length - i);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (n == 1)
            write_ascii(out, s[i]);
        else
            fwrite(s + i, 1, n, out);
    }
    putc('"', out);
}

/* What comes before a value: a comma, a key. */
static void begin(struct json *j, const char *key)
{
    uint64_t level = UINT64_C(1) << j->depth;

    assert((key != NULL) == ((j->objects & level) != 0));
    if (j->nonempty & level)
        putc(',', j->out);
    if (j->depth > 0)
        j->nonempty |= level;
    if (key) {
        write_string(j->out, key, strlen(key));
        putc(':', j->out);
    }
}

/* A value at the top is a line of its own. */
static void finish(struct json *j)
{
    if (j->depth == 0)
        putc('\n', j->out);
}

static void open_level(struct json *j, const char *key, bool object)
{
    uint64_t level;

    begin(j, key);
    assert(j->depth + 1 < JSON_DEPTH_MAX);
    level = UINT64_C(1) << ++j->depth;
    j->nonempty &= ~level;
    j->objects = object ? j->objects | level : j->objects & ~level;
    putc(object ? '{' : '[', j->out);
}

void json_object(struct json *j, const char *key)
{
    open_level(j, key, true);
}

void json_array(struct json *j, const char *key)
{
    open_level(j, key, false);
}

void json_end(struct json *j)
{
    assert(j->depth > 0);
    putc(j->objects >> j->depth & 1 ? '}' : ']', j->out);
    j->depth--;
    finish(j);
}

void json_bytes(struct json *j, const char *key, const char *value, size_t length)
{
    begin(j, key);
    write_string(j->out, value, length);
    finish(j);
}

void json_text(struct json *j, const char *key, const char *value)
{
    if (value)
        json_bytes(j, key, value, strlen(value));
    else
        json_null(j, key);
}

void json_int(struct json *j, const char *key, int64_t value)
{
    begin(j, key);
    fprintf(j->out, "%" PRId64, value);
    finish(j);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
    begin(j, key);
    fprintf(j->out, "%" PRIu64, value);
    finish(j);
}

void json_real(struct json *j, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    begin(j, key);
    fprintf(j->out, "%.6g", value);
    finish(j);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
    finish(j);
}

void json_null(struct json *j, const char *key)
{
    begin(j, key);
    fputs("null", j->out);
    finish(j);
}
