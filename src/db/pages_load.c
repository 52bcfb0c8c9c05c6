/* SPDX-License-Identifier: MIT
 *
 * pages_load.c -- from pages of a file to tables in memory (pages.h). */
#include "db/pages.h"

#include <stdlib.h>
#include <string.h>

struct load {
    struct crew *crew;
    const struct sets *sets;
    const struct table *t, *wld;
    struct raw *out;
    int mirror;
    uint64_t begin, stop; /* of the blocks, in values */
    uint64_t units, unit; /* a unit is a run of whole blocks: one writer a block */
    _Atomic uint64_t next;
    struct error error[CREW_MAX];
};

/* Bit `shift` of eight bytes to eight bits. */
static uint8_t bytes_to_bits(const uint8_t *values, int shift)
{
    uint64_t x;

    memcpy(&x, values, 8);
    x = x >> shift & UINT64_C(0x0101010101010101);
    return (uint8_t)(x * UINT64_C(0x0102040810204080) >> 56);
}

/* Store some values within one byte of each plane, keeping the bits before them. */
static void packed_put_few(uint8_t *win, uint8_t *loss, int bit, const uint8_t *values, int n)
{
    uint8_t w = 0, l = 0, before = (uint8_t)((1 << bit) - 1);

    for (int i = 0; i < n; i++) {
        w |= (uint8_t)((values[i] == VALUE_WIN) << (bit + i));
        l |= (uint8_t)((values[i] == VALUE_LOSS) << (bit + i));
    }
    *win = (uint8_t)((*win & before) | w);
    *loss = (uint8_t)((*loss & before) | l);
}

/* n values of one block from number i on, in ascending order of i. */
static void packed_put(uint8_t *block, size_t plane, uint64_t i, const uint8_t *values, uint64_t n)
{
    uint8_t *win = block + i / 8, *loss = win + plane;
    uint64_t few = (8 - i % 8) % 8;

    few = few < n ? few : n;
    if (few)
        packed_put_few(win++, loss++, (int)(i % 8), values, (int)few);
    for (values += few, n -= few; n >= 8; values += 8, n -= 8) {
        uint8_t w = bytes_to_bits(values, 1), draw = bytes_to_bits(values, 0);

        *win++ = w;
        *loss++ = (uint8_t) ~(w | draw);
    }
    if (n)
        packed_put_few(win, loss, 0, values, (int)n);
}

static void narrow_put(uint8_t *to, const uint8_t *values, const uint16_t *plies, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        to[i] = outcome_to_narrow((struct outcome){(enum value)values[i], plies[i]});
}

static void wide_put(uint8_t *to, const uint8_t *values, const uint16_t *plies, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint16_t seen = outcome_to_wide((struct outcome){(enum value)values[i], plies[i]});
        memcpy(to + 2 * i, &seen, 2);
    }
}

/* n values of one block from number i on, in ascending order of i. */
static void nine_put(uint8_t *block, size_t plane, uint64_t i, const uint8_t *values,
                     const uint16_t *plies, uint64_t n)
{
    uint8_t *high = block + plane;

    for (uint64_t end = i + n; i < end; i++) {
        uint16_t seen = outcome_to_nine((struct outcome){(enum value) * values++, *plies++});
        uint8_t before = (uint8_t)((1 << i % 8) - 1);

        block[i] = (uint8_t)seen;
        high[i / 8] = (uint8_t)((high[i / 8] & before) | (seen >> 8 & 1) << i % 8);
    }
}

/* Store the values of positions index ... index + n - 1, block by block. */
static void values_put(struct raw *t, uint64_t index, const uint8_t *values, const uint16_t *plies,
                       uint64_t n)
{
    uint64_t i = index % t->layout.block_size;
    uint8_t *block = t->data + index / t->layout.block_size * t->stride;

    for (uint64_t step; n; n -= step, values += step, plies += step, i = 0, block += t->stride) {
        step = t->layout.block_size - i;
        step = step < n ? step : n;
        if (t->form == RAW_PACKED)
            packed_put(block, t->plane, i, values, step);
        else if (t->form == RAW_NARROW)
            narrow_put(block + i, values, plies, step);
        else if (t->form == RAW_NINE)
            nine_put(block, t->plane, i, values, plies, step);
        else
            wide_put(block + 2 * i, values, plies, step);
    }
}

/* The part of a page that lies in [first, end). */
static enum status page_load(struct load *l, struct table_scratch *scratch, uint64_t page,
                             uint64_t first, uint64_t end, uint8_t *values, uint16_t *distances,
                             struct error *e)
{
    const struct table *wld = l->wld ? l->wld : l->t;
    uint64_t at = page * TABLE_PAGE, stop = at + table_page_length(l->t, l->mirror, page);
    enum status rc = table_read_values(wld, scratch, l->mirror, page, values, e);

    if (!rc && l->wld)
        rc = table_read_distances(l->t, scratch, l->mirror, page, values, distances, e);
    if (rc)
        return rc;
    first = at > first ? at : first;
    end = stop < end ? stop : end;
    if (first < end)
        values_put(l->out, first, values + (first - at), distances + (first - at), end - first);
    return STATUS_OK;
}

static void load_job(void *arg, int id)
{
    struct load *l = arg;
    const struct layout *lay = &l->out->layout;
    uint8_t *values = malloc(TABLE_PAGE + 8);
    uint16_t *distances = malloc(TABLE_PAGE * sizeof *distances);
    struct table_scratch *scratch = table_scratch_create(l->sets);

    if (!values || !distances || !scratch)
        error_set(&l->error[id], STATUS_NO_MEMORY, "no memory for a page");
    while (!l->error[id].status && !crew_stopped(l->crew)) {
        uint64_t u = atomic_fetch_add(&l->next, 1),
                 first = l->begin + u * l->unit * lay->block_size;
        uint64_t end = first + l->unit * lay->block_size;

        if (u >= l->units)
            break;
        if (end > l->stop)
            end = l->stop;
        for (uint64_t p = first / TABLE_PAGE; p * TABLE_PAGE < end && !l->error[id].status; p++)
            page_load(l, scratch, p, first, end, values, distances, &l->error[id]);
    }
    table_scratch_free(&scratch);
    free(values);
    free(distances);
}

enum status pages_load(struct crew *crew, const struct sets *sets, const struct table *t,
                       const struct table *wld, struct raw *out, struct error *e)
{
    return pages_load_blocks(crew, sets, t, wld, out, 0, out->layout.blocks, e);
}

enum status pages_load_blocks(struct crew *crew, const struct sets *sets, const struct table *t,
                              const struct table *wld, struct raw *out, uint64_t first,
                              uint64_t end, struct error *e)
{
    const struct layout *lay = &out->layout;
    struct load l = {.crew = crew,
                     .sets = sets,
                     .t = t,
                     .wld = wld,
                     .out = out,
                     .mirror = !slice_equal(lay->slice, table_slice(t))};
    enum status rc = wld ? table_fits(t, wld, e) : STATUS_OK;

    if (rc)
        return rc;
    l.unit = 16 * TABLE_PAGE / lay->block_size + 1;
    l.units = (end - first + l.unit - 1) / l.unit;
    l.begin = first * lay->block_size;
    l.stop = end * lay->block_size;
    crew_run(crew, load_job, &l);
    for (int i = 0; i < crew->threads; i++)
        if (l.error[i].status)
            return error_pass(e, &l.error[i]);
    return crew_stopped(crew) ? error_set(e, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}
