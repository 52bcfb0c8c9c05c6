/* SPDX-License-Identifier: MIT
 *
 * A worker of the queue: some threads that pull tasks, and one that reports their state. */
#include "base/clock.h"
#include "proof/nats/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS_MAX = 255,
    PULL_MS = 2000,
    TELL_MS = 100,
    LEAVE_TO_OTHERS = 3 /* after this many deliveries there is no other worker */
};

/* Seconds beyond twice the limits: then a search hangs.  Claims may take half of them (prover.c).
 */
static const double patience = 30;
static const double patience_nodes = 3600;

struct thread {
    struct session *session;
    pthread_t id;
    bool started;
    struct prover *prover;
    natsSubscription *tasks;
    atomic_bool cancel;
    natsMsg *message; /* at work on; guarded by the lock, as all that follows */
    uint64_t run, task;
    double until, told;
    bool unwanted;
};

/* As long as the manager's terms stay the same. */
struct session {
    struct queue_link *link;
    const struct queue_worker *o;
    struct wire_notice terms;
    struct tables *tables;
    uint64_t digest;
    double lease;
    pthread_mutex_t lock;
    struct deep_search *deep; /* of all threads */
    struct thread thread[THREADS_MAX];
    int threads;
    atomic_bool deaf; /* on_cancel has returned for the last time */
    atomic_bool over; /* the terms have changed, or a thread failed: */
    enum status status;
    struct error error;
    _Atomic uint64_t searches;
};

static bool stopped(const struct session *s)
{
    return atomic_load(s->o->stop) || atomic_load(&s->over);
}

/* The first failure ends the session. */
static void session_fail(struct session *s, enum status status, const struct error *e)
{
    pthread_mutex_lock(&s->lock);
    if (!s->status && status) {
        s->status = status;
        s->error = *e;
    }
    pthread_mutex_unlock(&s->lock);
    atomic_store(&s->over, true);
}

/* ----------------------------------------------------------------------- tasks -- */

static int deliveries_of(natsMsg *message)
{
    jsMsgMetaData *meta = NULL;
    int n = 1;

    if (natsMsg_GetMetaData(&meta, message) == NATS_OK)
        n = meta->NumDelivered < 255 ? (int)meta->NumDelivered : 255;
    jsMsgMetaData_Destroy(meta);
    return n;
}

static void task_begin(struct thread *t, natsMsg *message, const struct wire_task *m)
{
    const struct prover_limits *l = &m->task.limits;
    double now = clock_seconds(), limit = 2 * (l->look + l->solve) + patience;

    pthread_mutex_lock(&t->session->lock);
    atomic_store(&t->cancel, false);
    t->unwanted = false;
    t->message = message;
    t->run = m->run;
    t->task = m->id;
    t->until = now + (l->look_nodes || l->solve_nodes ? patience_nodes : limit);
    t->told = now;
    pthread_mutex_unlock(&t->session->lock);
}

/* False if the result is no longer wanted. */
static bool task_end(struct thread *t)
{
    bool wanted;

    pthread_mutex_lock(&t->session->lock);
    t->message = NULL;
    wanted = !t->unwanted;
    pthread_mutex_unlock(&t->session->lock);
    return wanted;
}

/* Claims too large for the server are dropped, and the manager is told so. */
static void claims_fit(struct session *s, struct wire_result *r)
{
    int64_t most = natsConnection_GetMaxPayload(s->link->connection);
    struct prover_claims *c = r->result.claims;

    if ((int64_t)(WIRE_MAX + c[BLACK].size + c[WHITE].size) <= most)
        return;
    for (enum side side = BLACK; side <= WHITE; side++)
        if (c[side].kept == CLAIMS_KEPT)
            c[side] = (struct prover_claims){.kept = CLAIMS_LARGE, .wins = c[side].wins};
}

static enum status result_publish(struct session *s, struct wire_result *r, struct error *e)
{
    uint8_t *bytes;
    char id[SUBJECT_MAX];
    enum status rc;

    claims_fit(s, r);
    bytes = malloc(WIRE_MAX + r->result.claims[BLACK].size + r->result.claims[WHITE].size);
    if (!bytes)
        return error_no_memory(e);
    snprintf(id, sizeof id, "r%016" PRIx64 "-%" PRIu64 "-%d", r->run, r->id,
             r->status != STATUS_OK);
    rc = link_publish(s->link, "kelso.result", id, bytes, wire_put_result(bytes, r), e);
    free(bytes);
    return rc;
}

static void task_run(struct thread *t, natsMsg *message, const struct wire_task *m)
{
    struct session *s = t->session;
    struct wire_result r = {
        .run = m->run, .id = m->id, .worker = s->link->self, .deliveries = deliveries_of(message)};
    struct prover_task task = m->task;
    struct error why = {0}, e;

    task.claims = task.claims < WIRE_CLAIMS ? task.claims : WIRE_CLAIMS;
    task_begin(t, message, m);
    r.status = prover_run(t->prover, &task, &r.result, &why);
    if (!task_end(t) || stopped(s)) {
        if (stopped(s))
            natsMsg_Nak(message, NULL); /* another one can have it at once */
        else
            natsMsg_Ack(message, NULL);
        return;
    }
    if (r.status)
        snprintf(r.text, sizeof r.text, "%s: %.400s", s->link->place, why.text);
    if (result_publish(s, &r, &e))
        return;
    natsMsg_Ack(message, NULL);
    atomic_fetch_add(&s->searches, 1);
    if (s->o->searches)
        atomic_fetch_add(s->o->searches, 1);
    if (r.status)
        session_fail(s, r.status, &why);
}

/* Is the task for this worker?  If not it goes back. */
static bool task_fits(struct thread *t, natsMsg *message, const struct wire_task *m)
{
    struct session *s = t->session;

    if (strcmp(m->program, s->o->program) != 0 || m->tables != s->digest) {
        natsMsg_NakWithDelay(message, 1000, NULL);
        atomic_store(&s->over, true); /* look at the manager's terms again */
        return false;
    }
    if (m->task.avoid == s->link->self && deliveries_of(message) <= LEAVE_TO_OTHERS) {
        natsMsg_NakWithDelay(message, 500, NULL);
        return false;
    }
    return true;
}

static void task_pull(struct thread *t)
{
    natsMsgList list = {0};
    struct wire_task m;
    struct error e;
    natsStatus s = natsSubscription_Fetch(&list, t->tasks, 1, PULL_MS, NULL);

    if (s != NATS_OK || list.Count == 0) {
        if (s != NATS_TIMEOUT)
            nats_Sleep(200);
    } else if (wire_get_task(&m, natsMsg_GetData(list.Msgs[0]),
                             (size_t)natsMsg_GetDataLength(list.Msgs[0]), &e)) {
        link_say(t->session->link, "found on the queue: %s", e.text);
        natsMsg_Term(list.Msgs[0], NULL);
    } else if (task_fits(t, list.Msgs[0], &m)) {
        task_run(t, list.Msgs[0], &m);
    }
    natsMsgList_Destroy(&list);
}

static void *work(void *thread)
{
    struct thread *t = thread;

    while (!stopped(t->session))
        task_pull(t);
    return NULL;
}

/* --------------------------------------------------------------------- telling -- */

static void on_cancel(natsConnection *c, natsSubscription *sub, natsMsg *message, void *session)
{
    struct session *s = session;
    struct wire_cancel m;
    struct error e;

    (void)c, (void)sub;
    if (!wire_get_cancel(&m, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message),
                         &e)) {
        pthread_mutex_lock(&s->lock);
        for (int i = 0; i < s->threads; i++) {
            struct thread *t = &s->thread[i];

            if (t->message && (t->run != m.run || t->task <= m.id)) {
                t->unwanted = true;
                atomic_store(&t->cancel, true);
            }
        }
        pthread_mutex_unlock(&s->lock);
    }
    natsMsg_Destroy(message);
}

static void on_deaf(void *session)
{
    atomic_store(&((struct session *)session)->deaf, true);
}

static natsSubscription *cancels_hear(struct session *s)
{
    natsSubscription *sub = NULL;

    if (natsConnection_Subscribe(&sub, s->link->connection, "kelso.cancel", on_cancel, s) !=
            NATS_OK ||
        natsSubscription_SetOnCompleteCB(sub, on_deaf, s) != NATS_OK)
        atomic_store(&s->deaf, true);
    return sub;
}

/* The library may be inside on_cancel, or about to call it: wait, since the session ends. */
static void cancels_end(struct session *s, natsSubscription *sub)
{
    natsSubscription_Destroy(sub);
    while (!atomic_load(&s->deaf))
        nats_Sleep(1);
}

/* Report each running task three times per lease, but not one that hangs (U1). */
static void tasks_tell(struct session *s)
{
    double now = clock_seconds();

    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->threads; i++) {
        struct thread *t = &s->thread[i];

        if (!t->message || now - t->told < s->lease / 4)
            continue;
        t->told = now;
        if (now < t->until)
            natsMsg_InProgress(t->message, NULL);
        else
            link_say(s->link, "a search does not end; another worker will get it");
    }
    pthread_mutex_unlock(&s->lock);
}

static void worker_tell(struct session *s, double since)
{
    struct wire_worker m = {.worker = s->link->self,
                            .threads = s->threads,
                            .searches = atomic_load(&s->searches),
                            .microseconds = (uint64_t)(1e6 * (clock_seconds() - since))};
    char subject[SUBJECT_MAX];
    uint8_t bytes[WIRE_MAX];

    memcpy(m.place, s->link->place, sizeof m.place);
    snprintf(subject, sizeof subject, "kelso.state.worker.%016" PRIx64, s->link->self);
    natsConnection_Publish(s->link->connection, subject, bytes, (int)wire_put_worker(bytes, &m));
}

static bool terms_equal(const struct wire_notice *a, const struct wire_notice *b)
{
    return a->tables == b->tables && a->pieces == b->pieces && a->deep == b->deep &&
           strcmp(a->program, b->program) == 0;
}

/* Until the session is over. */
static void tell(struct session *s)
{
    double since = clock_seconds();

    for (int n = 0; !stopped(s); n++) {
        struct wire_notice now;
        uint64_t sequence;

        tasks_tell(s);
        if (n % (STATE_BEAT_MS / TELL_MS) == 0) {
            worker_tell(s, since);
            if (link_notice(s->link, &now, &sequence) && !terms_equal(&now, &s->terms))
                atomic_store(&s->over, true);
        }
        nats_Sleep(TELL_MS);
    }
    for (int i = 0; i < s->threads; i++)
        atomic_store(&s->thread[i].cancel, true);
}

/* -------------------------------------------------------------------- sessions -- */

/* (U4) */
static enum status terms_check(struct session *s, struct error *e)
{
    struct tables_options t = {.dir = s->o->dir, .cache = s->o->cache, .pieces = s->terms.pieces};
    enum status rc;

    if (strcmp(s->terms.program, s->o->program) != 0)
        return error_set(e, STATUS_MISMATCH,
                         "the manager (%s) is kelso %s, this is kelso %s: install the same on both",
                         s->terms.place, s->terms.program, s->o->program);
    if ((rc = tables_open(&s->tables, &t, e)) || (rc = tables_digest(s->tables, &s->digest, e)))
        return rc;
    if (s->digest != s->terms.tables)
        return error_set(e, STATUS_MISMATCH,
                         "%s: these tables (%016" PRIx64 ") are not those of the manager, %s "
                         "(%016" PRIx64 "): copy its MANIFEST's files",
                         tables_dir(s->tables), s->digest, s->terms.place, s->terms.tables);
    return STATUS_OK;
}

static enum status subscribe(struct session *s, natsSubscription **sub, struct error *e)
{
    jsSubOptions o;
    natsStatus status;

    jsSubOptions_Init(&o);
    o.Stream = "KELSO_TASK";
    o.Consumer = "workers";
    status = js_PullSubscribe(sub, s->link->js, "kelso.task", "workers", NULL, &o, NULL);
    return status == NATS_OK ? STATUS_OK : link_error(s->link, status, "tasks", e);
}

static void lease_read(struct session *s)
{
    jsConsumerInfo *info = NULL;

    s->lease = 4;
    if (js_GetConsumerInfo(&info, s->link->js, "KELSO_TASK", "workers", NULL, NULL) == NATS_OK)
        s->lease = (double)info->Config->AckWait / 1e9;
    jsConsumerInfo_Destroy(info);
}

static enum status threads_start(struct session *s, struct error *e)
{
    uint64_t memory = s->terms.deep ? s->o->memory / 2 : s->o->memory;
    enum status rc = s->terms.deep ? deep_search_open(&s->deep, s->tables, memory, e) : STATUS_OK;

    for (int i = 0; !rc && i < s->o->threads; i++) {
        struct thread *t = &s->thread[s->threads++];
        struct prover_options p = {.tables = s->tables,
                                   .memory = memory / (uint64_t)s->o->threads,
                                   .stop = &t->cancel,
                                   .deep = s->deep};

        t->session = s;
        if ((rc = subscribe(s, &t->tasks, e)) || (rc = prover_open(&t->prover, &p, e)))
            break;
        t->started = pthread_create(&t->id, NULL, work, t) == 0;
        if (!t->started)
            rc = error_set(e, STATUS_NO_MEMORY, "no thread for a prover");
    }
    return rc;
}

static void threads_end(struct session *s)
{
    atomic_store(&s->over, true);
    for (int i = 0; i < s->threads; i++)
        atomic_store(&s->thread[i].cancel, true);
    for (int i = 0; i < s->threads; i++) {
        if (s->thread[i].started)
            pthread_join(s->thread[i].id, NULL);
        natsSubscription_Destroy(s->thread[i].tasks);
        prover_close(&s->thread[i].prover);
    }
    deep_search_close(&s->deep);
}

static enum status session_run(struct session *s, struct error *e)
{
    enum status rc;

    pthread_mutex_init(&s->lock, NULL);
    if (!(rc = terms_check(s, e))) {
        lease_read(s);
        link_say(s->link, "working for %s: %d %s%s, tables of %d pieces", s->terms.place,
                 s->o->threads, s->o->threads == 1 ? "thread" : "threads",
                 s->terms.deep ? ", a deep search" : "", tables_most(s->tables));
        rc = threads_start(s, e);
        if (!rc) {
            natsSubscription *cancels = cancels_hear(s);

            tell(s);
            cancels_end(s, cancels);
        }
        threads_end(s);
    }
    if (!rc && s->status)
        rc = error_pass(e, &s->error);
    tables_close(&s->tables);
    pthread_mutex_destroy(&s->lock);
    return rc;
}

enum status queue_work(const struct queue_access *a, const struct queue_worker *o, struct error *e)
{
    struct session *s = calloc(1, sizeof *s);
    struct queue_link link;
    enum status rc;

    if (!s)
        return error_no_memory(e);
    rc = link_open(&link, a, o->stop, e);
    while (!rc && !atomic_load(o->stop)) {
        uint64_t sequence;

        *s = (struct session){.link = &link, .o = o};
        if (link_notice(&link, &s->terms, &sequence)) {
            rc = session_run(s, e);
        } else {
            link_say(&link, "there is no manager; waiting");
            nats_Sleep(250);
        }
    }
    if (link.connection)
        natsConnection_FlushTimeout(link.connection, 1000);
    link_close(&link);
    free(s);
    return rc;
}
