/* SPDX-License-Identifier: MIT
 *
 * claim_index.h -- find the claims of a certificate by position.
 *
 * The claims stay in the order of the file; the index is a list of their numbers, sorted by
 * position.  With it a reader can walk through a proof: what is claimed of a position, and
 * how many claims that rests on.
 *
 * (I1) claims about one position stand next to each other in the index.
 *
 * The certificate is not owned and must outlive the index unchanged.  Constant after
 * claim_index_open: any thread. */
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

/* What the claims say of b; false if there are none. */
bool claim_index_bounds(const struct claim_index *x, const struct board *b, struct bounds *out);

/* How many claims those about b rest on, they included, counted up to `most`; 0 where there
 * are none, or no memory to count. */
size_t claim_index_size(const struct claim_index *x, const struct board *b, size_t most);

#endif
