/* SPDX-License-Identifier: MIT
 *
 * Bryant: unique positions by ply, and the shortest complete games. */
#include "papers/papers.h"

#include "core/notation.h"
#include "games/census.h"
#include "games/deep.h"
#include "games/shortest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- census -- */

/* Seconds of two processors up to each ply: plies 13 and 19 are those of bench/README.md, the
 * others are interpolated. */
static double census_seconds(int plies)
{
    static const double at[] = {[12] = 2, 5, 13, 35, 90, 220, 500, 1000};

    return plies < 12 ? 1 : plies > 19 ? 3000 : at[plies];
}

struct published_plies {
    struct paper_run *run;
    uint64_t count[CENSUS_PLIES_MAX + 1];
    int plies;
};

static enum status census_line(void *context, const char *line, struct error *e)
{
    struct published_plies *p = context;
    unsigned long long count;
    int ply;

    (void)e;
    if (sscanf(line, "%d,%llu", &ply, &count) == 2 && ply >= 1 && ply <= CENSUS_PLIES_MAX) {
        p->count[ply] = count;
        p->plies = ply > p->plies ? ply : p->plies;
    }
    return STATUS_OK;
}

static bool census_report(void *context, const struct census_report *report)
{
    struct paper_run *r = context;

    atomic_store(r->done, report->expanded);
    return !r->stop || !atomic_load(r->stop);
}

static void census_rows(const struct published_plies *p, const struct census *c)
{
    for (int ply = 1; ply <= p->plies; ply++) {
        char item[32], printed[32], found[32];

        snprintf(item, sizeof item, "ply %d", ply);
        snprintf(printed, sizeof printed, "%llu", (unsigned long long)p->count[ply]);
        if (ply > c->plies) {
            paper_skip(p->run, item, printed, census_seconds(ply));
            continue;
        }
        snprintf(found, sizeof found, "%llu", (unsigned long long)c->count[ply]);
        paper_compare(p->run, item, printed, found);
    }
}

enum status paper_census(struct paper_run *r, struct error *e)
{
    struct published_plies p = {.run = r};
    struct census_options o = {.counting = CENSUS_BRYANT,
                               .memory = r->memory,
                               .threads = r->threads,
                               .report = census_report,
                               .context = r};
    struct census *c = calloc(1, sizeof *c);
    enum status rc = paper_lines("/data/bryant_table1.csv", census_line, &p, e);

    if (!c)
        return error_no_memory(e);
    while (o.plies < p.plies && census_seconds(o.plies + 1) <= r->upto)
        o.plies++;
    if (!rc && o.plies) {
        r->stage(r->context, "counting positions", "positions", 0);
        rc = census_run(c, &o, e);
    }
    if (!rc)
        census_rows(&p, c);
    if (o.plies)
        census_close(c);
    free(c);
    return rc;
}

/* ----------------------------------------------------------------------- games -- */

enum { PLIES = 20, GAME_TEXT_MAX = 512, GAMES = 247 };

struct games {
    struct paper_run *run;
    char (*text)[GAME_TEXT_MAX]; /* as found, in order */
    size_t count, compressed;
    size_t printed, equal; /* lines printed, and those that agree */
};

static void game_text(const struct lines_game *g, char out[GAME_TEXT_MAX])
{
    size_t n = 0;

    for (int i = 0; i < g->plies; i++) {
        char move[MOVE_TEXT_MAX];

        lines_move_format(&g->board[i], &g->move[i], MOVE_NUMBERS, move);
        n += (size_t)snprintf(out + n, GAME_TEXT_MAX - n, "%s%s", i ? " " : "", move);
    }
}

static bool game_found(void *context, const struct lines_game *g)
{
    struct games *games = context;

    if (games->count < GAMES)
        game_text(g, games->text[games->count]);
    games->count++;
    return true;
}

static bool game_compressed(void *context, const struct lines_game *g)
{
    (void)g;
    ((struct games *)context)->compressed++;
    return true;
}

/* "001#21 | FEN | moves" */
static enum status game_printed(void *context, const char *line, struct error *e)
{
    struct games *games = context;
    const char *moves = strrchr(line, '|');
    size_t i = games->printed++;

    (void)e;
    games->equal +=
        moves && i < games->count && i < GAMES && strcmp(moves + 2, games->text[i]) == 0;
    return STATUS_OK;
}

static void games_rows(struct games *g, const struct lines_counts *counts, bool shorter)
{
    char found[ROW_TEXT_MAX];

    snprintf(found, sizeof found, "%llu", (unsigned long long)counts->games);
    paper_compare(g->run, "games of 20 plies", "247", found);
    snprintf(found, sizeof found, "%zu of %zu", g->equal, g->printed);
    paper_compare(g->run, "games equal to the printed list, in its order", "247 of 247", found);
    snprintf(found, sizeof found, "%zu", counts->finals);
    paper_compare(g->run, "final positions", "32", found);
    snprintf(found, sizeof found, "%llu", (unsigned long long)counts->blocks);
    paper_compare(g->run, "games that end in a block", "1", found);
    snprintf(found, sizeof found, "%zu", g->compressed);
    paper_compare(g->run, "lines of the compressed list (Table 4)", "133", found);
    paper_report(g->run, "games shorter than 20 plies", "none", shorter ? "some" : "none",
                 shorter ? ROW_DIFFERS : ROW_AGREES,
                 "deep blocks are excluded by: kelso shortest --plies 20 --deep");
}

static bool games_report(void *context, const struct shortest_report *report)
{
    struct paper_run *r = context;

    atomic_store(r->done, report->positions);
    return !r->stop || !atomic_load(r->stop);
}

/* Is there a complete game of fewer plies, apart from deep blocks? */
static enum status games_shorter(struct paper_run *r, bool *shorter, struct error *e)
{
    enum status rc = STATUS_OK;

    *shorter = false;
    for (int plies = 1; plies < PLIES && !rc && !*shorter; plies++) {
        struct shortest_options o = {board_start, plies, games_report, r};
        struct lines lines = {0};
        struct lines_counts counts;

        if (!(rc = shortest_shallow(&o, &lines, e)) && !lines_count(&lines, &counts))
            rc = error_no_memory(e);
        *shorter = !rc && counts.games > 0;
        lines_free(&lines);
    }
    return rc;
}

enum status paper_games(struct paper_run *r, struct error *e)
{
    struct shortest_options o = {board_start, PLIES, games_report, r};
    struct games g = {.run = r, .text = calloc(GAMES, GAME_TEXT_MAX)};
    struct lines_counts counts;
    struct lines lines = {0};
    bool shorter = false;
    enum status rc;

    if (!g.text)
        return error_no_memory(e);
    r->stage(r->context, "searching for games", "positions", 0);
    if (!(rc = shortest_shallow(&o, &lines, e)) &&
        (!lines_count(&lines, &counts) || !lines_visit(&lines, false, game_found, &g) ||
         !lines_visit(&lines, true, game_compressed, &g)))
        rc = error_no_memory(e);
    if (!rc && !(rc = paper_lines("/data/shortest_games.txt", game_printed, &g, e)) &&
        !(rc = games_shorter(r, &shorter, e)))
        games_rows(&g, &counts, shorter);
    lines_free(&lines);
    free(g.text);
    return rc;
}
