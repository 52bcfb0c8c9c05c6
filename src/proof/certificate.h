/* SPDX-License-Identifier: MIT
 *
 * certificate.h -- a proof as a file: claims about positions, each based on other claims or on
 * the tables.
 *
 * A claim states that a side (the attacker) wins a position, or that it does not.  It names the
 * move of the side that has a choice: the attacker in "wins", the defender in "does not win".
 * Every move of the other side must lead to a claim or to a position in the tables.  Positions
 * in the tables are not written down.
 *
 * All numbers are little-endian.
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  magic "kelso pf"
 *          8     2  version, 1
 *         10     1  side to move at the root: 0 Black, 1 White
 *         11     2  lower and upper bound of the root: 0 loss, 1 draw, 2 win for that side
 *         13     3  reserved, 0
 *         16    12  the root: squares of Black, of White, of kings; bit n-1 for square n
 *         28     4  reserved, 0
 *         32     8  number of claims
 *         40     8  XXH3 of the claims
 *         48     8  XXH3 of bytes 0 to 47
 *         56     8  reserved, 0
 *         64        claims, 16 bytes each
 *
 * A claim:
 *
 *     OFFSET  SIZE  WHAT
 *          0    12  the position, as above
 *         12     1  bit 0: side to move, bit 1: the attacker (0 Black, 1 White), bit 2: the
 *                   attacker wins, bit 3: found by the solver, without a proof in this file
 *         13     2  the chosen move: from and to, square numbers; 0 if none
 *         15     1  reserved, 0
 *
 * (P1) A claim that the attacker wins depends only on such claims earlier in the file, so no
 *      win depends on itself.  A claim that the attacker does not win may depend on any other:
 *      endless play is not a win.
 * (P2) Two moves with the same ends may lead to different positions; the claim holds if it
 *      holds for one of them.
 *
 * A struct certificate owns its claims.  One thread. */
#ifndef KELSO_PROOF_CERTIFICATE_H
#define KELSO_PROOF_CERTIFICATE_H

#include "core/position.h"
#include "base/status.h"
#include "db/value.h"

#include <stddef.h>

struct claim {
    struct placement pieces;
    uint8_t turn, attacker;
    bool wins;        /* the attacker wins, or does not */
    bool by_solver;   /* no proof here: the checker solves it again */
    uint8_t from, to; /* square numbers; 0 if none */
};

struct certificate {
    struct board root;
    enum value lower, upper; /* for the side to move */
    size_t claims, room;
    struct claim *claim;
};

void certificate_free(struct certificate *c);
enum status certificate_add(struct certificate *c, const struct claim *claim, struct error *e);
struct board claim_board(const struct claim *claim);

/* Order claims by position, attacker and result.  0 if both claim the same. */
int claim_compare(const struct claim *a, const struct claim *b);

/* Of equal claims keep the first; claims that depend on the others can depend on it. */
enum status certificate_unique(struct certificate *c, struct error *e);

/* Write under a temporary name and rename; read, and check everything that needs no move
 * generation: sizes, checksums, squares, reserved bytes. */
enum status certificate_write(const struct certificate *c, const char *path, struct error *e);
enum status certificate_read(struct certificate *c, const char *path, struct error *e);

/* The same in memory: the bytes of a file, which the caller frees (NULL after a failure); and
 * back, with `path` for the error. */
enum status certificate_encode(const struct certificate *c, uint8_t **bytes, size_t *size,
                               struct error *e);
enum status certificate_decode(struct certificate *c, const uint8_t *bytes, size_t size,
                               const char *path, struct error *e);

#endif
