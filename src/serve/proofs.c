/* SPDX-License-Identifier: MIT */
#include "serve/proofs.h"
#include "report/outcomes.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/check.h"
#include "proof/extract.h"
#include "proof/claim_index.h"
#include "proof/roots.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct proof {
    struct certificate certificate;
    struct claim_index index; /* of the certificate */
    double seconds;
    struct proof *next; /* older */
};

struct proofs {
    pthread_mutex_t lock; /* guards the list and the store; walks are short */
    struct store *store;  /* NULL: none */
    struct proof *newest;
    int count;
};

/* ---------------------------------------------------------------------- adding -- */

static void proof_free(struct proof *p)
{
    certificate_free(&p->certificate);
    claim_index_close(&p->index);
    free(p);
}

static void proofs_forget_oldest(struct proofs *p) /* with the lock held */
{
    struct proof **at = &p->newest;

    while ((*at)->next)
        at = &(*at)->next;
    proof_free(*at);
    *at = NULL;
    p->count--;
}

void proofs_add(struct proofs *p, struct certificate *c, double seconds)
{
    struct proof *proof = calloc(1, sizeof *proof);

    if (!proof) {
        certificate_free(c);
        return;
    }
    *proof = (struct proof){.certificate = *c, .seconds = seconds};
    *c = (struct certificate){0};
    if (claim_index_open(&proof->index, &proof->certificate, NULL)) {
        proof_free(proof);
        return;
    }
    pthread_mutex_lock(&p->lock);
    proof->next = p->newest;
    p->newest = proof;
    if (++p->count > PROOFS_MAX)
        proofs_forget_oldest(p);
    pthread_mutex_unlock(&p->lock);
}

static enum status certificate_stands(const struct certificate *c, const struct snapshot *s,
                                      const atomic_bool *stop, struct error *e)
{
    struct check_options o = {.tables = s->tables, .resolve_limit = 1000000, .stop = stop};
    struct check_result result;

    return check_certificate(c, &o, &result, e);
}

enum status proofs_prove(struct proofs *p, const struct snapshot *s, const struct board *b,
                         const struct prove_work *work, const char **what, struct error *e)
{
    struct dfpn_options o = {.tables = s->tables,
                             .memory = work->memory,
                             .threads = work->threads,
                             .knobs = dfpn_default,
                             .stop = work->stop,
                             .done = work->nodes};
    struct dfpn_limits limits = {work->seconds, 0};
    struct solve_hint hint = {bounds_unknown, estimate_material(b, b->turn)};
    struct certificate c = {0};
    struct solution found;
    struct dfpn *d = NULL;
    enum status rc;

    if (!s->tables)
        return error_set(e, STATUS_MISSING, "there are no tables that a proof could rest on");
    if ((rc = dfpn_open(&d, &o, e)))
        return rc;
    rc = solve_position(d, b, hint, limits, &found, e);
    *what = rc ? NULL : bounds_name(found.bounds);
    if (!rc && (found.bounds.lower > VALUE_LOSS || found.bounds.upper < VALUE_WIN) &&
        !(rc = extract_certificate(d, s->tables, b, found.bounds, limits, &c, e)) &&
        !(rc = certificate_stands(&c, s, work->stop, e)))
        proofs_add(p, &c, found.work.seconds);
    certificate_free(&c);
    dfpn_close(&d);
    return rc;
}

int proofs_load(struct proofs *p, const struct snapshot *s, const char *dir, struct error *e)
{
    DIR *d = opendir(dir);
    struct dirent *f;
    int stand = 0;

    if (!d)
        error_set(e, STATUS_IO, "%s: cannot be read", dir);
    while (d && (f = readdir(d))) {
        const char *end = strrchr(f->d_name, '.');
        struct certificate c = {0};
        char path[4096];

        if (!end || strcmp(end, ".proof") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
        if (!s->tables)
            error_set(e, STATUS_MISSING, "%s: no tables to check it by", path);
        else if (!certificate_read(&c, path, e) && !certificate_stands(&c, s, NULL, e))
            stand++, proofs_add(p, &c, 0);
        certificate_free(&c);
    }
    if (d)
        closedir(d);
    return stand;
}

/* ---------------------------------------------------------------------- telling -- */

static void put_bounds(struct json *j, struct bounds b)
{
    json_text(j, "lower", value_name(b.lower));
    json_text(j, "upper", value_name(b.upper));
}

static void put_fen(struct json *j, const struct board *b)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    json_text(j, "fen", fen);
}

static void put_standing(struct json *j, struct bounds bounds, const char *class, bool leaf,
                         uint64_t size)
{
    put_bounds(j, bounds);
    json_text(j, "class", class);
    json_bool(j, "leaf", leaf);
    json_uint(j, "size", size);
}

/* What the store says: a leaf if its successors are not part of the tree. */
static void put_record(struct json *j, const struct store_record *r)
{
    put_standing(j, r->bounds, bounds_class(r->bounds, true, r->expanded), !r->expanded, 0);
    json_object(j, "store");
    json_int(j, "score", r->score);
    json_uint(j, "searches", r->searches);
    json_uint(j, "nodes", r->nodes);
    json_end(j);
}

/* The class of a position, as the page of the 2007 proof had them, and what it rests on. */
static void put_class(struct json *j, const struct proofs *all, const struct proof *p,
                      const struct snapshot *s, const struct board *b)
{
    struct bounds bounds = bounds_unknown;
    struct store_record r;
    struct outcome o;

    if (!s->source.outcome(s->source.context, b, KIND_WLD, &o, NULL))
        put_standing(j, (struct bounds){o.value, o.value}, value_name(o.value), true, 0);
    else if (p && claim_index_bounds(&p->index, b, &bounds))
        put_standing(j, bounds, bounds_name(bounds), false,
                     claim_index_size(&p->index, b, PROOF_SIZE_MAX));
    else if (all->store && !store_get(all->store, b, &r, NULL))
        put_record(j, &r);
    else
        put_standing(j, bounds_unknown, bounds_class(bounds_unknown, false, false), false, 0);
}

enum status proofs_use_store(struct proofs *p, const char *dir, struct error *e)
{
    return store_open(&p->store, dir, false, e);
}

/* The newest proof that speaks of b, or NULL; with the lock held. */
static const struct proof *proof_about(const struct proofs *p, const struct board *b)
{
    struct bounds bounds;

    for (const struct proof *proof = p->newest; proof; proof = proof->next)
        if (claim_index_bounds(&proof->index, b, &bounds))
            return proof;
    return NULL;
}

void proofs_write(struct proofs *p, const struct snapshot *s, const struct board *b, struct json *j)
{
    const struct proof *proof;
    struct move_list legal;
    char text[MOVE_TEXT_MAX];

    pthread_mutex_lock(&p->lock);
    proof = proof_about(p, b);
    json_object(j, NULL);
    put_fen(j, b);
    put_class(j, p, proof, s, b);
    moves_generate(b, &legal);
    json_array(j, "moves");
    for (int i = 0; i < legal.count; i++) {
        struct board next = board_after(b, &legal.move[i]);

        move_format(&legal.move[i], &legal, MOVE_NUMBERS, text);
        json_object(j, NULL);
        json_text(j, "move", text);
        put_fen(j, &next);
        put_class(j, p, proof, s, &next);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    pthread_mutex_unlock(&p->lock);
}

/* A position that the store was asked about. */
static void put_root(void *context, const struct board *b, const struct store_record *r)
{
    struct json *j = context;

    json_object(j, NULL);
    put_fen(j, b);
    if (r)
        put_record(j, r);
    else
        put_standing(j, bounds_unknown, bounds_class(bounds_unknown, true, false), true, 0);
    json_end(j);
}

void proofs_write_all(struct proofs *p, const char *key, struct json *j)
{
    pthread_mutex_lock(&p->lock);
    json_array(j, key);
    if (p->store)
        roots_each(p->store, put_root, j, NULL);
    for (const struct proof *proof = p->newest; proof; proof = proof->next) {
        const struct certificate *c = &proof->certificate;
        struct bounds bounds = {c->lower, c->upper};

        json_object(j, NULL);
        put_fen(j, &c->root);
        put_bounds(j, bounds);
        json_text(j, "class", bounds_name(bounds));
        json_uint(j, "claims", c->claims);
        json_real(j, "seconds", proof->seconds);
        json_end(j);
    }
    json_end(j);
    pthread_mutex_unlock(&p->lock);
}

/* ------------------------------------------------------------------ open, close -- */

struct proofs *proofs_open(void)
{
    struct proofs *p = calloc(1, sizeof *p);

    if (p)
        pthread_mutex_init(&p->lock, NULL);
    return p;
}

void proofs_close(struct proofs **p)
{
    if (!*p)
        return;
    while ((*p)->newest)
        proofs_forget_oldest(*p);
    store_close(&(*p)->store);
    pthread_mutex_destroy(&(*p)->lock);
    free(*p);
    *p = NULL;
}
