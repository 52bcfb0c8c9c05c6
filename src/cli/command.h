/* SPDX-License-Identifier: MIT
 *
 * command.h -- the commands of the program.
 *
 * Each cmd_*.c defines one `struct command`; the table in main.c lists them.  Help and shell
 * completion are generated from these structs, so they always match what is accepted.  To add a
 * command: define it in cmd_NAME.c, declare it below, and add one line to the table.
 *
 * (C1) A command's answer goes to standard output, everything else to standard error.
 * (C2) An error is one line, `kelso: ...`, and the exit status says what happened.
 *
 * Commands run on the main thread and may start others. */
#ifndef KELSO_CLI_COMMAND_H
#define KELSO_CLI_COMMAND_H

#include "cli/options.h"

enum exit_status {
    EXIT_DONE = 0,         /* done, or the answer is yes */
    EXIT_NO = 1,           /* the answer is no: a check failed */
    EXIT_BAD = 2,          /* bad usage, bad input, or a system error */
    EXIT_INTERRUPTED = 130 /* stopped by Ctrl-C; what was found is kept */
};

struct command {
    const char *name;
    const char *summary; /* one line, no full stop */
    const char *usage;   /* the operands, as in "DEPTH" or "[FEN]" */
    const char *help;    /* paragraphs for `kelso help NAME` */
    const struct option_spec *options;
    int operands_min, operands_max;
    /* Receives the arguments after the command's name; returns an exit status. */
    int (*run)(int argc, char **argv);
};

/* Print one line, "kelso: ...", on standard error.  Returns EXIT_BAD. */
int app_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Turn a text, which may quote foreign input, into one line without escape sequences. */
char *app_printable(char *text);

/* Initialization common to all programs. */
void app_begin(void);

/* The help of a command: `kelso help NAME`. */
void command_print(const struct command *c);

/* Is --help or -h among the arguments? */
bool asks_for_help(int argc, char **argv);

extern const struct command command_analyze;
extern const struct command command_bench;
extern const struct command command_build;
extern const struct command command_census;
extern const struct command command_diff;
extern const struct command command_duel;
extern const struct command command_engine;
extern const struct command command_line;
extern const struct command command_longest;
extern const struct command command_match;
extern const struct command command_moves;
extern const struct command command_openings;
extern const struct command command_papers;
extern const struct command command_pdn;
extern const struct command command_perft;
extern const struct command command_play;
extern const struct command command_probe;
extern const struct command command_proof;
extern const struct command command_prove;
extern const struct command command_serve;
extern const struct command command_shortest;
extern const struct command command_show;
extern const struct command command_slices;
extern const struct command command_solve;
extern const struct command command_stats;
extern const struct command command_tour;
extern const struct command command_tune;
extern const struct command command_manifest;
extern const struct command command_repack;
extern const struct command command_unpack;
extern const struct command command_verify;
extern const struct command command_worker;

#endif
