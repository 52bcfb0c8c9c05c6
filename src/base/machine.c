/* SPDX-License-Identifier: MIT */
#include "base/machine.h"

#include <unistd.h>

int threads_default(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : (int)n;
}

uint64_t memory_all(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t memory_default(void)
{
    return memory_all() / 4 * 3;
}
