/* SPDX-License-Identifier: MIT */
#include "games/codes.h"

#include "base/array.h"

#include <string.h>

enum { DIGIT_BITS = 10, DIGITS = 1 << DIGIT_BITS, SMALL = 48 };

bool codes_reserve(struct codes *c, size_t more)
{
    return array_room((void **)&c->data, &c->room, c->count + more, sizeof *c->data);
}

/* -------------------------------------------------------------------- sort -- */

static void sort_small(uint64_t *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t x = a[i];
        size_t j = i;

        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

/* One stable pass by the digit at `shift` of code - low; false if all share it. */
static bool sort_pass(const uint64_t *from, uint64_t *to, size_t n, uint64_t low, int shift)
{
    size_t start[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        start[(from[i] - low) >> shift & (DIGITS - 1)]++;
    if (start[(from[0] - low) >> shift & (DIGITS - 1)] == n)
        return false;
    for (int d = 0; d < DIGITS; d++) {
        size_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[start[(from[i] - low) >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

static void unique(struct codes *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++)
        if (n == 0 || c->data[i] != c->data[n - 1])
            c->data[n++] = c->data[i];
    c->count = n;
}

bool codes_sort(struct codes *c, struct codes *scratch, uint64_t low, uint64_t high)
{
    struct codes swap;

    if (c->count <= SMALL) {
        sort_small(c->data, c->count);
        unique(c);
        return true;
    }
    scratch->count = 0;
    if (!codes_reserve(scratch, c->count))
        return false;
    for (int shift = 0; shift < 64 && (high - low - 1) >> shift; shift += DIGIT_BITS) {
        if (!sort_pass(c->data, scratch->data, c->count, low, shift))
            continue;
        scratch->count = c->count;
        swap = *c;
        *c = *scratch;
        *scratch = swap;
    }
    unique(c);
    return true;
}

/* -------------------------------------------------------------------- runs -- */

static uint8_t *put_number(uint8_t *at, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        *at++ = (uint8_t)(n | 0x80);
    *at++ = (uint8_t)n;
    return at;
}

static bool run_reserve(struct run_writer *w, size_t more)
{
    return array_room((void **)&w->data, &w->room, w->size + more, 1);
}

bool run_put(struct run_writer *w, const struct codes *c, uint64_t low)
{
    enum { BATCH = 4096 };

    w->next = low;
    for (size_t i = 0; i < c->count;) {
        size_t end = c->count - i < BATCH ? c->count : i + BATCH;
        uint8_t *at;

        if (!run_reserve(w, BATCH * RUN_CODE_MAX))
            return false;
        for (at = w->data + w->size; i < end; i++) {
            at = put_number(at, c->data[i] - w->next);
            w->next = c->data[i] + 1;
        }
        w->size = (size_t)(at - w->data);
    }
    return true;
}

void run_writer_free(struct run_writer *w)
{
    free(w->data);
    *w = (struct run_writer){0};
}

/* ----------------------------------------------------------------- removal -- */

/* The first place from `at` on that is not less than `code`. */
static size_t gallop(const struct codes *c, size_t at, uint64_t code)
{
    size_t step = 1, low = at;

    while (at < c->count && c->data[at] < code) {
        low = at + 1;
        at += step;
        step *= 2;
    }
    if (at > c->count)
        at = c->count;
    while (low < at) {
        size_t middle = low + (at - low) / 2;

        if (c->data[middle] < code)
            low = middle + 1;
        else
            at = middle;
    }
    return low;
}

void codes_mark(const struct codes *c, struct run_reader run, uint64_t *gone)
{
    uint64_t code;
    size_t at = 0;

    while (at < c->count && run_next(&run, &code)) {
        at = gallop(c, at, code);
        if (at < c->count && c->data[at] == code)
            gone[at / 64] |= UINT64_C(1) << at % 64;
    }
}

void codes_drop(struct codes *c, const uint64_t *gone)
{
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++)
        if (!(gone[i / 64] >> i % 64 & 1))
            c->data[n++] = c->data[i];
    c->count = n;
}
