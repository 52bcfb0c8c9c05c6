/* SPDX-License-Identifier: MIT
 *
 * The handlers that start jobs and report on them, and those of proofs. */
#include "base/parse.h"
#include "db/build.h"
#include "serve/handlers.h"
#include "serve/parameters.h"

#include <string.h>

enum {
    PROVE_SECONDS_MAX = 600,
    SOLVE_SECONDS_MAX = 3600,
    SOLVE_SECONDS_GUEST = 60, /* for clients other than the owner */
    BUILD_SECONDS_MAX = 7 * 24 * 3600,
};

/* With `key` NULL the key is not sent. */
static void job_reply(struct api *api, unsigned id, const char *key, struct http_reply *reply,
                      int status)
{
    struct json j = json_open(reply->out);

    reply->status = status;
    reply->same_site = true;
    if (!jobs_write(api->jobs, id, key, &j))
        http_fail(reply, 404, 0, "there is no job %u", id);
}

static void job_start(struct api *api, const struct task *what, struct http_reply *reply)
{
    char key[JOB_KEY_MAX];
    struct error e;
    unsigned id;

    if (jobs_submit(api->jobs, what, &id, key, &e))
        api_fail(api, reply, &e);
    else
        job_reply(api, id, key, reply, 202);
}

void post_estimate(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    struct error e;
    struct board b;

    if (parameter_board(r, reply, &b) && tasks_estimate(api->tasks, &b, http_stop(r), &j, &e))
        api_fail(api, reply, &e);
}

void post_solve(void *context, const struct http_request *r, struct http_reply *reply)
{
    double most = http_is_owner(r) ? SOLVE_SECONDS_MAX : SOLVE_SECONDS_GUEST;
    struct task what = {.kind = TASK_SOLVE, .seconds = most, .guest = !http_is_owner(r)};

    if (parameter_board(r, reply, &what.board) &&
        parameter_seconds(r, reply, "time", most, &what.seconds))
        job_start(context, &what, reply);
}

void post_prove(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct task what = {.kind = TASK_PROVE, .seconds = 20};

    if (parameter_board(r, reply, &what.board) &&
        parameter_seconds(r, reply, "time", PROVE_SECONDS_MAX, &what.seconds))
        job_start(context, &what, reply);
}

void post_build(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct task what = {.kind = TASK_BUILD, .pieces = 4, .seconds = BUILD_SECONDS_MAX};
    bool given;

    if (!parameter_int(r, reply, "pieces", 2, BUILD_PIECES_MAX, &what.pieces) ||
        !parameter_slice(r, reply, &what.slice, &given) || !parameter_kinds(r, reply, what.build) ||
        !parameter_seconds(r, reply, "time", BUILD_SECONDS_MAX, &what.seconds))
        return;
    if (given)
        what.pieces = 0;
    job_start(context, &what, reply);
}

void get_jobs(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);

    (void)r;
    reply->same_site = true;
    json_object(&j, NULL);
    jobs_write_all(api->jobs, "jobs", &j);
    json_end(&j);
}

/* The number at the end of /api/v1/jobs/N; 0 if there is none. */
static unsigned job_id(const struct http_request *r)
{
    const char *text = strrchr(http_path(r), '/') + 1;
    int id = 0;

    parse_int(text, 1, 1000000000, &id);
    return (unsigned)id;
}

void get_job(void *context, const struct http_request *r, struct http_reply *reply)
{
    job_reply(context, job_id(r), NULL, reply, 200);
}

/* The owner may stop any job, another client only one whose key it has. */
void delete_job(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    size_t length;
    const char *key = http_parameter(r, "key", &length);

    if (http_is_owner(r))
        key = NULL;
    else if (!key)
        key = "";
    if (jobs_stop(api->jobs, job_id(r), key) == STATUS_LOCKED)
        http_fail(reply, api->may_build ? 401 : 403, 0, "this job belongs to another client");
    else
        job_reply(api, job_id(r), NULL, reply, 200);
}

void get_proof(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    const struct snapshot *s;
    struct board b;
    struct error e;

    if (!parameter_board(r, reply, &b))
        return;
    s = sources_take(api->sources);
    if (proofs_write(api->proofs, s, &b, &j, &e))
        api_fail(api, reply, &e);
    sources_release(api->sources, s);
}

void get_proofs(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    struct error e;

    (void)r;
    json_object(&j, NULL);
    if (proofs_write_all(api->proofs, "proofs", &j, &e))
        api_fail(api, reply, &e);
    else
        json_end(&j);
}
