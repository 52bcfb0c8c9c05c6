/* SPDX-License-Identifier: MIT
 *
 * kelso proof: look at proofs, and check them. */
#include "app/answers.h"
#include "app/command.h"
#include "app/database.h"
#include "app/longjob.h"
#include "app/term.h"
#include "core/notation.h"
#include "proof/check.h"

#include <string.h>

struct proof_args {
    const char *dir;
    uint64_t pages;
    int resolve, progress;
    bool json;
};

static const struct option_spec options[] = {
    {"resolve", OPTION_INT, offsetof(struct proof_args, resolve), "N",
     "check: solve claims of the solver's again, N positions each (1000000)"},
    {"pages", OPTION_SIZE, offsetof(struct proof_args, pages), "SIZE",
     "for decoded pages of tables (1G)"},
    OPTION_DIR(struct proof_args),
    OPTION_PROGRESS(struct proof_args),
    OPTION_JSON(struct proof_args),
    {0}};

struct tables {
    struct catalog *catalog;
    struct probe *probe;
};

static int tables_open(struct tables *t, const struct proof_args *a)
{
    struct error e;

    *t = (struct tables){0};
    if (database_open(a->dir, &t->catalog))
        return EXIT_BAD;
    if (probe_open(&t->probe, t->catalog, a->pages ? a->pages : UINT64_C(1) << 30, &e))
        return app_error("%s", e.text);
    return EXIT_DONE;
}

static void tables_close(struct tables *t)
{
    probe_close(&t->probe);
    catalog_close(&t->catalog);
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
    printf("%s: stands\n  %s\n  from %s to %s for %s\n", path, fen, value_name(c->lower),
           value_name(c->upper), side_name(c->root.turn));
    printf("  %s claims, %s moves, %s of them into the tables\n", format_count(c->claims, claims),
           format_count(k->result.moves, moves), format_count(k->result.probes, probes));
}

static int check_file(const struct proof_args *a, const struct tables *t, const char *path)
{
    struct certificate c;
    struct checked k = {0};
    struct longjob job;
    struct check_options o = {.probe = t->probe,
                              .resolve_limit = a->resolve ? (uint64_t)a->resolve : 1000000,
                              .done = &job.done};
    double start = clock_seconds();

    if (certificate_read(&c, path, &k.error))
        return app_error("%s", k.error.text);
    o.stop = longjob_begin(&job, a->progress, "checking", "claims", c.claims);
    k.status = check_certificate(&c, &o, &k.result, &k.error);
    longjob_end(&job);
    k.seconds = clock_seconds() - start;
    if (k.status && k.status != STATUS_MISMATCH) {
        certificate_free(&c);
        return app_error("%s: %s", path, k.error.text);
    }
    if (a->json)
        check_json(path, &c, &k);
    else
        check_text(path, &c, &k);
    certificate_free(&c);
    return k.status ? EXIT_NO : EXIT_DONE;
}

static int verb_check(const struct proof_args *a, int argc, char **argv)
{
    struct tables t;
    int status = EXIT_DONE;

    if (argc == 0)
        return app_error("proof check: give a FILE");
    if (tables_open(&t, a))
        return EXIT_BAD;
    for (int i = 0; i < argc; i++) {
        int one = check_file(a, &t, argv[i]);

        status = one > status ? one : status;
    }
    tables_close(&t);
    return status;
}

/* ------------------------------------------------------------------------ run -- */

static const struct verb {
    const char *name;
    int (*run)(const struct proof_args *a, int argc, char **argv);
} verbs[] = {{"check", verb_check}};

enum { VERBS = sizeof verbs / sizeof *verbs };

static int run(int argc, char **argv)
{
    struct proof_args args = {0};
    int n = options_parse(&command_proof, argc, argv, &args);

    if (n < 0)
        return EXIT_BAD;
    for (int i = 0; i < VERBS; i++)
        if (strcmp(argv[0], verbs[i].name) == 0)
            return verbs[i].run(&args, n - 1, argv + 1);
    return app_error("proof: expected check, found '%s'", argv[0]);
}

const struct command command_proof = {
    .name = "proof",
    .summary = "look at proofs, and check them",
    .usage = "check FILE...",
    .help = "kelso proof check FILE verifies a proof that `kelso solve --tree` or `kelso proof\n"
            "export` wrote, by the rules and the tables alone: every move of the other side is\n"
            "answered, every line ends in the tables, and no win holds itself up.  The first\n"
            "claim that does not stand is named.  The exit status is 0 if the proof stands, 1 if\n"
            "it does not, 2 for errors.\n"
            "\n"
            "  kelso solve 'W:WK2,20,24,28:B8,11,12,K23' --tree win.proof\n"
            "  kelso proof check win.proof\n",
    .options = options,
    .operands_min = 1,
    .operands_max = 64,
    .run = run,
};
