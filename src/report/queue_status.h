/* SPDX-License-Identifier: MIT
 *
 * queue_status.h -- the workers of a proof queue, as text or JSON.
 *
 * The stream belongs to the caller.  Safe on any thread. */
#ifndef KELSO_REPORT_QUEUE_STATUS_H
#define KELSO_REPORT_QUEUE_STATUS_H

#include "proof/queue.h"
#include "report/json.h"

#include <stdio.h>

/* The object that --json prints; without `places` it has null for the names of machines. */
void queue_status_json(struct json *j, const struct queue_status *s, bool places);

void queue_status_print(FILE *out, const struct queue_status *s, bool json);

#endif
