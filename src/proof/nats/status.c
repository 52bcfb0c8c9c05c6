/* SPDX-License-Identifier: MIT
 *
 * Who is at work on a queue. */
#include "base/array.h"
#include "base/clock.h"
#include "proof/nats/link.h"

#include <stdlib.h>

enum { LIST_MS = 300, LIST_SECONDS = 2 };

/* A worker may report again while we listen. */
static enum status worker_note(struct queue_status *out, const struct wire_worker *w,
                               struct error *e)
{
    size_t i = 0;

    while (i < out->workers && out->worker[i].worker != w->worker)
        i++;
    if (!array_room((void **)&out->worker, &out->room, i + 1, sizeof *out->worker))
        return error_no_memory(e);
    out->worker[i] = *w;
    out->workers += i == out->workers;
    return STATUS_OK;
}

static enum status workers_read(struct queue_link *l, struct queue_status *out, struct error *e)
{
    natsSubscription *sub = NULL;
    natsMsg *message;
    jsSubOptions o;
    natsStatus s;
    double end = clock_seconds() + LIST_SECONDS;
    enum status rc = STATUS_OK;

    jsSubOptions_Init(&o);
    o.Config.DeliverPolicy = js_DeliverLastPerSubject;
    o.Config.AckPolicy = js_AckNone;
    s = js_SubscribeSync(&sub, l->js, "kelso.state.worker.*", NULL, &o, NULL);
    if (s != NATS_OK)
        return link_error(l, s, "workers", e);
    while (!rc && clock_seconds() < end &&
           natsSubscription_NextMsg(&message, sub, LIST_MS) == NATS_OK) {
        struct wire_worker w;
        struct error ignored;

        if (!wire_get_worker(&w, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message),
                             &ignored))
            rc = worker_note(out, &w, e);
        natsMsg_Destroy(message);
    }
    natsSubscription_Unsubscribe(sub);
    natsSubscription_Destroy(sub);
    return rc;
}

enum status queue_status_read(const struct queue_access *a, struct queue_status *out,
                              struct error *e)
{
    jsConsumerInfo *tasks = NULL, *results = NULL;
    struct queue_link l;
    uint64_t sequence;
    enum status rc;

    *out = (struct queue_status){0};
    if ((rc = link_open(&l, a, NULL, e)))
        return rc;
    out->manager = link_notice(&l, &out->notice, &sequence);
    if (js_GetConsumerInfo(&tasks, l.js, "KELSO_TASK", "workers", NULL, NULL) == NATS_OK) {
        out->pending = tasks->NumPending;
        out->under_way = (uint64_t)tasks->NumAckPending;
        out->redelivered = (uint64_t)tasks->NumRedelivered;
        out->waiting = (uint64_t)tasks->NumWaiting;
    }
    if (js_GetConsumerInfo(&results, l.js, "KELSO_RESULT", "manager", NULL, NULL) == NATS_OK)
        out->results = results->NumPending + (uint64_t)results->NumAckPending;
    jsConsumerInfo_Destroy(tasks);
    jsConsumerInfo_Destroy(results);
    rc = workers_read(&l, out, e);
    link_close(&l);
    return rc;
}
