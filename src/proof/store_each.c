/* SPDX-License-Identifier: MIT */
#include "core/notation.h"
#include "proof/store_codec.h"
#include "proof/store_env.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_NAME_MAX = 63 }; /* of the names in use; a longer one is damaged */

/* ------------------------------------------------------------------- visiting -- */

/* See every value of a tree, in the order of the keys, until one is refused or `stop` is set. */
typedef enum status value_see(void *context, const MDB_val *key, const MDB_val *value,
                              struct error *e);

static enum status tree_each(struct store *s, MDB_dbi tree, value_see *see, void *context,
                             const atomic_bool *stop, struct error *e)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    enum status rc = STATUS_OK;
    int code = store_read_begin(s, &txn);

    if (code)
        return store_lmdb_error(s, code, e);
    if ((code = mdb_cursor_open(txn, tree, &cursor))) {
        store_read_end(s, txn);
        return store_lmdb_error(s, code, e);
    }
    while (!rc && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)))
        rc = stop && atomic_load(stop) ? error_set(e, STATUS_INTERRUPTED, "stopped")
                                       : see(context, &key, &value, e);
    mdb_cursor_close(cursor);
    store_read_end(s, txn);
    return rc ? rc : code == MDB_NOTFOUND ? STATUS_OK : store_lmdb_error(s, code, e);
}

struct records_visit {
    const struct store *store;
    store_visit *visit;
    void *context;
};

static enum status record_see(void *context, const MDB_val *key, const MDB_val *value,
                              struct error *e)
{
    const struct records_visit *v = context;
    struct store_record r;
    struct board b;
    bool sealed;

    if (!store_key_decode(key->mv_data, key->mv_size, &b))
        return store_damaged(v->store, "key", "a record", e);
    if (!store_record_decode(key->mv_data, value->mv_data, value->mv_size, &r, &sealed))
        return store_record_bad(v->store, &b, key->mv_data, value, e);
    v->visit(v->context, &b, &r);
    return STATUS_OK;
}

enum status store_each(struct store *s, store_visit *visit, void *context, const atomic_bool *stop,
                       struct error *e)
{
    struct records_visit v = {s, visit, context};
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e)
                            : guarded(&g, tree_each(s, s->records, record_see, &v, stop, e));
}

struct claims_visit {
    store_visit_claims *visit;
    void *context;
};

static enum status claims_see(void *context, const MDB_val *key, const MDB_val *value,
                              struct error *e)
{
    const struct claims_visit *v = context;
    struct pack_question q;
    struct prover_claims c;

    (void)e;
    if (store_claims_key_decode(key->mv_data, key->mv_size, &q) &&
        store_claims_decode(key->mv_data, value->mv_data, value->mv_size, &c))
        v->visit(v->context, &q, &c);
    return STATUS_OK;
}

enum status store_each_claims(struct store *s, store_visit_claims *visit, void *context,
                              const atomic_bool *stop, struct error *e)
{
    struct claims_visit v = {visit, context};
    struct store_guard g;

    if (!s->has_claims)
        return STATUS_OK;
    return STORE_CUT(s, &g) ? store_cut(s, e)
                            : guarded(&g, tree_each(s, s->claims, claims_see, &v, stop, e));
}

/* ------------------------------------------------------------------- checking -- */

static void record_pass(void *context, const struct board *b, const struct store_record *r)
{
    (void)context, (void)b, (void)r;
}

static enum status text_see(void *context, const MDB_val *key, const MDB_val *value,
                            struct error *e)
{
    char name[TEXT_NAME_MAX + 1] = "";
    size_t from, length;

    if (key->mv_size <= TEXT_NAME_MAX)
        memcpy(name, key->mv_data, key->mv_size);
    return *name && store_text_decode(name, value->mv_data, value->mv_size, &from, &length)
               ? STATUS_OK
               : store_damaged(context, "name or content", "a text", e);
}

enum status store_check_whole(struct store *s, struct error *e)
{
    struct records_visit v = {s, record_pass, NULL};
    enum status rc = tree_each(s, s->records, record_see, &v, NULL, e);

    return rc ? rc : tree_each(s, s->texts, text_see, s, NULL, e);
}

/* The values of a tree, and the damaged ones among them. */
struct tree_tally {
    uint64_t met, counted, bad;
    bool newer; /* one is not damaged, but of a newer kelso */
};

typedef bool value_whole(const MDB_val *key, const MDB_val *value, struct board *b);

static bool record_whole(const MDB_val *key, const MDB_val *value, struct board *b)
{
    struct store_record r;
    bool sealed;

    return store_key_decode(key->mv_data, key->mv_size, b) &&
           store_record_decode(key->mv_data, value->mv_data, value->mv_size, &r, &sealed);
}

static bool claims_whole(const MDB_val *key, const MDB_val *value, struct board *b)
{
    struct pack_question q;
    struct prover_claims c;

    if (!store_claims_key_decode(key->mv_data, key->mv_size, &q))
        return false;
    *b = q.root;
    return store_claims_decode(key->mv_data, value->mv_data, value->mv_size, &c);
}

/* "the record of FEN". */
static void damage_tell(const char *name, const MDB_val *key, store_tell *tell, void *context)
{
    char what[FEN_TEXT_MAX + 64], fen[FEN_TEXT_MAX];
    struct board b;

    snprintf(what, sizeof what, "the %s with a key that is no position", name);
    if (key->mv_size >= STORE_KEY && store_key_decode(key->mv_data, STORE_KEY, &b)) {
        fen_format(&b, fen);
        snprintf(what, sizeof what, "the %s of %s", name, fen);
    }
    tell(context, what);
}

/* Check all values of a tree. */
static int tree_check(MDB_txn *txn, MDB_dbi tree, const char *name, value_whole *whole,
                      struct tree_tally *t, store_tell *tell, void *context)
{
    MDB_cursor *cursor;
    MDB_stat counted;
    MDB_val key, value;
    int code;

    if ((code = mdb_stat(txn, tree, &counted)) || (code = mdb_cursor_open(txn, tree, &cursor)))
        return code;
    t->counted = counted.ms_entries;
    while (!(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
        struct board b;

        t->met++;
        if (whole(&key, &value, &b))
            continue;
        if (key.mv_size == STORE_KEY &&
            store_record_newer(key.mv_data, value.mv_data, value.mv_size)) {
            t->newer = true;
            continue;
        }
        t->bad++;
        damage_tell(name, &key, tell, context);
    }
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? 0 : code;
}

static enum status tally_judge(const struct store *s, const struct tree_tally *t, const char *what,
                               struct error *e)
{
    if (t->bad == 0 && t->met == t->counted)
        return t->newer
                   ? error_set(e, STATUS_FORMAT,
                               "%s: this store was written by a newer kelso: use that one", s->dir)
                   : STATUS_OK;
    return error_set(e, STATUS_DAMAGED,
                     "%s: %" PRIu64 " of %" PRIu64 " %s are damaged, %" PRIu64
                     " were found: restore a copy",
                     s->dir, t->bad, t->counted, what, t->met);
}

static enum status check(struct store *s, store_tell *tell, void *context, struct error *e)
{
    struct tree_tally records = {0}, claims = {0};
    enum status rc;
    MDB_txn *txn;
    int code = store_read_begin(s, &txn);

    if (code)
        return store_lmdb_error(s, code, e);
    code = tree_check(txn, s->records, "record", record_whole, &records, tell, context);
    if (!code && s->has_claims)
        code = tree_check(txn, s->claims, "claims", claims_whole, &claims, tell, context);
    store_read_end(s, txn);
    if (code)
        return store_lmdb_error(s, code, e);
    rc = tally_judge(s, &records, "records", e);
    return rc ? rc : tally_judge(s, &claims, "sets of claims", e);
}

enum status store_check(struct store *s, store_tell *tell, void *context, struct error *e)
{
    struct store_guard g;

    return STORE_CUT(s, &g) ? store_cut(s, e) : guarded(&g, check(s, tell, context, e));
}
