/* SPDX-License-Identifier: MIT */
#include "db/unpack.h"
#include "base/files.h"
#include "db/flat.h"
#include "db/quick.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAT_PATH_MAX = TABLE_PATH_MAX + 16, BLOCK = 512 /* of st_blocks */ };

struct unpack {
    struct catalog *catalog;
    const struct unpack_options *o;
    struct crew crew;
    struct sets *sets;
    int lock; /* descriptor, or -1 */
    /* the file being checked */
    const struct flat *flat; /* or ... */
    const struct quick *quick;
    const struct table *table;
    _Atomic uint64_t next; /* page or chapter, counted through both tables */
    atomic_bool damaged;
    pthread_mutex_t error_lock;
    struct error wrong; /* with it */
};

static char *form_path(char *buf, size_t size, const struct unpack *u, struct slice s)
{
    return (u->o->form == UNPACK_QUICK ? quick_path : flat_path)(buf, size, catalog_dir(u->catalog),
                                                                 s);
}

/* --------------------------------------------------------------------- which -- */

static int slices_wanted(const struct unpack_options *o, struct slice list[SLICE_CODES])
{
    if (!o->slice)
        return slice_order(o->pieces, o->max_side, list);
    list[0] = slice_canonical(*o->slice);
    return 1;
}

/* Those of the slices that have a table. */
static int slices_there(const struct catalog *c, const struct unpack_options *o,
                        struct slice list[SLICE_CODES])
{
    int n = slices_wanted(o, list), kept = 0;

    for (int i = 0; i < n; i++)
        if (catalog_has(c, list[i], KIND_WLD))
            list[kept++] = list[i];
    return kept;
}

static uint64_t both_pages(const struct table *t)
{
    return table_pages(t, 0) + (slice_symmetric(table_slice(t)) ? 0 : table_pages(t, 1));
}

enum status unpack_work(struct catalog *c, const struct unpack_options *o, uint64_t *pages,
                        struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slices_there(c, o, list);
    enum status rc = STATUS_OK;

    *pages = 0;
    for (int i = 0; i < n && !rc; i++) {
        const struct table *t;

        if (!(rc = catalog_table(c, list[i], KIND_WLD, &t, e)))
            *pages += both_pages(t);
    }
    return rc;
}

/* ------------------------------------------------------------------ checking -- */

static void check_fail(struct unpack *u, const struct error *e)
{
    pthread_mutex_lock(&u->error_lock);
    if (!atomic_load(&u->damaged))
        u->wrong = *e;
    atomic_store(&u->damaged, true);
    pthread_mutex_unlock(&u->error_lock);
}

static void check_pages(void *arg, int id)
{
    struct unpack *u = arg;
    uint64_t first = table_pages(u->table, 0), all = both_pages(u->table);

    (void)id;
    while (!atomic_load(&u->damaged) && !crew_stopped(&u->crew)) {
        uint64_t number = atomic_fetch_add(&u->next, 1);
        int mirror = number >= first;
        struct error e;

        if (number >= all)
            return;
        if (flat_check(u->flat, mirror, mirror ? number - first : number, &e))
            check_fail(u, &e);
        else if (u->o->done)
            atomic_fetch_add_explicit(u->o->done, 1, memory_order_relaxed);
    }
}

static void check_chapters(void *arg, int id)
{
    struct unpack *u = arg;
    uint64_t first = u->quick->chapters[0], all = first + u->quick->chapters[1];
    struct quick_chapter *c = malloc(sizeof *c);
    struct error e;

    (void)id;
    if (!c) {
        error_set(&e, STATUS_NO_MEMORY, "not enough memory to check a quick file");
        check_fail(u, &e);
        return;
    }
    c->number = QUICK_NO_CHAPTER;
    while (!atomic_load(&u->damaged) && !crew_stopped(&u->crew)) {
        uint64_t number = atomic_fetch_add(&u->next, 1);
        int mirror = number >= first;
        uint64_t chapter = mirror ? number - first : number, page = chapter * QUICK_CHAPTER_PAGES;
        uint64_t left = number < all ? table_pages(u->table, mirror) - page : 0;

        if (number >= all)
            break;
        if (quick_read_chapter(u->quick, mirror, chapter, c, &e))
            check_fail(u, &e);
        else if (u->o->done)
            atomic_fetch_add_explicit(u->o->done,
                                      left < QUICK_CHAPTER_PAGES ? left : QUICK_CHAPTER_PAGES,
                                      memory_order_relaxed);
    }
    free(c);
}

/* Open the existing file and check all of it; the status is that of opening it. */
static enum status form_check(struct unpack *u, const struct table *t)
{
    const char *dir = catalog_dir(u->catalog);
    struct quick *quick = NULL;
    struct flat *flat = NULL;
    enum status rc = u->o->form == UNPACK_QUICK ? quick_open(&quick, dir, t, &u->wrong)
                                                : flat_open(&flat, dir, t, &u->wrong);

    if (rc)
        return rc;
    u->flat = flat;
    u->quick = quick;
    u->table = t;
    atomic_store(&u->next, 0);
    atomic_store(&u->damaged, false);
    crew_run(&u->crew, quick ? check_chapters : check_pages, u);
    flat_close(&flat);
    quick_close(&quick);
    return STATUS_OK;
}

/* Is there a valid file?  If not, u->wrong says why. */
static enum status form_look(struct unpack *u, const struct table *t, bool *good, struct error *e)
{
    uint64_t done = u->o->done ? atomic_load(u->o->done) : 0;
    enum status rc = form_check(u, t);

    *good = false;
    if (rc == STATUS_NO_MEMORY || rc == STATUS_IO)
        return error_pass(e, &u->wrong);
    if (rc)
        return STATUS_OK;
    if (crew_stopped(&u->crew))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    *good = !atomic_load(&u->damaged);
    if (!*good && u->o->done)
        atomic_store(u->o->done, done); /* these pages must still be written */
    return STATUS_OK;
}

/* -------------------------------------------------------------------- making -- */

static enum status report(struct unpack *u, const struct table *t, bool made, struct error *e)
{
    struct unpack_report r = {
        .slice = table_slice(t),
        .form = u->o->form,
        .made = made,
        .wrong = made && u->wrong.status != STATUS_MISSING ? u->wrong.text : NULL,
        .pages = both_pages(t),
        .values = table_layout(t, 0)->positions,
    };
    char path[FLAT_PATH_MAX];
    struct stat st;

    if (!slice_symmetric(r.slice))
        r.values *= 2;
    if (stat(form_path(path, sizeof path, u, r.slice), &st) != 0)
        return file_error(path, e);
    r.size = (uint64_t)st.st_size;
    r.occupied = (uint64_t)st.st_blocks * BLOCK;
    if (u->o->report)
        u->o->report(u->o->context, &r);
    return STATUS_OK;
}

static enum status form_make(struct unpack *u, const struct table *t, struct error *e)
{
    return (u->o->form == UNPACK_QUICK ? quick_make : flat_make)(catalog_dir(u->catalog), t,
                                                                 u->sets, &u->crew, u->o->done, e);
}

static enum status slice_unpack(struct unpack *u, struct slice s, struct error *e)
{
    const struct table *t;
    bool good;
    enum status rc;

    if (u->o->begin)
        u->o->begin(u->o->context, s);
    if ((rc = catalog_table(u->catalog, s, KIND_WLD, &t, e)) || (rc = form_look(u, t, &good, e)))
        return rc;
    if (!good && (rc = form_make(u, t, e)))
        return rc;
    return report(u, t, !good, e);
}

static enum status lock_take(const struct catalog *c, int *lock, struct error *e)
{
    char path[FLAT_PATH_MAX];
    enum status rc;

    snprintf(path, sizeof path, "%s/.lock-flat", catalog_dir(c));
    rc = file_lock(path, lock, e);
    if (rc == STATUS_LOCKED)
        error_set(e, rc, "%s: another process is at work on the flat or quick files",
                  catalog_dir(c));
    return rc;
}

static enum status unpack_open(struct unpack *u, const struct slice *list, int n, struct error *e)
{
    int most = 1;
    enum status rc = lock_take(u->catalog, &u->lock, e);

    if (rc)
        return rc;
    for (int i = 0; i < n; i++)
        most = table_sets(list[i]) > most ? table_sets(list[i]) : most;
    if (!(u->sets = sets_create(most)) || crew_open(&u->crew, u->o->threads, u->o->stop))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to unpack");
    return STATUS_OK;
}

static void unpack_close(struct unpack *u)
{
    if (u->crew.threads)
        crew_close(&u->crew);
    sets_free(&u->sets);
    pthread_mutex_destroy(&u->error_lock);
    if (u->lock >= 0)
        close(u->lock);
}

enum status unpack_run(struct catalog *c, const struct unpack_options *o, struct error *e)
{
    struct unpack u = {.catalog = c, .o = o, .lock = -1};
    struct slice list[SLICE_CODES];
    int n = slices_there(c, o, list);
    enum status rc;

    pthread_mutex_init(&u.error_lock, NULL);
    rc = unpack_open(&u, list, n, e);
    for (int i = 0; i < n && !rc; i++)
        rc = slice_unpack(&u, list[i], e);
    unpack_close(&u);
    return rc;
}

/* ------------------------------------------------------------------ removing -- */

static enum status path_remove(const char *path, int *files, uint64_t *freed, struct error *e)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return errno == ENOENT ? STATUS_OK : file_error(path, e);
    if (unlink(path) != 0)
        return file_error(path, e);
    ++*files;
    *freed += (uint64_t)st.st_blocks * BLOCK;
    return STATUS_OK;
}

enum status unpack_remove(struct catalog *c, const struct unpack_options *o, int *files,
                          uint64_t *freed, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slices_wanted(o, list), lock;
    char path[FLAT_PATH_MAX];
    enum status rc = lock_take(c, &lock, e);

    *files = 0;
    *freed = 0;
    for (int i = 0; i < n && !rc; i++) {
        bool quick = o->form == UNPACK_QUICK;
        const char *dir = catalog_dir(c);

        (quick ? quick_path : flat_path)(path, sizeof path, dir, list[i]);
        rc = path_remove(path, files, freed, e);
        (quick ? quick_temporary : flat_temporary)(path, sizeof path, dir, list[i]);
        if (!rc)
            rc = path_remove(path, files, freed, e);
    }
    if (!rc && *files)
        rc = directory_sync(catalog_dir(c), e);
    if (lock >= 0)
        close(lock);
    return rc;
}
