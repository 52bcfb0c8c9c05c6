/* SPDX-License-Identifier: MIT
 *
 * Four threads count positions and look for complete games, under ThreadSanitizer:
 * scripts/check builds the variant.  One thread must find the same. */
#include "core/notation.h"
#include "games/deep.h"
#include "games/trace.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 4, PLIES = 6 };

/* Six plies before the end of a game of twenty. */
static const char start[] = "B:WK2,K19,21,25,26,27,28,29,30,31,32:B1,5,7,8,11";

struct found {
    uint64_t count[PLIES];
    uint64_t shorter;
    struct lines lines;
    struct deep_result deep;
};

static bool find(const struct board *b, int threads, struct found *out)
{
    static struct census c;
    struct census_options census = {.start = b,
                                    .plies = PLIES - 1,
                                    .counting = CENSUS_BRYANT,
                                    .keep_last = true,
                                    .memory = 1 << 20,
                                    .threads = threads};
    struct trace_options trace = {.plies = PLIES, .first = b->turn, .threads = threads};
    struct deep_options deep = {
        .start = *b, .plies = PLIES, .threads = threads, .memory = 1 << 16, .rows = 2, .look = 2};
    bool good = census_run(&c, &census, NULL) == STATUS_OK &&
                trace_run(&c, &trace, &out->lines, &out->shorter, NULL) == STATUS_OK &&
                deep_search(&deep, &out->deep, NULL) == STATUS_OK;

    memcpy(out->count, c.count, sizeof out->count);
    census_close(&c);
    return good;
}

static bool same(const struct found *a, const struct found *b)
{
    return memcmp(a->count, b->count, sizeof a->count) == 0 && a->shorter == b->shorter &&
           a->deep.shortest == b->deep.shortest && a->deep.positions == b->deep.positions &&
           lines_equal(&a->lines, &b->lines) && lines_equal(&a->deep.lines, &b->deep.lines);
}

int main(void)
{
    static struct found found[2];
    struct lines_counts counts;
    struct board b;
    bool good;

    if (!fen_parse(start, strlen(start), &b, NULL) || !find(&b, 1, &found[0]) ||
        !find(&b, THREADS, &found[1]) || !lines_count(&found[0].lines, &counts))
        return 2;
    good = counts.games > 0 && same(&found[0], &found[1]);
    printf("%llu games, %s with %d threads\n", (unsigned long long)counts.games,
           good ? "the same" : "others", THREADS);
    for (int i = 0; i < 2; i++) {
        lines_free(&found[i].lines);
        lines_free(&found[i].deep.lines);
    }
    return !good;
}
