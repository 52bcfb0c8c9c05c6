/* SPDX-License-Identifier: MIT */
#include "report/scores.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "report/outcomes.h"

const char *score_text(const struct search_line *line, char text[SCORE_TEXT_MAX])
{
    int s = line->score;

    if (score_has_distance(s))
        snprintf(text, SCORE_TEXT_MAX, "%s in %d", s > 0 ? "win" : "loss", score_plies(s));
    else if (line->proven)
        snprintf(text, SCORE_TEXT_MAX, "%s", value_name(line->value));
    else
        snprintf(text, SCORE_TEXT_MAX, "%+.2f", s / (double)SCORE_MAN);
    return text;
}

typedef void move_visit(void *context, const char *text);

static void pv_each(const struct board *b, const struct search_line *line, move_visit *visit,
                    void *context)
{
    struct board at = *b;

    for (int i = 0; i < line->plies; i++) {
        struct move_list legal;
        char text[MOVE_TEXT_MAX];

        moves_generate(&at, &legal);
        move_format(&line->pv[i], &legal, MOVE_NUMBERS, text);
        visit(context, text);
        at = board_after(&at, &line->pv[i]);
    }
}

static void print_visit(void *out, const char *text)
{
    fprintf(out, " %s", text);
}

static void json_visit(void *json, const char *text)
{
    json_text(json, NULL, text);
}

void pv_print(FILE *out, const struct board *b, const struct search_line *line)
{
    pv_each(b, line, print_visit, out);
}

void json_pv(struct json *j, const char *key, const struct board *b, const struct search_line *line)
{
    json_array(j, key);
    pv_each(b, line, json_visit, j);
    json_end(j);
}

void json_line(struct json *j, const struct board *b, const struct search_line *line)
{
    json_int(j, "score", line->score);
    json_bool(j, "proven", line->proven);
    if (line->proven)
        json_text(j, "value", value_name(line->value));
    if (score_has_distance(line->score))
        json_int(j, "plies", score_plies(line->score));
    json_bool(j, "rests_on_db_draw", line->rests_on_db_draw);
    json_pv(j, "pv", b, line);
}

void json_search(struct json *j, const struct board *b, const struct search_result *r)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    json_object(j, NULL);
    json_text(j, "fen", fen);
    json_int(j, "depth", r->depth);
    json_uint(j, "nodes", r->nodes);
    json_real(j, "time", r->seconds);
    if (r->lines)
        json_line(j, b, &r->line[0]);
    json_array(j, "lines");
    for (int i = 0; i < r->lines; i++) {
        json_object(j, NULL);
        json_line(j, b, &r->line[i]);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}
