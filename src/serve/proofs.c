/* SPDX-License-Identifier: MIT */
#include "serve/proofs.h"
#include "report/outcomes.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/check.h"
#include "proof/extract.h"
#include "proof/store.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct proof {
    struct certificate certificate;
    uint32_t *order; /* numbers of claims, sorted by position */
    double seconds;
    struct proof *next; /* older */
};

struct proofs {
    pthread_mutex_t lock; /* guards the list and the store; walks are short */
    struct store *store;  /* NULL: none */
    struct proof *newest;
    int count;
};

/* --------------------------------------------------------------------- finding -- */

static int claim_compare(const struct claim *a, const struct claim *b)
{
    if (a->black != b->black)
        return a->black < b->black ? -1 : 1;
    if (a->white != b->white)
        return a->white < b->white ? -1 : 1;
    if (a->kings != b->kings)
        return a->kings < b->kings ? -1 : 1;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

static int order_compare(const void *a, const void *b, void *claims)
{
    const struct claim *claim = claims;

    return claim_compare(&claim[*(const uint32_t *)a], &claim[*(const uint32_t *)b]);
}

static struct claim claim_of(const struct board *b)
{
    return (struct claim){.black = squares_pack(b->side[BLACK]),
                          .white = squares_pack(b->side[WHITE]),
                          .kings = squares_pack(b->kings),
                          .turn = (uint8_t)b->turn};
}

/* The first place in the order whose position is not before b's. */
static size_t proof_find(const struct proof *p, const struct claim *wanted)
{
    size_t low = 0, high = p->certificate.claims;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (claim_compare(&p->certificate.claim[p->order[middle]], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a claim says of the side to move. */
static void bounds_narrow(struct bounds *bounds, const struct claim *c)
{
    bool ours = c->attacker == c->turn;

    if (c->wins && ours)
        bounds->lower = VALUE_WIN;
    else if (c->wins)
        bounds->upper = VALUE_LOSS;
    else if (ours && bounds->upper > VALUE_DRAW)
        bounds->upper = VALUE_DRAW;
    else if (!ours && bounds->lower < VALUE_DRAW)
        bounds->lower = VALUE_DRAW;
}

/* False if the proof says nothing of b. */
static bool proof_bounds(const struct proof *p, const struct board *b, struct bounds *out)
{
    struct claim wanted = claim_of(b);
    size_t first = proof_find(p, &wanted), i = first;

    *out = bounds_unknown;
    for (; i < p->certificate.claims; i++) {
        const struct claim *c = &p->certificate.claim[p->order[i]];

        if (claim_compare(c, &wanted) != 0)
            break;
        bounds_narrow(out, c);
    }
    return i > first;
}

/* ---------------------------------------------------------------------- adding -- */

static void proof_free(struct proof *p)
{
    certificate_free(&p->certificate);
    free(p->order);
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
    uint32_t *order = calloc(c->claims + 1, sizeof *order);

    if (!proof || !order) {
        free(proof);
        free(order);
        certificate_free(c);
        return;
    }
    for (size_t i = 0; i < c->claims; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, c->claims, sizeof *order, order_compare, c->claim);
    *proof = (struct proof){.certificate = *c, .order = order, .seconds = seconds};
    *c = (struct certificate){0};
    pthread_mutex_lock(&p->lock);
    proof->next = p->newest;
    p->newest = proof;
    if (++p->count > PROOFS_MAX)
        proofs_forget_oldest(p);
    pthread_mutex_unlock(&p->lock);
}

static enum status certificate_stands(const struct certificate *c, const struct snapshot *s,
                                      struct error *e)
{
    struct check_options o = {.tables = s->tables, .resolve_limit = 1000000};
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
        !(rc = certificate_stands(&c, s, e)))
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
        else if (!certificate_read(&c, path, e) && !certificate_stands(&c, s, e))
            stand++, proofs_add(p, &c, 0);
        certificate_free(&c);
    }
    if (d)
        closedir(d);
    return stand;
}

/* --------------------------------------------------------------------- walking -- */

/* How many claims a position rests on, itself included: a walk over what is named. */
struct walk {
    const struct proof *proof;
    uint8_t *seen; /* a bit for each claim */
    uint32_t *stack;
    size_t count, size;
};

static void walk_add(struct walk *w, const struct board *b)
{
    struct claim wanted = claim_of(b);

    for (size_t i = proof_find(w->proof, &wanted); i < w->proof->certificate.claims; i++) {
        uint32_t number = w->proof->order[i];

        if (claim_compare(&w->proof->certificate.claim[number], &wanted) != 0)
            return;
        if (w->seen[number / 8] >> number % 8 & 1 || w->size >= PROOF_SIZE_MAX)
            continue;
        w->seen[number / 8] |= (uint8_t)(1u << number % 8);
        w->stack[w->count++] = number;
        w->size++;
    }
}

/* Is this the move that the claim names, or are all asked for? */
static bool claim_follows(const struct claim *c, const struct move *m)
{
    return !c->from || (square_number(m->from) == c->from && square_number(m->to) == c->to);
}

static size_t proof_size(const struct proof *p, const struct board *b)
{
    struct walk w = {.proof = p,
                     .seen = calloc(p->certificate.claims / 8 + 1, 1),
                     .stack = malloc((PROOF_SIZE_MAX + 8) * sizeof *w.stack)};

    if (w.seen && w.stack)
        walk_add(&w, b);
    while (w.count > 0) {
        const struct claim *c = &p->certificate.claim[w.stack[--w.count]];
        struct board at = claim_board(c);
        struct move_list legal;

        moves_generate(&at, &legal);
        for (int i = 0; i < legal.count; i++) {
            struct board next = board_after(&at, &legal.move[i]);

            if (claim_follows(c, &legal.move[i]))
                walk_add(&w, &next);
        }
    }
    free(w.seen);
    free(w.stack);
    return w.size;
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
static bool put_record(struct json *j, struct store *store, const struct board *b)
{
    struct store_record r;
    bool open;

    if (!store || store_get(store, b, &r, NULL))
        return false;
    open = r.bounds.lower == VALUE_LOSS && r.bounds.upper == VALUE_WIN;
    put_standing(j, r.bounds, open ? "unresolved" : bounds_name(r.bounds), !r.expanded, 0);
    json_object(j, "store");
    json_int(j, "score", r.score);
    json_uint(j, "searches", r.searches);
    json_uint(j, "nodes", r.nodes);
    json_end(j);
    return true;
}

/* The class of a position, as the page of the 2007 proof had them, and what it rests on. */
static void put_class(struct json *j, const struct proofs *all, const struct proof *p,
                      const struct snapshot *s, const struct board *b)
{
    struct bounds bounds = bounds_unknown;
    struct outcome o;

    if (!s->source.outcome(s->source.context, b, KIND_WLD, &o, NULL))
        put_standing(j, (struct bounds){o.value, o.value}, value_name(o.value), true, 0);
    else if (p && proof_bounds(p, b, &bounds))
        put_standing(j, bounds, bounds_name(bounds), false, proof_size(p, b));
    else if (!put_record(j, all->store, b))
        put_standing(j, bounds_unknown, "not in the tree", false, 0);
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
        if (proof_bounds(proof, b, &bounds))
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

/* What is being proven in the store: one FEN to a line (cli/cmd_prove.c). */
static void put_roots(struct store *store, struct json *j)
{
    char *roots = NULL, *save = NULL;

    if (!store || store_get_text(store, "roots", &roots, NULL))
        return;
    for (char *fen = strtok_r(roots, "\n", &save); fen; fen = strtok_r(NULL, "\n", &save)) {
        struct text_error error;
        struct board b;

        if (!fen_parse(fen, strlen(fen), &b, &error))
            continue;
        json_object(j, NULL);
        put_fen(j, &b);
        if (!put_record(j, store, &b))
            put_standing(j, bounds_unknown, "unresolved", true, 0);
        json_end(j);
    }
    free(roots);
}

void proofs_write_all(struct proofs *p, const char *key, struct json *j)
{
    pthread_mutex_lock(&p->lock);
    json_array(j, key);
    put_roots(p->store, j);
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
