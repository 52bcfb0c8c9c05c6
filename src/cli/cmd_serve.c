/* SPDX-License-Identifier: MIT
 *
 * kelso serve: the explorer and its JSON API. */
#include "base/parse.h"
#include "cli/command.h"
#include "base/machine.h"
#include "db/catalog.h"
#include "serve/handlers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct serve_args {
    const char *listen, *dir, *web, *log, *proofs, *store, *host, *token_file;
    int threads, connections, per_address, patience, rate;
    uint64_t memory, cache, disk;
    struct queue_access queue;
};

#define LISTEN_DEFAULT "127.0.0.1:8032"

enum { RATE_DEFAULT = 100, CLOSE_SECONDS = 1 };

static const struct option_spec options[] = {
    {"listen", OPTION_TEXT, offsetof(struct serve_args, listen), "HOST:PORT",
     "where to listen (127.0.0.1:8032, or a free port if that is taken)"},
    {"dir", OPTION_TEXT, offsetof(struct serve_args, dir), "DIR", "where the tables are"},
    {"web", OPTION_TEXT, offsetof(struct serve_args, web), "DIR",
     "serve the page's files from DIR, for development"},
    {"log", OPTION_TEXT, offsetof(struct serve_args, log), "FILE",
     "log each request to FILE; - is standard error"},
    {"proofs", OPTION_TEXT, offsetof(struct serve_args, proofs), "DIR",
     "show the proofs in DIR: files that end in .proof, checked first"},
    {"store", OPTION_TEXT, offsetof(struct serve_args, store), "DIR",
     "show the tree of an unfinished proof"},
    {"queue", OPTION_TEXT, offsetof(struct serve_args, queue.url), "URL",
     "show the workers of a queue of proofs: nats://HOST:4222 (docs/cluster.md)"},
    {"queue-token-file", OPTION_TEXT, offsetof(struct serve_args, queue.token_file), "FILE",
     "the queue's token is its first line ($KELSO_QUEUE_TOKEN)"},
    {"queue-user-file", OPTION_TEXT, offsetof(struct serve_args, queue.user_file), "FILE",
     "its first line is USER:PASSWORD for the queue ($KELSO_QUEUE_USER)"},
    {"queue-tls-ca", OPTION_TEXT, offsetof(struct serve_args, queue.tls_ca), "FILE",
     "certificates of authorities to trust for the queue (the system's)"},
    {"queue-tls-cert", OPTION_TEXT, offsetof(struct serve_args, queue.tls_cert), "FILE",
     "client certificate, if the queue requires one"},
    {"queue-tls-key", OPTION_TEXT, offsetof(struct serve_args, queue.tls_key), "FILE",
     "and its key"},
    {"threads", OPTION_INT, offsetof(struct serve_args, threads), "T",
     "use T threads (all cores) for answers, and as many for jobs", .min = 1, .max = 64},
    {"memory", OPTION_SIZE, offsetof(struct serve_args, memory), "SIZE",
     "memory for builds and for endings solved on demand (half of the machine's)"},
    OPTION_CACHE(struct serve_args),
    OPTION_WAS("pages", "cache"),
    {"disk", OPTION_SIZE, offsetof(struct serve_args, disk), "SIZE",
     "disk space for tables; builds stop beyond it (their size at the start plus half "
     "of the free space)"},
    {"host", OPTION_TEXT, offsetof(struct serve_args, host), "NAMES",
     "host names of the server, separated by commas; addresses need not be listed"},
    {"token-file", OPTION_TEXT, offsetof(struct serve_args, token_file), "FILE",
     "the first line of FILE, at least 16 characters, is a token that lets a client build, "
     "prove, and stop all jobs"},
    OPTION_WAS("build", "token-file"),
    {"connections", OPTION_INT, offsetof(struct serve_args, connections), "N",
     "at most N connections at once (512)", .min = 4, .max = 60000},
    {"per-address", OPTION_INT, offsetof(struct serve_args, per_address), "N",
     "at most N of them from one address (a quarter)", .min = 1, .max = 60000},
    {"patience", OPTION_INT, offsetof(struct serve_args, patience), "SECONDS",
     "seconds a client may take to send its request (20)", .min = 1, .max = 3600},
    {"rate", OPTION_INT, offsetof(struct serve_args, rate), "N",
     "requests per second from one address (100 from other machines, no limit from this one)",
     .min = 1, .max = 1000000},
    {0}};

/* ----------------------------------------------------------------------- address -- */

/* "127.0.0.1:8032", "[::1]:8032", "localhost:80". */
static bool address_parse(const char *text, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    const char *colon = strrchr(text, ':');
    char host[64];
    int port;

    if (!colon || colon == text || (size_t)(colon - text) >= sizeof host ||
        !parse_int(colon + 1, 0, 65535, &port))
        return false;
    snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
    *out = (struct sockaddr_storage){0};
    if (host[0] == '[' && colon[-1] == ']') {
        host[strlen(host) - 1] = 0;
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        return inet_pton(AF_INET6, host + 1, &v6->sin6_addr) == 1;
    }
    v4->sin_family = AF_INET;
    v4->sin_port = htons((uint16_t)port);
    return inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1", &v4->sin_addr) == 1;
}

static const char *address_text(const struct sockaddr_storage *a, int port, char text[80])
{
    char host[INET6_ADDRSTRLEN] = "";

    if (a->ss_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, host, sizeof host);
        snprintf(text, 80, "http://%s:%d/", host, port);
    } else {
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)a)->sin6_addr, host, sizeof host);
        snprintf(text, 80, "http://[%s]:%d/", host, port);
    }
    return text;
}

/* ------------------------------------------------------------------------- serving -- */

static void signals_block(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, set, NULL); /* before any thread starts: all inherit it */
}

/* Ctrl-C gives 130 as in every command; SIGTERM is the normal way to stop a service. */
static int status_after(int signal)
{
    return signal == SIGINT ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* Once a second check tables, jobs and the log, until a signal arrives, which is returned. */
static int keep_house(struct api *api, struct weblog *log, const sigset_t *stop)
{
    struct timespec second = {.tv_sec = 1};
    struct error e, last = {0};
    int signal;

    while ((signal = sigtimedwait(stop, NULL, &second)) < 0) {
        if (sources_refresh(api->sources, &e) && strcmp(e.text, last.text) != 0) {
            weblog_note(log, "tables: %s", e.text);
            last = e;
        }
        jobs_tick(api->jobs);
        weblog_flush(log);
    }
    return signal;
}

/* If no address was given and the port is taken, try another. */
static struct http_server *server_open(struct http_config *config, const char *listen,
                                       char why[HTTP_WHY_MAX])
{
    struct http_server *server = http_open(config, why);

    if (server || listen)
        return server;
    address_parse("127.0.0.1:0", &config->guard.address);
    return http_open(config, why);
}

static int serve(struct http_config *config, struct api *api, const char *listen,
                 const sigset_t *stop)
{
    char why[HTTP_WHY_MAX], text[80];
    struct http_server *server = server_open(config, listen, why);
    int signal;

    if (!server)
        return app_error("%s: %s", listen ? listen : LISTEN_DEFAULT, why);
    printf("kelso is at %s\n  tables: %s%s\n  Ctrl-C stops it\n",
           address_text(&config->guard.address, http_port(server), text), sources_dir(api->sources),
           access(sources_dir(api->sources), F_OK) ? " (none yet)" : "");
    fflush(stdout);
    if (weblog_requests(config->log))
        weblog_note(config->log, "serving %s", text);
    signal = keep_house(api, config->log, stop);
    if (weblog_requests(config->log))
        weblog_note(config->log, "stopping");
    http_close(&server, CLOSE_SECONDS);
    return status_after(signal);
}

/* Signals are blocked; while proofs are checked, a thread waits for them. */
struct ear {
    const sigset_t *signals;
    atomic_bool stop, end;
    int signal; /* if `stop`: which */
};

static void *ear_listen(void *arg)
{
    struct ear *ear = arg;
    struct timespec moment = {.tv_nsec = 50000000};

    while (!ear->end && !ear->stop)
        if ((ear->signal = sigtimedwait(ear->signals, NULL, &moment)) > 0)
            ear->stop = true;
    return NULL;
}

static void proofs_and_store(const struct api *api, const struct serve_args *args,
                             const atomic_bool *stop, struct error *e)
{
    const struct snapshot *s = sources_take(api->sources);

    if (args->proofs)
        proofs_load(api->proofs, s, args->proofs, stop, e);
    if (args->store && !e->status)
        proofs_use_store(api->proofs, args->store, e);
    sources_release(api->sources, s);
}

/* STATUS_INTERRUPTED if a signal, then in *signal, asked for the end. */
static enum status load_proofs(const struct api *api, const struct serve_args *args,
                               const sigset_t *signals, int *signal, struct error *e)
{
    struct ear ear = {.signals = signals};
    pthread_t thread;

    *e = (struct error){0};
    if (!args->proofs && !args->store)
        return STATUS_OK;
    if (pthread_create(&thread, NULL, ear_listen, &ear))
        return error_set(e, STATUS_NO_MEMORY, "cannot start threads");
    proofs_and_store(api, args, &ear.stop, e);
    ear.end = true;
    pthread_join(thread, NULL);
    *signal = ear.signal;
    return ear.stop ? error_set(e, STATUS_INTERRUPTED, "stopped") : e->status;
}

/* A queue that does not answer may do so later; a build without one never will. */
static bool queue_ask(const struct queue_access *a, struct weblog *log)
{
    struct queue_status s;
    struct error e;
    enum status rc = queue_status_read(a, &s, &e);

    free(s.worker);
    if (rc == STATUS_MISSING)
        app_error("%s", e.text);
    else if (rc)
        weblog_note(log, "queue: %s", e.text);
    return rc != STATUS_MISSING;
}

static int serve_with(const struct serve_args *args, struct http_config *config, const char *dir)
{
    const struct sockaddr *here = (const struct sockaddr *)&config->guard.address;
    struct tasks tasks = {.threads = config->threads[HTTP_QUICK],
                          .memory = args->memory ? args->memory : memory_default() / 3 * 2,
                          .disk = args->disk ? args->disk : disk_default(dir)};
    struct api api = {.web = args->web, .tasks = &tasks};
    sigset_t stop;
    struct error e;
    int status = EXIT_BAD, signal = 0;

    signals_block(&stop);
    if (args->queue.url && !queue_ask(&args->queue, config->log)) /* its threads inherit the mask */
        return EXIT_BAD;
    api.may_build = config->guard.token || guard_is_loopback(here);
    api.sources = tasks.sources = sources_open(dir, args->cache, tasks.memory);
    api.proofs = tasks.proofs = proofs_open();
    api.queue = args->queue.url ? queue_watch_open(&args->queue) : NULL;
    api.jobs = api.sources && api.proofs && (api.queue || !args->queue.url)
                   ? jobs_open(tasks_run, &tasks)
                   : NULL;
    config->context = &api;
    if (!api.jobs)
        app_error("not enough memory");
    else if (sources_refresh(api.sources, &e))
        app_error("%s", e.text);
    else if (load_proofs(&api, args, &stop, &signal, &e) == STATUS_INTERRUPTED)
        status = status_after(signal);
    else if (e.status)
        app_error("%s", e.text);
    else
        status = serve(config, &api, args->listen, &stop);
    queue_watch_close(&api.queue);
    jobs_close(&api.jobs);
    proofs_close(&api.proofs);
    sources_close(&api.sources);
    return status;
}

/* The configuration from the options; 0, or the exit status after an error. */
static int configure(struct serve_args *args, struct http_config *config,
                     char token[GUARD_TOKEN_MAX + 1])
{
    const char *wrong;

    if (!address_parse(args->listen ? args->listen : LISTEN_DEFAULT, &config->guard.address))
        return app_error("--listen: expected an address and a port such as 127.0.0.1:8032, found "
                         "'%s'",
                         args->listen);
    if (args->token_file && (wrong = guard_read_token(args->token_file, token)))
        return app_error("%s: %s", args->token_file, wrong);
    config->guard.names = args->host;
    config->guard.token = args->token_file ? token : NULL;
    config->threads[HTTP_QUICK] = args->threads ? args->threads : threads_default();
    config->connections = args->connections;
    config->per_address = args->per_address ? args->per_address : args->connections / 4;
    config->patience = args->patience;
    config->rate = args->rate ? args->rate : RATE_DEFAULT;
    config->limit_loopback = args->rate != 0;
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct serve_args args = {.connections = 512, .patience = 20};
    struct http_config config = {
        .routes = api_routes, .threads = {0, 4, LIVE_MAX + 2}, .queue_max = 64};
    char dir[TABLE_PATH_MAX], token[GUARD_TOKEN_MAX + 1];
    int status;

    if (options_parse(&command_serve, argc, argv, &args) < 0)
        return EXIT_BAD;
    if ((status = configure(&args, &config, token)))
        return status;
    if (!catalog_default_dir(args.dir, dir, sizeof dir))
        return app_error("no directory: give --dir, or set KELSO_DB or HOME");
    if (args.web && access(args.web, R_OK | X_OK) != 0)
        return app_error("%s: %s", args.web, strerror(errno));
    config.log = weblog_open(args.log);
    if (!config.log)
        return app_error("%s: %s", args.log, strerror(errno));
    status = serve_with(&args, &config, dir);
    weblog_close(&config.log);
    return status;
}

const struct command command_serve = {
    .name = "serve",
    .summary = "the explorer: look up, play and solve in a browser; a JSON API",
    .usage = "",
    .help = "Serves a page for the browser: set up positions, play, see the value of every move,\n"
            "watch perfect play, solve endings, build tables.  Below /api/v1 are the same answers\n"
            "as JSON, the objects that other commands print (docs/api.md).  The page is part of\n"
            "the program; nothing is fetched from elsewhere.\n"
            "\n"
            "  kelso serve\n"
            "  kelso serve --listen 0.0.0.0:8080 --host games.example --token-file token\n"
            "\n"
            "Tables that appear in DIR while it runs are used at once.  If only this machine can\n"
            "reach it, the page may build, prove and stop jobs.  On other addresses visitors may\n"
            "look things up and start bounded work; the rest needs the token, which the page asks\n"
            "for.  A request for a host other than the address served or --host is refused.  With\n"
            "--queue the page of proofs shows the workers of a queue.  Ctrl-C or SIGTERM stops\n"
            "the server after it has answered the requests in progress; the exit status is then\n"
            "130 or 0.\n",
    .options = options,
    .run = run,
};
