/* SPDX-License-Identifier: MIT */
#include "db/ondemand.h"

#include "base/array.h"
#include "db/answer.h"

#include "core/movegen.h"
#include "db/blocks.h"
#include "db/men_order.h"
#include "db/build.h"

#include <stdlib.h>
#include <string.h>

/* One slice of the plan and its wanted blocks. */
struct slice_plan {
    struct layout layout; /* of the canonical slice */
    uint64_t *wanted;     /* bitmap of blocks */
    uint64_t blocks;      /* number wanted */
    bool kept[2];         /* its table, and that of its mirror; a symmetric slice has one */
};

struct ondemand {
    struct build_plan plan;
    struct slice_plan *part;    /* by place in the plan */
    int16_t place[SLICE_CODES]; /* of canonical slices; -1 where there is none */
    bool conversions, nine, solved;
    int most; /* pieces of one side */
    struct sets *sets;
    struct raw_set set[KINDS];
    struct raw *raw[KINDS][SLICE_CODES]; /* these and those that are not kept, to be freed */
};

/* ----------------------------------------------------------- what can be reached -- */

/* A block: the number of kings of each side, and the men, from the mover's view. */
struct node {
    int kings, opp_kings;
    uint32_t men, opp_men;
};

struct reach {
    struct ondemand *o;
    struct node *stack;
    size_t count, room;
    uint64_t bytes, limit;   /* what the blocks found so far take at least; 0: no limit */
    const atomic_bool *stop; /* may be NULL */
    bool failed;
};

static struct node node_flip(struct node n)
{
    return (struct node){n.opp_kings, n.kings, packed_flip(n.opp_men), packed_flip(n.men)};
}

static struct slice node_slice(struct node n)
{
    return (struct slice){(uint8_t)n.kings, (uint8_t)__builtin_popcount(n.men),
                          (uint8_t)n.opp_kings, (uint8_t)__builtin_popcount(n.opp_men)};
}

static void stack_push(struct reach *s, struct node n)
{
    if (array_room((void **)&s->stack, &s->room, s->count + 1, sizeof *s->stack))
        s->stack[s->count++] = n;
    else
        s->failed = true;
}

static enum raw_form form_of(const struct ondemand *o, enum kind kind)
{
    return kind == KIND_WLD   ? RAW_PACKED
           : kind == KIND_DTC ? RAW_WIDE
           : o->nine          ? RAW_NINE
                              : RAW_NARROW;
}

/* Mark a block; false if it was marked already. */
static bool block_mark(struct reach *s, struct slice_plan *p, struct node n)
{
    uint64_t block = layout_block(&p->layout, n.men, n.opp_men);

    if (p->wanted[block / 64] >> block % 64 & 1)
        return false;
    p->wanted[block / 64] |= UINT64_C(1) << block % 64;
    p->blocks++;
    s->bytes += raw_layout_stride(&p->layout, form_of(s->o, KIND_DTW)) + sizeof n;
    return true;
}

/* Mark a block, and its mirror if that is in the same table; queue it if it is new. */
static void node_add(struct reach *s, struct node n)
{
    struct slice slice = node_slice(n);
    struct slice_plan *p;

    if (n.kings + slice.men == 0 || n.opp_kings + slice.opp_men == 0)
        return; /* the game is over */
    if (!slice_equal(slice, slice_canonical(slice)))
        n = node_flip(n);
    p = &s->o->part[s->o->place[slice_code(slice_canonical(slice))]];
    if (!block_mark(s, p, n))
        return;
    if (slice_symmetric(slice))
        block_mark(s, p, node_flip(n));
    stack_push(s, n);
}

/* A capture by the side to move, on the board of the men alone. */
struct hunt {
    struct reach *s;
    struct node n;
    int from;
    bool man;
};

/* The piece is on `at` and has captured the men `taken` and the kings on `kings_at`. */
static void hunt_follow(struct hunt *h, int at, uint32_t taken, uint32_t kings_at)
{
    uint32_t fixed = (h->n.men | h->n.opp_men) & ~(UINT32_C(1) << h->from);
    int directions = h->man ? (at >= 28 ? 0 : 2) : 4;

    if (taken | kings_at) {
        struct node after = h->n;

        after.opp_men &= ~taken;
        after.opp_kings -= __builtin_popcount(kings_at);
        if (h->man) {
            after.men &= ~(UINT32_C(1) << h->from);
            if (at >= 28)
                after.kings++;
            else
                after.men |= UINT32_C(1) << at;
        }
        node_add(h->s, node_flip(after));
    }
    for (int d = 0; d < directions; d++) {
        int over = kernel_neighbour[at][d], land = over < 0 ? -1 : kernel_neighbour[over][d];
        uint32_t bit = land < 0 ? 0 : UINT32_C(1) << over;

        if (land < 0 || (fixed >> land & 1) || ((taken | kings_at | h->n.men) & bit))
            continue;
        if (h->n.opp_men & bit)
            hunt_follow(h, land, taken | bit, kings_at);
        else if (__builtin_popcount(kings_at) < h->n.opp_kings)
            hunt_follow(h, land, taken, kings_at | bit);
    }
}

static void node_captures(struct reach *s, struct node n)
{
    struct hunt h = {.s = s, .n = n};

    for (uint32_t x = n.kings ? ~n.opp_men : n.men; x; x &= x - 1) {
        h.from = __builtin_ctz(x);
        h.man = n.men >> h.from & 1;
        hunt_follow(&h, h.from, 0, 0);
    }
}

static void node_steps(struct reach *s, struct node n)
{
    uint32_t occupied = n.men | n.opp_men;

    for (uint32_t x = n.men; x; x &= x - 1)
        for (int d = 0; d < 2; d++) {
            int from = __builtin_ctz(x), to = kernel_neighbour[from][d];
            struct node after = n;

            if (to < 0 || (occupied >> to & 1))
                continue;
            after.men &= ~(UINT32_C(1) << from);
            if (to >= 28)
                after.kings++;
            else
                after.men |= UINT32_C(1) << to;
            node_add(s, node_flip(after));
        }
}

static bool reach_is_stopped(const struct reach *s)
{
    return s->stop && atomic_load_explicit(s->stop, memory_order_relaxed);
}

static bool reach_is_too_large(const struct reach *s)
{
    return s->limit && s->bytes > s->limit;
}

static enum status reach_result(const struct reach *s, struct error *e)
{
    if (s->failed)
        return error_set(e, STATUS_NO_MEMORY, "no memory for the blocks that can be reached");
    if (reach_is_too_large(s))
        return error_set(e, STATUS_NO_MEMORY, "needs more than the allowed %.1f MiB",
                         (double)s->limit / (1 << 20));
    if (reach_is_stopped(s))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    return STATUS_OK;
}

/* Find everything reachable from the given position, with either side to move. */
static enum status blocks_find(struct reach *start, struct node root, struct error *e)
{
    struct reach s = *start;

    node_add(&s, root);
    while (s.count > 0 && !s.failed && !reach_is_too_large(&s) && !reach_is_stopped(&s)) {
        struct node n = s.stack[--s.count];

        for (int side = 0; side < 2; side++, n = node_flip(n)) {
            node_steps(&s, n);
            node_captures(&s, n);
        }
    }
    free(s.stack);
    return reach_result(&s, e);
}

/* Choose the tables to keep: those that are read across a conversion, or after a step of the
 * opponent's men; one of the two in any case. */
static void tables_choose(struct ondemand *o)
{
    bool read[SLICE_CODES] = {false};
    struct slice list[SLICE_CODES];

    for (int i = 0; i < o->plan.count; i++) {
        int n = o->part[i].blocks ? slice_reads(o->plan.slice[i], list) : 0;

        while (n > 0)
            read[slice_code(list[--n])] = true;
    }
    for (int i = 0; i < o->plan.count; i++) {
        struct slice_plan *p = &o->part[i];
        struct slice s = p->layout.slice;

        p->kept[1] = !slice_symmetric(s) && (s.men || read[slice_code(slice_flip(s))]);
        p->kept[0] = !p->kept[1] || s.opp_men || read[slice_code(s)];
    }
}

/* ------------------------------------------------------------------ open, close -- */

static enum status parts_create(struct ondemand *o, struct error *e)
{
    o->part = calloc((size_t)o->plan.count, sizeof *o->part);
    if (!o->part)
        return error_set(e, STATUS_NO_MEMORY, "no memory for the plan");
    memset(o->place, -1, sizeof o->place);
    for (int i = 0; i < o->plan.count; i++) {
        struct slice_plan *p = &o->part[i];

        o->place[slice_code(o->plan.slice[i])] = (int16_t)i;
        if (layout_create(&p->layout, o->plan.slice[i]))
            return error_set(e, STATUS_NO_MEMORY, "no memory for the plan");
        p->wanted = calloc(p->layout.blocks / 64 + 1, 8);
        if (!p->wanted)
            return error_set(e, STATUS_NO_MEMORY, "no memory for the plan");
    }
    return STATUS_OK;
}

static enum status open_within(struct ondemand **out, const struct board *b, bool conversions,
                               uint64_t limit, const atomic_bool *stop, struct error *e)
{
    struct reach reach = {.limit = limit, .stop = stop};
    struct view v = view_of(b);
    struct slice s = view_slice(&v);
    struct node root = {s.kings, s.opp_kings, v.men, v.opp_men};
    struct ondemand *o;
    enum status rc;

    *out = NULL;
    if (s.kings + s.men == 0 || s.opp_kings + s.opp_men == 0)
        return error_set(e, STATUS_MISSING, "one side has no pieces: the game is over");
    if (squares_count(b->side[BLACK]) + squares_count(b->side[WHITE]) > ONDEMAND_PIECES_MAX)
        return error_set(e, STATUS_MISSING, "more than %d pieces: out of reach",
                         ONDEMAND_PIECES_MAX);
    o = calloc(1, sizeof *o);
    if (!o)
        return error_set(e, STATUS_NO_MEMORY, "no memory for the plan");
    o->conversions = conversions;
    o->nine = slice_pieces(s) > DTW_BYTE_PIECES;
    o->most = s.kings + s.men > s.opp_kings + s.opp_men ? s.kings + s.men : s.opp_kings + s.opp_men;
    rc = build_plan_slice(&o->plan, s, e);
    if (!rc)
        rc = parts_create(o, e);
    if (!rc && !(o->sets = sets_create(o->most)))
        rc = error_set(e, STATUS_NO_MEMORY, "no memory for sets of squares");
    reach.o = o;
    if (!rc)
        rc = blocks_find(&reach, root, e);
    if (!rc)
        tables_choose(o);
    if (rc)
        ondemand_close(&o);
    *out = o;
    return rc;
}

enum status ondemand_open(struct ondemand **o, const struct board *b, bool conversions,
                          struct error *e)
{
    return open_within(o, b, conversions, 0, NULL, e);
}

void ondemand_close(struct ondemand **o)
{
    if (!*o)
        return;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++)
            if ((*o)->raw[k][i]) {
                raw_free((*o)->raw[k][i]);
                free((*o)->raw[k][i]);
            }
    for (int i = 0; (*o)->part && i < (*o)->plan.count; i++) {
        layout_free(&(*o)->part[i].layout);
        free((*o)->part[i].wanted);
    }
    free((*o)->part);
    sets_free(&(*o)->sets);
    build_plan_free(&(*o)->plan);
    free(*o);
    *o = NULL;
}

/* ----------------------------------------------------------------------- figures -- */

static uint64_t part_values(const struct slice_plan *p)
{
    return p->blocks * p->layout.block_size * (slice_symmetric(p->layout.slice) ? 1 : 2);
}

uint64_t ondemand_values(const struct ondemand *o)
{
    uint64_t n = 0;

    for (int i = 0; i < o->plan.count; i++)
        n += part_values(&o->part[i]);
    return n;
}

uint64_t ondemand_work(const struct ondemand *o)
{
    return ondemand_values(o) * (o->conversions ? 2 : 1);
}

static const struct kernel *kernel_of(const struct ondemand *o, enum kind kind)
{
    enum kernel_type type = kind == KIND_DTC ? KERNEL_TYPE_DTC
                            : o->nine        ? KERNEL_TYPE_DTW9
                                             : KERNEL_TYPE_DTW;

    return kernel_get(type, kernel_isa_best());
}

static bool kind_is_solved(const struct ondemand *o, enum kind kind)
{
    return kind == KIND_DTW || o->conversions;
}

/* Are all blocks of the slice wanted? */
static bool part_is_whole(const struct slice_plan *p)
{
    return p->blocks == p->layout.blocks;
}

/* The most memory that a table takes.  Blocks do not end at page boundaries. */
static uint64_t table_bytes(const struct slice_plan *p, enum raw_form form)
{
    uint64_t all = raw_layout_bytes(&p->layout, form), stride = raw_layout_stride(&p->layout, form);
    uint64_t each = (stride + 2 * (RAW_PAGE - 1)) / RAW_PAGE * RAW_PAGE;
    uint64_t bytes = p->blocks * each + RAW_PAGE;

    return part_is_whole(p) || bytes > all ? all : bytes;
}

static uint64_t layout_bytes(struct slice s)
{
    return (binomial(28, s.men) + 1) * sizeof(uint32_t);
}

/* The tables of a slice that are kept, of all kinds. */
static uint64_t part_bytes(const struct ondemand *o, const struct slice_plan *p)
{
    struct slice s = p->layout.slice, mirror = slice_flip(s);
    uint64_t bytes = 0;

    for (int k = 0; k < KINDS && p->blocks; k++)
        if (kind_is_solved(o, (enum kind)k)) {
            bytes += (p->kept[0] + p->kept[1]) * table_bytes(p, form_of(o, (enum kind)k));
            bytes += layout_bytes(s) + layout_bytes(mirror);
        }
    return bytes;
}

/* The memory for solving besides the tables: workspaces, and the order of blocks. */
static uint64_t part_space(const struct ondemand *o, const struct slice_plan *p, int threads)
{
    struct slice s = p->layout.slice;
    uint64_t most = 0;

    for (int k = 0; k < KINDS && p->blocks; k++)
        if (k != KIND_WLD && kind_is_solved(o, (enum kind)k)) {
            uint64_t bytes = workspaces_bytes(kernel_of(o, (enum kind)k), o->sets, s, threads);

            most = bytes > most ? bytes : most;
        }
    return most + MEN_ORDER_BYTES * (binomial(28, s.men) + binomial(28, s.opp_men));
}

/* The memory of the plan itself. */
static uint64_t plan_bytes(const struct ondemand *o)
{
    uint64_t bytes = sizeof *o + sets_bytes(o->most);

    for (int i = 0; i < o->plan.count; i++)
        bytes += sizeof *o->part + o->part[i].layout.blocks / 8 + 16 +
                 layout_bytes(o->part[i].layout.slice);
    return bytes;
}

/* Tables are kept, workspaces freed: the peak is in the slice where their sum is largest. */
uint64_t ondemand_bytes(const struct ondemand *o, int threads)
{
    uint64_t tables = plan_bytes(o), peak = 0;

    for (int i = 0; i < o->plan.count; i++) {
        uint64_t space = part_space(o, &o->part[i], threads);

        tables += part_bytes(o, &o->part[i]);
        peak = tables + space > peak ? tables + space : peak;
    }
    return peak;
}

int ondemand_threads(const struct ondemand *o, int threads, uint64_t memory)
{
    while (threads > 1 && ondemand_bytes(o, threads) > memory)
        threads--;
    return threads;
}

void ondemand_use_nine(struct ondemand *o)
{
    o->nine = true;
}

/* ----------------------------------------------------------------------- solving -- */

/* The table of a part, or of its mirror; without memory if it is not kept. */
static struct raw *raw_add(struct ondemand *o, enum kind kind, const struct slice_plan *p,
                           int mirror)
{
    struct slice s = mirror ? slice_flip(p->layout.slice) : p->layout.slice;
    enum raw_form form = form_of(o, kind);
    struct raw *r = calloc(1, sizeof *r);

    if (!r || (!p->kept[mirror]   ? raw_create_empty(r, s, form)
               : part_is_whole(p) ? raw_create(r, s, form, NULL)
                                  : raw_create_sparse(r, s, form))) {
        free(r);
        return NULL;
    }
    o->raw[kind][slice_code(s)] = r;
    if (p->kept[mirror])
        o->set[kind].at[slice_code(s)] = r;
    return r;
}

static enum status raws_add(struct ondemand *o, enum kind kind, const struct slice_plan *p,
                            struct raw *out[2], struct error *e)
{
    out[0] = raw_add(o, kind, p, 0);
    out[1] = slice_symmetric(p->layout.slice) ? out[0] : raw_add(o, kind, p, 1);
    if (!out[0] || !out[1])
        return error_set(e, STATUS_NO_MEMORY, "no memory for a table");
    return STATUS_OK;
}

static enum status kind_solve(struct ondemand *o, struct crew *crew, const struct slice_plan *p,
                              enum kind kind, _Atomic uint64_t *done, struct error *e)
{
    struct slice s = p->layout.slice;
    struct workspaces workspaces = {0};
    struct block_job job = {.same = &o->set[kind],
                            .conv = &o->set[kind == KIND_DTC ? KIND_WLD : kind]};
    enum status rc = raws_add(o, kind, p, job.out, e);

    if (!rc)
        rc = workspaces_open(&workspaces, kernel_of(o, kind), o->sets, s, crew->threads, NULL, e);
    if (!rc)
        rc = blocks_solve(crew, &workspaces, o->sets, s, &job, p->wanted, done, e);
    workspaces_close(&workspaces);
    return rc;
}

/* The values of the wanted blocks and their mirrors, as far as they are kept. */
static enum status values_pack(struct ondemand *o, const struct slice_plan *p,
                               const atomic_bool *stop, struct error *e)
{
    const struct raw *const *dtw = o->set[KIND_DTW].at;
    struct raw *out[2];
    enum status rc = raws_add(o, KIND_WLD, p, out, e);

    for (uint64_t block = 0; block < p->layout.blocks && !rc; block++) {
        uint32_t men, opp_men;

        if (!(p->wanted[block / 64] >> block % 64 & 1))
            continue;
        layout_block_men(&p->layout, block, &men, &opp_men);
        if (p->kept[0])
            raw_pack_block(out[0], dtw[slice_code(p->layout.slice)], block, stop);
        if (p->kept[1])
            raw_pack_block(out[1], dtw[slice_code(slice_flip(p->layout.slice))],
                           layout_block(&out[1]->layout, packed_flip(opp_men), packed_flip(men)),
                           stop);
    }
    return rc;
}

enum status ondemand_solve(struct ondemand *o, int threads, uint64_t memory,
                           const atomic_bool *stop, _Atomic uint64_t *done, struct error *e)
{
    uint64_t bytes;
    struct crew crew;
    enum status rc = STATUS_OK;

    threads = ondemand_threads(o, threads, memory);
    if ((bytes = ondemand_bytes(o, threads)) > memory)
        return error_set(e, STATUS_NO_MEMORY,
                         "needs %llu values and %.1f MiB of memory; %.1f MiB are allowed",
                         (unsigned long long)ondemand_values(o), (double)bytes / (1 << 20),
                         (double)memory / (1 << 20));
    if (crew_open(&crew, threads, stop))
        return error_set(e, STATUS_NO_MEMORY, "cannot start threads");
    for (int i = 0; i < o->plan.count && !rc; i++) {
        const struct slice_plan *p = &o->part[i];

        if (!p->blocks)
            continue;
        rc = kind_solve(o, &crew, p, KIND_DTW, done, e);
        if (!rc && o->conversions)
            rc = values_pack(o, p, stop, e);
        if (!rc && o->conversions)
            rc = kind_solve(o, &crew, p, KIND_DTC, done, e);
    }
    crew_close(&crew);
    o->solved = !rc;
    return rc;
}

/* ----------------------------------------------------------------------- answers -- */

/* Was the position's block solved? */
static bool view_is_reached(const struct ondemand *o, const struct view *v, struct slice s)
{
    bool here = slice_equal(s, slice_canonical(s));
    const struct slice_plan *p;
    uint64_t block;
    int place;

    if (slice_pieces(s) > PIECES_MAX || s.opp_kings + s.opp_men == 0 ||
        (place = o->place[slice_code(slice_canonical(s))]) < 0)
        return false;
    p = &o->part[place];
    block = here ? layout_block(&p->layout, v->men, v->opp_men)
                 : layout_block(&p->layout, packed_flip(v->opp_men), packed_flip(v->men));
    return p->wanted[block / 64] >> block % 64 & 1;
}

/* The outcome of a position whose table is not kept: all its moves lead to tables that are. */
static enum status moves_outcome(const struct ondemand *o, const struct board *b, enum kind kind,
                                 struct outcome *best, struct error *e)
{
    struct move_list list;
    enum status rc = STATUS_OK;

    moves_generate(b, &list);
    for (int i = 0; i < list.count && !rc; i++) {
        struct board next = board_after(b, &list.move[i]);
        struct outcome after = outcome_lost, by;

        rc = ondemand_outcome(o, &next, kind, &after, e);
        by = kind == KIND_DTC && move_is_conversion(&list.move[i]) ? outcome_converting(after.value)
                                                                   : outcome_before(after);
        if (i == 0 || outcome_better(by, *best))
            *best = by;
    }
    return rc;
}

enum status ondemand_outcome(const struct ondemand *o, const struct board *b, enum kind kind,
                             struct outcome *out, struct error *e)
{
    struct view v = view_of(b);
    struct slice s = view_slice(&v);
    enum kind solved = kind == KIND_WLD ? KIND_DTW : kind;
    const struct raw *r;
    enum status rc = STATUS_OK;

    if (moves_count(b) == 0) {
        *out = outcome_lost;
        return STATUS_OK;
    }
    if (!o->solved || !kind_is_solved(o, solved) || !view_is_reached(o, &v, s))
        return error_set(e, STATUS_MISSING, "play from the given position does not reach this one");
    if ((r = o->set[solved].at[slice_code(s)]))
        *out = raw_outcome(r, layout_index(&r->layout, &v));
    else
        rc = moves_outcome(o, b, solved, out, e);
    if (kind == KIND_WLD)
        out->plies = 0;
    return rc;
}

enum status ondemand_plan(struct ondemand **o, const struct board *b, unsigned want,
                          uint64_t memory, const atomic_bool *stop, struct error *e)
{
    bool conversions = (want & WANT_DTC) != 0;
    enum status rc = open_within(o, b, conversions, memory, stop, e);

    if (rc || !conversions || !(want & WANT_DTW) || ondemand_bytes(*o, 1) <= memory)
        return rc;
    ondemand_close(o);
    return open_within(o, b, false, memory, stop, e);
}
