/* SPDX-License-Identifier: MIT
 *
 * kelso.h -- exact answers to endgames of English draughts (8x8 checkers).
 *
 * Open a directory of tables (made by `kelso build`), ask about positions, close it.  You
 * can ask about any legal position with no more pieces than the tables cover, with either
 * side to move, whether or not captures are pending: the library plays out captures
 * itself.
 *
 *     kelso_tables *tables;
 *     kelso_position p;
 *     kelso_answer answer;
 *     kelso_error error;
 *
 *     if (kelso_open(&tables, "tables", 64 << 20, &error))
 *         die(error.text);
 *     kelso_position_parse("B:WK31:B25,K18", &p, &error);
 *     if (kelso_probe_dtw(tables, &p, &answer, &error) == KELSO_OK)
 *         printf("%s in %d\n", kelso_value_name(answer.value), answer.plies);
 *     kelso_close(&tables);
 *
 * Values are those of the side to move.  Distances are in plies (moves of one side):
 *
 *     dtw   to the end of the game: the winner hurries, the loser delays
 *     dtc   up to and including the next conversion (a capture or a crowning, whoever
 *           makes it): the winner hurries, the loser delays
 *
 * A side that has no move has lost, in 0 plies.  A draw is a position that neither side
 * can win; it has no distance.
 *
 * (K1) An answer comes from the tables and is never a guess: any obstacle is reported as a status.
 *      Damaged files are detected by their checksums.
 * (K2) Nothing is printed, no signal is raised, no global state is kept; several directories may be
 *      open at once.
 * (K3) Any number of threads may use one handle at once; only kelso_close needs exclusive
 *      access.
 *
 * Link with -lkelso (pkg-config kelso).  The header works in C99 and later, and in C++. */
#ifndef KELSO_H
#define KELSO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KELSO_API __attribute__((visibility("default")))
#else
#define KELSO_API
#endif

/* -------------------------------------------------------------------- version -- */

/* The version of this header.  Within one major number (and one soname) structures and functions do
 * not change; new ones may be added. */
#define KELSO_VERSION_MAJOR 0
#define KELSO_VERSION_MINOR 1
#define KELSO_VERSION_PATCH 0
#define KELSO_VERSION_NUMBER                                                                       \
    (KELSO_VERSION_MAJOR * 10000 + KELSO_VERSION_MINOR * 100 + KELSO_VERSION_PATCH)

/* The version of the library that is linked: "0.1.0" (a constant), and as a number. */
KELSO_API const char *kelso_version(void);
KELSO_API int kelso_version_number(void);

/* --------------------------------------------------------------------- status -- */

typedef enum kelso_status {
    KELSO_OK = 0,
    KELSO_MISSING,     /* the tables of the directory do not cover the position */
    KELSO_BAD_INPUT,   /* not a position, not a move, or an argument out of range */
    KELSO_DAMAGED,     /* a file is not a table of this version, or a checksum is wrong */
    KELSO_IO,          /* a system call failed: the text has the reason */
    KELSO_NO_MEMORY,   /* not enough memory */
    KELSO_NO_ROOM,     /* the caller's array is too small: the count says what is needed */
    KELSO_NOT_AT_HAND, /* the answer is in a page that is not decoded yet */
    KELSO_CANCELLED    /* the caller's progress function asked to stop */
} kelso_status;

enum { KELSO_ERROR_MAX = 512 };

/* The text that goes with a status: one line that names the file, the offset or the column.
 * The caller owns it; every function accepts NULL.  It is written only when a call
 * fails. */
typedef struct kelso_error {
    kelso_status status;
    char text[KELSO_ERROR_MAX];
} kelso_error;

/* A short description of a status; a constant.  Never NULL, whatever the number. */
KELSO_API const char *kelso_strerror(kelso_status status);

/* ------------------------------------------------------------------ positions -- */

typedef enum kelso_side { KELSO_BLACK = 0, KELSO_WHITE = 1 } kelso_side;

/* Four sets of squares: bit n - 1 is square n of the usual numbering, 1 to 32.  Black's
 * men start on 1-12 and move towards 29-32, White's on 21-32 and move towards 1-4.
 *
 *          1   2   3   4        Black's back row
 *        5   6   7   8
 *          9  10  11  12
 *       13  14  15  16
 *         17  18  19  20
 *       21  22  23  24
 *         25  26  27  28
 *       29  30  31  32          White's back row
 *
 * A valid position has no square in two sets, no man on the row where it would have been crowned,
 * at most twelve pieces on each side, and at least one piece of the side that is not to move. */
typedef struct kelso_position {
    uint32_t black_men, black_kings, white_men, white_kings;
    kelso_side turn;
} kelso_position;

enum { KELSO_FEN_MAX = 128 };

/* Read a FEN such as B:W21,22,K30:BK1,12 (side to move, White's pieces, Black's).
 * KELSO_BAD_INPUT names the column. */
KELSO_API kelso_status kelso_position_parse(const char *fen, kelso_position *position,
                                            kelso_error *error);

/* Write a valid position as a FEN.  Returns fen. */
KELSO_API char *kelso_position_format(const kelso_position *position, char fen[KELSO_FEN_MAX]);

/* ---------------------------------------------------------------------- moves -- */

enum { KELSO_PATH_MAX = 10, KELSO_MOVES_MAX = 68, KELSO_MOVE_TEXT_MAX = 32 };

/* A move is the path of a piece: path[0] is where it starts, path[length - 1] where it
 * ends, square numbers 1 to 32.  A capture jumps length - 1 times. */
typedef struct kelso_move {
    uint8_t length;
    uint8_t path[KELSO_PATH_MAX];
    uint8_t crowns;    /* 1: a man becomes a king */
    uint32_t captured; /* set of squares, as in a position; 0 for a quiet move */
} kelso_move;

/* All legal moves; moves has room for KELSO_MOVES_MAX.  *count is 0 if the side to move has lost.
 * Needs no tables. */
KELSO_API kelso_status kelso_moves(const kelso_position *position, kelso_move *moves, int *count,
                                   kelso_error *error);

/* The position after a legal move (KELSO_BAD_INPUT for any other). */
KELSO_API kelso_status kelso_play(const kelso_position *position, const kelso_move *move,
                                  kelso_position *after, kelso_error *error);

/* Find the legal move that a text names: 11-15, 15x22, 1x10x17. */
KELSO_API kelso_status kelso_move_parse(const kelso_position *position, const char *text,
                                        kelso_move *move, kelso_error *error);

/* Write a move by its whole path, 11-15 or 1x10x17.  Returns text. */
KELSO_API char *kelso_move_format(const kelso_move *move, char text[KELSO_MOVE_TEXT_MAX]);

/* --------------------------------------------------------------------- tables -- */

typedef struct kelso_tables kelso_tables;

/* Open a directory of tables.  NULL means $KELSO_DB, else $XDG_DATA_HOME/kelso, else
 * ~/.local/share/kelso.  `cache_bytes` is the memory for decoded pages (0: 64 MiB; at least half a
 * MiB is used).  Each table in use takes a file descriptor.
 *
 * Only file names are read here: a table is opened and checked when it is first needed.  On failure
 * *tables is NULL.  The handle belongs to the caller: kelso_close. */
KELSO_API kelso_status kelso_open(kelso_tables **tables, const char *directory,
                                  uint64_t cache_bytes, kelso_error *error);

/* Close, and set *tables to NULL; does nothing for NULL.  No other thread may be using it. */
KELSO_API void kelso_close(kelso_tables **tables);

/* The largest number of pieces for which all win/loss/draw tables exist (0: none).  Some larger
 * slices may exist as well. */
KELSO_API int kelso_pieces(const kelso_tables *tables);

enum { KELSO_SLICE_NAME_MAX = 24 };

/* One material distribution, the stronger side first: its table answers for both sides to
 * move and both colours. */
typedef struct kelso_slice {
    char name[KELSO_SLICE_NAME_MAX]; /* "3K1C-2K1C": kings and men (checkers) of each side */
    uint8_t kings, men, other_kings, other_men;
    uint8_t kinds; /* which tables exist: bit 1 << KELSO_WLD and so on */
} kelso_slice;

/* The slices in the directory, in build order (fewer pieces first).  `slices` has room for `room`
 * of them and receives the first; *count is the total, so after KELSO_NO_ROOM it says how much room
 * is needed. */
KELSO_API kelso_status kelso_slices(const kelso_tables *tables, kelso_slice *slices, int room,
                                    int *count, kelso_error *error);

/* Called about ten times a second on the caller's thread, `share` going from 0 to 1.  Return 0
 * to cancel. */
typedef int kelso_progress(void *context, double share);

/* Decode the win/loss/draw table of a slice (by name, as in kelso_slice) in advance, as far as it
 * fits into the cache, or read its flat or quick file into memory.  `progress` may be NULL.
 * KELSO_MISSING if there is no such table, KELSO_BAD_INPUT if the name is not valid. */
KELSO_API kelso_status kelso_preload(kelso_tables *tables, const char *slice, int threads,
                                     kelso_progress *progress, void *context, kelso_error *error);

/* The work of a handle so far, and the memory it may use. */
typedef struct kelso_cache {
    uint64_t decoded;                 /* pages, or parts of pages, decoded */
    uint64_t read;                    /* pages of flat files and chapters of quick files read */
    uint64_t cache_bytes;             /* memory for decoded pages, at most */
    uint64_t kept_bytes;              /* memory for flat and quick files, at most */
    uint32_t flat, quick, compressed; /* win/loss/draw tables in use by form, one for each side to
                                       * move */
    uint32_t reserved[5];
} kelso_cache;

KELSO_API void kelso_cache_stats(kelso_tables *tables, kelso_cache *stats);

/* Check every byte of every table against its checksums.  `progress` may be NULL.  KELSO_DAMAGED
 * names the first fault.  (`kelso verify` also recomputes values.) */
KELSO_API kelso_status kelso_check(kelso_tables *tables, int threads, kelso_progress *progress,
                                   void *context, kelso_error *error);

/* --------------------------------------------------------------------- probes -- */

typedef enum kelso_value { KELSO_LOSS = 0, KELSO_DRAW = 1, KELSO_WIN = 2 } kelso_value;

typedef enum kelso_kind { KELSO_WLD = 0, KELSO_DTC = 1, KELSO_DTW = 2 } kelso_kind;

typedef struct kelso_answer {
    kelso_value value; /* for the side to move */
    int plies;         /* -1 for a draw */
} kelso_answer;

/* "loss", "draw" or "win". */
KELSO_API const char *kelso_value_name(kelso_value value);

/* Win, draw or loss for the side to move.
 *
 * Cost: a fraction of a microsecond for a page in the cache, much more for one that must be
 * decoded first; with captures pending, the sum over the positions they lead to.  Allocates
 * only on the first use of a table or by a thread.  KELSO_MISSING: there is no table for
 * it. */
KELSO_API kelso_status kelso_probe_wld(kelso_tables *tables, const kelso_position *position,
                                       kelso_value *value, kelso_error *error);

/* The same without waiting: KELSO_NOT_AT_HAND if a page would have to be decoded first, or on
 * any error, which kelso_probe_wld then reports.  For a search that can do without the
 * answer. */
KELSO_API kelso_status kelso_probe_wld_at_hand(kelso_tables *tables, const kelso_position *position,
                                               kelso_value *value, kelso_error *error);

/* The values of many positions at once: values[i] is a kelso_value, or -1 if the tables do not know
 * positions[i] or it is not a valid position.  A damaged file ends the call with a status.
 *
 * Cost: for thousands of random positions about half that of single probes or less, because what is
 * done to all of them is done without branches, they are looked up table by table, and the waits
 * for memory overlap.  Takes up to 1 MiB of memory during the call: KELSO_NO_MEMORY if that fails.
 */
KELSO_API kelso_status kelso_probe_batch(kelso_tables *tables, const kelso_position *positions,
                                         size_t count, int8_t *values, kelso_error *error);

/* A hint that a position will be probed soon: prefetches what the probe reads first.  Never waits,
 * never decodes, and does nothing if it cannot help. */
KELSO_API void kelso_prefetch(kelso_tables *tables, const kelso_position *position);

/* The value and the plies to the next conversion, or to the end of the game.
 * These need two tables of the slice, wld and their own kind, and read two
 * pages. */
KELSO_API kelso_status kelso_probe_dtc(kelso_tables *tables, const kelso_position *position,
                                       kelso_answer *answer, kelso_error *error);
KELSO_API kelso_status kelso_probe_dtw(kelso_tables *tables, const kelso_position *position,
                                       kelso_answer *answer, kelso_error *error);

/* The value of a move for the side that makes it; distances count from the position before the
 * move.  -1 for a draw, and if there are no tables of that kind. */
typedef struct kelso_ranked_move {
    kelso_move move;
    kelso_value value;
    int dtw, dtc;
} kelso_ranked_move;

/* Every legal move with its value and distances, best first: by dtw if all of them are
 * known, else by dtc, else by value alone.  moves has room for KELSO_MOVES_MAX.
 *
 * Cost: three probes per move. */
KELSO_API kelso_status kelso_probe_moves(kelso_tables *tables, const kelso_position *position,
                                         kelso_ranked_move *moves, int *count, kelso_error *error);

typedef enum kelso_line_end {
    KELSO_LINE_LOST = 0, /* the side to move after the last move has lost */
    KELSO_LINE_REPEATS,  /* the position after the last move occurred before */
    KELSO_LINE_LONG      /* cut at 2048 plies */
} kelso_line_end;

/* Perfect play by a kind to the end of the game: both sides play the first of their best
 * moves.  The line of a drawn position, and any line by KELSO_WLD, ends when a position
 * repeats.  `moves` has room for `room` moves and receives the first of them; *count is the
 * length of the whole line, so after KELSO_NO_ROOM it says how much room is needed.  `end` may
 * be NULL.
 *
 * Cost: kelso_probe_moves at each ply, and about 150 KiB of memory during the call. */
KELSO_API kelso_status kelso_line(kelso_tables *tables, const kelso_position *position,
                                  kelso_kind kind, kelso_move *moves, int room, int *count,
                                  kelso_line_end *end, kelso_error *error);

/* -------------------------------------------------------------------- endings -- */

/* An ending is solved on demand, in memory, without any tables.  It answers for its position
 * and for every position that play can reach from it. */
typedef struct kelso_ending kelso_ending;

/* Prepare an ending: determine its cost without solving it.  With `conversions` not 0, distances to
 * conversion are solved as well.  KELSO_BAD_INPUT for more pieces than can be solved.  The handle
 * belongs to the caller: kelso_ending_close. */
KELSO_API kelso_status kelso_ending_open(kelso_ending **ending, const kelso_position *position,
                                         int conversions, kelso_error *error);
KELSO_API void kelso_ending_close(kelso_ending **ending);

/* The number of values to solve, and the bytes of memory it takes with that many threads. */
KELSO_API uint64_t kelso_ending_values(const kelso_ending *ending);
KELSO_API uint64_t kelso_ending_bytes(const kelso_ending *ending, int threads);

/* Solve, within `memory` bytes (0: no limit), with fewer threads if necessary.  KELSO_NO_MEMORY:
 * the text says how much it needs with one thread.  KELSO_CANCELLED: `progress` (which may be NULL)
 * asked to stop; close the ending then. */
KELSO_API kelso_status kelso_ending_solve(kelso_ending *ending, int threads, uint64_t memory,
                                          kelso_progress *progress, void *context,
                                          kelso_error *error);

/* The answer for a position of a solved ending, by KELSO_DTW, or by KELSO_DTC if conversions were
 * requested.  KELSO_MISSING: play from the ending does not reach it, or it is not solved.  Any
 * number of threads at once, after kelso_ending_solve. */
KELSO_API kelso_status kelso_ending_probe(const kelso_ending *ending,
                                          const kelso_position *position, kelso_kind kind,
                                          kelso_answer *answer, kelso_error *error);

#ifdef __cplusplus
}
#endif

#endif
