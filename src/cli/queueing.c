/* SPDX-License-Identifier: MIT */
#include "cli/queueing.h"
#include "cli/command.h"

const struct option_spec queueing_options[] = {
    {"queue", OPTION_TEXT, offsetof(struct queue_access, url), "URL",
     "a NATS server with JetStream: nats://HOST:4222, or tls://HOST:4222"},
    {"token-file", OPTION_TEXT, offsetof(struct queue_access, token_file), "FILE",
     "the server's token is its first line ($KELSO_QUEUE_TOKEN)"},
    {"user-file", OPTION_TEXT, offsetof(struct queue_access, user_file), "FILE",
     "its first line is USER:PASSWORD ($KELSO_QUEUE_USER)"},
    {"tls-ca", OPTION_TEXT, offsetof(struct queue_access, tls_ca), "FILE",
     "certificates of authorities to trust (the system's)"},
    {"tls-cert", OPTION_TEXT, offsetof(struct queue_access, tls_cert), "FILE",
     "client certificate, if the server requires one"},
    {"tls-key", OPTION_TEXT, offsetof(struct queue_access, tls_key), "FILE", "and its key"},
    {0}};

void queueing_say(void *context, const char *line)
{
    (void)context;
    app_error("%s", line);
}
