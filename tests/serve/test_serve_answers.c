/* SPDX-License-Identifier: MIT
 *
 * What the server answers is what the commands print and docs/api.md says: (A1), (A2) of
 * api.h. */
#include "kit/run.h"
#include "kit/serve_kit.h"

/* What the command prints is what the server sends. */
static void check_same(struct kit *k, const char *target, const char *const *args)
{
    struct run printed = run_kelso(args, "", 0);
    struct response sent = get(&k->server, target);

    assert_int_equal(sent.status, 200);
    assert_string_equal(sent.body, printed.out);
    run_free(&printed);
    response_free(&sent);
}

static void test_same_as_commands(void **state)
{
    struct kit *k = *state;
    const char *dir = k->tables.path;

    check_same(k, "/api/v1/position?fen=" FIGURE_4,
               ARGS("probe", "--json", "--dir", dir, FIGURE_4));
    check_same(k, "/api/v1/position?fen=W:WK1,K2:BK31,22",
               ARGS("probe", "--json", "--dir", dir, "W:WK1,K2:BK31,22"));
    check_same(k, "/api/v1/position?fen=W:W21:B17,14",
               ARGS("probe", "--json", "--dir", dir, "W:W21:B17,14"));
    check_same(k, "/api/v1/moves?fen=B:W6,14,22:B1", ARGS("moves", "--json", "B:W6,14,22:B1"));
    check_same(k, "/api/v1/line?fen=" FIGURE_4, ARGS("line", "--json", "--dir", dir, FIGURE_4));
    check_same(k, "/api/v1/line?kind=dtc&ties=1&fen=" FIGURE_4,
               ARGS("line", "--json", "--ties", "--kind", "dtc", "--dir", dir, FIGURE_4));
}

/* Lists hold the objects that the commands print one to a line. */
static void check_list(struct kit *k, const char *target, const char *const *args)
{
    struct run printed = run_kelso(args, "", 0);
    struct response sent = get(&k->server, target);
    const char *at = sent.body;
    char *save = NULL;
    int lines = 0;

    assert_int_equal(sent.status, 200);
    assert_true(json_is_valid(sent.body));
    for (char *line = strtok_r(printed.out, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        at = strstr(at, line);
        if (!at)
            fail_msg("%s lacks %s", target, line);
        lines++;
    }
    assert_true(lines > 1);
    run_free(&printed);
    response_free(&sent);
}

static void test_lists(void **state)
{
    struct kit *k = *state;
    const char *dir = k->tables.path;

    check_list(k, "/api/v1/slices?pieces=5",
               ARGS("slices", "--json", "--pieces", "5", "--dir", dir));
    check_list(k, "/api/v1/stats", ARGS("stats", "--json", "--dir", dir));
    check_list(k, "/api/v1/longest", ARGS("longest", "--json", "--dir", dir));
    check_list(k, "/api/v1/longest?slice=2K-1K&quiet=1",
               ARGS("longest", "--json", "--quiet", "--slice", "2K-1K", "--dir", dir));
}

/* The rows of a list, from the names of the columns on. */
static void expect_csv(const struct server *s, const char *target, const char *part)
{
    struct response r = get(s, target);

    if (r.status != 200 || !strstr(r.body, part) || !strstr(r.head, "text/csv"))
        fail_msg("%s: %d %s, expected '%s'", target, r.status, r.body, part);
    response_free(&r);
}

static void test_csv(void **state)
{
    const struct server *s = &((struct kit *)*state)->server;

    expect_csv(s, "/api/v1/moves?fen=B:W6,14,22:B1&format=csv",
               "move,path,captured,crowns,fen\r\n1x26,1 10 17 26,6 14 22,false,W:W:B26\r\n");
    expect_csv(s, "/api/v1/stats?slice=1K-1K&format=csv", ",dtw_win.plies,dtw_win.fen,");
    expect_csv(s, "/api/v1/longest?slice=1K-1K&format=csv", "slice,kind,value,plies,fen,moves\r\n");
    expect_csv(s, "/api/v1/state?format=csv", "pieces,slices,wld,dtc,dtw\r\n2,");
    expect_csv(s, "/api/v1/shortest?format=csv", "number,final,moves\r\n1,21,");
    expect_csv(s, "/api/v1/histogram?slice=2K-1K&format=csv&list=squares",
               "slice,piece,square,wins,draws,losses\r\n");
    expect(s, "/api/v1/histogram?slice=2K-1K&format=csv&list=sq", 400, "no such list");
    expect(s, "/api/v1/histogram?slice=2K-1K&format=xml", 400, "format: expected json|csv");
    expect(s, "/api/v1/histogram?slice=4K-4K&format=csv", 404, "4K-4K");
    expect(s, "/api/v1/histogram", 400, "slice is missing");
    expect(s, "/api/v1/histogram?slice=2K-1K&pages=0", 400, "pages");
    expect(s, "/api/v1/histogram?slice=2K-1K&pages=513", 400, "pages");
    expect(s, "/api/v1/histogram?slice=2K-1K&pages=1", 200, "\"sampled\":");
}

static void test_gaps(void **state)
{
    struct kit *k = *state;

    expect(&k->server, "/api/v1/position?fen=B:W21-32:B1-12", 200, "\"value\":null");
    expect(&k->server, "/api/v1/position?fen=B:W31,32:B1,2,3", 200, "\"missing\":\"");
    /* White to move takes a man: what follows is known though the position is not. */
    expect(&k->server, "/api/v1/position?fen=W:W22,32:B18,1,2", 200, "\"value\":\"");
    expect(&k->server, "/api/v1/line?fen=B:W31,32:B1,2,3", 404, "no table 3C-2C.wld");
}

static void test_games(void **state)
{
    struct kit *k = *state;
    struct response r =
        request(&k->server, "POST", "/api/v1/game", NULL, "B:WK31:B25,K18 18-22 31-27\n");

    assert_int_equal(r.status, 200);
    assert_non_null(strstr(r.body, "\"best\":{\"move\":\"18-23\",\"value\":\"win\",\"plies\":3},"
                                   "\"slip\":22,\"changes_value\":false"));
    response_free(&r);
    r = request(&k->server, "POST", "/api/v1/game", NULL, "1. 11-15 22-18 2. 15x22\n9-13\n");
    assert_non_null(strstr(r.body, "\"error\":{\"line\":2,\"column\":1,"));
    response_free(&r);
    r = request(&k->server, "POST", "/api/v1/game", NULL, "");
    assert_string_equal(r.body, "{\"games\":[],\"error\":null}\n");
    response_free(&r);
}

static void test_analysis(void **state)
{
    struct kit *k = *state;

    expect_post(&k->server, "/api/v1/analysis?time=50ms&fen=B:W21-32:B1-12", 200, "\"pv\":[");
    expect_post(&k->server, "/api/v1/analysis?time=50ms&lines=2&fen=" FIGURE_4, 200,
                "\"value\":\"win\"");
    expect_post(&k->server, "/api/v1/analysis?time=9h&fen=" FIGURE_4, 400, "at most 30 seconds");
    expect_post(&k->server, "/api/v1/analysis?time=0&fen=" FIGURE_4, 400, "a time above 0");
    expect(&k->server, "/api/v1/analysis?time=50ms&fen=" FIGURE_4, 405, "method");
}

#define BLUNDER "B:WK27:BK18,25 18-23 27x18"

static void expect_report(const struct server *s, const char *query, const char *game, int status,
                          const char *part)
{
    char target[64];
    struct response r;

    snprintf(target, sizeof target, "/api/v1/report%s", query);
    r = request(s, "POST", target, NULL, game);
    if (r.status != status || !strstr(r.body, part))
        fail_msg("%.80s: %d %s\nlacks %s", game, r.status, r.body, part);
    response_free(&r);
}

/* A king goes to and fro: `plies` moves of a game. */
static char *long_game(int plies)
{
    static const char *const moves[] = {" 1-5", " 32-28", " 5-1", " 28-32"};
    char *text = malloc((size_t)plies * 8 + 32);

    strcpy(text, "B:WK32:BK1");
    for (int i = 0; i < plies; i++)
        strcat(text, moves[i % 4]);
    return text;
}

static void test_report(void **state)
{
    const struct server *s = &((struct kit *)*state)->server;
    char *game = long_game(601);

    /* A king is given away, and with it the game, as the tables know. */
    expect_report(s, "?time=100ms", BLUNDER, 200,
                  "data: {\"ply\":1,\"fen\":\"B:WK27:BK18,25\",\"move\":\"18-23\","
                  "\"mark\":\"blunder\",\"score\":-30994,\"proven\":true,\"value\":\"loss\",");
    expect_report(s, "?time=100ms", BLUNDER, 200,
                  "\"score\":30975,\"proven\":true,\"value\":\"win\",");
    expect_report(s, "?time=100ms", BLUNDER, 200,
                  "event: summary\ndata: {\"black\":{\"moves\":1,\"bad\":0,\"blunders\":1,"
                  "\"average_loss\":null},\"white\":{\"moves\":1,\"bad\":0,\"blunders\":0,"
                  "\"average_loss\":null}}\n\nevent: done\n");
    expect_report(s, "?time=50ms", "11-15 22-18 15x22 25x18", 200, "\"ply\":4,");
    expect_report(s, "?time=50ms", "11-15 22-18 15x22 25x18", 200,
                  "event: summary\ndata: {\"black\":{\"moves\":2,");
    expect_report(s, "?time=50ms", "11-15 22-18 15x22 25x18", 200,
                  "\n\nevent: done\ndata: {\"reason\":\"complete\"}\n\n");
    expect_report(s, "", "", 400, "expected a game with moves");
    expect_report(s, "", "B:W21-32:B1-12", 400, "expected a game with moves");
    expect_report(s, "", "11-15 22-25", 400, "the game, line 1, column 7: ");
    expect_report(s, "", "B:W33:B1 1-5", 400, "the game, line 1, column ");
    expect_report(s, "", "[Event \"1\"]\n\n1. 11-15 *\n\n[Event \"2\"]\n\n1. 9-14 *\n", 400,
                  "expected one game, found 2");
    expect_report(s, "?time=6s", "11-15", 400, "at most 5 seconds");
    expect_report(s, "", game, 400, "the game has 601 plies; at most 600");
    free(game);
    game = long_game(60);
    expect_report(s, "?time=5s", game, 400, "time: a game of 60 plies would take up to 605");
    free(game);
}

static void test_parameters(void **state)
{
    const struct server *s = &((struct kit *)*state)->server;

    expect(s, "/api/v1/position", 400, "fen: expected a position");
    expect(s, "/api/v1/position?fen=", 400, "\"column\":1");
    expect(s, "/api/v1/position?fen=B:WK31:B25,K18x", 400, "column 15");
    expect(s, "/api/v1/position?fen=B%00:W1:B2", 400, "NUL");
    expect(s, "/api/v1/position?fen=B%2:W1:B2", 400, "%-escape");
    expect(s, "/api/v1/position?fen=B:W1:B2&fen=B:W1:B2", 400, "twice");
    expect(s, "/api/v1/line?kind=dtx&fen=" FIGURE_4, 400,
           "kind: expected dtw|dtc|wld, found 'dtx'");
    expect(s, "/api/v1/line?ties=2&fen=" FIGURE_4, 400, "ties: expected 0|1");
    expect(s, "/api/v1/slices?pieces=99", 400,
           "pieces: expected a number from 2 to 10, found '99'");
    expect(s, "/api/v1/stats?slice=nonsense", 400, "slice: expected pieces");
    expect(s, "/api/v1/longest?slice=4K-4K", 404, "4K-4K");
    expect(s, "/api/v1/jobs/7", 404, "there is no job 7");
    expect(s, "/api/v1/jobs/x", 404, "there is no job 0");
    expect(s, "/api/v2/position", 404, "not found");
    expect(s, "/nowhere", 404, "not found");
}

/* -------------------------------------------------------------- documentation -- */

/* A line of an example, without its indent; NULL if the line is none. */
static const char *example_line(const char *line)
{
    return strncmp(line, "    ", 4) == 0 ? line + 4 : NULL;
}

/* "200 {...}" against what came; ... stands for the rest. */
static void check_example(const struct server *s, const char *question, const char *body,
                          const char *expected)
{
    const char *target = strchr(question, ' ') + 1, *dots = strstr(expected, "...");
    char method[8];
    struct response r;
    size_t n = dots ? (size_t)(dots - expected) - 4 : strlen(expected) - 4;

    snprintf(method, sizeof method, "%.*s", (int)(target - 1 - question), question);
    r = request(s, method, target, NULL, strcmp(method, "GET") == 0 ? NULL : body);
    if (r.status != atoi(expected) || strncmp(r.body, expected + 4, n) != 0 ||
        (!dots && r.body_length != n + 1))
        fail_msg("%s:\n%d %s\nbut docs/api.md has\n%s", question, r.status, r.body, expected);
    response_free(&r);
}

static void test_documentation(void **state)
{
    struct kit *k = *state;
    size_t size;
    char *text = (char *)file_read("docs/api.md", &size), *save = NULL, question[512] = "",
         body[512] = "";
    int examples = 0;

    text = realloc(text, size + 1);
    text[size] = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *at = example_line(line);

        if (!at)
            continue;
        if (strncmp(at, "> ", 2) == 0) {
            strcat(strcat(body, at + 2), "\n");
        } else if (at[0] >= '1' && at[0] <= '5') {
            check_example(&k->server, question, body, at);
            examples++;
        } else {
            snprintf(question, sizeof question, "%s", at);
            body[0] = 0;
        }
    }
    assert_true(examples > 15);
    free(text);
}

static int set_up(void **state)
{
    return kit_open(state, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_commands),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_games),
        cmocka_unit_test(test_analysis),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_documentation),
    };

    return cmocka_run_group_tests(tests, set_up, kit_close);
}
