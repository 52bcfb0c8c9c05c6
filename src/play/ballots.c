/* SPDX-License-Identifier: MIT */
#include "play/ballots.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "search/search.h"

#include <string.h>

enum { JUDGE_DEPTH = 7 };

static bool is_listed(const struct ballots *list, int count, const struct board *b)
{
    for (int i = 0; i < count; i++)
        if (board_equal(&list->ballot[i].after, b))
            return true;
    return false;
}

/* All lines of three plies from `line`, of which `plies` are made, to new positions. */
static void collect(struct ballots *list, const struct board *b, struct ballot *line, int plies)
{
    struct move_list legal;

    if (plies == BALLOT_PLIES) {
        line->after = *b;
        if (!is_listed(list, list->count, b))
            list->ballot[list->count++] = *line;
        return;
    }
    moves_generate(b, &legal);
    for (int i = 0; i < legal.count; i++) {
        struct board next = board_after(b, &legal.move[i]);

        line->move[plies] = legal.move[i];
        collect(list, &next, line, plies + 1);
    }
}

enum status ballots_compute(struct ballots *list, struct error *e)
{
    struct ballot line;
    struct search_result r;
    struct search *s;
    int kept = 0;
    /* By material alone, so that the list follows from the rules. */
    enum status rc = search_open(
        &s, &(struct search_options){.hash = 4 << 20, .plain = true, .material = true}, e);

    if (rc)
        return rc;
    list->count = 0;
    collect(list, &board_start, &line, 0);
    list->positions = list->count;
    for (int i = 0; i < list->count && !rc; i++) {
        struct ballot *b = &list->ballot[i];

        search_clear(s);
        rc =
            search_run(s, &b->after, NULL, 0, &(struct search_limits){.depth = JUDGE_DEPTH}, &r, e);
        if (!rc && r.line[0].score == 0)
            list->ballot[kept++] = *b;
    }
    list->count = kept;
    search_close(&s);
    return rc;
}

const char *ballot_text(const struct ballot *b, char *out, size_t size)
{
    size_t n = 0;

    for (int i = 0; i < BALLOT_PLIES; i++) {
        char move[MOVE_TEXT_MAX];

        move_format(&b->move[i], NULL, MOVE_NUMBERS, move);
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "", move);
    }
    return out;
}
