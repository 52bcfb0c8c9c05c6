/* SPDX-License-Identifier: MIT
 *
 * claim_pack.h -- the proof of one question, in about a byte per claim.
 *
 * A proof is a walk from its root: where one side chooses, the claim says which move; where all
 * moves count, it says which of them lead to claims and which end the line.  Positions follow from
 * the rules, so they are not stored, and neither are the values of the tables: a pack is read back
 * without tables.
 *
 * The walk is depth-first.  The moves of a position are taken in the order of the positions they
 * lead to (core/position.h, K3), each position once.  At a new position:
 *
 *     one side chooses  1 byte: 2 * the number of the move, plus 1 if a claim follows
 *     all moves count   a bit for each move, the lowest first, in as few bytes as it takes: set if
 *                       a claim follows
 *
 * All numbers are little-endian.
 *
 *     OFFSET  SIZE  WHAT
 *          0     4  number of claims
 *          4     4  size of the walk in bytes
 *          8     8  digest of the claims, in the order in which they are read back
 *         16     1  0: the walk follows, 1: it follows packed by zstd
 *         17        the walk
 *
 * (Y1) Reading a written pack gives the same claims, in an order in which wins depend only on
 *      earlier ones.
 * (Y2) For any bytes, reading uses only memory proportional to the number of claims, and the
 *      resulting claims have the stored digest.
 *
 * The caller owns everything.  One thread. */
#ifndef KELSO_PROOF_CLAIM_PACK_H
#define KELSO_PROOF_CLAIM_PACK_H

#include "proof/certificate.h"

/* What a pack is about: does `attacker` win from `root`? */
struct pack_question {
    struct board root;
    enum side attacker;
    bool wins; /* the answer */
};

struct pack {
    uint8_t *bytes;
    size_t size, room;
};

enum { PACK_HEADER = 17, PACK_CLAIMS_MAX = 1 << 24 };

void pack_free(struct pack *p);

/* Pack the claims of `c`, all of the question's side and answer, in an order in which wins
 * depend only on earlier ones.  Claims that the root does not depend on are left out.
 * STATUS_OVERFLOW: more than PACK_CLAIMS_MAX. */
enum status pack_write(struct pack *out, const struct pack_question *q, const struct certificate *c,
                       struct error *e);

/* Add the claims to `out`, which is unchanged after an error.  STATUS_DAMAGED if the bytes are not
 * a pack of this question. */
enum status pack_read(const void *bytes, size_t size, const struct pack_question *q,
                      struct certificate *out, struct error *e);

/* The number of claims according to its header; 0 if it is not a pack. */
size_t pack_claims(const void *bytes, size_t size);

#endif
