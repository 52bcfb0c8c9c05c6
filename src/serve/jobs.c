/* SPDX-License-Identifier: MIT */
#include "serve/jobs.h"

#include "base/clock.h"
#include "report/outcomes.h"
#include "report/term.h"
#include "core/notation.h"
#include "db/build.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum task { SOLVE, BUILD, PROVE };
enum state { WAITING, RUNNING, DONE, FAILED, STOPPED };

struct job {
    unsigned id; /* 0: the place is free */
    enum state state;
    enum task task;
    struct board board;      /* to solve, to prove */
    struct jobs_build build; /* to build */
    double limit;            /* seconds to prove it in */
    atomic_bool stop;
    _Atomic uint64_t done, total;
    double began, ended;
    char label[64];
    struct error error;
};

struct jobs {
    struct sources *sources;
    struct proofs *proofs;
    int threads;
    uint64_t memory;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below but the atomics of a job */
    pthread_cond_t changed;
    bool closing;
    unsigned last;
    struct job job[JOBS_KEPT]; /* job id is at id % JOBS_KEPT */
};

static bool job_is_over(const struct job *job)
{
    return job->state >= DONE;
}

static void job_label(struct jobs *j, struct job *job, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void job_label(struct jobs *j, struct job *job, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    pthread_mutex_lock(&j->lock);
    vsnprintf(job->label, sizeof job->label, format, args);
    pthread_mutex_unlock(&j->lock);
    va_end(args);
}

/* ------------------------------------------------------------------------ solving -- */

static enum status run_solve(struct jobs *j, struct job *job, struct error *e)
{
    struct ondemand *ending;
    enum status rc;
    char count[FORMAT_MAX];

    job_label(j, job, "looking for what can be reached");
    if ((rc = ondemand_plan(&ending, &job->board, WANT_DTC | WANT_DTW, j->threads, j->memory, e)))
        return rc;
    atomic_store(&job->total, ondemand_work(ending));
    job_label(j, job, "%s values", format_count(ondemand_values(ending), count));
    if (ondemand_bytes(ending, j->threads) <= j->memory) /* make room for it among the others */
        sources_trim(j->sources, j->memory - ondemand_bytes(ending, j->threads));
    rc = ondemand_solve(ending, j->threads, j->memory, &job->stop, &job->done, e);
    if (!rc)
        sources_add(j->sources, &ending, ondemand_bytes(ending, j->threads));
    ondemand_close(&ending);
    return rc;
}

enum status jobs_estimate(struct jobs *j, const struct board *b, struct json *out, struct error *e)
{
    struct ondemand *ending;
    enum status rc = ondemand_plan(&ending, b, WANT_DTC | WANT_DTW, j->threads, j->memory, e);
    char fen[FEN_TEXT_MAX];

    if (rc)
        return rc;
    fen_format(b, fen);
    json_object(out, NULL);
    json_text(out, "fen", fen);
    json_uint(out, "values", ondemand_values(ending));
    json_uint(out, "bytes", ondemand_bytes(ending, j->threads));
    json_uint(out, "memory", j->memory);
    json_bool(out, "fits", ondemand_bytes(ending, j->threads) <= j->memory);
    json_end(out);
    ondemand_close(&ending);
    return STATUS_OK;
}

/* ----------------------------------------------------------------------- building -- */

struct build_watch {
    struct jobs *jobs;
    struct job *job;
};

static void on_begin(void *context, struct slice s, const char *step)
{
    struct build_watch *b = context;
    char name[SLICE_NAME_MAX];

    job_label(b->jobs, b->job, "%s %s", slice_name(s, name), step);
}

static enum status run_build(struct jobs *j, struct job *job, struct error *e)
{
    struct build_watch context = {j, job};
    struct build_options o = {.dir = sources_dir(j->sources),
                              .threads = j->threads,
                              .memory = j->memory,
                              .isa = kernel_isa_best(),
                              .stop = &job->stop,
                              .done = &job->done,
                              .begin = on_begin,
                              .context = &context};
    struct build_plan plan = {0};
    enum status rc;

    memcpy(o.kind, job->build.kind, sizeof o.kind);
    rc = job->build.pieces ? build_plan_all(&plan, job->build.pieces, PIECES_MAX, e)
                           : build_plan_slice(&plan, job->build.slice, e);
    if (rc)
        return rc;
    atomic_store(&job->total, build_work(&plan, &o));
    rc = build_run(&plan, &o, e);
    build_plan_free(&plan);
    return rc;
}

/* ------------------------------------------------------------------------ proving -- */

enum { PROVE_BYTES_MAX = 256 << 20 };

static enum status run_prove(struct jobs *j, struct job *job, struct error *e)
{
    const struct snapshot *s = sources_take(j->sources);
    struct prove_work work = {.threads = j->threads,
                              .memory = j->memory < PROVE_BYTES_MAX ? j->memory : PROVE_BYTES_MAX,
                              .seconds = job->limit,
                              .stop = &job->stop,
                              .nodes = &job->done};
    const char *what = NULL;
    enum status rc = proofs_prove(j->proofs, s, &job->board, &work, &what, e);

    sources_release(j->sources, s);
    if (what)
        job_label(j, job, "%s", what);
    return !rc && atomic_load(&job->stop) ? STATUS_INTERRUPTED : rc;
}

/* ------------------------------------------------------------------------- the thread -- */

/* The first that waits; NULL when it is time to end. */
static struct job *job_next(struct jobs *j)
{
    for (;;) {
        if (j->closing)
            return NULL;
        for (unsigned id = j->last > JOBS_KEPT ? j->last - JOBS_KEPT + 1 : 1; id <= j->last; id++) {
            struct job *job = &j->job[id % JOBS_KEPT];

            if (job->id == id && job->state == WAITING)
                return job;
        }
        pthread_cond_wait(&j->changed, &j->lock);
    }
}

static void job_run(struct jobs *j, struct job *job) /* with the lock held */
{
    struct error e = {0};
    enum status rc;

    job->state = RUNNING;
    job->began = clock_seconds();
    pthread_mutex_unlock(&j->lock);
    rc = (job->task == BUILD ? run_build : job->task == PROVE ? run_prove : run_solve)(j, job, &e);
    pthread_mutex_lock(&j->lock);
    job->state = !rc ? DONE : rc == STATUS_INTERRUPTED ? STOPPED : FAILED;
    job->error = e;
    job->ended = clock_seconds();
}

static void *jobs_work(void *arg)
{
    struct jobs *j = arg;
    struct job *job;

    pthread_mutex_lock(&j->lock);
    while ((job = job_next(j)))
        job_run(j, job);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* -------------------------------------------------------------------------- asking -- */

static bool same_work(const struct job *a, const struct job *b)
{
    if (a->task != b->task)
        return false;
    if (a->task != BUILD)
        return board_equal(&a->board, &b->board);
    return a->build.pieces == b->build.pieces && slice_equal(a->build.slice, b->build.slice) &&
           memcmp(a->build.kind, b->build.kind, sizeof a->build.kind) == 0;
}

static void job_fill(struct job *place, unsigned id, const struct job *what)
{
    place->id = id;
    place->state = WAITING;
    place->task = what->task;
    place->limit = what->limit;
    place->board = what->board;
    place->build = what->build;
    atomic_store(&place->stop, false);
    atomic_store(&place->done, 0);
    atomic_store(&place->total, 0);
    place->began = place->ended = clock_seconds();
    place->label[0] = 0;
    place->error = (struct error){0};
}

static enum status jobs_submit(struct jobs *j, const struct job *what, unsigned *id,
                               struct error *e)
{
    enum status rc = STATUS_OK;
    int waiting = 0;

    *id = 0;
    pthread_mutex_lock(&j->lock);
    for (int i = 0; i < JOBS_KEPT; i++) {
        const struct job *job = &j->job[i];

        if (!job->id || job_is_over(job))
            continue;
        waiting++;
        if (same_work(job, what) && !atomic_load(&job->stop))
            *id = job->id;
    }
    if (!*id && waiting > JOBS_WAITING)
        rc = error_set(e, STATUS_LOCKED, "%d jobs are waiting: try again later", waiting);
    if (!*id && !rc) {
        *id = ++j->last;
        job_fill(&j->job[*id % JOBS_KEPT], *id, what);
        pthread_cond_signal(&j->changed);
    }
    pthread_mutex_unlock(&j->lock);
    return rc;
}

enum status jobs_solve(struct jobs *j, const struct board *b, unsigned *id, struct error *e)
{
    struct job what = {.task = SOLVE, .board = *b};

    return jobs_submit(j, &what, id, e);
}

enum status jobs_prove(struct jobs *j, const struct board *b, double seconds, unsigned *id,
                       struct error *e)
{
    struct job what = {.task = PROVE, .board = *b, .limit = seconds};

    return jobs_submit(j, &what, id, e);
}

enum status jobs_start_build(struct jobs *j, const struct jobs_build *build, unsigned *id,
                             struct error *e)
{
    struct job what = {.task = BUILD, .build = *build};

    return jobs_submit(j, &what, id, e);
}

static struct job *job_find(struct jobs *j, unsigned id) /* with the lock held */
{
    struct job *job = &j->job[id % JOBS_KEPT];

    return id && job->id == id ? job : NULL;
}

bool jobs_stop(struct jobs *j, unsigned id)
{
    struct job *job;

    pthread_mutex_lock(&j->lock);
    job = job_find(j, id);
    if (job)
        atomic_store(&job->stop, true);
    if (job && job->state == WAITING)
        job->state = STOPPED;
    pthread_mutex_unlock(&j->lock);
    return job != NULL;
}

/* -------------------------------------------------------------------------- telling -- */

static void put_work(const struct job *job, struct json *out)
{
    static const char *const tasks[] = {"solve", "build", "prove"};
    char text[FEN_TEXT_MAX];

    json_text(out, "job", tasks[job->task]);
    if (job->task != BUILD) {
        fen_format(&job->board, text);
        json_text(out, "fen", text);
        return;
    }
    if (job->build.pieces)
        json_int(out, "pieces", job->build.pieces);
    else
        json_text(out, "slice", slice_name(job->build.slice, text));
    json_array(out, "kinds");
    for (int k = 0; k < KINDS; k++)
        if (job->build.kind[k])
            json_text(out, NULL, kind_name((enum kind)k));
    json_end(out);
}

static void job_write(const struct job *job, struct json *out)
{
    static const char *const states[] = {"waiting", "running", "done", "failed", "stopped"};
    uint64_t done = atomic_load(&job->done), total = atomic_load(&job->total);
    double seconds = (job_is_over(job) ? job->ended : clock_seconds()) - job->began;

    if (job->task == PROVE) { /* nobody knows how many positions: time is what counts */
        done = (uint64_t)((seconds < job->limit ? seconds : job->limit) * 1000);
        total = (uint64_t)(job->limit * 1000);
    }
    json_object(out, NULL);
    json_int(out, "id", job->id);
    put_work(job, out);
    json_text(out, "state", states[job->state]);
    json_text(out, "label", job->label);
    json_uint(out, "done", done);
    json_uint(out, "total", total);
    json_real(out, "seconds", seconds);
    if (job->state == RUNNING && done && seconds > 0.5 && total >= done)
        json_real(out, "left", (double)(total - done) * seconds / (double)done);
    else
        json_null(out, "left");
    json_text(out, "error", job->state == FAILED ? job->error.text : NULL);
    json_end(out);
}

bool jobs_write(struct jobs *j, unsigned id, struct json *out)
{
    struct job *job;

    pthread_mutex_lock(&j->lock);
    job = job_find(j, id);
    if (job)
        job_write(job, out);
    pthread_mutex_unlock(&j->lock);
    return job != NULL;
}

void jobs_write_all(struct jobs *j, const char *key, struct json *out)
{
    pthread_mutex_lock(&j->lock);
    json_array(out, key);
    for (unsigned id = j->last; id > 0 && id + JOBS_KEPT > j->last; id--)
        if (job_find(j, id))
            job_write(job_find(j, id), out);
    json_end(out);
    pthread_mutex_unlock(&j->lock);
}

/* --------------------------------------------------------------------- open, close -- */

struct jobs *jobs_open(struct sources *sources, struct proofs *proofs, int threads, uint64_t memory)
{
    struct jobs *j = calloc(1, sizeof *j);

    if (!j)
        return NULL;
    j->sources = sources;
    j->proofs = proofs;
    j->threads = threads;
    j->memory = memory;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->changed, NULL);
    if (pthread_create(&j->thread, NULL, jobs_work, j) == 0)
        return j;
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    free(j);
    return NULL;
}

void jobs_close(struct jobs **out)
{
    struct jobs *j = *out;

    if (!j)
        return;
    pthread_mutex_lock(&j->lock);
    j->closing = true;
    for (int i = 0; i < JOBS_KEPT; i++)
        atomic_store(&j->job[i].stop, true);
    pthread_cond_signal(&j->changed);
    pthread_mutex_unlock(&j->lock);
    pthread_join(j->thread, NULL);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    free(j);
    *out = NULL;
}
