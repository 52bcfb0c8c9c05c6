/* SPDX-License-Identifier: MIT
 *
 * encoding.h -- text of any age as UTF-8.
 *
 * Files of games come as ASCII, UTF-8, UTF-16 with its mark, or in the eight-bit sets of
 * Western Europe (Latin-1, Windows-1252).  A text that is not UTF-8 throughout keeps the
 * characters that are, and takes each other byte as Windows-1252.
 *
 * (E1) what comes out is UTF-8; a text that was UTF-8 stays as it is.
 *
 * Pure functions; any thread. */
#ifndef KELSO_BASE_ENCODING_H
#define KELSO_BASE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

enum encoding { ENCODING_UTF8, ENCODING_UTF16, ENCODING_BYTES };

enum { ENCODING_GROWTH = 3 }; /* times as long, at most */

enum encoding encoding_of(const char *bytes, size_t length);

/* Write a text of that encoding as UTF-8, without its mark; `out` has room for
 * ENCODING_GROWTH times the length.  Returns the length. */
size_t encoding_to_utf8(enum encoding from, const char *bytes, size_t length, char *out);

/* Replace a text from malloc by its UTF-8.  False: no memory; the text stays. */
bool encoding_make_utf8(char **bytes, size_t *length, enum encoding *was);

#endif
