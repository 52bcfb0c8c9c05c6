/* SPDX-License-Identifier: MIT
 *
 * Provers of which some never answer: the manager goes on to the next threshold and ends without
 * them, and does not wait while results are not on the disk (manager.h, M1 and M4). */
#include "kit/scratch.h"
#include "kit/test.h"

#include "proof/manager.h"

#include <stdlib.h>

enum { ROOM = 8, TASKS_MAX = 64, WAITS_MAX = 3, FROM = 125, SCORE = 300 };

/* The side to move at the start of the game stands better wherever it is looked at, except there,
 * and at a higher threshold it is proven to win.  Every third task is never answered. */
struct provers_of_test {
    struct {
        uint64_t id;
        struct prover_task task;
        bool answered;
    } given[TASKS_MAX];
    int count, answered, unkept, kept, forgotten, waits;
    int audits;       /* none is answered */
    atomic_bool stop; /* it would wait forever */
};

static bool never_answered(const struct provers_of_test *p, int i)
{
    return i % 3 == 2 || p->given[i].task.table == PROVER_EMPTY;
}

static int test_room(void *self)
{
    struct provers_of_test *p = self;

    return p->count + ROOM <= TASKS_MAX ? ROOM - (p->count - p->answered) : 0;
}

static enum status test_give(void *self, uint64_t id, const struct prover_task *task,
                             struct error *e)
{
    struct provers_of_test *p = self;

    (void)e;
    assert_true(p->count < TASKS_MAX);
    p->audits += task->table == PROVER_EMPTY;
    p->given[p->count].id = id;
    p->given[p->count++].task = *task;
    return STATUS_OK;
}

static void answer(struct provers_of_test *p, int i, struct prover_result *r)
{
    const struct prover_task *task = &p->given[i].task;
    bool first = board_equal(&task->board, &board_start);
    bool better = task->board.turn == board_start.turn, solved = task->threshold > FROM;
    enum value v = better ? VALUE_WIN : VALUE_LOSS;

    *r = (struct prover_result){.id = p->given[i].id,
                                .board = task->board,
                                .bounds = solved ? (struct bounds){v, v} : task->known,
                                .score = first    ? 0
                                         : better ? SCORE
                                                  : -SCORE,
                                .solved = solved,
                                .threshold = task->threshold};
    p->given[i].answered = true;
    p->answered++;
    p->unkept++;
}

static enum status test_collect(void *self, double seconds, struct prover_result *r,
                                struct error *e)
{
    struct provers_of_test *p = self;

    (void)e;
    if (seconds > 0)
        assert_int_equal(p->unkept, 0); /* (M1) */
    for (int i = 0; i < p->count; i++)
        if (!p->given[i].answered && !never_answered(p, i)) {
            answer(p, i, r);
            return STATUS_OK;
        }
    if (seconds > 0 && ++p->waits == WAITS_MAX)
        atomic_store(&p->stop, true);
    return STATUS_OK;
}

static void test_kept(void *self)
{
    struct provers_of_test *p = self;

    p->kept += p->unkept;
    p->unkept = 0;
}

static void test_forget(void *self)
{
    ((struct provers_of_test *)self)->forgotten++;
}

static void test_close(void *self)
{
    (void)self;
}

static const struct provers_kind kind = {.room = test_room,
                                         .give = test_give,
                                         .collect = test_collect,
                                         .kept = test_kept,
                                         .forget = test_forget,
                                         .close = test_close};

/* A run on the start of the game. */
static enum status prove(struct provers_of_test *p, double audit, struct manager_report *report)
{
    struct scratch dir = scratch_create();
    struct manager_options o = {.line = &board_start,
                                .plies = 1,
                                .from = FROM,
                                .step = 25,
                                .until = MANAGER_WIN,
                                .audit = audit,
                                .stop = &p->stop};
    struct provers *provers = NULL;
    struct tables *none;
    struct store *store;
    enum status rc;

    assert_int_equal(tables_open(&none, &(struct tables_options){.dir = dir.path}, NULL),
                     STATUS_OK);
    assert_int_equal(store_open(&store, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(provers_create(&provers, &kind, p, NULL), STATUS_OK);
    o.store = store;
    o.tables = none;
    o.provers = provers;
    rc = manager_run(&o, report, NULL);
    printf("# %d tasks, %d answered, %d waits\n", p->count, p->answered, p->waits);
    provers_close(&provers);
    store_close(&store);
    tables_close(&none);
    scratch_remove(&dir);
    return rc;
}

static void test_stragglers(void **state)
{
    struct provers_of_test *p = calloc(1, sizeof *p);
    struct manager_report report;

    (void)state;
    assert_non_null(p);
    assert_int_equal(prove(p, 0, &report), STATUS_OK);
    assert_int_equal(report.threshold, SCORE + 1);
    assert_true(report.root.lower == VALUE_WIN);
    assert_true(p->count > p->answered); /* there were stragglers */
    assert_int_equal(report.searches, p->answered);
    assert_int_equal(p->kept, p->answered);
    assert_true(p->forgotten == 1 && p->waits < WAITS_MAX);
    free(p);
}

/* (M5) A proof that is stopped before its audits are done does not count as finished. */
static void test_unfinished_audits(void **state)
{
    struct provers_of_test *p = calloc(1, sizeof *p);
    struct manager_report report;

    (void)state;
    assert_non_null(p);
    assert_int_equal(prove(p, 0.5, &report), STATUS_INTERRUPTED);
    assert_true(p->audits > 0);
    assert_true(report.root.lower == VALUE_WIN);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stragglers),
                                       cmocka_unit_test(test_unfinished_audits)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
