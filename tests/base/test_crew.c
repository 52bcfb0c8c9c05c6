/* SPDX-License-Identifier: MIT
 *
 * Crews: who comes, and what happens when the system refuses threads: (C1), (C2). */
#include "kit/test.h"

#include "base/crew.h"

#include <unistd.h>

enum { PIECES = 1000 };

struct heap {
    atomic_int next, calls[CREW_MAX], taken[PIECES];
};

static void take(void *context, int id)
{
    struct heap *h = context;

    atomic_fetch_add(&h->calls[id], 1);
    for (int i; (i = atomic_fetch_add(&h->next, 1)) < PIECES;)
        atomic_fetch_add(&h->taken[i], 1);
}

/* Each piece was taken once, by `threads` calls with different ids. */
static void check_heap(const struct heap *h, int threads)
{
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(h->taken[i], 1);
    for (int i = 0; i < CREW_MAX; i++)
        assert_int_equal(h->calls[i], i < threads);
}

static void test_share(void **state)
{
    static const int asked[] = {-1, 0, 1, 2, 7, CREW_MAX, CREW_MAX + 1, 1 << 30};

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct heap h = {0};
        int size = crew_size(asked[i]);

        assert_in_range(size, 1, CREW_MAX);
        crew_share(asked[i], take, &h);
        check_heap(&h, size);
    }
}

/* -------------------------------------------------------------------- barrier -- */

struct meeting {
    struct crew crew;
    atomic_int here;
    atomic_bool early;
};

static void meet(void *context, int id)
{
    struct meeting *m = context;

    (void)id;
    atomic_fetch_add(&m->here, 1);
    crew_wait(&m->crew);
    if (atomic_load(&m->here) != m->crew.threads)
        atomic_store(&m->early, true);
}

static void check_meeting(int threads)
{
    struct meeting m = {.here = 0};

    assert_int_equal(crew_open(&m.crew, threads, NULL), 0);
    assert_int_equal(m.crew.threads, crew_size(threads));
    assert_false(crew_stopped(&m.crew));
    crew_run(&m.crew, meet, &m);
    crew_close(&m.crew);
    assert_int_equal(m.here, crew_size(threads));
    assert_false(m.early);
}

static void test_barrier(void **state)
{
    (void)state;
    for (int threads = 0; threads < 6; threads++)
        check_meeting(threads);
    check_meeting(CREW_MAX + 1);
}

static void test_stop(void **state)
{
    atomic_bool stop = false;
    struct crew c;

    (void)state;
    assert_int_equal(crew_open(&c, 1, &stop), 0);
    assert_false(crew_stopped(&c));
    atomic_store(&stop, true);
    assert_true(crew_stopped(&c));
    crew_close(&c);
}

/* ------------------------------------------------------------------- refusals -- */

/* No thread can start while its stack is to be larger than the address space. */
static void stacks_set(size_t size)
{
    pthread_attr_t attributes;

    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, size), 0);
    assert_int_equal(pthread_setattr_default_np(&attributes), 0);
    pthread_attr_destroy(&attributes);
}

static size_t stacks_forbid(void)
{
    pthread_attr_t attributes;
    size_t before;

    assert_int_equal(pthread_getattr_default_np(&attributes), 0);
    assert_int_equal(pthread_attr_getstacksize(&attributes, &before), 0);
    pthread_attr_destroy(&attributes);
    stacks_set((size_t)1 << (sizeof before * 8 - 2));
    return before;
}

static void test_share_alone(void **state)
{
    struct heap h = {0};
    size_t before = stacks_forbid();

    (void)state;
    crew_share(4, take, &h);
    stacks_set(before);
    check_heap(&h, 1);
}

static void *allow_later(void *context)
{
    usleep(50000);
    stacks_set(*(size_t *)context);
    return NULL;
}

/* A job with a barrier waits until the system has threads for all of them. */
static void test_run_late(void **state)
{
    pthread_t thread;
    size_t before = 8 << 20;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, allow_later, &before), 0);
    before = stacks_forbid();
    check_meeting(4);
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),    cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_stop),     cmocka_unit_test(test_share_alone),
        cmocka_unit_test(test_run_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
