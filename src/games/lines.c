/* SPDX-License-Identifier: MIT */
#include "games/lines.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- successors -- */

/* a1, c1, e1, g1, b2, ...: the order in which Bryant lists moves. */
static int square_order(square s)
{
    int index = square_number(s) - 1;
    return index / 4 * 4 + 3 - index % 4;
}

static int successor_compare(const void *a, const void *b)
{
    const struct move *x = &((const struct successor *)a)->move;
    const struct move *y = &((const struct successor *)b)->move;

    if (x->from != y->from)
        return square_order(x->from) - square_order(y->from);
    if (x->to != y->to)
        return square_order(x->to) - square_order(y->to);
    return memcmp(x->via, y->via, sizeof x->via);
}

static bool is_listed(const struct successor *list, int n, struct placement s)
{
    for (int i = 0; i < n; i++)
        if (placement_equal(list[i].placement, s))
            return true;
    return false;
}

int board_successors(const struct board *b, struct successor out[MOVES_MAX])
{
    struct move_list list;
    int n = 0;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++)
        out[i].move = list.move[i];
    qsort(out, (size_t)list.count, sizeof *out, successor_compare);
    for (int i = 0; i < list.count; i++) {
        struct board after = board_after(b, &out[i].move);
        struct placement placement = placement_of(&after);

        if (!is_listed(out, n, placement))
            out[n++] = (struct successor){placement, out[i].move};
    }
    return n;
}

size_t lines_move_format(const struct board *before, const struct move *m, enum move_style style,
                         char out[MOVE_TEXT_MAX])
{
    struct successor next[MOVES_MAX];
    struct move_list different = {.count = board_successors(before, next)};

    for (int i = 0; i < different.count; i++)
        different.move[i] = next[i].move;
    return move_format(m, &different, style, out);
}

/* ------------------------------------------------------------------- graph -- */

bool lines_join(struct lines *l, const struct lines *other)
{
    for (int t = 0; t <= l->plies; t++) {
        if (!layer_append(&l->at[t], other->at[t].placement, other->at[t].count))
            return false;
        layer_sort(&l->at[t]);
    }
    return true;
}

bool lines_equal(const struct lines *a, const struct lines *b)
{
    if (a->plies != b->plies || a->first != b->first)
        return false;
    for (int t = 0; t <= a->plies; t++) {
        if (a->at[t].count != b->at[t].count)
            return false;
        for (size_t i = 0; i < a->at[t].count; i++)
            if (!placement_equal(a->at[t].placement[i], b->at[t].placement[i]))
                return false;
    }
    return true;
}

void lines_free(struct lines *l)
{
    for (int t = 0; t <= LINES_PLIES_MAX; t++)
        layer_free(&l->at[t]);
}

/* The place of a placement in a sorted layer; -1 if it is not there. */
static ptrdiff_t place(const struct layer *l, struct placement s)
{
    const struct placement *at =
        l->count ? bsearch(&s, l->placement, l->count, sizeof s, placement_order) : NULL;
    return at ? at - l->placement : -1;
}

/* ---------------------------------------------------------------- counting -- */

/* Games that lead to a position, by who has captured: bit 0 Black, bit 1 White. */
struct paths {
    uint64_t by[4];
};

static void advance(const struct lines *l, int t, size_t i, const struct paths *from,
                    struct paths *to)
{
    struct successor next[MOVES_MAX];
    enum side turn = lines_turn(l, t);
    struct board b = placement_board(l->at[t].placement[i], turn);
    int n = board_successors(&b, next);

    for (int k = 0; k < n; k++) {
        ptrdiff_t at = place(&l->at[t + 1], next[k].placement);
        int capture = move_is_capture(&next[k].move) ? 1 << turn : 0;

        for (int who = 0; at >= 0 && who < 4; who++)
            to[at].by[who | capture] += from->by[who];
    }
}

static void count_end(struct lines_counts *out, struct placement end, enum side loser,
                      const struct paths *p)
{
    int left = __builtin_popcount(loser == BLACK ? end.black : end.white);
    uint64_t games = p->by[0] + p->by[1] + p->by[2] + p->by[3];

    out->games += games;
    out->one_sided += games - p->by[3];
    if (left == 0)
        return;
    out->blocks += games;
    out->blocks_uncaptured += p->by[0];
    out->final_blocks++;
    if (left > out->largest_block) {
        out->largest_block = left;
        out->largest_games = 0;
    }
    if (left == out->largest_block)
        out->largest_games += games;
}

static struct paths *count_paths(const struct lines *l)
{
    struct paths *from = calloc(l->at[0].count + 1, sizeof *from), *to;

    for (size_t i = 0; from && i < l->at[0].count; i++)
        from[i].by[0] = 1;
    for (int t = 0; from && t < l->plies; t++) {
        to = calloc(l->at[t + 1].count + 1, sizeof *to);
        for (size_t i = 0; to && i < l->at[t].count; i++)
            advance(l, t, i, &from[i], to);
        free(from);
        from = to;
    }
    return from;
}

bool lines_count(const struct lines *l, struct lines_counts *out)
{
    const struct layer *ends = &l->at[l->plies];
    struct paths *paths = count_paths(l);

    *out = (struct lines_counts){.finals = ends->count};
    for (size_t i = 0; paths && i < ends->count; i++)
        count_end(out, ends->placement[i], lines_turn(l, l->plies), &paths[i]);
    free(paths);
    return paths != NULL;
}

/* ---------------------------------------------------------------- visiting -- */

struct walk {
    const struct lines *lines;
    lines_game_visit *visit;
    void *context;
    size_t *seen[LINES_PLIES_MAX + 1]; /* compressed: the line that has a position first */
    struct lines_game line;
    struct move move[LINES_PLIES_MAX];
    struct board board[LINES_PLIES_MAX + 1];
};

static bool report(struct walk *w, int plies, size_t same_as)
{
    bool go_on;

    w->line.number++;
    w->line.plies = plies;
    w->line.same_as = same_as;
    go_on = w->visit(w->context, &w->line);
    w->line.common = plies;
    return go_on;
}

/* Has the position at ply t a line already?  If not, it gets the next one. */
static size_t seen_in(struct walk *w, int t, ptrdiff_t at)
{
    size_t *seen = w->seen[t];

    if (!seen)
        return 0;
    if (seen[at])
        return seen[at];
    seen[at] = w->line.number + 1;
    return 0;
}

static bool walk(struct walk *w, int t)
{
    struct successor next[MOVES_MAX];
    int n;

    if (t == w->lines->plies)
        return report(w, t, 0);
    n = board_successors(&w->board[t], next);
    for (int k = 0; k < n; k++) {
        ptrdiff_t at = place(&w->lines->at[t + 1], next[k].placement);
        size_t same_as;
        bool go_on;

        if (at < 0)
            continue;
        w->move[t] = next[k].move;
        w->board[t + 1] = placement_board(next[k].placement, lines_turn(w->lines, t + 1));
        same_as = seen_in(w, t + 1, at);
        go_on = same_as ? report(w, t + 1, same_as) : walk(w, t + 1);
        if (!go_on)
            return false;
        w->line.common = t;
    }
    return true;
}

bool lines_visit(const struct lines *l, bool compressed, lines_game_visit *visit, void *context)
{
    struct walk w = {.lines = l, .visit = visit, .context = context};
    bool done = true;

    for (int t = 0; compressed && t <= l->plies; t++) {
        w.seen[t] = calloc(l->at[t].count + 1, sizeof *w.seen[t]);
        done = done && w.seen[t];
    }
    w.line.move = w.move;
    w.line.board = w.board;
    for (size_t i = 0; done && i < l->at[0].count; i++) {
        w.board[0] = placement_board(l->at[0].placement[i], l->first);
        done = walk(&w, 0);
    }
    for (int t = 0; t <= l->plies; t++)
        free(w.seen[t]);
    return done;
}
