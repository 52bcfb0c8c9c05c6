/* SPDX-License-Identifier: MIT */
#include "play/dxp.h"

#include "base/clock.h"
#include "play/clock.h"
#include "play/game.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { POLL_MS = 200, UNTIMED = 1 }; /* seconds for a move where the request names no time */

/* ------------------------------------------------------------------------ links -- */

/* HOST:PORT, :PORT or PORT; [HOST]:PORT for addresses with colons. */
static enum status address_find(const char *address, bool passive, struct addrinfo **found,
                                struct error *e)
{
    const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0};
    char host[256];
    int n = colon ? (int)(colon - address) : 0, rc;

    if (n >= 2 && address[0] == '[' && address[n - 1] == ']')
        snprintf(host, sizeof host, "%.*s", n - 2, address + 1);
    else
        snprintf(host, sizeof host, "%.*s", n, address);
    rc = getaddrinfo(*host ? host : "127.0.0.1", port, &hints, found);
    return rc ? error_set(e, STATUS_IO, "dxp: %s: %s", address, gai_strerror(rc)) : STATUS_OK;
}

enum status dxp_call(struct dxp_link *link, const char *address, struct error *e)
{
    struct addrinfo *found;
    enum status rc;

    *link = (struct dxp_link){.socket = -1};
    if ((rc = address_find(address, false, &found, e)))
        return rc;
    for (struct addrinfo *a = found; a && link->socket < 0; a = a->ai_next) {
        link->socket = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (link->socket >= 0 && connect(link->socket, a->ai_addr, a->ai_addrlen) != 0) {
            int why = errno;

            dxp_hang_up(link);
            errno = why;
        }
    }
    freeaddrinfo(found);
    if (link->socket < 0)
        return error_set(e, STATUS_IO, "dxp: %s: %s", address, strerror(errno));
    return STATUS_OK;
}

static enum status dxp_listen(const char *address, int *listener, struct error *e)
{
    struct addrinfo *found;
    int s = -1, yes = 1, why = 0;
    enum status rc;

    if ((rc = address_find(address, true, &found, e)))
        return rc;
    for (struct addrinfo *a = found; a && s < 0; a = a->ai_next) {
        s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (s >= 0)
            setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (s < 0 || bind(s, a->ai_addr, a->ai_addrlen) || listen(s, 1)) {
            why = errno;
            if (s >= 0)
                close(s);
            s = -1;
        }
    }
    freeaddrinfo(found);
    *listener = s;
    if (s < 0)
        return error_set(e, STATUS_IO, "dxp: %s: %s", address, strerror(why));
    return STATUS_OK;
}

void dxp_hang_up(struct dxp_link *link)
{
    if (link->socket >= 0)
        close(link->socket);
    link->socket = -1;
}

bool dxp_send(struct dxp_link *link, const struct dxp_message *m)
{
    char text[DXP_MESSAGE_MAX];
    size_t n = dxp_encode(m, text);

    for (size_t sent = 0; sent < n;) {
        ssize_t k = send(link->socket, text + sent, n - sent, MSG_NOSIGNAL);

        if (k < 0 && errno != EINTR)
            return false;
        sent += k > 0 ? (size_t)k : 0;
    }
    return true;
}

/* Take the first whole message out of the buffer. */
static bool buffer_take(struct dxp_link *link, struct dxp_message *m, const char **wrong)
{
    char *end = memchr(link->buffer, 0, link->held);
    size_t n;

    if (!end)
        return false;
    n = (size_t)(end - link->buffer) + 1;
    *wrong = dxp_decode(link->buffer, m);
    link->held -= n;
    memmove(link->buffer, link->buffer + n, link->held);
    return true;
}

enum dxp_got dxp_receive(struct dxp_link *link, double seconds, struct dxp_message *m,
                         const char **wrong)
{
    double until = clock_seconds() + seconds;

    *wrong = NULL;
    while (!buffer_take(link, m, wrong)) {
        struct pollfd p = {link->socket, POLLIN, 0};
        double left = until - clock_seconds();
        ssize_t n;

        if (link->held == sizeof link->buffer) {
            *wrong = "a message without an end";
            link->held = 0;
            return DXP_GARBAGE;
        }
        if (left <= 0)
            return DXP_SILENT;
        if (poll(&p, 1, left < POLL_MS / 1e3 ? (int)(left * 1e3) + 1 : POLL_MS) <= 0)
            continue;
        n = recv(link->socket, link->buffer + link->held, sizeof link->buffer - link->held, 0);
        if (n == 0 || (n < 0 && errno != EINTR))
            return DXP_CLOSED;
        link->held += n > 0 ? (size_t)n : 0;
    }
    return *wrong ? DXP_GARBAGE : DXP_GOT;
}

/* ------------------------------------------------------------------------ moves -- */

bool dxp_move_find(const struct dxp_message *m, const struct board *b, struct move *out)
{
    struct move_list legal;

    moves_generate(b, &legal);
    for (int i = 0; i < legal.count; i++) {
        *out = legal.move[i];
        if (square_number(out->from) == m->from && square_number(out->to) == m->to &&
            out->captured == m->captured)
            return true;
    }
    return false;
}

struct dxp_message dxp_move_message(const struct move *m, double seconds)
{
    return (struct dxp_message){.kind = 'M',
                                .seconds = seconds < 9999 ? (int)(seconds + 0.5) : 9999,
                                .from = square_number(m->from),
                                .to = square_number(m->to),
                                .captured = m->captured};
}

/* ------------------------------------------------------------------------ games -- */

struct session {
    const struct dxp_args *args;
    struct player *player;
    struct dxp_link link;
    const atomic_bool *stop;
    dxp_listener *listener;
    void *context;       /* of the listener */
    struct error *error; /* what stopped it */
    struct game game;
    struct search_result result;
    enum side us;
    char peer[DXP_NAME_MAX];
    double time; /* seconds for the game */
    double used; /* of ours */
    int moves;   /* each has to make; 0: all */
    int games;   /* played */
    bool playing;
};

static bool send_end(struct session *t, char reason, char stop)
{
    return dxp_send(&t->link, &(struct dxp_message){.kind = 'E', .code = reason, .stop = stop});
}

static void say(const struct session *t, enum dxp_news news, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(const struct session *t, enum dxp_news news, const char *format, ...)
{
    char line[sizeof t->error->text + 100];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    t->listener(t->context, news, line);
}

static char reason_of(enum game_state state, enum side us)
{
    if (state == GAME_DRAWN || state == GAME_ON)
        return state == GAME_DRAWN ? DXP_DRAW : DXP_UNKNOWN;
    return state == game_won_by(us) ? DXP_I_WIN : DXP_I_LOSE;
}

/* If the position on the board is decided, that is the result, however the game ended. */
static void game_over(struct session *t, enum game_state state, const char *why)
{
    const char *by_rule;
    enum game_state found = game_state(&t->game, &by_rule);

    if (found == GAME_BLACK_WINS || found == GAME_WHITE_WINS || (found && !state)) {
        state = found;
        why = by_rule;
    }
    t->playing = false;
    t->games++;
    say(t, DXP_RESULT, "game %d against %s: %s (%s)", t->games, t->peer,
        pdn_result_text(game_result(state)), why);
}

static bool think_and_send(struct session *t)
{
    struct search_limits limits = {.stop = t->stop, .seconds = t->args->think};
    struct clock clock = {.time = t->time - t->used};
    struct dxp_message m;

    clock.moves = t->moves ? t->moves - t->game.plies / 2 : 0;
    if (!t->args->think && t->time == 0) /* a game without a clock */
        limits.seconds = UNTIMED;
    else if (!t->args->think)
        clock_limits(&clock, &limits);
    if (search_run(t->player->search, game_now(&t->game), t->game.board, t->game.plies, &limits,
                   &t->result, t->error)) {
        say(t, DXP_REMARK, "dxp: %s", t->error->text);
        return false;
    }
    t->used += t->result.seconds;
    m = dxp_move_message(&t->result.line[0].pv[0], t->result.seconds);
    game_push(&t->game, &t->result.line[0].pv[0]);
    return dxp_send(&t->link, &m);
}

/* Our turn, or the end of the game, or nothing to do.  False: the link is gone. */
static bool go_on(struct session *t)
{
    const char *why = "all moves are made";
    enum game_state state;

    if (!t->playing || game_now(&t->game)->turn != t->us)
        return true;
    state = game_state(&t->game, &why);
    if (state == GAME_ON && !(t->moves && t->game.plies >= 2 * t->moves))
        return think_and_send(t);
    game_over(t, state, why);
    return send_end(t, reason_of(state, t->us), '0');
}

static bool begin(struct session *t, enum side us, int minutes, int moves,
                  const struct board *start)
{
    t->us = us;
    t->time = minutes * 60.0;
    t->moves = moves;
    t->used = 0;
    t->playing = true;
    game_begin(&t->game, start);
    search_clear(t->player->search);
    return go_on(t);
}

/* Answer a request for a game: DXP_ACCEPTED, or why not. */
static bool send_answer(struct session *t, char code)
{
    return dxp_send(
        &t->link, &(struct dxp_message){.kind = 'A', .name = "Kelso " KELSO_VERSION, .code = code});
}

static bool on_request(struct session *t, const struct dxp_message *m)
{
    char code = m->version > 1 ? DXP_VERSION_WRONG : t->playing ? DXP_REFUSED : DXP_ACCEPTED;

    if (!send_answer(t, code) || code != DXP_ACCEPTED)
        return true;
    snprintf(t->peer, sizeof t->peer, "%s", m->name);
    return begin(t, m->colour, m->minutes, m->moves, &m->start);
}

static bool on_move(struct session *t, const struct dxp_message *m)
{
    struct move move;

    if (!t->playing)
        return true;
    if (game_now(&t->game)->turn == t->us || !dxp_move_find(m, game_now(&t->game), &move)) {
        game_over(t, GAME_ON, "the peer's move is not legal");
        return send_end(t, DXP_UNKNOWN, '0');
    }
    if (!game_push(&t->game, &move)) {
        game_over(t, GAME_DRAWN, "the game is too long");
        return send_end(t, DXP_DRAW, '0');
    }
    return go_on(t);
}

/* The peer declares the game over. */
static bool on_end(struct session *t, const struct dxp_message *m)
{
    static const enum game_state of_white[] = {GAME_ON, GAME_BLACK_WINS, GAME_DRAWN,
                                               GAME_WHITE_WINS};
    static const enum game_state of_black[] = {GAME_ON, GAME_WHITE_WINS, GAME_DRAWN,
                                               GAME_BLACK_WINS};

    if (t->playing) {
        game_over(t, (t->us == BLACK ? of_white : of_black)[m->code - DXP_UNKNOWN],
                  "as the peer says");
        send_end(t, DXP_UNKNOWN, m->stop);
    }
    return m->stop != '1';
}

static bool on_message(struct session *t, const struct dxp_message *m)
{
    switch (m->kind) {
    case 'R':
        return on_request(t, m);
    case 'M':
        return on_move(t, m);
    case 'E':
        return on_end(t, m);
    case 'C':
        say(t, DXP_REMARK, "dxp: %s says: %s", t->peer, m->text);
        return true;
    case 'B':
        return dxp_send(&t->link, &(struct dxp_message){.kind = 'K', .code = DXP_VERSION_WRONG});
    default:
        return true;
    }
}

/* Wait for the next message and act on it.  False: done with this peer. */
static bool next_message(struct session *t)
{
    double patience = t->args->patience ? t->args->patience : 2 * t->time + 60;
    double until = clock_seconds() + patience;
    struct dxp_message m = {0};
    const char *wrong;

    while (!atomic_load(t->stop)) {
        switch (dxp_receive(&t->link, POLL_MS / 1e3, &m, &wrong)) {
        case DXP_GOT:
            return on_message(t, &m);
        case DXP_GARBAGE:
            say(t, DXP_REMARK, "dxp: %s sent %s", t->peer, wrong);
            if (m.kind == 'R')
                return send_answer(t, DXP_REFUSED);
            if (t->playing)
                game_over(t, GAME_ON, "the peer sent garbage");
            send_end(t, DXP_UNKNOWN, '1');
            return false;
        case DXP_CLOSED:
            if (t->playing)
                game_over(t, GAME_ON, "the peer hung up");
            return false;
        case DXP_SILENT:
            if (clock_seconds() < until)
                break;
            if (t->playing)
                game_over(t, GAME_ON, "the peer is silent");
            send_end(t, DXP_UNKNOWN, '1');
            return false;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------ serving -- */

/* Wait for a caller, until stopped.  False: stopped. */
static bool accept_caller(struct session *t, int listener)
{
    struct pollfd p = {listener, POLLIN, 0};

    while (!atomic_load(t->stop)) {
        if (poll(&p, 1, POLL_MS) <= 0)
            continue;
        t->link = (struct dxp_link){.socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC)};
        if (t->link.socket >= 0)
            return true;
    }
    return false;
}

static enum status wait_for_callers(struct session *t)
{
    int listener;
    enum status rc = dxp_listen(t->args->address, &listener, t->error);

    if (rc)
        return rc;
    say(t, DXP_REMARK, "waiting on %s", t->args->address);
    while (accept_caller(t, listener)) {
        snprintf(t->peer, sizeof t->peer, "the caller");
        t->time = t->args->minutes * 60.0;
        while (next_message(t))
            ;
        t->playing = false;
        dxp_hang_up(&t->link);
    }
    close(listener);
    return STATUS_OK;
}

/* Ask for a game and wait for the answer; colours in turn, Black first.  False: there is none, and
 * the session's error says why. */
static bool ask_for_game(struct session *t)
{
    struct dxp_message m = {.kind = 'R',
                            .version = 1,
                            .name = "Kelso " KELSO_VERSION,
                            .colour = t->games % 2 ? BLACK : WHITE,
                            .minutes = t->args->minutes,
                            .moves = t->args->moves,
                            .start = board_start},
                       answer = {0};
    const char *wrong;

    if (!dxp_send(&t->link, &m))
        return false;
    do {
        if (dxp_receive(&t->link, t->args->patience ? t->args->patience : 60, &answer, &wrong))
            return error_set(t->error, STATUS_IO, "dxp: no answer to the request for a game") == 0;
    } while (answer.kind != 'A');
    if (answer.code != DXP_ACCEPTED)
        return error_set(t->error, STATUS_IO, "dxp: %s refuses (%c)", answer.name, answer.code) ==
               0;
    snprintf(t->peer, sizeof t->peer, "%s", answer.name);
    return begin(t, side_other(m.colour), m.minutes, m.moves, &m.start);
}

static enum status call_for_games(struct session *t)
{
    bool good = true;
    enum status rc = dxp_call(&t->link, t->args->address, t->error);

    if (rc)
        return rc;
    error_set(t->error, STATUS_IO, "dxp: %s ended before all games were played", t->args->address);
    while (good && t->games < t->args->games && !atomic_load(t->stop)) {
        good = ask_for_game(t);
        while (good && t->playing)
            good = next_message(t);
    }
    if (good)
        send_end(t, DXP_UNKNOWN, '1');
    dxp_hang_up(&t->link);
    if (t->games == t->args->games || atomic_load(t->stop))
        return STATUS_OK;
    return t->error->status;
}

enum status dxp_serve(const struct dxp_args *args, struct player *player, const atomic_bool *stop,
                      dxp_listener *listener, void *context, struct error *e)
{
    struct session *t = calloc(1, sizeof *t);
    enum status rc;

    if (!t)
        return error_no_memory(e);
    t->args = args;
    t->player = player;
    t->stop = stop;
    t->listener = listener;
    t->context = context;
    t->error = e;
    t->link.socket = -1;
    rc = args->call ? call_for_games(t) : wait_for_callers(t);
    free(t);
    return rc;
}
