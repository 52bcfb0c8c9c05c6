/* SPDX-License-Identifier: MIT */
#include "play/judge.h"

#include <string.h>

enum { COST_BAD = 40, COST_BLUNDER = 100 };

/* A side without a move has lost. */
static const struct search_line lost = {.score = -SCORE_WIN, .proven = true, .value = VALUE_LOSS};

void judge_begin(struct judge *j)
{
    j->searched = 0;
    j->status = STATUS_OK;
    search_clear(j->search);
}

/* ----------------------------------------------------------------------- searching -- */

/* The best line of b, which `plies` positions of the game lead to. */
static bool search_position(struct judge *j, const struct board *b, int plies,
                            struct search_line *out)
{
    if (j->status)
        return false;
    j->status = search_run(j->search, b, j->game.board, plies, &j->limits, &j->result, &j->error);
    if (!j->status && j->limits.stop && atomic_load(j->limits.stop))
        j->status = error_set(&j->error, STATUS_INTERRUPTED, "interrupted");
    if (j->status)
        return false;
    *out = j->result.lines ? j->result.line[0] : lost;
    return true;
}

/* The lines of all positions up to this ply. */
static bool search_to(struct judge *j, int ply)
{
    for (; j->searched <= ply; j->searched++)
        if (!search_position(j, &j->game.board[j->searched], j->searched, &j->line[j->searched]))
            return false;
    return true;
}

/* The value of a line one ply earlier, for the side that made the move into it. */
static struct search_line seen_before(const struct search_line *after, const struct move *m)
{
    struct search_line line = *after;
    int s = -after->score, kept = after->plies < SEARCH_PV_MAX ? after->plies : SEARCH_PV_MAX - 1;

    line.score = score_has_distance(s) ? s + (s > 0 ? -1 : 1) : s;
    line.value = value_negate(after->value);
    line.pv[0] = *m;
    memcpy(&line.pv[1], after->pv, (size_t)kept * sizeof *line.pv);
    line.plies = kept + 1;
    return line;
}

/* The value of the best move, from a search of the position after it. */
static bool search_better(struct judge *j, int ply, struct search_line *better)
{
    const struct search_line *best = &j->line[ply];
    struct board after = board_after(&j->game.board[ply], &best->pv[0]);
    struct search_line line;

    if (!search_position(j, &after, ply + 1, &line))
        return false;
    if (line.proven || !best->proven)
        *better = seen_before(&line, &best->pv[0]);
    return true;
}

/* ------------------------------------------------------------------------- judging -- */

static enum mark cost_mark(const struct search_line *best, const struct search_line *played)
{
    int cost = best->score - played->score;

    if (best->proven && played->proven)
        return played->value < best->value ? MARK_BLUNDER : MARK_NONE;
    if (score_is_certain(best->score) && best->score < 0)
        return MARK_NONE;
    return cost >= COST_BLUNDER ? MARK_BLUNDER : cost >= COST_BAD ? MARK_BAD : MARK_NONE;
}

bool judge_move(struct judge *j, int ply, struct judgement *out)
{
    const struct move *m = &j->game.move[ply];

    if (!search_to(j, ply + 1))
        return false;
    out->mark = MARK_NONE;
    out->played = seen_before(&j->line[ply + 1], m);
    out->best = out->better = j->line[ply];
    if (move_equal(&out->best.pv[0], m) || !cost_mark(&out->best, &out->played))
        return true;
    if (!search_better(j, ply, &out->better))
        return false;
    out->mark = cost_mark(&out->better, &out->played);
    return true;
}

void summary_add(struct side_summary side[2], const struct judge *j, int ply,
                 const struct judgement *found)
{
    struct side_summary *s = &side[j->game.board[ply].turn];
    int loss = found->better.score - found->played.score;

    s->moves++;
    s->marks[found->mark]++;
    if (found->better.proven || found->played.proven)
        return;
    s->opinions++;
    if (loss > 0 && !move_equal(&found->better.pv[0], &j->game.move[ply]))
        s->loss += loss;
}

static void put_side(struct json *j, const char *key, const struct side_summary *side)
{
    json_object(j, key);
    json_int(j, "moves", side->moves);
    json_int(j, "bad", side->marks[MARK_BAD]);
    json_int(j, "blunders", side->marks[MARK_BLUNDER]);
    if (side->opinions)
        json_real(j, "average_loss", side->loss / side->opinions);
    else
        json_null(j, "average_loss");
    json_end(j);
}

void summary_json(struct json *out, const struct side_summary side[2])
{
    put_side(out, "black", &side[BLACK]);
    put_side(out, "white", &side[WHITE]);
}

const char *mark_name(enum mark mark)
{
    return mark == MARK_BLUNDER ? "blunder" : mark == MARK_BAD ? "bad" : NULL;
}
