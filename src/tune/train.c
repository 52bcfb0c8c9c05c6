/* SPDX-License-Identifier: MIT */
#include "tune/train.h"

#include "base/crew.h"
#include "base/random.h"
#include "search/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FAST_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FAST_CLONES
#endif

enum {
    VIEWS = 2 * NETWORK_FIRST,
    BATCH = 1024,
    PARTS = 8, /* of a batch, each with its gradient: the sum does not depend on the threads */
    PIECES = 24,
};

static const float CURVE = 0.01f; /* logits for a hundredth of a man */

struct head {
    float second[VIEWS][NETWORK_SECOND], second_bias[NETWORK_SECOND];
    float third[NETWORK_SECOND][NETWORK_THIRD], third_bias[NETWORK_THIRD];
    float last[NETWORK_THIRD], last_bias;
};

/* All weights, or a gradient. */
struct model {
    float first[NETWORK_INPUTS][NETWORK_FIRST], first_bias[NETWORK_FIRST];
    struct head head[NETWORK_BUCKETS];
};

enum { NUMBERS = sizeof(struct model) / sizeof(float) };

/* A sample as the network sees it. */
struct inputs {
    int count; /* of each side's view */
    uint8_t index[2][PIECES + 1];
    int bucket;
    float material, target;
};

/* The outputs of the layers. */
struct outputs {
    float first[VIEWS], second[NETWORK_SECOND], third[NETWORK_THIRD];
    float logit;
};

struct training {
    const struct train_options *options;
    struct samples *samples;
    size_t learn; /* the first ones, used for training */
    struct model *model, *first, *second, *gradient[PARTS];
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

static void inputs_of(const struct sample *s, const struct train_options *o, struct inputs *in)
{
    const struct board *b = &s->board;
    int n = 0, has_move = network_has_move(b);

    for (squares set = b->side[BLACK] | b->side[WHITE]; set; set &= set - 1, n++) {
        square at = square_first(set);
        enum side owner = b->side[BLACK] & squares_of(at) ? BLACK : WHITE;
        bool king = b->kings & squares_of(at);

        in->index[0][n] = (uint8_t)network_input(b->turn, owner, king, square_number(at) - 1);
        in->index[1][n] = in->index[0][n] ^ 95;
    }
    in->index[0][n] = (uint8_t)(NETWORK_PIECE_INPUTS + has_move);
    in->index[1][n++] = (uint8_t)(NETWORK_PIECE_INPUTS + !has_move);
    in->count = n;
    in->bucket = network_bucket(b);
    in->material = CURVE * (float)network_material(b);
    in->target = target_of(s, o);
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

/* ------------------------------------------------------------------------- layers -- */

static inline __attribute__((always_inline)) float clipped(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static inline __attribute__((always_inline)) bool is_open(float x)
{
    return x > 0 && x < 1;
}

/* y += a * x */
static inline __attribute__((always_inline)) void add_row(float *restrict y, float a,
                                                          const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* The scalar product, in eight sums. */
static inline __attribute__((always_inline)) float product(const float *x, const float *y, int n)
{
    float sum[8] = {0}, all = 0;

    for (int i = 0; i < n; i += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += x[i + k] * y[i + k];
    for (int k = 0; k < 8; k++)
        all += sum[k];
    return all;
}

static inline __attribute__((always_inline)) void
forward(const struct model *m, const struct inputs *in, struct outputs *out)
{
    const struct head *h = &m->head[in->bucket];

    for (int view = 0; view < 2; view++) {
        float *sums = out->first + view * NETWORK_FIRST;

        memcpy(sums, m->first_bias, sizeof m->first_bias);
        for (int i = 0; i < in->count; i++)
            add_row(sums, 1, m->first[in->index[view][i]], NETWORK_FIRST);
    }
    memcpy(out->second, h->second_bias, sizeof out->second);
    for (int i = 0; i < VIEWS; i++)
        if ((out->first[i] = clipped(out->first[i])) > 0)
            add_row(out->second, out->first[i], h->second[i], NETWORK_SECOND);
    memcpy(out->third, h->third_bias, sizeof out->third);
    for (int i = 0; i < NETWORK_SECOND; i++)
        if ((out->second[i] = clipped(out->second[i])) > 0)
            add_row(out->third, out->second[i], h->third[i], NETWORK_THIRD);
    for (int i = 0; i < NETWORK_THIRD; i++)
        out->third[i] = clipped(out->third[i]);
    out->logit = in->material + h->last_bias + product(h->last, out->third, NETWORK_THIRD);
}

/* Add to gradient g the contribution of a slope of the loss at the logit. */
static inline __attribute__((always_inline)) void backward(const struct model *m,
                                                           const struct inputs *in,
                                                           const struct outputs *out, float slope,
                                                           struct model *g)
{
    const struct head *h = &m->head[in->bucket];
    struct head *gh = &g->head[in->bucket];
    float third[NETWORK_THIRD], second[NETWORK_SECOND], first[VIEWS];

    gh->last_bias += slope;
    add_row(gh->last, slope, out->third, NETWORK_THIRD);
    for (int i = 0; i < NETWORK_THIRD; i++)
        third[i] = is_open(out->third[i]) ? slope * h->last[i] : 0;
    add_row(gh->third_bias, 1, third, NETWORK_THIRD);
    for (int i = 0; i < NETWORK_SECOND; i++) {
        second[i] = is_open(out->second[i]) ? product(h->third[i], third, NETWORK_THIRD) : 0;
        if (out->second[i] > 0)
            add_row(gh->third[i], out->second[i], third, NETWORK_THIRD);
    }
    add_row(gh->second_bias, 1, second, NETWORK_SECOND);
    for (int i = 0; i < VIEWS; i++) {
        first[i] = is_open(out->first[i]) ? product(h->second[i], second, NETWORK_SECOND) : 0;
        if (out->first[i] > 0)
            add_row(gh->second[i], out->first[i], second, NETWORK_SECOND);
    }
    for (int view = 0; view < 2; view++) {
        const float *slopes = first + view * NETWORK_FIRST;

        add_row(g->first_bias, 1, slopes, NETWORK_FIRST);
        for (int i = 0; i < in->count; i++)
            add_row(g->first[in->index[view][i]], 1, slopes, NETWORK_FIRST);
    }
}

static double loss_of(float logit, float target)
{
    double p = fmin(fmax(1 / (1 + exp(-logit)), 1e-9), 1 - 1e-9);

    return -target * log(p) - (1 - target) * log(1 - p);
}

/* The loss of a list; with a gradient, that too. */
FAST_CLONES static double loss_on(const struct model *m, const struct sample *list, size_t n,
                                  const struct train_options *o, struct model *g)
{
    double loss = 0;

    for (size_t i = 0; i < n; i++) {
        struct outputs out;
        struct inputs in;

        inputs_of(&list[i], o, &in);
        forward(m, &in, &out);
        loss += loss_of(out.logit, in.target);
        if (g)
            backward(m, &in, &out, logistic(out.logit) - in.target, g);
    }
    return loss;
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
        t->loss[part] =
            loss_on(t->model, t->samples->list + a, b - a, t->options, t->gradient[part]);
    }
}

/* Adam. */
FAST_CLONES static void step(struct training *t)
{
    const float keep1 = 0.9f, keep2 = 0.999f;
    float *w = (float *)t->model, *first = (float *)t->first, *second = (float *)t->second;
    float scale = 1 / (float)(t->to - t->from), size, root;

    t->steps++;
    size = (float)(t->rate / (1 - pow(keep1, t->steps)));
    root = (float)(1 / sqrt(1 - pow(keep2, t->steps)));
    for (int part = 1; part < PARTS; part++)
        add_row((float *)t->gradient[0], 1, (const float *)t->gradient[part], NUMBERS);
    for (int i = 0; i < NUMBERS; i++) {
        float g = scale * ((float *)t->gradient[0])[i];

        first[i] = keep1 * first[i] + (1 - keep1) * g;
        second[i] = keep2 * second[i] + (1 - keep2) * g * g;
        w[i] -= size * first[i] / (root * sqrtf(second[i]) + 1e-8f);
    }
}

static void limit(float *list, size_t n, float most)
{
    for (size_t i = 0; i < n; i++)
        list[i] = fminf(fmaxf(list[i], -most), most);
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
        struct head *h = &m->head[i];

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
static void head_begin(const struct network_head *from, struct head *h)
{
    enum { WEIGHT = 1 << NETWORK_SHIFT, GROUP = NETWORK_GROUP };
    const float last = (1 << NETWORK_LAST_SHIFT) / (CURVE * NETWORK_ONE);

    for (int j = 0; j < NETWORK_SECOND; j++) {
        h->second_bias[j] =
            (float)(from->second_bias[j] - WEIGHT / 2) / (float)(NETWORK_ONE * WEIGHT);
        for (int i = 0; i < VIEWS; i++)
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

static void head_end(const struct head *h, struct network_head *out)
{
    enum { WEIGHT = 1 << NETWORK_SHIFT, GROUP = NETWORK_GROUP };
    const float last = (1 << NETWORK_LAST_SHIFT) / (CURVE * NETWORK_ONE);

    /* A sum is rounded down: half a step more makes that fair. */
    for (int j = 0; j < NETWORK_SECOND; j++) {
        out->second_bias[j] =
            (int32_t)rounded(h->second_bias[j], NETWORK_ONE * WEIGHT) + WEIGHT / 2;
        for (int i = 0; i < VIEWS; i++)
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
    size_t n = t->samples->count - t->learn;

    return n ? loss_on(t->model, t->samples->list + t->learn, n, t->options, NULL) / (double)n : 0;
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

static bool training_open(struct training *t)
{
    bool good = (t->model = calloc(1, sizeof *t->model)) != NULL;

    good = good && (t->first = calloc(1, sizeof *t->first)) &&
           (t->second = calloc(1, sizeof *t->second));
    for (int i = 0; i < PARTS && good; i++)
        good = (t->gradient[i] = calloc(1, sizeof *t->gradient[i])) != NULL;
    return good;
}

static void training_close(struct training *t)
{
    free(t->model);
    free(t->first);
    free(t->second);
    for (int i = 0; i < PARTS; i++)
        free(t->gradient[i]);
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
