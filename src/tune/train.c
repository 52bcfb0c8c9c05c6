/* SPDX-License-Identifier: MIT */
#include "tune/train.h"

#include "base/crew.h"
#include "base/random.h"
#include "search/score.h"
#include "tune/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 2048,
    PARTS = 4, /* of a batch, each with its gradient: the sum does not depend on the threads */
    PART_MAX = BATCH / PARTS + 1,
};

static const float CURVE = 0.01f; /* logits for a hundredth of a man */

struct training {
    const struct train_options *options;
    struct samples *samples;
    size_t learn; /* the first ones, used for training */
    struct model *model, *first, *second, *gradient[PARTS];
    struct model_turned *turned;
    struct model_sample *seen[PARTS]; /* the samples of a part, as the network sees them */
    double loss[PARTS];
    size_t from, to; /* the batch */
    _Atomic int part;
    int steps;
    double rate;
};

/* ------------------------------------------------------------------------ samples -- */

static float logistic(float x)
{
    return 1 / (1 + expf(-x));
}

/* The target from the game: the result, the score of the search, or both. */
static float target_of_game(const struct sample *s, float trust)
{
    float points;

    if (score_is_certain(s->score))
        return s->score > 0;
    points = logistic(CURVE * (float)score_clamp(s->score, 1000));
    if (s->result == SAMPLE_UNKNOWN)
        return points;
    return trust * points + (1 - trust) * (float)s->result / 2;
}

static float target_of(const struct sample *s, const struct train_options *o)
{
    float game, exact = (float)o->exact;

    if (s->value != SAMPLE_UNKNOWN && exact >= 1)
        return (float)s->value / 2;
    game = target_of_game(s, (float)o->trust);
    return s->value == SAMPLE_UNKNOWN ? game : exact * (float)s->value / 2 + (1 - exact) * game;
}

static void shuffle(struct sample *list, size_t n, uint64_t *random)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)(random_below(random, i));
        struct sample swap = list[i - 1];

        list[i - 1] = list[k];
        list[k] = swap;
    }
}

/* The loss of a list of at most PART_MAX samples; with a gradient, that too.  `seen` has room for
 * them. */
static double loss_on(const struct training *t, const struct sample *list, size_t n,
                      struct model_sample *seen, struct model *g)
{
    for (size_t i = 0; i < n; i++) {
        model_sample_make(&list[i].board, CURVE, &seen[i]);
        seen[i].target = target_of(&list[i], t->options);
    }
    return model_loss(t->model, t->turned, seen, n, g);
}

/* -------------------------------------------------------------------------- steps -- */

/* One part of the batch after the other, until none is left. */
static void batch_job(void *context, int id)
{
    struct training *t = context;
    int part;

    (void)id;
    while ((part = atomic_fetch_add(&t->part, 1)) < PARTS) {
        size_t n = t->to - t->from, a = t->from + n * (size_t)part / PARTS;
        size_t b = t->from + n * ((size_t)part + 1) / PARTS;

        memset(t->gradient[part], 0, sizeof *t->gradient[part]);
        t->loss[part] = loss_on(t, t->samples->list + a, b - a, t->seen[part], t->gradient[part]);
    }
}

/* Adam. */
static void step(struct training *t)
{
    const float keep1 = 0.9f, keep2 = 0.999f;
    float *w = (float *)t->model, *first = (float *)t->first, *second = (float *)t->second;
    float scale = 1 / (float)(t->to - t->from), size, root;

    t->steps++;
    size = (float)(t->rate / (1 - pow(keep1, t->steps)));
    root = (float)(1 / sqrt(1 - pow(keep2, t->steps)));
    for (int i = 0; i < MODEL_NUMBERS; i++) {
        float g = 0;

        for (int part = 0; part < PARTS; part++)
            g += ((const float *)t->gradient[part])[i];
        g *= scale;
        first[i] = keep1 * first[i] + (1 - keep1) * g;
        second[i] = keep2 * second[i] + (1 - keep2) * g * g;
        w[i] -= size * first[i] / (root * sqrtf(second[i]) + 1e-8f);
    }
}

static void limit(float *list, size_t n, float most)
{
    for (size_t i = 0; i < n; i++)
        list[i] = list[i] > most ? most : list[i] < -most ? -most : list[i];
}

/* Clamp to the range of the integers. */
static void model_limit(struct model *m)
{
    const float weight = 127.0f / (1 << NETWORK_SHIFT);

    limit(&m->first[0][0], sizeof m->first / sizeof(float), 2);
    for (int i = 0; i < NETWORK_BUCKETS; i++) {
        limit(&m->head[i].second[0][0], sizeof m->head[i].second / sizeof(float), weight);
        limit(&m->head[i].third[0][0], sizeof m->head[i].third / sizeof(float), weight);
        limit(m->head[i].last, NETWORK_THIRD, 15);
    }
}

/* ------------------------------------------------------------------- begin and end -- */

static void fill_at_random(float *list, size_t n, float most, uint64_t *random)
{
    for (size_t i = 0; i < n; i++)
        list[i] = most * (2 * (float)(random_next(random) >> 40) / (1 << 24) - 1);
}

static void model_random(struct model *m, uint64_t *random)
{
    fill_at_random(&m->first[0][0], sizeof m->first / sizeof(float), 0.2f, random);
    for (int k = 0; k < NETWORK_FIRST; k++)
        m->first_bias[k] = 0.25f;
    for (int i = 0; i < NETWORK_BUCKETS; i++) {
        struct model_head *h = &m->head[i];

        fill_at_random(&h->second[0][0], sizeof h->second / sizeof(float), 0.1f, random);
        fill_at_random(&h->third[0][0], sizeof h->third / sizeof(float), 0.3f, random);
        fill_at_random(h->last, NETWORK_THIRD, 0.3f, random);
        for (int k = 0; k < NETWORK_SECOND; k++)
            h->second_bias[k] = 0.25f;
        for (int k = 0; k < NETWORK_THIRD; k++)
            h->third_bias[k] = 0.25f;
    }
}

/* head_end, backwards. */
static void head_begin(const struct network_head *from, struct model_head *h)
{
    enum { WEIGHT = 1 << NETWORK_SHIFT, GROUP = NETWORK_GROUP };
    const float last = (1 << NETWORK_LAST_SHIFT) / (CURVE * NETWORK_ONE);

    for (int j = 0; j < NETWORK_SECOND; j++) {
        h->second_bias[j] =
            (float)(from->second_bias[j] - WEIGHT / 2) / (float)(NETWORK_ONE * WEIGHT);
        for (int i = 0; i < MODEL_VIEWS; i++)
            h->second[i][j] = (float)from->second[i / GROUP][j][i % GROUP] / WEIGHT;
    }
    for (int j = 0; j < NETWORK_THIRD; j++) {
        h->third_bias[j] =
            (float)(from->third_bias[j] - WEIGHT / 2) / (float)(NETWORK_ONE * WEIGHT);
        for (int i = 0; i < NETWORK_SECOND; i++)
            h->third[i][j] = (float)from->third[i / GROUP][j][i % GROUP] / WEIGHT;
        h->last[j] = (float)from->last[j] / last;
    }
    h->last_bias =
        (float)(from->last_bias - (1 << (NETWORK_LAST_SHIFT - 1))) / (last * NETWORK_ONE);
}

/* model_end, backwards. */
static void model_begin(struct model *m, const struct network_weights *from)
{
    const float one = NETWORK_ONE << NETWORK_FIRST_SHIFT;

    for (int k = 0; k < NETWORK_FIRST; k++) {
        for (int i = 0; i < NETWORK_INPUTS; i++)
            m->first[i][k] = (float)from->first[i][k] / one;
        m->first_bias[k] = (float)(from->first_bias[k] - (1 << NETWORK_FIRST_SHIFT) / 2) / one;
    }
    for (int i = 0; i < NETWORK_BUCKETS; i++)
        head_begin(&from->head[i], &m->head[i]);
}

static long rounded(float x, float scale)
{
    return lroundf(x * scale);
}

static void head_end(const struct model_head *h, struct network_head *out)
{
    enum { WEIGHT = 1 << NETWORK_SHIFT, GROUP = NETWORK_GROUP };
    const float last = (1 << NETWORK_LAST_SHIFT) / (CURVE * NETWORK_ONE);

    /* A sum is rounded down: half a step more makes that fair. */
    for (int j = 0; j < NETWORK_SECOND; j++) {
        out->second_bias[j] =
            (int32_t)rounded(h->second_bias[j], NETWORK_ONE * WEIGHT) + WEIGHT / 2;
        for (int i = 0; i < MODEL_VIEWS; i++)
            out->second[i / GROUP][j][i % GROUP] = (int8_t)rounded(h->second[i][j], WEIGHT);
    }
    for (int j = 0; j < NETWORK_THIRD; j++) {
        out->third_bias[j] = (int32_t)rounded(h->third_bias[j], NETWORK_ONE * WEIGHT) + WEIGHT / 2;
        for (int i = 0; i < NETWORK_SECOND; i++)
            out->third[i / GROUP][j][i % GROUP] = (int8_t)rounded(h->third[i][j], WEIGHT);
        out->last[j] = (int16_t)rounded(h->last[j], last);
    }
    out->last_bias =
        (int32_t)rounded(h->last_bias, last * NETWORK_ONE) + (1 << (NETWORK_LAST_SHIFT - 1));
}

static void model_end(const struct model *m, struct network_weights *out)
{
    const float one = NETWORK_ONE << NETWORK_FIRST_SHIFT;

    memset(out, 0, sizeof *out);
    for (int k = 0; k < NETWORK_FIRST; k++) {
        for (int i = 0; i < NETWORK_INPUTS; i++)
            out->first[i][k] = (int16_t)rounded(m->first[i][k], one);
        out->first_bias[k] =
            (int16_t)(rounded(m->first_bias[k], one) + (1 << NETWORK_FIRST_SHIFT) / 2);
    }
    for (int i = 0; i < NETWORK_BUCKETS; i++)
        head_end(&m->head[i], &out->head[i]);
}

/* ----------------------------------------------------------------------- training -- */

static double held_out_loss(const struct training *t)
{
    const struct sample *list = t->samples->list + t->learn;
    size_t n = t->samples->count - t->learn;
    double loss = 0;

    for (size_t i = 0; i < n; i += PART_MAX)
        loss += loss_on(t, list + i, n - i < PART_MAX ? n - i : PART_MAX, t->seen[0], NULL);
    return n ? loss / (double)n : 0;
}

static double loss_of(float logit, float target)
{
    double p = fmin(fmax(1 / (1 + exp(-logit)), 1e-9), 1 - 1e-9);

    return -target * log(p) - (1 - target) * log(1 - p);
}

static double quantised_loss(const struct training *t, const struct network_weights *w)
{
    size_t n = t->samples->count - t->learn;
    struct network net = {.weights = w};
    double loss = 0;

    network_use_best(&net);
    for (size_t i = t->learn; i < t->samples->count; i++) {
        const struct sample *s = &t->samples->list[i];

        loss += loss_of(CURVE * (float)network_evaluate(&net, &s->board), target_of(s, t->options));
    }
    return n ? loss / (double)n : 0;
}

static void epoch(struct training *t, int number, struct train_report *r)
{
    const struct train_options *o = t->options;
    double batches = ceil((double)t->learn / BATCH) * o->epochs;

    r->trained = 0;
    for (t->from = 0; t->from < t->learn && !atomic_load(o->stop); t->from = t->to) {
        double done = t->steps / batches;

        t->to = t->from + BATCH < t->learn ? t->from + BATCH : t->learn;
        t->rate = o->rate * (0.01 + 0.99 * (1 + cos(M_PI * done)) / 2);
        atomic_store(&t->part, 0);
        model_turn(t->model, t->turned);
        crew_share(o->threads, batch_job, t);
        step(t);
        model_limit(t->model);
        for (int i = 0; i < PARTS; i++)
            r->trained += t->loss[i];
        atomic_fetch_add(o->done, t->to - t->from);
    }
    r->epoch = number;
    r->trained /= (double)t->learn;
    r->held_out = held_out_loss(t);
}

/* All zero. */
static struct model *model_new(void)
{
    struct model *m = aligned_alloc(64, sizeof *m);

    return m ? memset(m, 0, sizeof *m) : NULL;
}

static bool training_open(struct training *t)
{
    bool good = (t->model = model_new()) && (t->first = model_new()) && (t->second = model_new()) &&
                (t->turned = aligned_alloc(64, sizeof *t->turned));

    for (int i = 0; i < PARTS && good; i++)
        good = (t->gradient[i] = model_new()) && (t->seen[i] = malloc(PART_MAX * sizeof **t->seen));
    return good;
}

static void training_close(struct training *t)
{
    free(t->model);
    free(t->first);
    free(t->second);
    free(t->turned);
    for (int i = 0; i < PARTS; i++) {
        free(t->gradient[i]);
        free(t->seen[i]);
    }
}

enum status train_network(struct samples *s, const struct train_options *o,
                          struct network_weights *out, struct error *e)
{
    struct training t = {.options = o, .samples = s, .learn = s->count - s->count / TRAIN_HELD_OUT};
    struct train_report r = {0};
    uint64_t random = o->seed;

    if (!training_open(&t)) {
        training_close(&t);
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to train");
    }
    if (o->start)
        model_begin(t.model, o->start);
    else
        model_random(t.model, &random);
    for (int i = 1; i <= o->epochs && !atomic_load(o->stop); i++) {
        shuffle(s->list, t.learn, &random);
        epoch(&t, i, &r);
        model_end(t.model, out);
        if (i == o->epochs)
            r.quantised = quantised_loss(&t, out);
        if (o->report)
            o->report(o->context, &r);
    }
    training_close(&t);
    return STATUS_OK;
}
