/* SPDX-License-Identifier: MIT */
#include "proof/store.h"
#include "base/bytes.h"
#include "core/notation.h"
#include "base/files.h"

#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY = 13, RECORD = 32, NUMBERS = 16, VERSION = 1, TABLES_IN_STORE = 3 };

/* Address space, not disk: the file grows as records come. */
static const size_t map_bytes = (size_t)1 << 40;

struct store {
    MDB_env *env;
    MDB_dbi records, texts, numbers;
    bool has_numbers; /* a store of before may be without */
    int lock;         /* of the one who writes; -1: only read */
    char dir[TABLE_PATH_MAX];
};

/* -------------------------------------------------------------------- opening -- */

static enum status lmdb_error(const struct store *s, int code, struct error *e)
{
    enum status status = code == ENOMEM         ? STATUS_NO_MEMORY
                         : code == MDB_NOTFOUND ? STATUS_MISSING
                                                : STATUS_IO;

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
    if ((code = mdb_env_create(&s->env)) || (code = mdb_env_set_mapsize(s->env, map_bytes)) ||
        (code = mdb_env_set_maxdbs(s->env, TABLES_IN_STORE)) ||
        (code = mdb_env_open(s->env, dir, write ? 0 : MDB_RDONLY, 0644)) ||
        (code = trees_open(s, write))) {
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
    if (*out && (*out)->env)
        mdb_env_close((*out)->env);
    if (*out && (*out)->lock >= 0)
        close((*out)->lock);
    free(*out);
    *out = NULL;
}

/* --------------------------------------------------------------------- coding -- */

static void put_big(uint8_t *at, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(n >> (24 - 8 * i));
}

static uint32_t get_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void key_encode(const struct board *b, uint8_t at[KEY])
{
    put_big(at, squares_pack(b->side[BLACK]));
    put_big(at + 4, squares_pack(b->side[WHITE]));
    put_big(at + 8, squares_pack(b->kings));
    at[12] = (uint8_t)b->turn;
}

static struct board key_decode(const uint8_t *at)
{
    return (struct board){{squares_unpack(get_big(at)), squares_unpack(get_big(at + 4))},
                          squares_unpack(get_big(at + 8)),
                          at[12] ? WHITE : BLACK};
}

static void record_encode(const struct store_record *r, uint8_t at[RECORD])
{
    memset(at, 0, RECORD);
    at[0] = VERSION;
    at[1] = (uint8_t)r->bounds.lower;
    at[2] = (uint8_t)r->bounds.upper;
    at[3] = (uint8_t)r->how;
    bytes_put(at + 4, 2, (uint16_t)(int16_t)r->score);
    at[6] = r->expanded;
    at[7] = (uint8_t)(r->own.lower + 4 * r->own.upper);
    bytes_put(at + 8, 4, (uint32_t)r->threshold);
    bytes_put(at + 12, 4, r->searches);
    bytes_put(at + 16, 8, r->nodes);
    bytes_put(at + 24, 8, r->microseconds);
}

static enum status record_decode(const struct store *s, const MDB_val *v, struct store_record *r,
                                 struct error *e)
{
    const uint8_t *at = v->mv_data;

    if (v->mv_size != RECORD || at[0] != VERSION || at[1] > at[2] || at[2] > VALUE_WIN ||
        (at[7] & 3) > at[7] >> 2 || at[7] >> 2 > VALUE_WIN || at[3] > HOW_BACKED_UP)
        return error_set(e, STATUS_FORMAT, "%s: expected a record of 32 bytes, version 1", s->dir);
    *r = (struct store_record){{(enum value)at[1], (enum value)at[2]},
                               {(enum value)(at[7] & 3), (enum value)(at[7] >> 2)},
                               (enum record_how)at[3],
                               (int16_t)bytes_get(at + 4, 2),
                               at[6] != 0,
                               (int)bytes_get(at + 8, 4),
                               (uint32_t)bytes_get(at + 12, 4),
                               bytes_get(at + 16, 8),
                               bytes_get(at + 24, 8)};
    return STATUS_OK;
}

/* -------------------------------------------------------------------- records -- */

static enum status get_in(struct store *s, MDB_txn *txn, const struct board *b,
                          struct store_record *r, struct error *e)
{
    uint8_t bytes[KEY];
    MDB_val key = {KEY, bytes}, value;
    int code;

    key_encode(b, bytes);
    code = mdb_get(txn, s->records, &key, &value);
    return code ? lmdb_error(s, code, e) : record_decode(s, &value, r, e);
}

enum status store_get(struct store *s, const struct board *b, struct store_record *r,
                      struct error *e)
{
    MDB_txn *txn;
    enum status rc;
    int code = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);

    if (code)
        return lmdb_error(s, code, e);
    rc = get_in(s, txn, b, r, e);
    mdb_txn_abort(txn);
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
    uint8_t key_bytes[KEY], bytes[RECORD];
    MDB_val key = {KEY, key_bytes}, value = {RECORD, bytes};
    struct store_record old, joined = *r;
    MDB_txn *txn;
    enum status rc;
    int code = mdb_txn_begin(s->env, NULL, 0, &txn);

    if (code)
        return lmdb_error(s, code, e);
    rc = get_in(s, txn, b, &old, e);
    rc = rc == STATUS_MISSING ? STATUS_OK : rc ? rc : record_join(&old, &joined, b, e);
    if (!rc) {
        key_encode(b, key_bytes);
        record_encode(&joined, bytes);
        code = mdb_put(txn, s->records, &key, &value, 0);
        rc = code ? lmdb_error(s, code, e) : STATUS_OK;
    }
    if (rc) {
        mdb_txn_abort(txn);
        return rc;
    }
    code = mdb_txn_commit(txn);
    return code ? lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_each(struct store *s, store_visit *visit, void *context, struct error *e)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    enum status rc = STATUS_OK;
    int code = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);

    if (code)
        return lmdb_error(s, code, e);
    if ((code = mdb_cursor_open(txn, s->records, &cursor))) {
        mdb_txn_abort(txn);
        return lmdb_error(s, code, e);
    }
    while (!rc && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
        struct board b = key.mv_size == KEY ? key_decode(key.mv_data) : (struct board){0};
        struct store_record r;

        rc = record_decode(s, &value, &r, e);
        if (!rc)
            visit(context, &b, &r);
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    return rc ? rc : code == MDB_NOTFOUND ? STATUS_OK : lmdb_error(s, code, e);
}

/* -------------------------------------------------------------------- numbers -- */

static enum status numbers_decode(const struct store *s, const MDB_val *v,
                                  struct solve_numbers after[MOVES_MAX], int *count,
                                  struct error *e)
{
    const uint8_t *at = v->mv_data;

    if (v->mv_size % NUMBERS || v->mv_size / NUMBERS > MOVES_MAX)
        return error_set(e, STATUS_FORMAT,
                         "%s: expected numbers of at most %d moves, %d bytes each", s->dir,
                         MOVES_MAX, NUMBERS);
    *count = (int)(v->mv_size / NUMBERS);
    for (int i = 0; i < *count; i++, at += NUMBERS)
        after[i] = (struct solve_numbers){
            {(uint32_t)bytes_get(at, 4), (uint32_t)bytes_get(at + 4, 4)},
            {(uint32_t)bytes_get(at + 8, 4), (uint32_t)bytes_get(at + 12, 4)}};
    return STATUS_OK;
}

enum status store_get_numbers(struct store *s, const struct board *b,
                              struct solve_numbers after[MOVES_MAX], int *count, struct error *e)
{
    uint8_t bytes[KEY];
    MDB_val key = {KEY, bytes}, value;
    MDB_txn *txn;
    enum status rc;
    int code;

    if (!s->has_numbers)
        return error_set(e, STATUS_MISSING, "%s: no numbers", s->dir);
    if ((code = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn)))
        return lmdb_error(s, code, e);
    key_encode(b, bytes);
    code = mdb_get(txn, s->numbers, &key, &value);
    rc = code ? lmdb_error(s, code, e) : numbers_decode(s, &value, after, count, e);
    mdb_txn_abort(txn);
    return rc;
}

enum status store_put_numbers(struct store *s, const struct board *b,
                              const struct solve_numbers *after, int count, struct error *e)
{
    uint8_t key_bytes[KEY], bytes[MOVES_MAX * NUMBERS];
    MDB_val key = {KEY, key_bytes}, value = {(size_t)count * NUMBERS, bytes};
    MDB_txn *txn;
    int code = mdb_txn_begin(s->env, NULL, 0, &txn);

    if (code)
        return lmdb_error(s, code, e);
    key_encode(b, key_bytes);
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            bytes_put(bytes + i * NUMBERS + 4 * side, 4, after[i].proof[side]);
            bytes_put(bytes + i * NUMBERS + 8 + 4 * side, 4, after[i].disproof[side]);
        }
    if ((code = mdb_put(txn, s->numbers, &key, &value, 0)))
        mdb_txn_abort(txn);
    else
        code = mdb_txn_commit(txn);
    return code ? lmdb_error(s, code, e) : STATUS_OK;
}

/* ---------------------------------------------------------------------- texts -- */

enum status store_get_text(struct store *s, const char *name, char **text, struct error *e)
{
    MDB_val key = {strlen(name), (void *)(uintptr_t)name}, value;
    MDB_txn *txn;
    int code = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);

    *text = NULL;
    if (code)
        return lmdb_error(s, code, e);
    code = mdb_get(txn, s->texts, &key, &value);
    if (!code && !(*text = strndup(value.mv_data, value.mv_size)))
        code = ENOMEM;
    mdb_txn_abort(txn);
    return code ? lmdb_error(s, code, e) : STATUS_OK;
}

enum status store_put_text(struct store *s, const char *name, const char *text, struct error *e)
{
    MDB_val key = {strlen(name), (void *)(uintptr_t)name};
    MDB_val value = {strlen(text), (void *)(uintptr_t)text};
    MDB_txn *txn;
    int code = mdb_txn_begin(s->env, NULL, 0, &txn);

    if (code)
        return lmdb_error(s, code, e);
    if ((code = mdb_put(txn, s->texts, &key, &value, 0)))
        mdb_txn_abort(txn);
    else
        code = mdb_txn_commit(txn);
    return code ? lmdb_error(s, code, e) : STATUS_OK;
}
