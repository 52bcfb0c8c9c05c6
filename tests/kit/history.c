/* SPDX-License-Identifier: MIT */
#include "kit/history.h"
#include "kit/scratch.h"

#include <fcntl.h>

enum { SECTOR = 512 };

struct entry *tree_find(const struct tree *t, const char *name)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->entries[i].name, name) == 0)
            return &t->entries[i];
    return NULL;
}

void tree_put(struct tree *t, const char *name, int file, uint64_t renamed)
{
    struct entry *e = tree_find(t, name);

    if (!e) {
        t->entries = realloc(t->entries, (size_t)(t->count + 1) * sizeof *t->entries);
        assert_non_null(t->entries);
        e = &t->entries[t->count++];
    }
    snprintf(e->name, NAME, "%s", name);
    e->file = file;
    e->renamed = renamed;
}

static void tree_drop(struct tree *t, const char *name)
{
    struct entry *e = tree_find(t, name);

    if (e)
        *e = t->entries[--t->count];
}

struct tree tree_copy(const struct tree *t)
{
    struct tree copy = {.count = t->count};

    copy.entries = malloc(((size_t)t->count + 1) * sizeof *copy.entries);
    assert_non_null(copy.entries);
    if (t->count > 0)
        memcpy(copy.entries, t->entries, (size_t)t->count * sizeof *copy.entries);
    return copy;
}

/* A rename moves this very file, even if its old name was lost or has been used again. */
void tree_apply(struct tree *t, const struct naming *n)
{
    struct entry *e = tree_find(t, n->name);

    if (n->kind == RECORD_OPEN || n->kind == RECORD_MKDIR)
        tree_put(t, n->name, n->file, 0);
    else if (e && e->file == n->file)
        tree_drop(t, n->name);
    if (n->kind == RECORD_RENAME)
        tree_put(t, n->to, n->file, n->at);
}

void path_parent(const char *name, char dir[NAME])
{
    const char *slash = strrchr(name, '/');

    snprintf(dir, NAME, "%.*s", slash ? (int)(slash - name) : 0, name);
}

static void naming_add(struct history *h, enum record_kind kind, int file, const char *name,
                       const char *to)
{
    struct naming *n;

    h->namings = realloc(h->namings, (size_t)(h->naming_count + 1) * sizeof *h->namings);
    assert_non_null(h->namings);
    n = &h->namings[h->naming_count++];
    *n = (struct naming){.kind = kind, .file = file, .at = h->operations, .synced = NEVER};
    assert_true(strlen(name) < NAME && strlen(to) < NAME);
    strcpy(n->name, name);
    strcpy(n->to, to);
    tree_apply(&h->after, n);
}

static void change_add(struct history *h, const struct record_head *r, enum record_kind kind,
                       const uint8_t *data, bool synced)
{
    struct change *c;

    h->changes = realloc(h->changes, (size_t)(h->change_count + 1) * sizeof *h->changes);
    assert_non_null(h->changes);
    c = &h->changes[h->change_count++];
    *c = (struct change){.kind = kind,
                         .file = h->handles[r->fd].file,
                         .at = h->operations,
                         .synced = synced && !h->deaf_files ? h->operations : NEVER,
                         .offset = r->offset,
                         .length = r->length,
                         .data = data};
}

static void history_open(struct history *h, const struct record_head *r, const char *name)
{
    struct handle *f = &h->handles[r->fd];
    struct entry *e = tree_find(&h->after, name);

    assert_true(r->fd < MAX_FDS);
    if (r->offset == 2) { /* the same as another */
        *f = h->handles[r->flags];
        return;
    }
    *f = (struct handle){.file = -1, .open = true, .sync = r->flags & O_DSYNC};
    snprintf(f->dir, NAME, "%s", name);
    if ((r->flags & O_DIRECTORY) || (e && e->file < 0))
        return;
    if (r->offset == 1 && (r->flags & O_CREAT)) {
        f->file = h->file_count++;
        naming_add(h, RECORD_OPEN, f->file, name, "");
    } else {
        assert_non_null(e);
        f->file = e->file;
        if ((r->flags & O_TRUNC))
            change_add(h, &(struct record_head){.fd = r->fd}, RECORD_TRUNCATE, NULL, false);
    }
}

static void history_sync(struct history *h, const struct handle *f)
{
    char dir[NAME];

    if (f->file >= 0 && !h->deaf_files)
        for (int i = 0; i < h->change_count; i++)
            if (h->changes[i].file == f->file && h->changes[i].synced == NEVER)
                h->changes[i].synced = h->operations;
    if (f->file < 0 && !h->deaf_directories)
        for (int i = 0; i < h->naming_count; i++) {
            path_parent(h->namings[i].name, dir);
            if (h->namings[i].synced == NEVER && strcmp(dir, f->dir) == 0)
                h->namings[i].synced = h->operations;
        }
}

static void history_take(struct history *h, const struct record_head *r, const uint8_t *data)
{
    const char *name = (const char *)data;
    struct entry *e;

    h->operations++;
    switch ((enum record_kind)r->kind) {
    case RECORD_OPEN:
        history_open(h, r, name);
        return;
    case RECORD_CLOSE:
        h->handles[r->fd].open = false;
        return;
    case RECORD_SYNC:
        history_sync(h, &h->handles[r->fd]);
        return;
    case RECORD_MKDIR:
        naming_add(h, RECORD_MKDIR, -1, name, "");
        return;
    case RECORD_RENAME:
    case RECORD_UNLINK:
        e = tree_find(&h->after, name);
        assert_non_null(e);
        naming_add(h, (enum record_kind)r->kind, e->file, name,
                   r->kind == RECORD_RENAME ? name + strlen(name) + 1 : "");
        return;
    case RECORD_STORE:
        h->stores++;
        change_add(h, r, RECORD_WRITE, data, true);
        return;
    case RECORD_WRITE:
    case RECORD_TRUNCATE:
    case RECORD_GROW:
        change_add(h, r, (enum record_kind)r->kind, data, h->handles[r->fd].sync);
        return;
    }
    fail_msg("the log is damaged");
}

void history_read(struct history *h, const char *path)
{
    size_t size, at = 0;
    struct record_head r;
    int32_t pid = 0;

    h->after = tree_copy(&h->before);
    h->log = file_read(path, &size);
    while (at < size) {
        assert_true(size - at >= sizeof r);
        memcpy(&r, h->log + at, sizeof r);
        at += sizeof r;
        assert_true(size - at >= r.length);
        assert_true(!pid || pid == r.pid); /* descriptors of one process */
        pid = r.pid;
        history_take(h, &r, h->log + at);
        at += r.length;
    }
    assert_true(h->operations > 0);
}

void history_free(struct history *h)
{
    free(h->log);
    free(h->changes);
    free(h->namings);
    free(h->before.entries);
    free(h->after.entries);
}

/* --------------------------------------------------------------------- content -- */

static void bytes_resize(struct bytes *b, uint64_t size)
{
    if (size > b->room) {
        b->room = 2 * size;
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }
    if (size > b->size)
        memset(b->data + b->size, 0, size - b->size);
    b->size = size;
}

/* Apply a change; of a write, `length` bytes. */
static void bytes_apply(struct bytes *b, const struct change *c, uint64_t length)
{
    if (c->kind != RECORD_WRITE) {
        if (c->kind == RECORD_TRUNCATE || c->offset > b->size)
            bytes_resize(b, c->offset);
        return;
    }
    if (length == 0)
        return;
    if (c->offset + length > b->size)
        bytes_resize(b, c->offset + length);
    memcpy(b->data + c->offset, c->data, length);
}

/* A change that was not synced: there, absent, cut short, or zeros where the file grew.  Old
 * content is overwritten by whole sectors. */
static void bytes_apply_unsure(struct bytes *b, const struct change *c, struct rng *r)
{
    uint64_t end = c->offset + c->length, cut;

    switch (rng_below(r, c->kind == RECORD_WRITE ? 4 : 2)) {
    case 0:
        bytes_apply(b, c, c->length);
        break;
    case 2:
        cut = c->length ? rng_next(r) % c->length : 0;
        if (c->offset + cut < b->size) {
            cut = (c->offset + cut) / SECTOR * SECTOR;
            cut = cut > c->offset ? cut - c->offset : 0;
        }
        bytes_apply(b, c, cut);
        break;
    case 3:
        if (end > b->size)
            bytes_resize(b, end);
        break;
    default:
        break;
    }
}

struct bytes history_content(const struct history *h, int file, uint64_t k, struct rng *r,
                             enum unsure style)
{
    struct bytes b = {NULL, 0, 0};
    uint64_t cut = r && style == UNSURE_IN_ORDER ? rng_next(r) % (k + 1) : 0;

    bytes_resize(&b, 0);
    for (int i = 0; i < h->change_count; i++) {
        const struct change *c = &h->changes[i];

        if (c->file != file || c->at >= k)
            continue;
        if (!r || style == UNSURE_ALL || (c->synced != NEVER && c->synced + 1 < k) ||
            (style == UNSURE_IN_ORDER && c->at < cut))
            bytes_apply(&b, c, c->length);
        else if (style == UNSURE_ANY)
            bytes_apply_unsure(&b, c, r);
    }
    return b;
}

bool bytes_equal(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}
