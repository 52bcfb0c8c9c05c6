/* SPDX-License-Identifier: MIT
 *
 * sink.h -- a stream into memory that knows when something was lost.
 *
 * open_memstream of the C library drops what it has no memory for, and sets no error.  An answer
 * with a gap must not be sent as a whole one.
 *
 * (S1) After fflush, either `lost` is set or `bytes` holds all that was written.
 * (S2) rewind discards what was written.
 *
 * The caller owns the sink and frees `bytes` after fclose.  One thread at a time. */
#ifndef KELSO_SERVE_SINK_H
#define KELSO_SERVE_SINK_H

#include <stdbool.h>
#include <stdio.h>

struct sink {
    char *bytes;
    size_t length, room;
    bool lost;
};

/* NULL without memory; the stream keeps a pointer to *s. */
FILE *sink_open(struct sink *s);

/* Close the stream; false if something was lost. */
bool sink_close(struct sink *s, FILE *stream);

#endif
