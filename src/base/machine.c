/* SPDX-License-Identifier: MIT */
#include "base/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
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

uint64_t disk_free(const char *dir)
{
    struct statvfs s;
    char path[4096];
    bool known;

    snprintf(path, sizeof path, "%s", dir);
    while (!(known = statvfs(path, &s) == 0)) {
        char *end = strrchr(path, '/');

        if (!end || end == path) {
            known = statvfs(end ? "/" : ".", &s) == 0;
            break;
        }
        *end = 0;
    }
    return known ? (uint64_t)s.f_bavail * s.f_frsize : UINT64_MAX;
}
