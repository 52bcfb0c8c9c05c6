/* SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "core/movegen.h"
#include "core/notation.h"

enum { COLUMN = 64, ROW = 84, MARGIN = 40 };

struct picture {
    FILE *out; /* NULL while we only measure */
    struct tree *t;
    const struct minimal *m;
    enum side attacker;
    bool wins;
    int plies;
    int column; /* the next free one */
};

static const struct minimal_item *item_of(const struct picture *p, uint32_t node)
{
    for (size_t i = 0; i < p->m->items; i++)
        if (p->m->item[i].node == node && p->m->item[i].attacker == p->attacker &&
            p->m->item[i].wins == p->wins)
            return &p->m->item[i];
    return NULL;
}

/* "=D", "<=D": as Black sees it. */
static const char *result_text(const struct tree_node *n)
{
    struct bounds b = tree_bounds(n);
    enum value lower = n->board.turn == BLACK ? b.lower : value_negate(b.upper);
    enum value upper = n->board.turn == BLACK ? b.upper : value_negate(b.lower);

    if (lower == upper)
        return lower == VALUE_WIN ? "=W" : lower == VALUE_DRAW ? "=D" : "=L";
    return lower == VALUE_DRAW ? "&gt;=D" : upper == VALUE_DRAW ? "&lt;=D" : "?";
}

static void text_at(const struct picture *p, double x, double y, const char *class,
                    const char *text)
{
    if (p->out)
        fprintf(p->out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", class, x, y, text);
}

static void line_to(const struct picture *p, double x, int ply, double to)
{
    double y = MARGIN + ply * ROW;

    if (p->out)
        fprintf(p->out, "<path d=\"M%.0f %.0fL%.0f %.0f\"/>\n", x, y + 16, to, y + ROW - 26);
}

static double node_draw(struct picture *p, uint32_t node, int ply);

/* Draw the moves kept below a node; returns its place, above their middle. */
static double moves_draw(struct picture *p, uint32_t node, int ply)
{
    const struct tree_node *n = &p->t->node[node];
    const struct minimal_item *item = item_of(p, node);
    double at[MOVES_MAX], first = -1, last = -1;
    struct move_list list;
    int drawn = 0, count = moves_generate(&n->board, &list);

    for (int i = 0; i < count && (uint32_t)i < n->count; i++) {
        uint32_t child = p->t->edge[n->first + (uint32_t)i].child;
        char text[MOVE_TEXT_MAX];

        if (item->answer != TREE_NONE && (child != item->answer || drawn))
            continue;
        at[drawn] = last = node_draw(p, child, ply + 1);
        first = first < 0 ? last : first;
        move_format(&list.move[i], &list, MOVE_NUMBERS, text);
        text_at(p, at[drawn++], MARGIN + (ply + 1) * ROW - 14, "move", text);
    }
    for (int i = 0; i < drawn; i++)
        line_to(p, (first + last) / 2, ply, at[i]);
    if (item->answer != TREE_NONE && count > 1) /* the other moves are cut off */
        text_at(p, (first + last) / 2 + 16, MARGIN + ply * ROW + 16, "cut", "&#8869;");
    return drawn ? (first + last) / 2 : -1;
}

static double node_draw(struct picture *p, uint32_t node, int ply)
{
    const struct minimal_item *item = item_of(p, node);
    double x = -1;

    if (item && !item->leaf && ply < p->plies)
        x = moves_draw(p, node, ply);
    if (x < 0)
        x = MARGIN + COLUMN * p->column++;
    text_at(p, x, MARGIN + ply * ROW + 4, "result", result_text(&p->t->node[node]));
    return x;
}

void picture_draw(FILE *out, struct tree *t, uint32_t root, const struct minimal *m, int plies)
{
    struct picture p = {.t = t, .m = m, .plies = plies};

    for (size_t i = 0; i < m->items; i++)
        if (m->item[i].node == root) {
            p.attacker = m->item[i].attacker;
            p.wins = m->item[i].wins;
            if (!m->item[i].leaf)
                break;
        }
    node_draw(&p, root, 0); /* first pass: the width */
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" text-anchor=\"middle\">\n"
            "<style>path{stroke:#888;fill:none}.result{font-size:15px;font-weight:bold}"
            ".move{font-size:12px;fill:#555}.cut{font-size:13px;fill:#a00}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            2 * MARGIN + COLUMN * (p.column > 1 ? p.column - 1 : 1), 2 * MARGIN + ROW * plies);
    p.column = 0;
    p.out = out;
    node_draw(&p, root, 0);
    fprintf(out, "</svg>\n");
}
