/* SPDX-License-Identifier: MIT
 *
 * provers.h -- provers that work side by side: give them tasks, collect results.
 *
 * Here they are threads.  Whoever brings in processes or machines replaces provers.c; the
 * manager sees three verbs.
 *
 * (W1) every task that was given comes back once, unless provers_close comes first.
 *
 * One thread gives and collects. */
#ifndef KELSO_PROOF_PROVERS_H
#define KELSO_PROOF_PROVERS_H

#include "proof/prover.h"

enum { PROVERS_MAX = 64 };

struct provers;

/* `o->memory` is for all of them together. */
enum status provers_open(struct provers **w, int count, const struct prover_options *o,
                         struct error *e);
void provers_close(struct provers **w);

/* At most as many tasks as there are provers may be under way. */
void provers_give(struct provers *w, const struct prover_task *task);

/* Wait for a result; there must be a task under way. */
enum status provers_collect(struct provers *w, struct prover_result *r, struct error *e);

#endif
