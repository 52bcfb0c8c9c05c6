/* SPDX-License-Identifier: MIT */
#include "proof/nats/link.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { CONNECT_MS = 5000, RETRY_MS = 250, SECRET_MAX = 512, SIZE_MAX_MESSAGE = 1 << 20 };

static const int64_t second = 1000000000; /* in the library's nanoseconds */

/* ---------------------------------------------------------------------- saying -- */

void link_say(struct queue_link *l, const char *format, ...)
{
    char line[WIRE_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&l->saying);
    if (l->access->say && strcmp(line, l->said) != 0) {
        strcpy(l->said, line);
        l->access->say(l->access->context, line);
    }
    pthread_mutex_unlock(&l->saying);
}

enum status link_error(const struct queue_link *l, natsStatus s, const char *what, struct error *e)
{
    const char *detail = nats_GetLastError(NULL);

    if (s == NATS_NO_SERVER || s == NATS_TIMEOUT)
        return error_set(e, STATUS_IO,
                         "%s: no server answers; start one with 'nats-server -js -sd DIR' (%s: %s)",
                         l->access->url, what, natsStatus_GetText(s));
    if (s == NATS_CONNECTION_AUTH_FAILED || s == NATS_NOT_PERMITTED)
        return error_set(e, STATUS_IO,
                         "%s: the server refuses access; give --token-file or --user-file as its "
                         "configuration requires",
                         l->access->url);
    if (s == NATS_SECURE_CONNECTION_REQUIRED || s == NATS_SECURE_CONNECTION_WANTED ||
        s == NATS_SSL_ERROR)
        return error_set(
            e, STATUS_IO,
            "%s: TLS: %s; if the server has TLS, use tls:// in the address and name its authority "
            "with --tls-ca",
            l->access->url, detail ? detail : natsStatus_GetText(s));
    return error_set(e, STATUS_IO, "%s: %s: %s%s%s", l->access->url, what, natsStatus_GetText(s),
                     detail && *detail ? ": " : "", detail && *detail ? detail : "");
}

/* ------------------------------------------------------------------- connecting -- */

/* The first line of a file, or of the environment. */
static enum status secret_read(const char *file, const char *variable, char out[SECRET_MAX],
                               struct error *e)
{
    const char *value = getenv(variable);
    FILE *f;

    out[0] = 0;
    if (!file) {
        if (value && strlen(value) >= SECRET_MAX)
            return error_set(e, STATUS_FORMAT, "%s: longer than %d bytes", variable,
                             SECRET_MAX - 1);
        strcpy(out, value ? value : "");
        return STATUS_OK;
    }
    if (!(f = fopen(file, "r")))
        return error_set(e, STATUS_IO, "%s: cannot be read", file);
    if (!fgets(out, SECRET_MAX, f))
        out[0] = 0;
    fclose(f);
    out[strcspn(out, "\r\n")] = 0;
    return out[0] ? STATUS_OK : error_set(e, STATUS_FORMAT, "%s: the first line is empty", file);
}

static enum status secrets_set(struct queue_link *l, struct error *e)
{
    char token[SECRET_MAX], user[SECRET_MAX], *colon;
    natsStatus s = NATS_OK;
    enum status rc;

    if ((rc = secret_read(l->access->token_file, "KELSO_QUEUE_TOKEN", token, e)) ||
        (rc = secret_read(l->access->user_file, "KELSO_QUEUE_USER", user, e)))
        return rc;
    if (token[0])
        s = natsOptions_SetToken(l->options, token);
    if (s == NATS_OK && user[0]) {
        if (!(colon = strchr(user, ':')))
            return error_set(e, STATUS_FORMAT, "%s: expected USER:PASSWORD",
                             l->access->user_file ? l->access->user_file : "KELSO_QUEUE_USER");
        *colon = 0;
        s = natsOptions_SetUserInfo(l->options, user, colon + 1);
    }
    return s == NATS_OK ? STATUS_OK : link_error(l, s, "name and password", e);
}

static enum status tls_set(struct queue_link *l, struct error *e)
{
    const struct queue_access *a = l->access;
    natsStatus s = NATS_OK;

    if (strncmp(a->url, "tls://", 6) == 0 || a->tls_ca || a->tls_cert)
        s = natsOptions_SetSecure(l->options, true);
    if (s == NATS_OK && a->tls_ca)
        s = natsOptions_LoadCATrustedCertificates(l->options, a->tls_ca);
    if (s == NATS_OK && a->tls_cert)
        s = natsOptions_LoadCertificatesChain(l->options, a->tls_cert,
                                              a->tls_key ? a->tls_key : a->tls_cert);
    return s == NATS_OK ? STATUS_OK : link_error(l, s, "TLS", e);
}

static void on_disconnected(natsConnection *c, void *link)
{
    (void)c;
    if (!atomic_load(&((struct queue_link *)link)->closing))
        link_say(link, "the connection to the queue is lost; trying again until it is back");
}

static void on_reconnected(natsConnection *c, void *link)
{
    (void)c;
    link_say(link, "the queue is back");
}

static void on_closed(natsConnection *c, void *link)
{
    (void)c;
    atomic_store(&((struct queue_link *)link)->closed, true);
}

/* The library would print what it finds wrong with a subscription. */
static void on_error(natsConnection *c, natsSubscription *s, natsStatus status, void *link)
{
    (void)c, (void)s, (void)status, (void)link;
}

static enum status connect_to(struct queue_link *l, struct error *e)
{
    natsStatus s = natsOptions_Create(&l->options);
    enum status rc;

    if (s == NATS_OK)
        s = natsOptions_SetURL(l->options, l->access->url);
    if (s != NATS_OK)
        return link_error(l, s, "the address", e);
    natsOptions_SetName(l->options, "kelso");
    natsOptions_SetTimeout(l->options, CONNECT_MS);
    natsOptions_SetMaxReconnect(l->options, -1);
    natsOptions_SetReconnectWait(l->options, RETRY_MS);
    natsOptions_SetPingInterval(l->options, 2000);
    natsOptions_SetMaxPingsOut(l->options, 3);
    natsOptions_SetDisconnectedCB(l->options, on_disconnected, l);
    natsOptions_SetReconnectedCB(l->options, on_reconnected, l);
    natsOptions_SetClosedCB(l->options, on_closed, l);
    natsOptions_SetErrorHandler(l->options, on_error, l);
    if ((rc = secrets_set(l, e)) || (rc = tls_set(l, e)))
        return rc;
    if ((s = natsConnection_Connect(&l->connection, l->options)) != NATS_OK)
        return link_error(l, s, "connecting", e);
    s = natsConnection_JetStream(&l->js, l->connection, NULL);
    return s == NATS_OK ? STATUS_OK : link_error(l, s, "JetStream", e);
}

/* ---------------------------------------------------------------------- streams -- */

static enum status stream_make(struct queue_link *l, const char *name, const char *subject,
                               bool queue, struct error *e)
{
    jsStreamConfig c;
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&info, l->js, name, NULL, &code);

    jsStreamInfo_Destroy(info);
    if (s == NATS_OK)
        return STATUS_OK;
    jsStreamConfig_Init(&c);
    c.Name = name;
    c.Subjects = &subject;
    c.SubjectsLen = 1;
    c.Storage = queue ? js_FileStorage : js_MemoryStorage;
    c.MaxMsgSize = SIZE_MAX_MESSAGE;
    if (queue) {
        c.Retention = js_WorkQueuePolicy;
    } else {
        c.MaxMsgsPerSubject = 1;
        c.MaxAge = STATE_SECONDS * second;
    }
    s = js_AddStream(NULL, l->js, &c, NULL, &code);
    if (s == NATS_OK || code == JSStreamNameExistErr)
        return STATUS_OK;
    if (code == JSNotEnabledErr || s == NATS_NO_RESPONDERS)
        return error_set(e, STATUS_IO,
                         "%s: the server has no JetStream; start it with 'nats-server -js -sd DIR'",
                         l->access->url);
    return link_error(l, s, name, e);
}

enum status link_streams(struct queue_link *l, struct error *e)
{
    enum status rc;

    if ((rc = stream_make(l, "KELSO_TASK", "kelso.task", true, e)) ||
        (rc = stream_make(l, "KELSO_RESULT", "kelso.result", true, e)))
        return rc;
    return stream_make(l, "KELSO_STATE", "kelso.state.>", false, e);
}

/* --------------------------------------------------------------- open and close -- */

enum status link_open(struct queue_link *l, const struct queue_access *a, const atomic_bool *stop,
                      struct error *e)
{
    char host[40] = "?";
    enum status rc;

    *l = (struct queue_link){.access = a, .stop = stop};
    pthread_mutex_init(&l->saying, NULL);
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    snprintf(l->place, sizeof l->place, "%s, process %d", host, (int)getpid());
    while (l->self == 0)
        if (getrandom(&l->self, sizeof l->self, 0) != sizeof l->self)
            return error_set(e, STATUS_IO, "no random numbers");
    if ((rc = connect_to(l, e)) || (rc = link_streams(l, e)))
        link_close(l);
    return rc;
}

void link_close(struct queue_link *l)
{
    atomic_store(&l->closing, true);
    if (l->connection) { /* (J2): the last call of the library's is on_closed */
        natsConnection_Close(l->connection);
        while (!atomic_load(&l->closed))
            nats_Sleep(5);
    }
    jsCtx_Destroy(l->js);
    natsConnection_Destroy(l->connection);
    natsOptions_Destroy(l->options);
    l->js = NULL;
    l->connection = NULL;
    l->options = NULL;
}

/* -------------------------------------------------------------------- messages -- */

enum status link_publish(struct queue_link *l, const char *subject, const char *id,
                         const void *bytes, size_t n, struct error *e)
{
    jsPubOptions o;
    jsErrCode code = 0;
    natsStatus s;

    jsPubOptions_Init(&o);
    o.MsgId = id;
    o.MaxWait = 2000;
    while ((s = js_Publish(NULL, l->js, subject, bytes, (int)n, &o, &code)) != NATS_OK) {
        struct error ignored;

        if (l->stop && atomic_load(l->stop))
            return error_set(e, STATUS_INTERRUPTED, "stopped");
        if (code)
            link_say(l, "the queue refuses a message (%s); trying again", nats_GetLastError(NULL));
        if (s == NATS_NO_RESPONDERS) /* the server has lost its streams */
            link_streams(l, &ignored);
        nats_Sleep(RETRY_MS);
    }
    return STATUS_OK;
}

bool link_notice(struct queue_link *l, struct wire_notice *out, uint64_t *sequence)
{
    natsMsg *m = NULL;
    bool found = false;

    if (js_GetLastMsg(&m, l->js, "KELSO_STATE", "kelso.state.manager", NULL, NULL) == NATS_OK) {
        struct error e = {0};

        found = wire_get_notice(out, natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &e) ==
                STATUS_OK;
        if (!found)
            link_say(l, "the manager sends %s", e.text);
        *sequence = natsMsg_GetSequence(m);
    }
    natsMsg_Destroy(m);
    return found && !out->leaving;
}
