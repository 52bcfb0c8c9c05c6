/* SPDX-License-Identifier: MIT
 *
 * dxp.h -- games over TCP by the DamExchange protocol.
 *
 * A link is a connection that carries whole messages (dxp_wire.h).  dxp_serve waits for callers
 * and plays the games they request, or calls and requests games itself.
 *
 * (D1) An address without a host means loopback: other machines cannot call.
 * (D2) A peer that is silent for too long, disconnects or sends garbage ends the game, not the
 *      program.
 *
 * The caller owns a link.  It belongs to one thread. */
#ifndef KELSO_PLAY_DXP_H
#define KELSO_PLAY_DXP_H

#include "play/dxp_wire.h"
#include "play/player.h"

struct dxp_args {
    const char *address; /* HOST:PORT */
    bool call;
    int games, minutes, moves;
    double think; /* seconds per move, regardless of the clock */
    double patience;
};

/* What a session reports, a line at a time: the result of a game, or a remark. */
enum dxp_news { DXP_RESULT, DXP_REMARK };
typedef void dxp_listener(void *context, enum dxp_news news, const char *line);

#define DXP_ARGS_DEFAULT                                                                           \
    {                                                                                              \
        .games = 2, .minutes = 5, .moves = 75                                                      \
    }

struct dxp_link {
    int socket; /* -1: closed */
    size_t held;
    char buffer[DXP_MESSAGE_MAX];
};

enum status dxp_call(struct dxp_link *link, const char *address, struct error *e);
void dxp_hang_up(struct dxp_link *link);

bool dxp_send(struct dxp_link *link, const struct dxp_message *m);

enum dxp_got { DXP_GOT, DXP_SILENT, DXP_CLOSED, DXP_GARBAGE };

/* Wait up to `seconds`.  DXP_GARBAGE: *wrong says why. */
enum dxp_got dxp_receive(struct dxp_link *link, double seconds, struct dxp_message *m,
                         const char **wrong);

/* The legal move of b that a message names; false if there is none. */
bool dxp_move_find(const struct dxp_message *m, const struct board *b, struct move *out);
struct dxp_message dxp_move_message(const struct move *m, double seconds);

/* Play until *stop is set, or until the games that this side asked for are over.  The player still
 * belongs to the caller; `e` is not NULL. */
enum status dxp_serve(const struct dxp_args *args, struct player *player, const atomic_bool *stop,
                      dxp_listener *listener, void *context, struct error *e);

#endif
