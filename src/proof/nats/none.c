/* SPDX-License-Identifier: MIT
 *
 * Stubs for a build without NATS. */
#include "proof/queue.h"

static enum status none(struct error *e)
{
    return error_set(e, STATUS_MISSING,
                     "this kelso was built without a queue: install libnats-dev, then make NATS=1");
}

enum status queue_provers_open(struct provers **w, const struct queue_access *a,
                               const struct queue_terms *t, struct error *e)
{
    (void)a, (void)t;
    *w = NULL;
    return none(e);
}

enum status queue_work(const struct queue_access *a, const struct queue_worker *o, struct error *e)
{
    (void)a, (void)o;
    return none(e);
}

enum status queue_status_read(const struct queue_access *a, struct queue_status *out,
                              struct error *e)
{
    (void)a;
    *out = (struct queue_status){0};
    return none(e);
}
