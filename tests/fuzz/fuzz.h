/* SPDX-License-Identifier: MIT
 *
 * fuzz.h -- what the fuzzers share.  A fuzzer is given any bytes; it must neither
 * crash nor break an invariant of the header that it tests. */
#ifndef KELSO_TESTS_FUZZ_H
#define KELSO_TESTS_FUZZ_H

#include "core/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Like assert, in every build. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* (T2) of text.h: an error lies in the text and is one printable line. */
static inline void must_be_error(const struct text_error *e, size_t size)
{
    MUST(e->at <= size);
    MUST(e->what[0] && memchr(e->what, '\0', sizeof e->what));
    for (const char *c = e->what; *c; c++)
        MUST(*c >= ' ' && *c <= '~');
}

#endif
