/* SPDX-License-Identifier: MIT */
#include "proof/solve.h"

const char *bounds_name(struct bounds b)
{
    static const char *const closed[] = {"loss", "draw", "win"};

    if (bounds_closed(b))
        return closed[b.lower];
    return b.lower == VALUE_DRAW   ? "draw or win"
           : b.upper == VALUE_DRAW ? "loss or draw"
                                   : "unknown";
}

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

static enum status ask(struct dfpn *d, const struct board *b, bool win, struct dfpn_limits l,
                       struct solution *s, struct error *e)
{
    enum side attacker = win ? b->turn : side_other(b->turn);
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

        if (i == 2 && over)
            break;
        rc = ask(d, b, i == 1 ? !first : first, limits_left(limits, &out->work, part[i]), out, e);
    }
    return rc;
}
