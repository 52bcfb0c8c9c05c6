/* SPDX-License-Identifier: MIT
 *
 * The loss and the gradient of the network are those of the plain formulas, sample by sample in
 * double precision. */
#include "kit/test.h"

#include "kit/positions.h"

#include "tune/model.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------- the slow twin -- */

struct layers {
    double first[MODEL_VIEWS], second[NETWORK_SECOND], third[NETWORK_THIRD], logit;
};

static double clipped(double x)
{
    return fmin(fmax(x, 0), 1);
}

static bool moves(double y)
{
    return y > 0 && y < 1;
}

static void plain_forward(const struct model *m, const struct model_sample *s, struct layers *y)
{
    const struct model_head *h = &m->head[s->bucket];

    for (int k = 0; k < MODEL_VIEWS; k++) {
        double sum = m->first_bias[k % NETWORK_FIRST];

        for (int i = 0; i < s->count; i++)
            sum += m->first[s->index[k / NETWORK_FIRST][i]][k % NETWORK_FIRST];
        y->first[k] = clipped(sum);
    }
    y->logit = (double)s->material + h->last_bias;
    for (int j = 0; j < NETWORK_SECOND; j++) {
        double sum = h->second_bias[j];

        for (int i = 0; i < MODEL_VIEWS; i++)
            sum += y->first[i] * h->second[i][j];
        y->second[j] = clipped(sum);
    }
    for (int j = 0; j < NETWORK_THIRD; j++) {
        double sum = h->third_bias[j];

        for (int i = 0; i < NETWORK_SECOND; i++)
            sum += y->second[i] * h->third[i][j];
        y->third[j] = clipped(sum);
        y->logit += y->third[j] * h->last[j];
    }
}

/* The gradient of one sample, written down weight by weight. */
static void plain_backward(const struct model *m, const struct model_sample *s,
                           const struct layers *y, double slope, double *gradient)
{
    const struct model_head *h = &m->head[s->bucket];
    double third[NETWORK_THIRD], second[NETWORK_SECOND] = {0}, first[MODEL_VIEWS] = {0};

#define AT(member) gradient[(const float *)&m->member - (const float *)m]
    AT(head[s->bucket].last_bias) += slope;
    for (int j = 0; j < NETWORK_THIRD; j++) {
        AT(head[s->bucket].last[j]) += slope * y->third[j];
        third[j] = moves(y->third[j]) ? slope * h->last[j] : 0;
        AT(head[s->bucket].third_bias[j]) += third[j];
    }
    for (int i = 0; i < NETWORK_SECOND; i++) {
        for (int j = 0; j < NETWORK_THIRD; j++) {
            AT(head[s->bucket].third[i][j]) += y->second[i] * third[j];
            second[i] += moves(y->second[i]) ? h->third[i][j] * third[j] : 0;
        }
        AT(head[s->bucket].second_bias[i]) += second[i];
    }
    for (int i = 0; i < MODEL_VIEWS; i++) {
        for (int j = 0; j < NETWORK_SECOND; j++) {
            AT(head[s->bucket].second[i][j]) += y->first[i] * second[j];
            first[i] += moves(y->first[i]) ? h->second[i][j] * second[j] : 0;
        }
        AT(first_bias[i % NETWORK_FIRST]) += first[i];
        for (int k = 0; k < s->count; k++)
            AT(first[s->index[i / NETWORK_FIRST][k]][i % NETWORK_FIRST]) += first[i];
    }
#undef AT
}

/* -------------------------------------------------------------------------- the test -- */

static void fill(struct rng *r, float *list, size_t n, double most)
{
    for (size_t i = 0; i < n; i++)
        list[i] = (float)(most * (rng_below(r, 20001) - 10000) / 10000);
}

static void model_random(struct rng *r, struct model *m)
{
    memset(m, 0, sizeof *m);
    fill(r, &m->first[0][0], sizeof m->first / sizeof(float), 0.3);
    fill(r, m->first_bias, NETWORK_FIRST, 0.5);
    for (int i = 0; i < NETWORK_BUCKETS; i++) {
        struct model_head *h = &m->head[i];

        fill(r, &h->second[0][0], sizeof h->second / sizeof(float), 0.15);
        fill(r, h->second_bias, NETWORK_SECOND, 0.5);
        fill(r, &h->third[0][0], sizeof h->third / sizeof(float), 0.3);
        fill(r, h->third_bias, NETWORK_THIRD, 0.5);
        fill(r, h->last, NETWORK_THIRD, 0.5);
        fill(r, &h->last_bias, 1, 0.5);
    }
}

static void *room(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);

    assert_non_null(p);
    return memset(p, 0, size);
}

static void the_gradient_is_the_plain_one(void **state)
{
    enum { SAMPLES = 75 };
    struct rng r = rng_for_test("gradient");
    struct model *m = room(sizeof *m), *g = room(sizeof *g);
    struct model_turned *t = room(sizeof *t);
    double *plain = room(MODEL_NUMBERS * sizeof *plain), loss = 0, found, most = 0, apart = 0;
    struct model_sample s[SAMPLES];

    (void)state;
    model_random(&r, m);
    model_turn(m, t);
    for (int i = 0; i < SAMPLES; i++) {
        struct board b = random_position(&r);
        struct layers y;

        model_sample_make(&b, 0.01f, &s[i]);
        s[i].target = (float)rng_below(&r, 101) / 100;
        plain_forward(m, &s[i], &y);
        loss += log1p(exp(-y.logit)) * s[i].target + log1p(exp(y.logit)) * (1 - s[i].target);
        plain_backward(m, &s[i], &y, 1 / (1 + exp(-y.logit)) - s[i].target, plain);
    }
    found = model_loss(m, t, s, SAMPLES, g);
    for (int i = 0; i < MODEL_NUMBERS; i++) {
        most = fmax(most, fabs(plain[i]));
        apart = fmax(apart, fabs(plain[i] - ((const float *)g)[i]));
    }
    print_message("loss %.6f and %.6f; gradient up to %.3f, %.7f apart\n", loss, found, most,
                  apart);
    assert_true(fabs(found - loss) < 1e-3);
    assert_true(fabs(model_loss(m, NULL, s, SAMPLES, NULL) - found) < 1e-9);
    assert_true(most > 1 && apart < 1e-3 * most);
    free(m);
    free(g);
    free(t);
    free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_the_plain_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
