/* SPDX-License-Identifier: MIT */
#include "proof/wire.h"
#include "base/bytes.h"
#include "proof/store_codec.h"
#include "search/score.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { SEAL = 8, FLAG_IDLE_BLACK = 1, FLAG_IDLE_WHITE = 2, FLAG_TABLE = 4 };

static const uint64_t year = UINT64_C(366) * 86400 * 1000000; /* microseconds */

/* --------------------------------------------------------------------- writing -- */

struct writer {
    uint8_t *at;
    size_t n, room;
};

static void put(struct writer *w, int size, uint64_t x)
{
    assert(w->n + (size_t)size <= w->room);
    bytes_put(w->at + w->n, size, x);
    w->n += (size_t)size;
}

static void put_bytes(struct writer *w, const void *bytes, size_t n)
{
    assert(w->n + n <= w->room);
    memcpy(w->at + w->n, bytes, n);
    w->n += n;
}

/* A text in a field of fixed size, the rest zeros. */
static void put_field(struct writer *w, const char *text, size_t size)
{
    char field[WIRE_PLACE] = {0};

    assert(size <= sizeof field);
    memcpy(field, text, strnlen(text, size - 1));
    put_bytes(w, field, size);
}

static void put_board(struct writer *w, const struct board *b)
{
    uint8_t key[STORE_KEY];

    store_key_encode(b, key);
    put_bytes(w, key, sizeof key);
}

static void put_bounds(struct writer *w, struct bounds b)
{
    put(w, 1, (uint64_t)(b.lower + 4 * b.upper));
}

static uint64_t microseconds_of(double seconds)
{
    double us = seconds > 0 ? seconds * 1e6 : 0;

    return us < (double)year ? (uint64_t)llrint(us) : year;
}

static struct writer begin(uint8_t *out, char kind, uint64_t run)
{
    struct writer w = {out, 0, WIRE_MAX};

    put_bytes(&w, "kq", 2);
    put(&w, 1, (uint64_t)kind);
    put(&w, 1, WIRE_VERSION);
    put(&w, 8, run);
    return w;
}

static size_t finish(struct writer *w)
{
    put(w, SEAL, XXH3_64bits(w->at, w->n));
    return w->n;
}

/* --------------------------------------------------------------------- reading -- */

struct reader {
    const uint8_t *at;
    size_t n, size; /* read, and without the seal */
    bool bad;
};

static uint64_t get(struct reader *r, int size)
{
    uint64_t x = 0;

    if (r->bad || r->size - r->n < (size_t)size)
        r->bad = true;
    else
        x = bytes_get(r->at + r->n, size);
    r->n += r->bad ? 0 : (size_t)size;
    return x;
}

static uint64_t get_at_most(struct reader *r, int size, uint64_t most)
{
    uint64_t x = get(r, size);

    r->bad |= x > most;
    return x <= most ? x : 0;
}

static bool printable(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return true;
}

static void get_text(struct reader *r, char *out, size_t n)
{
    if (r->bad || r->size - r->n < n) {
        r->bad = true;
        out[0] = 0;
        return;
    }
    memcpy(out, r->at + r->n, n);
    r->n += n;
}

/* (Q1): only zeros follow the text. */
static void get_field(struct reader *r, char *out, size_t size)
{
    size_t length;

    memset(out, 0, size);
    get_text(r, out, size);
    length = strnlen(out, size);
    r->bad |= length == size || !printable(out, length);
    for (size_t i = length; !r->bad && i < size; i++)
        r->bad |= out[i] != 0;
    out[size - 1] = 0;
}

static void get_board(struct reader *r, struct board *b)
{
    uint8_t key[STORE_KEY] = {0};

    get_text(r, (char *)key, sizeof key);
    r->bad = r->bad || !store_key_decode(key, sizeof key, b);
}

static struct bounds get_bounds(struct reader *r)
{
    unsigned x = (unsigned)get(r, 1);
    struct bounds b = {(enum value)(x & 3), (enum value)(x >> 2)};

    if (x >> 2 > VALUE_WIN || (x & 3) > x >> 2) {
        r->bad = true;
        return bounds_unknown;
    }
    return b;
}

static int get_score(struct reader *r)
{
    int score = (int16_t)get(r, 2);

    r->bad |= abs(score) > SCORE_EVAL_MAX;
    return score;
}

static double get_seconds(struct reader *r)
{
    return (double)get_at_most(r, 8, year) / 1e6;
}

static enum status open(struct reader *r, const void *bytes, size_t n, char kind, uint64_t *run,
                        struct error *e)
{
    const uint8_t *at = bytes;

    *r = (struct reader){.at = at, .size = n < SEAL ? 0 : n - SEAL};
    if (n < 12 + SEAL || n > (kind == 'r' ? WIRE_RESULT_MAX : WIRE_MAX) || memcmp(at, "kq", 2) != 0)
        return error_set(e, STATUS_FORMAT, "a message of %zu bytes that is not from kelso", n);
    if (at[3] != WIRE_VERSION)
        return error_set(e, STATUS_FORMAT,
                         "a message of version %d, expected %d: give all machines the same kelso",
                         at[3], WIRE_VERSION);
    if (bytes_get(at + r->size, SEAL) != XXH3_64bits(at, r->size))
        return error_set(e, STATUS_DAMAGED, "a message whose seal is broken");
    if (at[2] != kind)
        return error_set(e, STATUS_FORMAT, "a message of another kind, expected '%c'", kind);
    r->n = 4;
    *run = get(r, 8);
    return STATUS_OK;
}

static enum status done(const struct reader *r, struct error *e)
{
    if (!r->bad && r->n == r->size)
        return STATUS_OK;
    return error_set(e, STATUS_FORMAT, "a message with an impossible value at byte %zu", r->n);
}

/* --------------------------------------------------------------------- notices -- */

size_t wire_put_notice(uint8_t out[WIRE_MAX], const struct wire_notice *m)
{
    struct writer w = begin(out, 'n', m->run);

    put_field(&w, m->program, WIRE_PROGRAM);
    put(&w, 8, m->tables);
    put(&w, 1, (uint64_t)m->pieces);
    put(&w, 1, m->leaving);
    put(&w, 1, m->deep);
    put_field(&w, m->place, WIRE_PLACE);
    put(&w, 8, m->given);
    put(&w, 8, m->results);
    put(&w, 8, m->dropped);
    put(&w, 8, m->again);
    put(&w, 8, m->milli_per_second);
    put(&w, 8, m->audits);
    return finish(&w);
}

enum status wire_get_notice(struct wire_notice *m, const void *bytes, size_t n, struct error *e)
{
    struct reader r;
    enum status rc;

    *m = (struct wire_notice){0};
    if ((rc = open(&r, bytes, n, 'n', &m->run, e)))
        return rc;
    get_field(&r, m->program, WIRE_PROGRAM);
    m->tables = get(&r, 8);
    m->pieces = (int)get_at_most(&r, 1, 24);
    m->leaving = get_at_most(&r, 1, 1);
    m->deep = get_at_most(&r, 1, 1);
    get_field(&r, m->place, WIRE_PLACE);
    m->given = get(&r, 8);
    m->results = get(&r, 8);
    m->dropped = get(&r, 8);
    m->again = get(&r, 8);
    m->milli_per_second = get(&r, 8);
    m->audits = get(&r, 8);
    return done(&r, e);
}

/* ----------------------------------------------------------------------- tasks -- */

size_t wire_put_task(uint8_t out[WIRE_MAX], const struct wire_task *m)
{
    struct writer w = begin(out, 't', m->run);
    const struct prover_task *t = &m->task;

    put(&w, 8, m->id);
    put(&w, 8, m->tables);
    put_field(&w, m->program, WIRE_PROGRAM);
    put_board(&w, &t->board);
    put(&w, 4, (uint32_t)t->threshold);
    put_bounds(&w, t->known);
    put(&w, 1,
        (t->idle[BLACK] ? FLAG_IDLE_BLACK : 0) | (t->idle[WHITE] ? FLAG_IDLE_WHITE : 0) |
            FLAG_TABLE * t->table);
    put(&w, 8, t->avoid);
    put(&w, 8, microseconds_of(t->limits.look));
    put(&w, 8, microseconds_of(t->limits.solve));
    put(&w, 8, t->limits.look_nodes);
    put(&w, 8, t->limits.solve_nodes);
    put(&w, 4, t->claims);
    return finish(&w);
}

enum status wire_get_task(struct wire_task *m, const void *bytes, size_t n, struct error *e)
{
    struct prover_task *t = &m->task;
    struct reader r;
    enum status rc;
    unsigned flags;

    *m = (struct wire_task){0};
    if ((rc = open(&r, bytes, n, 't', &m->run, e)))
        return rc;
    m->id = get(&r, 8);
    m->tables = get(&r, 8);
    get_field(&r, m->program, WIRE_PROGRAM);
    get_board(&r, &t->board);
    t->threshold = (int)get_at_most(&r, 4, INT32_MAX / 4);
    t->known = get_bounds(&r);
    flags =
        (unsigned)get_at_most(&r, 1, FLAG_IDLE_BLACK + FLAG_IDLE_WHITE + FLAG_TABLE * PROVER_DEEP);
    t->idle[BLACK] = flags & FLAG_IDLE_BLACK;
    t->idle[WHITE] = flags & FLAG_IDLE_WHITE;
    t->table = flags / FLAG_TABLE;
    t->avoid = get(&r, 8);
    t->limits.look = get_seconds(&r);
    t->limits.solve = get_seconds(&r);
    t->limits.look_nodes = get(&r, 8);
    t->limits.solve_nodes = get(&r, 8);
    t->claims = (uint32_t)get(&r, 4);
    return done(&r, e);
}

/* --------------------------------------------------------------------- results -- */

static void put_claims(struct writer *w, const struct prover_claims *c)
{
    put(w, 1, c->kept);
    put(w, 1, c->wins);
    put(w, 4, c->size);
    w->room += c->size;
    if (c->size)
        put_bytes(w, c->bytes, c->size);
}

static void get_claims(struct reader *r, struct prover_claims *c)
{
    c->kept = (enum claims_kept)get_at_most(r, 1, CLAIMS_LOST);
    c->wins = get_at_most(r, 1, 1);
    c->size = (size_t)get_at_most(r, 4, WIRE_CLAIMS);
    r->bad |= (c->kept == CLAIMS_KEPT) != (c->size > 0) || r->size - r->n < c->size;
    if (r->bad)
        *c = (struct prover_claims){0};
    c->bytes = c->size ? r->at + r->n : NULL;
    r->n += c->size;
}

static void put_found(struct writer *w, const struct prover_result *x)
{
    put_board(w, &x->board);
    put_bounds(w, x->bounds);
    put(w, 2, (uint16_t)(int16_t)x->score);
    put(w, 4, (uint32_t)x->threshold);
    put(w, 1, x->solved);
    put(w, 8, x->nodes);
    put(w, 8, microseconds_of(x->seconds));
    put(w, 1, (uint64_t)x->moves);
    for (int i = 0; i < x->moves; i++)
        for (int k = 0; k < 4; k++)
            put(w, 4, k < 2 ? x->after[i].proof[k] : x->after[i].disproof[k - 2]);
    put_claims(w, &x->claims[BLACK]);
    put_claims(w, &x->claims[WHITE]);
}

static void get_found(struct reader *r, struct prover_result *x)
{
    get_board(r, &x->board);
    x->bounds = get_bounds(r);
    x->score = get_score(r);
    x->threshold = (int)get_at_most(r, 4, INT32_MAX / 4);
    x->solved = get_at_most(r, 1, 1);
    x->nodes = get(r, 8);
    x->seconds = get_seconds(r);
    x->moves = (int)get_at_most(r, 1, MOVES_MAX);
    for (int i = 0; i < x->moves; i++)
        for (int k = 0; k < 4; k++) {
            uint32_t number = (uint32_t)get(r, 4);

            if (k < 2)
                x->after[i].proof[k] = number;
            else
                x->after[i].disproof[k - 2] = number;
        }
    get_claims(r, &x->claims[BLACK]);
    get_claims(r, &x->claims[WHITE]);
}

size_t wire_put_result(uint8_t *out, const struct wire_result *m)
{
    struct writer w = begin(out, 'r', m->run);
    size_t length = strnlen(m->text, WIRE_TEXT - 1);

    put(&w, 8, m->id);
    put(&w, 8, m->worker);
    put(&w, 1, (uint64_t)m->deliveries);
    put(&w, 1, (uint64_t)m->status);
    put(&w, 2, length);
    put_bytes(&w, m->text, length);
    if (!m->status)
        put_found(&w, &m->result);
    return finish(&w);
}

enum status wire_get_result(struct wire_result *m, const void *bytes, size_t n, struct error *e)
{
    struct reader r;
    enum status rc;
    size_t length;

    *m = (struct wire_result){0};
    if ((rc = open(&r, bytes, n, 'r', &m->run, e)))
        return rc;
    m->id = get(&r, 8);
    m->worker = get(&r, 8);
    m->deliveries = (int)get(&r, 1);
    m->status = (enum status)get_at_most(&r, 1, STATUS_POSITION);
    length = (size_t)get_at_most(&r, 2, WIRE_TEXT - 1);
    get_text(&r, m->text, length);
    r.bad |= !r.bad && !printable(m->text, length);
    if (!r.bad && !m->status)
        get_found(&r, &m->result);
    m->result.id = m->id;
    m->result.worker = m->worker;
    return done(&r, e);
}

/* ------------------------------------------------------------- cancel, workers -- */

size_t wire_put_cancel(uint8_t out[WIRE_MAX], const struct wire_cancel *m)
{
    struct writer w = begin(out, 'c', m->run);

    put(&w, 8, m->id);
    return finish(&w);
}

enum status wire_get_cancel(struct wire_cancel *m, const void *bytes, size_t n, struct error *e)
{
    struct reader r;
    enum status rc = open(&r, bytes, n, 'c', &m->run, e);

    if (rc)
        return rc;
    m->id = get(&r, 8);
    return done(&r, e);
}

size_t wire_put_worker(uint8_t out[WIRE_MAX], const struct wire_worker *m)
{
    struct writer w = begin(out, 'w', 0);

    put(&w, 8, m->worker);
    put_field(&w, m->place, WIRE_PLACE);
    put(&w, 1, (uint64_t)m->threads);
    put(&w, 8, m->searches);
    put(&w, 8, m->microseconds);
    return finish(&w);
}

enum status wire_get_worker(struct wire_worker *m, const void *bytes, size_t n, struct error *e)
{
    struct reader r;
    uint64_t run;
    enum status rc;

    *m = (struct wire_worker){0};
    if ((rc = open(&r, bytes, n, 'w', &run, e)))
        return rc;
    r.bad |= run != 0;
    m->worker = get(&r, 8);
    get_field(&r, m->place, WIRE_PLACE);
    m->threads = (int)get_at_most(&r, 1, 255);
    m->searches = get(&r, 8);
    m->microseconds = get_at_most(&r, 8, 100 * year);
    return done(&r, e);
}
