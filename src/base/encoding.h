/* SPDX-License-Identifier: MIT
 *
 * encoding.h -- convert old and new text files to UTF-8.
 *
 * Game files come as ASCII, UTF-8, UTF-16 with a byte order mark, or in the eight-bit sets of
 * Western Europe (Latin-1, Windows-1252).  In a text that is only partly valid UTF-8, the valid
 * characters are kept, and every other byte is read as Windows-1252.
 *
 * (E1) The result is UTF-8; a text that is already UTF-8 is unchanged.
 *
 * Pure functions; any thread. */
#ifndef KELSO_BASE_ENCODING_H
#define KELSO_BASE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

enum encoding { ENCODING_UTF8, ENCODING_UTF16, ENCODING_BYTES };

enum { ENCODING_GROWTH = 3 }; /* times as long, at most */

enum encoding encoding_of(const char *bytes, size_t length);

/* Convert a text to UTF-8, without its byte order mark; `out` has room for ENCODING_GROWTH times
 * the length.  Returns the length. */
size_t encoding_to_utf8(enum encoding from, const char *bytes, size_t length, char *out);

/* Convert a text from malloc to UTF-8.  False, with the text unchanged, if memory is short. */
bool encoding_make_utf8(char **bytes, size_t *length, enum encoding *was);

#endif
