/* SPDX-License-Identifier: MIT */
#include "tune/model.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FAST_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FAST_CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

/* As wide as the registers of most processors: wider vectors would be taken apart lane by lane. */
typedef float lanes __attribute__((vector_size(32), may_alias));

enum {
    LANES = 8,
    GROUP = 8,
    PASS = 2, /* samples whose sums fit into the registers */
    ROW = 32, /* outputs of a small layer */
    ROW_LANES = ROW / LANES,
    FIRST_LANES = NETWORK_FIRST / LANES,
};

_Static_assert((int)NETWORK_SECOND == (int)ROW && (int)NETWORK_THIRD == (int)ROW, "rows of 32");
_Static_assert(NETWORK_FIRST % ROW == 0, "whole rows");

/* Samples of one bucket, and the outputs of the layers for them. */
struct group {
    alignas(64) float first[GROUP][MODEL_VIEWS];
    float second[GROUP][ROW], third[GROUP][ROW];
    float logit[GROUP];
    int count; /* the others take part, with slopes of 0 */
    const struct model_sample *sample[GROUP];
};

/* ------------------------------------------------------------------------- samples -- */

void model_sample_make(const struct board *b, float curve, struct model_sample *s)
{
    int n = 0, has_move = network_has_move(b);

    for (squares set = b->side[BLACK] | b->side[WHITE]; set; set &= set - 1, n++) {
        square at = square_first(set);
        enum side owner = b->side[BLACK] & squares_of(at) ? BLACK : WHITE;
        bool king = b->kings & squares_of(at);

        s->index[0][n] = (uint8_t)network_input(b->turn, owner, king, square_number(at) - 1);
        s->index[1][n] = s->index[0][n] ^ 95;
    }
    s->index[0][n] = (uint8_t)(NETWORK_PIECE_INPUTS + has_move);
    s->index[1][n++] = (uint8_t)(NETWORK_PIECE_INPUTS + !has_move);
    s->count = n;
    s->bucket = network_bucket(b);
    s->material = curve * (float)network_material(b);
}

/* -------------------------------------------------------------------------- layers -- */

/* To the range of an output. */
INLINE void clip(float *list, int n)
{
    for (int i = 0; i < n; i++)
        list[i] = list[i] < 0 ? 0 : list[i] > 1 ? 1 : list[i];
}

/* The slope of clip at an x that gave y: 1 if y moves with x. */
INLINE float slope_of(float y)
{
    return y > 0 && y < 1 ? 1 : 0;
}

/* From the slopes at clipped outputs to those before clipping. */
INLINE void pass_back(float *slopes, const float *outputs, int n)
{
    for (int i = 0; i < n; i++)
        slopes[i] *= slope_of(outputs[i]);
}

/* out = bias + in * weights, for 32 outputs whose weights are the columns at `weights`. */
INLINE void multiply(const float *in, int in_stride, int inputs, const float *weights, int stride,
                     const float *bias, float *out, int out_stride)
{
    for (int from = 0; from < GROUP; from += PASS, in += PASS * in_stride) {
        lanes sum[PASS][ROW_LANES];

        for (int s = 0; s < PASS; s++)
            for (int k = 0; k < ROW_LANES; k++)
                sum[s][k] = bias ? ((const lanes *)bias)[k] : (lanes){0};
        for (int i = 0; i < inputs; i++) {
            const lanes *row = (const lanes *)(weights + (size_t)i * (size_t)stride);

            for (int s = 0; s < PASS; s++)
                for (int k = 0; k < ROW_LANES; k++)
                    sum[s][k] += in[s * in_stride + i] * row[k];
        }
        for (int s = 0; s < PASS; s++)
            for (int k = 0; k < ROW_LANES; k++)
                ((lanes *)(out + (from + s) * out_stride))[k] = sum[s][k];
    }
}

/* The gradient of the weights: g += in, turned, * slopes. */
INLINE void add_products(const float *in, int in_stride, int inputs, const float slopes[][ROW],
                         float (*g)[ROW])
{
    lanes slope[GROUP][ROW_LANES];

    for (int s = 0; s < GROUP; s++)
        for (int k = 0; k < ROW_LANES; k++)
            slope[s][k] = ((const lanes *)slopes[s])[k];
    for (int i = 0; i < inputs; i++)
        for (int k = 0; k < ROW_LANES; k++) {
            lanes sum = ((lanes *)g[i])[k];

            for (int s = 0; s < GROUP; s++)
                sum += in[s * in_stride + i] * slope[s][k];
            ((lanes *)g[i])[k] = sum;
        }
}

INLINE void add_row(float *y, const float *x, int n)
{
    for (int i = 0; i < n / LANES; i++)
        ((lanes *)y)[i] += ((const lanes *)x)[i];
}

/* -------------------------------------------------------------------------- groups -- */

INLINE void first_layer(const struct model *m, const struct model_sample *s, float *out)
{
    for (int view = 0; view < 2; view++) {
        lanes sum[FIRST_LANES];

        memcpy(sum, m->first_bias, sizeof sum);
        for (int i = 0; i < s->count; i++)
            for (int k = 0; k < FIRST_LANES; k++)
                sum[k] += ((const lanes *)m->first[s->index[view][i]])[k];
        memcpy(out + view * NETWORK_FIRST, sum, sizeof sum);
    }
    clip(out, MODEL_VIEWS);
}

INLINE void forward(const struct model *m, struct group *g)
{
    const struct model_head *h = &m->head[g->sample[0]->bucket];

    for (int s = 0; s < GROUP; s++)
        if (s < g->count)
            first_layer(m, g->sample[s], g->first[s]);
        else
            memset(g->first[s], 0, sizeof g->first[s]);
    multiply(&g->first[0][0], MODEL_VIEWS, MODEL_VIEWS, &h->second[0][0], ROW, h->second_bias,
             &g->second[0][0], ROW);
    clip(&g->second[0][0], GROUP * ROW);
    multiply(&g->second[0][0], ROW, ROW, &h->third[0][0], ROW, h->third_bias, &g->third[0][0], ROW);
    clip(&g->third[0][0], GROUP * ROW);
    for (int s = 0; s < g->count; s++) {
        g->logit[s] = g->sample[s]->material + h->last_bias;
        for (int i = 0; i < ROW; i++)
            g->logit[s] += h->last[i] * g->third[s][i];
    }
}

/* Add to d what a slope of the loss at each logit contributes. */
INLINE void backward(const struct model *m, const struct model_turned *t, const struct group *g,
                     const float slope[GROUP], struct model *d)
{
    int bucket = g->sample[0]->bucket;
    const struct model_head *h = &m->head[bucket];
    struct model_head *dh = &d->head[bucket];
    alignas(64) float third[GROUP][ROW], second[GROUP][ROW], first[GROUP][MODEL_VIEWS];

    for (int s = 0; s < GROUP; s++) {
        dh->last_bias += slope[s];
        for (int i = 0; i < ROW; i++) {
            dh->last[i] += slope[s] * g->third[s][i];
            third[s][i] = slope[s] * h->last[i] * slope_of(g->third[s][i]);
        }
        add_row(dh->third_bias, third[s], ROW);
    }
    add_products(&g->second[0][0], ROW, ROW, third, dh->third);
    multiply(&third[0][0], ROW, ROW, &t->head[bucket].third[0][0], ROW, NULL, &second[0][0], ROW);
    pass_back(&second[0][0], &g->second[0][0], GROUP * ROW);
    for (int s = 0; s < GROUP; s++)
        add_row(dh->second_bias, second[s], ROW);
    add_products(&g->first[0][0], MODEL_VIEWS, MODEL_VIEWS, second, dh->second);
    for (int i = 0; i < MODEL_VIEWS; i += ROW)
        multiply(&second[0][0], ROW, ROW, &t->head[bucket].second[0][i], MODEL_VIEWS, NULL,
                 &first[0][i], MODEL_VIEWS);
    for (int s = 0; s < g->count; s++) {
        const struct model_sample *in = g->sample[s];

        pass_back(first[s], g->first[s], MODEL_VIEWS);
        for (int view = 0; view < 2; view++) {
            const float *row = first[s] + view * NETWORK_FIRST;

            add_row(d->first_bias, row, NETWORK_FIRST);
            for (int i = 0; i < in->count; i++)
                add_row(d->first[in->index[view][i]], row, NETWORK_FIRST);
        }
    }
}

static double loss_of(double logit, double target)
{
    double p = fmin(fmax(1 / (1 + exp(-logit)), 1e-9), 1 - 1e-9);

    return -target * log(p) - (1 - target) * log(1 - p);
}

FAST_CLONES static double group_loss(const struct model *m, const struct model_turned *t,
                                     struct group *g, struct model *d)
{
    float slope[GROUP] = {0};
    double loss = 0;

    forward(m, g);
    for (int s = 0; s < g->count; s++) {
        slope[s] = 1 / (1 + expf(-g->logit[s])) - g->sample[s]->target;
        loss += loss_of(g->logit[s], g->sample[s]->target);
    }
    if (d)
        backward(m, t, g, slope, d);
    return loss;
}

double model_loss(const struct model *m, const struct model_turned *t,
                  const struct model_sample *list, size_t n, struct model *d)
{
    struct group g[NETWORK_BUCKETS];
    double loss = 0;

    for (int i = 0; i < NETWORK_BUCKETS; i++)
        g[i].count = 0;
    for (size_t i = 0; i < n; i++) {
        struct group *its = &g[list[i].bucket];

        its->sample[its->count++] = &list[i];
        if (its->count == GROUP) {
            loss += group_loss(m, t, its, d);
            its->count = 0;
        }
    }
    for (int i = 0; i < NETWORK_BUCKETS; i++)
        if (g[i].count)
            loss += group_loss(m, t, &g[i], d);
    return loss;
}

void model_turn(const struct model *m, struct model_turned *t)
{
    for (int h = 0; h < NETWORK_BUCKETS; h++) {
        for (int i = 0; i < MODEL_VIEWS; i++)
            for (int j = 0; j < NETWORK_SECOND; j++)
                t->head[h].second[j][i] = m->head[h].second[i][j];
        for (int i = 0; i < NETWORK_SECOND; i++)
            for (int j = 0; j < NETWORK_THIRD; j++)
                t->head[h].third[j][i] = m->head[h].third[i][j];
    }
}
