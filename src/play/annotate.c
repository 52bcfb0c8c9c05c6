/* SPDX-License-Identifier: MIT */
#include "play/annotate.h"

#include "play/game.h"
#include "play/openings.h"
#include "play/player.h"
#include "report/scores.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <stdlib.h>

enum { BAD = 40, BLUNDER = 100, COMMENT_MAX = 160, NAG_BAD = 2, NAG_BLUNDER = 4 };

struct annotation {
    const struct annotate_options *options;
    int games;
    struct openings openings;
    struct error passed_over; /* the first game that could not be annotated */
    struct game game;
    int searched;                                /* positions whose line is known */
    struct search_line line[GAME_PLIES_MAX + 1]; /* the best of each position */
    struct search_line better;                   /* (A1) of the move judged last */
    enum status status;                          /* not STATUS_OK: nothing is searched any more */
    struct error error;
    struct search_result result;
    char comment[COMMENT_MAX];
};

/* ----------------------------------------------------------------------- searching -- */

/* A side without a move has lost. */
static const struct search_line lost = {.score = -SCORE_WIN, .proven = true, .value = VALUE_LOSS};

/* The best line of b, which `plies` moves of the game lead to.  False: asked to stop, or failed. */
static bool search_position(struct annotation *a, const struct board *b, int plies,
                            struct search_line *out)
{
    const struct annotate_options *o = a->options;

    if (a->status)
        return false;
    a->status = search_run(o->search, b, a->game.board, plies, &o->limits, &a->result, &a->error);
    if (!a->status && o->limits.stop && atomic_load(o->limits.stop))
        a->status = error_set(&a->error, STATUS_INTERRUPTED, "interrupted");
    if (a->status)
        return false;
    *out = a->result.lines ? a->result.line[0] : lost;
    return true;
}

/* The lines of all positions up to this ply. */
static bool search_to(struct annotation *a, int ply)
{
    for (; a->searched <= ply; a->searched++)
        if (!search_position(a, &a->game.board[a->searched], a->searched, &a->line[a->searched]))
            return false;
    return true;
}

/* ------------------------------------------------------------------------- judging -- */

/* What a line is worth one ply before, to the side that moved into it. */
static struct search_line seen_before(struct search_line after)
{
    int s = -after.score;

    after.score = score_has_distance(s) ? s + (s > 0 ? -1 : 1) : s;
    after.value = value_negate(after.value);
    return after;
}

static struct search_line value_of_move(const struct annotation *a, int ply)
{
    return seen_before(a->line[ply + 1]);
}

/* What the best move is worth, by the position behind it. */
static bool search_better(struct annotation *a, int ply)
{
    const struct search_line *best = &a->line[ply];
    struct board after = board_after(&a->game.board[ply], &best->pv[0]);

    if (!search_position(a, &after, ply, &a->better))
        return false;
    a->better = seen_before(a->better);
    a->better.pv[0] = best->pv[0];
    a->better.plies = 1;
    if (best->proven && !a->better.proven)
        a->better = *best;
    return true;
}

static int cost_mark(const struct search_line *best, const struct search_line *played)
{
    int cost = best->score - played->score;

    if (best->proven && played->proven)
        return played->value < best->value ? NAG_BLUNDER : 0;
    if (score_is_certain(best->score) && best->score < 0)
        return 0;
    return cost >= BLUNDER ? NAG_BLUNDER : cost >= BAD ? NAG_BAD : 0;
}

/* 0, NAG_BAD or NAG_BLUNDER; then a->better is the move that should have been played. */
static int judge(struct annotation *a, int ply)
{
    struct search_line played = value_of_move(a, ply);

    if (move_equal(&a->line[ply].pv[0], &a->game.move[ply]) || !cost_mark(&a->line[ply], &played) ||
        !search_better(a, ply))
        return 0;
    return cost_mark(&a->better, &played);
}

static const char *comment(void *context, int ply, int *nag)
{
    struct annotation *a = context;
    char score[2][SCORE_TEXT_MAX], better[MOVE_TEXT_MAX];
    struct search_line played;
    struct move_list legal;

    fflush(a->options->out);
    if (!search_to(a, ply + 1))
        return NULL;
    played = value_of_move(a, ply);
    score_text(&played, score[0]);
    snprintf(a->comment, sizeof a->comment, "%s", score[0]);
    if ((*nag = judge(a, ply))) {
        moves_generate(&a->game.board[ply], &legal);
        move_format(&a->better.pv[0], &legal, MOVE_NUMBERS, better);
        snprintf(a->comment, sizeof a->comment, "%s; better %s, %s", score[0], better,
                 score_text(&a->better, score[1]));
    }
    if (a->options->done)
        atomic_fetch_add(a->options->done, 1);
    return a->comment;
}

/* ------------------------------------------------------------------------- writing -- */

static void write_json_move(struct annotation *a, struct json *j, int ply)
{
    const struct board *b = &a->game.board[ply];
    char text[MOVE_TEXT_MAX];
    struct move_list legal;
    bool known = search_to(a, ply + 1);
    struct search_line played;
    int nag;

    moves_generate(b, &legal);
    move_format(&a->game.move[ply], &legal, MOVE_NUMBERS, text);
    json_object(j, NULL);
    json_text(j, "move", text);
    if (known) {
        played = value_of_move(a, ply);
        nag = judge(a, ply);
        json_int(j, "score", played.score);
        json_bool(j, "proven", played.proven);
        json_text(j, "mark", nag == NAG_BLUNDER ? "blunder" : nag ? "bad" : NULL);
        json_object(j, "best");
        json_line(j, b, &a->line[ply]);
        json_end(j);
    }
    json_end(j);
    fflush(a->options->out);
    if (known && a->options->done)
        atomic_fetch_add(a->options->done, 1);
}

static void write_json(struct annotation *a, const struct record *r)
{
    const struct opening *o = openings_of_game(&a->openings, a->game.board, a->game.plies);
    struct json j = json_open(a->options->out);
    char fen[FEN_TEXT_MAX];

    fen_format(&a->game.board[0], fen);
    json_object(&j, NULL);
    json_int(&j, "game", r->number);
    json_text(&j, "fen", fen);
    if (o)
        opening_json(&j, "opening", o);
    else
        json_null(&j, "opening");
    json_array(&j, "moves");
    for (int i = 0; i < a->game.plies; i++)
        write_json_move(a, &j, i);
    json_end(&j);
    json_bool(&j, "complete", !a->status && !r->wrong.line);
    json_end(&j);
}

/* The tags and the result that the game came with, if it did. */
static void write_pdn(struct annotation *a, const struct record *r)
{
    struct game_tags tags = {.event = "annotated by kelso"};
    const struct opening *o = openings_of_game(&a->openings, a->game.board, a->game.plies);
    char title[OPENING_TITLE_MAX];
    struct pdn_game kept = r->game;
    enum pdn_result result =
        kept.tags || r->result != PDN_UNKNOWN ? r->result : game_result(game_state(&a->game, NULL));

    if (kept.tags && kept.tags < PDN_TAGS_MAX && !pdn_tag_find(&kept, "Annotator"))
        kept.tag[kept.tags++] = pdn_tag_of("Annotator", "kelso");
    if (o)
        tags.opening = opening_title(o, title);
    if (o && kept.tags && kept.tags < PDN_TAGS_MAX && !pdn_tag_find(&kept, "Opening"))
        kept.tag[kept.tags++] = pdn_tag_of("Opening", title);
    if (kept.tags)
        tags.kept = &kept;
    game_write_pdn(&a->game, &tags, result, comment, a, a->options->out);
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
    game_begin(&a->game, &r->start);
    for (int i = 0; i < r->plies; i++)
        game_push(&a->game, &r->ply[i].move);
    a->searched = 0;
    search_clear(a->options->search);
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
    return a->status ? error_pass(e, &a->error) : STATUS_OK;
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
