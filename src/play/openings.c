/* SPDX-License-Identifier: MIT */
#include "play/openings.h"

#include "core/movegen.h"
#include "core/notation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* data/ballots.csv, unchanged; the program is built from the top of the source tree. */
__asm__(".section .rodata\n"
        "ballots_csv:\n"
        ".incbin \"data/ballots.csv\"\n"
        "ballots_csv_end:\n"
        ".byte 0\n"
        ".previous");
extern const char ballots_csv[] __attribute__((visibility("hidden")));
extern const char ballots_csv_end[] __attribute__((visibility("hidden")));

static const char *const class_names[] = {"crossboard", "mail", "barred"};

const char *opening_class_name(enum opening_class c)
{
    return class_names[c];
}

/* ------------------------------------------------------------------------ reading -- */

/* The next field of a line, up to a comma or its end. */
static bool take_field(struct text *t, char *out, size_t size)
{
    size_t n = 0;

    for (; text_peek(t) >= 0 && text_peek(t) != ',' && text_peek(t) != '\n'; t->at++) {
        if (n + 1 == size)
            return false;
        out[n++] = t->bytes[t->at];
    }
    out[n] = '\0';
    text_accept(t, ',');
    return true;
}

/* Play moves from the start; false if they are not OPENING_PLIES legal ones. */
static bool take_moves(const char *text, struct opening *o)
{
    struct text t = {text, 0, strlen(text)};
    struct move_words words;
    struct move_list legal;

    o->after = board_start;
    for (int i = 0; i < OPENING_PLIES; i++) {
        text_skip_spaces(&t);
        moves_generate(&o->after, &legal);
        if (!move_words_read(&t, &words, NULL) || !move_words_find(&words, &legal, &o->move[i]))
            return false;
        o->after = board_after(&o->after, &o->move[i]);
    }
    return t.at == t.end;
}

static bool take_class(const char *text, enum opening_class *out)
{
    for (int i = 0; i <= OPENING_BARRED; i++)
        if (strcmp(text, class_names[i]) == 0) {
            *out = (enum opening_class)i;
            return true;
        }
    return false;
}

static bool take_opening(struct text *t, struct opening *o)
{
    char number[8], moves[OPENING_TEXT_MAX], class[16];

    if (!take_field(t, number, sizeof number) || !take_field(t, moves, sizeof moves) ||
        !take_field(t, class, sizeof class) || !take_field(t, o->family, sizeof o->family) ||
        !take_field(t, o->name, sizeof o->name) || !text_accept(t, '\n'))
        return false;
    o->number = atoi(number);
    return take_moves(moves, o) && take_class(class, &o->class);
}

enum status openings_parse(const char *bytes, size_t length, struct openings *o, struct error *e)
{
    struct text t = {bytes, 0, length};

    while (t.at < t.end && !text_accept(&t, '\n')) /* the names of the columns */
        t.at++;
    for (int i = 0; i < OPENINGS; i++) {
        memset(&o->opening[i], 0, sizeof o->opening[i]);
        if (!take_opening(&t, &o->opening[i]) || o->opening[i].number != i + 1)
            return error_set(e, STATUS_FORMAT, "the deck of openings, line %d: no ballot %d", i + 2,
                             i + 1);
        for (int k = 0; k < i; k++)
            if (board_equal(&o->opening[i].after, &o->opening[k].after)) /* (O1) */
                return error_set(e, STATUS_FORMAT, "the deck of openings, line %d: ballot %d again",
                                 i + 2, k + 1);
    }
    if (t.at < t.end)
        return error_set(e, STATUS_FORMAT, "the deck of openings: more than %d ballots", OPENINGS);
    return STATUS_OK;
}

enum status openings_read(struct openings *o, struct error *e)
{
    return openings_parse(ballots_csv, (size_t)(ballots_csv_end - ballots_csv), o, e);
}

/* ------------------------------------------------------------------------ finding -- */

const struct opening *openings_at(const struct openings *o, const struct board *b)
{
    for (int i = 0; i < OPENINGS; i++)
        if (board_equal(&o->opening[i].after, b))
            return &o->opening[i];
    return NULL;
}

const struct opening *openings_of_game(const struct openings *o, const struct board *boards,
                                       int plies)
{
    if (plies < OPENING_PLIES || !board_equal(&boards[0], &board_start))
        return NULL;
    return openings_at(o, &boards[OPENING_PLIES]);
}

static const struct opening *find_moves(const struct openings *o, const char *text)
{
    struct text t = {text, 0, strlen(text)};
    struct board b = board_start;
    struct move_words words;
    struct move_list legal;
    struct move m;

    for (int i = 0; i < OPENING_PLIES; i++) {
        while (text_peek(&t) == ' ' || text_peek(&t) == ',')
            t.at++;
        moves_generate(&b, &legal);
        if (!move_words_read(&t, &words, NULL) || !move_words_find(&words, &legal, &m))
            return NULL;
        b = board_after(&b, &m);
    }
    return openings_at(o, &b);
}

const struct opening *openings_find(const struct openings *o, const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end != text && !*end)
        return number >= 1 && number <= OPENINGS ? &o->opening[number - 1] : NULL;
    for (int i = 0; i < OPENINGS; i++)
        if (o->opening[i].name[0] && strcasecmp(o->opening[i].name, text) == 0)
            return &o->opening[i];
    return find_moves(o, text);
}

bool opening_matches(const struct opening *o, const char *text)
{
    char moves[OPENING_TEXT_MAX];

    return strcasestr(o->name, text) || strcasestr(o->family, text) ||
           strstr(opening_moves_text(o->move, moves), text);
}

/* Lines from b on that lead to the opening's position, except its own. */
static int collect_orders(const struct opening *o, const struct board *b, int ply,
                          struct move line[OPENING_PLIES],
                          struct move out[OPENINGS_ORDERS_MAX][OPENING_PLIES], int n)
{
    struct move_list legal;

    if (ply == OPENING_PLIES) {
        bool own = true;

        for (int i = 0; i < OPENING_PLIES; i++)
            own &= move_equal(&line[i], &o->move[i]);
        if (!own && board_equal(b, &o->after) && n < OPENINGS_ORDERS_MAX)
            memcpy(out[n++], line, sizeof out[0]);
        return n;
    }
    moves_generate(b, &legal);
    for (int i = 0; i < legal.count; i++) {
        struct board next = board_after(b, &legal.move[i]);

        line[ply] = legal.move[i];
        n = collect_orders(o, &next, ply + 1, line, out, n);
    }
    return n;
}

int opening_orders(const struct opening *o, struct move out[OPENINGS_ORDERS_MAX][OPENING_PLIES])
{
    struct move line[OPENING_PLIES];

    memcpy(out[0], o->move, sizeof out[0]);
    return collect_orders(o, &board_start, 0, line, out, 1);
}

/* -------------------------------------------------------------------------- words -- */

const char *opening_moves_text(const struct move *moves, char out[OPENING_TEXT_MAX])
{
    size_t n = 0;

    for (int i = 0; i < OPENING_PLIES; i++) {
        char move[MOVE_TEXT_MAX];

        move_format(&moves[i], NULL, MOVE_NUMBERS, move);
        n += (size_t)snprintf(out + n, OPENING_TEXT_MAX - n, "%s%s", i ? " " : "", move);
    }
    return out;
}

const char *opening_title(const struct opening *o, char out[OPENING_TITLE_MAX])
{
    snprintf(out, OPENING_TITLE_MAX, o->name[0] ? "%s (ballot %d%s)" : "%s, ballot %d%s",
             o->name[0] ? o->name : o->family, o->number,
             o->class == OPENING_BARRED ? ", barred" : "");
    return out;
}

const char *openings_csv(size_t *length)
{
    *length = (size_t)(ballots_csv_end - ballots_csv);
    return ballots_csv;
}

void opening_json(struct json *j, const char *key, const struct opening *o)
{
    struct move orders[OPENINGS_ORDERS_MAX][OPENING_PLIES];
    char text[OPENING_TEXT_MAX], move[MOVE_TEXT_MAX], fen[FEN_TEXT_MAX];
    int n = opening_orders(o, orders);

    fen_format(&o->after, fen);
    json_object(j, key);
    json_int(j, "number", o->number);
    json_text(j, "name", o->name[0] ? o->name : NULL);
    json_text(j, "family", o->family);
    json_text(j, "class", opening_class_name(o->class));
    json_bool(j, "barred", o->class == OPENING_BARRED);
    json_array(j, "moves");
    for (int i = 0; i < OPENING_PLIES; i++) {
        move_format(&o->move[i], NULL, MOVE_NUMBERS, move);
        json_text(j, NULL, move);
    }
    json_end(j);
    json_text(j, "fen", fen);
    json_array(j, "orders");
    for (int i = 1; i < n; i++)
        json_text(j, NULL, opening_moves_text(orders[i], text));
    json_end(j);
    json_end(j);
}
