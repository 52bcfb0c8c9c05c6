/* SPDX-License-Identifier: MIT
 *
 * machine.h -- what a job may take of the machine unless it is told otherwise. */
#ifndef KELSO_BASE_MACHINE_H
#define KELSO_BASE_MACHINE_H

#include <stdint.h>

/* The number of processors that are online. */
int threads_default(void);

/* The memory of the machine, in bytes. */
uint64_t memory_all(void);

/* Three quarters of the memory. */
uint64_t memory_default(void);

/* Bytes that are free on the file system of a directory, which need not exist yet; UINT64_MAX if
 * the system does not say. */
uint64_t disk_free(const char *dir);

#endif
