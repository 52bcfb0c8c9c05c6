/* SPDX-License-Identifier: MIT
 *
 * codes.h -- sets of codes: sorting, compact storage, subtraction.
 *
 * A stored set ("run") is the sorted codes, each as its distance from the previous one,
 * minus one, in groups of seven bits, low group first, with the top bit set on all bytes
 * but the last.  Neighbouring codes are close: in a large ply a code takes about two
 * bytes.
 *
 * (R1) run_next returns the codes given to run_put, in the same order.
 * (R2) run_next never reads beyond the end, whatever the bytes are.
 *
 * Values and the caller's memory; run_writer owns its bytes until they are taken. */
#ifndef KELSO_GAMES_CODES_H
#define KELSO_GAMES_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A growing array; zero-initialize, free(data). */
struct codes {
    uint64_t *data;
    size_t count, room;
};

/* Make room for `more` codes; false when memory is short. */
bool codes_reserve(struct codes *c, size_t more);

/* Sort c, using scratch; all codes lie in [low, high).  Then drop duplicates. */
bool codes_sort(struct codes *c, struct codes *scratch, uint64_t low, uint64_t high);

/* ------------------------------------------------------------------- runs -- */

enum { RUN_CODE_MAX = 10 }; /* bytes for one code, at most */

struct run_writer {
    uint8_t *data;
    size_t size, room;
    uint64_t next; /* the smallest code that may follow */
};

/* Append the sorted codes, the first measured from `low`; false when memory is short. */
bool run_put(struct run_writer *w, const struct codes *c, uint64_t low);
void run_writer_free(struct run_writer *w);

struct run_reader {
    const uint8_t *at, *end;
    uint64_t next;
};

/* p + n, even if p is NULL and n is 0. */
static inline const uint8_t *bytes_at(const uint8_t *p, uint64_t n)
{
    return n ? p + n : p;
}

static inline struct run_reader run_open(const uint8_t *data, size_t size, uint64_t low)
{
    return (struct run_reader){.at = data, .end = bytes_at(data, size), .next = low};
}

/* The next code; false at the end. */
static inline bool run_next(struct run_reader *r, uint64_t *code)
{
    uint64_t delta = 0;

    for (int shift = 0; r->at < r->end && shift < 64; shift += 7) {
        uint8_t byte = *r->at++;

        delta |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80)) {
            *code = r->next + delta;
            r->next = *code + 1;
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- removal -- */

/* Mark in `gone` (a bit for each code of c) the codes that are also in the run. */
void codes_mark(const struct codes *c, struct run_reader run, uint64_t *gone);

/* Drop the marked codes. */
void codes_drop(struct codes *c, const uint64_t *gone);

#endif
