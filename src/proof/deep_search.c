/* SPDX-License-Identifier: MIT */
#include "proof/deep_search.h"

#include <pthread.h>
#include <stdlib.h>

struct deep_search {
    pthread_mutex_t lock; /* held by the prover that has it */
    struct dfpn *dfpn;
    struct board of; /* what it has searched; no pieces: nothing yet */
};

enum status deep_search_open(struct deep_search **out, const struct tables *tables, uint64_t memory,
                             struct error *e)
{
    struct dfpn_options o = {
        .tables = tables, .memory = memory, .threads = 1, .knobs = dfpn_default};
    struct deep_search *d = calloc(1, sizeof *d);
    enum status rc;

    *out = d;
    if (!d)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for a deep search");
    pthread_mutex_init(&d->lock, NULL);
    if ((rc = dfpn_open(&d->dfpn, &o, e)))
        deep_search_close(out);
    return rc;
}

void deep_search_close(struct deep_search **d)
{
    if (*d) {
        dfpn_close(&(*d)->dfpn);
        pthread_mutex_destroy(&(*d)->lock);
    }
    free(*d);
    *d = NULL;
}

struct dfpn *deep_search_borrow(struct deep_search *d, const struct board *b,
                                const atomic_bool *stop)
{
    if (pthread_mutex_trylock(&d->lock))
        return NULL;
    if (!board_equal(&d->of, b))
        dfpn_clear(d->dfpn);
    d->of = *b;
    dfpn_stop_on(d->dfpn, stop);
    return d->dfpn;
}

void deep_search_return(struct deep_search *d)
{
    pthread_mutex_unlock(&d->lock);
}
