/* SPDX-License-Identifier: MIT
 *
 * The handle of probe.h: opening, closing, filling and counting, all done by the paging. */
#include "db/paging.h"
#include "db/probe.h"

#include <stdlib.h>

enum status probe_open(struct probe **out, struct catalog *c, uint64_t bytes, struct error *e)
{
    enum status rc;

    if (!(*out = calloc(1, sizeof **out)))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to probe");
    if ((rc = paging_open(&(*out)->paging, c, bytes, e))) {
        free(*out);
        *out = NULL;
    }
    return rc;
}

void probe_close(struct probe **p)
{
    if (*p)
        paging_close(&(*p)->paging);
    free(*p);
    *p = NULL;
}

struct probe_stats probe_stats(struct probe *p)
{
    struct paging *paging = &p->paging;
    struct probe_stats s = {.decoded = atomic_load(&paging->decoded),
                            .read = atomic_load(&paging->read),
                            .cache = paging->bytes};

    pthread_mutex_lock(&paging->lock);
    s.kept = paging->flat_all - paging->flat_left;
    for (int i = 0; i < SLICE_CODES; i++) {
        const struct paged_table *t = atomic_load(&paging->table[KIND_WLD][i]);

        s.flat += t && t->flat;
        s.quick += t && t->quick;
        s.compressed += t && !t->flat && !t->quick;
    }
    pthread_mutex_unlock(&paging->lock);
    return s;
}

void probe_without_flat(struct probe *p)
{
    p->paging.without_flat = true;
}

void probe_profile(struct probe *p, struct profile *profile)
{
    p->paging.profile = profile;
}

enum status probe_fill(struct probe *p, int pieces, struct crew *crew, _Atomic uint64_t *done,
                       struct error *e)
{
    return paging_fill(&p->paging, pieces, crew, done, e);
}

enum status probe_fill_slice(struct probe *p, struct slice s, struct crew *crew,
                             _Atomic uint64_t *done, struct error *e)
{
    return paging_fill_slice(&p->paging, s, crew, done, e);
}

enum status probe_pages(struct probe *p, int pieces, uint64_t *pages, struct error *e)
{
    return paging_count(&p->paging, pieces, pages, e);
}
