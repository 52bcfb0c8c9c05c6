/* SPDX-License-Identifier: MIT
 *
 * The store under damage: what was changed on the disk is never read as something else. */
#include "kit/golden.h"
#include "kit/scratch.h"
#include "kit/stores.h"
#include "kit/test.h"

#include "base/bytes.h"
#include "proof/store_codec.h"

#include <lmdb.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* ----------------------------------------------------------------------- codec -- */

static bool record_is_some(const struct store_record *r)
{
    return memcmp(&r->bounds, &some_record.bounds, sizeof r->bounds) == 0 &&
           memcmp(&r->own, &some_record.own, sizeof r->own) == 0 && r->how == some_record.how &&
           r->score == some_record.score && r->expanded == some_record.expanded &&
           r->threshold == some_record.threshold && r->searches == some_record.searches &&
           r->nodes == some_record.nodes && r->microseconds == some_record.microseconds;
}

/* (O1) */
static void test_a_record_notices_every_flip(void **state)
{
    struct board b = golden_board(small_proof), other = golden_board("W:W9,23,28:B7,15,16"), back;
    uint8_t key[STORE_KEY], at[STORE_RECORD];
    struct store_record r;
    bool sealed;

    (void)state;
    store_key_encode(&b, key);
    assert_true(store_key_decode(key, sizeof key, &back) && board_equal(&b, &back));
    store_record_encode(&some_record, key, at);
    assert_true(store_record_decode(key, at, sizeof at, &r, &sealed) && sealed);
    assert_true(record_is_some(&r));
    for (unsigned bit = 0; bit < 8 * sizeof at; bit++) {
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(store_record_decode(key, at, sizeof at, &r, &sealed));
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t size = 0; size < sizeof at; size++)
        assert_false(store_record_decode(key, at, size, &r, &sealed));
    store_key_encode(&other, key);
    assert_false(store_record_decode(key, at, sizeof at, &r, &sealed));
}

static void test_numbers_notice_every_flip(void **state)
{
    struct board b = golden_board(small_proof);
    struct solve_numbers some[3] = {{{1, 2}, {3, 4}}, {{0, 0}, {0, 0}}, {{1u << 28, 5}, {6, 7}}};
    struct solve_numbers got[MOVES_MAX];
    uint8_t key[STORE_KEY], at[STORE_NUMBERS_MAX];
    size_t size;
    int count;

    (void)state;
    store_key_encode(&b, key);
    size = store_numbers_encode(some, 3, key, at);
    assert_true(store_numbers_decode(key, at, size, got, &count));
    assert_int_equal(count, 3);
    assert_memory_equal(got, some, sizeof some);
    for (unsigned bit = 0; bit < 8 * size; bit++) {
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(store_numbers_decode(key, at, size, got, &count));
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void test_a_text_notices_every_flip(void **state)
{
    static const char text[] = "B:W9,23,28:B7,15,16\n";
    uint8_t at[sizeof text + STORE_TEXT_EXTRA];
    size_t size = sizeof text - 1 + STORE_TEXT_EXTRA, from, length;

    (void)state;
    store_text_encode("roots", text, at);
    assert_true(store_text_decode("roots", at, size, &from, &length));
    assert_int_equal(length, sizeof text - 1);
    assert_memory_equal(at + from, text, length);
    assert_false(store_text_decode("threshold", at, size, &from, &length));
    for (unsigned bit = 0; bit < 8 * size; bit++) {
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(store_text_decode("roots", at, size, &from, &length));
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* ----------------------------------------------------------------- old stores -- */

/* A store of version 1, written as that version wrote it. */
static void old_store_write(const char *dir, const struct board *b)
{
    uint8_t key_bytes[STORE_KEY], at[STORE_RECORD];
    MDB_val key = {STORE_KEY, key_bytes}, value = {STORE_RECORD - STORE_SEAL, at};
    MDB_val name = {5, (void *)(uintptr_t) "roots"};
    MDB_val text = {strlen(small_proof), (void *)(uintptr_t)small_proof};
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi records, texts;

    store_key_encode(b, key_bytes);
    store_record_encode(&some_record, key_bytes, at);
    at[0] = 1;
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 3), 0);
    assert_int_equal(mdb_env_open(env, dir, 0, 0644), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "records", MDB_CREATE, &records), 0);
    assert_int_equal(mdb_dbi_open(txn, "texts", MDB_CREATE, &texts), 0);
    assert_int_equal(mdb_put(txn, records, &key, &value, 0), 0);
    assert_int_equal(mdb_put(txn, texts, &name, &text, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

/* Put these bytes as a record into the file of a store. */
static void record_write(const char *dir, uint8_t *key_bytes, uint8_t *at, size_t n)
{
    MDB_val key = {STORE_KEY, key_bytes}, value = {n, at};
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi records;

    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 3), 0);
    assert_int_equal(mdb_env_open(env, dir, 0, 0644), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "records", 0, &records), 0);
    assert_int_equal(mdb_put(txn, records, &key, &value, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

static void damage_note(void *context, const char *what)
{
    snprintf(context, 128, "%s", what);
}

static void test_old_stores_are_read_and_sealed(void **state)
{
    struct scratch dir = scratch_create();
    struct board b = golden_board(small_proof);
    struct store_record r;
    struct store *s;
    struct error e = {0};
    char *text;

    (void)state;
    old_store_write(dir.path, &b);
    for (int write = 0; write < 2; write++) {
        assert_int_equal(store_open(&s, dir.path, write, &e), STATUS_OK);
        assert_int_equal(store_get(s, &b, &r, &e), STATUS_OK);
        assert_true(record_is_some(&r));
        assert_int_equal(store_get_text(s, "roots", &text, &e), STATUS_OK);
        assert_string_equal(text, small_proof);
        free(text);
        if (write)
            assert_int_equal(store_put(s, &b, &r, &e), STATUS_OK);
        store_close(&s);
    }
    assert_int_equal(store_open(&s, dir.path, false, &e), STATUS_OK);
    assert_int_equal(store_get(s, &b, &r, &e), STATUS_OK);
    assert_true(record_is_some(&r));
    store_close(&s);
    scratch_remove(&dir);
}

/* A store of a version to come: that is said, and nothing of damage. */
static void test_newer_stores_are_refused(void **state)
{
    struct scratch dir = scratch_create();
    struct board b = golden_board(small_proof);
    uint8_t key_bytes[STORE_KEY], at[STORE_RECORD];
    char said[128] = "";
    struct store *s;
    struct error e;

    (void)state;
    old_store_write(dir.path, &b);
    store_key_encode(&b, key_bytes);
    store_record_encode(&some_record, key_bytes, at);
    at[0] = 3;
    bytes_put(at + STORE_RECORD - STORE_SEAL, STORE_SEAL,
              XXH3_64bits_withSeed(at, STORE_RECORD - STORE_SEAL,
                                   XXH3_64bits(key_bytes, sizeof key_bytes)));
    record_write(dir.path, key_bytes, at, sizeof at);
    for (int write = 0; write < 2; write++) {
        assert_int_equal(store_open(&s, dir.path, write, &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, "newer kelso (records of version 3)"));
    }
    assert_int_equal(store_open_to_check(&s, dir.path, &e), STATUS_OK);
    assert_int_equal(store_check(s, damage_note, said, &e), STATUS_FORMAT);
    assert_non_null(strstr(e.text, "newer kelso"));
    assert_string_equal(said, "");
    store_close(&s);
    at[STORE_RECORD - 1] ^= 1;
    record_write(dir.path, key_bytes, at, sizeof at);
    assert_int_equal(store_open(&s, dir.path, false, &e), STATUS_DAMAGED);
    scratch_remove(&dir);
}

/* -------------------------------------------------------------- damaged records -- */

static void test_a_damaged_record_is_named(void **state)
{
    struct scratch dir = scratch_create();
    struct board b = golden_board(small_proof);
    uint8_t key[STORE_KEY], at[STORE_RECORD], *bytes, *place;
    char path[SCRATCH_MAX], said[128] = "";
    struct store_record r;
    struct store *s;
    struct error e = {0};
    size_t size;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, true, &e), STATUS_OK);
    assert_int_equal(store_put(s, &b, &some_record, &e), STATUS_OK);
    assert_int_equal(store_check(s, damage_note, said, &e), STATUS_OK);
    store_close(&s);
    store_key_encode(&b, key);
    store_record_encode(&some_record, key, at);
    bytes = file_read(scratch_file(&dir, "data.mdb", path), &size);
    place = memmem(bytes, size, at, sizeof at);
    assert_non_null(place);
    place[2] ^= 1; /* the upper bound: a win becomes another value */
    file_write(path, bytes, size);
    assert_int_equal(store_open(&s, dir.path, false, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, small_proof));
    assert_int_equal(store_open_to_check(&s, dir.path, &e), STATUS_OK);
    assert_int_equal(store_get(s, &b, &r, &e), STATUS_DAMAGED);
    assert_int_equal(store_check(s, damage_note, said, &e), STATUS_DAMAGED);
    assert_non_null(strstr(said, small_proof));
    assert_non_null(strstr(e.text, "1 of 1"));
    store_close(&s);
    free(bytes);
    scratch_remove(&dir);
}

/* ------------------------------------------------------------- killed readers -- */

static void die(void *context, const struct board *b, const struct store_record *r)
{
    (void)context, (void)b, (void)r;
    kill(getpid(), SIGKILL);
}

/* Let a process begin to read, and kill it. */
static void reader_kill(const char *dir)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        struct store *reader;

        if (!store_open(&reader, dir, false, NULL))
            store_each(reader, die, NULL, NULL, NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A reader that is killed while it reads does not keep the pages that were free since, nor its
 * place among the readers. */
static void test_killed_readers_are_forgotten(void **state)
{
    struct scratch dir = scratch_create();
    struct board b = golden_board(small_proof);
    struct store_record r = some_record;
    char path[SCRATCH_MAX];
    struct store *s;
    struct stat about;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_put(s, &b, &r, NULL), STATUS_OK);
    reader_kill(dir.path);
    for (int i = 0; i < 200; i++) {
        r.searches++;
        assert_int_equal(store_put(s, &b, &r, NULL), STATUS_OK);
    }
    assert_int_equal(stat(scratch_file(&dir, "data.mdb", path), &about), 0);
    printf("# %lld bytes\n", (long long)about.st_size);
    assert_true(about.st_size < 200000);
    for (int i = 0; i < 150; i++) /* LMDB has room for 126 */
        reader_kill(dir.path);
    store_close(&s);
    scratch_remove(&dir);
}

/* ------------------------------------------------------------------ cut files -- */

/* Wherever the file is cut: refused, or the record is there as it was. */
static void test_cut_stores_are_refused(void **state)
{
    struct scratch dir = scratch_create();
    struct board b = golden_board(small_proof);
    char path[SCRATCH_MAX];
    struct store_record r;
    struct store *s;
    struct error e = {0};
    uint8_t *bytes;
    size_t size;
    int refused = 0;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, true, &e), STATUS_OK);
    assert_int_equal(store_put(s, &b, &some_record, &e), STATUS_OK);
    store_close(&s);
    bytes = file_read(scratch_file(&dir, "data.mdb", path), &size);
    for (size_t cut = 1; cut < size; cut += 1021) {
        enum status rc;

        file_write(path, bytes, cut);
        rc = store_open(&s, dir.path, false, &e);
        if (!rc) {
            assert_int_equal(store_get(s, &b, &r, &e), STATUS_OK);
            assert_true(record_is_some(&r));
            store_close(&s);
            continue;
        }
        assert_int_equal(rc, STATUS_DAMAGED);
        assert_non_null(strstr(e.text, dir.path));
        refused++;
    }
    assert_true(refused > 0);
    free(bytes);
    scratch_remove(&dir);
}

/* (G5): cut while it is open, to nothing or between pages, for a reader and for a writer. */
static void test_cut_while_open(void **state)
{
    static const off_t left[] = {0, 4096, 8192};
    struct board b = golden_board(small_proof);
    char path[SCRATCH_MAX], *text;
    struct store_record r;
    struct error e = {0};
    struct store *s;
    uint64_t records;

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct scratch dir = scratch_create();
        bool write = i % 2;

        assert_int_equal(store_open(&s, dir.path, true, &e), STATUS_OK);
        assert_int_equal(store_put(s, &b, &some_record, &e), STATUS_OK);
        store_close(&s);
        assert_int_equal(store_open(&s, dir.path, write, &e), STATUS_OK);
        assert_int_equal(truncate(scratch_file(&dir, "data.mdb", path), left[i / 2]), 0);
        if (write)
            store_group(s);
        assert_int_equal(write ? store_put(s, &b, &some_record, &e) : store_get(s, &b, &r, &e),
                         STATUS_DAMAGED);
        assert_non_null(strstr(e.text, "while it was open"));
        assert_int_equal(store_get(s, &b, &r, &e), STATUS_DAMAGED);
        assert_int_equal(store_get_text(s, "roots", &text, &e), STATUS_DAMAGED);
        assert_null(text);
        assert_int_equal(store_count(s, &records, &e), STATUS_DAMAGED);
        store_close(&s);
        scratch_remove(&dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_record_notices_every_flip),
        cmocka_unit_test(test_numbers_notice_every_flip),
        cmocka_unit_test(test_a_text_notices_every_flip),
        cmocka_unit_test(test_newer_stores_are_refused),
        cmocka_unit_test(test_old_stores_are_read_and_sealed),
        cmocka_unit_test(test_a_damaged_record_is_named),
        cmocka_unit_test(test_killed_readers_are_forgotten),
        cmocka_unit_test(test_cut_stores_are_refused),
        cmocka_unit_test(test_cut_while_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
