/* SPDX-License-Identifier: MIT
 *
 * kelso worker: search positions for a manager on another machine. */
#include "base/machine.h"
#include "cli/command.h"
#include "cli/longjob.h"
#include "cli/queueing.h"

#include <inttypes.h>
#include <stdio.h>

struct worker_args {
    struct queue_access queue;
    const char *dir;
    uint64_t memory, cache;
    int threads, progress;
};

static const struct option_spec options[] = {
    OPTIONS_OF(struct worker_args, queue, queueing_options),
    OPTION_DIR(struct worker_args),
    {"threads", OPTION_INT, offsetof(struct worker_args, threads), "N",
     "parallel searches (all cores)", .min = 1, .max = 255},
    {"memory", OPTION_MEMORY, offsetof(struct worker_args, memory), "SIZE",
     "memory for all searches together, half of it for the deep one (1G)"},
    OPTION_CACHE(struct worker_args),
    OPTION_PROGRESS(struct worker_args),
    {0}};

static int run(int argc, char **argv)
{
    struct worker_args a = {0};
    struct longjob job;
    struct queue_worker o;
    struct error e;
    enum status rc;

    if (options_parse(&command_worker, argc, argv, &a) < 0)
        return EXIT_BAD;
    if (!a.queue.url)
        return app_error("worker: give --queue URL");
    a.queue.say = queueing_say;
    o = (struct queue_worker){.dir = a.dir,
                              .cache = a.cache,
                              .memory = a.memory ? a.memory : UINT64_C(1) << 30,
                              .threads = a.threads ? a.threads : threads_default(),
                              .program = KELSO_VERSION};
    o.stop = longjob_begin(&job, a.progress, "working", "searches", 0);
    o.searches = &job.done;
    rc = queue_work(&a.queue, &o, &e);
    longjob_end(&job);
    if (rc && rc != STATUS_INTERRUPTED)
        return app_error("%s", e.text);
    printf("%" PRIu64 " searches\n", atomic_load(&job.done));
    return EXIT_DONE;
}

const struct command command_worker = {
    .name = "worker",
    .summary = "search positions for `kelso prove --queue` on another machine",
    .usage = "",
    .help = "Takes positions from a queue, searches them and sends back the results, until it is\n"
            "stopped.  Start one on each machine, before or after the manager; workers can come\n"
            "and go at any time.  A worker needs the same tables as the manager and the same\n"
            "version of the program; otherwise it says so and ends with status 2.\n"
            "\n"
            "  nats-server -js -sd /var/lib/kelso-queue                   # on one machine\n"
            "  kelso prove --queue nats://HOST:4222 --store draw 'B:W9,23,28:B7,15,16'\n"
            "  kelso worker --queue nats://HOST:4222 --dir tables         # on each of many\n"
            "  kelso proof status --queue nats://HOST:4222\n"
            "\n"
            "docs/cluster.md has the details.  A stopped worker hands its positions back; those\n"
            "of a worker that died go to another after the manager's --lease.\n",
    .options = options,
    .run = run,
};
