/* SPDX-License-Identifier: MIT
 *
 * proofs.h -- proofs to walk through: certificates (proof/certificate.h), found by position.
 *
 * A proof is a set of claims about positions; here they are sorted, so that what is known
 * of a position, and of what its moves lead to, is found at once.  The newest proofs are
 * kept; files of a directory are read at the start.  Behind them stands the store of a
 * proof under way (proof/store.h), if one was given: what no certificate speaks of may have
 * a record there.
 *
 * (F1) only certificates that proof/check.h let stand are added.
 * (F2) at most PROOFS_MAX are kept; the oldest goes first.
 *
 * Any thread; open and close belong to one. */
#ifndef KELSO_SERVE_PROOFS_H
#define KELSO_SERVE_PROOFS_H

#include "report/json.h"
#include "proof/certificate.h"
#include "serve/sources.h"

enum { PROOFS_MAX = 32, PROOF_SIZE_MAX = 50000 };

struct proofs;

struct proofs *proofs_open(void); /* NULL without memory */
void proofs_close(struct proofs **p);

/* Takes over the certificate, found in that time. */
void proofs_add(struct proofs *p, struct certificate *c, double seconds);

/* Prove b within `seconds`, check the proof by the rules and the tables, and keep it.
 * *what is "win", "draw or win" and so on: a text without an end. */
struct prove_work {
    int threads;
    uint64_t memory;
    double seconds;
    const atomic_bool *stop;
    _Atomic uint64_t *nodes; /* counts positions expanded */
};
enum status proofs_prove(struct proofs *p, const struct snapshot *s, const struct board *b,
                         const struct prove_work *work, const char **what, struct error *e);

/* Read and check the files of a directory that end in .proof.  Returns how many stand;
 * *e names the last that does not. */
int proofs_load(struct proofs *p, const struct snapshot *s, const char *dir, struct error *e);

/* Look into the store of a directory as well, which a manager may be writing to. */
enum status proofs_use_store(struct proofs *p, const char *dir, struct error *e);

/* All of them, as an array: position, bounds, claims. */
void proofs_write_all(struct proofs *p, const char *key, struct json *j);

/* A position of a proof: bounds, size of what it rests on, and the same for each move. */
void proofs_write(struct proofs *p, const struct snapshot *s, const struct board *b,
                  struct json *j);

#endif
