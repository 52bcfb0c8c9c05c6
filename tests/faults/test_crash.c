/* SPDX-License-Identifier: MIT
 *
 * Power failures: what was not synced may be lost, and in any order.
 *
 * A command runs once while record.so logs its file operations.  Then states of its directory are
 * made as a crash after operation k could leave them: content is sure up to the last sync of the
 * file, a name up to the last sync of its directory.  Each later write may be there, absent, cut
 * short, or zeros; each later creation, rename and removal there or not, in order or not; the last
 * operation before k may be unfinished.  In every state,
 *
 * (C1) a file that was renamed into place is whole under its new name;
 * (C2) if the command had ended, all its results are there;
 * (C3) the same command, run again there, gives the same answer and the same files, or, where a
 *      scenario allows it, exits with 2 and names what is damaged.
 *
 * Two tests ignore the syncs and expect a bad state: the simulation can see a missing one.
 * States are random; KELSO_SEED=N build/check/test_crash test_NAME sees a failure again. */
#include "kit/history.h"
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATES = 25, STATES_LONG = 1000 };

/* ---------------------------------------------------------------------- states -- */

struct scenario {
    const char *const *args;
    const char *const *look; /* another command that must then succeed, or NULL */
    const char *answer;      /* is in its output */
    const char *kept;        /* is in its output after a crash when it had ended, or NULL */
    bool tables;             /* of two pieces are in t/ */
    bool mapped;             /* it stores into mapped files */
    bool refusal;            /* it may end with 2 */
    bool refusal_early;      /* so, but only while nothing has been synced */
    int states;              /* 0: STATES */
};

struct crash {
    const struct scenario *scenario;
    const struct scratch *tables;
    struct history history;
    struct rng rng;
    int states, refused;
    char problem[2048];
};

static bool problem_set(struct crash *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool problem_set(struct crash *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(c->problem, sizeof c->problem, format, arguments);
    va_end(arguments);
    return false;
}

/* The names after a crash at k. */
static struct tree names_after(struct crash *c, uint64_t k)
{
    const struct history *h = &c->history;
    struct tree t = tree_copy(&h->before);
    enum unsure style = (enum unsure)rng_below(&c->rng, UNSURE_STYLES);
    uint64_t cut = rng_next(&c->rng) % (k + 1);

    for (int i = 0; i < h->naming_count && h->namings[i].at < k; i++) {
        const struct naming *n = &h->namings[i];
        bool there = style == UNSURE_ALL || (style == UNSURE_IN_ORDER && n->at < cut) ||
                     (style == UNSURE_ANY && rng_below(&c->rng, 2));

        if (there || (n->synced != NEVER && n->synced + 1 < k))
            tree_apply(&t, n);
    }
    return t;
}

static bool is_in_lost_directory(const struct tree *t, const char *name)
{
    char dir[NAME];
    const struct entry *e;

    path_parent(name, dir);
    if (!*dir)
        return false;
    e = tree_find(t, dir);
    return !e || is_in_lost_directory(t, dir);
}

/* Write one file of a state.  (C1) */
static bool file_make(struct crash *c, const struct entry *e, uint64_t k, const char *path)
{
    struct bytes b = history_content(&c->history, e->file, k, &c->rng,
                                     (enum unsure)rng_below(&c->rng, UNSURE_STYLES));
    bool whole = true;

    if (e->renamed) {
        struct bytes full = history_content(&c->history, e->file, e->renamed, NULL, UNSURE_ALL);

        whole = bytes_equal(&b, &full);
        free(full.data);
    }
    file_write(path, b.data, b.size);
    free(b.data);
    return whole || problem_set(c, "%s: damaged under its final name", e->name);
}

static bool state_make(struct crash *c, uint64_t k, const struct scratch *dir)
{
    struct tree t = names_after(c, k);
    char path[SCRATCH_MAX], from[2 * SCRATCH_MAX];
    bool good = true;

    for (int i = 0; i < t.count; i++)
        if (t.entries[i].file == -1 && !is_in_lost_directory(&t, t.entries[i].name))
            assert_int_equal(mkdir(scratch_file(dir, t.entries[i].name, path), 0777), 0);
    for (int i = 0; i < t.count && good; i++) {
        const struct entry *e = &t.entries[i];

        if (e->file == -1 || is_in_lost_directory(&t, e->name))
            continue;
        scratch_file(dir, e->name, path);
        if (e->file >= c->history.before.count)
            good = file_make(c, e, k, path);
        else { /* was there before: tables, which nobody writes to */
            snprintf(from, sizeof from, "%s/%s", c->tables->path, strrchr(e->name, '/') + 1);
            assert_int_equal(link(from, path), 0);
        }
    }
    free(t.entries);
    return good;
}

/* ----------------------------------------------------------------- the program -- */

struct ending {
    int status;
    char *out, *err;
};

static char *text_read(const char *path)
{
    size_t n;
    char *text = (char *)file_read(path, &n);

    text[n] = 0;
    return text;
}

static void program_start(const char *const *args, const char *dir, const char *log,
                          const char *out, const char *err)
{
    const char *set = getenv("KELSO_BINARY"), *argv[RUN_ARGS_MAX + 2];
    char path[4096], preload[4200];

    if (!realpath(set ? set : "build/check/kelso", path) || !freopen(out, "w", stdout) ||
        !freopen(err, "w", stderr) || chdir(dir) != 0)
        _exit(126);
    argv[0] = path;
    for (int i = 0; i <= RUN_ARGS_MAX; i++)
        if (!(argv[i + 1] = args[i]))
            break;
    if (log) {
        snprintf(preload, sizeof preload, "%.*s/record.so", (int)(strrchr(path, '/') - path), path);
        setenv("LD_PRELOAD", preload, 1);
        setenv("KELSO_RECORD", log, 1);
    }
    alarm(120);
    execv(path, (char *const *)argv);
    _exit(127);
}

static struct ending program_run(const char *const *args, const struct scratch *dir,
                                 const char *log)
{
    struct scratch aside = scratch_create();
    char out[SCRATCH_MAX], err[SCRATCH_MAX];
    struct ending end;
    int status;
    pid_t pid;

    scratch_file(&aside, "out", out);
    scratch_file(&aside, "err", err);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        program_start(args, dir->path, log, out, err);
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end.out = text_read(out);
    end.err = text_read(err);
    scratch_remove(&aside);
    return end;
}

static void ending_free(struct ending *e)
{
    free(e->out);
    free(e->err);
}

/* ------------------------------------------------------------------ the checks -- */

/* Are the files that the undisturbed run renamed into place here, with the same bytes? */
static bool results_expect(struct crash *c, const struct scratch *dir, const char *when)
{
    const struct history *h = &c->history;
    char path[SCRATCH_MAX];
    bool good = true;

    for (int i = 0; i < h->after.count && good; i++) {
        const struct entry *e = &h->after.entries[i];
        struct bytes full, here = {NULL, 0, 0};
        size_t size;

        if (!e->renamed)
            continue;
        if (access(scratch_file(dir, e->name, path), R_OK) != 0)
            return problem_set(c, "%s: missing %s", e->name, when);
        full = history_content(h, e->file, e->renamed, NULL, UNSURE_ALL);
        here.data = file_read(path, &size);
        here.size = size;
        if (!bytes_equal(&here, &full))
            good = problem_set(c, "%s: other bytes %s", e->name, when);
        free(here.data);
        free(full.data);
    }
    return good;
}

/* May the command refuse what a crash at k left?  A new store, until LMDB first synced it. */
static bool may_refuse(const struct crash *c, uint64_t k)
{
    uint64_t first = NEVER;

    for (int i = 0; i < c->history.change_count; i++)
        if (c->history.changes[i].synced < first)
            first = c->history.changes[i].synced;
    return c->scenario->refusal || (c->scenario->refusal_early && k <= first + 1);
}

/* (C3) */
static bool again_expect(struct crash *c, const struct scratch *dir, uint64_t k, bool ended)
{
    const struct scenario *s = c->scenario;
    const char *answer = ended && s->kept ? s->kept : s->answer;
    struct ending e = program_run(s->args, dir, NULL);
    bool good = true;

    if (e.status == 2 && may_refuse(c, k) && *e.err) {
        c->refused++;
        if (c->refused <= 3)
            print_message("# refused: %s", e.err);
    } else if (e.status != 0 || !strstr(e.out, answer))
        good = problem_set(c, "run again: status %d, output '%s', errors '%s'", e.status, e.out,
                           e.err);
    else if ((good = results_expect(c, dir, "after the second run")) && s->look) {
        struct ending l = program_run(s->look, dir, NULL);

        if (l.status != 0)
            good = problem_set(c, "kelso %s: status %d, output '%s', errors '%s'", s->look[0],
                               l.status, l.out, l.err);
        ending_free(&l);
    }
    ending_free(&e);
    return good;
}

/* One random state; false: c->problem tells what is wrong with it. */
static bool crash_try(struct crash *c)
{
    struct scratch dir = scratch_create();
    uint64_t end = c->history.operations + 2; /* all has been done */
    uint64_t k = rng_below(&c->rng, 8) ? 1 + rng_next(&c->rng) % end : end;
    bool good = state_make(c, k, &dir);

    c->states++;
    if (good && k == end)
        good = results_expect(c, &dir, "after a crash when the command had ended");
    good = good && again_expect(c, &dir, k, k == end);
    if (!good)
        print_message("# state %d, operation %llu of %llu\n", c->states, (unsigned long long)k,
                      (unsigned long long)c->history.operations);
    scratch_remove(&dir);
    return good;
}

/* The tables are the directory's first files: numbers below before.count. */
static void before_make(struct crash *c, const struct scratch *dir)
{
    static const char *const names[] = {"1K-1K.wld", "1K-1K.dtc", "1K-1K.dtw", "1K-1C.wld",
                                        "1K-1C.dtc", "1K-1C.dtw", "1C-1C.wld", "1C-1C.dtc",
                                        "1C-1C.dtw", "MANIFEST"};
    struct tree *t = &c->history.before;
    char name[NAME], from[2 * SCRATCH_MAX], path[SCRATCH_MAX];

    if (!c->scenario->tables)
        return;
    tree_put(t, "t", -1, 0);
    assert_int_equal(mkdir(scratch_file(dir, "t", path), 0777), 0);
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "t/%s", names[i]);
        snprintf(from, sizeof from, "%s/%s", c->tables->path, name + 2);
        assert_int_equal(link(from, scratch_file(dir, name, path)), 0);
        tree_put(t, name, i, 0);
    }
}

/* Run the command and read its log. */
static void crash_begin(struct crash *c)
{
    struct scratch dir = scratch_create(), aside = scratch_create();
    char log[SCRATCH_MAX];
    struct ending e;

    before_make(c, &dir);
    c->history.file_count = c->history.before.count;
    e = program_run(c->scenario->args, &dir, scratch_file(&aside, "log", log));
    if (e.status != 0 || !strstr(e.out, c->scenario->answer))
        fail_msg("kelso %s: status %d, output '%s', errors '%s'", c->scenario->args[0], e.status,
                 e.out, e.err);
    ending_free(&e);
    history_read(&c->history, log);
    if (c->scenario->mapped && c->history.stores == 0)
        fail_msg("kelso %s mapped no file: give it less memory", c->scenario->args[0]);
    if (!results_expect(c, &dir, "without a crash")) /* the log tells what happened */
        fail_msg("%s", c->problem);
    scratch_remove(&dir);
    scratch_remove(&aside);
}

static void crash_run(const struct scenario *s, const struct scratch *tables)
{
    struct crash c = {.scenario = s, .tables = tables};
    int states = test_is_long() ? STATES_LONG : s->states ? s->states : STATES;

    if (test_is_sanitized())
        skip(); /* its library must be loaded first */
    c.rng = rng_for_test(s->args[0]);
    crash_begin(&c);
    while (c.states < states)
        if (!crash_try(&c))
            fail_msg("kelso %s: %s", s->args[0], c.problem);
    print_message("# kelso %s: %llu operations, %d states, %d refused\n", s->args[0],
                  (unsigned long long)c.history.operations, c.states, c.refused);
    history_free(&c.history);
}

/* ---------------------------------------------------------------- the commands -- */

static int tables_make(void **state)
{
    static struct scratch dir;

    dir = scratch_create();
    run_expect(ARGS("build", "--pieces", "2", "--dir", dir.path, "--progress", "none"), 0, "", "");
    *state = &dir;
    return 0;
}

static int tables_remove(void **state)
{
    scratch_remove(*state);
    return 0;
}

static const struct scenario scenario_build = {
    .args = (const char *const[]){"build", "--pieces", "2", "--dir", "t", "--threads", "1",
                                  "--progress", "none", NULL},
    .look =
        (const char *const[]){"verify", "--dir", "t", "--threads", "1", "--progress", "none", NULL},
    .answer = "slices",
    .kept = "nothing to do"};

static void test_build(void **state)
{
    crash_run(&scenario_build, *state);
}

static void test_build_three(void **state)
{
    struct scenario s = {.args = ARGS("build", "--pieces", "3", "--dir", "a/t", "--threads", "1",
                                      "--progress", "none"),
                         .answer = "slices",
                         .kept = "nothing to do",
                         .states = 10};

    crash_run(&s, *state);
}

/* A slice that is mapped from a scratch directory and solved in parts. */
static void test_build_scratch(void **state)
{
    struct scenario s = {.args = ARGS("build", "--slice", "1K1C-2K", "--kinds", "wld", "--dir", "t",
                                      "--memory", "900K", "--scratch", "q", "--threads", "1",
                                      "--isa", "plain", "--progress", "none"),
                         .answer = "slices",
                         .kept = "nothing to do",
                         .mapped = true,
                         .refusal = true,
                         .states = 20};

    crash_run(&s, *state);
}

static void test_unpack(void **state)
{
    struct scenario s = {.args = ARGS("unpack", "--pieces", "2", "--dir", "t", "--threads", "1",
                                      "--progress", "none"),
                         .look = scenario_build.look,
                         .answer = " bytes",
                         .kept = "nothing to do",
                         .tables = true};

    crash_run(&s, *state);
}

static void test_unpack_quick(void **state)
{
    struct scenario s = {.args = ARGS("unpack", "--form", "quick", "--pieces", "2", "--dir", "t",
                                      "--threads", "1", "--progress", "none"),
                         .look = scenario_build.look,
                         .answer = " bytes",
                         .kept = "nothing to do",
                         .tables = true};

    crash_run(&s, *state);
}

/* Tables are replaced one by one: each is the old one or the new one, and they fit each other. */
static void test_repack(void **state)
{
    struct scenario s = {
        .args = ARGS("repack", "--dense", "--dir", "t", "--threads", "1", "--progress", "none"),
        .look = scenario_build.look,
        .answer = "in that form",
        .kept = "nothing to do",
        .tables = true};

    crash_run(&s, *state);
}

static void test_tune(void **state)
{
    struct scenario s = {.args = ARGS("tune", "--games", "400", "--nodes", "1", "--data", "d",
                                      "--no-tables", "--threads", "1", "--progress", "none"),
                         .answer = "samples added",
                         .kept = "0 samples added",
                         .states = 8};

    crash_run(&s, *state);
}

static void test_prove(void **state)
{
    struct scenario s = {.args = ARGS("prove", "--store", "s", "--dir", "t", "--workers", "1",
                                      "--memory", "4M", "--nodes", "1", "--pieces", "2",
                                      "--progress", "none", "B:WK31:B25,K18"),
                         .look = ARGS("proof", "status", "--store", "s"),
                         .kept = " 0 searches in this run",
                         .refusal_early = true,
                         .answer = "proven: win for Black",
                         .tables = true,
                         .states = 60};

    crash_run(&s, *state);
}

static void test_census(void **state)
{
    struct scenario s = {.args = ARGS("census", "--plies", "6", "--dir", "c", "--memory", "4M",
                                      "--progress", "none"),
                         .answer = "9,105"};

    crash_run(&s, *state);
}

static void test_shortest(void **state)
{
    struct scenario s = {.args = ARGS("shortest", "--method", "bfs", "--plies", "5", "--dir", "c",
                                      "--memory", "4M", "--progress", "none", "--fen",
                                      "B:W18,31:B11,4"),
                         .answer = "games"};

    crash_run(&s, *state);
}

/* ----------------------------------------------------------- can the test fail? -- */

/* As if the program synced no file, or no directory: a bad state is found. */
static void expect_found(const struct scratch *tables, bool files, const char *problem)
{
    struct crash c = {.scenario = &scenario_build, .tables = tables};

    if (test_is_sanitized())
        skip();
    c.rng = rng_for_test("deaf");
    c.history.deaf_files = files;
    c.history.deaf_directories = !files;
    crash_begin(&c);
    while (c.states < 1000 && crash_try(&c))
        ;
    print_message("# %s\n", c.problem);
    assert_non_null(strstr(c.problem, problem));
    history_free(&c.history);
}

static void test_without_file_syncs(void **state)
{
    expect_found(*state, true, "damaged under its final name");
}

static void test_without_directory_syncs(void **state)
{
    expect_found(*state, false, "after a crash when the command had ended");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),
        cmocka_unit_test(test_build_three),
        cmocka_unit_test(test_build_scratch),
        cmocka_unit_test(test_unpack),
        cmocka_unit_test(test_unpack_quick),
        cmocka_unit_test(test_repack),
        cmocka_unit_test(test_tune),
        cmocka_unit_test(test_prove),
        cmocka_unit_test(test_census),
        cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_without_file_syncs),
        cmocka_unit_test(test_without_directory_syncs),
    };

    if (access("/dev/shm", W_OK) == 0) /* thousands of syncs: in memory */
        setenv("TMPDIR", "/dev/shm", 0);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, tables_make, tables_remove);
}
