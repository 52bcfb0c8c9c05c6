/* SPDX-License-Identifier: MIT */
#include "cli/players.h"
#include "cli/command.h"

const struct option_spec player_options[] = {
    OPTION_DIR(struct player_args),
    {"no-tables", OPTION_FLAG, offsetof(struct player_args, no_tables), NULL, "use no tables"},
    OPTION_CACHE(struct player_args),
    OPTION_WAS("memory", "cache"),
    {"hash", OPTION_MEMORY, offsetof(struct player_args, hash), "MiB",
     "size of the transposition table (64)", .unit = 1 << 20},
    {"network", OPTION_TEXT, offsetof(struct player_args, network), "FILE",
     "evaluate with this network instead of the one in the program"},
    {"threads", OPTION_INT, offsetof(struct player_args, threads), "N", "use N threads (1)",
     .min = 1, .max = SEARCH_THREADS_MAX},
    {0}};

int players_open(struct player *p, const struct player_args *args)
{
    struct error e;

    return player_open(p, args, &e) ? app_error("%s", e.text) : EXIT_DONE;
}

int players_tables(struct tables **t, const struct player_args *args)
{
    struct error e;

    return player_tables(t, args, &e) ? app_error("%s", e.text) : EXIT_DONE;
}
