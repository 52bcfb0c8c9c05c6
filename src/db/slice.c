/* SPDX-License-Identifier: MIT */
#include "db/slice.h"

#include "db/sets.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEN_SQUARES UINT32_C(0x0FFFFFFF) /* a man is never on its last row */

/* ---------------------------------------------------------------- material -- */

struct slice slice_canonical(struct slice s)
{
    int us = s.kings + s.men, them = s.opp_kings + s.opp_men;
    bool first = us != them ? us > them : s.kings >= s.opp_kings;

    return first ? s : slice_flip(s);
}

static char *side_name(char *at, int kings, int men)
{
    if (kings)
        at += sprintf(at, "%dK", kings);
    if (men)
        at += sprintf(at, "%dC", men);
    return at;
}

char *slice_name(struct slice s, char buf[SLICE_NAME_MAX])
{
    char *at = side_name(buf, s.kings, s.men);

    *at++ = '-';
    side_name(at, s.opp_kings, s.opp_men);
    return buf;
}

static const char *skip(const char *p, const char *any)
{
    while (*p && strchr(any, *p))
        p++;
    return p;
}

/* One side: "3K1C", "3k+1c", "2C"; returns the end, or NULL. */
static const char *side_parse(const char *p, uint8_t *kings, uint8_t *men)
{
    bool seen[2] = {false, false};

    *kings = *men = 0;
    for (p = skip(p, " "); isdigit((unsigned char)*p); p = skip(p, " +")) {
        int n = *p - '0', kind = toupper((unsigned char)p[1]);

        if (kind != 'K' && kind != 'C' && kind != 'M')
            return NULL;
        if (n > SIDE_MAX || seen[kind == 'K'])
            return NULL;
        seen[kind == 'K'] = true;
        *(kind == 'K' ? kings : men) = (uint8_t)n;
        p += 2;
    }
    return seen[0] || seen[1] ? p : NULL;
}

bool slice_parse(const char *text, struct slice *out)
{
    const char *p = side_parse(text, &out->kings, &out->men);

    if (!p || !strchr("-vV", *p) || !*p)
        return false;
    p = skip(p + 1, "sS.");
    p = side_parse(p, &out->opp_kings, &out->opp_men);
    return p && !*p && out->kings + out->men > 0 && out->opp_kings + out->opp_men > 0 &&
           slice_pieces(*out) <= PIECES_MAX;
}

int slice_order(int pieces, int side, struct slice *list)
{
    int n = 0;

    for (int total = 2; total <= pieces; total++)
        for (int men = 0; men <= total; men++)
            for (int us = total - 1; us >= total - us; us--)
                for (int m = 0; m <= men && m <= us; m++) {
                    int them = total - us, m2 = men - m;
                    struct slice s = {(uint8_t)(us - m), (uint8_t)m, (uint8_t)(them - m2),
                                      (uint8_t)m2};

                    if (us > side || m2 > them || (us == them && m > m2))
                        continue;
                    if (list)
                        list[n] = s;
                    n++;
                }
    return n;
}

static int slice_add(struct slice s, struct slice *list, int n)
{
    s = slice_canonical(s);
    for (int i = 0; i < n; i++)
        if (slice_equal(list[i], s))
            return n;
    list[n] = s;
    return n + 1;
}

/* The slices that the side to move can reach: by crowning a man, or by capturing up to all of the
 * other side's pieces with a king, a man, or a man that is crowned. */
static int successors_of(struct slice s, struct slice *list, int n)
{
    for (int crown = 0; crown <= (s.men > 0); crown++)
        for (int k = 0; k <= s.opp_kings; k++)
            for (int m = 0; m <= s.opp_men; m++) {
                struct slice t = {(uint8_t)(s.kings + crown), (uint8_t)(s.men - crown),
                                  (uint8_t)(s.opp_kings - k), (uint8_t)(s.opp_men - m)};

                if ((k + m || crown) && t.opp_kings + t.opp_men > 0)
                    n = slice_add(t, list, n);
            }
    return n;
}

int slice_successors(struct slice s, struct slice *list)
{
    int n = successors_of(s, list, 0);

    return successors_of(slice_flip(s), list, n);
}

/* ---------------------------------------------------------------- numbering -- */

int layout_create(struct layout *l, struct slice s)
{
    int free_squares = 32 - s.men - s.opp_men;
    uint64_t n = 0;
    uint32_t men = (UINT32_C(1) << s.men) - 1;

    *l = (struct layout){.slice = s};
    l->rows = sets_binomial[free_squares][s.opp_kings];
    l->columns = sets_binomial[free_squares - s.opp_kings][s.kings];
    l->block_size = (uint64_t)l->rows * l->columns;
    l->men_sets = sets_binomial[28][s.men];
    l->first = malloc((l->men_sets + 1) * sizeof *l->first);
    if (!l->first)
        return -1;
    for (uint32_t i = 0; i < l->men_sets; i++) {
        uint32_t room = MEN_SQUARES & ~packed_flip(men);

        l->first[i] = (uint32_t)n; /* 5C-5C has most blocks: 3,956,576,472 */
        n += sets_binomial[__builtin_popcount(room)][s.opp_men];
        if (men) {
            uint32_t low = men & -men, carry = men + low;
            men = carry | (((men ^ carry) >> 2) / low);
        }
    }
    l->blocks = n;
    assert(n <= UINT32_MAX);
    l->first[l->men_sets] = (uint32_t)n;
    l->positions = n * l->block_size;
    return 0;
}

void layout_free(struct layout *l)
{
    free(l->first);
    l->first = NULL;
}

struct board view_board(const struct view *v, enum side turn)
{
    struct board b = {
        .side = {squares_unpack(v->men | v->kings), squares_unpack(v->opp_men | v->opp_kings)},
        .kings = squares_unpack(v->kings | v->opp_kings),
        .turn = BLACK,
    };

    return turn == BLACK ? b : board_flip(&b);
}

/* The opponent counts squares from its own end: square s of ours is 31 - s.  Its
 * men stay off its last row, which is our first. */
uint64_t layout_block(const struct layout *l, uint32_t men, uint32_t opp_men)
{
    uint32_t room = ~(UINT32_C(0xF) | men);

    return l->first[set_rank(men)] + set_rank_in_down(opp_men, room);
}

void layout_block_men(const struct layout *l, uint64_t block, uint32_t *men, uint32_t *opp_men)
{
    uint32_t low = 0, high = l->men_sets, room;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (l->first[middle] <= block)
            low = middle;
        else
            high = middle;
    }
    *men = set_unrank_in(low, l->slice.men, UINT32_MAX);
    room = packed_flip(~(UINT32_C(0xF) | *men));
    *opp_men =
        packed_flip(set_unrank_in((uint32_t)(block - l->first[low]), l->slice.opp_men, room));
}

static inline uint64_t index_of(const struct layout *l, const struct view *v)
{
    uint32_t free_squares = ~(v->men | v->opp_men);
    uint64_t row = set_rank_in_down(v->opp_kings, free_squares);
    uint64_t column = set_rank_in(v->kings, free_squares & ~v->opp_kings);

    return layout_block(l, v->men, v->opp_men) * l->block_size + row * l->columns + column;
}

uint64_t layout_index(const struct layout *l, const struct view *v)
{
    return index_of(l, v);
}

void layout_indices(const struct layout *l, const struct view *views, size_t count,
                    uint64_t *indices)
{
    for (size_t i = 0; i < count; i++)
        indices[i] = index_of(l, &views[i]);
}

void layout_view(const struct layout *l, uint64_t index, struct view *out)
{
    uint64_t in_block = index % l->block_size;
    uint32_t free_squares;

    layout_block_men(l, index / l->block_size, &out->men, &out->opp_men);
    free_squares = ~(out->men | out->opp_men);
    out->opp_kings = packed_flip(set_unrank_in((uint32_t)(in_block / l->columns),
                                               l->slice.opp_kings, packed_flip(free_squares)));
    out->kings = set_unrank_in((uint32_t)(in_block % l->columns), l->slice.kings,
                               free_squares & ~out->opp_kings);
}

int men_advancement(uint32_t men, uint32_t opp_men)
{
    int rows = 0;

    for (; men; men &= men - 1)
        rows += __builtin_ctz(men) / 4;
    for (; opp_men; opp_men &= opp_men - 1)
        rows += 7 - __builtin_ctz(opp_men) / 4;
    return rows;
}
