/* SPDX-License-Identifier: MIT */
#include "db/scratch.h"

#include "base/files.h"
#include "db/table.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char *scratch_path(char path[SCRATCH_PATH_MAX], const char *dir, enum kind kind, struct slice table,
                   const char *end)
{
    char name[SLICE_NAME_MAX];

    snprintf(path, SCRATCH_PATH_MAX, "%s/%s.%s.%s", dir, slice_name(table, name), kind_name(kind),
             end);
    return path;
}

bool scratch_parse(const char *name, const char *end, struct slice *table, enum kind *kind)
{
    char copy[64], again[SLICE_NAME_MAX], *dot;

    if (strlen(name) >= sizeof copy)
        return false;
    strcpy(copy, name);
    dot = strchr(copy, '.');
    if (!dot)
        return false;
    *dot = 0;
    for (int k = 0; k < KINDS; k++) {
        char expected[32];

        snprintf(expected, sizeof expected, "%s.%s", kind_name((enum kind)k), end);
        *kind = (enum kind)k;
        if (strcmp(dot + 1, expected) == 0)
            return slice_parse(copy, table) && strcmp(slice_name(*table, again), copy) == 0;
    }
    return false;
}

char *scratch_rank(char name[SCRATCH_RANK_MAX], int rank, int ranks, bool whole)
{
    snprintf(name, SCRATCH_RANK_MAX, "%d-of-%d%s", rank + 1, ranks, whole ? "-whole" : "");
    return name;
}

static bool is_rank(const char *name)
{
    char again[SCRATCH_RANK_MAX];
    int number, ranks;

    if (sscanf(name, "%9d-of-%9d", &number, &ranks) != 2 || number < 1 || number > ranks)
        return false;
    return strcmp(name, scratch_rank(again, number - 1, ranks, false)) == 0 ||
           strcmp(name, scratch_rank(again, number - 1, ranks, true)) == 0;
}

static bool is_file(const char *name)
{
    static const char *const ends[] = {"packed", "packed-tmp", "raw", "parts", "parts.tmp", "log"};
    struct slice table;
    enum kind kind;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (scratch_parse(name, ends[i], &table, &kind))
            return true;
    return false;
}

/* The files of one builder; with `gone` its directory as well. */
static void builder_clear(const char *dir, bool gone)
{
    struct dirent *entry;
    int lock;
    DIR *d;

    if (directory_lock(dir, &lock, NULL)) /* (A2) */
        return;
    if ((d = opendir(dir))) {
        while ((entry = readdir(d)))
            if (is_file(entry->d_name))
                unlinkat(dirfd(d), entry->d_name, 0);
        closedir(d);
    }
    if (gone)
        rmdir(dir);
    close(lock);
}

void scratch_clear(const char *dir)
{
    char path[SCRATCH_PATH_MAX];
    struct dirent *entry;
    DIR *d = opendir(dir);

    if (!d)
        return;
    while ((entry = readdir(d)))
        if (is_rank(entry->d_name) &&
            snprintf(path, sizeof path, "%s/%s", dir, entry->d_name) < (int)sizeof path)
            builder_clear(path, true);
    closedir(d);
    builder_clear(dir, false);
}
