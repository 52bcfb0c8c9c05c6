/* SPDX-License-Identifier: MIT */
#include "play/annotate.h"

#include "play/judge.h"
#include "play/openings.h"
#include "play/player.h"
#include "report/scores.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <stdlib.h>

enum { COMMENT_MAX = 160, NAG_BAD = 2, NAG_BLUNDER = 4 };

struct annotation {
    const struct annotate_options *options;
    int games;
    struct openings openings;
    struct error passed_over; /* the first game that could not be annotated */
    struct judge judge;
    struct judgement found; /* of the move judged last */
    char comment[COMMENT_MAX];
};

static bool judge_ply(struct annotation *a, int ply)
{
    bool known = judge_move(&a->judge, ply, &a->found);

    if (known && a->options->done)
        atomic_fetch_add(a->options->done, 1);
    return known;
}

static const char *comment(void *context, int ply, int *nag)
{
    struct annotation *a = context;
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
    json_bool(&j, "complete", !a->judge.status && !r->wrong.line);
    json_end(&j);
}

/* The tags and the result that the game came with, if it did. */
static void write_pdn(struct annotation *a, const struct record *r)
{
    struct game_tags tags = {.event = "annotated by kelso"};
    const struct opening *o =
        openings_of_game(&a->openings, a->judge.game.board, a->judge.game.plies);
    char title[OPENING_TITLE_MAX];
    struct pdn_game kept = r->game;
    enum pdn_result result = kept.tags || r->result != PDN_UNKNOWN
                                 ? r->result
                                 : game_result(game_state(&a->judge.game, NULL));

    if (kept.tags && kept.tags < PDN_TAGS_MAX && !pdn_tag_find(&kept, "Annotator"))
        kept.tag[kept.tags++] = pdn_tag_of("Annotator", "kelso");
    if (o)
        tags.opening = opening_title(o, title);
    if (o && kept.tags && kept.tags < PDN_TAGS_MAX && !pdn_tag_find(&kept, "Opening"))
        kept.tag[kept.tags++] = pdn_tag_of("Opening", title);
    if (kept.tags)
        tags.kept = &kept;
    game_write_pdn(&a->judge.game, &tags, result, comment, a, a->options->out);
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
