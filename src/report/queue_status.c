/* SPDX-License-Identifier: MIT */
#include "report/queue_status.h"
#include "report/term.h"

#include <inttypes.h>

static double rate(uint64_t searches, uint64_t microseconds)
{
    return microseconds ? (double)searches / ((double)microseconds / 1e6) : 0;
}

static int threads_of(const struct queue_status *s)
{
    int threads = 0;

    for (size_t i = 0; i < s->workers; i++)
        threads += s->worker[i].threads;
    return threads;
}

void queue_status_json(struct json *j, const struct queue_status *s, bool places)
{
    json_object(j, NULL);
    json_bool(j, "running", s->manager);
    json_text(j, "manager", s->manager && places ? s->notice.place : NULL);
    json_uint(j, "given", s->notice.given);
    json_uint(j, "results", s->notice.results);
    json_real(j, "searches_per_second", (double)s->notice.milli_per_second / 1000);
    json_uint(j, "redelivered", s->notice.again);
    json_uint(j, "dropped", s->notice.dropped);
    json_uint(j, "audits", s->notice.audits);
    json_uint(j, "waiting", s->pending);
    json_uint(j, "under_way", s->under_way);
    json_int(j, "threads", threads_of(s));
    json_array(j, "workers");
    for (size_t i = 0; i < s->workers; i++) {
        json_object(j, NULL);
        json_text(j, "place", places ? s->worker[i].place : NULL);
        json_int(j, "threads", s->worker[i].threads);
        json_uint(j, "searches", s->worker[i].searches);
        json_real(j, "searches_per_second", rate(s->worker[i].searches, s->worker[i].microseconds));
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void queue_status_print(FILE *out, const struct queue_status *s, bool json)
{
    struct json j = json_open(out);
    char a[FORMAT_MAX], b[FORMAT_MAX];

    if (json) {
        queue_status_json(&j, s, true);
        return;
    }
    if (s->manager)
        fprintf(out, "manager: %s, kelso %s\n", s->notice.place, s->notice.program);
    else
        fprintf(out, "there is no manager\n");
    fprintf(out, "%s tasks given, %s results, %.1f per second\n", format_count(s->notice.given, a),
            format_count(s->notice.results, b), (double)s->notice.milli_per_second / 1000);
    fprintf(out, "%s redelivered, %s dropped\n", format_count(s->notice.again, a),
            format_count(s->notice.dropped, b));
    fprintf(out, "%s waiting, %s in progress\n", format_count(s->pending, a),
            format_count(s->under_way, b));
    fprintf(out, "%zu workers, %d threads\n", s->workers, threads_of(s));
    for (size_t i = 0; i < s->workers; i++)
        fprintf(out, "  %-40s %3d threads  %8" PRIu64 " searches  %7.2f per second\n",
                s->worker[i].place, s->worker[i].threads, s->worker[i].searches,
                rate(s->worker[i].searches, s->worker[i].microseconds));
}
