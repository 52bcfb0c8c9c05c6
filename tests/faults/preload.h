/* SPDX-License-Identifier: MIT
 *
 * preload.h -- what is said between preload.c and the test that gives it orders. */
#ifndef KELSO_TESTS_PRELOAD_H
#define KELSO_TESTS_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>

/* The descriptors of the pipes, and how long a run may take before SIGALRM ends it. */
enum { FAULT_ORDERS = 198, FAULT_REPORTS = 199, FAULT_SECONDS = 300 };

enum fault_kind {
    FAULT_NONE,
    FAULT_MALLOC, /* and calloc, realloc, ... */
    FAULT_MMAP,   /* and mremap */
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE, /* and ftruncate: no room on the disk */
    FAULT_SHORT, /* a read or write moves half of the bytes: no error */
    FAULT_SYNC,
    FAULT_RENAME,
    FAULT_KINDS
};

struct fault_order {
    enum fault_kind kind;
    uint64_t n;     /* this call fails; 0: none, count only */
    bool all_after; /* and all after it */
    char dir[512];
};

struct fault_report {
    int status; /* as waitpid has it */
    uint64_t calls;
};

#endif
