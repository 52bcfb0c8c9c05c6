/* SPDX-License-Identifier: MIT */
#include "games/shortest.h"

#include "core/movegen.h"

#define HOME_EDGE_BLACK UINT64_C(0x00000101F) /* 1, 2, 3, 4, 5, 12 */
#define HOME_EDGE_WHITE UINT64_C(0x7C0400000) /* 32, 31, 30, 29, 28, 21 */

squares home_edge(enum side loser)
{
    return loser == BLACK ? HOME_EDGE_BLACK : HOME_EDGE_WHITE;
}

struct shallow {
    const struct shortest_options *options;
    enum side loser;
    struct layer at[LINES_PLIES_MAX + 1];
};

static enum side turn_at(const struct shallow *s, int ply)
{
    return (enum side)(s->options->start.turn ^ (ply & 1));
}

/* May a game that is at b after `ply` plies still end with an empty home edge? */
static bool is_hopeful(const struct shallow *s, const struct board *b, int ply)
{
    int left = moves_left(s->loser, b->turn, s->options->plies - ply);

    return squares_count(b->side[s->loser] & home_edge(s->loser)) <= left;
}

static bool report(const struct shallow *s, int ply, bool back)
{
    const struct shortest_options *o = s->options;
    struct shortest_report r = {ply, o->plies, s->at[ply].count, back};

    return !o->report || o->report(o->context, &r);
}

/* ----------------------------------------------------------------- forward -- */

static bool add_children(const struct shallow *s, const struct board *b, int ply,
                         struct placement_set *set)
{
    bool last = ply == s->options->plies;
    struct move_list list;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board child = board_after(b, &list.move[i]);

        if (!is_hopeful(s, &child, ply) || (last && moves_count(&child) > 0))
            continue;
        if (placement_set_add(set, placement_of(&child)) == SET_NO_MEMORY)
            return false;
    }
    return true;
}

static bool go_forward(struct shallow *s, int ply)
{
    const struct layer *from = &s->at[ply - 1];
    struct placement_set set;
    bool done = placement_set_open(&set, 0);

    for (size_t i = 0; done && i < from->count; i++) {
        struct board b = placement_board(from->placement[i], turn_at(s, ply - 1));
        done = add_children(s, &b, ply, &set);
    }
    if (done)
        placement_set_take(&set, &s->at[ply]);
    placement_set_free(&set);
    return done;
}

/* -------------------------------------------------------------------- back -- */

static bool leads_to(const struct board *b, const struct placement_set *goal)
{
    struct move_list list;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board child = board_after(b, &list.move[i]);

        if (placement_set_has(goal, placement_of(&child)))
            return true;
    }
    return false;
}

/* Keep the positions of `ply` that lead to one of the ply after it. */
static bool go_back(struct shallow *s, int ply)
{
    struct layer *from = &s->at[ply];
    const struct layer *to = &s->at[ply + 1];
    struct placement_set goal;
    size_t n = 0;
    bool done = placement_set_open(&goal, to->count);

    for (size_t i = 0; done && i < to->count; i++)
        done = placement_set_add(&goal, to->placement[i]) != SET_NO_MEMORY;
    for (size_t i = 0; done && to->count > 0 && i < from->count; i++) {
        struct board b = placement_board(from->placement[i], turn_at(s, ply));

        if (leads_to(&b, &goal))
            from->placement[n++] = from->placement[i];
    }
    from->count = n;
    placement_set_free(&goal);
    return done;
}

static void take(struct shallow *s, struct lines *out)
{
    *out = (struct lines){.plies = s->options->plies, .first = s->options->start.turn};
    for (int t = 0; t <= out->plies; t++) {
        layer_sort(&s->at[t]);
        out->at[t] = s->at[t];
        s->at[t] = (struct layer){0};
    }
}

enum status shortest_shallow(const struct shortest_options *options, struct lines *out,
                             struct error *e)
{
    struct shallow s = {.options = options};
    bool done = layer_push(&s.at[0], placement_of(&options->start)), going = true;

    s.loser = turn_at(&s, options->plies);
    if (!is_hopeful(&s, &options->start, 0) || (options->plies && !moves_count(&options->start)))
        s.at[0].count = 0;
    for (int t = 1; done && going && t <= options->plies; t++) {
        done = go_forward(&s, t);
        going = report(&s, t, false);
    }
    for (int t = options->plies - 1; done && going && t >= 0; t--) {
        done = go_back(&s, t);
        going = report(&s, t, true);
    }
    take(&s, out);
    if (done && going)
        return STATUS_OK;
    lines_free(out);
    return done ? error_set(e, STATUS_INTERRUPTED, "stopped") : error_no_memory(e);
}
