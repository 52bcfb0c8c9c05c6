/* SPDX-License-Identifier: MIT
 *
 * text.h -- read text from outside, and say what is wrong with it.
 *
 * A reader walks a `struct text` and, at the first thing it cannot accept, fills a `struct
 * text_error`: where, and one line that says what was expected and what was found.  A caller that
 * knows the name of the file puts it in front.
 *
 * (T1) A text is bytes with a length; NUL bytes are ordinary bytes.
 * (T2) text_error.what is one line of printable ASCII, whatever the text contains.
 *
 * The text belongs to the caller and must outlive the reader.  Any thread. */
#ifndef KELSO_CORE_TEXT_H
#define KELSO_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TEXT_ERROR_MAX = 400, /* bytes of a message, with its NUL */
    TEXT_QUOTE_MAX = 96   /* bytes of a quotation, with its NUL */
};

struct text {
    const char *bytes;
    size_t at, end;
};

struct text_error {
    size_t at; /* offset of the byte that is wrong */
    char what[TEXT_ERROR_MAX];
};

struct text_place {
    size_t at;
    size_t line, column; /* from 1; a column is a byte */
};

/* The byte under the cursor, or -1 at the end. */
static inline int text_peek(const struct text *t)
{
    return t->at < t->end ? (unsigned char)t->bytes[t->at] : -1;
}

/* Step over `byte` if it is next. */
static inline bool text_accept(struct text *t, char byte)
{
    if (text_peek(t) != (unsigned char)byte)
        return false;
    t->at++;
    return true;
}

/* Step over `word` if it is next. */
bool text_accept_word(struct text *t, const char *word);

void text_skip_spaces(struct text *t);

/* Read a decimal number; values above `max` are read completely and give max + 1.  Returns -1, the
 * cursor unmoved, when there is no digit. */
int text_number(struct text *t, int max);

/* The text at offset `at`, in quotes, truncated and with unprintable bytes escaped; "the end" past
 * the last byte, "the end of the line" at a line break. */
const char *text_quote(const struct text *t, size_t at, char out[TEXT_QUOTE_MAX]);

/* Fill `error` (which may be NULL) and return false. */
bool text_fail(struct text_error *error, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "expected <expected>, found <the text at the cursor>". */
bool text_expected(const struct text *t, struct text_error *error, const char *expected);

/* Line and column of offset `at`.  Lines end with LF, CR LF or CR. */
struct text_place text_place(const char *bytes, size_t at);

/* The same, continuing from a known place: cheap if errors come in order. */
struct text_place text_place_from(struct text_place p, const char *bytes, size_t at);

#endif
