/* SPDX-License-Identifier: MIT
 *
 * Trice and Dodgen: the listings.  Four are perfect play (1, 2, 3 and 8).  In the other four a
 * program with win/loss/draw values plays against perfect defence; the notes on 4 and 5 name its
 * slips, the text on 6 and 7 says how near it came. */
#include "papers/ending.h"

#include "core/notation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTING_MAX = 8192, PLIES_MAX = 512 };

struct printed_listing {
    int number, plies;
    bool perfect;
    /* What the text says of a game, and of its progress what is right: 0 where it says nothing. */
    int closest, left, progress, right_progress;
    int slip, right_slip; /* plies given away in all, by the notes and in truth */
    int cycle;            /* plies after which the end of the game comes back, as printed */
};

enum { CYCLE_RIGHT = 68 }; /* as notes 58 to 63 say */

enum { LISTINGS_MAX = 3 };

/* An ending, and the listings that begin there. */
static const struct listed {
    const char *name, *fen;
    double seconds; /* of two idle processors */
    struct printed_listing listing[LISTINGS_MAX];
} endings[] = {
    {"Figure 5",
     "B:WK9,K21,12:BK4,1,8,10",
     50,
     {{.number = 1, .plies = 253, .perfect = true},
      {.number = 6,
       .plies = 196,
       .closest = 135,
       .left = 177,
       .progress = 96,
       .right_progress = 76},
      {.number = 7,
       .plies = 164,
       .closest = 159,
       .left = 181,
       .progress = 72,
       .right_progress = 72}}},
    {"Figure 6",
     "B:WK16,K19,K32:BK7,K21,K27,28",
     30,
     {{.number = 2, .plies = 207, .perfect = true},
      {.number = 4, .plies = 62, .slip = 38, .right_slip = 52}}},
    {"Figure 7",
     "B:WK1,K22,K32:BK21,K28,K30,3",
     30,
     {{.number = 3, .plies = 207, .perfect = true},
      {.number = 5, .plies = 206, .slip = 184, .right_slip = 184, .cycle = 66}}},
    {"Figure 8",
     "B:WK31,K32,30:BK20,K22,K23,21",
     25,
     {{.number = 8, .plies = 81, .perfect = true}}},
};

/* ------------------------------------------------------------------- the game -- */

struct walk {
    struct paper_run *run;
    const struct ondemand *ending;
    const struct printed_listing *listing;
    struct board start, end;
    char text[LISTING_MAX];
    int number; /* of the listing to find */
    int plies;
    int slips[2];             /* moves that are not best, by side */
    int given, closest, left; /* plies Black gave away; its nearest to the win; at the end */
    int noted;                /* slips of Black that a note names */
    struct board at[PLIES_MAX];
};

/* "Listing1 | FEN | moves" */
static enum status perfect_line(void *context, const char *line, struct error *e)
{
    struct walk *w = context;
    const char *bar = strchr(line, '|'), *moves = bar ? strchr(bar + 1, '|') : NULL;
    int number = 0;

    if (sscanf(line, "Listing%d |", &number) != 1 || number != w->number || !moves)
        return STATUS_OK;
    snprintf(w->text, sizeof w->text, "%s", moves + 1);
    return paper_board(bar + 2, (size_t)(moves - bar - 3), &w->start, e);
}

/* A FEN, then the moves on many lines. */
static enum status game_line(void *context, const char *line, struct error *e)
{
    struct walk *w = context;
    size_t n = strlen(w->text);

    if (!w->number) {
        snprintf(w->text + n, sizeof w->text - n, " %s", line);
        return STATUS_OK;
    }
    w->number = 0;
    return paper_board(line, strlen(line), &w->start, e);
}

static enum status listing_read(struct walk *w, struct error *e)
{
    char name[32];
    enum status rc;

    w->number = w->listing->number;
    snprintf(name, sizeof name, "/data/listing%d.txt", w->number);
    rc = w->listing->perfect ? paper_lines("/data/listings.txt", perfect_line, w, e)
                             : paper_lines(name, game_line, w, e);
    if (!rc && !*w->text)
        rc = error_set(e, STATUS_MISSING, "Listing %d is not in this program", w->listing->number);
    return rc;
}

static enum status step_seen(void *context, const struct paper_step *s, struct error *e)
{
    struct walk *w = context;

    (void)e;
    if (!outcome_equal(s->best, s->played))
        w->slips[s->before.turn]++;
    if (s->before.turn == BLACK) {
        w->given += s->played.plies - s->best.plies;
        if (!w->closest || s->best.plies < w->closest)
            w->closest = s->best.plies;
    }
    if (s->ply <= PLIES_MAX)
        w->at[s->ply - 1] = s->before;
    return STATUS_OK;
}

/* ------------------------------------------------------------------ the notes -- */

/* data/listing_notes.csv: listing,note,better,wins,played,more,right.  `right` is what the note
 * should say ("better wins played more"), "" where it is right. */
struct note {
    int number;
    char text[80], right[80];
};

struct noted {
    struct walk *walk;
    struct note note;
    int want;
};

static enum status note_line(void *context, const char *line, struct error *e)
{
    struct noted *n = context;
    char better[16], played[16], right[80] = "";
    int listing, number, wins, more;

    if (*line < '0' || *line > '9')
        return STATUS_OK; /* the heading */
    if (sscanf(line, "%d,%d,%15[^,],%d,%15[^,],%d,%79[^\n]", &listing, &number, better, &wins,
               played, &more, right) < 6)
        return error_set(e, STATUS_FORMAT, "listing_notes.csv: not a row: %.60s", line);
    if (number != n->want || listing != n->walk->listing->number)
        return STATUS_OK;
    n->note.number = number;
    snprintf(n->note.text, sizeof n->note.text, "%s %d %s %d", better, wins, played, more);
    snprintf(n->note.right, sizeof n->note.right, "%s", right);
    return STATUS_OK;
}

/* The best move that the note names, or else the first of the best. */
static enum status best_move(const struct ondemand *o, const struct paper_step *s,
                             const char *named, char out[MOVE_TEXT_MAX], struct error *e)
{
    struct move_list legal;

    *out = 0;
    moves_generate(&s->before, &legal);
    for (int i = 0; i < legal.count; i++) {
        char text[MOVE_TEXT_MAX];
        struct outcome after;
        enum status rc = paper_after(o, &s->before, &legal.move[i], KIND_DTW, &after, e);

        if (rc)
            return rc;
        if (!outcome_equal(after, s->best))
            continue;
        move_format(&legal.move[i], &legal, MOVE_NUMBERS, text);
        if (!*out || strncmp(named, text, strlen(text)) == 0)
            snprintf(out, MOVE_TEXT_MAX, "%s", text);
    }
    return STATUS_OK;
}

static void note_report(struct paper_run *r, const struct note *n, const struct paper_step *s,
                        const char *found)
{
    char item[32], fen[FEN_TEXT_MAX], witness[ROW_TEXT_MAX];

    snprintf(item, sizeof item, "note %d", n->number);
    if (strcmp(found, n->text) != 0 && strcmp(found, n->right) == 0) {
        fen_format(&s->before, fen);
        snprintf(witness, sizeof witness, "witness %s", fen);
        paper_report(r, item, n->text, found, ROW_ERRATUM, witness);
    } else {
        paper_compare(r, item, n->text, found);
    }
}

/* A row for each note that names a slip: "better move, wins in, move played, more plies". */
static enum status step_noted(void *context, const struct paper_step *s, struct error *e)
{
    struct noted n = {.walk = context, .want = s->note};
    char better[MOVE_TEXT_MAX], played[MOVE_TEXT_MAX], found[ROW_TEXT_MAX];
    struct move_list legal;
    enum status rc = step_seen(n.walk, s, e);

    if (rc || !s->note || (rc = paper_lines("/data/listing_notes.csv", note_line, &n, e)) ||
        !n.note.number)
        return rc;
    if ((rc = best_move(n.walk->ending, s, n.note.text, better, e)))
        return rc;
    moves_generate(&s->before, &legal);
    move_format(&s->move, &legal, MOVE_NUMBERS, played);
    snprintf(found, sizeof found, "%s %d %s %d", better, s->best.plies, played,
             s->played.plies - s->best.plies);
    note_report(n.walk->run, &n.note, s, found);
    n.walk->noted += !outcome_equal(s->best, s->played);
    return STATUS_OK;
}

/* ------------------------------------------------------------------- the rows -- */

static void compare_number(struct paper_run *r, const char *item, int printed, int found)
{
    char p[16], f[16];

    snprintf(p, sizeof p, "%d", printed);
    snprintf(f, sizeof f, "%d", found);
    paper_compare(r, item, p, f);
}

/* A number whose print is known to be wrong. */
static void compare_erratum(struct paper_run *r, const char *item, int printed, int right,
                            int found, const char *note)
{
    char p[16], f[16];

    snprintf(p, sizeof p, "%d", printed);
    snprintf(f, sizeof f, "%d", found);
    if (printed != right && found == right)
        paper_report(r, item, p, f, ROW_ERRATUM, note);
    else
        paper_compare(r, item, p, f);
}

/* The smallest number of plies after which the end of the game came before; 0 if it never did. */
static int cycle_of(const struct walk *w)
{
    for (int back = 1; back <= w->plies; back++)
        if (board_equal(&w->at[w->plies - back], &w->end))
            return back;
    return 0;
}

static void game_rows(const struct walk *w)
{
    const struct printed_listing *l = w->listing;
    struct paper_run *r = w->run;

    compare_number(r, "  White's moves that are not best", 0, w->slips[WHITE]);
    if (l->closest) {
        compare_number(r, "  plies to the win, at the nearest", l->closest, w->closest);
        compare_number(r, "  plies to the win, at the end", l->left, w->left);
        compare_erratum(r, "  plies of progress", l->progress, l->right_progress,
                        endings[0].listing[0].plies - w->left, "253 less 177 is 76");
        return;
    }
    compare_number(r, "  slips that no note names", 0, w->slips[BLACK] - w->noted);
    compare_erratum(r, "  plies given away in all", l->slip, l->right_slip, w->given,
                    "the sum of the notes as they should be");
    if (l->cycle)
        compare_erratum(r, "  plies of the cycle", l->cycle, CYCLE_RIGHT, cycle_of(w),
                        "68, as notes 58 to 63 say");
}

static enum status listing_run(struct walk *w, struct error *e)
{
    struct outcome end = outcome_lost;
    char item[32], printed[32], found[32];
    enum status rc = listing_read(w, e);

    if (!rc)
        rc = paper_walk(w->ending, &w->start, w->text, w->listing->slip ? step_noted : step_seen, w,
                        &w->plies, &w->end, e);
    if (!rc && w->end.side[w->end.turn])
        rc = ondemand_outcome(w->ending, &w->end, KIND_DTW, &end, e);
    if (rc)
        return rc;
    w->left = end.plies;
    snprintf(item, sizeof item, "Listing %d", w->listing->number);
    snprintf(printed, sizeof printed, "%d plies", w->listing->plies);
    snprintf(found, sizeof found, "%d plies", w->plies);
    paper_compare(w->run, item, printed, found);
    if (w->listing->perfect)
        compare_number(w->run, "  moves that are not best", 0, w->slips[BLACK] + w->slips[WHITE]);
    else
        game_rows(w);
    return STATUS_OK;
}

static void listed_skip(struct paper_run *r, const struct listed *l, const char *why)
{
    for (int i = 0; i < LISTINGS_MAX && l->listing[i].number; i++) {
        char item[32], printed[32];

        snprintf(item, sizeof item, "Listing %d", l->listing[i].number);
        snprintf(printed, sizeof printed, "%d plies", l->listing[i].plies);
        paper_report(r, item, printed, "", ROW_SKIPPED, why);
    }
}

static enum status listings_run(struct paper_run *r, const struct listed *l,
                                const struct ondemand *o, struct error *e)
{
    struct walk *w = malloc(sizeof *w);
    enum status rc = w ? STATUS_OK : error_no_memory(e);

    for (int i = 0; !rc && i < LISTINGS_MAX && l->listing[i].number; i++) {
        memset(w, 0, sizeof *w);
        w->run = r;
        w->ending = o;
        w->listing = &l->listing[i];
        rc = listing_run(w, e);
    }
    free(w);
    return rc;
}

static enum status listed_run(struct paper_run *r, const struct listed *l, struct error *e)
{
    char why[ROW_TEXT_MAX];
    struct ondemand *o;
    struct board b;
    enum status rc = paper_board(l->fen, strlen(l->fen), &b, e);

    if (!rc)
        rc = paper_ending(r, l->name, &b, l->seconds, false, &o, why, e);
    if (rc)
        return rc;
    if (!o) {
        listed_skip(r, l, why);
        return STATUS_OK;
    }
    rc = listings_run(r, l, o, e);
    ondemand_close(&o);
    return rc;
}

enum status paper_listings(struct paper_run *r, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t i = 0; !rc && i < sizeof endings / sizeof *endings; i++)
        rc = listed_run(r, &endings[i], e);
    return rc;
}
