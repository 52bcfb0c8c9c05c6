/* SPDX-License-Identifier: MIT */
#include "base/encoding.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes of UTF-8 one character has at `at`; 0: it is none. */
static size_t utf8_at(const unsigned char *b, size_t at, size_t end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = b[at] < 0x80       ? 1
               : b[at] >> 5 == 6  ? 2
               : b[at] >> 4 == 14 ? 3
               : b[at] >> 3 == 30 ? 4
                                  : 0;
    uint32_t c;

    if (n < 2 || at + n > end)
        return n == 1;
    c = b[at] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (b[at + i] >> 6 != 2)
            return 0;
        c = c << 6 | (b[at + i] & 0x3F);
    }
    return c >= least[n] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF) ? n : 0;
}

enum encoding encoding_of(const char *bytes, size_t length)
{
    const unsigned char *b = (const unsigned char *)bytes;

    if (length >= 2 && ((b[0] == 0xFF && b[1] == 0xFE) || (b[0] == 0xFE && b[1] == 0xFF)))
        return ENCODING_UTF16;
    for (size_t at = 0, n; at < length; at += n)
        if (!(n = utf8_at(b, at, length)))
            return ENCODING_BYTES;
    return ENCODING_UTF8;
}

static size_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

enum { REPLACEMENT = 0xFFFD };

/* What Windows-1252 has where Latin-1 has control characters; 0: nothing. */
static const uint16_t windows[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static size_t from_bytes(const unsigned char *b, size_t length, char *out)
{
    size_t used = 0;

    for (size_t at = 0; at < length;) {
        size_t n = utf8_at(b, at, length);
        uint32_t c = b[at];

        if (n) {
            memcpy(out + used, b + at, n);
            used += n;
            at += n;
            continue;
        }
        if (c >= 0x80 && c < 0xA0)
            c = windows[c - 0x80] ? windows[c - 0x80] : REPLACEMENT;
        used += put_utf8(c, out + used);
        at++;
    }
    return used;
}

static size_t from_utf16(const unsigned char *b, size_t length, char *out)
{
    bool little = b[0] == 0xFF;
    size_t used = 0;

    for (size_t at = 2; at + 1 < length; at += 2) {
        uint32_t c = (uint32_t)b[at + little] << 8 | b[at + !little];

        if (c >= 0xD800 && c < 0xDC00 && at + 3 < length) {
            uint32_t low = (uint32_t)b[at + 2 + little] << 8 | b[at + 2 + !little];

            if (low >= 0xDC00 && low < 0xE000) {
                used += put_utf8(0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00), out + used);
                at += 2;
                continue;
            }
        }
        used += put_utf8(c >= 0xD800 && c < 0xE000 ? REPLACEMENT : c, out + used);
    }
    return used;
}

size_t encoding_to_utf8(enum encoding from, const char *bytes, size_t length, char *out)
{
    const unsigned char *b = (const unsigned char *)bytes;

    if (from == ENCODING_UTF16)
        return from_utf16(b, length, out);
    return from_bytes(b, length, out);
}

bool encoding_make_utf8(char **bytes, size_t *length, enum encoding *was)
{
    char *out;

    *was = encoding_of(*bytes, *length);
    if (*was == ENCODING_UTF8)
        return true;
    if (!(out = malloc(*length * ENCODING_GROWTH + 1)))
        return false;
    *length = encoding_to_utf8(*was, *bytes, *length, out);
    out[*length] = '\0';
    free(*bytes);
    *bytes = out;
    return true;
}
