/* SPDX-License-Identifier: MIT
 *
 * kelso prove: a proof that takes longer than one search, kept in a store. */
#include "base/clock.h"
#include "base/parse.h"
#include "cli/answers.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/longjob.h"
#include "base/machine.h"
#include "cli/opening.h"
#include "cli/queueing.h"
#include "report/term.h"
#include "core/notation.h"
#include "proof/manager.h"
#include "proof/roots.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_NODES = 1000 }; /* the least that is of use to the player */

struct prove_args {
    struct queue_access queue;
    const char *audit_text;
    double lease, audit;
    const char *store, *dir, *seed, *until;
    int from, step, workers, pieces, deep, progress;
    double look, time, limit;
    uint64_t memory, cache, nodes, searches;
    bool json, warm;
};

static const struct option_spec options[] = {
    {"store", OPTION_TEXT, offsetof(struct prove_args, store), "DIR",
     "the directory that keeps everything (required)"},
    {"seed-line", OPTION_TEXT, offsetof(struct prove_args, seed), "MOVES",
     "best play from there on; it is settled from its end backwards"},
    {"from", OPTION_INT, offsetof(struct prove_args, from), "N",
     "first threshold, in hundredths of a man (125)", .min = 1, .max = MANAGER_WIN},
    {"step", OPTION_INT, offsetof(struct prove_args, step), "N", "raise it by at least N (5)",
     .min = 1, .max = MANAGER_WIN},
    {"until", OPTION_TEXT, offsetof(struct prove_args, until), "N",
     "last threshold; win: until everything is proven (win)"},
    {"workers", OPTION_INT, offsetof(struct prove_args, workers), "N",
     "parallel searches (all cores)", .min = 1, .max = PROVERS_MAX},
    {"look", OPTION_DURATION, offsetof(struct prove_args, look), "TIME",
     "time for the player at each position (0.2s)"},
    {"time", OPTION_DURATION, offsetof(struct prove_args, time), "TIME",
     "time for the solver at each position (2s)"},
    {"deep", OPTION_INT, offsetof(struct prove_args, deep), "N",
     "search the position to settle itself, up to N times as long (256; 1: no deep search)",
     .min = 1, .max = 100000},
    {"nodes", OPTION_COUNT, offsetof(struct prove_args, nodes), "N",
     "count positions instead: N for the solver, 1000 + N / 10 for the player"},
    {"limit", OPTION_DURATION, offsetof(struct prove_args, limit), "TIME",
     "stop after TIME, for each position (no limit)"},
    {"searches", OPTION_COUNT, offsetof(struct prove_args, searches), "N",
     "stop after N searches (no limit)"},
    {"memory", OPTION_MEMORY, offsetof(struct prove_args, memory), "SIZE",
     "memory for all searches together, half of it for the deep one (1G)"},
    OPTIONS_OF(struct prove_args, queue, queueing_options),
    {"lease", OPTION_DURATION, offsetof(struct prove_args, lease), "TIME",
     "queue: a silent worker's positions go to another after TIME (30s)"},
    {"audit", OPTION_TEXT, offsetof(struct prove_args, audit_text), "SHARE",
     "prove this share of the results again, 0 to 1 (0)"},
    OPTION_CACHE(struct prove_args),
    OPTION_WAS("pages", "cache"),
    {"pieces", OPTION_INT, offsetof(struct prove_args, pieces), "N",
     "use tables of at most N pieces (all)", .min = 1, .max = PIECES_MAX},
    OPTION_WARM(struct prove_args),
    OPTION_DIR(struct prove_args),
    OPTION_PROGRESS(struct prove_args),
    OPTION_JSON(struct prove_args),
    {0}};

struct campaign {
    struct prove_args args;
    struct tables *tables;
    struct store *store;
    struct provers *provers;
    struct longjob job;
    const atomic_bool *stop; /* set by the signal handler */
    atomic_bool halted;      /* that, or the time for this position is over */
    bool interrupted;        /* by the user: the rest is not started */
    double started;
    struct board line[OPENING_PLIES_MAX + 1];
    int plies;
};

/* -------------------------------------------------------------------- opening -- */

static int until_parse(const struct prove_args *a, int *out)
{
    *out = MANAGER_WIN;
    if (!a->until || strcmp(a->until, "win") == 0 || parse_int(a->until, a->from, MANAGER_WIN, out))
        return EXIT_DONE;
    return app_error("prove: --until expects a number from %d to %d, or win, found '%s'", a->from,
                     MANAGER_WIN, a->until);
}

static int audit_parse(struct prove_args *a)
{
    char *end;

    if (!a->audit_text)
        return EXIT_DONE;
    a->audit = strtod(a->audit_text, &end);
    if (end != a->audit_text && !*end && a->audit >= 0 && a->audit <= 1)
        return EXIT_DONE;
    return app_error("prove: --audit expects a share from 0 to 1, found '%s'", a->audit_text);
}

static void args_default(struct prove_args *a)
{
    a->lease = a->lease > 0 ? a->lease : 30;
    a->from = a->from ? a->from : 125;
    a->step = a->step ? a->step : 5;
    a->workers = a->workers ? a->workers : threads_default();
    a->deep = a->deep ? a->deep : 256;
    a->look = a->look > 0 ? a->look : 0.2;
    a->time = a->time > 0 ? a->time : 2;
    a->memory = a->memory ? a->memory : UINT64_C(1) << 30;
}

/* Workers on other machines, with memory and tables of their own. */
static enum status provers_queue(struct campaign *p, struct error *e)
{
    struct queue_terms t = {.tables = p->tables,
                            .program = KELSO_VERSION,
                            .pieces = p->args.pieces,
                            .lease = p->args.lease,
                            .deep = p->args.deep > 1,
                            .stop = &p->halted};

    p->args.queue.say = queueing_say;
    return queue_provers_open(&p->provers, &p->args.queue, &t, e);
}

static int campaign_open(struct campaign *p)
{
    struct prove_args *a = &p->args;
    struct prover_options o = {.memory = a->memory};
    struct tables_options t = {.dir = a->dir, .cache = a->cache, .pieces = a->pieces};
    struct error e;

    if (tables_open(&p->tables, &t, &e) || store_open(&p->store, a->store, true, &e))
        return app_error("%s", e.text);
    if (a->warm && database_warm(p->tables, a->progress))
        return EXIT_BAD;
    o.tables = p->tables;
    if (a->queue.url ? provers_queue(p, &e)
                     : provers_open(&p->provers, a->workers, a->deep > 1, &o, &e))
        return app_error("%s", e.text);
    return EXIT_DONE;
}

static void campaign_close(struct campaign *p)
{
    provers_close(&p->provers);
    store_close(&p->store);
    tables_close(&p->tables);
}

/* ------------------------------------------------------------------ reporting -- */

static void on_report(void *context, const struct manager_report *r)
{
    struct campaign *p = context;

    atomic_store(&p->job.done, r->searches);
    progress_label(&p->job.progress, "threshold %d, %llu positions, %s", r->threshold,
                   (unsigned long long)r->positions, bounds_name(r->root));
}

static void print_result(const struct campaign *p, const struct manager_report *r, bool stopped)
{
    double used = clock_seconds() - p->started;
    char fen[FEN_TEXT_MAX], count[FORMAT_MAX], time[FORMAT_MAX];

    fen_format(&p->line[0], fen);
    if (p->args.json) {
        struct json j = json_open(stdout);

        json_object(&j, NULL);
        json_text(&j, "fen", fen);
        json_text(&j, "value", bounds_closed(r->root) ? value_name(r->root.lower) : NULL);
        json_text(&j, "lower", value_name(r->root.lower));
        json_text(&j, "upper", value_name(r->root.upper));
        json_int(&j, "threshold", r->threshold);
        json_uint(&j, "positions", r->positions);
        json_uint(&j, "tree", r->tree);
        json_uint(&j, "searches", r->searches);
        json_uint(&j, "audits", r->audits);
        json_int(&j, "seed_ply", r->seed_ply);
        json_real(&j, "time", used);
        json_bool(&j, "stopped", stopped);
        json_end(&j);
        return;
    }
    printf("%s\n  ", fen);
    if (bounds_closed(r->root))
        printf("proven: %s for %s%s\n", bounds_name(r->root), side_name(p->line[0].turn),
               stopped ? ", stopped before the audits were done" : "");
    else
        printf("%s for %s, threshold %d%s\n", bounds_name(r->root), side_name(p->line[0].turn),
               r->threshold, stopped ? ", stopped" : "");
    printf("  %s %s in the store, ", format_count(r->positions, count),
           plural(r->positions, "position", "positions"));
    printf("%s with all successors, ", format_count(r->tree, count));
    printf("%s %s in this run, %s\n", format_count(r->searches, count),
           plural(r->searches, "search", "searches"), format_duration(used, time));
}

/* ------------------------------------------------------------------------ run -- */

static struct prover_limits limits_of(const struct prove_args *a)
{
    if (a->nodes)
        return (struct prover_limits){.look_nodes = LOOK_NODES + a->nodes / 10,
                                      .solve_nodes = a->nodes};
    return (struct prover_limits){.look = a->look, .solve = a->time};
}

static int prove_root(struct campaign *p)
{
    struct manager_options o = {.store = p->store,
                                .tables = p->tables,
                                .provers = p->provers,
                                .limits = limits_of(&p->args),
                                .line = p->line,
                                .plies = p->plies + 1,
                                .from = p->args.from,
                                .step = p->args.step,
                                .searches = p->args.searches,
                                .audit = p->args.audit,
                                .deepest = p->args.deep > 1 ? p->args.deep : 0,
                                .stop = &p->halted,
                                .report = on_report,
                                .context = p};
    struct manager_report r = {0};
    struct error e;
    enum status rc;

    if (until_parse(&p->args, &o.until))
        return EXIT_BAD;
    if (roots_add(p->store, &p->line[0], &e))
        return app_error("%s", e.text);
    p->started = clock_seconds();
    if (!longjob_begin_limited(&p->job, p->args.progress, "proving", "searches", p->args.limit,
                               &p->halted, &p->stop))
        return app_error("prove: no thread to watch the time");
    rc = manager_run(&o, &r, &e);
    p->interrupted = atomic_load(p->stop);
    longjob_end(&p->job);
    if (rc && rc != STATUS_INTERRUPTED)
        return app_error("%s", e.text);
    print_result(p, &r, rc == STATUS_INTERRUPTED);
    fflush(stdout);
    return bounds_closed(r.root) && !rc ? EXIT_DONE : EXIT_NO;
}

/* All positions, before anything long begins. */
static int roots_read(struct campaign *p, int n, char **argv, struct board *roots)
{
    for (int i = 0; i < n; i++)
        if (opening_position(argv[i], &roots[i]))
            return EXIT_BAD;
    p->line[0] = roots[0];
    return p->args.seed ? opening_line("--seed-line", p->args.seed, p->line, &p->plies) : EXIT_DONE;
}

/* One at a time; results for one help the next. */
static int prove_all(struct campaign *p, int n, const struct board *roots)
{
    int status = EXIT_DONE;

    for (int i = 0; i < n && status != EXIT_BAD && !p->interrupted; i++) {
        int one;

        p->line[0] = roots[i];
        one = prove_root(p);
        status = one > status ? one : status;
    }
    return status;
}

static int args_check(struct prove_args *a, int n)
{
    int until;

    if (!a->store)
        return app_error("prove: give --store DIR");
    if (a->seed && n != 1)
        return app_error("prove: --seed-line goes with one position");
    if (audit_parse(a))
        return EXIT_BAD;
    return until_parse(a, &until);
}

static int run(int argc, char **argv)
{
    static struct campaign p;
    int n = options_parse(&command_prove, argc, argv, &p.args), status;
    struct board *roots;

    if (n < 0)
        return EXIT_BAD;
    args_default(&p.args);
    if (args_check(&p.args, n))
        return EXIT_BAD;
    if (!(roots = malloc((size_t)n * sizeof *roots)))
        return app_error("prove: not enough memory");
    status = roots_read(&p, n, argv, roots);
    if (!status)
        status = campaign_open(&p);
    if (!status)
        status = prove_all(&p, n, roots);
    campaign_close(&p);
    free(roots);
    return status;
}

const struct command command_prove = {
    .name = "prove",
    .summary = "prove an opening or a position with many searches, kept in a store",
    .usage = "OPENING|FEN...",
    .help = "Proves what one search cannot.  The top of the proof is a tree that is kept in a\n"
            "store (a directory); the most important positions are searched one by one, several\n"
            "at a time.  Scores of the player outside a threshold count as results for the time\n"
            "being.  When the root is settled that way the threshold rises, until no result\n"
            "depends on a score.\n"
            "\n"
            "  kelso prove --store doctor '10-14 22-18 12-16' --seed-line '24-20 16-19 23x16'\n"
            "  kelso prove --store small 'W:W11,21,K25,28:B2,4,K26,K32' --limit 10m\n"
            "  kelso prove --store small 'B:W9,23,28:B7,15,16' --from 125 --step 5 --until win "
            "--workers 2\n"
            "\n"
            "Each result is saved as it arrives: stop or kill it at any time and run the same\n"
            "command to continue. `kelso proof status --store DIR` shows its progress.  With\n"
            "--queue the searches run in `kelso worker` on any number of machines; set --memory\n"
            "and --cache there (docs/cluster.md).  The exit status is 0 if the value is proven, 1\n"
            "if not yet, 2 for errors.\n",
    .options = options,
    .operands_min = 1,
    .operands_max = INT_MAX,
    .run = run,
};
