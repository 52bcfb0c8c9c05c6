/* SPDX-License-Identifier: MIT
 *
 * How often does the player, without tables, give away what an ending is worth?
 *
 *     bench_blunders make TABLES SAMPLES COUNT    positions of 6 to 8 pieces, to standard output
 *     bench_blunders LIST nodes N                 judge: N positions a move ...
 *     bench_blunders LIST time SECONDS            ... or so much time
 *
 * The positions come from games (samples of `kelso tune`, about one of a game): material
 * different by one piece at most, the side to move without a capture, and at most one move in
 * three that keeps the value.  A line is the position, its value by the tables (win or draw
 * for the side to move; nothing can be given away in a lost one), and the moves that keep it:
 *
 *     B:W18,K23,32:B5,K7,12 draw 7-10 12-16
 *
 * so that judging needs no tables. */
#include "core/movegen.h"
#include "core/notation.h"
#include "db/tables.h"
#include "search/search.h"
#include "tune/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_LEAST = 6, PIECES_MOST = 8, APART = 70, RARE = 3, LINE_SIZE = 2048 };

static int fail(const char *text)
{
    fprintf(stderr, "bench_blunders: %s\n", text);
    return 2;
}

/* -------------------------------------------------------------------------- making -- */

/* The values of all moves for the side to move; false if the tables lack one. */
static bool values_of(const struct tables *t, const struct board *b, const struct move_list *list,
                      enum value *of)
{
    for (int i = 0; i < list->count; i++) {
        struct board next = board_after(b, &list->move[i]);
        struct error e;
        enum value v;

        if (!tables_knows(t, &next) || tables_value(t, &next, &v, &e))
            return false;
        of[i] = value_negate(v);
    }
    return true;
}

static bool board_fits(const struct board *b)
{
    int black = squares_count(b->side[BLACK]), white = squares_count(b->side[WHITE]);

    return black + white >= PIECES_LEAST && black + white <= PIECES_MOST &&
           abs(black - white) <= 1 && !board_must_capture(b);
}

static bool print_if_good(const struct tables *t, const struct board *b)
{
    enum value of[MOVES_MAX], best = VALUE_LOSS;
    char text[FEN_TEXT_MAX > MOVE_TEXT_MAX ? FEN_TEXT_MAX : MOVE_TEXT_MAX];
    struct move_list list;
    int keep = 0;

    moves_generate(b, &list);
    if (!values_of(t, b, &list, of))
        return false;
    for (int i = 0; i < list.count; i++)
        best = of[i] > best ? of[i] : best;
    for (int i = 0; i < list.count; i++)
        keep += of[i] == best;
    if (best == VALUE_LOSS || RARE * keep > list.count)
        return false;
    fen_format(b, text);
    printf("%s %s", text, best == VALUE_WIN ? "win" : "draw");
    for (int i = 0; i < list.count; i++)
        if (of[i] == best) {
            move_format(&list.move[i], NULL, MOVE_NUMBERS, text);
            printf(" %s", text);
        }
    putchar('\n');
    return true;
}

static int make(const char *dir, const char *path, int count)
{
    struct samples s = {0};
    struct tables *t;
    struct error e;
    size_t next = 0;

    if (tables_open(&t, &(struct tables_options){.dir = dir}, &e) || samples_read(&s, path, &e))
        return fail(e.text);
    for (size_t i = 0; i < s.count && count > 0; i++) {
        if (i < next || !board_fits(&s.list[i].board) || !print_if_good(t, &s.list[i].board))
            continue;
        next = i + APART;
        count--;
    }
    samples_free(&s);
    tables_close(&t);
    return count ? fail("not enough positions in the samples") : 0;
}

/* ------------------------------------------------------------------------- judging -- */

struct score {
    int tried[2], kept[2]; /* of draws, of wins */
};

/* One line of the list.  False if it is wrong. */
static bool judge_line(struct search *s, const struct search_limits *limits, char *line,
                       struct score *score)
{
    char *fen = strtok(line, " \n"), *value = strtok(NULL, " \n"), *word, text[MOVE_TEXT_MAX];
    struct search_result r;
    struct error e;
    struct board b;
    int won;

    if (!fen || !value || !fen_parse(fen, strlen(fen), &b, NULL))
        return false;
    won = strcmp(value, "win") == 0;
    search_clear(s);
    if (search_run(s, &b, NULL, 0, limits, &r, &e) || r.lines == 0)
        return false;
    move_format(&r.line[0].pv[0], NULL, MOVE_NUMBERS, text);
    score->tried[won]++;
    while ((word = strtok(NULL, " \n")))
        score->kept[won] += strcmp(word, text) == 0;
    return true;
}

static int judge(const char *path, const struct search_limits *limits)
{
    FILE *f = fopen(path, "r");
    struct score score = {0};
    char line[LINE_SIZE];
    struct search *s;
    struct error e;
    int number = 0, tried, kept;

    if (!f || search_open(&s, &(struct search_options){.hash = 16 << 20}, &e))
        return fail(f ? e.text : "cannot read the list");
    while (fgets(line, sizeof line, f))
        if (number++, !judge_line(s, limits, line, &score)) {
            fprintf(stderr, "bench_blunders: %s:%d: not a position, value and moves\n", path,
                    number);
            return 2;
        }
    fclose(f);
    search_close(&s);
    tried = score.tried[0] + score.tried[1];
    kept = score.kept[0] + score.kept[1];
    printf("%d positions: %d kept, %d given away (%.1f %%); draws %d of %d, wins %d of %d\n", tried,
           kept, tried - kept, tried ? 100.0 * (tried - kept) / tried : 0,
           score.tried[0] - score.kept[0], score.tried[0], score.tried[1] - score.kept[1],
           score.tried[1]);
    return 0;
}

int main(int argc, char **argv)
{
    struct search_limits limits = {0};

    if (argc == 5 && strcmp(argv[1], "make") == 0)
        return make(argv[2], argv[3], atoi(argv[4]));
    if (argc == 4 && strcmp(argv[2], "nodes") == 0)
        limits.nodes = strtoull(argv[3], NULL, 10);
    else if (argc == 4 && strcmp(argv[2], "time") == 0)
        limits.seconds = atof(argv[3]);
    if (limits.nodes == 0 && limits.seconds <= 0)
        return fail("usage: make TABLES SAMPLES COUNT | LIST nodes N | LIST time SECONDS");
    return judge(argv[1], &limits);
}
