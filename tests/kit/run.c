/* SPDX-License-Identifier: MIT */
#include "kit/run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *read_back(FILE *f, size_t *length)
{
    long n;
    char *bytes;

    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    bytes = malloc((size_t)n + 1);
    assert_non_null(bytes);
    *length = fread(bytes, 1, (size_t)n, f);
    bytes[*length] = '\0';
    fclose(f);
    return bytes;
}

static void run_child(const char *const *args, int in, int out, int err)
{
    const char *binary = getenv("KELSO_BINARY");
    const char *argv[RUN_ARGS_MAX + 2] = {binary ? binary : "build/check/kelso"};

    for (int i = 0; i < RUN_ARGS_MAX && args[i]; i++)
        argv[i + 1] = args[i];
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(126);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static int exit_status(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct run run_kelso(const char *const *args, const void *input, size_t length)
{
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    struct run r;
    pid_t pid;

    assert_true(in && out && err);
    if (length > 0)
        assert_int_equal(fwrite(input, 1, length, in), length);
    rewind(in);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        run_child(args, fileno(in), fileno(out), fileno(err));
    r.status = exit_status(pid);
    fclose(in);
    r.out = read_back(out, &r.out_length);
    r.err = read_back(err, &r.err_length);
    return r;
}

/* What the terminal shows, until the other side closes it. */
static char *read_terminal(int master, size_t *length)
{
    char *bytes = malloc(1 << 16);
    ssize_t n;

    assert_non_null(bytes);
    *length = 0;
    while ((n = read(master, bytes + *length, (1 << 16) - 1 - *length)) > 0)
        *length += (size_t)n;
    bytes[*length] = '\0';
    return bytes;
}

struct run run_kelso_stopped(const char *const *args)
{
    FILE *out = tmpfile(), *err = tmpfile();
    int in = open("/dev/null", O_RDONLY);
    struct stat about = {0};
    siginfo_t ended = {0};
    struct run r;
    pid_t pid;

    assert_true(out && err && in >= 0);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        run_child(args, in, fileno(out), fileno(err));
    while (!fstat(fileno(err), &about) && about.st_size == 0 && ended.si_pid == 0) {
        usleep(10000);
        waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT);
    }
    kill(pid, SIGINT);
    r.status = exit_status(pid);
    r.out = read_back(out, &r.out_length);
    r.err = read_back(err, &r.err_length);
    close(in);
    return r;
}

struct run run_kelso_on_terminal(const char *const *args)
{
    FILE *err = tmpfile();
    struct run r;
    int master, slave;
    pid_t pid;

    assert_non_null(err);
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(master);
        run_child(args, slave, slave, fileno(err));
    }
    close(slave);
    r.out = read_terminal(master, &r.out_length);
    r.status = exit_status(pid);
    close(master);
    r.err = read_back(err, &r.err_length);
    return r;
}

struct run run_example(const char *name, const char *const *args)
{
    const char *program = getenv("KELSO_BINARY");
    char path[PATH_MAX], saved[PATH_MAX];
    struct run r;

    snprintf(saved, sizeof saved, "%s", program ? program : "build/check/kelso");
    snprintf(path, sizeof path, "%.*s/example_%s", (int)(strrchr(saved, '/') - saved), saved, name);
    setenv("KELSO_BINARY", path, 1);
    r = run_kelso(args, "", 0);
    setenv("KELSO_BINARY", saved, 1);
    return r;
}

void run_free(struct run *r)
{
    free(r->out);
    free(r->err);
}

void run_expect(const char *const *args, int status, const char *out, const char *err)
{
    struct run r = run_kelso(args, NULL, 0);

    if (r.status != status || !strstr(r.out, out) || !strstr(r.err, err))
        fail_msg("exit %d, out '%s', err '%s'", r.status, r.out, r.err);
    run_free(&r);
}

/* -------------------------------------------------------------------- JSON -- */

/* Each of these returns the byte behind what it accepts, or NULL. */
static const char *json_value(const char *s);

static const char *json_escape(const char *s)
{
    if (*s != 'u')
        return *s && strchr("\"\\/bfnrt", *s) ? s + 1 : NULL;
    for (int i = 1; i <= 4; i++)
        if (!isxdigit((unsigned char)s[i]))
            return NULL;
    return s + 5;
}

static const char *json_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    while (s && *s != '"') {
        if ((unsigned char)*s < ' ')
            return NULL;
        s = *s == '\\' ? json_escape(s + 1) : s + 1;
    }
    return s ? s + 1 : NULL;
}

static const char *json_number(const char *s)
{
    char *end;

    if (*s != '-' && !isdigit((unsigned char)*s))
        return NULL;
    strtod(s, &end);
    return end;
}

static const char *json_members(const char *s, char close, bool keys)
{
    if (*s == close)
        return s + 1;
    for (;;) {
        if (keys && (!(s = json_string(s)) || *s++ != ':'))
            return NULL;
        if (!(s = json_value(s)))
            return NULL;
        if (*s == close)
            return s + 1;
        if (*s++ != ',')
            return NULL;
    }
}

static const char *json_word(const char *s, const char *word)
{
    return strncmp(s, word, strlen(word)) == 0 ? s + strlen(word) : NULL;
}

static const char *json_value(const char *s)
{
    switch (*s) {
    case '{':
        return json_members(s + 1, '}', true);
    case '[':
        return json_members(s + 1, ']', false);
    case '"':
        return json_string(s);
    case 't':
        return json_word(s, "true");
    case 'f':
        return json_word(s, "false");
    case 'n':
        return json_word(s, "null");
    default:
        return json_number(s);
    }
}

bool json_is_valid(const char *text)
{
    const char *end = json_value(text);

    return end && strcmp(end, "\n") == 0;
}

void run_expect_json(const char *const *args, const char *out)
{
    struct run r = run_kelso(args, NULL, 0);

    if (r.status != 0 || !json_is_valid(r.out) || !strstr(r.out, out))
        fail_msg("exit %d, expected JSON with '%s', out '%s', err '%s'", r.status, out, r.out,
                 r.err);
    run_free(&r);
}
