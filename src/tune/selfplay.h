/* SPDX-License-Identifier: MIT
 *
 * selfplay.h -- generate samples from games of the player against itself.
 *
 * A game begins with random plies.  Each side then searches a fixed number of positions per
 * move, without tables (a lookup costs more than an estimate, and samples need estimates);
 * occasionally a random move diverts the game.  Once a position is in the tables, its value is
 * the result, and a few more plies are played for samples of exact endings.  The quiet positions
 * are collected.  Positions before a random move have no result.
 *
 * Games are made in portions, each a file NNNNNN.samples in one directory.  An existing portion
 * is not made again, so stopped work can be resumed.
 *
 * (Y1) A portion depends only on its number, the seed, the network and the tables, not on the
 *      number of threads or on existing portions.
 *
 * The caller owns all arguments.  It runs threads of its own. */
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
    const struct network *network; /* NULL: the built-in one */
    const atomic_bool *stop;
    _Atomic uint64_t *done; /* games */
};

/* Make the missing portions.  *made counts the new samples. */
enum status selfplay_run(const struct selfplay *play, uint64_t *made, struct error *e);

/* Play one portion without writing it. */
enum status selfplay_portion(const struct selfplay *play, int number, struct samples *out,
                             struct error *e);

#endif
