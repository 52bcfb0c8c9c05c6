/* SPDX-License-Identifier: MIT */
#include "cli/nearest.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { WORD_MAX = 32 };

static int least(int a, int b, int c)
{
    int ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* The rows of the usual table: the one above, and the one above that for swaps. */
int nearest_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    int row[3][WORD_MAX + 1];

    if (na > WORD_MAX || nb > WORD_MAX)
        return INT_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];

        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = least(above[j] + 1, now[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

struct nearest nearest_to(const char *wanted)
{
    size_t n = strlen(wanted);

    return (struct nearest){.wanted = wanted, .distance = n < 3 ? 1 : n < 6 ? 2 : 3};
}

void nearest_try(struct nearest *n, const char *name)
{
    int distance = nearest_distance(n->wanted, name);

    if (distance < n->distance) {
        n->name = name;
        n->distance = distance;
    }
}
