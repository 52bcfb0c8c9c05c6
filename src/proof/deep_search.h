/* SPDX-License-Identifier: MIT
 *
 * deep_search.h -- a search of one position that goes on from task to task.
 *
 * Its table is kept between tasks, and apart from the short searches of other positions.  The
 * provers of a process share it, so whichever of them gets the next task continues where the last
 * one stopped.
 *
 * (D1) One prover at a time has it.
 * (D2) Its table holds nothing of other positions than the one it is for: a proof found there can
 *      be written down.
 *
 * The caller owns it; the tables must outlive it.  Safe on any thread, except open and close. */
#ifndef KELSO_PROOF_DEEP_SEARCH_H
#define KELSO_PROOF_DEEP_SEARCH_H

#include "proof/dfpn.h"

struct deep_search;

enum status deep_search_open(struct deep_search **d, const struct tables *tables, uint64_t memory,
                             struct error *e);
void deep_search_close(struct deep_search **d);

/* The solver for b: with what earlier tasks found if they were of b too, otherwise empty.  It ends
 * early when *stop is set.  NULL while another prover has it. */
struct dfpn *deep_search_borrow(struct deep_search *d, const struct board *b,
                                const atomic_bool *stop);

/* The same thread returns it. */
void deep_search_return(struct deep_search *d);

#endif
