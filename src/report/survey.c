/* SPDX-License-Identifier: MIT */
#include "report/survey.h"

#include "db/sets.h"

/* ---------------------------------------------------------------------- slices -- */

static void slice_fill(struct survey_slice *r, struct catalog *c)
{
    struct layout l;

    if (layout_create(&l, r->slice) == 0) {
        r->values = l.positions * (slice_symmetric(r->slice) ? 1 : 2);
        r->blocks = l.blocks;
        layout_free(&l);
    }
    for (int k = 0; c && k < KINDS; k++) {
        const struct table *t;

        if (catalog_has(c, r->slice, (enum kind)k) &&
            catalog_table(c, r->slice, (enum kind)k, &t, NULL) == STATUS_OK)
            r->bytes[k] = table_size(t);
    }
}

enum status survey_slices(struct catalog *c, int pieces, survey_slice_visit *visit, void *context)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(pieces, PIECES_MAX, list);
    enum status rc = STATUS_OK;

    for (int i = 0; i < n && !rc; i++) {
        struct survey_slice r = {.number = i + 1, .slice = list[i]};

        slice_fill(&r, c);
        rc = visit(context, &r);
    }
    return rc;
}

uint64_t survey_published(int pieces)
{
    static const uint64_t positions[PIECES_MAX + 1] = {
        0,          120,         6972,         261224,        7092774,       148688232,
        2503611964, 34779531480, 406309208481, 4048627642976, 34778882769216};

    return positions[pieces];
}

uint64_t survey_one_sided(int pieces)
{
    uint64_t n = 0;

    for (int men = 0; men <= pieces; men++)
        n += 2 * binomial(28, men) * binomial(32 - men, pieces - men);
    return n;
}

/* ---------------------------------------------------------------------- counts -- */

const struct survey_column survey_columns[SURVEY_COLUMNS] = {
    {"dtw_win", KIND_DTW, VALUE_WIN, false},      {"dtw_loss", KIND_DTW, VALUE_LOSS, false},
    {"dtc_win", KIND_DTC, VALUE_WIN, false},      {"dtc_loss", KIND_DTC, VALUE_LOSS, false},
    {"dtw_win_quiet", KIND_DTW, VALUE_WIN, true}, {"dtw_loss_quiet", KIND_DTW, VALUE_LOSS, true},
    {"dtc_win_quiet", KIND_DTC, VALUE_WIN, true}, {"dtc_loss_quiet", KIND_DTC, VALUE_LOSS, true},
};

enum status survey_open(struct catalog *c, struct slice s, const struct table *table[KINDS],
                        struct error *e)
{
    char name[SLICE_NAME_MAX];
    enum status rc;

    for (int k = 0; k < KINDS; k++) {
        table[k] = NULL;
        if (catalog_has(c, s, (enum kind)k) &&
            (rc = catalog_table(c, s, (enum kind)k, &table[k], e)))
            return rc;
    }
    if (table[KIND_WLD])
        return STATUS_OK;
    return error_set(e, STATUS_MISSING, "%s: no table %s.wld", catalog_dir(c),
                     slice_name(slice_canonical(s), name));
}

enum status survey_counts(struct slice s, const struct table *const table[KINDS],
                          survey_count_visit *visit, void *context)
{
    enum status rc = STATUS_OK;

    for (int colours = 0; colours < (slice_symmetric(s) ? 1 : 2); colours++)
        for (int turn = BLACK; turn <= WHITE && !rc; turn++) {
            struct survey_count r = {.black_white = colours ? slice_flip(s) : s,
                                     .turn = (enum side)turn,
                                     .mirror = slice_symmetric(s) ? 0 : colours ^ turn};

            for (int k = 0; k < KINDS; k++)
                r.table[k] = table[k];
            rc = visit(context, &r);
        }
    return rc;
}

uint64_t survey_positions(const struct survey_count *r)
{
    return table_layout(r->table[KIND_WLD], r->mirror)->positions;
}

const struct table_counts *survey_all(const struct survey_count *r)
{
    return &table_stats(r->table[KIND_WLD], r->mirror)->all;
}

const struct table_record *survey_record(const struct survey_count *r,
                                         const struct survey_column *c)
{
    const struct table_stats *s;
    const struct table_record *record;

    if (!r->table[c->kind])
        return NULL;
    s = table_stats(r->table[c->kind], r->mirror);
    record = &(c->quiet ? &s->quiet : &s->all)->longest[c->value];
    return record->plies < 0 ? NULL : record;
}

const char *survey_fen(const struct survey_count *r, const struct table_record *record,
                       char fen[FEN_TEXT_MAX])
{
    struct view v;
    struct board b;

    layout_view(table_layout(r->table[KIND_WLD], r->mirror), record->index, &v);
    b = view_board(&v, r->turn);
    fen_format(&b, fen);
    return fen;
}

/* --------------------------------------------------------------------- longest -- */

/* The longest win and the longest loss of one mirror of a table. */
static enum status mirror_longest(const struct table *t, int mirror, bool quiet,
                                  survey_longest_visit *visit, void *context)
{
    const struct table_stats *stats = table_stats(t, mirror);
    const struct table_counts *counts = quiet ? &stats->quiet : &stats->all;
    struct slice s = mirror ? slice_flip(table_slice(t)) : table_slice(t);
    enum status rc = STATUS_OK;

    for (int v = VALUE_WIN; v >= VALUE_LOSS && !rc; v -= VALUE_WIN - VALUE_LOSS) {
        const struct table_record *r = &counts->longest[v];
        struct survey_longest row = {s, table_kind(t), (enum value)v, r->plies, board_start};
        struct view view;

        if (r->plies < 0)
            continue;
        layout_view(table_layout(t, mirror), r->index, &view);
        row.board = view_board(&view, BLACK);
        rc = visit(context, &row);
    }
    return rc;
}

enum status survey_longest(struct catalog *c, struct slice s, enum kind kind, bool quiet,
                           survey_longest_visit *visit, void *context, struct error *e)
{
    const struct table *t;
    enum status rc;

    if ((rc = catalog_table(c, slice_canonical(s), kind, &t, e)))
        return rc;
    rc = mirror_longest(t, 0, quiet, visit, context);
    if (!rc && !slice_symmetric(s))
        rc = mirror_longest(t, 1, quiet, visit, context);
    return rc;
}
