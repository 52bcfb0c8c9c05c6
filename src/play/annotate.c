/* SPDX-License-Identifier: MIT */
#include "play/annotate.h"

#include "play/judge.h"
#include "play/openings.h"
#include "play/player.h"
#include "report/scores.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "core/pdn_writer.h"

#include <stdlib.h>
#include <string.h>

enum { COMMENT_MAX = 160, NAG_GOOD = 1, NAG_BAD = 2, NAG_BLUNDER = 4, NAG_DOUBTFUL = 6 };

struct annotation {
    const struct annotate_options *options;
    int games;
    struct openings openings;
    struct error passed_over; /* the first game that could not be annotated */
    struct judge judge;
    struct judgement found; /* of the move judged last */
    struct side_summary side[2];
    char comment[COMMENT_MAX];
};

static bool judge_ply(struct annotation *a, int ply)
{
    bool known = judge_move(&a->judge, ply, &a->found);

    if (known)
        summary_add(a->side, &a->judge, ply, &a->found);
    if (known && a->options->done)
        atomic_fetch_add(a->options->done, 1);
    return known;
}

static const char *comment(struct annotation *a, int ply, int *nag)
{
    const struct judgement *found = &a->found;
    char score[2][SCORE_TEXT_MAX], better[MOVE_TEXT_MAX];
    struct move_list legal;

    fflush(a->options->out);
    *nag = 0;
    if (!judge_ply(a, ply))
        return NULL;
    score_text(&found->played, score[0]);
    snprintf(a->comment, sizeof a->comment, "%s", score[0]);
    if (found->mark) {
        *nag = found->mark == MARK_BLUNDER ? NAG_BLUNDER : NAG_BAD;
        moves_generate(&a->judge.game.board[ply], &legal);
        move_format(&found->better.pv[0], &legal, MOVE_NUMBERS, better);
        snprintf(a->comment, sizeof a->comment, "%s; better %s, %s", score[0], better,
                 score_text(&found->better, score[1]));
    }
    return a->comment;
}

/* ------------------------------------------------------------------------- writing -- */

static void write_json_move(struct annotation *a, struct json *j, int ply)
{
    const struct board *b = &a->judge.game.board[ply];
    char text[MOVE_TEXT_MAX];
    struct move_list legal;

    moves_generate(b, &legal);
    move_format(&a->judge.game.move[ply], &legal, MOVE_NUMBERS, text);
    json_object(j, NULL);
    json_text(j, "move", text);
    if (judge_ply(a, ply)) {
        json_int(j, "score", a->found.played.score);
        json_bool(j, "proven", a->found.played.proven);
        json_text(j, "mark", mark_name(a->found.mark));
        json_object(j, "best");
        json_line(j, b, &a->found.best);
        json_end(j);
    }
    json_end(j);
    fflush(a->options->out);
}

static void write_json(struct annotation *a, const struct record *r)
{
    const struct opening *o =
        openings_of_game(&a->openings, a->judge.game.board, a->judge.game.plies);
    struct json j = json_open(a->options->out);
    char fen[FEN_TEXT_MAX];

    fen_format(&a->judge.game.board[0], fen);
    json_object(&j, NULL);
    json_int(&j, "game", r->number);
    json_text(&j, "fen", fen);
    if (o)
        opening_json(&j, "opening", o);
    else
        json_null(&j, "opening");
    json_array(&j, "moves");
    for (int i = 0; i < a->judge.game.plies; i++)
        write_json_move(a, &j, i);
    json_end(&j);
    json_object(&j, "summary");
    summary_json(&j, a->side);
    json_end(&j);
    json_bool(&j, "complete", !a->judge.status && !r->wrong.line);
    json_end(&j);
}

/* A game on its way from the reader to the writer: all of it passes, comments and variations too,
 * and each move of the main line gets its judgement. */
struct relay {
    struct annotation *annotation;
    struct pdn_writer writer;
    struct pdn_game game; /* with our tags */
    enum pdn_result result;
    const char *comment; /* on the last move, still to be written; NULL: none */
    int nag;             /* the same; 0: none */
    bool over;           /* the result is written */
};

static void relay_write(struct relay *r, struct pdn_event e)
{
    e.game = &r->game;
    pdn_writer_event(&r->writer, &e);
}

/* What we say of a move stands before what others say, and our sign only where there is none. */
static void relay_judgement(struct relay *r)
{
    if (r->nag)
        relay_write(r, (struct pdn_event){.kind = PDN_NAG, .nag = r->nag});
    if (r->comment)
        relay_write(
            r, (struct pdn_event){.kind = PDN_COMMENT, .text = {r->comment, strlen(r->comment)}});
    r->nag = 0;
    r->comment = NULL;
}

static const char *plural_s(int n)
{
    return n == 1 ? "" : "s";
}

/* "Black: 1 blunder, 2 bad moves, average loss 0.04." */
static int side_text(const struct side_summary *s, const char *name, char *text, size_t size)
{
    int blunders = s->marks[MARK_BLUNDER], bad = s->marks[MARK_BAD];
    int n = snprintf(text, size, "%s: %d blunder%s, %d bad move%s", name, blunders,
                     plural_s(blunders), bad, plural_s(bad));

    if (s->opinions)
        n += snprintf(text + n, size - (size_t)n, ", average loss %.2f",
                      s->loss / s->opinions / 100);
    return n + snprintf(text + n, size - (size_t)n, ".");
}

/* A summary for each side stands at the end of a game that was judged to its end. */
static void relay_summary(struct relay *r)
{
    const struct annotation *a = r->annotation;
    char text[2 * COMMENT_MAX];
    int n;

    if (a->judge.status)
        return;
    n = side_text(&a->side[BLACK], "Black", text, COMMENT_MAX);
    text[n++] = ' ';
    n += side_text(&a->side[WHITE], "White", text + n, COMMENT_MAX);
    relay_write(r, (struct pdn_event){.kind = PDN_COMMENT, .text = {text, (size_t)n}});
}

static void relay_event(void *context, const struct pdn_event *e)
{
    struct relay *r = context;
    struct pdn_event own = *e;
    bool sign = e->kind == PDN_NAG && e->nag >= NAG_GOOD && e->nag <= NAG_DOUBTFUL;

    if (e->kind == PDN_NOTE ||
        (e->kind == PDN_MOVE && e->depth == 0 && e->ply >= r->annotation->judge.game.plies))
        return;
    if (sign && e->depth == 0)
        r->nag = 0;
    if (e->kind != PDN_NAG)
        relay_judgement(r);
    if (e->kind == PDN_RESULT) {
        relay_summary(r);
        own.result = r->result;
    }
    relay_write(r, own);
    r->over = e->kind == PDN_RESULT;
    if (e->kind == PDN_MOVE && e->depth == 0)
        r->comment = comment(r->annotation, e->ply, &r->nag);
}

static void add_tag(struct pdn_game *g, const char *name, const char *value)
{
    if (g->tags < PDN_TAGS_MAX && !pdn_tag_find(g, name))
        g->tag[g->tags++] = pdn_tag_of(name, value);
}

/* The tags and the result that the game came with, if it did, and our own. */
static void relay_tags(struct relay *r, const struct opening *o, char title[OPENING_TITLE_MAX])
{
    if (r->writer.as_found) {
        add_tag(&r->game, "Annotator", "kelso");
    } else {
        add_tag(&r->game, "Event", "annotated by kelso");
        add_tag(&r->game, "Result", pdn_result_text(r->result));
    }
    if (o)
        add_tag(&r->game, "Opening", opening_title(o, title));
}

static void put_stream(void *out, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, out);
}

static void write_pdn(struct annotation *a, const struct record *r)
{
    const struct game *g = &a->judge.game;
    struct relay relay = {.annotation = a,
                          .writer = pdn_writer_open(put_stream, a->options->out, MOVE_NUMBERS),
                          .game = r->game,
                          .result = r->game.tags || r->result != PDN_UNKNOWN
                                        ? r->result
                                        : game_result(game_state(g, NULL))};
    struct pdn_reader reader = pdn_open(r->text.bytes, r->text.length);
    char title[OPENING_TITLE_MAX];
    struct text_error error;

    relay.writer.as_found = r->game.tags > 0;
    relay_tags(&relay, openings_of_game(&a->openings, g->board, g->plies), title);
    pdn_next(&reader, relay_event, &relay, &error);
    relay_judgement(&relay);
    if (!relay.over) /* an error ended the game */
        relay_write(&relay, (struct pdn_event){.kind = PDN_RESULT, .result = relay.result});
    fputc('\n', a->options->out);
}

static enum status annotate(void *context, const struct record *r, struct error *e)
{
    struct annotation *a = context;

    if (r->plies > GAME_PLIES_MAX) {
        if (!a->passed_over.status)
            error_set(&a->passed_over, STATUS_OVERFLOW, "game %d has more than %d plies", r->number,
                      GAME_PLIES_MAX);
        return STATUS_OK;
    }
    game_begin(&a->judge.game, &r->start);
    for (int i = 0; i < r->plies; i++)
        game_push(&a->judge.game, &r->ply[i].move);
    judge_begin(&a->judge);
    memset(a->side, 0, sizeof a->side);
    if (a->options->begin)
        a->options->begin(a->options->context, r);
    if (r->plies && a->options->json)
        write_json(a, r);
    else if (r->plies)
        write_pdn(a, r);
    fflush(a->options->out);
    a->games += r->plies > 0;
    if (r->wrong.line && a->options->wrong)
        a->options->wrong(a->options->context, r);
    return a->judge.status ? error_pass(e, &a->judge.error) : STATUS_OK;
}

enum status annotate_games(const char *name, const char *bytes, size_t length,
                           const struct annotate_options *o, struct error *e)
{
    struct annotation *a = calloc(1, sizeof *a);
    struct text_place where;
    enum status rc;

    if (!a)
        return error_no_memory(e);
    a->options = o;
    a->judge.search = o->search;
    a->judge.limits = o->limits;
    if ((rc = openings_read(&a->openings, e))) {
        free(a);
        return rc;
    }
    rc = record_read(bytes, length, NULL, annotate, a, &where, e);
    if (!rc && a->passed_over.status)
        rc = error_pass(e, &a->passed_over);
    else if (!rc && !a->games)
        rc = error_set(e, STATUS_POSITION, "%s: no moves found", name);
    free(a);
    return rc;
}
