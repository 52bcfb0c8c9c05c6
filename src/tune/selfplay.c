/* SPDX-License-Identifier: MIT */
#include "tune/selfplay.h"

#include "base/crew.h"
#include "base/files.h"
#include "base/random.h"
#include "core/movegen.h"
#include "play/game.h"
#include "search/search.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPENING_MIN = 3,   /* random plies at the beginning ... */
    OPENING_MORE = 10, /* ... and up to this many more */
    UNEQUAL = 250,     /* openings that are worse are not played */
    ASTRAY = 40,       /* one ply in this many is random ... */
    ASTRAY_PLIES = 40, /* ... among the first after the opening */
    ENDING_PLIES = 16, /* are played after the tables know the value */
    ASIDE = 2,         /* at one ply in this many, a position beside the game is searched too ... */
    ASIDE_PLIES = 3,   /* ... up to this many random plies away */
    HASH = 1 << 20,
    PATH_SIZE = 4096,
};

/* The state of one thread. */
struct seat {
    const struct selfplay *play;
    struct search *search;
    uint64_t random;
    struct game game;
    int16_t score[GAME_PLIES_MAX];
    int trusted; /* the first ply after the last random one */
    struct search_result result;
};

/* ------------------------------------------------------------------------- a game -- */

static void push_random(struct seat *t)
{
    struct move_list list;

    if (moves_generate(game_now(&t->game), &list) > 0)
        game_push(&t->game, &list.move[random_below(&t->random, (uint64_t)list.count)]);
}

static void open_at_random(struct seat *t)
{
    int plies = OPENING_MIN + (int)random_below(&t->random, OPENING_MORE);

    game_begin(&t->game, &board_start);
    for (int i = 0; i < plies; i++)
        push_random(t);
}

/* The value by the tables, for the side to move. */
static uint8_t table_value(const struct seat *t, const struct board *b)
{
    const struct tables *tables = t->play->tables;
    enum value v;

    if (!tables || !tables_has(tables, b) || tables_value(tables, b, &v, NULL))
        return SAMPLE_UNKNOWN;
    return (uint8_t)v;
}

static enum game_state state_by_tables(const struct seat *t)
{
    const struct board *b = game_now(&t->game);
    uint8_t v = table_value(t, b);

    if (v == SAMPLE_UNKNOWN)
        return GAME_ON;
    return v == VALUE_DRAW ? GAME_DRAWN
                           : game_won_by(v == VALUE_WIN ? b->turn : side_other(b->turn));
}

static enum status think(struct seat *t, struct error *e)
{
    const struct search_limits limits = {.nodes = t->play->nodes, .stop = t->play->stop};
    enum status rc = search_run(t->search, game_now(&t->game), t->game.board, t->game.plies,
                                &limits, &t->result, e);

    if (!rc && atomic_load(t->play->stop))
        rc = error_set(e, STATUS_INTERRUPTED, "stopped");
    if (!rc) {
        t->score[t->game.plies] = (int16_t)t->result.line[0].score;
        game_push(&t->game, &t->result.line[0].pv[0]);
    }
    return rc;
}

/* Search a position that the game does not come to, and that a search of it might: most leaves
 * follow a bad move or two. */
static enum status look_aside(struct seat *t, struct samples *out, struct error *e)
{
    const struct search_limits limits = {.nodes = t->play->nodes, .stop = t->play->stop};
    int plies = 1 + (int)random_below(&t->random, ASIDE_PLIES);
    struct board b = *game_now(&t->game);
    struct move_list list;
    struct sample s;
    enum status rc;

    for (int i = 0; i < plies || board_must_capture(&b); i++) {
        if (moves_generate(&b, &list) == 0)
            return STATUS_OK;
        b = board_after(&b, &list.move[random_below(&t->random, (uint64_t)list.count)]);
    }
    if (moves_count(&b) == 0)
        return STATUS_OK;
    if ((rc = search_run(t->search, &b, NULL, 0, &limits, &t->result, e)))
        return rc;
    s = (struct sample){.board = b,
                        .result = SAMPLE_UNKNOWN,
                        .value = table_value(t, &b),
                        .score = (int16_t)t->result.line[0].score};
    return samples_add(out, &s) ? STATUS_OK : error_no_memory(e);
}

static void go_astray(struct seat *t)
{
    const struct board *b = game_now(&t->game);

    if (board_must_capture(b))
        return;
    t->score[t->game.plies] = 0;
    push_random(t);
    t->trusted = t->game.plies;
}

/* Play to the end, or to the tables and a little into them. */
static enum status play_out(struct seat *t, enum game_state *state, struct samples *out,
                            struct error *e)
{
    enum game_state known = GAME_ON;
    int first = t->game.plies, left = ENDING_PLIES;
    enum status rc = STATUS_OK;

    search_clear(t->search);
    t->trusted = first;
    while (!rc && (*state = game_state(&t->game, NULL)) == GAME_ON) {
        if (known == GAME_ON)
            known = state_by_tables(t);
        if (known != GAME_ON && --left < 0)
            break;
        if (known == GAME_ON && t->game.plies > first && t->game.plies - first < ASTRAY_PLIES &&
            random_below(&t->random, ASTRAY) == 0)
            go_astray(t);
        else
            rc = think(t, e);
        if (!rc && t->game.plies == first + 1 && abs(t->score[first]) > UNEQUAL)
            break;
        if (!rc && random_below(&t->random, ASIDE) == 0)
            rc = look_aside(t, out, e);
    }
    if (known != GAME_ON)
        *state = known;
    return rc;
}

static enum status collect(struct seat *t, int first, enum game_state state, struct samples *out,
                           struct error *e)
{
    for (int i = first; i < t->game.plies; i++) {
        const struct board *b = &t->game.board[i];
        struct sample s = {.board = *b, .score = t->score[i], .value = table_value(t, b)};

        if (board_must_capture(b) || i + 1 == t->trusted)
            continue;
        s.result = i < t->trusted                  ? SAMPLE_UNKNOWN
                   : state == GAME_DRAWN           ? 1
                   : state == game_won_by(b->turn) ? 2
                                                   : 0;
        if (!samples_add(out, &s))
            return error_no_memory(e);
    }
    return STATUS_OK;
}

static enum status play_one(struct seat *t, uint64_t number, struct samples *out, struct error *e)
{
    enum game_state state = GAME_ON;
    enum status rc;
    int first;

    t->random = t->play->seed * UINT64_C(0xD1342543DE82EF95) + number;
    random_next(&t->random);
    open_at_random(t);
    first = t->game.plies;
    rc = play_out(t, &state, out, e);
    if (!rc && state != GAME_ON) /* else the opening was unequal */
        rc = collect(t, first, state, out, e);
    return rc;
}

/* ----------------------------------------------------------------------- portions -- */

static enum status seat_open(struct seat **out, const struct selfplay *play, struct error *e)
{
    struct seat *t = *out = calloc(1, sizeof *t);
    struct search_options o = {.hash = HASH, .network = play->network};

    if (!t)
        return error_no_memory(e);
    t->play = play;
    return search_open(&t->search, &o, e);
}

static void seat_close(struct seat **t)
{
    if (*t)
        search_close(&(*t)->search);
    free(*t);
    *t = NULL;
}

static enum status seat_portion(struct seat *t, int number, struct samples *out, struct error *e)
{
    enum status rc = STATUS_OK;

    for (int i = 0; i < SELFPLAY_PORTION && !rc; i++) {
        rc = play_one(t, (uint64_t)number * SELFPLAY_PORTION + (uint64_t)i, out, e);
        atomic_fetch_add(t->play->done, 1);
    }
    return rc;
}

enum status selfplay_portion(const struct selfplay *play, int number, struct samples *out,
                             struct error *e)
{
    struct seat *t;
    enum status rc = seat_open(&t, play, e);

    if (!rc)
        rc = seat_portion(t, number, out, e);
    seat_close(&t);
    return rc;
}

struct shift {
    const struct selfplay *play;
    _Atomic int next;
    _Atomic uint64_t made;
    pthread_mutex_t lock; /* guards what is below */
    enum status rc;
    struct error error;
};

static enum status portion_make(struct seat *t, struct shift *w, int number, struct error *e)
{
    struct samples out = {0};
    char path[PATH_SIZE];
    enum status rc;

    snprintf(path, sizeof path, "%s/%06d.samples", t->play->dir, number);
    if (access(path, F_OK) == 0) {
        atomic_fetch_add(t->play->done, SELFPLAY_PORTION);
        return STATUS_OK;
    }
    rc = seat_portion(t, number, &out, e);
    if (!rc)
        rc = samples_write(&out, path, e);
    if (!rc)
        atomic_fetch_add(&w->made, out.count);
    samples_free(&out);
    return rc;
}

static void shift_job(void *context, int id)
{
    struct shift *w = context;
    struct seat *t;
    struct error e;
    enum status rc = seat_open(&t, w->play, &e);
    int number;

    (void)id;
    while (!rc && (number = atomic_fetch_add(&w->next, 1)) < w->play->portions)
        rc = portion_make(t, w, number, &e);
    seat_close(&t);
    if (!rc)
        return;
    atomic_store(&w->next, w->play->portions); /* the others end after their current portion */
    pthread_mutex_lock(&w->lock);
    w->rc = rc;
    w->error = e;
    pthread_mutex_unlock(&w->lock);
}

enum status selfplay_run(const struct selfplay *play, uint64_t *made, struct error *e)
{
    struct shift w = {.play = play, .lock = PTHREAD_MUTEX_INITIALIZER};
    enum status rc = directory_make(play->dir, e);

    *made = 0;
    if (rc)
        return rc;
    crew_share(play->threads, shift_job, &w);
    pthread_mutex_destroy(&w.lock);
    *made = atomic_load(&w.made);
    if (w.rc)
        *e = w.error;
    return w.rc;
}
