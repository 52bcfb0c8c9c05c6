/* SPDX-License-Identifier: MIT
 *
 * The server's connections and its jobs under ThreadSanitizer: quick, slow and streamed
 * answers, clients that leave in the middle, jobs that are started and stopped by many, and
 * an end while all that goes on. */
#include "base/clock.h"
#include "serve/http.h"
#include "serve/jobs.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct jobs *jobs;
static int port;
static atomic_bool over;
static atomic_int answers, wrong;

static void quick(void *context, const struct http_request *r, struct http_reply *reply)
{
    (void)context, (void)r;
    fprintf(reply->out, "{\"quick\":true}\n");
}

static void stream(void *context, const struct http_request *r, struct http_reply *reply)
{
    (void)context;
    for (int i = 0; i < 20 && !atomic_load(http_stop(r)); i++) {
        fprintf(reply->out, "data: %d\n\n", i);
        if (!http_flush(r, reply))
            return;
        usleep(1000);
    }
}

static void start_job(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct task task = {.kind = TASK_SOLVE, .seconds = 1};
    struct json j = json_open(reply->out);
    char key[JOB_KEY_MAX];
    struct error e;
    unsigned id;

    (void)context, (void)r;
    if (jobs_submit(jobs, &task, &id, key, &e)) {
        http_fail(reply, 503, 0, "%s", e.text);
        return;
    }
    jobs_write_all(jobs, NULL, &j);
    jobs_stop(jobs, id, key[0] ? key : NULL);
}

static enum status run_job(void *context, struct job *job, struct error *e)
{
    (void)context;
    for (int i = 0; i < 50 && !atomic_load(job_stop(job)); i++) {
        job_label(job, "step %d", i);
        atomic_fetch_add(job_done(job), 1);
        usleep(500);
    }
    return atomic_load(job_stop(job)) ? error_set(e, STATUS_INTERRUPTED, "stopped") : STATUS_OK;
}

static const struct http_route routes[] = {{"/quick", {quick}},
                                           {"/slow", {quick}, .pace = HTTP_SLOW},
                                           {"/stream", {stream, stream}, .pace = HTTP_SEARCH},
                                           {"/job", {NULL, start_job}},
                                           {0}};

static void *client(void *arg)
{
    static const char *const lines[] = {"GET /quick", "GET /slow", "GET /stream", "POST /job"};
    unsigned n = (unsigned)(uintptr_t)arg;

    while (!atomic_load(&over)) {
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        char text[256], bytes[4096];
        ssize_t got = 0;

        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        snprintf(text, sizeof text,
                 "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                 lines[n++ % 4]);
        if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0 &&
            send(fd, text, strlen(text), MSG_NOSIGNAL) > 0 && n % 7)
            while ((got = recv(fd, bytes, sizeof bytes, 0)) > 0 && n % 5)
                if (strncmp(bytes, "HTTP/1.1 ", 9) == 0) {
                    atomic_fetch_add(&answers, 1);
                    atomic_fetch_add(&wrong, bytes[9] == '4');
                }
        close(fd);
    }
    return NULL;
}

int main(void)
{
    struct http_config config = {.threads = {2, 2, 2},
                                 .connections = 32,
                                 .per_address = 32,
                                 .queue_max = 8,
                                 .patience = 5,
                                 .routes = routes};
    struct sockaddr_in *a = (struct sockaddr_in *)&config.guard.address;
    struct http_server *server;
    char why[HTTP_WHY_MAX];
    pthread_t thread[6];
    double until;

    a->sin_family = AF_INET;
    a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    config.log = weblog_open("/dev/null");
    jobs = jobs_open(run_job, NULL);
    server = jobs && config.log ? http_open(&config, why) : NULL;
    if (!server)
        return 2;
    port = http_port(server);
    for (uintptr_t i = 0; i < 6; i++)
        if (pthread_create(&thread[i], NULL, client, (void *)i))
            return 2;
    for (until = clock_seconds() + 4; clock_seconds() < until; usleep(50000))
        jobs_tick(jobs);
    http_close(&server, 1); /* in the middle of it all */
    atomic_store(&over, true);
    for (int i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
    jobs_close(&jobs);
    weblog_close(&config.log);
    printf("%d answers, %d wrong\n", atomic_load(&answers), atomic_load(&wrong));
    return atomic_load(&wrong) != 0 || atomic_load(&answers) < 20;
}
