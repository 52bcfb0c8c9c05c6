/* SPDX-License-Identifier: MIT
 *
 * kelso pdn: check, print or convert files of games.
 *
 * Each game is read twice, first to check it and then to write it, so that no part of a bad one is
 * written. */
#include "base/encoding.h"
#include "base/parse.h"
#include "cli/command.h"
#include "report/draw.h"
#include "cli/input.h"
#include "report/json.h"
#include "report/listing.h"
#include "report/term.h"
#include "core/notation.h"
#include "core/pdn.h"
#include "core/pdn_writer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum verb { CHECK, PRINT, CONVERT };

struct pdn_args {
    bool algebraic, strict, json;
};

static const struct option_spec options[] = {
    {"algebraic", OPTION_FLAG, offsetof(struct pdn_args, algebraic), NULL,
     "write squares as a1 to h8"},
    {"strict", OPTION_FLAG, offsetof(struct pdn_args, strict), NULL,
     "check: report every departure from PDN 3.0"},
    OPTION_JSON(struct pdn_args),
    {0}};

/* How often a departure from PDN 3.0 occurred, and where first. */
struct pdn_departure {
    uint64_t count;
    size_t at;
};

/* The job, and the current file. */
struct pdn_job {
    enum verb verb;
    enum move_style style;
    bool json_lines, strict;
    struct pdn_writer writer; /* CONVERT */
    struct json json;
    struct listing listing; /* PRINT */
    const char *path;
    const char *bytes;
    int number;              /* of the game in its file, from 1 */
    struct text_place place; /* of the last error */
    uint64_t games, bad, moves, notes;
    enum encoding encoding;
    struct pdn_departure departure[PDN_NOTES];
};

/* ------------------------------------------------------------------- print -- */

static const char *tag_or(const struct pdn_game *g, const char *name, char *out, size_t size)
{
    const struct pdn_tag *tag = pdn_tag_find(g, name);

    return tag ? pdn_tag_text(tag, out, size) : "?";
}

static void print_header(const struct pdn_job *job, const struct pdn_game *g)
{
    char event[200], black[200], white[200];

    printf("%s, game %d: %s; Black %s, White %s\n", input_name(job->path), job->number,
           tag_or(g, "Event", event, sizeof event), tag_or(g, "Black", black, sizeof black),
           tag_or(g, "White", white, sizeof white));
}

static void print_end(const struct pdn_event *e)
{
    char fen[FEN_TEXT_MAX];

    fen_format(e->board, fen);
    printf("  result %s after %d plies\n", pdn_result_text(e->result), e->ply);
    draw_board(stdout, e->board, draw_style_for(stdout));
    printf("  %s\n\n", fen);
}

static void print_event(void *context, const struct pdn_event *e)
{
    struct pdn_job *job = context;

    if (e->depth)
        return; /* the main line only */
    if (e->kind == PDN_GAME) {
        print_header(job, e->game);
        job->listing = listing_open(stdout, e->game->start.turn);
        job->listing.style = job->style;
    } else if (e->kind == PDN_MOVE) {
        listing_move(&job->listing, e->board, e->move, 0);
    } else if (e->kind == PDN_RESULT) {
        listing_close(&job->listing);
        print_end(e);
    }
}

/* -------------------------------------------------------------------- JSON -- */

static void json_fen(struct json *j, const char *key, const struct board *b)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    json_text(j, key, fen);
}

static void json_game(struct pdn_job *job, const struct pdn_game *g)
{
    struct json *j = &job->json;
    char name[100], value[1000];

    json_object(j, NULL);
    json_text(j, "file", job->path);
    json_int(j, "game", job->number);
    json_object(j, "tags");
    for (int i = 0; i < g->tags; i++) {
        snprintf(name, sizeof name, "%.*s", (int)g->tag[i].name.length, g->tag[i].name.bytes);
        json_text(j, name, pdn_tag_text(&g->tag[i], value, sizeof value));
    }
    json_end(j);
    json_fen(j, "start", &g->start);
    json_array(j, "moves");
}

static void json_event(void *context, const struct pdn_event *e)
{
    struct pdn_job *job = context;
    char text[MOVE_TEXT_MAX];

    if (e->depth)
        return;
    if (e->kind == PDN_GAME) {
        json_game(job, e->game);
    } else if (e->kind == PDN_MOVE) {
        move_format(e->move, e->legal, job->style, text);
        json_text(&job->json, NULL, text);
    } else if (e->kind == PDN_RESULT) {
        json_end(&job->json);
        json_fen(&job->json, "final", e->board);
        json_text(&job->json, "result", pdn_result_text(e->result));
        json_end(&job->json);
    }
}

/* ---------------------------------------------------------------- the work -- */

static void write_stdout(void *context, const char *bytes, size_t length)
{
    (void)context;
    fwrite(bytes, 1, length, stdout);
}

/* FILE:LINE:COLUMN of an offset. */
static struct text_place place_of(struct pdn_job *job, size_t at)
{
    return job->place = text_place_from(job->place, job->bytes, at);
}

static void name_departure(struct pdn_job *job, const struct pdn_event *e)
{
    struct text_place p = place_of(job, e->at);
    struct text text = {e->text.bytes, 0, e->text.length};
    char quote[TEXT_QUOTE_MAX];

    app_error("%s:%zu:%zu: game %d: %s%s%s", input_name(job->path), p.line, p.column, job->number,
              pdn_note_text(e->note), text.end ? ": " : "",
              text.end ? text_quote(&text, 0, quote) : "");
}

static void count_event(void *context, const struct pdn_event *e)
{
    struct pdn_job *job = context;
    struct pdn_departure *d = &job->departure[e->note];

    job->moves += e->kind == PDN_MOVE;
    if (e->kind != PDN_NOTE || job->verb != CHECK)
        return;
    if (d->count++ == 0)
        d->at = e->at;
    job->notes++;
    if (job->strict)
        name_departure(job, e);
}

/* Write the good game between two places of the text. */
static void write_game(struct pdn_job *job, size_t from, size_t to)
{
    struct pdn_reader r = {.text = {job->bytes, from, to}};

    if (job->verb == CHECK)
        return;
    if (job->json_lines)
        pdn_next(&r, json_event, job, NULL);
    else if (job->verb == PRINT)
        pdn_next(&r, print_event, job, NULL);
    else
        pdn_next(&r, pdn_writer_event, &job->writer, NULL);
}

static void complain(struct pdn_job *job, const struct text_error *error)
{
    struct text_place p = place_of(job, error->at);

    app_error("%s:%zu:%zu: game %d: %s", input_name(job->path), p.line, p.column, job->number,
              error->what);
}

static const char *encoding_text(enum encoding e)
{
    return e == ENCODING_UTF16 ? "UTF-16" : "Windows-1252";
}

/* The next kind of departure after *i that occurred, and its first place; false after the last. */
static bool departure_next(struct pdn_job *job, int *i, struct text_place *p)
{
    while (++*i < PDN_NOTES)
        if (job->departure[*i].count) {
            *p = place_of(job, job->departure[*i].at);
            return true;
        }
    return false;
}

static void report_departures(struct pdn_job *job)
{
    struct text_place p;

    if (job->encoding != ENCODING_UTF8)
        printf("%s: note: not UTF-8, read as %s\n", input_name(job->path),
               encoding_text(job->encoding));
    for (int i = -1; departure_next(job, &i, &p);) {
        uint64_t count = job->departure[i].count;

        printf("%s:%zu:%zu: note: %s", input_name(job->path), p.line, p.column,
               pdn_note_text((enum pdn_note)i));
        if (count > 1)
            printf(" (the first of %" PRIu64 ")", count);
        putchar('\n');
    }
}

static void report_json(struct pdn_job *job, uint64_t moves)
{
    struct json *j = &job->json;
    struct text_place p;

    json_object(j, NULL);
    json_text(j, "file", job->path);
    json_uint(j, "games", job->games);
    json_uint(j, "bad", job->bad);
    json_uint(j, "moves", moves);
    json_text(j, "encoding",
              job->encoding == ENCODING_UTF8 ? "UTF-8" : encoding_text(job->encoding));
    json_array(j, "notes");
    for (int i = -1; departure_next(job, &i, &p);) {
        json_object(j, NULL);
        json_text(j, "note", pdn_note_text((enum pdn_note)i));
        json_uint(j, "count", job->departure[i].count);
        json_uint(j, "line", p.line);
        json_uint(j, "column", p.column);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void report_file(struct pdn_job *job, uint64_t moves)
{
    uint64_t good = job->games - job->bad;

    if (job->json_lines) {
        report_json(job, moves);
        return;
    }
    printf("%s: %" PRIu64 " %s good, %" PRIu64 " bad, %" PRIu64 " %s", input_name(job->path), good,
           plural(good, "game", "games"), job->bad, moves, plural(moves, "move", "moves"));
    if (job->strict)
        printf(", %" PRIu64 " %s from PDN 3.0", job->notes,
               plural(job->notes, "departure", "departures"));
    putchar('\n');
    if (!job->strict)
        report_departures(job);
}

static void read_games(struct pdn_job *job, size_t length)
{
    struct pdn_reader r = pdn_open(job->bytes, length);
    struct text_error error;
    enum pdn_status status;
    size_t from = r.text.at;
    uint64_t moves = 0;

    job->number = 1;
    while (job->moves = 0, (status = pdn_next(&r, count_event, job, &error)) != PDN_AT_END) {
        job->games++;
        if (status == PDN_BAD) {
            job->bad++;
            complain(job, &error);
        } else {
            moves += job->moves;
            write_game(job, from, r.text.at);
        }
        from = r.text.at;
        job->number++;
    }
    if (job->verb == CHECK)
        report_file(job, moves);
}

static int read_file(struct pdn_job *job, const char *path)
{
    char *bytes;
    size_t length;

    if (input_file(path, &bytes, &length) != EXIT_DONE)
        return EXIT_BAD;
    if (!encoding_make_utf8(&bytes, &length, &job->encoding)) {
        free(bytes);
        return app_error("%s: not enough memory", input_name(path));
    }
    job->path = path;
    job->bytes = bytes;
    job->games = job->bad = job->notes = 0;
    memset(job->departure, 0, sizeof job->departure);
    job->place = (struct text_place){0};
    if (job->strict && job->encoding != ENCODING_UTF8)
        app_error("%s: expected UTF-8, found %s", input_name(path), encoding_text(job->encoding));
    read_games(job, length);
    free(bytes);
    if (job->bad && job->verb != CHECK)
        return EXIT_BAD;
    return job->bad || (job->strict && (job->notes || job->encoding != ENCODING_UTF8)) ? EXIT_NO
                                                                                       : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct pdn_args args = {0};
    struct pdn_job job = {.json = json_open(stdout)};
    int n = options_parse(&command_pdn, argc, argv, &args), verb, status = EXIT_DONE;

    if (n < 0)
        return EXIT_BAD;
    if (!parse_choice(argv[0], "check|print|convert", &verb))
        return app_error("pdn: expected check, print or convert, found '%s'", argv[0]);
    job.verb = (enum verb)verb;
    job.style = args.algebraic ? MOVE_ALGEBRAIC : MOVE_NUMBERS;
    job.json_lines = args.json;
    job.strict = args.strict && job.verb == CHECK;
    job.writer = pdn_writer_open(write_stdout, NULL, job.style);
    for (int i = 1; i < n; i++) {
        int s = read_file(&job, argv[i]);
        status = s > status ? s : status;
    }
    return status;
}

const struct command command_pdn = {
    .name = "pdn",
    .summary = "check, print or convert files of games",
    .usage = "check|print|convert FILE...",
    .help = "check    replays every game and counts the good ones; exit status 1 if any is bad\n"
            "print    writes the main line of each game and draws its last position\n"
            "convert  writes all games, with variations and comments, in one canonical PDN 3.0\n"
            "\n"
            "FILE may be - for standard input.  PDN of any vintage and bare lists of moves are\n"
            "read, in any usual encoding.  Text that is not PDN 3.0 but can be understood is\n"
            "counted by kind; with --strict each place is named, and the exit status is 1 if\n"
            "there is any.  A game that cannot be understood is bad: it is reported as\n"
            "FILE:LINE:COLUMN and left out, and reading continues with the next one.\n"
            "\n"
            "  kelso pdn check games.pdn\n"
            "  kelso pdn check --strict games.pdn\n"
            "  kelso pdn convert - --algebraic < games.pdn > canonical.pdn\n",
    .options = options,
    .operands_min = 2,
    .operands_max = INT_MAX,
    .run = run,
};
