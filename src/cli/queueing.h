/* SPDX-License-Identifier: MIT
 *
 * queueing.h -- the options of every command that talks to a queue of proofs.
 *
 * Constant tables; any thread. */
#ifndef KELSO_CLI_QUEUEING_H
#define KELSO_CLI_QUEUEING_H

#include "cli/options.h"
#include "proof/queue.h"

/* Fills a struct queue_access. */
extern const struct option_spec queueing_options[];

/* Print a message of the queue on standard error. */
void queueing_say(void *context, const char *line);

#endif
