/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a model and as a page (C3): decoding stays inside its arrays, and what
 * comes out can be packed again and read back (C1).
 *
 * The input: which slice (1), where the page starts (4) and its length (2), the size
 * of the model (2), the model, the page. */
#include "base/bytes.h"
#include "db/codec.h"
#include "db/value.h"

#include <stdlib.h>
#include <string.h>

static const struct slice slices[] = {
    {1, 0, 1, 0}, {2, 1, 1, 1}, {1, 2, 1, 1}, {0, 2, 1, 1},
    {0, 2, 3, 0}, {0, 3, 0, 2}, {3, 0, 2, 0},
};

struct work {
    struct codec_map map;
    struct codec_model model;
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

static void try_values(struct work *w, const uint8_t *page, size_t size)
{
    codec_decode_values(&w->model, &w->work, &w->map, w->map.n, page, size, w->values);
    for (uint32_t i = 0; i < w->map.n; i++)
        check(w->values[i] <= VALUE_WIN);
    memcpy(w->again, w->values, w->map.n);
    size = codec_encode_values(&w->model, &w->work, &w->map, w->values, w->bytes);
    check(size >= 1 && size <= w->map.n);
    for (uint32_t i = 0; i < w->map.n; i++)
        check(codec_map_bit(w->map.taking, i) || w->again[i] == w->values[i]);
    codec_decode_values(&w->model, &w->work, &w->map, w->map.n, w->bytes, size, w->again);
    check(!memcmp(w->again, w->values, w->map.n));
}

static void try_distances(struct work *w, const uint8_t *page, size_t size)
{
    codec_decode_distances(&w->model, &w->map, w->values, page, size, w->distances);
    size = codec_encode_distances(&w->model, &w->map, w->values, w->distances, w->bytes);
    check(size >= 1 && size <= 2 * (size_t)w->map.n);
    codec_decode_distances(&w->model, &w->map, w->values, w->bytes, size, w->distances_again);
    check(!memcmp(w->distances_again, w->distances, w->map.n * sizeof *w->distances));
}

static void try_page(struct work *w, struct slice s, const struct sets *sets, const uint8_t *data,
                     size_t size)
{
    uint32_t start = (uint32_t)bytes_get(data, 4);
    uint32_t n = 1 + (uint32_t)bytes_get(data + 4, 2) % 4096;
    size_t model = bytes_get(data + 6, 2);
    struct layout l;

    data += 8;
    size -= 8;
    model = model < size ? model : size;
    check(layout_create(&l, s) == 0);
    start = (uint32_t)(start % l.positions);
    n = l.positions - start < n ? (uint32_t)(l.positions - start) : n;
    codec_map_fill(&w->map, &l, sets, start, n);
    codec_model_load(&w->model, CODEC_VALUES, data, model);
    try_values(w, data + model, size - model);
    codec_model_load(&w->model, CODEC_DISTANCES, data, model);
    try_distances(w, data + model, size - model);
    codec_model_load(&w->model, CODEC_COUNTED, data, model);
    try_distances(w, data + model, size - model);
    layout_free(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct work w; /* made once: there is one thread, and each input fills it anew */
    static struct sets *sets;

    if (!sets)
        sets = sets_create(3);
    check(sets != NULL);
    if (size > 9)
        try_page(&w, slices[data[0] % (sizeof slices / sizeof *slices)], sets, data + 1, size - 1);
    return 0;
}
