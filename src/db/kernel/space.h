/* SPDX-License-Identifier: MIT
 *
 * space.h -- what the parts of a kernel share: the workspace and rows of tables.
 *
 * A half is one side to move in the current block.  Its arrays are cut into panels of 64 columns;
 * row r is the mover's set of kings with rank r, column c the opponent's (seen from the opponent's
 * end, as everywhere):
 *
 *     best   [panel][row]      a group of 64: score by leaving the block; 0: no move
 *     score  [panel][row]      a group: score now
 *     valid  [panel][row]      mask: the kings stand on free squares
 *     quiet  [panel][row]      mask: valid, and the mover has no capture
 *     held   [panel][row]      mask: quiet, and leaving the block is at least a draw
 *
 * and, turned round so that the opponent's king moves run along rows:
 *
 *     seen   [panel of own sets][row of opponent's sets]  groups of seen codes; 0 invalid
 *
 * Win/loss/draw needs less where both sides have kings.  A win stays a win and a loss a loss, so
 * `score` takes the place of `best`, and `held` is all that is kept of it; invalid lanes of `score`
 * have both bits set, which the opponent sees as 0, so `valid` is not kept either.
 *
 * A slice without men is a single block.  Threads solve it jointly, each with its own bitmaps and
 * lists, all on the same halves.  The work is divided into phases with a barrier after each; in a
 * phase each thread takes the next unit of work (a row, a panel), and no unit writes what another
 * one reads or writes.
 *
 * Internal to the kernels. */
#ifndef KELSO_DB_KERNEL_SPACE_H
#define KELSO_DB_KERNEL_SPACE_H

#include "db/kernel/kernel.h"
#include "db/kernel/lanes.h"

#define KERNEL_JOIN_(a, b) a##_##b
#define KERNEL_JOIN(a, b) KERNEL_JOIN_(a, b)
#define K(name) KERNEL_JOIN(name, KERNEL_NAME)

/* -------------------------------------------------------------- bitmaps in vectors -- */

/* Four words of a bitmap at any address; the compiler splits them into what the machine has. */
typedef uint64_t bits256 __attribute__((vector_size(32), aligned(8), may_alias));

INLINE const bits256 *bits256_at(const uint64_t *p)
{
    return (const bits256 *)p;
}
INLINE bits256 *bits256_in(uint64_t *p)
{
    return (bits256 *)p;
}

/* --------------------------------------------------------- rows of finished data -- */

/* A row of two-bit values: bit `at` of the plane "mover wins", and of the plane
 * "mover loses", `plane` bytes on. */
struct packed_row {
    const uint8_t *bits;
    size_t plane;
    uint64_t at;
};

INLINE struct packed_row packed_row(const struct raw *t, uint64_t block, uint64_t row)
{
    return (struct packed_row){t->data + block * t->stride, t->plane, row * t->layout.columns};
}
INLINE uint64_t bits_load(const uint8_t *p, uint64_t at)
{
    uint64_t low;
    int shift = (int)(at & 7);

    memcpy(&low, p + at / 8, sizeof low);
    return shift ? low >> shift | (uint64_t)p[at / 8 + 8] << (64 - shift) : low;
}
INLINE lanes packed_expand(struct packed_row r, uint64_t mask)
{
    uint64_t win = bits_spread(bits_load(r.bits, r.at), mask);
    uint64_t loss = bits_spread(bits_load(r.bits + r.plane, r.at), mask);
#ifdef KERNEL_WLD
    return (lanes){mask & ~win, loss};
#else
    lanes v = lanes_keep(mask, lanes_fill(DRAW));

    v = lanes_select(win, lanes_fill(1), v);
    return lanes_select(loss, lanes_fill(WIN_NOW), v);
#endif
}
INLINE score packed_first(struct packed_row r)
{
    const uint8_t *p = r.bits + r.at / 8;
    int bit = (int)(r.at & 7);

    return p[0] >> bit & 1 ? 1 : p[r.plane] >> bit & 1 ? WIN_NOW : DRAW;
}
INLINE struct packed_row packed_skip(struct packed_row r, int n)
{
    r.at += (uint64_t)n;
    return r;
}

#if defined(NINE)
/* A row of nine-bit codes: bytes, and the ninth bits from bit `at` of the plane on. */
typedef struct {
    const uint8_t *low, *plane;
    uint64_t at;
} plain_row;

INLINE plain_row plain_row_at(const struct raw *t, uint64_t block, uint64_t row)
{
    const uint8_t *p = t->data + block * t->stride;
    uint64_t at = row * t->layout.columns;

    return (plain_row){p + at, p + t->plane, at};
}
INLINE lanes plain_expand(plain_row r, uint64_t mask)
{
    return lanes_expand_nine(mask, r.low, bits_spread(bits_load(r.plane, r.at), mask));
}
INLINE score plain_first(plain_row r)
{
    return (score)(r.low[0] | (r.plane[r.at / 8] >> (r.at & 7) & 1) << 8);
}
INLINE plain_row plain_skip(plain_row r, int n)
{
    return (plain_row){r.low + n, r.plane, r.at + (uint64_t)n};
}
#elif !defined(KERNEL_WLD)
/* A row of scores. */
typedef const score *plain_row;

INLINE plain_row plain_row_at(const struct raw *t, uint64_t block, uint64_t row)
{
    return (const score *)(const void *)(t->data + block * t->stride) + row * t->layout.columns;
}
INLINE lanes plain_expand(plain_row r, uint64_t mask)
{
    return lanes_expand(mask, r);
}
INLINE score plain_first(plain_row r)
{
    return *r;
}
INLINE plain_row plain_skip(plain_row r, int n)
{
    return r + n;
}
#endif

/* conv_: across a conversion; same_: within the slice. */
#if defined(KERNEL_WLD) || defined(KERNEL_DTC)
typedef struct packed_row conv_row;
#define conv_row_at packed_row
#define conv_expand packed_expand
#define conv_skip packed_skip
#define conv_first packed_first
#else
typedef plain_row conv_row;
#define conv_row_at plain_row_at
#define conv_expand plain_expand
#define conv_skip plain_skip
#define conv_first plain_first
#endif
#if defined(KERNEL_WLD)
typedef struct packed_row same_row;
#define same_row_at packed_row
#define same_expand packed_expand
#define same_skip packed_skip
#define same_first packed_first
#else
typedef plain_row same_row;
#define same_row_at plain_row_at
#define same_expand plain_expand
#define same_skip plain_skip
#define same_first plain_first
#endif

/* ------------------------------------------------------------------ workspace -- */

enum { MAN_MOVES_MAX = 2 * PIECES_MAX };

/* A step of a man, the same for all placements of kings that leave room for it. */
struct man_move {
    int to;
    bool crowns;
    uint32_t men; /* own men after it */
    const struct raw *table;
    uint64_t block;
    uint64_t *present; /* opponent's king sets that the table's rows hold, but for ours */
};

struct half {
    const struct set_family *own, *opp; /* families of king sets */
    int kings, men_count, opp_kings, opp_men_count;
    uint32_t men, opp_men; /* as this half's mover sees them */
    struct raw *out;
    size_t rows; /* own->count, rounded up to whole tiles */
    int panels;  /* opp->words */
    group *best, *score, *seen;
    uint64_t *valid, *quiet;
    uint64_t *held;              /* NULL where nothing is held: no men */
    uint64_t *row_ok;            /* own king sets that avoid the men */
    uint64_t *men_free;          /* opponent's king sets that avoid the men */
    uint64_t *changed[2];        /* rows of `seen` that changed: last sweep, this one */
    uint32_t *move_first, *move; /* king moves: rows reached from each row */
    struct man_move man_move[MAN_MOVES_MAX];
    int man_moves;
};

/* --------------------------------------------------------------------- jointly -- */

/* Three phases share the counters: while one runs, those of the next are prepared, and those of the
 * previous one are still being read. */
enum { PHASES = 3 };

struct joint {
    struct crew *crew; /* not owned */
    _Atomic uint32_t next[PHASES];
    atomic_bool moved[PHASES];
};

struct space {
    const struct sets *sets;
    const atomic_bool *stop; /* the job's */
    struct joint *joint;     /* NULL: one thread does everything; space[0] has it */
    int member;              /* of the threads that work jointly */
    unsigned phase;
    uint32_t unit;       /* without `joint`: the next of the phase */
    struct joint shared; /* of the first workspace; all `joint` point to it */
    struct slice slice;
    struct half half[2];
    uint64_t *need; /* rows to look at in a sweep */
    uint64_t *avoid, *valid, *quiet, *condition, *target, *present, *wanted; /* bitmaps */
    uint64_t *base, *base_fewer; /* leave.c: sets that avoid what a capturing piece leaves behind */
    bool based;                  /* these two have been computed */
    group *best;                 /* leave.c: the current row */
    group *list;                 /* a gathered row */
    size_t list_words;           /* groups that it has room for */
    group *dense[2];             /* lone.c: the block as one vector, each side to move */
};

/* Should the work stop?  Asked between rows or panels, never within one. */
INLINE bool job_stopped(const struct block_job *job)
{
    return job->stop && atomic_load_explicit(job->stop, memory_order_relaxed);
}

INLINE void phase_begin(struct space *sp)
{
    unsigned after = ++sp->phase + 1;

    sp->unit = 0;
    if (sp->joint && sp->member == 0) {
        atomic_store(&sp->joint->next[after % PHASES], 0);
        atomic_store(&sp->joint->moved[after % PHASES], false);
    }
}
/* The next unit of n; false if there is none, or the work should stop. */
INLINE bool phase_take(struct space *sp, uint32_t n, uint32_t *unit)
{
    if (sp->stop && atomic_load_explicit(sp->stop, memory_order_relaxed))
        return false;
    if (!sp->joint)
        *unit = sp->unit++;
    else
        *unit = atomic_fetch_add(&sp->joint->next[sp->phase % PHASES], 1);
    return *unit < n;
}
/* Wait for all threads; returns whether any of them reports that something moved. */
INLINE bool phase_end(struct space *sp, bool moved)
{
    if (!sp->joint)
        return moved;
    if (moved)
        atomic_store(&sp->joint->moved[sp->phase % PHASES], true);
    crew_wait(sp->joint->crew);
    return atomic_load(&sp->joint->moved[sp->phase % PHASES]);
}
/* Is this the thread that does the serial work? */
INLINE bool phase_mine(const struct space *sp)
{
    return sp->member == 0;
}

/* A family's bitmap in the opponent's numbering: our square s is its 31 - s. */
INLINE const uint64_t *opp_has(const struct half *h, int s)
{
    return family_has(h->opp, 31 - s);
}

/* The table of the opponent to move, after our move. */
INLINE const struct raw *table_after(const struct raw_set *set, int opp_kings, int opp_men,
                                     int kings, int men)
{
    struct slice s = {(uint8_t)opp_kings, (uint8_t)opp_men, (uint8_t)kings, (uint8_t)men};
    return set->at[slice_code(s)];
}

/* Its block, from our view of the board (slice.h: layout_block from the other end). */
INLINE uint64_t block_after(const struct raw *t, uint32_t opp_men, uint32_t men)
{
    uint32_t room = UINT32_C(0x0FFFFFFF) & ~opp_men;
    return t->layout.first[set_rank_in_down(opp_men, UINT32_MAX)] + set_rank_in(men, room);
}

/* Collect in sp->list the values of `from`, a row over the sets of f in `present`, for the
 * sets in `wanted`. */
INLINE void row_gather(struct space *sp, const struct set_family *f, conv_row from)
{
    struct list end = list_open(sp->list, sp->list_words);

    for (uint32_t w = 0; w < f->words; w++) {
        int n = lanes_of(sp->present[w]);

        if (sp->wanted[w])
            list_add(&end, bits_gather(sp->wanted[w], sp->present[w]),
                     conv_expand(from, lanes_first(n)));
        from = conv_skip(from, n);
    }
}

/* leave.c */
void K(half_prepare)(struct half *h, const struct block_job *job);
void K(half_leave)(struct space *sp, struct half *h, const struct block_job *job);
/* only `valid` and `quiet` */
void K(half_masks)(struct space *sp, struct half *h, const struct block_job *job);
/* sweep.c */
bool K(halves_sweep)(struct space *sp, struct half *a, struct half *b, const struct block_job *job);
/* lone.c: `with` has kings, its opponent has none */
bool K(lone_solve)(struct space *sp, struct half *with, struct half *without,
                   const struct block_job *job);
/* lone.c: raise the best of h, whose opponent has one king, by captures of it */
void K(lone_king_captures)(struct space *sp, struct half *h, const struct block_job *job);
/* captures.c */
void K(captures)(struct space *sp, const struct layout *l, uint64_t first, uint32_t n,
                 uint64_t *mover);
/* men.c */
bool K(men_solve)(struct half *h, const struct block_job *job);

/* Write values to a finished row of the block; n are selected by each mask. */
struct row_writer {
    uint8_t *block;
    size_t plane;
    uint64_t at;
    uint64_t win, loss; /* KERNEL_WLD: bits not yet written */
    uint64_t high;      /* NINE: the same */
};

/* Are the values of this side to move kept at all? */
INLINE bool half_is_kept(const struct half *h)
{
    return h->out->data != NULL;
}

#ifdef KERNEL_WLD
INLINE struct row_writer writer_open(struct raw *t, uint64_t block)
{
    return (struct row_writer){.block = t->data + block * t->stride, .plane = t->plane};
}
/* Continue at value `at` of the block, a multiple of 64. */
INLINE void writer_seek(struct row_writer *w, uint64_t at)
{
    w->at = at;
}
INLINE void writer_put(struct row_writer *w, uint64_t mask, lanes seen)
{
    uint64_t win = bits_gather(lanes_below(seen, DRAW), mask);
    uint64_t loss = bits_gather(lanes_above(seen, DRAW), mask);
    int have = (int)(w->at & 63), n = lanes_of(mask);

    w->win |= win << have;
    w->loss |= loss << have;
    if (have + n >= 64) {
        uint8_t *to = w->block + (w->at - (uint64_t)have) / 8;

        memcpy(to, &w->win, 8);
        memcpy(to + w->plane, &w->loss, 8);
        w->win = have ? win >> (64 - have) : 0;
        w->loss = have ? loss >> (64 - have) : 0;
    }
    w->at += (uint64_t)n;
}
INLINE void writer_close(struct row_writer *w)
{
    int have = (int)(w->at & 63);
    uint8_t *to = w->block + (w->at - (uint64_t)have) / 8;

    memcpy(to, &w->win, (size_t)(have + 7) / 8);
    memcpy(to + w->plane, &w->loss, (size_t)(have + 7) / 8);
}
#elif defined(NINE)
INLINE struct row_writer writer_open(struct raw *t, uint64_t block)
{
    return (struct row_writer){.block = t->data + block * t->stride, .plane = t->plane};
}
INLINE void writer_seek(struct row_writer *w, uint64_t at)
{
    w->at = at;
}
INLINE void writer_put(struct row_writer *w, uint64_t mask, lanes seen)
{
    uint64_t high = bits_gather(lanes_above(seen, DRAW - 1), mask);
    int have = (int)(w->at & 63), n = lanes_of(mask);

    lanes_compress_nine(w->block + w->at, mask, seen);
    w->high |= high << have;
    if (have + n >= 64) {
        memcpy(w->block + w->plane + (w->at - (uint64_t)have) / 8, &w->high, 8);
        w->high = have ? high >> (64 - have) : 0;
    }
    w->at += (uint64_t)n;
}
INLINE void writer_close(struct row_writer *w)
{
    int have = (int)(w->at & 63);

    memcpy(w->block + w->plane + (w->at - (uint64_t)have) / 8, &w->high, (size_t)(have + 7) / 8);
}
#else
INLINE struct row_writer writer_open(struct raw *t, uint64_t block)
{
    return (struct row_writer){.block = t->data + block * t->stride};
}
INLINE void writer_seek(struct row_writer *w, uint64_t at)
{
    w->at = at;
}
INLINE void writer_put(struct row_writer *w, uint64_t mask, lanes seen)
{
    lanes_compress((score *)(void *)w->block + w->at, mask, seen);
    w->at += (uint64_t)lanes_of(mask);
}
INLINE void writer_close(struct row_writer *w)
{
    (void)w;
}
#endif

#endif
