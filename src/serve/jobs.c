/* SPDX-License-Identifier: MIT */
#include "serve/jobs.h"
#include "core/notation.h"
#include "report/outcomes.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum state { WAITING, RUNNING, DONE, FAILED, STOPPED };

struct job {
    struct jobs *jobs;
    unsigned id; /* 0: the place is free */
    enum state state;
    struct task task;
    atomic_bool stop;
    _Atomic uint64_t done, total;
    double began, ended;
    char label[JOB_LABEL_MAX], key[JOB_KEY_MAX];
    const char *why; /* why it was stopped; NULL: by request */
    struct error error;
};

struct jobs {
    jobs_runner *runner;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below but the atomics of a job */
    pthread_cond_t changed;
    bool closing;
    unsigned last;
    struct job job[JOBS_KEPT];
};

static bool job_is_over(const struct job *job)
{
    return job->state >= DONE;
}

/* -------------------------------------------------------------------- for the runner -- */

const struct task *job_task(const struct job *job)
{
    return &job->task; /* constant while the job exists */
}

const atomic_bool *job_stop(const struct job *job)
{
    return &job->stop;
}

_Atomic uint64_t *job_done(struct job *job)
{
    return &job->done;
}

_Atomic uint64_t *job_total(struct job *job)
{
    return &job->total;
}

void job_label(struct job *job, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    pthread_mutex_lock(&job->jobs->lock);
    vsnprintf(job->label, sizeof job->label, format, args);
    pthread_mutex_unlock(&job->jobs->lock);
    va_end(args);
}

void job_abort(struct job *job, const char *why)
{
    pthread_mutex_lock(&job->jobs->lock);
    if (!job->why)
        job->why = why;
    pthread_mutex_unlock(&job->jobs->lock);
    atomic_store(&job->stop, true);
}

/* ------------------------------------------------------------------------- the thread -- */

/* Does a waiting job come before another? */
static bool job_is_before(const struct job *a, const struct job *b)
{
    return a->task.guest != b->task.guest ? b->task.guest : a->id < b->id;
}

/* The first that waits; NULL when it is time to end. */
static struct job *job_next(struct jobs *j)
{
    while (!j->closing) {
        struct job *first = NULL;

        for (int i = 0; i < JOBS_KEPT; i++)
            if (j->job[i].id && j->job[i].state == WAITING &&
                (!first || job_is_before(&j->job[i], first)))
                first = &j->job[i];
        if (first)
            return first;
        pthread_cond_wait(&j->changed, &j->lock);
    }
    return NULL;
}

static void job_run(struct jobs *j, struct job *job) /* with the lock held */
{
    struct error e = {0};
    enum status rc;

    job->state = RUNNING;
    job->began = clock_seconds();
    pthread_mutex_unlock(&j->lock);
    rc = j->runner(j->context, job, &e);
    pthread_mutex_lock(&j->lock);
    job->state = !rc ? DONE : rc == STATUS_INTERRUPTED && !job->why ? STOPPED : FAILED;
    job->error = e;
    if (rc == STATUS_INTERRUPTED && job->why)
        error_set(&job->error, rc, "%s", job->why);
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

void jobs_tick(struct jobs *j)
{
    pthread_mutex_lock(&j->lock);
    for (int i = 0; i < JOBS_KEPT; i++) {
        struct job *job = &j->job[i];

        if (!job->id || job->state != RUNNING || job->why ||
            clock_seconds() - job->began <= job->task.seconds)
            continue;
        job->why = "it exceeded its time limit";
        atomic_store(&job->stop, true);
    }
    pthread_mutex_unlock(&j->lock);
}

/* -------------------------------------------------------------------------- asking -- */

static bool same_work(const struct task *a, const struct task *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind != TASK_BUILD)
        return board_equal(&a->board, &b->board);
    return a->pieces == b->pieces && slice_equal(a->slice, b->slice) &&
           memcmp(a->build, b->build, sizeof a->build) == 0;
}

static bool key_make(char key[JOB_KEY_MAX])
{
    unsigned char bytes[(JOB_KEY_MAX - 1) / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(key + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static void job_fill(struct jobs *j, struct job *place, const struct task *what, const char *key)
{
    place->jobs = j;
    place->id = ++j->last;
    place->state = WAITING;
    place->task = *what;
    atomic_store(&place->stop, false);
    atomic_store(&place->done, 0);
    atomic_store(&place->total, 0);
    place->began = place->ended = clock_seconds();
    place->label[0] = 0;
    place->why = NULL;
    place->error = (struct error){0};
    memcpy(place->key, key, JOB_KEY_MAX);
}

/* A free slot, or that of the job that ended first: there are more slots than jobs that can
 * wait (J1). */
static struct job *place_find(struct jobs *j)
{
    struct job *oldest = NULL;

    for (int i = 0; i < JOBS_KEPT; i++)
        if (!j->job[i].id)
            return &j->job[i];
        else if (job_is_over(&j->job[i]) && (!oldest || j->job[i].id < oldest->id))
            oldest = &j->job[i];
    return oldest;
}

enum status jobs_submit(struct jobs *j, const struct task *what, unsigned *id,
                        char key[JOB_KEY_MAX], struct error *e)
{
    enum status rc = STATUS_OK;
    int waiting = 0, guests = 0;

    *id = 0;
    if (!key_make(key))
        return error_set(e, STATUS_IO, "no random numbers available");
    pthread_mutex_lock(&j->lock);
    for (int i = 0; i < JOBS_KEPT; i++) {
        const struct job *job = &j->job[i];

        if (!job->id || job_is_over(job))
            continue;
        waiting += job->state == WAITING;
        guests += job->state == WAITING && job->task.guest;
        if (same_work(&job->task, what) && !atomic_load(&job->stop))
            *id = job->id;
    }
    if (*id) {
        key[0] = 0;
    } else if (waiting >= JOBS_WAITING || (what->guest && guests >= JOBS_GUESTS)) {
        rc = error_set(e, STATUS_LOCKED, "%d jobs are waiting: try again later", waiting);
    } else {
        job_fill(j, place_find(j), what, key);
        *id = j->last;
        pthread_cond_signal(&j->changed);
    }
    pthread_mutex_unlock(&j->lock);
    return rc;
}

static struct job *job_find(struct jobs *j, unsigned id) /* with the lock held */
{
    for (int i = 0; id && i < JOBS_KEPT; i++)
        if (j->job[i].id == id)
            return &j->job[i];
    return NULL;
}

enum status jobs_stop(struct jobs *j, unsigned id, const char *key)
{
    enum status rc = STATUS_OK;
    struct job *job;

    pthread_mutex_lock(&j->lock);
    job = job_find(j, id);
    if (!job) {
        rc = STATUS_MISSING;
    } else if (key && strcmp(key, job->key) != 0) {
        rc = STATUS_LOCKED;
    } else {
        atomic_store(&job->stop, true);
        if (job->state == WAITING)
            job->state = STOPPED;
    }
    pthread_mutex_unlock(&j->lock);
    return rc;
}

/* -------------------------------------------------------------------------- telling -- */

static void put_task(const struct task *task, struct json *out)
{
    static const char *const names[] = {"solve", "build", "prove"};
    char text[FEN_TEXT_MAX];

    json_text(out, "job", names[task->kind]);
    if (task->kind != TASK_BUILD) {
        fen_format(&task->board, text);
        json_text(out, "fen", text);
        return;
    }
    if (task->pieces)
        json_int(out, "pieces", task->pieces);
    else
        json_text(out, "slice", slice_name(task->slice, text));
    json_array(out, "kinds");
    for (int k = 0; k < KINDS; k++)
        if (task->build[k])
            json_text(out, NULL, kind_name((enum kind)k));
    json_end(out);
}

static void job_write(const struct job *job, const char *key, struct json *out)
{
    static const char *const states[] = {"waiting", "running", "done", "failed", "stopped"};
    uint64_t done = atomic_load(&job->done), total = atomic_load(&job->total);
    double seconds = (job_is_over(job) ? job->ended : clock_seconds()) - job->began;

    if (job->task.kind == TASK_PROVE) { /* the number of positions is unknown: progress is by
                                         * time */
        done = (uint64_t)((seconds < job->task.seconds ? seconds : job->task.seconds) * 1000);
        total = (uint64_t)(job->task.seconds * 1000);
    }
    json_object(out, NULL);
    json_int(out, "id", job->id);
    put_task(&job->task, out);
    json_text(out, "state", states[job->state]);
    json_text(out, "label", job->label);
    json_uint(out, "done", done);
    json_uint(out, "total", total);
    json_real(out, "seconds", seconds);
    if (job->task.kind == TASK_PROVE)
        json_uint(out, "positions", atomic_load(&job->done));
    if (job->state == RUNNING && done && seconds > 0.5 && total >= done)
        json_real(out, "left", (double)(total - done) * seconds / (double)done);
    else
        json_null(out, "left");
    json_text(out, "error", job->state == FAILED ? job->error.text : NULL);
    if (key)
        json_text(out, "key", *key ? key : NULL);
    json_end(out);
}

bool jobs_write(struct jobs *j, unsigned id, const char *key, struct json *out)
{
    struct job *job;

    pthread_mutex_lock(&j->lock);
    job = job_find(j, id);
    if (job)
        job_write(job, key, out);
    pthread_mutex_unlock(&j->lock);
    return job != NULL;
}

void jobs_write_all(struct jobs *j, const char *name, struct json *out)
{
    unsigned below = UINT32_MAX;

    pthread_mutex_lock(&j->lock);
    json_array(out, name);
    for (;;) {
        const struct job *latest = NULL;

        for (int i = 0; i < JOBS_KEPT; i++)
            if (j->job[i].id && j->job[i].id < below && (!latest || j->job[i].id > latest->id))
                latest = &j->job[i];
        if (!latest)
            break;
        job_write(latest, NULL, out);
        below = latest->id;
    }
    json_end(out);
    pthread_mutex_unlock(&j->lock);
}

/* --------------------------------------------------------------------- open, close -- */

struct jobs *jobs_open(jobs_runner *runner, void *context)
{
    struct jobs *j = calloc(1, sizeof *j);

    if (!j)
        return NULL;
    j->runner = runner;
    j->context = context;
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
