/* SPDX-License-Identifier: MIT
 *
 * Eight threads on one handle whose cache holds a few pages only, under ThreadSanitizer:
 * scripts/check builds the variant and the tables.  Every answer is compared with that of
 * a handle that one thread used before.
 *
 *     threads_probe DIRECTORY */
#include "base/random.h"
#include "db/slice.h"
#include "kelso.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, POSITIONS = 200, PIECES = 4 };

struct question {
    kelso_position position;
    kelso_answer dtc, dtw;
};

static struct question question[POSITIONS]; /* filled before the threads start */

struct reader {
    kelso_tables *tables;
    int first; /* where in the list it begins */
    int wrong;
};

static kelso_position random_position(uint64_t *state)
{
    static struct slice list[SLICE_CODES];
    int n = slice_order(PIECES, PIECES, list);
    struct slice s = list[random_next(state) % (uint64_t)n];
    struct layout l;
    struct view v;
    struct board b;

    if (layout_create(&l, s))
        abort();
    layout_view(&l, random_next(state) % l.positions, &v);
    layout_free(&l);
    b = view_board(&v, random_next(state) % 2 ? WHITE : BLACK);
    return (kelso_position){
        squares_pack(board_men(&b, BLACK)), squares_pack(board_kings(&b, BLACK)),
        squares_pack(board_men(&b, WHITE)), squares_pack(board_kings(&b, WHITE)),
        b.turn == BLACK ? KELSO_BLACK : KELSO_WHITE};
}

static bool same(kelso_answer a, kelso_answer b)
{
    return a.value == b.value && a.plies == b.plies;
}

/* Each thread goes through the list from a place of its own. */
static void *read_all(void *arg)
{
    struct reader *r = arg;

    for (int i = 0; i < POSITIONS; i++) {
        const struct question *q = &question[(r->first + i) % POSITIONS];
        kelso_ranked_move moves[KELSO_MOVES_MAX];
        kelso_answer dtc, dtw;
        kelso_value value;
        int count;

        if (kelso_probe_wld(r->tables, &q->position, &value, NULL) ||
            kelso_probe_dtc(r->tables, &q->position, &dtc, NULL) ||
            kelso_probe_dtw(r->tables, &q->position, &dtw, NULL) || value != q->dtw.value ||
            !same(dtc, q->dtc) || !same(dtw, q->dtw))
            r->wrong++;
        if (i % 16 == 0 && kelso_probe_moves(r->tables, &q->position, moves, &count, NULL))
            r->wrong++;
    }
    return NULL;
}

static int questions_make(const char *dir)
{
    uint64_t state = 1;
    kelso_tables *tables;
    kelso_error e;

    if (kelso_open(&tables, dir, 0, &e)) {
        fprintf(stderr, "threads_probe: %s\n", e.text);
        return 1;
    }
    for (int i = 0; i < POSITIONS; i++) {
        struct question *q = &question[i];

        q->position = random_position(&state);
        if (kelso_probe_dtc(tables, &q->position, &q->dtc, &e) ||
            kelso_probe_dtw(tables, &q->position, &q->dtw, &e)) {
            fprintf(stderr, "threads_probe: %s\n", e.text);
            return 1;
        }
    }
    kelso_close(&tables);
    return 0;
}

int main(int argc, char **argv)
{
    struct reader reader[THREADS];
    pthread_t thread[THREADS];
    kelso_tables *tables;
    int wrong = 0;

    if (argc != 2 || questions_make(argv[1]) || kelso_open(&tables, argv[1], 1, NULL))
        return 2;
    for (int i = 0; i < THREADS; i++) {
        reader[i] = (struct reader){tables, i * (POSITIONS / THREADS), 0};
        if (pthread_create(&thread[i], NULL, read_all, &reader[i]))
            return 2;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        wrong += reader[i].wrong;
    }
    kelso_close(&tables);
    printf("%d threads, %d positions each, %d wrong answers\n", THREADS, POSITIONS, wrong);
    return wrong != 0;
}
