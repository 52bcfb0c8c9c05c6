/* SPDX-License-Identifier: MIT */
#include "db/spread.h"

#include "base/array.h"
#include "base/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HEAD = 16,       /* of a piece in a message: block, count, view */
    ROUND = 1 << 25, /* bytes that a rank asks for, or puts, at a time */
};

/* ------------------------------------------------------------------ open, close -- */

static void view_free(struct spread_view *v)
{
    if (!v)
        return;
    raw_free(&v->raw);
    free(v->present);
    free((void *)v->used[0]);
    free((void *)v->used[1]);
    free(v);
}

enum status spread_open(struct spread **out, struct pool *pool, struct team *team, struct error *e)
{
    struct spread *s = *out = calloc(1, sizeof *s);

    if (!s)
        return error_no_memory(e);
    assert(pool->ranks == team_ranks(team) && pool->ranks > 1);
    s->team = team;
    s->pool = pool;
    s->view = calloc(KINDS * SLICE_CODES, sizeof(struct spread_view *));
    if (s->view)
        return STATUS_OK;
    spread_close(out);
    return error_no_memory(e);
}

void spread_close(struct spread **s)
{
    if (!*s)
        return;
    while ((*s)->count > 0)
        view_free((*s)->view[--(*s)->count]);
    free((*s)->view);
    free((*s)->out.bytes);
    free((*s)->in.bytes);
    free((*s)->reply.bytes);
    free(*s);
    *s = NULL;
}

static size_t words_of(const struct spread_view *v)
{
    return (v->cut.chunks + 63) / 64;
}

enum status spread_add(struct spread *s, enum kind kind, struct slice table, struct error *e)
{
    const struct raw *share = s->pool->set[kind].at[slice_code(table)];
    struct spread_view *v;

    if (s->at[kind][slice_code(table)])
        return STATUS_OK;
    v = calloc(1, sizeof *v);
    if (!v || raw_create_sparse(&v->raw, table, share->form)) {
        free(v);
        return error_set(e, STATUS_NO_MEMORY, "no room for a table in the address space");
    }
    v->kind = kind;
    v->cut = raw_cut(&v->raw.layout, share->form, s->pool->ranks);
    v->share = share->data;
    v->turn = slice_code(table) % s->pool->ranks;
    v->present = calloc(words_of(v), 8);
    v->used[0] = calloc(words_of(v), 8);
    v->used[1] = calloc(words_of(v), 8);
    v->number = (uint32_t)s->count;
    s->view[s->count++] = v;
    if (!v->present || !v->used[0] || !v->used[1])
        return error_no_memory(e);
    s->at[kind][slice_code(table)] = v;
    s->set[kind].at[slice_code(table)] = &v->raw;
    return STATUS_OK;
}

/* ---------------------------------------------------------------------- chunks -- */

static int owner_of(const struct spread *s, const struct spread_view *v, uint64_t block)
{
    return (int)((block / v->cut.each + (unsigned)v->turn) % (unsigned)s->pool->ranks);
}

/* The bytes of a block in the own share. */
static uint8_t *share_at(const struct spread *s, const struct spread_view *v, uint64_t block)
{
    uint64_t place = block / v->cut.each / (unsigned)s->pool->ranks;

    return v->share + (place * v->cut.each + block % v->cut.each) * v->cut.stride;
}

static uint64_t chunk_blocks(const struct spread_view *v, uint64_t chunk)
{
    uint64_t left = v->cut.blocks - chunk * v->cut.each;

    return left < v->cut.each ? left : v->cut.each;
}

void spread_use(struct spread_view *v, uint64_t first, uint64_t count, int batch)
{
    uint64_t last = (first + count - 1) / v->cut.each;

    assert(count && first + count <= v->cut.blocks);
    for (uint64_t c = first / v->cut.each; c <= last; c++) {
        uint64_t bit = UINT64_C(1) << c % 64;
        _Atomic uint64_t *word = &v->used[batch][c / 64];

        if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
            atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    }
}

void spread_unuse(struct spread *s, int batch)
{
    for (int i = 0; i < s->count; i++)
        memset((void *)s->view[i]->used[batch], 0, words_of(s->view[i]) * 8);
}

uint64_t spread_used(const struct spread *s, int batch)
{
    uint64_t bytes = 0;

    for (int i = 0; i < s->count; i++) {
        const struct spread_view *v = s->view[i];

        for (size_t w = 0; w < words_of(v); w++)
            bytes +=
                (uint64_t)__builtin_popcountll(v->used[batch][w]) * v->cut.each * v->cut.stride;
    }
    return bytes;
}

/* Give back the pages that lie wholly in a range. */
static void range_release(struct spread_view *v, uint64_t from, uint64_t to)
{
    uint64_t first = (from + RAW_PAGE - 1) / RAW_PAGE * RAW_PAGE, end = to / RAW_PAGE * RAW_PAGE;

    assert(to <= v->raw.bytes);
    if (first < end)
        madvise(v->raw.data + first, end - first, MADV_DONTNEED);
}

void spread_trim(struct spread *s)
{
    for (int i = 0; i < s->count; i++) {
        struct spread_view *v = s->view[i];
        uint64_t bytes = v->cut.each * v->cut.stride;

        for (uint64_t c = 0; c < v->cut.chunks; c++) {
            uint64_t bit = UINT64_C(1) << c % 64;

            if (!(v->present[c / 64] & bit) || (v->used[0][c / 64] | v->used[1][c / 64]) & bit)
                continue;
            v->present[c / 64] &= ~bit;
            s->held -= chunk_blocks(v, c) * v->cut.stride;
            range_release(v, c * bytes, c * bytes + chunk_blocks(v, c) * v->cut.stride);
        }
    }
}

void spread_release(struct spread *s, struct spread_view *v)
{
    for (uint64_t c = 0; c < v->cut.chunks; c++)
        if (v->present[c / 64] >> c % 64 & 1)
            s->held -= chunk_blocks(v, c) * v->cut.stride;
    memset(v->present, 0, words_of(v) * 8);
    madvise(v->raw.data, v->raw.bytes, MADV_DONTNEED);
}

/* -------------------------------------------------------------------- messages -- */

/* Room in a mail for what each rank gets: start[r + 1] has its bytes. */
static enum status mail_open(const struct spread *s, struct team_mail *m, struct error *e)
{
    void *bytes = m->bytes;

    m->start[0] = 0;
    for (int r = 0; r < s->pool->ranks; r++)
        m->start[r + 1] += m->start[r];
    if (!array_room(&bytes, &m->room, m->start[s->pool->ranks] + 1, 1))
        return error_no_memory(e);
    m->bytes = bytes;
    return STATUS_OK;
}

static void piece_write(uint8_t *to, const struct spread_piece *p)
{
    bytes_put(to, 8, p->block);
    bytes_put(to + 8, 4, p->count);
    bytes_put(to + 12, 4, p->view);
}

static size_t piece_bytes(const struct spread *s, const struct spread_piece *p)
{
    return p->count * s->view[p->view]->cut.stride;
}

/* A piece of a message: false unless `owner` has it. */
static bool piece_read(const struct spread *s, const uint8_t *from, int owner,
                       struct spread_piece *p)
{
    const struct raw_cut *c;

    *p = (struct spread_piece){bytes_get(from, 8), (uint32_t)bytes_get(from + 8, 4),
                               (uint32_t)bytes_get(from + 12, 4)};
    if (p->view >= (uint32_t)s->count || !p->count)
        return false;
    c = &s->view[p->view]->cut;
    return p->block < c->blocks && p->count <= c->blocks - p->block &&
           p->block / c->each == (p->block + p->count - 1) / c->each &&
           owner_of(s, s->view[p->view], p->block) == owner;
}

static enum status no_piece(struct error *e)
{
    return error_set(e, STATUS_FORMAT, "a rank sent what is no part of a table");
}

/* How many pieces from `at` on make a round. */
static size_t round_end(const struct spread *s, const struct spread_piece *list, size_t n,
                        size_t at)
{
    size_t bytes = 0;

    while (at < n && bytes < ROUND)
        bytes += HEAD + piece_bytes(s, &list[at++]);
    return at;
}

/* Has any rank something left? */
static enum status any_left(const struct spread *s, bool left, bool *any, struct error *e)
{
    uint8_t all[TEAM_MAX] = {0};
    enum status rc;

    all[team_rank(s->team)] = left;
    rc = team_gather(s->team, all, 1, e);
    *any = false;
    for (int r = 0; r < team_ranks(s->team); r++)
        *any |= all[r];
    return rc;
}

/* ------------------------------------------------------------------------ bring -- */

static enum status requests_send(struct spread *s, const struct spread_piece *list, size_t n,
                                 struct error *e)
{
    size_t at[TEAM_MAX];
    enum status rc;

    memset(s->out.start, 0, sizeof s->out.start);
    for (size_t i = 0; i < n; i++)
        s->out.start[owner_of(s, s->view[list[i].view], list[i].block) + 1] += HEAD;
    rc = mail_open(s, &s->out, e);
    memcpy(at, s->out.start, sizeof at);
    for (size_t i = 0; i < n && !rc; i++) {
        int owner = owner_of(s, s->view[list[i].view], list[i].block);

        piece_write(s->out.bytes + at[owner], &list[i]);
        at[owner] += HEAD;
    }
    return rc ? rc : team_exchange(s->team, &s->out, &s->in, e);
}

/* Answer what the others ask for. */
static enum status requests_answer(struct spread *s, struct error *e)
{
    int ranks = s->pool->ranks;
    struct spread_piece p;
    uint8_t *to;
    enum status rc;

    for (int r = 0; r < ranks; r++) {
        s->out.start[r + 1] = 0;
        if ((s->in.start[r + 1] - s->in.start[r]) % HEAD)
            return no_piece(e);
        for (size_t at = s->in.start[r]; at < s->in.start[r + 1]; at += HEAD) {
            if (!piece_read(s, s->in.bytes + at, team_rank(s->team), &p))
                return no_piece(e);
            s->out.start[r + 1] += piece_bytes(s, &p);
        }
    }
    if ((rc = mail_open(s, &s->out, e)))
        return rc;
    to = s->out.bytes;
    for (size_t at = 0; at < s->in.start[ranks]; at += HEAD) {
        piece_read(s, s->in.bytes + at, team_rank(s->team), &p);
        memcpy(to, share_at(s, s->view[p.view], p.block), piece_bytes(s, &p));
        to += piece_bytes(s, &p);
    }
    return team_exchange(s->team, &s->out, &s->reply, e);
}

/* The answers come in the order of the requests. */
static enum status answers_take(struct spread *s, const struct spread_piece *list, size_t n,
                                struct error *e)
{
    size_t at[TEAM_MAX + 1];

    memcpy(at, s->reply.start, sizeof at);
    for (size_t i = 0; i < n; i++) {
        struct spread_view *v = s->view[list[i].view];
        int owner = owner_of(s, v, list[i].block);
        size_t bytes = piece_bytes(s, &list[i]);

        if (s->reply.start[owner + 1] - at[owner] < bytes)
            return no_piece(e);
        memcpy(v->raw.data + list[i].block * v->cut.stride, s->reply.bytes + at[owner], bytes);
        at[owner] += bytes;
        *(owner == team_rank(s->team) ? &s->traffic.own : &s->traffic.brought) += bytes;
    }
    return STATUS_OK;
}

static enum status pieces_bring(struct spread *s, const struct spread_piece *list, size_t n,
                                struct error *e)
{
    bool any = true;
    enum status rc = any_left(s, n > 0, &any, e);

    for (size_t at = 0, end; any && !rc; at = end) {
        const struct spread_piece *piece = n ? list + at : NULL;

        end = round_end(s, list, n, at);
        rc = requests_send(s, piece, end - at, e);
        if (!rc)
            rc = requests_answer(s, e);
        if (!rc)
            rc = answers_take(s, piece, end - at, e);
        if (!rc)
            rc = any_left(s, end < n, &any, e);
    }
    return rc;
}

static bool chunk_lacks(const struct spread_view *v, uint64_t chunk, int batch)
{
    return v->used[batch][chunk / 64] & ~v->present[chunk / 64] & UINT64_C(1) << chunk % 64;
}

enum status spread_fetch(struct spread *s, int batch, struct error *e)
{
    struct spread_piece *list = NULL;
    size_t n = 0, room = 0;
    enum status rc = STATUS_OK;

    for (int i = 0; i < s->count; i++)
        for (uint64_t c = 0; c < s->view[i]->cut.chunks; c++) {
            void *grown = list;

            if (c % 64 == 0 && !s->view[i]->used[batch][c / 64]) {
                c += 63;
                continue;
            }
            if (!chunk_lacks(s->view[i], c, batch))
                continue;
            if (!array_room(&grown, &room, n + 1, sizeof *list)) {
                free(list);
                return error_no_memory(e);
            }
            list = grown;
            list[n++] = (struct spread_piece){c * s->view[i]->cut.each,
                                              (uint32_t)chunk_blocks(s->view[i], c), (uint32_t)i};
        }
    rc = pieces_bring(s, list, n, e);
    for (size_t i = 0; i < n && !rc; i++) {
        struct spread_view *v = s->view[list[i].view];
        uint64_t c = list[i].block / v->cut.each;

        v->present[c / 64] |= UINT64_C(1) << c % 64;
        s->held += piece_bytes(s, &list[i]);
    }
    free(list);
    return rc;
}

static int by_place(const void *a, const void *b)
{
    const struct spread_piece *x = a, *y = b;

    if (x->view != y->view)
        return x->view < y->view ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

enum status spread_get(struct spread *s, struct spread_piece *list, size_t n, struct error *e)
{
    size_t kept = 0;

    if (n)
        qsort(list, n, sizeof *list, by_place);
    for (size_t i = 0; i < n; i++)
        if (!kept || by_place(&list[kept - 1], &list[i]))
            list[kept++] = list[i];
    return pieces_bring(s, list, kept, e);
}

/* -------------------------------------------------------------------------- put -- */

/* What was put: pieces, each with its bytes. */
static enum status pieces_take(struct spread *s, struct error *e)
{
    for (int r = 0; r < s->pool->ranks; r++)
        for (size_t at = s->in.start[r], end = s->in.start[r + 1]; at < end;) {
            struct spread_piece p;

            if (end - at < HEAD || !piece_read(s, s->in.bytes + at, team_rank(s->team), &p) ||
                end - at - HEAD < piece_bytes(s, &p))
                return no_piece(e);
            memcpy(share_at(s, s->view[p.view], p.block), s->in.bytes + at + HEAD,
                   piece_bytes(s, &p));
            at += HEAD + piece_bytes(s, &p);
        }
    return STATUS_OK;
}

/* One round.  The bytes are those of the views, or of a log. */
static enum status round_put(struct spread *s, const struct spread_piece *list, size_t n,
                             const uint8_t *bytes, struct error *e)
{
    size_t at[TEAM_MAX];
    enum status rc;

    memset(s->out.start, 0, sizeof s->out.start);
    for (size_t i = 0; i < n; i++) {
        int owner = owner_of(s, s->view[list[i].view], list[i].block);

        s->out.start[owner + 1] += HEAD + piece_bytes(s, &list[i]);
    }
    rc = mail_open(s, &s->out, e);
    memcpy(at, s->out.start, sizeof at);
    for (size_t i = 0; i < n && !rc; i++) {
        const struct spread_view *v = s->view[list[i].view];
        int owner = owner_of(s, v, list[i].block);
        size_t size = piece_bytes(s, &list[i]);

        piece_write(s->out.bytes + at[owner], &list[i]);
        memcpy(s->out.bytes + at[owner] + HEAD,
               bytes ? bytes + HEAD : v->raw.data + list[i].block * v->cut.stride, size);
        at[owner] += HEAD + size;
        bytes = bytes ? bytes + HEAD + size : NULL;
        s->traffic.put += owner == team_rank(s->team) ? 0 : size;
    }
    if (!rc)
        rc = team_exchange(s->team, &s->out, &s->in, e);
    return rc ? rc : pieces_take(s, e);
}

enum status spread_put(struct spread *s, const struct spread_piece *list, size_t n, spread_log *log,
                       void *context, struct error *e)
{
    bool any = true;
    enum status rc = any_left(s, n > 0, &any, e);

    for (size_t at = 0, end; any && !rc; at = end) {
        end = round_end(s, list, n, at);
        rc = round_put(s, n ? list + at : NULL, end - at, NULL, e);
        if (!rc && log && end > at)
            rc = log(context, s->out.bytes, s->out.start[s->pool->ranks], e);
        if (!rc)
            rc = any_left(s, end < n, &any, e);
    }
    return rc;
}

/* The pieces of a log, in a list of the caller's. */
static enum status log_read(const struct spread *s, const uint8_t *bytes, size_t n,
                            struct spread_piece **list, size_t *count, struct error *e)
{
    size_t room = 0;

    for (size_t at = 0; at < n; at += HEAD + piece_bytes(s, &(*list)[(*count)++])) {
        void *grown = *list;
        struct spread_piece p;
        bool there = false;

        for (int r = 0; n - at >= HEAD && r < s->pool->ranks && !there; r++)
            there = piece_read(s, bytes + at, r, &p);
        if (!there || n - at - HEAD < piece_bytes(s, &p))
            return error_set(e, STATUS_DAMAGED, "a part of an earlier run is no part of a table");
        if (!array_room(&grown, &room, *count + 1, sizeof p))
            return error_no_memory(e);
        *list = grown;
        (*list)[*count] = p;
    }
    return STATUS_OK;
}

enum status spread_replay(struct spread *s, const uint8_t *bytes, size_t n, size_t *count,
                          struct error *e)
{
    struct spread_piece *list = NULL;
    enum status rc;

    *count = 0;
    rc = log_read(s, bytes, n, &list, count, e);
    if (!rc)
        rc = round_put(s, list, *count, bytes, e);
    free(list);
    return rc;
}
