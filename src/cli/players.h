/* SPDX-License-Identifier: MIT
 *
 * players.h -- shared by the commands that search: their options, and opening a player.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_CLI_PLAYERS_H
#define KELSO_CLI_PLAYERS_H

#include "cli/options.h"
#include "play/player.h"

extern const struct option_spec player_options[]; /* fill a struct player_args */

int players_open(struct player *p, const struct player_args *args);

/* The tables alone; *t is NULL if there are none. */
int players_tables(struct tables **t, const struct player_args *args);

#endif
