/* SPDX-License-Identifier: MIT
 *
 * How much does a short search of the player give away, as a long one sees it?
 *
 *     bench_regret make SAMPLES COUNT N     positions of 9 to 22 pieces, to standard output; each
 *                                           move is searched with N positions
 *     bench_regret LIST N...                judge: N positions a move, no tables
 *
 * The positions come from games (samples of `kelso tune`, about one of a game) that are not
 * decided, in which the side to move has a choice.  A line is the position and the score of each
 * of its moves by the long search:
 *
 *     B:W18,22,K23,32:B5,K7,12,20 7-10=35 12-16=-12
 *
 * The regret of a choice is the difference of expected points, in percent, between the best move
 * and the one chosen; a hundredth of a man is worth as much as in training.  A change of the
 * search that lowers the mean deserves a match. */
#include "core/movegen.h"
#include "core/notation.h"
#include "search/search.h"
#include "tune/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_LEAST = 9, PIECES_MOST = 22, APART = 97, UNDECIDED = 120, LINE_SIZE = 4096 };

static int fail(const char *text)
{
    fprintf(stderr, "bench_regret: %s\n", text);
    return 2;
}

static struct search *search_new(void)
{
    struct search *s;
    struct error e;

    if (search_open(&s, &(struct search_options){.hash = 16 << 20}, &e))
        exit(fail(e.text));
    return s;
}

/* -------------------------------------------------------------------------- making -- */

static bool sample_fits(const struct sample *s)
{
    const struct board *b = &s->board;
    int pieces = squares_count(b->side[BLACK] | b->side[WHITE]);

    return pieces >= PIECES_LEAST && pieces <= PIECES_MOST && abs(s->score) <= UNDECIDED &&
           !board_must_capture(b) && moves_count(b) > 1;
}

static bool print_scores(struct search *s, const struct board *b, uint64_t nodes)
{
    struct move_list list;
    char text[FEN_TEXT_MAX > MOVE_TEXT_MAX ? FEN_TEXT_MAX : MOVE_TEXT_MAX];

    fen_format(b, text);
    printf("%s", text);
    moves_generate(b, &list);
    search_clear(s);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        struct search_result r;
        struct error e;

        if (search_run(s, &next, b, 1, &(struct search_limits){.nodes = nodes}, &r, &e))
            return false;
        move_format(&list.move[i], NULL, MOVE_NUMBERS, text);
        printf(" %s=%d", text, r.lines ? -r.line[0].score : SCORE_WIN);
    }
    putchar('\n');
    return true;
}

static int make(const char *path, int count, uint64_t nodes)
{
    struct search *search = search_new();
    struct samples s = {0};
    struct error e;
    size_t next = 0;

    if (samples_read(&s, path, &e))
        return fail(e.text);
    for (size_t i = 0; i < s.count && count > 0; i++) {
        if (i < next || !sample_fits(&s.list[i]))
            continue;
        if (!print_scores(search, &s.list[i].board, nodes))
            return fail("the search failed");
        next = i + APART;
        count--;
    }
    samples_free(&s);
    search_close(&search);
    return count ? fail("not enough positions in the samples") : 0;
}

/* ------------------------------------------------------------------------- judging -- */

/* The points that a score promises, in percent. */
static double points(int score)
{
    return 100 / (1 + exp(-0.01 * score_clamp(score, 1000)));
}

/* One line of the list; below 0 if it is wrong. */
static double judge_line(struct search *s, uint64_t nodes, char *line)
{
    char *fen = strtok(line, " \n"), *word, text[MOVE_TEXT_MAX];
    int best = -SCORE_INFINITE, chosen = -SCORE_INFINITE;
    struct search_result r;
    struct error e;
    struct board b;

    if (!fen || !fen_parse(fen, strlen(fen), &b, NULL))
        return -1;
    search_clear(s);
    if (search_run(s, &b, NULL, 0, &(struct search_limits){.nodes = nodes}, &r, &e) || !r.lines)
        return -1;
    move_format(&r.line[0].pv[0], NULL, MOVE_NUMBERS, text);
    while ((word = strtok(NULL, " \n"))) {
        char *is = strchr(word, '=');
        int score = is ? atoi(is + 1) : 0;

        if (!is)
            return -1;
        *is = '\0';
        best = score > best ? score : best;
        chosen = strcmp(word, text) == 0 ? score : chosen;
    }
    return chosen == -SCORE_INFINITE ? -1 : points(best) - points(chosen);
}

static int judge(const char *path, uint64_t nodes)
{
    FILE *f = fopen(path, "r");
    struct search *s = search_new();
    char line[LINE_SIZE];
    double sum = 0, squares_sum = 0;
    int number = 0;

    if (!f)
        return fail("cannot read the list");
    while (fgets(line, sizeof line, f)) {
        double regret = judge_line(s, nodes, line);

        if (number++, regret < 0) {
            fprintf(stderr, "bench_regret: %s:%d: not a position and moves\n", path, number);
            return 2;
        }
        sum += regret;
        squares_sum += regret * regret;
    }
    fclose(f);
    search_close(&s);
    printf("%d positions, %llu nodes a move: regret %.3f +- %.3f\n", number,
           (unsigned long long)nodes, sum / number,
           1.96 * sqrt(squares_sum / number - sum / number * sum / number) / sqrt(number));
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc == 5 && strcmp(argv[1], "make") == 0)
        return make(argv[2], atoi(argv[3]), strtoull(argv[4], NULL, 10));
    if (argc < 3)
        return fail("usage: make SAMPLES COUNT N | LIST N...");
    for (int i = 2; i < argc && !status; i++)
        status = judge(argv[1], strtoull(argv[i], NULL, 10));
    return status;
}
