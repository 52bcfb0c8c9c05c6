/* SPDX-License-Identifier: MIT */
#include "play/annotate.h"

#include "play/game.h"
#include "play/player.h"
#include "report/scores.h"
#include "report/record.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <stdlib.h>

enum { BAD = 40, BLUNDER = 100, COMMENT_MAX = 160, NAG_BAD = 2, NAG_BLUNDER = 4 };

struct annotation {
    const struct annotate_options *options;
    int games;
    struct error passed_over; /* the first game that could not be annotated */
    struct game game;
    struct search_line line[GAME_PLIES_MAX + 1]; /* the best of each position */
    struct search_result result;
    char comment[COMMENT_MAX];
};

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

/* 0, NAG_BAD or NAG_BLUNDER. */
static int judge(const struct annotation *a, int ply)
{
    const struct search_line *best = &a->line[ply];
    struct search_line played = value_of_move(a, ply);
    int cost = best->score - played.score;

    if (best->proven && played.proven)
        return played.value < best->value ? NAG_BLUNDER : 0;
    if (score_is_certain(best->score) && best->score < 0)
        return 0;
    return cost >= BLUNDER ? NAG_BLUNDER : cost >= BAD ? NAG_BAD : 0;
}

static const char *comment(void *context, int ply, int *nag)
{
    struct annotation *a = context;
    struct search_line played = value_of_move(a, ply);
    char score[2][SCORE_TEXT_MAX], better[MOVE_TEXT_MAX];
    struct move_list legal;

    score_text(&played, score[0]);
    snprintf(a->comment, sizeof a->comment, "%s", score[0]);
    if ((*nag = judge(a, ply))) {
        moves_generate(&a->game.board[ply], &legal);
        move_format(&a->line[ply].pv[0], &legal, MOVE_NUMBERS, better);
        snprintf(a->comment, sizeof a->comment, "%s; better %s, %s", score[0], better,
                 score_text(&a->line[ply], score[1]));
    }
    return a->comment;
}

/* ------------------------------------------------------------------------- writing -- */

static void write_json(struct annotation *a)
{
    struct json j = json_open(a->options->out);
    char text[MOVE_TEXT_MAX], fen[FEN_TEXT_MAX];

    fen_format(&a->game.board[0], fen);
    json_object(&j, NULL);
    json_text(&j, "fen", fen);
    json_array(&j, "moves");
    for (int i = 0; i < a->game.plies; i++) {
        struct search_line played = value_of_move(a, i);
        struct move_list legal;
        int nag = judge(a, i);

        moves_generate(&a->game.board[i], &legal);
        move_format(&a->game.move[i], &legal, MOVE_NUMBERS, text);
        json_object(&j, NULL);
        json_text(&j, "move", text);
        json_int(&j, "score", played.score);
        json_bool(&j, "proven", played.proven);
        json_text(&j, "mark", nag == NAG_BLUNDER ? "blunder" : nag ? "bad" : NULL);
        json_object(&j, "best");
        json_line(&j, &a->game.board[i], &a->line[i]);
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

/* The tags and the result that the game came with, if it did. */
static void write_pdn(struct annotation *a, const struct record *r)
{
    struct game_tags tags = {.event = "annotated by kelso"};
    struct pdn_game kept = r->game;
    enum pdn_result result =
        kept.tags || r->result != PDN_UNKNOWN ? r->result : game_result(game_state(&a->game, NULL));

    if (kept.tags && kept.tags < PDN_TAGS_MAX && !pdn_tag_find(&kept, "Annotator"))
        kept.tag[kept.tags++] = pdn_tag_of("Annotator", "kelso");
    if (kept.tags)
        tags.kept = &kept;
    game_write_pdn(&a->game, &tags, result, comment, a, a->options->out);
}

/* ------------------------------------------------------------------------ searching -- */

/* A side without a move has lost. */
static const struct search_line lost = {.score = -SCORE_WIN, .proven = true, .value = VALUE_LOSS};

static enum status search_each(struct annotation *a, struct error *e)
{
    search_clear(a->options->search);
    for (int i = 0; i <= a->game.plies; i++) {
        enum status rc = search_run(a->options->search, &a->game.board[i], a->game.board, i,
                                    &a->options->limits, &a->result, e);

        if (rc)
            return rc;
        if (a->options->limits.stop && atomic_load(a->options->limits.stop))
            return error_set(e, STATUS_INTERRUPTED, "interrupted");
        a->line[i] = a->result.lines ? a->result.line[0] : lost;
    }
    return STATUS_OK;
}

static enum status annotate(void *context, const struct record *r, struct error *e)
{
    struct annotation *a = context;
    enum status rc;

    if (r->plies > GAME_PLIES_MAX) {
        if (!a->passed_over.status)
            error_set(&a->passed_over, STATUS_OVERFLOW, "game %d has more than %d plies", r->number,
                      GAME_PLIES_MAX);
        return STATUS_OK;
    }
    game_begin(&a->game, &r->start);
    for (int i = 0; i < r->plies; i++)
        game_push(&a->game, &r->ply[i].move);
    if ((rc = search_each(a, e)))
        return rc;
    a->games++;
    if (a->options->json)
        write_json(a);
    else
        write_pdn(a, r);
    fflush(a->options->out);
    return STATUS_OK;
}

enum status annotate_games(const char *name, const char *bytes, size_t length,
                           const struct annotate_options *o, struct error *e)
{
    struct annotation *a = calloc(1, sizeof *a);
    enum status rc;

    if (!a)
        return error_no_memory(e);
    a->options = o;
    rc = record_each(name, bytes, length, &board_start, annotate, a, e);
    if (!rc && a->passed_over.status)
        rc = error_pass(e, &a->passed_over);
    else if (!rc && !a->games)
        rc = error_set(e, STATUS_FORMAT, "%s: no moves found", name);
    free(a);
    return rc;
}
