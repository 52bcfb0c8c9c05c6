/* SPDX-License-Identifier: MIT */
#include "kit/serve_kit.h"
#include "kit/run.h"
#include "kit/built.h"

#include <unistd.h>

int kit_open(void **state, int pieces)
{
    struct kit *k = calloc(1, sizeof *k);

    k->tables = build_tables(pieces);
    k->logs = scratch_create();
    k->server = server_start(k->tables.path, &k->logs, NULL);
    *state = k;
    return 0;
}

int kit_close(void **state)
{
    struct kit *k = *state;
    int status = server_stop(&k->server);

    scratch_remove(&k->tables);
    scratch_remove(&k->logs);
    free(k);
    return status;
}

void check_alive(const struct server *s)
{
    struct response r = get(s, "/healthz");

    assert_int_equal(r.status, 200);
    response_free(&r);
}

static void expect_by(const struct server *s, const char *method, const char *target, int status,
                      const char *part)
{
    struct response r = request(s, method, target, NULL, strcmp(method, "POST") ? NULL : "");

    if (r.status != status || !strstr(r.body, part) || !json_is_valid(r.body))
        fail_msg("%s %s: %d %s, expected %d with '%s'", method, target, r.status, r.body, status,
                 part);
    response_free(&r);
}

void expect(const struct server *s, const char *target, int status, const char *part)
{
    expect_by(s, "GET", target, status, part);
}

void expect_post(const struct server *s, const char *target, int status, const char *part)
{
    expect_by(s, "POST", target, status, part);
}

void job_wait(const struct server *s, const char *target, const char *state)
{
    char wanted[64];

    snprintf(wanted, sizeof wanted, "\"state\":\"%s\"", state);
    for (int i = 0; i < 2000; i++) {
        struct response r = get(s, target);
        bool over = !strstr(r.body, "\"state\":\"waiting\"") && !strstr(r.body, "\"running\"");

        if (over && !strstr(r.body, wanted))
            fail_msg("%s", r.body);
        response_free(&r);
        if (over)
            return;
        usleep(20000);
    }
    fail_msg("%s does not end", target);
}

void job_wait_running(const struct server *s, const char *target)
{
    bool runs = false;

    for (int i = 0; i < 2000 && !runs; i++) {
        struct response r = get(s, target);

        runs = strstr(r.body, "\"state\":\"running\"") != NULL;
        if (!runs && !strstr(r.body, "\"state\":\"waiting\""))
            fail_msg("%s: %s", target, r.body);
        response_free(&r);
        if (!runs)
            usleep(20000);
    }
    if (!runs)
        fail_msg("%s does not begin", target);
}
