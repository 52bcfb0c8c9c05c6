/* SPDX-License-Identifier: MIT
 *
 * selfplay.h -- the player plays games against itself, which become samples.
 *
 * A game begins with random plies.  Each side then thinks for a fixed number of positions a
 * move; now and then a random move takes the game elsewhere.  Where the tables know the value,
 * that is the result; some plies more are played for samples of exact endings.  The quiet
 * positions are collected.  What a random move came after has no result.
 *
 * Games are made in portions, each a file NNNNNN.samples in one directory.  A portion that is
 * there is not made again, so work that was stopped goes on.
 *
 * (Y1) a portion depends on its number, the seed, the network and the tables alone: not on the
 *      threads, nor on which portions were there before.
 *
 * Threads are its own. */
#ifndef KELSO_TUNE_SELFPLAY_H
#define KELSO_TUNE_SELFPLAY_H

#include "db/tables.h"
#include "search/network.h"
#include "tune/samples.h"

#include <stdatomic.h>

enum { SELFPLAY_PORTION = 200 }; /* games */

struct selfplay {
    const char *dir;
    int portions, threads;
    uint64_t nodes, seed;
    const struct tables *tables;   /* NULL: none */
    const struct network *network; /* NULL: the one in use */
    const atomic_bool *stop;
    _Atomic uint64_t *done; /* games */
};

/* Make the portions that are missing.  *made counts the samples of those made now. */
enum status selfplay_run(const struct selfplay *play, uint64_t *made, struct error *e);

/* One portion, not written. */
enum status selfplay_portion(const struct selfplay *play, int number, struct samples *out,
                             struct error *e);

#endif
