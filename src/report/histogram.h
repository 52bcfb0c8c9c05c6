/* SPDX-License-Identifier: MIT
 *
 * histogram.h -- the distribution of the values of a slice: over distances, and over the board.
 *
 * Only quiet positions are counted, in which the side to move has no capture, as in Table 2 of the
 * 7-piece paper: tables store no others.  A table with more pages than allowed, or than there is
 * time for, is sampled at pages spread over it; `read` and `pages` show how much was read.
 *
 * (H1) The counts of a completely read table equal those in its header (table_stats).
 * (H2) If there are distances, the counts over distances add up to the wins and losses.
 *
 * The caller owns all arguments.  One thread per call. */
#ifndef KELSO_REPORT_HISTOGRAM_H
#define KELSO_REPORT_HISTOGRAM_H

#include "db/table.h"
#include "report/json.h"

#include <stdatomic.h>

enum { HISTOGRAM_PLIES = 1024 }; /* longer distances count as the longest */

/* Of the side to move, and of the other. */
enum histogram_piece { HISTOGRAM_KING, HISTOGRAM_MAN, HISTOGRAM_OPP_KING, HISTOGRAM_OPP_MAN };

struct histogram {
    struct slice slice; /* the pieces of the side to move first */
    bool distances;
    uint64_t pages, read;
    uint64_t count[3];                  /* by enum value */
    uint64_t plies[3][HISTOGRAM_PLIES]; /* by enum value and distance */
    uint64_t square[4][33][3];          /* by enum histogram_piece, number of the square
                                                with Black to move, and enum value */
};

/* Count a table.  `distances` is the dtw or dtc table of the same slice, or NULL.  `mirror` as in
 * table.h.  Once `stop`, which may be NULL, is set, it ends with what it has: at least one page.
 */
enum status histogram_read(struct histogram *h, const struct table *wld,
                           const struct table *distances, int mirror, uint64_t pages_max,
                           const atomic_bool *stop, struct error *e);

/* Rows of an open array: one for the table, one for each distance that occurs, and one for
 * each kind of piece and each square that it stands on. */
void histogram_counts(struct json *j, const struct histogram *h);
void histogram_distances(struct json *j, const struct histogram *h);
void histogram_squares(struct json *j, const struct histogram *h);

#endif
