/* SPDX-License-Identifier: MIT */
#include "proof/claim_pack.h"
#include "base/array.h"
#include "base/bytes.h"
#include "core/movegen.h"
#include "proof/position_map.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { PLAIN, PACKED, LEVEL = 6, MASK_BYTES = (MOVES_MAX + 7) / 8 };

static_assert(MOVES_MAX <= 128, "twice the number of a move is a byte");

/* A position after a move. */
struct reply {
    struct placement pieces;
    uint8_t from, to;
    bool follows; /* there is a claim about it */
};

/* On the stack: a position to visit, or a claim whose premises have all been written. */
struct spot {
    struct claim claim;
    bool ready;
};

struct pack_walk {
    const struct pack_question *question;
    struct position_map seen;
    size_t met;
    struct spot *stack;
    size_t waiting, stack_room;
    uint64_t digest;
    struct certificate *out; /* NULL: the claims are only counted */
    size_t claims;

    const struct certificate *source; /* to write: the claims, by position ... */
    struct position_map where;
    struct pack *stream; /* ... and where the walk goes */

    const uint8_t *bytes; /* to read */
    size_t size, at, most;
    bool bad;
};

void pack_free(struct pack *p)
{
    free(p->bytes);
    *p = (struct pack){0};
}

static enum status no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory to pack a proof");
}

static bool pack_add(struct pack *p, const uint8_t *bytes, size_t n)
{
    if (!n)
        return true;
    if (!array_room((void **)&p->bytes, &p->room, p->size + n, 1))
        return false;
    memcpy(p->bytes + p->size, bytes, n);
    p->size += n;
    return true;
}

/* --------------------------------------------------------------------- replies -- */

/* The positions after the moves of b, each once, in their order. */
static int replies_list(const struct board *b, struct reply list[MOVES_MAX])
{
    struct move_list moves;
    int n = 0;

    moves_generate(b, &moves);
    for (int m = 0; m < moves.count; m++) {
        struct board next = board_after(b, &moves.move[m]);
        struct reply r = {placement_of(&next), (uint8_t)square_number(moves.move[m].from),
                          (uint8_t)square_number(moves.move[m].to), false};
        int at = n, order = 1;

        while (at > 0 && (order = placement_compare(list[at - 1].pieces, r.pieces)) > 0)
            at--;
        if (at > 0 && order == 0)
            continue;
        memmove(&list[at + 1], &list[at], (size_t)(n - at) * sizeof *list);
        list[at] = r;
        n++;
    }
    return n;
}

static bool claim_chooses(const struct pack_walk *w, const struct claim *c)
{
    return (c->turn == (uint8_t)w->question->attacker) == w->question->wins;
}

/* ----------------------------------------------------------------------- codes -- */

/* Is there a claim that may support the reply?  For a win, only earlier ones. */
static bool reply_claimed(const struct pack_walk *w, const struct reply *r, unsigned turn,
                          size_t number)
{
    int64_t at = position_map_get(&w->where, (struct position){r->pieces, turn});

    return at != POSITION_MAP_NONE && (!w->question->wins || (size_t)at < number);
}

/* Find from the claims which replies follow, and keep the chosen one, or all. */
static enum status code_write(struct pack_walk *w, struct claim *c, struct reply *r, int n,
                              struct error *e)
{
    int64_t number = position_map_get(&w->where, (struct position){c->pieces, c->turn});
    const struct claim *source = &w->source->claim[number];
    uint8_t bits[MASK_BYTES] = {0};
    int chosen = -1;

    for (int i = 0; i < n; i++)
        r[i].follows = reply_claimed(w, &r[i], !c->turn, (size_t)number);
    if (!claim_chooses(w, c)) {
        for (int i = 0; i < n; i++)
            bits[i / 8] |= (uint8_t)(r[i].follows << i % 8);
        return pack_add(w->stream, bits, (size_t)(n + 7) / 8) ? STATUS_OK : no_memory(e);
    }
    for (int i = 0; i < n; i++)
        if (r[i].from == source->from && r[i].to == source->to && (chosen < 0 || r[i].follows))
            chosen = i;
    if (chosen < 0)
        return error_set(e, STATUS_MISMATCH, "a claim names an invalid move");
    for (int i = 0; i < n; i++)
        r[i].follows &= i == chosen;
    c->from = source->from;
    c->to = source->to;
    bits[0] = (uint8_t)(2 * chosen + r[chosen].follows);
    return pack_add(w->stream, bits, 1) ? STATUS_OK : no_memory(e);
}

/* The same from the bytes. */
static void code_read(struct pack_walk *w, struct claim *c, struct reply *r, int n)
{
    bool chooses = claim_chooses(w, c);
    size_t size = chooses ? 1 : (size_t)(n + 7) / 8;
    const uint8_t *at = w->bytes + w->at;

    w->bad |= w->size - w->at < size || w->met > w->most || (chooses && at[0] / 2 >= n);
    if (w->bad)
        return;
    w->at += size;
    if (!chooses) {
        for (int i = 0; i < n; i++)
            r[i].follows = at[i / 8] >> i % 8 & 1;
        return;
    }
    r[at[0] / 2].follows = at[0] & 1;
    c->from = r[at[0] / 2].from;
    c->to = r[at[0] / 2].to;
}

/* ------------------------------------------------------------------------ walk -- */

static bool walk_push(struct pack_walk *w, const struct claim *c, bool ready)
{
    if (!array_room((void **)&w->stack, &w->stack_room, w->waiting + 1, sizeof *w->stack))
        return false;
    w->stack[w->waiting++] = (struct spot){*c, ready};
    return true;
}

/* All premises have been given: give the claim itself. */
static enum status claim_give(struct pack_walk *w, const struct claim *c, struct error *e)
{
    uint8_t bytes[PLACEMENT_BYTES + 3];

    placement_put(bytes, c->pieces);
    bytes[PLACEMENT_BYTES] = c->turn;
    bytes[PLACEMENT_BYTES + 1] = c->from;
    bytes[PLACEMENT_BYTES + 2] = c->to;
    w->digest = XXH3_64bits_withSeed(bytes, sizeof bytes, w->digest);
    w->claims++;
    return w->out ? certificate_add(w->out, c, e) : STATUS_OK;
}

/* Visit a position: the claim about it, and the positions that follow. */
static enum status spot_visit(struct pack_walk *w, struct claim c, struct error *e)
{
    struct position p = {c.pieces, c.turn};
    struct board b = claim_board(&c);
    struct reply r[MOVES_MAX];
    enum status rc = STATUS_OK;
    int n;

    if (position_map_get(&w->seen, p) != POSITION_MAP_NONE)
        return STATUS_OK;
    if (!position_map_put(&w->seen, p, 0))
        return no_memory(e);
    w->met++;
    n = replies_list(&b, r);
    if (w->source)
        rc = code_write(w, &c, r, n, e);
    else
        code_read(w, &c, r, n);
    if (rc || w->bad)
        return rc;
    if (!walk_push(w, &c, true))
        return no_memory(e);
    for (int i = n; i-- > 0;) {
        struct claim next = {r[i].pieces, !c.turn, c.attacker, c.wins, false, 0, 0};

        if (r[i].follows && !walk_push(w, &next, false))
            return no_memory(e);
    }
    return STATUS_OK;
}

static enum status walk_run(struct pack_walk *w, struct error *e)
{
    const struct pack_question *q = w->question;
    struct claim root = {.pieces = placement_of(&q->root),
                         .turn = (uint8_t)q->root.turn,
                         .attacker = (uint8_t)q->attacker,
                         .wins = q->wins};
    enum status rc = walk_push(w, &root, false) ? STATUS_OK : no_memory(e);

    while (!rc && !w->bad && w->waiting > 0) {
        struct spot s = w->stack[--w->waiting];

        rc = s.ready ? claim_give(w, &s.claim, e) : spot_visit(w, s.claim, e);
    }
    return rc;
}

static void walk_free(struct pack_walk *w)
{
    position_map_free(&w->seen);
    position_map_free(&w->where);
    free(w->stack);
}

/* --------------------------------------------------------------------- writing -- */

static enum status claims_find(struct pack_walk *w, struct error *e)
{
    struct position root = position_of(&w->question->root);

    for (size_t i = 0; i < w->source->claims; i++) {
        const struct claim *c = &w->source->claim[i];
        struct position p = {c->pieces, c->turn};

        if (position_map_get(&w->where, p) == POSITION_MAP_NONE &&
            !position_map_put(&w->where, p, (uint32_t)i))
            return no_memory(e);
    }
    if (position_map_get(&w->where, root) == POSITION_MAP_NONE)
        return error_set(e, STATUS_MISMATCH, "no claim is about the root");
    return STATUS_OK;
}

/* The header, and the walk, plain or packed by zstd, whichever is shorter. */
static enum status pack_finish(struct pack *out, const struct pack_walk *w, const struct pack *walk,
                               struct error *e)
{
    size_t bound = ZSTD_compressBound(walk->size), n;

    out->size = 0;
    if (!array_room((void **)&out->bytes, &out->room, PACK_HEADER + bound, 1))
        return no_memory(e);
    n = ZSTD_compress(out->bytes + PACK_HEADER, bound, walk->bytes, walk->size, LEVEL);
    bytes_put(out->bytes, 4, w->claims);
    bytes_put(out->bytes + 4, 4, walk->size);
    bytes_put(out->bytes + 8, 8, w->digest);
    out->bytes[16] = PACKED;
    if (ZSTD_isError(n) || n >= walk->size) {
        if (walk->size) /* the root may be in the tables */
            memcpy(out->bytes + PACK_HEADER, walk->bytes, walk->size);
        out->bytes[16] = PLAIN;
        n = walk->size;
    }
    out->size = PACK_HEADER + n;
    return STATUS_OK;
}

enum status pack_write(struct pack *out, const struct pack_question *q, const struct certificate *c,
                       struct error *e)
{
    struct pack walk = {0};
    struct pack_walk w = {.question = q, .source = c, .stream = &walk};
    enum status rc;

    if (c->claims > PACK_CLAIMS_MAX)
        return error_set(e, STATUS_OVERFLOW, "%zu claims: more than %d", c->claims,
                         PACK_CLAIMS_MAX);
    if (!(rc = claims_find(&w, e)) && !(rc = walk_run(&w, e)))
        rc = pack_finish(out, &w, &walk, e);
    walk_free(&w);
    pack_free(&walk);
    return rc;
}

/* --------------------------------------------------------------------- reading -- */

size_t pack_claims(const void *bytes, size_t size)
{
    return size >= PACK_HEADER ? (size_t)bytes_get(bytes, 4) : 0;
}

static enum status damaged(const char *what, struct error *e)
{
    return error_set(e, STATUS_DAMAGED, "packed claims: %s", what);
}

/* The walk in plain; *plain is freed by the caller. */
static enum status walk_unpack(struct pack_walk *w, const uint8_t *at, size_t size, uint8_t **plain,
                               struct error *e)
{
    w->most = pack_claims(at, size);
    w->size = size >= PACK_HEADER ? (size_t)bytes_get(at + 4, 4) : 0;
    if (w->most == 0 || w->most > PACK_CLAIMS_MAX || w->size > w->most * MASK_BYTES ||
        at[16] > PACKED)
        return damaged("expected a header of claims", e);
    if (at[16] == PLAIN) {
        w->bytes = at + PACK_HEADER;
        return w->size == size - PACK_HEADER ? STATUS_OK : damaged("the size is wrong", e);
    }
    if (!(*plain = malloc(w->size + 1)))
        return no_memory(e);
    w->bytes = *plain;
    return ZSTD_decompress(*plain, w->size, at + PACK_HEADER, size - PACK_HEADER) == w->size
               ? STATUS_OK
               : damaged("zstd cannot unpack them", e);
}

enum status pack_read(const void *bytes, size_t size, const struct pack_question *q,
                      struct certificate *out, struct error *e)
{
    struct pack_walk w = {.question = q, .out = out};
    size_t before = out->claims;
    uint8_t *plain = NULL;
    enum status rc;

    if (!(rc = walk_unpack(&w, bytes, size, &plain, e)) && !(rc = walk_run(&w, e)) &&
        (w.bad || w.at != w.size || w.claims != w.most ||
         w.digest != bytes_get((const uint8_t *)bytes + 8, 8)))
        rc = damaged("they are not those of this position", e);
    if (rc)
        out->claims = before;
    walk_free(&w);
    free(plain);
    return rc;
}
