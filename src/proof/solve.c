/* SPDX-License-Identifier: MIT */
#include "proof/solve.h"
#include "core/movegen.h"

/* Is there anything left to ask? */
static bool question_open(struct bounds b, bool win)
{
    return win ? b.upper == VALUE_WIN && b.lower < VALUE_WIN
               : b.lower == VALUE_LOSS && b.upper > VALUE_LOSS;
}

static void bounds_learn(struct bounds *b, bool win, enum pn_state verdict)
{
    if (verdict == PN_PROVEN)
        b->lower = b->upper = win ? VALUE_WIN : VALUE_LOSS;
    else if (verdict == PN_DISPROVEN && win)
        b->upper = VALUE_DRAW;
    else if (verdict == PN_DISPROVEN)
        b->lower = VALUE_DRAW;
}

static enum side question_attacker(const struct board *b, bool win)
{
    return win ? b->turn : side_other(b->turn);
}

static enum status ask(struct dfpn *d, const struct board *b, bool win, struct dfpn_limits l,
                       struct solution *s, struct error *e)
{
    enum side attacker = question_attacker(b, win);
    enum pn_state verdict;
    enum status rc;

    if (!question_open(s->bounds, win))
        return STATUS_OK;
    rc = dfpn_ask(d, b, attacker, l, &verdict, &s->work, e);
    if (!rc)
        bounds_learn(&s->bounds, win, verdict);
    return rc;
}

/* What is left of the limits, or a part of it; never 0, which would mean none. */
static struct dfpn_limits limits_left(struct dfpn_limits all, const struct dfpn_work *used,
                                      double part)
{
    struct dfpn_limits left = {0};

    if (all.seconds > 0) {
        left.seconds = (all.seconds - used->seconds) * part;
        left.seconds = left.seconds > 1e-3 ? left.seconds : 1e-3;
    }
    if (all.nodes) {
        left.nodes =
            used->nodes < all.nodes ? (uint64_t)((double)(all.nodes - used->nodes) * part) : 0;
        left.nodes = left.nodes ? left.nodes : 1;
    }
    return left;
}

/* The opposite of what the score says is the easier question; it gets half of the time,
 * the other question the rest, and what that leaves over goes to the first again. */
enum status solve_position(struct dfpn *d, const struct board *b, struct solve_hint hint,
                           struct dfpn_limits limits, struct solution *out, struct error *e)
{
    static const double part[] = {0.5, 1.0, 1.0};
    bool first = hint.score < 0; /* ask for a win first? */
    enum status rc = STATUS_OK;

    *out = (struct solution){.bounds = hint.bounds};
    for (int i = 0; !rc && i < 3; i++) {
        bool over = (limits.seconds > 0 && out->work.seconds >= limits.seconds) ||
                    (limits.nodes && out->work.nodes >= limits.nodes);
        bool win = i == 1 ? !first : first;
        double share = hint.idle[question_attacker(b, !win)] ? 1.0 : part[i];

        if (i == 2 && over)
            break;
        if (!hint.idle[question_attacker(b, win)])
            rc = ask(d, b, win, limits_left(limits, &out->work, share), out, e);
    }
    return rc;
}

/* How good a move into `next` is for a line of this value, seen by the mover: 0 where it is
 * not known to keep it, otherwise more is better. */
static uint64_t move_worth(struct dfpn *d, const struct tables *o, const struct board *next,
                           enum value value, bool *tables)
{
    enum side us = side_other(next->turn), them = next->turn;
    enum side attacker = value == VALUE_WIN ? us : them;
    struct pn_key key = pn_key_of(next, attacker);
    const struct pn_entry *entry;
    enum value v;

    *tables = tables_knows(o, next);
    if (*tables)
        return !tables_value(o, next, &v, NULL) && value_negate(v) == value;
    entry = pn_table_entry(dfpn_table(d), &key);
    if (!entry || entry->state != (value == VALUE_DRAW ? PN_DISPROVEN : PN_PROVEN))
        return 0;
    return value == VALUE_LOSS ? 2 + (uint64_t)entry->work : UINT64_MAX / 2 - entry->work;
}

int solve_line(struct dfpn *d, const struct tables *o, const struct board *b, enum value value,
               struct move line[SOLVE_LINE_MAX])
{
    struct board at = *b;
    bool over = tables_knows(o, b);
    int n = 0;

    for (; n < SOLVE_LINE_MAX && !over; n++, value = value_negate(value)) {
        struct move_list list;
        uint64_t best = 0;

        moves_generate(&at, &list);
        for (int m = 0; m < list.count; m++) {
            struct board next = board_after(&at, &list.move[m]);
            bool tables;
            uint64_t worth = move_worth(d, o, &next, value, &tables);

            if (worth > best) {
                best = worth;
                line[n] = list.move[m];
                over = tables;
            }
        }
        if (best == 0)
            break;
        at = board_after(&at, &line[n]);
    }
    return n;
}
