/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the query of a request: each parameter is in its range, or the reply is a 400.
 * Bytes that may not stand in a target are written as %XX, so that they reach the parameters. */
#include "fuzz.h"

#include "db/value.h"
#include "serve/parameters.h"
#include "serve/request.h"

enum { QUERY_MAX = 512 };

static void ask(void *context, const struct http_request *r, struct http_reply *reply)
{
    bool flag = false, given = false, kinds[KINDS];
    int number = 3, choice = 1;
    struct slice slice = {1, 0, 1, 0};
    double seconds = 1;
    struct board b;

    (void)context;
    if (parameter_int(r, reply, "pieces", 2, 8, &number))
        MUST(number >= 2 && number <= 8);
    if (reply->status == 200 && parameter_seconds(r, reply, "time", 30, &seconds))
        MUST(seconds > 0 && seconds <= 30);
    if (reply->status == 200 && parameter_choice(r, reply, "kind", "dtw|dtc|wld", &choice))
        MUST(choice >= 0 && choice < 3);
    if (reply->status == 200)
        parameter_flag(r, reply, "ties", &flag);
    if (reply->status == 200 && parameter_slice(r, reply, &slice, &given) && given)
        MUST(slice_pieces(slice) >= 2 && slice_pieces(slice) <= PIECES_MAX);
    if (reply->status == 200)
        parameter_kinds(r, reply, kinds);
    if (reply->status == 200 && parameter_board(r, reply, &b))
        MUST(board_valid(&b));
    MUST(reply->status == 200 || reply->status == 400);
    if (reply->status == 200)
        fprintf(reply->out, "{}\n");
}

static const struct http_route routes[] = {{"/q", {ask, ask}, .body_max = 64}, {0}};

static size_t write_request(const uint8_t *data, size_t size, char *out)
{
    char *p = out + sprintf(out, "GET /q?");

    for (size_t i = 0; i < size; i++)
        p += data[i] > ' ' && data[i] < 127 && data[i] != '#' ? sprintf(p, "%c", data[i])
                                                              : sprintf(p, "%%%02X", data[i]);
    p += sprintf(p, " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    return (size_t)(p - out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct http_request r; /* large; one thread */
    struct http_config config = {.routes = routes};
    char head[3 * QUERY_MAX + 64];
    const void *body;
    size_t length, n;

    if (size > QUERY_MAX)
        return 0;
    config.guard.address.ss_family = AF_INET;
    n = write_request(data, size, head);
    MUST(request_open(&r, &config, 0));
    if (message_read(&r.message, head, n))
        request_refuse(&r, 400, r.message.why);
    else
        request_examine(&r);
    if (!r.refused)
        request_answer(&r);
    request_settle(&r, &body, &length);
    MUST(length == 0 || body);
    request_close(&r);
    return 0;
}
