/* SPDX-License-Identifier: MIT
 *
 * forecast.h -- estimate the processor time and disk space of a build in advance.
 *
 * Both come from a small table of measured builds, by kind and by the split of the pieces, for
 * each missing slice.  A short calibration measures the current speed of the machine.
 *
 * (F1) A slice and kind that the directory already has costs nothing.
 * (F2) A forecast is an estimate: tests check the disk space of small builds within a factor of
 *      two.
 *
 * The caller owns all arguments.  Safe on any thread. */
#ifndef KELSO_DB_FORECAST_H
#define KELSO_DB_FORECAST_H

#include "db/build.h"

struct build_forecast {
    int slices, there;     /* to build, in whole or in part; already complete */
    uint64_t values;       /* of the slices to build, both sides to move */
    double cpu_seconds;    /* on the machine of the table */
    uint64_t bytes[KINDS]; /* of the files to be written */
};

/* A directory that cannot be read counts as empty: the build will report the error. */
void forecast_build(const struct build_plan *p, const struct build_options *o,
                    struct build_forecast *f);

uint64_t forecast_bytes(const struct build_forecast *f); /* of all kinds */

/* The current seconds per processor second of the table: solves a small ending on one thread
 * and measures the time.  Takes a fraction of a second.  1 if it fails. */
double forecast_pace(void);

#endif
