/* SPDX-License-Identifier: MIT */
#include "play/hub_client.h"

#include "base/clock.h"
#include "report/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_SECONDS = 60, GRACE_SECONDS = 30 };

struct hub_client {
    pid_t child;
    int to, from;
    size_t held;
    char buffer[HUB_LINE_MAX];
    char line[HUB_LINE_MAX];
};

/* --------------------------------------------------------------------- the child -- */

static void child_run(const char *command, int in, int out)
{
    setpgid(0, 0); /* Ctrl-C is for the match to handle */
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static bool child_start(struct hub_client *c, const char *command)
{
    int down[2], up[2];

    if (pipe2(down, O_CLOEXEC))
        return false;
    if (pipe2(up, O_CLOEXEC)) {
        close(down[0]);
        close(down[1]);
        return false;
    }
    c->child = fork();
    if (c->child == 0)
        child_run(command, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    c->to = down[1];
    c->from = up[0];
    return c->child > 0;
}

static bool put(struct hub_client *c, const char *text)
{
    size_t n = strlen(text);

    while (n > 0) {
        ssize_t k = write(c->to, text, n);

        if (k < 0 && errno != EINTR)
            return false;
        text += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    return true;
}

/* The next line, into c->line; false when the time is over or the child gone. */
static bool get(struct hub_client *c, double until)
{
    for (;;) {
        char *end = memchr(c->buffer, '\n', c->held);
        struct pollfd p = {c->from, POLLIN, 0};
        double left = until - clock_seconds();
        ssize_t k;

        if (end) {
            size_t n = (size_t)(end - c->buffer);

            memcpy(c->line, c->buffer, n);
            c->line[n] = 0;
            c->held -= n + 1;
            memmove(c->buffer, end + 1, c->held);
            return true;
        }
        if (left <= 0 || c->held == sizeof c->buffer)
            return false;
        if (poll(&p, 1, left < 1e6 ? (int)(left * 1e3) + 1 : -1) <= 0)
            continue;
        k = read(c->from, c->buffer + c->held, sizeof c->buffer - c->held);
        if (k == 0 || (k < 0 && errno != EINTR))
            return false;
        c->held += k > 0 ? (size_t)k : 0;
    }
}

/* Read lines up to `command`; others are passed over. */
static bool get_command(struct hub_client *c, const char *command, double seconds,
                        struct hub_line *line)
{
    double until = clock_seconds() + seconds;

    while (get(c, until))
        if (hub_line_parse(c->line, line) && strcmp(line->command, command) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------------ opening -- */

struct hub_client *hub_client_open(const char *command, const char **why)
{
    struct hub_client *c = calloc(1, sizeof *c);
    struct hub_line line;

    *why = "it cannot be started";
    if (!c || !child_start(c, command)) {
        free(c);
        return NULL;
    }
    *why = "it does not answer to hub and init";
    if (!put(c, "hub\n") || !get_command(c, "wait", START_SECONDS, &line) ||
        !put(c, "set-param name=variant value=english\ninit\n") ||
        !get_command(c, "ready", START_SECONDS, &line))
        hub_client_close(&c);
    return c;
}

void hub_client_close(struct hub_client **out)
{
    struct hub_client *c = *out;
    struct timespec nap = {0, 10 * 1000 * 1000};

    if (!c)
        return;
    put(c, "quit\n");
    close(c->to);
    for (int i = 0; i < 200 && waitpid(c->child, NULL, WNOHANG) == 0; i++) {
        if (i == 199) {
            kill(c->child, SIGKILL);
            waitpid(c->child, NULL, 0);
        } else {
            nanosleep(&nap, NULL);
        }
    }
    close(c->from);
    free(c);
    *out = NULL;
}

bool hub_client_new_game(struct hub_client *c)
{
    return put(c, "new-game\n");
}

/* -------------------------------------------------------------------------- moves -- */

/* Moves since the last one that cannot come back are enough for repetitions. */
static bool put_position(struct hub_client *c, const struct game *g)
{
    char text[HUB_POSITION_MAX], move[HUB_MOVE_MAX];
    int first = g->plies;

    while (first > 0 && !g->move[first - 1].jumps &&
           (g->board[first - 1].kings & squares_of(g->move[first - 1].from)))
        first--;
    hub_position_format(&g->board[first], text);
    if (!put(c, "pos pos=") || !put(c, text) || !put(c, " moves=\""))
        return false;
    for (int i = first; i < g->plies; i++) {
        hub_move_format(&g->move[i], move);
        if (!put(c, move) || !put(c, " "))
            return false;
    }
    return put(c, "\"\n");
}

static bool put_level(struct hub_client *c, const struct search_limits *l)
{
    char text[128];
    int n = snprintf(text, sizeof text, "level");

    if (l->depth)
        n += snprintf(text + n, sizeof text - (size_t)n, " depth=%d", l->depth);
    if (l->nodes)
        n += snprintf(text + n, sizeof text - (size_t)n, " nodes=%llu",
                      (unsigned long long)l->nodes);
    if (l->seconds > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " move-time=%.3f", l->seconds);
    return put(c, text) && put(c, "\n");
}

bool hub_client_move(struct hub_client *c, const struct game *g, const struct search_limits *l,
                     struct move *out, const char **why)
{
    struct hub_line line;
    const char *move;

    *why = "it does not answer";
    if (!put_position(c, g) || !put_level(c, l) || !put(c, "go think\n") ||
        !get_command(c, "done", (l->seconds > 0 ? l->seconds : 600) + GRACE_SECONDS, &line))
        return false;
    *why = "done without a move";
    if (!(move = hub_arg(&line, "move")))
        return false;
    *why = hub_move_parse(move, strlen(move), game_now(g), out);
    return *why == NULL;
}
