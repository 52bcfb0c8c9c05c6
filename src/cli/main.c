/* SPDX-License-Identifier: MIT
 *
 * kelso: one program, many commands.  This file is the table of commands, `help`,
 * and what all commands share: --help, --version, errors, the exit status. */
#include "cli/command.h"
#include "cli/longjob.h"
#include "cli/nearest.h"
#include "report/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct command command_help;

/* In groups by what people want to do; `groups` names the first command of each. */
static const struct command *const commands[] = {
    /* look things up */
    &command_probe,
    &command_line,
    &command_longest,
    &command_diff,
    &command_show,
    &command_moves,
    &command_perft,
    &command_pdn,
    &command_openings,

    /* build tables */
    &command_slices,
    &command_build,
    &command_unpack,
    &command_repack,
    &command_manifest,
    &command_verify,
    &command_stats,

    /* prove */
    &command_solve,
    &command_prove,
    &command_proof,
    &command_worker,

    /* play */
    &command_play,
    &command_analyze,
    &command_engine,
    &command_match,
    &command_duel,
    &command_bench,
    &command_tune,

    /* study */
    &command_serve,
    &command_papers,
    &command_census,
    &command_shortest,
    &command_tour,
    &command_help,
};

static const struct {
    const struct command *first;
    const char *title;
} groups[] = {
    {&command_probe, "Look things up"}, {&command_slices, "Build tables"},
    {&command_solve, "Prove"},          {&command_play, "Play"},
    {&command_serve, "Study"},
};

enum { COMMANDS = sizeof commands / sizeof *commands, GROUPS = sizeof groups / sizeof *groups };

static const struct command *command_find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* -------------------------------------------------------------------- help -- */

struct help_args {
    bool list, json;
};

static const struct option_spec help_options[] = {
    {"list", OPTION_FLAG, offsetof(struct help_args, list), NULL,
     "names only, one per line: commands, or what may follow COMMAND"},
    OPTION_JSON(struct help_args),
    {0}};

static void print_commands(void)
{
    printf("kelso solves English draughts (8x8 checkers).\n\nUsage: kelso COMMAND ...\n");
    for (int i = 0, g = 0; i < COMMANDS; i++) {
        if (g < GROUPS && commands[i] == groups[g].first)
            printf("\n%s:\n", groups[g++].title);
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    printf("\n'kelso help COMMAND' describes a command.  Exit status: 0 success, 1 the answer is\n"
           "no, 2 bad usage or bad input, 130 stopped by Ctrl-C.\n");
}

/* The parts of "a|b|c" up to a blank, each on a line after `prefix`. */
static void print_choices(const char *prefix, const char *choices)
{
    while (*choices && *choices != ' ') {
        int n = (int)strcspn(choices, "| ");

        printf("%s%.*s\n", prefix, n, choices);
        choices += n + (choices[n] == '|');
    }
}

/* For shell completion: what may follow "kelso" or "kelso COMMAND". */
static void print_list(const struct command *c)
{
    struct option_walk w = option_walk(c ? c->options : NULL);
    struct option_spec o;
    char prefix[64];

    for (int i = 0; !c && i < COMMANDS; i++)
        puts(commands[i]->name);
    if (c && strcspn(c->usage, "|") < strcspn(c->usage, " "))
        print_choices("", c->usage);
    while (option_next(&w, &o)) {
        snprintf(prefix, sizeof prefix, "--%s%s", o.name, o.value ? "=" : "");
        if (o.type == OPTION_CHOICE)
            print_choices(prefix, o.choices);
        else if (o.type != OPTION_RENAMED)
            puts(prefix);
    }
}

static void json_command(struct json *j, const struct command *c)
{
    struct option_walk w = option_walk(c->options);
    struct option_spec o;

    json_object(j, NULL);
    json_text(j, "name", c->name);
    json_text(j, "summary", c->summary);
    json_text(j, "usage", c->usage);
    json_array(j, "options");
    while (option_next(&w, &o)) {
        if (o.type == OPTION_RENAMED)
            continue;
        json_object(j, NULL);
        json_text(j, "name", o.name);
        json_text(j, "value", o.value);
        json_text(j, "help", o.help);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void print_json(const struct command *c)
{
    struct json j = json_open(stdout);

    if (c) {
        json_command(&j, c);
        return;
    }
    json_array(&j, NULL);
    for (int i = 0; i < COMMANDS; i++)
        json_command(&j, commands[i]);
    json_end(&j);
}

static int unknown_command(const char *name)
{
    struct nearest near = nearest_to(name);

    for (int i = 0; i < COMMANDS; i++)
        nearest_try(&near, commands[i]->name);
    if (near.name)
        return app_error("unknown command '%s'; did you mean '%s'?", name, near.name);
    return app_error("unknown command '%s'; 'kelso help' lists them", name);
}

static int help_run(int argc, char **argv)
{
    struct help_args args = {0};
    const struct command *c = NULL;
    int n = options_parse(&command_help, argc, argv, &args);

    if (n < 0)
        return EXIT_BAD;
    if (n > 0 && !(c = command_find(argv[0])))
        return unknown_command(argv[0]);
    if (args.json)
        print_json(c);
    else if (args.list)
        print_list(c);
    else if (c)
        command_print(c);
    else
        print_commands();
    return EXIT_DONE;
}

static const struct command command_help = {
    .name = "help",
    .summary = "list the commands, or describe one",
    .usage = "[COMMAND]",
    .help = "Lists the commands; with COMMAND, describes that command and its options.\n"
            "\n"
            "  kelso help solve\n"
            "  kelso help --json\n",
    .options = help_options,
    .operands_max = 1,
    .run = help_run,
};

/* -------------------------------------------------------------------- main -- */

static int dispatch(int argc, char **argv)
{
    const struct command *c;

    if (argc == 0) {
        print_commands();
        return EXIT_DONE;
    }
    if (strcmp(argv[0], "--version") == 0) {
        printf("kelso %s\n", KELSO_VERSION);
        return EXIT_DONE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_commands();
        return EXIT_DONE;
    }
    if (!(c = command_find(argv[0])))
        return unknown_command(argv[0]);
    if (asks_for_help(argc - 1, argv + 1)) {
        command_print(c);
        return EXIT_DONE;
    }
    return c->run(argc - 1, argv + 1);
}

/* An answer that cannot be written is an error. */
int main(int argc, char **argv)
{
    int status;

    app_begin();
    status = longjob_exit(dispatch(argc - 1, argv + 1));
    if (fflush(stdout) != 0 || ferror(stdout))
        status = app_error("standard output: %s", strerror(errno));
    return status;
}
