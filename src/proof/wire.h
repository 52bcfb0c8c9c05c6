/* SPDX-License-Identifier: MIT
 *
 * wire.h -- the bytes of messages between a manager and its workers.
 *
 * All numbers are little-endian.  A message begins with "kq", its kind and the version of the
 * format, and ends with a seal: the XXH3 of what precedes it.  Boards are as in store_codec.h,
 * 13 bytes.
 *
 *     OFFSET  SIZE  WHAT
 *          0     2  "kq"
 *          2     1  kind: 'n' notice of a manager, 't' task, 'r' result, 'c' cancel, 'w' worker
 *          3     1  version, 4
 *          4     8  run: a number that the manager drew when it started; 0 in 'w'
 *         12     -  by kind, below
 *       last     8  seal
 *
 *     'n'  16 version of the program, 8 digest of the tables, 1 pieces, 1 leaving (0 or 1),
 *          1 deep (0 or 1: some tasks are for a deep search), 64 where it runs, 8 each: given,
 *          results, dropped, again, searches per second * 1000, audits
 *     't'  8 id, 8 digest of the tables, 16 version of the program, 13 board, 4 threshold,
 *          1 known bounds (lower + 4 * upper), 1 flags (1, 2: it is not asked whether Black,
 *          White wins; 4 * enum prover_table), 8 a worker that should leave it to others
 *          (0: none), 8 + 8 microseconds and 8 + 8 positions for player and solver, 4 bytes of
 *          claims wanted
 *     'r'  8 id, 8 worker, 1 how often the task was delivered, 1 status, 2 size of a text, the text
 *          (why it failed); if status is 0: 13 board, 1 bounds, 2 score, 4 threshold, 1 solved,
 *          8 positions, 8 microseconds, 1 number of moves, 16 for each: its numbers; for Black and
 *          for White 1 state of the claims (enum claims_kept), 1 the answer (1: it wins),
 *          4 size of the pack, the pack
 *     'c'  8 id: tasks up to this one are no longer wanted, nor are those of other runs
 *     'w'  8 worker, 64 where it runs, 1 threads, 8 searches, 8 microseconds since it started
 *
 * (Q1) Encoding a decoded message gives the same bytes.
 * (Q2) For any bytes, decoding reads nothing beyond them and accepts only data in range: valid
 *      boards, lower <= upper, at most MOVES_MAX numbers, limits of at most a year, scores of
 *      estimates (score.h).  Claims are not unpacked here.
 * (Q3) Texts are printable ASCII.
 *
 * Functions on the caller's memory; safe on any thread. */
#ifndef KELSO_PROOF_WIRE_H
#define KELSO_PROOF_WIRE_H

#include "proof/prover.h"

#include <stddef.h>

enum {
    WIRE_VERSION = 4,
    WIRE_PROGRAM = 16, /* room for the version of a program, its NUL included */
    WIRE_PLACE = 64,   /* for "host, process 17" */
    WIRE_TEXT = 480,
    WIRE_MAX = 4096,         /* bytes of any message, claims not counted */
    WIRE_CLAIMS = 448 << 10, /* of the claims of one question: two fit into the 1 MiB of a server */
    WIRE_RESULT_MAX = WIRE_MAX + 2 * WIRE_CLAIMS
};

struct wire_notice {
    uint64_t run;
    char program[WIRE_PROGRAM];
    uint64_t tables;
    int pieces; /* 0: all tables */
    bool leaving;
    bool deep; /* some tasks are for a deep search */
    char place[WIRE_PLACE];
    uint64_t given, results, dropped, again, milli_per_second, audits;
};

struct wire_task {
    uint64_t run, id, tables;
    char program[WIRE_PROGRAM];
    struct prover_task task;
};

struct wire_result {
    uint64_t run, id, worker;
    int deliveries;     /* of the task: more than 1 after the loss of a worker */
    enum status status; /* STATUS_OK, or the worker failed: */
    char text[WIRE_TEXT];
    struct prover_result result;
};

struct wire_cancel {
    uint64_t run, id;
};

struct wire_worker {
    uint64_t worker;
    char place[WIRE_PLACE];
    int threads;
    uint64_t searches, microseconds;
};

/* Each returns the number of bytes. */
size_t wire_put_notice(uint8_t out[WIRE_MAX], const struct wire_notice *m);
size_t wire_put_task(uint8_t out[WIRE_MAX], const struct wire_task *m);
size_t wire_put_cancel(uint8_t out[WIRE_MAX], const struct wire_cancel *m);
size_t wire_put_worker(uint8_t out[WIRE_MAX], const struct wire_worker *m);

/* `out` has room for WIRE_MAX bytes and the claims; no pack is larger than WIRE_CLAIMS. */
size_t wire_put_result(uint8_t *out, const struct wire_result *m);

/* STATUS_FORMAT tells what was expected; a message of another version is reported as such. */
enum status wire_get_notice(struct wire_notice *m, const void *bytes, size_t n, struct error *e);
enum status wire_get_task(struct wire_task *m, const void *bytes, size_t n, struct error *e);

/* The claims stay where they are, in `bytes`. */
enum status wire_get_result(struct wire_result *m, const void *bytes, size_t n, struct error *e);
enum status wire_get_cancel(struct wire_cancel *m, const void *bytes, size_t n, struct error *e);
enum status wire_get_worker(struct wire_worker *m, const void *bytes, size_t n, struct error *e);

#endif
