/* SPDX-License-Identifier: MIT */
#include "db/answer.h"
#include "core/movegen.h"

/* ------------------------------------------------------------------- sources -- */

static enum status source_tables(void *context, const struct board *b, enum kind kind,
                                 struct outcome *o, struct error *e)
{
    return tables_outcome(context, b, kind, o, e);
}

struct source source_from_tables(const struct tables *t)
{
    return (struct source){source_tables, (void *)t};
}

/* -------------------------------------------------------------------- answers -- */

/* The outcomes of one position.  A missing distance leaves a gap, explained in why[kind]. */
static enum status verdict_ask(const struct source *s, const struct board *b, unsigned want,
                               struct verdict *v, struct error why[KINDS], struct error *e)
{
    *v = (struct verdict){0};
    for (int k = 0; k < KINDS; k++) {
        struct error local = {0};
        enum status rc;

        if (k != KIND_WLD && !(want & 1u << k))
            continue;
        rc = s->outcome(s->context, b, (enum kind)k, &v->of[k], &local);
        v->known[k] = rc == STATUS_OK;
        if (rc && (k == KIND_WLD || rc != STATUS_MISSING))
            return error_pass(e, &local);
        if (rc)
            why[k] = local;
    }
    v->value = v->of[KIND_WLD].value;
    return STATUS_OK;
}

/* The verdict of a move that leads to a position with verdict `after` (A1). */
static struct verdict verdict_before(struct verdict after, bool converts)
{
    struct verdict v = after;

    v.value = value_negate(after.value);
    for (int k = 0; k < KINDS; k++)
        v.of[k] = outcome_before(after.of[k]);
    if (converts)
        v.of[KIND_DTC] = outcome_converting(after.value);
    v.of[KIND_WLD] = (struct outcome){v.value, 0};
    return v;
}

/* The verdict of each move; with `gaps`, unknown ones are skipped. */
static enum status moves_ask(const struct source *s, const struct board *b, unsigned want,
                             bool gaps, struct answer *a, struct error *e)
{
    moves_generate(b, &a->legal);
    for (int i = 0; i < a->legal.count; i++) {
        const struct move *m = &a->legal.move[i];
        struct board next = board_after(b, m);
        struct verdict after;
        struct error why;
        enum status rc = verdict_ask(s, &next, want, &after, a->missing, &why);

        a->move[i] = (struct ranked_move){.move = *m};
        if (!rc)
            a->move[i].verdict = verdict_before(after, move_is_conversion(m));
        else if (rc != STATUS_MISSING || !gaps)
            return error_pass(e, &why);
    }
    return STATUS_OK;
}

enum status answer_position(const struct source *s, const struct board *b, unsigned want,
                            struct answer *a, struct error *e)
{
    enum status rc = verdict_ask(s, b, want, &a->verdict, a->missing, e);

    return rc ? rc : moves_ask(s, b, want, false, a, e);
}

enum status answer_gaps(const struct source *s, const struct board *b, unsigned want,
                        struct answer *a, struct error *e)
{
    enum status rc = verdict_ask(s, b, want, &a->verdict, a->missing, e), moves;

    if (rc && rc != STATUS_MISSING)
        return rc;
    moves = moves_ask(s, b, want, true, a, e);
    return moves ? moves : rc;
}

/* A stable sort of a short list. */
static void moves_sort(struct ranked_move *move, int n, enum kind kind)
{
    for (int i = 1; i < n; i++) {
        struct ranked_move m = move[i];
        int j = i;

        for (; j > 0 && outcome_better(m.verdict.of[kind], move[j - 1].verdict.of[kind]); j--)
            move[j] = move[j - 1];
        move[j] = m;
    }
}

static bool answer_knows(const struct answer *a, enum kind kind)
{
    bool known = a->verdict.known[kind];

    for (int i = 0; i < a->legal.count; i++)
        known = known && a->move[i].verdict.known[kind];
    return known;
}

enum status answer_rank(struct answer *a, enum kind kind, struct error *e)
{
    if (!answer_knows(a, kind)) {
        if (e)
            *e = a->missing[kind];
        return STATUS_MISSING;
    }
    moves_sort(a->move, a->legal.count, kind);
    return STATUS_OK;
}

enum kind answer_rank_best(struct answer *a)
{
    enum kind kind = answer_knows(a, KIND_DTW)   ? KIND_DTW
                     : answer_knows(a, KIND_DTC) ? KIND_DTC
                                                 : KIND_WLD;

    moves_sort(a->move, a->legal.count, kind);
    return kind;
}

int answer_ties(const struct answer *a, enum kind kind)
{
    int n = 0;

    while (n < a->legal.count &&
           outcome_equal(a->move[n].verdict.of[kind], a->move[0].verdict.of[kind]))
        n++;
    return n;
}

static int slice_add(struct slice s, struct slice *list, int n, int max)
{
    for (int i = 0; i < n; i++)
        if (slice_equal(list[i], s))
            return n;
    if (n < max)
        list[n++] = s;
    return n;
}

static int slices_collect(const struct board *b, struct slice *list, int n, int max)
{
    struct move_list moves;

    if (!b->side[BLACK] || !b->side[WHITE])
        return n;
    if (!board_must_capture(b)) {
        struct view v = view_of(b);

        return slice_add(view_slice(&v), list, n, max);
    }
    moves_generate(b, &moves);
    for (int i = 0; i < moves.count; i++) {
        struct board next = board_after(b, &moves.move[i]);

        n = slices_collect(&next, list, n, max);
    }
    return n;
}

int answer_slices(const struct board *b, struct slice *list, int max)
{
    return slices_collect(b, list, 0, max);
}

/* ---------------------------------------------------------------------- lines -- */

/* Did the last position occur before?  Only positions since the last irreversible move count. */
static bool line_repeats(const struct line *line)
{
    for (int i = line->plies - 1; i >= 0; i--) {
        const struct line_ply *p = &line->ply[i];

        if (board_equal(&p->board, &line->last))
            return true;
        if (move_is_capture(&p->move) || !(p->board.kings & squares_of(p->move.from)))
            return false;
    }
    return false;
}

/* Add a ply; false at the end of the line. */
static enum status line_extend(const struct source *s, struct line *line, bool *ended,
                               struct error *e)
{
    struct line_ply *p = &line->ply[line->plies];
    struct answer a;
    enum status rc;

    if ((rc = answer_position(s, &line->last, 1u << line->kind, &a, e)) ||
        (rc = answer_rank(&a, line->kind, e)))
        return rc;
    *ended = a.legal.count == 0;
    if (*ended)
        return STATUS_OK;
    p->board = line->last;
    p->move = a.move[0].move;
    p->outcome = a.verdict.of[line->kind];
    p->ties = answer_ties(&a, line->kind);
    line->last = board_after(&p->board, &p->move);
    line->plies++;
    return STATUS_OK;
}

enum status line_play(const struct source *s, const struct board *b, enum kind kind,
                      struct line *line, struct error *e)
{
    bool ended = false;
    enum status rc = STATUS_OK;

    line->kind = kind;
    line->plies = 0;
    line->last = *b;
    line->end = LINE_LONG;
    while (line->plies < LINE_PLIES_MAX) {
        if ((rc = line_extend(s, line, &ended, e)) || ended)
            break;
        if (line_repeats(line)) {
            line->end = LINE_REPEATS;
            return STATUS_OK;
        }
    }
    if (ended)
        line->end = LINE_LOST;
    return rc;
}

/* ---------------------------------------------------------------------- slips -- */

static int slip_plies(struct outcome best, struct outcome played)
{
    if (best.value != played.value)
        return 0;
    return best.value == VALUE_WIN ? played.plies - best.plies : best.plies - played.plies;
}

enum status slip_of(const struct source *s, const struct board *b, const struct move *m,
                    enum kind kind, struct slip *slip, struct error *e)
{
    struct answer a;
    enum status rc;
    int i = 0;

    if ((rc = answer_position(s, b, 1u << kind, &a, e)) || (rc = answer_rank(&a, kind, e)))
        return rc;
    while (i < a.legal.count && !move_equal(&a.move[i].move, m))
        i++;
    if (i == a.legal.count)
        return error_set(e, STATUS_POSITION, "the move is not legal in this position");
    *slip = (struct slip){.best = a.move[0], .played = a.move[i]};
    slip->best_outcome = slip->best.verdict.of[kind];
    slip->played_outcome = slip->played.verdict.of[kind];
    slip->ties = answer_ties(&a, kind);
    slip->changes_value = slip->best.verdict.value != slip->played.verdict.value;
    slip->plies = slip_plies(slip->best_outcome, slip->played_outcome);
    return STATUS_OK;
}
