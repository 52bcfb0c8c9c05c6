/* SPDX-License-Identifier: MIT
 *
 * kelso proof: inspect and check proofs. */
#include "base/clock.h"
#include "base/files.h"
#include "cli/answers.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/input.h"
#include "cli/longjob.h"
#include "base/machine.h"
#include "cli/opening.h"
#include "cli/queueing.h"
#include "cli/output.h"
#include "report/picture.h"
#include "report/proof_curve.h"
#include "report/proof_status.h"
#include "report/queue_status.h"
#include "report/term.h"
#include "core/notation.h"
#include "core/movegen.h"
#include "proof/audit.h"
#include "proof/check.h"
#include "proof/estimate.h"
#include "proof/export.h"
#include "proof/manager.h"
#include "proof/minimal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct proof_args {
    struct queue_access queue;
    const char *share;
    uint64_t seed;
    const char *dir, *store, *output;
    uint64_t cache, memory, resolve;
    double time;
    int pieces, plies, progress;
    bool json, words;
};

static const struct option_spec options[] = {
    {"resolve", OPTION_COUNT, offsetof(struct proof_args, resolve), "N",
     "check: re-solve claims without a proof, N positions each (1M); 0: refuse them"},
    {"store", OPTION_TEXT, offsetof(struct proof_args, store), "DIR",
     "the store of `kelso prove` (all but check)"},
    {"output", OPTION_TEXT, offsetof(struct proof_args, output), "FILE",
     "export, picture: the file to write (picture: standard output)"},
    {"plies", OPTION_INT, offsetof(struct proof_args, plies), "N",
     "picture: the number of plies (3)", .min = 1, .max = 20},
    {"words", OPTION_FLAG, offsetof(struct proof_args, words), NULL,
     "export: leave the solver's results unproven, for the checker to re-solve"},
    {"time", OPTION_DURATION, offsetof(struct proof_args, time), "TIME",
     "export, query, audit: time for each position that is solved (10s)"},
    {"memory", OPTION_MEMORY, offsetof(struct proof_args, memory), "SIZE",
     "export, query, audit: memory for the search (512M)"},
    {"share", OPTION_TEXT, offsetof(struct proof_args, share), "SHARE",
     "audit: share of the records that claim something, 0 to 1 (0.01)"},
    {"seed", OPTION_COUNT, offsetof(struct proof_args, seed), "N",
     "audit: seed of the sample (the time)"},
    {"pieces", OPTION_INT, offsetof(struct proof_args, pieces), "N",
     "all but check, status, curve: tables of at most N pieces (all)", .min = 1, .max = PIECES_MAX},
    OPTIONS_OF(struct proof_args, queue, queueing_options),
    OPTION_CACHE(struct proof_args),
    OPTION_WAS("pages", "cache"),
    OPTION_DIR(struct proof_args),
    OPTION_PROGRESS(struct proof_args),
    OPTION_JSON(struct proof_args),
    {0}};

static int open_tables(struct tables **t, const struct proof_args *a)
{
    struct tables_options o = {.dir = a->dir, .cache = a->cache, .pieces = a->pieces};
    struct error e;

    return tables_open(t, &o, &e) ? app_error("%s", e.text) : EXIT_DONE;
}

/* ---------------------------------------------------------------------- check -- */

struct checked {
    enum status status;
    struct check_result result;
    struct error error;
    double seconds;
};

static void check_json(const char *path, const struct certificate *c, const struct checked *k)
{
    struct json j = json_open(stdout);
    char fen[FEN_TEXT_MAX];

    fen_format(&c->root, fen);
    json_object(&j, NULL);
    json_text(&j, "file", path);
    json_text(&j, "fen", fen);
    json_text(&j, "lower", value_name(c->lower));
    json_text(&j, "upper", value_name(c->upper));
    json_uint(&j, "claims", c->claims);
    json_uint(&j, "moves", k->result.moves);
    json_uint(&j, "probes", k->result.probes);
    json_uint(&j, "resolved", k->result.resolved);
    json_real(&j, "time", k->seconds);
    json_bool(&j, "stands", k->status == STATUS_OK);
    json_text(&j, "fault", k->status ? k->error.text : NULL);
    json_end(&j);
}

static void check_text(const char *path, const struct certificate *c, const struct checked *k)
{
    char fen[FEN_TEXT_MAX], claims[FORMAT_MAX], moves[FORMAT_MAX], probes[FORMAT_MAX];

    fen_format(&c->root, fen);
    if (k->status) {
        printf("%s: does not stand: %s\n", path, k->error.text);
        return;
    }
    printf("%s: stands\n  %s\n  %s for %s\n", path, fen,
           bounds_name((struct bounds){c->lower, c->upper}), side_name(c->root.turn));
    printf("  %s claims, %s moves, %s of them into the tables\n", format_count(c->claims, claims),
           format_count(k->result.moves, moves), format_count(k->result.probes, probes));
}

/* *stopped: do not begin another. */
static int check_file(const struct proof_args *a, const struct tables *t, const char *path,
                      bool *stopped)
{
    struct certificate c;
    struct checked k = {0};
    struct longjob job;
    struct check_options o = {.tables = t, .resolve_limit = a->resolve, .done = &job.done};
    double start = clock_seconds();

    if (certificate_read(&c, strcmp(path, "-") ? path : "/dev/stdin", &k.error))
        return app_error("%s", k.error.text);
    o.stop = longjob_begin(&job, a->progress, "checking", "claims", c.claims);
    k.status = check_certificate(&c, &o, &k.result, &k.error);
    longjob_end(&job);
    k.seconds = clock_seconds() - start;
    *stopped = k.status == STATUS_INTERRUPTED;
    if (k.status && k.status != STATUS_MISMATCH) {
        certificate_free(&c);
        return app_error("%s: %s", input_name(path), k.error.text);
    }
    if (a->json)
        check_json(path, &c, &k);
    else
        check_text(input_name(path), &c, &k);
    certificate_free(&c);
    return k.status ? EXIT_NO : EXIT_DONE;
}

static int verb_check(const struct proof_args *a, int argc, char **argv)
{
    struct tables *t;
    int status = EXIT_DONE;
    bool stopped = false;

    if (argc == 0)
        return app_error("proof check: give a FILE");
    if (a->store || a->pieces)
        return app_error("proof check: --%s does not apply: check reads FILE and uses all tables",
                         a->store ? "store" : "pieces");
    if (open_tables(&t, a))
        return EXIT_BAD;
    for (int i = 0; i < argc && !stopped; i++) {
        int one = check_file(a, t, argv[i], &stopped);

        status = one > status ? one : status;
    }
    tables_close(&t);
    return status;
}

/* --------------------------------------------------------------------- stores -- */

/* The proof of one position: the tables, the store and the tree below it. */
struct proof {
    struct tables *tables;
    struct store *store;
    struct tree tree;
    struct dfpn *dfpn; /* only if something must be solved */
    uint32_t root;
};

static int proof_open(struct proof *g, const struct proof_args *a, const struct board *root)
{
    struct error e;

    *g = (struct proof){0};
    if (open_tables(&g->tables, a))
        return EXIT_BAD;
    if (store_open(&g->store, a->store, false, &e))
        return app_error("%s", e.text);
    g->tree = (struct tree){.store = g->store, .tables = g->tables};
    if (tree_add(&g->tree, root, 0, &g->root, &e) || tree_evaluate(&g->tree, 0, &e))
        return app_error("%s", e.text);
    return EXIT_DONE;
}

/* `stop` may be NULL. */
static int proof_solver(struct proof *g, const struct proof_args *a, const atomic_bool *stop)
{
    struct dfpn_options o = {.tables = g->tables,
                             .memory = a->memory ? a->memory : UINT64_C(512) << 20,
                             .threads = threads_default(),
                             .knobs = dfpn_default,
                             .stop = stop};
    struct error e;

    return dfpn_open(&g->dfpn, &o, &e) ? app_error("%s", e.text) : EXIT_DONE;
}

static void proof_close(struct proof *g)
{
    dfpn_close(&g->dfpn);
    tree_close(&g->tree);
    store_close(&g->store);
    tables_close(&g->tables);
}

/* ---------------------------------------------------------------------- status -- */

/* Print the workers of a queue. */
static int queue_print(const struct proof_args *a)
{
    struct queue_status s;
    struct error e;

    if (queue_status_read(&a->queue, &s, &e)) {
        free(s.worker);
        return app_error("%s", e.text);
    }
    queue_status_print(stdout, &s, a->json);
    free(s.worker);
    return EXIT_DONE;
}

static int verb_status(const struct proof_args *a, int argc, char **argv)
{
    struct tables *tables;
    struct store *store;
    struct error e;
    enum status rc;

    if (argc)
        return app_error("proof status: unexpected argument '%s'", argv[0]);
    if (a->queue.url)
        return queue_print(a);
    if (store_open_to_check(&store, a->store, &e))
        return app_error("%s", e.text);
    tables_open(&tables, &(struct tables_options){.dir = a->dir},
                NULL); /* NULL if there are none */
    rc = proof_status_print(stdout, store, tables, a->json, &e);
    tables_close(&tables);
    store_close(&store);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

static int verb_curve(const struct proof_args *a, int argc, char **argv)
{
    struct store *store;
    struct error e;
    enum status rc;

    if (argc)
        return app_error("proof curve: unexpected argument '%s'", argv[0]);
    if (store_open(&store, a->store, false, &e))
        return app_error("%s", e.text);
    rc = proof_curve_print(stdout, store, a->json, &e);
    store_close(&store);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

/* ------------------------------------------------------------- minimal, export -- */

static void minimal_print(const struct proof_args *a, const struct proof *g,
                          const struct minimal *m)
{
    struct bounds b = tree_bounds(&g->tree.node[g->root]);
    char fen[FEN_TEXT_MAX], size[FORMAT_MAX], leaves[FORMAT_MAX], tables[FORMAT_MAX];

    if (a->json) {
        struct json j = json_open(stdout);

        json_object(&j, NULL);
        fen_format(&g->tree.node[g->root].board, fen);
        json_text(&j, "fen", fen);
        json_text(&j, "lower", value_name(b.lower));
        json_text(&j, "upper", value_name(b.upper));
        json_uint(&j, "tree", g->tree.nodes);
        json_uint(&j, "minimal", m->items);
        json_uint(&j, "solved", m->leaves);
        json_uint(&j, "tables", m->table_leaves);
        json_int(&j, "longest", m->longest);
        json_end(&j);
        return;
    }
    printf("%s: %s claims, %s of them proven by the solver, and %s in the tables; longest line "
           "%d plies\n",
           bounds_name(b), format_count(m->items, size), format_count(m->leaves, leaves),
           format_count(m->table_leaves, tables), m->longest);
}

/* The proof of the one position given to a verb, and its minimal part.  The caller frees and closes
 * both, whatever the answer. */
static int minimal_of(const char *verb, const struct proof_args *a, int argc, char **argv,
                      struct proof *g, struct minimal *m)
{
    struct board root;
    struct error e;

    if (argc != 1)
        return app_error("proof %s: give one OPENING or FEN", verb);
    if (opening_position(argv[0], &root) || proof_open(g, a, &root))
        return EXIT_BAD;
    if (minimal_make(&g->tree, g->root, m, &e))
        return app_error("%s", e.text);
    if (bounds_known(tree_bounds(&g->tree.node[g->root])))
        return EXIT_DONE;
    app_error("proof %s: nothing is proven about this position", verb);
    return EXIT_NO;
}

static int verb_minimal(const struct proof_args *a, int argc, char **argv)
{
    struct minimal m = {0};
    struct proof g = {0};
    int status = minimal_of("minimal", a, argc, argv, &g, &m);

    if (!status)
        minimal_print(a, &g, &m);
    minimal_free(&m);
    proof_close(&g);
    return status;
}

/* Draw into a file, which is whole under its name or not there. */
static int picture_keep(const struct proof_args *a, struct proof *g, const struct minimal *m,
                        int plies)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    struct error e;
    bool bad = !f;
    enum status rc;

    if (f) {
        picture_draw(f, &g->tree, g->root, m, plies);
        bad = ferror(f);
        bad |= fclose(f) != 0;
    }
    rc = bad ? error_no_memory(&e) : STATUS_OK;
    if (!rc)
        rc = file_replace(a->output, bytes, size, &e);
    free(bytes);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

static int picture_write(const struct proof_args *a, struct proof *g, const struct minimal *m)
{
    int plies = a->plies ? a->plies : 3;

    if (a->output)
        return picture_keep(a, g, m, plies);
    picture_draw(stdout, &g->tree, g->root, m, plies);
    return ferror(stdout) ? app_error("standard output: %s", strerror(errno)) : EXIT_DONE;
}

static int verb_picture(const struct proof_args *a, int argc, char **argv)
{
    struct minimal m = {0};
    struct proof g = {0};
    int status;

    if (output_check_plain(a->output))
        return EXIT_BAD;
    status = minimal_of("picture", a, argc, argv, &g, &m);
    if (!status)
        status = picture_write(a, &g, &m);
    minimal_free(&m);
    proof_close(&g);
    return status;
}

static void export_print(const struct proof_args *a, const struct certificate *c,
                         const struct export_report *r)
{
    struct bounds b = {c->lower, c->upper};
    char count[FORMAT_MAX], fen[FEN_TEXT_MAX];
    struct json j = json_open(stdout);

    if (!a->json) {
        printf("%s: %s, %s claims; of %zu leaves %zu had their claims in the store, %zu were "
               "solved again\n",
               a->output, bounds_name(b), format_count(c->claims, count),
               r->kept + r->solved + r->words, r->kept, r->solved);
        return;
    }
    fen_format(&c->root, fen);
    json_object(&j, NULL);
    json_text(&j, "file", a->output);
    json_text(&j, "fen", fen);
    json_text(&j, "lower", value_name(b.lower));
    json_text(&j, "upper", value_name(b.upper));
    json_uint(&j, "claims", c->claims);
    json_uint(&j, "leaves", r->kept + r->solved + r->words);
    json_uint(&j, "from_store", r->kept);
    json_uint(&j, "solved", r->solved);
    json_end(&j);
}

static void export_tell(void *context, const char *what)
{
    (void)context;
    app_error("%s; solving it again", what);
}

static int export_tree(struct proof *g, const struct proof_args *a, const struct minimal *m)
{
    struct longjob job;
    struct export_options o = {.seconds = a->time > 0 ? a->time : 10,
                               .words = a->words,
                               .done = &job.done,
                               .tell = export_tell};
    struct certificate c = {0};
    struct export_report r;
    struct error e;
    enum status rc;

    o.stop = longjob_begin(&job, a->progress, "exporting", "claims", m->items);
    if (proof_solver(g, a, o.stop)) {
        longjob_end(&job);
        return EXIT_BAD;
    }
    o.dfpn = g->dfpn;
    rc = export_certificate(&g->tree, g->root, m, &o, &c, &r, &e);
    longjob_end(&job);
    if (!rc)
        rc = certificate_write(&c, a->output, &e);
    if (!rc)
        export_print(a, &c, &r);
    certificate_free(&c);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

static int verb_export(const struct proof_args *a, int argc, char **argv)
{
    struct minimal m = {0};
    struct proof g = {0};
    int status;

    if (argc != 1 || !a->output)
        return app_error("proof export: give one OPENING or FEN, and --output FILE");
    if (output_check_plain(a->output))
        return EXIT_BAD;
    status = minimal_of("export", a, argc, argv, &g, &m);
    if (!status)
        status = export_tree(&g, a, &m);
    minimal_free(&m);
    proof_close(&g);
    return status;
}

/* ----------------------------------------------------------------------- query -- */

static const char *node_class(const struct tree_node *n)
{
    return bounds_class(tree_bounds(n), n->has_record, n->record.expanded);
}

/* Past a leaf the solver answers. */
static int query_solve(struct proof *g, const struct proof_args *a, const struct board *b,
                       struct bounds *bounds)
{
    struct dfpn_limits limits = {a->time > 0 ? a->time : 10, 0};
    struct solution s;
    struct error e;

    if (solve_position(g->dfpn, b, (struct solve_hint){*bounds, estimate_material(b, b->turn)},
                       limits, &s, &e))
        return app_error("%s", e.text);
    *bounds = s.bounds;
    return EXIT_DONE;
}

/* The class of the position after a move. */
static int move_class(struct proof *g, const struct proof_args *a, const struct board *next,
                      bool solve, const char **class)
{
    struct bounds b;
    struct error e;
    uint32_t i;

    if (tree_add(&g->tree, next, 1, &i, &e) || tree_evaluate(&g->tree, 0, &e))
        return app_error("%s", e.text);
    b = tree_bounds(&g->tree.node[i]);
    *class = node_class(&g->tree.node[i]);
    if (!solve || bounds_closed(b))
        return EXIT_DONE;
    if (query_solve(g, a, next, &b))
        return EXIT_BAD;
    *class = bounds_name(b);
    return EXIT_DONE;
}

static void query_head(const struct proof_args *a, struct json *j, const struct tree_node *n,
                       bool solve)
{
    char fen[FEN_TEXT_MAX];

    fen_format(&n->board, fen);
    if (!a->json) {
        printf("%s\n  %s for %s%s\n", fen, node_class(n), side_name(n->board.turn),
               solve ? "; beyond it, solved on the spot:" : "");
        return;
    }
    json_object(j, NULL);
    json_text(j, "fen", fen);
    json_text(j, "class", node_class(n));
    json_array(j, "moves");
}

static void query_line(const struct proof_args *a, struct json *j, const char *move,
                       const char *class, enum side turn)
{
    if (!a->json) {
        printf("  %-12s then %s for %s\n", move, class, side_name(turn));
        return;
    }
    json_object(j, NULL);
    json_text(j, "move", move);
    json_text(j, "then", class);
    json_end(j);
}

static int query_node(struct proof *g, const struct proof_args *a)
{
    struct tree_node n = g->tree.node[g->root];
    bool solve = !n.record.expanded && !n.by_table;
    struct json j = json_open(stdout);
    struct move_list list;
    int status = EXIT_DONE;

    query_head(a, &j, &n, solve);
    moves_generate(&n.board, &list);
    for (int m = 0; !status && m < list.count; m++) {
        struct board next = board_after(&n.board, &list.move[m]);
        char text[MOVE_TEXT_MAX];
        const char *class = NULL;

        move_format(&list.move[m], &list, MOVE_NUMBERS, text);
        if (!(status = move_class(g, a, &next, solve, &class)))
            query_line(a, &j, text, class, next.turn);
    }
    if (a->json) {
        json_end(&j);
        json_end(&j);
    }
    return status;
}

static int verb_query(const struct proof_args *a, int argc, char **argv)
{
    struct board line[OPENING_PLIES_MAX + 1];
    struct proof g = {0};
    int status, plies = 0;

    if (argc < 1 || argc > 2)
        return app_error("proof query: give an OPENING or FEN and, optionally, MOVES from there");
    if (opening_position(argv[0], &line[0]) ||
        (argc == 2 && opening_line("moves", argv[1], line, &plies)))
        return EXIT_BAD;
    status = proof_open(&g, a, &line[plies]);
    if (!status)
        status = proof_solver(&g, a, NULL);
    if (!status)
        status = query_node(&g, a);
    proof_close(&g);
    return status;
}

/* ----------------------------------------------------------------------- audit -- */

static void audit_print(const struct proof_args *a, const struct audit_report *r, const char *fault)
{
    uint64_t solved = r->agreed + r->undecided + r->wrong;
    struct json j = json_open(stdout);

    if (!a->json) {
        printf("%llu of %llu records solved again: %llu agree, %llu undecided in the time, %llu "
               "wrong\n",
               (unsigned long long)solved, (unsigned long long)r->records,
               (unsigned long long)r->agreed, (unsigned long long)r->undecided,
               (unsigned long long)r->wrong);
        if (fault)
            printf("%s\n", fault);
        return;
    }
    json_object(&j, NULL);
    json_uint(&j, "records", r->records);
    json_uint(&j, "drawn", solved);
    json_uint(&j, "agreed", r->agreed);
    json_uint(&j, "undecided", r->undecided);
    json_uint(&j, "wrong", r->wrong);
    json_text(&j, "fault", fault);
    json_end(&j);
}

static int audit_run(struct proof *g, const struct proof_args *a, double share)
{
    struct longjob job;
    struct audit_options o = {.share = share,
                              .seconds = a->time > 0 ? a->time : 10,
                              .seed = a->seed ? a->seed : (uint64_t)time(NULL),
                              .done = &job.done};
    struct audit_report r;
    struct error e = {0};
    enum status rc;

    o.stop = longjob_begin(&job, a->progress, "auditing", "records", 0);
    if (proof_solver(g, a, o.stop)) {
        longjob_end(&job);
        return EXIT_BAD;
    }
    o.dfpn = g->dfpn;
    rc = audit_store(g->store, &o, &r, &e);
    longjob_end(&job);
    if (rc && rc != STATUS_MISMATCH && rc != STATUS_INTERRUPTED)
        return app_error("%s", e.text);
    audit_print(a, &r, rc == STATUS_MISMATCH ? e.text : NULL);
    return r.wrong ? EXIT_NO : EXIT_DONE;
}

static int verb_audit(const struct proof_args *a, int argc, char **argv)
{
    struct proof g = {0};
    struct error e;
    char *end = NULL;
    double share = a->share ? strtod(a->share, &end) : 0.01;
    int status;

    if (argc)
        return app_error("proof audit: unexpected argument '%s'", argv[0]);
    if (end && (end == a->share || *end || !(share >= 0 && share <= 1)))
        return app_error("proof audit: --share expects a number from 0 to 1, found '%s'", a->share);
    if (open_tables(&g.tables, a))
        return EXIT_BAD;
    status = store_open(&g.store, a->store, false, &e) ? app_error("%s", e.text)
                                                       : audit_run(&g, a, share);
    proof_close(&g);
    return status;
}

/* ------------------------------------------------------------------------ run -- */

static const struct verb {
    const char *name;
    int (*run)(const struct proof_args *a, int argc, char **argv);
} verbs[] = {{"check", verb_check},     {"status", verb_status}, {"minimal", verb_minimal},
             {"picture", verb_picture}, {"export", verb_export}, {"query", verb_query},
             {"audit", verb_audit},     {"curve", verb_curve}};

enum { VERBS = sizeof verbs / sizeof *verbs };

static int run(int argc, char **argv)
{
    struct proof_args args = {.resolve = 1000000};
    int n = options_parse(&command_proof, argc, argv, &args);

    if (n < 0)
        return EXIT_BAD;
    for (int i = 0; i < VERBS; i++)
        if (strcmp(argv[0], verbs[i].name) == 0) {
            bool queue = verbs[i].run == verb_status && args.queue.url;

            if (verbs[i].run != verb_check && !queue && !args.store)
                return app_error("proof %s: give --store DIR", argv[0]);
            return verbs[i].run(&args, n - 1, argv + 1);
        }
    return app_error("proof: expected check, status, curve, minimal, picture, export, query or "
                     "audit, found '%s'",
                     argv[0]);
}

const struct command command_proof = {
    .name = "proof",
    .summary = "inspect and check proofs",
    .usage = "check|status|curve|minimal|picture|export|query|audit [FILE...|OPENING|FEN [MOVES]]",
    .help = "kelso proof check FILE verifies a proof that `kelso solve --tree` or `kelso proof\n"
            "export` wrote, by the rules and the tables alone: every move of the other side is\n"
            "answered, every line ends in the tables, and no win depends on itself.  The first\n"
            "claim that does not stand is named.  The exit status is 0 if the proof stands, 1 if\n"
            "it does not, 2 for errors.\n"
            "\n"
            "The others read the store of `kelso prove`. status: threshold, size of the tree,\n"
            "open and likely leaves, searches, an estimate of the work left. curve: how these\n"
            "counts have grown with the searches, over all runs. minimal: the part of the tree\n"
            "that the proof of a position needs, its size and longest line. picture: its first\n"
            "plies as SVG, with results for Black. export: that part as a proof to check,\n"
            "with the solver's results written out in full unless --words is given: from the\n"
            "claims that the store keeps, or solved again if there are none. query: what is known\n"
            "about a position and each move (win, draw, loss, draw or win, loss or draw, leaf,\n"
            "unresolved, not in the tree); past a leaf the solver answers on the spot.  The exit\n"
            "status of minimal, picture and export is 1 if nothing is proven yet.\n"
            "\n"
            "audit solves a random share of a store's claims again, each from scratch; the exit\n"
            "status is 1 if a record is wrong. minimal with more tables than a proof was made\n"
            "with ends lines where those tables know the answer.\n"
            "\n"
            "  kelso proof audit --store draw --share 0.05 --time 10s\n"
            "  kelso solve 'W:WK2,20,24,28:B8,11,12,K23' --tree win.proof\n"
            "  kelso proof check win.proof\n"
            "  kelso prove --store draw 'B:W9,23,28:B7,15,16'\n"
            "  kelso proof status --store draw\n"
            "  kelso proof status --queue nats://HOST:4222    # the workers (docs/cluster.md)\n"
            "  kelso proof export --store draw 'B:W9,23,28:B7,15,16' --output draw.proof\n"
            "  kelso proof query --store draw 'B:W9,23,28:B7,15,16' '15-19 23-18'\n"
            "  kelso proof query --store doctor '10-14 22-18 12-16' '24-20 16-19'\n",
    .options = options,
    .operands_min = 1,
    .operands_max = 64,
    .run = run,
};
