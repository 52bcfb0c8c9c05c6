/* SPDX-License-Identifier: MIT
 *
 * What surrounds the search: games, openings, scores of matches, and the two protocols,
 * as text and as programs that talk to each other. */
#include "kit/positions.h"
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "play/dxp.h"
#include "play/game.h"
#include "play/hub.h"
#include "play/tally.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ------------------------------------------------------------------------------- games -- */

static void play_text(struct game *g, const char *text)
{
    struct move_list legal;
    struct move m;

    moves_generate(game_now(g), &legal);
    assert_true(move_parse(text, strlen(text), &legal, &m, NULL));
    assert_true(game_push(g, &m));
}

/* Four moves of two kings that lead back to where they began. */
static const char *const round_trip[] = {"10-14", "1-5", "14-10", "5-1"};

static struct game *two_kings(void)
{
    struct board b = {.turn = WHITE};
    struct game *g = malloc(sizeof *g);

    assert_non_null(g);
    b.side[WHITE] = squares_of(square_from_number(10));
    b.side[BLACK] = squares_of(square_from_number(1));
    b.kings = b.side[WHITE] | b.side[BLACK];
    game_begin(g, &b);
    return g;
}

static void third_time_is_a_draw(void **state)
{
    struct game *g = two_kings();

    (void)state;
    for (int i = 0; i < 8; i++) {
        assert_int_equal(game_state(g, NULL), GAME_ON);
        play_text(g, round_trip[i % 4]);
    }
    assert_int_equal(game_state(g, NULL), GAME_DRAWN);
    free(g);
}

static void no_move_loses(void **state)
{
    struct game *g = malloc(sizeof *g);
    struct board b = {.turn = BLACK};

    (void)state;
    assert_non_null(g);
    b.side[WHITE] = squares_of(square_from_number(20));
    game_begin(g, &b);
    assert_int_equal(game_state(g, NULL), GAME_WHITE_WINS);
    free(g);
}

/* A game that is full takes no further move and stays as it is. */
static void full_game_takes_no_move(void **state)
{
    struct game *g = two_kings();
    struct board b = *game_now(g);
    struct move_list legal;

    (void)state;
    for (int i = 0; i < GAME_PLIES_MAX; i++)
        play_text(g, round_trip[i % 4]);
    moves_generate(game_now(g), &legal);
    assert_false(game_push(g, &legal.move[0]));
    assert_int_equal(g->plies, GAME_PLIES_MAX);
    assert_true(board_equal(game_now(g), &b));
    free(g);
}

/* -------------------------------------------------------------------------------- tally -- */

static void tally_tells_what_it_should(void **state)
{
    struct tally even = {0}, better = {0};
    double elo, error;

    (void)state;
    for (int i = 0; i < 400; i++) {
        int a = i % 3, b = 2 - a;

        tally_game(&even, a);
        tally_game(&even, b);
        tally_pair(&even, a, b);
        a = i % 4 ? 1 : 2;
        tally_game(&better, a);
        tally_game(&better, 1);
        tally_pair(&better, a, 1);
    }
    assert_true(tally_score(&even) == 0.5);
    assert_true(tally_elo(&better, &elo, &error));
    /* 62.5 % in every other game: 56.25 % in all. */
    assert_true(fabs(elo - (-400 * log10(1 / 0.5625 - 1))) < 1e-9);
    assert_true(error > 0 && error < elo);
    assert_int_equal(tally_sprt(&better, 0, 10), SPRT_ELO1);
    assert_int_equal(tally_sprt(&(struct tally){0}, 0, 10), SPRT_GO_ON);
}

/* Three pairs that happen to be alike say little, whatever the ratio is. */
static void the_test_waits_for_enough_pairs(void **state)
{
    struct tally t = {.pairs = {1, TALLY_PAIRS_MIN - 2}};

    (void)state;
    assert_true(tally_llr(&t, 0, 30) < -3);
    assert_int_equal(tally_sprt(&t, 0, 30), SPRT_GO_ON);
    t.pairs[1]++;
    assert_int_equal(tally_sprt(&t, 0, 30), SPRT_ELO0);
}

/* ---------------------------------------------------------------------------------- hub -- */

static void hub_positions_and_moves_come_back(void **state)
{
    struct rng r = rng_for_test("hub");

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct board b = random_position(&r), back;
        char text[HUB_POSITION_MAX], move[HUB_MOVE_MAX];
        struct move_list list;

        if (!b.side[side_other(b.turn)])
            continue;
        hub_position_format(&b, text);
        assert_null(hub_position_parse(text, &back));
        assert_true(board_equal(&b, &back));
        moves_generate(&b, &list);
        for (int k = 0; k < list.count; k++) {
            struct board want = board_after(&b, &list.move[k]), got;
            struct move m;

            hub_move_format(&list.move[k], move);
            assert_null(hub_move_parse(move, strlen(move), &b, &m));
            got = board_after(&b, &m);
            assert_true(board_equal(&want, &got));
        }
    }
}

static void hub_lines_are_cut(void **state)
{
    char text[] = "  pos pos=Wbb moves=\"11-15 22-18\" flag x= ", open[] = "pos moves=\"1-2";
    struct hub_line line;

    (void)state;
    assert_true(hub_line_parse(text, &line));
    assert_string_equal(line.command, "pos");
    assert_string_equal(hub_arg(&line, "pos"), "Wbb");
    assert_string_equal(hub_arg(&line, "moves"), "11-15 22-18");
    assert_string_equal(hub_arg(&line, "flag"), "");
    assert_string_equal(hub_arg(&line, "x"), "");
    assert_null(hub_arg(&line, "y"));
    assert_false(hub_line_parse(open, &line));
}

static void hub_survives_garbage(void **state)
{
    static const char bytes[] = "pos=\"x-0123456789 BbWwe\t";
    struct rng r = rng_for_test("hub garbage");

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char text[48];
        struct hub_line line;
        struct move m;
        struct board b;
        int n = rng_below(&r, (int)sizeof text);

        for (int k = 0; k < n; k++)
            text[k] = rng_below(&r, 9) ? bytes[rng_below(&r, sizeof bytes - 1)]
                                       : (char)(1 + rng_below(&r, 255));
        text[n] = 0;
        hub_position_parse(text, &b);
        hub_move_parse(text, (size_t)n, &board_start, &m);
        hub_line_parse(text, &line);
        assert_true(line.args <= HUB_ARGS_MAX);
    }
}

static void engine_answers(void **state)
{
    static const char input[] = "hub\nset-param name=variant value=english\n"
                                "set-param name=hash value=1\ninit\nnew-game\n"
                                "pos pos=Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves=\"11-15 22-18\"\n"
                                "level depth=4\ngo think\nping\n";
    struct run r = run_kelso(ARGS("engine", "--no-tables"), input, sizeof input - 1);

    (void)state;
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "id name=Kelso"));
    assert_non_null(strstr(r.out, "values=\"english\""));
    assert_non_null(strstr(r.out, "\nwait\n"));
    assert_non_null(strstr(r.out, "\nready\n"));
    assert_non_null(strstr(r.out, "\npong\n"));
    assert_non_null(strstr(r.out, "\ndone move=15x22x18"));
    run_free(&r);
}

static void engine_complains(void **state)
{
    static const char input[] =
        "rubbish\npos pos=Q\npos moves=\"1-2\"\npos moves=\"\n"
        "level depth=many\nset-param name=variant value=losing\n"
        "set-param name=threads value=0\nset-param\nponder-hit\nstop\n\n"
        "\xff\xfe\x01 =\"=\n"
        "pos pos=Beeeeeeeeeeeeeeeeeeeeeeeeeeeeeeew\nlevel depth=1\ngo think\n"
        "pos\ngo think\n";
    struct run r = run_kelso(ARGS("engine", "--no-tables"), input, sizeof input - 1);
    int errors = 0;

    (void)state;
    assert_int_equal(r.status, 0);
    for (const char *p = r.out; (p = strstr(p, "error message=\"")); p++)
        errors++;
    assert_int_equal(errors, 10); /* rubbish is passed over */
    assert_non_null(strstr(r.out, "no legal move"));
    assert_non_null(strstr(r.out, "done move="));
    run_free(&r);
}

/* ---------------------------------------------------------------------------------- dxp -- */

static struct dxp_message dxp_twice(const struct dxp_message *m)
{
    char text[DXP_MESSAGE_MAX];
    struct dxp_message back;

    assert_true(dxp_encode(m, text) <= sizeof text);
    assert_null(dxp_decode(text, &back));
    return back;
}

static void dxp_messages_come_back(void **state)
{
    struct rng r = rng_for_test("dxp");

    (void)state;
    for (int i = 0; i < 500; i++) {
        struct board b = random_position(&r);
        struct dxp_message m = {.kind = 'R',
                                .version = 1,
                                .name = "A name",
                                .minutes = 120,
                                .moves = 75,
                                .colour = (enum side)(i % 2),
                                .start = b},
                           back;
        struct move_list list;

        if (!b.side[side_other(b.turn)])
            continue;
        back = dxp_twice(&m);
        assert_string_equal(back.name, m.name);
        assert_int_equal(back.minutes, 120);
        assert_int_equal(back.moves, 75);
        assert_int_equal(back.colour, m.colour);
        assert_true(board_equal(&back.start, &b));
        moves_generate(&b, &list);
        for (int k = 0; k < list.count; k++) {
            struct board want = board_after(&b, &list.move[k]), got;
            struct move move;

            m = dxp_move_message(&list.move[k], 3.4);
            back = dxp_twice(&m);
            assert_int_equal(back.seconds, 3);
            assert_true(dxp_move_find(&back, &b, &move));
            got = board_after(&b, &move);
            assert_true(board_equal(&want, &got));
        }
    }
}

static void dxp_survives_garbage(void **state)
{
    static const char bytes[] = "RAMECBK0123456789wzWZe AB";
    struct rng r = rng_for_test("dxp garbage");

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char text[DXP_MESSAGE_MAX];
        struct dxp_message m;
        int n = rng_below(&r, 100);

        for (int k = 0; k < n; k++)
            text[k] = rng_below(&r, 9) ? bytes[rng_below(&r, sizeof bytes - 1)]
                                       : (char)(1 + rng_below(&r, 255));
        text[n] = 0;
        if (!dxp_decode(text, &m) && m.kind == 'R')
            assert_true(board_valid(&m.start));
    }
    assert_non_null(dxp_decode("", &(struct dxp_message){0}));
    assert_non_null(dxp_decode("M00010915", &(struct dxp_message){0}));
}

/* Start the program with a DXP address; wait until it listens. */
static pid_t dxp_start(const char *address, const char *think)
{
    const char *binary = getenv("KELSO_BINARY");
    char *args[] = {(char *)"kelso",       (char *)"engine",  (char *)"--dxp", (char *)address,
                    (char *)"--no-tables", (char *)"--think", (char *)think,   (char *)"--patience",
                    (char *)"2",           (char *)"--hash",  (char *)"1",     NULL};
    posix_spawn_file_actions_t files;
    pid_t pid;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1 /* O_WRONLY */, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", 1, 0);
    assert_int_equal(
        posix_spawn(&pid, binary ? binary : "build/check/kelso", &files, NULL, args, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

static void dxp_connect(struct dxp_link *link, const char *address)
{
    int quiet = dup(2), tries = 0;

    assert_non_null(freopen("/dev/null", "w", stderr));
    while (dxp_call(link, address, NULL) && ++tries < 200)
        usleep(50000);
    dup2(quiet, 2);
    close(quiet);
    assert_true(link->socket >= 0);
}

static void send_raw(struct dxp_link *link, const char *bytes, size_t n)
{
    assert_int_equal(write(link->socket, bytes, n), (ssize_t)n);
}

static char receive_kind(struct dxp_link *link, struct dxp_message *m)
{
    const char *wrong;

    return dxp_receive(link, 20, m, &wrong) == DXP_GOT ? m->kind : 0;
}

/* Ask for a game in which the engine has Black and begins. */
static void dxp_ask(struct dxp_link *link, struct dxp_message *m)
{
    *m = (struct dxp_message){.kind = 'R',
                              .version = 1,
                              .name = "test",
                              .colour = BLACK,
                              .minutes = 1,
                              .moves = 75,
                              .start = board_start};
    assert_true(dxp_send(link, m));
    assert_int_equal(receive_kind(link, m), 'A');
    assert_int_equal(m->code, DXP_ACCEPTED);
    assert_int_equal(receive_kind(link, m), 'M');
}

/* A few moves against the engine, whose first is in *m, then resign. */
static void dxp_play_a_little(struct dxp_link *link, struct dxp_message *m)
{
    struct board b = board_start;

    for (int i = 0; i < 3; i++) {
        struct move_list list;
        struct move move;

        assert_true(dxp_move_find(m, &b, &move));
        b = board_after(&b, &move);
        assert_true(moves_generate(&b, &list) > 0);
        *m = dxp_move_message(&list.move[0], 0);
        assert_true(dxp_send(link, m));
        b = board_after(&b, &list.move[0]);
        assert_int_equal(receive_kind(link, m), 'M');
    }
    dxp_send(link, &(struct dxp_message){.kind = 'E', .code = DXP_I_LOSE, .stop = '1'});
}

/* One engine, many peers: one that plays, one that cheats, one that sends garbage, one that
 * hangs up, one that says nothing.  The engine is there for the next one each time. */
static void dxp_goes_on(void **state)
{
    char address[32], endless[400];
    struct dxp_message m;
    struct dxp_link link;
    int status;
    pid_t pid;

    (void)state;
    snprintf(address, sizeof address, "127.0.0.1:%d", 20000 + (int)(getpid() % 20000));
    pid = dxp_start(address, "0.01");

    dxp_connect(&link, address); /* plays */
    dxp_ask(&link, &m);
    dxp_play_a_little(&link, &m);
    assert_int_equal(receive_kind(&link, &m), 'E');
    dxp_hang_up(&link);

    dxp_connect(&link, address); /* a move that is not legal */
    dxp_ask(&link, &m);
    dxp_send(&link, &(struct dxp_message){.kind = 'M', .from = 32, .to = 1});
    assert_int_equal(receive_kind(&link, &m), 'E');
    dxp_hang_up(&link);

    dxp_connect(&link, address); /* garbage */
    send_raw(&link, "\xff\x01garbage", sizeof "\xff\x01garbage");
    assert_int_equal(receive_kind(&link, &m), 'E');
    dxp_hang_up(&link);

    dxp_connect(&link, address); /* no end: at once, for the engine hangs up when it has enough */
    memset(endless, 'C', sizeof endless);
    send_raw(&link, endless, sizeof endless);
    assert_int_equal(receive_kind(&link, &m), 'E');
    dxp_hang_up(&link);

    dxp_connect(&link, address); /* in the middle of a game */
    dxp_ask(&link, &m);
    dxp_hang_up(&link);

    dxp_connect(&link, address); /* silence */
    assert_int_equal(receive_kind(&link, &m), 'E');
    dxp_hang_up(&link);

    dxp_connect(&link, address);
    dxp_ask(&link, &m);
    dxp_hang_up(&link);
    kill(pid, SIGTERM);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
}

/* What the side to move can gain or lose in pieces within `depth` plies. */
static int material_search(const struct board *b, int depth)
{
    struct move_list list;
    int best = -100;

    moves_generate(b, &list);
    if (list.count == 0 || (depth <= 0 && !list.move[0].jumps))
        return list.count
                   ? squares_count(b->side[b->turn]) - squares_count(b->side[side_other(b->turn)])
                   : -100;
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        int score = -material_search(&next, depth - 1);

        best = score > best ? score : best;
    }
    return best;
}

static int quiet_plies(const struct game *g)
{
    int n = 0;

    while (n < g->plies && !g->move[g->plies - n - 1].jumps &&
           (g->board[g->plies - n - 1].kings & squares_of(g->move[g->plies - n - 1].from)))
        n++;
    return n;
}

static int times_seen(const struct game *g, const struct board *b)
{
    int n = 0;

    for (int i = 0; i <= g->plies; i++)
        n += board_equal(&g->board[i], b);
    return n;
}

/* A move that drags the game on: it neither wins nor loses a piece, repeats nothing, and moves a
 * man when it is time for one and at no other. */
static struct move dragging_move(const struct game *g, struct rng *r)
{
    const struct board *b = game_now(g);
    bool man_due = quiet_plies(g) > GAME_QUIET_MAX - 30;
    struct move_list list;
    int best = -1000, chosen = 0;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        int change = material_search(&next, 4) + squares_count(b->side[b->turn]) -
                     squares_count(b->side[side_other(b->turn)]);
        bool man = !(b->kings & squares_of(list.move[i].from));
        int score = -4 * abs(change) + 2 * (man == man_due) - 100 * (times_seen(g, &next) > 1);

        score = 10 * score + rng_below(r, 10);
        if (score > best || i == 0) {
            best = score;
            chosen = i;
        }
    }
    return list.move[chosen];
}

/* Play on until the engine says that the game is over; *m becomes what it says. */
static void drag_on(struct dxp_link *link, struct game *g, struct dxp_message *m, struct rng *r)
{
    for (;;) {
        struct move move = dragging_move(g, r);

        *m = dxp_move_message(&move, 0);
        assert_true(dxp_send(link, m));
        if (receive_kind(link, m) != 'M') /* the move may be one too many */
            return;
        assert_true(game_push(g, &move));
        assert_true(dxp_move_find(m, game_now(g), &move));
        assert_true(game_push(g, &move));
    }
}

/* A peer that drags a game on to the last ply that there is room for, and one further. */
static void dxp_survives_a_long_game(void **state)
{
    static const char fen[] = "B:WK32:B1,2,3,4,K5,K13";
    struct rng r = rng_for_test("dxp long");
    struct game *g = malloc(sizeof *g);
    struct dxp_message m = {
        .kind = 'R', .version = 1, .name = "test", .colour = WHITE, .minutes = 1};
    char address[32];
    struct dxp_link link;
    int status;
    pid_t pid;

    (void)state;
    assert_non_null(g);
    assert_true(fen_parse(fen, strlen(fen), &m.start, NULL));
    game_begin(g, &m.start);
    snprintf(address, sizeof address, "127.0.0.1:%d", 20000 + (int)((getpid() + 7) % 20000));
    pid = dxp_start(address, "0.001");
    dxp_connect(&link, address);
    assert_true(dxp_send(&link, &m));
    assert_int_equal(receive_kind(&link, &m), 'A');
    drag_on(&link, g, &m, &r);
    assert_int_equal(g->plies, GAME_PLIES_MAX);
    assert_int_equal(m.kind, 'E');
    assert_int_equal(m.code, DXP_DRAW);
    dxp_hang_up(&link);
    kill(pid, SIGTERM);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    free(g);
}

/* ------------------------------------------------------------------------------- match -- */

static void match_runs(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX], hub[SCRATCH_MAX];
    const char *binary = getenv("KELSO_BINARY");
    struct run r;

    (void)state;
    scratch_file(&dir, "games.pdn", path);
    r = run_kelso(ARGS("match", "--no-tables", "--a", "depth=4,hash=1", "--b", "depth=2,hash=1",
                       "--games", "8", "--jobs", "2", "--pdn", path, "--json", "--sprt", "0:1"),
                  "", 0);
    assert_int_equal(r.status, 0);
    assert_true(json_is_valid(r.out));
    assert_non_null(strstr(r.out, "\"games\":8"));
    assert_non_null(strstr(r.out, "\"sprt\":\"undecided\""));
    run_free(&r);
    r = run_kelso(ARGS("pdn", "check", path), "", 0);
    assert_int_equal(r.status, 0);
    run_free(&r);

    snprintf(hub, sizeof hub, "depth=2,hub=%s engine --no-tables --hash 1",
             binary ? binary : "build/check/kelso");
    r = run_kelso(ARGS("match", "--no-tables", "--a", hub, "--b", "depth=2,hash=1", "--games", "2"),
                  "", 0);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "2 games"));
    run_free(&r);

    r = run_kelso(ARGS("match", "--no-tables", "--a", "depth=2,hub=true", "--games", "2"), "", 0);
    assert_int_equal(r.status, 2); /* a program that ends at once */
    assert_non_null(strstr(r.err, "does not answer"));
    run_free(&r);
    r = run_kelso(ARGS("match", "--a", "speed=9", "--games", "2"), "", 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "'speed=9'"));
    run_free(&r);
    scratch_remove(&dir);
}

static void commands_answer(void **state)
{
    static const char moves[] = "1. 11-15 23-19 8-11 22-17 11-16 24-20";
    static const char typed[] = "moves\n9-13\nnonsense\nquit\n";
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct run r;

    (void)state;
    r = run_kelso(ARGS("bench", "--depth", "6", "--json"), "", 0);
    assert_int_equal(r.status, 0);
    assert_true(json_is_valid(r.out));
    run_free(&r);
    r = run_kelso(ARGS("analyze", "--no-tables", "--depth", "6", "--multipv", "3", "--json"), "",
                  0);
    assert_int_equal(r.status, 0);
    assert_true(json_is_valid(r.out));
    assert_non_null(strstr(r.out, "\"proven\":false"));
    run_free(&r);
    r = run_kelso(ARGS("analyze", "W:WK1:B5", "--no-tables", "--depth", "8", "--json"), "", 0);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "\"proven\":true"));
    run_free(&r);
    scratch_file(&dir, "game.txt", path);
    file_write(path, moves, sizeof moves - 1);
    r = run_kelso(ARGS("analyze", path, "--no-tables", "--depth", "5"), "", 0);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "11-15"));
    run_free(&r);
    r = run_kelso(ARGS("play", "--no-tables", "--depth", "2"), typed, sizeof typed - 1);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "White plays"));
    run_free(&r);
    r = run_kelso(ARGS("duel", "B:WK31:B25,K18", "--on-demand", "--nodes", "2000", "--json",
                       "--dir", dir.path),
                  "", 0);
    assert_int_equal(r.status, 0);
    assert_true(json_is_valid(r.out));
    assert_non_null(strstr(r.out, "\"distance\":["));
    run_free(&r);
    r = run_kelso(ARGS("duel", "B:WK31:B25,K18", "--on-demand", "--strong", "dtw", "--json",
                       "--dir", dir.path),
                  "", 0);
    assert_non_null(strstr(r.out, "\"end\":\"won\""));
    run_free(&r);
    scratch_remove(&dir);
}

/* A move is typed as in a file of games; a game is continued where its file ends or goes wrong. */
static void play_reads_games(void **state)
{
    static const char game[] =
        "[Event \"x\"]\n\n1. 11-15! {x} 22-18 2. 15x22\n25x18 3. 8-11 29-24 *\n";
    static const char typed[] = "11-15 22-18\n1. c3-d4! {the usual}\nquit\n";
    static const char white[] = "3... 29-25?\nquit\n";
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct run r;

    (void)state;
    r = run_kelso(ARGS("play", "--no-tables", "--depth", "1"), typed, sizeof typed - 1);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "White plays"));
    assert_non_null(strstr(r.out, "one move at a time"));
    run_free(&r);
    scratch_file(&dir, "game.pdn", path);
    file_write(path, game, sizeof game - 1);
    r = run_kelso(ARGS("play", "--no-tables", "--depth", "1", "--colour", "white", "--game", path),
                  white, sizeof white - 1);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.err, ":4:15: game 1: expected a legal move"));
    assert_non_null(strstr(r.out, "Black plays"));
    run_free(&r);
    file_write(path, "nothing", 7);
    r = run_kelso(ARGS("play", "--no-tables", "--game", path), "", 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "no moves found"));
    run_free(&r);
    scratch_remove(&dir);
}

/* `text` begins with `part`; what follows. */
static const char *passed(const char *text, const char *part)
{
    if (strncmp(text, part, strlen(part)) != 0)
        fail_msg("expected\n%s\nfound\n%s", part, text);
    return text + strlen(part);
}

/* Tags stay as they are, in their order; so does the result, of a game given up too. */
static void analysis_keeps_tags(void **state)
{
    static const char first[] =
        "[White \"B \\\"x\\\" \\\\ y\"]\n[Event \"Match\"]\n[Source \"a book\"]\n"
        "[Black \"A\"]\n[Site \"Boston\"]\n[Result \"0-1\"]\n";
    static const char second[] =
        "[FEN \"B:WK31:B25,K18\"]\n[Annotator \"me\"]\n[Result \"*\"]\n"
        "[Event \"Figure 4\"]\n[GameType \"21,B,8,8,N1,0\"]\n[SetUp \"1\"]\n";
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX], games[1024];
    const char *at;
    struct run r, check;
    int n;

    (void)state;
    n = snprintf(games, sizeof games, "%s\n1. 11-15 22-18 0-1\n\n%s\n1. 18-23 *\n", first, second);
    file_write(scratch_file(&dir, "games.pdn", path), games, (size_t)n);
    r = run_kelso(ARGS("analyze", path, "--no-tables", "--depth", "3"), "", 0);
    assert_int_equal(r.status, 0);
    at = passed(r.out, first);
    at = passed(at, "[Annotator \"kelso\"]\n[GameType \"21\"]\n\n1. 11-15 {");
    assert_non_null(at = strstr(at, "} 0-1\n"));
    at = passed(at, "} 0-1\n\n");
    at = passed(at, second);
    at = passed(at, "\n1. 18-23 {");
    assert_non_null(strstr(at, "} *\n"));
    check = run_kelso(ARGS("pdn", "check", "-"), r.out, r.out_length);
    assert_int_equal(check.status, 0);
    run_free(&check);
    run_free(&r);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(third_time_is_a_draw),
        cmocka_unit_test(no_move_loses),
        cmocka_unit_test(full_game_takes_no_move),
        cmocka_unit_test(tally_tells_what_it_should),
        cmocka_unit_test(the_test_waits_for_enough_pairs),
        cmocka_unit_test(hub_positions_and_moves_come_back),
        cmocka_unit_test(hub_lines_are_cut),
        cmocka_unit_test(hub_survives_garbage),
        cmocka_unit_test(engine_answers),
        cmocka_unit_test(engine_complains),
        cmocka_unit_test(dxp_messages_come_back),
        cmocka_unit_test(dxp_survives_garbage),
        cmocka_unit_test(dxp_goes_on),
        cmocka_unit_test(dxp_survives_a_long_game),
        cmocka_unit_test(match_runs),
        cmocka_unit_test(commands_answer),
        cmocka_unit_test(play_reads_games),
        cmocka_unit_test(analysis_keeps_tags),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
