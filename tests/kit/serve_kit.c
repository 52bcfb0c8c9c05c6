/* SPDX-License-Identifier: MIT */
#include "kit/serve_kit.h"
#include "kit/run.h"
#include "kit/built.h"

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

void expect(const struct server *s, const char *target, int status, const char *part)
{
    struct response r = get(s, target);

    if (r.status != status || !strstr(r.body, part) || !json_is_valid(r.body))
        fail_msg("%s: %d %s, expected %d with '%s'", target, r.status, r.body, status, part);
    response_free(&r);
}
