/* SPDX-License-Identifier: MIT
 *
 * kelso diff: the cost of playing by one kind, measured by another.
 *
 * For each position of a slice that is won or lost, the best moves by the first kind are evaluated
 * by the second.  A player by the first kind has no reason to prefer one of its best moves to
 * another, so there is a lucky choice among them and an unlucky one. */
#include "base/random.h"
#include "cli/answers.h"
#include "cli/command.h"
#include "base/machine.h"
#include "cli/database.h"
#include "report/progress.h"
#include "report/term.h"
#include "core/notation.h"
#include "base/crew.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct diff_args {
    const char *slice;
    struct answers_args from;
    int play, measure, threads, sample, seed, progress;
    bool json;
};

static const struct option_spec options[] = {
    {"slice", OPTION_TEXT, offsetof(struct diff_args, slice), "SLICE",
     "the slice to examine, such as 2K1C-2K"},
    {"play", OPTION_CHOICE, offsetof(struct diff_args, play), "KIND", "play by dtc (or wld, dtw)",
     .choices = "dtc|dtw|wld"},
    {"measure", OPTION_CHOICE, offsetof(struct diff_args, measure), "KIND",
     "measure by dtw (or dtc)", .choices = "dtw|dtc"},
    {"sample", OPTION_INT, offsetof(struct diff_args, sample), "N",
     "examine N random positions for each side to move (all)", .min = 1, .max = INT32_MAX},
    {"seed", OPTION_INT, offsetof(struct diff_args, seed), "N", "seed of the sample (1)", .min = 0,
     .max = INT32_MAX},
    {"threads", OPTION_INT, offsetof(struct diff_args, threads), "T", "use T threads (all cores)",
     .min = 1, .max = CREW_MAX},
    OPTIONS_OF(struct diff_args, from, answers_options),
    OPTION_WAS("memory", "cache"),
    OPTION_PROGRESS(struct diff_args),
    OPTION_JSON(struct diff_args),
    {0}};

static const enum kind play_kinds[] = {KIND_DTC, KIND_DTW, KIND_WLD};
static const enum kind measure_kinds[] = {KIND_DTW, KIND_DTC};

enum { CHUNK = 4096 }; /* positions that a thread takes at a time */

/* The counts for wins, or for losses. */
struct diff_counts {
    uint64_t positions;      /* with moves, won or lost */
    uint64_t choices;        /* with more than one move */
    uint64_t may;            /* a best move by the first kind is not best by the second */
    uint64_t must;           /* none of them is */
    uint64_t lucky, unlucky; /* plies given away in all */
    int most, most_lucky;    /* plies in one position */
    uint64_t most_at;        /* its number: with the largest unlucky loss, the first such */
};

struct diff {
    struct slice slice; /* the mover's pieces first */
    struct source source;
    const struct layout *layout;
    enum kind play, measure;
    uint64_t looked; /* positions to examine */
    uint64_t sample; /* 0: all */
    uint64_t seed;
    struct progress *progress;
    _Atomic uint64_t next;
    atomic_int failed;
    pthread_mutex_t lock; /* guards tally and error */
    struct diff_counts tally[3];
    struct error error;
};

/* -------------------------------------------------------------------- counting -- */

/* Position number i of those to examine: the same for any number of threads. */
static uint64_t diff_index(const struct diff *d, uint64_t i)
{
    uint64_t state = d->seed;

    state = random_next(&state) + i;
    return d->sample ? random_below(&state, d->layout->positions) : i;
}

static int given_away(struct outcome best, struct outcome played)
{
    return best.value == VALUE_WIN ? played.plies - best.plies : best.plies - played.plies;
}

static void tally_add(struct diff_counts *t, const struct diff *d, const struct answer *a,
                      uint64_t index)
{
    int ties = answer_ties(a, d->play), lucky = INT32_MAX, unlucky = 0;

    for (int i = 0; i < ties; i++) {
        int plies = given_away(a->verdict.of[d->measure], a->move[i].verdict.of[d->measure]);

        lucky = plies < lucky ? plies : lucky;
        unlucky = plies > unlucky ? plies : unlucky;
    }
    t->positions++;
    t->choices += a->legal.count > 1;
    t->may += unlucky > 0;
    t->must += lucky > 0;
    t->lucky += (uint64_t)lucky;
    t->unlucky += (uint64_t)unlucky;
    t->most_lucky = lucky > t->most_lucky ? lucky : t->most_lucky;
    if (unlucky > t->most || (unlucky == t->most && unlucky && index < t->most_at)) {
        t->most = unlucky;
        t->most_at = index;
    }
}

static void tally_merge(struct diff_counts *into, const struct diff_counts *t)
{
    into->positions += t->positions;
    into->choices += t->choices;
    into->may += t->may;
    into->must += t->must;
    into->lucky += t->lucky;
    into->unlucky += t->unlucky;
    into->most_lucky = t->most_lucky > into->most_lucky ? t->most_lucky : into->most_lucky;
    if (t->most > into->most || (t->most == into->most && t->most && t->most_at < into->most_at)) {
        into->most = t->most;
        into->most_at = t->most_at;
    }
}

static enum status diff_position(const struct diff *d, uint64_t index, struct diff_counts tally[3],
                                 struct error *e)
{
    struct view view;
    struct board b;
    struct outcome o;
    struct answer a;
    enum status rc;

    layout_view(d->layout, index, &view);
    b = view_board(&view, BLACK);
    if ((rc = d->source.outcome(d->source.context, &b, KIND_WLD, &o, e)))
        return rc;
    if (o.value == VALUE_DRAW)
        return STATUS_OK;
    rc = answer_position(&d->source, &b, 1u << d->play | 1u << d->measure, &a, e);
    if (!rc)
        rc = answer_rank(&a, d->measure, e); /* all distances must be there */
    if (!rc)
        rc = answer_rank(&a, d->play, e);
    if (!rc && a.legal.count)
        tally_add(&tally[o.value], d, &a, index);
    return rc;
}

static void diff_work(void *context, int thread)
{
    struct diff *d = context;
    struct diff_counts tally[3] = {0};
    uint64_t from;

    (void)thread;
    while (!atomic_load(&d->failed) && (from = atomic_fetch_add(&d->next, CHUNK)) < d->looked) {
        uint64_t to = from + CHUNK < d->looked ? from + CHUNK : d->looked;
        struct error e;

        for (uint64_t i = from; i < to; i++)
            if (diff_position(d, diff_index(d, i), tally, &e)) {
                pthread_mutex_lock(&d->lock);
                d->error = e;
                pthread_mutex_unlock(&d->lock);
                atomic_store(&d->failed, 1);
                return;
            }
        progress_add(d->progress, to - from);
    }
    pthread_mutex_lock(&d->lock);
    for (int v = 0; v < 3; v++)
        tally_merge(&d->tally[v], &tally[v]);
    pthread_mutex_unlock(&d->lock);
}

/* ------------------------------------------------------------------- reporting -- */

static const char *most_fen(const struct diff *d, const struct diff_counts *t,
                            char fen[FEN_TEXT_MAX])
{
    struct view view;
    struct board b;

    layout_view(d->layout, t->most_at, &view);
    b = view_board(&view, BLACK);
    fen_format(&b, fen);
    return fen;
}

static double share(uint64_t part, uint64_t of)
{
    return of ? (double)part / (double)of : 0;
}

static void print_tally(const struct diff *d, const char *what, const struct diff_counts *t)
{
    char fen[FEN_TEXT_MAX], all[FORMAT_MAX], some[FORMAT_MAX];

    printf("  %-6s %14s %14s  %7.3f%%  %7.3f%%  %8.3f to %-8.3f %5d %5d", what,
           format_count(t->positions, all), format_count(t->choices, some),
           100 * share(t->must, t->positions), 100 * share(t->may, t->positions),
           share(t->lucky, t->positions), share(t->unlucky, t->positions), t->most_lucky, t->most);
    printf("%s%s\n", t->most ? "  " : "", t->most ? most_fen(d, t, fen) : "");
}

static void print_text(const struct diff *d)
{
    char name[SLICE_NAME_MAX], looked[FORMAT_MAX], all[FORMAT_MAX];

    printf("%s: best by %s, measured by %s; %s of %s positions%s\n", slice_name(d->slice, name),
           kind_name(d->play), kind_name(d->measure), format_count(d->looked, looked),
           format_count(d->layout->positions, all), d->sample ? " (a random sample)" : "");
    printf("              positions    with choice    misses       may    plies lost, mean    most "
           "  may"
           "  at\n");
    print_tally(d, "wins", &d->tally[VALUE_WIN]);
    print_tally(d, "losses", &d->tally[VALUE_LOSS]);
}

static void json_tally(struct json *j, const char *key, const struct diff *d,
                       const struct diff_counts *t)
{
    char fen[FEN_TEXT_MAX];

    json_object(j, key);
    json_uint(j, "positions", t->positions);
    json_uint(j, "with_choice", t->choices);
    json_uint(j, "misses", t->must);
    json_uint(j, "may_miss", t->may);
    json_real(j, "mean_least", share(t->lucky, t->positions));
    json_real(j, "mean_most", share(t->unlucky, t->positions));
    json_int(j, "most_least", t->most_lucky);
    json_int(j, "most", t->most);
    json_text(j, "fen", t->most ? most_fen(d, t, fen) : NULL);
    json_end(j);
}

static void print_json(const struct diff *d)
{
    struct json j = json_open(stdout);
    char name[SLICE_NAME_MAX];

    json_object(&j, NULL);
    json_text(&j, "slice", slice_name(d->slice, name));
    json_text(&j, "play", kind_name(d->play));
    json_text(&j, "measure", kind_name(d->measure));
    json_uint(&j, "looked_at", d->looked);
    json_uint(&j, "of", d->layout->positions);
    json_tally(&j, "wins", d, &d->tally[VALUE_WIN]);
    json_tally(&j, "losses", d, &d->tally[VALUE_LOSS]);
    json_end(&j);
}

/* ------------------------------------------------------------------------ run -- */

/* Examine one side to move. */
static int diff_slice(struct diff *d, const struct diff_args *args, const struct answers *from,
                      struct slice s, struct progress *progress)
{
    int threads = args->threads ? args->threads : threads_default();
    const struct table *t;
    struct crew crew;

    *d = (struct diff){.slice = s,
                       .source = from->source,
                       .play = play_kinds[args->play],
                       .measure = measure_kinds[args->measure],
                       .sample = (uint64_t)args->sample,
                       .seed = (uint64_t)args->seed,
                       .progress = progress};
    if (catalog_table(tables_catalog(from->tables), s, KIND_WLD, &t, &d->error))
        return app_error("%s", d->error.text);
    d->layout = table_layout(t, !slice_equal(s, table_slice(t)));
    d->looked = d->sample ? d->sample : d->layout->positions;
    progress_stage(progress, "comparing", "positions", d->looked);
    if (crew_open(&crew, threads, NULL))
        return app_error("not enough memory");
    pthread_mutex_init(&d->lock, NULL);
    crew_run(&crew, diff_work, d);
    pthread_mutex_destroy(&d->lock);
    crew_close(&crew);
    return d->failed ? app_error("%s", d->error.text) : EXIT_DONE;
}

static int diff_run(const struct diff_args *args, const struct answers *from, struct slice s)
{
    int sides = slice_symmetric(s) ? 1 : 2, status = EXIT_DONE;
    struct progress progress;
    struct diff d[2];

    progress_open(&progress, (enum progress_mode)args->progress);
    for (int i = 0; i < sides && !status; i++)
        status = diff_slice(&d[i], args, from, i ? slice_flip(s) : s, &progress);
    progress_close(&progress);
    for (int i = 0; i < sides && !status; i++)
        (args->json ? print_json : print_text)(&d[i]);
    return status;
}

static int run(int argc, char **argv)
{
    struct diff_args args = {.seed = 1};
    struct answers from;
    struct slice s;
    int status;

    if (options_parse(&command_diff, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (!args.slice)
        return app_error("diff: expected --slice, such as --slice 2K1C-2K");
    if (play_kinds[args.play] == measure_kinds[args.measure])
        return app_error("diff: --play and --measure are the same");
    if (database_slice(args.slice, &s) || answers_open(&from, &args.from))
        return EXIT_BAD;
    status = diff_run(&args, &from, s);
    answers_close(&from);
    return status;
}

const struct command command_diff = {
    .name = "diff",
    .summary = "compare play by two kinds over a slice",
    .usage = "",
    .help = "Examines every won or lost position of a slice, with either side to move: how often\n"
            "the best moves by one kind (dtc) are not the best by another (dtw), and how many\n"
            "plies they lose.  A player that uses dtc cannot tell its best moves apart, so\n"
            "figures come in pairs, for the lucky and the unlucky choice among them.\n"
            "\n"
            "  misses      none of the best moves by the one is best by the other\n"
            "  may         some of them are not\n"
            "  plies lost  on average over all wins or losses, from lucky to unlucky choice\n"
            "  most        in one position: at best, at worst (and that position)\n"
            "\n"
            "  kelso diff --slice 2K1C-1K\n"
            "  kelso diff --slice 2K-2K --sample 10000 --json\n",
    .options = options,
    .run = run,
};
