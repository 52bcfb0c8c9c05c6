/* SPDX-License-Identifier: MIT */
#include "games/census.h"
#include "games/spill.h"

#include "base/crew.h"
#include "base/files.h"
#include "core/movegen.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1024, CHUNKS_MIN = 2 * BANDS, WAITING_MIN = 1024, DEFAULT_MEMORY = 1 << 30 };

/* The work on one ply, shared by the workers. */
struct ply_job {
    struct census *census;
    const struct census_options *options;
    int number; /* of the ply being made */
    const struct ply *from;
    struct ply *to; /* NULL: only count */
    struct spill spill;
    int order[BANDS];     /* rows, those with more pieces first */
    int begin, end;       /* the part of `order` being made */
    atomic_int next;      /* the next of these to be taken */
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t turned;
    int turn; /* whose row may be written */
    int rows_done;
    uint64_t count, expanded;
    enum status status;
    struct error error;
};

/* A worker's memory.  Quiet children go to chunks, a list of them for each cell. */
struct ply_worker {
    struct ply_job *job;
    uint64_t (*chunk)[CHUNK];
    uint32_t *chunk_next;
    uint32_t chunks, used;
    uint32_t head[BANDS];        /* the chunk being filled; 0 is none */
    uint32_t fill[BANDS];        /* codes in it */
    struct codes waiting[BANDS]; /* captures, by the row they lead to */
    size_t waiting_max;
    struct codes codes, scratch;
    uint64_t *gone;
    size_t gone_words;
    struct run_writer run;
    struct ply_bytes cell, spilled, earlier[CENSUS_PLIES_MAX + 1];
    struct run_reader *reader; /* one for each spilled run, with its current code */
    uint64_t *at_hand;
    size_t readers;
    struct error error;
};

/* ---------------------------------------------------------------- failures -- */

static bool job_failed(struct ply_job *job)
{
    bool failed;

    pthread_mutex_lock(&job->lock);
    failed = job->status != STATUS_OK;
    pthread_mutex_unlock(&job->lock);
    return failed;
}

static void job_fail(struct ply_job *job, enum status status, const struct error *e)
{
    pthread_mutex_lock(&job->lock);
    if (job->status == STATUS_OK) {
        job->status = status;
        job->error = *e;
    }
    pthread_cond_broadcast(&job->turned);
    pthread_mutex_unlock(&job->lock);
}

/* ------------------------------------------------------------------ memory -- */

static void worker_close(struct ply_worker *w)
{
    free(w->chunk);
    free(w->chunk_next);
    for (int r = 0; r < BANDS; r++)
        free(w->waiting[r].data);
    free(w->codes.data);
    free(w->scratch.data);
    free(w->gone);
    run_writer_free(&w->run);
    free(w->cell.own);
    free(w->spilled.own);
    for (int i = 0; i <= CENSUS_PLIES_MAX; i++)
        free(w->earlier[i].own);
    free(w->reader);
    free(w->at_hand);
}

/* Half of the memory for chunks, a tenth for waiting captures; the rest is for sorting
 * a cell and for the rows of earlier plies. */
static bool worker_open(struct ply_worker *w, struct ply_job *job, size_t memory)
{
    size_t chunks = memory / 2 / sizeof *w->chunk;

    *w = (struct ply_worker){.job = job};
    w->chunks = (uint32_t)(chunks < CHUNKS_MIN ? CHUNKS_MIN : chunks) + 1;
    w->waiting_max = memory / 10 / BANDS / sizeof(uint64_t);
    if (w->waiting_max < WAITING_MIN)
        w->waiting_max = WAITING_MIN;
    w->chunk = malloc(w->chunks * sizeof *w->chunk);
    w->chunk_next = malloc(w->chunks * sizeof *w->chunk_next);
    return w->chunk && w->chunk_next;
}

static void chunks_reset(struct ply_worker *w)
{
    w->used = 1; /* chunk 0 is never used: it means "none" */
    memset(w->head, 0, sizeof w->head);
    memset(w->fill, 0, sizeof w->fill);
}

/* ------------------------------------------------------------------- spill -- */

/* Move the codes of a cell from its chunks to w->codes. */
static bool chunks_gather(struct ply_worker *w, int column)
{
    size_t n = w->fill[column];

    for (uint32_t k = w->head[column]; k; k = w->chunk_next[k], n = CHUNK) {
        if (!codes_reserve(&w->codes, n))
            return false;
        memcpy(w->codes.data + w->codes.count, w->chunk[k], n * sizeof(uint64_t));
        w->codes.count += n;
    }
    return true;
}

/* Sort codes that lead to one row and put them aside. */
static enum status spill_codes(struct ply_worker *w, int row, struct codes *codes)
{
    if (codes->count == 0)
        return STATUS_OK;
    if (!codes_sort(codes, &w->scratch, 0, code_end(w->job->census->tables)))
        return error_no_memory(&w->error);
    w->run.size = 0;
    if (!run_put(&w->run, codes, 0))
        return error_no_memory(&w->error);
    codes->count = 0;
    return spill_put(&w->job->spill, row, &w->run, &w->error);
}

/* The chunks are full: put their codes aside, as one run for the row being made. */
static enum status chunks_spill(struct ply_worker *w, int row)
{
    const struct bands *bands = &w->job->census->bands;
    uint64_t low = 0;

    w->run.size = 0;
    for (int c = 0; c < BANDS; c++) {
        w->codes.count = 0;
        if (!chunks_gather(w, c) ||
            !codes_sort(&w->codes, &w->scratch, bands->first[c], bands->first[c + 1]) ||
            !run_put(&w->run, &w->codes, low))
            return error_no_memory(&w->error);
        low = w->run.next;
    }
    chunks_reset(w);
    return spill_put(&w->job->spill, row, &w->run, &w->error);
}

static enum status waiting_flush(struct ply_worker *w)
{
    enum status status = STATUS_OK;

    for (int r = 0; status == STATUS_OK && r < BANDS; r++)
        status = spill_codes(w, r, &w->waiting[r]);
    return status;
}

/* --------------------------------------------------------------- expansion -- */

static enum status put_quiet(struct ply_worker *w, int row, int column, uint64_t code)
{
    enum status status;

    if (w->fill[column] == CHUNK || w->head[column] == 0) {
        if (w->used == w->chunks && (status = chunks_spill(w, row)) != STATUS_OK)
            return status;
        w->chunk_next[w->used] = w->head[column];
        w->head[column] = w->used++;
        w->fill[column] = 0;
    }
    w->chunk[w->head[column]][w->fill[column]++] = code;
    return STATUS_OK;
}

static enum status put_capture(struct ply_worker *w, int row, uint64_t code)
{
    struct codes *waiting = &w->waiting[row];

    if (waiting->count == w->waiting_max) {
        enum status status = spill_codes(w, row, waiting);
        if (status != STATUS_OK)
            return status;
    }
    if (!codes_reserve(waiting, 1))
        return error_no_memory(&w->error);
    waiting->data[waiting->count++] = code;
    return STATUS_OK;
}

/* The children of a position; b has Black to move. */
static enum status expand(struct ply_worker *w, int row, const struct board *b)
{
    const struct code_tables *t = w->job->census->tables;
    const struct bands *bands = &w->job->census->bands;
    enum status status = STATUS_OK;
    struct move_list list;

    moves_generate(b, &list);
    for (int i = 0; status == STATUS_OK && i < list.count; i++) {
        struct board child = board_after(b, &list.move[i]);
        uint32_t movers = squares_pack(child.side[BLACK]), next = squares_pack(child.side[WHITE]);
        uint64_t code = code_encode_sets(t, movers, next, squares_pack(child.kings));

        if (code == CODE_NONE)
            status = error_set(&w->error, STATUS_OVERFLOW, "ply %d: a position with too many kings",
                               w->job->number);
        else if (move_is_capture(&list.move[i]))
            status = put_capture(w, band_of(bands, t, packed_flip(next)), code);
        else
            status = put_quiet(w, row, band_of(bands, t, movers), code);
    }
    return status;
}

/* All positions of a column; its quiet children are the row of the same number. */
static enum status expand_column(struct ply_worker *w, int column)
{
    const struct census *census = w->job->census;
    const struct ply *from = w->job->from;
    enum status status = STATUS_OK;

    chunks_reset(w);
    for (int row = 0; status == STATUS_OK && row < BANDS; row++) {
        struct code_reader reader = code_reader_start(census->tables);
        struct run_reader run;
        uint64_t code;

        if (from->cell[row][column].count == 0)
            continue;
        if ((status = ply_read_cell(from, row, column, &w->cell, &w->error)) != STATUS_OK)
            break;
        run = run_open(w->cell.data, w->cell.size, census->bands.first[column]);
        while (status == STATUS_OK && run_next(&run, &code)) {
            struct board b;

            if (code >= census->bands.first[column + 1])
                return ply_bad_code(from, row, column, &w->error);
            b = code_decode(&reader, code);
            b = board_flip(&b);
            status = expand(w, column, &b);
        }
    }
    return status;
}

/* --------------------------------------------------------------------- row -- */

static enum status open_spilled(struct ply_worker *w, int row)
{
    struct spill_run *runs;
    size_t count;
    enum status status = spill_take(&w->job->spill, row, &w->spilled, &runs, &count, &w->error);

    w->readers = 0;
    if (status != STATUS_OK || count == 0)
        return status;
    free(w->reader);
    free(w->at_hand);
    w->reader = malloc(count * sizeof *w->reader);
    w->at_hand = malloc(count * sizeof *w->at_hand);
    if (!w->reader || !w->at_hand)
        status = error_no_memory(&w->error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        w->reader[i] = run_open(bytes_at(w->spilled.data, runs[i].offset), runs[i].size, 0);
        if (!run_next(&w->reader[i], &w->at_hand[i]))
            w->at_hand[i] = CODE_NONE;
        w->readers++;
    }
    free(runs);
    return status;
}

/* Add the spilled codes below `limit`. */
static bool gather_spilled(struct ply_worker *w, uint64_t limit)
{
    for (size_t i = 0; i < w->readers; i++)
        while (w->at_hand[i] < limit) {
            if (!codes_reserve(&w->codes, 1))
                return false;
            w->codes.data[w->codes.count++] = w->at_hand[i];
            if (!run_next(&w->reader[i], &w->at_hand[i]))
                w->at_hand[i] = CODE_NONE;
        }
    return true;
}

/* Does a position of ply `earlier` count as seen when it occurs again? */
static bool is_compared(const struct ply_job *job, int earlier)
{
    return job->options->counting == CENSUS_BRYANT || (job->number - earlier) % 2 == 0;
}

static enum status open_earlier(struct ply_worker *w, int row)
{
    enum status status = STATUS_OK;

    for (int i = 0; status == STATUS_OK && i < w->job->number; i++)
        if (is_compared(w->job, i))
            status = ply_read_row(&w->job->census->ply[i], row, &w->earlier[i], &w->error);
    return status;
}

/* Remove the positions that earlier plies have in this cell. */
static bool remove_seen(struct ply_worker *w, int row, int column)
{
    const struct census *census = w->job->census;
    size_t words = w->codes.count / 64 + 1;

    if (words > w->gone_words) {
        free(w->gone);
        w->gone_words = words + words / 2;
        w->gone = malloc(w->gone_words * sizeof *w->gone);
        if (!w->gone)
            return false;
    }
    memset(w->gone, 0, words * sizeof *w->gone);
    for (int i = 0; i < w->job->number; i++)
        if (is_compared(w->job, i))
            codes_mark(&w->codes,
                       ply_row_cell(&census->ply[i], &census->bands, row, column, &w->earlier[i]),
                       w->gone);
    codes_drop(&w->codes, w->gone);
    return true;
}

/* Sort the children of the row, cell by cell; their number, and their bytes if kept. */
static enum status collect_row(struct ply_worker *w, int row, struct ply_cell cells[BANDS],
                               uint64_t *count)
{
    const struct bands *bands = &w->job->census->bands;
    enum status status = open_spilled(w, row);

    if (status == STATUS_OK)
        status = open_earlier(w, row);
    if (status != STATUS_OK)
        return status;
    *count = w->run.size = 0;
    for (int c = 0; c < BANDS; c++) {
        size_t start = w->run.size;

        w->codes.count = 0;
        if (!chunks_gather(w, c) || !gather_spilled(w, bands->first[c + 1]) ||
            !codes_sort(&w->codes, &w->scratch, bands->first[c], bands->first[c + 1]) ||
            !remove_seen(w, row, c) ||
            (w->job->to && !run_put(&w->run, &w->codes, bands->first[c])))
            return error_no_memory(&w->error);
        if (w->run.size - start > UINT32_MAX)
            return error_set(&w->error, STATUS_OVERFLOW, "ply %d: a cell of more than 4 GiB",
                             w->job->number);
        cells[c] = (struct ply_cell){.offset = start,
                                     .bytes = (uint32_t)(w->run.size - start),
                                     .count = (uint32_t)w->codes.count};
        *count += w->codes.count;
    }
    return STATUS_OK;
}

static uint64_t column_size(const struct ply *p, int column)
{
    uint64_t n = 0;

    for (int row = 0; row < BANDS; row++)
        n += p->cell[row][column].count;
    return n;
}

/* Write the row when its turn comes, and report. */
static enum status commit_row(struct ply_worker *w, int place, int row,
                              const struct ply_cell cells[BANDS], uint64_t count)
{
    struct ply_job *job = w->job;
    enum status status = STATUS_OK;
    struct census_report report;

    pthread_mutex_lock(&job->lock);
    while (job->turn != place && job->status == STATUS_OK)
        pthread_cond_wait(&job->turned, &job->lock);
    if ((status = job->status) == STATUS_OK && job->to)
        status = ply_put_row(job->to, row, &w->run, cells, &w->error);
    job->turn++;
    job->count += count;
    job->expanded += column_size(job->from, row);
    job->rows_done++;
    report = (struct census_report){job->number, job->rows_done, BANDS,
                                    job->count,  job->expanded,  job->from->count};
    if (status == STATUS_OK && job->options->report &&
        !job->options->report(job->options->context, &report))
        status = error_set(&w->error, STATUS_INTERRUPTED, "stopped at ply %d", job->number);
    pthread_cond_broadcast(&job->turned);
    pthread_mutex_unlock(&job->lock);
    return status;
}

/* ----------------------------------------------------------------- workers -- */

static enum status make_row(struct ply_worker *w, int place)
{
    int row = w->job->order[place];
    struct ply_cell cells[BANDS];
    enum status status;
    uint64_t count = 0;

    if ((status = expand_column(w, row)) != STATUS_OK)
        return status;
    if ((status = collect_row(w, row, cells, &count)) != STATUS_OK)
        return status;
    return commit_row(w, place, row, cells, count);
}

static void work(void *context, int id)
{
    struct ply_worker *workers = context, *w = &workers[id];
    struct ply_job *job = w->job;
    enum status status = STATUS_OK;

    while (status == STATUS_OK && !job_failed(job)) {
        int place = atomic_fetch_add(&job->next, 1);

        if (place >= job->end)
            break;
        status = make_row(w, place);
    }
    if (status == STATUS_OK)
        status = waiting_flush(w);
    if (status != STATUS_OK)
        job_fail(job, status, &w->error);
}

/* Rows with the same number of pieces do not depend on each other. */
static void run_classes(struct ply_job *job, struct ply_worker *workers, int threads)
{
    const uint8_t *pieces = job->census->bands.pieces;

    for (job->begin = 0; job->begin < BANDS && job->status == STATUS_OK; job->begin = job->end) {
        job->end = job->begin + 1;
        while (job->end < BANDS && pieces[job->order[job->end]] == pieces[job->order[job->begin]])
            job->end++;
        atomic_store(&job->next, job->begin);
        crew_share(threads, work, workers);
    }
}

static void job_order(struct ply_job *job)
{
    const uint8_t *pieces = job->census->bands.pieces;
    int n = 0;

    for (int count = CODE_PIECES_MAX; count >= 0; count--)
        for (int b = 0; b < BANDS; b++)
            if (pieces[b] == count)
                job->order[n++] = b;
    assert(n == BANDS);
}

static enum status job_run(struct ply_job *job, struct error *e)
{
    int threads = crew_size(job->options->threads), opened = 0;
    size_t memory = job->options->memory ? job->options->memory : DEFAULT_MEMORY;
    struct ply_worker *workers = calloc((size_t)threads, sizeof *workers);

    while (workers && opened < threads &&
           worker_open(&workers[opened], job, memory / (size_t)threads))
        opened++;
    if (opened == threads)
        run_classes(job, workers, threads);
    else
        job->status = error_no_memory(&job->error);
    for (int i = 0; workers && i < threads; i++)
        worker_close(&workers[i]);
    free(workers);
    if (job->status != STATUS_OK && e)
        *e = job->error;
    return job->status;
}

/* -------------------------------------------------------------------- plies -- */

static enum status make_first(struct census *c, const struct census_options *o, struct error *e)
{
    struct board seen = board_flip(&c->question.start);
    uint64_t code = code_encode(c->tables, &seen);
    struct codes codes = {&code, 1, 1};
    struct ply_cell cells[BANDS] = {{0}};
    struct run_writer run = {0};
    int band = band_of(&c->bands, c->tables, squares_pack(seen.side[BLACK]));
    int row = band_of(&c->bands, c->tables, packed_flip(squares_pack(seen.side[WHITE])));
    enum status status = ply_create(&c->ply[0], o->dir, 0, &c->question, e);

    if (status == STATUS_OK && code == CODE_NONE)
        status = error_set(e, STATUS_OVERFLOW, "a position with too many kings");
    if (status == STATUS_OK && !run_put(&run, &codes, c->bands.first[band]))
        status = error_no_memory(e);
    cells[band] = (struct ply_cell){.bytes = (uint32_t)run.size, .count = 1};
    for (int b = band + 1; b < BANDS; b++)
        cells[b].offset = run.size;
    if (status == STATUS_OK)
        status = ply_put_row(&c->ply[0], row, &run, cells, e);
    if (status == STATUS_OK)
        status = ply_finish(&c->ply[0], e);
    run_writer_free(&run);
    return status;
}

static enum status make_ply(struct census *c, const struct census_options *o, int number,
                            struct error *e)
{
    bool kept = number < o->plies || o->keep_last;
    struct ply_job job = {.census = c, .options = o, .number = number, .from = &c->ply[number - 1]};
    enum status status = STATUS_OK;

    pthread_mutex_init(&job.lock, NULL);
    pthread_cond_init(&job.turned, NULL);
    spill_open(&job.spill, o->dir);
    job_order(&job);
    if (kept) {
        job.to = &c->ply[number];
        status = ply_create(job.to, o->dir, number, &c->question, e);
    }
    if (status == STATUS_OK)
        status = job_run(&job, e);
    if (status == STATUS_OK && kept)
        status = ply_finish(job.to, e);
    c->kept[number] = kept && status == STATUS_OK;
    c->count[number] = job.count;
    if (job.spill.peak > c->spill_peak)
        c->spill_peak = job.spill.peak;
    spill_close(&job.spill);
    pthread_cond_destroy(&job.turned);
    pthread_mutex_destroy(&job.lock);
    return status;
}

/* Open what an earlier run has left, up to the first gap. */
static enum status find_plies(struct census *c, const struct census_options *o, int *first_missing,
                              struct error *e)
{
    int last = o->plies;

    *first_missing = 0;
    for (int i = 0; o->dir && i <= last; i++) {
        enum status status = ply_open(&c->ply[i], o->dir, i, &c->question, &c->kept[i], e);

        if (status != STATUS_OK)
            return status;
        if (!c->kept[i])
            break;
        c->count[i] = c->ply[i].count;
        *first_missing = i + 1;
    }
    return STATUS_OK;
}

/* Create the directory and lock it while we work there. */
static enum status directory_take(const char *dir, int *fd, struct error *e)
{
    enum status status;

    *fd = -1;
    if (!dir)
        return STATUS_OK;
    if (strlen(dir) > PLY_PATH_MAX - 64)
        return error_set(e, STATUS_IO, "%.40s...: the name is too long", dir);
    if ((status = directory_make(dir, e)))
        return status;
    status = directory_lock(dir, fd, e);
    return status == STATUS_LOCKED
               ? error_set(e, status, "%s: another census is running there", dir)
               : status;
}

static enum status run_plies(struct census *c, const struct census_options *o, struct error *e)
{
    enum status status;
    int n;

    if ((status = find_plies(c, o, &n, e)) != STATUS_OK)
        return status;
    if (n == 0) {
        if ((status = make_first(c, o, e)) != STATUS_OK)
            return status;
        c->kept[0] = true;
        c->count[0] = 1;
        n = 1;
    }
    for (; status == STATUS_OK && n <= o->plies; n++)
        status = make_ply(c, o, n, e);
    c->plies = o->plies;
    return status;
}

enum status census_run(struct census *c, const struct census_options *options, struct error *e)
{
    enum status status;
    int lock;

    memset(c, 0, sizeof *c);
    for (int i = 0; i <= CENSUS_PLIES_MAX; i++)
        c->ply[i].fd = -1;
    if (options->plies < 0 || options->plies > CENSUS_PLIES_MAX)
        return error_set(e, STATUS_OVERFLOW, "plies must be from 0 to %d", CENSUS_PLIES_MAX);
    c->question =
        ply_question_of(options->start ? options->start : &board_start, options->counting);
    c->tables = code_tables_open();
    if (!c->tables)
        return error_no_memory(e);
    bands_init(&c->bands, c->tables);
    status = directory_take(options->dir, &lock, e);
    if (status == STATUS_OK)
        status = run_plies(c, options, e);
    if (lock >= 0)
        close(lock);
    return status;
}

void census_close(struct census *c)
{
    for (int i = 0; i <= CENSUS_PLIES_MAX; i++)
        ply_close(&c->ply[i]);
    code_tables_close(&c->tables);
}
