/* SPDX-License-Identifier: MIT
 *
 * player.h -- what the commands share that search: tables if there are any, a search, and
 * how a score is said.
 *
 * Functions that can fail print one line on standard error and return EXIT_BAD. */
#ifndef KELSO_PLAY_PLAYER_H
#define KELSO_PLAY_PLAYER_H

#include "report/json.h"
#include "search/search.h"

struct player_args {
    const char *dir;
    bool no_tables;
    uint64_t hash, memory;
    int threads;
};

#define OPTIONS_PLAYER(args, field)                                                                  \
    {"dir", OPTION_TEXT, offsetof(args, field.dir), "DIR", "where the tables are", 0, 0, 0, NULL},   \
        {"no-tables", OPTION_FLAG, offsetof(args, field.no_tables), NULL, "do without tables", 0, 0, \
         0,           NULL},                                                                         \
        {"memory",                                                                                   \
         OPTION_SIZE,                                                                                \
         offsetof(args, field.memory),                                                               \
         "SIZE",                                                                                     \
         "for decoded pages of tables (256M)",                                                       \
         0,                                                                                          \
         0,                                                                                          \
         0,                                                                                          \
         NULL},                                                                                      \
        {"hash",                                                                                     \
         OPTION_MEMORY,                                                                              \
         offsetof(args, field.hash),                                                                 \
         "MiB",                                                                                      \
         "of the transposition table (64)",                                                          \
         0,                                                                                          \
         0,                                                                                          \
         1 << 20,                                                                                    \
         NULL},                                                                                      \
    {                                                                                                \
        "threads", OPTION_INT, offsetof(args, field.threads), "N", "use N threads (1)", 1,           \
            SEARCH_THREADS_MAX, 0, NULL                                                              \
    }

struct player {
    struct catalog *catalog; /* NULL: no tables */
    struct probe *probe;
    struct search *search;
};

/* Tables are used where there are some; a directory that was named must be there. */
int player_open(struct player *p, const struct player_args *args);
void player_close(struct player *p);

/* The tables alone, without a search. */
int player_open_tables(struct player *p, const struct player_args *args);

enum { SCORE_TEXT_MAX = 32 };

/* "+0.53", "win in 23", "win" (by the tables), "draw", as the side to move sees it. */
const char *score_text(const struct search_line *line, char text[SCORE_TEXT_MAX]);

/* The moves of a variation, in numbers. */
void pv_print(FILE *out, const struct board *b, const struct search_line *line);
void json_pv(struct json *j, const char *key, const struct board *b,
             const struct search_line *line);

/* score, proven, value, rests_on_db_draw, pv: into the object that is open. */
void json_line(struct json *j, const struct board *b, const struct search_line *line);

/* A whole search, as an object. */
void json_search(struct json *j, const struct board *b, const struct search_result *r);

#endif
