/* SPDX-License-Identifier: MIT
 *
 * ply.h -- the positions of one ply, in memory or in a file.
 *
 * The positions lie in a square of cells: the row is the band of the side to move
 * (seen from its own end), the column the band of the side that has moved.  All
 * positions of a column have quiet children in one row of the next ply only; that
 * is what makes the census fit in memory.  A cell is a run of codes (codes.h).
 *
 * The file `ply-NN.census`, all numbers little-endian:
 *
 *     OFFSET  SIZE  what
 *     0       8     "KLSOPLY2"
 *     8       4     ply
 *     12      4     counting: 0 plain, 1 bryant
 *     16      4     number of bands, B
 *     20      12    the start position with Black to move (flipped if necessary): packed
 *                   sets of Black, White and the kings, 4 bytes each
 *     32      8     number of positions
 *     40      8     offset of the index
 *     48      8     XXH3 of the index
 *     56      8     XXH3 of the 56 bytes before
 *     64      ...   the cells, row by row
 *     index   24*B*B  for each cell, row by row: offset (8), bytes (4),
 *                     positions (4), XXH3 of the bytes (8)
 *
 * (L1) A file under its final name is complete: it was written as `.tmp`, synced and
 *      renamed.
 * (L2) Every byte read is checked against its sum before it is used.
 * (L3) Rows are stored in the order in which the caller puts them; the same order gives the same
 *      bytes.
 * (L4) A file that answers another question (another start, another way of counting) is refused,
 *      never read as an answer to this one.
 *
 * One thread writes at a time; when finished, any thread may read. */
#ifndef KELSO_GAMES_PLY_H
#define KELSO_GAMES_PLY_H

#include "games/band.h"
#include "games/codes.h"
#include "base/status.h"

enum { PLY_PATH_MAX = 4096 };

enum census_counting { CENSUS_PLAIN, CENSUS_BRYANT };

/* What a census is about.  A position and its colour flip have the same census, so Black is
 * always to move in `start`. */
struct ply_question {
    enum census_counting counting;
    struct board start;
};

/* The question of a census from this position. */
struct ply_question ply_question_of(const struct board *start, enum census_counting counting);

struct ply_cell {
    uint64_t offset;
    uint32_t bytes, count;
    uint64_t sum;
};

struct ply {
    int number;
    struct ply_question question;
    uint64_t count, bytes;
    struct ply_cell (*cell)[BANDS]; /* [row][column] */
    uint8_t *row[BANDS];            /* in memory: the bytes of each row */
    int fd;                         /* in a file; -1 in memory */
    bool writing;                   /* the file still has its temporary name */
    char path[PLY_PATH_MAX];        /* the final name; "" in memory */
};

/* Bytes of a ply, read for one caller; zero-initialize, free(own). */
struct ply_bytes {
    const uint8_t *data;
    size_t size;
    uint8_t *own;
    size_t capacity;
};

/* Begin a ply.  dir == NULL keeps it in memory. */
enum status ply_create(struct ply *p, const char *dir, int number,
                       const struct ply_question *question, struct error *e);
/* Take over the bytes of a row; cell offsets count from the start of the row. */
enum status ply_put_row(struct ply *p, int row, struct run_writer *bytes,
                        const struct ply_cell cells[BANDS], struct error *e);
/* Make it complete and durable. */
enum status ply_finish(struct ply *p, struct error *e);

/* Open a finished ply: STATUS_OK with *found false when there is no such file; STATUS_MISMATCH if
 * it answers another question. */
enum status ply_open(struct ply *p, const char *dir, int number,
                     const struct ply_question *question, bool *found, struct error *e);

/* Read a whole row, or one cell, checked. */
enum status ply_read_row(const struct ply *p, int row, struct ply_bytes *out, struct error *e);
enum status ply_read_cell(const struct ply *p, int row, int column, struct ply_bytes *out,
                          struct error *e);

/* The error for a cell with a code that belongs elsewhere: its checksum is correct, so something
 * other than a census wrote it. */
enum status ply_bad_code(const struct ply *p, int row, int column, struct error *e);

/* The part of a row read by ply_read_row that belongs to a cell. */
struct run_reader ply_row_cell(const struct ply *p, const struct bands *bands, int row, int column,
                               const struct ply_bytes *bytes);

/* Free it; an unfinished file is removed. */
void ply_close(struct ply *p);

#endif
