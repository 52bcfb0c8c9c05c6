/* SPDX-License-Identifier: MIT
 *
 * queue_status.h -- who is at work on a queue of proofs, for people and programs.
 *
 * Any thread. */
#ifndef KELSO_REPORT_QUEUE_STATUS_H
#define KELSO_REPORT_QUEUE_STATUS_H

#include "proof/queue.h"

#include <stdio.h>

void queue_status_print(FILE *out, const struct queue_status *s, bool json);

#endif
