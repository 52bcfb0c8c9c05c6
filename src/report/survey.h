/* SPDX-License-Identifier: MIT
 *
 * survey.h -- the contents of a directory of tables, slice by slice.
 *
 * Three views of the same files, from their headers alone: what is built, how many positions are
 * won, drawn and lost, and which win or loss is the longest.  Each calls a visitor for every
 * row, in build order; a visitor that returns anything but STATUS_OK ends the walk with that
 * status.
 *
 * (S1) A slice whose tables are missing has a row among the slices and none in the other views.
 *
 * Nothing is owned.  Safe on any thread that the catalog allows. */
#ifndef KELSO_REPORT_SURVEY_H
#define KELSO_REPORT_SURVEY_H

#include "core/notation.h"
#include "db/catalog.h"

/* ---------------------------------------------------------------------- slices -- */

struct survey_slice {
    int number; /* in build order, from 1 */
    struct slice slice;
    uint64_t values; /* both sides to move */
    uint64_t blocks;
    uint64_t bytes[KINDS]; /* 0: not built */
};

typedef enum status survey_slice_visit(void *context, const struct survey_slice *row);

/* All slices of at most `pieces`.  `c` may be NULL: then nothing is built; a damaged
 * table counts as not built. */
enum status survey_slices(struct catalog *c, int pieces, survey_slice_visit *visit, void *context);

/* The number of positions with `pieces` pieces (1 to PIECES_MAX) as Schaeffer et al. (2007) count
 * them, without the side to move; and how many of these have pieces of one colour only and need no
 * table. */
uint64_t survey_published(int pieces);
uint64_t survey_one_sided(int pieces);

/* ---------------------------------------------------------------------- counts -- */

/* One slice with colours, one side to move. */
struct survey_count {
    struct slice black_white; /* kings and men of Black, then of White */
    enum side turn;
    const struct table *table[KINDS]; /* NULL where there is none; wld always is */
    int mirror;                       /* which table of each */
};

/* The eight maxima, in the order of the columns. */
struct survey_column {
    const char *name;
    enum kind kind;
    enum value value;
    bool quiet;
};

enum { SURVEY_COLUMNS = 8 };

extern const struct survey_column survey_columns[SURVEY_COLUMNS];

typedef enum status survey_count_visit(void *context, const struct survey_count *row);

/* The tables of a slice; STATUS_MISSING if there is no wld table. */
enum status survey_open(struct catalog *c, struct slice s, const struct table *table[KINDS],
                        struct error *e);

/* Rows of one slice: both ways to give the colours, both sides to move. */
enum status survey_counts(struct slice s, const struct table *const table[KINDS],
                          survey_count_visit *visit, void *context);

uint64_t survey_positions(const struct survey_count *row);
const struct table_counts *survey_all(const struct survey_count *row);

/* NULL where there is none. */
const struct table_record *survey_record(const struct survey_count *row,
                                         const struct survey_column *c);

/* The position of a record, with the row's colours. */
const char *survey_fen(const struct survey_count *row, const struct table_record *record,
                       char fen[FEN_TEXT_MAX]);

/* --------------------------------------------------------------------- longest -- */

/* A longest win or loss, with Black to move. */
struct survey_longest {
    struct slice slice; /* the mover's pieces first */
    enum kind kind;
    enum value value;
    int plies;
    struct board board;
};

typedef enum status survey_longest_visit(void *context, const struct survey_longest *row);

/* The longest win and loss of one slice, with either side to move; with `quiet`, only over
 * positions in which the mover has no capture. */
enum status survey_longest(struct catalog *c, struct slice s, enum kind kind, bool quiet,
                           survey_longest_visit *visit, void *context, struct error *e);

#endif
