/* SPDX-License-Identifier: MIT
 *
 * Any bytes as codes and as a chapter of a quick file: reading stays inside its memory (K3), and
 * values that come out can be packed and read back (C1), and are those of lanes.  All in memory.
 *
 * The input: where the codes come from (1: odd, from the input; 2 modulo 32, fitted to the input,
 * which takes long; else those that were fitted last), the number of positions less 1 (3), the
 * codes or not, the chapter. */
#include "fuzz.h"

#include "base/bytes.h"
#include "db/quick_file.h"
#include "db/quick_lanes.h"

enum { HEAD = 4, ASKED = 64 };

struct work {
    struct quick_lookup lookup;
    struct quick_lookup fitted;
    bool has_fitted;
    struct quick_coder coder;
    struct quick_runs runs;
    struct quick_lanes lanes;
};

static struct work work; /* of the one thread there is */

/* Take the codes that suit some bytes. */
static void codes_train(struct work *w, const uint8_t *data, size_t size)
{
    struct quick_runs *sample = &w->runs;
    uint8_t values[QUICK_BLOCK] = {0};
    uint64_t taking[QUICK_BLOCK / 64] = {0};

    for (uint32_t i = 0; i < QUICK_BLOCK; i++) {
        uint8_t byte = size ? data[i / 4 % size] : 0;

        values[i] = (byte >> i % 4 * 2 & 3) % 3;
        taking[i / 64] |= (uint64_t)((byte >> i % 4 * 2 & 3) == 3) << i % 64;
    }
    quick_runs_find(&w->runs, values, taking, 0, QUICK_BLOCK);
    quick_coder_train(&w->coder, &sample, w->runs.count > 1);
    MUST(quick_lookup_fill(&w->lookup, &w->coder.lengths));
    if (w->runs.count > 1) {
        uint8_t bytes[QUICK_FLAT_BYTES + QUICK_SPARE] = {0};
        uint32_t which, n = quick_block_encode(&w->coder, &w->runs, bytes, &which);

        for (uint32_t i = 0; n && i < QUICK_BLOCK; i++)
            MUST(taking[i / 64] >> i % 64 & 1 ||
                 quick_block_value(w->lookup.of[which], bytes, i) == values[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t length;
    uint8_t *bytes, values[ASKED], lanes[ASKED];
    uint64_t state = 1;

    if (size < HEAD)
        return 0;
    length = (uint32_t)bytes_get(data + 1, 3) % QUICK_CHAPTER + 1;
    if (data[0] & 1) {
        struct quick_lengths lengths;

        if (size < HEAD + sizeof lengths)
            return 0;
        memcpy(&lengths, data + HEAD, sizeof lengths);
        if (!quick_lookup_fill(&work.lookup, &lengths))
            return 0;
        data += sizeof lengths;
        size -= sizeof lengths;
    } else {
        if (!work.has_fitted || data[0] % 32 == 2) {
            codes_train(&work, data + HEAD, size - HEAD);
            work.fitted = work.lookup;
            work.has_fitted = true;
        }
        work.lookup = work.fitted;
    }
    data += HEAD;
    size -= HEAD;
    if (!quick_chapter_good(data, size, length))
        return 0;
    MUST((bytes = malloc(size + QUICK_READ_MAX)));
    memcpy(bytes, data, size);
    memset(bytes + size, data[0], QUICK_READ_MAX);
    for (uint32_t i = 0; i < ASKED; i++) {
        struct quick_place place;

        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        place = quick_chapter_place(&work.lookup, bytes, (uint32_t)((state >> 33) % length));
        values[i] = lanes[i] = (uint8_t)quick_place_value(&place);
        MUST(values[i] <= 2);
        if (place.lookup)
            quick_lanes_add(&work.lanes, place.lookup, place.block, place.at, i);
    }
    quick_lanes_run(&work.lanes, lanes);
    MUST(!memcmp(values, lanes, ASKED));
    free(bytes);
    return 0;
}
