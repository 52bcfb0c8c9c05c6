/* SPDX-License-Identifier: MIT
 *
 * fit.h -- fit the weights of the evaluation to samples, by logistic regression.
 *
 * The estimate, through a logistic curve, is to predict the points of the side to move.  The
 * target of a sample is its value by the tables, else a mixture of the result of its game
 * and of the curve of what the search thought.  Weights are found by small steps along the
 * gradient (Adam) with a pull toward zero, and then scaled so that a man is worth 100.
 *
 * (F1) the same samples, options and seed give the same weights.
 *
 * One thread. */
#ifndef KELSO_TUNE_FIT_H
#define KELSO_TUNE_FIT_H

#include "tune/samples.h"

#include <stdatomic.h>

struct fit_options {
    int epochs;
    double pull;  /* toward zero */
    double trust; /* of the target, what comes from the search's score: 0 to 1 */
    bool plain;   /* features only, no patterns */
    uint64_t seed;
    const atomic_bool *stop;
    _Atomic uint64_t *done; /* samples */
};

struct fit_report {
    double before, after; /* loss on samples held out: of the weights in use, of the new ones */
};

/* The samples are shuffled. */
enum status fit_weights(struct samples *s, const struct fit_options *o, struct eval_weights *out,
                        struct fit_report *report, struct error *e);

/* Write them as the C file that the program is built from. */
enum status weights_write(const struct eval_weights *w, const char *path, struct error *e);

#endif
