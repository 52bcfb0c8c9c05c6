/* SPDX-License-Identifier: MIT */
#include "report/objects.h"
#include "report/outcomes.h"
#include "core/movegen.h"

/* ----------------------------------------------------------------------- parts -- */

static void put_board(struct json *j, const char *key, const struct board *b)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    json_text(j, key, fen);
}

static void put_move(struct json *j, const char *key, const struct board *b, const struct move *m)
{
    struct move_list legal;
    char text[MOVE_TEXT_MAX];

    moves_generate(b, &legal);
    move_format(m, &legal, MOVE_NUMBERS, text);
    json_text(j, key, text);
}

static void put_outcome(struct json *j, struct outcome o, enum kind kind)
{
    json_text(j, "value", value_name(o.value));
    if (kind != KIND_WLD && o.value != VALUE_DRAW)
        json_int(j, "plies", o.plies);
    else
        json_null(j, "plies");
}

/* ------------------------------------------------------------------- positions -- */

static void put_verdict(struct json *j, const struct verdict *v)
{
    json_text(j, "value", v->known[KIND_WLD] ? value_name(v->value) : NULL);
    json_plies(j, "dtw", v, KIND_DTW);
    json_plies(j, "dtc", v, KIND_DTC);
}

void object_position(struct json *j, const char *key, const struct board *b, const struct answer *a,
                     const char *missing)
{
    char text[MOVE_TEXT_MAX];

    json_object(j, key);
    put_board(j, "fen", b);
    put_verdict(j, &a->verdict);
    json_array(j, "moves");
    for (int i = 0; i < a->legal.count; i++) {
        move_format(&a->move[i].move, &a->legal, MOVE_NUMBERS, text);
        json_object(j, NULL);
        json_text(j, "move", text);
        put_verdict(j, &a->move[i].verdict);
        json_end(j);
    }
    json_end(j);
    if (missing)
        json_text(j, "missing", missing);
    json_end(j);
}

static void put_path(struct json *j, const struct move *m)
{
    json_array(j, "path");
    json_int(j, NULL, square_number(m->from));
    for (int i = 0; i + 1 < m->jumps; i++)
        json_int(j, NULL, square_number(m->via[i]));
    json_int(j, NULL, square_number(m->to));
    json_end(j);
}

static void put_legal(struct json *j, const struct board *b, const struct move *m, const char *text)
{
    struct board after = board_after(b, m);

    json_object(j, NULL);
    json_text(j, "move", text);
    put_path(j, m);
    json_array(j, "captured");
    for (squares set = m->captured; set; set &= set - 1)
        json_int(j, NULL, square_number(square_first(set)));
    json_end(j);
    json_bool(j, "crowns", m->crowns);
    put_board(j, "fen", &after);
    json_end(j);
}

void object_moves(struct json *j, const char *key, const struct board *b, enum move_style style)
{
    struct move_list legal;
    char text[MOVE_TEXT_MAX];

    moves_generate(b, &legal);
    json_object(j, key);
    put_board(j, "fen", b);
    json_array(j, "moves");
    for (int i = 0; i < legal.count; i++) {
        move_format(&legal.move[i], &legal, style, text);
        put_legal(j, b, &legal.move[i], text);
    }
    json_end(j);
    json_end(j);
}

/* ----------------------------------------------------------------------- games -- */

/* A move that was played and the position it led to. */
static void put_played(struct json *j, const struct board *b, const struct move *m)
{
    struct board after = board_after(b, m);

    put_move(j, "move", b, m);
    put_board(j, "fen", &after);
}

/* The moves that are as good as the one played, in the order of rank. */
static enum status put_ties(struct json *j, const struct source *s, const struct line_ply *p,
                            enum kind kind, struct error *e)
{
    struct answer a;
    enum status rc;

    if ((rc = answer_position(s, &p->board, 1u << kind, &a, e)) || (rc = answer_rank(&a, kind, e)))
        return rc;
    json_array(j, "as_good");
    for (int k = 1; k < p->ties; k++)
        put_move(j, NULL, &p->board, &a.move[k].move);
    json_end(j);
    return STATUS_OK;
}

enum status object_line(struct json *j, const char *key, const struct source *s,
                        const struct line *line, const struct board *b, bool ties, struct error *e)
{
    static const char *const ends[] = {"lost", "repeats", "long"};
    enum status rc;

    json_object(j, key);
    put_board(j, "fen", b);
    json_text(j, "kind", kind_name(line->kind));
    json_array(j, "moves");
    for (int i = 0; i < line->plies; i++) {
        const struct line_ply *p = &line->ply[i];

        json_object(j, NULL);
        put_played(j, &p->board, &p->move);
        put_outcome(j, p->outcome, line->kind);
        if (ties && (rc = put_ties(j, s, p, line->kind, e)))
            return rc;
        json_end(j);
    }
    json_end(j);
    json_text(j, "end", ends[line->end]);
    json_end(j);
    return STATUS_OK;
}

static void put_reviewed(struct json *j, const struct board *b, const struct review_ply *r)
{
    const struct slip *s = &r->slip;

    if (!r->asked) {
        json_null(j, "best");
        return;
    }
    put_outcome(j, s->played_outcome, r->kind);
    json_object(j, "best");
    put_move(j, "move", b, &s->best.move);
    put_outcome(j, s->best_outcome, r->kind);
    json_end(j);
    json_int(j, "slip", s->plies);
    json_bool(j, "changes_value", s->changes_value);
}

void object_review(struct json *j, const char *key, const struct record *record,
                   const struct review *review)
{
    json_object(j, key);
    put_board(j, "fen", &record->start);
    json_text(j, "kind", kind_name(review->kind));
    json_array(j, "moves");
    for (int i = 0; i < record->plies; i++) {
        json_object(j, NULL);
        put_played(j, &record->ply[i].board, &record->ply[i].move);
        put_reviewed(j, &record->ply[i].board, &review->ply[i]);
        json_end(j);
    }
    json_end(j);
    if (record->wrong.line) {
        json_object(j, "error");
        json_uint(j, "line", record->wrong.line);
        json_uint(j, "column", record->wrong.column);
        json_text(j, "message", record->why);
        json_end(j);
    }
    json_end(j);
}

/* ---------------------------------------------------------------------- tables -- */

void object_slice(struct json *j, const char *key, const struct survey_slice *r)
{
    struct slice need[SLICE_CODES];
    int n = slice_successors(r->slice, need);
    char name[SLICE_NAME_MAX];

    json_object(j, key);
    json_int(j, "number", r->number);
    json_text(j, "slice", slice_name(r->slice, name));
    json_uint(j, "values", r->values);
    json_uint(j, "blocks", r->blocks);
    json_object(j, "bytes");
    for (int k = 0; k < KINDS; k++)
        if (r->bytes[k])
            json_uint(j, kind_name((enum kind)k), r->bytes[k]);
    json_end(j);
    json_array(j, "needs");
    for (int i = 0; i < n; i++)
        json_text(j, NULL, slice_name(need[i], name));
    json_end(j);
    json_end(j);
}

void object_count(struct json *j, const char *key, const struct survey_count *r)
{
    const struct table_counts *c = survey_all(r);
    struct slice s = r->black_white;
    char fen[FEN_TEXT_MAX];

    json_object(j, key);
    json_int(j, "bk", s.kings);
    json_int(j, "bm", s.men);
    json_int(j, "wk", s.opp_kings);
    json_int(j, "wm", s.opp_men);
    json_text(j, "stm", r->turn == BLACK ? "B" : "W");
    json_uint(j, "positions", survey_positions(r));
    json_uint(j, "wins", c->count[VALUE_WIN]);
    json_uint(j, "losses", c->count[VALUE_LOSS]);
    json_uint(j, "draws", c->count[VALUE_DRAW]);
    for (int i = 0; i < SURVEY_COLUMNS; i++) {
        const struct table_record *record = survey_record(r, &survey_columns[i]);

        if (!record) {
            json_null(j, survey_columns[i].name);
            continue;
        }
        json_object(j, survey_columns[i].name);
        json_int(j, "plies", record->plies);
        json_text(j, "fen", survey_fen(r, record, fen));
        json_end(j);
    }
    json_end(j);
}

void object_longest(struct json *j, const char *key, const struct survey_longest *r,
                    const struct line *line)
{
    char name[SLICE_NAME_MAX];

    json_object(j, key);
    json_text(j, "slice", slice_name(r->slice, name));
    json_text(j, "kind", kind_name(r->kind));
    json_text(j, "value", value_name(r->value));
    json_int(j, "plies", r->plies);
    put_board(j, "fen", &r->board);
    if (line) {
        json_array(j, "moves");
        for (int i = 0; i < line->plies; i++)
            put_move(j, NULL, &line->ply[i].board, &line->ply[i].move);
        json_end(j);
    }
    json_end(j);
}
