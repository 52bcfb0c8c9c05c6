/* SPDX-License-Identifier: MIT */
#include "db/pages.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/team.h"
#include "base/turns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = TABLE_PAGE / 64,
    TRAIN_SHARE = 64, /* a model is trained on one page in so many, */
    TRAIN_LEAST = 128,
    TRAIN_MOST = 2048,
    TRAIN_QUARTER = 4,   /* but in small tables on a quarter at most */
    TRAIN_PORTION = 128, /* brought at a time */
    CHUNK = 4,           /* pages that a thread takes at a time */
    AHEAD = 4,           /* chunks that wait for their turn, for each thread */
    RUN = 256,           /* chunks that a rank encodes before it sends them */
    SHARE_LEAST = 16,    /* pages that are worth messages */
    RECORD = 9,          /* bytes before a page that is sent: kind, size, check */
};

/* One thread's page. */
struct page {
    uint64_t win[WORDS + 1], loss[WORDS + 1], mover[WORDS + 1];
    uint8_t values[TABLE_PAGE + 8]; /* true values; then what readers will see */
    uint16_t distances[KINDS][TABLE_PAGE];
    struct table_page encoded; /* for passing use */
    struct table_stats stats[KINDS][2];
};

/* Encoded pages that wait for their turn. */
struct chunk {
    int pages;
    struct table_page page[KINDS][CHUNK];
};

struct save {
    struct crew *crew;
    const struct pages_source *source;
    _Atomic uint64_t *done;
    struct table_writer *writer[KINDS];
    struct page *page[CREW_MAX];
    struct table_scratch *scratch[CREW_MAX];
    int mirrors;
    uint64_t pages[2], chunks[2]; /* of both tables */
    struct turns turns;           /* chunks, counted through both tables */
    struct chunk *chunk;          /* by slot */
    struct team *team;            /* NULL: rank 0 saves alone */
    uint8_t *sent;                /* pages for rank 0, which has the files */
    size_t sent_used, sent_room;
};

/* -------------------------------------------------------- from raw to a page -- */

static uint64_t bits_at(const uint8_t *plane, uint64_t at, uint32_t n)
{
    uint64_t bits = 0;

    memcpy(&bits, plane + at / 8, 8); /* RAW_SLACK allows it */
    bits >>= at % 8;
    if (at % 8 && n > 64 - at % 8)
        bits |= (uint64_t)plane[at / 8 + 8] << (64 - at % 8);
    return n < 64 ? bits & ((UINT64_C(1) << n) - 1) : bits;
}

static void bits_append(uint64_t *out, uint32_t at, uint64_t bits, uint32_t n)
{
    out[at / 64] |= bits << at % 64;
    if (at % 64 && at % 64 + n > 64)
        out[at / 64 + 1] |= bits >> (64 - at % 64);
}

/* The two planes of positions first ... first + n - 1, across blocks. */
static void planes_read(const struct raw *t, uint64_t first, uint32_t n, uint64_t *win,
                        uint64_t *loss)
{
    uint64_t size = t->layout.block_size;

    memset(win, 0, (WORDS + 1) * 8);
    memset(loss, 0, (WORDS + 1) * 8);
    for (uint32_t at = 0; at < n;) {
        uint64_t in_block = (first + at) % size;
        const uint8_t *block = t->data + (first + at) / size * t->stride;
        uint32_t step = n - at < 64 ? n - at : 64;

        if (step > size - in_block)
            step = (uint32_t)(size - in_block);
        bits_append(win, at, bits_at(block, in_block, step), step);
        bits_append(loss, at, bits_at(block + t->plane, in_block, step), step);
        at += step;
    }
}

/* Spread eight bits to the low bits of eight bytes. */
static uint64_t bits_to_bytes(uint64_t bits)
{
    uint64_t x = (bits & 0xFF) * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return ((x + UINT64_C(0x7F7F7F7F7F7F7F7F)) | x) >> 7 & UINT64_C(0x0101010101010101);
}

/* The single value of a page's positions without a capture (a draw if there are none), or
 * TABLE_ANY. */
static uint32_t planes_value(const struct page *p, uint32_t n)
{
    uint64_t seen[3] = {0};

    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        uint64_t here = n - 64 * w < 64 ? (UINT64_C(1) << (n - 64 * w)) - 1 : ~UINT64_C(0);
        uint64_t quiet = here & ~p->mover[w];

        seen[VALUE_WIN] |= quiet & p->win[w];
        seen[VALUE_LOSS] |= quiet & p->loss[w];
        seen[VALUE_DRAW] |= quiet & ~(p->win[w] | p->loss[w]);
    }
    if (!seen[VALUE_WIN] && !seen[VALUE_LOSS])
        return VALUE_DRAW;
    if (seen[VALUE_DRAW] || (seen[VALUE_WIN] && seen[VALUE_LOSS]))
        return TABLE_ANY;
    return seen[VALUE_WIN] ? VALUE_WIN : VALUE_LOSS;
}

/* 0, 1, 2 by the planes; TABLE_ANY where the mover has a capture. */
static void values_make(struct page *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8) {
        uint64_t win = bits_to_bytes(p->win[i / 64] >> i % 64);
        uint64_t loss = bits_to_bytes(p->loss[i / 64] >> i % 64);
        uint64_t v = UINT64_C(0x0101010101010101) + win - loss;

        v |= bits_to_bytes(p->mover[i / 64] >> i % 64) * TABLE_ANY;
        memcpy(p->values + i, &v, 8);
    }
}

/* The plies of values first ... first + n - 1 of a block. */
static void plies_read(const struct raw *t, const uint8_t *block, uint64_t first, uint32_t n,
                       uint16_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint16_t seen = block[first + i];

        if (t->form == RAW_NARROW) {
            out[i] = (uint16_t)outcome_from_narrow((uint8_t)seen).plies;
        } else if (t->form == RAW_NINE) {
            seen |= (uint16_t)(bits_at(block + t->plane, first + i, 1) << 8);
            out[i] = (uint16_t)outcome_from_nine(seen).plies;
        } else {
            memcpy(&seen, block + 2 * (first + i), 2);
            out[i] = (uint16_t)outcome_from_wide(seen).plies;
        }
    }
}

static void distances_read(const struct raw *t, uint64_t first, uint32_t n, uint16_t *out)
{
    uint64_t size = t->layout.block_size;

    for (uint32_t at = 0; at < n;) {
        uint64_t in_block = (first + at) % size;
        const uint8_t *block = t->data + (first + at) / size * t->stride;
        uint32_t step = n - at;

        if (step > size - in_block)
            step = (uint32_t)(size - in_block);
        plies_read(t, block, in_block, step, out + at);
        at += step;
    }
}

/* ---------------------------------------------------------------- statistics -- */

static void stats_clear(struct table_stats *s)
{
    memset(s, 0, sizeof *s);
    for (int v = 0; v < 3; v++)
        s->all.longest[v] = s->quiet.longest[v] = (struct table_record){-1, UINT64_MAX};
}

static void record_raise(struct table_record *r, int plies, uint64_t index)
{
    if (plies > r->plies || (plies == r->plies && index < r->index))
        *r = (struct table_record){plies, index};
}

static void counts_merge(struct table_counts *to, const struct table_counts *from)
{
    for (int v = 0; v < 3; v++) {
        to->count[v] += from->count[v];
        if (from->longest[v].plies >= 0)
            record_raise(&to->longest[v], from->longest[v].plies, from->longest[v].index);
    }
}

static void stats_count(struct page *p, struct table_stats *s, uint32_t n)
{
    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        uint64_t quiet = ~p->mover[w], win = p->win[w], loss = p->loss[w];
        uint64_t here = n - 64 * w < 64 ? (UINT64_C(1) << (n - 64 * w)) - 1 : ~UINT64_C(0);
        uint64_t draw = here & ~(win | loss);

        s->all.count[VALUE_WIN] += (uint64_t)__builtin_popcountll(win);
        s->all.count[VALUE_LOSS] += (uint64_t)__builtin_popcountll(loss);
        s->all.count[VALUE_DRAW] += (uint64_t)__builtin_popcountll(draw);
        s->quiet.count[VALUE_WIN] += (uint64_t)__builtin_popcountll(win & quiet);
        s->quiet.count[VALUE_LOSS] += (uint64_t)__builtin_popcountll(loss & quiet);
        s->quiet.count[VALUE_DRAW] += (uint64_t)__builtin_popcountll(draw & quiet);
    }
}

/* `value` is the plane of one value: find the longest distance in it. */
static void stats_longest(const uint64_t *value, const uint64_t *mover, const uint16_t *distance,
                          uint64_t first, uint32_t n, struct table_record *all,
                          struct table_record *quiet)
{
    for (uint32_t w = 0; w < (n + 63) / 64; w++)
        for (uint64_t x = value[w]; x; x &= x - 1) {
            uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(x);

            if (distance[i] <= all->plies && distance[i] <= quiet->plies)
                continue;
            record_raise(all, distance[i], first + i);
            if (!(mover[w] & x & -x))
                record_raise(quiet, distance[i], first + i);
        }
}

static void page_stats(struct save *s, struct page *p, int mirror, uint64_t first, uint32_t n)
{
    for (int k = 0; k < KINDS; k++) {
        struct table_stats *t = &p->stats[k][mirror];

        if (!s->writer[k])
            continue;
        stats_count(p, t, n);
        if (k == KIND_WLD)
            continue;
        stats_longest(p->win, p->mover, p->distances[k], first, n, &t->all.longest[VALUE_WIN],
                      &t->quiet.longest[VALUE_WIN]);
        stats_longest(p->loss, p->mover, p->distances[k], first, n, &t->all.longest[VALUE_LOSS],
                      &t->quiet.longest[VALUE_LOSS]);
    }
}

/* --------------------------------------------------------------------- saving -- */

/* Fill the thread's page, but for the values; returns its length. */
static uint32_t page_make(struct save *s, int id, int mirror, uint64_t page)
{
    struct page *p = s->page[id];
    const struct pages_source *source = s->source;
    const struct raw *wld = source->raw[KIND_WLD][mirror];
    uint64_t first = page * TABLE_PAGE, rest = wld->layout.positions - first;
    uint32_t n = rest < TABLE_PAGE ? (uint32_t)rest : TABLE_PAGE;

    memcpy(p->mover, table_captures(s->scratch[id], &wld->layout, page), (n + 63) / 64 * 8);
    planes_read(wld, first, n, p->win, p->loss);
    for (int k = 0; k < KINDS; k++)
        if (k != KIND_WLD && s->writer[k])
            distances_read(source->raw[k][mirror], first, n, p->distances[k]);
    return n;
}

/* Mask distances that readers must not rely on: captures and draws. */
static void distances_mask(struct page *p, uint16_t *distance, uint32_t n)
{
    for (uint32_t w = 0; w < (n + 63) / 64; w++)
        for (uint64_t x = p->mover[w] | ~(p->win[w] | p->loss[w]); x; x &= x - 1)
            distance[64 * w + (uint32_t)__builtin_ctzll(x)] = TABLE_ANY_DISTANCE;
}

/* As page i of a chunk. */
static void page_encode(struct save *s, int id, int mirror, uint64_t page, uint32_t n,
                        struct chunk *to, int i)
{
    struct page *p = s->page[id];
    uint32_t one = planes_value(p, n);

    if (one != TABLE_ANY && !s->writer[KIND_DTC] && !s->writer[KIND_DTW]) {
        to->page[KIND_WLD][i].size = 0;
        to->page[KIND_WLD][i].check = one;
        return;
    }
    values_make(p, n);
    table_page_encode(s->writer[KIND_WLD], s->scratch[id], mirror, page, p->values, NULL,
                      &to->page[KIND_WLD][i]);
    for (int k = 0; k < KINDS; k++)
        if (k != KIND_WLD && s->writer[k]) {
            distances_mask(p, p->distances[k], n);
            table_page_encode(s->writer[k], s->scratch[id], mirror, page, p->values,
                              p->distances[k], &to->page[k][i]);
        }
}

/* Append a page to its file, or to the buffer for rank 0. */
static enum status page_append(struct save *s, int kind, const struct table_page *p,
                               struct error *e)
{
    void *sent = s->sent;
    uint8_t *to;

    if (team_rank(s->team) == 0)
        return table_writer_append(s->writer[kind], p, e);
    if (!array_room(&sent, &s->sent_room, s->sent_used + RECORD + p->size, 1))
        return error_no_memory(e);
    s->sent = sent;
    to = s->sent + s->sent_used;
    to[0] = (uint8_t)kind;
    bytes_put(to + 1, 4, p->size);
    bytes_put(to + 5, 4, p->check);
    memcpy(to + RECORD, p->bytes, p->size);
    s->sent_used += RECORD + p->size;
    return STATUS_OK;
}

/* Write the pages that another rank appended to the buffer to their files. */
static bool pages_take(void *context, const uint8_t *bytes, size_t n, struct error *e)
{
    struct save *s = context;
    struct table_page *p = &s->page[0]->encoded;

    while (n > 0) {
        int kind = bytes[0];

        p->size = n < RECORD ? UINT32_MAX : (uint32_t)bytes_get(bytes + 1, 4);
        if (kind >= KINDS || p->size > TABLE_PAGE_BYTES_MAX || p->size > n - RECORD ||
            !s->source->write[kind])
            return error_set(e, STATUS_FORMAT, "a rank sent something that is not a page") ==
                   STATUS_OK;
        p->check = (uint32_t)bytes_get(bytes + 5, 4);
        memcpy(p->bytes, bytes + RECORD, p->size);
        if (table_writer_append(s->writer[kind], p, e))
            return false;
        bytes += RECORD + p->size;
        n -= RECORD + p->size;
    }
    return true;
}

/* Append the pages of a chunk to all files. */
static void chunk_append(void *context, uint64_t number, uint32_t slot)
{
    struct save *s = context;
    const struct chunk *c = &s->chunk[slot];
    struct error e = {0};

    (void)number;
    for (int k = 0; k < KINDS && !e.status; k++)
        for (int i = 0; s->source->write[k] && i < c->pages && !e.status; i++)
            if (page_append(s, k, &c->page[k][i], &e))
                turns_fail(&s->turns, &e);
}

static void chunk_make(struct save *s, int id, uint64_t number, struct chunk *c)
{
    int mirror = number >= s->chunks[0], pages = 0;
    uint64_t page = (number - (mirror ? s->chunks[0] : 0)) * CHUNK;

    for (; pages < CHUNK && page < s->pages[mirror] && !crew_stopped(s->crew); pages++, page++) {
        uint32_t n = page_make(s, id, mirror, page);

        page_stats(s, s->page[id], mirror, page * TABLE_PAGE, n);
        page_encode(s, id, mirror, page, n, c, pages);
        if (s->done)
            atomic_fetch_add_explicit(s->done, n, memory_order_relaxed);
    }
    c->pages = pages;
}

static void save_job(void *arg, int id)
{
    struct save *s = arg;
    uint64_t number;
    uint32_t slot;

    while (turns_take(&s->turns, &number, &slot)) {
        chunk_make(s, id, number, &s->chunk[slot]);
        turns_give(&s->turns, number, chunk_append, s);
    }
}

/* ------------------------------------------------------------------- training -- */

/* The models of a table are trained on some of its pages.  One thread trains one table and kind:
 * the model depends on the order of its pages. */
struct training {
    struct save *save;
    bool distances;    /* after the values: they are trained on what a reader will see */
    uint32_t from, to; /* the pages of this portion, of pages_trained */
    _Atomic int next;
};

/* The rank that learns a model; all get it. */
static int trainer_of(const struct save *s, int mirror, int kind)
{
    return (kind * s->mirrors + mirror) % team_ranks(s->team);
}

/* A power of two, so that reversing the bits of a number below it permutes them. */
uint32_t pages_trained(uint64_t pages)
{
    uint64_t most = pages / TRAIN_SHARE, quarter = pages / TRAIN_QUARTER + 1;
    uint32_t n = 1;

    most = most < TRAIN_LEAST ? TRAIN_LEAST : most > TRAIN_MOST ? TRAIN_MOST : most;
    most = most < quarter ? most : quarter;
    while (2 * n <= most)
        n *= 2;
    return n;
}

uint64_t pages_trained_at(uint64_t pages, uint32_t i)
{
    uint32_t n = pages_trained(pages);
    uint64_t reversed = 0;

    assert(i < n && n <= pages);
    for (uint32_t bit = 1; bit < n; bit *= 2)
        reversed = 2 * reversed + ((i & bit) != 0);
    return (2 * reversed + 1) * pages / (2 * n);
}

static void train_values(const struct training *t, int id, int mirror)
{
    struct save *s = t->save;
    uint64_t pages = s->pages[mirror];

    for (uint32_t i = t->from; i < t->to && i < pages_trained(pages); i++) {
        uint64_t page = pages_trained_at(pages, i);

        values_make(s->page[id], page_make(s, id, mirror, page));
        table_writer_train(s->writer[KIND_WLD], s->scratch[id], mirror, page, s->page[id]->values,
                           NULL);
    }
}

static void train_distances(const struct training *t, int id, int mirror, int kind)
{
    struct save *s = t->save;
    struct page *p = s->page[id];
    uint64_t pages = s->pages[mirror];

    for (uint32_t i = t->from; i < t->to && i < pages_trained(pages); i++) {
        uint64_t page = pages_trained_at(pages, i);
        uint32_t n = page_make(s, id, mirror, page);

        values_make(p, n);
        table_page_encode(s->writer[KIND_WLD], s->scratch[id], mirror, page, p->values, NULL,
                          &p->encoded);
        distances_mask(p, p->distances[kind], n);
        table_writer_train(s->writer[kind], s->scratch[id], mirror, page, p->values,
                           p->distances[kind]);
    }
}

/* Does this rank train this model now? */
static bool trains(const struct save *s, bool distances, int mirror, int kind)
{
    return s->writer[kind] && distances == (kind != KIND_WLD) &&
           trainer_of(s, mirror, kind) == team_rank(s->team);
}

static void train_job(void *arg, int id)
{
    struct training *t = arg;
    struct save *s = t->save;

    for (int i; (i = atomic_fetch_add(&t->next, 1)) < s->mirrors * KINDS;) {
        int mirror = i % s->mirrors, kind = i / s->mirrors;

        if (crew_stopped(s->crew))
            return;
        if (!trains(s, t->distances, mirror, kind))
            continue;
        if (kind == KIND_WLD)
            train_values(t, id, mirror);
        else
            train_distances(t, id, mirror, kind);
    }
}

static enum status model_share(struct save *s, int mirror, int kind, struct error *e)
{
    uint8_t *bytes = malloc(4 + TABLE_MODEL_BYTES_MAX);
    int from = trainer_of(s, mirror, kind);
    enum status rc = bytes ? STATUS_OK : error_no_memory(e);

    if (!rc && from == team_rank(s->team))
        bytes_put(bytes, 4, table_writer_model(s->writer[kind], mirror, bytes + 4));
    if (!rc)
        rc = team_share(s->team, from, bytes, 4, e);
    if (!rc && bytes_get(bytes, 4) > TABLE_MODEL_BYTES_MAX)
        rc = error_set(e, STATUS_FORMAT, "a rank sent something that is not a model");
    if (!rc)
        rc = team_share(s->team, from, bytes + 4, bytes_get(bytes, 4), e);
    if (!rc && from != team_rank(s->team) &&
        !table_writer_take_model(s->writer[kind], mirror, bytes + 4, bytes_get(bytes, 4)))
        rc = error_set(e, STATUS_FORMAT, "a rank sent something that is not a model");
    free(bytes);
    return rc;
}

/* Bring the pages of this portion that this rank trains on. */
static enum status train_bring(const struct training *t, struct error *e)
{
    struct pages_run run[2 * KINDS * TRAIN_PORTION];
    struct save *s = t->save;
    size_t n = 0;

    for (int i = 0; i < s->mirrors * KINDS; i++) {
        int mirror = i % s->mirrors, kind = i / s->mirrors;
        uint64_t pages = s->pages[mirror];

        for (uint32_t k = t->from; k < t->to && k < pages_trained(pages); k++)
            if (trains(s, t->distances, mirror, kind))
                run[n++] = (struct pages_run){mirror, pages_trained_at(pages, k), 1};
    }
    return s->source->bring(s->source->context, run, n, e);
}

/* Train the models of the values, or of the distances.  Where pages must be brought, they come in
 * portions: all of them may not fit into memory. */
static enum status models_train(struct save *s, bool distances, struct error *e)
{
    uint32_t all = pages_trained(s->pages[0]), portion = s->source->bring ? TRAIN_PORTION : all;
    enum status rc;

    for (uint32_t from = 0; from < all; from += portion) {
        struct training t = {.save = s, .distances = distances, .from = from, .to = from + portion};

        if (s->source->bring && (rc = train_bring(&t, e)))
            return rc;
        crew_run(s->crew, train_job, &t);
        if (crew_stopped(s->crew))
            return error_set(e, STATUS_INTERRUPTED, "interrupted");
    }
    for (int i = 0; i < s->mirrors * KINDS; i++)
        if (trains(s, distances, i % s->mirrors, i / s->mirrors))
            table_writer_train_end(s->writer[i / s->mirrors], i % s->mirrors);
    return STATUS_OK;
}

static enum status save_train(struct save *s, struct error *e)
{
    enum status rc = STATUS_OK;

    for (int distances = 0; distances < 2 && !rc; distances++) {
        rc = models_train(s, distances, e);
        for (int i = 0; s->team && i < s->mirrors * KINDS && !rc; i++) {
            int mirror = i % s->mirrors, kind = i / s->mirrors;

            if (s->writer[kind] && distances == (kind != KIND_WLD))
                rc = model_share(s, mirror, kind, e);
        }
    }
    return rc;
}

/* The values of some chunks, for the count of finished work. */
static uint64_t chunks_values(const struct save *s, uint64_t first, uint64_t end)
{
    uint64_t values = 0;

    for (int m = 0; m < s->mirrors; m++) {
        uint64_t before = m ? s->chunks[0] : 0, all = s->source->raw[KIND_WLD][m]->layout.positions;
        uint64_t from = first < before ? 0 : (first - before) * CHUNK * TABLE_PAGE;
        uint64_t to = end < before ? 0 : (end - before) * CHUNK * TABLE_PAGE;

        from = from < all ? from : all;
        to = to < all ? to : all;
        values += to - from;
    }
    return values;
}

/* Bring the pages of some chunks, which may be of both tables. */
static enum status chunks_bring(const struct save *s, uint64_t first, uint64_t end, struct error *e)
{
    struct pages_run run[2];
    size_t n = 0;

    for (int m = 0; m < s->mirrors; m++) {
        uint64_t before = m ? s->chunks[0] : 0;
        uint64_t from = first < before ? 0 : (first - before) * CHUNK;
        uint64_t to = end < before ? 0 : (end - before) * CHUNK;

        to = to < s->pages[m] ? to : s->pages[m];
        if (from < to)
            run[n++] = (struct pages_run){m, from, to - from};
    }
    return s->source->bring(s->source->context, run, n, e);
}

/* Each rank encodes some chunks; rank 0 appends them in the order of ranks. */
static enum status save_round(struct save *s, uint64_t first, uint64_t run, struct error *e)
{
    uint64_t all = s->chunks[0] + s->chunks[1];
    uint64_t begin = first + run * (unsigned)team_rank(s->team), end = begin + run;
    uint64_t last = first + run * (unsigned)team_ranks(s->team);
    enum status rc;

    begin = begin < all ? begin : all;
    end = end < all ? end : all;
    if (s->source->bring && (rc = chunks_bring(s, begin, end, e)))
        return rc;
    turns_begin(&s->turns, begin, end);
    s->sent_used = 0;
    crew_run(s->crew, save_job, s);
    if (crew_stopped(s->crew))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    if (s->turns.error.status)
        return error_pass(e, &s->turns.error);
    rc = team_collect(s->team, s->sent, s->sent_used, pages_take, s, e);
    if (!rc && s->done && s->team)
        atomic_fetch_add(s->done, chunks_values(s, first, last) - chunks_values(s, begin, end));
    return rc;
}

static enum status save_pages(struct save *s, struct error *e)
{
    unsigned ranks = (unsigned)team_ranks(s->team);
    uint64_t all = s->chunks[0] + s->chunks[1], run = (all + ranks - 1) / ranks;
    enum status rc = STATUS_OK;

    if (s->team && run > RUN)
        run = RUN;
    for (uint64_t first = 0; first < all && !rc; first += run * ranks)
        rc = save_round(s, first, run, e);
    return rc;
}

static void stats_merge(struct table_stats to[KINDS][2], struct table_stats from[KINDS][2])
{
    for (int k = 0; k < KINDS; k++)
        for (int m = 0; m < 2; m++) {
            counts_merge(&to[k][m].all, &from[k][m].all);
            counts_merge(&to[k][m].quiet, &from[k][m].quiet);
        }
}

/* The ranks run the same program: a struct is the same bytes in all of them. */
static bool stats_take(void *context, const uint8_t *bytes, size_t n, struct error *e)
{
    struct pages_result *result = context;
    struct table_stats stats[KINDS][2];

    if (n != sizeof stats)
        return error_set(e, STATUS_FORMAT, "a rank sent invalid statistics") == STATUS_OK;
    memcpy(stats, bytes, n);
    stats_merge(result->stats, stats);
    return true;
}

static enum status save_result(struct save *s, struct pages_result *result, struct error *e)
{
    for (int k = 0; k < KINDS; k++)
        for (int m = 0; m < 2; m++)
            stats_clear(&result->stats[k][m]);
    for (int i = 0; i < s->crew->threads; i++)
        stats_merge(result->stats, s->page[i]->stats);
    return team_collect(s->team, result->stats, sizeof result->stats, stats_take, result, e);
}

static enum status save_open(struct save *s, const struct sets *sets, const char *dir,
                             struct error *e)
{
    enum status rc = STATUS_OK;

    s->mirrors = slice_symmetric(s->source->slice) ? 1 : 2;
    for (int m = 0; m < s->mirrors; m++) {
        uint64_t positions = s->source->raw[KIND_WLD][m]->layout.positions;

        s->pages[m] = (positions + TABLE_PAGE - 1) / TABLE_PAGE;
        s->chunks[m] = (s->pages[m] + CHUNK - 1) / CHUNK;
    }
    for (int i = 0; i < s->crew->threads; i++) {
        s->page[i] = calloc(1, sizeof *s->page[i]);
        s->scratch[i] = table_scratch_create(sets);
        if (!s->page[i] || !s->scratch[i])
            return error_set(e, STATUS_NO_MEMORY, "no memory for a page");
        for (int k = 0; k < KINDS; k++)
            for (int m = 0; m < 2; m++)
                stats_clear(&s->page[i]->stats[k][m]);
    }
    for (int k = 0; k < KINDS && !rc; k++)
        if (s->source->write[k] || k == KIND_WLD)
            rc = table_writer_create(&s->writer[k], team_rank(s->team) ? NULL : dir,
                                     s->source->slice, (enum kind)k, e);
    return rc;
}

/* Few pages are not worth messages, unless no rank has all values. */
static bool save_is_shared(const struct pages_source *source)
{
    return source->bring ||
           source->raw[KIND_WLD][0]->layout.positions >= (uint64_t)SHARE_LEAST * TABLE_PAGE;
}

enum status pages_save(struct crew *crew, const struct sets *sets, const char *dir,
                       const struct pages_source *source, _Atomic uint64_t *done,
                       struct pages_result *result, struct error *e)
{
    struct save s = {.crew = crew, .source = source, .done = done};
    uint32_t slots = AHEAD * (uint32_t)crew->threads;
    enum status rc;

    if (team_ranks(crew->team) > 1 && save_is_shared(source))
        s.team = crew->team;
    else if (team_rank(crew->team) != 0)
        return STATUS_OK;
    turns_open(&s.turns, slots);
    s.chunk = calloc(slots, sizeof *s.chunk);
    rc = s.chunk ? STATUS_OK : error_no_memory(e);
    if (!rc)
        rc = save_open(&s, sets, dir, e);
    if (!rc)
        rc = save_train(&s, e);
    if (!rc)
        rc = save_pages(&s, e);
    if (!rc)
        rc = save_result(&s, result, e);
    for (int k = 0; k < KINDS; k++)
        if (!rc && source->write[k] && team_rank(s.team) == 0)
            rc = table_writer_finish(&s.writer[k], result->stats[k], e);
        else if (s.writer[k])
            table_writer_abandon(&s.writer[k]);
    for (int i = 0; i < crew->threads; i++) {
        free(s.page[i]);
        table_scratch_free(&s.scratch[i]);
    }
    free(s.sent);
    free(s.chunk);
    turns_close(&s.turns);
    return rc;
}
