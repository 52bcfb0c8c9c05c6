/* SPDX-License-Identifier: MIT
 *
 * Any bytes as an HTTP request, from the head to the reply: (M1)-(M3) of message.h, (Q1) of
 * request.h, and the parameters of every kind that handlers ask for. */
#include "core/board.h"
#include "db/value.h"
#include "fuzz.h"
#include "serve/parameters.h"
#include "serve/request.h"

/* A handler that asks for everything. */
static void ask_all(void *context, const struct http_request *r, struct http_reply *reply)
{
    bool flag = false, given, kinds[KINDS];
    int number = 3, choice = 0;
    struct slice slice;
    double seconds = 1;
    struct board b;

    (void)context;
    MUST(http_path(r)[0] == '/');
    if (parameter_board(r, reply, &b) && parameter_int(r, reply, "pieces", 2, 8, &number) &&
        parameter_seconds(r, reply, "time", 30, &seconds) &&
        parameter_choice(r, reply, "kind", "dtw|dtc|wld", &choice) &&
        parameter_flag(r, reply, "ties", &flag) && parameter_slice(r, reply, &slice, &given) &&
        parameter_kinds(r, reply, kinds)) {
        MUST(board_valid(&b) && number >= 2 && number <= 8 && choice >= 0 && choice < 3);
        MUST(seconds > 0 && seconds <= 30);
        fprintf(reply->out, "{}\n");
    } else {
        MUST(reply->status == 400);
    }
}

static const struct http_route routes[] = {{"/api/v1/position", {ask_all, ask_all}, .body_max = 64},
                                           {"/api/v1/build", {NULL, ask_all}, .owner = true},
                                           {"/", {ask_all}},
                                           {0}};

/* A body in chunks is no longer than its bytes. */
static void must_decode(const char *bytes, size_t length)
{
    struct chunks c = {0};
    char *out = malloc(length + 1);
    size_t used, made;

    MUST(out);
    chunks_take(&c, bytes, length, &used, out, &made);
    MUST(used <= length && made <= used);
    free(out);
}

static void must_be_reply(struct http_request *r)
{
    char head[REPLY_HEAD_MAX];
    const void *body;
    size_t length, n;

    request_settle(r, &body, &length);
    n = request_head(r, FRAMED_BY_LENGTH, length, true, head);
    MUST(n > 20 && n < sizeof head && memcmp(head + n - 4, "\r\n\r\n", 4) == 0);
    MUST(length == 0 || body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct http_request r; /* large; one thread */
    struct http_config config = {.routes = routes, .guard = {.token = "0123456789abcdef"}};
    char *head = malloc(size + 1); /* of its own, so that each byte beyond it is noticed */
    size_t seen = 0, again = 0;
    long n;
    int status;

    MUST(head);
    memcpy(head, data, size);
    n = message_head(head, size, &seen);
    for (size_t part = 0; part <= size && n >= 0; part += 7) /* however it comes */
        MUST(message_head(head, part, &again) == 0 || n > 0);
    must_decode(head, size);
    config.guard.address.ss_family = AF_INET;
    if (n > 0 && request_open(&r, &config, 0)) {
        status = message_read(&r.message, head, (size_t)n);
        MUST(!status || (status >= 400 && r.message.why[0]));
        if (status)
            request_refuse(&r, status, r.message.why);
        else
            request_examine(&r);
        if (!r.refused)
            request_take(&r, head, size < 100 ? size : 100);
        if (!r.refused)
            request_answer(&r);
        must_be_reply(&r);
        request_close(&r);
    }
    free(head);
    return 0;
}
