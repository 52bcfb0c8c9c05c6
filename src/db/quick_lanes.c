/* SPDX-License-Identifier: MIT */
#include "db/quick_lanes.h"

#include <stddef.h>

/* Read a run of lane i, from these bits; if the requested value is in it, nothing changes.  Returns
 * all ones if it is not, else 0, and the bits of the next run in *word. */
static inline uint32_t lane_run(struct quick_lanes *l, uint32_t i, uint64_t *word)
{
    const uint32_t *lookup = (const uint32_t *)(uintptr_t)l->lookup[i];
    uint32_t e = lookup[l->value[i] | (uint32_t)(*word & ((1 << QUICK_BITS) - 1))];
    uint32_t more = (uint32_t)(*word >> (e >> 5 & 15));
    uint32_t length = (e >> 11 & 2047) + (more & e >> 22 & 127);
    uint32_t next = e & 3 << QUICK_BITS, past;

    if (__builtin_expect(e & QUICK_LOOKUP_ESCAPE, 0)) {
        length = (more >> 1 & (QUICK_BLOCK - 1)) + 1;
        next = ((l->value[i] >> QUICK_BITS) + 1 + (more & 1)) % 3 << QUICK_BITS;
    }
    past = ~(uint32_t)((int32_t)(l->at[i] - length) >> 31);
    l->at[i] -= length & past;
    l->value[i] ^= (l->value[i] ^ next) & past;
    l->bit[i] += e & 31 & past;
    *word >>= e & 31 & past;
    return past;
}

static void lane_move(struct quick_lanes *l, uint32_t from, uint32_t to)
{
    l->bit[to] = l->bit[from];
    l->lookup[to] = l->lookup[from];
    l->value[to] = l->value[from];
    l->at[to] = l->at[from];
    l->slot[to] = l->slot[from];
}

/* A word has enough bits for two runs. */
static void run_plain(struct quick_lanes *l, uint8_t *values)
{
    while (l->count) {
        uint32_t going = 0;

        for (uint32_t i = 0; i < l->count; i++) {
            const uint8_t *bytes = (const uint8_t *)(uintptr_t)(l->bit[i] / 8);
            uint64_t word = quick_word(bytes) >> l->bit[i] % 8;
            uint32_t past;

            lane_run(l, i, &word);
            past = lane_run(l, i, &word);
            values[l->slot[i]] = (uint8_t)(l->value[i] >> QUICK_BITS);
            lane_move(l, i, going);
            going -= past;
        }
        l->count = going;
    }
}

quick_lanes_runner *quick_lanes_runner_of(enum quick_isa isa)
{
#ifdef __x86_64__
    if (isa == QUICK_AVX512 && __builtin_cpu_supports("avx512f"))
        return quick_lanes_run_avx512;
#endif
    return isa == QUICK_PLAIN ? run_plain : NULL;
}

void quick_lanes_run(struct quick_lanes *l, uint8_t *values)
{
    quick_lanes_runner *run = quick_lanes_runner_of(QUICK_AVX512);

    if (!run)
        run = run_plain;
    run(l, values);
}
