/* SPDX-License-Identifier: MIT
 *
 * hub_client.h -- another program that speaks Hub, run as a child.
 *
 * (C1) every wait has an end: a program that says nothing is given up, and ended.
 *
 * Belongs to one thread. */
#ifndef KELSO_PLAY_HUB_CLIENT_H
#define KELSO_PLAY_HUB_CLIENT_H

#include "play/game.h"
#include "play/hub.h"
#include "search/search.h"

struct hub_client;

/* Start `command` through the shell and wait until it is ready.  NULL, and *why tells. */
struct hub_client *hub_client_open(const char *command, const char **why);
void hub_client_close(struct hub_client **c);

bool hub_client_new_game(struct hub_client *c);

/* Ask for a move within the limits (time, depth, nodes).  False: *why tells. */
bool hub_client_move(struct hub_client *c, const struct game *g, const struct search_limits *l,
                     struct move *out, const char **why);

#endif
