/* SPDX-License-Identifier: MIT */
#include "proof/curve.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROWTH = 20,       /* a point when searches have grown by 1 / GROWTH ... */
    GROWTH_LEAST = 10, /* ... and by this many */
    REST = 100         /* a count of a second is repeated after REST seconds */
};

static const char name[] = "curve";

static bool point_parse(const char *line, struct curve_point *p)
{
    int finished = 0, fields;

    fields = sscanf(line,
                    "%" SCNu64 " %lf %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                    " %" SCNu64 " %d",
                    &p->searches, &p->seconds, &p->threshold, &p->positions, &p->proven,
                    &p->bounded, &p->likely, &p->open, &p->unsearched, &finished);
    p->finished = finished != 0;
    return fields == 10;
}

/* `text` and a line for what was counted; NULL if memory is short. */
static char *point_append(const char *text, const struct store_stats *s)
{
    char *longer;

    if (asprintf(&longer,
                 "%s%" PRIu64 " %.3f %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                 " %" PRIu64 " %d\n",
                 text, s->searches, s->seconds, s->threshold, s->records, s->proven, s->bounded,
                 s->likely, s->open, s->unsearched, s->finished) < 0)
        return NULL;
    return longer;
}

/* The whole text; *text is NULL if there is none yet. */
static enum status curve_read(struct store *s, char **text, struct error *e)
{
    struct error why = {0};
    enum status rc = store_get_text(s, name, text, &why);

    return rc && rc != STATUS_MISSING ? error_pass(e, &why) : STATUS_OK;
}

enum status curve_each(struct store *s, curve_visit *visit, void *context, struct error *e)
{
    char *text, *save = NULL;
    enum status rc = curve_read(s, &text, e);

    if (rc)
        return rc;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; !rc && line;
         line = strtok_r(NULL, "\n", &save)) {
        struct curve_point p;

        if (point_parse(line, &p))
            visit(context, &p);
        else
            rc = error_set(e, STATUS_DAMAGED, "the curve of the store has no point in '%.40s'",
                           line);
    }
    free(text);
    return rc;
}

static void searches_take(void *context, const struct curve_point *p)
{
    *(uint64_t *)context = p->searches;
}

enum status curve_begin(struct curve *c, struct store *store, const struct tables *tables,
                        struct error *e)
{
    *c = (struct curve){.store = store, .tables = tables};
    return curve_each(store, searches_take, &c->searches, e);
}

/* Save what was counted, unless nothing was searched since the last point (C2). */
static enum status point_save(struct curve *c, const struct store_stats *s, struct error *e)
{
    char *text, *longer = NULL;
    enum status rc;

    if (s->searches <= c->searches)
        return STATUS_OK;
    if ((rc = curve_read(c->store, &text, e)))
        return rc;
    longer = point_append(text ? text : "", s);
    rc = longer ? store_put_text(c->store, name, longer, e) : error_no_memory(e);
    c->searches = s->searches;
    free(longer);
    free(text);
    return rc;
}

enum status curve_mark(struct curve *c, uint64_t run, struct error *e)
{
    double start = clock_seconds();
    struct store_stats s;
    enum status rc;

    if (run == c->known)
        return STATUS_OK;
    if ((rc = store_stats_leaves(c->store, c->tables, NULL, &s, e)) || (rc = point_save(c, &s, e)))
        return rc;
    c->known = run;
    c->rest = clock_seconds() + REST * (clock_seconds() - start); /* (C3) */
    return STATUS_OK;
}

enum status curve_grow(struct curve *c, uint64_t run, struct error *e)
{
    uint64_t grown = run - c->known;

    if (grown < GROWTH_LEAST || grown < c->searches / GROWTH || clock_seconds() < c->rest)
        return STATUS_OK;
    return curve_mark(c, run, e);
}
