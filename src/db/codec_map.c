/* SPDX-License-Identifier: MIT */
#include "db/codec_lines.h"

#include <assert.h>
#include <string.h>

enum { NONE = -1 };

static enum codec_axis slice_axis(struct slice s)
{
    return s.kings ? AXIS_KINGS : s.opp_kings ? AXIS_OPP_KINGS : AXIS_OPP_MEN;
}

int codec_map_sets(struct slice s)
{
    return s.kings ? s.kings : s.opp_kings ? s.opp_kings : s.opp_men;
}

/* --------------------------------------------------------------- neighbours -- */

/* Add the offsets for moving each square of `set` down by one, the lowest first.  Squares are
 * numbered within `room`; one step of the rank is `unit`. */
static void line_outer(struct codec_line *line, uint32_t set, uint32_t room, uint64_t unit)
{
    for (int j = 0; set && line->outers < CODEC_BACK; set &= set - 1, j++) {
        int digit = __builtin_popcount(room & ((set & -set) - 1));

        if (digit > j)
            line->outer[line->outers++] = unit * sets_binomial[digit - 1][j];
    }
}

static void line_outer_men(struct codec_line *line, const struct layout *l, uint32_t men,
                           uint32_t rank)
{
    for (int j = 0; men && line->outers < CODEC_BACK; men &= men - 1, j++) {
        int digit = __builtin_ctz(men);

        if (digit > j)
            line->outer[line->outers++] =
                (l->first[rank] - l->first[rank - sets_binomial[digit - 1][j]]) * l->block_size;
    }
}

/* ----------------------------------------------------------------- captures -- */

static int axis_digit(const struct codec_line *line, square s)
{
    uint32_t one = squares_pack(squares_of(s)), room = line->room_packed;

    if (!(room & one))
        return NONE;
    if (line->axis == AXIS_KINGS)
        return __builtin_popcount(room & (one - 1));
    return __builtin_popcount(room & ~(one | (one - 1)));
}

static inline squares shifted(squares set, int by)
{
    return by > 0 ? set << by : set >> -by;
}

static void terms_clear(struct codec_terms *terms)
{
    terms->n = 0;
    terms->any[0] = terms->any[1] = terms->several = 0;
}

static void terms_hold(struct codec_terms *terms, squares where, int kind)
{
    terms->several |= (terms->any[0] | terms->any[1]) & where;
    terms->any[kind] |= where;
}

/* The same for an axis of one piece, as a set of squares for that piece. */
static void terms_add_lone(struct codec_terms *terms, squares jumps, int by, int need_by)
{
    if (need_by != NONE)
        terms_hold(terms, shifted(jumps, need_by * by), 1);
    else
        for (; jumps; jumps &= jumps - 1)
            terms_hold(terms, ~shifted(jumps & -jumps, 2 * by), 0);
}

/* Jumps in direction `by` from squares of `from` over squares of `over` to squares
 * that can be empty; need_by: which square the axis must have, counted from the
 * start in steps, or NONE. */
static void terms_add(struct codec_terms *terms, const struct codec_line *line, squares from,
                      squares over, int by, int need_by)
{
    squares to = BOARD_SQUARES & ~(line->men | line->opp);
    squares jumps = from & shifted(over, -by) & shifted(to, -2 * by);

    if (line->k == 1) {
        terms_add_lone(terms, jumps, by, need_by);
        return;
    }
    for (; jumps; jumps &= jumps - 1) {
        square s = square_first(jumps);
        struct codec_term t = {NONE, (int8_t)axis_digit(line, s + 2 * by)};

        if (need_by != NONE)
            t.need = (int8_t)axis_digit(line, s + need_by * by);
        terms->term[terms->n++] = t;
    }
}

static const int directions[] = {4, 5, -4, -5}; /* the mover's men go up */

static void line_taking(struct codec_line *line)
{
    for (int d = 0; d < 4; d++) {
        int by = directions[d];

        if (line->axis == AXIS_KINGS) {
            if (by > 0)
                terms_add(&line->taking, line, line->men, line->opp, by, NONE);
            terms_add(&line->taking, line, line->room, line->opp, by, 0);
        } else if (by > 0) {
            terms_add(&line->taking, line, line->men, line->opp_men, by, NONE);
            terms_add(&line->taking, line, line->men, line->room, by, 1);
        }
    }
}

static void line_threat(struct codec_line *line, squares opp_kings)
{
    for (int d = 0; d < 4; d++) {
        int by = directions[d];

        if (line->axis == AXIS_KINGS) {
            squares from = by < 0 ? line->opp : opp_kings;

            terms_add(&line->threat, line, from, line->men, by, NONE);
            terms_add(&line->threat, line, from, line->room, by, 1);
            continue;
        }
        if (by < 0)
            terms_add(&line->threat, line, line->opp_men, line->men, by, NONE);
        if (by < 0 || line->axis == AXIS_OPP_KINGS)
            terms_add(&line->threat, line, line->room, line->men, by, 0);
    }
}

static uint64_t term_word(struct codec_term t, const struct set_family *f, uint32_t w)
{
    uint64_t all = t.need == NONE ? ~UINT64_C(0) : family_has(f, t.need)[w];

    return t.forbid == NONE ? all : all & ~family_has(f, t.forbid)[w];
}

/* The places 64 * w ... of the axis at which any term holds. */
static uint64_t terms_any(const struct codec_terms *terms, const struct set_family *f, uint32_t w)
{
    uint64_t any = 0;

    for (int i = 0; i < terms->n; i++)
        any |= term_word(terms->term[i], f, w);
    return any;
}

/* The same as two bits: see codec_map_threat. */
static void terms_grade(const struct codec_terms *terms, const struct set_family *f, uint32_t w,
                        uint64_t grade[2])
{
    uint64_t any[2] = {0}, several = 0;

    for (int i = 0; i < terms->n; i++) {
        uint64_t word = term_word(terms->term[i], f, w);

        several |= (any[0] | any[1]) & word;
        any[terms->term[i].need != NONE] |= word;
    }
    grade[0] = any[0] | several;
    grade[1] = any[1] | several;
}

/* Put the low `count` bits of word at bit `at` of a bitmap that is clear from there. */
static void bits_put(uint64_t *bits, uint32_t at, uint64_t word, uint32_t count)
{
    if (count < 64)
        word &= (UINT64_C(1) << count) - 1;
    bits[at / 64] |= word << at % 64;
    if (at % 64 + count > 64)
        bits[at / 64 + 1] |= word >> (64 - at % 64);
}

/* The digits of an axis of one piece that stand for squares of `set`. */
static uint64_t line_digits(const struct codec_line *line, squares set)
{
    uint32_t digits = squares_pack(set), gaps = ~line->room_packed;

    if (line->axis != AXIS_KINGS) {
        digits = packed_flip(digits);
        gaps = packed_flip(gaps);
    }
    for (; gaps; gaps &= gaps - 1, gaps >>= 1) {
        uint32_t below = (gaps & -gaps) - 1;
        digits = (digits & below) | (digits >> 1 & ~below);
    }
    return digits;
}

static void line_classes_lone(const struct codec_line *line, struct codec_map *map, uint32_t start,
                              uint32_t n)
{
    const struct codec_terms *taking = &line->taking, *threat = &line->threat;
    uint64_t word = line_digits(line, taking->any[0] | taking->any[1]);

    bits_put(map->taking, start, word >> line->at, n);
    for (int kind = 0; kind < 2 && !line->captures_only; kind++) {
        word = line_digits(line, threat->any[kind] | threat->several);
        bits_put(map->threat[kind], start, word >> line->at, n);
    }
}

static void line_classes(const struct codec_line *line, const struct set_family *f,
                         struct codec_map *map, uint32_t start, uint32_t n)
{
    if (line->k == 1) {
        line_classes_lone(line, map, start, n);
        return;
    }
    for (uint32_t at = line->at, left = n; left;) {
        uint32_t skip = at % 64, count = 64 - skip < left ? 64 - skip : left;

        bits_put(map->taking, start, terms_any(&line->taking, f, at / 64) >> skip, count);
        if (!line->captures_only) {
            uint64_t grade[2];

            terms_grade(&line->threat, f, at / 64, grade);
            bits_put(map->threat[0], start, grade[0] >> skip, count);
            bits_put(map->threat[1], start, grade[1] >> skip, count);
        }
        start += count;
        at += count;
        left -= count;
    }
}

/* -------------------------------------------------------------------- lines -- */

/* Rows come one after the other: the next set is cheaper than the set of a rank. */
static uint32_t row_kings(struct codec_place *p, const struct layout *l, uint32_t row,
                          uint32_t turned)
{
    p->kings = p->kings && row == p->row + 1 ? set_next_in(p->kings, turned)
                                             : set_unrank_in(row, l->slice.opp_kings, turned);
    p->row = row;
    return p->kings;
}

static void line_open_kings(struct codec_line *line, const struct layout *l, struct codec_place *p,
                            uint32_t row)
{
    uint32_t free_squares = ~(p->men | p->opp_men), turned = packed_flip(free_squares);
    uint32_t kings = row_kings(p, l, row, turned);

    line->opp_kings = packed_flip(kings);
    line->opp = line->opp_men | squares_unpack(line->opp_kings);
    line->size = l->columns;
    line->room = BOARD_SQUARES & ~(line->men | line->opp);
    line->room_packed = squares_pack(line->room);
    if (!line->captures_only)
        line_outer(line, kings, turned, l->columns);
}

static void line_open_opponent(struct codec_line *line, const struct layout *l)
{
    line->opp_kings = 0;
    line->opp = line->opp_men;
    line->size = l->rows;
    line->room = BOARD_SQUARES & ~(line->men | line->opp);
    if (line->axis == AXIS_OPP_MEN)
        line->room &= ~BOARD_ROW_1;
    line->room_packed = squares_pack(line->room);
}

static void place_find(struct codec_place *p, const struct layout *l, uint64_t block)
{
    const uint32_t *first = l->first + p->men_rank;

    if (p->block == block)
        return;
    p->kings = 0;
    if (p->block != UINT64_MAX && block >= first[0] && block < first[1]) { /* the same men */
        uint32_t rank = (uint32_t)(block - first[0]);
        uint32_t room = packed_flip(~(UINT32_C(0xF) | p->men));

        p->opp_men = packed_flip(set_unrank_in(rank, l->slice.opp_men, room));
    } else {
        layout_block_men(l, block, &p->men, &p->opp_men);
        p->men_rank = set_rank(p->men);
    }
    p->block = block;
}

static void line_squares(struct codec_line *line, const struct codec_place *p)
{
    uint32_t outer[3] = {line->opp_kings, line->axis == AXIS_OPP_MEN ? 0 : p->opp_men, p->men};
    uint32_t room = line->room_packed;
    int found = 0;

    line->outer_square[0] = line->outer_square[1] = 0;
    for (int i = 0; i < 3; i++)
        for (; outer[i] && found < 2; outer[i] &= outer[i] - 1)
            line->outer_square[found++] = (uint8_t)__builtin_ctz(outer[i]);
    if (line->axis == AXIS_KINGS)
        for (int digit = 0; room; room &= room - 1)
            line->axis_square[digit++] = (uint8_t)__builtin_ctz(room);
    else
        for (int digit = 0, s; room; room ^= UINT32_C(1) << s) {
            s = 31 - __builtin_clz(room);
            line->axis_square[digit++] = (uint8_t)s;
        }
}

/* What the rest of the map needs. */
static void line_open_rest(struct codec_line *line, const struct layout *l,
                           const struct codec_place *p)
{
    terms_clear(&line->threat);
    line_threat(line, squares_unpack(line->opp_kings));
    if (line->axis != AXIS_OPP_MEN)
        line_outer(line, packed_flip(p->opp_men), packed_flip(~(UINT32_C(0xF) | p->men)),
                   l->block_size);
    line_outer_men(line, l, p->men, p->men_rank);
    line_squares(line, p);
}

/* Open the line that contains position `index`. */
static void line_open(struct codec_line *line, const struct layout *l, struct codec_place *p,
                      uint64_t index)
{
    uint64_t block = index / l->block_size, in_block = index % l->block_size;

    place_find(p, l, block);
    line->outers = 0;
    line->men = squares_unpack(p->men);
    line->opp_men = line->axis == AXIS_OPP_MEN ? 0 : squares_unpack(p->opp_men);
    if (line->axis == AXIS_KINGS) {
        line->at = (uint32_t)(in_block % l->columns);
        line_open_kings(line, l, p, (uint32_t)(in_block / l->columns));
    } else {
        line->at = (uint32_t)in_block;
        line_open_opponent(line, l);
    }
    if (line->axis == AXIS_OPP_MEN) {
        const uint32_t *first_block = l->first + p->men_rank;

        line->at = (uint32_t)(block - first_block[0]);
        line->size = first_block[1] - first_block[0];
    }
    terms_clear(&line->taking);
    line_taking(line);
    if (!line->captures_only)
        line_open_rest(line, l, p);
}

/* --------------------------------------------------------------------- runs -- */

/* A run begins where its lowest digit is 0, or with the page. */
static void run_back(struct codec_run *run, const struct codec_line *line, const uint8_t *digit)
{
    uint32_t begin = run->start > digit[0] ? run->start - digit[0] : 0;
    int n = 0;

    for (int j = 1; j < line->k && n < CODEC_BACK; j++)
        if (digit[j] > j)
            run->back[n++] = sets_binomial[digit[j] - 1][j];
    for (int j = 0; j < line->outers && n < CODEC_BACK; j++)
        run->back[n++] = line->outer[j] > CODEC_PAGE_MAX ? UINT32_MAX : (uint32_t)line->outer[j];
    while (n < CODEC_BACK)
        run->back[n++] = UINT32_MAX;
    for (int j = 0; j < CODEC_BACK; j++)
        if (run->back[j] > begin || run->back[j] == 0)
            run->back[j] = 1;
}

/* The squares of the set of rank `at`, lowest first, and one past the last. */
static void digits_from(uint8_t *digit, uint32_t set)
{
    for (; set; set &= set - 1)
        *digit++ = (uint8_t)__builtin_ctz(set);
    *digit = UINT8_MAX;
}

/* Past the end of a run: carry into the next digit that has room. */
static void digits_carry(uint8_t *digit)
{
    int j = 0;

    while (digit[j] + 1 == digit[j + 1]) {
        digit[j] = (uint8_t)j;
        j++;
    }
    digit[j]++;
}

/* Where the n-th piece of a position stands, those of the axis first. */
static uint8_t line_square(const struct codec_line *line, const uint8_t *digit, int n)
{
    return n < line->k ? line->axis_square[digit[n]] : line->outer_square[n - line->k];
}

static void line_runs(const struct codec_line *line, const struct set_family *f,
                      struct codec_map *map, uint32_t start, uint32_t end)
{
    uint8_t digit[SETS_KMAX + 1];

    digits_from(digit, f->set[line->at]);
    while (start < end) {
        struct codec_run *run = &map->run[map->runs++];
        uint32_t left = end - start, length = left;

        if (digit[1] - digit[0] < (int)left)
            length = (uint32_t)(digit[1] - digit[0]);
        *run = (struct codec_run){.start = start, .end = start + length};
        run_back(run, line, digit);
        run->square[0] = line_square(line, digit, 1);
        run->square[1] = line_square(line, digit, 2);
        memcpy(map->square + start, line->axis_square + digit[0], length);
        start += length;
        digit[0] = (uint8_t)(digit[0] + length - 1);
        if (start < end)
            digits_carry(digit);
    }
}

/* Begin a walk along the lines of positions first .. first + n - 1. */
static void lines_begin(struct codec_lines *w, struct codec_map *map, const struct layout *l,
                        const struct sets *sets, uint64_t first, uint32_t n, bool captures_only)
{
    w->map = map;
    w->layout = l;
    w->first = first;
    w->upto = 0;
    w->line.axis = slice_axis(l->slice);
    w->line.k = codec_map_sets(l->slice);
    w->line.captures_only = captures_only;
    w->line.at = w->line.size = 0; /* none is open */
    w->place = (struct codec_place){.block = UINT64_MAX};
    w->family = &sets->family[w->line.k];
    assert(n <= CODEC_PAGE_MAX && first + n <= l->positions && w->line.k <= sets->kmax);
    map->n = n;
    map->runs = 0;
    memset(map->taking, 0, (n / 64 + 1) * sizeof *map->taking);
    for (int i = 0; i < 2 && !captures_only; i++)
        memset(map->threat[i], 0, (n / 64 + 1) * sizeof *map->threat[i]);
}

void codec_lines_begin(struct codec_lines *w, struct codec_map *map, const struct layout *l,
                       const struct sets *sets, uint64_t first, uint32_t n)
{
    lines_begin(w, map, l, sets, first, n, false);
}

/* Go on to position `start`, on the open line if it is there. */
static void lines_seek(struct codec_lines *w, uint32_t start)
{
    uint32_t skip = start - w->upto;

    if (skip < w->line.size - w->line.at)
        w->line.at += skip;
    else
        line_open(&w->line, w->layout, &w->place, w->first + start);
}

/* How many positions of the open line to describe for the next `wanted`: bitmaps come in words. */
static uint32_t lines_count(const struct codec_lines *w, uint32_t start, uint32_t wanted)
{
    uint32_t count = ((w->line.at + wanted + 63) & ~UINT32_C(63)) - w->line.at;
    uint32_t left = w->line.size - w->line.at, room = w->map->n - start;

    if (count > left)
        count = left;
    return count < room ? count : room;
}

void codec_lines_fill(struct codec_lines *w, uint32_t start, uint32_t end)
{
    assert(end <= w->map->n);
    for (start = start > w->upto ? start : w->upto; start < end; start = w->upto) {
        uint32_t count;

        lines_seek(w, start);
        count = lines_count(w, start, end - start);
        line_classes(&w->line, w->family, w->map, start, count);
        if (!w->line.captures_only)
            line_runs(&w->line, w->family, w->map, start, start + count);
        w->line.at += count;
        w->upto = start + count;
    }
}

void codec_map_fill(struct codec_map *map, const struct layout *l, const struct sets *sets,
                    uint64_t first, uint32_t n)
{
    struct codec_lines w;

    lines_begin(&w, map, l, sets, first, n, false);
    codec_lines_fill(&w, 0, n);
}

void codec_map_captures(struct codec_map *map, const struct layout *l, const struct sets *sets,
                        uint64_t first, uint32_t n)
{
    struct codec_lines w;

    lines_begin(&w, map, l, sets, first, n, true);
    codec_lines_fill(&w, 0, n);
}

/* ---------------------------------------------------------------------- parts -- */

static void bits_part(uint64_t *part, const uint64_t *whole, uint32_t first, uint32_t n)
{
    memcpy(part, whole + first / 64, (n + 63) / 64 * sizeof *part);
    part[n / 64] &= (UINT64_C(1) << n % 64) - 1;
}

/* The rest of a run from the start of the part; neighbours before it cannot be used. */
static struct codec_run run_part(const struct codec_run *run, uint32_t first, uint32_t n)
{
    struct codec_run r = *run;

    r.start = run->start < first ? 0 : run->start - first;
    r.end = run->end - first < n ? run->end - first : n;
    for (int j = 0; j < CODEC_BACK; j++)
        if (r.back[j] > r.start)
            r.back[j] = 1;
    return r;
}

void codec_map_part(struct codec_map *part, const struct codec_map *whole, uint32_t first,
                    uint32_t n)
{
    uint32_t low = 0, high = whole->runs;

    assert(first % 64 == 0 && first + n <= whole->n);
    part->n = n;
    part->runs = 0;
    bits_part(part->taking, whole->taking, first, n);
    for (int i = 0; i < 2; i++)
        bits_part(part->threat[i], whole->threat[i], first, n);
    memcpy(part->square, whole->square + first, n);
    while (high - low > 1) { /* the run that position `first` is in */
        uint32_t middle = low + (high - low) / 2;

        if (whole->run[middle].start <= first)
            low = middle;
        else
            high = middle;
    }
    for (uint32_t r = low; r < whole->runs && whole->run[r].start < first + n; r++)
        part->run[part->runs++] = run_part(&whole->run[r], first, n);
}
