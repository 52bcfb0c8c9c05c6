/* SPDX-License-Identifier: MIT
 *
 * The public functions: each checks what comes from outside, turns it into the types
 * of the layers below, and turns the answer back. */
#include "kelso.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "db/answer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)KELSO_MOVES_MAX == (int)MOVES_MAX, "room for all moves");
static_assert((int)KELSO_PATH_MAX == MOVE_JUMPS_MAX + 1, "room for the longest path");
static_assert((int)KELSO_FEN_MAX == (int)FEN_TEXT_MAX, "room for any FEN");
static_assert((int)KELSO_MOVE_TEXT_MAX == (int)MOVE_TEXT_MAX, "room for any move");
static_assert((int)KELSO_WIN == (int)VALUE_WIN && (int)KELSO_LOSS == (int)VALUE_LOSS, "values");
static_assert((int)KELSO_DTC == (int)KIND_DTC && (int)KELSO_DTW == (int)KIND_DTW, "kinds");
static_assert((int)KELSO_LINE_LONG == (int)LINE_LONG, "ends of lines");

struct kelso_tables {
    struct tables *tables;
};

/* --------------------------------------------------------------------- status -- */

const char *kelso_strerror(kelso_status status)
{
    switch (status) {
    case KELSO_OK:
        return "no error";
    case KELSO_MISSING:
        return "the position is outside the tables";
    case KELSO_BAD_INPUT:
        return "not a position, a move or an argument that can be asked about";
    case KELSO_DAMAGED:
        return "a table is damaged or of another version";
    case KELSO_IO:
        return "the system refused to read";
    case KELSO_NO_MEMORY:
        return "not enough memory";
    case KELSO_NO_ROOM:
        return "the array is too small";
    }
    return "unknown status";
}

const char *kelso_version(void)
{
    return KELSO_VERSION;
}

static kelso_status fail(kelso_error *error, kelso_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static kelso_status fail(kelso_error *error, kelso_status status, const char *format, ...)
{
    if (error) {
        va_list args;

        error->status = status;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}

static kelso_status status_public(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return KELSO_OK;
    case STATUS_MISSING:
        return KELSO_MISSING;
    case STATUS_POSITION:
        return KELSO_BAD_INPUT;
    case STATUS_NO_MEMORY:
        return KELSO_NO_MEMORY;
    case STATUS_IO:
    case STATUS_LOCKED:
    case STATUS_INTERRUPTED:
        return KELSO_IO;
    default:
        return KELSO_DAMAGED;
    }
}

/* Hand on what the layer below said. */
static kelso_status report(kelso_error *error, enum status status, const struct error *e)
{
    return status ? fail(error, status_public(status), "%s", e->text) : KELSO_OK;
}

/* ------------------------------------------------------------------ positions -- */

static struct board board_of(const kelso_position *p)
{
    return (struct board){
        .side = {squares_unpack(p->black_men | p->black_kings),
                 squares_unpack(p->white_men | p->white_kings)},
        .kings = squares_unpack(p->black_kings | p->white_kings),
        .turn = p->turn == KELSO_WHITE ? WHITE : BLACK,
    };
}

static kelso_position position_of(const struct board *b)
{
    return (kelso_position){
        .black_men = squares_pack(board_men(b, BLACK)),
        .black_kings = squares_pack(board_kings(b, BLACK)),
        .white_men = squares_pack(board_men(b, WHITE)),
        .white_kings = squares_pack(board_kings(b, WHITE)),
        .turn = b->turn == WHITE ? KELSO_WHITE : KELSO_BLACK,
    };
}

/* A position from outside: what is wrong with it, or NULL. */
static const char *position_fault(const kelso_position *p, struct board *b)
{
    uint32_t black = p->black_men | p->black_kings, white = p->white_men | p->white_kings;

    if (p->turn != KELSO_BLACK && p->turn != KELSO_WHITE)
        return "the side to move is neither Black nor White";
    if ((p->black_men & p->black_kings) | (p->white_men & p->white_kings) | (black & white))
        return "two pieces on one square";
    if (p->black_men >> 28 || p->white_men & 0xF || __builtin_popcount(black) > 12 ||
        __builtin_popcount(white) > 12)
        return "a man on the row where it is crowned, or more than twelve pieces";
    if (!(p->turn == KELSO_BLACK ? white : black))
        return "the side that is not to move has no pieces";
    *b = board_of(p);
    assert(board_valid(b));
    return NULL;
}

static kelso_status position_take(const kelso_position *p, struct board *b, kelso_error *error)
{
    const char *fault = position_fault(p, b);

    return fault ? fail(error, KELSO_BAD_INPUT, "position: %s", fault) : KELSO_OK;
}

kelso_status kelso_position_parse(const char *fen, kelso_position *position, kelso_error *error)
{
    struct text_error where;
    struct board b;

    if (!fen_parse(fen, strlen(fen), &b, &where))
        return fail(error, KELSO_BAD_INPUT, "FEN, column %zu: %s", where.at + 1, where.what);
    *position = position_of(&b);
    return KELSO_OK;
}

/* fen_format has room for 24 pieces: a position that is not good may have more, and
 * squares in two sets; write it as if it were good. */
char *kelso_position_format(const kelso_position *position, char fen[KELSO_FEN_MAX])
{
    struct board b = board_of(position);

    b.side[WHITE] &= ~b.side[BLACK];
    for (int us = BLACK; us <= WHITE; us++)
        while (squares_count(b.side[us]) > 12)
            b.side[us] &= b.side[us] - 1;
    b.kings &= b.side[BLACK] | b.side[WHITE];
    fen_format(&b, fen);
    return fen;
}

/* ---------------------------------------------------------------------- moves -- */

static kelso_move move_of(const struct move *m)
{
    kelso_move out = {.crowns = m->crowns, .captured = squares_pack(m->captured)};

    out.path[out.length++] = (uint8_t)square_number(m->from);
    for (int i = 0; i + 1 < m->jumps; i++)
        out.path[out.length++] = (uint8_t)square_number(m->via[i]);
    out.path[out.length++] = (uint8_t)square_number(m->to);
    return out;
}

static bool same_path(const kelso_move *a, const kelso_move *b)
{
    return a->length == b->length && a->length <= KELSO_PATH_MAX &&
           memcmp(a->path, b->path, a->length) == 0;
}

kelso_status kelso_moves(const kelso_position *position, kelso_move *moves, int *count,
                         kelso_error *error)
{
    struct move_list list;
    struct board b;
    kelso_status rc = position_take(position, &b, error);

    if (rc)
        return rc;
    *count = moves_generate(&b, &list);
    for (int i = 0; i < list.count; i++)
        moves[i] = move_of(&list.move[i]);
    return KELSO_OK;
}

kelso_status kelso_play(const kelso_position *position, const kelso_move *move,
                        kelso_position *after, kelso_error *error)
{
    struct move_list list;
    struct board b, next;
    kelso_status rc = position_take(position, &b, error);

    if (rc)
        return rc;
    moves_generate(&b, &list);
    for (int i = 0; i < list.count; i++) {
        kelso_move legal = move_of(&list.move[i]);

        if (!same_path(&legal, move))
            continue;
        next = board_after(&b, &list.move[i]);
        *after = position_of(&next);
        return KELSO_OK;
    }
    return fail(error, KELSO_BAD_INPUT, "move: not legal in this position");
}

kelso_status kelso_move_parse(const kelso_position *position, const char *text, kelso_move *move,
                              kelso_error *error)
{
    struct text_error where;
    struct move_list list;
    struct board b;
    struct move m;
    kelso_status rc = position_take(position, &b, error);

    if (rc)
        return rc;
    moves_generate(&b, &list);
    if (!move_parse(text, strlen(text), &list, &m, &where))
        return fail(error, KELSO_BAD_INPUT, "move, column %zu: %s", where.at + 1, where.what);
    *move = move_of(&m);
    return KELSO_OK;
}

char *kelso_move_format(const kelso_move *move, char text[KELSO_MOVE_TEXT_MAX])
{
    int length = move->length < KELSO_PATH_MAX ? move->length : KELSO_PATH_MAX;
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < length; i++)
        n += (size_t)snprintf(text + n, KELSO_MOVE_TEXT_MAX - n, "%s%d",
                              !i               ? ""
                              : move->captured ? "x"
                                               : "-",
                              move->path[i] % 100);
    return text;
}

/* --------------------------------------------------------------------- tables -- */

kelso_status kelso_open(kelso_tables **tables, const char *directory, uint64_t cache_bytes,
                        kelso_error *error)
{
    kelso_tables *t = calloc(1, sizeof *t);
    char path[TABLE_PATH_MAX];
    const char *dir = catalog_default_dir(directory, path, sizeof path);
    struct error e = {0};
    enum status rc;

    *tables = t;
    if (!t)
        return fail(error, KELSO_NO_MEMORY, "not enough memory to open tables");
    if (!dir) {
        kelso_close(tables);
        return fail(error, KELSO_BAD_INPUT,
                    "no directory: none was given, and neither KELSO_DB nor HOME is set");
    }
    if ((rc = tables_open(&t->tables, &(struct tables_options){.dir = dir, .cache = cache_bytes},
                          &e)))
        kelso_close(tables);
    return report(error, rc == STATUS_MISSING ? STATUS_IO : rc, &e); /* no such directory */
}

void kelso_close(kelso_tables **tables)
{
    if (!*tables)
        return;
    tables_close(&(*tables)->tables);
    free(*tables);
    *tables = NULL;
}

int kelso_pieces(const kelso_tables *tables)
{
    int most = tables_complete(tables->tables);

    return most > 1 ? most : 0;
}

/* --------------------------------------------------------------------- probes -- */

const char *kelso_value_name(kelso_value value)
{
    return value == KELSO_WIN ? "win" : value == KELSO_DRAW ? "draw" : "loss";
}

kelso_status kelso_probe_wld(kelso_tables *tables, const kelso_position *position,
                             kelso_value *value, kelso_error *error)
{
    struct board b;
    struct error e;
    enum value v;
    enum status status;
    kelso_status rc = position_take(position, &b, error);

    if (rc)
        return rc;
    if ((status = tables_value(tables->tables, &b, &v, &e)))
        return report(error, status, &e);
    *value = (kelso_value)v;
    return KELSO_OK;
}

static int plies_of(struct outcome o)
{
    return o.value == VALUE_DRAW ? -1 : o.plies;
}

static kelso_status probe_kind(kelso_tables *tables, const kelso_position *position, enum kind kind,
                               kelso_answer *answer, kelso_error *error)
{
    struct board b;
    struct error e;
    struct outcome o;
    enum status status;
    kelso_status rc = position_take(position, &b, error);

    if (rc)
        return rc;
    if ((status = tables_outcome(tables->tables, &b, kind, &o, &e)))
        return report(error, status, &e);
    *answer = (kelso_answer){(kelso_value)o.value, plies_of(o)};
    return KELSO_OK;
}

kelso_status kelso_probe_dtc(kelso_tables *tables, const kelso_position *position,
                             kelso_answer *answer, kelso_error *error)
{
    return probe_kind(tables, position, KIND_DTC, answer, error);
}

kelso_status kelso_probe_dtw(kelso_tables *tables, const kelso_position *position,
                             kelso_answer *answer, kelso_error *error)
{
    return probe_kind(tables, position, KIND_DTW, answer, error);
}

static int verdict_plies(const struct verdict *v, enum kind kind)
{
    return v->known[kind] ? plies_of(v->of[kind]) : -1;
}

kelso_status kelso_probe_moves(kelso_tables *tables, const kelso_position *position,
                               kelso_ranked_move *moves, int *count, kelso_error *error)
{
    struct source source = source_from_tables(tables->tables);
    struct answer a;
    struct board b;
    struct error e;
    enum status status;
    kelso_status rc = position_take(position, &b, error);

    if (rc)
        return rc;
    if ((status = answer_position(&source, &b, WANT_DTC | WANT_DTW, &a, &e)))
        return report(error, status, &e);
    answer_rank_best(&a);
    *count = a.legal.count;
    for (int i = 0; i < a.legal.count; i++) {
        const struct verdict *v = &a.move[i].verdict;

        moves[i] = (kelso_ranked_move){move_of(&a.move[i].move), (kelso_value)v->value,
                                       verdict_plies(v, KIND_DTW), verdict_plies(v, KIND_DTC)};
    }
    return KELSO_OK;
}

kelso_status kelso_line(kelso_tables *tables, const kelso_position *position, kelso_kind kind,
                        kelso_move *moves, int room, int *count, kelso_line_end *end,
                        kelso_error *error)
{
    struct source source = source_from_tables(tables->tables);
    struct line *line;
    struct board b;
    struct error e;
    enum status status;
    kelso_status rc = position_take(position, &b, error);

    if (rc)
        return rc;
    if (kind != KELSO_WLD && kind != KELSO_DTC && kind != KELSO_DTW)
        return fail(error, KELSO_BAD_INPUT, "kind: neither wld, dtc nor dtw");
    if (!(line = malloc(sizeof *line)))
        return fail(error, KELSO_NO_MEMORY, "not enough memory for a line");
    if ((status = line_play(&source, &b, (enum kind)kind, line, &e))) {
        rc = report(error, status, &e);
    } else {
        *count = line->plies;
        if (end)
            *end = (kelso_line_end)line->end;
        for (int i = 0; i < line->plies && i < room; i++)
            moves[i] = move_of(&line->ply[i].move);
        if (line->plies > room)
            rc = fail(error, KELSO_NO_ROOM, "the line takes %d moves, there is room for %d",
                      line->plies, room);
    }
    free(line);
    return rc;
}
