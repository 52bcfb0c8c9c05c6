/* SPDX-License-Identifier: MIT
 *
 * Samples come back from their files, self-play does not depend on threads or interruptions,
 * and training finds a rule that is hidden in samples. */
#include "kit/test.h"

#include "kit/built.h"
#include "kit/positions.h"
#include "kit/scratch.h"

#include "tune/samples.h"
#include "tune/selfplay.h"
#include "tune/train.h"

#include <stdlib.h>
#include <unistd.h>

/* --------------------------------------------------------------------------- samples -- */

static void check_equal(const struct samples *a, const struct samples *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct sample *x = &a->list[i], *y = &b->list[i];

        assert_true(board_equal(&x->board, &y->board));
        assert_int_equal(x->result, y->result);
        assert_int_equal(x->value, y->value);
        assert_int_equal(x->score, y->score);
    }
}

static struct samples random_samples(struct rng *r, int n)
{
    struct samples s = {0};

    for (int i = 0; i < n; i++) {
        struct sample one = {.board = random_position(r),
                             .result = (uint8_t)rng_below(r, 4),
                             .value = (uint8_t)rng_below(r, 4),
                             .score = (int16_t)(rng_below(r, 60000) - 30000)};

        assert_true(samples_add(&s, &one));
    }
    return s;
}

static void samples_come_back(void **state)
{
    struct scratch dir = scratch_create();
    struct rng r = rng_for_test("samples");
    struct samples s = random_samples(&r, 200), back = {0}, twice = {0};
    char path[SCRATCH_MAX];
    struct error e;

    (void)state;
    assert_int_equal(samples_read(&back, scratch_file(&dir, "none", path), &e), STATUS_MISSING);
    assert_int_equal(samples_write(&s, scratch_file(&dir, "a.samples", path), &e), STATUS_OK);
    assert_int_equal(samples_read(&back, path, &e), STATUS_OK);
    check_equal(&s, &back);
    assert_int_equal(samples_write(&s, scratch_file(&dir, "b.samples", path), &e), STATUS_OK);
    file_write(scratch_file(&dir, "other", path), "x", 1);
    assert_int_equal(samples_read(&twice, dir.path, &e), STATUS_OK);
    assert_int_equal(twice.count, 2 * s.count);
    samples_free(&s);
    samples_free(&back);
    samples_free(&twice);
    scratch_remove(&dir);
}

static void damaged_samples_are_refused(void **state)
{
    struct scratch dir = scratch_create();
    struct rng r = rng_for_test("damage");
    struct samples s = random_samples(&r, 50), back = {0};
    char path[SCRATCH_MAX];
    struct error e;
    uint8_t *bytes;
    size_t size;

    (void)state;
    assert_int_equal(samples_write(&s, scratch_file(&dir, "a.samples", path), &e), STATUS_OK);
    bytes = file_read(path, &size);
    for (int i = 0; i < 60; i++) {
        size_t at = (size_t)rng_below(&r, (int)size);

        bytes[at] ^= 64;
        file_write(path, bytes, size);
        assert_int_not_equal(samples_read(&back, path, &e), STATUS_OK);
        assert_non_null(strstr(e.text, path));
        bytes[at] ^= 64;
    }
    file_write(path, bytes, size - 5);
    assert_int_equal(samples_read(&back, path, &e), STATUS_DAMAGED);
    assert_int_equal(back.count, 0);
    free(bytes);
    samples_free(&s);
    samples_free(&back);
    scratch_remove(&dir);
}

/* Values that are known stay; those of the tables come in. */
static void tables_give_values(void **state)
{
    struct built built = built_open_wld(3);
    struct samples s = {0};
    int asked = 0;
    struct error e;

    (void)state;
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 32; k++) {
            squares black = squares_of(square_from_number(1 + i));
            squares white = squares_of(square_from_number(1 + k));
            struct sample one = {.board = {{black, white}, black | white, BLACK},
                                 .value = k % 3 ? SAMPLE_UNKNOWN : 2};

            if (i != k)
                assert_true(samples_add(&s, &one));
        }
    assert_true(samples_add(&s, &(struct sample){.board = board_start, .value = SAMPLE_UNKNOWN}));
    assert_int_equal(samples_value(&s, built.tables, &e), STATUS_OK);
    assert_int_equal(s.list[--s.count].value, SAMPLE_UNKNOWN);
    for (size_t i = 0; i < s.count; i++) {
        enum value v;

        if (!tables_has(built.tables, &s.list[i].board))
            continue;
        asked++;
        assert_int_equal(tables_value(built.tables, &s.list[i].board, &v, &e), STATUS_OK);
        assert_true(s.list[i].value == v || s.list[i].value == 2);
    }
    assert_true(asked > 500);
    samples_free(&s);
    built_close(&built);
}

/* -------------------------------------------------------------------------- self-play -- */

/* A portion made beside others, made again, and made alone: the same bytes. */
static void portions_do_not_depend_on_threads(void **state)
{
    struct scratch dir = scratch_create();
    atomic_bool stop = false;
    _Atomic uint64_t done = 0;
    struct selfplay play = {.dir = dir.path,
                            .portions = 2,
                            .threads = 2,
                            .nodes = 20,
                            .seed = 7,
                            .stop = &stop,
                            .done = &done};
    struct samples alone = {0}, file = {0};
    char path[SCRATCH_MAX];
    struct error e;
    uint64_t made;

    (void)state;
    if (test_is_sanitized())
        play.nodes = 2;
    assert_int_equal(selfplay_run(&play, &made, &e), STATUS_OK);
    assert_true(made > 1000);
    assert_int_equal(scratch_count(&dir), 2);
    unlink(scratch_file(&dir, "000001.samples", path));
    play.threads = 1;
    assert_int_equal(selfplay_run(&play, &made, &e), STATUS_OK);
    assert_int_equal(selfplay_portion(&play, 1, &alone, &e), STATUS_OK);
    assert_int_equal(made, alone.count);
    assert_int_equal(samples_read(&file, path, &e), STATUS_OK);
    check_equal(&alone, &file);
    stop = true;
    unlink(path);
    assert_int_equal(selfplay_run(&play, &made, &e), STATUS_INTERRUPTED);
    assert_int_equal(scratch_count(&dir), 1);
    samples_free(&alone);
    samples_free(&file);
    scratch_remove(&dir);
}

/* --------------------------------------------------------------------------- training -- */

static struct train_report last;

static void keep_report(void *context, const struct train_report *r)
{
    (void)context;
    last = *r;
}

/* How often the value is on the side that won. */
static double agreement(const struct network *n, const struct samples *s)
{
    int good = 0, all = 0;

    for (size_t i = s->count - s->count / TRAIN_HELD_OUT; i < s->count; i++) {
        if (s->list[i].result == 1)
            continue;
        all++;
        good += (network_evaluate(n, &s->list[i].board) > 0) == (s->list[i].result == 2);
    }
    return (double)good / all;
}

/* The rule: what counts is who has more pieces on squares 1-16 of its own side. */
static struct samples samples_by_rule(struct rng *r, int n)
{
    struct samples s = {0};

    for (int i = 0; i < n; i++) {
        struct sample one = {.board = random_position(r), .value = SAMPLE_UNKNOWN};
        const struct board *b = &one.board;
        int black = squares_count(b->side[BLACK] & squares_unpack(0x0000FFFF));
        int white = squares_count(b->side[WHITE] & squares_unpack(0xFFFF0000));
        int lead = b->turn == BLACK ? black - white : white - black;

        one.result = lead > 0 ? 2 : lead < 0 ? 0 : 1;
        assert_true(samples_add(&s, &one));
    }
    return s;
}

static void training_finds_a_rule(void **state)
{
    struct rng r = rng_for_test("train");
    struct samples s = samples_by_rule(&r, test_is_sanitized() ? 4000 : 30000);
    struct samples again = {0};
    struct network_weights *w[2];
    _Atomic uint64_t done = 0;
    atomic_bool stop = false;
    struct train_options o = {.epochs = test_is_sanitized() ? 1 : 4,
                              .rate = 4e-3,
                              .seed = 1,
                              .stop = &stop,
                              .done = &done,
                              .report = keep_report};
    struct network n;
    struct error e;

    (void)state;
    for (size_t i = 0; i < s.count; i++)
        assert_true(samples_add(&again, &s.list[i]));
    for (int i = 0; i < 2; i++) { /* one thread and three: the same weights */
        assert_non_null(w[i] = aligned_alloc(64, sizeof **w));
        o.threads = 1 + 2 * i;
        assert_int_equal(train_network(i ? &again : &s, &o, w[i], &e), STATUS_OK);
    }
    assert_memory_equal(w[0], w[1], sizeof **w);
    n = (struct network){.weights = w[0]};
    assert_true(network_use(&n, NETWORK_PLAIN));
    print_message("loss %.4f, held out %.4f, rounded %.4f, agreement %.3f\n", last.trained,
                  last.held_out, last.quantised, agreement(&n, &s));
    if (!test_is_sanitized()) {
        assert_true(agreement(&n, &s) > 0.9);
        assert_true(last.quantised < last.held_out + 0.01);
    }
    for (int i = 0; i < 2; i++)
        free(w[i]);
    samples_free(&s);
    samples_free(&again);
}

/* Positions with a score of zero. */
static struct samples samples_of_draws(struct rng *r, int n, uint8_t result)
{
    struct samples s = {0};

    for (int i = 0; i < n; i++) {
        struct sample one = {
            .board = random_position(r), .result = result, .value = SAMPLE_UNKNOWN};

        assert_true(samples_add(&s, &one));
    }
    return s;
}

/* Three ways to say that a position is a draw: by the result and the score, by the score alone,
 * and by the tables, whatever the result. */
static void targets_are_what_is_known(void **state)
{
    _Atomic uint64_t done = 0;
    atomic_bool stop = false;
    struct train_options o = {.epochs = 1,
                              .rate = 1e-3,
                              .threads = 1,
                              .trust = 0.5,
                              .exact = 1,
                              .seed = 1,
                              .stop = &stop,
                              .done = &done};
    struct rng r = rng_for_test("unknown");
    struct samples s[3] = {samples_of_draws(&r, 2000, 1)};
    struct network_weights *w[3];
    struct error e;

    (void)state;
    for (size_t i = 0; i < s[0].count; i++) {
        struct sample one = s[0].list[i];

        one.result = SAMPLE_UNKNOWN;
        assert_true(samples_add(&s[1], &one));
        one.result = 2;
        one.value = VALUE_DRAW;
        assert_true(samples_add(&s[2], &one));
    }
    for (int i = 0; i < 3; i++) {
        assert_non_null(w[i] = aligned_alloc(64, sizeof **w));
        assert_int_equal(train_network(&s[i], &o, w[i], &e), STATUS_OK);
        assert_memory_equal(w[0], w[i], sizeof **w);
    }
    for (int i = 0; i < 3; i++) {
        free(w[i]);
        samples_free(&s[i]);
    }
}

/* (F3) */
static void training_starts_from_a_network(void **state)
{
    struct rng r = rng_for_test("start");
    struct samples s = samples_of_draws(&r, 100, 1);
    struct network_weights *w = aligned_alloc(64, sizeof *w);
    _Atomic uint64_t done = 0;
    atomic_bool stop = false;
    struct train_options o = {.epochs = 1, .threads = 1, .stop = &stop, .done = &done};
    uint8_t *bytes[2];
    size_t size[2];
    struct network n;
    struct error e;

    (void)state;
    assert_non_null(w);
    assert_int_equal(network_open(&n, &e), STATUS_OK);
    o.start = n.weights;
    assert_int_equal(train_network(&s, &o, w, &e), STATUS_OK); /* the rate is zero */
    bytes[0] = network_encode(n.weights, &size[0]);
    bytes[1] = network_encode(w, &size[1]);
    assert_true(bytes[0] && bytes[1] && size[0] == size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    free(w);
    network_close(&n);
    samples_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_back),
        cmocka_unit_test(damaged_samples_are_refused),
        cmocka_unit_test(tables_give_values),
        cmocka_unit_test(portions_do_not_depend_on_threads),
        cmocka_unit_test(training_finds_a_rule),
        cmocka_unit_test(targets_are_what_is_known),
        cmocka_unit_test(training_starts_from_a_network),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
