/* SPDX-License-Identifier: MIT */
#include "games/trace.h"

#include "base/crew.h"
#include "core/movegen.h"

#include <stdatomic.h>
#include <string.h>

/* -------------------------------------------------------------------- scan -- */

struct scan {
    const struct census *census;
    const struct ply *ply;
    enum side turn;
    const struct scan_options *options;
    atomic_int next;      /* rows taken */
    pthread_mutex_t lock; /* guards what follows */
    uint64_t done;
    enum status status;
    struct error error;
};

static enum status scan_cell(struct scan *s, int thread, int row, int column,
                             const struct ply_bytes *bytes, bool *going, struct error *e)
{
    const struct bands *bands = &s->census->bands;
    struct code_reader reader = code_reader_start(s->census->tables);
    struct run_reader run = ply_row_cell(s->ply, bands, row, column, bytes);
    uint64_t code;

    while (*going && run_next(&run, &code)) {
        struct board b;

        if (code >= bands->first[column + 1])
            return ply_bad_code(s->ply, row, column, e);
        b = code_decode(&reader, code);
        if (s->turn == BLACK)
            b = board_flip(&b);
        *going = s->options->visit(s->options->context, thread, &b);
    }
    return STATUS_OK;
}

static uint64_t row_count(const struct ply *p, int row)
{
    uint64_t n = 0;

    for (int c = 0; c < BANDS; c++)
        n += p->cell[row][c].count;
    return n;
}

static enum status scan_row(struct scan *s, int thread, int row, struct ply_bytes *bytes,
                            struct error *e)
{
    const struct scan_options *o = s->options;
    enum status status = ply_read_row(s->ply, row, bytes, e);
    bool going = true;

    for (int c = 0; status == STATUS_OK && going && c < BANDS; c++)
        status = scan_cell(s, thread, row, c, bytes, &going, e);
    if (status != STATUS_OK)
        return status;
    pthread_mutex_lock(&s->lock);
    s->done += row_count(s->ply, row);
    if (going && o->report)
        going = o->report(o->report_context, s->ply->number, s->done, s->ply->count);
    pthread_mutex_unlock(&s->lock);
    return going ? STATUS_OK : error_set(e, STATUS_INTERRUPTED, "stopped");
}

static void scan_work(void *context, int id)
{
    struct scan *s = context;
    struct ply_bytes bytes = {0};
    struct error e = {0};
    enum status status = STATUS_OK;

    for (int row; status == STATUS_OK && (row = atomic_fetch_add(&s->next, 1)) < BANDS;)
        status = scan_row(s, id, row, &bytes, &e);
    free(bytes.own);
    if (status != STATUS_OK) {
        atomic_store(&s->next, BANDS);
        pthread_mutex_lock(&s->lock);
        s->status = status;
        s->error = e;
        pthread_mutex_unlock(&s->lock);
    }
}

enum status ply_scan(const struct census *c, int ply, enum side turn,
                     const struct scan_options *options, struct error *e)
{
    struct scan s = {.census = c, .ply = &c->ply[ply], .turn = turn, .options = options};

    pthread_mutex_init(&s.lock, NULL);
    crew_share(options->threads, scan_work, &s);
    pthread_mutex_destroy(&s.lock);
    if (s.status != STATUS_OK && e)
        *e = s.error;
    return s.status;
}

/* ------------------------------------------------------------------- trace -- */

struct trace {
    struct placement_set goal; /* the ply after; unused for the last */
    bool last;
    pthread_mutex_t lock; /* guards what follows */
    struct layer *found, *ends;
    bool failed;
    uint64_t over;
};

/* Empty squares that a piece of the side not to move could step to. */
static int steps_open(const struct board *b)
{
    squares men = b->side[side_other(b->turn)], kings = men & b->kings;
    squares up = b->turn == WHITE ? men : kings, down = b->turn == WHITE ? kings : men;

    return squares_count((up << 4 | up << 5 | down >> 4 | down >> 5) & board_empty(b));
}

/* Can a single move end the game at once?  A quiet one closes a single square. */
static bool may_end(const struct board *b)
{
    return steps_open(b) <= 1 || board_must_capture(b);
}

static void record(struct trace *t, struct layer *to, struct placement s)
{
    pthread_mutex_lock(&t->lock);
    if (!layer_push(to, s))
        t->failed = true;
    pthread_mutex_unlock(&t->lock);
}

static bool visit_position(void *context, int thread, const struct board *b)
{
    struct trace *t = context;
    struct move_list list;
    bool leads = false;

    (void)thread;
    if (t->last && !may_end(b))
        return true;
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board child = board_after(b, &list.move[i]);

        if (t->last ? moves_count(&child) > 0 : !placement_set_has(&t->goal, placement_of(&child)))
            continue;
        if (t->last)
            record(t, t->ends, placement_of(&child));
        leads = true;
    }
    if (leads)
        record(t, t->found, placement_of(b));
    if (list.count == 0) {
        pthread_mutex_lock(&t->lock);
        t->over++;
        pthread_mutex_unlock(&t->lock);
    }
    return !t->failed;
}

static bool set_fill(struct placement_set *set, const struct layer *l)
{
    bool done = placement_set_open(set, l->count);

    for (size_t i = 0; done && i < l->count; i++)
        done = placement_set_add(set, l->placement[i]) != SET_NO_MEMORY;
    return done;
}

static enum status trace_ply(const struct census *c, const struct trace_options *o, int ply,
                             struct lines *out, uint64_t *over, struct error *e)
{
    struct trace t = {.last = ply == o->plies - 1, .found = &out->at[ply]};
    struct scan_options scan = {o->threads, visit_position, &t, o->report, o->context};
    enum status status;

    t.ends = &out->at[ply + 1];
    if (!t.last && !set_fill(&t.goal, &out->at[ply + 1]))
        return error_no_memory(e);
    pthread_mutex_init(&t.lock, NULL);
    status = ply_scan(c, ply, lines_turn(out, ply), &scan, e);
    pthread_mutex_destroy(&t.lock);
    placement_set_free(&t.goal);
    layer_sort(t.found);
    layer_sort(t.ends);
    *over += t.over;
    return t.failed ? error_no_memory(e) : status;
}

enum status trace_run(const struct census *c, const struct trace_options *options,
                      struct lines *out, uint64_t *shorter, struct error *e)
{
    enum status status = STATUS_OK;

    *shorter = 0;
    *out = (struct lines){.plies = options->plies, .first = options->first};
    for (int ply = options->plies - 1; status == STATUS_OK && ply >= 0; ply--)
        status = trace_ply(c, options, ply, out, shorter, e);
    if (status != STATUS_OK)
        lines_free(out);
    return status;
}
