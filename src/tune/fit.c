/* SPDX-License-Identifier: MIT */
#include "tune/fit.h"

#include "base/random.h"
#include "base/files.h"
#include "search/score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STAGED = EVAL_FEATURES * EVAL_STAGES,
    WEIGHTS = STAGED + EVAL_WINDOWS * EVAL_PATTERNS,
    BATCH = 512,
    HELD_OUT = 20, /* one sample in so many */
    TERMS_MAX = STAGED + 2 * EVAL_WINDOWS,
};

static const double CURVE = 0.010; /* logits for a hundredth of a man, of the present scores */

struct model {
    double w[WEIGHTS]; /* in logits */
    double gradient[WEIGHTS], first[WEIGHTS], second[WEIGHTS];
    bool touched[WEIGHTS];
    int list[BATCH * TERMS_MAX], listed;
    int steps;
};

/* A sample as a sum of weights. */
struct terms {
    int count, index[TERMS_MAX];
    double factor[TERMS_MAX];
};

/* -------------------------------------------------------------------------- samples -- */

/* EVAL_MAN has one weight for both stages. */
static void terms_of(const struct board *b, bool plain, struct terms *t)
{
    double early = squares_count(b->side[BLACK] | b->side[WHITE]) / (double)EVAL_STAGE_PIECES;
    struct eval_parts p;

    t->count = 0;
    eval_parts(b, &p);
    for (int k = 0; k < EVAL_FEATURES; k++) {
        if (!p.count[k])
            continue;
        for (int stage = 0; stage < EVAL_STAGES && !(k == EVAL_MAN && stage); stage++) {
            double share = k == EVAL_MAN ? 1 : stage == EVAL_EARLY ? early : 1 - early;

            t->index[t->count] = k * EVAL_STAGES + stage;
            t->factor[t->count++] = p.count[k] * share;
        }
    }
    for (int us = 0; us < 2 && !plain; us++)
        for (int k = 0; k < EVAL_WINDOWS; k++) {
            t->index[t->count] = STAGED + k * EVAL_PATTERNS + p.pattern[us][k];
            t->factor[t->count++] = us ? -1 : 1;
        }
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double target_of(const struct sample *s, double trust)
{
    double seen = logistic(CURVE * score_clamp(s->score, 1000));

    if (s->value != SAMPLE_UNKNOWN)
        return s->value / 2.0;
    if (score_is_certain(s->score))
        return s->score > 0;
    return trust * seen + (1 - trust) * s->result / 2.0;
}

static double loss_of(double p, double target)
{
    p = fmin(fmax(p, 1e-9), 1 - 1e-9);
    return -target * log(p) - (1 - target) * log(1 - p);
}

static void shuffle(struct samples *s, uint64_t seed)
{
    for (size_t i = s->count; i > 1; i--) {
        struct sample swap = s->list[i - 1];
        size_t k = random_below(&seed, i);

        s->list[i - 1] = s->list[k];
        s->list[k] = swap;
    }
}

/* ------------------------------------------------------------------------------ steps -- */

static double predict(const struct model *m, const struct terms *t)
{
    double x = 0;

    for (int i = 0; i < t->count; i++)
        x += t->factor[i] * m->w[t->index[i]];
    return logistic(x);
}

static void push_gradient(struct model *m, const struct terms *t, double slope)
{
    for (int i = 0; i < t->count; i++) {
        int k = t->index[i];

        m->gradient[k] += slope * t->factor[i];
        if (!m->touched[k]) {
            m->touched[k] = true;
            m->list[m->listed++] = k;
        }
    }
}

/* One step of Adam on the weights that the batch has touched. */
static void step(struct model *m, double rate, double pull)
{
    const double keep1 = 0.9, keep2 = 0.999;
    double scale1, scale2;

    m->steps++;
    scale1 = 1 - pow(keep1, m->steps);
    scale2 = 1 - pow(keep2, m->steps);
    for (int i = 0; i < m->listed; i++) {
        int k = m->list[i];
        double g = m->gradient[k] / BATCH + pull * m->w[k] * (k >= EVAL_KING_ON * EVAL_STAGES);

        m->first[k] = keep1 * m->first[k] + (1 - keep1) * g;
        m->second[k] = keep2 * m->second[k] + (1 - keep2) * g * g;
        m->w[k] -= rate * (m->first[k] / scale1) / (sqrt(m->second[k] / scale2) + 1e-8);
        m->gradient[k] = 0;
        m->touched[k] = false;
    }
    m->listed = 0;
}

static void epoch(struct model *m, const struct samples *s, size_t first, double rate,
                  const struct fit_options *o)
{
    struct terms t;

    for (size_t i = first; i < s->count && !atomic_load(o->stop); i++) {
        terms_of(&s->list[i].board, o->plain, &t);
        push_gradient(m, &t, predict(m, &t) - target_of(&s->list[i], o->trust));
        if ((i - first) % BATCH == BATCH - 1)
            step(m, rate, o->pull);
        atomic_fetch_add(o->done, 1);
    }
}

/* ----------------------------------------------------------------------------- weights -- */

/* From the weights in use, in logits. */
static void model_begin(struct model *m, const struct fit_options *o)
{
    for (int k = 0; k < STAGED; k++)
        m->w[k] = CURVE * eval_weights.of[k / EVAL_STAGES][k % EVAL_STAGES];
    for (int k = 0; k < EVAL_WINDOWS * EVAL_PATTERNS && !o->plain; k++)
        m->w[STAGED + k] =
            CURVE * EVAL_PATTERN_UNIT *
            (eval_weights.pattern[k / EVAL_PATTERNS][k % EVAL_PATTERNS] - EVAL_PATTERN_ZERO);
}

/* A letter that a C string can hold as it is: neither quote nor backslash, nor the question
 * mark of trigraphs. */
static char pattern_letter(double weight)
{
    int c = EVAL_PATTERN_ZERO + (int)lround(weight);

    c = c < '#' ? '#' : c > '~' ? '~' : c;
    return (char)(c == '\\' || c == '?' ? c + (weight < 0 ? 1 : -1) : c);
}

static void model_end(const struct model *m, struct eval_weights *out)
{
    double unit = m->w[EVAL_MAN * EVAL_STAGES] / SCORE_MAN; /* logits of a hundredth of a man */

    memset(out, 0, sizeof *out);
    for (int k = 0; k < STAGED; k++)
        out->of[k / EVAL_STAGES][k % EVAL_STAGES] = (int16_t)lround(m->w[k] / unit);
    out->of[EVAL_MAN][EVAL_LATE] = out->of[EVAL_MAN][EVAL_EARLY] = SCORE_MAN;
    for (int k = 0; k < EVAL_WINDOWS * EVAL_PATTERNS; k++)
        out->pattern[k / EVAL_PATTERNS][k % EVAL_PATTERNS] =
            pattern_letter(m->w[STAGED + k] / unit / EVAL_PATTERN_UNIT);
}

static double loss_on(const struct model *m, const struct samples *s, size_t end,
                      const struct fit_options *o)
{
    double loss = 0;
    struct terms t;

    for (size_t i = 0; i < end; i++) {
        terms_of(&s->list[i].board, o->plain, &t);
        loss += loss_of(predict(m, &t), target_of(&s->list[i], o->trust));
    }
    return end ? loss / (double)end : 0;
}

enum status fit_weights(struct samples *s, const struct fit_options *o, struct eval_weights *out,
                        struct fit_report *report, struct error *e)
{
    struct model *m = calloc(1, sizeof *m);
    size_t held = s->count / HELD_OUT;

    if (!m)
        return error_no_memory(e);
    shuffle(s, o->seed);
    model_begin(m, o);
    report->before = loss_on(m, s, held, o);
    for (int i = 0; i < o->epochs && !atomic_load(o->stop); i++)
        epoch(m, s, held, 0.02 * pow(0.02, i / (double)o->epochs), o);
    report->after = loss_on(m, s, held, o);
    model_end(m, out);
    free(m);
    return STATUS_OK;
}

static void weights_print(const struct eval_weights *w, FILE *f)
{
    enum { LINE = 96, PAIRS = 8 };

    fprintf(f, "/* SPDX-License-Identifier: MIT\n *\n * Written by `kelso tune`. */\n"
               "#include \"search/eval.h\"\n\n/* clang-format off */\n"
               "const struct eval_weights eval_weights = {.of = {\n");
    for (int k = 0; k < EVAL_FEATURES; k++)
        fprintf(f, "%s{%d, %d},%s", k % PAIRS ? " " : "    ", w->of[k][EVAL_EARLY],
                w->of[k][EVAL_LATE], k % PAIRS == PAIRS - 1 || k == EVAL_FEATURES - 1 ? "\n" : "");
    fprintf(f, "}, .pattern = {\n");
    for (int k = 0; k < EVAL_WINDOWS; k++)
        for (int i = 0; i < EVAL_PATTERNS; i += LINE)
            fprintf(f, "    \"%.*s\"%s\n", EVAL_PATTERNS - i < LINE ? EVAL_PATTERNS - i : LINE,
                    w->pattern[k] + i, i + LINE >= EVAL_PATTERNS ? "," : "");
    fprintf(f, "}};\n/* clang-format on */\n");
}

enum status weights_write(const struct eval_weights *w, const char *path, struct error *e)
{
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    enum status rc;

    if (!f)
        return error_no_memory(e);
    weights_print(w, f);
    rc = fclose(f) ? error_no_memory(e) : file_replace(path, text, length, e);
    free(text);
    return rc;
}
