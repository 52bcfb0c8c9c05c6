/* SPDX-License-Identifier: MIT */
#include "report/proof_status.h"
#include "core/notation.h"
#include "proof/roots.h"
#include "proof/store_stats.h"
#include "report/json.h"
#include "report/term.h"
#include "report/outcomes.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------- JSON -- */

static void root_json(void *context, const struct board *b, const struct store_record *r)
{
    struct bounds bounds = r ? r->bounds : bounds_unknown;
    struct json *j = context;
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    json_object(j, NULL);
    json_text(j, "fen", fen);
    json_text(j, "value", bounds_closed(bounds) ? value_name(bounds.lower) : NULL);
    json_text(j, "lower", value_name(bounds.lower));
    json_text(j, "upper", value_name(bounds.upper));
    json_end(j);
}

static enum status status_json(FILE *out, const struct store_stats *s, struct store *store,
                               const char *contradiction, struct error *e)
{
    struct json j = json_open(out);
    double left = store_stats_left(s);
    enum status rc;

    json_object(&j, NULL);
    json_bool(&j, "finished", s->finished);
    json_array(&j, "roots");
    rc = roots_each(store, root_json, &j, e);
    json_end(&j);
    json_int(&j, "threshold", s->threshold);
    json_uint(&j, "positions", s->records);
    json_uint(&j, "proven", s->proven);
    json_uint(&j, "bounded", s->bounded);
    json_uint(&j, "expanded", s->expanded);
    json_uint(&j, "likely", s->likely);
    json_uint(&j, "open", s->open);
    json_uint(&j, "unsearched", s->unsearched);
    json_uint(&j, "tree", s->tree);
    json_object(&j, "claims");
    json_uint(&j, "questions", s->kept);
    json_uint(&j, "claims", s->kept_claims);
    json_uint(&j, "bytes", s->kept_bytes);
    json_uint(&j, "too_large", s->large);
    json_uint(&j, "lost", s->lost);
    json_end(&j);
    json_uint(&j, "searches", s->searches);
    json_uint(&j, "nodes", s->nodes);
    json_real(&j, "search_time", s->seconds);
    json_real(&j, "searches_per_second", s->seconds > 0 ? (double)s->searches / s->seconds : 0);
    if (left < 0)
        json_null(&j, "left");
    else
        json_real(&j, "left", left);
    json_text(&j, "contradiction", contradiction);
    json_end(&j);
    return rc;
}

/* ------------------------------------------------------------------------- text -- */

static void root_text(void *context, const struct board *b, const struct store_record *r)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    fprintf(context, "%s\n  %s%s\n", fen, r && bounds_closed(r->bounds) ? "proven: " : "",
            r ? bounds_name(r->bounds) : "not searched yet");
}

/* What `kelso proof export` can use. */
static void claims_text(FILE *out, const struct store_stats *s)
{
    char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];

    fprintf(out, "claims: %s for the answers to %s %s, %s bytes", format_count(s->kept_claims, a),
            format_count(s->kept, b), plural(s->kept, "question", "questions"),
            format_count(s->kept_bytes, c));
    if (s->large + s->lost)
        fprintf(out, "; not kept for %s (%s too large, %s lost by the search)",
                format_count(s->large + s->lost, a), format_count(s->large, b),
                format_count(s->lost, c));
    fputc('\n', out);
}

static enum status status_text(FILE *out, const struct store_stats *s, struct store *store,
                               const char *contradiction, struct error *e)
{
    char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[FORMAT_MAX];
    enum status rc = roots_each(store, root_text, out, e);

    fprintf(out, "threshold %d\n", s->threshold);
    fprintf(out, "store: %s %s, %s proven, %s with one bound, %s with successors in the tree\n",
            format_count(s->records, a), plural(s->records, "position", "positions"),
            format_count(s->proven, b), format_count(s->bounded, c), format_count(s->expanded, d));
    fprintf(out, "with all successors: %s positions\n", format_count(s->tree, a));
    if (s->finished)
        fprintf(out, "finished: %s leaves without a value are not needed\n",
                format_count(s->likely + s->open + s->unsearched, a));
    else
        fprintf(
            out, "leaves not proven: %s likely at this threshold, %s open, %s not searched yet\n",
            format_count(s->likely, a), format_count(s->open, b), format_count(s->unsearched, c));
    claims_text(out, s);
    fprintf(out, "searches: %s, %s positions expanded, %s of search, %s per search\n",
            format_count(s->searches, a), format_short((double)s->nodes, b),
            format_duration(s->seconds, c),
            format_duration(s->searches ? s->seconds / (double)s->searches : 0, d));
    if (!s->finished && store_stats_left(s) >= 0)
        fprintf(
            out,
            "left, if each of these leaves takes as long as a proven position did: %s of search\n",
            format_duration(store_stats_left(s), a));
    if (contradiction)
        fprintf(out, "CONTRADICTION: %s\n", contradiction);
    return rc;
}

static void damage_text(void *context, const char *what)
{
    fprintf(context, "DAMAGED: %s\n", what);
}

static void damage_silent(void *context, const char *what)
{
    (void)context;
    (void)what;
}

enum status proof_status_print(FILE *out, struct store *store, const struct tables *tables,
                               bool json, struct error *e)
{
    struct store_stats s;
    struct error why = {0};
    char *contradiction = NULL;
    enum status rc = store_check(store, json ? damage_silent : damage_text, out, e);

    if (rc)
        return rc;
    rc = store_get_text(store, "contradiction", &contradiction, &why);
    if (rc && rc != STATUS_MISSING)
        return error_pass(e, &why);
    if (!(rc = store_stats_read(store, tables, NULL, &s, e)))
        rc = (json ? status_json : status_text)(out, &s, store, contradiction, e);
    free(contradiction);
    return rc;
}
