/* SPDX-License-Identifier: MIT
 *
 * trace.h -- the shortest games, by breadth-first search and trace-back.
 *
 * As in Bryant's study: the census has every position of every ply; a scan of the second to last
 * ply finds the moves that end the game, then each ply is scanned for positions that lead to one
 * already found, back to the start.
 *
 * (B1) Sound for the shortest games only: the census keeps a position at the first ply at which it
 *      occurs, so a longer game may be missing.  `shorter` says whether the requested games are the
 *      shortest.
 *
 * ply_scan calls its visit from several threads, each with its own number. */
#ifndef KELSO_GAMES_TRACE_H
#define KELSO_GAMES_TRACE_H

#include "games/census.h"
#include "games/lines.h"

/* Called for every position; returns false to stop. */
typedef bool scan_visit(void *context, int thread, const struct board *b);

struct scan_options {
    int threads;
    scan_visit *visit;
    void *context;
    /* After each row, one thread at a time; false stops.  May be NULL. */
    bool (*report)(void *context, int ply, uint64_t done, uint64_t size);
    void *report_context;
};

/* Visit all positions of a kept ply.  `turn` is the side to move there. */
enum status ply_scan(const struct census *c, int ply, enum side turn,
                     const struct scan_options *options, struct error *e);

struct trace_options {
    int plies;
    enum side first; /* the side that moves at ply 0 */
    int threads;
    bool (*report)(void *context, int ply, uint64_t done, uint64_t size);
    void *context;
};

/* The census must have kept plies 0 to plies - 1.  `shorter` gets the number of
 * positions before the last ply in which the game is over. */
enum status trace_run(const struct census *c, const struct trace_options *options,
                      struct lines *out, uint64_t *shorter, struct error *e);

#endif
