/* SPDX-License-Identifier: MIT
 *
 * kelso line: perfect play to the end of the game, and what played games give away. */
#include "cli/answers.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/input.h"
#include "report/progress.h"
#include "report/listing.h"
#include "report/objects.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "core/pdn_writer.h"

#include <stdlib.h>
#include <string.h>

struct line_args {
    const char *check;
    struct answers_args from;
    int kind;
    bool pdn, ties, json;
};

static const struct option_spec options[] = {
    {"kind", OPTION_CHOICE, offsetof(struct line_args, kind), "KIND",
     "play by dtw (to the end of the game), dtc (to the next conversion) or wld (keep the value)",
     .choices = "dtw|dtc|wld"},
    {"ties", OPTION_FLAG, offsetof(struct line_args, ties), NULL,
     "show other moves that are equally good"},
    {"pdn", OPTION_FLAG, offsetof(struct line_args, pdn), NULL, "answer in PDN"},
    {"check", OPTION_TEXT, offsetof(struct line_args, check), "FILE",
     "check the games of a PDN file or a listing, move by move"},
    OPTIONS_OF(struct line_args, from, answers_options),
    OPTIONS_OF(struct line_args, from, ondemand_options),
    OPTION_JSON(struct line_args),
    {0}};

static const enum kind kinds[] = {KIND_DTW, KIND_DTC, KIND_WLD}; /* as --kind lists them */

/* ------------------------------------------------------------------- the line -- */

static const char *end_text(const struct line *line, char text[80])
{
    const char *loser = side_name(line->last.turn),
               *winner = side_name(side_other(line->last.turn));

    if (line->end == LINE_LOST)
        snprintf(text, 80, "%s has no move left: %s wins after %d pl%s", loser, winner, line->plies,
                 line->plies == 1 ? "y" : "ies");
    else if (line->end == LINE_REPEATS)
        snprintf(text, 80, "After %d plies a position repeats", line->plies);
    else
        snprintf(text, 80, "Cut after %d plies", line->plies);
    return text;
}

/* The moves that are as good as the one played, written in the order of rank. */
static int ties_of(const struct source *s, const struct line_ply *p, enum kind kind,
                   struct answer *a)
{
    struct error e;

    if (answer_position(s, &p->board, 1u << kind, a, &e) || answer_rank(a, kind, &e))
        return answers_error(&p->board, &e);
    return EXIT_DONE;
}

static int print_ties(const struct source *s, const struct line *line)
{
    int number = 0;

    for (int i = 0; i < line->plies; i++) {
        struct answer a;
        char text[MOVE_TEXT_MAX];

        if (line->ply[i].ties < 2)
            continue;
        if (ties_of(s, &line->ply[i], line->kind, &a))
            return EXIT_BAD;
        number++;
        printf("%s[%d] ", number == 1 ? "\n" : "", number);
        for (int k = 0; k < line->ply[i].ties; k++) {
            move_format(&a.move[k].move, &a.legal, MOVE_NUMBERS, text);
            printf("%s%s", k ? " or " : "", text);
        }
        putchar('\n');
    }
    return EXIT_DONE;
}

/* "Black wins in 81 plies." and, when played by another kind, how long it could have
 * taken. */
static void print_head(const struct source *s, const struct line *line, const struct board *b)
{
    char fen[FEN_TEXT_MAX], text[OUTCOME_TEXT_MAX];
    struct outcome o = {0};

    fen_format(b, fen);
    printf("%s\n", fen);
    if (line->plies == 0 || s->outcome(s->context, b, line->kind, &o, NULL))
        return;
    printf("%s %s", side_name(b->turn), outcome_text(o, line->kind, text));
    if (line->kind != KIND_WLD && o.value != VALUE_DRAW)
        printf(o.plies == 1 ? " ply" : " plies");
    if (line->kind == KIND_DTC && o.value != VALUE_DRAW)
        printf(" to the next conversion");
    if (line->kind != KIND_DTW && o.value != VALUE_DRAW &&
        !s->outcome(s->context, b, KIND_DTW, &o, NULL))
        printf(", %d to the end with best play", o.plies);
    printf(".\n\n");
}

static int print_line(const struct source *s, const struct line *line, const struct board *b,
                      bool ties)
{
    struct listing out = listing_open(stdout, b->turn);
    char text[80];
    int note = 0;

    print_head(s, line, b);
    for (int i = 0; i < line->plies; i++)
        listing_move(&out, &line->ply[i].board, &line->ply[i].move,
                     ties && line->ply[i].ties > 1 ? ++note : 0);
    listing_close(&out);
    printf("%s.\n", end_text(line, text));
    return ties ? print_ties(s, line) : EXIT_DONE;
}

/* ---------------------------------------------------------------- PDN and JSON -- */

static void put_stdout(void *context, const char *bytes, size_t length)
{
    (void)context;
    fwrite(bytes, 1, length, stdout);
}

/* The comment gives it in words. */
static enum pdn_result line_result(const struct line *line)
{
    if (line->end != LINE_LOST)
        return line->plies && line->ply[0].outcome.value == VALUE_DRAW ? PDN_DRAW : PDN_UNKNOWN;
    return pdn_won_by(side_other(line->last.turn));
}

static void print_pdn(const struct line *line, const struct board *b)
{
    struct pdn_writer w = pdn_writer_open(put_stdout, NULL, MOVE_NUMBERS);
    struct pdn_game game = {.start = *b};
    char event[40], text[80];
    struct pdn_event e = {.kind = PDN_GAME, .game = &game, .board = b};

    snprintf(event, sizeof event, "Perfect play by %s", kind_name(line->kind));
    game.tag[game.tags++] = pdn_tag_of("Event", event);
    game.tag[game.tags++] = pdn_tag_of("Result", pdn_result_text(line_result(line)));
    pdn_writer_event(&w, &e);
    for (int i = 0; i < line->plies; i++) {
        struct move_list legal;

        moves_generate(&line->ply[i].board, &legal);
        e = (struct pdn_event){.kind = PDN_MOVE,
                               .game = &game,
                               .board = &line->ply[i].board,
                               .move = &line->ply[i].move,
                               .legal = &legal,
                               .ply = i};
        pdn_writer_event(&w, &e);
    }
    end_text(line, text);
    e = (struct pdn_event){.kind = PDN_COMMENT, .game = &game, .board = &line->last};
    e.text = (struct pdn_slice){text, strlen(text)};
    pdn_writer_event(&w, &e);
    e = (struct pdn_event){.kind = PDN_RESULT, .game = &game, .board = &line->last};
    e.result = line_result(line);
    e.ply = line->plies;
    pdn_writer_event(&w, &e);
}

static int print_json(const struct source *s, const struct line *line, const struct board *b,
                      bool ties)
{
    struct json j = json_open(stdout);
    struct error e;

    return object_line(&j, NULL, s, line, b, ties, &e) ? answers_error(b, &e) : EXIT_DONE;
}

/* Solve from here on, if requested and the tables do not have the answer. */
static int prepare(struct answers *from, const struct board *b, enum kind kind)
{
    struct answer first;

    if (!from->args.on_demand)
        return EXIT_DONE;
    return answers_position(from, b, kind == KIND_DTC ? WANT_DTC : WANT_DTW, &first);
}

static int play(struct answers *from, const struct board *b, const struct line_args *args)
{
    struct line *line = malloc(sizeof *line);
    struct error e;
    int status = EXIT_DONE;

    if (!line)
        return app_error("not enough memory");
    if (prepare(from, b, kinds[args->kind]))
        status = EXIT_BAD;
    else if (line_play(&from->source, b, kinds[args->kind], line, &e))
        status = answers_refuse(from, &line->last, &e);
    else if (args->json)
        status = print_json(&from->source, line, b, args->ties);
    else if (args->pdn)
        print_pdn(line, b);
    else
        status = print_line(&from->source, line, b, args->ties);
    free(line);
    return status;
}

/* --------------------------------------------------------------------- checks -- */

/* Games under check: what each move gives away. */
struct check {
    struct answers *from;
    enum kind kind;
    bool json;
    const char *path;
    struct review review;
    int games;
    int status; /* the largest exit status of a game */
};

/* What a ply gave away, or NULL. */
static const struct slip *slip_at(const struct check *c, int ply)
{
    const struct review_ply *p = &c->review.ply[ply];

    return p->asked && slip_gives_away(&p->slip) ? &p->slip : NULL;
}

/* The wording of the paper: "25-30 wins in 201, but 20-24 allows White 4 additional plies." */
static void print_note(const struct check *c, const struct record_ply *p, const struct slip *s,
                       int given)
{
    char best[MOVE_TEXT_MAX], played[MOVE_TEXT_MAX], text[2][OUTCOME_TEXT_MAX];
    struct move_list legal;

    moves_generate(&p->board, &legal);
    move_format(&s->best.move, &legal, MOVE_NUMBERS, best);
    move_format(&s->played.move, &legal, MOVE_NUMBERS, played);
    printf("%s %s, but %s ", best, outcome_text(s->best_outcome, c->kind, text[0]), played);
    if (s->changes_value)
        printf("%s.", outcome_text(s->played_outcome, c->kind, text[1]));
    else if (s->best_outcome.value == VALUE_WIN)
        printf("allows %s %d additional pl%s.", side_name(side_other(p->board.turn)), s->plies,
               s->plies == 1 ? "y" : "ies");
    else
        printf("spares %s %d pl%s.", side_name(side_other(p->board.turn)), s->plies,
               s->plies == 1 ? "y" : "ies");
    if (given)
        printf(" Cumulative slip = %d pl%s.", given, given == 1 ? "y" : "ies");
    putchar('\n');
}

static void print_sums(const struct check *c, const struct record *r)
{
    int plies[2] = {0}, moves[2] = {0}, values[2] = {0}, outside = 0;

    for (int i = 0; i < r->plies; i++) {
        enum side us = r->ply[i].board.turn;
        const struct slip *s = slip_at(c, i);

        outside += !c->review.ply[i].asked;
        if (!s)
            continue;
        plies[us] += s->plies;
        moves[us]++;
        values[us] += s->changes_value;
    }
    if (outside == r->plies) {
        printf("None of the %d moves is in the tables: nothing was checked.\n", outside);
        return;
    }
    for (int us = BLACK; us <= WHITE; us++) {
        printf("%s gave away %d pl%s", side_name((enum side)us), plies[us],
               plies[us] == 1 ? "y" : "ies");
        if (values[us])
            printf(" and %d result%s", values[us], values[us] == 1 ? "" : "s");
        printf(" in %d move%s.\n", moves[us], moves[us] == 1 ? "" : "s");
    }
    if (outside)
        printf("%d of %d moves %s not in the tables.\n", outside, r->plies,
               outside == 1 ? "is" : "are");
}

static void check_print(const struct check *c, const struct record *r)
{
    struct listing out = listing_open(stdout, r->start.turn);
    char fen[FEN_TEXT_MAX];
    int note = 0, given[2] = {0};

    fen_format(&r->start, fen);
    printf("%s%s\n", c->games > 1 ? "\n" : "", fen);
    for (int i = 0; i < r->plies; i++)
        listing_move(&out, &r->ply[i].board, &r->ply[i].move, slip_at(c, i) ? ++note : 0);
    listing_close(&out);
    note = 0;
    for (int i = 0; i < r->plies; i++) {
        enum side us = r->ply[i].board.turn;
        const struct slip *s = slip_at(c, i);

        if (!s)
            continue;
        given[us] += s->plies;
        printf("[%d] ", ++note);
        print_note(c, &r->ply[i], s, given[us]);
    }
    print_sums(c, r);
}

static int check_game(struct check *c, const struct record *r)
{
    struct json j = json_open(stdout);
    bool checked = false;
    struct error e;
    int at;

    c->games++;
    if (prepare(c->from, &r->start, c->kind))
        return EXIT_BAD;
    if (review_record(&c->from->source, r, c->kind, false, &c->review, &at, &e))
        return answers_error(&r->ply[at].board, &e);
    if (c->json)
        object_review(&j, NULL, r, &c->review);
    else
        check_print(c, r);
    for (int i = 0; i < r->plies; i++) {
        checked |= c->review.ply[i].asked;
        if (slip_at(c, i))
            return EXIT_NO;
    }
    return checked ? EXIT_DONE : EXIT_NO;
}

/* A game that cannot be checked does not stop the others. */
static enum status check_record(void *context, const struct record *r, struct error *e)
{
    struct check *c = context;
    int status = r->plies ? check_game(c, r) : EXIT_DONE;

    (void)e;
    if (r->wrong.line)
        status = input_wrong_game(c->path, r);
    c->status = status > c->status ? status : c->status;
    return STATUS_OK;
}

static int check_file(struct answers *from, const struct board *start, const struct line_args *args)
{
    struct check *c = calloc(1, sizeof *c);
    char *bytes = NULL;
    size_t length;
    struct text_place where;
    struct error e;
    enum status rc;
    int status;

    if (!c)
        return app_error("not enough memory");
    c->from = from;
    c->kind = kinds[args->kind];
    c->json = args->json;
    c->path = args->check;
    if (!(status = input_file(args->check, &bytes, &length))) {
        rc = record_read(bytes, length, start, check_record, c, &where, &e);
        status = rc && !where.line ? app_error("%s", e.text) : c->status;
    }
    if (status != EXIT_BAD && !c->games)
        status = app_error("%s: no moves found", input_name(args->check));
    free(bytes);
    free(c);
    return status;
}

/* ------------------------------------------------------------------------ run -- */

static int run(int argc, char **argv)
{
    struct line_args args = {0};
    struct answers from;
    struct board b;
    int n = options_parse(&command_line, argc, argv, &args), status;

    if (n < 0)
        return EXIT_BAD;
    if (!args.check && n == 0)
        return app_error("line: expected a FEN, or --check FILE");
    if (args.check && (args.pdn || args.ties))
        return app_error("line: --check goes with neither --pdn nor --ties");
    if (args.pdn && args.json)
        return app_error("line: --pdn or --json, not both");
    if ((n && input_position(argv[0], &b)) || answers_open(&from, &args.from))
        return EXIT_BAD;
    status = args.check ? check_file(&from, n ? &b : NULL, &args) : play(&from, &b, &args);
    answers_close(&from);
    return status;
}

const struct command command_line = {
    .name = "line",
    .summary = "the whole game under perfect play; check a game",
    .usage = "[FEN]",
    .help = "Plays from FEN to the end of the game, each side choosing the first of its best\n"
            "moves, and prints the moves with their numbers.  By dtw the winner takes the\n"
            "shortest way to the end of the game and the loser the longest; by dtc, to the next\n"
            "conversion, which can take longer in total.  By wld, moves only keep the value and\n"
            "may go in circles: then, and in a draw, the line ends when a position repeats.\n"
            "\n"
            "With --check, reads the games of FILE (PDN, or a plain list of moves from FEN or\n"
            "from the FEN in front of them) and says, for each move that is not a best one, what\n"
            "would have been better and how many plies it gave away.  The exit status is 1 if any\n"
            "move gave something away, and if no move of a game is in the tables.\n"
            "\n"
            "  kelso line 'B:WK31:B25,K18'\n"
            "  kelso line 'B:WK31:B25,K18' --kind dtc --ties\n"
            "  kelso line --check games.pdn\n",
    .options = options,
    .operands_max = 1,
    .run = run,
};
