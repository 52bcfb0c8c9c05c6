/* SPDX-License-Identifier: MIT
 *
 * perft_ways -- the same count in three ways, in one run: by the naive generator of the
 * tests, by lists of moves with the last ply counted, and by core/perft.
 *
 *     perft_ways DEPTH    one line for each way: name, nodes, CPU seconds */
#include "core/movegen.h"
#include "core/perft.h"
#include "kit/naive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t naive_perft(const struct naive_board *n, int depth)
{
    struct naive_list list;
    uint64_t count = 0;

    naive_moves(n, &list);
    if (depth == 1)
        return (uint64_t)list.count;
    for (int i = 0; i < list.count; i++) {
        struct naive_board next = naive_after(n, &list.move[i]);
        count += naive_perft(&next, depth - 1);
    }
    return count;
}

static uint64_t list_perft(const struct board *b, int depth)
{
    struct move_list list;
    uint64_t count = 0;

    if (depth == 1)
        return (uint64_t)moves_count(b);
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        count += list_perft(&next, depth - 1);
    }
    return count;
}

static uint64_t by_naive(int depth)
{
    struct naive_board n = naive_from_board(&board_start);

    return naive_perft(&n, depth);
}

static uint64_t by_lists(int depth)
{
    return list_perft(&board_start, depth);
}

static uint64_t by_sets(int depth)
{
    return perft(&board_start, depth, NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint64_t (*count)(int depth);
        int less; /* plies, where the whole depth would take too long */
    } ways[] = {{"naive", by_naive, 4}, {"lists", by_lists, 0}, {"sets", by_sets, 0}};
    int depth = argc > 1 ? atoi(argv[1]) : 12;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int d = depth - ways[i].less > 1 ? depth - ways[i].less : 1;
        clock_t started = clock();
        uint64_t n = ways[i].count(d);

        printf("%s %d %" PRIu64 " %.3f\n", ways[i].name, d, n,
               (double)(clock() - started) / CLOCKS_PER_SEC);
    }
    return 0;
}
