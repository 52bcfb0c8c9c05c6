/* SPDX-License-Identifier: MIT
 *
 * Mutants of the store of a finished proof, through the commands and through what `kelso serve`
 * answers from it.  A mutant has a bit flipped, a sector overwritten, a page exchanged for another,
 * or its end cut off.  (G4) of store.h as users see it: each command says what it says about the
 * good store, or exits with 1 or 2 and a line that names the store; each answer of the server is
 * that about the good store, or an error.  No signal ends either. */
#include "kit/positions.h"
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "proof/store.h"
#include "serve/proofs.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Proven in a hundred short searches: the store has several pages of records, and texts, numbers
 * and claims. */
#define ROOT "W:W20,24,28:B8,11,12"

enum { PAGE = 4096, SECTOR = 512, QUESTIONS = 4, COMMANDS = 4 };

struct world {
    struct scratch tables, dir;
    char store[SCRATCH_MAX], file[SCRATCH_MAX];
    uint8_t *good, *bytes; /* the file, and its mutant */
    size_t size;
    struct run want[COMMANDS];
    char *answer[QUESTIONS]; /* the server's, about the good store */
};

/* -------------------------------------------------------------------- mutants -- */

static void mutate(struct world *w, struct rng *r, size_t *size, char what[64])
{
    size_t pages = w->size / PAGE, at = (size_t)rng_below(r, (int)w->size), other;

    memcpy(w->bytes, w->good, w->size);
    *size = w->size;
    if (rng_below(r, 2)) /* the heads of pages: there the damage is worst */
        at = at / PAGE * PAGE + (size_t)rng_below(r, 160);
    switch (rng_below(r, 8)) {
    case 0:
        memset(w->bytes + at / SECTOR * SECTOR, rng_below(r, 2) ? 0 : 255, SECTOR);
        snprintf(what, 64, "a sector at %zu", at / SECTOR * SECTOR);
        break;
    case 1:
        at = (size_t)rng_below(r, (int)pages) * PAGE;
        other = (size_t)rng_below(r, (int)pages) * PAGE;
        memcpy(w->bytes + at, w->good + other, PAGE);
        snprintf(what, 64, "the page of %zu at %zu", other, at);
        break;
    case 2:
        *size = at;
        snprintf(what, 64, "cut at %zu", at);
        break;
    default:
        w->bytes[at] ^= (uint8_t)(1u << rng_below(r, 8));
        snprintf(what, 64, "a bit at %zu (%02x, was %02x)", at, w->bytes[at], w->good[at]);
    }
}

/* ------------------------------------------------------------------- commands -- */

static struct run command_run(const struct world *w, int i)
{
    const char *const t = w->tables.path, *const s = w->store;

    switch (i) {
    case 0:
        return run_kelso(ARGS("proof", "status", "--store", s, "--dir", t), "", 0);
    case 1:
        return run_kelso(ARGS("proof", "query", "--store", s, "--dir", t, ROOT), "", 0);
    case 2:
        return run_kelso(ARGS("proof", "minimal", "--store", s, "--dir", t, ROOT), "", 0);
    default:
        return run_kelso(ARGS("prove", "--store", s, "--dir", t, "--workers", "1", "--memory", "4M",
                              "--nodes", "300", "--progress", "none", ROOT),
                         "", 0);
    }
}

/* `prove` tells times; its first word is the answer. */
static bool run_same(int i, const struct run *a, const struct run *b)
{
    return i < COMMANDS - 1 ? strcmp(a->out, b->out) == 0
                            : strncmp(a->out, b->out, strcspn(a->out, "\n,;(")) == 0;
}

static int expect_commands(const struct world *w, size_t size, const char *what)
{
    int refused = 0;

    for (int i = 0; i < COMMANDS; i++) {
        struct run r;

        file_write(w->file, w->bytes, size);
        r = command_run(w, i);
        if (r.status == 0 ? !run_same(i, &w->want[i], &r) : r.status > 2 || !*r.err)
            fail_msg("%s: command %d: status %d, output '%s', errors '%s'; expected '%s'", what, i,
                     r.status, r.out, r.err, w->want[i].out);
        refused += r.status != 0;
        run_free(&r);
    }
    return refused;
}

/* --------------------------------------------------------------------- server -- */

static enum status nothing_known(void *context, const struct board *b, enum kind kind,
                                 struct outcome *o, struct error *e)
{
    (void)context, (void)b, (void)kind, (void)o;
    return error_set(e, STATUS_MISSING, "no tables");
}

/* Remove the time of an answer. */
static void time_cut(char *text)
{
    char *at = strstr(text, "\"at\":");

    if (at)
        memmove(at, at + strcspn(at, ","), strlen(at + strcspn(at, ",")) + 1);
}

/* One answer of the server; the caller frees *text. */
static enum status question_ask(struct proofs *p, int i, char **text)
{
    const struct snapshot none = {.source = {nothing_known, NULL}};
    const atomic_bool stop = false;
    size_t length;
    FILE *out = open_memstream(text, &length);
    struct json j = json_open(out);
    struct board b;
    enum status rc;

    if (!fen_parse(ROOT, strlen(ROOT), &b, NULL))
        return STATUS_FORMAT;
    if (i == 0)
        json_object(&j, NULL);
    rc = i == 0   ? proofs_write_all(p, "proofs", &j, NULL)
         : i == 1 ? proofs_write(p, &none, &b, &j, NULL)
         : i == 2 ? proofs_write_tree(p, &b, 300, &stop, &j, NULL)
                  : proofs_write_store(p, &none, &stop, &j, NULL);
    fclose(out);
    time_cut(*text);
    return rc;
}

enum { SAME, REFUSED, WRONG = 9 };

/* In a child, so without cmocka. */
static int server_use(const struct world *w)
{
    struct proofs *p = proofs_open();
    bool refused = !p || proofs_use_store(p, w->store, NULL);

    for (int i = 0; i < QUESTIONS && !refused; i++) {
        char *text;

        if (question_ask(p, i, &text))
            refused = true;
        else if (strcmp(text, w->answer[i]) != 0)
            return WRONG;
        free(text);
    }
    proofs_close(&p);
    return refused ? REFUSED : SAME;
}

static int expect_server(const struct world *w, size_t size, const char *what)
{
    int status;
    pid_t pid;

    file_write(w->file, w->bytes, size);
    fflush(NULL);
    if ((pid = fork()) == 0) {
        alarm(60);
        _exit(server_use(w));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > REFUSED)
        fail_msg("%s: the server: status %x", what, (unsigned)status);
    return WEXITSTATUS(status);
}

/* --------------------------------------------------------------------- the tests -- */

static void test_commands(void **state)
{
    struct world *w = *state;
    struct rng r = rng_for_test("commands");
    int runs = test_is_long() ? 2000 : test_is_sanitized() ? 3 : 15, refused = 0, i = 0;

    for (; i < runs || (refused == 0 && i < 100 * runs); i++) {
        char what[64];
        size_t size;

        mutate(w, &r, &size, what);
        refused += expect_commands(w, size, what);
    }
    print_message("# %d commands, %d refused\n", COMMANDS * i, refused);
    assert_true(refused > 0);
}

static void test_server(void **state)
{
    struct world *w = *state;
    struct rng r = rng_for_test("server");
    int runs = test_is_long() ? 20000 : test_is_sanitized() ? 40 : 400, refused = 0, i = 0;

    for (; i < runs || (refused == 0 && i < 100 * runs); i++) {
        char what[64];
        size_t size;

        mutate(w, &r, &size, what);
        refused += expect_server(w, size, what) == REFUSED;
    }
    print_message("# %d mutants, %d refused\n", i, refused);
    assert_true(refused > 0);
}

static int world_open(void **state)
{
    static struct world w;
    struct proofs *p;
    struct run r;

    w.tables = scratch_create();
    w.dir = scratch_create();
    scratch_file(&w.dir, "s", w.store);
    scratch_file(&w.dir, "s/data.mdb", w.file);
    run_expect(ARGS("build", "--pieces", "3", "--dir", w.tables.path, "--progress", "none"), 0, "",
               "");
    for (int i = 0; i < 2; i++) { /* the second finds it finished, and writes that */
        r = command_run(&w, COMMANDS - 1);
        if (r.status != 0)
            fail_msg("%s%s", r.out, r.err);
        run_free(&r);
    }
    w.good = file_read(w.file, &w.size);
    for (int i = 0; i < COMMANDS; i++) {
        file_write(w.file, w.good, w.size);
        w.want[i] = command_run(&w, i);
        assert_int_equal(w.want[i].status, 0);
    }
    w.bytes = malloc(w.size);
    assert_non_null(w.bytes);
    file_write(w.file, w.good, w.size);
    p = proofs_open();
    assert_int_equal(proofs_use_store(p, w.store, NULL), STATUS_OK);
    for (int i = 0; i < QUESTIONS; i++)
        assert_int_equal(question_ask(p, i, &w.answer[i]), STATUS_OK);
    proofs_close(&p);
    print_message("# a store of %zu bytes: %s", w.size, w.want[0].out);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < COMMANDS; i++)
        run_free(&w->want[i]);
    for (int i = 0; i < QUESTIONS; i++)
        free(w->answer[i]);
    free(w->good);
    free(w->bytes);
    scratch_remove(&w->tables);
    scratch_remove(&w->dir);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_server),
    };

    if (access("/dev/shm", W_OK) == 0) /* thousands of syncs: in memory */
        setenv("TMPDIR", "/dev/shm", 0);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, world_open, world_close);
}
