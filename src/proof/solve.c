/* SPDX-License-Identifier: MIT */
#include "proof/solve.h"
#include "core/movegen.h"
#include "proof/extract.h"

/* Is this question still open? */
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

/* The rest of the limits, or a part of it; never 0, which would mean no limit. */
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

/* Refuting what the score suggests is the easier question.  It gets half of the time; the other
 * question gets the rest, and any time left goes to the first again. */
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

/* How good a move into `next` is for a drawn line: 0 if it is not known to keep the draw, otherwise
 * larger is better. */
static uint64_t move_worth(struct dfpn *d, const struct tables *o, const struct board *next,
                           bool *tables)
{
    struct pn_key key = pn_key_of(next, next->turn);
    const struct pn_entry *entry;
    enum value v;

    *tables = tables_knows(o, next);
    if (*tables)
        return !tables_value(o, next, &v, NULL) && v == VALUE_DRAW;
    entry = pn_table_entry(dfpn_table(d), &key);
    if (!entry || entry->state != PN_DISPROVEN)
        return 0;
    return UINT64_MAX / 2 - entry->work;
}

static bool is_seen(const struct board *seen, int n, const struct board *b)
{
    for (int i = 0; i <= n; i++)
        if (board_equal(&seen[i], b))
            return true;
    return false;
}

/* A drawn line: continue while moves are known to keep the draw, visiting no position twice. */
static int line_hold(struct dfpn *d, const struct tables *o, const struct board *b,
                     struct move line[SOLVE_LINE_MAX])
{
    struct board seen[SOLVE_LINE_MAX + 1] = {*b};
    bool over = tables_knows(o, b);
    int n = 0;

    for (; n < SOLVE_LINE_MAX && !over; n++) {
        struct move_list list;
        uint64_t best = 0;

        moves_generate(&seen[n], &list);
        for (int m = 0; m < list.count; m++) {
            struct board next = board_after(&seen[n], &list.move[m]);
            bool tables;
            uint64_t worth = move_worth(d, o, &next, &tables);

            if (worth > best && !is_seen(seen, n, &next)) {
                best = worth;
                line[n] = list.move[m];
                over = tables;
            }
        }
        if (best == 0)
            break;
        seen[n + 1] = board_after(&seen[n], &line[n]);
    }
    return n;
}

/* The proof of a won line may be gone from the table by now: then solve again. */
static int line_win(struct dfpn *d, const struct tables *o, const struct board *b,
                    enum side attacker, struct move line[SOLVE_LINE_MAX])
{
    static const struct dfpn_limits again = {.nodes = 200000};
    struct dfpn_work work = {0};
    enum pn_state verdict;
    int n;

    if (!extract_line(d, o, b, attacker, again, line, SOLVE_LINE_MAX, &n, NULL))
        return n;
    dfpn_clear(d);
    if (dfpn_ask(d, b, attacker, again, &verdict, &work, NULL) || verdict != PN_PROVEN ||
        extract_line(d, o, b, attacker, again, line, SOLVE_LINE_MAX, &n, NULL))
        return 0;
    return n;
}

int solve_line(struct dfpn *d, const struct tables *o, const struct board *b, enum value value,
               struct move line[SOLVE_LINE_MAX])
{
    if (value == VALUE_DRAW)
        return line_hold(d, o, b, line);
    return line_win(d, o, b, value == VALUE_WIN ? b->turn : side_other(b->turn), line);
}
