/* SPDX-License-Identifier: MIT
 *
 * machine.h -- the resources of the machine, and the share that a job takes by default. */
#ifndef KELSO_BASE_MACHINE_H
#define KELSO_BASE_MACHINE_H

#include <stdint.h>

/* The number of processors that are online. */
int threads_default(void);

/* The memory of the machine, in bytes. */
uint64_t memory_all(void);

/* Three quarters of the memory. */
uint64_t memory_default(void);

/* The free bytes on the file system of a directory, which need not exist yet; UINT64_MAX if
 * unknown. */
uint64_t disk_free(const char *dir);

#endif
