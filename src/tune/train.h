/* SPDX-License-Identifier: MIT
 *
 * train.h -- train the network of the evaluation on samples.
 *
 * The network's value, through a logistic curve, predicts the points of the side to move.  The
 * target of a sample is a mixture of its value by the tables, if they know it, and of what its
 * game says: a mixture of the result and the curve of the search's score (the curve alone if
 * the result is unknown).  Weights are found in floating point by small steps along the
 * gradient (Adam) of batches of samples, clamped to the range of the integers of
 * search/network.h, and rounded to them at the end.
 *
 * (F1) The same samples, options and machine give the same weights, for any number of threads.
 * (F2) The last samples of the list, one in TRAIN_HELD_OUT, are held out: whole games that the
 *      training never sees.  The losses are measured on them.
 * (F3) Starting from a network and taking no step gives that network back.
 *
 * The caller owns all arguments.  It runs threads of its own. */
#ifndef KELSO_TUNE_TRAIN_H
#define KELSO_TUNE_TRAIN_H

#include "base/status.h"
#include "search/network.h"
#include "tune/samples.h"

#include <stdatomic.h>

enum { TRAIN_HELD_OUT = 32 };

struct train_report {
    int epoch;        /* from 1 */
    double trained;   /* mean loss on the samples of the epoch, while training */
    double held_out;  /* mean loss on the held-out samples, after it */
    double quantised; /* the same by the rounded network; only after the last epoch */
};

struct train_options {
    int epochs, threads;
    double rate;  /* of the first step */
    double trust; /* share of the search's score in what the game says: 0 to 1 */
    double exact; /* share of the tables' value in the target, where known: 0 to 1 */
    uint64_t seed;
    const struct network_weights *start; /* start from these weights; NULL: from random ones */
    const atomic_bool *stop;
    _Atomic uint64_t *done;                                      /* samples */
    void (*report)(void *context, const struct train_report *r); /* after each epoch */
    void *context;
};

/* The samples are shuffled. */
enum status train_network(struct samples *s, const struct train_options *o,
                          struct network_weights *out, struct error *e);

#endif
