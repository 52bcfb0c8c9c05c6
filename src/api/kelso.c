/* SPDX-License-Identifier: MIT
 *
 * The public functions on tables: open, list, probe, close. */
#include "api/watched.h"
#include "base/crew.h"
#include "db/answer.h"
#include "db/verify.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static_assert((int)KELSO_WIN == (int)VALUE_WIN && (int)KELSO_LOSS == (int)VALUE_LOSS, "values");
static_assert((int)KELSO_DTC == (int)KIND_DTC && (int)KELSO_DTW == (int)KIND_DTW, "kinds");
static_assert((int)KELSO_LINE_LONG == (int)LINE_LONG, "ends of lines");
static_assert((int)KELSO_SLICE_NAME_MAX >= (int)SLICE_NAME_MAX, "room for any name");

struct kelso_tables {
    struct tables *tables;
};

struct tables *public_tables(const kelso_tables *tables)
{
    return tables->tables;
}

/* --------------------------------------------------------------------- status -- */

const char *kelso_strerror(kelso_status status)
{
    switch (status) {
    case KELSO_OK:
        return "no error";
    case KELSO_MISSING:
        return "the position is outside the tables";
    case KELSO_BAD_INPUT:
        return "not a valid position, move or argument";
    case KELSO_DAMAGED:
        return "a table is damaged or of another version";
    case KELSO_IO:
        return "a system call failed";
    case KELSO_NO_MEMORY:
        return "not enough memory";
    case KELSO_NO_ROOM:
        return "the array is too small";
    case KELSO_NOT_AT_HAND:
        return "the page has not been decoded yet";
    case KELSO_CANCELLED:
        return "cancelled";
    }
    return "unknown status";
}

const char *kelso_version(void)
{
    return KELSO_VERSION;
}

int kelso_version_number(void)
{
    return KELSO_VERSION_NUMBER;
}

kelso_status public_fail(kelso_error *error, kelso_status status, const char *format, ...)
{
    if (error) {
        va_list args;

        error->status = status;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}

static kelso_status status_public(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return KELSO_OK;
    case STATUS_MISSING:
        return KELSO_MISSING;
    case STATUS_POSITION:
        return KELSO_BAD_INPUT;
    case STATUS_NO_MEMORY:
        return KELSO_NO_MEMORY;
    case STATUS_INTERRUPTED:
        return KELSO_CANCELLED;
    case STATUS_IO:
    case STATUS_LOCKED:
        return KELSO_IO;
    default:
        return KELSO_DAMAGED;
    }
}

/* Pass on an error of the layer below. */
kelso_status public_report(kelso_error *error, enum status status, const struct error *e)
{
    return status ? public_fail(error, status_public(status), "%s", e->text) : KELSO_OK;
}

/* --------------------------------------------------------------------- tables -- */

kelso_status kelso_open(kelso_tables **tables, const char *directory, uint64_t cache_bytes,
                        kelso_error *error)
{
    kelso_tables *t = calloc(1, sizeof *t);
    char path[TABLE_PATH_MAX];
    const char *dir = catalog_default_dir(directory, path, sizeof path);
    struct error e = {0};
    enum status rc;

    *tables = t;
    if (!t)
        return public_fail(error, KELSO_NO_MEMORY, "not enough memory to open tables");
    if (!dir) {
        kelso_close(tables);
        return public_fail(error, KELSO_BAD_INPUT,
                           "no directory: none was given, and neither KELSO_DB nor HOME is set");
    }
    if ((rc = tables_open(&t->tables, &(struct tables_options){.dir = dir, .cache = cache_bytes},
                          &e)))
        kelso_close(tables);
    return public_report(error, rc == STATUS_MISSING ? STATUS_IO : rc, &e); /* no such directory */
}

void kelso_close(kelso_tables **tables)
{
    if (!*tables)
        return;
    tables_close(&(*tables)->tables);
    free(*tables);
    *tables = NULL;
}

int kelso_pieces(const kelso_tables *tables)
{
    int most = tables_complete(tables->tables);

    return most > 1 ? most : 0;
}

static kelso_slice slice_public(const struct catalog *c, struct slice s)
{
    kelso_slice out = {
        .kings = s.kings, .men = s.men, .other_kings = s.opp_kings, .other_men = s.opp_men};

    slice_name(s, out.name);
    for (int kind = KIND_WLD; kind < KINDS; kind++)
        if (catalog_has(c, s, (enum kind)kind))
            out.kinds |= 1u << kind;
    return out;
}

kelso_status kelso_slices(const kelso_tables *tables, kelso_slice *slices, int room, int *count,
                          kelso_error *error)
{
    const struct catalog *c = tables_catalog(tables->tables);
    struct slice *list = malloc(SLICE_CODES * sizeof *list);
    int n;

    *count = 0;
    if (!list)
        return public_fail(error, KELSO_NO_MEMORY, "not enough memory to list slices");
    n = slice_order(PIECES_MAX, PIECES_MAX, list);
    for (int i = 0; i < n; i++) {
        kelso_slice s = slice_public(c, list[i]);

        if (!s.kinds)
            continue;
        if (*count < room)
            slices[*count] = s;
        ++*count;
    }
    free(list);
    if (*count > room)
        return public_fail(error, KELSO_NO_ROOM, "there are %d slices, there is room for %d",
                           *count, room);
    return KELSO_OK;
}

struct check {
    struct tables *tables;
    int threads;
    struct verify_fault first; /* the first fault, if any */
};

static void check_fault(void *context, const struct verify_fault *f)
{
    ((struct check *)context)->first = *f;
}

/* A sample of no positions: verify every checksum, recompute nothing. */
static struct verify_options check_options(struct watched *w)
{
    struct check *c = w->arg;

    return (struct verify_options){.threads = c->threads,
                                   .cache = 1 << 20,
                                   .faults_max = 1,
                                   .stop = &w->stop,
                                   .done = &w->done,
                                   .report = check_fault,
                                   .context = c};
}

static enum status check_job(struct watched *w, struct error *e)
{
    struct verify_options o = check_options(w);
    struct check *c = w->arg;
    struct verify_result r;
    enum status rc = verify_run(tables_catalog(c->tables), &o, &r, e);

    return rc == STATUS_MISMATCH ? error_set(e, STATUS_DAMAGED, "%.400s", c->first.text) : rc;
}

kelso_status kelso_check(kelso_tables *tables, int threads, kelso_progress *progress, void *context,
                         kelso_error *error)
{
    struct check c = {.tables = tables->tables, .threads = crew_size(threads)};
    struct watched w = {.job = check_job, .arg = &c};
    struct verify_options o = check_options(&w);

    w.work = verify_work(tables_catalog(tables->tables), &o);
    return watched_run(&w, progress, context, error);
}

/* -------------------------------------------------------------------- preload -- */

struct preload {
    struct tables *tables;
    struct slice slice;
    int threads;
};

static enum status preload_job(struct watched *w, struct error *e)
{
    struct preload *p = w->arg;
    struct crew crew;
    enum status rc;

    if (crew_open(&crew, p->threads, &w->stop))
        return error_set(e, STATUS_NO_MEMORY, "cannot start a thread");
    rc = tables_fill_slice(p->tables, p->slice, &crew, &w->done, e);
    crew_close(&crew);
    return rc;
}

kelso_status kelso_preload(kelso_tables *tables, const char *slice, int threads,
                           kelso_progress *progress, void *context, kelso_error *error)
{
    struct preload p = {.tables = tables->tables, .threads = crew_size(threads)};
    struct watched w = {.job = preload_job, .arg = &p};
    struct layout l;

    if (!slice || !slice_parse(slice, &p.slice))
        return public_fail(error, KELSO_BAD_INPUT, "'%.40s' is not a slice", slice ? slice : "");
    if (layout_create(&l, p.slice))
        return public_fail(error, KELSO_NO_MEMORY, "not enough memory to preload %.40s", slice);
    w.work = 2 * (l.positions / 2048 + 1); /* parts of both sides: at least what there is to do */
    layout_free(&l);
    return watched_run(&w, progress, context, error);
}

void kelso_cache_stats(kelso_tables *tables, kelso_cache *stats)
{
    struct probe_stats s = tables_stats(tables->tables);

    *stats = (kelso_cache){.decoded = s.decoded,
                           .read = s.read,
                           .cache_bytes = s.cache,
                           .kept_bytes = s.kept,
                           .flat = (uint32_t)s.flat,
                           .quick = (uint32_t)s.quick,
                           .compressed = (uint32_t)s.compressed};
}

/* --------------------------------------------------------------------- probes -- */

const char *kelso_value_name(kelso_value value)
{
    return value == KELSO_WIN ? "win" : value == KELSO_DRAW ? "draw" : "loss";
}

static inline kelso_status probe(kelso_tables *tables, const kelso_position *position,
                                 enum kind kind, kelso_answer *answer, kelso_error *error)
{
    struct outcome o = {VALUE_DRAW, 0};
    struct board b;
    struct error e;
    enum status status;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    status = kind == KIND_WLD ? tables_value(tables->tables, &b, &o.value, &e)
                              : tables_outcome(tables->tables, &b, kind, &o, &e);
    if (status)
        return public_report(error, status, &e);
    *answer = (kelso_answer){(kelso_value)o.value, public_plies(o)};
    return KELSO_OK;
}

kelso_status kelso_probe_wld(kelso_tables *tables, const kelso_position *position,
                             kelso_value *value, kelso_error *error)
{
    kelso_answer answer;
    kelso_status rc = probe(tables, position, KIND_WLD, &answer, error);

    if (!rc)
        *value = answer.value;
    return rc;
}

kelso_status kelso_probe_wld_at_hand(kelso_tables *tables, const kelso_position *position,
                                     kelso_value *value, kelso_error *error)
{
    struct board b;
    enum value v;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    if (!tables_at_hand(tables->tables, &b, &v))
        return public_fail(error, KELSO_NOT_AT_HAND, "%s", kelso_strerror(KELSO_NOT_AT_HAND));
    *value = (kelso_value)v;
    return KELSO_OK;
}

static void batch_read(const void *positions, size_t first, size_t count, const struct views *views)
{
    public_views((const kelso_position *)positions + first, count, views);
}

kelso_status kelso_probe_batch(kelso_tables *tables, const kelso_position *positions, size_t count,
                               int8_t *values, kelso_error *error)
{
    struct view_source source = {batch_read, positions};
    struct error e;
    enum status rc = tables_batch(tables->tables, &source, count, values, &e);

    return rc ? public_report(error, rc, &e) : KELSO_OK;
}

void kelso_prefetch(kelso_tables *tables, const kelso_position *position)
{
    struct board b;

    if (public_board(position, &b, NULL) == KELSO_OK)
        tables_prefetch(tables->tables, &b);
}

kelso_status kelso_probe_dtc(kelso_tables *tables, const kelso_position *position,
                             kelso_answer *answer, kelso_error *error)
{
    return probe(tables, position, KIND_DTC, answer, error);
}

kelso_status kelso_probe_dtw(kelso_tables *tables, const kelso_position *position,
                             kelso_answer *answer, kelso_error *error)
{
    return probe(tables, position, KIND_DTW, answer, error);
}

static int verdict_plies(const struct verdict *v, enum kind kind)
{
    return v->known[kind] ? public_plies(v->of[kind]) : -1;
}

kelso_status kelso_probe_moves(kelso_tables *tables, const kelso_position *position,
                               kelso_ranked_move *moves, int *count, kelso_error *error)
{
    struct source source = source_from_tables(tables->tables);
    struct answer a;
    struct board b;
    struct error e;
    enum status status;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    if ((status = answer_position(&source, &b, WANT_DTC | WANT_DTW, &a, &e)))
        return public_report(error, status, &e);
    answer_rank_best(&a);
    *count = a.legal.count;
    for (int i = 0; i < a.legal.count; i++) {
        const struct verdict *v = &a.move[i].verdict;

        moves[i] = (kelso_ranked_move){public_move(&a.move[i].move), (kelso_value)v->value,
                                       verdict_plies(v, KIND_DTW), verdict_plies(v, KIND_DTC)};
    }
    return KELSO_OK;
}

kelso_status kelso_line(kelso_tables *tables, const kelso_position *position, kelso_kind kind,
                        kelso_move *moves, int room, int *count, kelso_line_end *end,
                        kelso_error *error)
{
    struct source source = source_from_tables(tables->tables);
    struct line *line;
    struct board b;
    struct error e;
    enum status status;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    if (kind != KELSO_WLD && kind != KELSO_DTC && kind != KELSO_DTW)
        return public_fail(error, KELSO_BAD_INPUT, "kind: neither wld, dtc nor dtw");
    if (!(line = malloc(sizeof *line)))
        return public_fail(error, KELSO_NO_MEMORY, "not enough memory for a line");
    if ((status = line_play(&source, &b, (enum kind)kind, line, &e))) {
        rc = public_report(error, status, &e);
    } else {
        *count = line->plies;
        if (end)
            *end = (kelso_line_end)line->end;
        for (int i = 0; i < line->plies && i < room; i++)
            moves[i] = public_move(&line->ply[i].move);
        if (line->plies > room)
            rc = public_fail(error, KELSO_NO_ROOM, "the line takes %d moves, there is room for %d",
                             line->plies, room);
    }
    free(line);
    return rc;
}
