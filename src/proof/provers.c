/* SPDX-License-Identifier: MIT */
#include "proof/provers.h"

#include <stdlib.h>

struct provers {
    const struct provers_kind *kind;
    void *self;
    uint64_t last, forgotten; /* ids: the last one given, the last one forgotten */
};

enum status provers_create(struct provers **out, const struct provers_kind *kind, void *self,
                           struct error *e)
{
    struct provers *w = calloc(1, sizeof *w);

    *out = w;
    if (!w) {
        kind->close(self);
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for provers");
    }
    w->kind = kind;
    w->self = self;
    return STATUS_OK;
}

void provers_close(struct provers **w)
{
    if (*w)
        (*w)->kind->close((*w)->self);
    free(*w);
    *w = NULL;
}

int provers_room(struct provers *w)
{
    return w->kind->room(w->self);
}

enum status provers_give(struct provers *w, const struct prover_task *task, uint64_t *id,
                         struct error *e)
{
    *id = ++w->last;
    return w->kind->give(w->self, *id, task, e);
}

enum status provers_collect(struct provers *w, double seconds, struct prover_result *r,
                            struct error *e)
{
    enum status rc;

    r->id = 0;
    do
        rc = w->kind->collect(w->self, seconds, r, e);
    while (r->id && r->id <= w->forgotten);
    return rc;
}

void provers_kept(struct provers *w)
{
    if (w->kind->kept)
        w->kind->kept(w->self);
}

void provers_forget(struct provers *w)
{
    w->forgotten = w->last;
    if (w->kind->forget)
        w->kind->forget(w->self);
}
