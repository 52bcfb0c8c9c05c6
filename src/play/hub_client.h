/* SPDX-License-Identifier: MIT
 *
 * hub_client.h -- another program that speaks Hub, run as a child.
 *
 * (C1) Every wait has a timeout: a program that does not respond is killed.
 *
 * The caller owns the client.  It belongs to one thread. */
#ifndef KELSO_PLAY_HUB_CLIENT_H
#define KELSO_PLAY_HUB_CLIENT_H

#include "play/game.h"
#include "play/hub.h"
#include "search/search.h"

struct hub_client;

/* Start `command` through the shell and wait until it is ready.  NULL on failure, explained in
 * *why. */
struct hub_client *hub_client_open(const char *command, const char **why);
void hub_client_close(struct hub_client **c);

bool hub_client_new_game(struct hub_client *c);

/* Ask for a move within the limits (time, depth, nodes).  False on failure, explained in *why. */
bool hub_client_move(struct hub_client *c, const struct game *g, const struct search_limits *l,
                     struct move *out, const char **why);

#endif
