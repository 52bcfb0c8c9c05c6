/* SPDX-License-Identifier: MIT */
#include "report/proof_curve.h"
#include "proof/curve.h"
#include "report/json.h"
#include "report/term.h"

struct printer {
    FILE *out;
    int points;
};

static void point_json(void *context, const struct curve_point *p)
{
    struct printer *to = context;
    struct json j = json_open(to->out);

    to->points++;
    json_object(&j, NULL);
    json_uint(&j, "searches", p->searches);
    json_real(&j, "search_time", p->seconds);
    json_int(&j, "threshold", p->threshold);
    json_uint(&j, "positions", p->positions);
    json_uint(&j, "proven", p->proven);
    json_uint(&j, "bounded", p->bounded);
    json_uint(&j, "likely", p->likely);
    json_uint(&j, "open", p->open);
    json_uint(&j, "unsearched", p->unsearched);
    json_bool(&j, "finished", p->finished);
    json_end(&j);
}

static void column(FILE *out, int width, uint64_t n)
{
    char text[FORMAT_MAX];

    fprintf(out, "  %*s", width, format_count(n, text));
}

static void point_text(void *context, const struct curve_point *p)
{
    struct printer *to = context;
    char time[FORMAT_MAX];

    if (to->points++ == 0)
        fprintf(to->out, "%11s  %12s  %9s  %11s  %11s  %9s  %11s  %11s  %12s\n", "searches",
                "of search", "threshold", "positions", "proven", "one bound", "likely", "open",
                "not searched");
    fprintf(to->out, "%11s", format_count(p->searches, time));
    fprintf(to->out, "  %12s  %9d", format_duration(p->seconds, time), p->threshold);
    column(to->out, 11, p->positions);
    column(to->out, 11, p->proven);
    column(to->out, 9, p->bounded);
    column(to->out, 11, p->likely);
    column(to->out, 11, p->open);
    column(to->out, 12, p->unsearched);
    fputc('\n', to->out);
}

enum status proof_curve_print(FILE *out, struct store *store, bool json, struct error *e)
{
    struct printer to = {.out = out};
    enum status rc = curve_each(store, json ? point_json : point_text, &to, e);

    if (!rc && !json && to.points == 0)
        fprintf(out, "no curve: nothing has been searched since stores keep one\n");
    return rc;
}
