/* SPDX-License-Identifier: MIT
 *
 * kelso openings: the three-move ballots, listed, and found by number, name or moves. */
#include "cli/command.h"
#include "play/openings.h"

#include <stdlib.h>

struct openings_args {
    bool json;
};

static const struct option_spec options[] = {OPTION_JSON(struct openings_args), {0}};

static void print_opening(const struct opening *o)
{
    struct move orders[OPENINGS_ORDERS_MAX][OPENING_PLIES];
    char text[OPENING_TEXT_MAX];
    int n = opening_orders(o, orders);

    printf("%3d  %-17s  %-10s  %-13s", o->number, opening_moves_text(o->move, text),
           opening_class_name(o->class), o->family);
    if (o->name[0])
        printf("  %s", o->name);
    for (int i = 1; i < n; i++)
        printf("%s%s", i == 1 ? "  = " : ", ", opening_moves_text(orders[i], text));
    putchar('\n');
}

/* Print one ballot, if it is named exactly, or all that contain the text. */
static int print_found(const struct openings *o, const char *wanted, bool json)
{
    const struct opening *one = wanted ? openings_find(o, wanted) : NULL;
    struct json j = json_open(stdout);
    int found = 0;

    if (json)
        json_array(&j, NULL);
    for (int i = 0; i < OPENINGS; i++) {
        const struct opening *k = &o->opening[i];

        if (wanted && (one ? k != one : !opening_matches(k, wanted)))
            continue;
        found++;
        if (json)
            opening_json(&j, NULL, k);
        else
            print_opening(k);
    }
    if (json)
        json_end(&j);
    if (!found && !json)
        fprintf(stderr, "kelso: no ballot of the deck is, or is called, '%s'\n", wanted);
    return found ? EXIT_DONE : EXIT_NO;
}

static int run(int argc, char **argv)
{
    struct openings_args args = {0};
    struct openings *o = malloc(sizeof *o);
    int n = options_parse(&command_openings, argc, argv, &args), status = EXIT_BAD;
    struct error e;

    if (!o)
        return app_error("not enough memory");
    if (n >= 0)
        status = openings_read(o, &e) ? app_error("%s", e.text)
                                      : print_found(o, n ? argv[0] : NULL, args.json);
    free(o);
    return status;
}

const struct command command_openings = {
    .name = "openings",
    .summary = "list the three-move ballots; find one by number, name or moves",
    .usage = "[NUMBER|NAME|MOVES]",
    .help = "In tournaments the first three moves are drawn by lot from a deck.  Prints its 174\n"
            "ballots, or those that match: number in the deck of the American Checker Federation,\n"
            "moves, class, family (the name of the first move), name if it has one and, after =,\n"
            "the other orders of moves that lead to the same position.  Classes: crossboard;\n"
            "mail, which came into the deck from games by mail; barred, thought to be lost and\n"
            "not drawn (18 of them).  MOVES may be in any order that leads to a ballot.  The exit\n"
            "status is 1 if nothing is found.\n"
            "\n"
            "  kelso openings\n"
            "  kelso openings kelso\n"
            "  kelso openings '11-15 22-18 15x22' --json\n",
    .options = options,
    .operands_max = 1,
    .run = run,
};
