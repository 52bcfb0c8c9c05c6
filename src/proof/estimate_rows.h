/* SPDX-License-Identifier: MIT
 *
 * estimate_rows.h -- the arithmetic of the network of estimate.h, once for each instruction set.
 *
 * A position that follows another has the same sums but for a few rows of weights.  A kernel takes
 * the sums of one position and the rows that change, and makes those of the other or, without
 * storing them, its logarithms.
 *
 * (R1) All kernels give the same numbers.
 *
 * Constant data and pure functions; safe on any thread.  Private to estimate.c and its test. */
#ifndef KELSO_PROOF_ESTIMATE_ROWS_H
#define KELSO_PROOF_ESTIMATE_ROWS_H

#include "proof/estimate.h"

/* Rows of the first layer, by input. */
struct estimate_change {
    int removed, added;
    uint8_t remove[ESTIMATE_ACTIVE_MAX], add[ESTIMATE_ACTIVE_MAX];
};

struct estimate_kernel {
    void (*change)(const int16_t from[ESTIMATE_SUMS], const struct estimate_change *c,
                   int16_t to[ESTIMATE_SUMS]);

    /* Of proof and disproof, in units of 1 / ESTIMATE_ONE^2. */
    void (*logarithms)(const int16_t from[ESTIMATE_SUMS], const struct estimate_change *c,
                       const struct estimate_head *h, int32_t log[2]);
};

extern const struct estimate_kernel estimate_kernel_plain;

#ifdef __x86_64__
extern const struct estimate_kernel estimate_kernel_avx2;
#endif

/* The fastest for this machine. */
static inline const struct estimate_kernel *estimate_kernel_best(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return &estimate_kernel_avx2;
#endif
    return &estimate_kernel_plain;
}

#endif
