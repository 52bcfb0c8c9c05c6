/* SPDX-License-Identifier: MIT */
#include "db/views.h"
#include "core/move.h"
#include "core/step.h"

#include <assert.h>

#define ROWS_EVEN UINT32_C(0x0F0F0F0F)
#define ROWS_ODD UINT32_C(0xF0F0F0F0)
#define NOT_FIRST UINT32_C(0xEEEEEEEE) /* columns */
#define NOT_LAST UINT32_C(0x77777777)
#define ROW_CROWN UINT32_C(0xF0000000)

/* -------------------------------------------------------------------- turning -- */

static inline uint32_t turned(uint32_t x)
{
    x = __builtin_bswap32(x);
    x = (x >> 4 & UINT32_C(0x0F0F0F0F)) | (x & UINT32_C(0x0F0F0F0F)) << 4;
    x = (x >> 2 & UINT32_C(0x33333333)) | (x & UINT32_C(0x33333333)) << 2;
    return (x >> 1 & UINT32_C(0x55555555)) | (x & UINT32_C(0x55555555)) << 1;
}

static void column_turn(uint32_t *column, size_t count, const uint32_t *turn)
{
    for (size_t i = 0; i < count; i++)
        column[i] ^= (column[i] ^ turned(column[i])) & turn[i];
}

void views_turn(const struct views *v, size_t count, const uint32_t *turn)
{
    column_turn(v->men, count, turn);
    column_turn(v->kings, count, turn);
    column_turn(v->opp_men, count, turn);
    column_turn(v->opp_kings, count, turn);
}

static void columns_swap(uint32_t *restrict ours, uint32_t *restrict theirs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t us = turned(ours[i]);

        ours[i] = turned(theirs[i]);
        theirs[i] = us;
    }
}

void views_pass(const struct views *v, size_t count)
{
    columns_swap(v->men, v->opp_men, count);
    columns_swap(v->kings, v->opp_kings, count);
}

/* ------------------------------------------------------------------- jumping -- */

/* The squares from which something could jump over one of `prey` to an empty square. */
struct leaps {
    uint32_t up_7, up_9, down_7, down_9;
};

ALWAYS_INLINE struct leaps leaps_of(uint32_t empty, uint32_t prey)
{
    uint32_t up = prey >> 4, down = prey << 4;

    return (struct leaps){
        empty >> 7 & ((up & ROWS_EVEN) | (prey >> 3 & ROWS_ODD)) & NOT_FIRST,
        empty >> 9 & ((prey >> 5 & ROWS_EVEN) | (up & ROWS_ODD)) & NOT_LAST,
        empty << 7 & ((prey << 3 & ROWS_EVEN) | (down & ROWS_ODD)) & NOT_LAST,
        empty << 9 & ((down & ROWS_EVEN) | (prey << 5 & ROWS_ODD)) & NOT_FIRST,
    };
}

static void columns_jumpers(const uint32_t *restrict men, const uint32_t *restrict kings,
                            const uint32_t *restrict opp_men, const uint32_t *restrict opp_kings,
                            size_t count, uint32_t *restrict jumpers)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t prey = opp_men[i] | opp_kings[i];
        struct leaps l = leaps_of(~(men[i] | kings[i] | prey), prey);
        uint32_t up = l.up_7 | l.up_9;

        jumpers[i] = (men[i] & up) | (kings[i] & (up | l.down_7 | l.down_9));
    }
}

void views_jumpers(const struct views *v, size_t count, uint32_t *jumpers)
{
    columns_jumpers(v->men, v->kings, v->opp_men, v->opp_kings, count, jumpers);
}

/* ------------------------------------------------------------------ capturing -- */

/* A piece on its way. */
struct capture {
    struct view view; /* without the piece */
    struct views out; /* the complete captures ... */
    uint32_t count;   /* ... and how many there are */
    uint32_t empty;   /* with the square it came from */
    uint32_t king;    /* all ones: it is one; 0: a man */
};

/* The leaps of the piece on `at`; a man's go up. */
ALWAYS_INLINE struct leaps capture_leaps(const struct capture *c, uint32_t at, uint32_t prey)
{
    struct leaps l = leaps_of(c->empty, prey);

    return (struct leaps){l.up_7 & at, l.up_9 & at, l.down_7 & at & c->king,
                          l.down_9 & at & c->king};
}

/* It has stopped on `at`; `prey` is what it has not jumped. */
ALWAYS_INLINE void capture_end(struct capture *c, uint32_t at, uint32_t prey)
{
    uint32_t crowned = at & (c->king | ROW_CROWN);

    views_set(&c->out, c->count++,
              (struct view){c->view.men | (at ^ crowned), c->view.kings | crowned,
                            c->view.opp_men & prey, c->view.opp_kings & prey});
}

static void capture_follow(struct capture *c, uint32_t at, uint32_t prey);

/* Land on `at` after jumping over `over`. */
ALWAYS_INLINE void capture_land(struct capture *c, uint32_t at, uint32_t over, uint32_t prey)
{
    struct leaps l = capture_leaps(c, at, prey ^ over);

    if (__builtin_expect(l.up_7 | l.up_9 | l.down_7 | l.down_9, 0))
        capture_follow(c, at, prey ^ over);
    else
        capture_end(c, at, prey ^ over);
}

/* Make all leaps of the piece on `at`. */
ALWAYS_INLINE void capture_leap(struct capture *c, uint32_t at, uint32_t prey)
{
    struct leaps l = capture_leaps(c, at, prey);
    bool even = at & ROWS_EVEN;

    if (l.up_7)
        capture_land(c, at << 7, at << (even ? 4 : 3), prey);
    if (l.up_9)
        capture_land(c, at << 9, at << (even ? 5 : 4), prey);
    if (l.down_7)
        capture_land(c, at >> 7, at >> (even ? 3 : 4), prey);
    if (l.down_9)
        capture_land(c, at >> 9, at >> (even ? 4 : 5), prey);
}

static void capture_follow(struct capture *c, uint32_t at, uint32_t prey)
{
    capture_leap(c, at, prey);
}

uint32_t views_capture(const struct view *v, uint32_t jumpers, const struct views *out)
{
    uint32_t prey = v->opp_men | v->opp_kings, all = v->men | v->kings | prey;
    struct capture c = {.out = *out};

    for (; jumpers; jumpers &= jumpers - 1) {
        uint32_t piece = jumpers & -jumpers;

        c.view = (struct view){v->men & ~piece, v->kings & ~piece, v->opp_men, v->opp_kings};
        c.empty = ~(all ^ piece);
        c.king = v->kings & piece ? UINT32_MAX : 0;
        capture_leap(&c, piece, prey);
    }
    assert(c.count <= MOVES_MAX);
    return c.count;
}
