/* SPDX-License-Identifier: MIT */
#include "proof/estimate_rows.h"

/* All sums, in registers that every machine has; wider types make poor code there. */
typedef int16_t lanes __attribute__((vector_size(16), may_alias));

enum { LANES = sizeof(struct estimate_sums) / sizeof(lanes) };

struct row {
    lanes part[LANES];
};

static inline struct row row_load(const int16_t *from)
{
    return *(const struct row *)from;
}

static inline struct row row_changed(const int16_t *from, const struct estimate_change *c)
{
    struct row sum = row_load(from);

    for (int i = 0; i < c->removed; i++) {
        struct row r = row_load(estimate_weights.first[c->remove[i]]);

        for (int k = 0; k < LANES; k++)
            sum.part[k] -= r.part[k];
    }
    for (int i = 0; i < c->added; i++) {
        struct row r = row_load(estimate_weights.first[c->add[i]]);

        for (int k = 0; k < LANES; k++)
            sum.part[k] += r.part[k];
    }
    return sum;
}

static void change(const int16_t *from, const struct estimate_change *c, int16_t *to)
{
    *(struct row *)to = row_changed(from, c);
}

/* What passes of a sum in units of 1 / ESTIMATE_ONE^2, in units of 1 / ESTIMATE_ONE. */
static int16_t pass(int32_t sum)
{
    int32_t n = sum > 0 ? sum / ESTIMATE_ONE : 0;

    return (int16_t)(n < INT16_MAX ? n : INT16_MAX);
}

static void logarithms(const int16_t *from, const struct estimate_change *c,
                       const struct estimate_head *h, int32_t log[2])
{
    struct row sum = row_changed(from, c);
    alignas(64) int16_t passed[ESTIMATE_SUMS];
    int16_t middle[ESTIMATE_MIDDLE];

    for (int k = 0; k < LANES; k++)
        sum.part[k] &= sum.part[k] > 0;
    *(struct row *)passed = sum;
    for (int i = 0; i < ESTIMATE_MIDDLE; i++) {
        int32_t s = h->middle_bias[i];

        for (int k = 0; k < ESTIMATE_SUMS; k++)
            s += passed[k] * h->middle[i][k];
        middle[i] = pass(s);
    }
    for (int q = 0; q < 2; q++) {
        log[q] = h->last_bias[q];
        for (int i = 0; i < ESTIMATE_MIDDLE; i++)
            log[q] += middle[i] * h->last[q][i];
    }
}

const struct estimate_kernel estimate_kernel_plain = {change, logarithms};
