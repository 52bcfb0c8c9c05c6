/* SPDX-License-Identifier: MIT */
#include "serve/proofs.h"
#include "report/outcomes.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/check.h"
#include "proof/estimate.h"
#include "proof/extract.h"
#include "proof/claim_index.h"
#include "proof/outline.h"
#include "proof/roots.h"
#include "proof/store_stats.h"
#include "base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct proof {
    struct certificate certificate;
    struct claim_index index; /* of the certificate */
    double seconds;
    struct proof *next; /* older */
};

struct proofs {
    pthread_mutex_t lock; /* guards the list and the store; walks are short */
    struct store *store;  /* NULL: none */
    enum status unread;   /* why a record could not be read, since store_listen */
    struct proof *newest;
    int count;
    struct store_stats stats; /* of the store, cached ... */
    bool counted;
    double counted_at, count_again; /* ... when counted, and when to count again */
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
    assert(p->count <= PROOFS_MAX); /* (F2) */
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
        return error_set(e, STATUS_MISSING, "there are no tables that a proof could use");
    if ((rc = dfpn_open(&d, &o, e)))
        return rc;
    rc = solve_position(d, b, hint, limits, &found, e);
    *what = rc ? NULL : bounds_name(found.bounds);
    if (!rc && (found.bounds.lower > VALUE_LOSS || found.bounds.upper < VALUE_WIN) &&
        !(rc = extract_certificate(d, s->tables, b, found.bounds,
                                   (struct extract_limits){.search = limits,
                                                           .together = true,
                                                           .seconds = limits.seconds,
                                                           .stop = work->stop},
                                   &c, e)) &&
        !(rc = certificate_stands(&c, s, work->stop, e)))
        proofs_add(p, &c, found.work.seconds);
    certificate_free(&c);
    dfpn_close(&d);
    return rc;
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode); /* a pipe would be waited for */
}

int proofs_load(struct proofs *p, const struct snapshot *s, const char *dir,
                const atomic_bool *stop, struct error *e)
{
    DIR *d = opendir(dir);
    struct dirent *f;
    int stand = 0;

    if (!d)
        error_set(e, STATUS_IO, "%s: cannot be read", dir);
    while (d && !atomic_load(stop) && (f = readdir(d))) {
        const char *end = strrchr(f->d_name, '.');
        struct certificate c = {0};
        char path[4096];

        if (!end || strcmp(end, ".proof") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
        if (!is_file(path))
            error_set(e, STATUS_IO, "%s: not a file", path);
        else if (!s->tables)
            error_set(e, STATUS_MISSING, "%s: no tables to check it by", path);
        else if (!certificate_read(&c, path, e) && !certificate_stands(&c, s, stop, e))
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

/* Write a record of the store: a leaf if its successors are not part of the tree. */
static void put_record(struct json *j, const struct store_record *r)
{
    put_standing(j, r->bounds, bounds_class(r->bounds, true, r->expanded), !r->expanded, 0);
    json_object(j, "store");
    json_int(j, "score", r->score);
    json_uint(j, "searches", r->searches);
    json_uint(j, "nodes", r->nodes);
    json_end(j);
}

/* Forget why earlier records could not be read. */
static void store_listen(struct proofs *p)
{
    p->unread = STATUS_OK;
}

/* What visitors are told: not where the store is. */
static enum status store_failed(enum status rc, struct error *e)
{
    if (rc == STATUS_INTERRUPTED)
        return error_set(e, rc, "reading the store took longer than a request may take");
    return rc ? error_set(e, rc, "the store cannot be read: 'kelso proof status' tells why")
              : STATUS_OK;
}

static bool store_has(struct proofs *p, const struct board *b, struct store_record *r)
{
    enum status rc = p->store ? store_get(p->store, b, r, NULL) : STATUS_MISSING;

    if (rc && rc != STATUS_MISSING)
        p->unread = rc;
    return !rc;
}

/* Write the class of a position, in the terms of the 2007 proof's web page, and what it depends
 * on. */
static void put_class(struct json *j, struct proofs *all, const struct proof *p,
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
    else if (store_has(all, b, &r))
        put_record(j, &r);
    else
        put_standing(j, bounds_unknown, bounds_class(bounds_unknown, false, false), false, 0);
}

enum status proofs_use_store(struct proofs *p, const char *dir, struct error *e)
{
    return store_open(&p->store, dir, false, e);
}

bool proofs_has_store(const struct proofs *p)
{
    return p->store != NULL;
}

/* The newest proof that covers b, or NULL; with the lock held. */
static const struct proof *proof_about(const struct proofs *p, const struct board *b)
{
    struct bounds bounds;

    for (const struct proof *proof = p->newest; proof; proof = proof->next)
        if (claim_index_bounds(&proof->index, b, &bounds))
            return proof;
    return NULL;
}

enum status proofs_write(struct proofs *p, const struct snapshot *s, const struct board *b,
                         struct json *j, struct error *e)
{
    const struct proof *proof;
    struct move_list legal;
    char text[MOVE_TEXT_MAX];
    enum status rc;

    pthread_mutex_lock(&p->lock);
    store_listen(p);
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
    rc = store_failed(p->unread, e);
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* ------------------------------------------------------------------------- trees -- */

struct asking {
    struct proofs *proofs;
    const struct proof *proof; /* NULL: the store is asked */
};

/* Claims name what they depend on, down to the tables; a record says whether its successors are
 * part of the tree. */
static bool tree_ask(void *context, const struct board *b, struct outline_fact *fact)
{
    struct asking *a = context;
    struct store_record r;

    if (a->proof) {
        *fact = (struct outline_fact){.bounds = bounds_unknown, .expanded = true};
        return claim_index_bounds(&a->proof->index, b, &fact->bounds);
    }
    if (!store_has(a->proofs, b, &r))
        return false;
    *fact = (struct outline_fact){r.bounds, r.expanded, !r.expanded && !bounds_closed(r.bounds),
                                  r.searches, r.nodes};
    return true;
}

static void put_node(struct json *j, const struct outline *o, uint32_t i, uint32_t least)
{
    const struct outline_node *n = &o->node[i];
    struct move_list legal;
    char text[MOVE_TEXT_MAX];
    uint32_t more = 0;

    for (uint32_t k = 0; k < n->children; k++)
        more += o->node[n->first + k].size < least;
    json_object(j, NULL);
    json_uint(j, "id", i);
    if (n->move < 0) {
        json_null(j, "parent");
        json_null(j, "move");
    } else {
        moves_generate(&o->node[n->parent].board, &legal);
        move_format(&legal.move[n->move], &legal, MOVE_NUMBERS, text);
        json_uint(j, "parent", n->parent);
        json_text(j, "move", text);
    }
    put_fen(j, &n->board);
    put_bounds(j, n->fact.bounds);
    json_int(j, "level", n->level);
    json_uint(j, "size", n->size);
    json_uint(j, "open", n->open);
    json_uint(j, "searches", n->fact.searches);
    json_uint(j, "more", more);
    json_end(j);
}

static void tree_write(const struct outline *o, int nodes, bool store, struct json *j)
{
    uint32_t least = outline_least_size(o, (uint32_t)nodes);

    json_object(j, NULL);
    json_bool(j, "store", store);
    json_bool(j, "whole", o->whole);
    json_array(j, "nodes");
    for (uint32_t i = 0; i < o->count; i++)
        if (o->node[i].size >= least)
            put_node(j, o, i, least);
    json_end(j);
    json_end(j);
}

enum status proofs_write_tree(struct proofs *p, const struct board *b, int nodes,
                              const atomic_bool *stop, struct json *j, struct error *e)
{
    struct asking a = {.proofs = p};
    struct outline o;
    enum status rc;

    pthread_mutex_lock(&p->lock);
    store_listen(p);
    a.proof = proof_about(p, b);
    rc = outline_make(&o, b, tree_ask, &a, stop, e);
    if (p->unread)
        rc = store_failed(p->unread, e);
    pthread_mutex_unlock(&p->lock);
    if (!rc)
        tree_write(&o, nodes, !a.proof, j);
    outline_free(&o);
    return rc;
}

/* ------------------------------------------------------------------------- store -- */

/* Counting reads all records: it may take at most a twentieth of the time. */
static enum status stats_refresh(struct proofs *p, const struct snapshot *s,
                                 const atomic_bool *stop, struct error *e)
{
    double began = clock_seconds();
    enum status rc;

    if (p->counted && began < p->count_again)
        return STATUS_OK;
    rc = store_failed(store_stats_read(p->store, s->tables, stop, &p->stats, NULL), e);
    p->counted = !rc;
    p->counted_at = clock_seconds();
    p->count_again = p->counted_at + 1 + 20 * (p->counted_at - began);
    return rc;
}

static void put_stats(struct json *j, const struct store_stats *s)
{
    double left = store_stats_left(s);

    json_bool(j, "finished", s->finished);
    json_int(j, "threshold", s->threshold);
    json_uint(j, "positions", s->records);
    json_uint(j, "proven", s->proven);
    json_uint(j, "bounded", s->bounded);
    json_uint(j, "expanded", s->expanded);
    json_uint(j, "likely", s->likely);
    json_uint(j, "open", s->open);
    json_uint(j, "unsearched", s->unsearched);
    json_uint(j, "searches", s->searches);
    json_uint(j, "nodes", s->nodes);
    json_real(j, "search_time", s->seconds);
    if (left < 0)
        json_null(j, "left");
    else
        json_real(j, "left", left);
}

struct root_list {
    struct json *j;
    uint64_t positions; /* in the store */
};

/* Write a root of the store. */
static void put_root(void *context, const struct board *b, const struct store_record *r)
{
    const struct root_list *list = context;
    struct json *j = list->j;

    json_object(j, NULL);
    put_fen(j, b);
    if (r)
        put_record(j, r);
    else
        put_standing(j, bounds_unknown, bounds_class(bounds_unknown, true, false), true, 0);
    json_uint(j, "positions", list->positions);
    json_end(j);
}

enum status proofs_write_store(struct proofs *p, const struct snapshot *s, const atomic_bool *stop,
                               struct json *j, struct error *e)
{
    struct root_list list = {.j = j};
    enum status rc;

    if (!p->store)
        return error_set(e, STATUS_MISSING, "there is no store (kelso serve --store DIR)");
    pthread_mutex_lock(&p->lock);
    if (!(rc = stats_refresh(p, s, stop, e))) {
        list.positions = p->stats.records;
        json_object(j, NULL);
        json_array(j, "roots");
        rc = store_failed(roots_each(p->store, put_root, &list, NULL), e);
        json_end(j);
        json_real(j, "at", p->counted_at);
        put_stats(j, &p->stats);
        json_end(j);
    }
    pthread_mutex_unlock(&p->lock);
    return rc;
}

enum status proofs_write_all(struct proofs *p, const char *key, struct json *j, struct error *e)
{
    struct root_list list = {.j = j};
    enum status rc = STATUS_OK;

    pthread_mutex_lock(&p->lock);
    json_array(j, key);
    if (p->store && !(rc = store_count(p->store, &list.positions, NULL)))
        rc = roots_each(p->store, put_root, &list, NULL);
    rc = store_failed(rc, e);
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
    return rc;
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
