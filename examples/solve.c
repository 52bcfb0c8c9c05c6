/* SPDX-License-Identifier: MIT
 *
 * Prove what a position is worth, write the proof down, check it; or, if it takes too long, ask
 * the player for a move.
 *
 *     cc solve.c $(pkg-config --cflags --libs kelso-solve) -o solve
 *     ./solve DIRECTORY FEN SECONDS PROOF */
#include <kelso_solve.h>

#include <stdio.h>
#include <stdlib.h>

enum { LINE_ROOM = 128 };

static int fail(const kelso_error *error)
{
    fprintf(stderr, "solve: %s\n", error->text);
    return 1;
}

/* About ten times a second, from the thread that called. */
static int show_share(void *context, double share)
{
    (void)context;
    fprintf(stderr, "\r%3.0f%%%s", 100 * share, share < 1 ? "" : "\r    \r");
    return 1; /* go on */
}

static void print_line(const kelso_move *moves, int count)
{
    char text[KELSO_MOVE_TEXT_MAX];

    for (int i = 0; i < count; i++)
        printf(" %s", kelso_move_format(&moves[i], text));
    printf("\n");
}

static int show_solution(kelso_solver *solver, kelso_tables *tables, const kelso_solution *s,
                         const char *proof)
{
    kelso_move line[LINE_ROOM];
    kelso_value lower, upper;
    kelso_position p;
    kelso_error error;
    int count;

    printf("%s, %llu positions expanded\n", kelso_value_name(s->lower),
           (unsigned long long)s->nodes);
    if (!kelso_solver_line(solver, line, LINE_ROOM, &count, &error))
        print_line(line, count);
    if (kelso_solver_write_proof(solver, proof, &error) ||
        kelso_proof_check(tables, proof, &p, &lower, &upper, &error))
        return fail(&error);
    printf("%s proves it\n", proof);
    return 0;
}

static int show_guess(kelso_tables *tables, const kelso_position *p, double seconds)
{
    static kelso_found found;
    kelso_search *search;
    kelso_error error;
    kelso_status rc;

    if (kelso_search_open(&search, tables, NULL, &error))
        return fail(&error);
    rc = kelso_search_run(search, p, &(kelso_limits){.seconds = seconds}, NULL, NULL, &found,
                          &error);
    kelso_search_close(&search);
    if (rc)
        return fail(&error);
    printf("not solved; the player, at depth %d, scores %d:", found.depth, found.score);
    print_line(found.line, found.length);
    return 0;
}

static int solve(kelso_tables *tables, const kelso_position *p, double seconds, const char *proof)
{
    kelso_solver *solver;
    kelso_solution s;
    kelso_error error;
    int rc;

    if (kelso_solver_open(&solver, tables, &(kelso_resources){.threads = 2}, &error))
        return fail(&error);
    if (kelso_solver_solve(solver, p, &(kelso_limits){.seconds = seconds}, show_share, NULL, &s,
                           &error))
        rc = fail(&error);
    else if (s.lower == s.upper)
        rc = show_solution(solver, tables, &s, proof);
    else
        rc = show_guess(tables, p, 1);
    kelso_solver_close(&solver);
    return rc;
}

int main(int argc, char **argv)
{
    kelso_tables *tables;
    kelso_position p;
    kelso_error error;
    int rc;

    if (argc != 5) {
        fprintf(stderr, "usage: solve DIRECTORY FEN SECONDS PROOF\n");
        return 2;
    }
    if (kelso_position_parse(argv[2], &p, &error) || kelso_open(&tables, argv[1], 0, &error))
        return fail(&error);
    rc = solve(tables, &p, atof(argv[3]), argv[4]);
    kelso_close(&tables);
    return rc;
}
