/* SPDX-License-Identifier: MIT */
#include "report/proof_status.h"
#include "report/outcomes.h"
#include "cli/command.h"
#include "report/json.h"
#include "base/parse.h"
#include "report/term.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/key_map.h"
#include "proof/manager.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- counting -- */

struct census {
    uint64_t records, proven, half, expanded, open, likely, unsearched, searches, nodes;
    double seconds;
    int threshold;
    struct tables *tables; /* NULL: none */
    struct key_map met;    /* positions with a record, and those that were counted without */
    bool no_memory;
};

/* Has it been met before?  From now on it has. */
static bool census_met(struct census *c, const struct board *b)
{
    struct pn_key key = pn_key_of(b, BLACK);

    if (key_map_get(&c->met, &key) != KEY_MAP_NONE)
        return true;
    if (!key_map_put(&c->met, &key, 0))
        c->no_memory = true;
    return false;
}

static void census_count(void *context, const struct board *b, const struct store_record *r)
{
    struct census *c = context;
    bool closed = bounds_closed(r->bounds);

    census_met(c, b);
    c->records++;
    c->proven += closed;
    c->half += !closed && bounds_known(r->bounds);
    c->expanded += r->expanded;
    if (!closed && !r->expanded) {
        bool likely = r->score >= c->threshold || r->score <= -c->threshold;

        c->likely += likely;
        c->open += !likely;
    }
    c->searches += r->searches;
    c->nodes += r->nodes;
    c->seconds += (double)r->microseconds / 1e6;
}

/* Successors in the tree that have no record: nobody has looked at them. */
static void census_successors(void *context, const struct board *b, const struct store_record *r)
{
    struct census *c = context;
    struct move_list list;

    if (!r->expanded || bounds_closed(r->bounds))
        return;
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);

        if (!(c->tables && tables_knows(c->tables, &next)) && !census_met(c, &next))
            c->unsearched++;
    }
}

static int census_take(struct census *c, struct store *store)
{
    struct error e;

    if (store_each(store, census_count, c, &e) || store_each(store, census_successors, c, &e))
        return app_error("%s", e.text);
    return c->no_memory ? app_error("not enough memory to count positions") : EXIT_DONE;
}

/* Seconds of search that may be left, if each leaf that is not proven takes what a proven
 * position took; -1 as long as nothing is proven. */
static double census_left(const struct census *c)
{
    uint64_t leaves = c->likely + c->open + c->unsearched;

    return c->proven ? c->seconds / (double)c->proven * (double)leaves : -1;
}

/* -------------------------------------------------------------------- printing -- */

/* Call `show` for each of the positions that the store was asked about, with its record; NULL
 * if there is none. */
static int roots_each(struct store *store, char *roots, void *context,
                      void (*show)(void *context, const char *fen, const struct store_record *r))
{
    char *save = NULL;

    for (char *fen = roots ? strtok_r(roots, "\n", &save) : NULL; fen;
         fen = strtok_r(NULL, "\n", &save)) {
        struct store_record r = {.bounds = bounds_unknown};
        struct text_error where;
        struct error e;
        struct board b;
        enum status rc;

        if (!fen_parse(fen, strlen(fen), &b, &where))
            continue;
        rc = store_get(store, &b, &r, &e);
        if (rc && rc != STATUS_MISSING)
            return app_error("%s", e.text);
        show(context, fen, rc ? NULL : &r);
    }
    return EXIT_DONE;
}

static void root_json(void *context, const char *fen, const struct store_record *r)
{
    struct bounds b = r ? r->bounds : bounds_unknown;
    struct json *j = context;

    json_object(j, NULL);
    json_text(j, "fen", fen);
    json_text(j, "value", bounds_closed(b) ? value_name(b.lower) : NULL);
    json_text(j, "lower", value_name(b.lower));
    json_text(j, "upper", value_name(b.upper));
    json_end(j);
}

static void root_text(void *context, const char *fen, const struct store_record *r)
{
    (void)context;
    printf("%s\n  %s\n", fen, r ? bounds_name(r->bounds) : "not searched yet");
}

static int status_json(const struct census *c, struct store *store, char *roots, const char *wrong)
{
    struct json j = json_open(stdout);
    double left = census_left(c);
    int status;

    json_object(&j, NULL);
    json_array(&j, "roots");
    status = roots_each(store, roots, &j, root_json);
    json_end(&j);
    json_int(&j, "threshold", c->threshold);
    json_uint(&j, "positions", c->records);
    json_uint(&j, "proven", c->proven);
    json_uint(&j, "bounded", c->half);
    json_uint(&j, "expanded", c->expanded);
    json_uint(&j, "likely", c->likely);
    json_uint(&j, "open", c->open);
    json_uint(&j, "unsearched", c->unsearched);
    json_uint(&j, "searches", c->searches);
    json_uint(&j, "nodes", c->nodes);
    json_real(&j, "search_time", c->seconds);
    json_real(&j, "searches_per_second", c->seconds > 0 ? (double)c->searches / c->seconds : 0);
    if (left < 0)
        json_null(&j, "left");
    else
        json_real(&j, "left", left);
    json_text(&j, "contradiction", wrong);
    json_end(&j);
    return status;
}

static int status_text(const struct census *c, struct store *store, char *roots, const char *wrong)
{
    char a[FORMAT_MAX], b[FORMAT_MAX], d[FORMAT_MAX], rate[FORMAT_MAX];
    int status = roots_each(store, roots, NULL, root_text);

    printf("threshold %d\n", c->threshold);
    printf("tree: %s %s, %s proven, %s with one bound", format_count(c->records, a),
           plural(c->records, "position", "positions"), format_count(c->proven, b),
           format_count(c->half, d));
    printf(", %s with successors in it\n", format_count(c->expanded, a));
    printf(
        "leaves that are not proven: %s likely at this threshold, %s open, %s not searched yet\n",
        format_count(c->likely, a), format_count(c->open, b), format_count(c->unsearched, d));
    printf("searches: %s, %s positions expanded, %s of search, %s a search\n",
           format_count(c->searches, a), format_short((double)c->nodes, b),
           format_duration(c->seconds, d),
           format_duration(c->searches ? c->seconds / (double)c->searches : 0, rate));
    if (census_left(c) >= 0)
        printf("left, if each of these leaves takes what a proven position took: %s of search\n",
               format_duration(census_left(c), a));
    if (wrong)
        printf("CONTRADICTION: %s\n", wrong);
    return status;
}

/* ------------------------------------------------------------------------- run -- */

int proof_status(const char *dir_of_store, const char *dir, bool json)
{
    struct census c = {0};
    struct store *store;
    struct error e;
    char *threshold = NULL, *roots = NULL, *wrong = NULL;
    int status;

    if (store_open(&store, dir_of_store, false, &e))
        return app_error("%s", e.text);
    store_get_text(store, "threshold", &threshold, &e);
    store_get_text(store, "roots", &roots, &e);
    store_get_text(store, "contradiction", &wrong, &e);
    if (threshold)
        parse_int(threshold, 0, MANAGER_WIN, &c.threshold);
    tables_open(&c.tables, &(struct tables_options){.dir = dir}, NULL); /* NULL if there are none */
    status = census_take(&c, store);
    if (!status)
        status = (json ? status_json : status_text)(&c, store, roots, wrong);
    tables_close(&c.tables);
    key_map_free(&c.met);
    free(threshold);
    free(roots);
    free(wrong);
    store_close(&store);
    return status;
}
