/* SPDX-License-Identifier: MIT
 *
 * What can go wrong with a queue besides kills: names and passwords, TLS, a worker that hangs, a
 * server without room or without its disk; and whether what was acknowledged is in the store. */
#include "nats/lab.h"

#include "base/clock.h"

/* ------------------------------------------------------------------------ access -- */

static void test_user_and_password(void **state)
{
    struct lab *l = *state;
    char config[SCRATCH_MAX], file[SCRATCH_MAX];
    static const char users[] = "authorization { users = [ { user: ada, password: lovelace } ] }\n";

    if (!l)
        skip();
    scratch_file(&l->dir, "users.conf", config);
    file_write(config, users, sizeof users - 1);
    queue_start(l, "-c", config);
    scratch_file(&l->dir, "user", file);
    file_write(file, "ada:byron\n", 10);
    run_expect(ARGS("proof", "status", "--queue", l->url, "--user-file", file), 2, "",
               "refuses access");
    file_write(file, "ada\n", 4);
    run_expect(ARGS("proof", "status", "--queue", l->url, "--user-file", file), 2, "",
               "expected USER:PASSWORD");
    file_write(file, "ada:lovelace\n", 13);
    run_expect(ARGS("proof", "status", "--queue", l->url, "--user-file", file), 0,
               "there is no manager", "");
    finish(&l->server, SIGKILL);
}

static void test_tls(void **state)
{
    struct lab *l = *state;
    char command[4 * SCRATCH_MAX], config[SCRATCH_MAX], key[SCRATCH_MAX], cert[SCRATCH_MAX];
    char text[3 * SCRATCH_MAX], url[64];

    if (!l || system("command -v openssl >/dev/null") != 0)
        skip();
    scratch_file(&l->dir, "key.pem", key);
    scratch_file(&l->dir, "cert.pem", cert);
    scratch_file(&l->dir, "tls.conf", config);
    snprintf(command, sizeof command,
             "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext "
             "subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout %s -out %s 2>/dev/null",
             key, cert);
    assert_int_equal(system(command), 0);
    snprintf(text, sizeof text, "tls { cert_file: \"%s\", key_file: \"%s\" }\n", cert, key);
    file_write(config, text, strlen(text));
    queue_start(l, "-c", config);
    snprintf(url, sizeof url, "tls://localhost:%s", l->port);
    run_expect(ARGS("proof", "status", "--queue", url, "--tls-ca", cert), 0, "there is no manager",
               "");
    run_expect(ARGS("proof", "status", "--queue", url), 2, "", "TLS"); /* nobody vouches for it */
    run_expect(ARGS("proof", "status", "--queue", l->url), 2, "", "TLS");
    finish(&l->server, SIGKILL);
}

/* ----------------------------------------------------------------- a hung worker -- */

/* Tasks that the server gave a second time. */
static int64_t redelivered(struct queue_link *k)
{
    jsConsumerInfo *info = NULL;
    int64_t n = 0;

    if (js_GetConsumerInfo(&info, k->js, "KELSO_TASK", "workers", NULL, NULL) == NATS_OK)
        n = info->NumRedelivered;
    jsConsumerInfo_Destroy(info);
    return n;
}

/* Until the server gives a task again; *late is how late this machine was on the way: when it is
 * busy, a sleep of 20 ms takes longer. */
static void wait_redelivered(struct queue_link *k, double *late)
{
    double begin = clock_seconds(), now = begin;

    *late = 0;
    while (redelivered(k) == 0) {
        double before = now;

        assert_true(now - begin < 120);
        usleep(20000);
        now = clock_seconds();
        *late = now - before > *late ? now - before : *late;
    }
}

/* Do the two workers have a task each?  Of those that still run one has one at a time. */
static bool both_have_tasks(struct queue_link *k)
{
    int64_t most = 0;

    for (int i = 0; i < 30; i++) {
        jsConsumerInfo *info = NULL;

        if (js_GetConsumerInfo(&info, k->js, "KELSO_TASK", "workers", NULL, NULL) == NATS_OK)
            most = info->NumAckPending > most ? info->NumAckPending : most;
        jsConsumerInfo_Destroy(info);
        usleep(10000);
    }
    return most >= 2;
}

static void test_hung_worker(void **state)
{
    struct lab *l = *state;
    struct queue_access a;
    struct queue_link k;
    struct error e;
    double stopped, seconds, late;

    if (!l)
        skip();
    scratch_file(&l->dir, "hung", l->store);
    queue_start(l, NULL, NULL);
    a = (struct queue_access){.url = l->url};
    assert_int_equal(link_open(&k, &a, NULL, &e), STATUS_OK);
    l->manager = endless_start(l, NULL);
    for (int i = 0; i < 2; i++)
        l->worker[i] = worker_start(l);
    for (int n = 0; store_searches(l->store) < 4; n++) {
        assert_true(n < 1200);
        usleep(100000);
    }
    for (int tries = 0;; tries++) { /* until it is stopped with a task in hand */
        assert_true(tries < 50);
        kill(l->worker[0], SIGSTOP);
        stopped = clock_seconds();
        if (both_have_tasks(&k))
            break;
        kill(l->worker[0], SIGCONT);
        usleep(50000);
    }
    wait_redelivered(&k, &late);
    seconds = clock_seconds() - stopped;
    printf("# lease 2 s: redelivered after %.2f s (this machine was %.2f s late)\n", seconds, late);
    assert_true(seconds < 2 + 1 + 4 * late);
    kill(l->worker[0], SIGCONT);
    finish(&l->manager, SIGKILL);
    for (int i = 0; i < 2; i++)
        finish(&l->worker[i], SIGKILL);
    link_close(&k);
    finish(&l->server, SIGKILL);
}

/* --------------------------------------------------------------------- a full disk -- */

static void test_server_without_room(void **state)
{
    struct lab *l = *state;
    static const char small[] = "jetstream { max_file_store: 200 }\n";
    char config[SCRATCH_MAX], log[SCRATCH_MAX];
    int status;

    if (!l)
        skip();
    scratch_file(&l->dir, "full", l->store);
    scratch_file(&l->dir, "full.conf", config);
    scratch_file(&l->dir, "full.log", log);
    file_write(config, small, sizeof small - 1);
    queue_start(l, "-c", config);
    l->worker[0] = worker_start_logged(l, log);
    l->manager = endless_start(l, log);
    for (int n = 0; !lab_log_has(log, "the queue refuses a message"); n++) {
        assert_true(n < 600 && waitpid(l->manager, &status, WNOHANG) == 0);
        usleep(100000);
    }
    kill(l->manager, SIGINT); /* whoever finds no room says so; all can be stopped */
    assert_int_equal(waitpid(l->manager, &status, 0), l->manager);
    l->manager = 0;
    assert_int_equal(WEXITSTATUS(status), 130);
    finish(&l->worker[0], SIGKILL);
    finish(&l->server, SIGKILL);
}

/* ---------------------------------------------------------- a server without memory -- */

/* Streams, tasks and results are gone: the manager makes them anew, and workers go on. */
static void test_server_loses_its_disk(void **state)
{
    struct lab *l = *state;
    char command[2 * SCRATCH_MAX];

    if (!l)
        skip();
    scratch_file(&l->dir, "lost", l->store);
    queue_start(l, NULL, NULL);
    l->manager = endless_start(l, NULL);
    l->worker[0] = worker_start(l);
    wait_searches(l, 4);
    for (int i = 0; i < 2; i++) {
        finish(&l->server, SIGKILL);
        snprintf(command, sizeof command, "rm -rf %s", l->data);
        assert_int_equal(system(command), 0);
        queue_start(l, NULL, NULL);
        wait_searches(l, 8);
    }
    assert_int_equal(waitpid(l->worker[0], NULL, WNOHANG), 0); /* the same worker all along */
    finish(&l->manager, SIGKILL);
    finish(&l->worker[0], SIGKILL);
    finish(&l->server, SIGKILL);
}

/* ---------------------------------------------------------------- acknowledgements -- */

enum { ACKED_MAX = 4096 };

struct acked {
    uint64_t sequence;
    struct board board;
    bool known, acknowledged;
};

static struct acked *acked_at(struct acked *list, int *n, uint64_t sequence)
{
    int i = 0;

    while (i < *n && list[i].sequence != sequence)
        i++;
    assert_true(i < ACKED_MAX);
    if (i == *n)
        list[(*n)++] = (struct acked){.sequence = sequence};
    return &list[i];
}

/* "$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE. ..." */
static uint64_t ack_sequence(const char *subject)
{
    for (int dots = 0; dots < 5; dots++)
        subject = strchr(subject, '.') + 1;
    return strtoull(subject, NULL, 10);
}

/* The manager's next answer; false if none comes in time.  Those that drop a result do not count.
 */
static bool ack_take(natsSubscription *acks, int64_t ms, struct acked *list, int *n)
{
    natsMsg *m;

    if (natsSubscription_NextMsg(&m, acks, ms) != NATS_OK)
        return false;
    if (natsMsg_GetDataLength(m) == 4 && memcmp(natsMsg_GetData(m), "+ACK", 4) == 0)
        acked_at(list, n, ack_sequence(natsMsg_GetSubject(m)))->acknowledged = true;
    natsMsg_Destroy(m);
    return true;
}

/* Results as the stream took them. */
static void results_take(natsSubscription *results, struct acked *list, int *n)
{
    for (natsMsg *m; natsSubscription_NextMsg(&m, results, 500) == NATS_OK; natsMsg_Destroy(m)) {
        const char *sequence = NULL;
        struct acked *at;
        struct wire_result r;
        struct error e;

        assert_int_equal(natsMsgHeader_Get(m, "Nats-Sequence", &sequence), NATS_OK);
        if (wire_get_result(&r, natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &e))
            continue;
        at = acked_at(list, n, strtoull(sequence, NULL, 10));
        at->board = r.result.board;
        at->known = true;
    }
}

/* The stream of results, which also tells a bystander what it takes. */
static void results_watched(struct queue_link *k)
{
    const char *subject = "kelso.result";
    jsStreamConfig c;
    jsRePublish r;

    jsStreamConfig_Init(&c);
    jsRePublish_Init(&r);
    r.Source = "kelso.result";
    r.Destination = "watch.result";
    c.Name = "KELSO_RESULT";
    c.Subjects = &subject;
    c.SubjectsLen = 1;
    c.Retention = js_WorkQueuePolicy;
    c.RePublish = &r;
    js_DeleteStream(k->js, c.Name, NULL, NULL);
    assert_int_equal(js_AddStream(NULL, k->js, &c, NULL, NULL), NATS_OK);
}

static int store_lacks(const struct lab *l, const struct acked *list, int n, int *acknowledged)
{
    struct store *s;
    struct error e;
    int lacks = 0;

    assert_int_equal(store_open(&s, l->store, false, &e), STATUS_OK);
    for (int i = 0; i < n; i++) {
        struct store_record r = {0};

        if (!list[i].acknowledged)
            continue;
        assert_true(list[i].known);
        ++*acknowledged;
        lacks += store_get(s, &list[i].board, &r, &e) != STATUS_OK || r.searches == 0;
    }
    store_close(&s);
    return lacks;
}

/* The manager is killed the moment an acknowledgement comes: what it acknowledged is in the store.
 */
static void test_acknowledged_is_stored(void **state)
{
    static struct acked list[ACKED_MAX];
    struct rng r = rng_for_test("acknowledged");
    struct lab *l = *state;
    natsSubscription *results, *acks;
    struct queue_access a;
    struct queue_link k;
    struct error e;
    int acknowledged = 0, n = 0;

    if (!l)
        skip();
    scratch_file(&l->dir, "acks", l->store);
    queue_start(l, NULL, NULL);
    a = (struct queue_access){.url = l->url};
    assert_int_equal(link_open(&k, &a, NULL, &e), STATUS_OK);
    results_watched(&k);
    natsConnection_SubscribeSync(&results, k.connection, "watch.result");
    natsConnection_SubscribeSync(&acks, k.connection, "$JS.ACK.KELSO_RESULT.manager.>");
    for (int i = 0; i < 2; i++)
        l->worker[i] = worker_start(l);
    l->manager = endless_start(l, NULL);
    for (int more = 4 + rng_below(&r, 10); more > 0; more--)
        assert_true(ack_take(acks, 60000, list, &n));
    finish(&l->manager, SIGKILL);
    results_take(results, list, &n);
    while (ack_take(acks, 500, list, &n))
        ;
    assert_int_equal(store_lacks(l, list, n, &acknowledged), 0);
    printf("# %d acknowledged, %d searches in the store\n", acknowledged,
           (int)store_searches(l->store));
    assert_true(acknowledged > 0);
    natsSubscription_Destroy(results);
    natsSubscription_Destroy(acks);
    for (int i = 0; i < 2; i++)
        finish(&l->worker[i], SIGKILL);
    link_close(&k);
    finish(&l->server, SIGKILL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_user_and_password),     cmocka_unit_test(test_tls),
        cmocka_unit_test(test_hung_worker),           cmocka_unit_test(test_server_without_room),
        cmocka_unit_test(test_server_loses_its_disk), cmocka_unit_test(test_acknowledged_is_stored),
    };

    return cmocka_run_group_tests(tests, lab_open, lab_close);
}
