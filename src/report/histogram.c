/* SPDX-License-Identifier: MIT */
#include "report/histogram.h"
#include "report/outcomes.h"

#include <stdlib.h>
#include <string.h>

/* What is needed to decode pages. */
struct reading {
    struct sets *sets;
    struct table_scratch *scratch;
    uint8_t values[TABLE_PAGE];
    uint16_t distances[TABLE_PAGE];
};

static void reading_close(struct reading *r)
{
    if (!r)
        return;
    table_scratch_free(&r->scratch);
    sets_free(&r->sets);
    free(r);
}

static struct reading *reading_open(struct slice s)
{
    struct reading *r = calloc(1, sizeof *r);

    if (r && (r->sets = sets_create(table_sets(s))) && (r->scratch = table_scratch_create(r->sets)))
        return r;
    reading_close(r);
    return NULL;
}

/* ---------------------------------------------------------------------- counting -- */

static void count_pieces(struct histogram *h, const struct layout *l, uint64_t index,
                         enum value value)
{
    struct view v;

    layout_view(l, index, &v);
    for (int piece = HISTOGRAM_KING; piece <= HISTOGRAM_OPP_MAN; piece++) {
        uint32_t left = piece == HISTOGRAM_KING       ? v.kings
                        : piece == HISTOGRAM_MAN      ? v.men
                        : piece == HISTOGRAM_OPP_KING ? v.opp_kings
                                                      : v.opp_men;

        for (; left; left &= left - 1)
            h->square[piece][__builtin_ctz(left) + 1][value]++;
    }
}

static enum status count_page(struct histogram *h, struct reading *r, const struct table *wld,
                              const struct table *distances, int mirror, uint64_t page,
                              struct error *e)
{
    const struct layout *l = table_layout(wld, mirror);
    uint32_t n = table_page_length(wld, mirror, page);
    enum status rc = table_read_values(wld, r->scratch, mirror, page, r->values, e);
    const uint64_t *captures;

    if (!rc && distances)
        rc = table_read_distances(distances, r->scratch, mirror, page, r->values, r->distances, e);
    if (rc)
        return rc;
    captures = table_captures(r->scratch, l, page);
    for (uint32_t i = 0; i < n; i++) {
        enum value value = (enum value)r->values[i];

        if (captures[i / 64] >> i % 64 & 1)
            continue;
        h->count[value]++;
        if (distances && value != VALUE_DRAW)
            h->plies[value]
                    [r->distances[i] < HISTOGRAM_PLIES ? r->distances[i] : HISTOGRAM_PLIES - 1]++;
        count_pieces(h, l, page * TABLE_PAGE + i, value);
    }
    return STATUS_OK;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* A step that visits all pages, spread over the table at any time: about 0.618 of their number,
 * coprime to it. */
static uint64_t step_through(uint64_t pages)
{
    uint64_t step = (uint64_t)((double)pages * 0.6180339887) | 1;

    while (common_divisor(pages, step) > 1)
        step++;
    return step;
}

enum status histogram_read(struct histogram *h, const struct table *wld,
                           const struct table *distances, int mirror, uint64_t pages_max,
                           const atomic_bool *stop, struct error *e)
{
    struct reading *r = reading_open(table_slice(wld));
    enum status rc = r ? STATUS_OK : error_no_memory(e);
    uint64_t step;

    memset(h, 0, sizeof *h);
    h->slice = mirror ? slice_flip(table_slice(wld)) : table_slice(wld);
    h->distances = distances != NULL;
    h->pages = table_pages(wld, mirror);
    step = step_through(h->pages);
    while (!rc && h->read < h->pages && h->read < pages_max &&
           (h->read == 0 || !stop || !atomic_load(stop))) {
        uint64_t page = (uint64_t)((unsigned __int128)h->read * step % h->pages);

        if (!(rc = count_page(h, r, wld, distances, mirror, page, e)))
            h->read++;
    }
    reading_close(r);
    return rc;
}

/* ------------------------------------------------------------------------- JSON -- */

static void put_slice(struct json *j, const struct histogram *h)
{
    char name[SLICE_NAME_MAX];

    json_text(j, "slice", slice_name(h->slice, name));
}

static void put_counts(struct json *j, const uint64_t count[3])
{
    json_uint(j, "wins", count[VALUE_WIN]);
    json_uint(j, "draws", count[VALUE_DRAW]);
    json_uint(j, "losses", count[VALUE_LOSS]);
}

void histogram_counts(struct json *j, const struct histogram *h)
{
    json_object(j, NULL);
    put_slice(j, h);
    json_bool(j, "sampled", h->read < h->pages);
    put_counts(j, h->count);
    json_end(j);
}

void histogram_distances(struct json *j, const struct histogram *h)
{
    static const enum value values[] = {VALUE_WIN, VALUE_LOSS};

    for (int v = 0; v < 2; v++)
        for (int plies = 0; plies < HISTOGRAM_PLIES; plies++) {
            if (!h->plies[values[v]][plies])
                continue;
            json_object(j, NULL);
            put_slice(j, h);
            json_text(j, "value", value_name(values[v]));
            json_int(j, "plies", plies);
            json_uint(j, "positions", h->plies[values[v]][plies]);
            json_end(j);
        }
}

void histogram_squares(struct json *j, const struct histogram *h)
{
    static const char *const name[] = {"king", "man", "opponent_king", "opponent_man"};

    for (int piece = HISTOGRAM_KING; piece <= HISTOGRAM_OPP_MAN; piece++)
        for (int n = 1; n <= 32; n++) {
            const uint64_t *count = h->square[piece][n];

            if (!(count[VALUE_WIN] | count[VALUE_DRAW] | count[VALUE_LOSS]))
                continue;
            json_object(j, NULL);
            put_slice(j, h);
            json_text(j, "piece", name[piece]);
            json_int(j, "square", n);
            put_counts(j, count);
            json_end(j);
        }
}
