/* SPDX-License-Identifier: MIT
 *
 * claim_index.h -- find the claims of a certificate by position.
 *
 * The claims stay in file order; the index is a list of their numbers, sorted by position.  It
 * lets a reader walk through a proof: what is claimed about a position, and how many claims
 * that depends on.
 *
 * (I1) Claims about one position are adjacent in the index.
 *
 * The certificate is not owned and must outlive the index unchanged.  Constant after
 * claim_index_open: safe on any thread. */
#ifndef KELSO_PROOF_CLAIM_INDEX_H
#define KELSO_PROOF_CLAIM_INDEX_H

#include "proof/bounds.h"
#include "proof/certificate.h"

struct claim_index {
    const struct certificate *certificate;
    uint32_t *order; /* numbers of claims, sorted by position */
};

enum status claim_index_open(struct claim_index *x, const struct certificate *c, struct error *e);
void claim_index_close(struct claim_index *x);

/* The bounds that the claims about b give; false if there are none. */
bool claim_index_bounds(const struct claim_index *x, const struct board *b, struct bounds *out);

/* The number of the claim that `attacker` wins from b, or does not; -1 if there is none. */
int64_t claim_index_find(const struct claim_index *x, const struct board *b, enum side attacker,
                         bool wins);

/* The number of claims that those about b depend on, including themselves, counted up to
 * `most`.  0 if there are none, or if memory is short. */
size_t claim_index_size(const struct claim_index *x, const struct board *b, size_t most);

#endif
