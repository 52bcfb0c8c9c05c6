/* SPDX-License-Identifier: MIT
 *
 * Fault loops: for every n, the n-th malloc, mmap, open, read, write, fsync or rename of a
 * command fails.  Whatever n is,
 *
 * (F1) no signal ends it: it answers, or says why not and exits with 1 or 2;
 * (F2) if it exits with 0, its output is the same as without a fault, and so is the file that it
 *      was asked for;
 * (F3) the same command without a fault, in the directory that it left behind, then gives what
 *      it always gives: nothing half-done was taken for whole, nothing was lost.
 *
 * `make check` tries a number of n, spread over the run, the same each time; `make check-long`
 * tries all.  A failure prints kind and n; `KELSO_FAULT=malloc:17 build/check/test_faults
 * test_solve` tries that one alone. */
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"
#include "faults/preload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 10 }; /* of each kind, in `make check` */

static const char *const kind_names[] = {"none",  "malloc", "mmap",  "open",  "read",
                                         "write", "short",  "fsync", "rename"};

/* ------------------------------------------------------------------- the program -- */

/* A command: its arguments, and what its directory holds before. */
struct scenario {
    const char *const *args;
    const char *check[RUN_ARGS_MAX]; /* another command that looks at what is there at the end */
    const char *file;                /* the command writes this; the same bytes each time */
    bool tables;                     /* of three pieces are in t/ */
    bool timed;                      /* the output tells times: it is not the same twice */
};

struct server { /* a program that waits for orders */
    pid_t pid;
    int orders, reports;
};

static const char *binary(void)
{
    const char *set = getenv("KELSO_BINARY");

    return set ? set : "build/check/kelso";
}

static void server_child(const char *const *args, int orders, int reports)
{
    char path[4096], preload[4200], *program = realpath(binary(), path), *slash;
    const char *argv[RUN_ARGS_MAX + 2] = {program};

    if (!program || dup2(orders, FAULT_ORDERS) < 0 || dup2(reports, FAULT_REPORTS) < 0)
        _exit(126);
    for (int i = 0; i < RUN_ARGS_MAX && args[i]; i++)
        argv[i + 1] = args[i];
    slash = strrchr(path, '/');
    snprintf(preload, sizeof preload, "%.*s/fault.so", (int)(slash - path), path);
    setenv("LD_PRELOAD", preload, 1);
    setenv("KELSO_FAULTS", "1", 1);
    execv(program, (char *const *)argv);
    _exit(127);
}

static struct server server_start(const char *const *args)
{
    int orders[2], reports[2];
    struct server s;

    assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
    assert_int_equal(pipe2(reports, O_CLOEXEC), 0);
    s.pid = fork();
    assert_true(s.pid >= 0);
    if (s.pid == 0)
        server_child(args, orders[0], reports[1]);
    close(orders[0]);
    close(reports[1]);
    s.orders = orders[1];
    s.reports = reports[0];
    return s;
}

static void server_stop(struct server *s)
{
    int status;

    close(s->orders);
    close(s->reports);
    waitpid(s->pid, &status, 0);
}

static struct fault_report server_run(const struct server *s, const struct fault_order *order)
{
    struct fault_report r;

    assert_int_equal(write(s->orders, order, sizeof *order), sizeof *order);
    assert_int_equal(read(s->reports, &r, sizeof r), sizeof r);
    return r;
}

/* ------------------------------------------------------------------- directories -- */

/* Link each file of one directory into another. */
static void directory_link(const char *from, const char *to)
{
    DIR *d = opendir(from);
    struct dirent *f;
    char a[2 * SCRATCH_MAX], b[2 * SCRATCH_MAX];

    assert_non_null(d);
    assert_int_equal(mkdir(to, 0777), 0);
    while ((f = readdir(d)))
        if (f->d_name[0] != '.') {
            snprintf(a, sizeof a, "%s/%s", from, f->d_name);
            snprintf(b, sizeof b, "%s/%s", to, f->d_name);
            assert_int_equal(link(a, b), 0);
        }
    closedir(d);
}

static struct scratch place_make(const struct scenario *c, const struct scratch *tables)
{
    struct scratch dir = scratch_create();
    char to[SCRATCH_MAX];

    if (c->tables)
        directory_link(tables->path, scratch_file(&dir, "t", to));
    return dir;
}

static char *place_text(const struct scratch *dir, const char *name)
{
    char path[SCRATCH_MAX];
    size_t n;
    uint8_t *bytes = file_read(scratch_file(dir, name, path), &n);
    char *text = malloc(n + 1);

    assert_non_null(text);
    memcpy(text, bytes, n);
    text[n] = 0;
    free(bytes);
    return text;
}

/* ---------------------------------------------------------------------- the loop -- */

struct loop {
    const struct scenario *scenario;
    const struct scratch *tables;
    struct server server, check;
    char *answer, *answer_again; /* without a fault, the first time and the second */
    char *file;                  /* the scenario's, without a fault; NULL: it has none */
    int runs, faults;            /* runs; those in which the fault showed */
};

static struct fault_order order_for(const struct scratch *dir, enum fault_kind kind, uint64_t n,
                                    bool all_after)
{
    struct fault_order o = {.kind = kind, .n = n, .all_after = all_after};

    snprintf(o.dir, sizeof o.dir, "%s", dir->path);
    return o;
}

/* (F3) */
static void expect_again(struct loop *l, const struct scratch *dir, const char *what)
{
    struct fault_order o = order_for(dir, FAULT_NONE, 0, false);
    struct fault_report r = server_run(&l->server, &o);
    char *out = place_text(dir, "fault.out"), *err = place_text(dir, "fault.err");

    if (r.status != 0 || (!l->scenario->timed && strcmp(out, l->answer_again) != 0))
        fail_msg("%s: then without a fault: status %x, output '%s', errors '%s', expected '%s'",
                 what, (unsigned)r.status, out, err, l->answer_again);
    free(out);
    free(err);
    if (l->scenario->check[0] && server_run(&l->check, &o).status != 0)
        fail_msg("%s: then without a fault: '%s'", what, place_text(dir, "fault.out"));
}

/* (F2) for the file: there, and the same. */
static void expect_file(const struct loop *l, const struct scratch *dir, const char *what)
{
    char path[SCRATCH_MAX], *text;

    if (access(scratch_file(dir, l->scenario->file, path), F_OK) != 0)
        fail_msg("%s: status 0, but there is no %s", what, l->scenario->file);
    text = place_text(dir, l->scenario->file);
    if (strcmp(text, l->file) != 0)
        fail_msg("%s: status 0, %s is '%s', expected '%s'", what, l->scenario->file, text, l->file);
    free(text);
}

/* One run; false when the fault lies beyond its end. */
static bool loop_try(struct loop *l, enum fault_kind kind, uint64_t n, bool all_after)
{
    struct scratch dir = place_make(l->scenario, l->tables);
    struct fault_order o = order_for(&dir, kind, n, all_after);
    struct fault_report r = server_run(&l->server, &o);
    char *out = place_text(&dir, "fault.out"), *err = place_text(&dir, "fault.err"), what[128];
    int code = WIFEXITED(r.status) ? WEXITSTATUS(r.status) : -1;

    snprintf(what, sizeof what, "kelso %s: %s number %llu fails%s", l->scenario->args[0],
             kind_names[kind], (unsigned long long)n, all_after ? ", and all after it" : "");
    if (code != 0 && code != 1 && code != 2)
        fail_msg("%s: ended by signal %d or status %d; errors '%s'", what, WTERMSIG(r.status), code,
                 err);
    if (code != 0 && !*err)
        fail_msg("%s: status %d without a word", what, code);
    if (code == 0 && !l->scenario->timed && strcmp(out, l->answer) != 0)
        fail_msg("%s: status 0, output '%s', expected '%s'", what, out, l->answer);
    if (code == 0 && l->file)
        expect_file(l, &dir, what);
    l->runs++;
    l->faults += code != 0;
    expect_again(l, &dir, what);
    free(out);
    free(err);
    scratch_remove(&dir);
    return r.calls >= n;
}

/* How many calls of a kind there are. */
static uint64_t loop_count(struct loop *l, enum fault_kind kind)
{
    struct scratch dir = place_make(l->scenario, l->tables);
    struct fault_order o = order_for(&dir, kind, 0, false);
    struct fault_report r = server_run(&l->server, &o);

    assert_int_equal(r.status, 0);
    scratch_remove(&dir);
    return r.calls;
}

static void loop_kind(struct loop *l, enum fault_kind kind)
{
    uint64_t calls = loop_count(l, kind), step = 1;
    const char *only = getenv("KELSO_FAULT"); /* as malloc:17 */

    if (only) {
        size_t length = strlen(kind_names[kind]);

        if (strncmp(only, kind_names[kind], length) == 0 && only[length] == ':')
            loop_try(l, kind, strtoull(only + length + 1, NULL, 10), false);
        return;
    }
    if (!test_is_long() && calls > TRIES)
        step = calls / TRIES;
    for (uint64_t n = 1; n <= calls; n += step)
        loop_try(l, kind, n, false);
    if (kind != FAULT_SHORT)
        for (uint64_t n = 1; n <= calls; n += 4 * step)
            loop_try(l, kind, n, true);
    print_message("# kelso %s: %s: %llu calls, every %llu\n", l->scenario->args[0],
                  kind_names[kind], (unsigned long long)calls, (unsigned long long)step);
}

/* What the commands say when nothing fails. */
static void loop_answers(struct loop *l)
{
    struct scratch dir = place_make(l->scenario, l->tables);
    struct fault_order o = order_for(&dir, FAULT_NONE, 0, false);

    assert_int_equal(server_run(&l->server, &o).status, 0);
    l->answer = place_text(&dir, "fault.out");
    assert_int_equal(server_run(&l->server, &o).status, 0);
    l->answer_again = place_text(&dir, "fault.out");
    l->file = l->scenario->file ? place_text(&dir, l->scenario->file) : NULL;
    scratch_remove(&dir);
}

static void loop_run(const struct scenario *c, const struct scratch *tables)
{
    struct loop l = {.scenario = c, .tables = tables};

    if (test_is_sanitized())
        skip(); /* it has a malloc of its own */
    l.server = server_start(c->args);
    if (c->check[0])
        l.check = server_start(c->check);
    loop_answers(&l);
    for (int kind = FAULT_MALLOC; kind < FAULT_KINDS; kind++)
        loop_kind(&l, (enum fault_kind)kind);
    assert_true(l.faults > 0 || getenv("KELSO_FAULT"));
    free(l.answer);
    free(l.answer_again);
    free(l.file);
    server_stop(&l.server);
    if (c->check[0])
        server_stop(&l.check);
}

/* ------------------------------------------------------------------- the commands -- */

static int tables_make(void **state)
{
    static struct scratch dir;

    dir = scratch_create();
    run_expect(ARGS("build", "--pieces", "3", "--dir", dir.path, "--progress", "none"), 0, "", "");
    *state = &dir;
    return 0;
}

static int tables_remove(void **state)
{
    scratch_remove(*state);
    return 0;
}

static void test_build(void **state)
{
    struct scenario c = {.args = ARGS("build", "--pieces", "2", "--dir", "t", "--threads", "1",
                                      "--progress", "none"),
                         .check = {"verify", "--dir", "t", "--threads", "1", "--progress", "none"},
                         .timed = true};

    loop_run(&c, *state);
}

static void test_unpack(void **state)
{
    struct scenario c = {.args = ARGS("unpack", "--pieces", "2", "--dir", "t", "--threads", "1",
                                      "--progress", "none"),
                         .tables = true,
                         .timed = true};

    loop_run(&c, *state);
}

static void test_unpack_quick(void **state)
{
    struct scenario c = {.args = ARGS("unpack", "--form", "quick", "--pieces", "2", "--dir", "t",
                                      "--threads", "1", "--progress", "none"),
                         .tables = true,
                         .timed = true};

    loop_run(&c, *state);
}

static void test_repack(void **state)
{
    struct scenario c = {.args = ARGS("repack", "--dense", "--pieces", "2", "--dir", "t",
                                      "--threads", "1", "--progress", "none"),
                         .check = {"verify", "--sample", "0.001", "--dir", "t", "--threads", "1",
                                   "--progress", "none"},
                         .tables = true,
                         .timed = true};

    loop_run(&c, *state);
}

static void test_probe(void **state)
{
    struct scenario c = {
        .args = ARGS("probe", "--dir", "t", "--cache", "1M", "B:WK31:B25,K18", "W:W32:BK1"),
        .tables = true};

    loop_run(&c, *state);
}

static void test_solve(void **state)
{
    struct scenario c = {.args = ARGS("solve", "--dir", "t", "--threads", "1", "--memory", "4M",
                                      "--nodes", "20000", "--cache", "1M", "--pieces", "2",
                                      "--tree", "a.proof", "--progress", "none", "B:WK31:B25,K18"),
                         .file = "a.proof",
                         .tables = true,
                         .timed = true};

    loop_run(&c, *state);
}

static void test_prove(void **state)
{
    struct scenario c = {.args = ARGS("prove", "--store", "s", "--dir", "t", "--workers", "1",
                                      "--memory", "4M", "--nodes", "2000", "--pieces", "2",
                                      "--progress", "none", "B:WK31:B25,K18"),
                         .tables = true,
                         .timed = true};

    loop_run(&c, *state);
}

static void test_census(void **state)
{
    struct scenario c = {.args = ARGS("census", "--plies", "6", "--dir", "c", "--memory", "4M",
                                      "--progress", "none"),
                         .timed = true};

    loop_run(&c, *state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),        cmocka_unit_test(test_unpack),
        cmocka_unit_test(test_unpack_quick), cmocka_unit_test(test_repack),
        cmocka_unit_test(test_probe),        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_prove),        cmocka_unit_test(test_census),
    };

    if (access("/dev/shm", W_OK) == 0) /* thousands of syncs: in memory */
        setenv("TMPDIR", "/dev/shm", 0);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, tables_make, tables_remove);
}
