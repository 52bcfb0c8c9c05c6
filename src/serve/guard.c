/* SPDX-License-Identifier: MIT */
#include "serve/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HOST_MAX = 255 };

/* ---------------------------------------------------------------------- addresses -- */

static const struct in6_addr *v6_of(const struct sockaddr *a)
{
    return &((const struct sockaddr_in6 *)a)->sin6_addr;
}

static bool v4_of(const struct sockaddr *a, struct in_addr *out)
{
    if (a->sa_family == AF_INET)
        *out = ((const struct sockaddr_in *)a)->sin_addr;
    else if (IN6_IS_ADDR_V4MAPPED(v6_of(a)))
        memcpy(out, v6_of(a)->s6_addr + 12, 4);
    else
        return false;
    return true;
}

bool guard_is_loopback(const struct sockaddr *a)
{
    struct in_addr v4;

    if (v4_of(a, &v4))
        return ntohl(v4.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(v6_of(a));
}

static bool is_anywhere(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ((const struct sockaddr_in *)a)->sin_addr.s_addr == htonl(INADDR_ANY);
    return IN6_IS_ADDR_UNSPECIFIED(v6_of(a));
}

const void *guard_client(const struct sockaddr *a, size_t *length)
{
    if (a->sa_family == AF_INET) {
        *length = 4;
        return &((const struct sockaddr_in *)a)->sin_addr;
    }
    if (IN6_IS_ADDR_V4MAPPED(v6_of(a))) {
        *length = 4;
        return v6_of(a)->s6_addr + 12;
    }
    *length = 8;
    return v6_of(a);
}

/* ---------------------------------------------------------------------------- Host -- */

/* Cut the port from a Host; false if it is malformed. */
static bool host_cut(const char *host, char out[HOST_MAX + 1])
{
    const char *end = *host == '[' ? strchr(host, ']') : NULL;
    size_t n = end ? (size_t)(end + 1 - host) : strcspn(host, ":"), digits;

    if (n == 0 || n > HOST_MAX || (*host == '[' && !end))
        return false;
    digits = host[n] == ':' ? strspn(host + n + 1, "0123456789") : 0;
    if (host[n] && (host[n] != ':' || digits > 5 || host[n + 1 + digits]))
        return false;
    memcpy(out, host, n);
    out[n] = 0;
    return true;
}

static bool host_address(const char *host, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    char text[HOST_MAX + 1];

    *out = (struct sockaddr_storage){.ss_family = AF_INET};
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1)
        return true;
    *out = (struct sockaddr_storage){.ss_family = AF_INET6};
    if (*host != '[')
        return false;
    snprintf(text, sizeof text, "%.*s", (int)strlen(host) - 2, host + 1);
    return inet_pton(AF_INET6, text, &v6->sin6_addr) == 1;
}

static bool same_address(const struct sockaddr *a, const struct sockaddr *b)
{
    struct in_addr x, y;

    if (v4_of(a, &x))
        return v4_of(b, &y) && x.s_addr == y.s_addr;
    return b->sa_family == AF_INET6 && IN6_ARE_ADDR_EQUAL(v6_of(a), v6_of(b));
}

static bool is_listed(const char *names, const char *host)
{
    size_t length = strlen(host);

    while (names && *names) {
        size_t n = strcspn(names, ",");

        if (n == length && strncasecmp(names, host, n) == 0)
            return true;
        names += n + (names[n] == ',');
    }
    return false;
}

bool guard_host(const struct guard *g, const char *host)
{
    const struct sockaddr *here = (const struct sockaddr *)&g->address;
    struct sockaddr_storage asked;
    char name[HOST_MAX + 1];
    bool local = guard_is_loopback(here), all = is_anywhere(here);

    if (!host || !host_cut(host, name))
        return false;
    if (is_listed(g->names, name))
        return true;
    if (strcasecmp(name, "localhost") == 0)
        return local || all;
    if (!host_address(name, &asked))
        return false;
    return all || same_address(here, (struct sockaddr *)&asked) ||
           (local && guard_is_loopback((struct sockaddr *)&asked));
}

bool guard_origin(const char *origin, const char *host)
{
    if (strncasecmp(origin, "http://", 7) == 0)
        origin += 7;
    else if (strncasecmp(origin, "https://", 8) == 0)
        origin += 8;
    else
        return false;
    return host && strcasecmp(origin, host) == 0;
}

/* --------------------------------------------------------------------------- token -- */

static bool same_secret(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned char differs = n != m;

    for (size_t i = 0; i < n; i++)
        differs |= (unsigned char)(a[i] ^ (m ? b[i % m] : 0));
    return !differs;
}

bool guard_owner(const struct guard *g, const char *authorization)
{
    if (!g->token)
        return guard_is_loopback((const struct sockaddr *)&g->address);
    return authorization && strncasecmp(authorization, "Bearer ", 7) == 0 &&
           same_secret(authorization + 7, g->token);
}

const char *guard_read_token(const char *path, char token[GUARD_TOKEN_MAX + 1])
{
    FILE *f = fopen(path, "re");
    size_t n;

    if (!f)
        return strerror(errno);
    n = fread(token, 1, GUARD_TOKEN_MAX, f);
    fclose(f);
    token[n] = 0;
    token[strcspn(token, "\r\n")] = 0;
    n = strlen(token);
    for (size_t i = 0; i < n; i++)
        if (token[i] <= ' ' || token[i] >= 0x7F)
            return "a token has no blanks and no letters beyond ASCII";
    return n < GUARD_TOKEN_MIN ? "a token has at least 16 characters, in the first line" : NULL;
}
