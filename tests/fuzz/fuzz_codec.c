/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a page (C3): decoding stays inside its arrays, and what comes out can be packed
 * again and read back (C1).
 *
 * The input: which slice (1), where the page starts (4) and its length (2), which models, values or
 * distances (1), the page. */
#include "base/bytes.h"
#include "db/codec.h"
#include "db/value.h"

#include <stdlib.h>
#include <string.h>

static const struct slice slices[] = {
    {1, 0, 1, 0}, {2, 1, 1, 1}, {1, 2, 1, 1}, {0, 2, 1, 1},
    {0, 2, 3, 0}, {0, 3, 0, 2}, {3, 0, 2, 0},
};

enum { SLICES = sizeof slices / sizeof *slices, HEAD = 7, LONGEST = 160 };

struct work {
    struct sets *sets;
    struct layout layout[SLICES];
    struct codec_map map;
    struct codec_model model[3][2]; /* by kind */
    struct codec_work work;
    uint8_t values[CODEC_PAGE_MAX], again[CODEC_PAGE_MAX];
    uint16_t distances[CODEC_PAGE_MAX], distances_again[CODEC_PAGE_MAX];
    uint8_t bytes[CODEC_DISTANCES_BYTES_MAX];
};

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void try_values(struct work *w, const struct codec_model *model, const uint8_t *page,
                       size_t size)
{
    codec_decode_values(model, &w->work, &w->map, w->map.n, page, size, w->values);
    for (uint32_t i = 0; i < w->map.n; i++)
        check(w->values[i] <= VALUE_WIN);
    memcpy(w->again, w->values, w->map.n);
    size = codec_encode_values(model, &w->work, &w->map, w->values, w->bytes);
    check(size >= 1 && size <= w->map.n);
    for (uint32_t i = 0; i < w->map.n; i++)
        check(codec_map_bit(w->map.taking, i) || w->again[i] == w->values[i]);
    codec_decode_values(model, &w->work, &w->map, w->map.n, w->bytes, size, w->again);
    check(!memcmp(w->again, w->values, w->map.n));
}

static void try_distances(struct work *w, const struct codec_model *model, const uint8_t *page,
                          size_t size)
{
    codec_decode_distances(model, &w->map, w->values, page, size, w->distances);
    size = codec_encode_distances(model, &w->map, w->values, w->distances, w->bytes);
    check(size >= 1 && size <= 2 * (size_t)w->map.n);
    codec_decode_distances(model, &w->map, w->values, w->bytes, size, w->distances_again);
    check(!memcmp(w->distances_again, w->distances, w->map.n * sizeof *w->distances));
}

/* A kind's model: without bytes, or with any weights.  Reading one is for fuzz_model. */
static void models_make(struct work *w)
{
    uint64_t random = 1;

    for (int kind = CODEC_VALUES; kind <= CODEC_COUNTED; kind++) {
        codec_model_load(&w->model[kind][0], (enum codec_kind)kind, w->bytes, 0);
        w->model[kind][1] = w->model[kind][0];
        for (int i = 0; i < CODEC_CONTEXTS; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            w->model[kind][1].weight[i] = (int8_t)(random >> 56);
        }
    }
}

static void try_page(struct work *w, int which, const uint8_t *data, size_t size)
{
    const struct layout *l = &w->layout[which % SLICES];
    int weights = data[6] & 1;
    uint32_t start = (uint32_t)bytes_get(data, 4);
    uint32_t n = 1 + (uint32_t)bytes_get(data + 4, 2) % LONGEST;

    start = (uint32_t)(start % l->positions);
    n = l->positions - start < n ? (uint32_t)(l->positions - start) : n;
    codec_map_fill(&w->map, l, w->sets, start, n);
    data += HEAD;
    size -= HEAD;
    if (data[-1] & 4) { /* one of the two: starting a coder takes most of the time */
        try_values(w, &w->model[CODEC_VALUES][weights], data, size);
        return;
    }
    codec_decode_values(&w->model[CODEC_VALUES][weights], &w->work, &w->map, n, data, size,
                        w->values);
    try_distances(w, &w->model[data[-1] & 2 ? CODEC_DISTANCES : CODEC_COUNTED][weights], data,
                  size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct work w; /* made once: there is one thread, and each input fills it anew */

    if (!w.sets) {
        check((w.sets = sets_create(3)) != NULL);
        for (int i = 0; i < SLICES; i++)
            check(layout_create(&w.layout[i], slices[i]) == 0);
        models_make(&w);
    }
    if (size > 1 + HEAD)
        try_page(&w, data[0], data + 1, size - 1);
    return 0;
}
