/* SPDX-License-Identifier: MIT */
#include "proof/store.h"
#include "core/notation.h"
#include "proof/store_codec.h"
#include "proof/store_env.h"
#include "proof/store_walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TREES = 4 };

static const char *const tree_names[TREES + 1] = {"records", "texts", "numbers", "claims", NULL};

/* Address space, not disk: the file grows as records come. */
static const size_t map_bytes = (size_t)1 << 40;

/* -------------------------------------------------------------------- opening -- */

enum status store_lmdb_error(const struct store *s, int code, struct error *e)
{
    enum status status = code == ENOMEM         ? STATUS_NO_MEMORY
                         : code == MDB_NOTFOUND ? STATUS_MISSING
                                                : STATUS_IO;

    if (code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND || code == MDB_INVALID)
        return error_set(e, STATUS_DAMAGED,
                         "%s/data.mdb is damaged or cut short (%s): restore a copy", s->dir,
                         mdb_strerror(code));
    return error_set(e, status, "%s: %s", s->dir, mdb_strerror(code));
}

enum status store_cut(struct store *s, struct error *e)
{
    s->cut = true;
    return error_set(
        e, STATUS_DAMAGED,
        "%s/data.mdb was truncated or overwritten while it was open: bring back a copy", s->dir);
}

/* LMDB aborts when this returns. */
static void assertion_failed(MDB_env *env, const char *text)
{
    (void)env, (void)text;
    store_guard_escape();
}

static int tree_open_if_there(MDB_txn *txn, const char *name, unsigned create, MDB_dbi *tree,
                              bool *there)
{
    int code = mdb_dbi_open(txn, name, create, tree);

    *there = !code;
    return code == MDB_NOTFOUND ? 0 : code;
}

static int trees_open(struct store *s, bool write)
{
    unsigned create = write ? MDB_CREATE : 0;
    MDB_txn *txn;
    int code = mdb_txn_begin(s->env, NULL, write ? 0 : MDB_RDONLY, &txn);

    if (code)
        return code;
    if (!(code = mdb_dbi_open(txn, tree_names[0], create, &s->records)))
        code = mdb_dbi_open(txn, tree_names[1], create, &s->texts);
    if (!code)
        code = tree_open_if_there(txn, tree_names[2], create, &s->numbers, &s->has_numbers);
    if (!code)
        code = tree_open_if_there(txn, tree_names[3], create, &s->claims, &s->has_claims);
    if (!code)
        return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return code;
}

/* Two writers would overwrite each other's records of successors and effort. */
static enum status writer_lock(struct store *s, struct error *e)
{
    char path[TABLE_PATH_MAX + 8];
    enum status rc = directory_make(s->dir, e);

    snprintf(path, sizeof path, "%s/.lock", s->dir);
    if (!rc)
        rc = file_lock(path, &s->lock, e);
    if (rc == STATUS_LOCKED)
        error_set(e, rc, "%s: another 'kelso prove' is at work here", s->dir);
    return rc;
}

/* Walk the trees of a snapshot before LMDB does.  The transaction keeps a writer from reusing its
 * pages; beginning it touches only the heads of the file. */
static enum status trees_check(struct store *s, const char *path, struct error *e)
{
    enum status rc = STATUS_MISSING;

    for (int tries = 0; tries < 100 && rc == STATUS_MISSING; tries++) {
        MDB_txn *txn;
        int fd, code = mdb_env_get_fd(s->env, &fd);

        if (code || (code = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn)))
            return store_lmdb_error(s, code, e);
        rc = store_walk_trees(fd, path, mdb_txn_id(txn), tree_names, e);
        mdb_txn_abort(txn);
    }
    return rc;
}

/* An incompletely created file is removed: it could not be opened again. */
static enum status env_open(struct store *s, bool write, int *code, struct error *e)
{
    char path[TABLE_PATH_MAX + 16];
    bool fresh;
    enum status rc;

    snprintf(path, sizeof path, "%s/data.mdb", s->dir);
    if ((rc = store_walk_heads(path, e)))
        return rc;
    fresh = write && access(path, F_OK) != 0;
    if ((*code = mdb_env_create(&s->env)) || (*code = mdb_env_set_mapsize(s->env, map_bytes)) ||
        (*code = mdb_env_set_maxdbs(s->env, TREES)) ||
        (*code = mdb_env_set_assert(s->env, assertion_failed)))
        return STATUS_OK;
    if ((*code = mdb_env_open(s->env, s->dir, write ? 0 : MDB_RDONLY, 0644))) {
        if (fresh)
            unlink(path);
        return STATUS_OK;
    }
    if (fresh && (rc = directory_sync(s->dir, e))) /* LMDB syncs the file, not its name */
        return rc;
    mdb_reader_check(s->env, NULL); /* there is room for so many; killed ones are still listed */
    return trees_check(s, path, e);
}

static enum status store_begin(struct store *s, bool write, struct error *e)
{
    int code = 0;
    enum status rc;

    if ((write && (rc = writer_lock(s, e))) || (rc = env_open(s, write, &code, e)))
        return rc;
    if (!code)
        code = trees_open(s, write);
    if (!write && (code == ENOENT || code == MDB_NOTFOUND))
        return error_set(e, STATUS_MISSING, "%s: no store there; 'kelso prove' makes one", s->dir);
    return code ? store_lmdb_error(s, code, e) : STATUS_OK;
}

static enum status store_begin_guarded(struct store *s, bool write, bool whole, struct error *e)
{
    struct store_guard g;
    enum status rc;

    store_guard_install();
    if (STORE_CUT(s, &g))
        return store_cut(s, e);
    rc = store_begin(s, write, e);
    return guarded(&g, rc || !whole ? rc : store_check_whole(s, e));
}

static enum status open_store(struct store **out, const char *dir, bool write, bool whole,
                              struct error *e)
{
    struct store *s = calloc(1, sizeof *s);
    enum status rc;

    *out = s;
    if (!s)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to open a store");
    s->lock = -1;
    if (strlen(dir) >= sizeof s->dir) {
        store_close(out);
        return error_set(e, STATUS_IO, "%s: the name is too long", dir);
    }
    strcpy(s->dir, dir);
    if ((rc = store_begin_guarded(s, write, whole, e)))
        store_close(out);
    return rc;
}

enum status store_open(struct store **out, const char *dir, bool write, struct error *e)
{
    return open_store(out, dir, write, true, e);
}

enum status store_open_to_check(struct store **out, const char *dir, struct error *e)
{
    return open_store(out, dir, false, false, e);
}

static void env_close(struct store *s)
{
    struct store_guard g;

    if (!s->env || store_guard_enter(&g))
        return;
    if (s->group)
        mdb_txn_abort(s->group);
    if (s->reading)
        mdb_txn_abort(s->reading);
    mdb_env_close(s->env);
    store_guard_leave(&g);
}

void store_close(struct store **out)
{
    if (*out)
        env_close(*out);
    if (*out && (*out)->lock >= 0)
        close((*out)->lock);
    if (*out)
        store_filter_free(&(*out)->filter);
    free(*out);
    *out = NULL;
}

/* --------------------------------------------------------------------- groups -- */

void store_group(struct store *s)
{
    s->grouped = true;
}

static enum status commit(struct store *s, struct error *e)
{
    int code = s->group ? mdb_txn_commit(s->group) : 0;

    s->group = NULL;
    return code ? store_lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_commit(struct store *s, struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, commit(s, e));
}

enum status store_ungroup(struct store *s, struct error *e)
{
    s->grouped = false;
    return store_commit(s, e);
}

int store_read_begin(struct store *s, MDB_txn **txn)
{
    int code = s->group ? 0 : mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->reading);

    *txn = s->group ? s->group : s->reading;
    return code;
}

void store_read_end(struct store *s, MDB_txn *txn)
{
    if (txn == s->group)
        return;
    mdb_txn_abort(txn);
    s->reading = NULL;
}

/* Start writing, in the group or in a transaction of its own.  The pages that a killed reader was
 * reading are let go, otherwise the file would grow with each commit from then on. */
static int write_begin(struct store *s, MDB_txn **txn)
{
    int code = s->group ? 0 : mdb_reader_check(s->env, NULL);

    if (!code && !s->group)
        code = mdb_txn_begin(s->env, NULL, 0, s->grouped ? &s->group : txn);
    if (s->grouped)
        *txn = s->group;
    return code;
}

/* A failure of the database, `code`, loses the whole group. */
static int write_end(struct store *s, MDB_txn *txn, int code)
{
    if (!code && txn == s->group)
        return 0;
    if (txn == s->group)
        s->group = NULL;
    if (!code)
        return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return code;
}

enum status store_damaged(const struct store *s, const char *what, const char *whose,
                          struct error *e)
{
    return error_set(
        e, STATUS_DAMAGED,
        "%s: the %s of %s is damaged: 'kelso proof status --store %s' says what else is", s->dir,
        what, whose, s->dir);
}

enum status store_damaged_at(const struct store *s, const char *what, const struct board *b,
                             struct error *e)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    return store_damaged(s, what, fen, e);
}

enum status store_record_bad(const struct store *s, const struct board *b, const uint8_t *key,
                             const MDB_val *value, struct error *e)
{
    if (!store_record_newer(key, value->mv_data, value->mv_size))
        return store_damaged_at(s, "record", b, e);
    return error_set(
        e, STATUS_FORMAT,
        "%s: this store was written by a newer kelso (records of version %d): use that "
        "one",
        s->dir, *(const uint8_t *)value->mv_data);
}

/* --------------------------------------------------------------------- filter -- */

/* Make the filter again, with room for as many keys more.  Without memory the store does without.
 */
static int filter_make(struct store *s, MDB_txn *txn)
{
    MDB_cursor *cursor;
    MDB_stat counted;
    MDB_val key, value;
    int code;

    if ((code = mdb_stat(txn, s->records, &counted)) ||
        !store_filter_make(&s->filter, 2 * counted.ms_entries + 1) ||
        (code = mdb_cursor_open(txn, s->records, &cursor)))
        return code;
    while (!(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)))
        store_filter_add(&s->filter, key.mv_data, key.mv_size);
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? 0 : code;
}

/* A record is about to be put under a key that had none. */
static int filter_add(struct store *s, MDB_txn *txn, const uint8_t key[STORE_KEY])
{
    int code = store_filter_full(&s->filter) ? filter_make(s, txn) : 0;

    store_filter_add(&s->filter, key, STORE_KEY);
    return code;
}

/* -------------------------------------------------------------------- records -- */

static enum status get_in(struct store *s, MDB_txn *txn, const struct board *b,
                          struct store_record *r, struct error *e)
{
    uint8_t bytes[STORE_KEY];
    MDB_val key = {STORE_KEY, bytes}, value;
    bool sealed;
    int code;

    store_key_encode(b, bytes);
    if (store_filter_lacks(&s->filter, bytes, STORE_KEY))
        return error_set(e, STATUS_MISSING, "%s: no record", s->dir);
    if ((code = mdb_get(txn, s->records, &key, &value)))
        return store_lmdb_error(s, code, e);
    return store_record_decode(bytes, value.mv_data, value.mv_size, r, &sealed)
               ? STATUS_OK
               : store_record_bad(s, b, bytes, &value, e);
}

static enum status get(struct store *s, const struct board *b, struct store_record *r,
                       struct error *e)
{
    MDB_txn *txn;
    enum status rc;
    int code = store_read_begin(s, &txn);

    if (code)
        return store_lmdb_error(s, code, e);
    rc = get_in(s, txn, b, r, e);
    store_read_end(s, txn);
    return rc;
}

enum status store_get(struct store *s, const struct board *b, struct store_record *r,
                      struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, get(s, b, r, e));
}

/* (G2) */
static enum status record_join(const struct store_record *old, struct store_record *r,
                               const struct board *b, struct error *e)
{
    char fen[FEN_TEXT_MAX];

    if (bounds_join(&r->bounds, old->bounds) && bounds_join(&r->own, old->own))
        return STATUS_OK;
    fen_format(b, fen);
    return error_set(e, STATUS_MISMATCH, "%s: two results contradict each other: %s before", fen,
                     bounds_name(old->bounds));
}

static enum status put(struct store *s, const struct board *b, const struct store_record *r,
                       struct error *e)
{
    uint8_t key_bytes[STORE_KEY], bytes[STORE_RECORD];
    MDB_val key = {STORE_KEY, key_bytes}, value = {STORE_RECORD, bytes};
    struct store_record old, joined = *r;
    MDB_txn *txn;
    enum status rc;
    int code = write_begin(s, &txn);

    if (code)
        return store_lmdb_error(s, code, e);
    store_key_encode(b, key_bytes);
    rc = get_in(s, txn, b, &old, e);
    if (rc == STATUS_MISSING) {
        code = filter_add(s, txn, key_bytes);
        rc = STATUS_OK;
    } else if (!rc) {
        rc = record_join(&old, &joined, b, e);
    }
    if (!rc && !code) {
        store_record_encode(&joined, key_bytes, bytes);
        code = mdb_put(txn, s->records, &key, &value, 0);
    }
    code = write_end(s, txn, code);
    return code ? store_lmdb_error(s, code, e) : rc;
}

enum status store_put(struct store *s, const struct board *b, const struct store_record *r,
                      struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, put(s, b, r, e));
}

static enum status count(struct store *s, uint64_t *records, struct error *e)
{
    MDB_stat counted = {0};
    MDB_txn *txn;
    int code = store_read_begin(s, &txn);

    if (!code) {
        code = mdb_stat(txn, s->records, &counted);
        store_read_end(s, txn);
    }
    *records = counted.ms_entries;
    return code ? store_lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_count(struct store *s, uint64_t *records, struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, count(s, records, e));
}

/* -------------------------------------------------------------------- numbers -- */

static enum status get_numbers(struct store *s, const struct board *b,
                               struct solve_numbers after[MOVES_MAX], int *count, struct error *e)
{
    uint8_t bytes[STORE_KEY];
    MDB_val key = {STORE_KEY, bytes}, value;
    MDB_txn *txn;
    enum status rc = STATUS_OK;
    int code;

    if (!s->has_numbers)
        return error_set(e, STATUS_MISSING, "%s: no numbers", s->dir);
    if ((code = store_read_begin(s, &txn)))
        return store_lmdb_error(s, code, e);
    store_key_encode(b, bytes);
    if ((code = mdb_get(txn, s->numbers, &key, &value)))
        rc = store_lmdb_error(s, code, e);
    else if (!store_numbers_decode(bytes, value.mv_data, value.mv_size, after, count))
        rc = store_damaged_at(s, "list of numbers", b, e);
    store_read_end(s, txn);
    return rc;
}

enum status store_get_numbers(struct store *s, const struct board *b,
                              struct solve_numbers after[MOVES_MAX], int *count, struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, get_numbers(s, b, after, count, e));
}

static enum status put_numbers(struct store *s, const struct board *b,
                               const struct solve_numbers *after, int count, struct error *e)
{
    uint8_t key_bytes[STORE_KEY], bytes[STORE_NUMBERS_MAX];
    MDB_val key = {STORE_KEY, key_bytes}, value = {0, bytes};
    MDB_txn *txn;
    int code = write_begin(s, &txn);

    if (code)
        return store_lmdb_error(s, code, e);
    store_key_encode(b, key_bytes);
    value.mv_size = store_numbers_encode(after, count, key_bytes, bytes);
    code = mdb_put(txn, s->numbers, &key, &value, 0);
    code = write_end(s, txn, code);
    return code ? store_lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_put_numbers(struct store *s, const struct board *b,
                              const struct solve_numbers *after, int count, struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, put_numbers(s, b, after, count, e));
}

/* --------------------------------------------------------------------- claims -- */

/* Are there claims already?  Damaged ones do not count. */
static bool claims_there(struct store *s, MDB_txn *txn, MDB_val *key)
{
    struct prover_claims c;
    MDB_val value;

    return !mdb_get(txn, s->claims, key, &value) &&
           store_claims_decode(key->mv_data, value.mv_data, value.mv_size, &c) &&
           c.kept == CLAIMS_KEPT;
}

static enum status put_claims(struct store *s, const struct pack_question *q,
                              const struct prover_claims *c, struct error *e)
{
    uint8_t key_bytes[STORE_CLAIMS_KEY];
    MDB_val key = {STORE_CLAIMS_KEY, key_bytes};
    MDB_val value = {c->size + STORE_CLAIMS_EXTRA, NULL};
    MDB_txn *txn = NULL;
    int code = write_begin(s, &txn);

    if (code)
        return store_lmdb_error(s, code, e);
    store_claims_key(q, key_bytes);
    if (c->kept == CLAIMS_KEPT || !claims_there(s, txn, &key)) {
        code = mdb_put(txn, s->claims, &key, &value, MDB_RESERVE);
        if (!code)
            store_claims_encode(c, key_bytes, value.mv_data);
    }
    code = write_end(s, txn, code);
    return code ? store_lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_put_claims(struct store *s, const struct pack_question *q,
                             const struct prover_claims *c, struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, put_claims(s, q, c, e));
}

static enum status get_claims(struct store *s, const struct pack_question *q,
                              struct prover_claims *c, uint8_t **bytes, struct error *e)
{
    uint8_t key_bytes[STORE_CLAIMS_KEY];
    MDB_val key = {STORE_CLAIMS_KEY, key_bytes}, value;
    enum status rc = STATUS_OK;
    MDB_txn *txn;
    int code;

    *bytes = NULL;
    if (!s->has_claims)
        return error_set(e, STATUS_MISSING, "%s: no claims", s->dir);
    if ((code = store_read_begin(s, &txn)))
        return store_lmdb_error(s, code, e);
    store_claims_key(q, key_bytes);
    if ((code = mdb_get(txn, s->claims, &key, &value)))
        rc = store_lmdb_error(s, code, e);
    else if (!store_claims_decode(key_bytes, value.mv_data, value.mv_size, c))
        rc = store_damaged_at(s, "claims", &q->root, e);
    else if (!(*bytes = malloc(c->size + 1)))
        rc = error_no_memory(e);
    if (!rc)
        c->bytes = memcpy(*bytes, c->bytes, c->size);
    store_read_end(s, txn);
    return rc;
}

enum status store_get_claims(struct store *s, const struct pack_question *q,
                             struct prover_claims *c, uint8_t **bytes, struct error *e)
{
    struct store_guard g;

    *bytes = NULL;
    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, get_claims(s, q, c, bytes, e));
}

/* ---------------------------------------------------------------------- texts -- */

static enum status get_text(struct store *s, const char *name, char **text, struct error *e)
{
    MDB_val key = {strlen(name), (void *)(uintptr_t)name}, value;
    size_t from, length;
    MDB_txn *txn;
    enum status rc = STATUS_OK;
    int code = store_read_begin(s, &txn);

    *text = NULL;
    if (code)
        return store_lmdb_error(s, code, e);
    if ((code = mdb_get(txn, s->texts, &key, &value)))
        rc = store_lmdb_error(s, code, e);
    else if (!store_text_decode(name, value.mv_data, value.mv_size, &from, &length))
        rc = store_damaged(s, "text", name, e);
    else if (!(*text = strndup((const char *)value.mv_data + from, length)))
        rc = error_no_memory(e);
    store_read_end(s, txn);
    return rc;
}

enum status store_get_text(struct store *s, const char *name, char **text, struct error *e)
{
    struct store_guard g;

    *text = NULL;
    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, get_text(s, name, text, e));
}

static enum status put_text(struct store *s, const char *name, const char *text, struct error *e)
{
    MDB_val key = {strlen(name), (void *)(uintptr_t)name};
    MDB_val value = {strlen(text) + STORE_TEXT_EXTRA, malloc(strlen(text) + STORE_TEXT_EXTRA)};
    MDB_txn *txn = NULL;
    int code = value.mv_data ? write_begin(s, &txn) : ENOMEM;

    if (!code) {
        store_text_encode(name, text, value.mv_data);
        code = write_end(s, txn, mdb_put(txn, s->texts, &key, &value, 0));
    }
    free(value.mv_data);
    return code ? store_lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_put_text(struct store *s, const char *name, const char *text, struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, put_text(s, name, text, e));
}
