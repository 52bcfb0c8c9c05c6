/* SPDX-License-Identifier: MIT */
#include "cli/database.h"
#include "cli/command.h"
#include "cli/longjob.h"
#include "base/machine.h"

#include <errno.h>
#include <unistd.h>

int database_open(const char *dir, struct catalog **c)
{
    char path[TABLE_PATH_MAX];
    struct error e;

    if (!catalog_default_dir(dir, path, sizeof path))
        return app_error("no directory: give --dir, or set KELSO_DB or HOME");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return app_error("%s: no tables there; 'kelso build' makes them", path);
    if (catalog_open(c, path, &e))
        return app_error("%s", e.text);
    return EXIT_DONE;
}

int database_warm(struct tables *t, int progress)
{
    struct longjob job;
    struct crew crew;
    uint64_t pages;
    struct error e;
    enum status rc = tables_pages(t, &pages, &e);

    if (rc)
        return app_error("%s", e.text);
    if (crew_open(&crew, threads_default(),
                  longjob_begin(&job, progress, "reading tables", "pages", pages)) == 0) {
        rc = tables_fill(t, &crew, &job.done, &e);
        crew_close(&crew);
    } else {
        rc = error_set(&e, STATUS_NO_MEMORY, "not enough memory for threads");
    }
    longjob_end(&job);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

int database_slice(const char *text, struct slice *s)
{
    if (slice_parse(text, s))
        return EXIT_DONE;
    return app_error("'%s' is not a slice of at most %d pieces, such as 3K1C-2K1C", text,
                     PIECES_MAX);
}
