/* SPDX-License-Identifier: MIT
 *
 * machine.h -- what a job takes of the machine unless it is told. */
#ifndef KELSO_BASE_MACHINE_H
#define KELSO_BASE_MACHINE_H

#include <stdint.h>

/* All processors that are on line. */
int threads_default(void);

/* The memory of the machine, in bytes. */
uint64_t memory_all(void);

/* Three quarters of the memory. */
uint64_t memory_default(void);

#endif
