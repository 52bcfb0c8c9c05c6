/* SPDX-License-Identifier: MIT */
#include "proof/store_walk.h"

#include "base/bytes.h"
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PAGE_MIN = 256,
    PAGE_MAX = 65536,
    PAGE_HEAD = 16,
    NODE_HEAD = 8,
    TREE_BYTES = 48,
    META_BYTES = 136,
    DEPTH_MAX = 32,
    KEY_MAX = 511,
    HEAD_TRIES = 20 /* another process may be writing one */
};
enum { BRANCH = 1, LEAF = 2, OVERFLOW = 4, META = 8 }; /* of a page */
enum { BIG = 1, SUBTREE = 2 };                         /* of a node */
enum { INTEGER_KEY = 8 };                              /* of the tree of free pages */

static const uint32_t magic = 0xBEEFC0DE;
static const uint64_t none = UINT64_MAX; /* the root of an empty tree */

struct btree {
    uint32_t flags, depth;
    uint64_t branches, leaves, overflows, entries, root;
};

struct head {
    uint32_t page; /* bytes of a page */
    struct btree free, names;
    uint64_t last, transaction;
};

static enum status damaged(const char *path, uint64_t page, const char *what, struct error *e)
{
    return error_set(e, STATUS_DAMAGED, "%s: page %" PRIu64 ": %s: restore a copy", path, page,
                     what);
}

/* ----------------------------------------------------------------------- heads -- */

static struct btree tree_get(const uint8_t *at)
{
    return (struct btree){(uint32_t)bytes_get(at + 4, 2), (uint32_t)bytes_get(at + 6, 2),
                          bytes_get(at + 8, 8),           bytes_get(at + 16, 8),
                          bytes_get(at + 24, 8),          bytes_get(at + 32, 8),
                          bytes_get(at + 40, 8)};
}

/* NULL, or what is wrong. */
static const char *head_get(const uint8_t at[PAGE_HEAD + META_BYTES], uint64_t number,
                            struct head *h)
{
    const uint8_t *meta = at + PAGE_HEAD;

    *h = (struct head){(uint32_t)bytes_get(meta + 24, 4), tree_get(meta + 24), tree_get(meta + 72),
                       bytes_get(meta + 120, 8), bytes_get(meta + 128, 8)};
    if (bytes_get(at, 8) != number || bytes_get(at + 10, 2) != META)
        return "not the head of a store";
    if (bytes_get(meta, 4) != magic || bytes_get(meta + 4, 4) != 1)
        return "not the head of a store, or of another version";
    if (h->page < PAGE_MIN || h->page > PAGE_MAX || (h->page & (h->page - 1)))
        return "invalid page size";
    if (h->free.flags != INTEGER_KEY || h->names.flags != 0)
        return "invalid kind of tree";
    if (h->transaction != 0 && h->transaction % 2 != number)
        return "its transaction number does not belong there";
    return NULL;
}

/* Both heads; one belongs to the transaction before the other's. */
static enum status heads_try(int fd, const char *path, struct head h[2], struct error *e)
{
    uint8_t bytes[PAGE_HEAD + META_BYTES];
    uint64_t difference;
    const char *wrong;
    struct stat st;
    enum status rc;

    for (int i = 0; i < 2; i++) {
        if ((rc = file_read_at(fd, path, bytes, sizeof bytes, i ? h[0].page : 0, e)))
            return rc;
        if ((wrong = head_get(bytes, (uint64_t)i, &h[i])))
            return damaged(path, (uint64_t)i, wrong, e);
    }
    difference = h[0].transaction > h[1].transaction ? h[0].transaction - h[1].transaction
                                                     : h[1].transaction - h[0].transaction;
    if (h[0].page != h[1].page || difference > 1)
        return damaged(path, 1, "the two heads do not belong together", e);
    if (fstat(fd, &st) != 0)
        return file_error(path, e);
    for (int i = 0; i < 2; i++)
        if (h[i].last < 1 || h[i].last >= (uint64_t)st.st_size / h[i].page)
            return damaged(path, (uint64_t)i, "pages are missing at the end of the file", e);
    return STATUS_OK;
}

/* A writer may be at one of them, or write both between the two reads: then try again. */
static enum status heads_read(int fd, const char *path, struct head h[2], struct error *e)
{
    enum status rc = heads_try(fd, path, h, e);

    for (int i = 1; i < HEAD_TRIES && rc == STATUS_DAMAGED; i++) {
        usleep(1000);
        rc = heads_try(fd, path, h, e);
    }
    return rc;
}

enum status store_walk_heads(const char *path, struct error *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct head h[2];
    struct stat st;
    enum status rc = STATUS_OK;

    if (fd < 0)
        return errno == ENOENT ? STATUS_OK : file_error(path, e);
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        rc = heads_read(fd, path, h, e);
    close(fd);
    return rc;
}

/* ----------------------------------------------------------------------- trees -- */

struct walk {
    int fd;
    const char *path;
    const char *const *names; /* of trees */
    struct error *e;
    uint32_t page;   /* bytes of one */
    uint64_t last;   /* page of the file */
    uint8_t *seen;   /* a bit for each page */
    uint8_t *buffer; /* a page for each level, and one more */
    uint8_t key[KEY_MAX];
    size_t key_size;
    bool has_key, inclusive;  /* the next key is above it, or may be the same */
    const struct btree *tree; /* being walked */
    bool integers;            /* its keys are numbers */
    struct btree found;       /* as counted */
    struct btree below[16];   /* trees that the names lead to */
    int belows;
};

static enum status walk_damaged(const struct walk *w, uint64_t page, const char *what)
{
    return damaged(w->path, page, what, w->e);
}

/* Mark n pages as used; each may be used only once. */
static enum status pages_claim(struct walk *w, uint64_t page, uint64_t n)
{
    if (page < 2 || page > w->last || n > w->last - page + 1)
        return walk_damaged(w, page, "outside the file");
    for (uint64_t i = page; i < page + n; i++) {
        if (w->seen[i / 8] >> i % 8 & 1)
            return walk_damaged(w, i, "used twice");
        w->seen[i / 8] |= (uint8_t)(1 << i % 8);
    }
    return STATUS_OK;
}

static enum status page_get(struct walk *w, uint64_t page, uint8_t *at, size_t size)
{
    return file_read_at(w->fd, w->path, at, size, page * w->page, w->e);
}

static int key_order(const struct walk *w, const uint8_t *key, size_t size)
{
    size_t common = size < w->key_size ? size : w->key_size;
    int order;

    if (w->integers) {
        uint64_t a = bytes_get(w->key, 8), b = bytes_get(key, 8);

        return (a > b) - (a < b);
    }
    order = memcmp(w->key, key, common);
    return order ? order : (w->key_size > size) - (w->key_size < size);
}

/* Keys ascend through the whole tree. */
static enum status key_take(struct walk *w, uint64_t page, const uint8_t *key, size_t size)
{
    if (size == 0 || size > KEY_MAX || (w->integers && size != 8))
        return walk_damaged(w, page, "no such key");
    if (w->has_key && key_order(w, key, size) >= (w->inclusive ? 1 : 0))
        return walk_damaged(w, page, "keys out of order");
    memcpy(w->key, key, size);
    w->key_size = size;
    w->has_key = true;
    w->inclusive = false;
    return STATUS_OK;
}

/* A list of free pages: how many, and each; the highest first. */
static enum status free_take(struct walk *w, uint64_t page, const uint8_t *data, uint64_t size)
{
    uint64_t n = size >= 8 ? bytes_get(data, 8) : 0, before = UINT64_MAX;
    enum status rc = STATUS_OK;

    if (size < 8 || size % 8 || n > size / 8 - 1)
        return walk_damaged(w, page, "a list of free pages that does not fit");
    for (uint64_t i = 1; i <= n && !rc; i++) {
        uint64_t free = bytes_get(data + 8 * i, 8);

        rc = free >= before ? walk_damaged(w, page, "a list of free pages out of order")
                            : pages_claim(w, free, 1);
        before = free;
    }
    return rc;
}

/* Data in separate pages. */
static enum status big_take(struct walk *w, uint64_t at, uint64_t page, uint64_t size)
{
    uint64_t n;
    uint8_t head[PAGE_HEAD], *data = NULL;
    enum status rc;

    if (page < 2 || page > w->last)
        return walk_damaged(w, at, "data outside the file");
    if ((rc = page_get(w, page, head, sizeof head)))
        return rc;
    n = bytes_get(head + 12, 4); /* more than needed, if something longer was there before */
    if (bytes_get(head, 8) != page || bytes_get(head + 10, 2) != OVERFLOW ||
        n < (PAGE_HEAD - 1 + size) / w->page + 1)
        return walk_damaged(w, page, "expected the start of data");
    if ((rc = pages_claim(w, page, n)))
        return rc;
    w->found.overflows += n;
    if (!w->integers)
        return STATUS_OK;
    rc = file_load(w->fd, w->path, page * w->page + PAGE_HEAD, size, &data, w->e);
    if (!rc)
        rc = free_take(w, at, data, size);
    free(data);
    return rc;
}

/* Is the last key the name of a tree? */
static bool key_is_name(const struct walk *w)
{
    for (int i = 0; w->names[i]; i++)
        if (strlen(w->names[i]) == w->key_size && !memcmp(w->names[i], w->key, w->key_size))
            return true;
    return false;
}

static enum status subtree_take(struct walk *w, uint64_t page, const uint8_t *data, uint64_t size)
{
    if (!key_is_name(w))
        return walk_damaged(w, page, "a tree without a known name, of a newer kelso or damaged");
    if (w->integers || size != TREE_BYTES || w->belows == sizeof w->below / sizeof *w->below)
        return walk_damaged(w, page, "a tree where none can be");
    w->below[w->belows] = tree_get(data);
    if (w->below[w->belows++].flags != 0)
        return walk_damaged(w, page, "invalid kind of tree");
    return STATUS_OK;
}

/* A node of a leaf, `room` bytes to the end of its page. */
static enum status leaf_node(struct walk *w, uint64_t page, const uint8_t *node, size_t room)
{
    uint64_t size = bytes_get(node, 4), flags = bytes_get(node + 4, 2), key, held;
    const uint8_t *data;
    enum status rc;

    key = bytes_get(node + 6, 2);
    held = flags & BIG ? 8 : size;
    if (flags & ~(uint64_t)(BIG | SUBTREE) || key + held > room - NODE_HEAD)
        return walk_damaged(w, page, "an entry that does not fit");
    if ((rc = key_take(w, page, node + NODE_HEAD, key)))
        return rc;
    data = node + NODE_HEAD + key;
    w->found.entries++;
    if (flags & SUBTREE)
        return flags & BIG ? walk_damaged(w, page, "invalid entry")
                           : subtree_take(w, page, data, size);
    if (flags & BIG)
        return big_take(w, page, bytes_get(data, 8), size);
    return w->integers ? free_take(w, page, data, size) : STATUS_OK;
}

static enum status page_walk(struct walk *w, uint64_t page, uint32_t level);

static enum status branch_node(struct walk *w, uint64_t page, const uint8_t *node, size_t room,
                               bool first, uint32_t level)
{
    uint64_t key = bytes_get(node + 6, 2), child = bytes_get(node, 6);

    enum status rc;

    if (key > room - NODE_HEAD)
        return walk_damaged(w, page, "an entry that does not fit");
    if (!first) { /* the first has no key: it is below all others */
        if ((rc = key_take(w, page, node + NODE_HEAD, key)))
            return rc;
        w->inclusive = true;
    }
    return page_walk(w, child, level + 1);
}

static enum status page_walk(struct walk *w, uint64_t page, uint32_t level)
{
    uint8_t *at = w->buffer + (size_t)level * w->page;
    bool leaf = level + 1 == w->tree->depth;
    uint64_t lower, upper, n;
    enum status rc;

    if ((rc = pages_claim(w, page, 1)) || (rc = page_get(w, page, at, w->page)))
        return rc;
    if (bytes_get(at, 8) != page || bytes_get(at + 10, 2) != (leaf ? LEAF : BRANCH))
        return walk_damaged(w, page, leaf ? "expected a leaf" : "expected a branch");
    lower = bytes_get(at + 12, 2);
    upper = bytes_get(at + 14, 2);
    if (lower < PAGE_HEAD || lower % 2 || lower > upper || upper > w->page)
        return walk_damaged(w, page, "invalid space for entries");
    n = (lower - PAGE_HEAD) / 2;
    if (n < (leaf ? 1 : 2))
        return walk_damaged(w, page, "too few entries");
    *(leaf ? &w->found.leaves : &w->found.branches) += 1;
    for (uint64_t i = 0; i < n && !rc; i++) {
        uint64_t node = bytes_get(at + PAGE_HEAD + 2 * i, 2);

        if (node < upper || node % 2 || node + NODE_HEAD > w->page)
            return walk_damaged(w, page, "an entry outside its page");
        rc = leaf ? leaf_node(w, page, at + node, w->page - node)
                  : branch_node(w, page, at + node, w->page - node, i == 0, level);
    }
    return rc;
}

static enum status tree_walk(struct walk *w, const struct btree *t, bool integers)
{
    enum status rc;

    w->tree = t;
    w->integers = integers;
    w->has_key = w->inclusive = false;
    w->found = (struct btree){0};
    if (t->root == none)
        return t->depth || t->entries ? walk_damaged(w, 0, "a tree without a root") : STATUS_OK;
    if (t->depth < 1 || t->depth > DEPTH_MAX)
        return walk_damaged(w, t->root, "invalid depth of a tree");
    if ((rc = page_walk(w, t->root, 0)))
        return rc;
    if (w->found.branches != t->branches || w->found.leaves != t->leaves ||
        w->found.overflows != t->overflows || w->found.entries != t->entries)
        return walk_damaged(w, t->root, "the counts of its tree are wrong");
    return STATUS_OK;
}

static enum status trees_walk(struct walk *w, const struct head *h)
{
    enum status rc = tree_walk(w, &h->names, false);
    int belows = w->belows;

    for (int i = 0; i < belows && !rc; i++)
        rc = tree_walk(w, &w->below[i], false);
    if (!rc && w->belows > belows)
        rc = walk_damaged(w, h->names.root, "a tree in a tree");
    return rc ? rc : tree_walk(w, &h->free, true);
}

enum status store_walk_trees(int fd, const char *path, uint64_t transaction,
                             const char *const *names, struct error *e)
{
    struct walk w = {.fd = fd, .path = path, .names = names, .e = e};
    const struct head *mine = NULL;
    struct head h[2];
    enum status rc = heads_read(fd, path, h, e);

    for (int i = 1; i >= 0; i--) /* of two that are equal, LMDB takes the first */
        if (!rc && h[i].transaction == transaction)
            mine = &h[i];
    if (rc || !mine)
        return rc ? rc : error_set(e, STATUS_MISSING, "%s: another transaction", path);
    w.page = mine->page;
    w.last = mine->last;
    w.seen = calloc(w.last / 8 + 1, 1);
    w.buffer = malloc((size_t)DEPTH_MAX * w.page);
    rc = w.seen && w.buffer ? trees_walk(&w, mine) : error_no_memory(e);
    free(w.seen);
    free(w.buffer);
    return rc;
}
