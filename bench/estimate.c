/* SPDX-License-Identifier: MIT
 *
 * No benchmark: it makes the weights of the solver's estimates (proof/estimate.h).
 *
 *     bench_estimate sample TABLES PIECES [NODES [EACH [BUDGET]]] <FENS >SAMPLES
 *     bench_estimate train EPOCHS SAMPLES... >src/proof/estimate_data.c
 *     bench_estimate test SAMPLES...
 *
 * `sample` searches each position (a FEN a line) with tables of at most PIECES pieces, NODES
 * expansions for each question, and takes EACH positions at random from what the search left in its
 * table, or one move after it.  Each of these is then searched by itself, with an empty table and
 * at most BUDGET expansions, and written as a line: FEN, attacker, verdict, pieces above the
 * tables, expansions.
 *
 * `train` fits the network to the logarithms of the expansions.  A search that proved something
 * says what a proof costs, and that a disproof would cost more than any; a search that gave up says
 * that both cost more than it spent.  A bound is no error while the estimate is on the right side
 * of it.  One sample in ten is kept for testing.  Inputs that no sample has get the weights of the
 * nearest that some have.
 *
 * `test` compares the present weights with samples: for what was proven and for what was disproven,
 * mean and standard deviation of the logarithm (base 2) of the expansions, and the root mean square
 * of the error of the estimate. */
#include "base/array.h"
#include "base/random.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/dfpn.h"
#include "proof/estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *text)
{
    fprintf(stderr, "bench_estimate: %s\n", text);
    return 2;
}

/* -------------------------------------------------------------------- sampling -- */

struct sampler {
    struct tables *tables;
    struct dfpn *large, *small;
    uint64_t nodes, budget, seed;
    int each;
};

static const char *const verdicts[] = {"open", "tentative", "disproven", "proven"};

/* A position of the search that just ended, or one move later. */
static bool sample_draw(struct sampler *s, struct board *b)
{
    struct pn_table *t = dfpn_table(s->large);
    const struct pn_entry *entry = pn_table_at(t, random_below(&s->seed, pn_table_places(t)));
    struct move_list list;

    if (!entry)
        return false;
    *b = pn_entry_board(entry);
    if (random_below(&s->seed, 2)) {
        if (!moves_generate(b, &list))
            return false;
        *b = board_after(b, &list.move[random_below(&s->seed, (uint64_t)list.count)]);
    }
    return !tables_knows(s->tables, b);
}

static enum status sample_label(struct sampler *s, const struct board *b, enum side attacker,
                                struct error *e)
{
    struct dfpn_limits limits = {.nodes = s->budget};
    struct dfpn_work work = {0};
    enum pn_state verdict;
    char fen[FEN_TEXT_MAX];
    enum status rc;

    dfpn_clear(s->small);
    rc = dfpn_ask(s->small, b, attacker, limits, &verdict, &work, e);
    if (rc)
        return rc;
    fen_format(b, fen);
    printf("%s %c %s %d %" PRIu64 "\n", fen, attacker == BLACK ? 'B' : 'W', verdicts[verdict],
           tables_distance(s->tables, b), work.nodes);
    return STATUS_OK;
}

static enum status sample_position(struct sampler *s, const struct board *b, struct error *e)
{
    enum { TRIES = 200 };
    enum status rc = STATUS_OK;

    for (enum side attacker = BLACK; !rc && attacker <= WHITE; attacker++) {
        struct dfpn_limits limits = {.nodes = s->nodes};
        struct dfpn_work work = {0};
        enum pn_state verdict;
        int found = 0;

        dfpn_clear(s->large);
        rc = dfpn_ask(s->large, b, attacker, limits, &verdict, &work, e);
        for (int i = 0; !rc && found < s->each && i < TRIES * s->each; i++) {
            struct board drawn;

            if (sample_draw(s, &drawn)) {
                rc = sample_label(s, &drawn, attacker, e);
                found++;
            }
        }
    }
    return rc;
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

static int sample(int argc, char **argv)
{
    struct tables_options where = {.dir = argv[0], .pieces = (int)argument(argc, argv, 1, 0)};
    struct dfpn_options o = {.memory = UINT64_C(1) << 29, .threads = 1, .knobs = dfpn_default};
    struct sampler s = {.nodes = argument(argc, argv, 2, 100000),
                        .each = (int)argument(argc, argv, 3, 100),
                        .budget = argument(argc, argv, 4, 10000),
                        .seed = 1};
    char line[2 * FEN_TEXT_MAX];
    enum status rc = STATUS_OK;
    struct error e;

    if (tables_open(&s.tables, &where, &e))
        return fail(e.text);
    o.tables = s.tables;
    if (dfpn_open(&s.large, &o, &e) || dfpn_open(&s.small, &o, &e))
        return fail(e.text);
    while (!rc && fgets(line, sizeof line, stdin)) {
        struct text_error at;
        struct board b;

        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (!fen_parse(line, strlen(line), &b, &at))
            return fail(line);
        rc = sample_position(&s, &b, &e);
        fflush(stdout);
    }
    dfpn_close(&s.small);
    dfpn_close(&s.large);
    tables_close(&s.tables);
    return rc ? fail(e.text) : 0;
}

/* --------------------------------------------------------------------- reading -- */

/* A line of `sample`. */
struct sample {
    struct board board;
    enum side attacker;
    enum pn_state verdict;
    int above;
    double nodes;
};

static bool sample_parse(const char *line, struct sample *s)
{
    char fen[FEN_TEXT_MAX], attacker, verdict[16];
    struct text_error at;

    if (sscanf(line, "%127s %c %15s %d %lf", fen, &attacker, verdict, &s->above, &s->nodes) != 5 ||
        !fen_parse(fen, strlen(fen), &s->board, &at))
        return false;
    s->attacker = attacker == 'B' ? BLACK : WHITE;
    for (int v = PN_OPEN; v <= PN_PROVEN; v++)
        if (strcmp(verdict, verdicts[v]) == 0) {
            s->verdict = (enum pn_state)v;
            return true;
        }
    return false;
}

/* Append the samples of a file to the list. */
static bool samples_append(FILE *f, struct sample **list, size_t *count, size_t *room)
{
    char line[256];

    while (fgets(line, sizeof line, f)) {
        if (!array_room((void **)list, room, *count + 1, sizeof **list))
            return false;
        *count += sample_parse(line, &(*list)[*count]);
    }
    return true;
}

/* The samples of all files, for the caller to free; NULL if one cannot be read, or there are none.
 */
static struct sample *samples_read(int files, char **names, size_t *count)
{
    struct sample *list = NULL;
    size_t room = 0;
    bool good = true;

    for (int i = 0; good && i < files; i++) {
        FILE *f = fopen(names[i], "r");

        good = f && samples_append(f, &list, count, &room);
        if (!good)
            fail(names[i]);
        if (f)
            fclose(f);
    }
    if (good && *count)
        return list;
    free(list);
    return NULL;
}

/* -------------------------------------------------------------------- training -- */

struct example {
    uint8_t input[ESTIMATE_ACTIVE_MAX];
    int inputs, head;
    bool exact[2];           /* proof, disproof: the logarithm itself, or a lower bound of it */
    float log[2], weight[2]; /* of an error */
};

struct model_head {
    float middle[ESTIMATE_MIDDLE][ESTIMATE_SUMS], middle_bias[ESTIMATE_MIDDLE];
    float last[2][ESTIMATE_MIDDLE], last_bias[2];
};

struct model {
    float first[ESTIMATE_INPUTS][ESTIMATE_SUMS], first_bias[ESTIMATE_SUMS];
    struct model_head head[ESTIMATE_HEADS];
};

enum { NUMBERS = sizeof(struct model) / sizeof(float), BATCH = 128, TEST_SHARE = 10 };

/* What a search says about the costs; see the top of this file. */
static void example_costs(struct example *x, enum pn_state verdict, double nodes)
{
    const float decided = 1, gave_up = 0.5f, excluded = 0.2f;
    float spent = (float)log2(nodes > 1 ? nodes : 1);

    for (int i = 0; i < 2; i++) {
        x->exact[i] = verdict == (i == 0 ? PN_PROVEN : PN_DISPROVEN);
        x->log[i] = x->exact[i] ? spent : verdict == PN_OPEN ? spent + 1 : ESTIMATE_BITS;
        x->weight[i] = x->exact[i] ? decided : verdict == PN_OPEN ? gave_up : excluded;
    }
}

static struct example example_of(const struct sample *s)
{
    struct example x;

    x.inputs = estimate_inputs(&s->board, s->attacker, s->above, x.input);
    x.head = estimate_head_of(&s->board, s->attacker, s->above);
    example_costs(&x, s->verdict, s->nodes);
    return x;
}

static struct example *examples_read(int files, char **names, size_t *count)
{
    struct sample *s = samples_read(files, names, count);
    struct example *list = s ? malloc(*count * sizeof *list) : NULL;

    for (size_t i = 0; list && i < *count; i++)
        list[i] = example_of(&s[i]);
    free(s);
    return list;
}

/* The loss of one example, from the sums that passed on; with g, its gradient is added there, and
 * its part that belongs to the sums to `back`. */
static double head_pass(const struct model_head *h, const struct example *x,
                        const float sum[ESTIMATE_SUMS], struct model_head *g, float *back)
{
    float middle[ESTIMATE_MIDDLE], slope[ESTIMATE_MIDDLE] = {0};
    double loss = 0;

    for (int i = 0; i < ESTIMATE_MIDDLE; i++) {
        middle[i] = h->middle_bias[i];
        for (int k = 0; k < ESTIMATE_SUMS; k++)
            middle[i] += h->middle[i][k] * sum[k];
        middle[i] = middle[i] > 0 ? middle[i] : 0;
    }
    for (int q = 0; q < 2; q++) {
        float error = h->last_bias[q] - x->log[q];

        for (int i = 0; i < ESTIMATE_MIDDLE; i++)
            error += h->last[q][i] * middle[i];
        if (!x->exact[q] && error > 0)
            error = 0;
        loss += x->weight[q] * error * error;
        for (int i = 0; g && i < ESTIMATE_MIDDLE; i++) {
            g->last[q][i] += x->weight[q] * error * middle[i];
            slope[i] += middle[i] > 0 ? x->weight[q] * error * h->last[q][i] : 0;
        }
        if (g)
            g->last_bias[q] += x->weight[q] * error;
    }
    for (int i = 0; g && i < ESTIMATE_MIDDLE; i++) {
        g->middle_bias[i] += slope[i];
        for (int k = 0; k < ESTIMATE_SUMS; k++) {
            g->middle[i][k] += slope[i] * sum[k];
            back[k] += sum[k] > 0 ? slope[i] * h->middle[i][k] : 0;
        }
    }
    return loss;
}

/* The same from the inputs. */
static double model_pass(const struct model *m, const struct example *x, struct model *g)
{
    float sum[ESTIMATE_SUMS], back[ESTIMATE_SUMS] = {0};
    double loss;

    memcpy(sum, m->first_bias, sizeof sum);
    for (int i = 0; i < x->inputs; i++)
        for (int k = 0; k < ESTIMATE_SUMS; k++)
            sum[k] += m->first[x->input[i]][k];
    for (int k = 0; k < ESTIMATE_SUMS; k++)
        sum[k] = sum[k] > 0 ? sum[k] : 0;
    loss = head_pass(&m->head[x->head], x, sum, g ? &g->head[x->head] : NULL, back);
    for (int k = 0; g && k < ESTIMATE_SUMS; k++)
        g->first_bias[k] += back[k];
    for (int i = 0; g && i < x->inputs; i++)
        for (int k = 0; k < ESTIMATE_SUMS; k++)
            g->first[x->input[i]][k] += back[k];
    return loss;
}

struct trainer {
    struct model model, gradient, mean, variance;
    long steps;
};

/* Adam; weights stay within what the sums hold. */
static void trainer_step(struct trainer *t, double rate)
{
    const float limit = (float)ESTIMATE_MIDDLE_WEIGHT_MAX / ESTIMATE_ONE;
    float *m = (float *)&t->model, *g = (float *)&t->gradient;
    float *mean = (float *)&t->mean, *variance = (float *)&t->variance;
    double c1 = 1 - pow(0.9, (double)++t->steps), c2 = 1 - pow(0.999, (double)t->steps);

    for (size_t i = 0; i < NUMBERS; i++) {
        float slope = g[i] / BATCH;

        mean[i] = 0.9f * mean[i] + 0.1f * slope;
        variance[i] = 0.999f * variance[i] + 0.001f * slope * slope;
        m[i] -= (float)(rate * (mean[i] / c1) / (sqrt(variance[i] / c2) + 1e-8));
        m[i] = m[i] > limit ? limit : m[i] < -limit ? -limit : m[i];
    }
    memset(&t->gradient, 0, sizeof t->gradient);
}

static void trainer_epoch(struct trainer *t, const struct example *x, size_t count, double rate)
{
    for (size_t i = 0; i < count; i++) {
        model_pass(&t->model, &x[i], &t->gradient);
        if (i % BATCH == BATCH - 1)
            trainer_step(t, rate);
    }
}

static double examples_loss(const struct model *m, const struct example *x, size_t count)
{
    double loss = 0;

    for (size_t i = 0; i < count; i++)
        loss += model_pass(m, &x[i], NULL);
    return loss / (double)count;
}

static void examples_shuffle(struct example *x, size_t count, uint64_t *seed)
{
    for (size_t i = count - 1; i > 0; i--) {
        size_t k = random_below(seed, i + 1);
        struct example other = x[i];

        x[i] = x[k];
        x[k] = other;
    }
}

static void model_start(struct model *m, uint64_t *seed)
{
    float *number = (float *)m;

    for (size_t i = 0; i < NUMBERS; i++)
        number[i] = (float)((double)random_below(seed, 2001) / 1000 - 1) * 0.2f;
}

/* Of the n inputs from `first` on, in order of size, those that no example has get the weights of
 * the nearest that some have: nothing else is known of positions with more pieces than all
 * examples. */
static void inputs_complete(struct model *m, const bool *seen, int first, int n)
{
    for (int i = first; i < first + n; i++) {
        int nearest = -1;

        for (int k = first; k < first + n; k++)
            if (seen[k] && (nearest < 0 || abs(k - i) < abs(nearest - i)))
                nearest = k;
        if (!seen[i] && nearest >= 0)
            memcpy(m->first[i], m->first[nearest], sizeof m->first[i]);
    }
}

static void model_complete(struct model *m, const struct example *x, size_t count)
{
    bool seen[ESTIMATE_INPUTS] = {false};

    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < x[i].inputs; k++)
            seen[x[i].input[k]] = true;
    for (int i = 0; i < 2; i++) {
        inputs_complete(m, seen, ESTIMATE_TURN + i * ESTIMATE_ABOVE_MAX, ESTIMATE_ABOVE_MAX);
        inputs_complete(m, seen, ESTIMATE_COUNTS + i * (ESTIMATE_COUNT_MAX + 1),
                        ESTIMATE_COUNT_MAX + 1);
    }
    for (int i = 0; i < 4; i++)
        inputs_complete(m, seen, ESTIMATE_MOVES + i * (ESTIMATE_MOVES_MAX + 1),
                        ESTIMATE_MOVES_MAX + 1);
}

static void print_list(const float *list, size_t n, double one)
{
    for (size_t i = 0; i < n; i++)
        printf("%s%ld%s", i % 16 == 0 ? "     " : " ", lround(list[i] * one),
               i + 1 == n     ? "},\n"
               : i % 16 == 15 ? ",\n"
                              : ",");
}

static void print_rows(const char *name, const float *list, int rows, size_t n)
{
    printf("        .%s = {\n", name);
    for (int i = 0; i < rows; i++) {
        printf("    {\n");
        print_list(list + (size_t)i * n, n, ESTIMATE_ONE);
    }
    printf("        },\n");
}

static void model_print(const struct model *m)
{
    const double squared = (double)ESTIMATE_ONE * ESTIMATE_ONE;

    printf("/* SPDX-License-Identifier: MIT\n *\n * Made by `bench_estimate train`. */\n"
           "/* clang-format off */\n#include \"proof/estimate.h\"\n\n"
           "const struct estimate_weights estimate_weights = {\n");
    print_rows("first", m->first[0], ESTIMATE_INPUTS, ESTIMATE_SUMS);
    printf("        .first_bias = {\n");
    print_list(m->first_bias, ESTIMATE_SUMS, ESTIMATE_ONE);
    printf("    .head = {\n");
    for (int i = 0; i < ESTIMATE_HEADS; i++) {
        const struct model_head *h = &m->head[i];

        printf("    {\n");
        print_rows("middle", h->middle[0], ESTIMATE_MIDDLE, ESTIMATE_SUMS);
        print_rows("last", h->last[0], 2, ESTIMATE_MIDDLE);
        printf("        .middle_bias = {\n");
        print_list(h->middle_bias, ESTIMATE_MIDDLE, squared);
        printf("        .last_bias = {\n");
        print_list(h->last_bias, 2, squared);
        printf("    },\n");
    }
    printf("    },\n};\n");
}

static int train(int argc, char **argv)
{
    const double rate = 0.003;
    int epochs = atoi(argv[0]);
    size_t count = 0, test;
    struct example *x = examples_read(argc - 1, argv + 1, &count);
    struct trainer *t = calloc(1, sizeof *t);
    uint64_t seed = 1;

    if (!x || !t || count < TEST_SHARE)
        return fail("no examples");
    examples_shuffle(x, count, &seed);
    model_start(&t->model, &seed);
    test = count / TEST_SHARE;
    for (int i = 0; i < epochs; i++) {
        trainer_epoch(t, x + test, count - test, rate * (1 - i / (epochs + 0.5)));
        fprintf(stderr, "epoch %d: loss %.3f, of %zu tests %.3f\n", i + 1,
                examples_loss(&t->model, x + test, count - test), test,
                examples_loss(&t->model, x, test));
    }
    model_complete(&t->model, x, count);
    model_print(&t->model);
    free(t);
    free(x);
    return 0;
}

/* --------------------------------------------------------------------- testing -- */

struct errors {
    double count, sum, squares, error_squares;
};

static void errors_add(struct errors *e, double nodes, uint32_t estimate)
{
    double log = log2(nodes > 1 ? nodes : 1), error = log2(estimate) - log;

    e->count++;
    e->sum += log;
    e->squares += log * log;
    e->error_squares += error * error;
}

static void errors_print(const char *name, const struct errors *e)
{
    double mean = e->sum / e->count;

    if (e->count > 0)
        printf("%s: %.0f samples, mean %.2f, deviation %.2f, error %.2f\n", name, e->count, mean,
               sqrt(e->squares / e->count - mean * mean), sqrt(e->error_squares / e->count));
}

static int test(int files, char **names)
{
    struct errors proofs = {0}, disproofs = {0};
    size_t count = 0;
    struct sample *list = samples_read(files, names, &count);

    if (!list)
        return fail("no samples");
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = &list[i];
        struct estimate g = estimate_numbers(&s->board, s->attacker, s->above);

        if (s->verdict == PN_PROVEN)
            errors_add(&proofs, s->nodes, g.proof);
        else if (s->verdict == PN_DISPROVEN)
            errors_add(&disproofs, s->nodes, g.disproof);
    }
    free(list);
    errors_print("proofs", &proofs);
    errors_print("disproofs", &disproofs);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "sample") == 0)
        return sample(argc - 2, argv + 2);
    if (argc >= 4 && strcmp(argv[1], "train") == 0)
        return train(argc - 2, argv + 2);
    if (argc >= 3 && strcmp(argv[1], "test") == 0)
        return test(argc - 2, argv + 2);
    return fail("usage: sample TABLES PIECES [NODES [EACH [BUDGET]]] | train EPOCHS SAMPLES... | "
                "test SAMPLES...");
}
