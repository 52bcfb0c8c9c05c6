/* SPDX-License-Identifier: MIT
 *
 * Stopping inside one large block.  Three kings against three are a single block, which is most of
 * the work of such an ending; a solver that looked at the flag between blocks only would finish
 * it.  All times are CPU time of this process, measured against the same machine's time
 * for the whole block, so that a busy machine does not matter. */
#include "kit/test.h"

#include "base/clock.h"
#include "core/notation.h"
#include "db/ondemand.h"

#include <pthread.h>
#include <unistd.h>

static double cpu_now(void)
{
    return clock_now(CLOCK_PROCESS_CPUTIME_ID);
}

static struct ondemand *ending(void)
{
    struct ondemand *o = NULL;
    struct error e = {0};
    const char *fen = "B:WK30,K31,K32:BK1,K2,K3";
    struct board b;

    assert_true(fen_parse(fen, strlen(fen), &b, NULL));
    if (ondemand_open(&o, &b, false, &e))
        fail_msg("%s", e.text);
    return o;
}

/* Sets the flag once the last block has been under work for `delay` CPU seconds. */
struct watcher {
    _Atomic uint64_t done;
    uint64_t before;                /* `done` when the last block begins */
    double delay, began, set, back; /* CPU times */
    atomic_bool stop, end;
};

static void *watch(void *arg)
{
    struct watcher *w = arg;

    while (atomic_load(&w->done) < w->before && !w->end)
        usleep(500);
    w->began = cpu_now();
    while (cpu_now() - w->began < w->delay && !w->end)
        usleep(500);
    w->set = cpu_now();
    w->stop = true;
    return NULL;
}

static enum status solve_watched(struct watcher *w)
{
    struct ondemand *o = ending();
    struct error e = {0};
    pthread_t thread;
    enum status rc;

    assert_int_equal(pthread_create(&thread, NULL, watch, w), 0);
    rc = ondemand_solve(o, 1, UINT64_C(1) << 30, &w->stop, &w->done, &e);
    w->back = cpu_now();
    w->end = true;
    pthread_join(thread, NULL);
    ondemand_close(&o);
    return rc;
}

static void test_inside_a_block(void **state)
{
    struct watcher whole = {.delay = 1e9};
    double block;

    (void)state;
    assert_int_equal(solve_watched(&whole), STATUS_OK); /* counts */
    whole = (struct watcher){.delay = 1e9, .before = whole.done - UINT64_C(4960) * 3654};
    assert_int_equal(solve_watched(&whole), STATUS_OK); /* and measures: C(32, 3) * C(29, 3) */
    block = whole.set - whole.began;
    for (int i = 0; i < 4; i++) {
        bool soon = false;

        /* On a busy machine the watcher may sleep too long, or lose its processor before the flag
         * is set; a solver that does not look at the flag is late each time. */
        for (int tries = 0; tries < 20 && !soon; tries++) {
            struct watcher w = {.delay = block * i / 5, .before = whole.before};
            bool stopped = solve_watched(&w) != STATUS_OK;
            double rest = w.back - w.set;

            assert_true(w.stop);
            print_message("block %.3f s, flag after %.3f s, back after %.3f s more\n", block,
                          w.delay, rest);
            soon = stopped && rest < block / 10 + 0.05;
        }
        assert_true(soon);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inside_a_block)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
