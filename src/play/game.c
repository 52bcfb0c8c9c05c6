/* SPDX-License-Identifier: MIT */
#include "play/game.h"

#include "core/movegen.h"
#include "core/pdn_writer.h"

#include <assert.h>
#include <string.h>

void game_begin(struct game *g, const struct board *start)
{
    g->plies = 0;
    g->board[0] = *start;
}

bool game_push(struct game *g, const struct move *m)
{
    if (g->plies == GAME_PLIES_MAX)
        return false;
    g->move[g->plies] = *m;
    g->board[g->plies + 1] = board_after(game_now(g), m);
    g->plies++;
    assert(g->plies <= GAME_PLIES_MAX); /* (G2) */
    return true;
}

/* A move that cannot be taken back: a capture, or of a man. */
static bool move_stays(const struct board *b, const struct move *m)
{
    return m->jumps || !(b->kings & squares_of(m->from));
}

static enum game_state drawn(const char **why, const char *reason)
{
    *why = reason;
    return GAME_DRAWN;
}

enum game_state game_state(const struct game *g, const char **why)
{
    const struct board *now = game_now(g);
    const char *unused;
    int quiet = 0, seen = 1;

    why = why ? why : &unused;
    if (moves_count(now) == 0) {
        *why = now->side[now->turn] ? "no move left" : "no piece left";
        return game_won_by(side_other(now->turn));
    }
    for (int i = g->plies - 1; i >= 0 && !move_stays(&g->board[i], &g->move[i]); i--) {
        quiet++;
        seen += board_equal(&g->board[i], now);
    }
    if (seen >= 3)
        return drawn(why, "the same position for the third time");
    if (quiet >= GAME_QUIET_MAX)
        return drawn(why, "forty moves without progress");
    if (g->plies == GAME_PLIES_MAX)
        return drawn(why, "the game is too long");
    return GAME_ON;
}

enum pdn_result game_result(enum game_state state)
{
    if (state == GAME_BLACK_WINS || state == GAME_WHITE_WINS)
        return pdn_won_by(state == GAME_BLACK_WINS ? BLACK : WHITE);
    return state == GAME_DRAWN ? PDN_DRAW : PDN_UNKNOWN;
}

/* ------------------------------------------------------------------------- pdn -- */

static struct pdn_slice slice_of(const char *text)
{
    return (struct pdn_slice){text, strlen(text)};
}

static void add_tag(struct pdn_game *game, const char *name, const char *value)
{
    if (value)
        game->tag[game->tags++] = pdn_tag_of(name, value);
}

static void put_stream(void *out, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, out);
}

static void add_tags(struct pdn_game *game, const struct game_tags *tags, enum pdn_result result)
{
    add_tag(game, "Event", tags->event);
    add_tag(game, "Round", tags->round);
    add_tag(game, "Black", tags->black);
    add_tag(game, "White", tags->white);
    add_tag(game, "Result", pdn_result_text(result));
    add_tag(game, "Opening", tags->opening);
}

void game_write_pdn(const struct game *g, const struct game_tags *tags, enum pdn_result result,
                    const char *(*comment)(void *context, int ply, int *nag), void *context,
                    FILE *out)
{
    struct pdn_writer w = pdn_writer_open(put_stream, out, MOVE_NUMBERS);
    struct pdn_game game = {.start = g->board[0]};
    struct pdn_event e = {.kind = PDN_GAME, .game = &game, .board = &g->board[0]};

    add_tags(&game, tags, result);
    pdn_writer_event(&w, &e);
    for (int i = 0; i < g->plies; i++) {
        struct move_list legal;
        int nag = 0;
        const char *text = comment ? comment(context, i, &nag) : NULL;

        moves_generate(&g->board[i], &legal);
        e = (struct pdn_event){.kind = PDN_MOVE,
                               .game = &game,
                               .board = &g->board[i],
                               .move = &g->move[i],
                               .legal = &legal,
                               .ply = i};
        pdn_writer_event(&w, &e);
        e.kind = PDN_NAG;
        if ((e.nag = nag))
            pdn_writer_event(&w, &e);
        e.kind = PDN_COMMENT;
        e.text = slice_of(text ? text : "");
        if (text)
            pdn_writer_event(&w, &e);
    }
    e = (struct pdn_event){
        .kind = PDN_RESULT, .game = &game, .board = game_now(g), .result = result, .ply = g->plies};
    pdn_writer_event(&w, &e);
    fputc('\n', out);
}
