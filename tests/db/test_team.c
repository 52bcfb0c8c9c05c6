/* SPDX-License-Identifier: MIT
 *
 * Tables by a team: the bytes of one process for any number of ranks, whether each rank holds whole
 * tables or its share of them; a message that fails ends the job with its words and leaves a
 * directory that the next run goes on with.  The ranks are threads of this process; tests/mpi has
 * processes. */
#include "kit/test.h"

#include "kit/scratch.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/files.h"
#include "base/team.h"
#include "db/blocks.h"
#include "db/build.h"
#include "db/part_log.h"

#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

enum { RANKS_MOST = 5, CALLS_LEAST = 12 };

/* All ranks stand at a barrier, then each takes what it needs from the memory of the others. */
struct meeting {
    pthread_barrier_t barrier;
    const uint8_t *bytes[RANKS_MOST];
    size_t size[RANKS_MOST];
};

struct member {
    struct team team; /* first */
    struct meeting *meeting;
    int calls, fail_at; /* the number of the call that fails; 0: none */
    const char *dir, *scratch;
    int threads;
    uint64_t memory, part_bytes;
    bool spread;
    uint64_t left;         /* values that the builder did not count */
    uint32_t solved, kept; /* parts, of all slices */
    enum status status;
    struct error error;
};

static enum status meet(struct member *m, const void *bytes, size_t n, struct error *e)
{
    if (++m->calls == m->fail_at)
        return error_set(e, STATUS_IO, "the cable is out");
    m->meeting->bytes[m->team.rank] = bytes;
    m->meeting->size[m->team.rank] = n;
    pthread_barrier_wait(&m->meeting->barrier);
    return STATUS_OK;
}

static enum status gather(struct team *t, void *all, size_t each, struct error *e)
{
    struct member *m = (struct member *)t;
    enum status rc = meet(m, all, each, e);

    for (int r = 0; r < t->ranks && !rc; r++) {
        assert(m->meeting->size[r] == each); /* (E1) */
        if (r != t->rank && each)
            memcpy((uint8_t *)all + (size_t)r * each, m->meeting->bytes[r] + (size_t)r * each,
                   each);
    }
    if (!rc)
        pthread_barrier_wait(&m->meeting->barrier);
    return rc;
}

static enum status share(struct team *t, int from, void *bytes, size_t n, struct error *e)
{
    struct member *m = (struct member *)t;
    enum status rc = meet(m, bytes, n, e);

    if (rc)
        return rc;
    assert(m->meeting->size[from] == n);
    if (from != t->rank && n)
        memcpy(bytes, m->meeting->bytes[from], n);
    pthread_barrier_wait(&m->meeting->barrier);
    return STATUS_OK;
}

static enum status collect(struct team *t, const void *mine, size_t n, team_taker *take,
                           void *context, struct error *e)
{
    struct member *m = (struct member *)t;
    enum status rc = meet(m, mine, n, e);

    for (int r = 1; r < t->ranks && t->rank == 0 && !rc; r++)
        if (!take(context, m->meeting->bytes[r], m->meeting->size[r], e))
            rc = e->status;
    if (!rc)
        pthread_barrier_wait(&m->meeting->barrier);
    return rc;
}

static enum status exchange(struct team *t, const struct team_mail *sent,
                            struct team_mail *received, struct error *e)
{
    struct member *m = (struct member *)t;
    enum status rc = meet(m, sent, 0, e);

    if (rc)
        return rc;
    received->start[0] = 0;
    for (int r = 0; r < t->ranks; r++) {
        const struct team_mail *from = (const void *)m->meeting->bytes[r];
        size_t n = from->start[t->rank + 1] - from->start[t->rank];
        void *bytes = received->bytes;

        received->start[r + 1] = received->start[r] + n;
        assert_true(array_room(&bytes, &received->room, received->start[r + 1] + 1, 1));
        received->bytes = bytes;
        if (n)
            memcpy(received->bytes + received->start[r], from->bytes + from->start[t->rank], n);
    }
    pthread_barrier_wait(&m->meeting->barrier);
    return STATUS_OK;
}

/* -------------------------------------------------------------------------- ranks -- */

static void on_report(void *member, const struct build_report *r)
{
    struct member *m = member;

    m->solved += r->parts;
    m->kept += r->parts_kept;
}

static void *rank_run(void *arg)
{
    struct member *m = arg;
    struct build_plan plan = {0};
    struct slice s;
    _Atomic uint64_t done = 0;
    struct build_options o = {.dir = m->team.rank == 0 ? m->dir : NULL,
                              .team = &m->team,
                              .kind = {true, !test_is_sanitized(), true},
                              .scratch = m->scratch,
                              .spread = m->spread,
                              .threads = m->threads,
                              .memory = m->memory,
                              .part_bytes = m->part_bytes,
                              .done = &done,
                              .report = on_report,
                              .context = m,
                              .isa = kernel_isa_best()};

    slice_parse("2K-1K1C", &s);
    m->status = build_plan_slice(&plan, s, &m->error);
    if (!m->status)
        m->status = build_run(&plan, &o, &m->error);
    m->left = build_work(&plan, &o) - done;
    build_plan_free(&plan);
    if (m->status && !m->fail_at) { /* the others would wait for ever */
        fprintf(stderr, "# rank %d: %s\n", m->team.rank, m->error.text);
        abort();
    }
    return NULL;
}

/* How a team works, ... */
struct way {
    bool spread;
    uint64_t memory; /* of ranks with an odd number; the others have twice as much */
    const char *scratch;
    uint64_t part_bytes;
    int threads;    /* 0: ranks with an odd number have two, the others one */
    uint64_t small; /* see team.h */
};

/* ... and how it ended. */
struct ended {
    struct error error;
    uint32_t solved, kept; /* parts */
};

static const struct way whole = {.memory = 256 << 20}, spread = {true, 256 << 20, NULL, 0};

/* All ranks fail at the same call, or none. */
static enum status team_build(const char *dir, int ranks, const struct way *way, int fail_at,
                              struct ended *out)
{
    struct member member[RANKS_MOST];
    struct meeting meeting;
    pthread_t thread[RANKS_MOST];

    assert_int_equal(pthread_barrier_init(&meeting.barrier, NULL, (unsigned)ranks), 0);
    for (int r = 0; r < ranks; r++) {
        member[r] = (struct member){.team = {.rank = r,
                                             .ranks = ranks,
                                             .small = way->small,
                                             .gather = gather,
                                             .share = share,
                                             .collect = collect,
                                             .exchange = exchange},
                                    .meeting = &meeting,
                                    .fail_at = fail_at,
                                    .dir = dir,
                                    .scratch = way->scratch,
                                    .spread = way->spread,
                                    .threads = way->threads ? way->threads : 1 + r % 2,
                                    .memory = way->memory * (r % 2 ? 1 : 2),
                                    .part_bytes = way->part_bytes};
        assert_int_equal(pthread_create(&thread[r], NULL, rank_run, &member[r]), 0);
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&meeting.barrier);
    for (int r = 1; r < ranks; r++) {
        assert_int_equal(member[r].status, member[0].status);
        assert_true(member[r].status || member[r].calls > CALLS_LEAST); /* work was shared */
    }
    if (!member[0].status)
        assert_int_equal(member[0].left, 0);
    *out = (struct ended){member[0].error, member[0].solved, member[0].kept};
    return member[0].status;
}

/* MANIFEST has the digest of every file, and the digest that of all its bytes. */
static void assert_same_files(const struct scratch *a, const struct scratch *b)
{
    char path[SCRATCH_MAX];
    size_t size[2];
    uint8_t *bytes[2];

    bytes[0] = file_read(scratch_file(a, "MANIFEST", path), &size[0]);
    bytes[1] = file_read(scratch_file(b, "MANIFEST", path), &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void ranks_compare(const struct way *way)
{
    struct scratch one = scratch_create();
    struct ended o;

    assert_int_equal(team_build(one.path, 1, &whole, 0, &o), STATUS_OK);
    for (int ranks = 2; ranks <= (test_is_sanitized() ? 2 : RANKS_MOST); ranks += 3) {
        struct scratch many = scratch_create();

        if (team_build(many.path, ranks, way, 0, &o))
            fail_msg("%d ranks: %s", ranks, o.error.text);
        assert_same_files(&one, &many);
        scratch_remove(&many);
    }
    scratch_remove(&one);
}

static void test_ranks_make_no_difference(void **state)
{
    (void)state;
    ranks_compare(&whole);
}

/* Rank 0 solves the slices of three pieces alone; those of four are divided. */
static void test_small_slices_make_no_difference(void **state)
{
    static const struct way way = {.memory = 256 << 20, .small = 200000};

    (void)state;
    ranks_compare(&way);
}

static void test_shares_make_no_difference(void **state)
{
    (void)state;
    ranks_compare(&spread);
}

/* A slice without men is one block: the threads of its rank share it. */
static void test_threads_of_a_rank_share_blocks(void **state)
{
    static const struct way ways[2] = {{.memory = 256 << 20, .threads = 3},
                                       {.spread = true, .memory = 256 << 20, .threads = 3}};

    (void)state;
    assert_int_equal(workspaces_wanted((struct slice){2, 0, 1, 0}, 3), 3);
    ranks_compare(&ways[0]);
    ranks_compare(&ways[1]);
}

/* So little memory that shares are packed, dropped and read back from files, and that a slice has
 * many parts and a level many batches. */
static void test_shares_in_little_memory(void **state)
{
    static const struct way way = {true, 6500 << 10, NULL, 16 << 10};

    (void)state;
    ranks_compare(&way);
}

/* Fail at some call, go on, fail again further on, and so forth. */
static void failures_survive(const char *name, const struct way *way)
{
    struct rng r = rng_for_test(name);
    struct scratch one = scratch_create(), many = scratch_create();
    struct ended o;
    int failures = 0;

    assert_int_equal(team_build(one.path, 1, &whole, 0, &o), STATUS_OK);
    for (;; failures++) {
        int most = failures < 12 ? CALLS_LEAST << failures : CALLS_LEAST << 12;
        enum status rc = team_build(many.path, 2, way, 1 + rng_below(&r, most), &o);

        if (rc == STATUS_OK)
            break;
        assert_int_equal(rc, STATUS_IO);
        assert_string_equal(o.error.text, "the cable is out");
        assert_true(failures < 60);
    }
    printf("# %d failures\n", failures);
    assert_true(failures > 0);
    assert_same_files(&one, &many);
    scratch_remove(&one);
    scratch_remove(&many);
}

static void test_goes_on_after_failures(void **state)
{
    (void)state;
    failures_survive("team failures", &whole);
}

/* With shares each call is one of many, and finished parts are kept. */
static void test_shares_go_on_after_failures(void **state)
{
    struct scratch dir = scratch_create();
    struct way way = {true, 6500 << 10, dir.path, 16 << 10};

    (void)state;
    failures_survive("share failures", &way);
    scratch_remove(&dir);
}

/* The finished parts in a rank's log. */
static uint32_t log_parts(const char *path)
{
    struct part_log_name name;
    struct part_log *l;
    uint32_t parts = 1, done;
    size_t size;
    uint8_t *head = file_read(path, &size);

    if (size < 32) { /* the run ended before there was a first part */
        free(head);
        return 0;
    }
    name = (struct part_log_name){{head[12], head[13], head[14], head[15]},
                                  (enum kind)bytes_get(head + 16, 2),
                                  (enum raw_form)bytes_get(head + 18, 2),
                                  (int)bytes_get(head + 20, 4),
                                  (int)bytes_get(head + 24, 4)};
    free(head);
    assert_int_equal(part_log_open(&l, path, &name, &parts, &done, NULL), STATUS_OK);
    part_log_close(&l);
    return done;
}

/* Of all slices and kinds, the parts that both ranks have finished. */
static uint32_t logs_parts(const struct scratch *dir)
{
    char first[SCRATCH_MAX], path[2][2 * SCRATCH_MAX];
    DIR *d = opendir(scratch_file(dir, "1-of-2", first));
    uint32_t sum = 0;

    if (!d)
        return 0;
    for (struct dirent *f; (f = readdir(d));) {
        uint32_t parts[2];

        if (!strstr(f->d_name, ".log"))
            continue;
        for (int r = 0; r < 2; r++) {
            snprintf(path[r], sizeof path[r], "%s/%d-of-2/%s", dir->path, r + 1, f->d_name);
            parts[r] = access(path[r], R_OK) == 0 ? log_parts(path[r]) : 0;
        }
        sum += parts[0] < parts[1] ? parts[0] : parts[1];
    }
    closedir(d);
    return sum;
}

/* The next run solves the parts that the log lacks, and no others. */
static void test_restart_skips_finished_parts(void **state)
{
    struct scratch one = scratch_create(), dir = scratch_create();
    struct way way = {true, 6500 << 10, dir.path, 16 << 10};
    struct ended all, o;
    uint32_t solved = 0, skipped = 0, before = 0;
    enum status rc;
    int runs = 0;

    (void)state;
    assert_int_equal(team_build(one.path, 2, &way, 0, &all), STATUS_OK);
    assert_int_equal(all.kept, 0);
    printf("# %u parts\n", all.solved);
    assert_true(all.solved > 20);
    scratch_remove(&one);
    one = scratch_create();
    do { /* each run gets further than the one before: it has more calls */
        assert_true(runs < 200);
        rc = team_build(one.path, 2, &way, 60 + 40 * runs++, &o);
        if (before) {
            assert_true(o.kept == before || (o.kept == 0 && rc)); /* it may not get that far */
            skipped += o.kept;
        }
        solved += o.solved;
        before = logs_parts(&dir);
    } while (rc == STATUS_IO);
    assert_int_equal(rc, STATUS_OK);
    printf("# %d runs, %u parts in all, %u solved by finished slices, %u skipped\n", runs,
           all.solved, solved, skipped);
    assert_true(skipped > 0);
    assert_int_equal(solved + skipped, all.solved); /* of the slices that a run finished */
    scratch_remove(&one);
    scratch_remove(&dir);
}

/* Make a file in a directory, which is made first. */
static void plant(const struct scratch *dir, const char *sub, const char *name)
{
    char path[2 * SCRATCH_MAX];

    snprintf(path, sizeof path, "%s/%s", dir->path, sub);
    assert_int_equal(directory_make(path, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s/%s/%s", dir->path, sub, name);
    file_write(path, "left", 4);
}

static bool is_there(const struct scratch *dir, const char *name)
{
    char path[SCRATCH_MAX];

    return access(scratch_file(dir, name, path), F_OK) == 0;
}

/* What teams of other sizes left, and builders of other slices, is gone in the end; what is
 * somebody else's is not. */
static void test_nothing_is_left(void **state)
{
    struct scratch one = scratch_create(), dir = scratch_create();
    struct way way = {true, 6500 << 10, dir.path, 16 << 10};
    struct ended o;
    char path[SCRATCH_MAX];
    int lock;

    (void)state;
    assert_int_equal(team_build(one.path, 3, &way, 400, &o), STATUS_IO);
    assert_true(is_there(&dir, "2-of-3"));
    plant(&dir, "2-of-3", "1K-1K.wld.log");
    plant(&dir, "1-of-2", "3K2C-3K2C.dtc.log");
    plant(&dir, "7-of-9-whole", "2K-1K.wld.packed");
    plant(&dir, "7-of-9-whole", "2K-1K.wld.packed-tmp");
    plant(&dir, ".", "2K1C-1K.dtw.raw");
    plant(&dir, ".", "2K1C-1K.dtw.parts");
    plant(&dir, ".", "2K1C-1K.dtw.parts.tmp");
    plant(&dir, ".", "2K1C-1K.wld"); /* none of these is a builder's */
    plant(&dir, "1-of-4", "diary.log");
    plant(&dir, "5-of-4", "1K-1K.wld.log");
    plant(&dir, "3-of-4", "1K-1K.wld.log"); /* a builder is at work there */
    assert_int_equal(directory_lock(scratch_file(&dir, "3-of-4", path), &lock, NULL), STATUS_OK);
    assert_int_equal(team_build(one.path, 2, &way, 0, &o), STATUS_OK);
    assert_int_equal(scratch_count(&dir), 4);
    assert_true(is_there(&dir, "2K1C-1K.wld") && is_there(&dir, "1-of-4/diary.log"));
    assert_true(is_there(&dir, "5-of-4/1K-1K.wld.log") && is_there(&dir, "3-of-4/1K-1K.wld.log"));
    close(lock);
    scratch_remove(&one);
    one = scratch_create();
    assert_int_equal(team_build(one.path, 2, &way, 0, &o), STATUS_OK);
    assert_int_equal(scratch_count(&dir), 3);
    assert_false(is_there(&dir, "3-of-4"));
    scratch_remove(&one);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_make_no_difference),
        cmocka_unit_test(test_small_slices_make_no_difference),
        cmocka_unit_test(test_shares_make_no_difference),
        cmocka_unit_test(test_threads_of_a_rank_share_blocks),
        cmocka_unit_test(test_shares_in_little_memory),
        cmocka_unit_test(test_goes_on_after_failures),
        cmocka_unit_test(test_shares_go_on_after_failures),
        cmocka_unit_test(test_restart_skips_finished_parts),
        cmocka_unit_test(test_nothing_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
