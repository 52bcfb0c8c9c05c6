/* SPDX-License-Identifier: MIT */
#include "db/catalog.h"
#include "base/files.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = SLICE_NAME_MAX + 8, LINE_MAX_BYTES = NAME_MAX_BYTES + 48 };

struct entry {
    bool present; /* there is a file of that name */
    _Atomic(struct table *) table;
};

struct catalog {
    int lock; /* descriptor that holds the lock, or -1 */
    pthread_mutex_t opening;
    struct entry entry[SLICE_CODES][KINDS]; /* by canonical slice */
    char dir[TABLE_PATH_MAX];
};

static struct entry *entry_at(const struct catalog *c, struct slice s, enum kind kind)
{
    return (struct entry *)(uintptr_t)&c->entry[slice_code(slice_canonical(s))][kind];
}

/* "3K1C-2K1C.dtw": the only accepted spelling. */
static bool name_parse(const char *name, struct slice *s, enum kind *kind)
{
    char stem[SLICE_NAME_MAX], again[SLICE_NAME_MAX];
    const char *dot = strchr(name, '.');

    if (!dot || dot - name >= SLICE_NAME_MAX)
        return false;
    memcpy(stem, name, (size_t)(dot - name));
    stem[dot - name] = 0;
    if (!slice_parse(stem, s) || strcmp(slice_name(slice_canonical(*s), again), stem) != 0)
        return false;
    for (int k = 0; k < KINDS; k++)
        if (strcmp(dot + 1, kind_name((enum kind)k)) == 0) {
            *kind = (enum kind)k;
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------ opening -- */

static bool name_is_leftover(const char *name)
{
    size_t n = strlen(name);
    char stem[NAME_MAX_BYTES];
    struct slice s;
    enum kind kind;

    if (n < 4 || n - 4 >= sizeof stem || strcmp(name + n - 4, ".tmp") != 0)
        return false;
    memcpy(stem, name, n - 4);
    stem[n - 4] = 0;
    return strcmp(stem, "MANIFEST") == 0 || name_parse(stem, &s, &kind);
}

static enum status catalog_scan(struct catalog *c, bool clean, struct error *e)
{
    DIR *d = opendir(c->dir);
    struct dirent *f;
    struct slice s;
    enum kind kind;

    if (!d)
        return file_open_error(c->dir, e);
    while ((f = readdir(d))) {
        if (name_parse(f->d_name, &s, &kind))
            entry_at(c, s, kind)->present = true;
        else if (clean && name_is_leftover(f->d_name))
            unlinkat(dirfd(d), f->d_name, 0);
    }
    closedir(d);
    return STATUS_OK;
}

static enum status catalog_create(struct catalog **out, const char *dir, struct error *e)
{
    struct catalog *c = calloc(1, sizeof *c);

    *out = NULL;
    if (!c)
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", dir);
    c->lock = -1;
    pthread_mutex_init(&c->opening, NULL);
    if (strlen(dir) >= TABLE_PATH_MAX - NAME_MAX_BYTES) {
        errno = ENAMETOOLONG;
        file_error(dir, e);
        catalog_close(&c);
        return STATUS_IO;
    }
    strcpy(c->dir, dir);
    *out = c;
    return STATUS_OK;
}

enum status catalog_open(struct catalog **c, const char *dir, struct error *e)
{
    enum status rc = catalog_create(c, dir, e);

    if (!rc && (rc = catalog_scan(*c, false, e)))
        catalog_close(c);
    return rc;
}

static enum status catalog_lock(struct catalog *c, struct error *e)
{
    char path[TABLE_PATH_MAX + 8];
    enum status rc;

    snprintf(path, sizeof path, "%s/.lock", c->dir);
    rc = file_lock(path, &c->lock, e);
    if (rc == STATUS_LOCKED)
        error_set(e, rc, "%s: another builder is at work here", c->dir);
    return rc;
}

static enum status catalog_open_all(struct catalog *c, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list);
    const struct table *t;
    enum status rc = STATUS_OK;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < KINDS && !rc; k++)
            if (catalog_has(c, list[i], (enum kind)k))
                rc = catalog_table(c, list[i], (enum kind)k, &t, e);
    return rc;
}

enum status catalog_open_to_build(struct catalog **out, const char *dir, struct error *e)
{
    enum status rc = catalog_create(out, dir, e);

    if (rc)
        return rc;
    if ((rc = directory_make(dir, e)) || (rc = catalog_lock(*out, e)) ||
        (rc = catalog_scan(*out, true, e)) || (rc = catalog_open_all(*out, e)))
        catalog_close(out);
    return rc;
}

void catalog_close(struct catalog **c)
{
    if (!*c)
        return;
    for (int i = 0; i < SLICE_CODES; i++)
        for (int k = 0; k < KINDS; k++) {
            struct table *t = atomic_load(&(*c)->entry[i][k].table);
            table_close(&t);
        }
    if ((*c)->lock >= 0)
        close((*c)->lock);
    pthread_mutex_destroy(&(*c)->opening);
    free(*c);
    *c = NULL;
}

const char *catalog_dir(const struct catalog *c)
{
    return c->dir;
}

/* ------------------------------------------------------------------- tables -- */

bool catalog_has(const struct catalog *c, struct slice s, enum kind kind)
{
    return entry_at(c, s, kind)->present;
}

uint64_t catalog_memory(const struct catalog *c)
{
    uint64_t bytes = 0;

    for (int code = 0; code < SLICE_CODES; code++)
        for (int k = 0; k < KINDS; k++) {
            const struct table *t = atomic_load(&c->entry[code][k].table);

            bytes += t ? table_memory(t) : 0;
        }
    return bytes;
}

/* The file must match its name. */
static enum status entry_open(struct catalog *c, struct slice s, enum kind kind, struct table **t,
                              struct error *e)
{
    char path[TABLE_PATH_MAX];
    enum status rc = table_open(t, table_path(path, sizeof path, c->dir, s, kind), e);

    if (!rc && (!slice_equal(table_slice(*t), slice_canonical(s)) || table_kind(*t) != kind)) {
        table_close(t);
        rc = error_set(e, STATUS_FORMAT, "%s: does not hold the table that its name says", path);
    }
    return rc;
}

enum status catalog_table(struct catalog *c, struct slice s, enum kind kind,
                          const struct table **out, struct error *e)
{
    struct entry *entry = entry_at(c, s, kind);
    struct table *t = atomic_load_explicit(&entry->table, memory_order_acquire);
    enum status rc = STATUS_OK;

    if (!t) {
        pthread_mutex_lock(&c->opening);
        t = atomic_load_explicit(&entry->table, memory_order_relaxed);
        if (!t && !(rc = entry_open(c, s, kind, &t, e)))
            atomic_store_explicit(&entry->table, t, memory_order_release);
        pthread_mutex_unlock(&c->opening);
    }
    *out = t;
    return rc;
}

/* ----------------------------------------------------------------- MANIFEST -- */

/* One line; returns its length. */
static int manifest_line(const struct table *t, char out[LINE_MAX_BYTES])
{
    char name[SLICE_NAME_MAX];

    return snprintf(out, LINE_MAX_BYTES, "%s.%s %" PRIu64 " %016" PRIx64 "\n",
                    slice_name(table_slice(t), name), kind_name(table_kind(t)), table_size(t),
                    table_digest(t));
}

/* The correct text of MANIFEST; the caller frees it. */
static enum status manifest_make(struct catalog *c, char **text, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list);
    char *at = *text = malloc((size_t)n * KINDS * LINE_MAX_BYTES + 1);
    enum status rc = STATUS_OK;

    if (!at)
        return error_set(e, STATUS_NO_MEMORY, "%s/MANIFEST: not enough memory", c->dir);
    *at = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < KINDS && !rc; k++) {
            const struct table *t;

            if (catalog_has(c, list[i], (enum kind)k) &&
                !(rc = catalog_table(c, list[i], (enum kind)k, &t, e)))
                at += manifest_line(t, at);
        }
    if (rc)
        free(*text);
    return rc;
}

enum status catalog_added(struct catalog *c, struct slice s, enum kind kind, uint64_t *bytes,
                          struct error *e)
{
    struct entry *entry = entry_at(c, s, kind);
    const struct table *t;
    enum status rc;

    assert(c->lock >= 0 && !atomic_load(&entry->table));
    if ((rc = catalog_table(c, s, kind, &t, e)))
        return rc;
    entry->present = true;
    *bytes = table_size(t);
    return STATUS_OK;
}

enum status catalog_replaced(struct catalog *c, struct slice s, enum kind kind, uint64_t *bytes,
                             struct error *e)
{
    struct table *old = atomic_exchange(&entry_at(c, s, kind)->table, NULL);

    table_close(&old);
    return catalog_added(c, s, kind, bytes, e);
}

enum status catalog_write_manifest(struct catalog *c, struct error *e)
{
    char path[TABLE_PATH_MAX + 16], *text;
    enum status rc;

    if ((rc = manifest_make(c, &text, e)))
        return rc;
    snprintf(path, sizeof path, "%s/MANIFEST", c->dir);
    rc = file_replace(path, text, strlen(text), e);
    free(text);
    return rc;
}

/* The whole MANIFEST as a string; a missing one is empty. */
static enum status manifest_read(const struct catalog *c, size_t most, char **text, struct error *e)
{
    char path[TABLE_PATH_MAX + 16];
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/MANIFEST", c->dir);
    *text = calloc(1, most + 2);
    if (!*text)
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", path);
    f = fopen(path, "rb");
    if (f) {
        n = fread(*text, 1, most + 1, f);
        fclose(f);
    } else if (errno != ENOENT) {
        free(*text);
        return file_error(path, e);
    }
    (*text)[n] = 0;
    return STATUS_OK;
}

static enum status manifest_compare(const struct catalog *c, const char *found,
                                    const char *expected, struct error *e)
{
    int line = 1;

    while (*found && *found == *expected) {
        line += *found == '\n';
        found++;
        expected++;
    }
    if (*found == *expected)
        return STATUS_OK;
    while (line > 1 && found[-1] != '\n') {
        found--;
        expected--;
    }
    return error_set(e, STATUS_MISMATCH,
                     "%s/MANIFEST: line %d: expected \"%.*s\" as the files are, found \"%.*s\"",
                     c->dir, line, (int)strcspn(expected, "\n"), expected,
                     (int)(strcspn(found, "\n") < 80 ? strcspn(found, "\n") : 80), found);
}

enum status catalog_check(struct catalog *c, struct error *e)
{
    char *expected, *found;
    enum status rc = manifest_make(c, &expected, e);

    if (rc)
        return rc;
    if (!(rc = manifest_read(c, strlen(expected) + LINE_MAX_BYTES, &found, e))) {
        rc = manifest_compare(c, found, expected, e);
        free(found);
    }
    free(expected);
    return rc;
}

enum status catalog_mend_manifest(struct catalog *c, struct error *e)
{
    struct error why;
    enum status rc = catalog_check(c, &why);

    if (rc == STATUS_MISMATCH)
        return catalog_write_manifest(c, e);
    return rc ? error_pass(e, &why) : STATUS_OK;
}

/* -------------------------------------------------------------------- where -- */

char *catalog_default_dir(const char *dir, char *buf, size_t size)
{
    const char *set = dir ? dir : getenv("KELSO_DB");
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (set && *set)
        snprintf(buf, size, "%s", set);
    else if (data && *data == '/')
        snprintf(buf, size, "%s/kelso", data);
    else if (home && *home)
        snprintf(buf, size, "%s/.local/share/kelso", home);
    else
        return NULL;
    return buf;
}
