/* SPDX-License-Identifier: MIT
 *
 * The manager's side of the queue: a kind of provers. */
#include "base/array.h"
#include "base/clock.h"
#include "proof/nats/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, POLL_MS = 100, LOST_BEATS = 3, FAILURES_MAX = 5 };

static const double fresh_seconds = 3; /* a task this young may be on its way */

struct open_task {
    uint64_t id;
    struct prover_task task;
    double given;
    int attempts, failures;
};

struct queue {
    struct queue_link link;
    struct queue_terms terms;
    uint64_t tables; /* digest */
    natsSubscription *results;
    struct open_task *open;
    size_t opens, open_room;
    natsMsgList got; /* fetched; those before `at` are processed */
    int at;
    natsMsg **unkept; /* handed out, to be acknowledged by `kept` */
    size_t unkepts, unkept_room;
    int room;           /* as of the last poll */
    uint64_t room_poll; /* of this poll */
    double rate_since;
    uint64_t rate_results;

    pthread_t beat; /* polls and publishes; shares what follows */
    bool beating;
    atomic_bool closing, lost, usurped;
    _Atomic uint64_t polls, idle, open_count;
    _Atomic uint64_t given, taken, dropped, again, audits;
    _Atomic double rate; /* results per second */
    char usurper[WIRE_PLACE];
};

/* ------------------------------------------------------------------- consumers -- */

static enum status consumer_make(struct queue *q, const char *stream, const char *name,
                                 struct error *e)
{
    jsConsumerConfig c;
    natsStatus s;

    jsConsumerConfig_Init(&c);
    c.Durable = name;
    c.AckPolicy = js_AckExplicit;
    c.AckWait = (int64_t)(q->terms.lease * 1e9);
    c.MaxAckPending = 1 << 20;
    c.MaxWaiting = 1 << 17;
    s = js_AddConsumer(NULL, q->link.js, stream, &c, NULL, NULL);
    return s == NATS_OK ? STATUS_OK : link_error(&q->link, s, stream, e);
}

static enum status consumers_make(struct queue *q, struct error *e)
{
    enum status rc = consumer_make(q, "KELSO_TASK", "workers", e);

    return rc ? rc : consumer_make(q, "KELSO_RESULT", "manager", e);
}

/* ------------------------------------------------------------------------ beat -- */

static void notice_publish(struct queue *q, bool leaving)
{
    struct wire_notice n = {.run = q->link.self,
                            .tables = q->tables,
                            .pieces = q->terms.pieces,
                            .leaving = leaving,
                            .deep = q->terms.deep,
                            .given = atomic_load(&q->given),
                            .results = atomic_load(&q->taken),
                            .dropped = atomic_load(&q->dropped),
                            .again = atomic_load(&q->again),
                            .milli_per_second = (uint64_t)(1000 * atomic_load(&q->rate)),
                            .audits = atomic_load(&q->audits)};
    uint8_t bytes[WIRE_MAX];

    snprintf(n.program, sizeof n.program, "%s", q->terms.program);
    memcpy(n.place, q->link.place, sizeof n.place);
    natsConnection_Publish(q->link.connection, "kelso.state.manager", bytes,
                           (int)wire_put_notice(bytes, &n));
}

/* The counters of a consumer; false if the server does not answer. */
static bool consumer_read(struct queue *q, const char *stream, const char *name,
                          struct jsConsumerInfo *out, jsErrCode *code)
{
    jsConsumerInfo *info = NULL;
    jsOptions o;

    jsOptions_Init(&o);
    o.Wait = 1000;
    *code = 0;
    if (js_GetConsumerInfo(&info, q->link.js, stream, name, &o, code) != NATS_OK)
        return false;
    *out = *info;
    jsConsumerInfo_Destroy(info);
    return true;
}

/* Count the workers that wait for work.  Some tasks are kept ready, so that no worker waits for
 * us. */
static void idle_look(struct queue *q, uint64_t *under_way)
{
    jsConsumerInfo tasks, results;
    jsErrCode code, code2;
    int64_t idle;

    *under_way = UINT64_MAX;
    if (!consumer_read(q, "KELSO_TASK", "workers", &tasks, &code) ||
        !consumer_read(q, "KELSO_RESULT", "manager", &results, &code2)) {
        struct error ignored;

        if ((code == JSConsumerNotFoundErr || code == JSStreamNotFoundErr ||
             code2 == JSConsumerNotFoundErr || code2 == JSStreamNotFoundErr) &&
            !link_streams(&q->link, &ignored) && !consumers_make(q, &ignored)) {
            link_say(&q->link,
                     "the server has lost the queue; tasks in progress are published again");
            atomic_store(&q->lost, true);
        }
        return;
    }
    idle = tasks.NumWaiting - (int64_t)tasks.NumPending;
    if (tasks.NumWaiting + tasks.NumAckPending > 0)
        idle += 1 + (tasks.NumWaiting + tasks.NumAckPending) / 8;
    *under_way = tasks.NumPending + (uint64_t)tasks.NumAckPending + results.NumPending +
                 (uint64_t)results.NumAckPending;
    atomic_store(&q->idle, (uint64_t)(idle > 0 ? idle : 0));
    atomic_fetch_add(&q->polls, 1);
}

/* (U3) */
static void usurper_look(struct queue *q)
{
    struct wire_notice n;
    uint64_t sequence;

    if (!link_notice(&q->link, &n, &sequence) || n.run == q->link.self)
        return;
    memcpy(q->usurper, n.place, sizeof q->usurper);
    atomic_store(&q->usurped, true);
}

static void *beat(void *queue)
{
    struct queue *q = queue;
    int missing = 0;

    for (int n = 0; !atomic_load(&q->closing); n++) {
        uint64_t under_way;

        idle_look(q, &under_way);
        if (n % (STATE_BEAT_MS / POLL_MS) == 0) {
            usurper_look(q);
            if (!atomic_load(&q->usurped))
                notice_publish(q, false);
            missing = under_way < atomic_load(&q->open_count) ? missing + 1 : 0;
            if (missing == LOST_BEATS) { /* (U6) */
                missing = 0;
                atomic_store(&q->lost, true);
            }
        }
        nats_Sleep(POLL_MS);
    }
    return NULL;
}

/* ---------------------------------------------------------------------- giving -- */

static enum status task_publish(struct queue *q, struct open_task *t, struct error *e)
{
    struct wire_task m = {.run = q->link.self, .id = t->id, .tables = q->tables, .task = t->task};
    uint8_t bytes[WIRE_MAX];
    char id[SUBJECT_MAX];

    snprintf(m.program, sizeof m.program, "%s", q->terms.program);
    snprintf(id, sizeof id, "t%016" PRIx64 "-%" PRIu64 "-%d", q->link.self, t->id, ++t->attempts);
    t->given = clock_seconds();
    return link_publish(&q->link, "kelso.task", id, bytes, wire_put_task(bytes, &m), e);
}

static int queue_room(void *self)
{
    struct queue *q = self;
    uint64_t poll = atomic_load(&q->polls);

    if (poll != q->room_poll) {
        q->room_poll = poll;
        q->room = (int)atomic_load(&q->idle);
    }
    return q->room;
}

static enum status queue_give(void *self, uint64_t id, const struct prover_task *task,
                              struct error *e)
{
    struct queue *q = self;

    if (!array_room((void **)&q->open, &q->open_room, q->opens + 1, sizeof *q->open))
        return error_no_memory(e);
    q->open[q->opens++] = (struct open_task){.id = id, .task = *task};
    atomic_store(&q->open_count, q->opens);
    atomic_fetch_add(&q->given, 1);
    q->room--;
    return task_publish(q, &q->open[q->opens - 1], e);
}

/* (U6) */
static enum status lost_give(struct queue *q, struct error *e)
{
    double now = clock_seconds();
    enum status rc = STATUS_OK;

    atomic_store(&q->lost, false);
    for (size_t i = 0; !rc && i < q->opens; i++)
        if (now - q->open[i].given > fresh_seconds) {
            atomic_fetch_add(&q->again, 1);
            rc = task_publish(q, &q->open[i], e);
        }
    return rc;
}

/* -------------------------------------------------------------------- collecting -- */

static void fetch(struct queue *q, double seconds)
{
    jsFetchRequest request;
    natsStatus s;

    natsMsgList_Destroy(&q->got);
    q->at = 0;
    jsFetchRequest_Init(&request);
    request.Batch = seconds > 0 ? 1 : BATCH;
    request.NoWait = seconds <= 0;
    request.Expires = (int64_t)(seconds * 1e9);
    s = natsSubscription_FetchRequest(&q->got, q->results, &request);
    if (s != NATS_OK)
        q->got = (natsMsgList){0};
    if (s != NATS_OK && s != NATS_TIMEOUT && s != NATS_NOT_FOUND && seconds > 0)
        nats_Sleep((int64_t)(1000 * seconds)); /* no connection: do not spin */
}

static struct open_task *open_find(struct queue *q, const struct wire_result *m)
{
    for (size_t i = 0; m->run == q->link.self && i < q->opens; i++)
        if (q->open[i].id == m->id)
            return &q->open[i];
    return NULL;
}

static void open_end(struct queue *q, struct open_task *t)
{
    *t = q->open[--q->opens];
    atomic_store(&q->open_count, q->opens);
}

/* A worker failed.  If a search contradicts itself the run ends; otherwise another worker tries. */
static enum status failure_take(struct queue *q, struct open_task *t, const struct wire_result *m,
                                struct error *e)
{
    link_say(&q->link, "a worker failed: %s", m->text);
    if (m->status == STATUS_MISMATCH || ++t->failures >= FAILURES_MAX)
        return error_set(e, m->status, "%s", m->text);
    atomic_fetch_add(&q->again, 1);
    return task_publish(q, t, e);
}

static void rate_count(struct queue *q)
{
    double now = clock_seconds();

    q->rate_results++;
    if (now - q->rate_since < 2)
        return;
    atomic_store(&q->rate, (double)q->rate_results / (now - q->rate_since));
    q->rate_since = now;
    q->rate_results = 0;
}

/* Process one message: r->id stays 0 if it has no result. */
static enum status message_take(struct queue *q, natsMsg *message, struct prover_result *r,
                                struct error *e)
{
    struct error why = {0};
    struct open_task *t;
    struct wire_result m;
    enum status rc;

    if (wire_get_result(&m, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message),
                        &why)) {
        link_say(&q->link, "found on the queue: %s", why.text);
        atomic_fetch_add(&q->dropped, 1);
        natsMsg_Term(message, NULL);
        natsMsg_Destroy(message);
        return STATUS_OK;
    }
    t = open_find(q, &m);
    if (!t || m.status || !board_equal(&m.result.board, &t->task.board)) { /* (U2) */
        rc = t && m.status ? failure_take(q, t, &m, e) : STATUS_OK;
        atomic_fetch_add(&q->dropped, !(t && m.status));
        natsMsg_Term(message, NULL); /* an acknowledgement says that it is in the store (M1) */
        natsMsg_Destroy(message);
        return rc;
    }
    if (!array_room((void **)&q->unkept, &q->unkept_room, q->unkepts + 1, sizeof *q->unkept)) {
        natsMsg_Destroy(message);
        return error_no_memory(e);
    }
    q->unkept[q->unkepts++] = message;
    atomic_fetch_add(&q->taken, 1);
    atomic_fetch_add(&q->again, (uint64_t)(m.deliveries > 1 ? m.deliveries - 1 : 0));
    atomic_fetch_add(&q->audits, t->task.table == PROVER_EMPTY);
    rate_count(q);
    open_end(q, t);
    q->room++; /* its worker asks for more */
    *r = m.result;
    return STATUS_OK;
}

static enum status queue_collect(void *self, double seconds, struct prover_result *r,
                                 struct error *e)
{
    struct queue *q = self;
    enum status rc = STATUS_OK;

    r->id = 0;
    if (atomic_load(&q->usurped))
        return error_set(e, STATUS_LOCKED, "%s: another manager has taken over (%s)",
                         q->link.access->url, q->usurper);
    if (atomic_load(&q->lost) && (rc = lost_give(q, e)))
        return rc;
    if (q->at == q->got.Count)
        fetch(q, seconds);
    while (!rc && !r->id && q->at < q->got.Count) {
        natsMsg *message = q->got.Msgs[q->at];

        q->got.Msgs[q->at++] = NULL;
        rc = message_take(q, message, r, e);
    }
    return rc;
}

static void queue_kept(void *self)
{
    struct queue *q = self;

    for (size_t i = 0; i < q->unkepts; i++) {
        natsMsg_Ack(q->unkept[i], NULL);
        natsMsg_Destroy(q->unkept[i]);
    }
    q->unkepts = 0;
}

/* ------------------------------------------------------------- open and close -- */

static void cancel_publish(struct queue *q, uint64_t id)
{
    struct wire_cancel m = {q->link.self, id};
    uint8_t bytes[WIRE_MAX];

    js_PurgeStream(q->link.js, "KELSO_TASK", NULL, NULL);
    natsConnection_Publish(q->link.connection, "kelso.cancel", bytes,
                           (int)wire_put_cancel(bytes, &m));
}

static void queue_forget(void *self)
{
    struct queue *q = self;

    q->opens = 0;
    atomic_store(&q->open_count, 0);
    cancel_publish(q, UINT64_MAX);
}

static void queue_close(void *self)
{
    struct queue *q = self;

    atomic_store(&q->closing, true);
    if (q->beating)
        pthread_join(q->beat, NULL);
    if (q->link.connection) {
        for (size_t i = 0; i < q->unkepts; i++) /* not on our disk: for the next manager to drop */
            natsMsg_Destroy(q->unkept[i]);
        if (q->beating && !atomic_load(&q->usurped))
            notice_publish(q, true);
        natsConnection_FlushTimeout(q->link.connection, 1000);
    }
    natsMsgList_Destroy(&q->got);
    natsSubscription_Destroy(q->results);
    link_close(&q->link);
    free(q->open);
    free(q->unkept);
    free(q);
}

static const struct provers_kind queue_kind = {.room = queue_room,
                                               .give = queue_give,
                                               .collect = queue_collect,
                                               .kept = queue_kept,
                                               .forget = queue_forget,
                                               .close = queue_close};

/* (U3): the notice of a killed manager expires; a running one keeps publishing it. */
static enum status others_wait(struct queue *q, struct error *e)
{
    struct wire_notice n;
    uint64_t first, now;
    bool said = false;

    if (!link_notice(&q->link, &n, &first))
        return STATUS_OK;
    for (int ms = 0; ms < (STATE_SECONDS + 2) * 1000; ms += POLL_MS) {
        if (q->terms.stop && atomic_load(q->terms.stop))
            return error_set(e, STATUS_INTERRUPTED, "stopped");
        if (!link_notice(&q->link, &n, &now))
            return STATUS_OK;
        if (now != first)
            break;
        if (!said)
            link_say(&q->link, "waiting until the previous manager (%s) counts as gone", n.place);
        said = true;
        nats_Sleep(POLL_MS);
    }
    return error_set(e, STATUS_LOCKED, "%s: another manager is at work on this queue (%s)",
                     q->link.access->url, n.place);
}

/* Take over the queue and discard everything of an earlier manager. */
static enum status take_over(struct queue *q, struct error *e)
{
    jsSubOptions o;
    enum status rc;
    natsStatus s;

    if ((rc = others_wait(q, e)))
        return rc;
    js_DeleteConsumer(q->link.js, "KELSO_TASK", "workers", NULL, NULL);
    js_DeleteConsumer(q->link.js, "KELSO_RESULT", "manager", NULL, NULL);
    cancel_publish(q, 0);
    if ((rc = consumers_make(q, e)))
        return rc;
    jsSubOptions_Init(&o);
    o.Stream = "KELSO_RESULT";
    o.Consumer = "manager";
    s = js_PullSubscribe(&q->results, q->link.js, "kelso.result", "manager", NULL, &o, NULL);
    if (s != NATS_OK)
        return link_error(&q->link, s, "results", e);
    q->beating = pthread_create(&q->beat, NULL, beat, q) == 0;
    return q->beating ? STATUS_OK : error_set(e, STATUS_NO_MEMORY, "no thread for the queue");
}

enum status queue_provers_open(struct provers **w, const struct queue_access *a,
                               const struct queue_terms *t, struct error *e)
{
    struct queue *q = calloc(1, sizeof *q);
    enum status rc;

    *w = NULL;
    if (!q)
        return error_no_memory(e);
    q->terms = *t;
    q->rate_since = clock_seconds();
    if ((rc = tables_digest(t->tables, &q->tables, e)) ||
        (rc = link_open(&q->link, a, t->stop, e)) || (rc = take_over(q, e))) {
        queue_close(q);
        return rc;
    }
    return provers_create(w, &queue_kind, q, e);
}
