/* SPDX-License-Identifier: MIT
 *
 * proofs.h -- browsable proofs: certificates (proof/certificate.h), looked up by position.
 *
 * A proof is a set of claims about positions.  Here they are sorted, so what is known about a
 * position and its successors is found quickly.  The newest proofs are kept; the files of a
 * directory are read at startup.  If the store of an unfinished proof (proof/store.h) is given, it
 * is consulted for positions that no certificate covers.
 *
 * (F1) Only certificates that passed proof/check.h are added.
 * (F2) At most PROOFS_MAX are kept; the oldest is dropped first.
 *
 * The caller owns the handle.  Safe on any thread; one thread opens and closes. */
#ifndef KELSO_SERVE_PROOFS_H
#define KELSO_SERVE_PROOFS_H

#include "report/json.h"
#include "proof/certificate.h"
#include "serve/sources.h"

enum { PROOFS_MAX = 32, PROOF_SIZE_MAX = 50000, PROOF_TREE_NODES_MAX = 2000 };

struct proofs;

struct proofs *proofs_open(void); /* NULL without memory */
void proofs_close(struct proofs **p);

/* Add a certificate, found in `seconds`; takes ownership. */
void proofs_add(struct proofs *p, struct certificate *c, double seconds);

/* Prove b within `seconds`, check the proof by the rules and the tables, and keep it.  *what is
 * "win", "draw or win" and so on: a static string. */
struct prove_work {
    int threads;
    uint64_t memory;
    double seconds;
    const atomic_bool *stop;
    _Atomic uint64_t *nodes; /* counts positions expanded */
};
enum status proofs_prove(struct proofs *p, const struct snapshot *s, const struct board *b,
                         const struct prove_work *work, const char **what, struct error *e);

/* Read and check the files of a directory that end in .proof, until `stop` is set.  Returns the
 * number of valid ones; *e names the last invalid one. */
int proofs_load(struct proofs *p, const struct snapshot *s, const char *dir,
                const atomic_bool *stop, struct error *e);

/* Also use the store of a directory, which a manager may be writing to. */
enum status proofs_use_store(struct proofs *p, const char *dir, struct error *e);
bool proofs_has_store(const struct proofs *p);

/* All of them, as an array: position, bounds, claims.  Here and below, a record of the store that
 * cannot be read is an error; it does not count as missing. */
enum status proofs_write_all(struct proofs *p, const char *key, struct json *j, struct error *e);

/* A position of a proof: bounds, the number of claims it depends on, and the same for each move. */
enum status proofs_write(struct proofs *p, const struct snapshot *s, const struct board *b,
                         struct json *j, struct error *e);

/* The shape of a proof from b on (proof/outline.h): the largest parts of it, at most `nodes`. */
enum status proofs_write_tree(struct proofs *p, const struct board *b, int nodes,
                              const atomic_bool *stop, struct json *j, struct error *e);

/* The progress of the store; `at`, in seconds, is when it was counted.  STATUS_INTERRUPTED if it
 * has to be counted again and `stop` is set. */
enum status proofs_write_store(struct proofs *p, const struct snapshot *s, const atomic_bool *stop,
                               struct json *j, struct error *e);

#endif
