/* SPDX-License-Identifier: MIT
 *
 * Trice and Dodgen: the figures, and what the text says of them. */
#include "papers/ending.h"

#include "core/notation.h"

#include <stdio.h>
#include <string.h>

/* What is asked about the position after a line of moves. */
enum question {
    ASK_OUTCOME, /* what it is worth to the side to move */
    ASK_WINNERS, /* which moves win */
    ASK_CONVERTS /* whether best play to the next conversion is any other move than this one */
};

struct figure_row {
    const char *item;
    const char *fen;  /* NULL: the figure's */
    const char *line; /* moves to play first; for ASK_CONVERTS the move asked about */
    enum question question;
    const char *printed;
};

enum { ROWS_MAX = 8 };

/* Rows that one ending answers. */
struct figure {
    const char *name, *fen;
    double seconds;   /* of two idle processors */
    bool conversions; /* asked about */
    struct figure_row row[ROWS_MAX];
};

static const char payne[] = "B:WK31,K32,30:BK20,K22,K23,21";
static const char cash[] = "B:WK16,K19,K32:BK7,K21,K27,28";

static const struct figure figures[] = {
    {"Figure 4",
     "B:WK31:B25,K18",
     1,
     true,
     {{"Figure 4: 18-23 wins in 3", NULL, "", ASK_OUTCOME, "win in 3"},
      {"  18-23, and White has no defence", NULL, "18-23", ASK_OUTCOME, "loss in 2"},
      {"  play by distance to conversion", NULL, "18-23", ASK_CONVERTS, "not 18-23"}}},
    {"Figure 5",
     "B:WK9,K21,12:BK4,1,8,10",
     50,
     false,
     {{"Figure 5: the longest win with seven pieces", NULL, "", ASK_OUTCOME, "win in 253"},
      {"  with 8-11", NULL, "8-11", ASK_OUTCOME, "loss in 252"}}},
    {"Figure 6",
     cash,
     30,
     false,
     {{"Figure 6", NULL, "", ASK_OUTCOME, "win in 207"},
      {"  with White's kings on 12 and 15", "B:WK12,K15,K32:BK7,K21,K27,28", "", ASK_OUTCOME,
       "win in 207"}}},
    {"Figure 7",
     "B:WK1,K22,K32:BK21,K28,K30,3",
     30,
     false,
     {{"Figure 7", NULL, "", ASK_OUTCOME, "win in 207"},
      {"  the moves that win", NULL, "", ASK_WINNERS, "28-24"},
      {"  3-7", NULL, "3-7", ASK_OUTCOME, "draw"},
      {"  3-8", NULL, "3-8", ASK_OUTCOME, "draw"}}},
    {"Figures 8 and 9",
     payne,
     25,
     false,
     {{"Figure 8: Payne's Fourth Position", NULL, "", ASK_OUTCOME, "win in 81"},
      {"  with White to move", "W:WK31,K32,30:BK20,K22,K23,21", "", ASK_OUTCOME, "draw"},
      {"  22-18, as in 1756: a win in 85", NULL, "22-18", ASK_OUTCOME, "loss in 84"},
      {"Figure 9: 27-31", NULL, "22-18 31-27 23-19 27-31", ASK_OUTCOME, "win in 69"},
      {"  32-28 lasts 12 plies longer", NULL, "22-18 31-27 23-19 32-28", ASK_OUTCOME, "win in 81"},
      {"  and after 24x31", NULL,
       "22-18 31-27 23-19 32-28 18-22 27-31 22-25 31-27 25-29 27-31 20-24 28-32 24-28 31-27 29-25 "
       "27-24 19-16 24-27 16-20 27-23 25-22 23-27 22-26 30x23 28-24 32-28 24x31",
       ASK_OUTCOME, "loss in 58"}}},
};

/* Every move that is worth as much as `best`, by a kind. */
static enum status moves_worth(const struct ondemand *o, const struct board *b, enum kind kind,
                               bool (*good)(struct outcome best, struct outcome move), char *out,
                               size_t size, struct error *e)
{
    struct move_list legal;
    struct outcome best, move;
    enum status rc = ondemand_outcome(o, b, kind, &best, e);
    size_t n = 0;

    *out = 0;
    moves_generate(b, &legal);
    for (int i = 0; !rc && i < legal.count; i++) {
        char text[MOVE_TEXT_MAX];

        if ((rc = paper_after(o, b, &legal.move[i], kind, &move, e)) || !good(best, move))
            continue;
        move_format(&legal.move[i], &legal, MOVE_NUMBERS, text);
        n += (size_t)snprintf(out + n, n < size ? size - n : 0, "%s%s", n ? " " : "", text);
    }
    return rc;
}

static bool move_wins(struct outcome best, struct outcome move)
{
    (void)best;
    return move.value == VALUE_WIN;
}

static enum status ask_outcome(struct paper_run *r, const struct ondemand *o,
                               const struct figure_row *row, const struct board *b, struct error *e)
{
    struct outcome out;
    char found[64];
    enum status rc = ondemand_outcome(o, b, KIND_DTW, &out, e);

    if (!rc)
        paper_compare(r, row->item, row->printed, paper_outcome(out, found));
    return rc;
}

static enum status ask_winners(struct paper_run *r, const struct ondemand *o,
                               const struct figure_row *row, const struct board *b, struct error *e)
{
    char found[ROW_TEXT_MAX];
    enum status rc = moves_worth(o, b, KIND_DTW, move_wins, found, sizeof found, e);

    if (!rc)
        paper_compare(r, row->item, row->printed, found);
    return rc;
}

/* "not 18-23": the words of the print, if the move is not one of the best to conversion. */
static enum status ask_converts(struct paper_run *r, const struct ondemand *o,
                                const struct figure_row *row, const struct board *b,
                                struct error *e)
{
    char best[ROW_TEXT_MAX], note[ROW_TEXT_MAX];
    bool among;
    enum status rc = moves_worth(o, b, KIND_DTC, outcome_equal, best, sizeof best, e);

    if (rc)
        return rc;
    among = strstr(best, row->line) != NULL;
    snprintf(note, sizeof note, "best: %.150s", best);
    paper_report(r, row->item, row->printed, among ? row->line : row->printed,
                 among ? ROW_DIFFERS : ROW_AGREES, note);
    return STATUS_OK;
}

static enum status row_run(struct paper_run *r, const struct ondemand *o, const struct figure *f,
                           const struct figure_row *row, struct error *e)
{
    const char *fen = row->fen ? row->fen : f->fen;
    struct board start, b;
    enum status rc = paper_board(fen, strlen(fen), &start, e);
    int plies;

    if (rc)
        return rc;
    if (row->question == ASK_CONVERTS)
        return ask_converts(r, o, row, &start, e);
    if ((rc = paper_walk(o, &start, row->line, NULL, NULL, &plies, &b, e)))
        return rc;
    return (row->question == ASK_WINNERS ? ask_winners : ask_outcome)(r, o, row, &b, e);
}

static enum status figure_run(struct paper_run *r, const struct figure *f, struct error *e)
{
    char why[ROW_TEXT_MAX];
    struct ondemand *o;
    struct board b;
    enum status rc = paper_board(f->fen, strlen(f->fen), &b, e);

    if (!rc)
        rc = paper_ending(r, f->name, &b, f->seconds, f->conversions, &o, why, e);
    if (rc)
        return rc;
    for (const struct figure_row *row = f->row; !rc && row < f->row + ROWS_MAX && row->item; row++)
        if (o)
            rc = row_run(r, o, f, row, e);
        else
            paper_report(r, row->item, row->printed, "", ROW_SKIPPED, why);
    ondemand_close(&o);
    return rc;
}

/* ------------------------------------------------------------ Figures 1 to 3 -- */

/* Figures 1 to 3.  Figure 1 is printed as a picture.  The text names ten of its twelve pieces by
 * their moves; of all places and ranks of the other two, only the men on 5 and 29 give both
 * captures, leave White no choice, draw in Figure 2 and lose in 102 plies in Figure 3. */
static const char figure1_fen[] = "B:W13,21,22,23,28,29:B1,2,5,6,14,20";
static const char *const figure1_line[] = {"14-17", "21x14", "20-24", "28x19", "6-9", "13x6"};
static const double figure1_seconds = 25; /* for each of the two endings */

static bool play_word(struct board *b, const char *word, bool *choice)
{
    struct move_list legal;
    struct move m;

    moves_generate(b, &legal);
    *choice = legal.count > 1;
    if (!move_parse(word, strlen(word), &legal, &m, NULL))
        return false;
    *b = board_after(b, &m);
    return true;
}

static enum status figure1_play(struct board *b, bool *forced, struct error *e)
{
    enum status rc = paper_board(figure1_fen, strlen(figure1_fen), b, e);

    *forced = true;
    for (size_t i = 0; !rc && i < sizeof figure1_line / sizeof *figure1_line; i++) {
        bool white = b->turn == WHITE, choice;

        if (!play_word(b, figure1_line[i], &choice))
            rc = error_set(e, STATUS_FORMAT, "Figure 1: '%s' is not a legal move", figure1_line[i]);
        *forced &= !white || !choice;
    }
    return rc;
}

/* The ending after one of the two captures.  *lost: White to move loses it; *known: that is not
 * left out. */
static enum status figure1_end(struct paper_run *r, const struct board *before, const char *item,
                               const char *capture, const char *printed, bool *lost, bool *known,
                               struct error *e)
{
    struct board b = *before;
    char found[64], why[ROW_TEXT_MAX];
    struct ondemand *o;
    struct outcome out;
    enum status rc;
    bool choice;

    if (!play_word(&b, capture, &choice))
        return error_set(e, STATUS_FORMAT, "%s: '%s' is not a legal move", item, capture);
    if ((rc = paper_ending(r, item, &b, figure1_seconds, false, &o, why, e)))
        return rc;
    *known = o != NULL;
    if (!o) {
        paper_report(r, item, printed, "", ROW_SKIPPED, why);
    } else if (!(rc = ondemand_outcome(o, &b, KIND_DTW, &out, e))) {
        paper_compare(r, item, printed, paper_outcome(out, found));
        *lost = out.value == VALUE_LOSS;
    }
    ondemand_close(&o);
    return rc;
}

static enum status figures_1_to_3(struct paper_run *r, struct error *e)
{
    static const char item[] = "Figure 1: 14-17 wins by force";
    bool forced, lost[2] = {false}, known[2];
    struct board b;
    enum status rc;

    if ((rc = figure1_play(&b, &forced, e)) ||
        (rc = figure1_end(r, &b, "Figure 2: White to move", "2x9x18x27", "draw", &lost[0],
                          &known[0], e)) ||
        (rc = figure1_end(r, &b, "Figure 3: White to move", "1x10x17x26", "loss in 102", &lost[1],
                          &known[1], e)))
        return rc;
    if (known[1])
        paper_compare(r, item, "win", !forced ? "White has a choice" : lost[1] ? "win" : "no win");
    else
        paper_report(r, item, "win", "", ROW_SKIPPED, "rests on Figure 3");
    return STATUS_OK;
}

enum status paper_figures(struct paper_run *r, struct error *e)
{
    enum status rc = figures_1_to_3(r, e);

    for (size_t i = 0; !rc && i < sizeof figures / sizeof *figures; i++)
        rc = figure_run(r, &figures[i], e);
    return rc;
}
