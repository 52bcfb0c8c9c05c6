/* SPDX-License-Identifier: MIT
 *
 * Four threads of one solver, then three provers with a solver each, under ThreadSanitizer:
 * scripts/check builds the variant and the tables.
 *
 *     threads_proof DIRECTORY */
#include "core/notation.h"
#include "proof/provers.h"

#include <stdio.h>
#include <string.h>

static const char *const positions[] = {"B:WK6,K14,30:BK18,K23,12", "W:W30,26,22:B7,3,12",
                                        "B:W21,30,K5:B1,10,K32"};

enum { POSITIONS = sizeof positions / sizeof *positions };

static struct board position(int i)
{
    struct board b;

    fen_parse(positions[i], strlen(positions[i]), &b, NULL);
    return b;
}

static int solve_together(const struct tables *t)
{
    struct dfpn_options o = {.tables = t, .memory = 1 << 20, .threads = 4, .knobs = dfpn_default};
    struct dfpn *d;
    struct error e;
    int wrong = 0;

    if (dfpn_open(&d, &o, &e))
        return fprintf(stderr, "%s\n", e.text);
    for (int i = 0; i < POSITIONS; i++) {
        struct board b = position(i);
        struct solution s;

        wrong += solve_position(d, &b, (struct solve_hint){bounds_unknown, 0},
                                (struct dfpn_limits){.nodes = 20000}, &s, &e) != STATUS_OK;
    }
    dfpn_close(&d);
    return wrong;
}

static int solve_side_by_side(const struct tables *t)
{
    struct prover_options o = {.tables = t, .memory = 3 << 20};
    struct prover_limits limits = {.look_nodes = 5000, .solve_nodes = 20000};
    uint64_t id;
    struct provers *w;
    struct error e;
    int wrong = 0;

    if (provers_open(&w, POSITIONS, true, &o, &e))
        return fprintf(stderr, "%s\n", e.text);
    for (int i = 0; i < POSITIONS; i++) {
        struct prover_task task = {
            .board = position(i), .threshold = 10000, .known = bounds_unknown, .limits = limits};

        wrong += provers_give(w, &task, &id, &e) != STATUS_OK;
    }
    for (int i = 0; i < POSITIONS; i++) {
        struct prover_result r;

        wrong += provers_collect(w, 60, &r, &e) != STATUS_OK || !r.id;
    }
    provers_close(&w);
    return wrong;
}

int main(int argc, char **argv)
{
    struct tables *t;
    struct error e;
    int wrong;

    if (argc != 2 ||
        tables_open(&t, &(struct tables_options){.dir = argv[1], .cache = 1 << 20}, &e))
        return 2;
    wrong = solve_together(t) + solve_side_by_side(t);
    tables_close(&t);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
