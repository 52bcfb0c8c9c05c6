/* SPDX-License-Identifier: MIT */
#include "db/profile.h"
#include "base/files.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void profile_decode(struct profile *p, struct slice s, double seconds)
{
    struct profile_count *c = &p->of[slice_code(s)];

    atomic_fetch_add_explicit(&c->decodes, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->nanoseconds, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}

static void line_add(struct profile_line *line, const struct profile_count *c)
{
    line->probes += atomic_load(&c->probes);
    line->decodes += atomic_load(&c->decodes);
    line->seconds += 1e-9 * (double)atomic_load(&c->nanoseconds);
}

static int line_compare(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;

    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    if (x->probes != y->probes)
        return x->probes > y->probes ? -1 : 1;
    return slice_code(x->slice) - slice_code(y->slice);
}

int profile_lines(const struct profile *p, struct profile_line lines[SLICE_CODES])
{
    struct slice list[SLICE_CODES];
    int all = slice_order(PIECES_MAX, PIECES_MAX, list), n = 0;

    for (int i = 0; i < all; i++) {
        struct profile_line line = {.slice = list[i]};

        line_add(&line, &p->of[slice_code(list[i])]);
        if (!slice_symmetric(list[i]))
            line_add(&line, &p->of[slice_code(slice_flip(list[i]))]);
        if (line.probes || line.decodes)
            lines[n++] = line;
    }
    qsort(lines, (size_t)n, sizeof *lines, line_compare);
    return n;
}

/* ------------------------------------------------------------------- the file -- */

enum { LINE_MAX_BYTES = SLICE_NAME_MAX + 96 };

enum status profile_write(const char *path, const struct profile_line *lines, int n,
                          struct error *e)
{
    size_t room = (size_t)(n + 1) * LINE_MAX_BYTES, length;
    char *text = malloc(room), name[SLICE_NAME_MAX];
    enum status rc;

    if (!text)
        return error_no_memory(e);
    length = (size_t)snprintf(text, room, "# slice probes decodes seconds\n");
    for (int i = 0; i < n; i++)
        length += (size_t)snprintf(
            text + length, room - length, "%s %" PRIu64 " %" PRIu64 " %.6f\n",
            slice_name(lines[i].slice, name), lines[i].probes, lines[i].decodes, lines[i].seconds);
    rc = file_replace(path, text, length, e);
    free(text);
    return rc;
}

/* A number of digits alone; strtoull would take a sign. */
static bool count_parse(const char *text, uint64_t *out)
{
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return *text && !text[strspn(text, "0123456789")] && !errno;
}

/* No sign, nan or inf. */
static bool seconds_parse(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return !*end && !text[strspn(text, "0123456789.")] && isfinite(*out);
}

/* NULL, or what is wrong with the line, which is cut into words. */
static const char *line_parse(char *text, struct profile_line *line)
{
    char *rest, *word[4];
    struct slice s;

    for (int i = 0; i < 4; i++)
        if (!(word[i] = strtok_r(i ? NULL : text, " \t\r", &rest)))
            return "expected four words: slice probes decodes seconds";
    if (strtok_r(NULL, " \t\r", &rest))
        return "expected four words, found more";
    if (!slice_parse(word[0], &s))
        return "the first word is not a slice such as 3K1C-2K1C";
    line->slice = slice_canonical(s);
    if (!count_parse(word[1], &line->probes))
        return "the number of probes is not a whole number";
    if (!count_parse(word[2], &line->decodes))
        return "the number of decodes is not a whole number";
    if (!seconds_parse(word[3], &line->seconds))
        return "the seconds are not a number of 0 or more";
    return NULL;
}

static const char *line_take(char *text, struct profile_line lines[SLICE_CODES], int *n)
{
    struct profile_line line;
    const char *wrong;

    if (text[0] == '#' || !text[strspn(text, " \t\r")])
        return NULL;
    if ((wrong = line_parse(text, &line)))
        return wrong;
    for (int i = 0; i < *n; i++)
        if (slice_equal(lines[i].slice, line.slice))
            return "this slice already has a line";
    lines[(*n)++] = line;
    return NULL;
}

enum status profile_read(const char *path, struct profile_line lines[SLICE_CODES], int *n,
                         struct error *e)
{
    enum status rc;
    const char *wrong = NULL;
    uint8_t *bytes;
    size_t length;
    int number = 0;

    *n = 0;
    if ((rc = file_read_all(path, &bytes, &length, e)))
        return rc;
    for (char *at = (char *)bytes, *end = at + length; at < end && !wrong;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop : end; /* there are zeros after the bytes */
        number++;
        wrong = memchr(at, 0, (size_t)(stop - at)) ? "this is not text" : NULL;
        *stop = '\0';
        wrong = wrong ? wrong : line_take(at, lines, n);
        at = stop + 1;
    }
    free(bytes);
    if (wrong)
        return error_set(e, STATUS_FORMAT, "%s, line %d: %s", path, number, wrong);
    if (!*n)
        return error_set(e, STATUS_FORMAT, "%s: there is no slice in it", path);
    return STATUS_OK;
}
