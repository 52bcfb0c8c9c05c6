/* SPDX-License-Identifier: MIT */
#include "tune/samples.h"

#include "core/position.h"
#include "base/random.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/files.h"
#include "core/movegen.h"
#include "play/game.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_PLIES_MIN = 3, RANDOM_PLIES_MORE = 8, UNEQUAL = 150, THREADS_MAX = 64 };

bool samples_add(struct samples *s, const struct sample *one)
{
    if (!array_room((void **)&s->list, &s->room, s->count + 1, sizeof *s->list))
        return false;
    s->list[s->count++] = *one;
    return true;
}

void samples_free(struct samples *s)
{
    free(s->list);
    *s = (struct samples){0};
}

/* ----------------------------------------------------------------------------- files -- */

static void sample_encode(const struct sample *s, uint8_t out[SAMPLE_BYTES])
{
    placement_put(out, placement_of(&s->board));
    out[12] = (uint8_t)s->board.turn;
    out[13] = s->result;
    out[14] = s->value;
    out[15] = 0;
    bytes_put(out + 16, 2, (uint16_t)s->score);
}

static bool sample_decode(const uint8_t in[SAMPLE_BYTES], struct sample *s)
{
    *s = (struct sample){.board = placement_board(placement_get(in), in[12] ? WHITE : BLACK),
                         .result = in[13],
                         .value = in[14],
                         .score = (int16_t)bytes_get(in + 16, 2)};
    return in[12] <= 1 && s->result <= 2 && s->value <= SAMPLE_UNKNOWN && board_valid(&s->board);
}

enum status samples_append(const struct samples *s, const char *path, struct error *e)
{
    FILE *f = fopen(path, "ab");
    bool good = f != NULL;

    for (size_t i = 0; i < s->count && good; i++) {
        uint8_t record[SAMPLE_BYTES];

        sample_encode(&s->list[i], record);
        good = fwrite(record, sizeof record, 1, f) == 1;
    }
    if (f && fclose(f))
        good = false;
    return good ? STATUS_OK : file_error(path, e);
}

enum status samples_read(struct samples *s, const char *path, struct error *e)
{
    FILE *f = fopen(path, "rb");
    uint8_t record[SAMPLE_BYTES];
    struct sample one;
    bool good = true;

    if (!f)
        return file_open_error(path, e);
    while (good && fread(record, sizeof record, 1, f) == 1)
        if (sample_decode(record, &one))
            good = samples_add(s, &one);
    fclose(f);
    if (!good)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for %s", path);
    if (!s->count)
        return error_set(e, STATUS_FORMAT, "%s: no samples in it; --games makes them", path);
    return STATUS_OK;
}

/* ----------------------------------------------------------------------------- games -- */

struct self_play {
    const struct samples_play *play;
    struct search *search;
    uint64_t random;
    struct game game;
    int16_t score[GAME_PLIES_MAX];
    struct search_result result;
    struct samples out;
    bool failed;
    pthread_t thread;
    _Atomic int *next;
};

/* Some random plies from the start. */
static void open_at_random(struct self_play *t)
{
    int plies = RANDOM_PLIES_MIN + (int)random_below(&t->random, RANDOM_PLIES_MORE);
    struct move_list list;

    game_begin(&t->game, &board_start);
    for (int i = 0; i < plies && moves_generate(game_now(&t->game), &list) > 0; i++)
        game_push(&t->game, &list.move[random_below(&t->random, (uint64_t)list.count)]);
}

/* The value by the tables, for the side to move. */
static uint8_t table_value(const struct self_play *t, const struct board *b)
{
    const struct tables *tables = t->play->tables;
    enum value v;

    if (!tables || squares_count(b->side[BLACK] | b->side[WHITE]) > PIECES_MAX ||
        tables_value(tables, b, &v, NULL))
        return SAMPLE_UNKNOWN;
    return (uint8_t)v;
}

static enum game_state state_of(const struct self_play *t)
{
    const struct board *b = game_now(&t->game);
    enum game_state state = game_state(&t->game, NULL);
    uint8_t v = table_value(t, b);

    if (state != GAME_ON || v == SAMPLE_UNKNOWN)
        return state;
    return v == VALUE_DRAW ? GAME_DRAWN
                           : game_won_by(v == VALUE_WIN ? b->turn : side_other(b->turn));
}

/* Play to the end, or to the tables and one position in them. */
static enum game_state play_out(struct self_play *t)
{
    const struct search_limits limits = {.nodes = t->play->nodes, .stop = t->play->stop};
    enum game_state state;

    search_clear(t->search);
    while ((state = state_of(t)) == GAME_ON && !t->failed) {
        struct error e;

        t->failed = search_run(t->search, game_now(&t->game), t->game.board, t->game.plies, &limits,
                               &t->result, &e) != STATUS_OK ||
                    atomic_load(t->play->stop);
        if (t->failed)
            break;
        t->score[t->game.plies] = (int16_t)t->result.line[0].score;
        game_push(&t->game, &t->result.line[0].pv[0]);
    }
    return state;
}

/* A position in which nothing is about to be taken. */
static bool is_quiet(const struct board *b)
{
    return !board_jumpers(b, BLACK) && !board_jumpers(b, WHITE);
}

static void collect(struct self_play *t, int first, enum game_state state)
{
    for (int i = first; i <= t->game.plies && !t->failed; i++) {
        const struct board *b = &t->game.board[i];
        struct sample s = {.board = *b, .value = table_value(t, b)};

        if (!is_quiet(b))
            continue;
        s.score = i < t->game.plies ? t->score[i] : 0;
        s.result = state == GAME_DRAWN ? 1 : state == game_won_by(b->turn) ? 2 : 0;
        t->failed = !samples_add(&t->out, &s);
    }
}

static void *work(void *context)
{
    struct self_play *t = context;

    while (!t->failed && atomic_fetch_add(t->next, 1) < t->play->games) {
        enum game_state state;
        int first;

        open_at_random(t);
        first = t->game.plies;
        state = play_out(t);
        if (!t->failed && abs(t->score[first]) < UNEQUAL)
            collect(t, first, state);
        atomic_fetch_add(t->play->done, 1);
    }
    return NULL;
}

static bool self_play_open(struct self_play *t, const struct samples_play *play, int id,
                           _Atomic int *next)
{
    struct error e;

    t->play = play;
    t->random = play->seed * 1000 + (uint64_t)id;
    t->next = next;
    return !search_open(
        &t->search,
        &(struct search_options){.hash = 1 << 20, .tables = play->tables, .weights = play->weights},
        &e);
}

enum status samples_make(const struct samples_play *play, struct samples *out, struct error *e)
{
    struct self_play *t[THREADS_MAX] = {NULL};
    _Atomic int next = 0;
    bool good = true;
    int started = 0;

    for (int i = 0; i < play->threads && good; i++) {
        good = (t[i] = calloc(1, sizeof **t)) && self_play_open(t[i], play, i, &next) &&
               pthread_create(&t[i]->thread, NULL, work, t[i]) == 0;
        started += good;
    }
    for (int i = 0; i < started; i++)
        pthread_join(t[i]->thread, NULL);
    for (int i = 0; i < play->threads && t[i]; i++) {
        for (size_t k = 0; k < t[i]->out.count && good; k++)
            good = samples_add(out, &t[i]->out.list[k]);
        samples_free(&t[i]->out);
        search_close(&t[i]->search);
        free(t[i]);
    }
    return good ? STATUS_OK : error_no_memory(e);
}
