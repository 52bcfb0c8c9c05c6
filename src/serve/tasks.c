/* SPDX-License-Identifier: MIT */
#include "serve/tasks.h"
#include "base/machine.h"
#include "core/notation.h"
#include "db/build.h"
#include "report/term.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ solving -- */

static enum status run_solve(const struct tasks *t, struct job *job, struct error *e)
{
    struct ondemand *ending;
    char count[FORMAT_MAX];
    enum status rc;
    int threads;

    job_label(job, "finding the positions that can be reached");
    if ((rc = ondemand_plan(&ending, &job_task(job)->board, WANT_DTC | WANT_DTW, t->memory,
                            job_stop(job), e)))
        return rc;
    threads = ondemand_threads(ending, t->threads, t->memory);
    atomic_store(job_total(job), ondemand_work(ending));
    job_label(job, "%s values", format_count(ondemand_values(ending), count));
    if (ondemand_bytes(ending, threads) <= t->memory) /* make room for it among the others */
        sources_trim(t->sources, t->memory - ondemand_bytes(ending, threads));
    rc = ondemand_solve(ending, threads, t->memory, job_stop(job), job_done(job), e);
    if (!rc)
        sources_add(t->sources, &ending, ondemand_bytes(ending, threads));
    ondemand_close(&ending);
    return rc;
}

static void put_estimate(const struct tasks *t, const struct board *b,
                         const struct ondemand *ending, struct json *out)
{
    int threads = ending ? ondemand_threads(ending, t->threads, t->memory) : 0;
    uint64_t bytes = ending ? ondemand_bytes(ending, threads) : 0;
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    json_object(out, NULL);
    json_text(out, "fen", fen);
    if (ending) {
        json_uint(out, "values", ondemand_values(ending));
        json_uint(out, "bytes", bytes);
    } else {
        json_null(out, "values");
        json_null(out, "bytes");
    }
    json_uint(out, "memory", t->memory);
    json_bool(out, "fits", ending && bytes <= t->memory);
    json_end(out);
}

enum status tasks_estimate(const struct tasks *t, const struct board *b, const atomic_bool *stop,
                           struct json *out, struct error *e)
{
    struct ondemand *ending = NULL;
    enum status rc = ondemand_plan(&ending, b, WANT_DTC | WANT_DTW, t->memory, stop, e);

    if (rc && rc != STATUS_NO_MEMORY && rc != STATUS_INTERRUPTED)
        return rc;
    put_estimate(t, b, ending, out);
    ondemand_close(&ending);
    return STATUS_OK;
}

/* ----------------------------------------------------------------------- building -- */

uint64_t directory_bytes(const char *dir)
{
    DIR *d = opendir(dir);
    uint64_t bytes = 0;
    struct dirent *f;
    struct stat s;

    while (d && (f = readdir(d)))
        if (fstatat(dirfd(d), f->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode))
            bytes += (uint64_t)s.st_blocks * 512;
    if (d)
        closedir(d);
    return bytes;
}

uint64_t disk_default(const char *dir)
{
    uint64_t free = disk_free(dir);

    return free == UINT64_MAX ? free : directory_bytes(dir) + free / 2;
}

/* A build, and the thread that watches its disk usage. */
struct build_watch {
    const struct tasks *tasks;
    struct job *job;
    pthread_mutex_t lock; /* guards over */
    pthread_cond_t ended;
    bool over;
};

static void on_begin(void *context, struct slice s, const char *step)
{
    struct build_watch *b = context;
    char name[SLICE_NAME_MAX];

    job_label(b->job, "%s %s", slice_name(s, name), step);
}

static void *watch_disk(void *arg)
{
    struct build_watch *b = arg;

    pthread_mutex_lock(&b->lock);
    while (!b->over) {
        struct timespec until;

        if (directory_bytes(sources_dir(b->tasks->sources)) > b->tasks->disk)
            job_abort(b->job, "the tables have reached the disk budget (--disk)");
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&b->ended, &b->lock, &until);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static enum status build_watched(struct build_watch *b, const struct build_plan *plan,
                                 const struct build_options *o, struct error *e)
{
    pthread_condattr_t forward;
    pthread_t thread;
    enum status rc;

    pthread_condattr_init(&forward);
    pthread_condattr_setclock(&forward, CLOCK_MONOTONIC);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->ended, &forward);
    pthread_condattr_destroy(&forward);
    if (pthread_create(&thread, NULL, watch_disk, b)) {
        rc = error_set(e, STATUS_NO_MEMORY, "cannot start threads");
    } else {
        rc = build_run(plan, o, e);
        pthread_mutex_lock(&b->lock);
        b->over = true;
        pthread_cond_signal(&b->ended);
        pthread_mutex_unlock(&b->lock);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&b->ended);
    pthread_mutex_destroy(&b->lock);
    return rc;
}

static enum status run_build(const struct tasks *t, struct job *job, struct error *e)
{
    const struct task *task = job_task(job);
    struct build_watch builder = {.tasks = t, .job = job};
    struct build_options o = {.dir = sources_dir(t->sources),
                              .threads = t->threads,
                              .memory = t->memory,
                              .isa = kernel_isa_best(),
                              .stop = job_stop(job),
                              .done = job_done(job),
                              .begin = on_begin,
                              .context = &builder};
    struct build_plan plan = {0};
    enum status rc;

    memcpy(o.kind, task->build, sizeof o.kind);
    rc = task->pieces ? build_plan_all(&plan, task->pieces, PIECES_MAX, e)
                      : build_plan_slice(&plan, task->slice, e);
    if (rc)
        return rc;
    atomic_store(job_total(job), build_work(&plan, &o));
    rc = build_watched(&builder, &plan, &o, e);
    build_plan_free(&plan);
    return rc;
}

/* ------------------------------------------------------------------------ proving -- */

static enum status run_prove(const struct tasks *t, struct job *job, struct error *e)
{
    const struct snapshot *s = sources_take(t->sources);
    struct prove_work work = {.threads = t->threads,
                              .memory =
                                  t->memory < TASKS_PROVE_BYTES ? t->memory : TASKS_PROVE_BYTES,
                              .seconds = job_task(job)->seconds,
                              .stop = job_stop(job),
                              .nodes = job_done(job)};
    const char *what = NULL;
    enum status rc = proofs_prove(t->proofs, s, &job_task(job)->board, &work, &what, e);

    sources_release(t->sources, s);
    if (what)
        job_label(job, "%s", what);
    return !rc && atomic_load(job_stop(job)) ? STATUS_INTERRUPTED : rc;
}

static enum status task_run(const struct tasks *t, struct job *job, struct error *e)
{
    switch (job_task(job)->kind) {
    case TASK_SOLVE:
        return run_solve(t, job, e);
    case TASK_BUILD:
        return run_build(t, job, e);
    case TASK_PROVE:
        return run_prove(t, job, e);
    }
    return error_set(e, STATUS_MISSING, "there is no such task");
}

enum status tasks_run(void *context, struct job *job, struct error *e)
{
    const struct tasks *t = context;
    enum status rc = task_run(t, job, e);

    if (rc)
        sources_hide(t->sources, e->text);
    return rc;
}
