/* SPDX-License-Identifier: MIT */
#include "proof/store.h"
#include "base/files.h"
#include "core/notation.h"
#include "proof/store_codec.h"

#include <errno.h>
#include <inttypes.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TREES = 3 };

/* Address space, not disk: the file grows as records come. */
static const size_t map_bytes = (size_t)1 << 40;

struct store {
    MDB_env *env;
    MDB_dbi records, texts, numbers;
    bool has_numbers; /* a store of before may be without */
    bool grouped;     /* puts share `group` ... */
    MDB_txn *group;   /* ... which is NULL as long as there is none */
    int lock;         /* of the one who writes; -1: only read */
    char dir[TABLE_PATH_MAX];
};

/* -------------------------------------------------------------------- opening -- */

static enum status lmdb_error(const struct store *s, int code, struct error *e)
{
    enum status status = code == ENOMEM         ? STATUS_NO_MEMORY
                         : code == MDB_NOTFOUND ? STATUS_MISSING
                                                : STATUS_IO;

    if (code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND || code == MDB_INVALID)
        return error_set(e, STATUS_DAMAGED,
                         "%s/data.mdb is damaged or cut short (%s): bring back a copy", s->dir,
                         mdb_strerror(code));
    return error_set(e, status, "%s: %s", s->dir, mdb_strerror(code));
}

static int trees_open(struct store *s, bool write)
{
    unsigned create = write ? MDB_CREATE : 0;
    MDB_txn *txn;
    int code = mdb_txn_begin(s->env, NULL, write ? 0 : MDB_RDONLY, &txn);

    if (code)
        return code;
    if (!(code = mdb_dbi_open(txn, "records", create, &s->records)))
        code = mdb_dbi_open(txn, "texts", create, &s->texts);
    if (!code) {
        code = mdb_dbi_open(txn, "numbers", create, &s->numbers);
        s->has_numbers = !code;
        code = code == MDB_NOTFOUND ? 0 : code;
    }
    if (!code)
        return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return code;
}

/* Two who write would each overwrite what the other knows of successors and effort. */
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

/* Is every page there?  LMDB maps the file, and a page behind its end is a SIGBUS. */
static int length_check(MDB_env *env)
{
    MDB_envinfo info;
    MDB_stat pages;
    struct stat st;
    int fd, code;

    if ((code = mdb_env_info(env, &info)) || (code = mdb_env_stat(env, &pages)) ||
        (code = mdb_env_get_fd(env, &fd)))
        return code;
    if (fstat(fd, &st) != 0)
        return errno;
    return (uint64_t)st.st_size / pages.ms_psize > info.me_last_pgno ? 0 : MDB_CORRUPTED;
}

/* A file that could not be made whole is not left behind: nobody could open it. */
static int env_open(struct store *s, bool write)
{
    char path[TABLE_PATH_MAX + 16];
    bool fresh;
    int code;

    snprintf(path, sizeof path, "%s/data.mdb", s->dir);
    fresh = write && access(path, F_OK) != 0;
    if ((code = mdb_env_create(&s->env)) || (code = mdb_env_set_mapsize(s->env, map_bytes)) ||
        (code = mdb_env_set_maxdbs(s->env, TREES)))
        return code;
    if ((code = mdb_env_open(s->env, s->dir, write ? 0 : MDB_RDONLY, 0644))) {
        if (fresh)
            unlink(path);
        return code;
    }
    return length_check(s->env);
}

enum status store_open(struct store **out, const char *dir, bool write, struct error *e)
{
    struct store *s = calloc(1, sizeof *s);
    enum status rc;
    int code;

    *out = s;
    if (!s)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to open a store");
    s->lock = -1;
    if (strlen(dir) >= sizeof s->dir) {
        store_close(out);
        return error_set(e, STATUS_IO, "%s: the name is too long", dir);
    }
    strcpy(s->dir, dir);
    if (write && (rc = writer_lock(s, e))) {
        store_close(out);
        return rc;
    }
    if ((code = env_open(s, write)) || (code = trees_open(s, write))) {
        rc = !write && (code == ENOENT || code == MDB_NOTFOUND)
                 ? error_set(e, STATUS_MISSING, "%s: no store there; 'kelso prove' makes one", dir)
                 : lmdb_error(s, code, e);
        store_close(out);
        return rc;
    }
    return STATUS_OK;
}

void store_close(struct store **out)
{
    if (*out && (*out)->group)
        mdb_txn_abort((*out)->group);
    if (*out && (*out)->env)
        mdb_env_close((*out)->env);
    if (*out && (*out)->lock >= 0)
        close((*out)->lock);
    free(*out);
    *out = NULL;
}

/* --------------------------------------------------------------------- groups -- */

void store_group(struct store *s)
{
    s->grouped = true;
}

enum status store_commit(struct store *s, struct error *e)
{
    int code = s->group ? mdb_txn_commit(s->group) : 0;

    s->group = NULL;
    return code ? lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_ungroup(struct store *s, struct error *e)
{
    s->grouped = false;
    return store_commit(s, e);
}

/* To read: what the open group has is seen. */
static int read_begin(struct store *s, MDB_txn **txn)
{
    *txn = s->group;
    return s->group ? 0 : mdb_txn_begin(s->env, NULL, MDB_RDONLY, txn);
}

static void read_end(struct store *s, MDB_txn *txn)
{
    if (txn != s->group)
        mdb_txn_abort(txn);
}

/* To write: into the group, or by itself. */
static int write_begin(struct store *s, MDB_txn **txn)
{
    int code = s->group ? 0 : mdb_txn_begin(s->env, NULL, 0, s->grouped ? &s->group : txn);

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

/* What a value that cannot be decoded is called. */
static enum status damaged(const struct store *s, const char *what, const char *whose,
                           struct error *e)
{
    return error_set(
        e, STATUS_DAMAGED,
        "%s: the %s of %s is damaged: 'kelso proof status --store %s' says what else is", s->dir,
        what, whose, s->dir);
}

static enum status damaged_at(const struct store *s, const char *what, const struct board *b,
                              struct error *e)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    return damaged(s, what, fen, e);
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
    if ((code = mdb_get(txn, s->records, &key, &value)))
        return lmdb_error(s, code, e);
    return store_record_decode(bytes, value.mv_data, value.mv_size, r, &sealed)
               ? STATUS_OK
               : damaged_at(s, "record", b, e);
}

enum status store_get(struct store *s, const struct board *b, struct store_record *r,
                      struct error *e)
{
    MDB_txn *txn;
    enum status rc;
    int code = read_begin(s, &txn);

    if (code)
        return lmdb_error(s, code, e);
    rc = get_in(s, txn, b, r, e);
    read_end(s, txn);
    return rc;
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

enum status store_put(struct store *s, const struct board *b, const struct store_record *r,
                      struct error *e)
{
    uint8_t key_bytes[STORE_KEY], bytes[STORE_RECORD];
    MDB_val key = {STORE_KEY, key_bytes}, value = {STORE_RECORD, bytes};
    struct store_record old, joined = *r;
    MDB_txn *txn;
    enum status rc;
    int code = write_begin(s, &txn);

    if (code)
        return lmdb_error(s, code, e);
    rc = get_in(s, txn, b, &old, e);
    rc = rc == STATUS_MISSING ? STATUS_OK : rc ? rc : record_join(&old, &joined, b, e);
    if (!rc) {
        store_key_encode(b, key_bytes);
        store_record_encode(&joined, key_bytes, bytes);
        code = mdb_put(txn, s->records, &key, &value, 0);
    }
    code = write_end(s, txn, code);
    return code ? lmdb_error(s, code, e) : rc;
}

enum status store_each(struct store *s, store_visit *visit, void *context, struct error *e)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    enum status rc = STATUS_OK;
    int code = read_begin(s, &txn);

    if (code)
        return lmdb_error(s, code, e);
    if ((code = mdb_cursor_open(txn, s->records, &cursor))) {
        read_end(s, txn);
        return lmdb_error(s, code, e);
    }
    while (!rc && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
        struct store_record r;
        struct board b;
        bool sealed;

        if (!store_key_decode(key.mv_data, key.mv_size, &b))
            rc = damaged(s, "key", "a record", e);
        else if (!store_record_decode(key.mv_data, value.mv_data, value.mv_size, &r, &sealed))
            rc = damaged_at(s, "record", &b, e);
        else
            visit(context, &b, &r);
    }
    mdb_cursor_close(cursor);
    read_end(s, txn);
    return rc ? rc : code == MDB_NOTFOUND ? STATUS_OK : lmdb_error(s, code, e);
}

/* Is this record whole?  If not, tell. */
static bool record_check(const MDB_val *key, const MDB_val *value, store_tell *tell, void *context)
{
    char what[FEN_TEXT_MAX + 16] = "a record with a key that is no position", fen[FEN_TEXT_MAX];
    struct store_record r;
    struct board b;
    bool sealed;

    if (store_key_decode(key->mv_data, key->mv_size, &b)) {
        if (store_record_decode(key->mv_data, value->mv_data, value->mv_size, &r, &sealed))
            return true;
        fen_format(&b, fen);
        snprintf(what, sizeof what, "the record of %s", fen);
    }
    tell(context, what);
    return false;
}

enum status store_check(struct store *s, store_tell *tell, void *context, struct error *e)
{
    uint64_t met = 0, bad = 0;
    MDB_cursor *cursor = NULL;
    MDB_stat counted;
    MDB_val key, value;
    MDB_txn *txn;
    int code = read_begin(s, &txn);

    if (code)
        return lmdb_error(s, code, e);
    if (!(code = mdb_stat(txn, s->records, &counted)) &&
        !(code = mdb_cursor_open(txn, s->records, &cursor)))
        while (!(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
            met++;
            bad += !record_check(&key, &value, tell, context);
        }
    if (cursor)
        mdb_cursor_close(cursor);
    read_end(s, txn);
    if (code != MDB_NOTFOUND)
        return lmdb_error(s, code, e);
    if (bad == 0 && met == counted.ms_entries)
        return STATUS_OK;
    return error_set(e, STATUS_DAMAGED,
                     "%s: %" PRIu64 " of %" PRIu64 " records are damaged, %" PRIu64
                     " were found: bring back a copy",
                     s->dir, bad, (uint64_t)counted.ms_entries, met);
}

/* -------------------------------------------------------------------- numbers -- */

enum status store_get_numbers(struct store *s, const struct board *b,
                              struct solve_numbers after[MOVES_MAX], int *count, struct error *e)
{
    uint8_t bytes[STORE_KEY];
    MDB_val key = {STORE_KEY, bytes}, value;
    MDB_txn *txn;
    enum status rc = STATUS_OK;
    int code;

    if (!s->has_numbers)
        return error_set(e, STATUS_MISSING, "%s: no numbers", s->dir);
    if ((code = read_begin(s, &txn)))
        return lmdb_error(s, code, e);
    store_key_encode(b, bytes);
    if ((code = mdb_get(txn, s->numbers, &key, &value)))
        rc = lmdb_error(s, code, e);
    else if (!store_numbers_decode(bytes, value.mv_data, value.mv_size, after, count))
        rc = damaged_at(s, "list of numbers", b, e);
    read_end(s, txn);
    return rc;
}

enum status store_put_numbers(struct store *s, const struct board *b,
                              const struct solve_numbers *after, int count, struct error *e)
{
    uint8_t key_bytes[STORE_KEY], bytes[STORE_NUMBERS_MAX];
    MDB_val key = {STORE_KEY, key_bytes}, value = {0, bytes};
    MDB_txn *txn;
    int code = write_begin(s, &txn);

    if (code)
        return lmdb_error(s, code, e);
    store_key_encode(b, key_bytes);
    value.mv_size = store_numbers_encode(after, count, key_bytes, bytes);
    code = mdb_put(txn, s->numbers, &key, &value, 0);
    code = write_end(s, txn, code);
    return code ? lmdb_error(s, code, e) : STATUS_OK;
}

/* ---------------------------------------------------------------------- texts -- */

enum status store_get_text(struct store *s, const char *name, char **text, struct error *e)
{
    MDB_val key = {strlen(name), (void *)(uintptr_t)name}, value;
    size_t from, length;
    MDB_txn *txn;
    enum status rc = STATUS_OK;
    int code = read_begin(s, &txn);

    *text = NULL;
    if (code)
        return lmdb_error(s, code, e);
    if ((code = mdb_get(txn, s->texts, &key, &value)))
        rc = lmdb_error(s, code, e);
    else if (!store_text_decode(name, value.mv_data, value.mv_size, &from, &length))
        rc = damaged(s, "text", name, e);
    else if (!(*text = strndup((const char *)value.mv_data + from, length)))
        rc = error_no_memory(e);
    read_end(s, txn);
    return rc;
}

enum status store_put_text(struct store *s, const char *name, const char *text, struct error *e)
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
    return code ? lmdb_error(s, code, e) : STATUS_OK;
}
