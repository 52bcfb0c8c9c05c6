/* SPDX-License-Identifier: MIT
 *
 * kelso_solve.h -- beyond the tables: prove the value of a position, or find a good move.
 *
 * These functions are in libkelso-solve, which also contains all of libkelso (kelso.h): a program
 * links one of the two.  libkelso is smaller, for programs that only use tables.
 *
 *     kelso_solver *solver;
 *     kelso_solution s;
 *
 *     kelso_solver_open(&solver, tables, NULL, &error);
 *     kelso_solver_solve(solver, &p, &(kelso_limits){.seconds = 10}, NULL, NULL, &s, &error);
 *     if (s.lower == s.upper)
 *         printf("%s\n", kelso_value_name(s.lower));
 *     kelso_solver_close(&solver);
 *
 * (V1) lower <= value <= upper for the side to move, if the tables are correct: bounds depend on
 *      the tables and the rules, never on estimates, hash collisions or repetitions.
 * (V2) A search line that is `proven` has its value in the same sense; other scores are estimates.
 *
 * A solver and a search each belong to one thread at a time and use their own threads inside.
 * Several may share one kelso_tables, which must stay open as long as they do. */
#ifndef KELSO_SOLVE_H
#define KELSO_SOLVE_H

#include "kelso.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When to stop.  0 means no limit; at least one limit must be given. */
typedef struct kelso_limits {
    double seconds;
    uint64_t nodes; /* positions examined */
    int depth;      /* plies; for a search only */
} kelso_limits;

/* 0 is the default.  `reserved` must be 0. */
typedef struct kelso_resources {
    uint64_t memory; /* bytes for the hash table: 256 MiB for a solver, 64 MiB for a search */
    int threads;     /* 1 */
    int reserved[5];
} kelso_resources;

/* --------------------------------------------------------------------- solver -- */

typedef struct kelso_solver kelso_solver;

typedef struct kelso_solution {
    kelso_value lower, upper; /* for the side to move; equal: solved */
    uint64_t nodes, probes;   /* positions expanded; answers of tables */
    double seconds;
} kelso_solution;

/* `resources` may be NULL.  The handle belongs to the caller. */
KELSO_API kelso_status kelso_solver_open(kelso_solver **solver, kelso_tables *tables,
                                         const kelso_resources *resources, kelso_error *error);
KELSO_API void kelso_solver_close(kelso_solver **solver);

/* Prove the value of a position.  Returns KELSO_OK even if a limit was reached first; the bounds
 * then differ.  A second call for the same position continues from there.  `progress` may be NULL;
 * its share is of limits->seconds.  KELSO_CANCELLED: it asked to stop; *solution has what was
 * found. */
KELSO_API kelso_status kelso_solver_solve(kelso_solver *solver, const kelso_position *position,
                                          const kelso_limits *limits, kelso_progress *progress,
                                          void *context, kelso_solution *solution,
                                          kelso_error *error);

/* A line of play that keeps the value just solved; like kelso_line, it may be cut short.
 * KELSO_MISSING: nothing is solved, or the hash table has lost too much. */
KELSO_API kelso_status kelso_solver_line(kelso_solver *solver, kelso_move *moves, int room,
                                         int *count, kelso_error *error);

/* Write the proof of the bounds just found, for kelso_proof_check and `kelso proof check`.
 * KELSO_MISSING: nothing is known, or the hash table has lost too much. */
KELSO_API kelso_status kelso_solver_write_proof(kelso_solver *solver, const char *path,
                                                kelso_error *error);

/* Check a proof by the rules and the tables alone, and say what it proves.  KELSO_DAMAGED: the file
 * is damaged, or a claim is wrong; the text names the first.  KELSO_MISSING: a table is missing. */
KELSO_API kelso_status kelso_proof_check(kelso_tables *tables, const char *path,
                                         kelso_position *position, kelso_value *lower,
                                         kelso_value *upper, kelso_error *error);

/* --------------------------------------------------------------------- search -- */

typedef struct kelso_search kelso_search;

enum { KELSO_PV_MAX = 128 };

typedef struct kelso_found {
    int score;         /* for the side to move; a man is worth 100, a win more than 17000 */
    int proven;        /* not 0: `value` is certain (V2) */
    kelso_value value; /* if proven */
    int plies;         /* the game ends within this many; -1: unknown */
    int depth;
    uint64_t nodes;
    double seconds;
    int length;                    /* of the line; 0: no legal move, the side to move has lost */
    kelso_move line[KELSO_PV_MAX]; /* the best move, and how the game may continue */
} kelso_found;

/* `tables` may be NULL: it then searches without tables. */
KELSO_API kelso_status kelso_search_open(kelso_search **search, kelso_tables *tables,
                                         const kelso_resources *resources, kelso_error *error);
KELSO_API void kelso_search_close(kelso_search **search);

/* Search for the best move, as the player does.  The hash table is kept for the next call.
 * KELSO_CANCELLED: `progress` asked to stop; *found has the best line so far. */
KELSO_API kelso_status kelso_search_run(kelso_search *search, const kelso_position *position,
                                        const kelso_limits *limits, kelso_progress *progress,
                                        void *context, kelso_found *found, kelso_error *error);

#ifdef __cplusplus
}
#endif

#endif
